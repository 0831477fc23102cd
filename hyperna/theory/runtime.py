"""Exact runtimes: from the settings of a run to its chain, and to the answers.

`expected_runtime` is what users call. The networks of the run are listed and scored, the mutation
becomes one small matrix for each component, symmetries make the chain smaller, and it is solved.
"""

import numpy as np

from hyperna.fitness import Fitness
from hyperna.mutation import StepLaw
from hyperna.problems import Problem
from hyperna.run.results import Progress
from hyperna.run.task import Task
from hyperna.theory.answers import ExactRuntime
from hyperna.theory.chain import Chain
from hyperna.theory.limits import affordable_steps
from hyperna.theory.moves import circulant, displacements
from hyperna.theory.ring import LARGEST_MATRIX, Ring
from hyperna.theory.solver import LARGEST_ERROR, AnyChain
from hyperna.theory.states import States, list_states
from hyperna.theory.task import exact_task, has_goal, is_comma, offspring_of
from hyperna.theory.watch import Watch


def expected_runtime(
    problem: Problem | Fitness | str,
    resolution: int,
    mutation: str | StepLaw = "harmonic",
    *,
    dim: int | None = None,
    neurons: int = 1,
    output: str = "or",
    bias: bool = True,
    neuron: str = "plain",
    algorithm: str = "na",
    offspring: int | None = None,
    redraw_void: bool = False,
    mutation_probability: float | None = None,
    target: float | None = None,
    progress: Progress | None = None,
) -> ExactRuntime:
    """Exact runtime of the (1+1) NA, or a relative, wherever all networks can be listed.

    Parameters
    ----------
    problem : Problem, Fitness or str
        A union of arcs in any dimension, a set of labelled points, or a name of either.
    resolution : int
        Number r of angles. `estimated_cost` says what a request will take; one that would take more
        than 8 GB or an hour is refused at once. One neuron on the circle takes 0.1 s at 120 and
        half a minute at 1200, and without bias a minute at 2**20.
    mutation : str or StepLaw
        A law with a probability for each step length, such as "harmonic", "local" or "uniform".
    dim : int, optional
        Dimension of a problem that is given by its name.
    neurons : int
        Number N of hidden neurons. The chain has r^(N (D - 1)) (r + 1)^N states before symmetries.
    output : {"or", "and", "xor", "evolved"}
        How several neurons are joined.
    bias : bool
        False fixes the bias at value 0 (r must be even), so that only angles are searched.
    neuron : {"plain", "bent"}
        Kind of the neurons.
    algorithm : {"na", "rls", "one_plus_lambda", "one_comma_lambda"}
        The (1+1) NA; randomised local search, which mutates one component, drawn uniformly, in
        every step; the (1+lambda) NA, which takes the first best of lambda mutants if it is not
        less fit; the (1,lambda) NA, which takes it in any case.
    offspring : int, optional
        Number of mutants in a generation, lambda (default: 10, as in a run); each is an
        evaluation.
    redraw_void : bool
        Draw again, without counting, when the offspring equals its parent.
    mutation_probability : float, optional
        Probability with which each component is mutated; by default 1 / (number of components,
        fixed biases included). It does not matter for "rls".
    target : float, optional
        Stop at this fitness. If not given, success is what it is in a run without a target: every
        component within less than 1 of an optimal solution or, if none are known, a fitness near
        the best one. `ExactRuntime.criterion` says which.
    progress : callable, optional
        Called with the number of states solved and of all states, a few times a second, once the
        computation has taken two seconds.

    Returns
    -------
    ExactRuntime

    Examples
    --------
    >>> from hyperna.problems import problem
    >>> runtime = expected_runtime(problem("quarter"), 40)
    >>> round(runtime.mean, 6), round(runtime.standard_deviation, 6)
    (71.206554, 40.690432)
    >>> runtime.relative_error_bound < 1e-11
    True

    Local mutation can be stuck in the local optima of LOCALOPT.

    >>> stuck = expected_runtime(problem("local_opt"), 24, "local")
    >>> stuck.mean, round(stuck.probability, 6)
    (inf, 0.44851)
    >>> [(round(end.fitness, 3), round(end.probability, 3)) for end in stuck.ends()[:3]]
    [(0.75, 0.449), (0.664, 0.155), (0.649, 0.081)]

    A bent neuron solves QUARTER without a bias.

    >>> round(expected_runtime(problem("quarter"), 40, bias=False, neuron="bent").mean, 6)
    117.660646

    On a sphere, and for other algorithms.

    >>> round(expected_runtime("half", 12, dim=3).mean, 6)
    73.553806
    >>> found = expected_runtime("quarter", 12, algorithm="one_plus_lambda", offspring=4)
    >>> round(found.mean, 6), round(found.generations, 6)
    (35.137043, 8.534261)
    """
    task = exact_task(
        problem,
        resolution,
        mutation,
        dim=dim,
        neurons=neurons,
        output=output,
        bias=bias,
        neuron=neuron,
        algorithm=algorithm,
        offspring=offspring,
        redraw_void=redraw_void,
        mutation_probability=mutation_probability,
        target=target,
    )
    return solve_task(task, progress)


def solve_task(task: Task, progress: Progress | None = None) -> ExactRuntime:
    """Return the exact runtime of a run that is ready to be simulated."""
    steps = affordable_steps(task)
    if not has_goal(task):
        raise ValueError(f"target must be given here; by default success is {task.criterion}")
    watch = Watch(progress)
    states = list_states(task, watch)
    probability = 1.0 if task.one_component else task.probability
    moduli = task.grid.moduli[states.components].tolist()
    moved = tuple(displacements(steps, modulus, probability) for modulus in moduli)
    chain, places = make_chain(task, states, moved)
    with np.errstate(over="ignore", invalid="ignore"):
        runtime = ExactRuntime.of(task, chain, chain.moments(watch), places, moved)
    overflow = runtime.probability > 0 and not np.isfinite(runtime.conditional_standard_deviation)
    if overflow or not runtime.bounds.mean <= LARGEST_ERROR:
        raise ValueError(
            f"the mean must be smaller to be proved: it is of the order of "
            f"{runtime.conditional_mean:.0e} evaluations, so that rounding errors may exceed "
            f"{LARGEST_ERROR:.0%}"
        )
    return runtime


def make_chain(
    task: Task, states: States, moved: tuple[np.ndarray, ...]
) -> tuple[AnyChain, tuple[np.ndarray, ...]]:
    """Return the chain of a task and, for each component, which value stands for each value.

    `moved` are the probabilities of the displacements of each component.
    """
    zero = [step[0] for step in moved]
    void = float(np.mean(zero) if task.one_component else np.prod(zero))
    scale = 1.0 / (1.0 - void) if task.redraw_void else 1.0
    one_angle = len(moved) == 1 and moved[0].size > LARGEST_MATRIX
    if one_angle and offspring_of(task) == 1 and not is_comma(task):
        return Ring(states.score, states.target, scale * moved[0]), states.places
    listed = Chain(
        states.score,
        states.target,
        tuple(circulant(step) for step in moved),
        one_component=task.one_component,
        scale=scale,
        offspring=offspring_of(task),
        comma=is_comma(task),
    )
    return listed.joined(states.places)
