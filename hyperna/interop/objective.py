"""Fitness functions as integer problems of ``ioh``, for optimisers that know nothing of hyperna."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hyperna._kernels import state
from hyperna._validation import check_extra, check_integer
from hyperna.fitness import FiniteSet, Fitness, Sampled, fitness_of
from hyperna.interop.names import function_id, function_name
from hyperna.network.grid import Grid
from hyperna.problems import PointProblem, Problem, points_digest
from hyperna.run.algorithm import OnePlusOneNA
from hyperna.run.task import Task

# Variables of ioh are 32-bit integers.
_LARGEST_RESOLUTION = 2**31 - 2


class Objective:
    """The fitness of networks as a function of a list of integers, their genomes.

    The integers may be any: they are taken modulo the number of values of their component, because
    the grid wraps around.

    Parameters
    ----------
    problem : Problem, Fitness or str
        What is to be learnt.
    neurons : int, optional
        Hidden neurons; by default the problem's.
    output : {"or", "and", "xor", "evolved"}
        How they are joined.
    resolution : int
        Resolution r of the grid.
    target : float, optional
        Fitness that counts as success; by default as in `OnePlusOneNA.run`.

    Attributes
    ----------
    grid : Grid
        What the integers mean.
    name : str
        Name of the function, as `function_name` gives it.
    success : float
        1.0 if the network evaluated last was a success in the sense of the (1+1) NA, else 0.0;
        0.0 before the first.

    Examples
    --------
    >>> from hyperna.problems import problem
    >>> objective = Objective(problem("half"), resolution=120)
    >>> objective([30, 60]), objective.success
    (1.0, 1.0)
    >>> objective([30 - 120, 60]), objective([90, 60]), objective.success
    (1.0, 0.0, 0.0)
    """

    def __init__(
        self,
        problem: Problem | Fitness | str,
        *,
        neurons: int | None = None,
        output: str = "or",
        resolution: int = 120,
        target: float | None = None,
    ) -> None:
        check_integer("resolution", resolution, 2, _LARGEST_RESOLUTION)
        if neurons is None:
            neurons = fitness_of(problem).default_neurons
        na = OnePlusOneNA(neurons=neurons, output=output, resolution=resolution)
        self._task: Task = na.task(problem, target=target)
        self._moduli = np.array(self.grid.moduli)
        self._work = self._task.compiled_fitness.workspace()
        self.success = 0.0

    @property
    def grid(self) -> Grid:
        """What the integers mean."""
        return self._task.grid

    @property
    def fitness(self) -> Fitness:
        """What is measured."""
        return self._task.fitness

    @property
    def name(self) -> str:
        """Name of the function."""
        fitness = self.fitness
        what = fitness.problem.name if fitness.problem else str(fitness)
        return function_name(what, self.grid, _describe_points(fitness))

    def __call__(self, x: Sequence[int]) -> float:
        """Return the fitness of the network with this genome."""
        genome = np.asarray(x, np.int64) % self._moduli
        [score], [stop] = self._task.outcomes(genome[None], self._work)
        self.success = float(stop != state.RUNNING)
        return int(score) / self._task.units

    def ioh_problem(self, instance: int = 1) -> Any:
        """Return this function as an integer problem of ``ioh``, to be maximised.

        Its bounds are those of each variable; its number is `function_id` of its name, whatever
        was wrapped before. The optimum is told where one is known to lie on the grid.

        Examples
        --------
        >>> from hyperna.problems import problem
        >>> f = Objective(problem("quarter"), resolution=120).ioh_problem()
        >>> f.bounds.ub.tolist(), f([15, 102])
        ([119, 120], 0.9968166888933652)
        """
        check_extra("problems of IOHprofiler need", "ioh", "ioh")
        import ioh

        optimum = self._optimum_on_grid()
        self.success = 0.0  # of a search that has not begun
        wrapped = ioh.wrap_problem(
            self,
            self.name,
            ioh.ProblemClass.INTEGER,
            self.grid.components,
            instance,
            ioh.OptimizationType.MAX,
            lb=0,
            ub=int(self._moduli.max()) - 1,
            calculate_objective=None if optimum is None else lambda *_: (optimum, 1.0),
        )
        wrapped.bounds.ub = (self._moduli - 1).tolist()
        wrapped.set_id(function_id(self.name))
        return wrapped

    def _optimum_on_grid(self) -> list[int] | None:
        """Return a genome without a mistake among the known optima, rounded to the grid."""
        optima = self._task.goal.optima
        if optima is None:
            return None
        for optimum in np.rint(optima)[:, :, : self.grid.width]:
            genome = optimum.astype(np.int64).ravel()
            if genome.size == self.grid.components and self(genome) == 1.0:
                return [int(value) for value in genome % self._moduli]
        return None


def _describe_points(fitness: Fitness) -> str:
    """Return what tells apart fitness functions of the same problem: which points they count."""
    if isinstance(fitness, Sampled):
        return f"points={fitness.n} {fitness.method}"
    made = fitness.problem
    if isinstance(fitness, FiniteSet) and (made is None or type(made) is PointProblem):
        # Data of the user's own, whose name says nothing about them: eight digits of the digest by
        # which campaigns know a file.
        if made is None:
            digest = points_digest(fitness.X, fitness.y, fitness.weights)
        else:
            digest = points_digest(made.X, made.y, made.weight)
        return f"data={digest[:8]}"
    return ""


def analyzer_logger(
    folder: str | Path, algorithm: str, objective: Objective | None = None, info: str = ""
) -> Any:
    """Return a logger that writes what IOHanalyzer reads: a row for every improvement.

    Attach it to one problem only, for one folder holds one cell of a comparison. With the
    objective given, a column `success` tells whether the row's network was a success, the same
    column that exported campaigns have; end the loop at success to have that row written.

    Examples
    --------
    >>> import tempfile
    >>> from hyperna.problems import problem
    >>> objective = Objective(problem("half"), resolution=12)
    >>> f = objective.ioh_problem()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     logger = analyzer_logger(f"{folder}/mine", "enumeration", objective)
    ...     f.attach_logger(logger)
    ...     values = [f([angle, 6]) for angle in range(4)]
    ...     f.detach_logger()
    ...     logger.close()
    ...     text = next(Path(folder).rglob("*.dat")).read_text()
    >>> text.splitlines()[-1]
    '4 1.0000000000 1.0000000000'
    """
    check_extra("problems of IOHprofiler need", "ioh", "ioh")
    import ioh

    path = Path(folder)
    # The constant: a trigger object made inline is freed too early and crashes the logger.
    logger = ioh.logger.Analyzer(
        triggers=[ioh.logger.trigger.ON_IMPROVEMENT],
        root=str(path.parent),
        folder_name=path.name,
        algorithm_name=algorithm,
        algorithm_info=info,
    )
    if objective is not None:
        logger.watch(objective, "success")
    return logger
