"""Runs of any combination of options in plain Python: slow, one loop for each kind of selection.

A `Case` names the options as the package does. `simulate(case, rng)` makes one run of it, and
`score(case, network)` judges one network; nothing here comes from hyperna. Networks are lists of
neurons instead of flat genomes, and rotations turn real weights, so that nothing is shared with the
package's way to store them.
"""

from bisect import bisect
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate, pairwise
from math import asin, atan2, cos, exp, pi, sin, sqrt

import reference
import reference_spheres
from reference_algorithms import rounded_output

LAWS = {
    "harmonic": reference.harmonic_law,
    "local": reference.local_law,
    "uniform": reference.uniform_law,
    "power_law": reference.power_law,
}
# growth, decay and probability of a harmonic jump
WITHOUT_JUMPS = "adaptive:growth=1.7,decay=0.9,jump=0"
FOLLOWING = {WITHOUT_JUMPS: (1.7, 0.9, 0.0), "adaptive": (2.0, 0.7, 0.25)}
RESIZED = 0.25  # share of offspring with one neuron more or fewer, where their number evolves


@dataclass(frozen=True)
class Case:
    """The options of a run, named as in the package.

    The fitness is a set of points (`X`, `y`, `weights`), or the circle with positive `arcs`, or the
    sphere in `dim` dimensions with these arcs as azimuths, or fresh points of any of them
    (`online`). `target` is a share; None: no run succeeds.
    """

    X: tuple = ()
    y: tuple = ()
    weights: tuple = ()
    arcs: tuple = ()
    online: int = 0
    judge_once: bool = False
    dim: int = 2
    neurons: int | str = 2
    max_neurons: int = 4
    output: str = "or"
    neuron: str = "plain"
    resolution: int = 12
    move: str = "angle"
    mutation: str = "harmonic"
    bias: bool = True
    redraw_void: bool = False
    mutation_probability: float | None = None
    replace_neuron: float = 0.0
    algorithm: str = "na"
    offspring: int = 3
    members: int = 3
    crossover: float = 0.0
    temperature: float = 0.1
    cooling: float = 0.98
    budget: int = 60
    target: float | None = None
    stagnation: int | None = None
    restarts: int = 0

    @property
    def grows(self):
        return self.neurons == "evolved"

    @property
    def rotates(self):
        return self.move == "rotation" and self.dim > 2

    @property
    def on_sphere(self):
        return bool(self.arcs) and self.dim > 2


@dataclass
class Neuron:
    """A direction (integer angles, or real weights where it is turned), a bias, perhaps a bend."""

    direction: list
    bias: int
    bend: int | None = None

    def copy(self):
        return Neuron(list(self.direction), self.bias, self.bend)


@dataclass
class Net:
    """Hidden neurons, and the output neuron if one is evolved."""

    hidden: list
    output: Neuron | None = None

    def copy(self):
        return Net([one.copy() for one in self.hidden], self.output and self.output.copy())

    @property
    def parts(self):
        return self.hidden if self.output is None else [*self.hidden, self.output]


def slots(case, network):
    """Places of all components: the neuron, what it is, and its number among the directions."""
    found = []
    for place, one in enumerate(network.parts):
        size = len(one.direction) - 1 if case.rotates else len(one.direction)
        found += [(place, "direction", k) for k in range(size)]
        found.append((place, "bias", 0))
        if one.bend is not None:
            found.append((place, "bend", 0))
    return found


def mutable(case, network):
    """Components that mutation may change."""
    return [slot for slot in slots(case, network) if case.bias or slot[1] != "bias"]


def modulus(case, slot):
    return case.resolution + (slot[1] == "bias")


# ---- what a network answers


def weights_of(case, neuron):
    if case.rotates:
        return neuron.direction
    return reference.neuron([*neuron.direction, 0], case.resolution)[0]


def level(case, neuron):
    return (2 * neuron.bias - case.resolution) / case.resolution


