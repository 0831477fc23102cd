"""Other tools: IOHprofiler and ONNX.

For IOHprofiler there are problems that anybody's optimiser can run on, and runs that IOHanalyzer
can read. `Objective` needs ``pip install 'hyperna[ioh]'``; writing the files of IOHanalyzer needs
nothing. `hyperna.interop.onnx` writes fitted rules as ONNX.
"""

from hyperna.interop.analyzer import Cell, LoggedRun, write_cell
from hyperna.interop.names import function_id, function_name
from hyperna.interop.objective import Objective, analyzer_logger

__all__ = [
    "Cell",
    "LoggedRun",
    "Objective",
    "analyzer_logger",
    "function_id",
    "function_name",
    "write_cell",
]
