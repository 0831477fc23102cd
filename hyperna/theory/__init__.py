"""Exact runtimes of the (1+1) NA with one neuron on the circle, from its Markov chain."""

from hyperna.theory.answers import End, ExactRuntime, Plateau
from hyperna.theory.best import BestLaw, best_law
from hyperna.theory.chain import Chain
from hyperna.theory.export import export_chain
from hyperna.theory.moments import Moments
from hyperna.theory.runtime import expected_runtime

__all__ = [
    "BestLaw",
    "Chain",
    "End",
    "ExactRuntime",
    "Moments",
    "Plateau",
    "best_law",
    "expected_runtime",
    "export_chain",
]
