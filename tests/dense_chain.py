"""A chain as one matrix over all search points, and every question in a few lines."""

from fractions import Fraction
from functools import cached_property
from itertools import product

import numpy as np
from scipy.linalg import lu_factor, lu_solve
from scipy.sparse.csgraph import connected_components


def component_moves(modulus, steps, probability):
    """Matrix of one component: the old value by the new one."""
    result = (1 - probability) * np.eye(modulus)
    for value in range(modulus):
        for length, weight in enumerate(steps, start=1):
            result[value, (value + length) % modulus] += probability * weight / 2
            result[value, (value - length) % modulus] += probability * weight / 2
    return result


def all_components(moduli, steps, probability):
    """Matrix of all genomes where each component is mutated with this probability."""
    result = np.ones((1, 1))
    for modulus in moduli:
        result = np.kron(result, component_moves(modulus, steps, probability))
    return result


def one_component(moduli, steps):
    """Matrix of all genomes where one component, drawn uniformly, is mutated."""
    genomes = list(product(*(range(modulus) for modulus in moduli)))
    place = {genome: i for i, genome in enumerate(genomes)}
    result = np.zeros((len(genomes), len(genomes)))
    for genome in genomes:
        for component, modulus in enumerate(moduli):
            for length, weight in enumerate(steps, start=1):
                for sign in (-1, 1):
                    moved = list(genome)
                    moved[component] = (moved[component] + sign * length) % modulus
                    share = weight / (2 * len(moduli))
                    result[place[genome], place[tuple(moved)]] += share
    return result


def best_of(mutation, fitness, offspring):
    """Distribution of the first best of several mutants of each search point.

    One mutant after the other is looked at; a later one must be better than the best so far.
    """
    best = mutation.copy()
    for _ in range(offspring - 1):
        not_better = mutation @ (fitness[:, None] <= fitness)
        worse = best @ (fitness[:, None] < fitness)
        best = best * not_better + mutation * worse
    return best


class Dense:
    """`mutation` from each search point to each other one, their fitness and the targets.

    The first best of `offspring` mutants is taken if it is not less fit, or with `comma` always.
    """

    def __init__(self, mutation, fitness, target, offspring=1, comma=False):
        self.fitness, self.target, self.size = fitness, target, fitness.size
        self.offspring = offspring
        matrix = best_of(mutation, fitness, offspring)
        if not comma:
            matrix = matrix * (fitness[:, None] <= fitness)
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
        factors = lu_factor(np.eye(free.sum()) - self.matrix[np.ix_(free, free)])
        reach[free] = lu_solve(factors, self.matrix[free][:, self.target].sum(axis=1))
        time[free] = lu_solve(factors, reach[free])
        square[free] = lu_solve(factors, 2 * time[free] - reach[free])
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

    @cached_property
    def closed(self):
        """Masks of the closed classes that are not targets, one row each."""
        ways = self.matrix > 0
        count, label = connected_components(ways, connection="strong")
        # the class of every state that a way leads out of
        left = np.zeros(count, dtype=bool)
        left[label[np.nonzero(ways & (label[:, None] != label))[0]]] = True
        kept = [k for k in np.flatnonzero(~left) if not self.target[label == k].any()]
        return np.array([label == k for k in kept], dtype=bool).reshape(-1, self.size)


