"""Tables of any kind as features that a rule can name: text, gaps, dates and identifiers.

``table_encoder()`` returns a scikit-learn pipeline that turns a table into numbers, and
``Encoding.of(pipeline)`` tells what was done with each column and what each feature means; the
docstring of `hyperna.tables.features` describes how rules are written with it.
"""

from hyperna.tables.columns import Column, look_at
from hyperna.tables.dates import DateParts
from hyperna.tables.encoder import CategoryEncoder, column_transformer, table_encoder
from hyperna.tables.encoding import Decision, Encoding, StoredEncoder
from hyperna.tables.features import Feature, plain_features
from hyperna.tables.reader import TableReader

__all__ = [
    "CategoryEncoder",
    "Column",
    "DateParts",
    "Decision",
    "Encoding",
    "Feature",
    "StoredEncoder",
    "TableReader",
    "column_transformer",
    "look_at",
    "plain_features",
    "table_encoder",
]
