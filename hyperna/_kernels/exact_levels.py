"""Linear systems of a (1+1) chain on the product of two components, fitness level by fitness level.

A state x is a pair (x1, x2) of a first and a second component, as a flat index; state y contributes
to x with the weight ``first[x1, y1] * second[x2, y2]``. Fitness never falls, so states are dealt
with in the sequence of their fitness. What those dealt with so far contribute is kept as

    sums[i, j] = sum over the states y = (k, j) so far of first[i, k] v(y),

a row of which, times a row of `second`, is the sum over all of them. Entering a state costs as many
operations as the first component has values, reading one as many as the second has: a chain of n
states on two axes of length about r takes n r steps and memory for a few arrays of n numbers,
though it has n^2 moves. All terms are positive, so that no digits cancel. States are entered
BLOCK at a time, row by row of the sums, which then stay in the fast caches; the contribution of
those that are not entered yet is added up one by one.

Every kernel returns after about `quota` operations and goes on where it was when it is called
again, so that Python can tell how far it is, and be interrupted.
"""

from typing import NamedTuple

import numpy as np

from hyperna._kernels.jit import inline_kernel, kernel

BLOCK = 512
# Larger systems are left to LAPACK.
SMALL = 24
# Columns of the values of `solve_values`: 1, u and v. A fourth makes it faster.
ONE, U, V, COLUMNS = 0, 1, 2, 4


@inline_kernel
def enter_columns(sums, first, order, split, begin, end, values):
    """Add the contributions of states to the sums of all rows, four columns at a time."""
    for i in range(sums.shape[0]):
        weight = first[i]
        row = sums[i]
        for n in range(begin, end):
            y = order[n]
            p, j = weight[split[0, n]], split[1, n]
            row[j, 0] += p * values[y, 0]
            row[j, 1] += p * values[y, 1]
            row[j, 2] += p * values[y, 2]
            row[j, 3] += p * values[y, 3]


@inline_kernel
def read_columns(sums, first, second, order, split, begin, end, values, i, k, inflow):
    """Set what the entered states and those from begin to end contribute to the state (i, k)."""
    row = sums[i]
    weight = second[k]
    level = first[i]
    one, u, v, spare = 0.0, 0.0, 0.0, 0.0
    for j in range(weight.size):
        p = weight[j]
        one += p * row[j, 0]
        u += p * row[j, 1]
        v += p * row[j, 2]
        spare += p * row[j, 3]
    for n in range(begin, end):
        y = order[n]
        p = level[split[0, n]] * weight[split[1, n]]
        one += p * values[y, 0]
        u += p * values[y, 1]
        v += p * values[y, 2]
        spare += p * values[y, 3]
    inflow[0], inflow[1], inflow[2], inflow[3] = one, u, v, spare


@inline_kernel
def enter(sums, first, order, split, begin, end, values):
    """Add the contributions of states to the sums of all rows."""
    for i in range(sums.shape[0]):
        weight = first[i]
        row = sums[i]
        for n in range(begin, end):
            row[split[1, n]] += weight[split[0, n]] * values[order[n]]


@inline_kernel
def read(sums, first, second, order, split, begin, end, values, i, k):
    """Return what the entered states and those from begin to end contribute to the state (i, k)."""
    row = sums[i]
    weight = second[k]
    level = first[i]
    even = 0.0
    odd = 0.0
    width = weight.size
    for j in range(0, width - 1, 2):
        even += weight[j] * row[j]
        odd += weight[j + 1] * row[j + 1]
    if width % 2:
        even += weight[width - 1] * row[width - 1]
    for n in range(begin, end):
        even += level[split[0, n]] * weight[split[1, n]] * values[order[n]]
    return even + odd


@inline_kernel
def eliminate(system, size):
    """LU factors of a small system in place, without pivoting: the diagonal dominates."""
    for k in range(size):
        for i in range(k + 1, size):
            system[i, k] /= system[k, k]
            for j in range(k + 1, size):
                system[i, j] -= system[i, k] * system[k, j]


@inline_kernel
def solve_factored(system, size, right):
    """Solve in place with the factors of `eliminate`."""
    for i in range(size):
        for j in range(i):
            right[i] -= system[i, j] * right[j]
    for i in range(size - 1, -1, -1):
        for j in range(i + 1, size):
            right[i] -= system[i, j] * right[j]
        right[i] /= system[i, i]


class Sequence(NamedTuple):
    """The states in the sequence in which they are dealt with, and the moves of both components.

    Each of the two may stand for a group of components. `order` holds the states and `ends` says
    where each fitness level ends in it; `split` has two rows, the components of the states in the
    sequence of `order`, because divisions are slow.
    """

    order: np.ndarray
    ends: np.ndarray
    split: np.ndarray
    first: np.ndarray
    second: np.ndarray


