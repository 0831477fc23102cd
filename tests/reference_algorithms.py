"""Relatives of the (1+1) NA in plain Python: slow, short and obvious, like `reference.py`.

Every function makes one run and returns the evaluations used, or None if the budget ran out.
`problem` has `fitness(genome)`, `found(genome)`, `moduli` (values of each component) and `width`
(components of a neuron); `mutate(genome)` returns an offspring, which may equal its parent.
Success is judged on networks that are accepted, and on the first ones.
"""

import random
from bisect import bisect
from itertools import accumulate
from math import atan2, exp, pi, sqrt
from types import SimpleNamespace

import reference


def circle(arcs, optima, neurons, resolution):
    """A problem on the circle with neurons joined by OR."""
    return SimpleNamespace(
        fitness=reference.arc_fitness(arcs, neurons, resolution),
        found=reference.optimum_test(optima, resolution),
        moduli=reference.grid_moduli(neurons, resolution),
        width=2,
        units=reference.circle_units(resolution),
    )


def random_genome(problem, rng):
    return [rng.randrange(modulus) for modulus in problem.moduli]


def length_drawer(steps, rng):
    """A function that draws step lengths with the probabilities `steps` of 1, 2, ...."""
    cumulative = list(accumulate(steps))
    return lambda: bisect(cumulative, rng.random() * cumulative[-1]) + 1


def each_component(problem, steps, rng):
    """Mutation of each component with probability 1/M."""
    length = length_drawer(steps, rng)

    def mutate(genome):
        child = list(genome)
        for i, modulus in enumerate(problem.moduli):
            if rng.random() < 1 / len(problem.moduli):
                child[i] = (child[i] + rng.choice((-1, 1)) * length()) % modulus
        return child

    return mutate


def one_component(problem, steps, rng):
    """Mutation of exactly one component."""
    length = length_drawer(steps, rng)

    def mutate(genome):
        child = list(genome)
        i = rng.randrange(len(child))
        child[i] = (child[i] + rng.choice((-1, 1)) * length()) % problem.moduli[i]
        return child

    return mutate


# ---- algorithms


def one_parent(problem, mutate, rng, budget, offspring=1, comma=False):
    """(1+lambda) and (1,lambda): all offspring of a generation, then the first best of them."""
    parent = random_genome(problem, rng)
    value, evaluations = problem.fitness(parent), 1
    while not problem.found(parent):
        if evaluations + offspring > budget:
            return None
        children = [mutate(parent) for _ in range(offspring)]
        values = [problem.fitness(child) for child in children]
        evaluations += offspring
        if comma or max(values) >= value:
            value = max(values)
            parent = children[values.index(value)]
    return evaluations


def steady_state(problem, mutate, rng, budget, members, crossover=0.0):
    """(mu+1): the offspring replaces a random one of the worst members if it is not worse."""
    population = []
    for evaluations in range(1, members + 1):
        population.append(random_genome(problem, rng))
        if problem.found(population[-1]):
            return evaluations
    values = [problem.fitness(member) for member in population]
    while evaluations < budget:
        child = rng.choice(population)
        if rng.random() < crossover:
            child = mix_neurons(problem, child, rng.choice(population), rng)
        child = mutate(child)
        value = problem.fitness(child)
        evaluations += 1
        worst = rng.choice([i for i in range(members) if values[i] == min(values)])
        if value >= values[worst]:
            population[worst], values[worst] = child, value
            if problem.found(child):
                return evaluations
    return None


def mix_neurons(problem, one, other, rng):
    """Every neuron from either parent with probability 1/2."""
    child = []
    for first in range(0, len(one), problem.width):
        child += rng.choice((one, other))[first : first + problem.width]
    return child


def annealing(problem, mutate, rng, budget, temperature, cooling):
    """A worse offspring is accepted with probability exp(-loss / temperature).

    The loss is a share of the circle; every evaluation multiplies the temperature by `cooling`.
    """
    current = random_genome(problem, rng)
    value, evaluations = problem.fitness(current), 1
    while not problem.found(current):
        if evaluations == budget:
            return None
        child = mutate(current)
        new = problem.fitness(child)
        evaluations += 1
        temperature *= cooling
        loss = (value - new) / problem.units
        if loss <= 0 or (temperature > 0 and rng.random() < exp(-loss / temperature)):
            current, value = child, new
    return evaluations


