"""The search grid: integer genomes and what they stand for, angles, biases and unit normals.

A genome holds the hidden neurons one after another, each with its angles, its bias and what else
its kind has. An evolved output neuron follows at the end, with its own angles and bias.
"""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hyperna._kernels import geometry
from hyperna._kernels.mutation import RotationMove
from hyperna._validation import FloatArray, IntArray, check_choice, check_integer, check_reals
from hyperna.network.neurons import NEURONS, Neuron
from hyperna.network.outputs import OUTPUTS

INITS = ("grid", "sphere")
MAX_RESOLUTION = 2**40


@dataclass(frozen=True)
class Grid:
    """All networks of a given shape, as integer vectors with wrap-around.

    At resolution r an angle is an integer phi in {0..r-1} with value 2 pi phi / r, and a bias is
    an integer b in {0..r} with value 2 b / r - 1. A neuron in R^D has D - 1 angles, all over the
    full circle; its unit normal is w_1 = cos a_1, w_k = sin a_1 ... sin a_(k-1) cos a_k,
    w_D = sin a_1 ... sin a_(D-1). For D > 2 several angle tuples share a normal. For D = 1 the
    angles are replaced by an orientation in {0, 1} that stands for w = +1 and w = -1.

    Parameters
    ----------
    dim : int
        Dimension D >= 1 of the points.
    neurons : int
        Number N >= 1 of hidden neurons.
    resolution : int
        Number r of angle values, from 2 to 2**40.
    output : {"or", "and", "xor", "evolved"}
        How the hidden bits are joined, a key of `hyperna.network.outputs.OUTPUTS`. An evolved
        output neuron has N - 1 angles and a bias; a network of one neuron needs none, so that its
        output is then the hidden bit.
    neuron : {"plain", "bent"}
        Kind of the hidden neurons, a key of `hyperna.network.neurons.NEURONS`.

    Attributes
    ----------
    kind : Neuron
        The kind of the hidden neurons.
    has_output_neuron : bool
        Whether the genome ends with an output neuron.
    direction_width, width : int
        Number of components that give the direction of a hidden neuron, and of all it has.
    output_start, components : int
        Number of components of the hidden layer, where an output neuron begins, and of a genome.

    Examples
    --------
    >>> grid = Grid(dim=2, neurons=1, resolution=8)
    >>> grid.moduli
    array([8, 9])
    >>> grid.from_weights([[0.0, 2.0]], [1.0])
    array([2, 6])
    """

    dim: int
    neurons: int
    resolution: int
    output: str = "or"
    neuron: str = "plain"

    kind: Neuron = field(init=False, repr=False, compare=False)
    has_output_neuron: bool = field(init=False, repr=False, compare=False)
    direction_width: int = field(init=False, repr=False, compare=False)
    width: int = field(init=False, repr=False, compare=False)
    output_start: int = field(init=False, repr=False, compare=False)
    components: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Validate the shape, store plain ints and what follows from them."""
        resolution = check_integer("resolution", self.resolution, 2, MAX_RESOLUTION)
        dim = check_integer("dim", self.dim, 1)
        neurons = check_integer("neurons", self.neurons, 1)
        output = OUTPUTS[check_choice("output", self.output, OUTPUTS)]
        kind = NEURONS[check_choice("neuron", self.neuron, NEURONS)]
        direction_width = max(dim - 1, 1)
        width = direction_width + len(kind.parameters)
        with_output = output.rule is None and neurons > 1
        values = {
            "dim": dim,
            "neurons": neurons,
            "resolution": resolution,
            "output": output.name,
            "neuron": kind.name,
            "kind": kind,
            "has_output_neuron": with_output,
            "direction_width": direction_width,
            "width": width,
            "output_start": neurons * width,
            "components": neurons * width + (neurons if with_output else 0),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        return Grid, (self.dim, self.neurons, self.resolution, self.output, self.neuron)

    @property
    def is_compiled(self) -> bool:
        """Whether kernels know how the hidden bits are joined."""
        return self.neurons == 1 or OUTPUTS[self.output].code in geometry.OUTPUT_CODES

    @property
    def output_code(self) -> int:
        """The output layer as kernels know it; one neuron without output layer counts as OR."""
        if self.neurons == 1:
            return geometry.OR
        if not self.is_compiled:
            known = [name for name, one in OUTPUTS.items() if one.code in geometry.OUTPUT_CODES]
            raise ValueError(
                f"output {self.output!r} has no compiled form; those that have one are "
                f"{', '.join(map(repr, known))}"
            )
        return OUTPUTS[self.output].code

    @property
    def bias_components(self) -> IntArray:
        """Indices of all biases, the output neuron's last."""
        hidden = np.arange(self.neurons, dtype=np.int64) * self.width + self.direction_width
        return np.append(hidden, self.components - 1) if self.has_output_neuron else hidden

    @property
    def moduli(self) -> IntArray:
        """Number of values of each component: r for angles, r + 1 for biases."""
        r = self.resolution
        neuron = [r if self.dim > 1 else 2] * self.direction_width
        for parameter in self.kind.parameters:
            neuron.append(r + parameter.extra)
        output = [r] * (self.neurons - 1) + [r + 1] if self.has_output_neuron else []
        return np.array(neuron * self.neurons + output, dtype=np.int64)

    def rotations(self, unit: int, planes: bool = True) -> RotationMove:
        """Return turns of directions in planes of two coordinates, in steps of `unit` grid steps.

        Without `planes` to turn in, directions are moved by changing angles.
        """
        place = np.arange(self.components)
        hidden, inside = place < self.output_start, place % self.width < self.direction_width
        angle = np.where(hidden, inside, place < self.components - 1)
        size = np.where(hidden, self.dim, self.neurons)
        pairs = np.where(angle & planes, size * (size - 1), 0)
        return RotationMove(unit, pairs, self.dim, self.neurons, self.width, self.resolution)

    @property
    def zero_bias(self) -> int:
        """The bias component of value 0, which only an even resolution has."""
        if self.resolution % 2:
            raise ValueError(
                "resolution must be even for a bias of value 0 to lie on the grid, "
                f"got {self.resolution}"
            )
        return self.resolution // 2

    @property
    def neutral(self) -> IntArray:
        """What follows the biases of plain neurons in those of this kind, as rows."""
        return np.full((self.neurons, len(self.kind.parameters) - 1), self.resolution // 2)

    def check(self, genome: ArrayLike) -> IntArray:
        """Return a validated int64 copy of a genome."""
        # Lists are taken apart as they are: NumPy would make floats of huge integers.
        values = genome if isinstance(genome, np.ndarray) else np.array(genome, dtype=object)
        if values.shape != (self.components,):
            raise ValueError(
                f"genome must have {self.components} components, got shape {values.shape}"
            )
        moduli = self.moduli
        suspects = np.arange(self.components)
        if values.dtype.kind in "iu":
            suspects = suspects[(values < 0) | (values >= moduli)]
        for index in suspects.tolist():
            check_integer(f"genome component {index}", values[index], 0, int(moduli[index]) - 1)
        return np.array(values, dtype=np.int64)

    def parameters(self, genome: ArrayLike) -> list[FloatArray]:
        """Return the values of each parameter of the hidden neurons, the biases first."""
        hidden = self.check(genome)[: self.output_start].reshape(self.neurons, self.width)
        levels = hidden[:, self.direction_width :].astype(np.float64)
        kinds = self.kind.parameters
        return [kind.value(levels[:, k], self.resolution) for k, kind in enumerate(kinds)]

    def from_weights(
        self,
        W: ArrayLike,
        t: ArrayLike,
        output_w: ArrayLike | None = None,
        output_t: float | None = None,
    ) -> IntArray:
        """Return the genome nearest to neurons that fire iff w·x >= t, for w of any length.

        A neuron is first divided by the length of w. Then each angle of its normal and its bias
        are rounded to the grid. Of the angle tuples with the same normal, the one is taken whose
        first D - 2 angles lie in [0, pi]; at odd resolution, where half a turn is off the grid,
        the one with the least sum of squared roundings. A t / ``|w|`` outside [-1, 1] is clipped:
        in the unit ball a neuron above 1 never fires and becomes one that fires in a single
        point, one below -1 fires everywhere and keeps doing so. Beyond the unit ball, where the
        hidden bits of an output neuron lie, clipping moves the boundary.

        Parameters
        ----------
        W : array of shape (N, D)
            Weights of the hidden neurons, no row all zero.
        t : array of shape (N,)
            Thresholds of the hidden neurons.
        output_w : array of shape (N,), optional
            Weights of the evolved output neuron, given if and only if there is one.
        output_t : float, optional
            Threshold of the evolved output neuron.

        Examples
        --------
        >>> grid = Grid(dim=2, neurons=1, resolution=1200)
        >>> grid.from_weights([[0.0, 3.0]], [1.5])
        array([300, 900])
        """
        weights = check_reals("W", W, (self.neurons, self.dim))
        thresholds = check_reals("t", t, (self.neurons,))
        rows = self._nearest("W", weights, thresholds)
        hidden = np.column_stack([rows, self.neutral]).ravel()
        if {output_w is not None, output_t is not None} != {self.has_output_neuron}:
            must = "be given for an evolved output neuron"
            if not self.has_output_neuron:
                must = (
                    f"be left out: a network with output {self.output!r} and {self.neurons} "
                    "hidden neurons has no output neuron"
                )
            raise ValueError(f"output_w and output_t must {must}")
        if output_w is None or output_t is None:
            return hidden
        weights = check_reals("output_w", output_w, (self.neurons,))
        threshold = check_reals("output_t", output_t, ())
        return np.append(hidden, self._nearest("output_w", weights[None], threshold[None]))

    def random(self, rng: np.random.Generator, init: str = "grid", bias: bool = True) -> IntArray:
        """Return a random genome.

        Parameters
        ----------
        rng : numpy.random.Generator
            Source of randomness.
        init : {"grid", "sphere"}
            "grid" is uniform on the integer grid. "sphere" draws every normal uniformly from the
            unit sphere and rounds it to the grid, with uniform biases; for large D uniform angles
            are far from that, because w_k shrinks like 2^-k.
        bias : bool
            If False every bias has the value 0, which needs an even resolution.
        """
        if not isinstance(rng, np.random.Generator):
            raise TypeError(f"rng must be a numpy.random.Generator, got {type(rng).__name__}")
        check_choice("init", init, INITS)
        genome = rng.integers(0, self.moduli)
        if init == "sphere":  # the biases stay
            hidden = genome[: self.output_start].reshape(self.neurons, self.width)
            W = rng.standard_normal((self.neurons, self.dim))
            angles = self._nearest("W", W, np.zeros(self.neurons))[:, :-1]
            hidden[:, : self.direction_width] = angles
            if self.has_output_neuron:
                w = rng.standard_normal((1, self.neurons))
                genome[self.output_start : -1] = self._nearest("output_w", w, np.zeros(1))[0, :-1]
        if not bias:
            genome[self.bias_components] = self.zero_bias
        return genome

    def _round(self, turns: FloatArray, biases: FloatArray, dim: int) -> IntArray:
        """Return the integers nearest to the angles and biases of neurons in R^dim, as rows."""
        modulus = self.resolution if dim > 1 else 2
        angles = np.rint(turns % 1.0 * modulus).astype(np.int64) % modulus
        levels = np.rint((np.clip(biases, -1.0, 1.0) + 1.0) / 2.0 * self.resolution)
        return np.column_stack([angles, levels.astype(np.int64)])

    def _nearest(self, name: str, W: FloatArray, t: FloatArray) -> IntArray:
        """Return the integers nearest to the neurons w·x >= t, as rows."""
        largest = np.abs(W).max(axis=1)
        if not largest.all():
            row = int(np.flatnonzero(largest == 0)[0])
            raise ValueError(
                f"{name} must give every neuron a direction, got only zeros in row {row}"
            )
        # Powers of two change no digit and keep the lengths of extreme weights finite.
        exponent = np.frexp(largest)[1]
        W = np.ldexp(W, -exponent[:, None])
        with np.errstate(over="ignore"):
            t = np.ldexp(t, -exponent) / np.hypot.reduce(W, axis=1, initial=0.0)
        W += 0.0  # -0.0 becomes 0.0: arctan2 tells them apart
        if W.shape[1] == 1:
            return self._round(np.where(W > 0, 0.0, 0.5), t, 1)
        # Lengths of what remains after k coordinates; the last one keeps the sign of w_D.
        remaining = np.hypot.accumulate(W[:, ::-1], axis=1)[:, ::-1]
        turns = np.arctan2(remaining[:, 1:], W[:, :-1]) / (2 * math.pi)
        if self.resolution % 2 and W.shape[1] > 2:
            turns = np.array(
                [_nearest_mirror_image(row, self.resolution) for row in turns.tolist()]
            )
        return self._round(turns, t, W.shape[1])


def finest_unit(resolution: int) -> int:
    """Return the largest power of two by which a resolution may be multiplied."""
    return 1 << (MAX_RESOLUTION // resolution).bit_length() - 1


def _nearest_mirror_image(turns: list[float], resolution: int) -> list[float]:
    """Return the angles with the same normal whose squared roundings sum to the least.

    A negated sine at angle k is undone by half a turn at angle k + 1, so there are 2^(D-2) tuples
    with the same normal. Those that agree so far differ only in the sign of the product of
    sines; the best one for either sign is carried along.
    """

    def rounding(turn: float) -> float:
        return (turn * resolution - round(turn * resolution)) ** 2

    best: dict[int, tuple[float, list[float]]] = {1: (0.0, [])}
    for k, a in enumerate(turns):
        images = {(1, 1): a, (1, -1): -a, (-1, 1): a + 0.5, (-1, -1): 0.5 - a}
        best = {
            after: min(
                (cost + rounding(images[before, after]), [*path, images[before, after]])
                for before, (cost, path) in best.items()
            )
            for after in ((1, -1) if k < len(turns) - 1 else (1,))
        }
    return best[1][1]
