"""The pieces of work of a fit, which may be sent to other processes: starts, trials, searches."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hyperna._validation import FloatArray, IntArray
from hyperna.algorithm import OnePlusOneNA
from hyperna.classifier.candidates import Candidate
from hyperna.classifier.control import Control
from hyperna.classifier.margins import margin_sum
from hyperna.classifier.points import LabelledPoints
from hyperna.fitness import FiniteSet
from hyperna.mutation import StepLaw
from hyperna.networks import Network
from hyperna.search import Search

# Offspring between which an interrupt from the keyboard is noticed: a fraction of a second.
PIECE = 2**13
# The part of a search in which networks of equal score are accepted whatever their margins.
WALK = 0.5


@dataclass(frozen=True)
class Settings:
    """The parameters of the classifier that matter to a binary problem."""

    neurons: int | str
    output: str
    resolution: int
    mutation: StepLaw
    max_evals: int
    restarts: int
    stagnation: int | None
    clip: float
    init: str

    def search(
        self,
        points: LabelledPoints,
        candidate: Candidate,
        start: Network | None,
        budget: int,
        seed: Any,
        margins: bool = True,
    ) -> Search:
        """Return a search, not yet begun; without margins all networks as good are accepted."""
        clip = self.clip if margins else 0.0
        neurons, output = candidate.neurons, candidate.output
        if start is not None:
            neurons, output = start.grid.neurons, start.grid.output
        first = "grid" if self.init == "data" else self.init
        na = OnePlusOneNA(neurons, output, self.resolution, self.mutation, init=first)
        task = na.task(
            # where margins decide, they and not negligible weights shape what is left open
            FiniteSet(
                points.Z, points.y, points.decisive if clip > 0 else points.weight, tie_clip=clip
            ),
            budget=max(1, budget),
            stagnation=self.stagnation,
            # Without margins nothing is left to gain once all points are right.
            target=1.0 if clip == 0.0 else False,
            start=start,
        )
        return Search(task, seed)

    def start(
        self, points: LabelledPoints, candidate: Candidate, seed: np.random.SeedSequence
    ) -> Network | None:
        """Return a candidate's first network."""
        unit = OnePlusOneNA(1, "or", self.resolution, self.mutation).unit
        return candidate.start(points, self.resolution * unit, np.random.default_rng(seed))


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a search has led to."""

    network: Network
    score: int
    tie: float
    evaluations: int
    improvements: tuple[IntArray, FloatArray]

    @classmethod
    def of(
        cls,
        search: Search,
        points: LabelledPoints,
        clip: float,
        before: "Outcome | None" = None,
    ) -> "Outcome":
        """Return where a search stands that may have followed another one."""
        result = search.result()
        evals, fitness = result.improvements.evaluations, result.improvements.fitness
        if before is not None:
            evals = np.concatenate([before.improvements[0], before.evaluations + evals])
            fitness = np.concatenate([before.improvements[1], fitness])
        return cls(
            network=result.network,
            score=points.correct(result.network),
            tie=margin_sum(result.network, points.Z, points.gain, clip),
            evaluations=result.evaluations + (before.evaluations if before else 0),
            improvements=(evals, fitness),
        )

    @property
    def rank(self) -> tuple[int, float]:
        """Better outcomes have larger ranks."""
        return self.score, self.tie


def first_look(
    control: Control,
    points: LabelledPoints,
    settings: Settings,
    candidate: Candidate,
    seed: np.random.SeedSequence,
) -> Network:
    """Return a candidate's start."""
    start = settings.start(points, candidate, seed)
    return start or settings.search(points, candidate, None, 1, seed).result().network


def trial(
    control: Control,
    points: LabelledPoints,
    settings: Settings,
    candidate: Candidate,
    start: Network,
    stops: tuple[int, ...],
    seed: np.random.SeedSequence,
) -> tuple[list[Network], int] | None:
    """Return the networks after these numbers of evaluations, and the evaluations spent."""
    networks, spent = [start], 0
    try:
        for number, stop in enumerate(stops):
            for margins, share in phases(settings):
                budget = max(1, round(share * (stop - spent)))
                place = child(seed, number, int(margins))
                search = settings.search(points, candidate, networks[-1], budget, place, margins)
                search.advance(budget)
                result = search.result()
                spent += result.evaluations
                networks.append(result.network)
    except KeyboardInterrupt:
        control.interrupt()
        return None
    control.pause()
    each = len(phases(settings))
    return networks[each::each], spent


def phases(settings: Settings) -> list[tuple[bool, float]]:
    """Return whether margins decide between equals, and for which part of what is left.

    From random starts a walk on the plateaus comes first, which margins would forbid; they are
    widened afterwards. Starts made from data are near an optimum and gain nothing by it.
    """
    walk = settings.init != "data" and settings.clip > 0.0
    return [(False, WALK), (True, 1.0)] if walk else [(True, 1.0)]


def child(seed: np.random.SeedSequence, *place: int) -> np.random.SeedSequence:
    """Return the seed of a part of the work."""
    return np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, *place))


def evolve(
    control: Control,
    number: int,
    points: LabelledPoints,
    settings: Settings,
    candidate: Candidate,
    start: Network | None,
    budget: int,
    seed: np.random.SeedSequence,
) -> Outcome:
    """Run a search to its end, in pieces; an interrupt ends it early."""
    outcome = None
    for margins, share in phases(settings):
        left = budget - (outcome.evaluations if outcome else 0)
        if outcome is not None:
            start = outcome.network
            if left < 1 or control.stopped:
                break
        part = max(1, round(share * left))
        # The first phase has the seed of the whole, as the paper's algorithm would.
        own = child(seed, 1) if outcome else seed
        search = settings.search(points, candidate, start, part, own, margins)
        quota = min(search.task.quota, PIECE)
        if control.report is not None:
            quota = min(quota, max(1, budget // control.pieces))
        try:
            while not search.advance(quota) and not control.stopped:
                if control.report is not None:
                    control.note(number, Outcome.of(search, points, settings.clip, outcome))
                    control.pause()
        except KeyboardInterrupt:
            control.interrupt()
        outcome = Outcome.of(search, points, settings.clip, outcome)
    if outcome is None:
        raise RuntimeError("a search has at least one phase")
    control.note(number, outcome)
    return outcome


def final(
    control: Control,
    number: int,
    points: LabelledPoints,
    settings: Settings,
    candidate: Candidate,
    known: Network | None,
    budget: int,
    seed: np.random.SeedSequence,
) -> Outcome:
    """Return the outcome of one of the searches on the whole problem.

    It begins with the start of a trial, if this is known and better than the candidate's start.
    """
    start = settings.start(points, candidate, seed)
    if start and known and points.correct(known) > points.correct(start):
        start = known
    return evolve(control, number, points, settings, candidate, start, budget, seed)


def continued(
    control: Control,
    number: int,
    points: LabelledPoints,
    settings: Settings,
    candidate: Candidate,
    network: Network,
    seed: np.random.SeedSequence,
) -> Outcome:
    """Return the outcome of a search that begins with a given network."""
    budget = settings.max_evals
    return evolve(control, number, points, settings, candidate, network, budget, seed)
