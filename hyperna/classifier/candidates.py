"""What may be fitted to a binary problem: shapes of networks, each with the start that suits it."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from hyperna.classifier import linear, soft
from hyperna.classifier.points import LabelledPoints
from hyperna.classifier.spaces import HalfSpaces
from hyperna.grid import Grid
from hyperna.networks import Network
from hyperna.outputs import OUTPUTS

Construction = Callable[[LabelledPoints, int, np.random.Generator], HalfSpaces]

# Neurons at most where their number is left open.
AUTO_NEURONS = 8
# Larger networks begin with copies: more half-spaces take long to fit, and tell nothing new.
MOST_CONSTRUCTED = 32
CONSTRUCTIONS: dict[str, Construction] = {
    "or": soft.union,
    "and": soft.intersection,
    "xor": soft.parity,
    "evolved": soft.vote,
}
# Number of half-spaces tried before larger networks.
FEW = {"xor": 3, "evolved": 4}


@dataclass(frozen=True)
class Candidate:
    """A shape of network and how to begin with it.

    Attributes
    ----------
    output : str
        How the hidden bits are joined.
    neurons : int
        Number of hidden neurons.
    construction : callable or None
        Makes half-spaces from data; None leaves the start to chance.
    constructed : int
        Number of half-spaces wanted.
    exact : bool
        Whether there must be as many neurons, copies perhaps, or may be fewer.
    larger : bool
        Whether this is the candidate before it with more half-spaces, or with copies of them.
    """

    output: str
    neurons: int
    construction: Construction | None
    constructed: int
    exact: bool
    larger: bool = False

    @property
    def again(self) -> "Candidate":
        """The same shape for further starts, which are to differ from the first."""
        if self.construction is linear.sharp_half_space:
            return replace(self, construction=linear.rough_half_space)
        return self

    def grid(self, dim: int, resolution: int, neurons: int | None = None) -> Grid:
        """Return the grid on which the candidate is evolved."""
        return Grid(dim, neurons or self.neurons, resolution, self.output)

    def start(
        self, points: LabelledPoints, resolution: int, rng: np.random.Generator
    ) -> Network | None:
        """Return the first network; None: a random one."""
        if self.construction is None:
            return None
        spaces = self.construction(points, self.constructed, rng)
        neurons = self.neurons if self.exact else len(spaces.t)
        return spaces.network(self.grid(points.Z.shape[1], resolution, neurons))


def candidates(neurons: int | str, output: str, init: str) -> list[Candidate]:
    """Return what the parameters of the classifier leave open, the simplest first."""
    exact = neurons != "auto"
    most = int(neurons) if exact else AUTO_NEURONS
    outputs = tuple(OUTPUTS) if output == "auto" else (output,)
    if init != "data":
        sizes = [most] if exact else [1, most]
        return [
            Candidate(kind, size, None, size, True)
            for size in sizes
            for kind in (outputs if size > 1 else outputs[:1])
        ]
    if most == 1:
        return [Candidate(outputs[0], 1, linear.sharp_half_space, 1, True)]
    result = [Candidate(outputs[0], most, linear.logistic_half_space, 1, exact)]
    many = min(most, MOST_CONSTRUCTED)
    for kind in outputs:
        construction, few = CONSTRUCTIONS[kind], min(FEW.get(kind, many), many)
        small = Candidate(kind, most, construction, few, exact)
        # more half-spaces, or else copies of them that may go ways of their own
        large = replace(small, constructed=many, exact=exact or few == many, larger=True)
        result += [small] if exact and few == many else [small, large]
    return result
