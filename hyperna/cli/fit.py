"""The command ``hyperna fit``."""

import argparse
import json
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hyperna._files import check_writable, write_file
from hyperna._validation import MOST_CONDITIONS, check_extra
from hyperna._words import counted, did_you_mean, listed, shown
from hyperna.cli.files import check_picture, save_figure
from hyperna.cli.options import add_kind_option, integer, names, real
from hyperna.cli.printing import make_console, print_decisions
from hyperna.cli.progress import progress_bar

if TYPE_CHECKING:
    from hyperna.classifier import NAClassifier
    from hyperna.classifier.decision_list import DecisionList
    from hyperna.datasets import Dataset, Table
    from hyperna.tables import Encoding, Feature

HELP = """\
Fit an NAClassifier to labelled data, print its rule and save it as JSON.

For example:
  hyperna fit customers.csv --label churned --save model.json
  hyperna fit customers.csv --label churned --ignore notes --kind zip=category
  hyperna fit sklearn:breast_cancer --max-terms 5 --path
  hyperna fit moons --plot moons.png

A table may hold text, gaps and dates; what is done with each column is printed. Below the rule
stands the path: the best rule found for each number of terms. --path cross-validates it.
"""


# Rules with more terms than this are nobody's to read: they are counted, not written out.
MOST_PRINTED_TERMS = 1000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "data", metavar="DATA", help="a CSV file, or a name that 'hyperna compare' takes"
    )
    parser.add_argument("--label", metavar="COLUMN", help="label column (default: last)")
    parser.add_argument(
        "--ignore", type=names, default=(), metavar="A,B,...", help="columns to leave out"
    )
    add_kind_option(parser)
    parser.add_argument("--save", metavar="FILE", help="write the classifier as JSON")
    parser.add_argument(
        "--plot",
        metavar="FILE",
        help="draw regions and half-spaces, with --path also accuracy against terms (.png, .pdf or "
        ".svg)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object, no text")
    parser.add_argument(
        "--path",
        type=integer(2, 1000),
        nargs="?",
        const=5,
        metavar="FOLDS",
        help="cross-validate the path: print the error of rules of each size on rows that they "
        "were not fitted to, with so many folds drawn at random (default: 5)",
    )
    # Names of NAClassifier's parameters; what is not given is left to its defaults.
    group: Any = parser.add_argument_group("rule", argument_default=argparse.SUPPRESS)
    group.add_argument(
        "--max-terms",
        type=integer(0),
        metavar="N",
        help="largest number of terms (default: the description length decides)",
    )
    group.add_argument(
        "--max-neurons",
        type=integer(1, MOST_CONDITIONS),
        metavar="N",
        help="most half-spaces (default: 8)",
    )
    group.add_argument(
        "--output",
        choices=("auto", "or", "and", "xor", "at_least"),
        help="how half-spaces are joined (default: auto)",
    )
    group.add_argument(
        "--shortness",
        type=real(0, 1000),
        metavar="W",
        help="weight of the rule's bits; larger: shorter rules (default: 0.5)",
    )
    group.add_argument(
        "--monotonic",
        metavar="A=1,B=-1,...",
        dest="monotonic_cst",
        help="features that may only raise (1) or lower (-1) the chance of the second class",
    )
    group.add_argument(
        "--evaluations",
        type=integer(0),
        metavar="N",
        help="offspring at each cost of a term: the effort of the search (default: 1500)",
    )
    group.add_argument(
        "--class-weight",
        metavar="HOW",
        help="balanced, or weights of classes, as in no=1,yes=5 (default: none)",
    )
    group.add_argument(
        "--jobs",
        type=integer(-1),
        metavar="N",
        dest="n_jobs",
        help="threads, -1 for all cores (default: 1)",
    )
    group.add_argument(
        "--seed",
        type=integer(0, 2**32 - 1),
        metavar="N",
        dest="random_state",
        default=0,
        help="the same seed gives the same rule (default: 0)",
    )
    group.add_argument(
        "--verbose",
        action="store_true",
        default=False,
        help="print size and bits of the best rule so far, after each size of networks",
    )


