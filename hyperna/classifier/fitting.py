"""Fitting one network to a binary problem: trials on held-out points, then the search itself."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hyperna._validation import BoolArray, FloatArray, IntArray
from hyperna.algorithm import OnePlusOneNA
from hyperna.classifier.candidates import Candidate, candidates
from hyperna.classifier.linear import Cloud
from hyperna.classifier.margins import margin_sum
from hyperna.fitness import FiniteSet
from hyperna.grid import Grid
from hyperna.mutation import StepLaw
from hyperna.networks import Network
from hyperna.search import Search

FOLDS = 3
# Trials look at the network after these shares of their evaluations.
CHECKPOINTS = (0.0, 0.25, 1.0)
# Fewer evaluations tell nothing about a candidate, more tell nothing new.
SHORTEST_TRIAL, LONGEST_TRIAL = 100, 10_000
# Offspring between which an interrupt from the keyboard is noticed: a fraction of a second.
PIECE = 2**17
# How many standard errors better than a constant answer held-out points must be classified.
CONVINCING = 2.0
# With so few held-out errors the simplest candidate is not contested.
GOOD_ENOUGH = 0.01
# A difference of so many standard errors does not justify a larger network.
INDIFFERENT = 0.5


@dataclass(frozen=True)
class Settings:
    """The parameters of the classifier that matter to a binary problem."""

    neurons: int | str
    output: str
    resolution: int
    mutation: str | StepLaw
    max_evals: int
    restarts: int
    stagnation: int | None
    clip: float
    init: str

    def algorithm(self, neurons: int, output: str) -> OnePlusOneNA:
        """Return the (1+1) NA for a shape of network."""
        start = "grid" if self.init == "data" else self.init
        return OnePlusOneNA(neurons, output, self.resolution, self.mutation, init=start)


@dataclass(frozen=True, eq=False)
class Binary:
    """Distinct points in the unit ball, their labels and integer weights."""

    Z: FloatArray
    y: BoolArray
    weight: IntArray

    @property
    def cloud(self) -> Cloud:
        """The points as the constructions take them."""
        return Cloud(self.Z, self.y, self.weight / self.weight.sum())

    def part(self, some: Any) -> "Binary":
        """Return some of the points."""
        return Binary(self.Z[some], self.y[some], self.weight[some])

    def correct(self, network: Network) -> int:
        """Return the weight of the points that a network classifies correctly."""
        return int(self.weight[network.predict(self.Z) == self.y].sum())

    def folds(self, rng: np.random.Generator) -> IntArray:
        """Return the number of each point's fold; every fold gets its share of either class."""
        fold = np.empty(len(self.y), np.int64)
        for label in (False, True):
            members = rng.permutation(np.flatnonzero(self.y == label))
            fold[members] = np.arange(len(members)) % FOLDS
        return fold


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


@dataclass(eq=False)
class Control:
    """Lets a caller look in between the pieces of the work, and end it early.

    `report` is called after each piece; the work ends when it returns True. An interrupt from the
    keyboard ends it too: searches under way return what they have, others do not begin.
    """

    report: Callable[[], bool] | None = None
    pieces: int = 1
    stopped: bool = False
    interrupted: bool = False

    def interrupt(self) -> None:
        """End the work because the user wishes so."""
        self.stopped = self.interrupted = True

    def pause(self) -> None:
        """Look in after a piece of work."""
        if self.report is not None and not self.stopped and self.report():
            self.stopped = True

    def map(self, work: Callable[..., Any], items: Iterable[tuple[Any, ...]], jobs: int) -> list:
        """Return work(*item) for each item, in order; None for what was not begun."""
        if jobs == 1:
            return [self._unless_stopped(work, item) for item in items]
        with ThreadPoolExecutor(jobs) as pool:
            futures = [pool.submit(self._unless_stopped, work, item) for item in items]
            results = []
            for future in futures:
                while True:
                    try:
                        results.append(future.result())
                        break
                    except KeyboardInterrupt:
                        self.interrupt()
            return results

    def _unless_stopped(self, work: Callable[..., Any], item: tuple[Any, ...]) -> Any:
        return None if self.stopped else work(*item)


