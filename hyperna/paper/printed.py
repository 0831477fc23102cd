"""The paper's measured tables as data, with exact expectations where one neuron allows them.

The paper: Fischer, Larsen, Witt, *First Steps Towards a Runtime Analysis of Neuroevolution*.
"""

import csv
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from hyperna.problems import Problem, problem

NA_TABLES = tuple(range(1, 10))
CMA_TABLE = 10
NA_RUNS = 100
CMA_RUNS = 1000

# Tables of "harmonic" mutation whose runtimes grow like those of uniform steps.
UNIFORM_TABLES = (4, 9)


@dataclass(frozen=True)
class PaperRow:
    """One row of tables 1 to 9: 100 runs at one resolution; failed runs count at the cap."""

    resolution: int
    percent: float
    mean: float
    sd: float
    median: float

    @property
    def cap(self) -> int:
        """Evaluations after which a run was stopped."""
        return math.floor(100 * self.resolution * math.log(self.resolution))


class _Printed:
    """What rows and tables of the paper are about."""

    problem_name: str

    @property
    def problem(self) -> Problem:
        """The problem at D = 2."""
        return problem(self.problem_name)

    @property
    def paper_name(self) -> str:
        """The problem as the paper writes it."""
        return self.problem_name.replace("_", "").upper()


@dataclass(frozen=True)
class PaperTable(_Printed):
    """One of the tables 1 to 9.

    Examples
    --------
    >>> table = na_table(5)
    >>> table.title
    'Table 5: TWOQUARTERS, local mutation, N = 2, output or'
    >>> table.rows[0].cap, table.rows[0].median
    (57449, 57449.0)
    """

    number: int
    problem_name: str
    mutation: str
    neurons: int
    output: str
    rows: tuple[PaperRow, ...]

    @property
    def title(self) -> str:
        """What was run."""
        output = f", output {self.output}" if self.neurons > 1 else ""
        law = f"{self.mutation} mutation, N = {self.neurons}{output}"
        return f"Table {self.number}: {self.paper_name}, {law}"


@dataclass(frozen=True)
class CmaRow(_Printed):
    """One row of table 10: 1,000 runs of CMA-ES on one problem."""

    problem_name: str
    neurons: int
    output: str
    percent: float
    mean: float
    sd: float
    fitness: float

    @property
    def title(self) -> str:
        """Problem and output."""
        return f"{self.paper_name}, {self.output}" if self.neurons > 1 else self.paper_name


@dataclass(frozen=True)
class Expectation:
    """Exact runtime of the (1+1) NA: see `hyperna.theory.expected_runtime`.

    Attributes
    ----------
    probability : float
        That the optimum is ever found.
    mean : float
        Without a cap; infinite if the optimum may never be found.
    conditional_mean : float
        Given that it is found.
    """

    probability: float
    mean: float
    sd: float
    conditional_mean: float

    def mean_with_failures_at(self, cap: int) -> float:
        """Mean when runs that can never succeed count with the cap, others however long."""
        return self.probability * self.conditional_mean + (1 - self.probability) * cap

    def sd_with_failures_at(self, cap: int) -> float:
        """Standard deviation when runs that can never succeed count with the cap.

        Where some cannot, the deviation of the others, which is small beside the cap, is taken to
        be their mean.
        """
        if self.probability == 1:
            return self.sd
        p, mean = self.probability, self.conditional_mean
        return math.sqrt(p * mean**2 + p * (1 - p) * (cap - mean) ** 2)

    def cap_matters(self, cap: int) -> bool:
        """Whether runs that would succeed may well be stopped by the cap."""
        spread = self.sd if self.probability == 1 else self.conditional_mean
        return cap < self.conditional_mean + 6 * spread


@lru_cache(maxsize=9)
def na_table(number: int) -> PaperTable:
    """Return one of the tables 1 to 9."""
    rows = [row for row in _read("na_tables.csv") if row["table"] == str(number)]
    measured = ("percent_optimal", "mean", "sd", "median")
    found = [PaperRow(int(row["r"]), *(float(row[key]) for key in measured)) for row in rows]
    neurons = int(rows[0]["hidden_neurons"])
    output = _output(rows[0]["output"])
    described = rows[0]["problem"], rows[0]["mutation"], neurons, output
    return PaperTable(number, *described, tuple(found))


@lru_cache(maxsize=1)
def cma_rows() -> tuple[CmaRow, ...]:
    """Return the rows of table 10.

    Examples
    --------
    >>> [row.title for row in cma_rows()][:3]
    ['HALF', 'QUARTER', 'TWOQUARTERS, or']
    """
    return tuple(
        CmaRow(
            row["problem"],
            int(row["hidden_neurons"]),
            _output(row["output"]),
            float(row["percent_within_2"]),
            float(row["mean_evaluations"]),
            float(row["sd_evaluations"]),
            float(row["mean_fitness_per_1000"]) / 1000,
        )
        for row in _read("cma_table.csv")
    )


@lru_cache(maxsize=256)
def expectation(table: int, mutation: str, resolution: int) -> Expectation | None:
    """Return the exact runtime behind a row, None with more than one neuron or if none is stored.

    It was computed with `hyperna.theory.expected_runtime` by benchmarks/exact_runtimes.py.

    Examples
    --------
    >>> round(expectation(4, "harmonic", 120).mean, 2)
    115.19
    """
    wanted = [str(table), mutation, str(resolution)]
    for row in _read("exact_runtimes.csv"):
        if [row["table"], row["mutation"], row["r"]] == wanted:
            moments = ("probability", "mean", "sd", "conditional_mean")
            return Expectation(*(float(row[key]) for key in moments))
    return None


def uniform_target(best: float, resolution: int) -> float:
    """Return the fitness at which runs with uniform steps stop: an error of 1.7/r."""
    return best - 1.7 / resolution


def _output(text: str) -> str:
    return "or" if text == "none" else text


def _read(name: str) -> Iterator[dict[str, str]]:
    text = files("hyperna.paper").joinpath("data", name).read_text(encoding="utf-8")
    yield from csv.DictReader(text.splitlines())
