"""NEAT as an algorithm beside the (1+1) NA: same points, same counting, same target."""

from contextlib import suppress
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

import numpy as np

from hyperna._spelling import parse_name, read_settings
from hyperna._validation import FloatArray, IntArray, check_integer
from hyperna._words import shown
from hyperna.algorithm import OnePlusOneNA
from hyperna.baselines.counting import Counter, Finished, run_generator
from hyperna.baselines.neat_networks import NeatNetwork, check_installed, evolve
from hyperna.fitness import FiniteSet, Fitness, Sampled, fitness_of
from hyperna.problems import Problem
from hyperna.results import STOP_REASONS, Improvements
from hyperna.search import Halt, Seed, seed_words

# Points on the circle or sphere where the fitness of hyperna's own networks is exact.
_EVEN_POINTS = 1000


@dataclass(frozen=True)
class Neat:
    """Settings of NEAT: NeuroEvolution of Augmenting Topologies, Stanley and Miikkulainen (2002).

    Parameters
    ----------
    population : int
        Networks in a generation. All other settings are those of neat-python's XOR example.

    Examples
    --------
    >>> Neat.parse("neat:population=50")
    Neat(population=50)
    >>> str(Neat())
    'neat:population=150'
    """

    population: int = 150

    def __post_init__(self) -> None:
        check_integer("population", self.population, 2)

    @classmethod
    def parse(cls, text: str) -> "Neat":
        """Read "neat" or "neat:population=50"."""
        kinds = {entry.name: entry.type for entry in fields(cls)}
        return cls(**read_settings("algorithm", "neat", parse_name("algorithm", text)[1], kinds))

    def __str__(self) -> str:
        return f"neat:population={self.population}"


@dataclass(frozen=True, eq=False)
class NeatRun:
    """One run of NEAT: the best network and how it came about."""

    network: NeatNetwork
    fitness: float
    evaluations: int
    stop_reason: str
    success: bool
    stuck_at: None
    restarts: int
    improvements: Improvements
    seed: Any
    number: int


@dataclass(frozen=True, eq=False)
class NeatTask:
    """All that defines a run of NEAT but its seed; made by `neat_task`."""

    # Networks are evolved in Python, so workers must be processes.
    processes: ClassVar[bool] = True

    neat: Neat
    points: FiniteSet = field(repr=False)
    target: int
    budget: int
    stagnation: int | None
    restarts: int

    @property
    def units(self) -> int:
        """Score of a network without a mistake."""
        return self.points.total

    @property
    def fitness(self) -> Fitness:
        """What is maximised."""
        return self.points

    @property
    def criterion(self) -> str:
        """What counts as success, in words."""
        if self.target > self.units:
            return "nothing: the run continues to its limit"
        return f"fitness >= {self.target / self.units:.6g}"

    def run(self, seed: Seed, number: int = 0, trajectory: bool = False) -> NeatRun:
        """Return run `number` under this seed; there is no trajectory of accepted networks."""
        if trajectory:
            raise ValueError("trajectory must be False: NEAT does not record one")
        entropy = seed_words(seed)
        counter, restarts = self._search(entropy, check_integer("number", number, 0))
        found = np.array(counter.improvements, np.int64).reshape(-1, 2)
        return NeatRun(
            network=counter.found,
            fitness=counter.best / self.units,
            evaluations=counter.evaluations,
            stop_reason=STOP_REASONS[counter.stop],
            success=STOP_REASONS[counter.stop] == "target",
            stuck_at=None,
            restarts=restarts,
            improvements=Improvements(found[:, 0], found[:, 1] / self.units),
            seed=entropy,
            number=number,
        )

    def run_block(self, seed: Seed, first: int, last: int, halt: Halt | None = None) -> IntArray:
        """Return the rows of runs first..last-1: evaluations, score, stop code, 0, restarts."""
        entropy = seed_words(seed)
        rows = np.zeros((last - first, 5), np.int64)
        for number in range(first, last):
            if halt is not None and halt.raised:
                break
            counter, restarts = self._search(entropy, number)
            rows[number - first] = counter.evaluations, counter.best, counter.stop, 0, restarts
        return rows

    def _search(self, seed: np.random.SeedSequence, number: int) -> tuple[Counter, int]:
        rng = run_generator(seed, number)
        counter = Counter(self.budget, self.stagnation)
        X: FloatArray = self.points.X
        success = STOP_REASONS.index("target")

        def judge(network: NeatNetwork) -> float:
            right = network.predict(X) == self.points.y
            score = int(self.points.weights[right].sum())
            counter.count(network, score, success if score >= self.target else 0)
            return score / self.units

        restarts = -1
        while restarts < 0 or (
            STOP_REASONS[counter.stop] == "stagnation" and restarts < self.restarts
        ):
            restarts += 1
            counter.begin()
            with suppress(Finished):
                evolve(judge, X.shape[1], 1, self.neat.population, rng)
        return counter, restarts


def neat_task(
    neat: str | Neat,
    problem: Problem | Fitness,
    *,
    resolution: int = 120,
    budget: int | None = None,
    stagnation: int | None = None,
    target: float | bool | None = None,
    restarts: int | str = 0,
) -> NeatTask:
    """Return everything that defines a run of NEAT but its seed, checked.

    Its networks are not half-spaces, so their fitness is always a share of points: of the given
    ones, or of 1,000 evenly spread over the sphere.

    Parameters
    ----------
    neat : str or Neat
        "neat", or with settings as in "neat:population=50".
    problem : Problem or Fitness
        What to learn.
    resolution, budget, stagnation, target, restarts
        As for the (1+1) NA. Success is always a fitness; by default that of the best network of
        half-spaces that is known at this resolution, or 1.

    Examples
    --------
    >>> from hyperna.problems import problem
    >>> task = neat_task("neat:population=20", problem("half"), target=0.95)
    >>> task.run(seed=1).success
    True
    """
    check_installed()
    starts = check_integer("restarts", restarts, 0)
    fitness = fitness_of(problem)
    if not isinstance(fitness, FiniteSet | Sampled) and fitness.problem is not None:
        fitness = Sampled(fitness.problem, n=_EVEN_POINTS, method="even")
    if not isinstance(fitness, FiniteSet | Sampled):
        raise TypeError(f"problem must be one that labels points, got {shown(problem)}")
    neurons = fitness.problem.default_neurons if fitness.problem else 1
    na = OnePlusOneNA(neurons=neurons, resolution=resolution)
    limits: dict[str, Any] = {"budget": budget, "stagnation": stagnation, "restarts": starts}
    task = na.task(fitness, target=target, **limits)
    if target is None:
        reachable = 1.0 if task.default_target is None else task.default_target
        task = na.task(fitness, target=reachable, **limits)
    return NeatTask(
        neat=Neat.parse(neat) if isinstance(neat, str) else neat,
        points=fitness.points if isinstance(fitness, Sampled) else fitness,
        target=task.goal.score,
        budget=task.budget,
        stagnation=task.stagnation,
        restarts=starts,
    )
