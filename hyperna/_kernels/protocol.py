"""What a kind of fitness, law, neuron and algorithm must offer to the loop, and how it is found.

A kind is a NamedTuple of arrays and numbers. `implement` ties functions to it; compiled code
chooses among them by the type of its first argument while compiling, so that a run compiles the
code of its own kinds only. Interpreted code chooses when called. Functions are tied to a kind below
them: a search for ``implement(`` in this folder lists all of them.

A kind of fitness (`hyperna._kernels.cones` is the shortest example):

``workspace(fitness)``
    Arrays that the other functions keep their intermediate results in. Not called by compiled code:
    it is a method of the kind.
``prepare(fitness, work, genome)``
    Evaluate `genome` from nothing; return its score. In the work space it is the parent then, with
    which `first_accepted` goes on. No more is meant by that: populations have genomes evaluated
    that are no parents.
``evaluate(fitness, work, genome)``
    `prepare`, merged into its caller.
``first_accepted(fitness, work, mutation, steps, genes, first, last, score)``
    The first of the steps from `first` to before `last` whose offspring is accepted: its score is
    not less than `score`. That offspring becomes the parent, in ``genes[GENOME]`` too. Returns the
    step and the offspring's score; ``last, score`` if no offspring is accepted.
``score_rows(fitness, work, genomes, scores, first, last)``
    Write the scores of the genomes in the rows from `first` to before `last`. A kind that has none
    of its own evaluates one after the other.
``optimal(fitness, work, genome, optima, tolerance)``
    Whether every component is within less than `tolerance` grid units of one of the optima.
``write_genome(fitness, work, mutation, genome)``
    Write what `first_accepted` has left out of the genome. A kind whose genome is always complete
    has none.
``resized(fitness, topology, neurons)``
    The same for networks of another size, where the number of neurons evolves; the arrays of
    ``workspace`` are those of the largest size.

A kind of law (`hyperna._kernels.lengths`):

``draw_lengths(law, mutation, stream, steps, wanted, moves, changed)``
    Draw how long steps are, as far as that does not depend on what becomes of others.
``complete_steps(law, mutation, steps, first, last, changed)``
    Fill in the rest for some steps, before their offspring are evaluated.
``update_law(law, mutation, steps, accepted, last, changed, improved)``
    Adapt to what became of the step `accepted`: `improved` tells whether its offspring is better
    than its parent. The steps behind it, to before `last`, are not used, so that their lengths are
    taken back. With `last` for `accepted` no step was, and all of them are used up. With the step
    before the first of them, -1 in `hyperna._kernels.topology`, all lengths are taken back.

A kind of move of a direction (`hyperna._kernels.steps`, `hyperna._kernels.rotations`):

``draw_planes(move, mutation, stream, steps, wanted, changed)``
    Draw what a step needs besides its length.
``step_by(move, mutation, steps, i, genome, changed, old)``
    Take step i; return the number of components that change.
``resized(move, topology, neurons)``
    As above.

A kind of algorithm (`hyperna._kernels.one_plus_one`); `memory` are arrays of its own:

``begin(algorithm, fitness, work, mutation, limits, run, memory)``
    Begin a start of a run; return what has happened, as `advance` does. Populations return PAUSED,
    because they have no genome yet.
``advance(algorithm, fitness, work, mutation, limits, run, memory, report_improvements,
reported_score, quota)``
    Simulate until an accepted genome is to be reported, because its score is at least
    `reported_score` or because it is the best of the start; until the horizon is reached; or until
    about `quota` offspring are done. Without `report_improvements` nobody asks for the best of the
    start, and the (1+1) NA, which is called most often, leaves it out; the others report it always.
    The genome and the score reported are those in `run`. Returns

    - IMPROVED or ACCEPTED: the genome in `run` is the best of the start, or another one to report;
    - EXPIRED: the start has come to its horizon, whatever the number of EVALUATIONS says;
    - PAUSED: the quota is used up, or the run is stuck and has ended: STOP and STUCK_AT are set;
    - UNDECIDED: the run may be on a plateau without a way out, which the caller is asked to search.
``select(algorithm, run, population, score)``
    For algorithms that make one offspring at a time: the row of the member that it replaces, -1 if
    it is not accepted.

A kind of neuron (`hyperna._kernels.shapes`):

``half_width(shape, bias, bend, before, changed)``
    Half the length, in units, of the arc on which a neuron fires; `bias` and `bend` are its
    components after the angle. It may return `before` instead of computing it again if neither has
    changed: bits 0 and 1 of `changed`.
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


def _by_kind(name: str, options: Any, default: Callable[..., Any] | None = None) -> Any:
    """Return the function `name` of the protocol, which is chosen by its first argument.

    `options` are those of compilation; `default` is for kinds that have no function of their own.
    """

    def implementation(kind: type) -> Any:
        function = _IMPLEMENTATIONS.get((name, kind), default)
        if function is None:
            raise TypeError(f"{kind.__name__} has no function {name!r}, which `implement` gives it")
        return function

    def chosen(kind: Any, *others: Any) -> Any:
        return implementation(type(kind))(kind, *others)

    # not strict: the names of the parameters are those of the function that is chosen
    @overload(chosen, jit_options=options, strict=False)
    def _chosen_while_compiling(kind: Any, *others: Any) -> Any:
        return implementation(kind.instance_class)

    return chosen


def _score_each(fitness, work, genomes, scores, first, last):
    for i in range(first, last):
        scores[i] = prepare(fitness, work, genomes[i])


def _write_nothing(fitness, work, mutation, genome):
    pass


# Most are merged into their callers, because handing over their arguments takes as long as what
# they do: `first_accepted`, for instance, evaluates a few offspring.
prepare = _by_kind("prepare", INNER)
evaluate = _by_kind("prepare", INLINE)
first_accepted = _by_kind("first_accepted", INLINE)
score_rows = _by_kind("score_rows", INLINE, _score_each)
optimal = _by_kind("optimal", INNER)
write_genome = _by_kind("write_genome", INNER, _write_nothing)
resized = _by_kind("resized", INLINE)

draw_lengths = _by_kind("draw_lengths", INNER)
complete_steps = _by_kind("complete_steps", INLINE)
update_law = _by_kind("update_law", INLINE)

draw_planes = _by_kind("draw_planes", INLINE)
step_by = _by_kind("step_by", INLINE)

begin = _by_kind("begin", INLINE)
advance = _by_kind("advance", INLINE)
select = _by_kind("select", INLINE)

half_width = _by_kind("half_width", INLINE)
