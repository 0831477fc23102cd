"""The parser of the commands: its complaints fit on one line and say what was meant."""

import argparse
import sys
from collections.abc import Callable
from typing import Any, NoReturn

from hyperna._words import did_you_mean


class Parser(argparse.ArgumentParser):
    """An argument parser whose complaints fit on one line."""

    # Says what to write instead of an option that does not exist, "" if that is not known.
    advice: Callable[[str], str] = staticmethod(lambda option: "")

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, without the usage text."""
        raise ValueError(message)

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        """Name the choice that an unknown one is near to.

        ``--option=--`` is taken for the value that it is, which Python before 3.13 drops.
        """
        try:
            if not action.option_strings or arg_strings != ["--"]:
                return super()._get_values(action, arg_strings)
            value = self._get_value(action, "--")
            self._check_value(action, value)
        except argparse.ArgumentError as error:
            choices = [*(action.choices or ())]
            wrong = [text for text in arg_strings if text not in choices]
            error.message += did_you_mean(wrong[0] if wrong else None, choices)
            raise
        return [value] if action.nargs in (argparse.ONE_OR_MORE, argparse.ZERO_OR_MORE) else value

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print the help; that it cannot be printed is an error as any other."""
        if message:
            (file or sys.stderr).write(message)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Name the option that an unknown one is near to."""
        found, unknown = super().parse_known_args(args, namespace)
        for text in unknown:
            known = [name for action in self._actions for name in action.option_strings]
            option = text.partition("=")[0]
            hint = ""
            if text.startswith("--"):
                hint = self.advice(option) or did_you_mean(option, known)
            if hint:
                self.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
        return found, unknown
