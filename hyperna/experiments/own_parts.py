"""What a setting names that does not come with hyperna: laws, problems and algorithms of one's own.

A setting holds names, and a worker process knows those of hyperna only. So what stands behind other
names travels with the setting: classes and functions of a module by their place, so that the worker
imports the module, those of a script or notebook with their code.
"""

import pickle
from typing import Any

from joblib import wrap_non_picklable_objects

from hyperna.baselines import BASELINES
from hyperna.experiments.algorithms import ALGORITHMS
from hyperna.mutation import LAWS
from hyperna.problems import PROBLEMS
from hyperna.run.relatives import RELATIVES

# The option that holds a name, where the name is looked up, and which part of what is found there
# its author wrote.
_REGISTRIES: tuple[tuple[str, dict[str, Any], str | None], ...] = (
    ("problem", PROBLEMS, "build"),
    ("mutation", LAWS, None),
    ("algorithm", RELATIVES, None),
    ("algorithm", BASELINES, None),
    ("algorithm", ALGORITHMS, "make"),
)


def pack_own_parts(setting: Any) -> bytes:
    """Return what a worker process needs to know the names of a setting; empty for nothing.

    A setting is anything with the attributes `problem`, `mutation` and `algorithm`.

    Examples
    --------
    >>> from hyperna.experiments.setting import setting
    >>> pack_own_parts(setting(problem="half"))
    b''
    """
    own = []
    for place, (option, registry, written) in enumerate(_REGISTRIES):
        name = str(getattr(setting, option)).partition(":")[0]
        entry = registry.get(name)
        author = getattr(entry, written) if entry is not None and written else entry
        module = getattr(author, "__module__", None) or ""
        if entry is not None and module.partition(".")[0] != "hyperna":
            own.append((place, name, entry))
    return pickle.dumps(wrap_non_picklable_objects(own, keep_wrapper=False)) if own else b""


def register_own_parts(packed: bytes) -> None:
    """Enter what `pack_own_parts` returned in another process where names are looked up."""
    if not packed:
        return
    try:
        own = pickle.loads(packed)
    except ImportError as error:
        raise ImportError(
            f"a worker cannot import what a setting needs ({error}); "
            "its module must be installed, or on PYTHONPATH, where workers run"
        ) from error
    for place, name, entry in own:
        _REGISTRIES[place][1][name] = entry
