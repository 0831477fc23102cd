"""Fitting networks to binary problems: a race of candidates on held-out points, then the search.

`Fit.rounds` is the rule by which a network is chosen.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from hyperna._validation import BoolArray, FloatArray, IntArray
from hyperna.classifier.fitted import (
    Control,
    class_columns,
    fitted_chances,
    probabilities,
    signed_distance,
)
from hyperna.classifier.points import FOLDS, LabelledPoints
from hyperna.classifier.spaces import cancelled, second_look, simplest, simplified, trimmed
from hyperna.classifier.work import (
    SIMPLE,
    WELL_KNOWN,
    Attempt,
    Choice,
    Outcome,
    Settings,
    best_row,
    candidates,
    choose,
)
from hyperna.networks import Network

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
# With so few held-out errors the simplest candidate is not contested.
GOOD_ENOUGH = 0.01
# Candidates whose starts are this many standard errors behind are not evolved; those this many
# better than one half-space may be made larger.
HOPELESS, PROMISING = 1.0, 0.5
# Parts of its squared weights that one half-space keeps where held-out points are few or noisy.
FAITHFUL = (0.9, 0.97, 0.99)
# How much the log loss of all held-out points may rise: it notices more than their few errors.
MOST_LOST = 0.5

# What is to be called with the result, a piece of work (of an `Attempt`), and its arguments.
Job = tuple[Any, ...]


@dataclass(eq=False)
class Fit:
    """The state of one binary problem."""

    number: int
    points: LabelledPoints
    tried: LabelledPoints  # the points that take part in trials
    seen: list[LabelledPoints]  # by fold: what its trials learn from, the points of other folds
    fold: IntArray  # of each tried point
    settings: Settings
    seed: list[int]
    place: tuple[int, ...]
    start: Network | None = None  # of an earlier fit that is to be continued
    best: Outcome | None = None  # of the searches that are finished
    under_way: Outcome | None = None  # of a search that is not finished, if it is better
    evaluations: int = 0
    curve: list[tuple[int, float]] = field(default_factory=list)
    # By candidate and fold: the networks of a trial, its start first.
    networks: dict[tuple[int, int], list[Network]] = field(default_factory=dict)
    # By candidate: which tried points are classified correctly by the networks that have not seen
    # them; one row for the starts and one for each checkpoint that all folds have reached.
    right: dict[int, list[BoolArray]] = field(default_factory=dict)
    lavish: set[int] = field(default_factory=set)  # candidates with more parameters than points
    chosen: Choice | None = None
    judged: list[Network] = field(default_factory=list)  # by fold: stands for the final network

    def __post_init__(self) -> None:
        settings = self.settings
        self.candidates = candidates(settings.neurons, settings.output, settings.init)
        dim, small = self.points.Z.shape[1], []
        for c, candidate in enumerate(self.candidates):
            small += [] if candidate.larger else [c]
        self.small, self.few_features = small, dim <= MANY_FEATURES
        # Evaluations of each search; all trials together take two thirds of them at most.
        self.share = settings.max_evals // (3 * FOLDS * len(small))
        self.share = self.share * MANY_FEATURES // max(dim, MANY_FEATURES)
        self.evolves = self.few_features or settings.init != "data" or len(self.candidates) == 1
        # Random starts say little about what becomes of them, nor do half-spaces about cones.
        self.spares = settings.from_scratch or settings.neuron != "plain"
        # Whether there are enough points and evaluations for trials, and something to learn. A
        # single candidate is tried for the sake of its probabilities.
        fewest = np.bincount(self.points.y, minlength=2).min()
        enough = self.share >= SHORTEST_TRIAL and fewest >= 2 * FOLDS
        self.undecided = bool(enough) and (len(self.candidates) > 1 or settings.init == "data")

    def record(self, outcome: Outcome, least: int = 0) -> None:
        """Enter a finished search of at least this score into the curve; keep it if it is best."""
        if outcome.rank[0] >= least:
            for evaluation, share in zip(*outcome.improvements, strict=True):
                loss = 1.0 - float(share)
                if not self.curve or loss < self.curve[-1][1]:
                    self.curve.append((self.evaluations + int(evaluation), loss))
            self.under_way = None
            if self.best is None or outcome.rank > self.best.rank:
                self.best = outcome
        self.evaluations += outcome.evaluations

    def record_trial(self, c: int, k: int, trial: tuple[list[Network], int]) -> None:
        """Keep the networks of a trial, and judge those that all folds have got by now."""
        self.networks.setdefault((c, k), []).extend(trial[0])
        self.evaluations += trial[1]
        if self.networks[c, k][0].grid.components > len(self.seen[k].y):
            self.lavish.add(c)
        known, by_fold = len(self.right.get(c, ())), []
        for fold in range(FOLDS):
            by_fold.append(self.networks.get((c, fold), ())[known:])
        for networks in zip(*by_fold, strict=False):
            right = self.held_out(networks) == self.tried.y
            self.right.setdefault(c, []).append(right)

    def held_out(
        self, networks: Iterable[Network], value: Callable[..., Any] = Network.predict
    ) -> FloatArray:
        """Return a value of each tried point, its class, by the network of its fold."""
        result = np.zeros(len(self.tried.y))
        for k, network in enumerate(networks):
            out = self.fold == k
            result[out] = value(network, self.tried.Z[out])
        return result

    def loss(self, networks: list[Network]) -> float:
        """Return the log loss of all held-out points, with the probabilities that fit best."""
        label, share, rows = self.tried.y.astype(int), self.tried.share, self.tried.rows
        distance = class_columns(self.held_out(networks, signed_distance))
        slope, lapse, *_ = fitted_chances(distance, label, share, rows)
        chance = probabilities(distance, slope, lapse)
        return -rows * float(share @ np.log(chance[np.arange(len(label)), label]))

    def rounds(self, control: Control) -> Iterator[list[Job]]:
        """Yield the work of one round after the other, each by the results of those before.

        The simplest candidate, the half-space of logistic regression, is tried first; the others
        only if it makes errors, large ones only if small ones do well, and only those are evolved
        whose starts are not hopeless.
        """
        if self.start is not None:
            attempt = self.attempt(self.points, 0, 4)
            yield [(self.record, attempt.evolve, self.start, self.settings.max_evals)]
            return
        # A usable network at once: the start of the simplest candidate.
        attempt = self.attempt(self.points, 0, 0)
        search = attempt.search(attempt.start(), 1)
        search.advance(1)
        self.record(attempt.outcome(search))
        if self.undecided:
            yield self.trials([0])
            if self.evolves:
                yield self.trials([0], evolved=True)
            if 0 in self.right and max(map(self.tried.share.dot, self.right[0])) < 1 - GOOD_ENOUGH:
                yield from self.race()
        given, rows = self.settings.neurons != "auto", dict(sorted(self.right.items()))
        ripe, lavish = given or self.settings.init != "data", set() if given else self.lavish
        self.chosen = choose(self.tried, rows, len(self.candidates), ripe, lavish)
        if self.settings.from_scratch and self.chosen == Choice(0, self.chosen.checkpoint, True):
            some = self.exact()
            if some and some[0] > 0 and some[0] in rows:
                # A network that makes no error where one neuron does need not be ahead by much.
                self.chosen = Choice(some[0], len(rows[some[0]]) - 1, True)
        yield self.finals(self.chosen, self.settings.max_evals - self.evaluations)
        if not self.chosen.convincing:
            some, left = self.exact(), max(self.settings.max_evals - self.evaluations, 0)
            budget = max(1, min(self.share, left // max(1, len(some))))
            yield self.searches([(c, 0, budget) for c in some[:left]], self.points.total)
        simplify(self, control.stopped)

    def race(self) -> Iterator[list[Job]]:
        """Yield the trials of the candidates that might beat the simplest one."""
        points, first, small = self.tried, self.fold == 0, self.small[1:]
        yield self.trials(small, range(1))
        # Those far behind the simplest in the first fold are not looked at in the others.
        some, rows = points.part(first), list(np.array(self.right[0])[:, first])
        rival, kept, evolving = rows[best_row(some, rows)], [], []
        for c in small:
            if (c, 0) in self.networks:
                right = self.networks[c, 0][0].predict(some.Z) == some.y
                hopes = self.spares or some.lead(rival, right, HOPELESS) <= 0
                kept += [c] if hopes or self.hides(c, some, rival) else []
        yield self.trials(kept, range(1, FOLDS))
        # Larger ones where the small ones are better than one half-space.
        rival, large = self.right[0][best_row(points, self.right[0])], []
        for c in small:
            grows = c + 1 < len(self.candidates) and self.candidates[c + 1].larger
            if grows and c in self.right:
                large += [c + 1] if points.lead(self.right[c][0], rival, PROMISING) > 0 else []
        yield self.trials(large)
        # Those whose starts are far behind the best are not evolved.
        best = np.zeros(len(points.y), bool)
        for _, rows in sorted(self.right.items()):
            best = max(best, rows[best_row(points, rows)], key=points.share.dot)
        for c, rows in sorted(self.right.items()):
            hopes = self.spares or points.lead(best, rows[0], HOPELESS) <= 0
            evolving += [c] if c > 0 and (hopes or self.hides(c, some, best[first])) else []
        yield self.trials(evolving if self.evolves else [], evolved=True)

    def hides(self, c: int, held_out: LabelledPoints, rival: BoolArray) -> bool:
        """Return whether the start of the first fold hides a simple rule that beats a rival."""
        start, seen = self.networks[c, 0][0], self.seen[0]
        return self.settings.simplifies and second_look(start, seen, held_out, rival)

    def trials(
        self, some: list[int], folds: range = range(FOLDS), evolved: bool = False
    ) -> list[Job]:
        """Return first looks at candidates, or their evolution if they have been looked at."""
        jobs: list[Job] = []
        settings, stops = self.settings, []
        length = min(self.share, LONGEST_TRIAL)
        if settings.init != "data":
            length = settings.max_evals // (10 * FOLDS * max(len(some), 3))
        for share in CHECKPOINTS:
            stops.append(max(1, round(share * length)))
        for c, k in itertools.product(some, folds):
            attempt, known = self.attempt(self.seen[k], c, 2, c, k), self.networks.get((c, k))
            record = partial(self.record_trial, c, k)
            if evolved and known:
                jobs.append((record, attempt.trial, known[0], tuple(stops)))
            elif not evolved:
                # Random starts need evaluations before they tell anything.
                parts = 4 * FOLDS * len(self.candidates)
                parts = (60 if c == 0 else 10) if settings.from_scratch else parts
                budget = 0 if settings.init == "data" else settings.max_evals // parts
                jobs.append((record, attempt.look, budget))
        return jobs

    def attempt(self, points: LabelledPoints, c: int, *place: int, again: bool = False) -> Attempt:
        """Return a candidate on some points, with a seed of its own."""
        candidate = self.candidates[c].again if again else self.candidates[c]
        place = (*self.place, *place)
        return Attempt(points, self.settings, candidate, self.seed, place, self.number)

    def exact(self) -> list[int]:
        """Return the candidates that made no error on what they learned from, the simplest first.

        A network with more parameters than there are points proves nothing by that, nor does one
        that is worse on held-out points than the simplest, if that beats a constant answer there.
        """
        found: list[int] = []
        held_out = {c: float(self.tried.share @ rows[-1]) for c, rows in self.right.items()}
        least = held_out.get(0, 0.0) * (held_out.get(0, 0.0) > self.tried.constant)
        for (c, k), networks in sorted(self.networks.items()):
            network, seen = networks[-1], self.seen[k]
            proves = network.grid.components <= len(seen.y) and held_out.get(c, 1.0) >= least
            if c not in found and proves and (network.predict(seen.Z) == seen.y).all():
                found.append(c)
        return found

    def finals(self, chosen: Choice, left: int) -> list[Job]:
        """Return the searches on all points with the candidate chosen, in the evaluations left."""
        c = chosen.candidate
        starts = min(self.settings.restarts, left // SHORTEST_RESTART) + 1
        if left < 1:
            return []
        if chosen.checkpoint is None:
            # Nothing was tried: all candidates compete by their training score.
            every = list(itertools.product(range(len(self.candidates)), range(starts)))
            budget = max(1, left // len(every))
            return self.searches([(*place, budget) for place in every[:left]])
        budget = left // starts
        if self.settings.init == "data":
            if chosen.checkpoint == 0:
                # The start of the simplest candidate is there already.
                return self.searches([(c, 0, 1)]) if c > 0 else []
            if chosen.checkpoint == 1:
                brief = round(CHECKPOINTS[0] * min(self.share, LONGEST_TRIAL))
                budget = min(max(1, brief), budget)
            elif len(self.candidates) > 1:
                budget = min(self.share, budget)
            budget = max(1, budget)
        return self.searches([(c, k, budget) for k in range(starts)])

    def searches(self, plan: list[tuple[int, int, int]], least: int = 0) -> list[Job]:
        """Return searches on all points, by candidate, number of the start and evaluations."""
        jobs: list[Job] = []
        for c, k, budget in plan:
            tried = self.networks.get((c, k), [None])[:SIMPLE]
            known = tried[0 if self.settings.init == "data" else -1]
            if budget == 1 and known is not None:
                starts = [nets[0] for (d, _), nets in self.networks.items() if d == c]
                known = max(starts, key=self.points.correct)
            attempt = self.attempt(self.points, c, 3, c, k, again=k > 0)
            jobs.append((partial(self.record, least=least), attempt.final, known, budget))
        return jobs


def simplify(fit: Fit, stopped: bool) -> None:
    """Replace the network by a simpler one, if that is as good on held-out points.

    Simplicity may cost as much of the training score as its standard error, or nothing. Where the
    fit was stopped nothing is replaced.
    """
    chosen, best, tried = fit.chosen, fit.best, fit.tried
    if chosen is None or best is None:
        return
    if chosen.checkpoint is not None:
        for k in range(FOLDS):
            fit.judged.append(fit.networks[chosen.candidate, k][chosen.checkpoint])
    if stopped or not fit.settings.simplifies or not chosen.convincing:
        return
    network, doubt = best.network, fit.points.doubt(best.network)
    right = fit.held_out(fit.judged) == tried.y
    if chosen.checkpoint == SIMPLE:
        network = simplest(network, fit.judged, fit.points, doubt)
    elif not fit.judged:
        network = simplified(network, fit.points, 0.0)
    else:
        doubts, several, before = [], network.grid.neurons > 1, np.nan
        for made, seen in zip(fit.judged, fit.seen, strict=True):
            doubts.append(seen.doubt(made))
            several |= made.grid.neurons > 1
        levels = (0.0, *FAITHFUL)[: fit.few_features if several else None]
        for faithful, part in itertools.product(levels, (1.0, 0.0)[max(doubts) < 1e-6 :]):
            simple = []
            for made, seen, own in zip(fit.judged, fit.seen, doubts, strict=True):
                simple.append(simplified(made, seen, part * own, faithful))
            after = fit.held_out(simple) == tried.y
            # No difference among few rows is not well known either.
            error = np.sqrt(tried.share @ (right != after) / tried.rows)
            known = max(error, 1.0 / tried.rows) <= WELL_KNOWN
            fair = tried.lead(right, after) <= 0.0 and (faithful > 0 or several or known)
            if fair and not several and np.isnan(before):
                before = fit.loss(fit.judged)
            if fair and (several or fit.loss(simple) <= before + MOST_LOST):
                network = simplified(network, fit.points, part * doubt, faithful)
                fit.judged = simple
                break
    if network.grid.output == "xor" and fit.judged:
        # Half-spaces that nearly cancel each other go where that costs no held-out point.
        simple = [cancelled(made, seen) for made, seen in zip(fit.judged, fit.seen, strict=True)]
        right = fit.held_out(fit.judged) == tried.y
        if tried.lead(right, fit.held_out(simple) == tried.y) <= 0.0:
            network, fit.judged = cancelled(network, fit.points), simple
    network = trimmed(network, fit.points)
    rank = fit.points.correct(network), best.rank[1]
    fit.best = replace(best, network=network, rank=rank)


def fit_all(fits: list[Fit], control: Control) -> None:
    """Fit all problems, at the same pace."""
    rounds = map(Fit.rounds, fits, itertools.repeat(control))
    for wanted in itertools.zip_longest(*rounds, fillvalue=()):
        receivers, jobs = [], []
        for receive, *job in itertools.chain(*wanted):
            receivers.append(receive)
            jobs.append(tuple(job))
        for receive, result in zip(receivers, control.map(jobs), strict=True):
            if result is not None:
                receive(result)
