"""Fitness: the share of the circle, the sphere or a set of points that is classified correctly.

A score is an integer, the number of correctly classified units, so that networks of equal fitness
compare equal: the algorithm walks on plateaus, which rounding errors would break up.
"""

from typing import Any

from hyperna.fitness.base import Fitness
from hyperna.fitness.exact import ExactArcs
from hyperna.fitness.points import FiniteSet, Sampled
from hyperna.problems import ArcProblem, PointProblem, Problem

__all__ = ["ExactArcs", "FiniteSet", "Fitness", "Sampled", "fitness_of"]


def fitness_of(subject: Problem | Fitness, **sampling: Any) -> Fitness:
    """Return the natural fitness of a problem: exact where it can be, sampled else.

    Parameters
    ----------
    subject : Problem or Fitness
        A fitness is returned as it is.
    **sampling
        `n`, `method` and `seed` of `Sampled`; given at D = 2 they ask for sampling there too.

    Examples
    --------
    >>> from hyperna.problems import problem
    >>> problems = problem("half"), problem("half", dim=3), problem("cube")
    >>> [type(fitness_of(p)).__name__ for p in problems]
    ['ExactArcs', 'Sampled', 'FiniteSet']
    """
    if isinstance(subject, Problem) and not isinstance(subject, PointProblem):
        if isinstance(subject, ArcProblem) and subject.dim == 2 and not sampling:
            return ExactArcs(subject)
        return Sampled(subject, **sampling)
    if sampling:
        raise ValueError(f"{', '.join(sampling)} must be left out: nothing is sampled here")
    if isinstance(subject, PointProblem):
        return FiniteSet(subject.X, subject.y, subject.weight, problem=subject)  # type: ignore[arg-type]
    if isinstance(subject, Fitness):
        return subject
    raise TypeError(f"problem must be a Problem or a Fitness, got {subject!r}")
