"""The kernel that simulates a task, and the arrays it needs: one for each kind of algorithm.

Kernels of other algorithms than the (1+1) NA are loaded when they are used.
"""

from typing import Any

import numpy as np

from hyperna._kernels import loop, state
from hyperna._validation import check_integer
from hyperna.plateaus import STATES_PER_WAIT, is_closed

Seed = int | np.random.SeedSequence | None


def seed_words(seed: Seed) -> Any:
    """Return the entropy of a seed: what is to be stored to repeat the runs."""
    if isinstance(seed, np.random.SeedSequence):
        return seed
    if seed is not None:
        seed = check_integer("seed", seed, 0)
    return np.random.SeedSequence(seed)


def new_trace(improvements: int, path: int, components: int) -> state.Trace:
    """Return arrays for as many improvements and accepted genomes."""
    return state.Trace(
        np.zeros((improvements, 2), np.int64), np.zeros((path, 2 + components), np.int64)
    )


def doubled_trace(old: state.Trace) -> state.Trace:
    """Return a copy with room for twice as much."""
    new = new_trace(2 * len(old.improvements), 2 * len(old.path), old.path.shape[1] - 2)
    for new_part, old_part in zip(new, old, strict=True):
        new_part[: len(old_part)] = old_part
    return new


def new_arrays(task: Any) -> Any:
    """Return new arrays of the kernel's own: for waiting times, a population, another size."""
    if task.topology is not None:
        from hyperna._kernels.topology import new_spare

        return new_spare(task.kernel, task.mutation)
    if task.plan is not None:
        from hyperna._kernels.populations import new_population

        return new_population(task.plan, task.mutation)
    return None if task.patience is None else state.new_waiting(task.mutation, task.patience)


def settle_plateau(task: Any, run: state.Run) -> None:
    """End a run that is on a plateau without a way out."""
    # a second value may forbid steps between equal scores, so that nothing is certain
    if getattr(task.fitness, "tie_clip", 0.0) == 0.0:
        counter = run.counter
        most = STATES_PER_WAIT * int(counter[state.WAITS])
        if is_closed(task, run.genes[state.GENOME].copy(), task.plateaus, most):
            counter[state.STUCK_AT] = counter[state.EVALUATIONS]
            counter[state.STOP] = state.STUCK


def advance_runs(task: Any, work: Any, arrays: Any, key: Any, run: Any, *others: Any) -> int:
    """Let the kernel of the task's algorithm simulate runs; return FULL when the trace is."""
    given = (task.kernel, work, task.mutation, task.limits)
    if task.topology is not None:
        from hyperna._kernels.topology import run_topology_batch

        return int(run_topology_batch(*given, task.topology, key, run, arrays, *others))
    if task.plan is None:
        status = int(loop.run_batch(*given, task.optima, arrays, key, run, *others))
        if status == state.PLATEAU:
            settle_plateau(task, run)
        return status
    from hyperna._kernels.populations import run_population_batch

    return int(run_population_batch(*given, task.plan, key, run, arrays, *others))
