"""What a kind of fitness must offer to the loop, and how the loop finds it.

A kind of fitness is a NamedTuple of arrays and numbers. `implement` ties functions to it; compiled
code chooses among them by the type of its first argument while compiling, interpreted code when
called.

The functions, in the order in which the loop calls them:

``workspace(fitness)``
    Arrays that the other functions keep their intermediate results in. Not called by compiled code.
``prepare(fitness, work, genome)``
    Evaluate `genome` from nothing; return its score.
``evaluate(fitness, work, genome, changed, count, score)``
    Score of an offspring that differs from the genome last kept in the components
    ``changed[:count]``. When it is certain to be less than `score`, any number less than `score`
    will do.
``tie(fitness, work)``
    A second value that decides between equal scores: the offspring is kept only if it is not less
    than its parent's. Called directly after ``prepare``, and after an ``evaluate`` that returned at
    least `score`.
``keep(fitness, work, genome, changed, count)`` / ``undo(fitness, work, genome, changed, count)``
    The offspring just evaluated becomes the parent, or is forgotten (`genome` is the parent again).
``pass_over(fitness, work, mutation, steps, genome, first, last, score)``
    The first of the steps from `first` to before `last` whose offspring may score at least `score`,
    or `last`. A kind that cannot tell more quickly than by ``evaluate`` returns `first`, or leaves
    this function out.
``optimal(fitness, work, genome, optima, tolerance)``
    Whether every component is within less than `tolerance` grid units of one of the optima.
"""

from collections.abc import Callable
from typing import Any

from numba.extending import overload

from hyperna._kernels.jit import INLINE

_IMPLEMENTATIONS: dict[tuple[str, type], Callable[..., Any]] = {}


def implement(kind: type, **functions: Callable[..., Any]) -> None:
    """Tie the functions of the protocol to a kind of fitness."""
    for name, function in functions.items():
        _IMPLEMENTATIONS[name, kind] = function


def _chosen(name: str, fitness: Any) -> Callable[..., Any] | None:
    return _IMPLEMENTATIONS.get((name, getattr(fitness, "instance_class", type(fitness))))


def workspace(fitness):
    return _IMPLEMENTATIONS["workspace", type(fitness)](fitness)


def prepare(fitness, work, genome):
    return _IMPLEMENTATIONS["prepare", type(fitness)](fitness, work, genome)


def evaluate(fitness, work, genome, changed, count, score):
    function = _IMPLEMENTATIONS["evaluate", type(fitness)]
    return function(fitness, work, genome, changed, count, score)


def tie(fitness, work):
    return _IMPLEMENTATIONS["tie", type(fitness)](fitness, work)


def keep(fitness, work, genome, changed, count):
    return _IMPLEMENTATIONS["keep", type(fitness)](fitness, work, genome, changed, count)


def undo(fitness, work, genome, changed, count):
    return _IMPLEMENTATIONS["undo", type(fitness)](fitness, work, genome, changed, count)


def pass_over(fitness, work, mutation, steps, genome, first, last, score):
    function = _IMPLEMENTATIONS.get(("pass_over", type(fitness)), _pass_over_nothing)
    return function(fitness, work, mutation, steps, genome, first, last, score)


def _pass_over_nothing(fitness, work, mutation, steps, genome, first, last, score):
    return first


def optimal(fitness, work, genome, optima, tolerance):
    return _IMPLEMENTATIONS["optimal", type(fitness)](fitness, work, genome, optima, tolerance)


@overload(prepare)
def _prepare(fitness, work, genome):
    return _chosen("prepare", fitness)


@overload(evaluate, jit_options=INLINE)
def _evaluate(fitness, work, genome, changed, count, score):
    return _chosen("evaluate", fitness)


@overload(tie, jit_options=INLINE)
def _tie(fitness, work):
    return _chosen("tie", fitness)


@overload(keep, jit_options=INLINE)
def _keep(fitness, work, genome, changed, count):
    return _chosen("keep", fitness)


@overload(undo, jit_options=INLINE)
def _undo(fitness, work, genome, changed, count):
    return _chosen("undo", fitness)


@overload(pass_over, jit_options=INLINE)
def _pass_over(fitness, work, mutation, steps, genome, first, last, score):
    return _chosen("pass_over", fitness) or _pass_over_nothing


@overload(optimal)
def _optimal(fitness, work, genome, optima, tolerance):
    return _chosen("optimal", fitness)
