"""Fit an NAClassifier to labelled data, print its rules and save it as JSON.

For example:
  hyperna fit points.csv --label class --save model.json
  hyperna fit points.csv --label class --ignore id,date --neurons 3 --output or
  hyperna fit sklearn:breast_cancer --neurons 1 --max-evals 200000 --seed 7
  hyperna fit moons --plot moons.png

Interrupted with Ctrl-C it keeps the best network so far and ends with exit code 130.
"""

import argparse
import json
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hyperna._files import check_writable, write_file
from hyperna._words import counted
from hyperna.algorithm import MOVES
from hyperna.cli.options import check_picture, integer, names, real, save_figure
from hyperna.cli.signals import INTERRUPTED, signals
from hyperna.neurons import NEURONS
from hyperna.outputs import OUTPUTS

if TYPE_CHECKING:
    from hyperna.classifier import NAClassifier
    from hyperna.datasets import Dataset


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "data", metavar="DATA", help="a CSV file, or a name that 'hyperna compare' takes"
    )
    parser.add_argument("--label", metavar="COLUMN", help="label column (default: last)")
    parser.add_argument(
        "--ignore", type=names, default=(), metavar="A,B,...", help="columns to leave out"
    )
    parser.add_argument("--save", metavar="FILE", help="write the classifier as JSON")
    parser.add_argument(
        "--plot", metavar="FILE", help="draw regions and half-spaces (.png, .pdf or .svg)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object, no text")
    # Names of NAClassifier's parameters; what is not given is left to its defaults.
    group: Any = parser.add_argument_group("network", argument_default=argparse.SUPPRESS)
    group.add_argument(
        "--neurons",
        type=neurons,
        metavar="N",
        dest="n_neurons",
        help="hidden neurons, or auto (default)",
    )
    group.add_argument(
        "--output", choices=("auto", *OUTPUTS), help="how neurons are joined (default: auto)"
    )
    group.add_argument(
        "--neuron", choices=tuple(NEURONS), help="half-spaces, or cones: bent (default: plain)"
    )
    group.add_argument(
        "--resolution", type=integer(2, 2**40), metavar="R", help="of the grid (default: 65536)"
    )
    group.add_argument(
        "--no-scale",
        dest="scale",
        action="store_false",
        help="for points that already lie on the unit sphere",
    )
    group = parser.add_argument_group("search", argument_default=argparse.SUPPRESS)
    group.add_argument(
        "--mutation",
        metavar="LAW",
        help="a law from 'hyperna list', or with parameters: pareto:shape=1.5 (default: harmonic)",
    )
    group.add_argument(
        "--max-evals",
        type=integer(1),
        metavar="N",
        help="fitness evaluations at most (default: 100000)",
    )
    group.add_argument(
        "--restarts",
        type=integer(0),
        metavar="N",
        dest="n_restarts",
        help="number of restarts (default: 2)",
    )
    group.add_argument(
        "--stagnation",
        type=integer(1),
        metavar="N",
        help="end a search after this many evaluations without improvement (default: none)",
    )
    group.add_argument(
        "--tie-break",
        type=tie_break,
        metavar="HOW",
        help="among equal errors: margin (default), a clipping distance, or none as in the paper",
    )
    group.add_argument(
        "--init", choices=("data", "grid", "sphere"), help="where the search begins (default: data)"
    )
    group.add_argument(
        "--move",
        choices=tuple(MOVES),
        help="how a direction mutates: one angle changed, or turned (default: rotation)",
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
        help="the same seed gives the same network (default: 0)",
    )
    group.add_argument("--verbose", action="store_true", default=False, help="print progress")


def neurons(text: str) -> int | str:
    """Convert the value of --neurons."""
    return "auto" if text == "auto" else integer(1)(text)


def tie_break(text: str) -> str | float | None:
    """Convert the value of --tie-break."""
    if text in ("margin", "none"):
        return "margin" if text == "margin" else None
    return real(0, 10, low_open=True)(text)


