"""Other classifiers that people can read, behind scikit-learn's interface (``hyperna[rivals]``).

Each takes two or more classes of any type, a seed, and says how large its model is. Their settings
are their packages' defaults unless said otherwise.
"""

import inspect
import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.utils.validation import check_is_fitted, validate_data

# Seconds after which the search for an optimal tree gives the best one that it has found.
OPTIMAL_TREE_SECONDS = 30.0
# What a split must save: this share of the rows. Five folds each of breast cancer, wine, iris,
# moons, xor and half_spaces_d5 gave a mean accuracy of .907 with 6.5 splits at cost 0, .912 with
# 4.7 at 0.005, .910 with 3.9 at 0.01, and .909 with 3.3 at 0.02.
SPLIT_COST = 0.01
# Strengths of the L1 penalty that are tried, from hardly any coefficient to nearly all of them.
STRENGTHS = np.logspace(-2, 2, 9)


class Rival(ClassifierMixin, BaseEstimator):
    """What the rivals share: checked data, and classes of any type as numbers 0, 1, ...

    A subclass has `_learn(X, number)`, which is called by `fit`, and `_answer(X)`, which returns
    numbers of classes.
    """

    classes_: NDArray[Any]

    def fit(self, X: ArrayLike, y: ArrayLike) -> "Rival":
        """Fit the model to the points X (n, D) with classes y."""
        points, labels = validate_data(self, X, y, dtype=float)
        self.classes_, number = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"y must hold at least two classes, got {len(self.classes_)} class")
        self._learn(points, number)
        return self

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the classes of the points X (n, D)."""
        check_is_fitted(self)
        points = validate_data(self, X, dtype=float, reset=False)
        return self.classes_[self._answer(points)]

    def _learn(self, X: NDArray[Any], number: NDArray[Any]) -> None:
        raise NotImplementedError

    def _answer(self, X: NDArray[Any]) -> NDArray[Any]:
        raise NotImplementedError


class SparseLogisticRegression(Rival):
    """Logistic regression with an L1 penalty whose strength is chosen by cross-validation.

    More than two classes are told apart one against the rest, all with the same strength.

    Parameters
    ----------
    random_state : int
        Seed.

    Attributes
    ----------
    size_ : int
        Number of coefficients that are not 0.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 8))
    >>> SparseLogisticRegression().fit(X, X[:, 2] > 0).size_ < 8
    True
    """

    def __init__(self, random_state: int = 0) -> None:
        self.random_state = random_state

    def _learn(self, X: NDArray[Any], number: NDArray[Any]) -> None:
        penalty: dict[str, Any] = {"penalty": "l1"}
        if inspect.signature(LogisticRegression).parameters["penalty"].default == "deprecated":
            penalty = {"l1_ratio": 1.0}  # since scikit-learn 1.8
        regression = LogisticRegression(
            solver="liblinear", max_iter=1000, random_state=self.random_state, **penalty
        )
        model = OneVsRestClassifier(regression)
        smallest = int(np.bincount(number).min())
        if smallest > 1:
            grid = {"estimator__C": STRENGTHS}
            search = GridSearchCV(model, grid, cv=min(5, smallest)).fit(X, number)
            self.model_ = search.best_estimator_
        else:
            self.model_ = model.fit(X, number)
        self.size_ = sum(int(np.count_nonzero(one.coef_)) for one in self.model_.estimators_)

    def _answer(self, X: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(self.model_.predict(X))


class RipperClassifier(Rival):
    """RIPPER (Cohen 1995): lists of rules, as in the package wittgenstein.

    More than two classes are learnt as in the paper: rules for the rarest class first, then for the
    next one among the points that remain, and the most frequent class is what is left. Numbers are
    put into ten bins.

    Parameters
    ----------
    random_state : int
        Seed.

    Attributes
    ----------
    rules_ : list
        One ruleset for each class but the most frequent one, in the order in which they are tried.
    size_ : int
        Number of conditions in all rules.
    """

    def __init__(self, random_state: int = 0) -> None:
        self.random_state = random_state

    def _learn(self, X: NDArray[Any], number: NDArray[Any]) -> None:
        from wittgenstein import RIPPER

        by_frequency = np.argsort(np.bincount(number), kind="stable")
        self.order_ = by_frequency.tolist()
        self.rules_: list[Any] = []
        remaining = np.ones(len(number), dtype=bool)
        for each in self.order_[:-1]:
            ruleset = RIPPER(random_state=self.random_state)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of pandas, about what the package does with it
                ruleset.fit(X[remaining], number[remaining] == each, pos_class=True)
            self.rules_.append(ruleset)
            remaining &= number != each
        self.size_ = sum(int(ruleset.ruleset_.count_conds()) for ruleset in self.rules_)

    def _answer(self, X: NDArray[Any]) -> NDArray[Any]:
        answer = np.full(len(X), self.order_[-1])
        for each, ruleset in reversed([*zip(self.order_[:-1], self.rules_, strict=True)]):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                answer[np.asarray(ruleset.predict(X), dtype=bool)] = each
        return answer


class OptimalTreeClassifier(Rival):
    """The best tree of depth 3 for training errors plus a cost of splits, as in pycontree.

    Parameters
    ----------
    max_depth : int
        Depth of the tree.
    time_limit : float
        Seconds after which the best tree found so far is taken, with a ConvergenceWarning.

    Attributes
    ----------
    size_ : int
        Number of splits.
    """

    def __init__(self, max_depth: int = 3, time_limit: float = OPTIMAL_TREE_SECONDS) -> None:
        self.max_depth = max_depth
        self.time_limit = time_limit

    def _learn(self, X: NDArray[Any], number: NDArray[Any]) -> None:
        from pycontree import ConTree

        self.tree_ = ConTree(
            max_depth=self.max_depth, complexity_cost=SPLIT_COST, time_limit=self.time_limit
        )
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self.tree_.fit(X, number)
        if any("time limit" in str(entry.message) for entry in caught):
            message = (
                f"the tree is the best found in {self.time_limit:g} s, not proved to be optimal"
            )
            warnings.warn(message, ConvergenceWarning, stacklevel=3)
        self.size_ = int(self.tree_.get_num_branching_nodes())

    def _answer(self, X: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(self.tree_.predict(X), dtype=np.int64)


class FigsClassifier(Rival):
    """FIGS (Tan et al. 2022): a sum of few small trees, as in the package imodels.

    Parameters
    ----------
    random_state : int
        Seed.

    Attributes
    ----------
    size_ : int
        Number of splits in all trees, at most 12.
    """

    def __init__(self, random_state: int = 0) -> None:
        self.random_state = random_state

    def _learn(self, X: NDArray[Any], number: NDArray[Any]) -> None:
        from imodels import FIGSClassifier

        self.model_ = FIGSClassifier(random_state=self.random_state).fit(X, number)
        self.size_ = int(self.model_.complexity_)

    def _answer(self, X: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(self.model_.predict(X), dtype=np.int64)


class BoostingMachineClassifier(Rival):
    """Explainable boosting machine: one curve for each feature, as in the package interpret-core.

    With two classes there are also maps of pairs of features, which the package leaves out of its
    pictures for more classes; so are they here.

    Parameters
    ----------
    random_state : int
        Seed.

    Attributes
    ----------
    size_ : int
        Number of scores in all curves and maps that are not 0.
    """

    def __init__(self, random_state: int = 0) -> None:
        self.random_state = random_state

    def _learn(self, X: NDArray[Any], number: NDArray[Any]) -> None:
        from interpret.glassbox import ExplainableBoostingClassifier

        options = {"interactions": 0} if len(self.classes_) > 2 else {}
        machine = ExplainableBoostingClassifier(random_state=self.random_state, n_jobs=1, **options)
        self.model_ = machine.fit(X, number)
        self.size_ = sum(int(np.count_nonzero(scores)) for scores in self.model_.term_scores_)

    def _answer(self, X: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(self.model_.predict(X), dtype=np.int64)
