"""Fitted classifiers in writing: their rules as text, and all of them as JSON, without pickle."""

import json
import math
import re
import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from hyperna._validation import FloatArray, check_integer, check_reals
from hyperna._words import shown
from hyperna.classifier.points import Scaling
from hyperna.classifier.rules import Condition, Cone, Rule, printed_scale
from hyperna.mutation import StepLaw
from hyperna.networks import Network, number_text, sum_text

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

    Every training point is classified by the rules as by the classifier. (With more than two
    classes and more than 20,000 points a few of them may not be.) Terms are sorted by their
    influence, which is the coefficient times the deviation of the feature. With more than two
    classes each condition has a scale, by which scores are compared where no rule holds, or more
    than one. Where the classifier has offsets, scores are always compared, and the offset of a
    class is added to the score of its rule.

    Parameters
    ----------
    classifier : NAClassifier
        A fitted classifier.
    feature_names : sequence of str, optional
        One name for each feature; by default those seen in `fit`, or x1, x2, ...
    digits : int, optional
        Largest number of significant digits of coefficients and thresholds. The default writes
        them as they are in `rules_`: with as few digits as leave every training point on its side
        of every condition and in its class. With fewer digits some points may change their class.

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
        lines = _rule_lines(rules[0], names, digits)
        return "\n".join([f"class {classes[1]} {lines[0]}", *lines[1:], f"otherwise {classes[0]}"])
    parts, own = [], bool(classifier.offset_.any())
    factors, offsets = classifier.factor_.tolist(), classifier.offset_.tolist()
    for name, rule, factor, offset in zip(classes, rules, factors, offsets, strict=True):
        lines = _rule_lines(rule, names, digits, factor)
        if own:
            lines[0] = f"scores {offset:.6g} plus the score of {lines[0][3:]}".rstrip()
        parts += [f"class {name} {lines[0]}", *lines[1:]]
    one = "If one rule holds, it is that class; otherwise the one whose rule has the largest score."
    parts += [
        "It is the class with the largest score." if own else one,
        "A condition scores (left - right) / scale, or (right - left) / scale where it says <.",
    ]
    if any(isinstance(condition, Cone) for rule in rules for condition in rule.conditions):
        far = "the distance of u from where both sides are equal"
        parts.append(f"One with |u| scores {far}{' / scale' if own else ''}, or minus that.")
    joins = {rule.join for rule in rules if len(rule.conditions) > 1}
    return "\n".join([*parts, *(f"  {_SCORES[join]}" for join in _SCORES if join in joins)])


def _rule_lines(
    rule: Rule, names: list[str], digits: int | None, factor: float | None = None
) -> list[str]:
    """Return what must hold, and one or more lines for each condition.

    `factor`: by which its scores are multiplied; None if they are not compared.
    """
    size = len(rule.conditions)
    heads = {
        "any": "if ANY of",
        "all": "if ALL of",
        "odd": "if EXACTLY ONE of" if size == 2 else "if an ODD NUMBER of",
        "at least": f"if AT LEAST {rule.count} of",
        "vote": f"if the votes of those that hold reach {number_text(rule.quorum, digits)}",
    }
    lines = ["if" if size == 1 else heads[rule.join]]
    for number, condition in enumerate(rule.conditions):
        text = condition_text(condition, names, digits)
        if factor not in (None, 1.0) or (factor and not isinstance(condition, Cone)):
            text += f"  (scale\0{printed_scale(condition, factor):.6g})"  # not broken in two lines
        if rule.join == "vote":
            vote = number_text(rule.votes[number], digits)
            text = f"{vote} {'vote' if vote == '1' else 'votes'}: {text}"
        lines += _wrapped(text, names)
    return lines


def _wrapped(text: str, names: Sequence[str]) -> list[str]:
    """Return indented lines, broken before a term rather than within a name."""
    for name in names:
        text = text.replace(name, name.replace(" ", "\0"))
    text = re.sub(r" ([-+<>]) ", " \\1\0", text)
    text = re.sub(r" ([-+]\0[^ ()]+\))", "\0\\1", text)  # within the brackets of a cone
    wrapped = textwrap.wrap(
        text, LINE_WIDTH, break_long_words=False, break_on_hyphens=False, subsequent_indent="    "
    )
    return ["  " + line.replace("\0", " ") for line in wrapped]


