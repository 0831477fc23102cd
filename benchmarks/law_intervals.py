"""How often the intervals of growth laws hold the truth, simulated for every law.

    python benchmarks/law_intervals.py [--repetitions 500] [--runs 30 100 1000]

Each row draws runtimes from a known law, fits all laws to them, and counts how often the true law
is among those that fit, its 95 % intervals hold the true exponent, leading coefficient and runtimes
at 2 and 16 times the largest r, and the range over all laws that fit holds these runtimes. Some
truths lie near the limits of their family: a leading term that noise hides, or two valleys of
chi-square.
"""

import argparse
import sys
from dataclasses import dataclass

import numpy as np

from hyperna.analysis.laws import GROWTH_LAWS, PREDICTED_AT, fit_runtimes

POWERS_OF_TWO = 2.0 ** np.arange(5, 13)
PAPER = np.arange(120.0, 1201.0, 120.0)
TO_2_40 = 2.0 ** np.arange(6, 41, 4)


@dataclass(frozen=True)
class Truth:
    """A law with its numbers, and where it is measured."""

    law: str
    coefficients: tuple[float, ...]
    exponent: float
    r: np.ndarray

    def __call__(self, r):
        return GROWTH_LAWS[self.law].terms(r, self.exponent) @ np.array(self.coefficients)

    @property
    def name(self):
        numbers = ", ".join(f"{value:g}" for value in self.coefficients)
        return f"{self.law} ({numbers}; {self.exponent:g}), r to {self.r.max():,.0f}"


TRUTHS = [
    Truth("log", (3, 2), 1, TO_2_40),
    Truth("log^2", (1.6, 2.1, 3), 2, TO_2_40),
    Truth("log^2", (0.05, 4, 3), 2, PAPER),
    Truth("log^3", (1, -1, 5, 9), 3, TO_2_40),
    Truth("log^3", (0.01, 4.2, 4, 2), 3, TO_2_40),
    Truth("polylog", (0.7, 3, 1), 2.5, TO_2_40),
    Truth("polylog", (1.6, 2.1, 3), 2, PAPER),
    Truth("linear", (2, 30), 1, POWERS_OF_TWO),
    Truth("linearithmic", (3, 20), 1, POWERS_OF_TWO),
    Truth("linearithmic", (0.1, 3), 1, PAPER),
    Truth("quadratic", (0.3, 5, 7), 2, POWERS_OF_TWO),
    Truth("quadratic", (0.0005, 5, 7), 2, PAPER),
    Truth("power", (2, 40), 1.6, POWERS_OF_TWO),
    Truth("power", (2, 40), 0.5, PAPER),
    Truth("power, linear", (0.3, 5), 2, POWERS_OF_TWO),
    Truth("power, linear", (0.01, 5), 2, PAPER),
    Truth("power log", (3, 20), 1, POWERS_OF_TWO),
    Truth("power log", (0.7, 2), 1.5, POWERS_OF_TWO),
    Truth("power log", (1, 0), 1, PAPER),
    Truth("power log^2", (0.7, 2, 3), 1.5, POWERS_OF_TWO),
    Truth("power log^2", (0.1, 2, 8), 2, PAPER),
]
COLUMNS = ("fits", "k", "a", "at 2 r", "at 16 r", "all at 2 r", "all at 16 r")


def covered(truth, runs, repetitions, rng):
    """Share of samples in which each of `COLUMNS` is right; runtimes are exponential."""
    mean = truth(truth.r)
    further = truth(np.array([times * truth.r.max() for times in PREDICTED_AT]))
    counts = np.zeros(len(COLUMNS))
    for _ in range(repetitions):
        samples = [rng.exponential(one, runs) for one in mean]
        fits = fit_runtimes(truth.r, samples)
        [fit] = [fit for fit in fits if fit.law.name == truth.law]
        fitting = [one for one in fits if one.fits]
        counts += [
            fit.fits,
            holds(fit.exponent_interval, truth.exponent),
            holds(fit.factor_interval, truth.coefficients[0]),
            *(
                holds(one.interval, value)
                for one, value in zip(fit.predictions, further, strict=True)
            ),
            *(
                holds(spanned([one.predictions[i].interval for one in fitting]), value)
                for i, value in enumerate(further)
            ),
        ]
    return counts / repetitions


def holds(interval, value):
    low, high = interval
    return low * (1 - 1e-9) <= value <= high * (1 + 1e-9)


def spanned(intervals):
    if not intervals:
        return np.inf, -np.inf
    return min(low for low, _ in intervals), max(high for _, high in intervals)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=500)
    parser.add_argument("--runs", type=int, nargs="+", default=[30, 100, 1000])
    args = parser.parse_args()
    rng = np.random.default_rng(0)
    print(
        f"{args.repetitions} samples per row; a share has a standard error of about "
        f"{np.sqrt(0.95 * 0.05 / args.repetitions):.3f}"
    )
    print(f"{'truth':52}{'runs':>6}" + "".join(f"{name:>13}" for name in COLUMNS))
    least = np.ones(len(COLUMNS))
    for truth in TRUTHS:
        for runs in args.runs:
            shares = covered(truth, runs, args.repetitions, rng)
            least = np.minimum(least, shares)
            row = "".join(f"{share:13.3f}" for share in shares)
            print(f"{truth.name:52}{runs:6}{row}", flush=True)
    print(f"{'the least of each column':58}" + "".join(f"{share:13.3f}" for share in least))


if __name__ == "__main__":
    sys.exit(main())
