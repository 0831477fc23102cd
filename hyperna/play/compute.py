"""What the page knows and takes longer to compute: ``python -m hyperna.play.compute`` writes it.

The file ``page/computed.json`` holds exact runtimes, best fitnesses on the sphere, data, and rules.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from hyperna.datasets import dataset
from hyperna.play.exact import exact_runtime
from hyperna.play.facts import COMPUTED, best_caps
from hyperna.play.rules import rule_path
from hyperna.play.settings import RANGES, arc_problems

# What is known exactly without Python: problems and laws at this resolution, with one neuron.
EXACT_RESOLUTION = 120
EXACT_PROBLEMS = ("half", "quarter", "local_opt")
EXACT_LAWS = ("harmonic", "local", "uniform")
# Of these the page also knows the answer from each state.
STATES_OF = (("local_opt", "local"), ("local_opt", "harmonic"))
# Points of the plane to fill in.
SAMPLES = ("moons", "xor", "circles")
_SAMPLE_SIZE = 80


def compute() -> dict[str, Any]:
    """Compute all of it, which takes some seconds."""
    low, high = RANGES["k"]
    equal_arcs = [f"arcs:k={k}" for k in range(low, high + 1)]
    return {
        "best_caps": best_caps([*arc_problems(), *equal_arcs]),
        "exact": [exact(name, law) for name in EXACT_PROBLEMS for law in EXACT_LAWS],
        "samples": {name: sample(name) for name in SAMPLES},
        "tables": {name: table(name) for name in TABLES},
    }


def exact(name: str, mutation: str) -> dict[str, Any]:
    """Return an exact runtime, with the setting that it is of.

    Examples
    --------
    >>> sorted(exact("half", "local"))
    ['mean', 'mutation', 'probability', 'problem', 'resolution']
    """
    setting = {"problem": name, "mutation": mutation, "resolution": EXACT_RESOLUTION}
    states = (name, mutation) in STATES_OF
    return {**setting, **exact_runtime(name, EXACT_RESOLUTION, mutation, states)}


def sample(name: str) -> list[list[float]]:
    """Return the points of a generated data set, moved into the unit disc, with labels 0 and 1.

    Examples
    --------
    >>> len(sample("xor"))
    80
    """
    found = dataset(name, n=_SAMPLE_SIZE, seed=0)
    centred = found.X - (found.X.max(axis=0) + found.X.min(axis=0)) / 2
    X = 0.95 * centred / np.sqrt((centred**2).sum(axis=1)).max()
    positive = found.y == np.unique(found.y)[-1]
    rows = zip(X.round(3).tolist(), positive.astype(int).tolist(), strict=True)
    return [[*x, label] for x, label in rows]


def table(name: str) -> dict[str, Any]:
    """Return a table of two features and a label, with their names and the path of its rules.

    Examples
    --------
    >>> found = table("iris")
    >>> found["features"], [rule["terms"] for rule in found["path"]][:3]
    (['petal length', 'petal width'], [0, 1, 2])
    """
    found = TABLES[name]()
    return {**found, "path": rule_path(found["points"])}


def _moons() -> dict[str, Any]:
    data = dataset("moons", n=160, noise=0.15, seed=0)
    return _plain_table("two moons", data.X, data.y == 1)


def _box() -> dict[str, Any]:
    """Points inside a box, with one label in twenty flipped."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (200, 2))
    inside = (X[:, 0] > -0.4) & (X[:, 1] < 0.3)
    return _plain_table("a corner, with wrong labels", X, inside ^ (rng.random(200) < 0.05))


def _plain_table(title: str, X: Any, positive: Any) -> dict[str, Any]:
    names = {"features": ["x", "y"], "unit": "", "classes": ["orange", "blue"]}
    return {"title": title, **names, "points": _rows(X.round(2), positive)}


def _iris() -> dict[str, Any]:
    from sklearn.datasets import load_iris

    data = load_iris()
    return {
        "title": "irises: which are versicolor?",
        "features": ["petal length", "petal width"],
        "unit": "cm",
        "classes": ["other", "versicolor"],
        "points": _rows(data.data[:, 2:], data.target == 1),
    }


def _cancer() -> dict[str, Any]:
    from sklearn.datasets import load_breast_cancer

    data = load_breast_cancer()
    features = ["worst radius", "worst texture"]
    columns = [list(data.feature_names).index(name) for name in features]
    return {
        "title": "breast tumours: which are malignant?",
        "features": features,
        "unit": "",
        "classes": ["benign", "malignant"],
        "points": _rows(data.data[:, columns], data.target == 0),
    }


# Tables with two features, for short rules.
TABLES: dict[str, Callable[[], dict[str, Any]]] = {
    "moons": _moons,
    "iris": _iris,
    "cancer": _cancer,
    "box": _box,
}


def _rows(X: Any, positive: Any) -> list[list[float]]:
    return [[float(x), float(y), int(label)] for (x, y), label in zip(X, positive, strict=True)]


def main() -> None:
    """Write the file."""
    text = json.dumps(compute(), allow_nan=False, separators=(",", ":"))
    Path(str(COMPUTED)).write_text(text.replace(']],"', ']],\n"') + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
