"""NAClassifier: short rules of half-spaces as a scikit-learn classifier."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import check_consistent_length, check_random_state, column_or_1d
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import ThreadpoolController

from hyperna._validation import (
    MOST_CONDITIONS,
    FloatArray,
    IntArray,
    check_choice,
    check_integer,
    check_jobs,
    check_real,
)
from hyperna._words import shown
from hyperna.classifier import model_file
from hyperna.classifier.class_order import list_order
from hyperna.classifier.decision_list import DecisionList
from hyperna.classifier.notebook import RuleBox
from hyperna.classifier.path import PathRow, RulePath, answer_within, best_of_sizes
from hyperna.classifier.rules import Rule, rule_of
from hyperna.classifier.search import Candidate, Mapper, Search, SearchOptions
from hyperna.classifier.table import (
    LabelledTable,
    Standardisation,
    StandardPoints,
    checked_folds,
    checked_numbers,
    checked_table,
    checked_weight,
)
from hyperna.classifier.text import list_text
from hyperna.tables.features import plain_features

JOINED_BY = ("or", "and", "xor", "at_least")
# More terms than any rule has: what None stands for as `max_terms`.
ANY_TERMS = 10**9


class NAClassifier(RuleBox, ClassifierMixin, BaseEstimator):
    """Classifier with a short rule: a few half-spaces that tell the labels in the fewest bits.

    A rule is a network of half-spaces such as ``age > 40`` or ``x + 0.5*y < 3``, joined by "any",
    "all", "at least k" or "an odd number of". Candidates come from logistic regression on growing
    sets of features and from networks that are evolved to make few errors with few terms. The
    answer is the candidate with the shortest description of the labels: the bits of the rule plus
    the bits of what it leaves open. More than two classes are told by a list of rules. What
    `export_text` prints is what `predict` computes.

    Parameters
    ----------
    max_terms : int, optional
        Largest number of terms (coefficients) of the rule, or of all rules of a list together. By
        default the description length alone decides.
    max_neurons : int, default=8
        Largest number of half-spaces in a rule.
    output : {"auto", "or", "and", "xor", "at_least"}, default="auto"
        How half-spaces may be joined: any of them must hold, all of them, an odd number, or at
        least so many of them. "auto" tries all. "at_least" begins with most of 3, of 5 and so on;
        where the search then leaves half-spaces out, any number of those that are left may have to
        hold, also one ("or") or all ("and").
    shortness : float, default=0.5
        Weight of the rule's bits against those of the labels: larger values give shorter rules; 1
        is the plain description length, 0 takes the rule that tells the training labels best.
        Whatever the value, a rule must tell more than the constant answer by a stricter count.
    evaluations : int, default=1500
        Offspring of a network at each cost of a term: the effort of the search.
    monotonic_cst : array-like of int of shape (n_features,), or dict, optional
        1: the probability of the second class may only increase with the feature; -1: only
        decrease; 0: both. A dict maps names of features to these numbers. For two classes.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes: a dict, or "balanced" for equal total weights. It is the same
        as multiplying `sample_weight` by the weight of each row's class.
    n_jobs : int, optional
        Number of workers, as in joblib, for shapes of networks and for classes. They are threads
        unless another backend is set with ``joblib.parallel_config``. The result does not depend on
        it.
    verbose : int, default=0
        Print the size and the bits of the best rule so far, after each size of networks, and of the
        best one in the end; for several classes of each rule of the list.
    random_state : int, RandomState or None
        Pass an integer for reproducible results.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    rules_ : tuple of Rule
        One rule for two classes, which holds on the second one; otherwise the rules of the list.
    list_ : DecisionList
        The rules with their classes, in the order in which they are asked.
    path_ : RulePath
        The best rule found for each number of terms, with the chosen one marked; see also `at` and
        `validate_path`.
    n_terms_, n_neurons_ : int
        Number of coefficients and of half-spaces, in all.
    output_ : str
        How the half-spaces are joined, "constant" for the constant answer, "list" for more than two
        classes.
    coef_, intercept_ : ndarray of shape (1, n_features) and (1,)
        For a single half-space: `decision_function` is X @ coef_[0] + intercept_[0].
    feature_importances_ : ndarray of shape (n_features,)
        Share of each feature in the conditions: coefficient times standard deviation, averaged over
        the conditions and then over the rules. The shares sum to 1.
    training_score_ : float
        Accuracy on the training rows, with their weights.
    baseline_score_ : float
        Accuracy of always answering the most frequent class.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    The result depends neither on the order of the rows nor on whether a row has weight 2 or occurs
    twice; weights are read as numbers of rows. Equal rows of measured values count as copies of one
    row. Of more than 20,000 different rows the search uses a sample.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).uniform(-1, 1, (300, 2))
    >>> clf = NAClassifier(random_state=0).fit(X, X[:, 0] * X[:, 1] > 0)
    >>> clf.output_, clf.n_terms_
    ('xor', 2)
    """

    # What other values of `shortness` and `evaluations` do is in benchmarks/ablation.md, for
    # `max_neurons` only what 1 does ("no networks"); 8 was not varied.
    def __init__(
        self,
        max_terms: int | None = None,
        *,
        max_neurons: int = 8,
        output: str = "auto",
        shortness: float = 0.5,
        evaluations: int = 1500,
        monotonic_cst: Any = None,
        class_weight: dict[Any, float] | str | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.max_terms = max_terms
        self.max_neurons = max_neurons
        self.output = output
        self.shortness = shortness
        self.evaluations = evaluations
        self.monotonic_cst = monotonic_cst
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> "NAClassifier":
        """Find the rule that tells y from X in the fewest bits.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Their classes.
        sample_weight : array-like of shape (n_samples,), optional
            Non-negative sample weights.

        Returns
        -------
        self
        """
        before = dict(self.__dict__)
        try:
            with linear_algebra().limit(limits=1, user_api="blas"):
                self._fit(X, y, sample_weight)
        except BaseException:
            # a refused or interrupted fit leaves the estimator as it was
            self.__dict__.clear()
            self.__dict__.update(before)
            raise
        return self

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        # what is given, checked
        table, classes, present = checked_table(self, X, y, sample_weight)
        self.classes_ = classes
        signs = self._signs(len(present))
        options = self._search_options(signs)
        mapper = self._mapper()
        random = check_random_state(self.random_state)
        seed = np.random.SeedSequence(random.randint(2**31, size=4).tolist())
        # the rules, found on a sample in standard units and written in the units of the table
        sample = table.sample(np.random.default_rng(seed))
        standard = Standardisation.fit(sample.X, sample.weight)
        searches, order = self._searches(sample, standard, present, options, signs, seed, mapper)
        self._finish(searches, order, sample, standard, table)
        # how good they are in training
        self.training_score_ = self.path_.chosen.accuracy
        by_class = np.bincount(table.label, weights=table.weight, minlength=len(classes))
        self.baseline_score_ = float(by_class.max() / table.n_rows)

    def _searches(
        self,
        table: LabelledTable,
        standard: Standardisation,
        present: Any,
        options: SearchOptions,
        signs: IntArray | None,
        seed: np.random.SeedSequence,
        mapper: Mapper,
    ) -> tuple[list[Search], list[int]]:
        """Return a finished search for each rule of the list, and the order of the classes."""

        def search(positive: int, part: LabelledTable, number: int, mapper: Mapper) -> Search:
            """Return the search for the rule of a class, the rule of this number in the list."""
            name = shown(self.classes_.tolist()[positive])

            def tell(text: str) -> None:
                if self.verbose:
                    print(f"[NAClassifier] class {name}: {text}")

            points = StandardPoints.of(part, standard, positive, signs)
            key = np.random.SeedSequence(seed.entropy, spawn_key=(number,))
            made = Search(points, options, key)
            made.run(mapper, tell)
            return made

        if len(present) == 2:
            first, second = map(int, present)
            return [search(second, table, 0, mapper)], [second, first]
        order = list_order([int(k) for k in present], table, standard, options.shortness)

        def search_at(place: int) -> Search:
            """Return the search for a rule of the list, which tells its class from later ones."""
            part = table.part(np.isin(table.label, order[place:]))
            return search(order[place], part, place, _one_by_one)

        return mapper(search_at, range(len(order) - 1)), order

    def _finish(
        self,
        searches: list[Search],
        order: list[int],
        sample: LabelledTable,
        standard: Standardisation,
        table: LabelledTable,
    ) -> None:
        """Turn the best candidates and those of the path into rules in the units of the data.

        Coefficients are rounded as far as all rows of the sample, on which candidates were found,
        stay on their sides; errors are counted on all rows of the table.
        """
        names = getattr(self, "feature_names_in_", None)
        if names is None:
            names = [f"x{j + 1}" for j in range(self.n_features_in_)]
        features = plain_features(map(str, names))
        made: dict[Candidate, Rule] = {}

        def rule(search: Search, candidate: Candidate) -> Rule:
            if candidate not in made:
                made[candidate] = rule_of(
                    candidate.network, candidate.code, search.points, standard, sample.X
                )
            return made[candidate]

        def row(candidates: Sequence[Candidate], chosen: bool) -> PathRow:
            rules = tuple(map(rule, searches, candidates))
            listed = DecisionList(rules, tuple(order), len(self.classes_))
            share = table.wrong_share(listed.predict)
            return PathRow(
                terms=listed.terms,
                neurons=listed.neurons,
                output=rules[0].output if len(rules) == 1 else "list",
                errors=share * table.given,
                accuracy=1.0 - share,
                label_bits=sum(one.code.labels for one in candidates),
                rule_bits=sum(one.code.rule for one in candidates),
                chosen=chosen,
                rule=list_text(listed, self.classes_.tolist(), features, None),
                list=listed,
            )

        most = ANY_TERMS if self.max_terms is None else self.max_terms
        answer = answer_within(searches, most)
        path = best_of_sizes(searches, answer, most)
        self.path_ = RulePath([row(candidates, candidates is answer) for candidates in path])
        self.list_ = self.path_.chosen.list

    def _search_options(self, signs: IntArray | None) -> SearchOptions:
        """Return what is asked of a search; refuse parameters that are not allowed."""
        terms = ANY_TERMS
        if self.max_terms is not None:
            terms = check_integer("max_terms", self.max_terms, 0)
        neurons = check_integer("max_neurons", self.max_neurons, 1, MOST_CONDITIONS)
        check_choice("output", self.output, ("auto", *JOINED_BY))
        check_real("shortness", self.shortness, 0, 1000)
        check_integer("evaluations", self.evaluations, 0)
        check_integer("verbose", int(self.verbose), 0)
        outputs: tuple[str, ...] = JOINED_BY if self.output == "auto" else (self.output,)
        if signs is not None:
            if self.output == "xor":
                raise ValueError("output must not be 'xor' where monotonic_cst is given")
            outputs = tuple(one for one in outputs if one != "xor")
        return SearchOptions(
            shortness=float(self.shortness),
            max_terms=terms,
            max_neurons=neurons,
            outputs=outputs,
            evaluations=self.evaluations,
        )

    def _signs(self, classes: int) -> IntArray | None:
        """Return the signs that weights may have, None if all may have both."""
        given = self.monotonic_cst
        if given is None:
            return None
        dim = self.n_features_in_
        signs = np.asarray(self._signs_in_order() if isinstance(given, dict) else given)
        if signs.shape != (dim,) or not np.isin(signs, (-1, 0, 1)).all():
            raise ValueError(
                f"monotonic_cst must be {dim} numbers, each -1, 0 or 1, "
                f"got {self.monotonic_cst!r:.60}"
            )
        if not signs.any():
            return None
        if classes > 2:
            raise ValueError(
                f"monotonic_cst must be None for more than two classes, got {classes} classes"
            )
        return signs.astype(np.int64)

    def _signs_in_order(self) -> list[Any]:
        """Return the sign of each feature, in order, where `monotonic_cst` names features."""
        names = getattr(self, "feature_names_in_", None)
        if names is None:
            raise ValueError(
                "monotonic_cst must be an array where features have no names; a pipeline keeps "
                "them after model.set_output(transform='pandas')"
            )
        unknown = sorted(set(map(str, self.monotonic_cst)) - set(map(str, names)))
        if unknown:
            raise ValueError(f"monotonic_cst must name features, got {unknown!r:.60}")
        return [self.monotonic_cst.get(name, 0) for name in names]

    def _mapper(self) -> Mapper:
        """Return how a function is mapped over arguments: here, or by joblib's workers."""
        jobs = check_jobs(self.n_jobs)
        if jobs in (None, 1):
            return _one_by_one
        parallel = Parallel(n_jobs=jobs, prefer="threads")

        def mapper(function: Callable[..., Any], arguments: Iterable[Any]) -> list[Any]:
            return list(parallel(delayed(function)(one) for one in arguments))

        return mapper

    def _rows(self, X: ArrayLike) -> FloatArray:
        check_is_fitted(self)
        return np.asarray(checked_numbers(self, X))

    def predict(self, X: ArrayLike) -> Any:
        """Return the class of each row."""
        rows = self._rows(X)
        return self.classes_[self.list_.predict(rows)]

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return the probability of each class.

        For two classes it is ``lapse + (1 - 2 lapse) expit(slope d)`` at the distance d of
        `decision_function`; slope and lapse of each rule are those with which its description of
        the labels is shortest. For more classes it is a product along the list of rules.
        """
        rows = self._rows(X)
        return self.list_.probabilities(rows)

    def decision_function(self, X: ArrayLike) -> FloatArray:
        """Return for two classes how far half-spaces must move for the answer to change.

        It is in standard deviations, positive for the second class, of shape (n_samples,). For more
        classes: the logarithms of the probabilities, of shape (n_samples, n_classes).
        """
        rows = self._rows(X)
        if len(self.classes_) == 2:
            return self.rules_[0].distance(rows)
        with np.errstate(divide="ignore"):
            return np.log(np.maximum(self.list_.probabilities(rows), 1e-300))

    def at(self, terms: int) -> "NAClassifier":
        """Return the classifier with the rule of the path that has at most so many terms.

        Nothing is fitted again.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = NAClassifier(random_state=0).fit(X, y)
        >>> clf.at(terms=2).n_terms_
        2
        """
        check_is_fitted(self)
        if not hasattr(self, "path_"):
            raise AttributeError("a classifier that was read from JSON has no path")
        chosen = self.path_.at(check_integer("terms", terms, 0))
        made = clone(self)
        for name, value in vars(self).items():
            if name.endswith("_"):  # what was fitted
                setattr(made, name, value)
        made.path_ = RulePath([replace(row, chosen=row is chosen) for row in self.path_])
        made.list_ = chosen.list
        made.training_score_ = chosen.accuracy
        return made

    def validate_path(
        self,
        X: ArrayLike,
        y: ArrayLike,
        cv: Any = 5,
        *,
        sample_weight: ArrayLike | None = None,
        groups: Any = None,
    ) -> RulePath:
        """Return the path with the error of rules of each size on rows they were not fitted to.

        The classifier is fitted again without each fold of the data; of each of these paths the
        rule with at most as many terms classifies the rows of the fold. `path_` is replaced by the
        result.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        cv : int, cross-validation generator or iterable
            As in scikit-learn.
        groups : array-like, optional
            Groups of rows that stay together, for generators that use them.

        Returns
        -------
        path : RulePath
        """
        check_is_fitted(self)
        rows = np.asarray(checked_numbers(self, X))
        labels = column_or_1d(y)
        check_consistent_length(rows, labels)
        weight = checked_weight(sample_weight, rows)

        plain = clone(self)
        if isinstance(self.monotonic_cst, dict):  # by names, which rows of an array do not have
            plain.set_params(monotonic_cst=self._signs_in_order())

        def fitted(train: Any, test: Any) -> tuple[NAClassifier, FloatArray]:
            part = clone(plain).fit(rows[train], labels[train], weight[train])
            return part, rows[test]

        folds = checked_folds(cv, rows, labels, groups)
        self.path_ = self.path_.validated(folds, fitted, labels, weight)
        return self.path_

    @property
    def rules_(self) -> tuple[Rule, ...]:
        """The rules, in the order in which they are asked."""
        return self._fitted("rules_").rules

    @property
    def n_terms_(self) -> int:
        """Number of coefficients of all rules."""
        return self._fitted("n_terms_").terms

    @property
    def n_neurons_(self) -> int:
        """Number of half-spaces of all rules."""
        return self._fitted("n_neurons_").neurons

    @property
    def output_(self) -> str:
        """How half-spaces are joined."""
        rules = self._fitted("output_").rules
        return rules[0].output if len(rules) == 1 else "list"

    def _fitted(self, name: str) -> DecisionList:
        if "list_" not in vars(self):
            raise AttributeError(f"{name} exists only after fit")
        found: DecisionList = self.list_
        return found

    @property
    def feature_importances_(self) -> FloatArray:
        """Share of each feature in the conditions."""
        return self._fitted("feature_importances_").importances(self.n_features_in_)

    @property
    def coef_(self) -> FloatArray:
        """Coefficients of the features for a single half-space, shape (1, n_features)."""
        condition = self._only_condition("coef_")
        result = np.zeros((1, self.n_features_in_))
        result[0, list(condition.features)] = np.array(condition.weights) / condition.scale
        return result

    @property
    def intercept_(self) -> FloatArray:
        """What is added to the coefficients times the features, shape (1,)."""
        condition = self._only_condition("intercept_")
        return np.array([-condition.threshold / condition.scale])

    def _only_condition(self, name: str) -> Any:
        rules = self._fitted(name).rules
        if len(rules) != 1 or len(rules[0].conditions) != 1:
            # AttributeError: scikit-learn then takes feature_importances_.
            raise AttributeError(
                f"{name} exists for two classes and one half-space only, as with max_neurons=1; "
                "rules_ holds the conditions of any rule"
            )
        return rules[0].conditions[0]

    def to_json(self) -> str:
        """Return the fitted classifier as JSON, exact to the last digit, without its path."""
        return model_file.to_json(self)

    @classmethod
    def from_json(cls, text: str) -> "NAClassifier":
        """Return the classifier that `to_json` wrote; anything else is a ValueError.

        Examples
        --------
        >>> clf = NAClassifier(random_state=0).fit([[0.0], [1.0]] * 20, ["a", "b"] * 20)
        >>> NAClassifier.from_json(clf.to_json()).predict([[0.2], [0.9]])
        array(['a', 'b'], dtype='<U1')
        """
        made: NAClassifier = model_file.from_json(cls(), text)
        return made


@cache
def linear_algebra() -> ThreadpoolController:
    """Return the libraries of linear algebra, which takes milliseconds to look for.

    A fit lets them use one thread: matrices are small, and other sums could lead to other rules.
    """
    return ThreadpoolController()


def _one_by_one(function: Callable[..., Any], arguments: Iterable[Any]) -> list[Any]:
    return [function(one) for one in arguments]
