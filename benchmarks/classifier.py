"""NAClassifier: quality beside linear models and a small MLP, and speed, as ratios of this run.

    python benchmarks/classifier.py                    everything (half an hour)
    python benchmarks/classifier.py cube linear speed  some sections (a few minutes)
    python benchmarks/classifier.py --quick            one seed, few of the digits

Sections: quality, curved, noisy, noise, evolution, shortness, seeds, cube, linear, neurons, speed.
The slices of the two sides of a ratio alternate, so that a busy machine slows both; the median of
them is printed.
"""

import argparse
import itertools
import time
import warnings

import numpy as np
from noisy_sets import noisy_sets
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.model_selection import StratifiedKFold
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from hyperna import NAClassifier
from hyperna.datasets import dataset

ARCS = ("half", "quarter", "two_quarters", "local_opt", "arcs:k=3")
CURVED = ("quarter", "two_quarters", "local_opt", "arcs", "xor", "half_spaces")


def generated_sets(seed):
    """Arcs askew at D = 2 and 5, unions of half-spaces, XOR, circles and moons."""
    for name, dim in itertools.product(ARCS, (2, 5)):
        yield (
            f"{name} D={dim}",
            dataset("sphere", problem=name, dim=dim, rotated=True, n=400, seed=seed),
        )
    for dim in (2, 5):
        yield f"half_spaces D={dim}", dataset("half_spaces", dim=dim, n=400, seed=seed)
    for name in ("xor", "circles", "moons"):
        yield name, dataset(name, n=400, seed=seed)


def tasks_of(name, X, y):
    """Every binary task in a set of several classes: pairs, and each class against the rest."""
    classes = np.unique(y)
    for a, b in itertools.combinations(classes, 2):
        some = (y == a) | (y == b)
        yield f"{name} {a}|{b}", X[some], (y[some] == b).astype(int)
    for a in classes:
        yield f"{name} {a}|rest", X, (y == a).astype(int)


def binary_sets(options):
    """Names, points and labels of all binary tasks."""
    for name, data in generated_sets(options.data_seed):
        yield name, data.X, np.asarray(data.y).astype(int)
    yield "breast_cancer", *load_breast_cancer(return_X_y=True)
    X, y = load_diabetes(return_X_y=True)
    yield "diabetes > median", X, (y > np.median(y)).astype(int)
    yield from tasks_of("iris", *load_iris(return_X_y=True))
    yield from tasks_of("wine", *load_wine(return_X_y=True))
    digits = list(tasks_of("digits", *load_digits(return_X_y=True)))
    yield from digits[::9] if options.quick else digits


def rivals(seed):
    """The other classifiers, each on standardised features."""
    return {
        "Perceptron": Perceptron(random_state=seed),
        "LogisticRegr": LogisticRegression(),
        "MLP(8)": MLPClassifier((8,), solver="lbfgs", random_state=seed),
    }


def fold_scores(X, y, seed):
    """Accuracy on five held-out folds, by classifier."""
    scores = {}
    for train, test in StratifiedKFold(5, shuffle=True, random_state=seed).split(X, y):
        models = {name: make_pipeline(StandardScaler(), m) for name, m in rivals(seed).items()}
        for name, model in {"NAClassifier": NAClassifier(random_state=seed), **models}.items():
            score = model.fit(X[train], y[train]).score(X[test], y[test])
            scores.setdefault(name, []).append(score)
    return scores


def quality(options):
    """Cross-validated accuracy on all sets."""
    seeds = 1 if options.quick else 3
    print(f"\nCross-validated accuracy, 5 folds, {seeds} seed(s)")
    means, names = {}, ["NAClassifier", *rivals(0)]
    print(f"{'':22s}" + "".join(f"{name:>14s}" for name in names))
    for label, X, y in binary_sets(options):
        runs = [fold_scores(X, y, seed) for seed in range(seeds)]
        means[label] = {name: np.mean([run[name] for run in runs]) for name in names}
        print(f"{label:22s}" + "".join(f"{means[label][name]:14.4f}" for name in names), flush=True)
    summarise(means, names)


