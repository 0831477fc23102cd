"""Fitting networks to binary problems: a race of candidates on held-out points, then the search.

The simplest candidate, the half-space of logistic regression, is tried first; the others only if it
makes errors, large ones only if small ones do well, and only those are evolved whose starts are not
hopeless. `hyperna.classifier.choice` says which candidate wins.
"""

import itertools
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from hyperna._validation import BoolArray, FloatArray, IntArray
from hyperna.classifier import choice, work
from hyperna.classifier.candidates import candidates
from hyperna.classifier.choice import cancelled, simplified, trimmed
from hyperna.classifier.points import LabelledPoints
from hyperna.classifier.spaces import signed_distance
from hyperna.classifier.work import Control, Outcome, Settings, child
from hyperna.networks import Network

FOLDS = 3
# Trials are made on at most this many points: enough to choose by.
MOST_TRIED = 20_000
# Searches are made on at most this many rows, which leave no doubt about a network this small.
MOST_SEARCHED = 100_000
# A trial looks at its start, and at the network after these shares of its evaluations.
CHECKPOINTS = (0.25, 1.0)
# Fewer evaluations tell nothing about a candidate, more tell nothing new.
SHORTEST_TRIAL, LONGEST_TRIAL = 20, 10_000
# With more features evolution hardly changes a start: candidates are compared as they begin, and a
# search is cut short in proportion.
MANY_FEATURES = 500
SHORTEST_RESTART = 100  # evaluations
# Candidates whose starts are this many standard errors behind are not evolved; those this many
# better than one half-space may be made larger.
HOPELESS, PROMISING = 1.0, 0.5
# Parts of its squared weights that one half-space keeps where held-out points are few or noisy.
FAITHFUL = (0.9, 0.97, 0.99)


