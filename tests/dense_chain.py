"""A (1+1) chain as one matrix over all search points, and every question in a few lines."""

import numpy as np


def component_moves(modulus, steps, probability):
    """Matrix of one component: the old value by the new one."""
    result = (1 - probability) * np.eye(modulus)
    for value in range(modulus):
        for length, weight in enumerate(steps, start=1):
            result[value, (value + length) % modulus] += probability * weight / 2
            result[value, (value - length) % modulus] += probability * weight / 2
    return result


class Dense:
    """`mutation` from each search point to each other one, their fitness and the targets."""

    def __init__(self, mutation, fitness, target):
        self.fitness, self.target, self.size = fitness, target, fitness.size
        matrix = mutation * (fitness[:, None] <= fitness)
        matrix[np.diag_indices(self.size)] += 1 - matrix.sum(axis=1)
        # what is left of rejected moves by rounding is no move
        self.free_matrix = np.where(matrix < 1e-15, 0.0, matrix)
        self.matrix = self.free_matrix.copy()
        self.matrix[target] = np.eye(self.size)[target]

    def reachable(self, matrix, goal):
        reach = goal.copy()
        while (grown := reach | ((matrix > 0).astype(float) @ reach > 0)).sum() > reach.sum():
            reach = grown
        return reach

    def reach(self, goal, matrix=None):
        """Probability to be in the goal at some time."""
        matrix = self.matrix if matrix is None else matrix
        free = self.reachable(matrix, goal) & ~goal
        result = goal.astype(float)
        system = np.eye(free.sum()) - matrix[np.ix_(free, free)]
        result[free] = np.linalg.solve(system, matrix[free][:, goal].sum(axis=1))
        return result

    def mean(self, goal, matrix=None):
        """Expected steps until a goal, infinite where it may be missed."""
        matrix = self.matrix if matrix is None else matrix
        sure = ~self.reachable(matrix, ~self.reachable(matrix, goal)) | goal
        free = sure & ~goal
        result = np.where(sure, 0.0, np.inf)
        system = np.eye(free.sum()) - matrix[np.ix_(free, free)]
        result[free] = np.linalg.solve(system, np.ones(free.sum()))
        return result

    def success_moments(self):
        """P(T < oo), E[T; T < oo] and E[T^2; T < oo] from every search point."""
        free = self.reachable(self.matrix, self.target) & ~self.target
        reach, time, square = self.target.astype(float), np.zeros(self.size), np.zeros(self.size)
        system = np.eye(free.sum()) - self.matrix[np.ix_(free, free)]
        reach[free] = np.linalg.solve(system, self.matrix[free][:, self.target].sum(axis=1))
        time[free] = np.linalg.solve(system, reach[free])
        square[free] = np.linalg.solve(system, 2 * time[free] - reach[free])
        return reach, time, square

    def curves(self, steps):
        """Probability of success and expected fitness after 0 .. `steps` evaluations."""
        state = np.full(self.size, 1 / self.size)
        found, fitness = [0.0], [np.nan]
        for _ in range(steps):
            found.append(state[self.target].sum())
            fitness.append(state @ self.fitness)
            state = state @ self.matrix
        return np.array(found), np.array(fitness)

    def closed(self):
        """Masks of the closed classes that are not targets, one row each."""
        ways = (self.matrix > 0) | np.eye(self.size, dtype=bool)
        for _ in range(int(np.log2(self.size)) + 1):
            more = ways.astype(np.float32) @ ways.astype(np.float32) > 0
            if (more == ways).all():
                break
            ways = more
        found = {}
        for x in range(self.size):
            if not self.target[x] and ways[ways[x], x].all():
                found[ways[x].tobytes()] = ways[x]
        return np.array(list(found.values()), dtype=bool).reshape(-1, self.size)


def assert_every_answer(runtime, dense, plateaus=True, longest=None):
    """Compare all that an exact runtime answers with the dense chain, to 1e-10.

    Its error bound must be that of rounding over the longest time, of successes if not given.
    """
    exact = {"rtol": 1e-10, "atol": 1e-10}

    def equal(got, wanted):
        np.testing.assert_allclose(np.ravel(got), np.ravel(wanted), **exact)

    reach, time, square = dense.success_moments()
    mean = 1 + dense.mean(dense.target)
    equal(runtime.per_state, mean)
    equal(runtime.mean, mean.mean())
    equal(runtime.per_state_probability, reach)
    equal(runtime.probability, reach.mean())
    equal(runtime.optimum_share, dense.target.mean())
    if reach.any():
        conditional = time.mean() / reach.mean()
        equal(runtime.conditional_mean, 1 + conditional)
        variance = square.mean() / reach.mean() - conditional**2
        equal(runtime.conditional_standard_deviation, np.sqrt(max(0.0, variance)))
        # far from the rounding of doubles only if times are long
        longest = time.max() if longest is None else longest
        assert 0 <= runtime.relative_error_bound < 1e-14 * dense.size * (1 + longest)

    found, fitness = dense.curves(300)
    equal(runtime.distribution(60), found[:61])
    equal(runtime.fixed_budget(60), fitness[:61])
    levels = [level for level in (0.1, 0.5, 0.9) if level < found[-1]]
    if levels:
        # a share may be hit exactly: rounding decides there
        times = np.array(
            [[np.argmax(found >= q - 1e-12), np.argmax(found >= q + 1e-12)] for q in levels]
        )
        got = runtime.quantiles(levels)
        assert ((times[:, 0] <= got) & (got <= times[:, 1])).all()

    classes, ends = dense.closed(), runtime.ends()
    assert ends[0].success
    equal(ends[0].probability, reach.mean())
    equal(sum(end.probability for end in ends), 1.0)
    # a symmetry joins classes that are images of each other
    assert sum(end.size for end in ends[1:]) == classes.sum()
    for end in ends[1:5]:
        basin = dense.reach(end.states.ravel())
        equal(end.probability, basin.mean())
        equal(runtime.visit_probability(end.states), basin)
    anywhere = dense.target | classes.any(axis=0)
    equal(runtime.evaluations_until_end(), 1 + dense.mean(anywhere).mean())

    values, times = runtime.fixed_target()
    for value, expected in list(zip(values, times, strict=True))[:: max(1, len(values) // 4)]:
        goal = dense.fitness >= value - 1e-12
        equal(expected, 1 + dense.mean(goal, dense.free_matrix).mean())

    if plateaus:
        found = runtime.hitting_probabilities()
        assert found[0].fitness == runtime.fitness.max()
        for plateau in found:
            equal(plateau.probability, dense.reach(plateau.states.ravel()).mean())
