"""Fitting networks to binary problems: a race of candidates on held-out points, then the search.

`Fit.rounds` is the rule by which a network is chosen; `hyperna.classifier.choice` says which
candidate wins.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from hyperna._validation import BoolArray, FloatArray, IntArray
from hyperna.classifier import choice
from hyperna.classifier.candidates import candidates
from hyperna.classifier.choice import ahead, best_row, cancelled, simplified, trimmed
from hyperna.classifier.distances import (
    class_columns,
    fitted_chances,
    probabilities,
    signed_distance,
)
from hyperna.classifier.points import LabelledPoints
from hyperna.classifier.work import Attempt, Control, Outcome, Settings, child
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
    """The state of one binary problem.

    Attributes
    ----------
    points, tried : LabelledPoints
        The whole problem, and the points that take part in trials.
    seen : list of LabelledPoints
        By fold: the points that its trials learn from, which are those of the other folds.
    fold : ndarray of int
        The fold of each tried point.
    start : Network or None
        The network of an earlier fit that is to be continued.
    networks : dict
        By candidate and fold: the networks of a trial, its start first.
    right : dict
        By candidate: which tried points are classified correctly by the networks that have not seen
        them; one row for the starts and one for each checkpoint that all folds have reached.
    judged : list
        By fold: the network of the chosen trial, which stands for the final one.
    """

    number: int
    points: LabelledPoints
    tried: LabelledPoints
    seen: list[LabelledPoints]
    fold: IntArray
    settings: Settings
    seed: np.random.SeedSequence
    control: Control
    start: Network | None = None
    best: Outcome | None = None
    evaluations: int = 0
    curve: list[tuple[int, float]] = field(default_factory=list)
    networks: dict[tuple[int, int], list[Network]] = field(default_factory=dict)
    right: dict[int, list[BoolArray]] = field(default_factory=dict)
    chosen: choice.Choice | None = None
    judged: list[Network] = field(default_factory=list)

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
        self.spares = settings.patient or settings.neuron != "plain"
        # Whether there are enough points and evaluations for trials, and something to learn. A
        # single candidate is tried for the sake of its probabilities.
        fewest = np.bincount(self.points.y, minlength=2).min()
        enough = self.share >= SHORTEST_TRIAL and fewest >= 2 * FOLDS
        self.undecided = bool(enough) and (len(self.candidates) > 1 or settings.init == "data")

    @property
    def current(self) -> Any:
        """The best outcome so far, that of a search under way included; None before the first."""
        under_way = self.control.under_way.get(self.number)
        if self.best is None or under_way is None or under_way.rank <= self.best.rank:
            return self.best
        return under_way

    @property
    def left(self) -> int:
        """Evaluations that have not been spent."""
        return self.settings.max_evals - self.evaluations

    def record(self, outcome: Outcome) -> None:
        """Enter a finished search into the curve of losses, and keep it if it is the best."""
        for evaluation, share in zip(*outcome.improvements, strict=True):
            loss = 1.0 - float(share)
            if not self.curve or loss < self.curve[-1][1]:
                self.curve.append((self.evaluations + int(evaluation), loss))
        self.control.under_way.pop(self.number, None)
        self.evaluations += outcome.evaluations
        if self.best is None or outcome.rank > self.best.rank:
            self.best = outcome

    def record_faultless(self, outcome: Outcome) -> None:
        """Enter a finished search only if its network makes no error."""
        if outcome.score == self.points.total:
            self.record(outcome)
        else:
            self.evaluations += outcome.evaluations

    def record_trial(self, c: int, k: int, trial: tuple[list[Network], int]) -> None:
        """Keep the networks of a trial, and judge those that all folds have got by now."""
        self.networks.setdefault((c, k), []).extend(trial[0])
        self.evaluations += trial[1]
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
        chance = probabilities(distance, *fitted_chances(distance, label, share, rows))
        return -rows * float(share @ np.log(chance[np.arange(len(label)), label]))

    def rounds(self) -> Iterator[list[Job]]:
        """Yield the work of one round after the other, each by the results of those before.

        The simplest candidate, the half-space of logistic regression, is tried first; the others
        only if it makes errors, large ones only if small ones do well, and only those are evolved
        whose starts are not hopeless.
        """
        if self.start is not None:
            attempt = self.attempt(self.points, 0, 4)
            yield [(self.record, attempt.evolve, self.start, self.left)]
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
        self.chosen = self.choose()
        yield self.finals(self.chosen)
        if not self.chosen.convincing:
            some = self.exact()
            budget = max(1, min(self.share, self.left // max(1, len(some))))
            yield self.searches(
                [(c, 0, budget) for c in some[: max(self.left, 0)]], self.record_faultless
            )
        simplify(self)

    def race(self) -> Iterator[list[Job]]:
        """Yield the trials of the candidates that might beat the simplest one."""
        points, first, small = self.tried, self.fold == 0, self.small[1:]
        yield self.trials(small, range(1))
        # Those far behind the simplest in the first fold are not looked at in the others.
        some, rows = points.part(first), list(np.array(self.right[0])[:, first])
        simplest, kept, hopeful = rows[best_row(some, rows)], [], []
        for c in small:
            if (c, 0) in self.networks:
                start = self.networks[c, 0][0]
                if self.spares or not ahead(some, simplest, some.right(start), HOPELESS):
                    kept.append(c)
                elif self.settings.simplifies and choice.second_look(
                    start, self.seen[0], some, simplest
                ):
                    kept.append(c)
                    hopeful.append(c)
        yield self.trials(kept, range(1, FOLDS))
        # Larger ones where the small ones are better than one half-space.
        simplest, large = self.right[0][best_row(points, self.right[0])], []
        for c in small:
            grows = c + 1 < len(self.candidates) and self.candidates[c + 1].larger
            if grows and c in self.right and ahead(points, self.right[c][0], simplest, PROMISING):
                large.append(c + 1)
        yield self.trials(large)
        # Those whose starts are far behind the best are not evolved.
        best = np.zeros(len(points.y), bool)
        for _, rows in sorted(self.right.items()):
            best = max(best, rows[best_row(points, rows)], key=points.share.dot)
        for c, rows in self.right.items():
            if c > 0 and (self.spares or not ahead(points, best, rows[0], HOPELESS)):
                hopeful.append(c)
        yield self.trials(sorted(set(hopeful)) if self.evolves else [], evolved=True)

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
                parts = (60 if c == 0 else 10) if settings.patient else parts
                budget = 0 if settings.init == "data" else settings.max_evals // parts
                jobs.append((record, attempt.look, budget))
        return jobs

    def attempt(self, points: LabelledPoints, c: int, *place: int, again: bool = False) -> Attempt:
        """Return a candidate on some points, with a seed of its own."""
        candidate = self.candidates[c].again if again else self.candidates[c]
        return Attempt(points, self.settings, candidate, child(self.seed, *place), self.number)

    def choose(self) -> choice.Choice:
        """Return the candidate that wins by held-out points."""
        settings, lavish = self.settings, set()
        given = settings.neurons != "auto"
        for (c, k), networks in self.networks.items():
            if not given and networks[0].grid.components > len(self.seen[k].y):
                lavish.add(c)
        ripe, rows = given or settings.init != "data", dict(sorted(self.right.items()))
        chosen = choice.choose(self.tried, rows, len(self.candidates), ripe, frozenset(lavish))
        if settings.patient and chosen.candidate == 0 and chosen.convincing:
            exact = self.exact()
            if exact and exact[0] > 0 and exact[0] in rows:
                # A network that makes no error where one neuron does need not be ahead by much.
                return choice.Choice(exact[0], len(rows[exact[0]]) - 1, True)
        return chosen

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
            if c not in found and proves and seen.right(network).all():
                found.append(c)
        return found

    def finals(self, chosen: choice.Choice) -> list[Job]:
        """Return the searches on all points, with the candidate chosen."""
        c, left = chosen.candidate, self.left
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

    def searches(
        self,
        plan: list[tuple[int, int, int]],
        record: Callable[[Outcome], None] | None = None,
    ) -> list[Job]:
        """Return searches on all points, by candidate, number of the start and evaluations."""
        jobs: list[Job] = []
        for c, k, budget in plan:
            tried = self.networks.get((c, k), [None])[: choice.SIMPLE]
            known = tried[0 if self.settings.init == "data" else -1]
            if budget == 1 and known is not None:
                starts = [nets[0] for (d, _), nets in self.networks.items() if d == c]
                known = max(starts, key=self.points.correct)
            attempt = self.attempt(self.points, c, 3, c, k, again=k > 0)
            jobs.append((record or self.record, attempt.final, known, budget))
        return jobs


def simplify(fit: Fit) -> None:
    """Replace the network by a simpler one, if that is as good on held-out points.

    Simplicity may cost as much of the training score as its standard error, or nothing.
    """
    chosen, best, truth = fit.chosen, fit.best, fit.tried.y
    if chosen is None or best is None:
        return
    if chosen.checkpoint is not None:
        for k in range(FOLDS):
            fit.judged.append(fit.networks[chosen.candidate, k][chosen.checkpoint])
    if not fit.settings.simplifies or fit.control.stopped or not chosen.convincing:
        return
    network, doubt = best.network, fit.points.doubt(best.network)
    right = fit.held_out(fit.judged) == truth
    if chosen.checkpoint == choice.SIMPLE:
        network = choice.simplest(network, fit.judged, fit.points, doubt)
    elif not fit.judged:
        network = simplified(network, fit.points, 0.0)
    else:
        doubts, several = [], network.grid.neurons > 1
        for made, seen in zip(fit.judged, fit.seen, strict=True):
            doubts.append(seen.doubt(made))
            several |= made.grid.neurons > 1
        levels = (0.0, *FAITHFUL)[: fit.few_features if several else None]
        for faithful, part in itertools.product(levels, (1.0, 0.0)[max(doubts) < 1e-6 :]):
            simple = []
            for made, seen, own in zip(fit.judged, fit.seen, doubts, strict=True):
                simple.append(simplified(made, seen, part * own, faithful))
            worse, error = choice.gain(fit.tried, right, fit.held_out(simple) == truth)
            # No difference among few rows is not well known either.
            known = max(error, 1.0 / fit.tried.rows) <= choice.WELL_KNOWN
            fair = worse <= 0.0 and (faithful > 0 or several or known)
            if fair and (several or fit.loss(simple) <= fit.loss(fit.judged) + MOST_LOST):
                network = simplified(network, fit.points, part * doubt, faithful)
                fit.judged = simple
                break
    if network.grid.output == "xor" and fit.judged:
        # Half-spaces that nearly cancel each other go where that costs no held-out point.
        simple = [cancelled(made, seen) for made, seen in zip(fit.judged, fit.seen, strict=True)]
        right = fit.held_out(fit.judged) == truth
        if choice.gain(fit.tried, right, fit.held_out(simple) == truth)[0] <= 0.0:
            network, fit.judged = cancelled(network, fit.points), simple
    network = trimmed(network, fit.points)
    fit.best = replace(best, network=network, score=fit.points.correct(network))


def fit_all(fits: list[Fit]) -> None:
    """Fit all problems, at the same pace."""
    for wanted in itertools.zip_longest(*map(Fit.rounds, fits), fillvalue=()):
        receivers, jobs = [], []
        for receive, *job in itertools.chain(*wanted):
            receivers.append(receive)
            jobs.append(tuple(job))
        for receive, result in zip(receivers, fits[0].control.map(jobs), strict=True):
            if result is not None:
                receive(result)
