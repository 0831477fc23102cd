"""A classifier together with the encoding of its table: made in one call, kept in one file."""

import json
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from hyperna._files import check_writable, write_file
from hyperna._validation import FloatArray
from hyperna._words import listed, shown
from hyperna.classifier import NAClassifier
from hyperna.classifier.notebook import RuleBox
from hyperna.classifier.path import RulePath
from hyperna.classifier.table import checked_folds, checked_weight
from hyperna.tables import Encoding, StoredEncoder, table_encoder

FORMAT = "hyperna.model"
VERSION = 1


class TablePipeline(RuleBox, Pipeline):
    """A scikit-learn pipeline that shows its rule in a notebook; otherwise it is a `Pipeline`."""


def table_pipeline(
    classifier: Any = None,
    *,
    kinds: Mapping[str, str] | None = None,
    ignore: Iterable[str] = (),
    names: Sequence[str] | None = None,
    separator: str = "",
) -> Pipeline:
    """Return a pipeline that fits a classifier to a table of any kind: text, gaps, dates.

    Its steps are ``table`` (what each column holds; identifiers, free text and constant columns are
    left out), ``columns`` (scikit-learn's `ColumnTransformer`: gaps are filled and marked,
    categories become features such as ``city = Rome``, and dates become days, months, weekdays and
    hours) and ``classifier``. All of it is learnt in `fit`, so it can be cross-validated.

    Parameters
    ----------
    classifier : estimator, optional
        What is fitted to the encoded table, ``NAClassifier()`` if not given.
    kinds : dict of str to str, optional
        What some columns are, by name: "number", "date" or "category", or also how their cells are
        written: "number:," with decimal commas, "number:.", "date:%d/%m/%Y". The kind of the others
        is told from their cells.
    ignore : iterable of str
        Columns to leave out.
    names : sequence of str, optional
        Names of the columns of arrays, which have none.
    separator : str, optional
        What separates the columns of the file that the table comes from. With ";" commas within
        numbers are decimal marks, where the cells do not tell.

    Examples
    --------
    >>> from hyperna import NAClassifier, export_text, table_pipeline
    >>> table = {"age": [None, *range(20, 49)], "city": ["Rome", "Oslo", "Bern"] * 10}
    >>> bought = ["yes", "no", "no"] * 10
    >>> model = table_pipeline(NAClassifier(random_state=0)).fit(table, bought)
    >>> model.predict({"age": [40, 40], "city": ["Rome", "Paris"]}).tolist()
    ['yes', 'no']
    >>> from hyperna.tables import Encoding
    >>> for decision in Encoding.of(model).decisions():
    ...     print(f"{decision.column}: {decision.kind}, {decision.done}")
    age: number, gaps count as 34 (median) and are marked
    city: category, one of Bern, Oslo, Rome
    """
    encoder = table_encoder(kinds=kinds, ignore=tuple(ignore), names=names, separator=separator)
    last = NAClassifier() if classifier is None else classifier
    return TablePipeline([*encoder.steps, ("classifier", last)])


def classifier_of(model: Any) -> Any:
    """Return the classifier at the end of a pipeline, or the model if it is one itself."""
    return model.steps[-1][1] if isinstance(model, Pipeline) else model


def validate_path(
    model: Any, X: Any, y: Any, cv: Any = 5, *, sample_weight: Any = None, groups: Any = None
) -> RulePath:
    """Return the path of a fitted model with the errors of its rules on rows they did not see.

    As `NAClassifier.validate_path`, for a classifier or a pipeline that ends with one: a pipeline
    learns its encoding anew without each fold.

    Parameters
    ----------
    model : NAClassifier or Pipeline
        The fitted model; the path of its classifier is replaced by the result.
    X, y
        What it was fitted to.
    cv : int, cross-validation generator or iterable
        As in scikit-learn.
    sample_weight : array-like, optional
        The weights of the rows; of a pipeline only its classifier is given them.
    groups : array-like, optional
        Groups of rows that stay together, for generators that use them.

    Examples
    --------
    >>> table, y = {"a": [1, 2, None, 4] * 9}, [0, 0, 1, 1] * 9
    >>> model = table_pipeline(NAClassifier(random_state=0)).fit(table, y)
    >>> validate_path(model, table, y, cv=3).chosen.held_out_error
    0.0
    """
    classifier = classifier_of(model)
    if classifier is model:
        return classifier.validate_path(X, y, cv, sample_weight=sample_weight, groups=groups)
    labels = np.asarray(y)
    weight = checked_weight(sample_weight, np.zeros((len(labels), 1)))

    last = model.steps[-1][0]

    def fitted(train: Any, test: Any) -> tuple[Any, FloatArray]:
        part = clone(model)
        rows = _some_rows(X, train)
        if isinstance(getattr(part[-1], "monotonic_cst", None), dict):
            _leave_out_unknown_signs(part, rows, labels[train])
        weights = {} if sample_weight is None else {f"{last}__sample_weight": weight[train]}
        part.fit(rows, labels[train], **weights)
        return part[-1], np.asarray(part[:-1].transform(_some_rows(X, test)))

    folds = checked_folds(cv, np.zeros((len(labels), 1)), labels, groups)
    classifier.path_ = classifier.path_.validated(folds, fitted, labels, weight)
    return classifier.path_


