"""hyperna: neuroevolution one can do theory on.

Networks of hyperplanes with discretised angles and biases, the (1+1) NA that evolves them, and the
problems on the sphere whose runtimes are proved.  Names are loaded at first use, so that
``import hyperna`` costs next to nothing.

Examples
--------
>>> import hyperna
>>> na = hyperna.OnePlusOneNA(neurons=1, resolution=120)
>>> result = na.run(hyperna.problem("half"), seed=1)
>>> result.success, result.fitness > 0.98
(True, True)
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_PUBLIC = {
    "parallel": ("parallel_backend",),
    "grid": ("Grid",),
    "sphere": ("even_points", "random_points", "sobol_points"),
    "networks": ("Network",),
    "problems": (
        "PROBLEMS",
        "ArcProblem",
        "PointProblem",
        "Problem",
        "custom_arcs",
        "points",
        "problem",
        "read_csv",
    ),
    "datasets": ("DATASETS", "Dataset", "dataset"),
    "fitness": ("ExactArcs", "FiniteSet", "Fitness", "Sampled", "fitness_of"),
    "mutation": (
        "LAWS",
        "Cauchy",
        "Exponential",
        "Harmonic",
        "Local",
        "Pareto",
        "PowerLaw",
        "SelfAdjusting",
        "StepLaw",
        "Uniform",
    ),
    "results": ("RunResult", "Runs"),
    "algorithm": ("OnePlusOneNA",),
    "classifier": ("NAClassifier", "export_text"),
    "comparison": ("CLASSIFIERS", "compare"),
    "theory": ("ExactRuntime", "expected_runtime"),
    "experiments.campaign": ("Campaign",),
    "experiments.store": ("Store",),
}
_HOME = {name: module for module, names in _PUBLIC.items() for name in names}

__all__ = ["__version__", *_HOME]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'hyperna' has no attribute {name!r}")
    value = getattr(import_module(f"hyperna.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
