"""The pieces of work of a fit, which may be sent to other processes, and who deals them out."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from threading import Condition
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from hyperna._validation import FloatArray, IntArray
from hyperna.classifier.candidates import Candidate
from hyperna.classifier.choice import simplified
from hyperna.classifier.distances import signed_distance
from hyperna.classifier.points import LabelledPoints
from hyperna.fitness import FiniteSet
from hyperna.grid import Grid, finest_unit
from hyperna.mutation import StepLaw
from hyperna.networks import Network
from hyperna.parallel import in_order
from hyperna.search import Search, Task


class Control:
    """Deals out pieces of work, lets a caller look in between them, and ends them early.

    Work is done by joblib: in threads, because the kernels release the interpreter's lock, or by
    whatever backend is set with ``joblib.parallel_config``. A copy that was sent to another process
    only knows how to work; nothing watches it.

    Attributes
    ----------
    n_jobs : int or None
        Number of workers.
    report : callable or None
        Called after each piece of work; the work ends when it returns True.
    pieces : int
        How often a search reports, about.
    under_way : dict
        The best outcome of the searches that are not finished yet, by the number of their problem.
    stopped, interrupted : bool
        Whether the work is to end, and whether because of an interrupt from the keyboard: searches
        under way return what they have, others do not begin.
    """

    def __init__(self, n_jobs: int | None = None) -> None:
        self.n_jobs = n_jobs
        self.report: Callable[[], bool] | None = None
        self.pieces = 1
        self.under_way: dict[int, Any] = {}
        self.stopped = self.interrupted = self._away = False
        self._busy, self._change = 0, Condition()

    def __getstate__(self) -> dict[str, Any]:
        return {}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__()  # type: ignore[misc]
        self._away = True

    def interrupt(self) -> None:
        """End the work because the user wishes so."""
        self.stopped = self.interrupted = True

    def pause(self) -> None:
        """Look in after a piece of work."""
        if self.report is not None and not self.stopped and self.report():
            self.stopped = True

    def note(self, number: int, outcome: Any) -> None:
        """Remember the best of the searches under way, for those who watch or interrupt."""
        with self._change:
            known = self.under_way.get(number)
            if known is None or outcome.rank > known.rank:
                self.under_way[number] = outcome

    def map(self, jobs: list[tuple[Any, ...]]) -> list[Any]:
        """Return work(self, *arguments) for each job (work, *arguments); None if not finished."""
        results: list[Any] = []
        try:
            if self.report is not None:
                # The watcher sees the pieces one after the other.
                for job in jobs:
                    results.append(self._do(*job))
            elif jobs:
                for result in in_order(self._do, jobs, self.n_jobs):
                    results.append(result)
        except KeyboardInterrupt:
            self.interrupt()
            with self._change:  # threads at work note where they stand
                self._change.wait_for(lambda: self._busy == 0)
        return results + [None] * (len(jobs) - len(results))

    def _do(self, work: Callable[..., Any], *arguments: Any) -> Any:
        with self._change:
            self._busy += 1
        try:
            if self.stopped:
                return None
            # One thread, as at home: sums in another order would lead to other networks.
            with threadpool_limits(1, "blas") if self._away else nullcontext():
                return work(self, *arguments)
        finally:
            with self._change:
                self._busy -= 1
                self._change.notify_all()


# Offspring between which an interrupt from the keyboard is noticed: a fraction of a second.
PIECE = 2**13
# The part of a search in which networks of equal score are accepted whatever their margins.
WALK = 0.5
# Random starts of a knock-out; each begins with at least this many evaluations per rival.
STARTS, SHORTEST_ROUND = 16, 3


@dataclass(frozen=True)
class Settings:
    """The parameters of the classifier that matter to a binary problem.

    Attributes
    ----------
    simplifies : bool
        Whether simpler networks are looked for, which takes half-spaces.
    patient : bool
        Whether all is left to evolution, for which steps that change nothing are redrawn.
    phases : tuple
        Parts of a search: whether margins decide between equals, and for which part of what is
        left. From random starts a walk on the plateaus, which margins would forbid, comes first.
        Starts made from data are near an optimum and gain nothing by it.
    """

    neurons: int | str
    output: str
    resolution: int
    mutation: StepLaw
    max_evals: int
    restarts: int
    stagnation: int | None
    clip: float
    init: str
    move: str = "rotation"
    neuron: str = "plain"

    simplifies: bool = field(init=False)
    patient: bool = field(init=False)
    phases: tuple[tuple[bool, float], ...] = field(init=False)

    def __post_init__(self) -> None:
        by_chance, plain = self.init != "data", self.neuron == "plain"
        walk = by_chance and plain and self.clip > 0.0
        self.__dict__.update(
            simplifies=self.neurons == "auto" and plain,
            patient=self.neurons == "auto" and by_chance,
            phases=((False, WALK), (True, 1.0)) if walk else ((True, 1.0),),
        )

    def grid(self, dim: int, neurons: int, output: str) -> Grid:
        """Return the grid of networks, the finest there is for rotations and continuous laws."""
        fine = self.mutation.continuous or (self.move == "rotation" and dim > 2)
        resolution = self.resolution * (finest_unit(self.resolution) if fine else 1)
        return Grid(dim, neurons, resolution, output, self.neuron)


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a search has led to."""

    network: Network
    score: int
    tie: float
    evaluations: int
    improvements: tuple[IntArray, FloatArray]

    @property
    def rank(self) -> tuple[int, float]:
        """Better outcomes have larger ranks."""
        return self.score, self.tie