def run(args: argparse.Namespace) -> int:
    """Fit, print and save."""
    if args.json and args.verbose:
        raise ValueError("--json and --verbose cannot be used together")
    picture = check_picture(args.plot) if args.plot else None
    path = None if args.save is None else Path(args.save)
    if path is not None:
        check_writable(path)
    from hyperna.datasets import load

    data = load(args.data, args.label, args.ignore)
    signals.patient = True  # the best network so far is shown and saved
    if picture is not None and data.X.shape[1] < 2:
        raise ValueError(f"--plot needs at least 2 features, {data.name} has 1")
    classifier, interrupted = fitted(args, data)
    summary = summarise(classifier, data)
    # As scikit-learn does for data frames; from here on nothing is predicted for arrays.
    classifier.feature_names_in_ = np.array(data.features, dtype=object)
    if path is not None:
        write_file(path, classifier.to_json() + "\n")
    if picture is not None:
        draw(picture, classifier, data)
    if args.json:
        told = {"interrupted": interrupted, "saved": args.save, "plot": args.plot}
        print(json.dumps(summary | told))
    else:
        print_summary(summary, data, path, picture)
    return INTERRUPTED if interrupted else 0


def draw(path: Path, classifier: "NAClassifier", data: "Dataset") -> None:
    """Draw the classifier over the features of its rules, or in a plane if these are many."""
    from matplotlib.figure import Figure

    from hyperna.plots import plot_boundary
    from hyperna.plots.boundary import boundary_size

    figure = Figure(figsize=boundary_size(classifier), layout="constrained")
    used = {
        k for rule in classifier.rules_ for c in rule.conditions for k in c.weights.nonzero()[0]
    }
    features = "plane" if len(used) > 2 else None
    plot_boundary(classifier, data.X, data.y, figure.add_subplot(), features=features)
    save_figure(path, figure)


def fitted(args: argparse.Namespace, data: "Dataset") -> tuple["NAClassifier", bool]:
    """Return the fitted classifier and whether the fit was interrupted."""
    from hyperna.classifier import NAClassifier

    classifier = NAClassifier()
    given = dict(vars(args))
    if "class_weight" in given:
        given["class_weight"] = class_weight(given["class_weight"], data.y)
    classifier.set_params(**{k: given[k] for k in classifier.get_params() if k in given})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        classifier.fit(data.X, data.y)
    messages = [" ".join(str(entry.message).split()) for entry in caught]
    for message in messages:
        print(f"hyperna: warning: {message}", file=sys.stderr)
    return classifier, any("interrupted" in message for message in messages)


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


def summarise(classifier: "NAClassifier", data: "Dataset") -> dict[str, Any]:
    """Return what is reported about a fitted classifier."""
    from hyperna.classifier import export_text

    correct = int((classifier.predict(data.X) == data.y).sum())
    return {
        "points": len(data.X),
        "correct": correct,
        "training_accuracy": correct / len(data.X),
        "evaluations": int(classifier.n_iter_),
        "neurons": [network.grid.neurons for network in classifier.networks_],
        "outputs": [network.grid.output for network in classifier.networks_],
        "rules": export_text(classifier, data.features),
    }


def print_summary(
    summary: dict[str, Any], data: "Dataset", path: Path | None, picture: Path | None
) -> None:
    """Print the training accuracy, the size of the network and the rules."""
    networks = [
        counted(count, "neuron") + (f", output {output}" if count > 1 else "")
        for count, output in zip(summary["neurons"], summary["outputs"], strict=True)
    ]
    print(f"{data.name}: {data.summary}")
    print(
        f"training accuracy: {summary['correct']} of {summary['points']} "
        f"({summary['training_accuracy']:.4f})"
    )
    print(f"{'; '.join(networks)}; {counted(summary['evaluations'], 'evaluation')}\n")
    print(summary["rules"])
    written = {"model": path, "picture": picture}
    lines = [f"{name}: {file}" for name, file in written.items() if file is not None]
    if lines:
        print("", *lines, sep="\n")