def summarise(means, names):
    """Print averages, and where a rival is ahead of NAClassifier."""
    curved = [label for label in means if label.startswith(CURVED)]
    for title, labels in [("mean of all", list(means)), ("mean of arcs, XOR, unions", curved)]:
        row = [np.mean([means[label][name] for label in labels]) for name in names]
        print(f"{title:26s}" + "".join(f"{value:10.4f}" for value in row))
    for name in names[1:]:
        difference = {k: means[k]["NAClassifier"] - means[k][name] for k in means}
        better = sum(d > 0 for d in difference.values())
        perfect = sum(d == 0 and means[k][name] == 1 for k, d in difference.items())
        behind = {k: round(100 * float(d), 2) for k, d in difference.items() if d < 0}
        print(
            f"NAClassifier above {name} on {better} of {len(means)} sets, both perfect on {perfect}"
            f", behind on {len(behind)} (percent): {behind}"
        )


def curved(options):
    """Arcs, XOR and unions, drawn many times: one set alone says little about a difference."""
    draws = 3 if options.quick else 10
    print(f"\nCross-validated accuracy, mean of {draws} data sets each, 5 folds")
    names = ["NAClassifier", *rivals(0)]
    print(f"{'':22s}" + "".join(f"{name:>14s}" for name in names) + "   percent above MLP(8)")
    scores = {}
    for seed in range(options.data_seed, options.data_seed + draws):
        for label, data in generated_sets(seed):
            if label.startswith(CURVED):
                run = fold_scores(data.X, np.asarray(data.y).astype(int), seed)
                scores.setdefault(label, []).append([np.mean(run[name]) for name in names])
    for label, rows in scores.items():
        show_curved(label, np.array(rows))
    show_curved("mean of these", np.mean(list(scores.values()), axis=0))


def show_curved(label, rows):
    """Print means, and the difference to the MLP with its standard error over the data sets."""
    ahead = 100 * (rows[:, 0] - rows[:, -1])
    error = ahead.std(ddof=1) / np.sqrt(len(ahead))
    print(
        f"{label:22s}"
        + "".join(f"{value:14.4f}" for value in rows.mean(axis=0))
        + f"   {ahead.mean():+6.2f} ± {error:.2f}",
        flush=True,
    )


def calibration_error(chance, y):
    """Mean distance between probability and frequency in ten bins."""
    place = np.minimum((chance * 10).astype(int), 9)
    some = [place == k for k in range(10) if (place == k).any()]
    return sum(s.mean() * abs(chance[s].mean() - y[s].mean()) for s in some)


def measured(model, data):
    """Accuracy, log loss, calibration error and processor seconds of one fit."""
    X, y, test, truth = data
    with threadpool_limits(1, "blas"):
        start = time.process_time()
        model.fit(X, y)
        seconds = time.process_time() - start
    chance = np.clip(model.predict_proba(test)[:, 1], 1e-15, 1 - 1e-15)
    loss = -np.mean(np.where(truth == 1, np.log(chance), np.log(1 - chance)))
    return model.score(test, truth), loss, calibration_error(chance, truth), seconds