def run(args: argparse.Namespace) -> int:
    """Fit, print and save."""
    if args.json and args.verbose:
        raise ValueError("--json and --verbose cannot be used together")
    picture = check_picture(args.plot) if args.plot else None
    model_file = None if args.save is None else Path(args.save)
    if model_file is not None:
        check_writable(model_file)
    from hyperna.datasets import Table, load
    from hyperna.models import classifier_of, model_to_json
    from hyperna.tables import Encoding, plain_features

    data = load(args.data, args.label, args.ignore, args.kind)
    if args.path:
        check_folds(args.path, data)
    model = fitted(args, data)
    classifier = classifier_of(model)
    if isinstance(data, Table):
        encoding = Encoding.of(model)
        points = encoding.transform(data.X)
    else:
        encoding = Encoding((), plain_features(data.features))
        points = data.X
    if picture is not None and points.shape[1] < 2 and not args.path:
        raise ValueError(f"--plot needs at least 2 features or --path, {data.name} has 1")
    if args.path:
        validate(model, data, args.path, args.random_state)
    summary = summarise(classifier, points, data, encoding)
    if model is classifier:  # as scikit-learn does for data frames
        classifier.feature_names_in_ = np.array(data.features, dtype=object)
    if model_file is not None:
        write_file(model_file, model_to_json(model) + "\n")
    # for the picture, without what does not print; nothing more is predicted
    classifier.feature_names_in_ = np.array(encoding.names, dtype=object)
    if picture is not None:
        draw(picture, classifier, points, data.y, with_path=bool(args.path))
    if args.json:
        told = {"saved": args.save, "plot": args.plot}
        print(json.dumps(summary | {"path": path_records(classifier, encoding)} | told))
    else:
        print_summary(summary, classifier, data, encoding, model_file, picture)
    return 0


def check_folds(folds: int, data: "Dataset | Table") -> None:
    """Refuse more folds than a class has rows, before any work."""
    classes, counts = np.unique(data.y, return_counts=True)
    fewest = int(counts.min())
    single = [shown(name) for name in classes[counts < 2].tolist()]
    if single:
        have = "has" if len(single) == 1 else "have"
        raise ValueError(
            f"--path needs two rows of each class, {listed(single, 5)} {have} one; leave out such "
            "rows, or --path"
        )
    if fewest < folds:
        rarest = shown(classes[counts.argmin()].item())
        raise ValueError(
            f"--path must be at most {fewest}, the number of rows of class {rarest}, got {folds}"
        )


