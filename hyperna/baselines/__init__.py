"""Other search algorithms on the same fitness, counted in the same way (``hyperna[baselines]``).

A baseline is one module of this package with a class marked ``@register``; every module is loaded
here, so that adding a file is all it takes.
"""

from importlib import import_module
from pkgutil import iter_modules

from hyperna.baselines.base import BASELINES, Baseline, baseline
from hyperna.baselines.neat import Neat, NeatTask, neat_task
from hyperna.baselines.task import BaselineTask, baseline_task

__all__ = [
    "BASELINES",
    "Baseline",
    "BaselineTask",
    "Neat",
    "NeatTask",
    "baseline",
    "baseline_task",
    "neat_task",
]

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")