def noisy(options):
    """Noisy sets: default minus logistic regression, log loss, calibration, time beside MLP(8)."""
    draws = 2 if options.quick else 5
    print(f"\nNoisy sets, {draws} draws from seed {options.data_seed} on; real sets in five folds")
    print(
        f"{'':26s}  NA minus LR   accuracy NA LR MLP   log loss NA LR MLP   calibration  time/MLP"
    )
    NAClassifier(random_state=0).fit([[0.0], [1.0]] * 10, [0, 1] * 10)
    rows = {}
    for seed in range(options.data_seed, options.data_seed + draws):
        for name, data in noisy_sets(seed):
            scaled = {k: make_pipeline(StandardScaler(), m) for k, m in rivals(seed).items()}
            models = [NAClassifier(random_state=seed), scaled["LogisticRegr"], scaled["MLP(8)"]]
            row = [measured(model, data) for model in models]
            rows.setdefault(name, {}).setdefault(seed, []).append(row)
    table = {
        name: np.array([np.mean(r, axis=0) for r in each.values()]) for name, each in rows.items()
    }
    for name, each in table.items():
        show_noisy(name, each)
    every = np.array(list(table.values()))
    show_noisy("mean of these", every.mean(axis=0))
    behind = {n: 100 * (t[:, 0, 0] - t[:, 1, 0]).mean() for n, t in table.items()}
    worst = min(behind, key=behind.get)
    ratio = np.array([t[:, 0, 3].mean() / t[:, 2, 3].mean() for t in table.values()])
    print(f"worst set against logistic regression: {worst} ({behind[worst]:+.2f} percent)")
    print(f"processor time / MLP(8): median {np.median(ratio):.1f}, largest {ratio.max():.1f}")


def show_noisy(name, rows):
    """Print means over the draws, and the difference in accuracy with its standard error."""
    ahead = 100 * (rows[:, 0, 0] - rows[:, 1, 0])
    error = ahead.std(ddof=1) / np.sqrt(len(ahead))
    mean = rows.mean(axis=0)
    print(
        f"{name:26s} {ahead.mean():+6.2f} ± {error:.2f}"
        + "   "
        + " ".join(f"{x:.3f}" for x in mean[:, 0])
        + "   "
        + " ".join(f"{x:.3f}" for x in mean[:, 1])
        + f"   {mean[0, 2]:.3f} {mean[1, 2]:.3f}   {mean[0, 3] / mean[2, 3]:5.1f}",
        flush=True,
    )


def grouped_sets(options):
    """Curved, noisy and other sets, each split once: four fifths for training."""
    seed = options.data_seed
    groups = {"curved": [], "noisy": [], "other": []}
    for name, X, y in binary_sets(options):
        train, test = next(StratifiedKFold(5, shuffle=True, random_state=seed).split(X, y))
        group = groups["curved" if name.startswith(CURVED) else "other"]
        group.append((X[train], y[train], X[test], y[test]))
    first = {}
    for name, data in noisy_sets(seed):
        first.setdefault(name, data)
    groups["noisy"] = list(first.values())
    return groups


def ablation(options, parameter, values):
    """Print held-out accuracy and mean terms by a parameter, as a table, and paired differences.

    Differences are those of the default to every other value, with standard errors over the sets.
    """
    groups = grouped_sets(options)
    default = NAClassifier().get_params()[parameter]
    results = {}
    print(f"\nHeld-out accuracy (mean terms) by {parameter}\n")
    sizes = " | ".join(f"{len(sets)} {name}" for name, sets in groups.items())
    print(f"| {parameter} | {sizes} |\n|---|---|---|---|")
    for value in values:
        row = [f"{value:,}" + " (default)" * (value == default)]
        for group, sets in groups.items():
            pairs = []
            for X, y, A, b in sets:
                model = NAClassifier(**{parameter: value}, random_state=options.data_seed)
                pairs.append((model.fit(X, y).score(A, b), model.n_terms_))
            results[value, group] = np.array(pairs)
            accuracy, terms = np.mean(pairs, axis=0)
            row.append(f"{accuracy:.3f}".removeprefix("0") + f" ({terms:.1f})")
        print(f"| {' | '.join(row)} |", flush=True)
    for value in values:
        for group in groups:
            if value != default:
                ahead = 100 * (results[default, group] - results[value, group])[:, 0]
                error = ahead.std(ddof=1) / np.sqrt(len(ahead))
                print(f"{group}: default minus {value:,}: {ahead.mean():+.2f} ± {error:.2f} points")


def evolution(options):
    """Offspring of a network at each cost of a term; 0 is the starts alone."""
    ablation(options, "evaluations", (0, 150, 1500, 15_000))


def shortness(options):
    """Weight of the rule's bits."""
    ablation(options, "shortness", (0.3, 0.5, 0.7, 1, 2))


