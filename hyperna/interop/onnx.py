"""Fitted rules as ONNX, through skl2onnx; needs ``pip install 'hyperna[onnx]'``.

The graph takes numbers in double precision and adds the terms of a sum in the order of the
classifier, so that its answers are equal on the border of a condition too.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from hyperna._validation import check_extra
from hyperna._words import shown
from hyperna.classifier import NAClassifier
from hyperna.classifier.decision_list import DecisionList
from hyperna.classifier.half_spaces import ODD
from hyperna.classifier.rules import Condition, Rule
from hyperna.classifier.text import classifier_and_features, fitted_model
from hyperna.tables import StoredEncoder, TableReader

_NAME = "HypernaNAClassifier"


def export_onnx(model: Any) -> Any:
    """Return a fitted classifier of numbers as an ONNX model.

    Its input ``X`` is a table in double precision. Its outputs are ``label``, texts or integers,
    and ``probabilities`` with a column for each class, in the order of `classes_`.

    Parameters
    ----------
    model : NAClassifier, Pipeline or search
        A fitted classifier, a pipeline of scikit-learn's transformers of numbers that ends with
        one, or a search such as GridSearchCV, whose best estimator is taken. A table with text,
        gaps or dates is a TypeError: `export_code` writes its rule.

    Returns
    -------
    onnx.ModelProto
        ``SerializeToString()`` returns what is written to a file.

    Examples
    --------
    >>> from hyperna import NAClassifier
    >>> X = np.array([[1.0], [1.2], [3.0], [3.1]] * 5)
    >>> clf = NAClassifier(random_state=0).fit(X, ["low", "low", "high", "high"] * 5)
    >>> import onnxruntime  # doctest: +SKIP
    >>> rule = onnxruntime.InferenceSession(
    ...     export_onnx(clf).SerializeToString()
    ... )  # doctest: +SKIP
    >>> rule.run(["label"], {"X": X[:3]})  # doctest: +SKIP
    [array(['low', 'low', 'high'], dtype=object)]
    """
    check_extra("export_onnx needs", "skl2onnx", "onnx")
    from skl2onnx import to_onnx
    from skl2onnx.common.data_types import DoubleTensorType

    classifier_and_features(model)  # refuses what is no fitted classifier
    fitted = fitted_model(model)
    steps = [step for _, step in fitted.steps] if isinstance(fitted, Pipeline) else []
    if any(isinstance(step, TableReader | StoredEncoder) for step in steps):
        raise TypeError(
            "export_onnx takes classifiers of numbers, got a pipeline for text, gaps and dates, "
            "which ONNX does not know; export_code writes its rule as code"
        )
    register_converter()
    inputs = [("X", DoubleTensorType([None, fitted.n_features_in_]))]
    return to_onnx(fitted, initial_types=inputs, name="hyperna")


def register_converter() -> None:
    """Tell skl2onnx how an NAClassifier is converted, so that its own functions can do it."""
    from skl2onnx import update_registered_converter

    update_registered_converter(NAClassifier, _NAME, _shapes, _convert, parser=_parse)


def _parse(scope: Any, model: NAClassifier, inputs: Any, custom_parsers: Any = None) -> Any:
    """Declare a classifier with its two outputs.

    The parser of skl2onnx would add a ZipMap, which does not take double precision.
    """
    from skl2onnx.common.data_types import DoubleTensorType, Int64TensorType

    operator = scope.declare_local_operator(_NAME, model)
    operator.inputs = inputs
    operator.outputs.append(scope.declare_local_variable("label", Int64TensorType()))
    operator.outputs.append(scope.declare_local_variable("probabilities", DoubleTensorType()))
    return operator.outputs


def _shapes(operator: Any) -> None:
    """Check the input and declare the outputs."""
    from skl2onnx.common.data_types import DoubleTensorType, Int64TensorType, StringTensorType

    given = operator.inputs[0].type
    if not isinstance(given, DoubleTensorType):
        raise TypeError(
            "an NAClassifier must get double precision in ONNX, since single precision moves rows "
            f"across borders; use DoubleTensorType, got {type(given).__name__}"
        )
    rows = operator.inputs[0].get_first_dimension()
    names = _class_names(operator.raw_operator)
    label = StringTensorType if isinstance(names[0], str) else Int64TensorType
    operator.outputs[0].type = label([rows])
    operator.outputs[1].type = DoubleTensorType([rows, len(names)])


def _class_names(classifier: NAClassifier) -> list[Any]:
    """Return the classes as texts or integers."""
    names = classifier.classes_.tolist()
    if all(isinstance(name, str) for name in names):
        return names
    if all(isinstance(name, int) for name in names):  # or booleans, as 0 and 1
        return [int(name) for name in names]
    raise TypeError(f"classes must be texts or integers in ONNX, got {shown(names)}")


def _convert(scope: Any, operator: Any, container: Any) -> None:
    """Add the nodes of a classifier to a graph."""
    classifier = operator.raw_operator
    label, probabilities = (output.full_name for output in operator.outputs)
    graph = _Graph(scope, container, operator.inputs[0].full_name)
    answer = graph.answer(classifier.list_)
    names = _class_names(classifier)
    flat = graph.node("Reshape", answer, graph.constant([-1]))
    graph.node("Gather", graph.constant(names), flat, output=label)
    graph.probabilities(classifier.list_, answer, probabilities)


class _Graph:
    """Nodes of an ONNX graph; each method adds some and returns the name of what they compute.

    What they compute are columns, of shape (rows, 1).
    """

    def __init__(self, scope: Any, container: Any, table: str) -> None:
        self.scope = scope
        self.container = container
        self.table = table
        count = self.node("Gather", self.node("Shape", table), self.constant([0]))
        self.shape = self.node("Concat", count, self.constant([1]), axis=0)

    def node(self, kind: str, *inputs: str, output: str | None = None, **attributes: Any) -> str:
        """Add a node and return the name of its first output."""
        name = output or self.scope.get_unique_variable_name(kind.lower())
        outputs = [name]
        if kind == "TopK":
            outputs.append(self.scope.get_unique_variable_name("places"))
        operator = self.scope.get_unique_operator_name(kind)
        self.container.add_node(kind, list(inputs), outputs, name=operator, **attributes)
        return name

    def constant(self, values: Sequence[Any]) -> str:
        """Add numbers or texts."""
        from onnx import TensorProto

        if isinstance(values[0], str):
            kind = TensorProto.STRING
            values = [text.encode() for text in values]
        else:
            kind = TensorProto.DOUBLE if isinstance(values[0], float) else TensorProto.INT64
        name: str = self.scope.get_unique_variable_name("constant")
        self.container.add_initializer(name, kind, [len(values)], values)
        return name

    def column(self, value: Any) -> str:
        """Return a column with the same number in each row.

        onnxruntime leaves out factors that are nearly 1 and summands that are nearly 0 where they
        are constants; so they are columns.
        """
        return self.node("Expand", self.constant([value]), self.shape)

    def total(self, condition: Condition) -> str:
        """Return the sum of the terms, added in their order."""
        total = ""
        for feature, weight in zip(condition.features, condition.weights, strict=True):
            values = self.node("Gather", self.table, self.constant([feature]), axis=1)
            term = self.node("Mul", values, self.column(weight))
            total = self.node("Add", total, term) if total else term
        return total

    def distance(self, condition: Condition) -> str:
        """Return by how much a condition holds, as `Condition.distance`."""
        total = self.total(condition)
        threshold = self.column(condition.threshold)
        least = float(np.nextafter(0.0, 1.0))
        holds = self.node("Greater", total, threshold)
        far = self.node("Sub", total, threshold)
        far = self.node("Div", far, self.column(condition.scale))
        known = self.node("Where", self.node("IsNaN", far), self.constant([0.0]), far)
        inside = self.node("Max", known, self.constant([least]))
        outside = self.node("Min", known, self.constant([-least]))
        return self.node("Where", holds, inside, outside)

    def joined(self, rule: Rule) -> str:
        """Return the distance of a rule with conditions, as `joined_distance`."""
        distances = [self.distance(each) for each in rule.conditions]
        if len(distances) == 1:
            return distances[0]
        if rule.quorum == ODD:
            nearest = self.node("Min", *(self.node("Abs", each) for each in distances))
            odd, *others = (self.holds(each) for each in distances)
            for each in others:
                odd = self.node("Xor", odd, each)
            return self.node("Where", odd, nearest, self.node("Neg", nearest))
        together = self.node("Concat", *distances, axis=1)
        largest = self.node("TopK", together, self.constant([rule.quorum]), axis=1)
        return self.node("Gather", largest, self.constant([rule.quorum - 1]), axis=1)

    def holds(self, distance: str) -> str:
        """Return where a distance is positive."""
        return self.node("Greater", distance, self.constant([0.0]))

    def answer(self, rules: DecisionList) -> str:
        """Return the number of the class that a list of rules answers."""
        answer = self.column(rules.otherwise)
        for rule, number in reversed(rules.asked):
            answer = self.node(
                "Where", self.holds(self.joined(rule)), self.constant([number]), answer
            )
        return answer

    def probability(self, rule: Rule) -> str:
        """Return how probable it is that a row is positive, as `Rule.probability`."""
        if not rule.conditions:
            return self.column(rule.share)
        distance = self.joined(rule)
        sure = self.node("Sigmoid", self.node("Mul", distance, self.column(rule.slope)))
        sure = self.node("Mul", sure, self.column(1.0 - 2.0 * rule.lapse))
        sure = self.node("Add", sure, self.column(rule.lapse))
        above, below = float(np.nextafter(0.5, 1.0)), float(np.nextafter(0.5, 0.0))
        high = self.node("Max", sure, self.constant([above]))
        low = self.node("Min", sure, self.constant([below]))
        return self.node("Where", self.holds(distance), high, low)

    def probabilities(self, rules: DecisionList, answer: str, output: str) -> None:
        """Compute the probability of each class, as `DecisionList.probabilities`."""
        chances = [self.column(0.0)] * rules.classes
        left = self.column(1.0)
        for rule, number in zip(rules.rules, rules.order, strict=False):
            chance = self.probability(rule)
            chances[number] = self.node("Mul", left, chance)
            left = self.node("Mul", left, self.node("Sub", self.column(1.0), chance))
        chances[rules.order[-1]] = left
        # no other class has as much as the answer, even after division
        most = self.node("Max", *chances)
        slightly_more = self.node("Mul", most, self.column(1.0 + 2.0**-50))
        total = ""
        for number, chance in enumerate(chances):
            answered = self.node("Equal", answer, self.constant([number]))
            behind = self.node("Less", chance, slightly_more)
            raised = self.node("And", answered, behind)
            chances[number] = self.node("Where", raised, slightly_more, chance)
            total = self.node("Add", total, chances[number]) if total else chances[number]
        shares = [self.node("Div", chance, total) for chance in chances]
        self.node("Concat", *shares, axis=1, output=output)
