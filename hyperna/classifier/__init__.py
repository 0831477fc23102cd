"""NAClassifier, a scikit-learn classifier with short rules of half-spaces.

Its rules as text, as code, and explained row by row.
"""

from hyperna.classifier.code import export_code
from hyperna.classifier.estimator import NAClassifier
from hyperna.classifier.explain import explain
from hyperna.classifier.explanations import Explanation, Explanations
from hyperna.classifier.text import export_text

__all__ = [
    "Explanation",
    "Explanations",
    "NAClassifier",
    "explain",
    "export_code",
    "export_text",
]
