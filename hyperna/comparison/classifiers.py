"""Who takes part: a registry of classifiers, each with what its size is counted in.

Settings are the defaults of scikit-learn and of the packages, save for more iterations where the
default number is known to stop too early. Modules are imported when a classifier is built.

Sizes count what a reader has to look at: the terms of a rule of half-spaces, the splits of trees,
the coefficients of a linear model that are not 0, the conditions of a list of rules. Classifiers
that nobody reads have a size too: the splits of all trees of a forest, the weights of a network
between its units (without intercepts), the coordinates of the points that are stored.
"""

import importlib.util
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from operator import attrgetter
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
    package, module, extra : str
        What has to be installed for it: the package, the module that it brings (if the name is
        another one), and the extra of hyperna with which it comes.

    Examples
    --------
    >>> tree = CLASSIFIERS["tree"]
    >>> fitted = tree.build(0).fit([[0.0], [1.0]], [0, 1])
    >>> tree.size(fitted), tree.unit
    (1, 'split')
    """

    name: str
    summary: str
    build: Callable[[int], Any]
    size: Callable[[Any], int] | None = None
    unit: str = "number"
    named_only: bool = False
    package: str = ""
    module: str = ""
    extra: str = ""

    @property
    def absent(self) -> str:
        """What has to be installed for it; "" if nothing."""
        if not self.package or importlib.util.find_spec(self.module or self.package) is not None:
            return ""
        return f"needs {self.package}: install it with pip install 'hyperna[{self.extra}]'"


CLASSIFIERS: dict[str, Contender] = {}
# Names that stand for several classifiers.
GROUPS: dict[str, tuple[str, ...]] = {
    "rivals": ("l1", "tree", "optimal_tree", "figs", "ripper", "ebm"),
}


def register(*entries: Contender) -> None:
    """Enter classifiers into `CLASSIFIERS`; nothing else is needed to add one."""
    CLASSIFIERS.update((entry.name, entry) for entry in entries)


def contenders(
    classifiers: Mapping[str, Any] | Iterable[str | Contender] | None,
) -> tuple[Contender, ...]:
    """Return the contenders of a comparison.

    Given are names of classifiers or groups, contenders, or a dict from names to estimators; None
    stands for all classifiers that need not be named to take part.
    """
    if classifiers is None:
        return tuple(entry for entry in CLASSIFIERS.values() if not entry.named_only)
    if isinstance(classifiers, str):
        classifiers = [classifiers]
    if isinstance(classifiers, Mapping):
        found = [_own(name, estimator) for name, estimator in classifiers.items()]
    else:
        found = [*_named(classifiers)]
    names = [entry.name for entry in found]
    if not names:
        raise ValueError("classifiers must name at least one classifier, got none")
    repeated = [name for name in names if names.count(name) > 1]
    if repeated:
        raise ValueError(f"classifiers must be different, got {shown(repeated[0])} more than once")
    return tuple(found)


def _named(entries: Iterable[str | Contender]) -> Iterator[Contender]:
    """Yield the contenders that are named; of a group those that are not named by themselves."""
    given = [*entries]
    for entry in given:
        if isinstance(entry, Contender):
            yield entry
        elif isinstance(entry, str) and entry in GROUPS:
            yield from (CLASSIFIERS[name] for name in GROUPS[entry] if name not in given)
        else:
            yield CLASSIFIERS[check_choice("classifiers", entry, [*CLASSIFIERS, *GROUPS])]


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


def _coefficients(fitted: Any) -> int:
    return int(np.count_nonzero(fitted.coef_))


def _splits(fitted: Any) -> int:
    """Return the splits of a tree, or of all trees of a forest."""
    trees = getattr(fitted, "estimators_", [fitted])
    return sum(int(tree.get_n_leaves()) - 1 for tree in trees)


def _weights(fitted: Any) -> int:
    return sum(int(np.count_nonzero(layer)) for layer in fitted.coefs_)


def _coordinates_of_support_vectors(fitted: Any) -> int:
    return int(np.size(fitted.support_vectors_))


def _coordinates_of_points(fitted: Any) -> int:
    return int(fitted.n_samples_fit_ * fitted.n_features_in_)


register(
    Contender(
        "na",
        "NAClassifier: the short rule that tells the labels in the fewest bits",
        _Estimator("hyperna.classifier.NAClassifier"),
        size=attrgetter("n_terms_"),
        unit="term",
    ),
    Contender(
        "perceptron",
        "Perceptron",
        _Estimator("sklearn.linear_model.Perceptron"),
        size=_coefficients,
        unit="coefficient",
    ),
    Contender(
        "logistic",
        "LogisticRegression",
        _Estimator("sklearn.linear_model.LogisticRegression", {"max_iter": 1000}),
        size=_coefficients,
        unit="coefficient",
    ),
    Contender(
        "l1",
        "logistic regression with an L1 penalty, its strength chosen by cross-validation",
        _Estimator("hyperna.comparison.rivals.SparseLogisticRegression"),
        size=attrgetter("size_"),
        unit="coefficient",
    ),
    Contender(
        "linear_svc",
        "LinearSVC",
        _Estimator("sklearn.svm.LinearSVC", {"max_iter": 10_000}),
        size=_coefficients,
        unit="coefficient",
    ),
    Contender(
        "svc",
        "SVC with the RBF kernel",
        _Estimator("sklearn.svm.SVC"),
        size=_coordinates_of_support_vectors,
    ),
    Contender(
        "mlp8",
        "MLPClassifier: 8 hidden units, lbfgs",
        _Estimator(
            "sklearn.neural_network.MLPClassifier",
            {"hidden_layer_sizes": (8,), "solver": "lbfgs", "max_iter": 1000},
        ),
        size=_weights,
        unit="weight",
    ),
    Contender(
        "mlp",
        "MLPClassifier with its defaults: 100 hidden units, adam",
        _Estimator("sklearn.neural_network.MLPClassifier"),
        size=_weights,
        unit="weight",
    ),
    Contender(
        "tree",
        "DecisionTreeClassifier",
        _Estimator("sklearn.tree.DecisionTreeClassifier"),
        size=_splits,
        unit="split",
    ),
    Contender(
        "forest",
        "RandomForestClassifier: 100 trees",
        _Estimator("sklearn.ensemble.RandomForestClassifier"),
        size=_splits,
        unit="split",
    ),
    Contender(
        "knn",
        "KNeighborsClassifier: 5 neighbours",
        _Estimator("sklearn.neighbors.KNeighborsClassifier"),
        size=_coordinates_of_points,
    ),
    Contender(
        "optimal_tree",
        "the best tree of depth 3 for training errors and splits (pycontree)",
        _Estimator("hyperna.comparison.rivals.OptimalTreeClassifier"),
        size=attrgetter("size_"),
        unit="split",
        named_only=True,
        package="pycontree",
        extra="rivals",
    ),
    Contender(
        "figs",
        "FIGS: a sum of small trees with 12 splits at most (imodels)",
        _Estimator("hyperna.comparison.rivals.FigsClassifier"),
        size=attrgetter("size_"),
        unit="split",
        named_only=True,
        package="imodels",
        extra="rivals",
    ),
    Contender(
        "ripper",
        "RIPPER: a list of rules (wittgenstein)",
        _Estimator("hyperna.comparison.rivals.RipperClassifier"),
        size=attrgetter("size_"),
        unit="condition",
        named_only=True,
        package="wittgenstein",
        extra="rivals",
    ),
    Contender(
        "ebm",
        "explainable boosting machine: a curve for each feature (interpret)",
        _Estimator("hyperna.comparison.rivals.BoostingMachineClassifier"),
        size=attrgetter("size_"),
        unit="score",
        named_only=True,
        package="interpret-core",
        module="interpret",
        extra="rivals",
    ),
    Contender(
        "neat",
        "NEAT: 15,000 networks of any topology",
        _Estimator("hyperna.comparison.neat.NeatClassifier"),
        size=attrgetter("network_.size"),
        unit="parameter",
        named_only=True,
        package="neat-python",
        module="neat",
        extra="baselines",
    ),
)
