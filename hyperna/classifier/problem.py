"""A binary problem and its settings: what every piece of the work on it needs, and may be sent."""

from dataclasses import dataclass
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

    def candidates(self) -> list[Candidate]:
        """Return the shapes of networks that are allowed, the simplest first."""
        return candidates(self.neurons, self.output, self.init)


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

    def folds(self, count: int, rng: np.random.Generator) -> IntArray:
        """Return the number of each point's fold; every fold gets its share of either class."""
        fold = np.empty(len(self.y), np.int64)
        for label in (False, True):
            members = rng.permutation(np.flatnonzero(self.y == label))
            fold[members] = np.arange(len(members)) % count
        return fold

    def start(
        self, settings: Settings, candidate: Candidate, seed: np.random.SeedSequence
    ) -> tuple[Grid, Network | None]:
        """Return a candidate's grid and first network."""

        def grid_of(neurons: int, output: str) -> Grid:
            return settings.algorithm(neurons, output).grid(self.Z.shape[1])

        return candidate.start(self.cloud, grid_of, np.random.default_rng(seed))

    def search(
        self, settings: Settings, grid: Grid, start: Network | None, budget: int, seed: Any
    ) -> Search:
        """Return a search on the problem, not yet begun."""
        fitness = FiniteSet(self.Z, self.y, self.weight, tie_clip=settings.clip)
        na = settings.algorithm(grid.neurons, grid.output)
        # Without margins nothing is left to gain once all points are right.
        target = 1.0 if settings.clip == 0.0 else False
        stagnation = settings.stagnation
        task = na.task(
            fitness, budget=max(1, budget), stagnation=stagnation, target=target, start=start
        )
        return Search(task, seed)


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a search has led to."""

    network: Network
    score: int
    tie: float
    evaluations: int
    improvements: tuple[IntArray, FloatArray]

    @classmethod
    def of(cls, search: Search, problem: Binary, clip: float) -> "Outcome":
        """Return where a search stands."""
        result = search.result()
        gain = np.where(problem.y, problem.weight, -problem.weight).astype(float)
        return cls(
            network=result.network,
            score=problem.correct(result.network),
            tie=margin_sum(result.network, problem.Z, gain, clip),
            evaluations=result.evaluations,
            improvements=(result.improvements.evaluations, result.improvements.fitness),
        )

    @property
    def rank(self) -> tuple[int, float]:
        """Better outcomes have larger ranks."""
        return self.score, self.tie