@dataclass(frozen=True, eq=False)
class Attempt:
    """A candidate on some points, and the pieces of work by which its networks are found.

    Attributes
    ----------
    number : int
        Number of the binary problem.
    """

    points: LabelledPoints
    settings: Settings
    candidate: Candidate
    seed: np.random.SeedSequence
    number: int = 0

    def start(self) -> Network | None:
        """Return the first network, made from the data; None: a random one."""
        if self.candidate.construction is None:
            return None
        small, axes = self.points.span
        rng = np.random.default_rng(self.seed)
        spaces = self.candidate.construction(small, self.candidate.constructed, rng)
        if axes is not None:
            spaces = replace(spaces, W=spaces.W @ axes)
        neurons = self.candidate.neurons if self.candidate.exact else len(spaces.t)
        dim = self.points.Z.shape[1]
        return spaces.network(self.settings.grid(dim, neurons, self.candidate.output))

    def search(
        self, start: Network | None, budget: int, *place: int, margins: bool = True
    ) -> Search:
        """Return a search, not yet begun; without margins all networks as good are accepted."""
        settings, points, dim = self.settings, self.points, self.points.Z.shape[1]
        shape = dim, self.candidate.neurons, self.candidate.output
        grid = start.grid if start else settings.grid(*shape)
        # The kernel of bent neurons has no margins.
        clip = settings.clip if margins and settings.neuron == "plain" else 0.0
        # where margins decide, they and not negligible weights shape what is left open
        weight = points.decisive if margins and settings.clip > 0 else points.weight
        fitness = FiniteSet.of_checked(points.Z, points.y, weight, clip)
        task = Task(
            law=settings.mutation,
            unit=grid.resolution // settings.resolution,
            rotation=settings.move == "rotation" and dim > 2,
            grid=grid,
            fitness=fitness,
            units=fitness.total,
            bias=True,
            redraw_void=settings.patient,
            probability=1.0 / grid.components,
            sphere=settings.init == "sphere",
            budget=max(1, budget),
            stagnation=settings.stagnation,
            # Without margins nothing is left to gain once all points are right.
            target=1.0 if clip == 0.0 else False,
            restarts=0,
            start=start,
        )
        return Search(task, child(self.seed, *place))

    def outcome(self, search: Search, before: Outcome | None = None, spent: int = 0) -> Outcome:
        """Return where a search stands that followed another one, or other evaluations."""
        result, clip, tie = search.result(), self.settings.clip, 0.0
        spent = before.evaluations if before else spent
        network, evals = result.network, spent + result.improvements.evaluations
        improvements = evals, result.improvements.fitness
        if before is not None:
            earlier, later = before.improvements, improvements
            improvements = np.append(earlier[0], later[0]), np.append(earlier[1], later[1])
        if clip > 0.0:
            distance = signed_distance(network, self.points.Z)
            tie = float(self.points.gain @ np.clip(distance, -clip, clip))
        score = self.points.correct(network)
        return Outcome(network, score, tie, spent + result.evaluations, improvements)

    def look(self, control: Control, budget: int) -> tuple[list[Network], int]:
        """Return the candidate's start: made from the data, or the best of random ones."""
        start, spent = self.start(), 0
        if start is None:
            start, spent = self.knock_out(control, budget)
        return [start], spent

    def knock_out(self, control: Control, budget: int, *place: int) -> tuple[Network, int]:
        """Return the best of random starts after some evolution, and the evaluations spent.

        All begin with few evaluations; the better half goes on with twice as many, until one is
        left. Most random starts end in a poor local optimum, and the errors soon tell which ones.
        """
        count = STARTS if self.settings.restarts else 1
        while count > 1 and budget < SHORTEST_ROUND * count**2 * count.bit_length():
            count //= 2
        length = max(1, budget // (count.bit_length() * count))
        every = runs = [self.search(None, budget, *place, k, margins=False) for k in range(count)]
        while True:
            for run in runs:
                if not (run.finished or control.stopped):
                    run.advance(length)
            results = [run.result() for run in runs]
            order = np.argsort([-result.fitness for result in results], kind="stable")
            best = results[order[0]]
            if len(runs) == 1 or best.fitness == 1.0 or control.stopped:
                return best.network, sum(run.evaluations for run in every)
            runs, length = [runs[k] for k in order[: len(runs) // 2]], 2 * length

    def trial(
        self, control: Control, start: Network, stops: tuple[int, ...]
    ) -> tuple[list[Network], int] | None:
        """Return the networks after these numbers of evaluations, and the evaluations spent.

        A walk on plateaus, where there is one, comes before them, and takes as many. Where the
        number of neurons is open, the last of the networks made simpler comes after them, unless it
        has more parameters than there are points.
        """
        networks, spent = [], 0
        try:
            for margins, _ in self.settings.phases:
                search = self.search(start, stops[-1], int(margins), margins=margins)
                ended = False
                for stop in stops:
                    while search.evaluations < stop and not ended:
                        ended = search.advance(stop - search.evaluations)
                    networks.append(search.result().network)
                start, spent = networks[-1], spent + search.evaluations
            networks = networks[-len(stops) :]
            few = start.grid.components <= len(self.points.y)
            if self.settings.simplifies and self.candidate.constructed > 1 and few:
                networks.append(simplified(start, self.points, self.points.doubt(start)))
        except KeyboardInterrupt:
            control.interrupt()
            return None
        control.pause()
        return networks, spent

    def evolve(
        self, control: Control, start: Network | None, budget: int, spent: int = 0
    ) -> Outcome:
        """Run a search to its end, in pieces; an interrupt ends it early."""
        outcome: Any = None
        left = budget
        for margins, share in self.settings.phases:
            # The first phase has the seed of the whole, as the paper's algorithm would.
            place, part = (1,) if outcome else (), max(1, round(share * left))
            search = self.search(start, part, *place, margins=margins)
            quota = min(search.quota, PIECE)
            if control.report is not None:
                quota = min(quota, max(1, budget // control.pieces))
            try:
                while not search.advance(quota) and not control.stopped:
                    if control.report is not None:
                        control.note(self.number, self.outcome(search, outcome, spent))
                        control.pause()
            except KeyboardInterrupt:
                control.interrupt()
            outcome = self.outcome(search, outcome, spent)
            start, left = outcome.network, budget + spent - outcome.evaluations
            if left < 1 or control.stopped:
                break
        control.note(self.number, outcome)
        return outcome

    def final(self, control: Control, known: Network | None, budget: int) -> Outcome:
        """Return the outcome of one of the searches on the whole problem.

        It begins with the network of a trial, if this is known and better than the candidate's
        start (by a standard error, if nothing is evolved: it may have failed), or all is left to
        evolution.
        """
        points, spent = self.points, 0
        start = known if self.settings.patient else self.start()
        if start is None and self.settings.restarts and budget > 1:
            start, spent = self.knock_out(control, budget // 2, 2)
        doubt = points.doubt(start) * points.total if start and budget == 1 else 0.0
        if start and known and points.correct(known) > points.correct(start) + doubt:
            start = known
        return self.evolve(control, start, max(1, budget - spent), spent)


def child(seed: np.random.SeedSequence, *place: int) -> np.random.SeedSequence:
    """Return the seed of a part of the work."""
    return np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, *place))


def as_kind(network: Network, neuron: str) -> Network:
    """Return a network of plain neurons as one of another kind that does the same."""
    grid = network.grid
    if grid.neuron == neuron:
        return network
    made = Grid(grid.dim, grid.neurons, grid.resolution, grid.output, neuron)
    hidden = network.genome[: grid.output_start].reshape(grid.neurons, grid.width)
    if grid.neuron != "plain":
        raise ValueError(
            f"networks of {grid.neuron} neurons cannot be continued with {neuron} ones"
        )
    output = network.genome[grid.output_start :]
    return Network(made, np.append(np.column_stack([hidden, made.neutral]).ravel(), output))
