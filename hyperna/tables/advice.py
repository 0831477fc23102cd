"""What to say about text and gaps where only numbers are allowed."""

from typing import Any

import numpy as np

from hyperna._words import counted, listed, shown
from hyperna.tables.columns import plain_cells
from hyperna.tables.reader import columns_of

REMEDY = """\
These two lines encode text and dates and fill the gaps:
    from hyperna import table_pipeline
    model = table_pipeline(NAClassifier()).fit(X, y)"""
# The same for rows that a fitted classifier is asked about.
REMEDY_IN_PREDICT = """\
The classifier was fitted to numbers without gaps. Fill or leave out such rows, or fit it to a table
with text and gaps, which it then also takes here:
    from hyperna import table_pipeline
    model = table_pipeline(NAClassifier()).fit(X_train, y_train)"""
REMEDY_FOR_INFINITIES = "Replace infinite values by finite ones, or leave out their rows."


def about_text_and_gaps(X: Any, fitting: bool = True) -> str | None:
    """Return what is no finite number in a table, column by column, and the two lines that help.

    `fitting` tells rows to fit to from rows to predict. None if everything is a finite number, or
    if X is no table.

    Examples
    --------
    >>> print(about_text_and_gaps({"age": [31.0, float("nan")], "city": ["Rome", "Oslo"]}))
    X must be finite numbers, got NaN in column 'age' (1 of 2 rows); text in column 'city', as
    'Rome'.
    These two lines encode text and dates and fill the gaps:
        from hyperna import table_pipeline
        model = table_pipeline(NAClassifier()).fit(X, y)
    >>> about_text_and_gaps([[1.0, 2.0]]) is None
    True
    """
    try:
        table = columns_of(X)
    except (ValueError, TypeError):
        return None
    gaps: list[str] = []
    infinite: list[str] = []
    texts: list[str] = []
    for name, values in table.items():
        cells = plain_cells(values)
        column = shown(name)
        missing = 0
        far = 0
        word = None
        for cell in cells.tolist() if cells.dtype.kind == "f" else cells:
            if cell is None or cell != cell:
                missing += 1
            elif isinstance(cell, float):
                far += int(np.isinf(cell))
            elif word is None and not _is_plain_number(cell):
                word = cell
        if word is not None:
            texts.append(f"{column}, as {shown(word)}")
        if missing:
            gaps.append(f"{column} ({missing} of {counted(len(cells), 'row')})")
        if far:
            infinite.append(f"{column} ({far} of {counted(len(cells), 'row')})")
    problems = []
    for what, where in (("NaN", gaps), ("inf", infinite), ("text", texts)):
        if where:
            columns = "column" if len(where) == 1 else "columns"
            problems.append(f"{what} in {columns} {listed(where, 10)}")
    if not problems:
        return None
    remedies = []
    if gaps or texts:
        remedies.append(REMEDY if fitting else REMEDY_IN_PREDICT)
    if infinite:
        remedies.append(REMEDY_FOR_INFINITIES)
    return "\n".join([f"X must be finite numbers, got {'; '.join(problems)}.", *remedies])


def _is_plain_number(cell: Any) -> bool:
    """Return whether a cell is a text that is converted to a number, as scikit-learn does it."""
    try:
        return bool(np.isfinite(float(cell)))
    except (TypeError, ValueError):
        return False
