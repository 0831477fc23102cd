"""Compiled kernels: the only place that imports numba; arrays and NamedTuples in, arrays out."""