def assert_every_answer(runtime, dense, plateaus=True, longest=None, comma=False):
    """Compare all that an exact runtime answers with the dense chain, to 1e-10.

    Its error bounds must be those of rounding over the longest time, of successes if not given.
    """
    exact = {"rtol": 1e-10, "atol": 1e-10}
    cost = dense.offspring

    def equal(got, wanted):
        np.testing.assert_allclose(np.ravel(got), np.ravel(wanted), **exact)

    reach, time, square = dense.success_moments()
    mean = 1 + cost * dense.mean(dense.target)
    equal(runtime.per_state, mean)
    equal(runtime.mean, mean.mean())
    equal(runtime.per_state_probability, reach)
    equal(runtime.probability, reach.mean())
    equal(runtime.optimum_share, dense.target.mean())
    if reach.any():
        conditional = time.mean() / reach.mean()
        equal(runtime.conditional_mean, 1 + cost * conditional)
        variance = square.mean() / reach.mean() - conditional**2
        equal(runtime.conditional_standard_deviation, cost * np.sqrt(max(0.0, variance)))
        # far from the rounding of doubles only if times are long
        longest = time.max() if longest is None else longest
        most = 1e-14 * cost * dense.size * (1 + longest)
        assert 0 <= runtime.bounds.mean < most
        assert 0 <= runtime.bounds.probability < most

    found, fitness = dense.curves(300)
    # a generation takes `cost` evaluations
    steps = np.append(0, 1 + np.arange(60) // cost)
    equal(runtime.distribution(60), found[steps])
    equal(runtime.fixed_budget(60), fitness[steps])
    levels = [level for level in (0.1, 0.5, 0.9) if level < found[-1]]
    if levels:
        # a share may be hit exactly: rounding decides there
        times = np.array(
            [[np.argmax(found >= q - 1e-12), np.argmax(found >= q + 1e-12)] for q in levels]
        )
        times = 1 + cost * (times - 1)
        got = runtime.quantiles(levels)
        assert ((times[:, 0] <= got) & (got <= times[:, 1])).all()
        low, high = runtime.quantile_bounds(levels)
        assert ((times[:, 0] <= low) & (low <= got) & (got <= high) & (high <= times[:, 1])).all()

    classes, ends = dense.closed, runtime.ends()
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
    equal(runtime.evaluations_until_end(), 1 + cost * dense.mean(anywhere).mean())

    if not comma:
        values, times = runtime.fixed_target()
        for value, expected in list(zip(values, times, strict=True))[:: max(1, len(values) // 4)]:
            goal = dense.fitness >= value - 1e-9
            equal(expected, 1 + cost * dense.mean(goal, dense.free_matrix).mean())

    if plateaus:
        found = runtime.hitting_probabilities()
        assert found[0].fitness == runtime.fitness.max()
        for plateau in found:
            wanted = dense.reach(plateau.states.ravel()).mean()
            equal(plateau.probability, wanted)
            assert plateau.error < 1e-10


# ---- in fractions


def fraction_moves(moduli, steps, probability, one_at_a_time):
    """Moves between all genomes as rows of fractions."""
    genomes = list(product(*(range(modulus) for modulus in moduli)))

    def moved(modulus, chance):
        """Probability of each displacement of a component."""
        shift = [Fraction(0)] * modulus
        shift[0] += 1 - chance
        for length, weight in enumerate(steps, start=1):
            shift[length % modulus] += chance * weight / 2
            shift[-length % modulus] += chance * weight / 2
        return shift

    chance = Fraction(1) if one_at_a_time else probability
    shifts = [moved(modulus, chance) for modulus in moduli]
    rows = []
    for x in genomes:
        row = []
        for y in genomes:
            parts = [shift[(b - a) % len(shift)] for shift, a, b in zip(shifts, x, y, strict=True)]
            if one_at_a_time:
                total = Fraction(0)
                for k, part in enumerate(parts):
                    same = all(a == b for j, (a, b) in enumerate(zip(x, y, strict=True)) if j != k)
                    total += part / len(parts) if same else 0
            else:
                total = Fraction(1)
                for part in parts:
                    total *= part
            row.append(total)
        rows.append(row)
    return rows


def best_of_fractions(moves, score, offspring, comma):
    """Moves of the first best of some mutants; what is not accepted stays."""
    size = len(score)
    result = []
    for x, mutant in enumerate(moves):
        best = list(mutant)
        for _ in range(offspring - 1):
            new = []
            for y in range(size):
                not_better = sum(mutant[z] for z in range(size) if score[z] <= score[y])
                worse = sum(best[z] for z in range(size) if score[z] < score[y])
                new.append(best[y] * not_better + mutant[y] * worse)
            best = new
        if not comma:
            best = [p if score[y] >= score[x] else Fraction(0) for y, p in enumerate(best)]
            best[x] += 1 - sum(best)
        result.append(best)
    return result


def expected_steps(moves, target):
    """Expected steps to a target and their expected squares from every genome, by elimination."""
    free = [x for x, there in enumerate(target) if not there]
    system = [[(x == y) - moves[x][y] for y in free] for x in free]
    time = solve_fractions(system, [Fraction(1)] * len(free))
    square = solve_fractions(system, [2 * t - 1 for t in time])
    result = [[Fraction(0)] * len(target) for _ in range(2)]
    for x, t, s in zip(free, time, square, strict=True):
        result[0][x], result[1][x] = t, s
    return result


def solve_fractions(system, right):
    """Gaussian elimination; the diagonal dominates."""
    rows = [[*row, value] for row, value in zip(system, right, strict=True)]
    size = len(rows)
    for k in range(size):
        pivot = rows[k][k]
        rows[k] = [value / pivot for value in rows[k]]
        for i in range(size):
            factor = rows[i][k]
            if i != k and factor:
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k], strict=True)]
    return [row[-1] for row in rows]
