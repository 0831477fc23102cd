"""The (1+1) NA: one network, one offspring at a time, the offspring kept if it is not worse."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Unpack

from hyperna._words import shown
from hyperna.fitness import Fitness, fitness_of
from hyperna.mutation import law
from hyperna.network.grid import Grid, finest_unit
from hyperna.network.networks import Network
from hyperna.problems import Problem
from hyperna.run.description import (
    ALGORITHM_OPTIONS,
    EVOLVED_NEURONS,
    MAX_NEURONS,
    AlgorithmOptions,
    RunArguments,
    check_options,
    check_run_options,
    default_budget,
)
from hyperna.run.many import run_many
from hyperna.run.results import Progress, RunResult, Runs, Seed
from hyperna.run.task import StoppingRule, Task
from hyperna.run.terms import charged
from hyperna.run.topology import growing


@dataclass(frozen=True)
class OnePlusOneNA(AlgorithmOptions):
    """The (1+1) Neuroevolution Algorithm and its variants.

    It starts from a random network on the grid. In every step each component (angle or bias) is
    mutated with probability 1/M, M being the number of components, by a step of either sign whose
    length the mutation law draws; the offspring replaces its parent if its fitness is not less.

    Parameters
    ----------
    neurons : int or "evolved"
        Number N of hidden neurons. "evolved": a run starts with one neuron, and a quarter of the
        offspring have one more or one fewer: a random neuron is added, one is left out, or one is
        doubled and its copy mutated, with equal probability. A larger network must be better than
        its parent, a smaller one not worse.
    output : {"or", "and", "xor", "evolved"}
        How the hidden bits are joined.
    resolution : int
        Grid points r of an angle, 2 to 2**40.
    mutation : str or StepLaw
        A name such as "harmonic", "local", "uniform", or a law such as ``Pareto(shape=1.5)``.
    bias : bool
        False fixes every bias at the value 0 (the mutation probability stays as it is).
    redraw_void : bool
        True draws a mutation again if it changes nothing; False counts it as an evaluation.
    mutation_probability : float, optional
        Probability for each component instead of 1/M.
    init : {"grid", "sphere"}
        Start uniform on the grid, or with normals uniform on the sphere.
    neuron : {"plain", "bent"}
        Kind of the hidden neurons. A bent neuron has one more component, its bend: it fires in a
        cone around its normal instead of a half-space.
    replace_neuron : float
        Probability with which an offspring is its parent with one hidden neuron drawn again,
        uniformly on the grid, instead of a mutation: a way out of local optima in which a neuron
        is of no use.
    move : {"angle", "rotation"}
        How a mutated direction moves: one of its angles changes, as in the paper, or the normal
        turns in the plane of two random coordinates, which treats all coordinates alike; the grid
        is then the finest there is. At D = 2 `move` makes no difference: angles change.
    max_neurons : int, optional
        Largest number of neurons where it evolves, by default 16.

    Examples
    --------
    >>> from hyperna.problems import problem
    >>> na = OnePlusOneNA(neurons=2, resolution=120)
    >>> result = na.run(problem("two_quarters"), seed=2)
    >>> result.success, round(result.fitness, 2)
    (True, 0.99)
    >>> runs = na.run_many(problem("two_quarters"), runs=200, seed=1)
    >>> len(runs), bool(runs.success.mean() > 0.5)
    (200, True)
    >>> growing = OnePlusOneNA(neurons="evolved", output="xor")
    >>> found = growing.run(problem("arcs", k=3), seed=0)
    >>> found.success, found.network.grid.neurons
    (True, 3)
    """

    name: ClassVar[str] = "na"
    summary: ClassVar[str] = "the (1+1) NA"

    def __post_init__(self) -> None:
        # settings write a law as text, here it may be an object, too
        self._store("mutation", law(self.mutation))
        others = [name for name in ALGORITHM_OPTIONS if name != "mutation"]
        given = {name: getattr(self, name) for name in others}
        for name, value in check_options(others, given).items():
            self._store(name, value)
        if self.move == "rotation" and self.replace_neuron:
            raise ValueError(
                "replace_neuron must be 0 where neurons are moved by rotations, "
                f"got {shown(self.replace_neuron)}"
            )
        if self.neurons == EVOLVED_NEURONS:
            if self.replace_neuron:
                raise ValueError(
                    "replace_neuron must be 0 where the number of neurons evolves, "
                    f"got {shown(self.replace_neuron)}"
                )
            if self.max_neurons is None:
                self._store("max_neurons", MAX_NEURONS)
        elif self.max_neurons is not None:
            raise ValueError(
                "max_neurons must be left out where the number of neurons is fixed, "
                f"got {shown(self.max_neurons)}"
            )
        # refuses what is no network
        coarse = Grid(2, self.largest_size, self.resolution, self.output, self.neuron)
        if not self.bias:
            coarse.zero_bias  # noqa: B018  refuses a resolution on which 0 is no bias

    def _store(self, name: str, value: Any) -> None:
        """Replace a field by its clean value, before anybody sees the frozen object."""
        object.__setattr__(self, name, value)

    @property
    def unit(self) -> int:
        """Grid units in a step of length 1 at D = 2: more than one only for continuous laws."""
        return self.grid(2).resolution // self.resolution

    def grid(self, dim: int) -> Grid:
        """Return the grid that is searched for points in R^dim.

        For continuous laws and rotations it is as fine as the arithmetic allows. Where the number
        of neurons evolves it is that of the largest networks.
        """
        resolution = self.resolution
        # at D = 2 `move` makes no difference
        if law(self.mutation).continuous or (self.move == "rotation" and dim > 2):
            resolution *= finest_unit(resolution)
        return Grid(dim, self.largest_size, resolution, self.output, self.neuron)

    @property
    def largest_size(self) -> int:
        """Number of neurons, or where it evolves the largest."""
        return self.max_neurons or int(self.neurons)

    @property
    def default_budget(self) -> int:
        """The paper's limit, floor(100 r ln r) evaluations."""
        return default_budget(self.resolution)

    def task(
        self,
        problem: Problem | Fitness | str,
        *,
        start: Network | None = None,
        **options: Unpack[RunArguments],
    ) -> Task:
        """Return everything that defines a run but its seed, checked: see `run`."""
        fitness = fitness_of(problem, neurons=self.neurons)
        grid = self.grid(fitness.dim)
        if start is not None:
            self._check_start(start, grid)
        checked = check_run_options(self.resolution, options)
        term_cost = checked.pop("term_cost")
        task = Task(
            law=law(self.mutation),
            unit=grid.resolution // self.resolution,
            rotation=self.move == "rotation" and fitness.dim > 2,
            grid=grid,
            fitness=fitness,
            units=fitness.units(grid),
            bias=bool(self.bias),
            redraw_void=bool(self.redraw_void),
            probability=float(self.mutation_probability or 1.0 / grid.components),
            sphere=self.init == "sphere",
            **checked,
            start=start,
            replace_neuron=float(self.replace_neuron),
        )
        if self.max_neurons is not None:
            if term_cost is not None:
                raise ValueError("neurons must be a number where terms have a cost, got 'evolved'")
            return growing(task, self.mutation_probability)
        return task if term_cost is None else charged(task, term_cost)

    def _check_start(self, start: Any, grid: Grid) -> None:
        """Refuse a first network that is not one of those searched."""
        if not isinstance(start, Network):
            raise TypeError(f"start must be a Network, got {shown(start)}")
        grows = self.max_neurons is not None
        shape = replace(start.grid, neurons=grid.neurons) if grows else start.grid
        if shape != grid or start.grid.neurons > grid.neurons:
            most = " with at most as many neurons" if grows else ""
            raise ValueError(f"start must be on the grid {grid}{most}, got one on {start.grid}")
        output = start.output_weights()
        biased = start.weights()[1].any() or (output is not None and output[1] != 0)
        if not self.bias and biased:
            raise ValueError("start must have biases 0, because bias=False")

    def run(
        self,
        problem: Problem | Fitness | str,
        *,
        seed: Seed = None,
        number: int = 0,
        trajectory: bool = False,
        start: Network | None = None,
        stop: StoppingRule | None = None,
        every: int = 1000,
        **options: Unpack[RunArguments],
    ) -> RunResult:
        """Run the algorithm once.

        An evaluation ends the run with the first of these that holds: the target is reached, an
        optimum is, the run is found to be stuck, the `budget` is used up, or `stagnation`. The
        evaluation at a limit is still made, and may succeed. Only starts that are stuck or stagnate
        are followed by restarts, as long as the budget is not used up.

        Parameters
        ----------
        problem : Problem, Fitness or str
            What to learn; a problem may be given by its name.
        term_cost : int, optional
            Points (units of weight) that a term less is worth, a term being a weight that is not 0:
            an offspring replaces its parent if the weight of its errors plus the cost of its terms
            is not larger. For labelled points and ``move="rotation"``. Beside the usual mutations,
            turns end where a weight is 0, and neurons are lost for good, so that it helps to give
            a `start`. Of several neurons some may be lost, so points must then lie in the unit
            ball, or leave room beside it. The run ends with its budget; `RunResult.terms` says what
            is left.
        budget : int, optional
            Maximum number of fitness evaluations; by default floor(100 r ln r).
        stagnation : int, optional
            Evaluations without a better fitness after which the run ends.
        target : float or False, optional
            Fitness at which the run ends with success. By default it ends when every component
            is within less than one grid step of an optimal solution or, where these are not
            known, at the best fitness known (less 2N/r on the circle and the sphere). False: never.
        restarts : int or "auto"
            Number of restarts, within the budget, after stagnation or when stuck; the best network
            of all starts is returned. "auto": as many as the budget allows, after u_k times
            `stagnation` evaluations without improvement in start k, where u = 1, 1, 2, 1, 1, 2, 4,
            ... is the sequence of Luby, Sinclair and Zuckerman (1993). `stagnation` need not be
            given then; it is four times the number of components times log2 of the resolution, and
            for a population at least as many as its members and offspring.
        seed : int, SeedSequence or None
            The same seed gives the same run.
        number : int
            Number of the run under this seed: it is the same as run `number` of `run_many`.
        trajectory : bool
            Whether to record every accepted network.
        start : Network, optional
            First network instead of a random one.
        stop : callable, optional
            A stopping rule of your own. It is called about every `every` evaluations with the
            result so far; once it returns True the run ends with the stop reason "rule".
        every : int
            Evaluations between two calls of `stop`.

        Examples
        --------
        >>> from hyperna.problems import problem
        >>> OnePlusOneNA(bias=False).run("half", seed=3).stop_reason
        'optimum'
        >>> rule = lambda so_far: so_far.evaluations >= 50
        >>> na = OnePlusOneNA(resolution=2**30)
        >>> na.run(problem("quarter"), seed=1, stop=rule, every=10).stop_reason
        'rule'
        """
        task = self.task(problem, start=start, **options)
        return task.run(seed, number, trajectory, stop, every)

    def run_many(
        self,
        problem: Problem | Fitness | str,
        runs: int,
        *,
        seed: Seed = None,
        n_jobs: int | None = None,
        progress: Progress | None = None,
        **options: Unpack[RunArguments],
    ) -> Runs:
        """Run the algorithm many times, independently.

        The result does not depend on `n_jobs`. To save memory, networks are not kept;
        ``runs.replay(i)`` repeats run i and returns its network and its improvements.

        Parameters
        ----------
        runs : int
            Number of runs.
        n_jobs : int, optional
            Workers, as in joblib (-1: all processors). They are threads, because the kernels run
            without the interpreter lock, unless another backend is set with
            ``joblib.parallel_config``.
        progress : callable, optional
            Called with the number of finished runs and the number of all runs.
        problem, term_cost, budget, stagnation, target, restarts, seed
            As in `run`.

        Examples
        --------
        >>> from hyperna.problems import problem
        >>> runs = OnePlusOneNA().run_many(problem("half"), runs=1000, seed=7, n_jobs=2)
        >>> runs.stop_counts
        {'optimum': 1000}
        """
        return run_many(
            self.task(problem, **options), runs, seed=seed, n_jobs=n_jobs, progress=progress
        )