@dataclass(frozen=True)
class ShownFolds:
    """Stratified folds of rows in random order, since files are often sorted.

    They tell how many of them are done.
    """

    folds: int
    seed: int
    progress: Callable[[int, int], None] | None

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds."""
        return self.folds

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Any, Any]]:
        """Yield the numbers of the rows for training and for testing."""
        from sklearn.model_selection import StratifiedKFold

        shuffled = StratifiedKFold(self.folds, shuffle=True, random_state=self.seed)
        for done, fold in enumerate(shuffled.split(X, y)):
            if self.progress is not None:
                self.progress(done, self.folds)
            yield fold


def validate(model: Any, data: "Dataset | Table", folds: int, seed: int) -> None:
    """Find the errors of the rules of the path on rows that they were not fitted to."""
    from hyperna.models import validate_path

    with progress_bar(folds, "folds") as progress:
        validate_path(model, data.X, data.y, ShownFolds(folds, seed, progress))


def draw(
    path: Path, classifier: "NAClassifier", points: Any, classes: Any, *, with_path: bool
) -> None:
    """Draw the classifier, and beside it accuracy against the number of terms if wanted.

    Regions are shown over the features of its rules, or in a plane if these are many, and not at
    all where there is one feature.
    """
    from matplotlib.figure import Figure

    from hyperna.plots import plot_boundary, plot_path
    from hyperna.plots.boundary import boundary_size

    with_regions = points.shape[1] > 1
    width, height = boundary_size(classifier)
    panels = with_regions + with_path
    figure = Figure(figsize=(width * panels, height), layout="constrained")
    axes = iter(figure.subplots(1, panels, squeeze=False)[0])
    if with_regions:
        used = np.flatnonzero(classifier.feature_importances_)
        features = "plane" if len(used) > 2 else None
        plot_boundary(classifier, points, classes, next(axes), features=features)
    if with_path:
        plot_path(classifier, next(axes))
    save_figure(path, figure)


def fitted(args: argparse.Namespace, data: "Dataset | Table") -> Any:
    """Return the fitted classifier or pipeline."""
    from hyperna.classifier import NAClassifier
    from hyperna.datasets import Table
    from hyperna.models import table_pipeline

    classifier = NAClassifier()
    given = dict(vars(args))
    if "class_weight" in given:
        given["class_weight"] = class_weight(given["class_weight"], data.y)
    model: Any = classifier
    if isinstance(data, Table):
        model = table_pipeline(
            classifier,
            kinds=data.kinds,
            ignore=data.ignore,
            names=data.features,
            separator=data.separator,
        )
    if "monotonic_cst" in given:
        signs = read_signs(given["monotonic_cst"])
        if isinstance(data, Table):
            check_extra("--monotonic with text, gaps or dates needs", "pandas", "data")
            # The classifier must know the names of its features.
            encoder = model[:-1].set_output(transform="pandas")
            check_features(signs, encoder.fit(data.X, data.y).get_feature_names_out())
            given["monotonic_cst"] = signs
        else:
            check_features(signs, data.features)
            given["monotonic_cst"] = [signs.get(name, 0) for name in data.features]
    classifier.set_params(**{k: given[k] for k in classifier.get_params() if k in given})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(data.X, data.y)
    for entry in caught:
        print(f"hyperna: warning: {' '.join(str(entry.message).split())}", file=sys.stderr)
    if model is not classifier and hasattr(classifier, "feature_names_in_"):
        del classifier.feature_names_in_  # names are the encoding's, which returns arrays
    return model


def read_signs(text: str) -> dict[str, int]:
    """Convert the value of --monotonic to a sign for each feature that it names.

    Examples
    --------
    >>> read_signs("age=1, city = Rome=-1")
    {'age': 1, 'city = Rome': -1}
    """
    signs: dict[str, int] = {}
    for entry in text.split(","):
        name, _, sign = (part.strip() for part in entry.rpartition("="))
        if not name or sign not in ("1", "+1", "-1", "0"):
            raise ValueError(
                "--monotonic must be FEATURE=1 or FEATURE=-1, with commas between, "
                f"got {entry!r:.60}"
            )
        signs[name] = int(sign)
    return signs


def check_features(signs: dict[str, int], features: Iterable[str]) -> None:
    """Refuse names in --monotonic that are no features."""
    known = [str(name) for name in features]
    unknown = [name for name in signs if name not in known]
    if unknown:
        hint = did_you_mean(unknown[0], known[:1000])
        raise ValueError(
            f"--monotonic must name features, got {listed(map(shown, unknown), 5)}{hint}; "
            f"the features: {listed(known)}"
        )


def class_weight(text: str, y: Any) -> str | dict[Any, float]:
    """Convert the value of --class-weight; classes are written as they are printed."""
    if "=" not in text:
        return text
    known = {str(name): name for name in set(y.tolist())}
    weights: dict[Any, float] = {}
    for entry in text.split(","):
        name, _, weight = entry.rpartition("=")
        if name.strip() not in known:
            raise ValueError(
                f"--class-weight must name classes of the data, {', '.join(sorted(known)):.60}, "
                f"got {name.strip()!r:.40}"
            )
        try:
            weights[known[name.strip()]] = float(weight)
        except ValueError:
            raise ValueError(
                f"--class-weight must be CLASS=NUMBER,..., got {entry!r:.40}"
            ) from None
    return weights


def summarise(
    classifier: "NAClassifier", points: Any, data: "Dataset | Table", encoding: "Encoding"
) -> dict[str, Any]:
    """Return what is reported about a fitted classifier."""
    from hyperna.classifier.text import list_text

    correct = int((classifier.predict(points) == data.y).sum())
    used = np.flatnonzero(classifier.feature_importances_)
    notes = dict.fromkeys(encoding.features[k].note for k in used.tolist())
    names, counts = np.unique(data.y, return_counts=True)
    summary = {
        "points": len(points),
        "classes": classifier.classes_.tolist(),
        "correct": correct,
        "training_accuracy": correct / len(points),
        "most_frequent": names[counts.argmax()].item(),
        "baseline_accuracy": float(counts.max() / len(points)),
        "terms": classifier.n_terms_,
        "neurons": classifier.n_neurons_,
        "output": classifier.output_,
        "rule": list_text(classifier.list_, classifier.classes_.tolist(), encoding.features, None),
    }
    if encoding.columns:
        summary["notes"] = [note for note in notes if note]
        summary["columns"] = [asdict(decision) for decision in encoding.decisions()]
    return summary


def path_records(classifier: "NAClassifier", encoding: "Encoding") -> list[dict[str, Any]]:
    """Return the path as plain values, with the rules in the words of the table.

    A rule of more than `MOST_PRINTED_TERMS` terms is left out: on wide tables it has millions of
    letters.
    """
    from hyperna.classifier.text import list_text

    records = []
    for row in classifier.path_:
        rule = None
        if row.terms <= MOST_PRINTED_TERMS:
            rule = list_text(row.list, classifier.classes_.tolist(), encoding.features, None)
        records.append(
            {
                "terms": row.terms,
                "neurons": row.neurons,
                "errors": row.errors,
                "label_bits": row.label_bits,
                "rule_bits": row.rule_bits,
                "chosen": row.chosen,
                "held_out_error": row.held_out_error,
                "standard_error": row.standard_error,
                "rule": rule,
            }
        )
    return records


def size_text(rules: "DecisionList", features: Sequence["Feature"]) -> str:
    """Return how many terms the printed rules have, and how many those that are not printed."""
    from hyperna.classifier.text import asked_rules

    printed = [rule for rule, _ in asked_rules(rules, features)]
    terms = sum(rule.terms for rule in printed)
    conditions = sum(len(rule.conditions) for rule in printed)
    text = f"{counted(terms, 'term')} in {counted(conditions, 'condition')}"
    if rules.terms > terms:
        more = counted(rules.terms - terms, "more term")
        text += f"; {more} in rules that decide no row and are not printed"
    return text


def hardly_better(correct: int, points: int, baseline: float) -> bool:
    """Return whether an accuracy exceeds that of a constant answer by less than its standard error.

    Examples
    --------
    >>> hardly_better(726, 1000, 0.723), hardly_better(800, 1000, 0.723)
    (True, False)
    """
    share = correct / points
    return share - baseline <= float(np.sqrt(baseline * (1 - baseline) / points))


def print_summary(
    summary: dict[str, Any],
    classifier: "NAClassifier",
    data: "Dataset | Table",
    encoding: "Encoding",
    model_file: Path | None,
    picture: Path | None,
) -> None:
    """Print what was done with the columns, the training accuracy, the rule and the path."""
    print(f"{data.name}: {data.summary}")
    if encoding.columns:
        print_decisions(make_console(), encoding.decisions())
        print()
    often = shown(summary["most_frequent"])
    print(
        f"training accuracy: {summary['correct']} of {summary['points']} "
        f"({summary['training_accuracy']:.4f}); always answering {often}: "
        f"{summary['baseline_accuracy']:.4f}"
    )
    if not summary["terms"]:
        print(f"no rule found tells the classes in fewer bits than always answering {often}")
    elif summary["training_accuracy"] <= summary["baseline_accuracy"]:
        print(f"this is no better than always answering {often}")
    elif hardly_better(summary["correct"], summary["points"], summary["baseline_accuracy"]):
        print(f"this is hardly better than always answering {often}")
    size = size_text(classifier.list_, encoding.features)
    rule = summary["rule"]
    if summary["terms"] > MOST_PRINTED_TERMS:
        rule = "(a rule with so many terms is not printed; --max-terms asks for a shorter one)"
    print(f"\n{rule}\n({size})\n\nbest rule found for each number of terms (* chosen):")
    print(classifier.path_)
    if classifier.class_weight is not None:
        print("(errors: the weight of the rows that are classified wrongly)")
    if classifier.path_.chosen.held_out_error is not None:
        print("(held-out error: of rules of that size on rows that they were not fitted to)")
    written = {"model": model_file, "picture": picture}
    lines = [f"{name}: {file}" for name, file in written.items() if file is not None]
    if lines:
        print("", *lines, sep="\n")
