"""Memory of one process that fits 2,000 classifiers, which must not grow."""

import argparse
import warnings
from pathlib import Path

import numpy as np

from hyperna import NAClassifier


def resident() -> float:
    """Return the memory that this process holds, in MB (Linux)."""
    status = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return int(next(line for line in status if line.startswith("VmRSS")).split()[1]) / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fits", type=int, default=2000)
    fits = parser.parse_args().fits
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    step = max(fits // 10, 1)
    held = []
    for number in range(fits):
        X = rng.normal(size=(int(rng.integers(40, 160)), int(rng.integers(2, 8))))
        y = X[:, 0] * X[:, 1] > 0 if number % 3 else np.digitize(X[:, 0], [-0.5, 0.5])
        n_jobs = 2 if number % 10 == 0 else None
        made = NAClassifier(evaluations=200, random_state=number, n_jobs=n_jobs).fit(X, y)
        made.predict_proba(X)
        made.to_json()
        if (number + 1) % step == 0:
            held.append(resident())
            print(f"{number + 1:6d} fits  {held[-1]:8.1f} MB", flush=True)
    print(f"growth over the last four fifths: {held[-1] - held[len(held) // 5]:+.1f} MB")


if __name__ == "__main__":
    main()