def seeds(options):
    """How often two seeds give the same features and the same number of terms."""
    print("\nPairs of seeds with the same features, the same number of terms; spread of accuracy")
    numbers = range(2 if options.quick else 4)
    for group, sets in grouped_sets(options).items():
        same, scores = [], []
        for X, y, A, b in sets:
            fits = [NAClassifier(random_state=seed).fit(X, y) for seed in numbers]
            scores.append(np.std([fit.score(A, b) for fit in fits], ddof=1))
            for one, other in itertools.combinations(fits, 2):
                equal = one.list_.features == other.list_.features
                same.append((equal, one.n_terms_ == other.n_terms_))
        features, terms = np.mean(same, axis=0)
        print(
            f"{len(sets)} {group}: features {features:.0%}, terms {terms:.0%} pairs ({len(same)}), "
            f"standard deviation between seeds {100 * np.mean(scores):.2f} points",
            flush=True,
        )


def cube(options):
    """Training accuracy on the corners of cubes, labelled by parity."""
    print("\nCube corners, training accuracy: worst and mean of 20 seeds")
    for dim in (3, 4, 5, 6):
        data = dataset("cube", dim=dim)
        ours, theirs = [], []
        for seed in range(20):
            ours.append(NAClassifier(random_state=seed).fit(data.X, data.y).score(data.X, data.y))
            rival = Perceptron(random_state=seed).fit(data.X, data.y)
            theirs.append(rival.score(data.X, data.y))
        print(
            f"  D = {dim}  NAClassifier {min(ours):.3f} {np.mean(ours):.3f}   "
            f"Perceptron {min(theirs):.3f} {np.mean(theirs):.3f}",
            flush=True,
        )


def fewest_line_errors(X, y):
    """Errors of the best half-plane: all lines through two points, which may lie on either side."""
    best = min(y.sum(), len(y) - y.sum())
    for i in range(len(X)):
        j = np.arange(i + 1, len(X))
        normal = np.column_stack([X[i, 1] - X[j, 1], X[j, 0] - X[i, 0]])
        side = (X - X[i]) @ normal.T
        side[i], side[j, np.arange(len(j))] = 0.0, 0.0
        for above in (side > 0, side < 0):
            wrong = (above != y[:, None]).sum(axis=0)
            # The two points on the line can be put on the side that suits them.
            wrong -= int(y[i]) + y[j]
            best = min(best, int(wrong.min(initial=best)))
    return int(best)


def linear(options):
    """Fewest training errors on the path of one half-space beside linear models and the optimum."""
    print("\nOne half-space, fewest training errors on the path (optimum known in the plane only)")
    print(f"{'':22s}{'ours':>8s}{'optimum':>9s}{'Perceptron':>12s}{'LogReg':>8s}{'LinSVC':>8s}")
    worse = []
    for label, X, y in binary_sets(options):
        standard = StandardScaler().fit_transform(X)
        ours = NAClassifier(max_neurons=1, shortness=0, random_state=0).fit(X, y)
        models = (Perceptron(random_state=0), LogisticRegression(), LinearSVC(max_iter=10_000))
        errors = [round((1 - m.fit(standard, y).score(standard, y)) * len(y)) for m in models]
        own = round(min(row.errors for row in ours.path_))
        optimum = fewest_line_errors(X, y) if X.shape[1] == 2 else None
        if own > min(errors) or (optimum is not None and own > optimum):
            worse.append(label)
        shown = "-" if optimum is None else str(optimum)
        print(
            f"{label:22s}{own:8d}{shown:>9s}{errors[0]:12d}{errors[1]:8d}{errors[2]:8d}", flush=True
        )
    print(f"worse than a linear model or the optimum: {worse or 'never'}")


