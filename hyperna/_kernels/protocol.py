"""What a kind of fitness, of law and of neuron must offer to the loop, and how the loop finds it.

A kind is a NamedTuple of arrays and numbers. `implement` ties functions to it; compiled code
chooses among them by the type of its first argument while compiling, so that a run compiles the
code of its own kinds only. Interpreted code chooses when called.

A kind of fitness (`hyperna._kernels.pair` is the shortest example):

``workspace(fitness)``
    Arrays that the other functions keep their intermediate results in. Not called by compiled code:
    it is a method of the kind.
``prepare(fitness, work, genome)``
    Evaluate `genome` from nothing and make it the parent; return its score and its second value,
    which decides between equal scores.
``evaluate(fitness, work, genome)``
    The same function, merged into its caller.
``look(fitness, work, mutation, steps, genes, first, last, score, second)``
    The first of the steps from `first` to before `last` whose offspring is accepted: its score is
    greater than `score`, or equal and its second value is not less than `second`. That offspring
    becomes the parent, in ``genes[GENOME]`` too. Returns the step, the offspring's score and its
    second value; ``last, score, second`` if no offspring is accepted.
``score_rows(fitness, work, genomes, scores, first, last)``
    Write the scores of the genomes in the rows from `first` to before `last`. A kind that has none
    of its own evaluates one after the other.
``optimal(fitness, work, genome, optima, tolerance)``
    Whether every component is within less than `tolerance` grid units of one of the optima.
``write_genome(fitness, work, mutation, genome)``
    Write what `look` has left out of the genome. A kind whose genome is always complete has none.
``resized(fitness, topology, neurons)``
    The same for networks of another size, where the number of neurons evolves; the arrays of
    ``workspace`` are those of the largest size.

A kind of law (`hyperna._kernels.lengths`): ``draw_lengths`` draws steps, ``aim`` completes some of
them before they are looked at, and ``learn`` is told which of these is the parent now, or their end
if none is, and whether it has improved the score.

A kind of move of a direction: ``draw_planes`` (`hyperna._kernels.steps`) draws what a step needs
besides its length, and ``step_by`` takes a step; ``resized`` as above.

A kind of algorithm (`hyperna._kernels.pursuits`): ``pursue`` simulates until the start is over, an
offspring is accepted that is worth a record, or a limit is reached.

A kind of neuron (`hyperna._kernels.shapes`): ``half_width(shape, bias, bend, before, changed)`` is
half the length, in units, of the arc on which it fires; `bias` and `bend` are its components after
the angle. It may return `before` instead of computing it again if neither has changed: bits 0 and 1
of `changed`.
"""

from collections.abc import Callable
from typing import Any

from numba.extending import overload

from hyperna._kernels.jit import INLINE, INNER

_IMPLEMENTATIONS: dict[tuple[str, type], Callable[..., Any]] = {}


def implement(kind: Any, workspace: Any = None, **functions: Callable[..., Any]) -> None:
    """Tie the functions of the protocol to a kind; `workspace` becomes a method of it."""
    if workspace is not None:
        kind.workspace = workspace
    for name, function in functions.items():
        _IMPLEMENTATIONS[name, kind] = function


def _chosen(name: str, kind: Any) -> Callable[..., Any] | None:
    return _IMPLEMENTATIONS.get((name, getattr(kind, "instance_class", type(kind))))


def prepare(fitness, work, genome):
    return _IMPLEMENTATIONS["prepare", type(fitness)](fitness, work, genome)


def evaluate(fitness, work, genome):
    return prepare(fitness, work, genome)


def look(fitness, work, mutation, steps, genes, first, last, score, second):
    function = _IMPLEMENTATIONS["look", type(fitness)]
    return function(fitness, work, mutation, steps, genes, first, last, score, second)


def optimal(fitness, work, genome, optima, tolerance):
    return _IMPLEMENTATIONS["optimal", type(fitness)](fitness, work, genome, optima, tolerance)


def _score_each(fitness, work, genomes, scores, first, last):
    for i in range(first, last):
        scores[i], _ = prepare(fitness, work, genomes[i])


