"""The search for the rule that tells the labels in the fewest bits.

1. The candidates begin with the constant answer and the half-spaces of logistic regression on the
   supports of a lasso path.
2. The last of these, on all features or on the `MOST_FEATURES` with the largest weights, and
   networks of two half-spaces and more from smooth stand-ins, are evolved along growing costs of a
   term. A stand-in is fitted on the same features and, where they are more than twice as many, on
   the first `FEW_FEATURES` of the lasso path; the one that takes fewer bits is evolved.
3. Larger networks are tried until two sizes in a row do not help, or none so large can.
4. The candidate with the fewest bits is the answer. A rule must also take fewer bits than the
   constant answer when it names all its features; if none does, there is nothing to tell.
5. For every number of terms the candidate that tells the labels best stays on the path.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
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
    lasso_supports,
    soft_network,
)
from hyperna.classifier.half_spaces import ODD, HalfSpaces
from hyperna.classifier.table import Standardised

# What other values do to accuracy and length: benchmarks/ablation.md.
#
# The first cost of a term along a path, in rows, and the factor from each cost to the next.
FIRST_COST, COST_FACTOR = 0.5, 8.0
# Sizes of networks in a row that do not help, after which no larger one is tried. Two: on moons two
# half-spaces tell little more than one, and three tell nearly everything.
MOST_FRUITLESS = 2
# Least weight of a rule's bits where it is asked whether the rule tells anything at all: with it
# about one of 50 tables of pure noise gets a rule (benchmarks/classifier.py noise).
STRICT_SHORTNESS = 0.7

# Neurons and quorum.
Shape: TypeAlias = tuple[int, int]
# Maps a function over arguments, perhaps in parallel.
Work: TypeAlias = Callable[[Callable[[Any], Any], Iterable[Any]], list[Any]]


@dataclass(frozen=True)
class Limits:
    """What a rule may be: see the parameters of `NAClassifier`."""

    shortness: float
    max_terms: int
    max_neurons: int
    outputs: tuple[str, ...]
    evaluations: int
    signs: IntArray | None = None

    def for_features(self, features: IntArray) -> "Limits":
        """Return the limits where only some of the features vary."""
        return replace(self, signs=None if self.signs is None else self.signs[features])

    def quorums(self, neurons: int) -> list[int]:
        """Return how so many half-spaces may be joined."""
        found = []
        if "or" in self.outputs:
            found.append(1)
        if "and" in self.outputs:
            found.append(neurons)
        if "xor" in self.outputs and self.signs is None:
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

    def tells_better_than(self, other: "Candidate") -> bool:
        """Return whether the labels take fewer bits than with another candidate."""
        return (self.code.labels, self.order) < (other.code.labels, other.order)


class Search:
    """Candidates for one binary problem, gathered step by step by `run`."""

    def __init__(self, points: Standardised, limits: Limits, seed: np.random.SeedSequence) -> None:
        self.points = points
        self.limits = limits
        self.seed = seed
        self.candidates: list[Candidate] = []
        self.supports: set[Features] = set()  # sets of features along the lasso path
        # classes that weigh the same do so up to rounding
        mostly = round(points.share, 9) > 0.5
        self.best = self.candidate(HalfSpaces.constant(len(points.columns), mostly))
        self.candidates.append(self.best)

    def candidate(self, network: HalfSpaces) -> Candidate:
        """Return a network with its description."""
        code = code_length(network, self.points, self.limits.shortness, self.supports)
        return Candidate(network, code, code.total(self.limits.shortness))

    def add(self, made: Candidate) -> None:
        """Note a candidate; it becomes the best if it needs fewer bits and is within the limits."""
        self.candidates.append(made)
        if self.allowed(made) and made.order < self.best.order:
            self.best = made

    def allowed(self, candidate: Candidate) -> bool:
        """Return whether a candidate is within the limits."""
        network = candidate.network
        small = network.terms <= self.limits.max_terms
        return small and network.neurons <= self.limits.max_neurons

    def run(self, work: Work) -> None:
        """Gather all candidates; `work` maps a function over arguments, perhaps in parallel."""
        self.gather(work)
        constant = self.candidates[0]
        strict = max(self.limits.shortness, STRICT_SHORTNESS)
        telling = [
            one
            for one in self.candidates
            if self.allowed(one) and one.code.named_total(strict) < constant.bits
        ]
        self.best = min(telling, key=lambda one: one.order, default=constant)

    def gather(self, work: Work) -> None:
        """Add half-spaces and networks of growing sizes to the candidates."""
        full = self.best
        if not len(self.points.columns):
            return  # nothing varies
        supports = list(lasso_supports(self.points))
        self.supports = {tuple(support.tolist()) for support in supports}
        for network in half_spaces_on(supports, self.points, self.limits.signs):
            full = self.candidate(network)
            self.add(full)
        if not full.network.neurons:
            return  # no feature says anything about the labels
        weight = np.abs(full.network.normals[0])
        features = np.sort(np.argsort(-weight, kind="stable")[:MOST_FEATURES])
        begin = np.where(np.isin(np.arange(len(weight)), features), full.network.normals, 0.0)
        half_space = HalfSpaces.made(begin, full.network.thresholds, 1)
        for made in self.path_of(half_space, self.generator(1, 1)):
            self.add(made)
        choices = [features]
        few = [support for support in supports if len(support) <= FEW_FEATURES]
        if few and 2 * len(few[-1]) < len(features):
            choices.append(few[-1])
        fruitless = 0
        for neurons in range(2, self.limits.max_neurons + 1):
            before = self.best
            shapes = [(neurons, quorum) for quorum in self.limits.quorums(neurons)]
            if not shapes:
                continue  # most of two is both of them, which is no vote
            if least_bits(neurons, self.points, self.limits.shortness) >= before.bits:
                break  # no network of this size or a larger one can take fewer
            self.try_shapes(shapes, choices, work)
            fruitless = 0 if self.best is not before else fruitless + 1
            if fruitless == MOST_FRUITLESS:
                break

    def try_shapes(self, shapes: list[Shape], choices: list[IntArray], work: Work) -> None:
        """Add the candidates of some shapes."""
        for found in work(lambda shape: self.networks_of(shape, choices), shapes):
            for made in found:
                self.add(made)

    def generator(self, neurons: int, quorum: int) -> np.random.Generator:
        """Return random numbers that depend on nothing but the seed and the shape."""
        key = (*self.seed.spawn_key, neurons, quorum)
        return np.random.default_rng(np.random.SeedSequence(self.seed.entropy, spawn_key=key))

    def networks_of(self, shape: Shape, choices: list[IntArray]) -> list[Candidate]:
        """Return the candidates of one shape along the path from the best of its starts.

        There is a start for each choice of features.
        """
        neurons, quorum = shape
        rng = self.generator(neurons, quorum)
        starts = [
            self.candidate(
                soft_network(self.points, neurons, quorum, features, rng, self.limits.signs)
            )
            for features in choices
        ]
        start = min(starts, key=lambda one: one.order)
        # evolution leaves weights out; if the labels alone, with all weights there, take more bits
        # than the best rule with its labels, something shorter is unlikely to win
        if start.code.labels >= self.best.bits:
            return []
        return self.path_of(start.network, rng)

    def path_of(self, network: HalfSpaces, rng: np.random.Generator) -> list[Candidate]:
        """Return networks evolved along growing costs of a term."""
        limits = self.limits
        found: list[Candidate] = []
        cost = FIRST_COST
        while network.terms > 1 and cost < self.points.rows:
            network = evolved(self.points, network, cost, limits.evaluations, rng, limits.signs)
            if not network.neurons:
                break
            found.append(self.candidate(network))
            cost *= COST_FACTOR
        return found

    def summary(self) -> str:
        """Return what was found, in words."""
        network = self.best.network
        size = f"{counted(network.terms, 'term')} in {counted(network.neurons, 'condition')}"
        return (
            f"{counted(len(self.candidates), 'candidate')}, best {size}, {self.best.bits:.1f} bits "
            f"(constant answer {self.candidates[0].bits:.1f})"
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
            if made is self.best or not path or made.code.labels < path[-1].code.labels:
                path.append(made)
        return path