def _leave_out_unknown_signs(model: Pipeline, X: Any, y: Any) -> None:
    """Leave out the monotonic constraints of features that the pipeline does not make of rows X.

    Without a fold a table may have no gaps in a column, or too few rows of a category.
    """
    names = set(clone(model[:-1]).fit(X, y).get_feature_names_out())
    signs = model[-1].monotonic_cst
    model[-1].set_params(
        monotonic_cst={name: sign for name, sign in signs.items() if name in names}
    )


def _some_rows(X: Any, rows: Any) -> Any:
    """Return some rows of a data frame of pandas or polars, a dict of columns, or an array."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if hasattr(X, "columns"):
        # polars takes numbers of rows, and no masks
        return X[np.arange(len(X))[rows]]
    if isinstance(X, Mapping):
        return {name: np.asarray(column)[rows] for name, column in X.items()}
    return np.asarray(X)[rows]


def model_to_json(model: Any) -> str:
    """Return a fitted model as JSON: an NAClassifier, or a pipeline that ends with one.

    Of a pipeline, the encoding of its table is stored as plain values beside the classifier's own
    JSON; its transformers have to be those of `table_pipeline`, or `SimpleImputer` and
    `OneHotEncoder` in pipelines and a `ColumnTransformer`.

    Examples
    --------
    >>> table, y = {"a": [1, 2, None, 4] * 9}, [0, 0, 1, 1] * 9
    >>> model = table_pipeline(NAClassifier(random_state=0)).fit(table, y)
    >>> json.loads(model_to_json(model))["encoding"]["columns"]
    [{'name': 'a', 'kind': 'number', 'form': '.', 'rows': 36, 'gaps': 9}]
    """
    classifier = classifier_of(model)
    if not isinstance(classifier, NAClassifier):
        raise TypeError(f"model must be or end with an NAClassifier, got {shown(model)}")
    if classifier is model:
        return classifier.to_json()
    encoding = Encoding.of(model)
    unknown = [feature.name for feature in encoding.features if feature.kind == "other"]
    if unknown:
        raise TypeError(
            f"these features cannot be stored as JSON, since only their transformer knows how they "
            f"are made: {listed(unknown, 5)}; keep the pipeline with joblib.dump instead"
        )
    data = {
        "format": FORMAT,
        "version": VERSION,
        "encoding": encoding.to_dict(),
        "classifier": json.loads(classifier.to_json()),
    }
    return json.dumps(data, allow_nan=False, ensure_ascii=False)


def model_from_json(text: str) -> Any:
    """Return the NAClassifier or the pipeline that `model_to_json` wrote.

    The steps of such a pipeline are ``table``, a `hyperna.tables.StoredEncoder`, and
    ``classifier``. Anything else is a ValueError.

    Examples
    --------
    >>> table, y = {"a": [1, 2, None, 4] * 9}, [0, 0, 1, 1] * 9
    >>> model = table_pipeline(NAClassifier(random_state=0)).fit(table, y)
    >>> model_from_json(model_to_json(model)).predict({"a": ["?", "1.5"]}).tolist()
    [1, 0]
    """
    if not isinstance(text, str):
        raise TypeError(f"text must be a str, got {type(text).__name__}")
    try:
        data = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"text must be the JSON of a model: {error}") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        return NAClassifier.from_json(text)
    if data.get("version") != VERSION:
        raise ValueError(
            f"version must be {VERSION}, got {data.get('version')!r:.60}; "
            "a newer version of hyperna may read it"
        )
    keys = {"format", "version", "encoding", "classifier"}
    if set(data) != keys:
        raise ValueError(f"a model must have the keys {', '.join(sorted(keys))}")
    encoding = Encoding.from_dict(data["encoding"])
    classifier = NAClassifier.from_json(json.dumps(data["classifier"]))
    if classifier.n_features_in_ != len(encoding.features):
        raise ValueError(
            f"the classifier must have {len(encoding.features)} features like the encoding, "
            f"got {classifier.n_features_in_}"
        )
    if hasattr(classifier, "feature_names_in_"):
        del classifier.feature_names_in_  # names are the encoding's, which returns arrays
    return TablePipeline([("table", StoredEncoder(encoding)), ("classifier", classifier)])


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number that JSON knows")


def save_model(model: Any, path: str | PathLike[str]) -> None:
    """Write a fitted NAClassifier, or a pipeline that ends with one, to a JSON file.

    Examples
    --------
    >>> import tempfile
    >>> table, y = {"a": [1, 2, None, 4] * 9}, [0, 0, 1, 1] * 9
    >>> model = table_pipeline(NAClassifier(random_state=0)).fit(table, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(model, f"{folder}/model.json")
    ...     load_model(f"{folder}/model.json").predict({"a": ["?"]}).tolist()
    [1]
    """
    file = Path(path)
    check_writable(file)
    write_file(file, model_to_json(model) + "\n")


def load_model(path: str | PathLike[str]) -> Any:
    """Return the model that `save_model` or ``hyperna fit --save`` wrote; see `save_model`.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     clf = NAClassifier().fit([[0.0], [1.0]] * 9, ["a", "b"] * 9)
    ...     save_model(clf, f"{folder}/model.json")
    ...     load_model(f"{folder}/model.json").predict([[0.9]]).tolist()
    ['b']
    """
    try:
        return model_from_json(Path(path).read_text(encoding="utf-8"))
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path} must be a model saved by 'hyperna fit': {error}") from None
