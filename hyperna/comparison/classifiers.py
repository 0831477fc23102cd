"""Who takes part: a registry of classifiers, each with what its size is counted in.

Settings are scikit-learn's defaults, save for more iterations where the default number is known to
stop too early. Modules are imported when a classifier is built.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
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
    unit: str = "parameter"
    named_only: bool = False


CLASSIFIERS: dict[str, Contender] = {}


def register(*entries: Contender) -> None:
    """Enter classifiers into `CLASSIFIERS`; nothing else is needed to add one."""
    CLASSIFIERS.update((entry.name, entry) for entry in entries)


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
        found = [
            entry
            if isinstance(entry, Contender)
            else CLASSIFIERS[check_choice("classifiers", entry, CLASSIFIERS)]
            for entry in classifiers
        ]
    names = [entry.name for entry in found]
    if not names:
        raise ValueError("classifiers must name at least one classifier, got none")
    repeated = [name for name in names if names.count(name) > 1]
    if repeated:
        raise ValueError(f"classifiers must be different, got {shown(repeated[0])} more than once")
    return tuple(found)


def _own(name: str, estimator: Any) -> Contender:
    """Return a caller's estimator as a contender; its own settings hold, random_state included."""
    if not hasattr(estimator, "fit") or isinstance(estimator, type):
        given = f"{shown(estimator)} for {shown(name)}"
        raise TypeError(f"classifiers must map names to estimators, got {given}")
    from sklearn.base import clone

    return Contender(name, type(estimator).__name__, lambda seed: clone(estimator), unit="")


@dataclass(frozen=True)
class _Estimator:
    """Builds an estimator for a seed; its module is imported only then."""

    path: str
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __call__(self, seed: int) -> Any:
        module, _, name = self.path.rpartition(".")
        made = getattr(import_module(module), name)(**self.options)
        return made.set_params(random_state=seed) if hasattr(made, "random_state") else made


def _count(*arrays: Any) -> int:
    """Return how many numbers the arrays hold together."""
    return sum(int(np.size(array)) for array in arrays)


def _linear(fitted: Any) -> int:
    return _count(fitted.coef_, fitted.intercept_)


def _machine(fitted: Any) -> int:
    return _count(fitted.support_vectors_, fitted.dual_coef_, fitted.intercept_)


def _layers(fitted: Any) -> int:
    return _count(*fitted.coefs_, *fitted.intercepts_)


def _nodes(fitted: Any) -> int:
    return sum(int(tree.tree_.node_count) for tree in getattr(fitted, "estimators_", [fitted]))


def _stored(fitted: Any) -> int:
    return int(fitted.n_samples_fit_ * fitted.n_features_in_)


def _evolved(fitted: Any) -> int:
    return sum(network.grid.components for network in fitted.networks_)


def _grown(fitted: Any) -> int:
    return int(fitted.network_.size)


_NA = _Estimator("hyperna.classifier.NAClassifier")
_NEAT = _Estimator("hyperna.comparison.neat.NeatClassifier")
_PERCEPTRON = _Estimator("sklearn.linear_model.Perceptron")
_LOGISTIC = _Estimator("sklearn.linear_model.LogisticRegression", {"max_iter": 1000})
_LINEAR_SVC = _Estimator("sklearn.svm.LinearSVC", {"max_iter": 10_000})
_SVC = _Estimator("sklearn.svm.SVC")
_MLP = _Estimator("sklearn.neural_network.MLPClassifier")
_FEW_UNITS = {"hidden_layer_sizes": (8,), "solver": "lbfgs", "max_iter": 1000}
_TREE = _Estimator("sklearn.tree.DecisionTreeClassifier")
_FOREST = _Estimator("sklearn.ensemble.RandomForestClassifier")
_KNN = _Estimator("sklearn.neighbors.KNeighborsClassifier")
_ADAM = "MLPClassifier with its defaults: 100 hidden units, adam"
register(
    Contender("na", "NAClassifier: hyperplanes evolved on the 0-1 loss", _NA, _evolved),
    Contender("perceptron", "Perceptron", _PERCEPTRON, _linear),
    Contender("logistic", "LogisticRegression", _LOGISTIC, _linear),
    Contender("linear_svc", "LinearSVC", _LINEAR_SVC, _linear),
    Contender("svc", "SVC with the RBF kernel", _SVC, _machine),
    Contender(
        "mlp8", "MLPClassifier: 8 hidden units, lbfgs", replace(_MLP, options=_FEW_UNITS), _layers
    ),
    Contender("mlp", _ADAM, _MLP, _layers),
    Contender("tree", "DecisionTreeClassifier", _TREE, _nodes, "node"),
    Contender("forest", "RandomForestClassifier: 100 trees", _FOREST, _nodes, "node"),
    Contender("knn", "KNeighborsClassifier: 5 neighbours", _KNN, _stored, "stored number"),
    Contender("neat", "NEAT: 15,000 networks of any topology", _NEAT, _grown, named_only=True),
)
