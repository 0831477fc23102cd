"""A fitted rule as code in Python, SQL or JavaScript that gives the classifier's answers.

The rule in a classifier is stored as it is printed, and sums are taken in the order of their terms
in double precision, so the code computes the same sums and compares them with the same thresholds.
What the table's columns become (gaps, categories, dates) is part of the code. So is how the cells
of the training table were written, as far as the language can read them.
"""

from collections.abc import Sequence
from typing import Any

from sklearn.pipeline import Pipeline

from hyperna._validation import check_choice
from hyperna._words import listed, shown
from hyperna.classifier.code_javascript import JavaScriptWriter
from hyperna.classifier.code_python import PythonWriter
from hyperna.classifier.code_sql import SqlWriter
from hyperna.classifier.code_writer import Writer
from hyperna.classifier.decision_list import DecisionList
from hyperna.classifier.text import classifier_and_features, fitted_model
from hyperna.tables.columns import Column
from hyperna.tables.encoding import Encoding, reads_cells

_WRITERS: dict[str, type[Writer]] = {
    "python": PythonWriter,
    "sql": SqlWriter,
    "javascript": JavaScriptWriter,
}


def export_code(
    model: Any,
    language: str,
    feature_names: Sequence[str] | None = None,
    *,
    table: str = "data",
) -> str:
    """Return a fitted rule as code that gives the same answers and needs nothing else.

    In Python and JavaScript it is a function ``predict(row)`` of a row with values by column. A
    cell that is no number where one is expected, or no date, is what it is for the model: a gap
    with `table_pipeline`, an error with classifiers of numbers. In SQL it is a query that adds the
    column ``prediction`` to a table, written for SQLite. Numbers must be plain ones there, and
    dates ISO texts or written in the format of the column; all else is a gap. Where the model read
    something in training that the code does not, such as "$1,200" in SQL, a comment that begins
    with WARNING says so.

    Parameters
    ----------
    model : NAClassifier, Pipeline or search
        A fitted classifier, a pipeline that ends with one, or a search such as GridSearchCV, whose
        best estimator is taken. The columns of `table_pipeline`, and of `SimpleImputer` and
        `OneHotEncoder` in your own pipeline, are encoded by the code. Other transformers are a
        TypeError if the rule uses what they return.
    language : {"python", "sql", "javascript"}
        What to write.
    feature_names : sequence of str, optional
        One name for each feature, as in `export_text`.
    table : str
        Name of the table in SQL.

    Examples
    --------
    >>> from hyperna import NAClassifier
    >>> sizes = [[1.0], [1.2], [3.0], [3.1]] * 5
    >>> clf = NAClassifier(random_state=0).fit(sizes, ["low", "low", "high", "high"] * 5)
    >>> print(export_code(clf, "sql", feature_names=["size"], table="boxes"))
    -- The rule of a classifier fitted by hyperna:
    --
    --   class 'low' if
    --     size < 2
    --   otherwise 'high'
    --
    -- Columns:
    --   size: number; if there is none, the prediction is NULL
    <BLANKLINE>
    SELECT
      *,
      (
        SELECT
          CASE
            WHEN
              "size" IS NULL
            THEN NULL
            WHEN
              "size" < 2
            THEN 'low'
            ELSE 'high'
          END
        FROM (
          SELECT
            CASE
              WHEN "size" BETWEEN CAST(-1.7976931348623157e308 AS DOUBLE PRECISION)
                AND CAST(1.7976931348623157e308 AS DOUBLE PRECISION)
              THEN CAST("size" AS DOUBLE PRECISION)
            END AS "size"
        ) AS cells
      ) AS prediction
    FROM boxes;
    <BLANKLINE>
    """
    writer = _WRITERS[check_choice("language", language, tuple(_WRITERS))]
    if not isinstance(table, str) or not table.strip():
        raise ValueError(f"table must be the name of a table, got {shown(table)}")
    classifier, features = classifier_and_features(model, feature_names)
    rules: DecisionList = classifier.list_
    unknown = [features[k].name for k in rules.features if features[k].kind == "other"]
    if unknown:
        raise TypeError(
            "the rule cannot be written as code, since only a transformer of the pipeline knows "
            f"how these features are made: {listed(unknown, 5)}; scaling is not needed before an "
            "NAClassifier, and table_pipeline encodes text, gaps and dates"
        )
    pipeline = fitted_model(model)
    columns: tuple[Column, ...] = ()
    any_cell = False
    if feature_names is None and isinstance(pipeline, Pipeline) and len(pipeline.steps) > 1:
        columns = Encoding.of(pipeline).columns
        any_cell = reads_cells(pipeline)
    return writer(features, rules, classifier.classes_.tolist(), table, columns, any_cell).program()
