"""What may be fitted to a binary problem: candidates, the choice among them, and their searches.

A trial leaves one row for each checkpoint: which of the tried points were classified correctly by
the networks that had not seen them. All differences are paired, and measured by their standard
error over the points. The methods of `Attempt` are pieces of work for other threads or processes.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hyperna._validation import BoolArray, FloatArray, IntArray
from hyperna.classifier import starts
from hyperna.classifier.fitted import PIECE, PIECES, Control, signed_distance
from hyperna.classifier.points import BEYOND_DOUBT, LabelledPoints
from hyperna.classifier.spaces import HalfSpaces, simplified
from hyperna.fitness import FiniteSet
from hyperna.grid import Grid
from hyperna.mutation import StepLaw
from hyperna.networks import Network
from hyperna.outputs import OUTPUTS
from hyperna.search import Search, Task

# The part of a search in which networks of equal score are accepted whatever their margins.
WALK = 0.5
# Random starts of a knock-out; each begins with at least this many evaluations per rival.
STARTS, SHORTEST_ROUND = 16, 3
# Neurons at most where their number is left open.
AUTO_NEURONS = 8
# Larger networks begin with copies: more half-spaces take long to fit, and tell nothing new.
MOST_CONSTRUCTED = 32
# Number of half-spaces tried before larger networks.
FEW = {"xor": 3, "evolved": 4}
# How many standard errors better than a constant answer held-out points must be classified for
# them to have a say.
CONVINCING = 1.0
# Rows of a trial before that of its last networks made simpler: the start and the checkpoints.
SIMPLE = 3
# By how many standard errors a network must beat the simplest candidate to replace it, and by how
# many a smaller network or an earlier checkpoint.
LOYAL, INDIFFERENT, EARLIER = 1.0, 0.5, 1.0
# A difference with at most this standard error is well known.
WELL_KNOWN = 0.01


@dataclass(frozen=True)
class Settings:
    """The parameters of the classifier that matter to a binary problem."""

    neurons: int | str
    output: str
    resolution: int  # of the grid, the finest there is for rotations and continuous laws
    unit: int  # steps on that grid which make a step of the resolution that was asked for
    rotation: bool
    mutation: StepLaw
    max_evals: int
    restarts: int
    stagnation: int | None
    clip: float
    init: str
    neuron: str
    simplifies: bool  # whether simpler networks are looked for, which takes half-spaces
    from_scratch: bool  # whether all is left to evolution; void steps are then redrawn
    # Parts of a search: whether margins decide between equals, and for which part of what is left.
    # From random starts a walk on the plateaus, which margins would forbid, comes first. Starts
    # made from data are near an optimum and gain nothing by it.
    phases: tuple[tuple[bool, float], ...]


@dataclass(frozen=True)
class Candidate:
    """A shape of network and how to begin with it."""

    output: str
    neurons: int
    construction: Callable[..., HalfSpaces] | None  # from the data; None: random starts
    constructed: int  # number of half-spaces wanted
    exact: bool  # whether there must be as many neurons, copies perhaps, or may be fewer
    larger: bool = False  # the candidate before it with more half-spaces, or copies of them

    @property
    def again(self) -> "Candidate":
        """The same shape for further starts, which are to differ from the first."""
        if self.construction is starts.sharp_half_space:
            return replace(self, construction=starts.rough_half_space)
        return self


def candidates(neurons: int | str, output: str, init: str) -> list[Candidate]:
    """Return what the parameters of the classifier leave open, the simplest first."""
    exact = neurons != "auto"
    most = int(neurons) if exact else AUTO_NEURONS
    outputs = tuple(OUTPUTS) if output == "auto" else (output,)
    if init != "data":
        # Evolution needs long looks, so there are few: a vote can be an OR or an AND, too.
        if exact:
            return [Candidate(kind, most, None, most, True) for kind in outputs]
        sizes = [("xor", 2), ("evolved", 4)] if output == "auto" else [(output, 3), (output, most)]
        larger = [Candidate(kind, size, None, size, True) for kind, size in sizes]
        return [Candidate(outputs[0], 1, None, 1, True), *larger]
    if most == 1:
        return [Candidate(outputs[0], 1, starts.sharp_half_space, 1, True)]
    result = [Candidate(outputs[0], most, starts.logistic_half_space, 1, exact)]
    many = min(most, MOST_CONSTRUCTED)
    for kind in outputs:
        few = min(FEW.get(kind, many), many)
        small = Candidate(kind, most, starts.soft_half_spaces, few, exact)
        # more half-spaces, or else copies of them that may go ways of their own
        large = replace(small, constructed=many, exact=exact or few == many, larger=True)
        result += [small] if exact and few == many else [small, large]
    return result


@dataclass(frozen=True)
class Choice:
    """A candidate, at which checkpoint of its trial, and whether held-out points decided.

    The checkpoint is None where nothing was tried.
    """

    candidate: int
    checkpoint: int | None
    convincing: bool


def best_row(points: LabelledPoints, rows: Sequence[BoolArray]) -> int:
    """Return the checkpoint that is best, or the first one that chance may have put behind."""
    best = max(rows, key=points.share.dot)
    for number, right in enumerate(rows):
        if points.lead(best, right, EARLIER) <= 0:
            return number
    return 0


def choose(
    points: LabelledPoints,
    trials: dict[int, list[BoolArray]],
    candidates: int,
    exact: bool,
    lavish: Collection[int] = (),
) -> Choice:
    """Return the candidate to fit.

    It is the one whose networks classify held-out points best; one that is simpler is preferred
    unless the best is better by more than chance explains. Where even the best does no better than
    a constant answer, held-out points have nothing to say, and the simplest is taken. Where the
    number of neurons is given or starts are random (`exact`), all are evolved to the end.
    Candidates with more parameters than points (`lavish`) must be better beyond doubt than the
    simplest, if that is better than a constant answer.
    """
    if 0 not in trials:
        return Choice(0, None, candidates == 1)
    if candidates == 1:
        return Choice(0, len(trials[0]) - 1, True)
    checkpoint: dict[int, int] = {}
    rows: dict[int, BoolArray] = {}
    shares: dict[int, float] = {}
    for c, tried in trials.items():
        number = len(tried[:SIMPLE]) - 1 if exact else best_row(points, tried[:SIMPLE])
        # Simpler networks stand for the candidate, if they are as good.
        if len(tried) > SIMPLE and points.lead(tried[number], tried[SIMPLE], EARLIER) <= 0:
            number = SIMPLE
        must_convince = c in lavish and c > 0 and shares[0] > points.constant
        if not must_convince or points.lead(tried[number], rows[0], BEYOND_DOUBT) > 0:
            checkpoint[c], rows[c] = number, tried[number]
            shares[c] = float(points.share @ rows[c])
    best = max(shares, key=shares.__getitem__)
    doubt = np.sqrt(points.constant * (1 - points.constant) / points.rows)
    if shares[best] <= points.constant + CONVINCING * doubt:
        return Choice(0, checkpoint[0] if exact else 0, False)
    for c in sorted(rows):
        if points.lead(rows[best], rows[c], LOYAL if c == 0 else INDIFFERENT) <= 0:
            return Choice(c, checkpoint[c], True)
    return Choice(best, checkpoint[best], True)


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a search has led to. Better outcomes have larger ranks: score and sum of margins."""

    network: Network
    rank: tuple[int, float]
    evaluations: int
    improvements: tuple[IntArray, FloatArray]