class Work(NamedTuple):
    """Room for the sums and for the system of one level, and how far the solution has come.

    `right` has two rows; `place` says where the free states of the level are in the sequence.
    `counter` holds the level, how many states are entered into the sums, and the number of free
    states of a level that waits for its solution (0: none does, WIDE: one without a system).
    """

    sums: np.ndarray
    inflow: np.ndarray
    system: np.ndarray
    right: np.ndarray
    place: np.ndarray
    counter: np.ndarray


LEVEL, ENTERED, WAITING = range(3)
WIDE = -1
# Operations between two returns to Python, about a tenth of a second.
QUOTA = 2 * 10**7


@inline_kernel
def fill(system, place, free, split, first, second, order, leave):
    """Set the system of the free states of a level."""
    for a in range(free):
        i, k = split[0, place[a]], split[1, place[a]]
        for b in range(free):
            system[a, b] = -first[i, split[0, place[b]]] * second[k, split[1, place[b]]]
        system[a, a] = leave[order[place[a]]]


@kernel
def solve_values(states, fixed, a, b, doubled, values, leave, gaps, work, quota):
    """Solve q u = P u + a and q v = P v + b for all states that are not fixed.

    If `doubled` the second equation is q v = P v + b + 2 u. What is asked by them:
    `hyperna.theory.substitution`. `order` begins with the fittest states. `values` (n, COLUMNS)
    holds 1, u and v, given for fixed states; `leave` becomes q. `gaps` gets the largest absolute
    residual of u and of v, and the largest sum of the terms of their equations.

    Returns when all levels are solved, or after `quota` operations, or before the LEVEL that the
    counter tells with a number WAITING:

    - so many states of a level that is not SMALL. The caller solves ``work.system`` for them: it
      replaces the first so many of ``work.right[0]`` by u and of ``work.right[1]``, which is still
      without 2 u, by v, and calls again.
    - WIDE: the level is larger than the system. The caller sets the values of its states, and goes
      on with the next LEVEL and nobody WAITING.
    """
    order, ends, split, first, second = states
    sums, inflow, system, right, place, counter = work
    spent = 0
    for level in range(counter[LEVEL], ends.size):
        begin = ends[level - 1] if level else 0
        end = ends[level]
        entered = counter[ENTERED]
        free = counter[WAITING]
        if spent > quota:
            counter[LEVEL] = level
            return
        if end - begin > system.shape[0]:
            counter[LEVEL] = level
            counter[WAITING] = WIDE
            return
        if free == 0:
            # 1. the right-hand sides: what fitter states and fixed ones of this level contribute
            if begin - entered >= BLOCK:
                enter_columns(sums, first, order, split, entered, begin, values)
                spent += (begin - entered) * sums.shape[0]
                entered = begin
            spent += (end - begin) * (end - entered + sums.shape[1])
            for n in range(begin, end):
                i, k = split[0, n], split[1, n]
                flow = inflow[n - begin]
                read_columns(sums, first, second, order, split, entered, begin, values, i, k, flow)
                total = 0.0
                for m in range(begin, end):
                    if m != n:
                        p = first[i, split[0, m]] * second[k, split[1, m]]
                        total += p
                        if fixed[order[m]]:
                            flow[U] += p * values[order[m], U]
                            flow[V] += p * values[order[m], V]
                x = order[n]
                leave[x] = flow[ONE] + total
                if not fixed[x]:
                    flow[U] += a[x]
                    flow[V] += b[x]
                    right[0, free], right[1, free] = flow[U], flow[V]
                    place[free] = n
                    free += 1
            # 2. the system of the free states, solved here or by the caller
            fill(system, place, free, split, first, second, order, leave)
            counter[LEVEL] = level
            counter[ENTERED] = entered
            if free > SMALL:
                counter[WAITING] = free
                return
            eliminate(system, free)
            solve_factored(system, free, right[0])
            if doubled:
                for n in range(free):
                    right[1, n] += 2.0 * right[0, n]
            solve_factored(system, free, right[1])
        counter[WAITING] = 0
        # 3. the solutions, and how much their equations miss
        for number in range(free):
            n = place[number]
            x, i, k = order[n], split[0, n], split[1, n]
            values[x, U], values[x, V] = right[0, number], right[1, number]
            for c in range(2):
                into = inflow[n - begin, U + c]
                out = leave[x] * right[c, number]
                if c == 1 and doubled:
                    into += 2.0 * right[0, number]
                for other in range(free):
                    if number != other:
                        p = first[i, split[0, place[other]]] * second[k, split[1, place[other]]]
                        into += p * right[c, other]
                gaps[0, c] = max(gaps[0, c], abs(into - out))
                gaps[1, c] = max(gaps[1, c], into + out)
    counter[LEVEL] = ends.size


