"""Declaring options of commands, and reading and checking their values."""

import argparse
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from hyperna._validation import check_integer, check_real
from hyperna._words import shown
from hyperna.cli.parser import Parser


def integer(low: int, high: int | None = None) -> Callable[[str], int]:
    """Return a converter of option values to integers from low to high."""
    return partial(convert, read=int, check=partial(check_integer, low=low, high=high))


def real(low: float, high: float, *, low_open: bool = False) -> Callable[[str], float]:
    """Return a converter of option values to finite numbers from low to high."""
    check = partial(check_real, low=low, high=high, low_open=low_open)
    return partial(convert, read=float, check=check)


def convert(text: str, read: Callable[[str], Any], check: Callable[[str, Any], Any]) -> Any:
    """Read an option's value and check it; argparse puts the option's name before what is wrong."""
    try:
        value = read(text)
    except ValueError:
        value = text
    try:
        return check("value", value)
    except (TypeError, ValueError) as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def names(text: str) -> list[str]:
    """Convert names that are separated by commas."""
    return [name.strip() for name in text.split(",")]


def add_run_options(
    parser: argparse.ArgumentParser, wanted: Iterable[str], helps: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Declare options of a run under their headings, which are returned.

    `helps` says what options mean here, where that is not what they mean in every run; defaults
    are added to it as everywhere.
    """
    from hyperna.run.description import GROUPS, OPTIONS

    wanted = set(wanted)
    shown_groups = [
        group for group in GROUPS if any(OPTIONS[name].group == group for name in wanted)
    ]
    groups: dict[str, Any] = {group: parser.add_argument_group(group) for group in shown_groups}
    for name, option in OPTIONS.items():
        if name not in wanted:
            continue
        add = groups[option.group].add_argument
        spelling = name.replace("_", "-")
        help_line = replace(option, help=(helps or {}).get(name, option.help)).help_line
        if name == "problem":
            parser.add_argument(name, metavar="PROBLEM", help=help_line)
        elif option.flag and option.default:
            add(
                f"--no-{spelling}",
                dest=name,
                action="store_false",
                default=None,
                help=option.off_help,
            )
        elif option.flag:
            add(f"--{spelling}", action="store_true", default=None, help=help_line)
        elif option.choices:
            add(f"--{spelling}", choices=option.choices, help=help_line)
        else:
            reader = partial(convert, read=option.read, check=option.check)
            add(f"--{spelling}", type=reader, metavar=option.metavar, help=help_line)
    if "algorithm" in wanted and isinstance(parser, Parser):
        parser.advice = algorithm_advice
    return groups


def algorithm_advice(option: str, among: Iterable[str] | None = None) -> str:
    """Return how a parameter of an algorithm is given, for a word that looks like an option.

    Only algorithms `among` these are named; None: all.

    Examples
    --------
    >>> algorithm_advice("--members")
    '; it is a parameter of an algorithm: --algorithm mu_plus_one:members=10'
    """
    from hyperna.experiments.algorithms import algorithms

    parameter = option.removeprefix("--").replace("-", "_")
    found = [
        f"--algorithm {name}:{parameter}={each.defaults[parameter]}"
        for name, each in algorithms().items()
        if parameter in each.defaults and (among is None or name in among)
    ]
    return f"; it is a parameter of an algorithm: {' or '.join(found)}" if found else ""


def add_kind_option(parser: argparse.ArgumentParser) -> None:
    """Declare the option that says what columns are."""
    parser.add_argument(
        "--kind",
        type=kind,
        action=Kinds,
        metavar="COLUMN=KIND",
        help="what a column is: number, category or date, or how it is written: date:%%d/%%m/%%Y, "
        "'number:,' (decimal commas), number:. (points); may be repeated",
    )


def kind(text: str) -> tuple[str, str]:
    """Convert the value of --kind."""
    name, sign, value = text.rpartition("=")
    if not sign or not name.strip():
        raise argparse.ArgumentTypeError(f"must be COLUMN=KIND, got {shown(text)}")
    return name.strip(), value.strip()


class Kinds(argparse.Action):
    """Collects the values of --kind."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option: Any = None) -> None:
        """Add one column."""
        name, value = values
        known = getattr(namespace, self.dest) or {}
        setattr(namespace, self.dest, {**known, name: value})