def fires(case, neuron, x):
    w = weights_of(case, neuron)
    s = sum(a * b for a, b in zip(w, x, strict=True))
    b = level(case, neuron)
    if neuron.bend is None:
        return s >= b
    away = sqrt(max(0.0, sum(v * v for v in x) - 2 * b * s + b * b))
    return s - b >= reference.cos_turn(neuron.bend, 2 * case.resolution) * away


def answer(case, network, bits):
    """Join the hidden bits, or arrays of them."""
    if len(bits) == 1 or case.output != "evolved":
        return reference.joined(bits, case.output)
    output = network.output
    weighted = zip(weights_of(case, output), bits, strict=True)
    return sum(w * bit for w, bit in weighted) >= level(case, output)


def predicted(case, network, x):
    return answer(case, network, [fires(case, one, x) for one in network.hidden])


# ---- fitness


def score(case, network):
    """Weight of the points, or part of the circle or sphere, that is answered correctly."""
    if case.on_sphere:
        parts = ((tuple(one.direction), one.bias, one.bend) for one in network.parts)
        return area_score(case, tuple(parts))
    return arc_score(case, network) if case.arcs else point_score(case, network)


def perfect(case):
    if case.on_sphere:
        return area_units(case.resolution)
    return reference.circle_units(case.resolution) if case.arcs else sum(point_weights(case))


def accuracy(case):
    """What a share may differ by from the package's: areas are rounded to units of their own."""
    return 5e-10 if case.on_sphere else 1e-12


def point_weights(case):
    return case.weights or [1] * len(case.X)


def point_score(case, network):
    judged = zip(point_weights(case), case.X, case.y, strict=True)
    return sum(w for w, x, label in judged if predicted(case, network, x) == bool(label))


def bent_half_width(case, neuron):
    """Half of the arc on which a bent neuron fires, in radians: theta - arcsin(b sin theta)."""
    theta = pi * neuron.bend / case.resolution
    sine = reference.sin_turn(neuron.bend, 2 * case.resolution)
    return theta - asin(level(case, neuron) * sine)


def half_width(case, neuron, units):
    """Half of the arc on which a neuron fires: arccos b for a plain one."""
    if neuron.bend is None:
        return reference.half_width(neuron.bias, case.resolution, units)
    return round(units / (2 * pi) * bent_half_width(case, neuron))


