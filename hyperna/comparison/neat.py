"""NEAT as a classifier, to take part in comparisons (``hyperna[baselines]``)."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from hyperna._validation import check_integer
from hyperna.baselines.counting import Counter, Finished
from hyperna.baselines.neat_networks import NeatNetwork, check_installed, evolve


class NeatClassifier(ClassifierMixin, BaseEstimator):
    """Networks of any topology, evolved by neat-python on the share of correct labels.

    Parameters
    ----------
    evaluations : int
        Networks to evaluate.
    population : int
        Networks in a generation; the other settings are those of neat-python's XOR example.
    random_state : int
        Seed.

    Attributes
    ----------
    network_ : NeatNetwork
        The first network with the best training accuracy: one output for two classes, else one
        for each class.

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["low", "low", "high", "high"]
    >>> NeatClassifier(evaluations=3000, random_state=1).fit(X, y).predict([[-1.0], [4.0]])
    array(['low', 'high'], dtype='<U4')
    """

    def __init__(
        self, evaluations: int = 15_000, population: int = 150, random_state: int = 0
    ) -> None:
        self.evaluations = evaluations
        self.population = population
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> "NeatClassifier":
        """Evolve a network on the points X (n, D) with labels y."""
        check_installed()
        budget = check_integer("evaluations", self.evaluations, 1)
        points, labels = validate_data(self, X, y, dtype=float)
        self.classes_, number = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"y must hold at least two classes, got {len(self.classes_)} class")
        counter = Counter(budget, None, enough=len(points))

        def rate(network: NeatNetwork) -> float:
            score = int((network.predict(points) == number).sum())
            counter.count(network, score)
            return score / len(points)

        outputs = 1 if len(self.classes_) == 2 else len(self.classes_)
        rng = np.random.default_rng(self.random_state)
        try:
            evolve(rate, points.shape[1], outputs, self.population, rng)
        except Finished:
            self.network_: NeatNetwork = counter.found
        return self

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the labels of the points X (n, D)."""
        check_is_fitted(self)
        points = validate_data(self, X, dtype=float, reset=False)
        return self.classes_[self.network_.predict(points)]
