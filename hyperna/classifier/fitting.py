"""Fitting networks to binary problems: trials on held-out points, then the search itself."""

from dataclasses import dataclass, field

import numpy as np

from hyperna._validation import BoolArray, IntArray
from hyperna.classifier.candidates import Candidate
from hyperna.classifier.control import Control
from hyperna.classifier.problem import Binary, Outcome, Settings
from hyperna.networks import Network
from hyperna.search import Search

FOLDS = 3
# Trials look at the network after these shares of their evaluations.
CHECKPOINTS = (0.0, 0.25, 1.0)
# Fewer evaluations tell nothing about a candidate, more tell nothing new.
SHORTEST_TRIAL, LONGEST_TRIAL = 20, 10_000
# Offspring between which an interrupt from the keyboard is noticed: a fraction of a second.
PIECE = 2**13
# How many standard errors better than a constant answer held-out points must be classified, or
# which part of the way to no errors.
CONVINCING, HALF_WAY = 4.0, 0.5
# With so few held-out errors the simplest candidate is not contested.
GOOD_ENOUGH = 0.01
# Candidates whose starts are so many standard errors behind are not evolved; those that are so many
# better than one half-space may be made larger.
HOPELESS, PROMISING = 2.0, 0.5
# A difference of so many standard errors does not justify more than one half-space, nor a larger
# network in place of a smaller one.
LOYAL, INDIFFERENT = 1.0, 0.25


