"""Small fits of many tables under many options: the rules that were found when they were stored.

    python tests/swept_fits.py

stores them again, after a change that is meant to change rules; with the word `draw` other fits are
drawn, in which values of any two options meet. Left out are fits that take long, and those whose
rules depend on the last digits of the smooth fits that they begin with. With other versions of
numpy, scipy or scikit-learn at most 2 % of the fits may give other rules.
"""

import json
import platform
import random
import sys
import time
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import scipy
import sklearn

from hyperna import NAClassifier
from hyperna.classifier import candidates

STORED = Path(__file__).with_name("swept_fits.json")
LONGEST = 0.2  # seconds of a fit
KEPT = {0: 0.05, 1: 0.3}  # share of the fits with so few conditions in each rule
MAY_DIFFER = 0.02  # share of the fits, with other versions of libraries
DIGITS = 7
OTHER_DIGITS = 1e-9  # relative change of smooth fits that must not change a rule
VERSIONS = [np.__version__, scipy.__version__, sklearn.__version__, platform.machine()]


def hidden(Z):
    """Two of the features decide, one of them as a bound."""
    return (Z[:, 1] > 0.3) | (Z[:, 0] + 0.5 * Z[:, -1] < -0.8)


CONCEPTS = {
    "half": lambda Z, noise: Z[:, 0] - 0.6 * Z[:, 1] > 0.1,
    "noisy half": lambda Z, noise: Z[:, 0] - 0.6 * Z[:, 1] + 0.8 * noise > 0.1,
    "hidden": lambda Z, noise: hidden(Z),
    "xor": lambda Z, noise: Z[:, 0] * Z[:, 1] > 0,
    "box": lambda Z, noise: (abs(Z[:, 0]) < 0.9) & (abs(Z[:, 1]) < 0.8),
    "two of three": lambda Z, noise: (Z[:, :3] > 0.2).sum(axis=1) >= 2,
    "noise": lambda Z, noise: noise > 0.3,
    "rare": lambda Z, noise: Z[:, 0] + 0.2 * noise > 1.3,
}
AXES = {
    "concept": list(CONCEPTS),
    "classes": [2, 2, 2, 3, 4],
    "rows": [6, 13, 40, 90, 90, 129, 129, 257],
    "features": [1, 2, 2, 3, 3, 5, 8, 22],
    "columns": ["plain", "plain", "whole", "binary", "constant", "copy", "one binary"],
    "units": ["plain", "offset", "scales", "tiny", "huge"],
    "repeats": ["none", "none", "doubled", "bootstrap", "contradicting"],
    "weights": ["none", "none", "whole", "parts", "some 0"],
    "max_terms": [None, None, None, None, 0, 1, 2, 3, 5],
    "max_neurons": [8, 8, 1, 2, 3, 4],
    "output": ["auto", "auto", "auto", "or", "and", "xor", "at_least"],
    "shortness": [0.5, 0.5, 0, 1, 0.75, 3],
    "evaluations": [300, 300, 0, 1, 60],
    "monotonic": ["none", "none", "none", "rising", "falling", "mixed"],
    "class_weight": [None, None, "balanced", "dict"],
    "n_jobs": [None, None, None, 2],
}


