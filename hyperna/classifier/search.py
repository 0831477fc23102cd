"""The search for the rule that tells the labels in the fewest bits.

"Path" has three meanings around a classifier. The lasso path gives the `lasso_sets`, sets of
features; `Search.evolved_along_costs` follows a network along growing costs of a term; and
`Search.path` is what users see: the best candidate of every size. `Search.run` has these steps,
numbered as in docs/explanation/default_classifier.md:

1. The candidates begin with the constant answer and the half-spaces of logistic regression on the
   lasso sets.
2. Networks of two half-spaces, then three and so on, are fitted as smooth stand-ins: on all
   features, or on the `MOST_FEATURES` of them with the largest weights in the last half-space of
   step 1. A second one is fitted on the largest lasso set of up to `FEW_FEATURES`, if that set has
   less than half as many features; the one that takes fewer bits goes on. Larger networks are tried
   until two sizes in a row do not help, or none so large can.
3. The last half-space of step 1 and the networks of step 2 are evolved along growing costs of a
   term, each before the next larger one is fitted. What they evolve to are candidates; the networks
   of step 2 themselves are not.
4. The candidate with the fewest bits is the answer. A rule must also take fewer bits than the
   constant answer when it names all its features; if none does, there is nothing to tell.
5. For every number of terms the candidate that tells the labels best stays on the path.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from hyperna._validation import IntArray
from hyperna._words import counted
from hyperna.classifier.bits import CodeLength, Features, code_length, least_bits
from hyperna.classifier.candidates import (
    FEW_FEATURES,
    MOST_FEATURES,
    evolved,
    half_spaces_on,
    lasso_sets,
    soft_network,
)
from hyperna.classifier.half_spaces import ODD, HalfSpaces
from hyperna.classifier.table import StandardPoints

# Measured: what other values do to accuracy and length is in benchmarks/ablation.md.
#
# The first cost of a term along a path, in rows, and the factor from each cost to the next.
FIRST_COST, COST_FACTOR = 0.5, 8.0
# Sizes of networks in a row that do not help, after which no larger one is tried. Two: on moons two
# half-spaces tell little more than one, and three tell nearly everything.
MOST_FRUITLESS = 2
# Least weight of a rule's bits where it is asked whether the rule tells anything at all: with it
# 4 of 210 tables of pure noise get a rule (benchmarks/classifier.py noise, five seeds of data).
STRICT_SHORTNESS = 0.7

# Number of half-spaces, and quorum.
Shape: TypeAlias = tuple[int, int]
# Maps a function over arguments, perhaps in parallel.
Mapper: TypeAlias = Callable[[Callable[[Any], Any], Iterable[Any]], list[Any]]


@dataclass(frozen=True)
class SearchOptions:
    """What a rule may be and how it is sought; these are parameters of `NAClassifier`.

    `outputs` are the ways in which half-spaces may be joined.
    """

    shortness: float
    max_terms: int
    max_neurons: int
    outputs: tuple[str, ...]
    evaluations: int

    def quorums(self, neurons: int) -> list[int]:
        """Return the quorums with which networks of so many half-spaces begin.

        "at_least" begins with most of an odd number: most of two would be both, as in "and". Other
        quorums come from there, where evolution leaves half-spaces out.
        """
        found = []
        if "or" in self.outputs:
            found.append(1)
        if "and" in self.outputs:
            found.append(neurons)
        if "xor" in self.outputs:
            found.append(ODD)
        if "at_least" in self.outputs and neurons % 2 == 1:
            found.append((neurons + 1) // 2)
        return found


@dataclass(frozen=True, eq=False)
class Candidate:
    """A network with its description."""

    network: HalfSpaces
    code: CodeLength
    bits: float  # of labels and rule, the rule's weighted by `shortness`

    @property
    def order(self) -> tuple[Any, ...]:
        """What decides between candidates: bits, then terms, neurons, and features in order.

        Bits are compared in thousandths: the same network may be found in several ways.
        """
        network = self.network
        return round(self.bits, 3), network.terms, network.neurons, network.features

    @property
    def label_bits(self) -> float:
        """Bits of the labels in thousandths, by which candidates of one size are compared."""
        return round(self.code.labels, 3)

    def tells_better_than(self, other: "Candidate") -> bool:
        """Return whether the labels take fewer bits than with another candidate."""
        return (self.label_bits, self.order) < (other.label_bits, other.order)


class Search:
    """Candidates for one binary problem, gathered step by step by `run`.

    Attributes
    ----------
    candidates : list of Candidate
        All that were found; the first is the constant answer.
    lasso_sets : list of tuples
        The sets of features along the lasso path, small ones first.
    best_so_far : Candidate
        That with the fewest bits within the limits, whether or not it tells anything.
    best : Candidate
        The answer, once `run` has chosen it.
    """

    def __init__(
        self, points: StandardPoints, options: SearchOptions, seed: np.random.SeedSequence
    ) -> None:
        self.points = points
        self.options = options
        self.seed = seed
        self.lasso_sets: list[Features] = []
        # classes that weigh the same do so up to rounding
        mostly = round(points.share, 9) > 0.5
        constant = self.candidate(HalfSpaces.constant(len(points.columns), mostly))
        self.candidates = [constant]
        self.best_so_far = constant
        self.best = constant

    def candidate(self, network: HalfSpaces) -> Candidate:
        """Return a network with its description."""
        code = code_length(network, self.points, self.options.shortness, self.lasso_sets)
        return Candidate(network, code, code.total(self.options.shortness))

    def add(self, made: Candidate) -> None:
        """Note a candidate, and whether it needs the fewest bits so far."""
        self.candidates.append(made)
        if self.allowed(made) and made.order < self.best_so_far.order:
            self.best_so_far = made

    def allowed(self, candidate: Candidate) -> bool:
        """Return whether a candidate is within the limits."""
        network = candidate.network
        small = network.terms <= self.options.max_terms
        return small and network.neurons <= self.options.max_neurons

    def run(self, mapper: Mapper, tell: Callable[[str], None]) -> None:
        """Gather candidates, shapes of networks perhaps in parallel, and choose.

        Where no feature varies, or none says anything about the labels, the constant answer is all
        there is. `tell` is called with what was found, in words.
        """
        if len(self.points.columns):
            half_space = self.add_half_spaces().network
            if half_space.neurons:
                features = largest_weights(half_space, MOST_FEATURES)
                self.evolve_half_space(half_space, features)
                tell(f"one condition: {self.summary(self.best_so_far)}")
                self.grow(self.feature_choices(features), mapper, tell)
        self.best = self.choose()
        tell(f"the rule: {self.summary(self.best)}")

    def choose(self) -> Candidate:
        """Return the candidate with the fewest bits of those that tell anything."""
        constant = self.candidates[0]
        strict = max(self.options.shortness, STRICT_SHORTNESS)
        telling = [
            one
            for one in self.candidates
            if self.allowed(one) and one.code.named_total(strict) < constant.bits
        ]
        return min(telling, key=lambda one: one.order, default=constant)

    def add_half_spaces(self) -> Candidate:
        """Add logistic regression on each set of the lasso; return that on all features."""
        sets = list(lasso_sets(self.points))
        self.lasso_sets = [tuple(features.tolist()) for features in sets]
        for network in half_spaces_on(sets, self.points):
            self.add(self.candidate(network))
        return self.candidates[-1]

    def evolve_half_space(self, half_space: HalfSpaces, features: IntArray) -> None:
        """Add what a half-space on some of its features evolves to."""
        weights = np.zeros(half_space.normals.shape)
        weights[:, features] = half_space.normals[:, features]
        start = HalfSpaces.made(weights, half_space.thresholds, 1)
        # a half-space is a network of one, of which one must hold
        for made in self.evolved_along_costs(start, self.generator((1, 1))):
            self.add(made)

    def feature_choices(self, features: IntArray) -> list[IntArray]:
        """Return on which features networks start: the given ones, and perhaps few of the lasso.

        The few are the largest set of up to `FEW_FEATURES` along the lasso path, if it has less
        than half as many as the given ones.
        """
        choices = [features]
        few = [some for some in self.lasso_sets if len(some) <= FEW_FEATURES]
        if few and 2 * len(few[-1]) < len(features):
            choices.append(np.array(few[-1]))
        return choices

    def grow(self, choices: list[IntArray], mapper: Mapper, tell: Callable[[str], None]) -> None:
        """Add networks of two half-spaces, three and so on, until more do not help.

        They start on each of some choices of features.
        """
        fruitless = 0
        for neurons in range(2, self.options.max_neurons + 1):
            before = self.best_so_far
            shapes = [(neurons, quorum) for quorum in self.options.quorums(neurons)]
            if not shapes:
                continue
            if least_bits(neurons, self.points, self.options.shortness) >= before.bits:
                break  # no network of this size or a larger one can take fewer
            for found in mapper(lambda shape: self.networks_of(shape, choices), shapes):
                for made in found:
                    self.add(made)
            tell(f"up to {neurons} conditions: {self.summary(self.best_so_far)}")
            fruitless = 0 if self.best_so_far is not before else fruitless + 1
            if fruitless == MOST_FRUITLESS:
                break

    def networks_of(self, shape: Shape, choices: list[IntArray]) -> list[Candidate]:
        """Return what the best of some starts of one shape evolves to.

        There is a start for each choice of features.
        """
        rng = self.generator(shape)
        starts = [
            self.candidate(soft_network(self.points, *shape, features, rng)) for features in choices
        ]
        start = min(starts, key=lambda one: one.order)
        # evolution leaves weights out; if the labels alone, with all weights there, take more bits
        # than the best rule with its labels, something shorter is unlikely to win
        if start.code.labels >= self.best_so_far.bits:
            return []
        return self.evolved_along_costs(start.network, rng)

    def evolved_along_costs(self, network: HalfSpaces, rng: np.random.Generator) -> list[Candidate]:
        """Return the networks that evolve from one along growing costs of a term."""
        found: list[Candidate] = []
        cost = FIRST_COST
        while network.terms > 1 and cost < self.points.n_rows:
            network = evolved(self.points, network, cost, self.options.evaluations, rng)
            if not network.neurons:
                break
            found.append(self.candidate(network))
            cost *= COST_FACTOR
        return found

    def generator(self, shape: Shape) -> np.random.Generator:
        """Return random numbers that depend on nothing but the seed and the shape."""
        key = (*self.seed.spawn_key, *shape)
        return np.random.default_rng(np.random.SeedSequence(self.seed.entropy, spawn_key=key))

    def summary(self, best: Candidate) -> str:
        """Return the size and the bits of the best candidate, in words."""
        network = best.network
        size = f"{counted(network.terms, 'term')} in {counted(network.neurons, 'condition')}"
        return (
            f"{size}, {best.bits:.1f} bits, of {counted(len(self.candidates), 'candidate')} "
            f"(constant answer {self.candidates[0].bits:.1f} bits)"
        )

    def path(self) -> list[Candidate]:
        """Return for each number of terms the candidate that tells the labels best.

        One that tells them no better than a shorter one is left out, but never the best.
        """
        by_size: dict[int, Candidate] = {}
        for made in self.candidates:
            size = made.network.terms
            rival = by_size.get(size)
            if self.allowed(made) and (rival is None or made.tells_better_than(rival)):
                by_size[size] = made
        by_size[self.best.network.terms] = self.best
        path: list[Candidate] = []
        for size in sorted(by_size):
            made = by_size[size]
            if made is self.best or not path or made.label_bits < path[-1].label_bits:
                path.append(made)
        return path


def largest_weights(half_space: HalfSpaces, most: int) -> IntArray:
    """Return the features with the largest weights, so many at most, in order."""
    weight = np.abs(half_space.normals[0])
    return np.sort(np.argsort(-weight, kind="stable")[:most])
