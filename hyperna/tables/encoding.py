"""Encoding: how the columns of a table became features, found in fitted transformers.

It understands the transformers of `table_encoder`, and scikit-learn's `ColumnTransformer`,
`SimpleImputer` and `OneHotEncoder` in pipelines of your own. What another transformer makes is a
feature of kind "other", which has a name but cannot be computed here. Where a transformer keeps the
names of columns but changes their values, as a scaler does, the features are named after its step:
``standardscaler(age)``.
"""

import copy
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import ColumnTransformer
from sklearn.feature_selection import SelectorMixin
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder
from sklearn.utils.validation import check_is_fitted

from hyperna._validation import FloatArray
from hyperna._words import counted, list_item, listed, number, number_text, shown
from hyperna.tables.columns import KINDS, Column, plain_cells, read_category
from hyperna.tables.dates import DATE_PARTS, DateParts, part_name
from hyperna.tables.features import Feature, check_plain, printable
from hyperna.tables.reader import TableReader, columns_of


@dataclass(frozen=True)
class Decision:
    """What was done with a column, in words."""

    column: str
    kind: str
    done: str
    gaps: int


@dataclass(frozen=True)
class Encoding:
    """The columns of a table and the features that were made of them.

    Attributes
    ----------
    columns : tuple of Column
        What each column of the table is and how its cells are read, those left out included.
    features : tuple of Feature
        What each number is that the classifier sees.

    Examples
    --------
    >>> from hyperna.tables import table_encoder
    >>> table = {"age": [31, None, 47, 52], "city": ["Rome", "Oslo", "Rome", "Oslo"]}
    >>> encoding = Encoding.of(table_encoder().fit(table))
    >>> [feature.name for feature in encoding.features]
    ['age', 'age is missing', 'city = Rome']
    >>> encoding.transform({"age": ["?"], "city": ["Rome"]})
    array([[47.,  1.,  1.]])
    >>> Encoding.from_dict(encoding.to_dict()) == encoding
    True
    """

    columns: tuple[Column, ...]
    features: tuple[Feature, ...]

    @classmethod
    def of(cls, fitted: Any) -> "Encoding":
        """Return the encoding of a fitted transformer, or of a pipeline before its classifier."""
        steps = _steps_before_classifier(fitted)
        columns: tuple[Column, ...] | None = None
        features: list[Feature] | None = None
        for name, step in steps:
            if isinstance(step, TableReader):
                columns = step.columns_
                features = [Feature(column.name, column.kind) for column in step.used_]
            elif isinstance(step, StoredEncoder):
                return step.encoding
            else:
                if features is None:
                    features = _inputs_of(step)
                features = _outputs_of(name, step, features)
        if features is None:
            what = "a pipeline with a transformer before the classifier"
            raise ValueError(f"fitted must be {what}, got {shown(fitted)}")
        if columns is None:
            # What no transformer has looked at may have gaps, of which nothing is known.
            features = [
                replace(each, kind="other") if each.kind == "number" and each.fill is None else each
                for each in features
            ]
            columns = _columns_behind(features)
        else:
            features = _made_of(columns, features)
        return cls(columns, tuple(features))

    @property
    def names(self) -> list[str]:
        """Names of the features."""
        return [feature.name for feature in self.features]

    def transform(self, X: Any) -> FloatArray:
        """Return the features of each row of a table, in the order of `features`."""
        unknown = [feature.name for feature in self.features if feature.kind == "other"]
        if unknown:
            raise ValueError(
                f"{listed(unknown, 5)} cannot be computed: only a transformer knows how"
            )
        table = columns_of(X, [column.name for column in self.columns])
        by_name = {column.name: column for column in self.columns}
        used = dict.fromkeys(feature.column for feature in self.features)
        missing = [name for name in used if name not in table]
        if missing:
            raise ValueError(
                f"the table must have {counted(len(missing), 'more column')}: "
                f"{listed(map(shown, missing))}; its columns: {listed(table)}"
            )
        read = {name: by_name[name].read(table[name]) for name in used}
        return np.column_stack([feature.values(read[feature.column]) for feature in self.features])

    def decisions(self) -> list[Decision]:
        """Return what was done with each column, in words, in the order of the table.

        Examples
        --------
        >>> from hyperna.tables import table_encoder
        >>> table = {"age": [31, None, 47], "unit": ["m", "m", "m"]}
        >>> for decision in Encoding.of(table_encoder().fit(table)).decisions():
        ...     print(decision.column, "|", decision.kind, "|", decision.done, "|", decision.gaps)
        age | number | gaps count as 39 (median) and are marked | 1
        unit | left out | always m | 0
        """
        made: dict[str, list[Feature]] = {column.name: [] for column in self.columns}
        for feature in self.features:
            if feature.column in made:
                made[feature.column].append(feature)
        return [
            Decision(
                printable(column.name) or "(no name)",
                column.kind,
                _done(column, made[column.name]),
                column.gaps,
            )
            for column in self.columns
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return columns and features as plain values, for JSON."""
        usual = asdict(Column("", ""))
        columns = []
        for column in self.columns:
            given = asdict(column)
            columns.append({key: value for key, value in given.items() if value != usual[key]})
        return {"columns": columns, "features": [feature.to_dict() for feature in self.features]}

    @classmethod
    def from_dict(cls, data: Any) -> "Encoding":
        """Return the encoding that `to_dict` described; anything else is a ValueError."""
        lists = {"columns": list, "features": list}
        check_plain("an encoding", data, lists, needed=tuple(lists))
        columns = tuple(_column_from_dict(each) for each in data["columns"])
        features = tuple(Feature.from_dict(each) for each in data["features"])
        kinds = {column.name: column.kind for column in columns}
        if len(kinds) < len(columns):
            raise ValueError("columns must have different names")
        if not features:
            raise ValueError("features must be at least one, got none")
        for feature in features:
            kind = kinds.get(feature.column)
            if kind not in _COLUMN_KINDS[feature.kind]:
                raise ValueError(
                    f"the {feature.kind} of column {shown(feature.column)} needs a column of kind "
                    f"{' or '.join(_COLUMN_KINDS[feature.kind])}, got {kind}"
                )
        return cls(columns, features)


# Of what columns a feature can be made.
_COLUMN_KINDS = {
    "number": ("number",),
    **dict.fromkeys(DATE_PARTS, ("date",)),
    **dict.fromkeys(("category", "rare"), ("category",)),
    "missing": KINDS,
}


class StoredEncoder(TransformerMixin, BaseEstimator):
    """Computes the features of an encoding: what a saved model has in place of the transformers.

    Parameters
    ----------
    encoding : Encoding
        Columns and features.
    """

    def __init__(self, encoding: Encoding) -> None:
        self.encoding = encoding

    def fit(self, X: Any, y: Any = None) -> "StoredEncoder":
        """Do nothing: the encoding is known."""
        return self

    def transform(self, X: Any) -> FloatArray:
        """Return the features of each row of the table X."""
        return self.encoding.transform(X)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the features."""
        return np.array(self.encoding.names, dtype=object)

    def __sklearn_is_fitted__(self) -> bool:
        return True


def reads_cells(fitted: Any) -> bool:
    """Return whether a fitted pipeline reads cells of any kind: what it cannot read is a gap.

    This is so with a `TableReader` and with a stored encoding. Other transformers are given numbers
    and texts, and refuse words among numbers.
    """
    steps = _steps_before_classifier(fitted)
    return any(isinstance(step, TableReader | StoredEncoder) for _, step in steps)


def _steps_before_classifier(fitted: Any) -> list[tuple[str, Any]]:
    """Return the transformers of a pipeline in order, without a classifier at its end."""
    if not isinstance(fitted, Pipeline):
        return [(type(fitted).__name__.lower(), fitted)]
    steps = _steps_of(fitted)
    return steps[:-1] if steps and not hasattr(steps[-1][1], "transform") else steps


def _steps_of(pipeline: Pipeline) -> list[tuple[str, Any]]:
    """Return the names and the steps of a pipeline, and of pipelines in it."""
    steps: list[tuple[str, Any]] = []
    for name, step in pipeline.steps:
        if isinstance(step, Pipeline):
            steps += _steps_of(step)
        elif step not in (None, "passthrough"):
            steps.append((name, step))
    return steps


def _inputs_of(step: Any) -> list[Feature]:
    """Return the columns of the table that a transformer was fitted to."""
    check_is_fitted(step)
    names = getattr(step, "feature_names_in_", None)
    if names is None:
        names = [f"x{place + 1}" for place in range(step.n_features_in_)]
    return [Feature(str(name), "number") for name in names]


def _outputs_of(name: str, step: Any, inputs: list[Feature]) -> list[Feature]:
    """Return what a fitted transformer, a step of this name, makes of features."""
    check_is_fitted(step)
    for kind, outputs in _OUTPUTS.items():
        if isinstance(step, kind):
            return outputs(name, step, inputs)
    return _named(name, step, inputs)


def _piped(name: str, pipeline: Pipeline, inputs: list[Feature]) -> list[Feature]:
    """Return what the steps of a pipeline make of features, one after the other."""
    for inner_name, inner in _steps_of(pipeline):
        inputs = _outputs_of(inner_name, inner, inputs)
    return inputs


def _joined(name: str, step: ColumnTransformer, inputs: list[Feature]) -> list[Feature]:
    """Return what the parts of a ColumnTransformer make of the features that they are given."""
    made: list[Feature] = []
    for step_name, part, places in step.transformers_:
        if isinstance(part, str) and part == "drop":
            continue
        some = _chosen(step, inputs, places)
        same = isinstance(part, str) or not some  # "passthrough", or nothing to do
        made += some if same else _outputs_of(step_name, part, some)
    return made


def _one_hot(name: str, encoder: OneHotEncoder, inputs: list[Feature]) -> list[Feature]:
    """Return the features that a OneHotEncoder makes."""
    # asked for once: the encoder makes the list for all columns each time
    infrequent = getattr(encoder, "infrequent_categories_", None)
    made: list[Feature] = []
    for place, feature in enumerate(inputs):
        rare = None if infrequent is None else infrequent[place]
        made += _categories_of(encoder, place, feature, rare)
    return made


def _dated(name: str, parts: DateParts, inputs: list[Feature]) -> list[Feature]:
    """Return the features that `DateParts` makes."""
    made: list[Feature] = []
    for place, feature in enumerate(inputs):
        made += _parts_of(parts, place, feature)
    return made


def _computed(name: str, step: FunctionTransformer, inputs: list[Feature]) -> list[Feature]:
    """Return what a function makes of features; without a function they stay as they are."""
    return inputs if step.func is None else _named(name, step, inputs)


def _named(name: str, step: Any, inputs: list[Feature]) -> list[Feature]:
    """Return features of which only the names are known that a transformer gives them."""
    known = [feature.name for feature in inputs]
    keeps = type(step).__name__ in _KEEP_VALUES
    return [
        Feature(made if keeps or made not in known else f"{name}({made})", "other")
        for made in _names_made(step, known)
    ]


# Transformers whose outputs have the values of the columns whose names they have. IterativeImputer
# cannot be imported without a switch, so these are known by their names.
_KEEP_VALUES = ("KNNImputer", "IterativeImputer", "PolynomialFeatures")


def _names_made(step: Any, inputs: list[str]) -> list[str]:
    """Return the names of what a transformer makes of inputs with these names."""
    # Fitted to a data frame, it would refuse other names than those of the frame.
    nameless = copy.copy(step)
    vars(nameless).pop("feature_names_in_", None)
    try:
        names = nameless.get_feature_names_out(inputs)
    except ValueError:  # its own transformers were fitted to a data frame
        names = step.get_feature_names_out()
    return [str(name) for name in names]


def _selected(name: str, selector: SelectorMixin, inputs: list[Feature]) -> list[Feature]:
    """Return the features that a selector keeps."""
    kept = [inputs[place] for place in selector.get_support(indices=True)]
    dates = {feature.column for feature in kept if feature.kind == "date"}
    # A month cannot be changed in an explanation without the date that it is a part of.
    return [
        Feature(feature.name, "other")
        if feature.kind in DATE_PARTS and feature.column not in dates
        else feature
        for feature in kept
    ]


def _chosen(step: ColumnTransformer, inputs: list[Feature], places: Any) -> list[Feature]:
    """Return the features that a part of a ColumnTransformer was given."""
    names = list(getattr(step, "feature_names_in_", [feature.column for feature in inputs]))
    if isinstance(places, slice):
        first, last = places.start, places.stop
        if isinstance(first, str):
            first = names.index(first)
        if isinstance(last, str):  # a slice of names ends with its last one
            last = names.index(last) + 1
        return inputs[first : last : places.step]
    chosen = np.atleast_1d(np.asarray(places))
    if chosen.dtype == bool:
        chosen = np.flatnonzero(chosen)
    by_name = dict(zip(names, inputs, strict=True))
    return [
        by_name[place] if isinstance(place, str) else inputs[place] for place in chosen.tolist()
    ]


def _imputed(name: str, imputer: SimpleImputer, inputs: list[Feature]) -> list[Feature]:
    """Return features whose gaps are filled, and those that say where the gaps were.

    What is no column of the table, or has been filled already, stays what it is. Where other cells
    than gaps are replaced, how that is done is known to the transformer only.
    """
    indicated = set()
    if imputer.indicator_ is not None:
        indicated = {int(place) for place in imputer.indicator_.features_}
    fills_gaps = plain_cells([imputer.missing_values])[0] is None
    filled = []
    for place, (feature, value) in enumerate(zip(inputs, imputer.statistics_, strict=True)):
        if not isinstance(value, str) and value != value:
            continue  # a column without any value is left out
        if not fills_gaps:
            filled.append(Feature(f"{name}({feature.name})", "other"))
        elif not _is_column(feature) or feature.fill is not None:
            filled.append(feature)
        else:
            fill = value if isinstance(value, str) else float(value)
            filled.append(replace(feature, fill=fill, gaps=place in indicated))
    missing = []
    for place in sorted(indicated):
        if fills_gaps and _is_column(inputs[place]):
            missing.append(Feature(inputs[place].column, "missing"))
        else:
            missing.append(Feature(part_name(inputs[place].name, "missing"), "other"))
    return filled + missing


def _is_column(feature: Feature) -> bool:
    """Return whether a feature is a column of the table as it is, perhaps with gaps filled."""
    return feature.kind == "number" or (feature.kind == "category" and feature.category is None)


def _categories_of(
    encoder: OneHotEncoder, place: int, feature: Feature, rare: Any
) -> list[Feature]:
    """Return the features that a OneHotEncoder makes of a column; `rare` categories are joined.

    Of what another transformer made, only names are known; but one of the two categories of a mark
    of gaps is that mark.
    """
    categories = encoder.categories_[place]
    dropped = None if encoder.drop_idx_ is None else encoder.drop_idx_[place]
    is_rare = np.zeros(len(categories), dtype=bool)
    if rare is not None:
        for k, category in enumerate(categories):
            is_rare[k] = any(
                category is other or category == other or (category != category and other != other)
                for other in rare
            )
    texts = [read_category(_plain_number(category)) for category in categories]
    fill = read_category(_plain_number(feature.fill))
    is_column = _is_column(feature)
    made = []
    for k, text in enumerate(texts):
        if is_rare[k] or k == dropped:
            continue
        if feature.kind == "missing" and text in ("True", "1"):
            made.append(feature)
        elif not is_column:
            made.append(Feature(f"{feature.name} = {text}", "other"))
        elif text is None:
            made.append(Feature(feature.column, "missing"))
        else:
            made.append(Feature(feature.column, "category", category=text, fill=fill))
    if rare is not None and (dropped is None or not is_rare[dropped]):
        named = tuple(text for k, text in enumerate(texts) if not is_rare[k])
        if fill is not None and fill in named:
            named = (*named, None)  # a gap counts as one of them
        if is_column:
            made.append(Feature(feature.column, "rare", named=named))
        else:
            made.append(Feature(part_name(feature.name, "rare"), "other"))
    return made


def _plain_number(value: Any) -> Any:
    """Return a number of any type as a float, and anything else as it is."""
    if isinstance(value, int | np.number) and not isinstance(value, bool):
        return float(value)
    return value


def _parts_of(parts: DateParts, place: int, feature: Feature) -> list[Feature]:
    """Return the features that `DateParts` makes of a column."""
    gaps = "missing" in parts.parts_[place]
    made = []
    for part in parts.parts_[place]:
        if part == "missing":
            made.append(Feature(feature.column, "missing"))
            continue
        origin = parts.origin_[place] if part == "date" else ""
        made.append(
            Feature(
                feature.column,
                part,
                fill=parts.fill_[place],
                gaps=gaps,
                origin=origin,
                step=parts.step_[place],
            )
        )
    return made


# What each transformer makes of features; of the others only names are known.
_OUTPUTS: dict[type, Callable[[str, Any, list[Feature]], list[Feature]]] = {
    Pipeline: _piped,
    ColumnTransformer: _joined,
    SimpleImputer: _imputed,
    OneHotEncoder: _one_hot,
    DateParts: _dated,
    FunctionTransformer: _computed,
    SelectorMixin: _selected,
}


def _made_of(columns: Sequence[Column], features: Iterable[Feature]) -> list[Feature]:
    """Return features of columns that a `TableReader` has looked at.

    Of those that cannot be computed from such a column, as categories of numbers, only names are
    known.
    """
    kinds = {column.name: column.kind for column in columns}
    return [
        feature
        if kinds.get(feature.column) in _COLUMN_KINDS.get(feature.kind, ())
        else Feature(feature.name, "other")
        for feature in features
    ]


def _columns_behind(features: Iterable[Feature]) -> tuple[Column, ...]:
    """Return the columns that features are made of, where no `TableReader` has looked at them."""
    kinds: dict[str, str] = {}
    for feature in features:
        if feature.kind in ("category", "rare"):
            kinds[feature.column] = "category"
        elif feature.kind in ("number", "other"):
            kinds.setdefault(feature.column, "number")
        elif feature.kind != "missing":
            kinds[feature.column] = "date"
        else:
            kinds.setdefault(feature.column, "category")
    return tuple(Column(name, kind) for name, kind in kinds.items())


def _column_from_dict(data: Any) -> Column:
    usual = asdict(Column("", ""))
    types = {key: type(value) for key, value in usual.items()}
    check_plain("a column", data, types, needed=("name", "kind"))
    if data["kind"] not in (*KINDS, "left out"):
        raise ValueError(
            f"kind must be one of {', '.join(KINDS)}, left out, got {data['kind']!r:.60}"
        )
    if data["kind"] == "number" and data.get("form", ".") not in (".", ","):
        raise ValueError(f"form of a number must be '.' or ',', got {data['form']!r:.60}")
    return Column(**data)


def _done(column: Column, features: Sequence[Feature]) -> str:
    """Return what was done with a column, in words."""
    if not column.used:
        return column.reason
    sentences = []
    kinds = [feature.kind for feature in features]
    if column.kind == "category":
        sentences.append(_choices(features))
    elif column.kind == "date":
        sentences.append(", ".join(kind for kind in kinds if kind != "missing"))
    if column.kind != "category" and "missing" in kinds:
        fill = next(feature.fill for feature in features if feature.kind != "missing")
        text = number_text(fill, 6) if isinstance(fill, float) else str(fill).partition("T")[0]
        sentences.append(f"gaps count as {text} (median) and are marked")
    if column.odd:
        what = f"{number(column.odd)} of the gaps hold no {column.kind}"
        sentences.append(f"{what}, as {printable(column.odd_example)!r}")
    if column.remark:
        sentences.append(column.remark)
    return "; ".join(sentences) or "as it is"


def _choices(features: Sequence[Feature]) -> str:
    """Return which values of a column of categories have a feature."""
    texts = [printable(str(each.category)) for each in features if each.kind == "category"]
    names = [list_item(text) for text in texts]
    names += [each.kind for each in features if each.kind != "category"]
    if names == ["rare"]:  # beside one that is dropped
        others = [each for each in features[0].named if each is not None]
        names = [*(list_item(printable(each)) for each in others or ["missing"]), "rare"]
    return f"{names[0]} or not" if len(names) == 1 else f"one of {listed(names, 6)}"