def arc_score(case, network):
    units = reference.circle_units(case.resolution)
    ends = [int(end * units) for arc in case.arcs for end in arc]
    pieces = []
    for one in network.hidden:
        half = half_width(case, one, units)
        pieces.append(((one.direction[0] * units // case.resolution - half) % units, 2 * half))
    cuts = {0, units, *ends}.union(*((left, (left + width) % units) for left, width in pieces))
    right = 0
    for a, b in pairwise(sorted(cuts)):
        bits = [(a - left) % units < width for left, width in pieces]
        if answer(case, network, bits) == (bisect(ends, a) % 2 == 1):
            right += b - a
    return right


def area_units(resolution):
    """The sphere's area as an integer that grid steps and twenty-fourths divide exactly.

    A unit is 2e-10: far above the errors of areas, 1e-13 at most, so that equal ones are equal
    numbers, and far below the distance of others (`test_reference_spheres.py`).
    """
    multiple = 24 * resolution
    return 2**32 // multiple * multiple


@lru_cache(maxsize=2**15)
def area_score(case, parts):
    """Area of the sphere that is answered correctly by a network with these parts, in units."""
    parts = [Neuron(*part) for part in parts]
    count = len(parts) - (case.output == "evolved" and len(parts) > 1)
    share = area_share(case, Net(parts[:count], *parts[count:]))
    return round(share * area_units(case.resolution))


def area_share(case, network):
    caps = [(weights_of(case, one), height(case, one)) for one in network.hidden]
    if case.dim == 4:
        return reference_spheres.share_at_4(*caps[0], case.arcs)
    return reference_spheres.share(caps, case.arcs, lambda bits: answer(case, network, bits))


def height(case, neuron):
    """The t of the cap w·x >= t on which a neuron fires."""
    return level(case, neuron) if neuron.bend is None else cos(bent_half_width(case, neuron))


def fresh_points(case, rng):
    """Points of one step of an online run, with their labels."""
    if case.arcs:
        ends = [float(end) for arc in case.arcs for end in arc]
        if case.on_sphere:
            places = [uniform_point(case.dim, rng) for _ in range(case.online)]
            turns = [atan2(x[-1], x[-2]) / (2 * pi) % 1 for x in places]
            return [(x, bisect(ends, turn) % 2 == 1) for x, turn in zip(places, turns, strict=True)]
        turns = [rng.random() for _ in range(case.online)]
        places = [(cos(2 * pi * turn), sin(2 * pi * turn)) for turn in turns]
        return [(x, bisect(ends, turn) % 2 == 1) for x, turn in zip(places, turns, strict=True)]
    chosen = rng.choices(range(len(case.X)), point_weights(case), k=case.online)
    return [(case.X[i], bool(case.y[i])) for i in chosen]


def uniform_point(dim, rng):
    """A point that is uniform on the sphere."""
    x = [rng.gauss(0, 1) for _ in range(dim)]
    norm = sqrt(sum(v * v for v in x))
    return [v / norm for v in x]


def hits(case, network, points):
    return sum(predicted(case, network, x) == label for x, label in points)


# ---- mutation


def random_neuron(case, size, bend, rng):
    r = case.resolution
    angles = [rng.randrange(r) for _ in range(size - 1)]
    bias = rng.randrange(r + 1) if case.bias else r // 2
    direction = reference.neuron([*angles, 0], r)[0] if case.rotates else angles
    return Neuron(direction, bias, rng.randrange(r) if bend else None)


def random_network(case, rng, neurons=None):
    bent = case.neuron == "bent"
    count = neurons or (1 if case.grows else case.neurons)
    hidden = [random_neuron(case, case.dim, bent, rng) for _ in range(count)]
    output = None
    if case.output == "evolved" and count > 1:
        output = random_neuron(case, count, False, rng)
    return Net(hidden, output)


def move(case, network, slot, length, rng):
    """Change one component by a length with fair sign."""
    place, kind, k = slot
    one = network.parts[place]
    signed = rng.choice((-1, 1)) * length
    if kind == "bias":
        one.bias = (one.bias + signed) % (case.resolution + 1)
    elif kind == "bend":
        one.bend = (one.bend + signed) % case.resolution
    elif case.rotates:
        i, j = sorted(rng.sample(range(len(one.direction)), 2))
        c, s = cos(2 * pi * signed / case.resolution), sin(2 * pi * signed / case.resolution)
        a, b = one.direction[i], one.direction[j]
        one.direction[i], one.direction[j] = c * a - s * b, s * a + c * b
    else:
        one.direction[k] = (one.direction[k] + signed) % case.resolution


@dataclass
class Steps:
    """Step lengths of one start; where they follow success, one for each component."""

    case: Case
    rng: object
    own: dict = field(default_factory=dict)

    def __post_init__(self):
        law = LAWS.get(self.case.mutation, reference.harmonic_law)(self.case.resolution)
        self.cumulative = list(accumulate(law))
        self.growth, self.decay, self.jump = FOLLOWING.get(self.case.mutation, (1, 1, 1))
        self.jumped = {}

    def drawn(self):
        return bisect(self.cumulative, self.rng.random() * self.cumulative[-1]) + 1

    def lengths(self, chosen):
        """A length for each of the chosen components; `jumped` tells which are jumps."""
        self.jumped = {}
        for slot in chosen:
            jump = self.case.mutation not in FOLLOWING or self.rng.random() < self.jump
            self.jumped[slot] = self.drawn() if jump else 0
        return {
            slot: jumped or int(self.own.get(slot, 1.0)) for slot, jumped in self.jumped.items()
        }

    def learn(self, better):
        if self.case.mutation not in FOLLOWING:
            return
        for slot, jumped in self.jumped.items():
            longest = max(1.0, modulus(self.case, slot) // 4)
            now = self.own.get(slot, 1.0)
            if jumped:
                self.own[slot] = min(max(now, jumped), longest) if better else now
            else:
                factor = self.growth if better else self.decay
                self.own[slot] = min(max(now * factor, 1.0), longest)


def offspring_of(case, parent, steps, rng):
    """An offspring by mutation; the parent itself where nothing was chosen."""
    while True:
        child = parent.copy()
        chosen = None
        if case.replace_neuron and rng.random() < case.replace_neuron:
            steps.jumped = {}
            place = rng.randrange(len(child.hidden))
            child.hidden[place] = random_neuron(case, case.dim, case.neuron == "bent", rng)
        else:
            free = mutable(case, parent)
            probability = case.mutation_probability or 1 / len(slots(case, parent))
            if case.algorithm == "rls":
                chosen = [rng.choice(free)]
            else:
                chosen = [slot for slot in free if rng.random() < probability]
            for slot, length in steps.lengths(chosen).items():
                move(case, child, slot, length, rng)
        if case.redraw_void and child == parent:
            continue
        return parent if chosen == [] else child


def resized(case, parent, steps, rng):
    """An offspring with one neuron more or fewer, its parent's copy if that is impossible."""
    change = rng.choice(("add", "drop", "double"))
    count = len(parent.hidden)
    if count == (1 if change == "drop" else case.max_neurons):
        return None
    child = parent.copy()
    weights = weights_of(case, parent.output) if parent.output else [1.0] * count
    bias = level(case, parent.output) if parent.output else (0.5 if case.bias else 0.0)
    weights = list(weights)
    if change == "add":
        child.hidden.append(random_neuron(case, case.dim, case.neuron == "bent", rng))
        weights.append(rng.uniform(-1, 1))
    else:
        chosen = rng.randrange(count)
        if change == "drop":
            child.hidden.pop(chosen)
            weights.pop(chosen)
        else:
            copy = Net([child.hidden[chosen].copy()])
            move(case, copy, rng.choice(mutable(case, copy)), steps.drawn(), rng)
            child.hidden.append(copy.hidden[0])
            weights[chosen] /= 2
            weights.append(weights[chosen])
    child.output = None
    if case.output == "evolved" and len(child.hidden) > 1:
        *angles, level_ = rounded_output(weights, bias, case.resolution)
        child.output = Neuron(angles, level_ if case.bias else case.resolution // 2)
    return child


# ---- runs


@dataclass
class Run:
    """What happened so far, within its limits."""

    case: Case
    evaluations: int = 0
    best: int = -1
    success: bool = False
    last_gain: int = 0
    best_of_start: int = -1

    def judged(self, value):
        """Note the score of an accepted network, a gain if it beats all others of its start."""
        if value > self.best_of_start:
            self.last_gain = self.evaluations
        self.best_of_start = max(self.best_of_start, value)
        target = self.case.target
        self.success = target is not None and value >= target * perfect(self.case) - 1e-9

    @property
    def horizon(self):
        stagnation = self.case.stagnation
        end = self.case.budget
        return end if stagnation is None else min(end, self.last_gain + stagnation)


def simulate(case, rng):
    """Make one run: evaluations, best fitness as a share, and whether it succeeded."""
    run = Run(case)
    for _ in range(case.restarts + 1):
        run.best_of_start = -1
        run.last_gain = run.evaluations
        START[case.algorithm](case, run, rng)
        run.best = max(run.best, run.best_of_start)
        if run.success or run.evaluations >= case.budget:
            break
    return run.evaluations, run.best / perfect(case), run.success


def one_parent(case, run, rng):
    """(1+1) NA, randomised local search, and growing networks."""
    steps = Steps(case, rng)
    parent = random_network(case, rng)
    run.evaluations += 1
    value = score(case, parent)
    run.judged(value)
    luck = hits(case, parent, fresh_points(case, rng))
    while not run.success:
        if run.evaluations >= run.horizon:
            return
        run.evaluations += 1
        resize = case.grows and rng.random() < RESIZED
        child = (resized if resize else offspring_of)(case, parent, steps, rng)
        if child is None:
            continue
        new = score(case, child)
        accepted = (new, -len(child.hidden)) >= (value, -len(parent.hidden))
        if case.online:
            # a copy of the parent, too, is judged on its points
            points = fresh_points(case, rng)
            own = hits(case, child, points)
            rival = luck if case.judge_once else hits(case, parent, points)
            accepted = own >= rival
            luck = own if accepted else luck
        if not resize:
            steps.learn(accepted and new > value)
        if accepted:
            parent, value = child, new
            run.judged(value)


def generations(case, run, rng):
    """(1+lambda) and (1,lambda): the first best of a generation."""
    steps = Steps(case, rng)
    parent = random_network(case, rng)
    run.evaluations += 1
    value = score(case, parent)
    run.judged(value)
    while not run.success:
        if run.evaluations + case.offspring > run.horizon:
            run.evaluations = run.horizon
            return
        best, chosen = -1, None
        for _ in range(case.offspring):
            child = offspring_of(case, parent, steps, rng)
            new = score(case, child)
            steps.learn(new > value)
            if new > best:
                best, chosen = new, child
        run.evaluations += case.offspring
        if case.algorithm == "one_comma_lambda" or best >= value:
            parent, value = chosen, best
            run.judged(value)


def population(case, run, rng):
    """(mu+1): the offspring replaces a random worst member if it is not worse."""
    steps = Steps(case, rng)
    members, values = [], []
    while len(members) < case.members:
        if run.evaluations >= case.budget:
            return
        run.evaluations += 1
        members.append(random_network(case, rng))
        values.append(score(case, members[-1]))
        run.judged(values[-1])
        if run.success:
            return
    while not run.success:
        if run.evaluations >= run.horizon:
            return
        run.evaluations += 1
        place = rng.randrange(case.members)
        child = members[place].copy()
        if rng.random() < case.crossover:
            child = mixed(child, rng.choice(members), rng)
        child = offspring_of(case, child, steps, rng)
        new = score(case, child)
        steps.learn(new > values[place])
        worst = rng.choice([i for i, value in enumerate(values) if value == min(values)])
        if new >= values[worst]:
            members[worst], values[worst] = child, new
            run.judged(new)


def mixed(one, other, rng):
    """Every neuron from either parent with probability 1/2, the output neuron too."""
    parts = [rng.choice(pair).copy() for pair in zip(one.parts, other.parts, strict=True)]
    count = len(one.hidden)
    return Net(parts[:count], parts[count] if one.output else None)


def annealing(case, run, rng):
    """A worse offspring is accepted with probability exp(-loss / temperature)."""
    steps = Steps(case, rng)
    current = random_network(case, rng)
    run.evaluations += 1
    value = score(case, current)
    run.judged(value)
    temperature = case.temperature
    while not run.success:
        if run.evaluations >= run.horizon:
            return
        run.evaluations += 1
        child = offspring_of(case, current, steps, rng)
        new = score(case, child)
        temperature *= case.cooling
        steps.learn(new > value)
        loss = (value - new) / perfect(case)
        if loss <= 0 or rng.random() < exp(-loss / temperature):
            current, value = child, new
            run.judged(value)


START = {
    "na": one_parent,
    "rls": one_parent,
    "one_plus_lambda": generations,
    "one_comma_lambda": generations,
    "mu_plus_one": population,
    "annealing": annealing,
}
