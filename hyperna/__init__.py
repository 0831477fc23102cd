"""hyperna: neuroevolution with provable runtimes.

Networks of half-spaces on a grid, the (1+1) NA that evolves them, and problems on the sphere whose
expected runtimes are proved.  Names are loaded at first use, so that
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
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # type checkers do not see names that are loaded at first use
    from hyperna.algorithm import OnePlusOneNA as OnePlusOneNA
    from hyperna.classifier import (
        NAClassifier as NAClassifier,
        export_text as export_text,
    )
    from hyperna.comparison import (
        CLASSIFIERS as CLASSIFIERS,
        compare as compare,
    )
    from hyperna.datasets import (
        DATASETS as DATASETS,
        Dataset as Dataset,
        dataset as dataset,
    )
    from hyperna.campaign.campaign import Campaign as Campaign
    from hyperna.store.store import Store as Store
    from hyperna.fitness import (
        ExactArcs as ExactArcs,
        ExactSphere as ExactSphere,
        FiniteSet as FiniteSet,
        Fitness as Fitness,
        Online as Online,
        Sampled as Sampled,
        fitness_of as fitness_of,
    )
    from hyperna.grid import Grid as Grid
    from hyperna.mutation import (
        LAWS as LAWS,
        Adaptive as Adaptive,
        Cauchy as Cauchy,
        Exponential as Exponential,
        Harmonic as Harmonic,
        Local as Local,
        Pareto as Pareto,
        PowerLaw as PowerLaw,
        SelfAdjusting as SelfAdjusting,
        StepLaw as StepLaw,
        Uniform as Uniform,
    )
    from hyperna.networks import Network as Network
    from hyperna.optimal import optimal_half_space as optimal_half_space
    from hyperna.parallel import parallel_backend as parallel_backend
    from hyperna.problems import (
        PROBLEMS as PROBLEMS,
        ArcProblem as ArcProblem,
        PointProblem as PointProblem,
        Problem as Problem,
        custom_arcs as custom_arcs,
        points as points,
        problem as problem,
        read_csv as read_csv,
    )
    from hyperna.relatives import (
        AnnealingNA as AnnealingNA,
        MuPlusOneNA as MuPlusOneNA,
        OneCommaLambdaNA as OneCommaLambdaNA,
        OnePlusLambdaNA as OnePlusLambdaNA,
        RandomisedLocalSearchNA as RandomisedLocalSearchNA,
    )
    from hyperna.results import (
        RunResult as RunResult,
        Runs as Runs,
    )
    from hyperna.sphere import (
        even_points as even_points,
        random_points as random_points,
        sobol_points as sobol_points,
    )
    from hyperna.theory import (
        ExactRuntime as ExactRuntime,
        expected_runtime as expected_runtime,
    )

__version__ = "0.4.0"

_PUBLIC = {
    "parallel": ("parallel_backend",),
    "grid": ("Grid",),
    "sphere": ("even_points", "random_points", "sobol_points"),
    "networks": ("Network",),
    "optimal": ("optimal_half_space",),
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
    "fitness": (
        "ExactArcs",
        "ExactSphere",
        "FiniteSet",
        "Fitness",
        "Online",
        "Sampled",
        "fitness_of",
    ),
    "mutation": (
        "LAWS",
        "Adaptive",
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
    "relatives": (
        "AnnealingNA",
        "MuPlusOneNA",
        "OneCommaLambdaNA",
        "OnePlusLambdaNA",
        "RandomisedLocalSearchNA",
    ),
    "classifier": ("NAClassifier", "export_text"),
    "comparison": ("CLASSIFIERS", "compare"),
    "theory": ("ExactRuntime", "expected_runtime"),
    "campaign.campaign": ("Campaign",),
    "store.store": ("Store",),
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
