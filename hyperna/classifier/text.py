"""Rules in words."""

from collections.abc import Sequence
from typing import Any

from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from hyperna._validation import check_integer
from hyperna._words import listed, number_text, summands
from hyperna.classifier.decision_list import DecisionList
from hyperna.classifier.half_spaces import ODD
from hyperna.classifier.rules import Condition, Rule
from hyperna.tables.encoding import Encoding
from hyperna.tables.features import Feature, plain_features, printable

LINE_WIDTH = 88


def export_text(
    classifier: Any, feature_names: Sequence[str] | None = None, *, digits: int | None = None
) -> str:
    """Return the rule of a fitted NAClassifier as text, in the units of the data.

    It is the classifier itself: applied by hand it gives the same answer on every row. Terms are
    sorted by their influence, which is the coefficient times the deviation of the feature.

    Parameters
    ----------
    classifier : NAClassifier, Pipeline or search
        A fitted classifier, a pipeline that ends with one, or a search such as GridSearchCV, whose
        best estimator is taken. Names are taken through the transformers of the pipeline, and
        categories, gaps and dates are written as such. A feature whose values a transformer has
        changed is named after that step: ``standardscaler(size)``.
    feature_names : sequence of str, optional
        One name for each feature; by default those seen in `fit`, or x1, x2, ...
    digits : int, optional
        Largest number of significant digits of coefficients and thresholds. The default writes
        them as they are: with as few digits as leave every row of the search on its side of every
        condition. With fewer digits some rows may change their class.

    Examples
    --------
    >>> from hyperna.classifier import NAClassifier
    >>> sizes = [[1.0], [1.2], [3.0], [3.1]] * 5
    >>> clf = NAClassifier(random_state=0).fit(sizes, ["low", "low", "high", "high"] * 5)
    >>> print(export_text(clf, ["size"]))
    class 'low' if
      size < 2
    otherwise 'high'
    """
    fitted, features = classifier_and_features(classifier, feature_names)
    if digits is not None:
        check_integer("digits", digits, 1, 17)
    return list_text(fitted.list_, fitted.classes_.tolist(), features, digits)


def fitted_model(model: Any) -> Any:
    """Return the classifier or pipeline that a search found best, or the model if it is no search.

    Examples
    --------
    >>> fitted_model("a model")
    'a model'
    """
    return fitted_model(model.best_estimator_) if hasattr(model, "best_estimator_") else model


def classifier_and_features(
    model: Any, feature_names: Sequence[str] | None = None
) -> tuple[Any, tuple[Feature, ...]]:
    """Return the fitted classifier of a model, and what its features mean."""
    model = fitted_model(model)
    fitted = model.steps[-1][1] if isinstance(model, Pipeline) else model
    if not hasattr(fitted, "validate_path"):
        kind = type(fitted).__name__
        if hasattr(model, "refit"):
            kind = f"{kind}, which has no best estimator: it must be fitted, with refit=True"
        raise TypeError(f"classifier must be an NAClassifier or a pipeline with one, got {kind}")
    check_is_fitted(fitted)
    dim = fitted.n_features_in_
    if feature_names is not None:
        names = [str(name) for name in feature_names]
        if len(names) != dim:
            raise ValueError(f"feature_names must be {dim} names, got {len(names)}")
        return fitted, plain_features(names)
    if isinstance(model, Pipeline) and len(model.steps) > 1:
        return fitted, Encoding.of(model).features
    seen = getattr(fitted, "feature_names_in_", None)
    names = [f"x{j + 1}" for j in range(dim)] if seen is None else [str(name) for name in seen]
    return fitted, plain_features(names)


def list_text(
    rules: DecisionList, classes: Sequence[Any], features: Sequence[Feature], digits: int | None
) -> str:
    """Return a list of rules as text, with what a reader has to know about its features."""
    lines: list[str] = []
    used: set[int] = set()
    asked = asked_rules(rules, features)
    for rule, number in asked:
        first = "otherwise class" if lines else "class"
        head, *conditions = rule_lines(rule, features, digits)
        lines.append(f"{first} {classes[number]!r} {head}")
        lines += conditions
        used.update(rule.features)
    last = repr(classes[rules.otherwise])
    lines.append(f"otherwise {last}" if lines else f"always class {last}")
    lines += note_lines([features[k] for k in sorted(used)])
    answered = {rules.otherwise, *(number for _, number in asked)}
    silent = [repr(name) for k, name in enumerate(classes) if k not in answered]
    if asked and silent:
        lines += filled_lines(f"(never answered: {listed(silent, 10)})".split(" "))
    return "\n".join(lines)


