"""The command line: ``hyperna COMMAND ...``.

A command is a module of this package with a docstring, ``add_arguments(parser)`` and
``run(args) -> exit code``; naming it in COMMANDS is all it takes to add one. Bad input ends with
one line on standard error and exit code 2.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn

from hyperna import __version__
from hyperna._validation import did_you_mean

COMMANDS = (
    "run",
    "list",
    "dataset",
    "compare",
    "fit",
    "predict",
    "campaign",
    "report",
    "reproduce",
)

_BAD_INPUT = (ValueError, TypeError, OSError, ImportError, MemoryError, OverflowError)


class Parser(argparse.ArgumentParser):
    """An argument parser whose complaints fit on one line."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, without the usage text."""
        raise ValueError(message)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Name the command or choice that an unknown one is near to."""
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            error.message += did_you_mean(value, action.choices or ())
            raise

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Name the option that an unknown one is near to."""
        found, unknown = super().parse_known_args(args, namespace)
        for text in unknown:
            known = [name for action in self._actions for name in action.option_strings]
            hint = did_you_mean(text.partition("=")[0], known) if text.startswith("--") else ""
            if hint:
                self.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
        return found, unknown


def build_parser() -> Parser:
    """Return the parser of all commands."""
    parser = Parser(
        prog="hyperna",
        description="Evolve hyperplane networks with the (1+1) NA and measure how long it takes.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"hyperna {__version__}")
    parser.add_argument(
        "--debug", action="store_true", help="show the traceback of an error (before the command)"
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in COMMANDS:
        module = import_module(f"hyperna.cli.{name}")
        summary, _, details = (module.__doc__ or "").partition("\n")
        command = commands.add_parser(
            name,
            help=summary,
            description=summary,
            epilog=details.strip(),
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        module.add_arguments(command)
        command.set_defaults(run=module.run)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0, or 2 after bad input.

    Examples
    --------
    >>> main(["--version"])
    hyperna 0.3.0
    0
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a narrow encoding must not end a run
    debug = False
    try:
        args = build_parser().parse_args(argv)
        debug = args.debug
        code = int(args.run(args))
        sys.stdout.flush()
        return code
    except SystemExit as stop:  # --help and --version
        return int(stop.code or 0)
    except KeyboardInterrupt:
        return _fail("interrupted", 130)
    except BrokenPipeError:
        # The reader (head, less) is gone; Python must not complain again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except _BAD_INPUT as error:
        if debug:
            raise
        return _fail(f"error: {_one_line(error)}", 2)


def _one_line(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return f"not enough memory: {error}".rstrip(": ")
    if isinstance(error, OSError) and error.strerror and error.filename:
        return f"{error.filename}: {error.strerror}"
    return " ".join(str(error).split()) or type(error).__name__


def _fail(message: str, code: int) -> int:
    print(f"hyperna: {message}", file=sys.stderr)
    return code