@dataclass(eq=False)
class Fit:
    """The state of one binary problem."""

    problem: Binary
    settings: Settings
    seed: np.random.SeedSequence
    best: Outcome | None = None
    under_way: Outcome | None = None
    evaluations: int = 0
    held_out: list[Any] = field(default_factory=list)
    curve: list[tuple[int, float]] = field(default_factory=list)

    def grid(self, neurons: int, output: str) -> Grid:
        """Return the grid of networks of a shape."""
        return self.settings.algorithm(neurons, output).grid(self.problem.Z.shape[1])

    def stream(self, *place: int) -> np.random.SeedSequence:
        """Return the seed for a part of the work, given by its place in it."""
        key = (*self.seed.spawn_key, *place)
        return np.random.SeedSequence(self.seed.entropy, spawn_key=key)

    @property
    def current(self) -> Outcome | None:
        """The best outcome so far, that of a search under way included."""
        if self.best is None or self.under_way is None:
            return self.best
        return max(self.best, self.under_way, key=lambda outcome: outcome.rank)

    def record(self, outcome: Outcome | None) -> None:
        """Enter a finished search into the curve of losses, and keep it if it is the best."""
        if outcome is None:
            return
        for evaluation, share in zip(*outcome.improvements, strict=True):
            loss = 1.0 - float(share)
            if not self.curve or loss < self.curve[-1][1]:
                self.curve.append((self.evaluations + int(evaluation), loss))
        self.under_way = None
        self.evaluations += outcome.evaluations
        if self.best is None or outcome.rank > self.best.rank:
            self.best = outcome


def search_for(
    fit: Fit, problem: Binary, grid: Grid, start: Network | None, budget: int, seed: Any
) -> Search:
    """Return a search on a problem, not yet begun."""
    settings = fit.settings
    fitness = FiniteSet(problem.Z, problem.y, problem.weight, tie_clip=settings.clip)
    na = settings.algorithm(grid.neurons, grid.output)
    # Without margins nothing is left to gain once all points are right.
    target = 1.0 if settings.clip == 0.0 else False
    task = na.task(
        fitness, budget=max(1, budget), stagnation=settings.stagnation, target=target, start=start
    )
    return Search(task, seed)


def outcome_of(search: Search, problem: Binary, clip: float) -> Outcome:
    """Return where a search stands."""
    result = search.result()
    gain = np.where(problem.y, problem.weight, -problem.weight).astype(float)
    return Outcome(
        network=result.network,
        score=problem.correct(result.network),
        tie=margin_sum(result.network, problem.Z, gain, clip),
        evaluations=result.evaluations,
        improvements=(result.improvements.evaluations, result.improvements.fitness),
    )


