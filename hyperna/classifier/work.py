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
    ) -> Search:
        """Return a search, not yet begun."""
        neurons, output = candidate.neurons, candidate.output
        if start is not None:
            neurons, output = start.grid.neurons, start.grid.output
        first = "grid" if self.init == "data" else self.init
        na = OnePlusOneNA(neurons, output, self.resolution, self.mutation, init=first)
        task = na.task(
            FiniteSet(points.Z, points.y, points.weight, tie_clip=self.clip),
            budget=max(1, budget),
            stagnation=self.stagnation,
            # Without margins nothing is left to gain once all points are right.
            target=1.0 if self.clip == 0.0 else False,
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
    def of(cls, search: Search, points: LabelledPoints, clip: float) -> "Outcome":
        """Return where a search stands."""
        result = search.result()
        return cls(
            network=result.network,
            score=points.correct(result.network),
            tie=margin_sum(result.network, points.Z, points.gain, clip),
            evaluations=result.evaluations,
            improvements=(result.improvements.evaluations, result.improvements.fitness),
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
    search = settings.search(points, candidate, start, stops[-1], seed)
    networks = []
    try:
        for stop in stops:
            search.advance(max(1, stop - search.evaluations))
            networks.append(search.result().network)
    except KeyboardInterrupt:
        control.interrupt()
        return None
    control.pause()
    return networks, search.evaluations


def evolve(
    control: Control, number: int, points: LabelledPoints, settings: Settings, search: Search
) -> Outcome:
    """Run a search to its end, in pieces; an interrupt ends it early."""
    quota = min(search.task.quota, PIECE)
    if control.report is not None:
        quota = min(quota, max(1, search.task.budget // control.pieces))
    try:
        while not search.advance(quota) and not control.stopped:
            if control.report is not None:
                control.note(number, Outcome.of(search, points, settings.clip))
                control.pause()
    except KeyboardInterrupt:
        control.interrupt()
    outcome = Outcome.of(search, points, settings.clip)
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
    search = settings.search(points, candidate, start, budget, seed)
    return evolve(control, number, points, settings, search)


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
    search = settings.search(points, candidate, network, settings.max_evals, seed)
    return evolve(control, number, points, settings, search)