def adaptive(problem, rng, budget, growth, decay, jump, steps, replace=0.0, redraw=False):
    """(1+1) NA with a step length for each component that follows success, and harmonic jumps.

    A mutated component jumps with probability `jump` by a length drawn from `steps`, else it moves
    by its own length. With probability `replace` a random neuron is drawn again instead.
    """
    length = length_drawer(steps, rng)
    moduli = problem.moduli
    genome, own = random_genome(problem, rng), [1.0] * len(moduli)
    value, evaluations = problem.fitness(genome), 1
    while not problem.found(genome):
        if evaluations == budget:
            return None
        child, jumped = list(genome), {}
        replaced = rng.random() < replace
        if replaced:
            first = rng.randrange(len(moduli) // problem.width) * problem.width
            for i in range(first, first + problem.width):
                child[i] = rng.randrange(moduli[i])
        else:
            for i, modulus in enumerate(moduli):
                if rng.random() < 1 / len(moduli):
                    jumped[i] = length() if rng.random() < jump else 0
                    distance = jumped[i] or int(own[i])
                    child[i] = (child[i] + rng.choice((-1, 1)) * distance) % modulus
        if redraw and child == genome:
            continue
        new = problem.fitness(child)
        evaluations += 1
        for i, distance in jumped.items():
            longest = max(1.0, moduli[i] // 4)
            if distance:
                own[i] = min(max(own[i], distance), longest) if new > value else own[i]
            else:
                factor = growth if new > value else decay
                own[i] = min(max(own[i] * factor, 1.0), longest)
        if new >= value:
            genome, value = child, new
    return evaluations


# ---- networks of any size


def rounded_output(weights, bias, resolution):
    """Angles and bias on the grid of an output neuron whose weights have any length."""
    rest, angles = weights[-1], []
    for w in reversed(weights[:-1]):
        angles.append(round(atan2(rest, w) / (2 * pi) * resolution) % resolution)
        rest = sqrt(rest**2 + w**2)
    value = max(-1.0, min(1.0, bias / sqrt(max(1e-300, sum(w * w for w in weights)))))
    return [*reversed(angles), round((value + 1) / 2 * resolution)]


def changed_size(genome, neurons, change, rng, length, resolution, output, most):
    """The genome with a neuron added, left out or doubled, and its size; None if impossible."""
    if neurons == (1 if change == "drop" else most):
        return None
    hidden = [genome[2 * i : 2 * i + 2] for i in range(neurons)]
    weights, bias = [1.0], 0.5
    if neurons > 1 and output == "evolved":
        weights, bias = reference.neuron(genome[2 * neurons :], resolution)
    else:
        weights = weights * neurons
    if change == "add":
        hidden.append([rng.randrange(resolution), rng.randrange(resolution + 1)])
        weights = [*weights, rng.uniform(-1, 1)]
    else:
        chosen = rng.randrange(neurons)
        if change == "drop":
            hidden.pop(chosen)
            weights.pop(chosen)
        else:
            copy, i = list(hidden[chosen]), rng.randrange(2)
            copy[i] = (copy[i] + rng.choice((-1, 1)) * length()) % (resolution + i)
            hidden.append(copy)
            weights[chosen] /= 2
            weights = [*weights, weights[chosen]]
    tail = rounded_output(weights, bias, resolution) if output == "evolved" else []
    return [g for one in hidden for g in one] + tail * (len(hidden) > 1), len(hidden)


def evolved_topology(arcs, target, steps, rng, budget, resolution, output, most):
    """(1+1) NA from one neuron; a quarter of the offspring have one neuron more or fewer.

    `target` is a share of the circle. Returns evaluations and the number of neurons.
    """
    length = length_drawer(steps, rng)
    fitness = [reference.arc_fitness(arcs, n, resolution, output) for n in range(most + 1)]
    enough = target * reference.circle_units(resolution)
    neurons, genome = 1, [rng.randrange(resolution), rng.randrange(resolution + 1)]
    value, evaluations = fitness[1](genome), 1
    while value < enough and evaluations < budget:
        evaluations += 1
        child, size = list(genome), neurons
        if rng.random() < 0.25:
            change = rng.choice(("add", "drop", "double"))
            made = changed_size(genome, neurons, change, rng, length, resolution, output, most)
            if made is None:
                continue
            child, size = made
        else:
            moduli = reference.grid_moduli(neurons, resolution, output)
            for i, modulus in enumerate(moduli):
                if rng.random() < 1 / len(moduli):
                    child[i] = (child[i] + rng.choice((-1, 1)) * length()) % modulus
        new = fitness[size](child)
        if (new, -size) >= (value, -neurons):
            genome, neurons, value = child, size, new
    return evaluations, neurons


def runtimes(run, runs, seed):
    """Evaluations of independent runs: `run` takes a random generator."""
    return [run(random.Random(f"{seed}/{number}")) for number in range(runs)]
