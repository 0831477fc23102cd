"""What a problem is, its optima on a grid, and the registry that finds one by its name."""

import copy
import inspect
import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from hyperna._validation import BoolArray, FloatArray, check_choice, check_integer, read_value
from hyperna._words import parse_name, shown, write_name
from hyperna.network.grid import Grid
from hyperna.network.neurons import is_bent
from hyperna.network.outputs import OUTPUTS


class Problem(ABC):
    """A labelling of points in R^D, with what is known about networks that learn it.

    A subclass has the attributes `name`, `dim`, `summary` (one line) and `default_neurons`, and the
    method `label`; it overrides `optima` and `best_fitness` where something is known.

    Examples
    --------
    >>> from hyperna.problems import problem
    >>> half = problem("half")
    >>> half.label([[0.0, 1.0], [0.0, -1.0]])
    array([ True, False])
    >>> half.best_fitness(neurons=1, output="or")
    1.0
    """

    name: str
    dim: int
    summary: str
    default_neurons: int
    _registered: str = ""  # what it is called where it was registered, if that is not its name

    @property
    def title(self) -> str:
        """What people call it: the name under which it is registered, parameters in words.

        Examples
        --------
        >>> from hyperna.problems import problem
        >>> problem("arcs:k=3").title, problem("arcs:arcs=0-90 180-216").title
        ('arcs, k = 3', 'arcs 0°–90°, 180°–216°')
        """
        kind, _, settings = (self._registered or self.name).partition(":")
        return f"{kind}, {settings.replace('=', ' = ')}" if settings else kind

    def called(self, name: str) -> "Problem":
        """Return the same problem under another title; its `name` still makes it anywhere."""
        same = copy.copy(self)
        object.__setattr__(same, "_registered", name)
        return same

    @abstractmethod
    def label(self, X: ArrayLike) -> BoolArray:
        """Return for each row of X (n, D) whether the point is positive."""

    def optima(
        self, neurons: int, output: str = "or", *, bias: bool = True, neuron: str = "plain"
    ) -> list[FloatArray]:
        """Return the best networks where they are known and finitely many, else an empty list.

        With ``bias=False`` these are the best among networks whose biases are all 0.

        Each is an array (N, D): for every hidden neuron its D - 1 angles in turns and its bias
        value; bent neurons have one more column, the bend in half turns. Not listed, though just as
        good, are other orders of the neurons and, for D > 2, the mirror images
        (a_k, a_(k+1)) -> (-a_k, a_(k+1) + 1/2 turn) that describe the same neuron.
        For an evolved output these are the hidden neurons; an output neuron can join them as needed
        with any of them flipped, (a, b) -> (a + 1/2 turn, -b), too.
        """
        check_network(neurons, output)
        return []

    def best_fitness(
        self, neurons: int, output: str = "or", *, bias: bool = True, neuron: str = "plain"
    ) -> float | None:
        """Return the largest fitness that real-valued angles and biases attain, None if unknown.

        With ``bias=False`` all biases are 0, that of an evolved output included.
        """
        check_network(neurons, output)
        return None

    def rounding_loss(
        self, neurons: int, resolution: int, *, bias: bool = True, neuron: str = "plain"
    ) -> float:
        """Return by how much the best network on a grid may miss `best_fitness`."""
        return 2 * neurons / resolution


def check_network(neurons: int, output: str) -> tuple[int, str]:
    """Return the number of neurons and the output kind after checking them."""
    return check_integer("neurons", neurons, 1), check_choice("output", output, OUTPUTS)


@dataclass(frozen=True)
class ProblemFactory:
    """An entry of `PROBLEMS`: call it with the parameters to get the problem.

    Examples
    --------
    >>> from hyperna.problems import PROBLEMS
    >>> PROBLEMS["arcs"].parameters
    ('k', 'arcs', 'dim')
    >>> PROBLEMS["arcs"](k=3).best_fitness(neurons=3)
    1.0
    """

    name: str
    summary: str
    build: Callable[..., Problem]

    def __call__(self, **parameters: Any) -> Problem:
        """Build the problem."""
        known = inspect.signature(self.build).parameters
        for given in parameters:
            if given not in known:
                raise ValueError(
                    f"problem {self.name!r} has no parameter {shown(given)}; "
                    f"its parameters: {', '.join(known) or 'none'}"
                )
        for name, entry in known.items():
            if entry.default is entry.empty and name not in parameters:
                raise ValueError(f"problem {self.name!r} needs the parameter {name!r}")
        made = self.build(**parameters)
        if made.name.partition(":")[0] == self.name:
            return made
        own = {key: value for key, value in parameters.items() if key != "dim"}
        return made.called(write_name(self.name, own))

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of all parameters."""
        return tuple(inspect.signature(self.build).parameters)

    def parse(self, name: str, text: str) -> Any:
        """Return the value of a parameter that is written as text."""
        entry = inspect.signature(self.build).parameters.get(name)
        return read_value(name, text, entry.annotation if entry else str)


PROBLEMS: dict[str, ProblemFactory] = {}

Build = TypeVar("Build", bound=Callable[..., Problem])


def register(name: str, summary: str) -> Callable[[Build], Build]:
    """Enter the decorated function into `PROBLEMS`; nothing else is needed to add a problem."""

    def enter(build: Build) -> Build:
        PROBLEMS[name] = ProblemFactory(name, summary, build)
        return build

    return enter


def problem(name: str, dim: int | None = None, **parameters: Any) -> Problem:
    """Return the problem of this name.

    Parameters
    ----------
    name : str
        A key of `PROBLEMS`, optionally followed by parameters as in ``"arcs:k=3"``; several are
        separated by commas.
    dim : int, optional
        Dimension D of the points; without it the problem's default (2 for arcs, 3 for the cube).
    **parameters
        Parameters of the problem, e.g. ``k=3``.

    Examples
    --------
    >>> problem("quarter", dim=3).dim
    3
    >>> problem("arcs", k=3) == problem("arcs:k=3")
    True
    >>> problem("nonsense")
    Traceback (most recent call last):
    ...
    ValueError: problem must be one of 'half', 'quarter', 'two_quarters', 'local_opt', 'arcs', \