@dataclass(eq=False)
class Fit:
    """The state of one binary problem.

    Attributes
    ----------
    points : LabelledPoints
        The whole problem.
    folds : tuple of ndarray
        Number, weight and fold of the points that take part in trials.
    networks : dict
        By candidate and fold: the networks of a trial, its start first.
    judged : list
        By fold: the network of the chosen trial, which stands for the final one.
    """

    number: int
    points: LabelledPoints
    folds: tuple[IntArray, IntArray, IntArray]
    settings: Settings
    seed: np.random.SeedSequence
    control: Control
    best: Outcome | None = None
    evaluations: int = 0
    curve: list[tuple[int, float]] = field(default_factory=list)
    networks: dict[tuple[int, int], list[Network]] = field(default_factory=dict)
    chosen: choice.Choice | None = None
    judged: list[Network] = field(default_factory=list)

    def __post_init__(self) -> None:
        settings = self.settings
        self.candidates = candidates(settings.neurons, settings.output, settings.init)
        self._right: dict[int, list[BoolArray]] = {}
        dim, small = self.points.Z.shape[1], len([c for c in self.candidates if not c.larger])
        self.few_features = dim <= MANY_FEATURES
        # Evaluations of each search; all trials together take two thirds of them at most.
        self.share = settings.max_evals // (3 * FOLDS * small)
        self.share = self.share * MANY_FEATURES // max(dim, MANY_FEATURES)
        given, self.patient = settings.init != "data" or len(self.candidates) == 1, settings.patient
        self.evolves = self.few_features or given
        # Random starts say little about what becomes of them, nor do half-spaces about cones.
        self.spares = self.patient or settings.neuron != "plain"
        # Whether there are enough points and evaluations for trials, and something to learn. A
        # single candidate is tried for the sake of its probabilities.
        fewest = np.bincount(self.points.y, minlength=2).min()
        enough = self.share >= SHORTEST_TRIAL and fewest >= 2 * FOLDS
        self.undecided = bool(enough) and (len(self.candidates) > 1 or settings.init == "data")

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
    def left(self) -> int:
        """Evaluations that have not been spent."""
        return self.settings.max_evals - self.evaluations

    def look_length(self, c: int) -> int:
        """Return the evaluations of a first look at a candidate, which random starts need."""
        parts = (60 if c == 0 else 10) if self.patient else 4 * FOLDS * len(self.candidates)
        return 0 if self.settings.init == "data" else self.settings.max_evals // parts

    def trial_length(self, candidates: int) -> int:
        """Return the evaluations of each trial, given the number of candidates."""
        if self.settings.init == "data":
            return min(self.share, LONGEST_TRIAL)
        return self.settings.max_evals // (10 * FOLDS * max(candidates, 3))

    @cached_property
    def tried(self) -> LabelledPoints:
        """The points that take part in trials."""
        points, (index, weight, _) = self.points, self.folds
        rows = points.rows * float(weight.sum()) / points.total
        return LabelledPoints(points.Z[index], points.y[index], weight, rows)

    @cached_property
    def seen(self) -> list[LabelledPoints]:
        """The points that the trials of each fold learn from."""
        return [self.tried.part(self.folds[2] != k) for k in range(FOLDS)]

    def right(self, c: int) -> list[BoolArray]:
        """Return which tried points the networks of a candidate classify correctly, held out.

        One row for the starts and one for each checkpoint that all folds have reached.
        """
        networks = [self.networks.get((c, k), []) for k in range(FOLDS)]
        rows = self._right.setdefault(c, [])
        for checkpoint in range(len(rows), min(map(len, networks))):
            rows.append(self.held_out([trial[checkpoint] for trial in networks]))
        return rows

    def trials(self) -> dict[int, list[BoolArray]]:
        """Return `right` of all candidates that were tried."""
        return {c: self.right(c) for c in range(len(self.candidates)) if self.right(c)}

    def held_out(self, networks: list[Network]) -> BoolArray:
        """Return which tried points are classified correctly by the network of their fold."""
        answer = np.zeros(len(self.tried.y), bool)
        for k, network in enumerate(networks):
            out = self.folds[2] == k
            answer[out] = network.predict(self.tried.Z[out])
        return answer == self.tried.y

    def held_out_distances(self) -> FloatArray | None:
        """Return the signed distance of each tried point to the network that did not see it.

        None where the candidate that was chosen has not been tried.
        """
        if not self.judged:
            return None
        distance = np.zeros(len(self.tried.y))
        for k, network in enumerate(self.judged):
            out = self.folds[2] == k
            distance[out] = signed_distance(network, self.tried.Z[out])
        return distance

    @property
    def others(self) -> list[int]:
        """The candidates to look at after the simplest, if that makes errors."""
        rest = range(1, len(self.candidates)) if self.undecided else ()
        if not rest or not choice.contested(self.tried, self.right(0)):
            return []
        return [c for c in rest if not self.candidates[c].larger]

    @property
    def larger(self) -> list[int]:
        """The large candidates to look at, where the small ones are better than one half-space."""
        last = len(self.candidates) - 1
        grown = [c for c in self.others if c < last and self.candidates[c + 1].larger]
        if not grown:
            return []
        simplest = self.right(0)[choice.best_row(self.tried, self.right(0))]
        rows = {c: self.right(c) for c in grown if self.right(c)}
        gains = {c: choice.gain(self.tried, row[0], simplest) for c, row in rows.items()}
        return [c + 1 for c, (better, error) in gains.items() if better >= PROMISING * error]

    def still_in_it(self, some: list[int]) -> list[int]:
        """Return the candidates that are not far behind the simplest one in the first fold."""
        out = self.folds[2] == 0
        points, rows = self.tried.part(out), [row[out] for row in self.right(0)]
        best = rows[choice.best_row(points, rows)] if some else np.zeros(0, bool)
        kept = []
        for c in (c for c in some if (c, 0) in self.networks):
            behind, error = choice.gain(points, best, points.right(self.networks[c, 0][0]))
            kept += [c] if self.spares or behind <= HOPELESS * error else []
        return kept

    def hopeful(self) -> list[int]:
        """Return the candidates to evolve: those whose starts are not far behind the best.

        None where that would hardly change them.
        """
        kept, trials = [], self.trials()
        if self.others and self.evolves:
            bests = [rows[choice.best_row(self.tried, rows)] for rows in trials.values()]
            best = bests[int(np.argmax([choice.share(self.tried, right) for right in bests]))]
            for c in trials:
                behind, error = choice.gain(self.tried, best, trials[c][0])
                kept += [c] if c > 0 and (self.spares or behind <= HOPELESS * error) else []
        return kept

    def exact(self) -> list[int]:
        """Return the candidates that made no error on what they learned from, the simplest first.

        A network with more parameters than there are points proves nothing by that, nor does one
        that is worse on held-out points than the simplest, if that beats a constant answer there.
        """
        found: list[int] = []
        held_out = {c: choice.share(self.tried, rows[-1]) for c, rows in self.trials().items()}
        least = held_out.get(0, 0.0) * (held_out.get(0, 0.0) > self.tried.constant)
        for (c, k), networks in sorted(self.networks.items()):
            network, seen = networks[-1], self.seen[k]
            proves = network.grid.components <= len(seen.y) and held_out.get(c, 1.0) >= least
            if c not in found and proves and seen.right(network).all():
                found.append(c)
        return found