def evolve(fit: Fit, search: Search, control: Control) -> Outcome:
    """Run a search to its end, in pieces; an interrupt ends it early."""
    clip = fit.settings.clip
    quota = min(search.task.quota, PIECE)
    if control.report is not None:
        quota = min(quota, max(1, search.task.budget // control.pieces))
    try:
        while not search.advance(quota) and not control.stopped:
            if control.report is not None:
                note(fit, outcome_of(search, fit.problem, clip))
                control.pause()
    except KeyboardInterrupt:
        control.interrupt()
    outcome = outcome_of(search, fit.problem, clip)
    note(fit, outcome)
    return outcome


def note(fit: Fit, outcome: Outcome) -> None:
    """Remember the best of the searches under way, for those who watch."""
    if fit.under_way is None or outcome.rank > fit.under_way.rank:
        fit.under_way = outcome


def first_network(fit: Fit) -> None:
    """Give the problem a usable network at once: the start of its simplest candidate."""
    candidate = open_candidates(fit)[0]
    settings, problem = fit.settings, fit.problem
    seed = fit.stream(0)
    grid, start = candidate.start(problem.cloud, fit.grid, np.random.default_rng(seed))
    search = search_for(fit, problem, grid, start, 1, seed)
    search.advance(1)
    fit.record(outcome_of(search, problem, settings.clip))


def open_candidates(fit: Fit) -> list[Candidate]:
    """Return the candidates that the settings allow."""
    return candidates(fit.settings.neurons, fit.settings.output, fit.settings.init)


def trials(fit: Fit) -> list[tuple[Any, ...]]:
    """Return the trials to be run to choose among the candidates, in their order.

    There are none if there is no choice.
    """
    open_ = open_candidates(fit)
    budget = trial_length(fit)
    fewest = np.bincount(fit.problem.y, minlength=2).min()
    if len(open_) == 1 or budget < SHORTEST_TRIAL or fewest < 2 * FOLDS:
        return []
    fold = fit.problem.folds(np.random.default_rng(fit.stream(1)))
    return [(c, k, fold == k, budget) for c in range(len(open_)) for k in range(FOLDS)]


def trial_length(fit: Fit) -> int:
    """Return the evaluations of each trial; all trials together take half of them at most."""
    count = FOLDS * len(open_candidates(fit))
    return min(fit.settings.max_evals // (2 * count), LONGEST_TRIAL)


def contested(fit: Fit) -> bool:
    """Whether candidates are still to be tried: the simplest one, or others if it makes errors."""
    if not fit.held_out:
        return True
    best = sum(result[0] for result in fit.held_out if result is not None)
    return bool(np.max(best) < (1 - GOOD_ENOUGH) * fit.problem.weight.sum())


def trial(
    fit: Fit, control: Control, number: int, k: int, held_out: BoolArray, budget: int
) -> tuple[IntArray, int] | None:
    """Return the weight of held-out points classified correctly at the checkpoints."""
    candidate, seed = open_candidates(fit)[number], fit.stream(2, number, k)
    seen, unseen = fit.problem.part(~held_out), fit.problem.part(held_out)
    rng = np.random.default_rng(seed)
    grid, start = candidate.start(seen.cloud, fit.grid, rng)
    search = search_for(fit, seen, grid, start, budget, seed)
    correct = []
    try:
        for before, after in zip((0.0, *CHECKPOINTS), CHECKPOINTS, strict=False):
            search.advance(max(1, round((after - before) * budget)))
            correct.append(unseen.correct(search.result().network))
    except KeyboardInterrupt:
        control.interrupt()
        return None
    control.pause()
    return np.array(correct), search.evaluations


def choose(fit: Fit) -> list[tuple[Candidate, int]]:
    """Return the candidates to fit and the evaluations to spend on each.

    It is the one whose networks classify held-out points best, evolved as long as that helps. When
    none of them does convincingly better than a constant answer, held-out points have nothing to
    say, and all candidates compete by their training score.
    """
    open_, results = open_candidates(fit), fit.held_out
    left = max(1, fit.settings.max_evals - fit.evaluations)
    if not results or any(result is None for result in results):
        return [(candidate, left // len(open_)) for candidate in open_]
    weight = fit.problem.weight
    total = int(weight.sum())
    correct = np.array([result[0] for result in results])
    correct = correct.reshape(-1, FOLDS, len(CHECKPOINTS)).sum(axis=1)
    constant = max(int(weight[fit.problem.y].sum()), int(weight[~fit.problem.y].sum())) / total
    error = np.sqrt(constant * (1 - constant) * (weight / total @ (weight / total)))
    if correct.max() / total <= constant + CONVINCING * error:
        return [(candidate, left // len(open_)) for candidate in open_]
    # The simplest candidate about as good as the best, evolved as long as that helps.
    share = correct.max() / total
    slack = INDIFFERENT * total * np.sqrt(share * (1 - share) * (weight / total @ (weight / total)))
    number = int(np.flatnonzero(correct.max(axis=1) >= correct.max() - slack)[0])
    checkpoint = int(np.flatnonzero(correct[number] == correct[number].max())[-1])
    brief = round(CHECKPOINTS[1] * trial_length(fit))
    spent = (1, max(1, brief), left)[checkpoint]
    return [(open_[number], min(spent, left))]


def final(
    fit: Fit, control: Control, candidate: Candidate, budget: int, place: tuple[int, int]
) -> Outcome:
    """Return the outcome of one of the searches on the whole problem."""
    seed = fit.stream(3, *place)
    rng = np.random.default_rng(seed)
    build = candidate if place[1] == 0 else candidate.again
    grid, start = build.start(fit.problem.cloud, fit.grid, rng)
    search = search_for(fit, fit.problem, grid, start, budget, seed)
    return evolve(fit, search, control)


def continued(fit: Fit, control: Control, network: Network) -> Outcome:
    """Return the outcome of a search that begins with a given network."""
    budget = fit.settings.max_evals
    search = search_for(fit, fit.problem, network.grid, network, budget, fit.stream(4))
    return evolve(fit, search, control)


def fit_all(fits: list[Fit], control: Control, jobs: int, networks: list[Network] | None) -> None:
    """Fit all problems; `networks` are continued if given."""
    if networks is not None:
        work = [(fit, control, network) for fit, network in zip(fits, networks, strict=True)]
        for fit, outcome in zip(fits, control.map(continued, work, jobs), strict=True):
            fit.record(outcome)
        return
    for fit in fits:
        first_network(fit)
    for stage in (slice(0, FOLDS), slice(FOLDS, None)):
        plan = [
            (fit, control, *rest) for fit in fits if contested(fit) for rest in trials(fit)[stage]
        ]
        for item, result in zip(plan, control.map(trial, plan, jobs), strict=True):
            item[0].held_out.append(result)
            item[0].evaluations += 0 if result is None else result[1]
    finals = []
    for fit in fits:
        for i, (candidate, budget) in enumerate(choose(fit)):
            starts = fit.settings.restarts + 1
            for k in range(starts):
                finals.append((fit, control, candidate, budget // starts, (i, k)))
    for item, outcome in zip(finals, control.map(final, finals, jobs), strict=True):
        item[0].record(outcome)