@dataclass(eq=False)
class Fit:
    """The state of one binary problem.

    `held_out` is the weight of held-out points classified correctly, by candidate, fold and
    checkpoint; what was not tried is -1.
    """

    number: int
    problem: Binary
    settings: Settings
    seed: np.random.SeedSequence
    control: Control
    best: Outcome | None = None
    evaluations: int = 0
    curve: list[tuple[int, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.candidates = self.settings.candidates()
        self.held_out = np.full((len(self.candidates), FOLDS, len(CHECKPOINTS)), -1)
        self.starts: dict[tuple[int, int], Network] = {}

    def stream(self, *place: int) -> np.random.SeedSequence:
        """Return the seed for a part of the work, given by its place in it."""
        key = (*self.seed.spawn_key, *place)
        return np.random.SeedSequence(self.seed.entropy, spawn_key=key)

    @property
    def current(self) -> Outcome | None:
        """The best outcome so far, that of a search under way included."""
        under_way = self.control.under_way.get(self.number)
        if self.best is None or under_way is None:
            return self.best
        return max(self.best, under_way, key=lambda outcome: outcome.rank)

    def record(self, outcome: Outcome | None) -> None:
        """Enter a finished search into the curve of losses, and keep it if it is the best."""
        if outcome is None:
            return
        for evaluation, share in zip(*outcome.improvements, strict=True):
            loss = 1.0 - float(share)
            if not self.curve or loss < self.curve[-1][1]:
                self.curve.append((self.evaluations + int(evaluation), loss))
        self.control.under_way.pop(self.number, None)
        self.evaluations += outcome.evaluations
        if self.best is None or outcome.rank > self.best.rank:
            self.best = outcome

    @property
    def share(self) -> int:
        """Evaluations of each search; all trials together take two thirds of them at most."""
        small = sum(not candidate.larger for candidate in self.candidates)
        return self.settings.max_evals // (3 * FOLDS * small)

    @property
    def trial_length(self) -> int:
        """Evaluations of each trial."""
        return min(self.share, LONGEST_TRIAL)

    @property
    def undecided(self) -> bool:
        """Whether there is a choice, and enough points and evaluations to make it by trials."""
        fewest = np.bincount(self.problem.y, minlength=2).min()
        enough = self.share >= SHORTEST_TRIAL and fewest >= 2 * FOLDS
        return len(self.candidates) > 1 and bool(enough)

    def fold(self) -> IntArray:
        """Return the number of each point's fold."""
        return self.problem.folds(FOLDS, np.random.default_rng(self.stream(1)))

    def correct(self) -> IntArray:
        """Return the weight classified correctly, by candidate and checkpoint; -1: not tried."""
        known = (self.held_out >= 0).all(axis=1)
        return np.where(known, self.held_out.sum(axis=1), -1)

    def standard_error(self, share: float) -> float:
        """Return the standard error, as a weight, of a share of correct points."""
        weight = self.problem.weight.astype(float)
        return float(np.sqrt(share * (1 - share) * (weight @ weight)))

    @property
    def others(self) -> list[int]:
        """The candidates to look at after the simplest, if that makes errors."""
        rest = range(1, len(self.candidates)) if self.undecided and self.contested else ()
        return [c for c in rest if not self.candidates[c].larger]

    @property
    def larger(self) -> list[int]:
        """The large candidates to look at, where the small ones are better than one half-space."""
        if not self.others:
            return []
        correct = self.correct()
        best = int(correct[0].max())
        least = best + PROMISING * self.standard_error(best / int(self.problem.weight.sum()))
        return [c + 1 for c in self.others if self._grows(c) and correct[c, 0] >= least]

    def _grows(self, c: int) -> bool:
        return c + 1 < len(self.candidates) and self.candidates[c + 1].larger

    def hopeful(self) -> list[int]:
        """Return the candidates to evolve, by the first look at them.

        These are the ones that are as good as one half-space, and not far behind the best.
        """
        correct, total = self.correct(), int(self.problem.weight.sum())
        best = int(correct.max())
        least = max(best - HOPELESS * self.standard_error(best / total), correct[0].max())
        return [c for c in range(1, len(correct)) if correct[c, 0] >= least]

    @property
    def contested(self) -> bool:
        """Whether the simplest candidate makes so many errors that others are to be tried."""
        return bool(self.correct()[0].max() < (1 - GOOD_ENOUGH) * self.problem.weight.sum())


def first_look(
    control: Control,
    problem: Binary,
    settings: Settings,
    candidate: Candidate,
    held_out: BoolArray,
    seed: np.random.SeedSequence,
) -> tuple[Network, int]:
    """Return a candidate's start and the weight of held-out points it classifies correctly."""
    seen, unseen = problem.part(~held_out), problem.part(held_out)
    grid, start = seen.start(settings, candidate, seed)
    if start is None:
        start = seen.search(settings, grid, None, 1, seed).result().network
    return start, unseen.correct(start)


def trial(
    control: Control,
    problem: Binary,
    settings: Settings,
    start: Network,
    held_out: BoolArray,
    budget: int,
    seed: np.random.SeedSequence,
) -> tuple[list[int], int] | None:
    """Return the held-out weight classified correctly at the checkpoints, and the evaluations."""
    seen, unseen = problem.part(~held_out), problem.part(held_out)
    search = seen.search(settings, start.grid, start, budget, seed)
    correct = []
    try:
        for share in CHECKPOINTS[1:]:
            search.advance(max(1, round(share * budget) - search.evaluations))
            correct.append(unseen.correct(search.result().network))
    except KeyboardInterrupt:
        control.interrupt()
        return None
    control.pause()
    return correct, search.evaluations


def evolve(
    control: Control, number: int, problem: Binary, settings: Settings, search: Search
) -> Outcome:
    """Run a search to its end, in pieces; an interrupt ends it early."""
    quota = min(search.task.quota, PIECE)
    if control.report is not None:
        quota = min(quota, max(1, search.task.budget // control.pieces))
    try:
        while not search.advance(quota) and not control.stopped:
            if control.report is not None:
                control.note(number, Outcome.of(search, problem, settings.clip))
                control.pause()
    except KeyboardInterrupt:
        control.interrupt()
    outcome = Outcome.of(search, problem, settings.clip)
    control.note(number, outcome)
    return outcome


def final(
    control: Control,
    number: int,
    problem: Binary,
    settings: Settings,
    candidate: Candidate,
    known: Network | None,
    budget: int,
    seed: np.random.SeedSequence,
) -> Outcome:
    """Return the outcome of one of the searches on the whole problem.

    It begins with the start of a trial, if this is known and better than the candidate's start.
    """
    grid, start = problem.start(settings, candidate, seed)
    if start and known and problem.correct(known) > problem.correct(start):
        grid, start = known.grid, known
    search = problem.search(settings, grid, start, budget, seed)
    return evolve(control, number, problem, settings, search)


def continued(
    control: Control,
    number: int,
    problem: Binary,
    settings: Settings,
    network: Network,
    seed: np.random.SeedSequence,
) -> Outcome:
    """Return the outcome of a search that begins with a given network."""
    search = problem.search(settings, network.grid, network, settings.max_evals, seed)
    return evolve(control, number, problem, settings, search)


def first_network(fit: Fit) -> None:
    """Give the problem a usable network at once: the start of its simplest candidate."""
    seed = fit.stream(0)
    grid, start = fit.problem.start(fit.settings, fit.candidates[0], seed)
    search = fit.problem.search(fit.settings, grid, start, 1, seed)
    search.advance(1)
    fit.record(Outcome.of(search, fit.problem, fit.settings.clip))


def look_at(fits: list[Fit], numbers: list[list[int]], n_jobs: int | None) -> None:
    """Have a first look at some of the candidates of each problem."""
    items, places = [], []
    for fit, some in zip(fits, numbers, strict=True):
        fold = fit.fold() if some else np.zeros(0)
        for c, k in [(c, k) for c in some for k in range(FOLDS)]:
            places.append((fit, c, k))
            seed = fit.stream(2, c, k)
            items.append((fit.problem, fit.settings, fit.candidates[c], fold == k, seed))
    control = fits[0].control
    for (fit, c, k), result in zip(places, control.map(first_look, items, n_jobs), strict=True):
        if result is not None:
            fit.starts[c, k], fit.held_out[c, k, 0] = result


def try_out(fits: list[Fit], numbers: list[list[int]], n_jobs: int | None) -> None:
    """Evolve candidates of each problem that have been looked at."""
    items, places = [], []
    for fit, some in zip(fits, numbers, strict=True):
        fold = fit.fold() if some else np.zeros(0)
        for c, k in [(c, k) for c in some for k in range(FOLDS)]:
            if (c, k) in fit.starts:
                places.append((fit, c, k))
                start, seed = fit.starts[c, k], fit.stream(2, c, k)
                items.append((fit.problem, fit.settings, start, fold == k, fit.trial_length, seed))
    control = fits[0].control
    for (fit, c, k), result in zip(places, control.map(trial, items, n_jobs), strict=True):
        if result is not None:
            fit.held_out[c, k, 1:] = result[0]
            fit.evaluations += result[1]


def choose(fit: Fit) -> list[tuple[int, int]]:
    """Return the numbers of the candidates to fit and the evaluations to spend on each start.

    It is the one whose networks classify held-out points best, evolved as long as that helps. When
    none of them does convincingly better than a constant answer, held-out points have nothing to
    say, and all candidates compete by their training score.
    """
    left = max(1, fit.settings.max_evals - fit.evaluations)
    starts = fit.settings.restarts + 1
    weight, correct = fit.problem.weight, fit.correct()
    total, positive = int(weight.sum()), int(weight[fit.problem.y].sum())
    constant = max(positive, total - positive) / total
    best = int(correct.max())
    doubt = min(CONVINCING * fit.standard_error(constant), HALF_WAY * (1 - constant) * total)
    if best <= constant * total + doubt:
        share = left // len(fit.candidates) // starts
        return [(number, share) for number in range(len(fit.candidates))]
    slack = np.full(len(correct), INDIFFERENT * fit.standard_error(best / total))
    slack[0] *= LOYAL / INDIFFERENT
    number = int(np.flatnonzero(correct.max(axis=1) >= best - slack)[0])
    checkpoint = int(np.flatnonzero(correct[number] == correct[number].max())[-1])
    brief = max(1, round(CHECKPOINTS[1] * fit.trial_length))
    budget = min((1, brief, fit.share)[checkpoint], left // starts)
    return [(number, budget)]


def run_finals(fits: list[Fit], n_jobs: int | None) -> None:
    """Search on the whole problems, with the candidates chosen."""
    items, owners = [], []
    for fit in fits:
        for i, (c, budget) in enumerate(choose(fit)):
            for k in range(fit.settings.restarts + 1):
                owners.append(fit)
                build = fit.candidates[c] if k == 0 else fit.candidates[c].again
                known, seed = fit.starts.get((c, k)), fit.stream(3, i, k)
                items.append((fit.number, fit.problem, fit.settings, build, known, budget, seed))
    for fit, outcome in zip(owners, fits[0].control.map(final, items, n_jobs), strict=True):
        fit.record(outcome)


def go_on(fits: list[Fit], networks: list[Network], n_jobs: int | None) -> None:
    """Search on, beginning with given networks."""
    items = [
        (fit.number, fit.problem, fit.settings, network, fit.stream(4))
        for fit, network in zip(fits, networks, strict=True)
    ]
    for fit, outcome in zip(fits, fits[0].control.map(continued, items, n_jobs), strict=True):
        fit.record(outcome)


def fit_all(fits: list[Fit], n_jobs: int | None, networks: list[Network] | None) -> None:
    """Fit all problems; `networks` are continued if given.

    Trials are a race: the simplest candidate is tried first, the others only if it makes errors,
    large ones only if small ones do well, and only those are evolved whose starts are not hopeless.
    """
    if networks is not None:
        go_on(fits, networks, n_jobs)
        return
    for fit in fits:
        first_network(fit)
    simplest = [[0] if fit.undecided else [] for fit in fits]
    look_at(fits, simplest, n_jobs)
    try_out(fits, simplest, n_jobs)
    look_at(fits, [fit.others for fit in fits], n_jobs)
    look_at(fits, [fit.larger for fit in fits], n_jobs)
    try_out(fits, [fit.hopeful() if fit.others else [] for fit in fits], n_jobs)
    run_finals(fits, n_jobs)
