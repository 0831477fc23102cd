"""Fitness: the share of the circle, the sphere or a set of points that is classified correctly.

A score is an integer, the number of correctly classified units, so that networks of equal fitness
compare equal: the algorithm walks on plateaus, which rounding errors would break up.
"""

from typing import Any

from hyperna._words import shown
from hyperna.fitness.base import Fitness
from hyperna.fitness.exact import ExactArcs
from hyperna.fitness.online import Online
from hyperna.fitness.points import FiniteSet, Sampled
from hyperna.fitness.spheres import ExactSphere, has_areas
from hyperna.problems import ArcProblem, PointProblem, Problem, problem

__all__ = ["ExactArcs", "ExactSphere", "FiniteSet", "Fitness", "Online", "Sampled", "fitness_of"]


def fitness_of(
    subject: Problem | Fitness | str, *, neurons: int | str | None = None, **sampling: Any
) -> Fitness:
    """Return the natural fitness of a problem: exact where possible, sampled otherwise.

    Parameters
    ----------
    subject : Problem, Fitness or str
        A problem or its name. A fitness is returned as it is.
    neurons : int or "evolved", optional
        Size of the networks. In more than three dimensions there is an exact fitness for one
        neuron only; networks of unknown size get a sample there. "evolved": a sample in more
        than two dimensions.
    **sampling
        `n`, `method` and `seed` of `Sampled`; if any is given, points are sampled.

    Examples
    --------
    >>> from hyperna.problems import problem
    >>> problems = problem("half"), problem("half", dim=3), problem("half", dim=4), problem("cube")
    >>> [type(fitness_of(p)).__name__ for p in problems]
    ['ExactArcs', 'ExactSphere', 'Sampled', 'FiniteSet']
    >>> print(fitness_of(problem("half", dim=4), neurons=1))
    exact share of the sphere
    """
    if isinstance(subject, str):
        subject = problem(subject)
    if isinstance(subject, Problem) and not isinstance(subject, PointProblem):
        if isinstance(subject, ArcProblem) and not sampling:
            if subject.dim == 2:
                return ExactArcs(subject)
            size = 2 if neurons is None else neurons
            if not isinstance(size, str) and has_areas(subject.dim, size):
                return ExactSphere(subject)
        return Sampled(subject, **sampling)
    if sampling:
        raise ValueError(f"{', '.join(sampling)} must be left out: nothing is sampled here")
    if isinstance(subject, PointProblem):
        return FiniteSet(subject.X, subject.y, subject.weight, problem=subject)  # type: ignore[arg-type]
    if isinstance(subject, Fitness):
        return subject
    raise TypeError(f"problem must be a name, a Problem or a Fitness, got {shown(subject)}")