@dataclass(frozen=True, eq=False)
class Attempt:
    """A candidate on some points, and the pieces of work by which its networks are found."""

    points: LabelledPoints
    settings: Settings
    candidate: Candidate
    seed: list[int]  # of the whole fit
    place: tuple[int, ...]  # the part of the work that this is, which has a seed of its own
    number: int = 0  # of the binary problem

    def start(self) -> Network | None:
        """Return the first network, made from the data; None: a random one."""
        if self.candidate.construction is None:
            return None
        small, axes = self.points.span
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=self.place))
        shape = self.candidate.output, self.candidate.constructed
        spaces = self.candidate.construction(small, rng, *shape)
        W = spaces.W if axes is None else spaces.W @ axes
        neurons = self.candidate.neurons if self.candidate.exact else None
        made = replace(spaces, W=W, output=self.candidate.output)
        return made.network(self.settings.resolution, neurons, self.settings.neuron)

    def search(
        self, start: Network | None, budget: int, *place: int, margins: bool = True
    ) -> Search:
        """Return a search, not yet begun; without margins all networks as good are accepted."""
        settings, points, wanted = self.settings, self.points, self.candidate
        shape = points.Z.shape[1], wanted.neurons, settings.resolution, wanted.output
        grid = start.grid if start else Grid(*shape, settings.neuron)
        # The kernel of bent neurons has no margins.
        clip = settings.clip if margins and settings.neuron == "plain" else 0.0
        # where margins decide, they and not negligible weights shape what is left open
        weight = points.decisive if margins and settings.clip > 0 else points.weight
        fitness = FiniteSet.of_checked(points.Z, points.y, weight, clip)
        task = Task(
            law=settings.mutation,
            unit=settings.unit,
            rotation=settings.rotation,
            grid=grid,
            fitness=fitness,
            units=fitness.total,
            bias=True,
            redraw_void=settings.from_scratch,
            probability=1.0 / grid.components,
            sphere=settings.init == "sphere",
            budget=max(1, budget),
            stagnation=settings.stagnation,
            # Without margins nothing is left to gain once all points are right.
            target=1.0 if clip == 0.0 else False,
            restarts=0,
            start=start,
        )
        return Search(task, np.random.SeedSequence(self.seed, spawn_key=(*self.place, *place)))

    def outcome(self, search: Search, before: Outcome | None = None, spent: int = 0) -> Outcome:
        """Return where a search stands that followed another one, or other evaluations."""
        result, clip, tie = search.result(), self.settings.clip, 0.0
        spent = before.evaluations if before else spent
        network, evals = result.network, spent + result.improvements.evaluations
        improvements = evals, result.improvements.fitness
        if before is not None:
            earlier, later = before.improvements, improvements
            improvements = np.append(earlier[0], later[0]), np.append(earlier[1], later[1])
        if clip > 0.0:
            distance = signed_distance(network, self.points.Z)
            tie = float(self.points.gain @ np.clip(distance, -clip, clip))
        rank = self.points.correct(network), tie
        return Outcome(network, rank, spent + result.evaluations, improvements)

    def look(self, control: Control, budget: int) -> tuple[list[Network], int]:
        """Return the candidate's start: made from the data, or the best of random ones."""
        start, spent = self.start(), 0
        if start is None:
            start, spent = self.knock_out(control, budget)
        return [start], spent

    def knock_out(self, control: Control, budget: int, *place: int) -> tuple[Network, int]:
        """Return the best of random starts after some evolution, and the evaluations spent.

        All begin with few evaluations; the better half goes on with twice as many, until one is
        left. Most random starts end in a poor local optimum, and the errors soon tell which ones.
        """
        count = STARTS if self.settings.restarts else 1
        while count > 1 and budget < SHORTEST_ROUND * count**2 * count.bit_length():
            count //= 2
        length = max(1, budget // (count.bit_length() * count))
        every = runs = [self.search(None, budget, *place, k, margins=False) for k in range(count)]
        while True:
            for run in runs:
                if not (run.finished or control.stopped):
                    run.advance(length)
            results = [run.result() for run in runs]
            order = np.argsort([-result.fitness for result in results], kind="stable")
            best = results[order[0]]
            if len(runs) == 1 or best.fitness == 1.0 or control.stopped:
                return best.network, sum(run.evaluations for run in every)
            runs, length = [runs[k] for k in order[: len(runs) // 2]], 2 * length

    def trial(
        self, control: Control, start: Network, stops: tuple[int, ...]
    ) -> tuple[list[Network], int] | None:
        """Return the networks after these numbers of evaluations, and the evaluations spent.

        A walk on plateaus, where there is one, comes before them, and takes as many. Where the
        number of neurons is open, the last of the networks made simpler comes after them, unless it
        has more parameters than there are points.
        """
        networks, spent = [], 0
        try:
            for margins, _ in self.settings.phases:
                search = self.search(start, stops[-1], int(margins), margins=margins)
                ended = False
                for stop in stops:
                    while search.evaluations < stop and not ended:
                        ended = search.advance(stop - search.evaluations)
                    networks.append(search.result().network)
                start, spent = networks[-1], spent + search.evaluations
            networks = networks[-len(stops) :]
            few = start.grid.components <= len(self.points.y)
            if self.settings.simplifies and self.candidate.constructed > 1 and few:
                networks.append(simplified(start, self.points, self.points.doubt(start)))
        except KeyboardInterrupt:
            control.interrupt()
            return None
        if control.report is not None:
            control.pause()
        return networks, spent

    def evolve(
        self, control: Control, start: Network | None, budget: int, spent: int = 0
    ) -> Outcome:
        """Run a search to its end, in pieces; an interrupt ends it early."""
        outcome: Any = None
        left = budget
        for margins, share in self.settings.phases:
            # The first phase has the seed of the whole, as the paper's algorithm would.
            place, part = (1,) if outcome else (), max(1, round(share * left))
            search = self.search(start, part, *place, margins=margins)
            quota = min(search.quota, PIECE)
            if control.report is not None:
                quota = min(quota, max(1, budget // PIECES))
            try:
                while not search.advance(quota) and not control.stopped:
                    if control.report is not None:
                        control.note(self.number, self.outcome(search, outcome, spent))
                        control.pause()
            except KeyboardInterrupt:
                control.interrupt()
            outcome = self.outcome(search, outcome, spent)
            start, left = outcome.network, budget + spent - outcome.evaluations
            if left < 1 or control.stopped:
                break
        control.note(self.number, outcome)
        return outcome

    def final(self, control: Control, known: Network | None, budget: int) -> Outcome:
        """Return the outcome of one of the searches on the whole problem.

        It begins with the network of a trial, if this is known and better than the candidate's
        start (by a standard error, if nothing is evolved: it may have failed), or all is left to
        evolution.
        """
        points, spent = self.points, 0
        start = known if self.settings.from_scratch else self.start()
        if start is None and self.settings.restarts and budget > 1:
            start, spent = self.knock_out(control, budget // 2, 2)
        doubt = points.doubt(start) * points.total if start and budget == 1 else 0.0
        if start and known and points.correct(known) > points.correct(start) + doubt:
            start = known
        return self.evolve(control, start, max(1, budget - spent), spent)
