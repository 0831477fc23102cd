"""Compile all kernels now instead of at first use, for example in a container image."""

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options: there are none."""


def run(args: argparse.Namespace) -> int:
    """Compile everything and say how long it took."""
    from hyperna.compilation import compile_all

    total = 0.0
    for name, seconds in compile_all():
        print(f"{seconds:6.1f} s  {name}", flush=True)
        total += seconds
    print(f"{total:6.1f} s  in all; later processes start with compiled kernels")
    return 0