'cube', 'csv', got 'nonsense'
    """
    if not isinstance(name, str):
        raise TypeError(f"problem must be a name such as 'half', got {shown(name)}")
    key, texts = parse_name("problem", name)
    factory = PROBLEMS[check_choice("problem", key, PROBLEMS)]
    if dim is not None:
        parameters["dim"] = dim
    for given, text in texts.items():
        if given in parameters:
            raise ValueError(f"{given} is given twice: in {name!r} and as an argument")
        parameters[given] = factory.parse(given, text)
    return factory(**parameters)


def perfect_outputs(grid: Grid, problem: Problem | None, bias: bool) -> list[str]:
    """Return the outputs with which networks as large as the grid's are known to reach fitness 1.

    Examples
    --------
    >>> from hyperna.problems import problem
    >>> perfect_outputs(Grid(3, 2, 120), problem("quarter", dim=3), bias=True)
    ['and', 'evolved']
    """
    if problem is None or grid.neurons == 1:
        return []
    kind: dict[str, Any] = {"bias": bias, "neuron": grid.neuron}
    best = problem.best_fitness
    return [output for output in OUTPUTS if best(grid.neurons, output, **kind) == 1]


def optima_on(
    grid: Grid, problem: Problem | None, bias: bool, unit: int = 1, best: float | None = None
) -> tuple[FloatArray, float]:
    """Return the known optima in grid units, and what fitness is certain near them at D = 2.

    The optima have the shape (alternatives, neurons, components per neuron). For an evolved output
    two columns follow: places where the output must fire, and where not. Every network within
    `unit` of an optimum, which has the fitness `best`, has at least the fitness returned.

    Examples
    --------
    >>> from hyperna.problems import problem
    >>> optima_on(Grid(2, 1, 120), problem("half"), bias=True)
    (array([[[30., 60.]]]), 0.0)
    """
    known = []
    if problem is not None:
        known = problem.optima(grid.neurons, grid.output, bias=bias, neuron=grid.neuron)
    if not known or grid.dim == 1 or (grid.has_output_neuron and grid.dim > 2):
        return np.zeros((0, grid.neurons, grid.width)), 0.0
    values = np.array(known, dtype=float)
    optima = values * grid.resolution
    level = grid.direction_width
    optima[:, :, level] = (optima[:, :, level] + grid.resolution) / 2
    share = 0.0
    biases = optima[:, :, 1]
    bent = is_bent(grid.neuron, "optima")
    if best is not None and bent:
        # Biases are fixed, and a step of the bend is half as long as one of the angle.
        share = best - 3 * grid.neurons * unit / grid.resolution - 1e-9
    elif best is not None and biases.min() >= unit and biases.max() <= grid.resolution - unit:
        levels = np.stack([biases, biases + unit, biases - unit])
        width = np.arccos(2 * levels / grid.resolution - 1) / (2 * math.pi)
        shift = np.abs(width[1:] - width[0]).max(axis=0)
        loss = 2 * (shift + unit / grid.resolution).sum(axis=1).max()
        share = float(best - loss - 1e-9)
    if grid.has_output_neuron:
        # What an output neuron makes of the hidden ones is seen between the ends of their arcs.
        optima = np.concatenate([optima, grid.resolution * _places_between(values)], axis=2)
    return optima, share


def _places_between(optima: FloatArray) -> FloatArray:
    """Return N places where most neurons fire and N where fewer do, in turns, as two columns."""
    middle, half = optima[:, :, 0], np.arccos(optima[:, :, 1]) / (2 * math.pi)
    ends = np.sort(np.concatenate([middle - half, middle + half], axis=1) % 1.0, axis=1)
    following = np.roll(ends, -1, axis=1)
    places = (ends + (following - ends) % 1.0 / 2) % 1.0
    away = np.abs((places[:, :, None] - middle[:, None] + 0.5) % 1.0 - 0.5)
    firing = (away < half[:, None]).sum(axis=2)
    by_number = np.take_along_axis(places, np.argsort(-firing, axis=1, kind="stable"), axis=1)
    return by_number.reshape(len(optima), 2, -1).transpose(0, 2, 1)
