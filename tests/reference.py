"""The (1+1) NA and its parts in plain Python: slow, short and obvious.

The tests compare the package with this file and the benchmarks take it as the baseline, so
nothing here comes from hyperna. A genome is a list of integers: for every hidden neuron its D - 1
angles and then its bias; an evolved output adds N - 1 angles and a bias.
"""

import random
from bisect import bisect
from fractions import Fraction
from itertools import accumulate, pairwise, permutations
from math import asin, cos, floor, log, pi, sin, sqrt

HALF = [(Fraction(0), Fraction(1, 2))]
QUARTER = [(Fraction(0), Fraction(1, 4))]
TWO_QUARTERS = [(Fraction(0), Fraction(1, 4)), (Fraction(1, 2), Fraction(3, 4))]
LOCAL_OPT = [
    (Fraction(0), Fraction(1, 6)),
    (Fraction(1, 3), Fraction(1, 2)),
    (Fraction(2, 3), Fraction(11, 12)),
]

# Optima at D = 2: for each a list of (angle in turns, bias value), one per hidden neuron.
HALF_OPTIMA = [[(Fraction(1, 4), 0.0)]]
QUARTER_OPTIMA = [[(Fraction(1, 8), sqrt(2) / 2)]]
TWO_QUARTERS_OPTIMA = [[(Fraction(1, 8), sqrt(2) / 2), (Fraction(5, 8), sqrt(2) / 2)]]
# XOR: the two arcs, or the two gaps, or all but one of these and the other, or half circles
TWO_QUARTERS_XOR_OPTIMA = [
    TWO_QUARTERS_OPTIMA[0],
    [(Fraction(1, 8), -sqrt(2) / 2), (Fraction(5, 8), -sqrt(2) / 2)],
    [(Fraction(3, 8), -sqrt(2) / 2), (Fraction(3, 8), sqrt(2) / 2)],
    [(Fraction(7, 8), -sqrt(2) / 2), (Fraction(7, 8), sqrt(2) / 2)],
    [(Fraction(1, 4), 0.0), (Fraction(1, 2), 0.0)],
    [(Fraction(3, 4), 0.0), (Fraction(0), 0.0)],
]
LOCAL_OPT_OPTIMA = [
    [(Fraction(11, 12), 0.0)],
    [(Fraction(3, 4), -sqrt(3) / 2)],
    [(Fraction(1, 12), -sqrt(3) / 2)],
]


# ---- the algorithm