def neurons(options):
    """Accuracy with at most 1, 2, 4 and 8 half-spaces."""
    print("\nTraining and cross-validated accuracy by the largest number of half-spaces")
    sizes = (1, 2, 4, 8)
    total = np.zeros((len(sizes), 2))
    sets = [(k, d.X, np.asarray(d.y).astype(int)) for k, d in generated_sets(options.data_seed)]
    sets.append(("breast_cancer", *load_breast_cancer(return_X_y=True)))
    for label, X, y in sets:
        row = []
        for i, size in enumerate(sizes):
            pairs = []
            for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
                clf = NAClassifier(max_neurons=size, random_state=0).fit(X[train], y[train])
                pairs.append((clf.training_score_, clf.score(X[test], y[test])))
            row.append(np.mean(pairs, axis=0))
            total[i] += row[-1]
        text = "   ".join(f"N={n:2d} {a:.3f} {b:.3f}" for n, (a, b) in zip(sizes, row, strict=True))
        print(f"{label:22s}{text}", flush=True)
    print(f"{'mean':22s}" + "   ".join(f"     {a:.3f} {b:.3f}" for a, b in total / len(sets)))


def speed(options):
    """Default fits on breast_cancer, in turns, in seconds of one processor.

    Linear algebra has one thread on both sides: on a busy machine the MLP's threads wait for each
    other, which made it look many times slower than it is. Offspring are timed in points.py.
    """
    print("\nSpeed: ratios of this run, median [quartiles]")
    X, y = load_breast_cancer(return_X_y=True)
    Z = StandardScaler().fit_transform(X)

    def seconds(model, data):
        with threadpool_limits(1, "blas"):
            start = time.process_time()
            model.fit(data, y)
            return time.process_time() - start

    NAClassifier(random_state=0).fit(X, y)
    for title, data in [("raw", X), ("standardised", Z)]:
        pairs = [
            (seconds(NAClassifier(random_state=0), X), seconds(MLPClassifier(random_state=0), data))
            for _ in range(5 if options.quick else 15)
        ]
        low, middle, high = np.quantile([a / b for a, b in pairs], [0.25, 0.5, 0.75])
        print(
            f"  default fit / MLP's default fit on {title} data (at most 1): "
            f"{middle:.2f} [{low:.2f}, {high:.2f}], {np.median(pairs, axis=0)[0]:.2f} s"
        )


def noise(options):
    """Labels that no feature tells: how many tables get a rule, and what held-out rows think of it.

    ``search.STRICT_SHORTNESS`` was chosen by the seeds 1000, 2000, 3000 and 4000.
    """
    sizes = list(itertools.product((50, 100, 200, 300, 500, 1000), (2, 3, 5, 10, 20, 30, 50)))
    rows = []
    for k, (n, dim) in enumerate(sizes):
        rng = np.random.default_rng(options.data_seed + k)
        X, test = rng.normal(size=(n, dim)), rng.normal(size=(5000, dim))
        y, truth = rng.integers(0, 2, n), rng.integers(0, 2, 5000)
        model = NAClassifier(random_state=k)
        accuracy, loss, *_ = measured(model, (X, y, test, truth))
        rows.append((accuracy, loss, model.n_terms_ > 0))
    accuracy, loss, rules = np.array(rows).T
    print(
        f"\nPure noise, {len(sizes)} tables: accuracy {accuracy.mean():.3f}, log loss "
        f"{loss.mean():.3f} (coin .693, most {loss.max():.2f}), rules in {int(rules.sum())}"
    )


SECTIONS = {
    f.__name__: f
    for f in (
        quality,
        curved,
        noisy,
        noise,
        evolution,
        shortness,
        seeds,
        cube,
        linear,
        neurons,
        speed,
    )
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sections", nargs="*", choices=[[], *SECTIONS], help="default: all")
    parser.add_argument("--quick", action="store_true", help="one seed, few of the digits")
    parser.add_argument("--data-seed", type=int, default=0, help="seed of the generated sets")
    options = parser.parse_args()
    # Perceptron, LinearSVC and the MLP's lbfgs may stop before they converge; that is their score.
    warnings.simplefilter("ignore")
    for name in options.sections or SECTIONS:
        SECTIONS[name](options)


if __name__ == "__main__":
    main()
