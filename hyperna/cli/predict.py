"""The command ``hyperna predict``."""

import argparse
import csv
import io
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hyperna._csv import GAPS, CsvTable
from hyperna._files import check_writable, is_standard_output, write_file
from hyperna._words import counted, did_you_mean, listed, shown
from hyperna.cli.files import check_picture, save_figure, tell_written
from hyperna.cli.options import integer

if TYPE_CHECKING:
    from hyperna.classifier import NAClassifier
    from hyperna.tables import Column

HELP = """\
Classify the rows of a CSV file with a model that 'hyperna fit' saved.

For example:
  hyperna predict model.json new.csv -o answers.csv
  hyperna predict model.json points.csv --label class -o answers.csv
  hyperna predict model.json new.csv --proba
  hyperna predict model.json new.csv --explain
  hyperna predict model.json new.csv --explain --row 7 --plot row7.png

The model's features are found by their names, in any order; other columns are kept.
--explain says why each row got its class, and what is the smallest change of one column that would
change it: as text, or with -o as further columns of the file.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "model", metavar="MODEL", help="a JSON file written by 'hyperna fit --save'"
    )
    parser.add_argument("data", metavar="DATA", help="a CSV file with the model's features")
    parser.add_argument(
        "-o", "--out", metavar="FILE", help="CSV file to write (default: standard output)"
    )
    parser.add_argument(
        "--column", default="prediction", help="name of the added column (default: prediction)"
    )
    parser.add_argument(
        "--proba", action="store_true", help="add a column for each class's probability"
    )
    parser.add_argument("--explain", action="store_true", help="say why each row got its class")
    parser.add_argument("--row", type=integer(1), metavar="N", help="explain only this row, from 1")
    parser.add_argument(
        "--plot", metavar="FILE", help="draw why row N got its class (.png, .pdf or .svg)"
    )
    parser.add_argument(
        "--label",
        metavar="COLUMN",
        help="column with the true classes: count the correct predictions",
    )


def run(args: argparse.Namespace) -> int:
    """Predict and write."""
    path = None if args.out is None else Path(args.out)
    check_explain_options(args)
    picture = None if args.plot is None else check_picture(args.plot)
    if path is not None:
        check_writable(path)

    from hyperna.models import classifier_of, load_model

    model = load_model(args.model)
    classifier = classifier_of(model)
    table = CsvTable(args.data)
    if args.label is not None:
        table.checked("label", args.label)
        known = [str(name) for name in classifier.classes_.tolist()]
        if not set(known) & set(table.texts(args.label)):
            raise ValueError(
                f"--label must name the column with the true classes: {shown(args.label)} holds "
                f"none of the model's classes, {listed(known)}"
            )
    encodes = model is not classifier
    names = getattr(classifier, "feature_names_in_", None)
    X = encoded(model, table) if encodes else features(classifier, table, args.label)
    if args.explain and path is None:
        return print_explanations(args, model, X, names, picture)
    answers = [str(answer) for answer in model.predict(X).tolist()]
    added = {args.column: answers}
    if args.proba:
        shares = model.predict_proba(X).T.tolist()
        for name, values in zip(classifier.classes_.tolist(), shares, strict=True):
            added[f"{args.column}: {name}"] = [f"{share:.6f}" for share in values]
    if args.explain:
        from hyperna.classifier import explain

        explained = explain(model, X, feature_names=names)
        changes = [each.change for each in explained]
        added[f"{args.column}: rule"] = [each.reached for each in explained]
        added[f"{args.column}: why"] = [each.reason for each in explained]
        added[f"{args.column}: other"] = [str(each.answer) if each else "" for each in changes]
        added[f"{args.column}: change"] = [each.text if each else "" for each in changes]
    text = with_columns(table, added)
    if path is None:
        sys.stdout.write(text)
    else:
        write_file(path, text)
        tell_written(path, f"{counted(len(answers), 'row')}, {counted(len(added), 'new column')}")
    if args.label is not None:
        stream = sys.stderr if path is None or is_standard_output(path) else sys.stdout
        truth = table.texts(args.label)
        classes = [str(name) for name in classifier.classes_.tolist()]
        print(accuracy_line(answers, truth, classes, args.label), file=stream)
    return 0


def accuracy_line(answers: list[str], truth: list[str], classes: list[str], label: str) -> str:
    """Return how many answers are right, of the rows with a label.

    Examples
    --------
    >>> accuracy_line(["yes", "no", "no"], ["yes", "yes", "NA"], ["no", "yes"], "left")
    "accuracy: 1 of 2 (0.5000); 1 row without 'left' is not counted"
    """
    gaps = GAPS - set(classes)  # a class may have such a name
    known = [pair for pair in zip(answers, truth, strict=True) if pair[1] not in gaps]
    right = sum(answer == true for answer, true in known)
    line = f"accuracy: {right} of {len(known)} ({right / len(known):.4f})"
    without = len(truth) - len(known)
    if without:
        verb = "is" if without == 1 else "are"
        line += f"; {counted(without, 'row')} without {shown(label)} {verb} not counted"
    return line


def check_explain_options(args: argparse.Namespace) -> None:
    """Refuse options that do not go together."""
    if args.row is not None and not args.explain:
        raise ValueError("--row needs --explain")
    if args.plot is not None and args.row is None:
        raise ValueError("--plot needs --explain and --row: it draws why one row got its class")
    if args.row is not None and args.out is not None:
        raise ValueError("--row and -o cannot be used together: -o writes all rows")
    if args.explain and args.out is None and (args.proba or args.label is not None):
        raise ValueError("--explain with --proba or --label needs -o FILE")


def print_explanations(
    args: argparse.Namespace, model: Any, X: Any, names: Any, picture: Path | None
) -> int:
    """Print why rows got their classes, or one row, and draw it."""
    from hyperna.classifier import Explanations, explain

    chosen = X if args.row is None else only_row(X, args.row)
    explained = explain(model, chosen, feature_names=names)
    if args.row is not None:
        explained = Explanations([replace(each, row=args.row - 1) for each in explained])
    print(explained)
    if picture is not None:
        from matplotlib.figure import Figure

        from hyperna.plots.explanation import explanation_size, plot_explanation

        figure = Figure(figsize=explanation_size(explained[0]), layout="constrained")
        plot_explanation(explained[0], figure.add_subplot())
        save_figure(picture, figure)
        print(f"\npicture: {picture}")
    return 0


def only_row(X: Any, number: int) -> Any:
    """Return one row, counted from 1, of an array or of a dict of columns."""
    rows = len(next(iter(X.values()))) if isinstance(X, dict) else len(X)
    if number > rows:
        raise ValueError(f"--row must be at most {rows}, the number of rows, got {number}")
    only = slice(number - 1, number)
    if isinstance(X, dict):
        return {name: cells[only] for name, cells in X.items()}
    return X[only]


def encoded(model: Any, table: CsvTable) -> dict[str, list[str]]:
    """Return the columns of the table that a model with an encoding needs."""
    from hyperna.tables import Encoding

    encoding = Encoding.of(model)
    needed = {feature.column for feature in encoding.features}
    columns = [column for column in encoding.columns if column.name in needed]
    check_present([column.name for column in columns], table)
    cells = {column.name: table.texts(column.name) for column in columns}
    for column in columns:
        tell_unreadable(column, cells[column.name])
    return cells


def tell_unreadable(column: "Column", cells: list[str]) -> None:
    """Say which cells are of another kind than in training, and so count as gaps."""
    from hyperna.tables.columns import plain_cells

    empty = [value is None or value != value for value in column.read(cells)]
    odd = [cell for cell, gap in zip(plain_cells(cells), empty, strict=True) if gap and cell]
    if odd:
        where = f"{counted(len(odd), 'cell')} of column {shown(column.name)}"
        what = f"holds no {column.kind} and counts as a gap"
        if len(odd) > 1:
            what = f"hold no {column.kind} and count as gaps"
        print(f"hyperna: warning: {where} {what}, as {shown(odd[0])}", file=sys.stderr)


def check_present(names: list[str], table: CsvTable) -> None:
    """Refuse a table without some of the model's columns, and name all of them."""
    present = set(table.header)
    missing = [name for name in names if name not in present]
    if missing:
        column = "column" if len(missing) == 1 else "columns"
        raise ValueError(
            f"the model needs {column} {listed(map(shown, missing), 10)}, which {table.path} does "
            f"not have{did_you_mean(missing[0], table.header[:1000])}; "
            f"its columns: {listed(table.header)}"
        )


def features(classifier: "NAClassifier", table: CsvTable, label: str | None) -> Any:
    """Return the columns that the model was fitted to, found by name if it knows names.

    The model forgets its names by that.
    """
    dim = classifier.n_features_in_
    names = getattr(classifier, "feature_names_in_", None)
    if names is not None:
        check_present([*names], table)
        # Found by name here, so that scikit-learn need not look for names in an array.
        del classifier.feature_names_in_
        return table.numbers(names)
    found = table.others([] if label is None else [label])
    if len(found) != dim:
        raise ValueError(
            f"{table.path} must have {counted(dim, 'column')} of features, since the model has no "
            f"names for them, got {len(found)}: {listed(found)}"
        )
    return table.numbers(found)


def with_columns(table: CsvTable, added: dict[str, list[str]]) -> str:
    """Return the text of the table with columns added."""
    for name in added:
        if name in table.header:
            raise ValueError(
                f"{table.path} already has a column {name!r}; choose another with --column"
            )
    text = io.StringIO()
    writer = csv.writer(text, delimiter=table.separator, lineterminator="\n")
    writer.writerow([*table.header, *added])
    writer.writerows([*row, *new] for row, *new in zip(table.cells, *added.values(), strict=True))
    return text.getvalue()
