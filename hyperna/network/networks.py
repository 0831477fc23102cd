"""Networks: hidden half-spaces joined by OR, AND, XOR or an evolved output neuron."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from hyperna._kernels import geometry
from hyperna._validation import BoolArray, FloatArray, IntArray, check_points
from hyperna.network.grid import Grid
from hyperna.network.neurons import half_space_text
from hyperna.network.outputs import OUTPUTS

FORMAT = "hyperna.network"
VERSION = 1
_SHAPE_KEYS = ("dim", "neurons", "resolution", "output")
_KEYS = ("format", "version", *_SHAPE_KEYS, "genome")
# Written only for neurons that are not plain, so that older versions read the others.
_NEURON_KEY = "neuron"


@dataclass(frozen=True, eq=False)
class Network:
    """A network of threshold neurons, given by its genome on a grid.

    Hidden neuron i fires on x iff w_i·x >= b_i. With output "or" the network's output is 1 iff
    any neuron fires, with "and" iff all do, with "xor" iff an odd number does; an evolved output
    neuron fires iff the weighted sum of the hidden bits reaches its own bias. Networks are
    immutable and compare by value.

    Parameters
    ----------
    grid : Grid
        Shape and resolution.
    genome : array of int
        One integer for each component of the grid; copied.

    Examples
    --------
    >>> quarter = Network(Grid(dim=2, neurons=1, resolution=8), [1, 7])
    >>> print(quarter)
    x is positive if
      0.707*x1 + 0.707*x2 >= 0.75
    >>> quarter.predict([[0.6, 0.8], [-0.6, 0.8]])
    array([ True, False])
    >>> Network.from_json(quarter.to_json()) == quarter
    True
    """

    grid: Grid
    genome: IntArray

    def __post_init__(self) -> None:
        """Validate the genome and store a copy that cannot be written to."""
        if not isinstance(self.grid, Grid):
            raise TypeError(f"grid must be a Grid, got {type(self.grid).__name__}")
        genome = self.grid.check(self.genome)
        genome.flags.writeable = False
        object.__setattr__(self, "genome", genome)

    @classmethod
    def from_weights(
        cls,
        W: ArrayLike,
        t: ArrayLike,
        resolution: int,
        output: str = "or",
        output_w: ArrayLike | None = None,
        output_t: float | None = None,
    ) -> "Network":
        """Return the network nearest to hidden neurons that fire iff w·x >= t.

        The weights may have any length; `Grid.from_weights` says how they are rounded.

        Parameters
        ----------
        W : array of shape (N, D)
            Weights of the hidden neurons, which also give N and D.
        t : array of shape (N,)
            Thresholds of the hidden neurons.
        resolution : int
            Resolution of the grid.
        output : {"or", "and", "xor", "evolved"}
            How the hidden bits are joined.
        output_w : array of shape (N,), optional
            Weights of an evolved output neuron.
        output_t : float, optional
            Threshold of an evolved output neuron.

        Examples
        --------
        >>> print(Network.from_weights([[2, 0], [0, -2]], [1, 1], resolution=1200))
        x is positive if ANY of
          x1 >= 0.5
          -x2 >= 0.5
        """
        weights = check_points("W", W)
        grid = Grid(weights.shape[1], weights.shape[0], resolution, output)
        return cls(grid, grid.from_weights(weights, t, output_w, output_t))

    def predict(self, X: ArrayLike) -> BoolArray:
        """Return the network's output for every row of X, shape (n,)."""
        points = check_points("X", X, self.grid.dim)
        W, b, output_w, output_b = self.layers
        if self.grid.neuron == "plain" and self.grid.is_compiled:
            result = np.empty(len(points), np.bool_)
            output = self.grid.output_code, output_w, output_b
            geometry.predict(points, W, b, *output, result)
            return result
        bits = self.hidden(points)
        if self.grid.neurons == 1:
            return bits[:, 0]
        rule = OUTPUTS[self.grid.output].rule
        if rule is not None:
            return np.asarray(rule(bits))
        total = bits[:, 0] * output_w[0]
        for i in range(1, self.grid.neurons):
            total += bits[:, i] * output_w[i]
        return np.asarray(total >= output_b)

    def hidden(self, X: ArrayLike) -> BoolArray:
        """Return the outputs of the hidden neurons, shape (n, N)."""
        return self.margin(X) >= 0.0

    def margin(self, X: ArrayLike) -> FloatArray:
        """Return for every row of X and every hidden neuron a number that is >= 0 iff it fires.

        The shape is (n, N). For plain neurons it is w·x - b, the signed distance of the point from
        the neuron's hyperplane; other kinds have their own `hyperna.network.neurons.Neuron.margin`.
        """
        W, b, _, _ = self.layers
        points = check_points("X", X, self.grid.dim)
        plain = self.grid.neuron == "plain"
        result = np.empty((len(points), len(b)))
        geometry.margins(points, W, b if plain else np.zeros_like(b), result)
        if plain:
            return result
        square = (points**2).sum(axis=1)
        parameters = self.grid.parameters(self.genome)
        return np.asarray(self.grid.kind.margin(result, square[:, None], *parameters))

    @cached_property
    def layers(self) -> tuple[FloatArray, FloatArray, FloatArray, float]:
        """Normals and biases of the hidden layer and of the output neuron; not to be written to."""
        grid = self.grid
        rows = self.genome[: grid.output_start].reshape(grid.neurons, grid.width)
        genes = np.array(rows[:, : grid.direction_width + 1]).ravel()
        W, b = np.empty((grid.neurons, grid.dim)), np.empty(grid.neurons)
        geometry.layer_weights(genes, grid.resolution, 0, W, b)
        if not grid.has_output_neuron:
            return W, b, np.zeros(0), 0.0
        w, t = np.empty((1, grid.neurons)), np.empty(1)
        geometry.layer_weights(np.array(self.genome), grid.resolution, grid.output_start, w, t)
        return W, b, w[0], float(t[0])

    def weights(self) -> tuple[FloatArray, FloatArray]:
        """Return unit normals (N, D) and biases (N,) of the hidden neurons."""
        W, b, _, _ = self.layers
        return W.copy(), b.copy()

    def caps(self) -> tuple[FloatArray, FloatArray]:
        """Return unit normals (N, D) and heights t (N,): on the unit sphere w·x >= t is firing.

        The heights of plain neurons are their biases.

        Examples
        --------
        >>> Network(Grid(2, 1, 12, neuron="bent"), [0, 6, 4]).caps()[1].round(3)
        array([0.5])
        """
        W, _, _, _ = self.layers
        heights = self.grid.kind.height(*self.grid.parameters(self.genome))
        return W.copy(), np.array(heights, float)

    def output_weights(self) -> tuple[FloatArray, float] | None:
        """Return unit normal (N,) and bias of the evolved output neuron, None without one."""
        _, _, w, t = self.layers
        return (w.copy(), t) if self.grid.has_output_neuron else None

    def text(self, feature_names: Sequence[str] | None = None) -> str:
        """Return the network as readable rules, with three significant digits.

        Parameters
        ----------
        feature_names : sequence of str, optional
            One name for each coordinate; x1, x2, ... if left out.

        Examples
        --------
        >>> network = Network(Grid(2, 2, 8, "evolved"), [0, 6, 2, 4, 1, 6])
        >>> print(network.text(["height", "weight"]))
        x is positive if
          0.707*h1 + 0.707*h2 >= 0.5
        where h = 1 if its condition holds, else 0
          h1: height >= 0.5
          h2: weight >= 0
        """
        names = self._check_names(feature_names)
        W, _, output_w, output_b = self.layers
        values = zip(*self.grid.parameters(self.genome), strict=True)
        rules = [
            self.grid.kind.text(zip(w.tolist(), names, strict=True), *own)
            for w, own in zip(W, values, strict=True)
        ]
        if self.grid.has_output_neuron:
            bits = [f"h{i + 1}" for i in range(len(rules))]
            output_terms = zip(output_w.tolist(), bits, strict=True)
            head = f"x is positive if\n  {half_space_text(output_terms, output_b)}"
            head += "\nwhere h = 1 if its condition holds, else 0"
            rules = [f"{bit}: {rule}" for bit, rule in zip(bits, rules, strict=True)]
        else:
            head = f"x is positive {self.condition}"
        return "\n  ".join([head, *rules])

    @property
    def condition(self) -> str:
        """What must hold of the hidden neurons, in words, unless the output is evolved."""
        return OUTPUTS[self.grid.output].condition(self.grid.neurons)

    def as_kind(self, neuron: str) -> "Network":
        """Return a network of plain neurons as one of another kind that does the same."""
        grid = self.grid
        if grid.neuron == neuron:
            return self
        if grid.neuron != "plain":
            raise ValueError(
                f"networks of {grid.neuron} neurons cannot be continued with {neuron} ones"
            )
        made = Grid(grid.dim, grid.neurons, grid.resolution, grid.output, neuron)
        hidden = self.genome[: grid.output_start].reshape(grid.neurons, grid.width)
        rows = np.column_stack([hidden, made.neutral])
        return Network(made, np.append(rows.ravel(), self.genome[grid.output_start :]))

    def to_dict(self) -> dict[str, Any]:
        """Return the network as plain integers and strings."""
        shape = {key: getattr(self.grid, key) for key in _SHAPE_KEYS}
        if self.grid.neuron != "plain":
            shape[_NEURON_KEY] = self.grid.neuron
        return {"format": FORMAT, "version": VERSION, **shape, "genome": self.genome.tolist()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Network":
        """Return the network that `to_dict` described; anything else is a ValueError."""
        if not isinstance(data, Mapping):
            raise ValueError(f"a network must be an object with keys, got {type(data).__name__}")
        wanted = f"the keys {', '.join(_KEYS)}"
        if missing := [key for key in _KEYS if key not in data]:
            raise ValueError(f"a network must have {wanted}; missing {missing}")
        if extra := [key for key in data if key not in (*_KEYS, _NEURON_KEY)]:
            raise ValueError(f"a network must have only {wanted}; got also {extra!r:.60}")
        if data["format"] != FORMAT:
            raise ValueError(f"format must be {FORMAT!r}, got {data['format']!r:.60}")
        if type(data["version"]) is not int or data["version"] != VERSION:
            raise ValueError(
                f"version must be {VERSION}, got {data['version']!r:.60}; "
                "a newer version of hyperna may read it"
            )
        if not isinstance(data["genome"], list):
            raise ValueError(f"genome must be a list, got {type(data['genome']).__name__}")
        try:
            shape = {key: data[key] for key in (*_SHAPE_KEYS, _NEURON_KEY) if key in data}
            grid = Grid(**shape)
            return cls(grid, grid.check(data["genome"]))
        except TypeError as error:
            raise ValueError(str(error)) from None

    def to_json(self) -> str:
        """Return the network as a line of JSON, exact to the last digit."""
        return json.dumps(self.to_dict())

    @classmethod
    def from_json(cls, text: str) -> "Network":
        """Return the network that `to_json` wrote; anything else is a ValueError."""
        if not isinstance(text, str):
            raise TypeError(f"text must be a str, got {type(text).__name__}")
        try:
            data = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_unique_keys)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"text must be the JSON of a network: {error}") from None
        return cls.from_dict(data)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Network):
            return NotImplemented
        return self.grid == other.grid and np.array_equal(self.genome, other.genome)

    def __hash__(self) -> int:
        return hash((self.grid, self.genome.tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        # Through the constructor, because NumPy does not restore the write protection.
        return type(self), (self.grid, self.genome)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"Network({self.grid!r}, {self.genome.tolist()!r})"

    def _check_names(self, feature_names: Sequence[str] | None) -> list[str]:
        if feature_names is None:
            return [f"x{j + 1}" for j in range(self.grid.dim)]
        names = list(feature_names) if isinstance(feature_names, Iterable) else []
        if len(names) != self.grid.dim or not all(isinstance(name, str) for name in names):
            raise ValueError(
                f"feature_names must be {self.grid.dim} strings, got {feature_names!r:.60}"
            )
        return names


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number that JSON knows")


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) < len(pairs):
        raise ValueError("a key occurs twice")
    return data
