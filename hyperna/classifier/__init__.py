"""NAClassifier, a scikit-learn classifier of a few evolved half-spaces, and its text."""

from hyperna.classifier.estimator import NAClassifier
from hyperna.classifier.export import export_text, half_spaces

__all__ = ["NAClassifier", "export_text", "half_spaces"]
