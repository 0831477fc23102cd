"""Labelled data: small generated sets that never change, CSV files, scikit-learn's sets.

``dataset(name)`` generates one; ``DATASETS`` lists the generators and ``SHIPPED`` the variants that
lie as CSV files in the folder ``datasets/``. ``load(source)`` takes anything that holds data.
"""

from hyperna.datasets import generators as _generators  # enters the generators into DATASETS
from hyperna.datasets.base import DATASETS, SHIPPED, Dataset, Generator, dataset
from hyperna.datasets.draws import rotation
from hyperna.datasets.sources import load, read_dataset, sample

__all__ = [
    "DATASETS",
    "SHIPPED",
    "Dataset",
    "Generator",
    "dataset",
    "load",
    "read_dataset",
    "rotation",
    "sample",
]
del _generators
