"""A fitted classifier as JSON and back, without pickle and exact to the last digit."""

import json
import math
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from hyperna._validation import check_reals
from hyperna._words import shown
from hyperna.classifier.decision_list import DecisionList
from hyperna.classifier.rules import Rule

FORMAT = "hyperna.classifier"
VERSION = 3
_KEYS = {
    *("format", "version", "parameters", "classes", "class_type", "feature_names", "features"),
    *("order", "rules", "training_score", "baseline_score"),
}
_CLASS_TYPES = {"int": int, "float": float, "str": str, "bool": bool}
_PLAIN = (str, int, float, bool, type(None))


def to_json(classifier: Any) -> str:
    """Return a fitted classifier as JSON; its path is not part of it."""
    check_is_fitted(classifier)
    kinds = {"b": "bool", "i": "int", "u": "int", "f": "float"}
    names = getattr(classifier, "feature_names_in_", None)
    parameters = {}
    for name, value in classifier.get_params(deep=False).items():
        plain = value.item() if isinstance(value, np.generic) else value
        if isinstance(plain, _PLAIN):
            parameters[name] = plain
    data = {
        "format": FORMAT,
        "version": VERSION,
        "parameters": parameters,
        "classes": classifier.classes_.tolist(),
        "class_type": kinds.get(classifier.classes_.dtype.kind, "str"),
        "feature_names": None if names is None else [str(name) for name in names],
        "features": classifier.n_features_in_,
        "order": list(classifier.list_.order),
        "rules": [rule.to_dict() for rule in classifier.list_.rules],
        "training_score": classifier.training_score_,
        "baseline_score": classifier.baseline_score_,
    }
    if data["class_type"] == "str" and not all(isinstance(c, str) for c in data["classes"]):
        raise TypeError(
            f"classes must be numbers, booleans or strings, got {shown(classifier.classes_)}"
        )
    return json.dumps(data, allow_nan=False)


def from_json(classifier: Any, text: str) -> Any:
    """Fill a new classifier with what `to_json` wrote; anything else is a ValueError."""
    data = _parsed(text)
    unknown = set(data["parameters"]) - set(classifier.get_params())
    if unknown:
        kind = type(classifier).__name__
        raise ValueError(f"parameters must be those of {kind}, got {sorted(unknown)!r:.60}")
    classifier.set_params(**data["parameters"])
    dim = data["features"]
    if type(dim) is not int or dim < 1:
        raise ValueError(f"features must be a positive integer, got {dim!r:.60}")
    classifier.n_features_in_ = dim
    classifier.classes_ = _classes(data)
    names = data["feature_names"]
    if names is not None:
        if not isinstance(names, list) or [type(name) for name in names] != [str] * dim:
            raise ValueError(f"feature_names must be {dim} strings, got {names!r:.60}")
        classifier.feature_names_in_ = np.array(names, dtype=object)
    classifier.list_ = _list(data, len(classifier.classes_), dim)
    for key in ("training_score", "baseline_score"):
        setattr(classifier, f"{key}_", float(check_reals(key, data[key], ())))
    return classifier


def _parsed(text: str) -> dict[str, Any]:
    if not isinstance(text, str):
        raise TypeError(f"text must be a str, got {type(text).__name__}")
    try:
        data = json.loads(text, parse_constant=_finite, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"text must be the JSON of a classifier: {error}") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ValueError(f"text must be an object with format {FORMAT!r}")
    version = data.get("version")
    if version != VERSION:
        old = isinstance(version, int) and version < VERSION
        why = "fit it again" if old else "a newer version of hyperna may read it"
        raise ValueError(f"version must be {VERSION}, got {version!r:.60}; {why}")
    if set(data) != _KEYS:
        raise ValueError(f"a classifier must have the keys {', '.join(sorted(_KEYS))}")
    if not isinstance(data["parameters"], dict):
        raise ValueError("parameters must be an object")
    return data


def _finite(text: str) -> float:
    """Return a number of the text; `to_json` writes no NaN and no infinity."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"numbers must be finite, got {text[:60]}")
    return number


def _classes(data: dict[str, Any]) -> Any:
    kind = _CLASS_TYPES.get(str(data["class_type"]))
    classes = data["classes"]
    if kind is None or not isinstance(classes, list) or any(type(c) is not kind for c in classes):
        raise ValueError(
            f"classes must be a list of {data['class_type']!r:.20}, got {classes!r:.60}"
        )
    values = np.unique(np.array(classes))
    if kind is int and values.dtype.kind not in "iu":  # numpy takes larger ones for something else
        raise ValueError(f"classes must be integers of at most 64 bits, got {classes!r:.60}")
    if values.tolist() != classes or len(classes) < 2:
        raise ValueError(f"classes must be sorted and different, got {classes!r:.60}")
    return values


def _list(data: dict[str, Any], classes: int, dim: int) -> DecisionList:
    order, rules = data["order"], data["rules"]
    fits = isinstance(order, list) and all(type(k) is int for k in order)
    if not fits or len(set(order)) < len(order) or not set(order) <= set(range(classes)):
        raise ValueError(f"order must be different numbers of classes, got {order!r:.60}")
    if not isinstance(rules, list) or len(rules) != len(order) - 1 or not rules:
        raise ValueError(f"rules must be a list, one fewer than the {len(order)} classes in order")
    made = tuple(Rule.from_dict(rule, dim) for rule in rules)
    return DecisionList(made, tuple(order), classes)
