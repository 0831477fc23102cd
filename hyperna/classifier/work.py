"""The pieces of work of a fit, which may be sent to other processes, and who deals them out."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Condition
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from hyperna._validation import FloatArray, IntArray
from hyperna.algorithm import OnePlusOneNA
from hyperna.classifier.candidates import Candidate
from hyperna.classifier.choice import error, simplified
from hyperna.classifier.points import LabelledPoints
from hyperna.classifier.spaces import signed_distance
from hyperna.fitness import FiniteSet
from hyperna.mutation import StepLaw
from hyperna.networks import Network
from hyperna.parallel import in_order
from hyperna.search import Search


class Control:
    """Deals out pieces of work, lets a caller look in between them, and ends them early.

    Work is done by joblib: in threads, because the kernels release the interpreter's lock, or by
    whatever backend is set with ``joblib.parallel_config``. A copy that was sent to another process
    only knows how to work; nothing watches it.

    Attributes
    ----------
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

    def __init__(self) -> None:
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

    def map(
        self, work: Callable[..., Any], items: list[tuple[Any, ...]], n_jobs: int | None
    ) -> list[Any]:
        """Return work(self, *item) for each item, in order; None for what was not finished."""
        results: list[Any] = []
        try:
            if self.report is not None:
                # The watcher sees the pieces one after the other.
                for item in items:
                    results.append(self._do(work, item))
            elif items:
                for result in in_order(self._do, ((work, item) for item in items), n_jobs):
                    results.append(result)
        except KeyboardInterrupt:
            self.interrupt()
            self._wait()
        return results + [None] * (len(items) - len(results))

    def _do(self, work: Callable[..., Any], item: tuple[Any, ...]) -> Any:
        with self._change:
            self._busy += 1
        try:
            if self.stopped:
                return None
            if not self._away:
                return work(self, *item)
            # One thread, as at home: sums in another order would lead to other networks.
            with threadpool_limits(1, "blas"):
                return work(self, *item)
        finally:
            with self._change:
                self._busy -= 1
                self._change.notify_all()

    def _wait(self) -> None:
        """Wait for the threads at work, which note where they stand."""
        with self._change:
            self._change.wait_for(lambda: self._busy == 0)


# Offspring between which an interrupt from the keyboard is noticed: a fraction of a second.
PIECE = 2**13
# The part of a search in which networks of equal score are accepted whatever their margins.
WALK = 0.5
# Random starts of a knock-out; each begins with at least this many evaluations per rival.
STARTS, SHORTEST_ROUND = 16, 3


@dataclass(frozen=True)
class Settings:
    """The parameters of the classifier that matter to a binary problem."""

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

    @property
    def simplifies(self) -> bool:
        """Whether simpler networks are looked for, which takes half-spaces."""
        return self.neurons == "auto" and self.neuron == "plain"

    @property
    def patient(self) -> bool:
        """Whether all is left to evolution, for which steps that change nothing are redrawn."""
        return self.init != "data" and self.neurons == "auto"

    def search(
        self,
        points: LabelledPoints,
        candidate: Candidate,
        start: Network | None,
        budget: int,
        seed: Any,
        margins: bool = True,
    ) -> Search:
        """Return a search, not yet begun; without margins all networks as good are accepted."""
        # The kernel of bent neurons has no margins.
        clip = self.clip if margins and self.neuron == "plain" else 0.0
        neurons, output = candidate.neurons, candidate.output
        if start is not None:
            neurons, output = start.grid.neurons, start.grid.output
        na = self._algorithm(neurons, output, init="grid" if self.init == "data" else self.init)
        # where margins decide, they and not negligible weights shape what is left open
        weight = points.decisive if margins and self.clip > 0 else points.weight
        task = na.task(
            FiniteSet(points.Z, points.y, weight, tie_clip=clip),
            budget=max(1, budget),
            stagnation=self.stagnation,
            # Without margins nothing is left to gain once all points are right.
            target=1.0 if clip == 0.0 else False,
            start=start,
        )
        return Search(task, seed)

    def start(
        self, points: LabelledPoints, candidate: Candidate, seed: np.random.SeedSequence
    ) -> Network | None:
        """Return a candidate's first network, made from the data; None: a random one."""
        if candidate.construction is None:
            return None
        small, axes = points.span
        rng = np.random.default_rng(seed)
        spaces = candidate.construction(small, candidate.constructed, rng)
        if axes is not None:
            spaces = replace(spaces, W=spaces.W @ axes)
        neurons = candidate.neurons if candidate.exact else len(spaces.t)
        return spaces.network(self._algorithm(neurons, candidate.output).grid(points.Z.shape[1]))

    def _algorithm(self, neurons: int, output: str, **more: Any) -> OnePlusOneNA:
        more |= {"move": self.move, "neuron": self.neuron, "redraw_void": self.patient}
        return OnePlusOneNA(neurons, output, self.resolution, self.mutation, **more)


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a search has led to."""

    network: Network
    score: int
    tie: float
    evaluations: int
    improvements: tuple[IntArray, FloatArray]

    @classmethod
    def of(
        cls,
        search: Search,
        points: LabelledPoints,
        clip: float,
        before: "Outcome | None" = None,
    ) -> "Outcome":
        """Return where a search stands that may have followed another one."""
        result = search.result()
        evals, fitness = result.improvements.evaluations, result.improvements.fitness
        if before is not None:
            evals = np.concatenate([before.improvements[0], before.evaluations + evals])
            fitness = np.concatenate([before.improvements[1], fitness])
        tie = 0.0
        if clip > 0.0:
            distance = signed_distance(result.network, points.Z)
            tie = float(points.gain @ np.clip(distance, -clip, clip))
        return cls(
            network=result.network,
            score=points.correct(result.network),
            tie=tie,
            evaluations=result.evaluations + (before.evaluations if before else 0),
            improvements=(evals, fitness),
        )

    @property
    def rank(self) -> tuple[int, float]:
        """Better outcomes have larger ranks."""
        return self.score, self.tie


def first_look(
    control: Control,
    points: LabelledPoints,
    settings: Settings,
    candidate: Candidate,
    budget: int,
    seed: np.random.SeedSequence,
) -> tuple[list[Network], int]:
    """Return a candidate's start: made from the data, or the best of random ones."""
    start, spent = settings.start(points, candidate, seed), 0
    if start is None:
        start, spent = knock_out(control, points, settings, candidate, budget, seed)
    return [start], spent


