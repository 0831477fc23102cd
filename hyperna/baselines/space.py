"""Real-valued parameters of a network, in a box, and the grid point next to them."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hyperna._validation import BoolArray, FloatArray, IntArray
from hyperna.network.grid import Grid

REPRESENTATIONS = ("polar", "cartesian")


@dataclass(frozen=True)
class Space:
    """The box in which a baseline searches for a network.

    Polar: for each neuron its angles in [0, 2 pi] and its bias in [-1, 1], in the order of the
    genome. Cartesian: for each neuron its weights and its threshold, all in [-1, 1]; only the
    direction of the weights and the threshold divided by their length matter.

    Parameters
    ----------
    grid : Grid
        A grid so fine that rounding to it does not matter.
    representation : {"polar", "cartesian"}
        See above.

    Examples
    --------
    >>> space = Space(Grid(2, 1, 400), "polar")
    >>> space.genomes(np.array([[math.pi / 2, 0.5], [2 * math.pi, -1.0]]))
    array([[100, 300],
           [  0,   0]])
    >>> Space(Grid(2, 1, 400), "cartesian").genomes(np.array([[0.0, 0.5, 0.25]]))
    array([[100, 300]])
    """

    grid: Grid
    representation: str

    @cached_property
    def low(self) -> FloatArray:
        """Lower ends of the box."""
        polar = self.representation == "polar"
        return np.where(self._is_bias, -1.0, 0.0) if polar else -self.high

    @cached_property
    def high(self) -> FloatArray:
        """Upper ends of the box."""
        if self.representation == "polar":
            return np.where(self._is_bias, 1.0, 2 * math.pi)
        return np.ones(sum(inputs + 1 for inputs in self._inputs))

    @property
    def size(self) -> int:
        """Number of parameters."""
        return len(self.low)

    def genomes(self, X: FloatArray) -> IntArray:
        """Return the grid points next to the rows of X (n, size)."""
        polar = self._polar(X) if self.representation == "cartesian" else X
        moduli, scale, shift = self._rounding
        return np.rint(polar * scale + shift).astype(np.int64) % moduli

    @cached_property
    def _rounding(self) -> tuple[IntArray, FloatArray, FloatArray]:
        """Moduli of the grid, and how angles and biases are scaled and shifted to its integers."""
        moduli = self.grid.moduli
        half = self.grid.resolution / 2
        scale = np.where(self._is_bias, half, moduli / (2 * math.pi))
        return moduli, scale, np.where(self._is_bias, half, 0.0)

    @cached_property
    def _is_bias(self) -> BoolArray:
        return np.isin(np.arange(self.grid.components), self.grid.bias_components)

    @cached_property
    def _inputs(self) -> list[int]:
        """Number of inputs of each neuron, the output neuron's last."""
        hidden = [self.grid.dim] * self.grid.neurons
        return [*hidden, self.grid.neurons] if self.grid.has_output_neuron else hidden

    def _polar(self, X: FloatArray) -> FloatArray:
        """Return angles and biases of the neurons with these weights and thresholds."""
        parts = []
        first = 0
        for inputs in self._inputs:
            w, t = X[:, first : first + inputs], X[:, first + inputs]
            # t / |w| in [-1, 1]; beyond, the neuron fires nowhere or everywhere
            length = np.sqrt((w * w).sum(axis=1))
            ratio = np.divide(t, length, out=np.where(t > 0, 1.0, -1.0), where=length > 0)
            parts += [_angles(w), np.clip(ratio, -1.0, 1.0)[:, None]]
            first += inputs + 1
        return np.concatenate(parts, axis=1)


def _angles(w: FloatArray) -> FloatArray:
    if w.shape[1] == 1:
        return np.where(w >= 0, 0.0, math.pi)
    # Lengths of what remains after k coordinates; the last one keeps its sign.
    remaining = np.hypot.accumulate(w[:, ::-1], axis=1)[:, ::-1]
    return np.arctan2(remaining[:, 1:], w[:, :-1])
