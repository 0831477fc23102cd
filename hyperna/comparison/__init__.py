"""NAClassifier beside the classifiers people use: same folds, same preprocessing, honest errors.

``compare(data)`` runs them; ``CLASSIFIERS`` lists who takes part and ``GROUPS`` names for several.
"""

from hyperna.comparison.classifiers import CLASSIFIERS, GROUPS, Contender
from hyperna.comparison.results import Comparison, DataInfo, FoldScore, corrected_error
from hyperna.comparison.validation import ComparisonInterrupted, CrossValidation, compare

__all__ = [
    "CLASSIFIERS",
    "GROUPS",
    "Comparison",
    "ComparisonInterrupted",
    "Contender",
    "CrossValidation",
    "DataInfo",
    "FoldScore",
    "compare",
    "corrected_error",
]