def condition_text(
    condition: Condition | Cone, names: Sequence[str], digits: int | None = None
) -> str:
    """Return a condition as text, the most influential term first and positive.

    Examples
    --------
    >>> weights = np.array([-0.5, -1.0, 0.0])
    >>> condition_text(Condition(weights, -4.0, 1.0, weights), ["a", "b", "c"])
    'b + 0.5*a < 4'
    """
    ranked = np.argsort(-np.abs(condition.influence), kind="stable").tolist()
    order = [k for k in ranked if condition.weights[k] != 0]
    if isinstance(condition, Cone):
        left = sum_text([(float(condition.weights[k]), f"u{k + 1}") for k in order], digits)
        right, each = f"{number_text(condition.cosine, digits)}*|u|", []
        places = zip(names, condition.apex.tolist(), condition.width.tolist(), strict=True)
        for name, apex, width in places:
            side, unit = "+" if apex < 0 else "-", number_text(width, digits)
            moved = f"({name} {side} {number_text(abs(apex), digits)})" if apex else name
            text = moved if unit == "1" else f"{moved}/{unit}"
            each.append(text if width else number_text(-apex + 0.0, digits))
        relation = "<" if condition.outside else ">="
        return f"{left} {relation} {right} with u = ({', '.join(each)})"
    if not order:
        return "always" if condition.threshold < 0 else "never"
    sign = 1.0 if condition.weights[order[0]] > 0 else -1.0
    text = sum_text([(sign * float(condition.weights[k]), names[k]) for k in order], digits)
    threshold = number_text(sign * condition.threshold + 0.0, digits)
    return f"{text} {'>' if sign > 0 else '<'} {threshold}"


def _names(classifier: Any, feature_names: Sequence[str] | None) -> list[str]:
    dim = classifier.n_features_in_
    if feature_names is None:
        seen = getattr(classifier, "feature_names_in_", None)
        return [f"x{j + 1}" for j in range(dim)] if seen is None else [str(name) for name in seen]
    names = [str(name) for name in feature_names]
    if len(names) != dim:
        raise ValueError(f"feature_names must be {dim} names, got {len(names)}")
    return names


FORMAT = "hyperna.classifier"
VERSION = 2
_KEYS = {
    *("format", "version", "parameters", "classes", "class_type", "feature_names", "centre"),
    *("width", "slope", "lapse", "factor", "offset", "training_score", "evaluations"),
    *("networks", "rules"),
}
_CLASS_TYPES = {"int": int, "float": float, "str": str, "bool": bool}
_PLAIN = (str, int, float, bool, type(None))


