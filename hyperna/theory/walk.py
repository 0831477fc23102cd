"""The chain step by step, and where it ends: visits, closed classes, hitting probabilities."""

from collections.abc import Iterator

import numpy as np
from scipy import linalg, sparse
from scipy.sparse import csgraph
from threadpoolctl import threadpool_limits

from hyperna._validation import BoolArray, FloatArray, IntArray
from hyperna.theory.chain import Chain, _substitute, new_level_work
from hyperna.theory.moments import Factors, can_reach


def leave_probabilities(chain: Chain) -> FloatArray:
    """Probability of each state that a step leads to another one."""
    if chain.full:
        everywhere = np.ones(chain.score.size, dtype=bool)
        return _substitute(chain, everywhere, everywhere, False)[2]
    return chain.sparse_accepted.sum(axis=1)


def state_probabilities(chain: Chain, leave: FloatArray, start: FloatArray) -> Iterator[FloatArray]:
    """Yield the probabilities of all states after 0, 1, 2, ... offspring, without end.

    No move is kept in memory if mutation reaches everything. The arrays are reused.
    """
    fixed = chain.target.ravel()
    leave = np.where(fixed, 0.0, leave.ravel())
    now = start.ravel().astype(np.float64)
    if not chain.full:
        back = chain.sparse_accepted.T.tocsr()
        stay = 1.0 - leave
        while True:
            yield now
            now = stay * now + back @ now
    from hyperna._kernels import levels

    order, ends = chain.rising
    axes = np.ascontiguousarray(chain.first.T), np.ascontiguousarray(chain.second.T)
    arguments = (order, ends, chain.split(order), *axes, fixed, leave)
    before, after = np.array([now, np.where(fixed, 0.0, now)]), np.zeros((2, now.size))
    sums = np.zeros(chain.shape)
    while True:
        yield before[0]
        levels.step(*arguments, before, after, sums)
        before, after = after, before


def visits(chain: Chain, leave: FloatArray, start: FloatArray, fixed: BoolArray) -> FloatArray:
    """Expected number of steps in each state before a fixed one is entered.

    For fixed states it is the probability to end there.
    """
    leave, start, fixed = leave.ravel(), start.ravel(), fixed.ravel()
    if not chain.full:
        moves = chain.sparse_accepted
        free = chain.order[~fixed[chain.order]]
        result = np.zeros(fixed.size)
        if free.size:
            result[free] = Factors(chain, moves, free).solve(start[free], trans="T")
        result[fixed] = (start + moves.T @ result)[fixed]
        return result
    from hyperna._kernels import levels

    order, ends = chain.rising
    axes = np.ascontiguousarray(chain.first.T), np.ascontiguousarray(chain.second.T)
    arguments = (order, ends, chain.split(order), *axes, fixed, leave, start)
    result, passed, work = np.zeros(fixed.size), np.zeros(fixed.size), new_level_work(chain)
    with threadpool_limits(1):
        while work.counter[levels.LEVEL] < ends.size:
            levels.solve_visits(*arguments, result, passed, work)
            free = work.counter[levels.WAITING]
            if free == levels.WIDE:
                _visit_wide(chain, fixed, leave, start, result, passed, work.counter)
            elif free:
                right = work.right[0, :free]
                right[:] = linalg.solve(work.system[:free, :free], right, check_finite=False)
    return result


def _visit_wide(
    chain: Chain,
    fixed: BoolArray,
    leave: FloatArray,
    start: FloatArray,
    visits: FloatArray,
    passed: FloatArray,
    counter: IntArray,
) -> None:
    """Do for one wide level what `levels.solve_visits` does for the others."""
    from hyperna._kernels import levels

    order, ends = chain.rising
    number = int(counter[levels.LEVEL])
    begin, end = int(ends[number - 1]) if number else 0, int(ends[number])
    level = chain.wide_level(order[begin:end], fixed)
    entering = start[level.members] + level.inflow(order[:begin], passed[order[:begin]])
    place = ~fixed[level.members]
    found = level.solve(leave[level.free], entering[place])
    visits[level.free] = passed[level.free] = found
    visits[level.given] = (entering + level.inflow(level.free, found))[~place]
    counter[levels.LEVEL], counter[levels.WAITING] = number + 1, 0


