"""Labelled data: small generated sets that never change, CSV files, scikit-learn's sets.

``dataset(name)`` generates one; ``DATASETS`` lists the generators and ``SHIPPED`` the variants that
lie as CSV files in the folder ``datasets/``. ``load(source)`` takes anything that holds data; what
holds more than numbers becomes a `Table`.
"""

from hyperna.datasets import generators as _generators  # enters the generators into DATASETS
from hyperna.datasets.base import DATASETS, SHIPPED, Dataset, Generator, Table, dataset
from hyperna.datasets.draws import rotation
from hyperna.datasets.sources import load, read_dataset, read_table, sample

__all__ = [
    "DATASETS",
    "SHIPPED",
    "Dataset",
    "Generator",
    "Table",
    "dataset",
    "load",
    "read_dataset",
    "read_table",
    "rotation",
    "sample",
]
del _generators
