"""What a notebook shows of a fitted model: its rule and its accuracy, above scikit-learn's box."""

from html import escape
from typing import Any

from sklearn import get_config
from sklearn.utils import estimator_html_repr

from hyperna.classifier.text import classifier_and_features, list_text

_BOX = """\
<div style="border: 1px solid currentColor; border-radius: 0.25em; padding: 0.6em 0.8em;
 margin-bottom: 0.4em; width: fit-content; max-width: 100%; box-sizing: border-box">
<pre style="margin: 0; background: none; color: inherit; white-space: pre-wrap;
 font-family: monospace; line-height: 1.3">{rule}</pre>
<div style="margin-top: 0.5em; opacity: 0.8; font-size: 0.9em">{accuracy}</div>
</div>
"""


class RuleBox:
    """For estimators that are, or end with, an NAClassifier: how notebooks show them.

    As in scikit-learn there is no HTML with ``sklearn.set_config(display="text")``.
    """

    @property
    def _repr_html_(self) -> Any:
        if get_config()["display"] != "diagram":
            raise AttributeError("there is HTML only with sklearn.set_config(display='diagram')")
        return self._rule_and_diagram

    def _rule_and_diagram(self) -> str:
        return rule_box(self) + str(estimator_html_repr(self))

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle = {"text/plain": repr(self)}
        if get_config()["display"] == "diagram":
            bundle["text/html"] = self._rule_and_diagram()
        return bundle


def rule_box(model: Any) -> str:
    """Return the rule of a fitted model and how accurate it is as HTML; "" before it is fitted."""
    last = model.steps[-1][1] if hasattr(model, "steps") else model
    if not hasattr(last, "list_"):
        return ""
    classifier, features = classifier_and_features(model)
    rule = list_text(classifier.list_, classifier.classes_.tolist(), features, None)
    return _BOX.format(rule=escape(rule), accuracy=escape(accuracy_text(model)))


def accuracy_text(model: Any) -> str:
    """Return how accurate a fitted model is, on held-out rows if it was validated.

    Examples
    --------
    >>> from hyperna import NAClassifier
    >>> clf = NAClassifier(random_state=0).fit([[0.0], [1.0], [1.0]] * 20, ["a", "b", "b"] * 20)
    >>> accuracy_text(clf)
    'accuracy in training 1.000, largest class 0.667 (on held-out rows: .validate_path(X, y))'
    """
    classifier, _ = classifier_and_features(model)
    largest = f"largest class {classifier.baseline_score_:.3f}"
    chosen = classifier.path_.chosen if hasattr(classifier, "path_") else None
    if chosen is not None and chosen.held_out_error is not None:
        accuracy = f"{1 - chosen.held_out_error:.3f} ± {chosen.standard_error:.3f}"
        return f"held-out accuracy {accuracy} (standard error), {largest}"
    text = f"accuracy in training {classifier.training_score_:.3f}, {largest}"
    if chosen is None:
        return text
    call = ".validate_path(X, y)"
    if model is not classifier:
        call = "hyperna.models.validate_path(model, X, y)"
    return f"{text} (on held-out rows: {call})"
