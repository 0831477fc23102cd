"""From typed columns to numbers: scikit-learn's parts, put together for rules that people read.

`table_encoder` returns the pipeline ``TableReader -> ColumnTransformer``. Numbers get their gaps
filled (`SimpleImputer`, which also adds a feature that says where the gaps were), categories become
one feature each (`OneHotEncoder`), and dates become days, months, weekdays and hours (`DateParts`).

skrub's `Cleaner` and `DatetimeEncoder` do similar work. They are not used here for four reasons:
they keep identifiers and free text, they do not say what they decided, dates become seconds in
single precision (off by up to a minute), and what they learnt cannot be written as plain JSON.
"""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder

from hyperna.tables.columns import LEAST_CATEGORY_SHARE, MOST_CATEGORIES
from hyperna.tables.dates import DateParts, part_name
from hyperna.tables.reader import TableReader

_INDICATOR = "missingindicator_"


def table_encoder(
    *,
    kinds: Mapping[str, str] | None = None,
    ignore: Iterable[str] = (),
    names: Sequence[str] | None = None,
    separator: str = "",
) -> Pipeline:
    """Return a pipeline that turns a table of any kind into numbers.

    Parameters
    ----------
    kinds, ignore, names, separator
        See `TableReader`.

    Examples
    --------
    >>> table = {"age": [31, None, 47], "city": ["Rome", "Oslo", "Bern"]}
    >>> encoder = table_encoder()
    >>> encoder.fit_transform(table)
    array([[31.,  0.,  0.,  0.,  1.],
           [39.,  1.,  0.,  1.,  0.],
           [47.,  0.,  1.,  0.,  0.]])
    >>> [str(name) for name in encoder.get_feature_names_out()]
    ['age', 'age is missing', 'city = Bern', 'city = Oslo', 'city = Rome']
    """
    reader = TableReader(kinds=kinds, ignore=ignore, names=names, separator=separator)
    return Pipeline([("table", reader), ("columns", column_transformer())])


def column_transformer() -> ColumnTransformer:
    """Return what turns the typed columns of a `TableReader` into numbers."""
    categories = CategoryEncoder(
        drop="if_binary",  # "sex = male" says it all
        min_frequency=LEAST_CATEGORY_SHARE,
        max_categories=MOST_CATEGORIES,
        handle_unknown="infrequent_if_exist",
        feature_name_combiner=category_name,
        sparse_output=False,
    )
    return ColumnTransformer(
        [
            ("numbers", NumberFiller(strategy="median", add_indicator=True), numbers),
            ("dates", DateParts(), dates),
            ("categories", categories, texts),
        ],
        verbose_feature_names_out=_feature_name,
    )


class NumberFiller(SimpleImputer):
    """A SimpleImputer whose medians stay finite where the sum of two numbers is not."""

    statistics_: Any

    def fit(self, X: Any, y: Any = None) -> "NumberFiller":
        """Learn the medians of the columns of X."""
        with np.errstate(all="ignore"):
            super().fit(X)
        too_large = np.isinf(self.statistics_)
        if too_large.any():
            halves = np.asarray(X)[:, too_large].astype(float) / 2
            self.statistics_[too_large] = 2 * np.nanmedian(halves, axis=0)
        return self

    def transform(self, X: Any) -> Any:
        """Return X with gaps filled, and where they were."""
        with np.errstate(all="ignore"):
            return super().transform(X)


class CategoryEncoder(OneHotEncoder):
    """A OneHotEncoder that takes unknown categories as they come.

    Where a category is dropped, `OneHotEncoder` warns about every table with unknown ones. Here
    that is as it should be: ``sex = male`` does not hold for them.
    """

    def transform(self, X: Any) -> Any:
        """Return the features of the categories X."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Found unknown categories")
            return super().transform(X)


def category_name(column: str, category: Any) -> str:
    """Return the name of a category's feature.

    Examples
    --------
    >>> category_name("city", "Rome"), category_name("city", None)
    ('city = Rome', 'city is missing')
    """
    if category is None:
        return part_name(column, "missing")
    if category == "infrequent_sklearn":
        return part_name(column, "rare")
    return f"{column} = {category}"


def _feature_name(transformer: str, name: str) -> str:
    """Return the name of a feature of the ColumnTransformer; gaps are named as in dates."""
    if transformer == "numbers" and name.startswith(_INDICATOR):
        return part_name(name.removeprefix(_INDICATOR), "missing")
    return name


def _columns_with(X: Any, kind: Any) -> list[int]:
    """Return the columns of X whose first value, after gaps, is of this kind."""
    array = np.asarray(X)
    if array.dtype != object:
        return [*range(array.shape[1])] if kind is float else []
    found = []
    for place, column in enumerate(array.T):
        first = next((value for value in column if value is not None), np.nan)
        if isinstance(first, kind):
            found.append(place)
    return found


# Which columns of a TableReader's array hold what.
numbers = partial(_columns_with, kind=float)
dates = partial(_columns_with, kind=np.datetime64)
texts = partial(_columns_with, kind=str)
