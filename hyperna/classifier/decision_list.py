"""Several classes as a list of rules: if ... class A; otherwise if ... class B; otherwise C.

With K classes there are K - 1 rules. Each tells its class from those that come later in the list.
The probability of a class is a product along the list. Two classes are a list of one rule, which
tells the second class from the first.

A rule without conditions tells nothing, and is not asked. Where no rule that is asked holds, the
answer is the most frequent of the classes that are left.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hyperna._validation import FloatArray, IntArray
from hyperna.classifier.rules import Rule


@dataclass(frozen=True)
class DecisionList:
    """Rules in the order in which they are asked.

    `order` has one class number for each rule, and last the class of the rows on which no rule
    holds. Of `classes` classes some may have no rows in training, and are never answered.
    """

    rules: tuple[Rule, ...]
    order: tuple[int, ...]
    classes: int

    @property
    def terms(self) -> int:
        """Number of coefficients of all rules."""
        return sum(rule.terms for rule in self.rules)

    @property
    def neurons(self) -> int:
        """Number of conditions of all rules."""
        return sum(len(rule.conditions) for rule in self.rules)

    @property
    def features(self) -> tuple[int, ...]:
        """Numbers of the features that are used, in order."""
        return tuple(sorted({k for rule in self.rules for k in rule.features}))

    def importances(self, dim: int) -> FloatArray:
        """Return the share of each of so many features in the conditions.

        It is the influence of the feature, averaged over the conditions and then over the rules.
        """
        mean = np.zeros(dim)
        for rule in self.rules:
            for condition in rule.conditions:
                share = np.array(condition.influence) / sum(condition.influence)
                mean[list(condition.features)] += share / len(rule.conditions)
        return mean / (mean.sum() or 1.0)

    @property
    def asked(self) -> tuple[tuple[Rule, int], ...]:
        """The rules that are asked, in order, each with the number of its class."""
        return self._questions[0]

    @property
    def otherwise(self) -> int:
        """Number of the class that is answered where no rule that is asked holds."""
        return self._questions[1]

    @cached_property
    def _questions(self) -> tuple[tuple[tuple[Rule, int], ...], int]:
        asked: list[tuple[Rule, int]] = []
        # how frequent the classes are that come after the last rule that is asked, and what is left
        # for later ones
        chances: dict[int, float] = {}
        left = 1.0
        for rule, number in zip(self.rules, self.order, strict=False):
            if rule.conditions:
                asked.append((rule, number))
                chances = {}
                left = 1.0
                continue
            chances[number] = left * rule.share
            left *= 1.0 - rule.share
            if rule.quorum == 0:  # holds everywhere, so that no later rule is asked
                break
        else:  # no rule holds everywhere: the last class is left
            chances[self.order[-1]] = left
        # the last one where several are equally frequent, as balanced classes are up to rounding
        otherwise = max(reversed(chances), key=lambda number: round(chances[number], 9))
        return tuple(asked), otherwise

    def answering(self, X: FloatArray) -> IntArray:
        """Return the number of the first rule that is asked and holds, or that of all of them."""
        place = np.full(len(X), len(self.asked))
        for number, (rule, _) in reversed(list(enumerate(self.asked))):
            place[rule.holds(X)] = number
        return place

    def predict(self, X: FloatArray) -> IntArray:
        """Return the class number of each row."""
        classes = [number for _, number in self.asked]
        return np.array([*classes, self.otherwise])[self.answering(X)]

    def probabilities(self, X: FloatArray) -> FloatArray:
        """Return the probability of each class, (n, K); no other class has more than the answer.

        A row may be near the border of an early rule and far inside a later one. Where the product
        along the list would then give an earlier class more than the answer, the answer gets as
        much, and all are divided by their sum.
        """
        result = np.zeros((len(X), self.classes))
        left = np.ones(len(X))
        for rule, number in zip(self.rules, self.order, strict=False):
            chance = rule.probability(X)
            result[:, number] = left * chance
            left = left * (1.0 - chance)
        result[:, self.order[-1]] = left
        answer = self.predict(X)
        _put_first(result, answer)
        result /= result.sum(axis=1, keepdims=True)
        _put_first(result, answer)  # division may have made neighbours equal
        return result


def _put_first(chances: FloatArray, answer: IntArray) -> None:
    """Raise the chance of each row's answer where it is not the first of the largest."""
    behind = np.flatnonzero(chances.argmax(axis=1) != answer)
    chances[behind, answer[behind]] = np.nextafter(chances[behind].max(axis=1), 2.0)
