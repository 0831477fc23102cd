"""Who takes part: a registry of classifiers, each with what its size is counted in.

Settings are scikit-learn's defaults, save for more iterations where the default number is known to
stop too early. Modules are imported when a classifier is built.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hyperna._validation import check_choice
from hyperna._words import shown


@dataclass(frozen=True)
class Contender:
    """A classifier that takes part in a comparison.

    Parameters
    ----------
    name : str
        What it is called in tables and on the command line.
    summary : str
        One line about it.
    build : callable
        Returns a new, unfitted estimator for a seed.
    size : callable, optional
        Returns the size of a fitted estimator.
    unit : str
        What the size counts, in the singular.
    named_only : bool
        Whether it takes part only where it is named: it is slow, or needs an extra.

    Examples
    --------
    >>> tree = CLASSIFIERS["tree"]
    >>> fitted = tree.build(0).fit([[0.0], [1.0]], [0, 1])
    >>> tree.size(fitted), tree.unit
    (3, 'node')
    """

    name: str
    summary: str
    build: Callable[[int], Any]
    size: Callable[[Any], int] | None = None
    unit: str = ""
    named_only: bool = False


CLASSIFIERS: dict[str, Contender] = {}

Build = Callable[[int], Any]


def register(
    name: str,
    summary: str,
    *,
    size: Callable[[Any], int],
    unit: str = "parameter",
    named_only: bool = False,
) -> Callable[[Build], Build]:
    """Enter the decorated function into `CLASSIFIERS`; nothing else is needed to add one."""

    def enter(build: Build) -> Build:
        CLASSIFIERS[name] = Contender(name, summary, build, size, unit, named_only)
        return build

    return enter


def contenders(
    classifiers: Mapping[str, Any] | Iterable[str | Contender] | None,
) -> tuple[Contender, ...]:
    """Return who is meant: all if None, else by name, as contenders or as named estimators."""
    if classifiers is None:
        return tuple(entry for entry in CLASSIFIERS.values() if not entry.named_only)
    if isinstance(classifiers, str):
        classifiers = [classifiers]
    if isinstance(classifiers, Mapping):
        found = [_own(name, estimator) for name, estimator in classifiers.items()]
    else:
        found = [_known(entry) for entry in classifiers]
    names = [entry.name for entry in found]
    if not names:
        raise ValueError("classifiers must name at least one classifier, got none")
    repeated = [name for name in names if names.count(name) > 1]
    if repeated:
        raise ValueError(f"classifiers must be different, got {shown(repeated[0])} more than once")
    return tuple(found)


def _known(entry: str | Contender) -> Contender:
    if isinstance(entry, Contender):
        return entry
    return CLASSIFIERS[check_choice("classifiers", entry, CLASSIFIERS)]


def _own(name: str, estimator: Any) -> Contender:
    """Return a caller's estimator as a contender; its own settings hold, random_state included."""
    if not hasattr(estimator, "fit") or isinstance(estimator, type):
        given = f"{shown(estimator)} for {shown(name)}"
        raise TypeError(f"classifiers must map names to estimators, got {given}")
    from sklearn.base import clone

    return Contender(name, type(estimator).__name__, lambda seed: clone(estimator))


def _count(*arrays: Any) -> int:
    """Return how many numbers the arrays hold together."""
    return sum(int(np.size(array)) for array in arrays)


def _linear_size(fitted: Any) -> int:
    return _count(fitted.coef_, fitted.intercept_)


def _machine_size(fitted: Any) -> int:
    return _count(fitted.support_vectors_, fitted.dual_coef_, fitted.intercept_)


def _layers_size(fitted: Any) -> int:
    return _count(*fitted.coefs_, *fitted.intercepts_)


def _tree_size(fitted: Any) -> int:
    return int(fitted.tree_.node_count)


def _forest_size(fitted: Any) -> int:
    return sum(map(_tree_size, fitted.estimators_))


def _stored_size(fitted: Any) -> int:
    return int(fitted.n_samples_fit_ * fitted.n_features_in_)


def _neat_size(fitted: Any) -> int:
    return int(fitted.network_.size)


def _na_size(fitted: Any) -> int:
    return sum(network.grid.components for network in fitted.networks_)


@register("na", "NAClassifier: hyperplanes evolved on the 0-1 loss", size=_na_size)
def _na(seed: int) -> Any:
    from hyperna.classifier import NAClassifier

    return NAClassifier(random_state=seed)


@register("perceptron", "Perceptron", size=_linear_size)
def _perceptron(seed: int) -> Any:
    from sklearn.linear_model import Perceptron

    return Perceptron(random_state=seed)


@register("logistic", "LogisticRegression", size=_linear_size)
def _logistic(seed: int) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(max_iter=1000, random_state=seed)


@register("linear_svc", "LinearSVC", size=_linear_size)
def _linear_svc(seed: int) -> Any:
    from sklearn.svm import LinearSVC

    return LinearSVC(max_iter=10_000, random_state=seed)


@register("svc", "SVC with the RBF kernel", size=_machine_size)
def _svc(seed: int) -> Any:
    from sklearn.svm import SVC

    return SVC(random_state=seed)


@register("mlp8", "MLPClassifier: 8 hidden units, lbfgs", size=_layers_size)
def _mlp8(seed: int) -> Any:
    from sklearn.neural_network import MLPClassifier

    return MLPClassifier((8,), solver="lbfgs", max_iter=1000, random_state=seed)


@register("mlp", "MLPClassifier with its defaults: 100 hidden units, adam", size=_layers_size)
def _mlp(seed: int) -> Any:
    from sklearn.neural_network import MLPClassifier

    return MLPClassifier(random_state=seed)


@register("tree", "DecisionTreeClassifier", size=_tree_size, unit="node")
def _tree(seed: int) -> Any:
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(random_state=seed)


@register("forest", "RandomForestClassifier: 100 trees", size=_forest_size, unit="node")
def _forest(seed: int) -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(random_state=seed)


@register("knn", "KNeighborsClassifier: 5 neighbours", size=_stored_size, unit="stored number")
def _knn(seed: int) -> Any:
    from sklearn.neighbors import KNeighborsClassifier

    return KNeighborsClassifier()


@register("neat", "NEAT: 15,000 networks of any topology", size=_neat_size, named_only=True)
def _neat(seed: int) -> Any:
    from hyperna.comparison.neat import NeatClassifier

    return NeatClassifier(random_state=seed)
