"""Exact runtimes of the (1+1) NA and its relatives, from the Markov chain of all networks."""

from hyperna.theory.answers import End, ExactRuntime, Plateau
from hyperna.theory.best import BestLaw, BestOffspring, best_law, best_offspring
from hyperna.theory.chain import Chain
from hyperna.theory.drift import POTENTIALS, Drift, FittedPotential, drift, fit_potential
from hyperna.theory.export import export_chain
from hyperna.theory.limits import Cost, estimated_cost, largest_resolution
from hyperna.theory.runtime import expected_runtime
from hyperna.theory.solver import Bounds, Moments

__all__ = [
    "POTENTIALS",
    "BestLaw",
    "BestOffspring",
    "Bounds",
    "Chain",
    "Cost",
    "Drift",
    "End",
    "ExactRuntime",
    "FittedPotential",
    "Moments",
    "Plateau",
    "best_law",
    "best_offspring",
    "drift",
    "estimated_cost",
    "expected_runtime",
    "export_chain",
    "fit_potential",
    "largest_resolution",
]
