"""TableReader: the first step of a pipeline, which turns any table into typed columns."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from hyperna._words import counted, did_you_mean, listed, shown
from hyperna.tables.columns import Column, check_kinds, day_before_month, decimal_mark, look_at


class TableReader(TransformerMixin, BaseEstimator):
    """Reads a table: tells what each column holds, and leaves out those that teach nothing.

    Numbers, dates and categories are recognised from the cells, whether they are typed or written
    as text. Empty and constant columns, identifiers and free text are left out.

    Parameters
    ----------
    kinds : dict of str to str, optional
        What some columns are, by name: "number", "date" or "category", or also how their cells are
        written, as "number:," (with decimal commas), "number:." and "date:%d/%m/%Y". It is told
        from the cells for all others. A column with a kind is not left out as an identifier.
    ignore : sequence of str
        Columns to leave out.
    names : sequence of str, optional
        Names of the columns of arrays, which have none; "x1", "x2", ... if not given.
    separator : str, optional
        What separates the columns of the file that the table comes from. With ";" commas within
        texts are decimal marks, where the cells do not tell.

    Attributes
    ----------
    columns_ : tuple of Column
        What was found out about each column, in the order of the table.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    Texts such as 12,500 are numbers with a decimal comma and with separators of thousands. Where
    all numbers of a column are such texts, they are read with the decimal mark of the other columns
    if these tell one, else with a point (but see `separator`), and the remark of the column tells.
    So it is with dates such as 1/2/2024: their order of day and month is that of the columns whose
    dates fit one order only, else the month comes first, or the day in 1-2-2024.

    `transform` returns floats (gaps are NaN) if all columns hold numbers. Otherwise it returns an
    array of objects: floats in columns of numbers, `numpy.datetime64` in those of dates, texts in
    those of categories, and None for gaps of the latter two. That is what `table_encoder` continues
    with.

    Examples
    --------
    >>> reader = TableReader().fit({"age": ["31", "NA", "47"], "city": ["Rome", "Oslo", "Rome"]})
    >>> [(column.name, column.kind, column.gaps) for column in reader.columns_]
    [('age', 'number', 1), ('city', 'category', 0)]
    >>> reader.transform({"city": ["Oslo"], "age": [20]})
    array([[20.0, 'Oslo']], dtype=object)
    """

    def __init__(
        self,
        *,
        kinds: Mapping[str, str] | None = None,
        ignore: Iterable[str] = (),
        names: Sequence[str] | None = None,
        separator: str = "",
    ) -> None:
        self.kinds = kinds
        self.ignore = ignore
        self.names = names
        self.separator = separator

    def fit(self, X: Any, y: Any = None) -> "TableReader":
        """Look at the columns of the table X."""
        table = columns_of(X, self.names)
        found = [*self._looked_at(table)]
        unsure = [place for place, column in enumerate(found) if column.other_form]
        if unsure:
            kinds = check_kinds(self.kinds)
            decimal = decimal_mark(found, table, self.separator)
            day_first = day_before_month(found)
            for place in unsure:
                name = found[place].name
                found[place] = look_at(name, table[name], kinds.get(name), decimal, day_first)
        if not any(column.used for column in found):
            reasons = [f"{shown(column.name)} ({column.reason})" for column in found]
            raise ValueError(f"the table has no column to learn from; left out: {listed(reasons)}")
        self.columns_ = tuple(found)
        self.n_features_in_ = len(found)
        self.feature_names_in_ = np.array([*table], dtype=object)
        return self

    def check(self, X: Any) -> None:
        """Refuse what `fit` refuses, without looking at more columns than that takes."""
        if not any(column.used for column in self._looked_at(columns_of(X, self.names))):
            self.fit(X)  # which says why

    def _looked_at(self, table: Mapping[str, Any]) -> Iterator[Column]:
        """Yield what is found out about each column by itself."""
        kinds = check_kinds(self.kinds)
        ignored = [self.ignore] if isinstance(self.ignore, str) else [*self.ignore]
        _check_named(table, {"kinds": kinds, "ignore": ignored})
        apart = set(ignored)
        for name, values in table.items():
            if name in apart:
                yield Column(name, "left out", reason="as asked", rows=len(values))
            else:
                yield look_at(name, values, kinds.get(name))

    @property
    def used_(self) -> tuple[Column, ...]:
        """The columns that are not left out."""
        return tuple(column for column in self.columns_ if column.used)

    def transform(self, X: Any) -> NDArray[Any]:
        """Return the values of the columns that are not left out, in a row for each row of X."""
        check_is_fitted(self)
        table = columns_of(X, [column.name for column in self.columns_])
        used = self.used_
        missing = [column.name for column in used if column.name not in table]
        if missing:
            raise ValueError(
                f"X must have {counted(len(missing), 'more column')}: {listed(map(shown, missing))}"
                f"{did_you_mean(missing[0], [*table][:1000])}; "
                f"its columns: {listed(table)}"
            )
        rows = len(next(iter(table.values())))
        if all(column.kind == "number" for column in used):
            result = np.empty((rows, len(used)))
        else:
            result = np.empty((rows, len(used)), dtype=object)
        for place, column in enumerate(used):
            values = column.read(table[column.name])
            if column.kind == "date":
                result[:, place] = [None if np.isnat(moment) else moment for moment in values]
            else:
                result[:, place] = values
        return result

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the columns that are not left out."""
        check_is_fitted(self)
        return np.array([column.name for column in self.used_], dtype=object)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "columns_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.allow_nan = True
        return tags


