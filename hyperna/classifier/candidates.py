"""What may be fitted to a binary problem: shapes of networks, each with the start that suits it."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from hyperna.classifier import starts
from hyperna.classifier.linear import Cloud
from hyperna.classifier.starts import HalfSpaces
from hyperna.grid import Grid
from hyperna.networks import Network

Construction = Callable[[Cloud, int, np.random.Generator], HalfSpaces]

MOST_NEURONS = 8


@dataclass(frozen=True)
class Candidate:
    """A shape of network and how to begin with it.

    Attributes
    ----------
    name : str
        The construction, in a word.
    output : str
        How the hidden bits are joined.
    neurons : int
        Number of hidden neurons at most.
    exact : bool
        Whether exactly that many must be used.
    construction : callable or None
        Makes half-spaces from data; None leaves the start to chance.
    """

    name: str
    output: str
    neurons: int
    exact: bool
    construction: Construction | None

    @property
    def again(self) -> "Candidate":
        """The same shape for further starts, which are to differ from the first."""
        if self.construction is starts.sharp_half_space:
            return replace(self, construction=starts.rough_half_space)
        return self

    def start(
        self, cloud: Cloud, grid_of: Callable[[int, str], Grid], rng: np.random.Generator
    ) -> tuple[Grid, Network | None]:
        """Return the grid, one of those of `grid_of`, and the first network, None: a random one."""
        if self.construction is None:
            return grid_of(self.neurons, self.output), None
        spaces = self.construction(cloud, self.neurons, rng)
        grid = grid_of(self.neurons if self.exact else len(spaces.t), self.output)
        return grid, spaces.network(grid)


def candidates(neurons: int | str, output: str, init: str) -> list[Candidate]:
    """Return what the parameters of the classifier leave open, the simplest first."""
    exact = neurons != "auto"
    most = int(neurons) if exact else MOST_NEURONS
    outputs = ("or", "and", "evolved") if output == "auto" else (output,)
    if init != "data":
        sizes = [most] if exact else [1, most]
        return [
            Candidate(f"{kind}, {size}", kind, size, True, None)
            for size in sizes
            for kind in (outputs if size > 1 else outputs[:1])
        ]
    if most == 1:
        return [Candidate("one", outputs[0], 1, True, starts.sharp_half_space)]
    result = [Candidate("one", outputs[0], most, exact, starts.smooth_half_space)]
    if "or" in outputs:
        result.append(Candidate("cover", "or", most, exact, starts.cover))
    if "and" in outputs:
        result.append(Candidate("carve", "and", most, exact, starts.carve))
    if "evolved" in outputs:
        result.append(Candidate("slices", "evolved", most, exact, starts.slices))
        result.append(Candidate("vote", "evolved", most, exact, starts.vote))
    return result
