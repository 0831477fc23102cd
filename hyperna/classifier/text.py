"""Half-spaces in the units of the data."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from hyperna._validation import FloatArray, check_integer
from hyperna.classifier.scaling import Scaling
from hyperna.networks import Network


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
    W = np.divide(W, scaling.width, out=np.zeros_like(W), where=used)
    return W, b + W @ scaling.centre


def export_text(
    classifier: Any, feature_names: Sequence[str] | None = None, *, digits: int = 3
) -> str:
    """Return the half-spaces of a fitted NAClassifier as text, in the units of the data.

    Parameters
    ----------
    classifier : NAClassifier
        A fitted classifier.
    feature_names : sequence of str, optional
        One name for each feature; by default those seen in `fit`, or x1, x2, ...
    digits : int
        Significant digits of the weights. Thresholds get as many decimals as the rounding of the
        weights leaves meaningful, two more digits.

    Examples
    --------
    >>> from hyperna.classifier import NAClassifier
    >>> clf = NAClassifier(n_neurons=1, random_state=0).fit([[1.0], [3.0]], ["low", "high"])
    >>> print(export_text(clf, ["size"]))
    class 'low' if
      -size >= -2
    otherwise 'high'
    """
    if not hasattr(classifier, "to_json"):
        kind = type(classifier).__name__
        raise TypeError(
            f"classifier must be an NAClassifier, got {kind}; of a pipeline take the last step [-1]"
        )
    check_is_fitted(classifier)
    check_integer("digits", digits, 1, 17)
    names = _names(classifier, feature_names)
    classes = [repr(name) for name in classifier.classes_.tolist()]
    if len(classifier.networks_) == 1:
        rule = _rules(classifier.networks_[0], classifier.scaling_, names, digits)
        return f"class {classes[1]} {rule}\notherwise {classes[0]}"
    parts = ["the class whose rule holds with the largest margin (or fails with the smallest)"]
    for name, network in zip(classes, classifier.networks_, strict=True):
        parts.append(f"class {name} {_rules(network, classifier.scaling_, names, digits)}")
    return "\n".join(parts)


def _rules(network: Network, scaling: Scaling, names: list[str], digits: int) -> str:
    W, t = half_spaces(network, scaling)
    lines = [_rule(w, threshold, names, digits) for w, threshold in zip(W, t, strict=True)]
    output = network.output_weights()
    if output is not None:
        bits = [f"h{i + 1}" for i in range(len(lines))]
        head = f"if\n  {_rule(*output, bits, digits)}\nwhere each h is 1 or 0 as it holds or not"
        lines = [f"{bit}: {line}" for bit, line in zip(bits, lines, strict=True)]
    else:
        head = network.condition
    return "\n  ".join([head, *lines])


def _rule(w: FloatArray, threshold: float, names: list[str], digits: int) -> str:
    """Return w·x >= threshold, divided by the largest weight."""
    largest = float(np.abs(w).max()) or 1.0
    text = ""
    for weight, name in zip((w / largest).tolist(), names, strict=True):
        if weight == 0:
            continue
        size = f"{abs(weight):.{digits}g}"
        sign = ("-" if weight < 0 else "") if not text else (" - " if weight < 0 else " + ")
        text += sign + (name if size == "1" else f"{size}*{name}")
    return f"{text or '0'} >= {threshold / largest:.{digits + 2}g}"


def _names(classifier: Any, feature_names: Sequence[str] | None) -> list[str]:
    dim = classifier.n_features_in_
    if feature_names is None:
        seen = getattr(classifier, "feature_names_in_", None)
        return [f"x{j + 1}" for j in range(dim)] if seen is None else [str(name) for name in seen]
    names = [str(name) for name in feature_names]
    if len(names) != dim:
        raise ValueError(f"feature_names must be {dim} names, got {len(names)}")
    return names