def try_out(
    fits: list[Fit],
    numbers: list[list[int]],
    n_jobs: int | None,
    folds: range = range(FOLDS),
    evolved: bool = True,
) -> None:
    """Evolve candidates of each problem that have been looked at, or have a first look at them."""
    items, places = [], []
    for fit, some in zip(fits, numbers, strict=True):
        length = fit.trial_length(len(some))
        stops = tuple(max(1, round(share * length)) for share in CHECKPOINTS)
        for c, k in itertools.product(some, folds):
            seed, known = child(fit.seed, 2, c, k), fit.networks.get((c, k))
            if evolved and known is None:
                continue
            how = (known[0], stops) if evolved and known else (fit.look_length(c),)
            places.append((fit, (c, k)))
            items.append((fit.seen[k], fit.settings, fit.candidates[c], *how, seed))
    results = fits[0].control.map(work.trial if evolved else work.first_look, items, n_jobs)
    for (fit, place), result in zip(places, results, strict=True):
        if result is not None:
            fit.networks.setdefault(place, []).extend(result[0])
            fit.evaluations += result[1]


def searches(fit: Fit) -> list[tuple[int, int, int]]:
    """Return candidate, number of the start and evaluations of the searches on all points."""
    given, tried = fit.settings.neurons != "auto", fit.networks.items()
    lavish = {c for (c, k), nets in tried if nets[0].grid.components > len(fit.seen[k].y)}
    ripe, lavish = given or fit.settings.init != "data", set() if given else lavish
    chosen = choice.choose(fit.tried, fit.trials(), len(fit.candidates), ripe, frozenset(lavish))
    exact = fit.exact() if fit.patient and chosen.candidate == 0 and chosen.convincing else [0]
    if exact and exact[0] > 0 and fit.right(exact[0]):
        # A network that makes no error where one neuron does need not be ahead by much.
        chosen = choice.Choice(exact[0], len(fit.right(exact[0])) - 1, True)
    fit.chosen = chosen
    starts = min(fit.settings.restarts, fit.left // SHORTEST_RESTART) + 1
    if fit.left < 1:
        return []
    if chosen.checkpoint is None:
        # Nothing was tried: all candidates compete by their training score.
        every = list(itertools.product(range(len(fit.candidates)), range(starts)))
        budget = max(1, fit.left // len(every))
        return [(c, k, budget) for c, k in every[: fit.left]]
    if fit.settings.init != "data":
        return [(chosen.candidate, k, fit.left // starts) for k in range(starts)]
    if chosen.checkpoint == 0:
        # The start of the simplest candidate is there already.
        return [(chosen.candidate, 0, 1)] if chosen.candidate > 0 else []
    brief = max(1, round(CHECKPOINTS[0] * fit.trial_length(1)))
    longest = fit.left if len(fit.candidates) == 1 else fit.share * starts
    budget = min(brief if chosen.checkpoint == 1 else longest // starts, fit.left // starts)
    return [(chosen.candidate, k, max(1, budget)) for k in range(starts)]


def run_finals(fits: list[Fit], n_jobs: int | None) -> None:
    """Search on the whole problems, with the candidates chosen."""
    run_searches(fits, [searches(fit) for fit in fits], n_jobs)
    plans = []
    for fit in fits:
        some = [] if fit.chosen is None or fit.chosen.convincing else fit.exact()
        budget = max(1, min(fit.share, fit.left // max(1, len(some))))
        plans.append([(c, 0, budget) for c in some[: max(fit.left, 0)]])
    run_searches(fits, plans, n_jobs, faultless=True)


def run_searches(
    fits: list[Fit],
    plans: list[list[tuple[int, int, int]]],
    n_jobs: int | None,
    faultless: bool = False,
) -> None:
    """Carry out searches and record their outcomes, or only those that make no error."""
    items, owners = [], []
    for fit, plan in zip(fits, plans, strict=True):
        for c, k, budget in plan:
            owners.append(fit)
            candidate = fit.candidates[c] if k == 0 else fit.candidates[c].again
            tried = fit.networks.get((c, k), [None])[: choice.SIMPLE]
            known = tried[0 if fit.settings.init == "data" else -1]
            if budget == 1 and known is not None:
                starts = [nets[0] for (d, _), nets in fit.networks.items() if d == c]
                known = max(starts, key=fit.points.correct)
            seed = child(fit.seed, 3, c, k)
            items.append((fit.number, fit.points, fit.settings, candidate, known, budget, seed))
    for fit, outcome in zip(owners, fits[0].control.map(work.final, items, n_jobs), strict=True):
        if faultless and outcome is not None and outcome.score < fit.points.total:
            fit.evaluations += outcome.evaluations
        else:
            fit.record(outcome)


def simplify(fit: Fit) -> None:
    """Replace the network by a simpler one, if that is as good on held-out points.

    Simplicity may cost as much of the training score as its standard error, or nothing.
    """
    chosen, best = fit.chosen, fit.best
    if chosen is None or best is None:
        return
    if chosen.checkpoint is not None:
        trials = [fit.networks[chosen.candidate, k] for k in range(FOLDS)]
        fit.judged = [networks[chosen.checkpoint] for networks in trials]
    if not fit.settings.simplifies or fit.control.stopped or not chosen.convincing:
        return
    network, doubt = best.network, choice.error(fit.points, fit.points.right(best.network))
    if chosen.checkpoint == choice.SIMPLE:
        network = choice.simplest(network, fit.judged, fit.points, doubt)
    elif not fit.judged:
        network = simplified(network, fit.points, 0.0)
    else:
        plain, judged = fit.held_out(fit.judged), list(zip(fit.judged, fit.seen, strict=True))
        doubts = [choice.error(seen, seen.right(made)) for made, seen in judged]
        several = any(made.grid.neurons > 1 for made in (network, *fit.judged))
        levels = (0.0, *FAITHFUL)[: fit.few_features if several else None]
        for faithful, part in itertools.product(levels, (1.0, 0.0)[max(doubts) < 1e-6 :]):
            costs = [part * own for own in doubts]
            simple = [simplified(*m, c, faithful) for m, c in zip(judged, costs, strict=True)]
            worse, error = choice.gain(fit.tried, plain, fit.held_out(simple))
            # No difference among few rows is not well known either.
            known = max(error, 1.0 / fit.tried.rows) <= choice.WELL_KNOWN
            if worse <= 0.0 and (faithful > 0 or several or known):
                network = simplified(network, fit.points, part * doubt, faithful)
                fit.judged = simple
                break
    if network.grid.output == "xor" and fit.judged:
        # Half-spaces that nearly cancel each other go where that costs no held-out point.
        simple = [cancelled(made, seen) for made, seen in zip(fit.judged, fit.seen, strict=True)]
        if choice.gain(fit.tried, fit.held_out(fit.judged), fit.held_out(simple))[0] <= 0.0:
            network, fit.judged = cancelled(network, fit.points), simple
    network = trimmed(network, fit.points)
    fit.best = replace(best, network=network, score=fit.points.correct(network))


def fit_all(fits: list[Fit], n_jobs: int | None, networks: list[Network] | None) -> None:
    """Fit all problems; `networks` are continued if given."""
    if networks is not None:
        items = [
            (f.number, f.points, f.settings, f.candidates[0], net, f.left, child(f.seed, 4))
            for f, net in zip(fits, networks, strict=True)
        ]
        for fit, outcome in zip(fits, fits[0].control.map(work.evolve, items, n_jobs), strict=True):
            fit.record(outcome)
        return
    for fit in fits:
        # A usable network at once: the start of the simplest candidate.
        seed, candidate = child(fit.seed, 0), fit.candidates[0]
        start = fit.settings.start(fit.points, candidate, seed)
        search = fit.settings.search(fit.points, candidate, start, 1, seed)
        search.advance(1)
        fit.record(Outcome.of(search, fit.points, fit.settings.clip))
    try_out(fits, [[0] if fit.undecided else [] for fit in fits], n_jobs, evolved=False)
    try_out(fits, [[0] if fit.undecided and fit.evolves else [] for fit in fits], n_jobs)
    others = [fit.others for fit in fits]
    try_out(fits, others, n_jobs, range(1), evolved=False)
    others = [fit.still_in_it(some) for fit, some in zip(fits, others, strict=True)]
    try_out(fits, others, n_jobs, range(1, FOLDS), evolved=False)
    try_out(fits, [fit.larger for fit in fits], n_jobs, evolved=False)
    try_out(fits, [fit.hopeful() for fit in fits], n_jobs)
    run_finals(fits, n_jobs)
    for fit in fits:
        simplify(fit)
