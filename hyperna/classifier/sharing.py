"""Fitted classifiers as JSON: exchanged without pickle, checked before use."""

import json
import math
from typing import Any

import numpy as np

from hyperna._validation import check_reals
from hyperna.classifier.rules import Rule
from hyperna.classifier.scaling import Scaling
from hyperna.mutation import StepLaw
from hyperna.networks import Network

FORMAT = "hyperna.classifier"
VERSION = 2
_KEYS = {
    "format",
    "version",
    "parameters",
    "classes",
    "class_type",
    "feature_names",
    "centre",
    "width",
    "slope",
    "lapse",
    "training_score",
    "evaluations",
    "networks",
    "rules",
}
_CLASS_TYPES = {"int": int, "float": float, "str": str, "bool": bool}
_PLAIN = (str, int, float, bool, type(None))


def to_json(classifier: Any) -> str:
    """Return a fitted classifier as JSON."""
    kinds = {"b": "bool", "i": "int", "u": "int", "f": "float"}
    names = getattr(classifier, "feature_names_in_", None)
    parameters = {
        name: str(value) if isinstance(value, StepLaw) else value
        for name, value in classifier.get_params(deep=False).items()
    }
    data = {
        "format": FORMAT,
        "version": VERSION,
        "parameters": {k: _plain(v) for k, v in parameters.items() if _is_plain(v)},
        "classes": classifier.classes_.tolist(),
        "class_type": kinds.get(classifier.classes_.dtype.kind, "str"),
        "feature_names": None if names is None else [str(name) for name in names],
        "centre": classifier.scaling_.centre.tolist(),
        "width": classifier.scaling_.width.tolist(),
        "slope": classifier.slope_,
        "lapse": classifier.lapse_,
        "training_score": classifier.training_score_,
        "evaluations": classifier.n_iter_,
        "networks": [network.to_dict() for network in classifier.networks_],
        "rules": [rule.to_dict() for rule in classifier.rules_],
    }
    if data["class_type"] == "str" and not all(isinstance(c, str) for c in data["classes"]):
        raise TypeError(
            f"classes must be numbers, booleans or strings, got {classifier.classes_!r}"
        )
    return json.dumps(data, allow_nan=False)


def from_json(cls: type, text: str) -> Any:
    """Return the classifier of class `cls` that `to_json` wrote."""
    data = _parsed(text)
    classifier = cls()
    unknown = set(data["parameters"]) - set(classifier.get_params())
    if unknown:
        raise ValueError(f"parameters must be those of {cls.__name__}, got {sorted(unknown)!r:.60}")
    classifier.set_params(**data["parameters"])
    networks = [Network.from_dict(network) for network in data["networks"]]
    dim = networks[0].grid.dim
    if any(network.grid.dim != dim for network in networks):
        raise ValueError("networks must all have the same dim")
    classifier.classes_ = _classes(data, len(networks))
    classifier.networks_ = networks
    if not isinstance(data["rules"], list) or len(data["rules"]) != len(networks):
        raise ValueError(f"rules must be a list, one for each of {len(networks)} networks")
    classifier.rules_ = [Rule.from_dict(rule, dim) for rule in data["rules"]]
    classifier.n_features_in_ = dim
    if data["feature_names"] is not None:
        classifier.feature_names_in_ = _names(data["feature_names"], dim)
    width = check_reals("width", data["width"], (dim,))
    if (width < 0).any():
        raise ValueError(f"width must not be negative, got {width.min()}")
    classifier.scaling_ = Scaling(check_reals("centre", data["centre"], (dim,)), width)
    classifier.slope_ = _number(data, "slope")
    classifier.lapse_ = _number(data, "lapse")
    if classifier.slope_ <= 0 or not 0 <= classifier.lapse_ * len(classifier.classes_) < 1:
        raise ValueError("slope must be positive, and lapse from 0 to less than 1 / classes")
    classifier.training_score_ = _number(data, "training_score")
    classifier.n_iter_ = int(_number(data, "evaluations"))
    return classifier


def _is_plain(value: Any) -> bool:
    return isinstance(value, (*_PLAIN, np.bool_, np.integer, np.floating))


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _parsed(text: str) -> dict[str, Any]:
    if not isinstance(text, str):
        raise TypeError(f"text must be a str, got {type(text).__name__}")
    try:
        data = json.loads(text, parse_constant=_finite, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"text must be the JSON of a classifier: {error}") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ValueError(f"text must be an object with format {FORMAT!r}")
    if data.get("version") != VERSION:
        raise ValueError(
            f"version must be {VERSION}, got {data.get('version')!r:.60}; "
            "a newer version of hyperna may read it"
        )
    if set(data) != _KEYS:
        raise ValueError(f"a classifier must have the keys {', '.join(sorted(_KEYS))}")
    if not isinstance(data["parameters"], dict):
        raise ValueError("parameters must be an object")
    if not isinstance(data["networks"], list) or not data["networks"]:
        raise ValueError("networks must be a list of networks")
    return data


def _finite(text: str) -> float:
    """Return a number of the text; `to_json` writes no NaN and no infinity."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"numbers must be finite, got {text[:60]}")
    return number


def _classes(data: dict[str, Any], networks: int) -> Any:
    kind = _CLASS_TYPES.get(str(data["class_type"]))
    classes = data["classes"]
    if kind is None or not isinstance(classes, list) or any(type(c) is not kind for c in classes):
        raise ValueError(
            f"classes must be a list of {data['class_type']!r:.20}, got {classes!r:.60}"
        )
    values = np.unique(np.array(classes))
    if values.tolist() != classes or len(classes) != (2 if networks == 1 else networks):
        raise ValueError(
            f"classes must be sorted, different, and fit {networks} networks, got {classes!r:.60}"
        )
    return values


def _names(names: Any, dim: int) -> Any:
    if not isinstance(names, list) or [type(name) for name in names] != [str] * dim:
        raise ValueError(f"feature_names must be {dim} strings, got {names!r:.60}")
    return np.array(names, dtype=object)


def _number(data: dict[str, Any], key: str) -> float:
    return float(check_reals(key, data[key], ()))
