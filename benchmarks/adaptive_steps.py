"""What growth, decay and jump of adaptive steps are worth: evaluations per success.

    python benchmarks/adaptive_steps.py [--runs 300]     about a minute

Each row changes one of the three. HALF is without bias, the budget 20,000; a failed run counts with
what it spent.
"""

import argparse

from hyperna import Adaptive, OnePlusOneNA, problem

BUDGET = 20_000
LAWS = [
    Adaptive(),
    *(Adaptive(growth=growth) for growth in (1.3, 4.0)),
    *(Adaptive(decay=decay) for decay in (0.5, 0.85, 0.95)),
    *(Adaptive(jump=jump) for jump in (0.0, 0.1, 0.5, 1.0)),
]
# Number of neurons, and whether they have a bias.
CASES = {
    "half": (1, False),
    "quarter": (1, True),
    "local_opt": (1, True),
    "two_quarters": (2, True),
}


def cost(name, law, resolution, runs):
    """Evaluations of all runs for each that succeeds."""
    neurons, bias = CASES[name]
    na = OnePlusOneNA(neurons=neurons, bias=bias, resolution=resolution, mutation=law)
    found = na.run_many(problem(name), runs, seed=1, budget=BUDGET)
    return found.evaluations.sum() / max(found.success.sum(), 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=300)
    runs = parser.parse_args().runs
    for bits in (10, 20, 30):
        print(f"r = 2^{bits}", *(f"{name:>14}" for name in CASES), sep="")
        for law in LAWS:
            costs = [cost(name, law, 2**bits, runs) for name in CASES]
            print(f"  {law!s:40}", *(f"{value:>14,.0f}" for value in costs), sep="")


if __name__ == "__main__":
    main()
