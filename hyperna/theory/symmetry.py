"""Values of a component that a symmetry of the problem makes alike.

If a rotation or a mirror image of one component changes no network's fitness, and none becomes or
ceases to be a target, the values that it maps onto each other are one: the chain has fewer states
and the same answers. Only symmetries of a single component are used, because then the mutation
stays a product of small matrices.
"""

import numpy as np

from hyperna._validation import BoolArray, IntArray
from hyperna.fitness import ExactArcs, ExactSphere
from hyperna.network.grid import Grid
from hyperna.problems import ArcProblem
from hyperna.run.task import Task


def axis_orbits(
    score: IntArray, target: BoolArray, listed: tuple[IntArray, ...] | None = None
) -> tuple[IntArray, ...]:
    """For each axis of a landscape, which values of its component are alike: numbers from 0 on.

    `listed` says, for each component, which place of the axis each of its values has, if not every
    value has a place of its own.

    Examples
    --------
    >>> score = np.array([[0, 5], [1, 6], [2, 7], [1, 6]])
    >>> [place.tolist() for place in axis_orbits(score, score == 7)]
    [[0, 1, 2, 1], [0, 1]]
    """
    places = []
    for axis, length in enumerate(score.shape):
        kinds = equal_rows(
            *(np.moveaxis(values, axis, 0).reshape(length, -1) for values in (score, target))
        )
        if listed is not None:
            kinds = kinds[listed[axis]]
        places.append(np.unique(orbits(kinds), return_inverse=True)[1])
    return tuple(places)


def equal_rows(*tables: np.ndarray) -> IntArray:
    """Number the rows of some tables side by side, so that equal rows have equal numbers.

    Row by row, because sorting all of them takes ten times as long where there are thousands, and
    cannot be interrupted.

    Examples
    --------
    >>> equal_rows(np.array([[1, 2], [3, 4], [1, 2]]), np.array([[True], [True], [True]]))
    array([0, 1, 0])
    """
    numbers: dict[tuple[bytes, ...], int] = {}
    contents = (tuple(row.tobytes() for row in rows) for rows in zip(*tables, strict=True))
    return np.array([numbers.setdefault(content, len(numbers)) for content in contents])


def orbits(kinds: IntArray) -> IntArray:
    """For each value of a cyclic component the smallest value that a symmetry maps it to.

    `kinds` numbers the values by what happens there: equal numbers, equal fitness whatever the
    other components are.

    Examples
    --------
    >>> orbits(np.array([0, 1, 2, 1]))
    array([0, 1, 2, 1])
    >>> orbits(np.array([0, 1, 0, 1]))
    array([0, 1, 0, 1])
    """
    index = np.arange(kinds.size)
    orbit = index.copy()
    for shift in range(kinds.size):
        for image in ((index + shift) % kinds.size, (shift - index) % kinds.size):
            if np.array_equal(kinds[image], kinds):
                np.minimum(orbit, image, out=orbit)
    return orbit


def mirrored_angles(resolution: int) -> IntArray:
    """The representative of each angle of a half turn's mirror image a -> half a turn - a.

    It negates a cosine and keeps a sine: of all angles of one neuron on a sphere but the last this
    is the sign of a coordinate that no label depends on. Without half a turn on the grid there is
    no image.

    Examples
    --------
    >>> mirrored_angles(8)
    array([0, 1, 2, 1, 0, 5, 6, 5])
    """
    angle = np.arange(resolution)
    if resolution % 2:
        return angle
    return np.minimum(angle, (resolution // 2 - angle) % resolution)


def arc_orbits(problem: ArcProblem, resolution: int) -> int:
    """Number of angles that no rotation or mirror image of the positive arcs maps onto each other.

    Examples
    --------
    >>> from hyperna.problems import problem
    >>> arc_orbits(problem("quarter"), 24), arc_orbits(problem("two_quarters"), 24)
    (13, 7)
    """
    arcs = {(start % 1, end % 1) for start, end in problem.arcs}
    mirrored = {(-end % 1, -start % 1) for start, end in problem.arcs}
    angle = np.arange(resolution)
    smallest = angle.copy()
    # a symmetry moves the start of some arc, or of some mirrored one, to that of the first
    anchor = min(arcs)[0]
    for images, sign in ((arcs, 1), (mirrored, -1)):
        for start, _ in images:
            shift = (anchor - start) % 1
            moved = {((a + shift) % 1, (b + shift) % 1) for a, b in images}
            steps = shift * resolution
            if moved == arcs and steps.denominator == 1:
                image = (sign * angle + int(steps)) % resolution
                np.minimum(smallest, image, out=smallest)
    return len(np.unique(smallest))


def axis_sizes(task: Task, resolution: int) -> tuple[int, ...]:
    """Number of values of each mutated component that symmetries leave, without a look at them.

    Examples
    --------
    >>> from hyperna.theory.task import exact_task
    >>> task = exact_task("quarter", 12, dim=3)
    >>> axis_sizes(task, 12), axis_sizes(task, 24)
    ((7, 6, 13), (13, 13, 25))
    """
    grid = Grid(task.grid.dim, task.grid.neurons, resolution, task.grid.output, task.grid.neuron)
    sizes = [int(grid.moduli[c]) for c in mutated_components(task)]
    problem = task.fitness.problem
    whole = isinstance(task.fitness, ExactArcs | ExactSphere)
    if grid.neurons == 1 and whole and isinstance(problem, ArcProblem):
        for k in range(grid.dim - 2):
            sizes[k] = len(np.unique(mirrored_angles(resolution)))
        sizes[grid.dim - 2] = arc_orbits(problem, resolution)
    return tuple(sizes)


def mutated_components(task: Task) -> IntArray:
    """The components of a genome that a run may change."""
    components = np.arange(task.grid.components)
    return components if task.bias else np.setdiff1d(components, task.grid.bias_components)