class FittedNetworks:
    """What a fitted classifier says about its networks, and all of it as JSON, without pickle."""

    networks_: list[Network]
    scaling_: Scaling
    rules_: list[Rule]

    @property
    def network_(self) -> Network:
        """The network that tells the second class from the first."""
        if len(self.networks_) > 1:
            raise AttributeError(
                "network_ exists only for two classes; networks_ holds all of them"
            )
        return self.networks_[0]

    @property
    def n_neurons_(self) -> Any:
        """Number of neurons, for more than two classes a list."""
        sizes = [network.grid.neurons for network in self.networks_]
        return sizes if len(sizes) > 1 else sizes[0]

    @property
    def output_(self) -> Any:
        """How the neurons are joined, for more than two classes a list."""
        outputs = [network.grid.output for network in self.networks_]
        return outputs if len(outputs) > 1 else outputs[0]

    @property
    def coef_(self) -> FloatArray:
        """Coefficients of the features for two classes and one neuron, shape (1, n_features)."""
        return self._one_neuron("coef_")[0]

    @property
    def intercept_(self) -> FloatArray:
        """What is added to the coefficients times the features, shape (1,)."""
        return self._one_neuron("intercept_")[1]

    def _one_neuron(self, name: str) -> tuple[FloatArray, FloatArray]:
        limit = ""
        if hasattr(self, "networks_") and self.networks_[0].grid.neuron != "plain":
            limit = "plain neurons only: a bent neuron has no coefficients"
        elif not hasattr(self, "networks_") or self.n_neurons_ != 1:
            limit = "two classes and one neuron only, as with n_neurons=1"
        if limit:
            # AttributeError: scikit-learn then takes feature_importances_.
            rest = "rules_ holds the conditions of any network"
            raise AttributeError(f"{name} exists for {limit}; {rest}")
        W, t = half_spaces(self.networks_[0], self.scaling_)
        return W, -t

    @property
    def feature_importances_(self) -> FloatArray:
        """Share of each feature in the conditions: coefficient times deviation, averaged."""
        if not hasattr(self, "networks_"):
            raise AttributeError("feature_importances_ exists only after fit")
        parts = []
        for rule in self.rules_:
            sizes = np.abs([condition.influence for condition in rule.conditions])
            total = sizes.sum(axis=1, keepdims=True)
            parts.append((sizes / np.where(total > 0, total, 1.0)).mean(axis=0))
        mean = np.mean(parts, axis=0)
        return np.asarray(mean / (mean.sum() or 1.0))

    def to_json(self: Any) -> str:
        """Return the fitted classifier as JSON, exact to the last digit."""
        check_is_fitted(self)
        kinds = {"b": "bool", "i": "int", "u": "int", "f": "float"}
        names = getattr(self, "feature_names_in_", None)
        parameters = {}
        for name, value in self.get_params(deep=False).items():
            plain = value.item() if isinstance(value, np.generic) else value
            plain = str(value) if isinstance(value, StepLaw) else plain
            if isinstance(plain, _PLAIN):
                parameters[name] = plain
        data = {
            "format": FORMAT,
            "version": VERSION,
            "parameters": parameters,
            "classes": self.classes_.tolist(),
            "class_type": kinds.get(self.classes_.dtype.kind, "str"),
            "feature_names": None if names is None else [str(name) for name in names],
            "centre": self.scaling_.centre.tolist(),
            "width": self.scaling_.width.tolist(),
            "slope": self.slope_,
            "lapse": self.lapse_,
            "factor": self.factor_.tolist(),
            "offset": self.offset_.tolist(),
            "training_score": self.training_score_,
            "evaluations": self.n_iter_,
            "networks": [network.to_dict() for network in self.networks_],
            "rules": [rule.to_dict() for rule in self.rules_],
        }
        if data["class_type"] == "str" and not all(isinstance(c, str) for c in data["classes"]):
            raise TypeError(
                f"classes must be numbers, booleans or strings, got {shown(self.classes_)}"
            )
        return json.dumps(data, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Any:
        """Return the classifier that `to_json` wrote; anything else is a ValueError.

        Examples
        --------
        >>> from hyperna.classifier import NAClassifier
        >>> clf = NAClassifier(n_neurons=1, random_state=0).fit([[0.0], [1.0]], ["a", "b"])
        >>> NAClassifier.from_json(clf.to_json()).predict([[0.2], [0.9]])
        array(['a', 'b'], dtype='<U1')
        """
        data = _parsed(text)
        classifier: Any = cls()
        unknown = set(data["parameters"]) - set(classifier.get_params())
        if unknown:
            raise ValueError(
                f"parameters must be those of {cls.__name__}, got {sorted(unknown)!r:.60}"
            )
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
        names = data["feature_names"]
        if names is not None:
            if not isinstance(names, list) or [type(name) for name in names] != [str] * dim:
                raise ValueError(f"feature_names must be {dim} strings, got {names!r:.60}")
            classifier.feature_names_in_ = np.array(names, dtype=object)
        width = check_reals("width", data["width"], (dim,))
        if (width < 0).any():
            raise ValueError(f"width must not be negative, got {width.min()}")
        classifier.scaling_ = Scaling(check_reals("centre", data["centre"], (dim,)), width)
        for network in networks:
            classifier.scaling_.mark(network)
        for key in ("slope", "lapse", "training_score"):
            setattr(classifier, f"{key}_", float(check_reals(key, data[key], ())))
        classifier.n_iter_ = int(check_reals("evaluations", data["evaluations"], ()))
        for key in ("factor", "offset"):
            setattr(classifier, f"{key}_", check_reals(key, data[key], (len(networks),)))
        if classifier.factor_.min() <= 0:
            raise ValueError(f"factor must be positive, got {classifier.factor_.min()}")
        if classifier.slope_ <= 0 or not 0 <= classifier.lapse_ * len(classifier.classes_) < 1:
            raise ValueError("slope must be positive, and lapse from 0 to less than 1 / classes")
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
