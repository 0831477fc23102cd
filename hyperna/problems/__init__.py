"""Problems: which part of the sphere, or which points, a network is to classify as positive.

``problem(name)`` builds one by its name; ``PROBLEMS`` lists the names.  The psi of a point x is
``atan2(x_D, x_(D-1))``, the angle of its last two coordinates, in [0, 2 pi).
"""

from hyperna.problems.arc_problems import ArcProblem, custom_arcs
from hyperna.problems.base import PROBLEMS, Problem, ProblemFactory, problem
from hyperna.problems.point_problems import PointProblem, cube, points, points_digest, read_csv

__all__ = [
    "PROBLEMS",
    "ArcProblem",
    "PointProblem",
    "Problem",
    "ProblemFactory",
    "cube",
    "custom_arcs",
    "points",
    "points_digest",
    "problem",
    "read_csv",
]
