"""NAClassifier beside the classifiers people use: same folds, same preprocessing, honest errors.

``compare(data)`` runs them; ``CLASSIFIERS`` lists who takes part.
"""

from hyperna.comparison.classifiers import CLASSIFIERS, Contender
from hyperna.comparison.results import Comparison, DataInfo, corrected_error
from hyperna.comparison.validation import compare

__all__ = ["CLASSIFIERS", "Comparison", "Contender", "DataInfo", "compare", "corrected_error"]