def asked_rules(rules: DecisionList, features: Sequence[Feature]) -> list[tuple[Rule, int]]:
    """Return the rules that are asked, each with the number of its class.

    Left out are those that no row can satisfy, such as ``[city = Rome] > 1``: they only say how
    probable their classes are.
    """
    asked = []
    for rule, number in rules.asked:
        simple = [each for each in rule.conditions if len(each.features) == 1]
        impossible = [condition_text(each, features) for each in simple].count("never")
        if len(rule.conditions) - impossible >= max(rule.quorum, 1):
            asked.append((rule, number))
    return asked


def note_lines(features: Sequence[Feature]) -> list[str]:
    """Return what a reader has to know about features besides their names, in brackets.

    Examples
    --------
    >>> age, size = (Feature(name, "number", fill=28.0, gaps=True) for name in ("age", "size"))
    >>> note_lines([age]), note_lines([age, size])
    (['(where age is missing, it counts as 28)'],
     ['(where missing, age counts as 28, size counts as 28)'])
    """
    filled = {each.column: each for each in features if each.filled_text}
    notes = dict.fromkeys(each.note for each in features if each.note and not each.filled_text)
    if len(filled) < 2:
        gaps = [f"({each.note})" for each in filled.values()]
    else:
        counts = [
            f"{printable(each.column)} counts as {each.filled_text}" for each in filled.values()
        ]
        gaps = filled_lines(
            ["(where missing,", *(f"{each}," for each in counts[:-1]), f"{counts[-1]})"]
        )
    lines = list(gaps)
    for note in notes:
        lines += filled_lines(f"({note})".replace(", ", ",\n").split("\n"))
    return lines


def rule_lines(rule: Rule, features: Sequence[Feature], digits: int | None) -> list[str]:
    """Return what must hold, and one or more lines for each condition."""
    size = len(rule.conditions)
    if size == 1:
        head = "if"
    elif rule.quorum == ODD:
        head = "if EXACTLY ONE of" if size == 2 else "if an ODD NUMBER of"
    elif rule.quorum == 1:
        head = "if ANY of"
    else:
        head = "if ALL of" if rule.quorum == size else f"if AT LEAST {rule.quorum} of"
    lines = [head]
    for condition in rule.conditions:
        lines += filled_lines(condition_parts(condition, features, digits), indent="  ")
    return lines


def condition_text(
    condition: Condition, features: Sequence[Feature], digits: int | None = None
) -> str:
    """Return a condition as text, the first term positive.

    Examples
    --------
    >>> condition_text(Condition((1, 0), (-1.0, -0.5), -4.0, 1.0, (1.0, 0.5)), plain_features("ab"))
    'b + 0.5*a < 4'
    """
    return " ".join(condition_parts(condition, features, digits))


def condition_parts(
    condition: Condition, features: Sequence[Feature], digits: int | None
) -> list[str]:
    """Return the parts of a condition's text between which a line may be broken.

    Examples
    --------
    >>> one = Condition((1, 0), (-1.0, -0.5), -4.0, 1.0, (1.0, 0.5))
    >>> condition_parts(one, plain_features("ab"), None)
    ['b', '+ 0.5*a', '< 4']
    """
    weights, relation, threshold = condition.written
    if len(condition.features) == 1:
        return [features[condition.features[0]].condition(relation, threshold, digits)]
    terms = [
        (weight, features[k].term) for k, weight in zip(condition.features, weights, strict=True)
    ]
    return [*summands(terms, digits), f"{relation} {number_text(threshold, digits)}"]


def filled_lines(parts: Sequence[str], indent: str = "", width: int = LINE_WIDTH) -> list[str]:
    """Return parts joined to lines that are not too long, all but the first indented further.

    Examples
    --------
    >>> [len(line) for line in filled_lines(["a" * 50, "+ b", "+ " + "c" * 40])]
    [54, 46]
    """
    lines = [indent + parts[0]]
    for part in parts[1:]:
        if len(lines[-1]) + 1 + len(part) <= width + len(indent):
            lines[-1] += f" {part}"
        else:
            lines.append(f"{indent}    {part}")
    return lines