def reach_first(chain: Chain, goal: BoolArray) -> FloatArray:
    """Probability for each state to be in `goal` at some time before the chain ends elsewhere."""
    goal = goal.ravel()
    if chain.full:
        # from what is fitter than all of the goal no way leads there, from everything else one does
        highest = chain.score.ravel()[goal].max(initial=np.iinfo(np.int64).min)
        fixed = goal | chain.target.ravel() | (chain.score.ravel() > highest)
        return _substitute(chain, fixed, goal, False)[0]
    moves = chain.sparse_accepted
    free = chain.order[(can_reach(moves, goal) & ~goal & ~chain.target.ravel())[chain.order]]
    result = goal.astype(np.float64)
    if free.size:
        result[free] = Factors(chain, moves, free).solve(moves[free] @ result)
    return result


def closed_classes(chain: Chain) -> list[IntArray]:
    """Where a chain can end, as flat indices of its states.

    The targets come first, then every set of other states without a way out.
    """
    target = chain.target.ravel()
    classes = [np.flatnonzero(target)]
    if chain.full:
        best = (chain.score == chain.score.max()).ravel()
        if (best & target).any():
            return classes
        return [*classes, np.flatnonzero(best)]
    moves = chain.sparse_accepted
    label = csgraph.connected_components(moves, directed=True, connection="strong")[1]
    edges = sparse.coo_array(moves)
    open_label = np.zeros(label.max() + 1, dtype=bool)
    open_label[label[edges.row[label[edges.row] != label[edges.col]]]] = True
    stuck = np.flatnonzero(~open_label[label] & ~target)
    by_label = stuck[np.argsort(label[stuck], kind="stable")]
    cuts = np.flatnonzero(np.diff(label[by_label])) + 1
    return classes + [part for part in np.split(by_label, cuts) if part.size]


def local_optima(score: IntArray) -> BoolArray:
    """Mark the search points of all `plateaus`: no walk over equal ones leads to a fitter one.

    Examples
    --------
    >>> local_optima(np.array([[0, 0, 0], [0, 2, 2], [0, 0, 0], [0, 1, 0], [0, 0, 0]])).astype(int)
    array([[0, 0, 0],
           [0, 1, 1],
           [0, 0, 0],
           [0, 1, 0],
           [0, 0, 0]])
    """
    return np.isin(*plateaus(score))


def plateaus(score: IntArray) -> tuple[IntArray, IntArray]:
    """The number of the plateau of each search point, and the numbers of the local optima.

    A plateau is a set of equally fit neighbours in a landscape on cyclic components. Neighbours
    differ by one step in every component at most; those of a local optimum are not fitter.

    Examples
    --------
    >>> [part.tolist() for part in plateaus(np.array([0, 2, 2, 0, 1]))]
    [[0, 1, 1, 2, 3], [1, 3]]
    """
    grid = score if score.ndim == 2 else score[:, None]
    shifts = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if grid.shape[1] > 1 or j == 0]
    index = np.arange(grid.size).reshape(grid.shape)
    rows, columns = [], []
    beaten = np.zeros(grid.shape, dtype=bool)
    for shift in shifts:
        other = np.roll(grid, shift, (0, 1))
        beaten |= other > grid
        equal = other == grid
        rows.append(index[equal])
        columns.append(np.roll(index, shift, (0, 1))[equal])
    pairs = np.concatenate(rows), np.concatenate(columns)
    graph = sparse.coo_array((np.ones(pairs[0].size), pairs), shape=(grid.size, grid.size))
    label = csgraph.connected_components(graph, directed=False)[1].reshape(grid.shape)
    return label.reshape(score.shape), np.setdiff1d(label, label[beaten])
