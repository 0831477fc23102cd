"""NEAT (package `neat-python`): populations of networks of any topology, on labelled points.

`evolve` is the search; `hyperna.baselines.neat` counts its evaluations like those of the other
algorithms and `hyperna.comparison` lets it take part as a classifier.
"""

import random
import tempfile
import threading
from collections.abc import Callable, Iterator
from configparser import ConfigParser
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from hyperna._validation import FloatArray, check_extra
from hyperna._words import sum_text

Rate = Callable[["NeatNetwork"], float]

# neat-python draws from Python's global generator.
_GLOBAL_RANDOM = threading.Lock()


def check_installed() -> None:
    """Raise an ImportError that names the extra if neat-python is missing."""
    check_extra("algorithm 'neat' needs", "neat-python", "baselines", module="neat")


@dataclass(frozen=True, eq=False)
class NeatNetwork:
    """A network of sigmoid nodes, evaluated on all points at once.

    Parameters
    ----------
    inputs, outputs : tuple of int
        Keys of the input and the output nodes.
    nodes : tuple
        For each other node, in order of evaluation: its key, its bias and its incoming
        connections as pairs (key, weight).
    """

    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    nodes: tuple[tuple[int, float, tuple[tuple[int, float], ...]], ...]

    @property
    def size(self) -> int:
        """Number of parameters: biases and connection weights."""
        return sum(1 + len(links) for _, _, links in self.nodes)

    def __str__(self) -> str:
        hidden = [key for key, _, _ in self.nodes if key not in self.outputs]
        names: dict[int, str] = {}
        for letter, keys in (("x", self.inputs), ("h", hidden), ("y", self.outputs)):
            names |= {key: f"{letter}{i + 1}" for i, key in enumerate(keys)}
        one = len(self.outputs) == 1
        answer = "x is positive if y1 >= 1/2" if one else "x is of the class with the largest y"
        lines = [f"{answer}, where s(z) = 1 / (1 + exp(-5 z)) and"]
        for key, bias, links in self.nodes:
            total = sum_text([(weight, names[source]) for source, weight in links], 3)
            lines.append(f"{names[key]} = s({total} {'-' if bias < 0 else '+'} {abs(bias):.3g})")
        silent = set(self.outputs) - {key for key, _, _ in self.nodes}
        return "\n  ".join([*lines, *(f"{names[key]} = 0" for key in sorted(silent))])

    def activations(self, X: FloatArray) -> FloatArray:
        """Return what enters the sigmoids of the output nodes, shape (n, outputs)."""
        values = {key: X[:, column] for column, key in enumerate(self.inputs)}
        total = {}
        for key, bias, links in self.nodes:
            total[key] = np.full(len(X), bias)
            for source, weight in links:
                total[key] = total[key] + weight * values[source]
            # as in neat-python: the logistic function of 5 z
            values[key] = 1.0 / (1.0 + np.exp(-np.clip(5.0 * total[key], -60.0, 60.0)))
        # an output that nothing leads to is not evaluated and stays at 0, as the logistic at -inf
        silent = np.full(len(X), -np.inf)
        return np.column_stack([total.get(key, silent) for key in self.outputs])

    def predict(self, X: FloatArray) -> Any:
        """Return the number of the class: with one output whether it is >= 1/2, else the argmax."""
        found = self.activations(X)
        return (found[:, 0] >= 0).astype(int) if found.shape[1] == 1 else found.argmax(axis=1)


def evolve(
    rate: Rate, inputs: int, outputs: int, population: int, rng: np.random.Generator
) -> None:
    """Evolve networks until `rate` ends the search by an exception.

    `rate` returns the fitness of a network, the larger the better. Every network of a generation is
    rated, those carried over unchanged too. Nothing is random but `rng`.
    """
    import neat

    def rate_all(genomes: list[tuple[int, Any]], config: Any) -> None:
        for _, genome in genomes:
            genome.fitness = rate(_network(genome, config))

    config = _configuration(inputs, outputs, population)
    with _seeded(int(rng.integers(2**63))):
        neat.Population(config).run(rate_all)


def _network(genome: Any, config: Any) -> NeatNetwork:
    import neat

    made = neat.nn.FeedForwardNetwork.create(genome, config)
    nodes = tuple((entry[0], entry[3], tuple(entry[5])) for entry in made.node_evals)
    return NeatNetwork(tuple(made.input_nodes), tuple(made.output_nodes), nodes)


def _configuration(inputs: int, outputs: int, population: int) -> Any:
    """Return the settings of neat.ini for neat-python, which reads them from a file only."""
    import neat

    settings = ConfigParser()
    settings.read_string(files("hyperna.baselines").joinpath("neat.ini").read_text("utf-8"))
    settings["NEAT"]["pop_size"] = str(population)
    settings["DefaultGenome"].update(num_inputs=str(inputs), num_outputs=str(outputs))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "neat.ini"
        with path.open("w", encoding="utf-8") as file:
            settings.write(file)
        return neat.Config(
            neat.DefaultGenome,
            neat.DefaultReproduction,
            neat.DefaultSpeciesSet,
            neat.DefaultStagnation,
            str(path),
        )


@contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """Seed Python's global generator and set it back afterwards, one search at a time."""
    with _GLOBAL_RANDOM:
        state = random.getstate()
        random.seed(seed)
        try:
            yield
        finally:
            random.setstate(state)