def columns_of(X: Any, names: Sequence[str] | None = None) -> dict[str, Any]:
    """Return the columns of a table by name: of a data frame, a mapping, or an array with names.

    Examples
    --------
    >>> columns_of([["a", 1], ["b", 2]])
    {'x1': array(['a', 'b'], dtype=object), 'x2': array([1, 2], dtype=object)}
    """
    if isinstance(X, Mapping):
        pairs = [(str(name), values) for name, values in X.items()]
    elif hasattr(X, "columns") and hasattr(X, "shape"):
        _check_different([str(name) for name in X.columns])
        pairs = [(str(name), X[name]) for name in X.columns]
    else:
        array = X if isinstance(X, np.ndarray) else np.array(X, dtype=object)
        if array.ndim != 2:
            raise ValueError(
                "X must be a table: a data frame, a dict of columns, or an array of shape (rows, "
                f"columns), got shape {array.shape}"
            )
        width = array.shape[1]
        given = [f"x{k + 1}" for k in range(width)] if names is None else [*map(str, names)]
        if len(given) != width:
            raise ValueError(f"X must have {counted(len(given), 'column')}, got {width}")
        pairs = [(name, array[:, place]) for place, name in enumerate(given)]
    _check_different([name for name, _ in pairs])
    if not pairs:
        raise ValueError("X must have at least one column, got none")
    lengths = {len(values) for _, values in pairs}
    if len(lengths) > 1:
        raise ValueError(f"X must have columns of one length, got {sorted(lengths)}")
    if lengths == {0}:
        raise ValueError("X must have at least one row, got none")
    return dict(pairs)


def _check_different(names: list[str]) -> None:
    repeated = [name for name, times in Counter(names).items() if times > 1]
    if repeated:
        raise ValueError(
            f"columns must have different names, got more than one {listed(map(shown, repeated))}"
        )


def _check_named(table: Mapping[str, Any], given: Mapping[str, Iterable[str]]) -> None:
    """Refuse names that are no columns, all of them at once."""
    problems = []
    for argument, names in given.items():
        unknown = [name for name in names if name not in table]
        if unknown:
            hint = did_you_mean(unknown[0], [*table][:1000])
            problems.append(f"{argument} names {listed(map(shown, unknown))}{hint}")
    if problems:
        raise ValueError(f"not in the table: {'; '.join(problems)}; its columns: {listed(table)}")