@kernel
def solve_visits(states, fixed, leave, start, visits, passed, work, quota):
    """Set how many steps the chain spends in each state on average before it is in a fixed one.

    `order` begins with the least fit states; `first` and `second` are the transposes of those of
    `solve_values`, and it returns like that, with one right-hand side. For fixed states it is the
    probability to enter them. `passed` becomes the same with 0 for fixed states.
    """
    order, ends, split, first, second = states
    sums, _, system, right, place, counter = work
    spent = 0
    for level in range(counter[LEVEL], ends.size):
        begin = ends[level - 1] if level else 0
        end = ends[level]
        entered = counter[ENTERED]
        free = counter[WAITING]
        if spent > quota:
            counter[LEVEL] = level
            return
        if end - begin > system.shape[0]:
            counter[LEVEL] = level
            counter[WAITING] = WIDE
            return
        if free == 0:
            if begin - entered >= BLOCK:
                enter(sums, first, order, split, entered, begin, passed)
                spent += (begin - entered) * sums.shape[0]
                entered = begin
            spent += (end - begin) * (end - entered + sums.shape[1])
            for n in range(begin, end):
                x, i, k = order[n], split[0, n], split[1, n]
                flow = read(sums, first, second, order, split, entered, begin, passed, i, k)
                visits[x] = start[x] + flow
                if not fixed[x]:
                    right[0, free] = visits[x]
                    place[free] = n
                    free += 1
            fill(system, place, free, split, first, second, order, leave)
            counter[LEVEL] = level
            counter[ENTERED] = entered
            if free > SMALL:
                counter[WAITING] = free
                return
            eliminate(system, free)
            solve_factored(system, free, right[0])
        counter[WAITING] = 0
        for a in range(free):
            x = order[place[a]]
            visits[x] = passed[x] = right[0, a]
        if free < end - begin:
            for n in range(begin, end):
                x, i, k = order[n], split[0, n], split[1, n]
                if fixed[x]:
                    for a in range(free):
                        m = place[a]
                        visits[x] += first[i, split[0, m]] * second[k, split[1, m]] * right[0, a]
    counter[LEVEL] = ends.size


@kernel
def step(states, fixed, leave, before, after, sums, counter, quota):
    """Set the probabilities of the states after one step, as `solve_visits` takes its arguments.

    `before` and `after` have a second row: the same with fixed states set to 0. `counter` holds the
    LEVEL and how many states are ENTERED; it and the sums begin with 0.
    """
    order, ends, split, first, second = states
    spent = 0
    for level in range(counter[LEVEL], ends.size):
        begin = ends[level - 1] if level else 0
        end = ends[level]
        entered = counter[ENTERED]
        if spent > quota:
            counter[LEVEL] = level
            return
        if end - entered >= BLOCK:
            enter(sums, first, order, split, entered, end, before[1])
            spent += (end - entered) * sums.shape[0]
            entered = end
            counter[ENTERED] = entered
        spent += (end - begin) * (end - entered + sums.shape[1])
        for n in range(begin, end):
            x, i, k = order[n], split[0, n], split[1, n]
            total = read(sums, first, second, order, split, entered, end, before[1], i, k)
            if fixed[x]:
                after[0, x] = before[0, x] + total
            else:
                stay = 1.0 - leave[x] - first[i, i] * second[k, k]
                after[0, x] = after[1, x] = stay * before[0, x] + total
    counter[LEVEL] = ends.size


@kernel
def inflows(states, values, inflow, sums, counter, quota):
    """Set what all states that are not less fit contribute to each state, itself included.

    `order` begins with the fittest states. `values` and `inflow` are (n, COLUMNS); `counter` is as
    that of `step`, and the sums begin with 0.
    """
    order, ends, split, first, second = states
    spent = 0
    for level in range(counter[LEVEL], ends.size):
        begin = ends[level - 1] if level else 0
        end = ends[level]
        entered = counter[ENTERED]
        if spent > quota:
            counter[LEVEL] = level
            return
        if end - entered >= BLOCK:
            enter_columns(sums, first, order, split, entered, end, values)
            spent += (end - entered) * sums.shape[0]
            entered = end
            counter[ENTERED] = entered
        spent += (end - begin) * (end - entered + sums.shape[1])
        for n in range(begin, end):
            flow = inflow[order[n]]
            i, k = split[0, n], split[1, n]
            read_columns(sums, first, second, order, split, entered, end, values, i, k, flow)
    counter[LEVEL] = ends.size
