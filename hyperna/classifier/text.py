"""The rules of a fitted classifier as text."""

import re
import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from hyperna._validation import FloatArray, check_integer
from hyperna.classifier.rules import Condition, Rule
from hyperna.classifier.scaling import Scaling
from hyperna.networks import Network

LINE_WIDTH = 88
_SCORES = {
    "any": "ANY: the largest of its conditions",
    "all": "ALL: the smallest of its conditions",
    "at least": "AT LEAST k: the k-th largest of its conditions",
    "odd": "ODD NUMBER, EXACTLY ONE: the one nearest to 0, positive where the rule holds",
    "vote": "votes: the distance up to which conditions must change for the result to change",
}


def half_spaces(network: Network, scaling: Scaling) -> tuple[FloatArray, FloatArray]:
    """Return W (N, D) and t (N,) such that neuron i fires on the original row x iff W_i·x >= t_i.

    Examples
    --------
    >>> network = Network.from_weights([[1.0, 0.0]], [0.5], resolution=8)
    >>> half_spaces(network, Scaling(np.array([10.0, 0.0]), np.array([4.0, 1.0])))
    (array([[0.25, 0.  ]]), array([3.]))
    """
    W, b = network.weights()
    used = scaling.width > 0
    with np.errstate(over="ignore"):
        W = np.divide(W, scaling.width, out=np.zeros_like(W), where=used)
    return W, b + W @ scaling.centre


def export_text(
    classifier: Any, feature_names: Sequence[str] | None = None, *, digits: int | None = None
) -> str:
    """Return the rules of a fitted NAClassifier as text, in the units of the data.

    Every training point is classified by the rules as by the classifier. Terms are sorted by their
    influence, which is the coefficient times the deviation of the feature. With more than two
    classes each condition has a scale, by which scores are compared where no rule holds, or more
    than one.

    Parameters
    ----------
    classifier : NAClassifier
        A fitted classifier.
    feature_names : sequence of str, optional
        One name for each feature; by default those seen in `fit`, or x1, x2, ...
    digits : int, optional
        Significant digits of coefficients and thresholds; by default as few as leave every
        training point on its side of every condition.

    Examples
    --------
    >>> from hyperna.classifier import NAClassifier
    >>> clf = NAClassifier(n_neurons=1, random_state=0).fit([[1.0], [3.0]], ["low", "high"])
    >>> print(export_text(clf, ["size"]))
    class 'low' if
      size < 2
    otherwise 'high'
    """
    if not hasattr(classifier, "to_json"):
        kind = type(classifier).__name__
        raise TypeError(
            f"classifier must be an NAClassifier, got {kind}; of a pipeline take the last step [-1]"
        )
    check_is_fitted(classifier)
    if digits is not None:
        check_integer("digits", digits, 1, 17)
    names = _names(classifier, feature_names)
    classes = [repr(name) for name in classifier.classes_.tolist()]
    rules = classifier.rules_
    if len(rules) == 1:
        lines = _rule_lines(rules[0], names, digits, scales=False)
        return "\n".join([f"class {classes[1]} {lines[0]}", *lines[1:], f"otherwise {classes[0]}"])
    parts = []
    for name, rule in zip(classes, rules, strict=True):
        lines = _rule_lines(rule, names, digits, scales=True)
        parts += [f"class {name} {lines[0]}", *lines[1:]]
    joins = {rule.join for rule in rules if len(rule.conditions) > 1}
    parts += [
        "If one rule holds, it is that class; otherwise the one whose rule has the largest score.",
        "A condition scores (left - right) / scale, or (right - left) / scale where it says <.",
        *(f"  {text}" for join, text in _SCORES.items() if join in joins),
    ]
    return "\n".join(parts)


def _rule_lines(rule: Rule, names: list[str], digits: int | None, scales: bool) -> list[str]:
    """Return what must hold, and one or more lines for each condition."""
    size = len(rule.conditions)
    heads = {
        "any": "if ANY of",
        "all": "if ALL of",
        "odd": "if EXACTLY ONE of" if size == 2 else "if an ODD NUMBER of",
        "at least": f"if AT LEAST {rule.count} of",
        "vote": f"if the votes of those that hold reach {_number(rule.quorum, digits)}",
    }
    lines = ["if" if size == 1 else heads[rule.join]]
    for number, condition in enumerate(rule.conditions):
        text = condition_text(condition, names, digits)
        if scales:
            text += f"  (scale {condition.scale:.4g})"
        if rule.join == "vote":
            text = f"{_number(rule.votes[number], digits)} votes: {text}"
        lines += _wrapped(text, names)
    return lines


def _wrapped(text: str, names: Sequence[str]) -> list[str]:
    """Return indented lines, broken before a term rather than within a name."""
    for name in names:
        text = text.replace(name, name.replace(" ", "\0"))
    text = re.sub(r" ([-+<>]) ", " \\1\0", text)
    wrapped = textwrap.wrap(
        text, LINE_WIDTH, break_long_words=False, break_on_hyphens=False, subsequent_indent="    "
    )
    return ["  " + line.replace("\0", " ") for line in wrapped]


def condition_text(condition: Condition, names: Sequence[str], digits: int | None = None) -> str:
    """Return a condition as text, the most influential term first and positive.

    Examples
    --------
    >>> weights = np.array([-0.5, -1.0, 0.0])
    >>> condition_text(Condition(weights, -4.0, 1.0, weights), ["a", "b", "c"])
    'b + 0.5*a < 4'
    """
    ranked = np.argsort(-np.abs(condition.influence), kind="stable").tolist()
    order = [k for k in ranked if condition.weights[k] != 0]
    if not order:
        return "always" if condition.threshold < 0 else "never"
    sign = 1.0 if condition.weights[order[0]] > 0 else -1.0
    text = ""
    for k in order:
        weight = sign * float(condition.weights[k])
        size = _number(abs(weight), digits)
        text += (" - " if weight < 0 else " + ") if text else ("-" if weight < 0 else "")
        text += names[k] if size == "1" else f"{size}*{names[k]}"
    threshold = _number(sign * condition.threshold + 0.0, digits)
    return f"{text} {'>' if sign > 0 else '<'} {threshold}"


def _number(value: float, digits: int | None) -> str:
    text = repr(value) if digits is None else f"{value:.{digits}g}"
    plain = f"{value:.15g}"
    if digits is None and float(plain) == value:
        text = plain
    return text


def _names(classifier: Any, feature_names: Sequence[str] | None) -> list[str]:
    dim = classifier.n_features_in_
    if feature_names is None:
        seen = getattr(classifier, "feature_names_in_", None)
        return [f"x{j + 1}" for j in range(dim)] if seen is None else [str(name) for name in seen]
    names = [str(name) for name in feature_names]
    if len(names) != dim:
        raise ValueError(f"feature_names must be {dim} names, got {len(names)}")
    return names
