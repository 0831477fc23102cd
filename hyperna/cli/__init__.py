"""The command line: ``hyperna COMMAND ...``.

A command is a module of this package with the text `HELP`, ``add_arguments(parser)`` and
``run(args) -> exit code``; naming it in COMMANDS is all it takes to add one. Bad input ends with
one line on standard error and exit code 2, Ctrl-C with 130, SIGTERM with 143, and a reader that has
gone away with 141, as in the shell.
"""

import argparse
import os
import sys
import warnings
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any, NoReturn

from hyperna import __version__
from hyperna._words import shortened
from hyperna.cli.parser import Parser

COMMANDS = (
    "run",
    "play",
    "list",
    "dataset",
    "compare",
    "fit",
    "predict",
    "export",
    "campaign",
    "report",
    "reproduce",
    "theory",
    "warmup",
)

# Of a message: characters of a word (a path may be long), of all of it, and how far it is read.
_LONGEST_WORD = 300
_LONGEST_MESSAGE = 1000
_LONGEST_TEXT = 10**6
WELCOME = """\
hyperna evolves networks of half-spaces and measures how long it takes.

What you can do next:
  hyperna play                           watch evolution in the browser
  hyperna run two_quarters --runs 100    run a problem 100 times
  hyperna run quarter --animate run.gif  make a film of a run
  hyperna fit moons                      fit a classifier, print its rule
  hyperna reproduce --table 4            repeat a table of the paper
  hyperna list                           all problems, laws and data sets
  hyperna --help                         all commands"""

_BAD_INPUT = (ValueError, TypeError, OSError, ImportError, MemoryError, OverflowError)


def build_parser(words: Sequence[str] | None = None) -> Parser:
    """Return the parser of all commands, or of what is needed to read these words.

    Only the command that the words name has its options then: nothing else is loaded for it.
    """
    parser = Parser(
        prog="hyperna",
        description="Evolve networks of half-spaces by the (1+1) NA and measure how long it takes.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"hyperna {__version__}")
    parser.add_argument(
        "--debug", action="store_true", help="show the traceback of an error (before the command)"
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    named = next(filter(COMMANDS.__contains__, words or ()), None)
    for name in COMMANDS:
        if named is not None and name != named:
            commands.add_parser(name)
            continue
        module = import_module(f"hyperna.cli.{name}")
        # not the docstring, which Python leaves out under -OO
        summary, _, details = module.HELP.partition("\n")
        command = commands.add_parser(
            name,
            help=summary,
            description=summary,
            epilog=details.strip(),
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        if words is None or name == named:
            module.add_arguments(command)
            command.set_defaults(run=module.run)
    return parser


def import_own_modules() -> None:
    """Import the modules that HYPERNA_IMPORT names, which may register problems and laws.

    They are found in the current folder too.
    """
    names = os.environ.get("HYPERNA_IMPORT", "").replace(",", " ").split()
    if names and os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    for name in names:
        try:
            import_module(name)
        except Exception as error:
            raise ImportError(f"HYPERNA_IMPORT names {name!r}: {error}") from error


def command() -> NoReturn:
    """Run the command that the shell has called, and end the process."""
    from hyperna.cli.signals import signals

    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the caller
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115  as long as the process lives
    signals.watch()
    try:
        code = main()
    except KeyboardInterrupt:  # a second one, or one at the last moment
        code = 130
    signals.finish(code)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0, or 2 after bad input.

    Examples
    --------
    >>> main(["--version"])
    hyperna 0.5.0
    0
    """
    given = sys.argv[1:] if argv is None else [*argv]
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a narrow encoding must not end a run
    try:
        code = 0
        try:
            if not given:
                print(WELCOME)
            else:
                if "HYPERNA_IMPORT" in os.environ:
                    import_own_modules()
                args = build_parser(given).parse_args(given)
                with warnings.catch_warnings():
                    warnings.showwarning = _show_warning
                    code = args.run(args)
        except SystemExit as stop:  # --help and --version
            code = int(stop.code or 0)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        return _fail("interrupted", 130)
    except BrokenPipeError:
        _abandon_output()
        return 141
    except _BAD_INPUT as error:
        from hyperna.cli.signals import signals

        if signals.received is not None:  # an interrupt that a library made an error of its own
            return _fail("interrupted", 130)
        try:
            sys.stdout.flush()
        except (OSError, ValueError):
            _abandon_output()
        if given[:1] == ["--debug"]:
            raise
        return _fail(f"error: {_one_line(error)}", 2)


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """Print a warning for people: one line, without the place in the source."""
    _fail(f"warning: {_clipped(str(message))}", 0)


def _abandon_output() -> None:
    """Send the rest nowhere: Python must not complain again when it flushes at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _one_line(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return _clipped(f"not enough memory: {error}".rstrip(": "))
    if isinstance(error, OSError) and error.strerror:
        name = "cannot write the output" if error.filename is None else error.filename
        return _clipped(f"{name}: {error.strerror}")
    return _clipped(str(error)) or type(error).__name__


def _clipped(text: str) -> str:
    """Return a message on one line, without overlong values and lists."""
    words = (shortened(word, _LONGEST_WORD) for word in text[:_LONGEST_TEXT].split())
    return shortened(" ".join(words), _LONGEST_MESSAGE)


def _fail(message: str, code: int) -> int:
    with suppress(OSError):
        print(f"hyperna: {message}", file=sys.stderr)
    return code
