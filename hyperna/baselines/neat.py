"""NEAT as an algorithm beside the (1+1) NA: same points, same counting, same target."""

from dataclasses import dataclass, field, fields

import numpy as np

from hyperna._validation import FloatArray, check_integer, read_settings
from hyperna._words import parse_name, shown
from hyperna.baselines.counting import CountedTask, Counter, search_again
from hyperna.baselines.neat_networks import NeatNetwork, check_installed, evolve
from hyperna.fitness import FiniteSet, Fitness, Sampled, fitness_of
from hyperna.network.grid import Grid
from hyperna.problems import Problem
from hyperna.run.description import check_run_options
from hyperna.run.success import Judge

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
class NeatTask(CountedTask):
    """All that defines a run of NEAT but its seed; made by `neat_task`.

    `least_score` and `criterion` are as in `BaselineTask`.
    """

    neat: Neat
    fitness: FiniteSet = field(repr=False)
    least_score: int
    criterion: str
    budget: int
    stagnation: int | None
    restarts: int

    @property
    def units(self) -> int:
        """Score of a network without a mistake."""
        return self.fitness.total

    def search(self, rng: np.random.Generator) -> tuple[Counter, int]:
        """Search once, with restarts; return what was counted and the number of restarts."""
        counter = Counter(self.budget, self.stagnation, self.least_score)
        X: FloatArray = self.fitness.X

        def rate(network: NeatNetwork) -> float:
            right = network.predict(X) == self.fitness.y
            score = int(self.fitness.weights[right].sum())
            counter.count(network, score)
            return score / self.units

        def search() -> None:
            evolve(rate, X.shape[1], 1, self.neat.population, rng)

        return counter, search_again(search, counter, self.restarts)


def neat_task(
    neat: str | Neat,
    problem: Problem | Fitness | str,
    *,
    neurons: int | None = None,
    output: str = "or",
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
    problem : Problem, Fitness or str
        What to learn.
    neurons, output, resolution, target
        Success is a fitness; by default that of the best network of so many half-spaces on the
        (1+1) NA's grid of this resolution, or 1 where that is not known.
    budget, stagnation, restarts
        As for the (1+1) NA.

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
    if neurons is None:
        neurons = fitness.default_neurons
    grid = Grid(fitness.dim, check_integer("neurons", neurons, 1), resolution, output)
    limits = check_run_options(
        grid.resolution,
        {"budget": budget, "stagnation": stagnation, "target": target, "restarts": starts},
    )
    judge = Judge(fitness, grid)
    goal = judge.fitness_goal(limits["target"])
    if target is None and judge.nearly_best is None:
        goal = judge.fitness_goal(1.0)
    return NeatTask(
        neat=Neat.parse(neat) if isinstance(neat, str) else neat,
        fitness=fitness.points if isinstance(fitness, Sampled) else fitness,
        least_score=goal.score,
        criterion=goal.words,
        budget=limits["budget"],
        stagnation=limits["stagnation"],
        restarts=starts,
    )
