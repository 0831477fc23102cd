"""Settings shared by all tests."""

import os

# Pictures are drawn without a display, wherever the tests run.
os.environ.setdefault("MPLBACKEND", "Agg")

from hypothesis import settings

# Compiled kernels take seconds at their first call, which is no fault of the example that met it.
settings.register_profile("hyperna", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("hyperna")