def knock_out(
    control: Control,
    points: LabelledPoints,
    settings: Settings,
    candidate: Candidate,
    budget: int,
    seed: np.random.SeedSequence,
) -> tuple[Network, int]:
    """Return the best of random starts after some evolution, and the evaluations spent.

    All begin with few evaluations; the better half goes on with twice as many, until one is left.
    Most random starts end in a poor local optimum, and the errors soon tell which ones.
    """
    count = STARTS if settings.restarts else 1
    while count > 1 and budget < SHORTEST_ROUND * count**2 * count.bit_length():
        count //= 2
    length = max(1, budget // (count.bit_length() * count))
    every = runs = [
        settings.search(points, candidate, None, budget, child(seed, k), margins=False)
        for k in range(count)
    ]
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
    control: Control,
    points: LabelledPoints,
    settings: Settings,
    candidate: Candidate,
    start: Network,
    stops: tuple[int, ...],
    seed: np.random.SeedSequence,
) -> tuple[list[Network], int] | None:
    """Return the networks after these numbers of evaluations, and the evaluations spent.

    A walk on plateaus, where there is one, comes before them, and takes as many. Where the number
    of neurons is open, the last of the networks made simpler comes after them, unless it has more
    parameters than there are points.
    """
    networks, spent = [], 0
    try:
        for margins, _ in phases(settings):
            place = child(seed, int(margins))
            search = settings.search(points, candidate, start, stops[-1], place, margins)
            for stop in stops:
                while search.evaluations < stop and not search.finished:
                    search.advance(stop - search.evaluations)
                networks.append(search.result().network)
            start, spent = networks[-1], spent + search.evaluations
        networks = networks[-len(stops) :]
        few = networks[-1].grid.components <= len(points.y)
        if settings.simplifies and candidate.constructed > 1 and few:
            loss = error(points, points.right(networks[-1]))
            networks.append(simplified(networks[-1], points, loss))
    except KeyboardInterrupt:
        control.interrupt()
        return None
    control.pause()
    return networks, spent


def phases(settings: Settings) -> list[tuple[bool, float]]:
    """Return whether margins decide between equals, and for which part of what is left.

    From random starts a walk on the plateaus comes first, which margins would forbid; they are
    widened afterwards. Starts made from data are near an optimum and gain nothing by it.
    """
    walk = settings.init != "data" and settings.neuron == "plain" and settings.clip > 0.0
    return [(False, WALK), (True, 1.0)] if walk else [(True, 1.0)]


def child(seed: np.random.SeedSequence, *place: int) -> np.random.SeedSequence:
    """Return the seed of a part of the work."""
    return np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, *place))


def evolve(
    control: Control,
    number: int,
    points: LabelledPoints,
    settings: Settings,
    candidate: Candidate,
    start: Network | None,
    budget: int,
    seed: np.random.SeedSequence,
) -> Outcome:
    """Run a search to its end, in pieces; an interrupt ends it early."""
    outcome = None
    for margins, share in phases(settings):
        left = budget - (outcome.evaluations if outcome else 0)
        if outcome is not None:
            start = outcome.network
            if left < 1 or control.stopped:
                break
        part = max(1, round(share * left))
        # The first phase has the seed of the whole, as the paper's algorithm would.
        own = child(seed, 1) if outcome else seed
        search = settings.search(points, candidate, start, part, own, margins)
        quota = min(search.task.quota, PIECE)
        if control.report is not None:
            quota = min(quota, max(1, budget // control.pieces))
        try:
            while not search.advance(quota) and not control.stopped:
                if control.report is not None:
                    control.note(number, Outcome.of(search, points, settings.clip, outcome))
                    control.pause()
        except KeyboardInterrupt:
            control.interrupt()
        outcome = Outcome.of(search, points, settings.clip, outcome)
    if outcome is None:
        raise RuntimeError("a search has at least one phase")
    control.note(number, outcome)
    return outcome


def final(
    control: Control,
    number: int,
    points: LabelledPoints,
    settings: Settings,
    candidate: Candidate,
    known: Network | None,
    budget: int,
    seed: np.random.SeedSequence,
) -> Outcome:
    """Return the outcome of one of the searches on the whole problem.

    It begins with the network of a trial, if this is known and better than the candidate's start
    (by a standard error, if nothing is evolved: it may have failed), or all is left to evolution.
    """
    start, spent = known if settings.patient else settings.start(points, candidate, seed), 0
    if start is None and settings.restarts and budget > 1:
        start, spent = knock_out(control, points, settings, candidate, budget // 2, child(seed, 2))
    doubt = error(points, points.right(start)) * points.total if start and budget == 1 else 0.0
    if start and known and points.correct(known) > points.correct(start) + doubt:
        start = known
    budget = max(1, budget - spent)
    outcome = evolve(control, number, points, settings, candidate, start, budget, seed)
    improvements = (outcome.improvements[0] + spent, outcome.improvements[1])
    return replace(outcome, evaluations=outcome.evaluations + spent, improvements=improvements)