def score_rows(fitness, work, genomes, scores, first, last):
    function = _IMPLEMENTATIONS.get(("score_rows", type(fitness)), _score_each)
    return function(fitness, work, genomes, scores, first, last)


def _write_nothing(fitness, work, mutation, genome):
    pass


def write_genome(fitness, work, mutation, genome):
    function = _IMPLEMENTATIONS.get(("write_genome", type(fitness)), _write_nothing)
    return function(fitness, work, mutation, genome)


def resized(kind, topology, neurons):
    return _IMPLEMENTATIONS["resized", type(kind)](kind, topology, neurons)


def draw_lengths(law, mutation, stream, steps, wanted, moves, changed):
    function = _IMPLEMENTATIONS["draw_lengths", type(law)]
    return function(law, mutation, stream, steps, wanted, moves, changed)


def aim(law, mutation, steps, first, last, changed):
    return _IMPLEMENTATIONS["aim", type(law)](law, mutation, steps, first, last, changed)


def learn(law, mutation, steps, i, last, changed, improved):
    return _IMPLEMENTATIONS["learn", type(law)](law, mutation, steps, i, last, changed, improved)


def draw_planes(move, mutation, stream, steps, wanted, changed):
    function = _IMPLEMENTATIONS["draw_planes", type(move)]
    return function(move, mutation, stream, steps, wanted, changed)


def step_by(move, mutation, steps, i, genome, changed, old):
    function = _IMPLEMENTATIONS["step_by", type(move)]
    return function(move, mutation, steps, i, genome, changed, old)


def pursue(plan, fitness, work, mutation, limits, run, population, notable, quota):
    function = _IMPLEMENTATIONS["pursue", type(plan)]
    return function(plan, fitness, work, mutation, limits, run, population, notable, quota)


def half_width(shape, bias, bend, before, changed):
    return _IMPLEMENTATIONS["half_width", type(shape)](shape, bias, bend, before, changed)


@overload(prepare, jit_options=INNER)
def _prepare(fitness, work, genome):
    return _chosen("prepare", fitness)


@overload(evaluate, jit_options=INLINE)
def _evaluate(fitness, work, genome):
    return _chosen("prepare", fitness)


# Inlined, because handing over its arguments takes as long as looking at a few offspring.
@overload(look, jit_options=INLINE)
def _look(fitness, work, mutation, steps, genes, first, last, score, second):
    return _chosen("look", fitness)


@overload(score_rows, jit_options=INLINE)
def _score_rows(fitness, work, genomes, scores, first, last):
    return _chosen("score_rows", fitness) or _score_each


@overload(optimal, jit_options=INNER)
def _optimal(fitness, work, genome, optima, tolerance):
    return _chosen("optimal", fitness)


@overload(write_genome, jit_options=INNER)
def _write_genome(fitness, work, mutation, genome):
    return _chosen("write_genome", fitness) or _write_nothing


@overload(resized, jit_options=INLINE)
def _resized(kind, topology, neurons):
    return _chosen("resized", kind)


@overload(draw_lengths, jit_options=INNER)
def _draw_lengths(law, mutation, stream, steps, wanted, moves, changed):
    return _chosen("draw_lengths", law)


@overload(aim, jit_options=INLINE)
def _aim(law, mutation, steps, first, last, changed):
    return _chosen("aim", law)


@overload(learn, jit_options=INLINE)
def _learn(law, mutation, steps, i, last, changed, improved):
    return _chosen("learn", law)


@overload(pursue, jit_options=INLINE)
def _pursue(plan, fitness, work, mutation, limits, run, population, notable, quota):
    return _chosen("pursue", plan)


@overload(half_width, jit_options=INLINE)
def _half_width(shape, bias, bend, before, changed):
    return _chosen("half_width", shape)


@overload(draw_planes, jit_options=INLINE)
def _draw_planes(move, mutation, stream, steps, wanted, changed):
    return _chosen("draw_planes", move)


@overload(step_by, jit_options=INLINE)
def _step_by(move, mutation, steps, i, genome, changed, old):
    return _chosen("step_by", move)
