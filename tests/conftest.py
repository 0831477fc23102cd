"""Settings shared by all tests."""

import os
import signal

# Pictures are drawn without a display, wherever the tests run.
os.environ.setdefault("MPLBACKEND", "Agg")

# Shells let what they start in the background ignore Ctrl-C, which some tests send to themselves.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

from hypothesis import settings

# Compiled kernels take seconds at their first call, which is no fault of the example that met it.
settings.register_profile("hyperna", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("hyperna")
