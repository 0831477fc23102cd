"""What every kind of fitness offers."""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from hyperna._validation import IntArray, check_jobs
from hyperna._words import shown
from hyperna.network.grid import Grid
from hyperna.network.networks import Network
from hyperna.problems import Problem


class Fitness(ABC):
    """The fitness of networks, as an integer score out of `units` and as a share in [0, 1].

    Attributes
    ----------
    dim : int
        Dimension of the points.
    problem : Problem or None
        The problem it measures, which knows optima and best fitness.
    finite : bool
        Whether it is about a finite set of points, on which a fitness of 1 is worth trying.
    exact_on_circle : bool
        Whether it is the exact share of the circle.
    always_compares : bool
        Whether its compiled code compares with optimal networks even if there are none to compare
        with, so that it is compiled once for all problems.
    repeatable : bool
        Whether a network has the same score in every comparison.
    resizable : bool
        Whether the number of neurons may evolve.

    Examples
    --------
    >>> from hyperna.fitness import fitness_of
    >>> from hyperna.problems import problem
    >>> corners = fitness_of(problem("cube"))
    >>> network = Network(Grid(dim=3, neurons=1, resolution=8), [0, 0, 8])
    >>> corners.score(network), corners.units(network.grid), corners(network)
    (4, 8, 0.5)
    """

    problem: Problem | None
    finite: ClassVar[bool] = False
    exact_on_circle: ClassVar[bool] = False
    always_compares: ClassVar[bool] = False
    repeatable: ClassVar[bool] = True
    resizable: ClassVar[bool] = False

    @property
    def dim(self) -> int:
        """Dimension of the points."""
        assert self.problem is not None, "a fitness without a problem says its dimension itself"
        return self.problem.dim

    @property
    def default_neurons(self) -> int:
        """Number of neurons where none is given: the problem's, 1 where there is no problem."""
        return self.problem.default_neurons if self.problem else 1

    def true_fitness(self, grid: Grid) -> "Fitness":
        """Return the fitness that decides about success for networks on a grid: this one."""
        return self

    @abstractmethod
    def units(self, grid: Grid) -> int:
        """Return the score of a network on this grid that makes no mistake."""

    def positive_units(self, grid: Grid) -> int:
        """Return how many of the units are positive: the score of the answer "always positive"."""
        everywhere = Grid(grid.dim, 1, grid.resolution)
        genome = np.zeros(everywhere.components, np.int64)  # the bias is -1
        return int(self.scores(genome[None], everywhere)[0])

    def score(self, network: Network) -> int:
        """Return the number of correctly classified units."""
        self._check_network(network)
        return int(self.scores(network.genome[None], network.grid)[0])

    @abstractmethod
    def compiled_form(self, grid: Grid) -> NamedTuple:
        """Return this fitness as compiled code takes it, for networks on a grid."""

    def scores(self, genomes: ArrayLike, grid: Grid, n_jobs: int = 1) -> IntArray:
        """Return the scores of many genomes on a grid, compiled.

        Parameters
        ----------
        genomes : array_like of shape (n, components)
            One genome per row.
        grid : Grid
            What the genomes mean.
        n_jobs : int
            Number of threads, -1 for all processors; worthwhile for ten thousand genomes or more.

        Examples
        --------
        >>> from hyperna.fitness import fitness_of
        >>> from hyperna.problems import problem
        >>> grid, half = Grid(dim=2, neurons=1, resolution=4), fitness_of(problem("half"))
        >>> half.scores([[1, 2], [3, 2]], grid) / half.units(grid)
        array([1., 0.])
        """
        from hyperna._kernels.judging import score_all

        self.check_grid(grid)
        rows = np.asarray(genomes)
        if rows.ndim != 2 or rows.shape[1] != grid.components or rows.dtype.kind not in "iu":
            raise ValueError(
                f"genomes must be integers of shape (n, {grid.components}), "
                f"got {rows.dtype} of shape {rows.shape}"
            )
        jobs = check_jobs(n_jobs) or 1
        genes = np.require(rows, np.int64, ["C", "W"])
        form: Any = self.scoring_form(grid)
        moduli = grid.moduli
        scores = np.zeros(len(rows), np.int64)
        threads = jobs if jobs > 0 else os.cpu_count() or 1
        ends = np.linspace(0, len(rows), min(threads, len(rows) or 1) + 1).astype(int)

        def score_part(first: int, last: int) -> int:
            part = genes[first:last], scores[first:last]
            wrong = int(score_all(form, form.workspace(), moduli, *part))
            return first + wrong if wrong >= 0 else -1

        if len(ends) == 2:
            wrong = [score_part(0, len(rows))]
        else:
            with ThreadPoolExecutor(len(ends) - 1) as pool:
                wrong = list(pool.map(score_part, ends[:-1].tolist(), ends[1:].tolist()))
        if max(wrong) >= 0:
            row = min(place for place in wrong if place >= 0)
            raise ValueError(
                f"genomes must have components from 0 to below {moduli.tolist()}, "
                f"got {rows[row].tolist()} in row {row}"
            )
        return scores

    def scorer(self, grid: Grid) -> Callable[[IntArray], IntArray]:
        """Return a function of genomes (n, components) on the grid that returns their scores.

        For those who call it often: nothing is checked, and arrays are made once.
        """
        from hyperna._kernels.judging import score_all

        form: Any = self.scoring_form(grid)
        moduli = grid.moduli
        work = form.workspace()

        def scores(genomes: IntArray) -> IntArray:
            found = np.zeros(len(genomes), np.int64)
            score_all(form, work, moduli, np.ascontiguousarray(genomes), found)
            return found

        return scores

    def scoring_form(self, grid: Grid) -> NamedTuple:
        """Return the form for networks that are not offspring of one parent: the usual one."""
        return self.compiled_form(grid)

    def resizable_form(self, grid: Grid) -> NamedTuple:
        """Return the form for networks of up to the grid's number of neurons: the usual one."""
        return self.compiled_form(grid)

    def effort(self, grid: Grid) -> int:
        """Return about how many points it would take as long to look at as to compute a score."""
        return 1

    def standard_error(self, network: Network) -> float:
        """Return the standard error of the fitness, 0 where it is exact."""
        return 0.0

    def __call__(self, network: Network) -> float:
        """Return the fitness, from 0 to 1."""
        score = self.score(network)
        return score / self.units(network.grid)

    def _check_network(self, network: Network) -> None:
        if not isinstance(network, Network):
            raise TypeError(f"network must be a Network, got {shown(network)}")
        self.check_grid(network.grid)

    def check_grid(self, grid: Grid) -> None:
        """Refuse a grid of another dimension."""
        if grid.dim != self.dim:
            raise ValueError(f"networks must have dim {self.dim} for this fitness, got {grid.dim}")
