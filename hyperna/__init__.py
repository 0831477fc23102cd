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

import ast
import pkgutil
from importlib import import_module
from typing import Any

__version__ = "0.5.0"

# The public names by module, as the stub tells them to type checkers.
_PUBLIC: dict[str, list[str]] = {}
for _node in ast.parse(pkgutil.get_data(__name__, "__init__.pyi") or b"").body:
    if isinstance(_node, ast.ImportFrom):
        _module = str(_node.module).removeprefix("hyperna.")
        _PUBLIC[_module] = [alias.name for alias in _node.names]
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
