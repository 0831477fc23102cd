"""What a user hands to `fit`: numbers, classes and weights, checked."""

from typing import Any

import numpy as np
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, validate_data

from hyperna._validation import FloatArray, check_choice
from hyperna.classifier.points import Table


def numbers(estimator: Any, X: Any, y: Any = "no_validation") -> Any:
    """Return X, or X and y if this is given, as scikit-learn checks them.

    Words in X are an error that names the column and a way to encode it.
    """
    fitting = not (isinstance(y, str) and y == "no_validation")
    try:
        with np.errstate(all="ignore"):  # sums of huge numbers, which are no fault
            return validate_data(estimator, X, y, reset=fitting, dtype=np.float64)
    except ValueError as error:
        if "could not convert" not in str(error):
            raise
        place = _words(X)
        if place is None:
            raise
        column, word = place
        raise ValueError(
            f"X must be numbers, got {word!r:.40} in column {column!r:.60}; encode the column "
            "first, for example with sklearn.preprocessing.OneHotEncoder or OrdinalEncoder"
        ) from None


def _words(X: Any) -> tuple[Any, str] | None:
    """Return name or number of the first column with a word that is no number, and the word."""
    names = list(getattr(X, "columns", []))
    values = np.asarray(X, dtype=object)
    for k, column in enumerate(values.T if values.ndim == 2 else []):
        for value in column:
            try:
                float(value)
            except (TypeError, ValueError):
                if isinstance(value, str):
                    return (names[k] if names else k), value
    return None


def labelled_table(estimator: Any, X: Any, y: Any, sample_weight: Any) -> tuple[Table, Any, Any]:
    """Return the distinct rows with their weights, the classes, and y as checked."""
    features, y = numbers(estimator, X, y)
    check_classification_targets(y)
    weight = _check_sample_weight(sample_weight, features, dtype=np.float64)
    if (weight < 0).any():
        raise ValueError(f"Negative values in sample_weight, the least is {weight.min()}.")
    classes, label = np.unique(y, return_inverse=True)
    present = np.unique(label[weight > 0])
    if len(present) < 2:
        which = f": {classes[present[0]]}" if len(present) else ""
        raise ValueError(
            "NAClassifier needs samples of at least 2 classes in the data (with positive "
            f"weight), but the data contains only {('no', 'one')[len(present)]} class{which}"
        )
    weight = weight * class_weights(estimator.class_weight, classes, label, weight)[label]
    return Table.of(features, label, weight), classes, y


def class_weights(choice: Any, classes: Any, label: Any, weight: FloatArray) -> FloatArray:
    """Return the weight of each class: given ones, or such that all classes weigh the same.

    Examples
    --------
    >>> class_weights("balanced", np.array([0, 1]), np.array([0, 0, 0, 1]), np.ones(4))
    array([0.66666667, 2.        ])
    """
    if choice is None:
        return np.ones(len(classes))
    if isinstance(choice, str):
        check_choice("class_weight", choice, ("balanced",), "or a dict or None")
        total = np.bincount(label, weights=weight, minlength=len(classes))
        even = weight.sum() / (np.count_nonzero(total) * np.where(total > 0, total, 1.0))
        return np.asarray(even)
    if not isinstance(choice, dict):
        raise TypeError(f"class_weight must be a dict, 'balanced' or None, got {choice!r:.60}")
    made = compute_class_weight(choice, classes=classes, y=classes[label])
    if not (np.isfinite(made).all() and (made >= 0).all() and (made > 0).sum() > 1):
        raise ValueError(
            "class_weight must be finite, not negative, and positive for two classes, "
            f"got {choice!r:.80}"
        )
    return np.asarray(made, float)