def one_plus_one_na(fitness, found, moduli, steps, rng, budget, *, bias=True, probability=None):
    """One run of the (1+1) NA at D = 2: final genome, its fitness and the evaluations used.

    `fitness(genome)` is exact, `found(genome)` says whether the optimum is reached, `moduli` has
    one entry a component, `steps` the probabilities of the step lengths 1, 2, .... Without bias
    every second component stays at value 0, which is index r/2.
    """
    probability = probability or 1 / len(moduli)
    lengths = range(1, len(steps) + 1)
    cumulative = list(accumulate(steps))
    mutable = range(0, len(moduli), 1 if bias else 2)
    x = [rng.randrange(m) for m in moduli]
    if not bias:
        x[1::2] = [(m - 1) // 2 for m in moduli[1::2]]
    best = fitness(x)
    evaluations = 1
    done = found(x)
    while not done and evaluations < budget:
        y = x.copy()
        for i in mutable:
            if rng.random() < probability:
                length = rng.choices(lengths, cum_weights=cumulative)[0]
                y[i] = (y[i] + rng.choice((-1, 1)) * length) % moduli[i]
        value = fitness(y)
        evaluations += 1
        if value >= best:
            x, best = y, value
            done = found(x)
    return x, best, evaluations


def paper_budget(resolution):
    return floor(100 * resolution * log(resolution))


def grid_moduli(neurons, resolution, output="or", dim=2):
    hidden = ([2] if dim == 1 else [resolution] * (dim - 1)) + [resolution + 1]
    evolved = [resolution] * (neurons - 1) + [resolution + 1]
    return hidden * neurons + (evolved if output == "evolved" and neurons > 1 else [])


# ---- step laws: the probabilities of l = 1 .. r


def harmonic_law(resolution):
    total = sum(1 / i for i in range(1, resolution + 1))
    return [1 / (i * total) for i in range(1, resolution + 1)]


def local_law(resolution):
    return [1.0] + [0.0] * (resolution - 1)


def uniform_law(resolution):
    return [1 / resolution] * resolution


def power_law(resolution, exponent=1.5):
    weights = [i**-exponent for i in range(1, resolution + 1)]
    return [weight / sum(weights) for weight in weights]


# ---- networks


def cos_turn(phi, resolution):
    """cos(2 pi phi / r), exact at twelfths and quarters, mirrored angles alike."""
    phi = min(phi % resolution, -phi % resolution)
    if 4 * phi > resolution:
        return -cos_turn(resolution - 2 * phi, 2 * resolution)
    if 6 * phi == resolution:
        return 0.5
    if 8 * phi <= resolution:
        return cos(2 * pi * phi / resolution)
    return sin(2 * pi * (resolution - 4 * phi) / (4 * resolution))


def sin_turn(phi, resolution):
    return cos_turn(4 * phi - resolution, 4 * resolution)


def neuron(genes, resolution, orientation=False):
    """Unit normal and bias of one neuron: D - 1 angles, then the bias."""
    *angles, bias = genes
    bias_value = (2 * bias - resolution) / resolution
    if orientation:
        return [1.0 - 2.0 * angles[0]], bias_value
    weights, product = [], 1.0
    for phi in angles:
        weights.append(product * cos_turn(phi, resolution))
        product *= sin_turn(phi, resolution)
    return [*weights, product], bias_value


def fires(weights, bias, x):
    return sum(w * v for w, v in zip(weights, x, strict=True)) >= bias


# What a network answers where so many of its hidden neurons fire, by the name of its output. All
# tests take it from here: a new kind of output is one line. An output neuron is not listed, for it
# has weights of its own.
JOINED = {
    "or": lambda firing, neurons: firing > 0,
    "and": lambda firing, neurons: firing == neurons,
    "xor": lambda firing, neurons: firing % 2 == 1,
}


def joined(bits, output):
    """The answer to the bits of the hidden neurons: a list, or an array with the neurons first.

    A single neuron is joined with nothing, whatever the output is called.
    """
    if len(bits) == 1:
        return bits[0]
    if output not in JOINED:
        raise ValueError(f"no reference for output {output!r}: add it to reference.JOINED")
    return JOINED[output](sum(bits), len(bits))


def output_rule(genome, neurons, resolution, output, width=2):
    """The function of the hidden bits that is the network's answer."""
    if output == "evolved" and neurons > 1:
        weights, bias = neuron(genome[neurons * width :], resolution)
        return lambda bits: fires(weights, bias, bits)
    # what `joined` says, but faster: benchmarks take runs with these as their baseline
    if output == "or" or neurons == 1:
        return any
    if output == "and":
        return all
    return lambda bits: joined(bits, output)


def predict(genome, X, neurons, resolution, output="or"):
    dim = len(X[0])
    width = max(dim, 2)
    hidden = [
        neuron(genome[i * width : (i + 1) * width], resolution, orientation=dim == 1)
        for i in range(neurons)
    ]
    answer = output_rule(genome, neurons, resolution, output, width)
    return [answer([fires(w, b, x) for w, b in hidden]) for x in X]


# ---- fitness


def point_fitness(X, y, neurons, resolution, output="or", weights=None):
    """Genome -> total weight of the points classified correctly."""
    weights = weights or [1] * len(X)

    def fitness(genome):
        answers = predict(genome, X, neurons, resolution, output)
        return sum(w for w, a, t in zip(weights, answers, y, strict=True) if a == bool(t))

    return fitness


def circle_units(resolution):
    """The circumference as an integer that all grid angles and all twelfths divide exactly.

    About 2**44 units: fine enough for every arc, coarse enough that `asin` is right to a small part
    of one, so that arcs which add up to a grid angle in exact arithmetic still do after rounding.
    """
    multiple = 24 * resolution
    return max(2**44 // multiple, 1) * multiple


def half_width(bias, resolution, units):
    """Half of the arc w·x >= b, arccos b, rounded symmetrically about a quarter of the circle."""
    return units // 4 - round(units / (2 * pi) * asin((2 * bias - resolution) / resolution))


def arc_fitness(arcs, neurons, resolution, output="or"):
    """Genome -> length of the circle classified correctly, an integer out of `circle_units`.

    `arcs` are disjoint and in order. Every end of an arc is a cut; between two cuts nothing
    changes, so the left end stands for all.
    """
    units = circle_units(resolution)
    ends = [int(end * units) for arc in arcs for end in arc]
    fixed_cuts = {0, units, *ends}

    def fitness(genome):
        hidden = []
        for i in range(0, 2 * neurons, 2):
            half = half_width(genome[i + 1], resolution, units)
            hidden.append(((genome[i] * units // resolution - half) % units, 2 * half))
        answer = output_rule(genome, neurons, resolution, output)
        cuts = fixed_cuts.union(*((left, (left + width) % units) for left, width in hidden))
        correct = 0
        for a, b in pairwise(sorted(cuts)):
            bits = [(a - left) % units < width for left, width in hidden]
            inside = bisect(ends, a) % 2 == 1
            if answer(bits) == inside:
                correct += b - a
        return correct

    return fitness


# ---- the paper's definition of "optimum found"


def cyclic_distance(a, b, modulus):
    d = (a - b) % modulus
    return min(d, modulus - d)


def optimum_test(optima, resolution):
    """Genome -> is every component less than 1 away from an optimum's, neurons in any order?"""
    targets = [
        [(float(angle * resolution), (bias + 1) * resolution / 2) for angle, bias in order]
        for optimum in optima
        for order in permutations(optimum)
    ]

    def found(genome):
        neurons = list(zip(genome[0::2], genome[1::2], strict=False))
        return any(
            all(
                cyclic_distance(phi, target_phi, resolution) < 1
                and cyclic_distance(b, target_b, resolution + 1) < 1
                for (phi, b), (target_phi, target_b) in zip(neurons, target, strict=False)
            )
            for target in targets
        )

    return found


def run(
    arcs, optima, *, neurons=1, resolution=120, law=harmonic_law, seed=0, budget=None, **options
):
    """One run on a union of arcs with OR: the evaluations used."""
    _, _, evaluations = one_plus_one_na(
        arc_fitness(arcs, neurons, resolution),
        optimum_test(optima, resolution),
        grid_moduli(neurons, resolution),
        law(resolution),
        random.Random(seed),
        budget or paper_budget(resolution),
        **options,
    )
    return evaluations