def table_of(setting):
    """Rows, classes and weights (None for none), made of nothing but the setting."""
    parts = ("concept", "classes", "rows", "features", "columns", "units", "repeats", "weights")
    rng = random.Random(json.dumps([setting[key] for key in parts] + [setting["seed"]]))
    rng = np.random.default_rng(rng.getrandbits(32))
    rows, features = setting["rows"], setting["features"]
    Z = rng.normal(size=(rows, max(features, 3)))
    columns = setting["columns"]
    if columns == "whole":
        Z = np.round(2 * Z) / 2
    elif columns == "binary":
        Z = np.sign(Z - 0.1) + 0.0
    elif columns == "one binary":
        Z[:, -1] = np.sign(Z[:, -1])
    concept = CONCEPTS[setting["concept"]]
    y = concept(Z, rng.normal(size=rows)).astype(int)
    for k in range(2, setting["classes"]):
        some = concept(Z[:, ::-1] if k == 2 else -Z, rng.normal(size=rows))
        y[some & (rng.random(rows) < 0.9) & ((y == 0) | (k == 2))] = k
    y[: setting["classes"]] = np.arange(setting["classes"])  # each class has a row
    X = Z[:, :features].copy()
    if columns == "constant":
        X = np.column_stack([np.full(rows, 3.25), X])
    elif columns == "copy":
        X = np.column_stack([X, X[:, 0]])
    width = X.shape[1]
    X = {
        "plain": lambda: X,
        "offset": lambda: np.round(X, 4) + 5000.0,
        "scales": lambda: X * 10.0 ** (np.arange(width) % 7 - 3),
        "tiny": lambda: X * 1e-12,
        "huge": lambda: X * 1e200 - 3e200,
    }[setting["units"]]()
    if setting["repeats"] == "doubled":
        X, y = np.concatenate([X, X[: rows // 2]]), np.concatenate([y, y[: rows // 2]])
    elif setting["repeats"] == "bootstrap":
        some = np.concatenate([np.arange(setting["classes"]), rng.integers(0, rows, rows)])
        X, y = X[some], y[some]
    elif setting["repeats"] == "contradicting":
        X, y = np.concatenate([X, X[::4]]), np.concatenate([y, (y[::4] + 1) % setting["classes"]])
    count = len(y)
    weight = {
        "none": lambda: None,
        "whole": lambda: rng.integers(1, 5, count).astype(float),
        "parts": lambda: rng.uniform(0.05, 1.5, count),
        "some 0": lambda: np.where(np.arange(count) < 4, 2.0, rng.integers(0, 3, count)),
    }[setting["weights"]]()
    names = np.array(["c", "a", "d", "b"])
    return X, names[y] if setting["seed"] % 2 else 3 * y - 1, weight


def given_weights(setting, classes):
    """The value of `class_weight`."""
    if setting["class_weight"] == "dict":
        return dict(zip(classes.tolist(), [2.0, 0.5, 1.0, 3.0], strict=False))
    return setting["class_weight"]


def classifier_of(setting, X, y):
    signs = {"none": None, "rising": 1, "falling": -1, "mixed": [1, 0, -1]}[setting["monotonic"]]
    options = ("max_terms", "max_neurons", "output", "shortness", "evaluations", "n_jobs")
    return NAClassifier(
        **{key: setting[key] for key in options},
        monotonic_cst=None if signs is None else np.resize(signs, X.shape[1]),
        class_weight=given_weights(setting, np.unique(y)),
        random_state=setting["seed"],
    )


def fitted(setting):
    X, y, weight = table_of(setting)
    return classifier_of(setting, X, y).fit(X, y, weight)


def short(value):
    return float(f"{value:.{DIGITS - 1}e}")


def results(setting, classifier):
    """What was found: classes and rules, the path, and what is derived from them."""
    X = table_of(setting)[0]
    rules = []
    for rule in classifier.rules_:
        conditions = [
            [
                list(each.features),
                *(list(map(short, some)) for some in (each.weights, each.influence)),
                short(each.threshold),
                short(each.scale),
            ]
            for each in rule.conditions
        ]
        rules.append([rule.quorum, conditions, *map(short, (rule.slope, rule.lapse, rule.share))])
    path = [
        [row.terms, row.neurons, row.output, row.chosen]
        + [short(value) for value in (row.errors, row.label_bits, row.rule_bits)]
        for row in classifier.path_
    ]
    return {
        "order": [int(k) for k in classifier.list_.order],
        "rules": rules,
        "path": path,
        "scores": [short(classifier.training_score_), short(classifier.baseline_score_)],
        "importances": [short(value) for value in classifier.feature_importances_],
        "probabilities": [[short(p) for p in row] for row in classifier.predict_proba(X[:3])],
    }


def alike(found, stored):
    """Whether results are equal up to rounding, words and whole numbers exactly."""
    if isinstance(stored, dict):
        return found.keys() == stored.keys() and all(alike(found[k], stored[k]) for k in stored)
    if isinstance(stored, list):
        return len(found) == len(stored) and all(map(alike, found, stored))
    if isinstance(stored, float):
        return abs(found - stored) <= 1e-5 * abs(stored) + 1e-9 * (abs(stored) < 1e3)
    return found == stored


def is_stable(setting, stored):
    """Whether the rules do not depend on the last digits of smooth fits."""
    true_fit = candidates.smooth_fit
    rng = np.random.default_rng(0)

    def changed(*given, **named):
        made = true_fit(*given, **named)
        return made * (1 + OTHER_DIGITS * rng.uniform(-1, 1, made.shape))

    candidates.smooth_fit = changed
    try:
        return all(alike(results(setting, fitted(setting)), stored) for _ in range(3))
    finally:
        candidates.smooth_fit = true_fit


@cache
def warmed_up():
    return [fitted({**one, "seed": 1}) for one in drawn_settings(random.Random(1), 20, set())]


def pairs(setting):
    return {(a, b, json.dumps([setting[a], setting[b]])) for a, b in combinations(sorted(AXES), 2)}


def drawn_settings(rng, count, tried):
    """Settings that can be fitted, each with many pairs of values that none before has."""
    found = []
    while len(found) < count:
        drawn = [{key: rng.choice(values) for key, values in AXES.items()} for _ in range(30)]
        for setting in drawn:
            if setting["classes"] > 2 or setting["output"] == "xor":
                setting["monotonic"] = "none"
        setting = max(drawn, key=lambda one: len(pairs(one) - tried))
        found.append({**setting, "seed": rng.randrange(1000)})
    return found


def drawn_fits(count):
    warmed_up()
    rng, tried, chosen = random.Random(7), set(), []
    while len(chosen) < count:
        [setting] = drawn_settings(rng, 1, tried)
        begin = time.perf_counter()
        try:
            found = results(setting, fitted(setting))
        except ValueError:  # a class without weight
            continue
        size = max(len(conditions) for _, conditions, *_ in found["rules"])
        if rng.random() > KEPT.get(size, 1.0):
            continue
        if time.perf_counter() - begin < LONGEST and is_stable(setting, found):
            chosen.append([setting, found])
            tried |= pairs(setting)
    return chosen


def main(count=160):
    if sys.argv[1:] == ["draw"]:
        fits = drawn_fits(count)
    else:
        stored = json.loads(STORED.read_text(encoding="utf-8"))["fits"]
        fits = [[setting, results(setting, fitted(setting))] for setting, _ in stored]
    lines = ",\n".join(map(json.dumps, fits))
    text = f'{{"versions": {json.dumps(VERSIONS)},\n"fits": [\n{lines}\n]}}\n'
    STORED.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
