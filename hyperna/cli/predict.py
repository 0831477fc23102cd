"""Classify the rows of a CSV file with a model that 'hyperna fit' saved.

For example:
  hyperna predict model.json new.csv -o answers.csv
  hyperna predict model.json points.csv --label class -o answers.csv
  hyperna predict model.json new.csv --proba

The model's features are found by their names, in any order; other columns are kept.
"""

import argparse
import csv
import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hyperna._csv import CsvTable
from hyperna._files import check_writable, is_standard_output, write_file
from hyperna._words import counted, did_you_mean, listed, shown
from hyperna.cli.options import tell_written

if TYPE_CHECKING:
    from hyperna.classifier import NAClassifier


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
    parser.add_argument(
        "--label",
        metavar="COLUMN",
        help="column with the true classes: count the correct predictions",
    )


def run(args: argparse.Namespace) -> int:
    """Predict and write."""
    path = None if args.out is None else Path(args.out)
    if path is not None:
        check_writable(path)

    from hyperna.classifier import NAClassifier

    try:
        classifier = NAClassifier.from_json(Path(args.model).read_text(encoding="utf-8"))
    except (ValueError, TypeError) as error:
        raise ValueError(f"{args.model} must be a model saved by 'hyperna fit': {error}") from None
    table = CsvTable(args.data)
    if args.label is not None:
        table.checked("label", args.label)
        known = [str(name) for name in classifier.classes_.tolist()]
        if not set(known) & set(table.texts(args.label)):
            raise ValueError(
                f"--label must name the column with the true classes: {shown(args.label)} holds "
                f"none of the model's classes, {listed(known)}"
            )
    X = features(classifier, table, args.label)
    answers = [str(answer) for answer in classifier.predict(X).tolist()]
    added = {args.column: answers}
    if args.proba:
        shares = classifier.predict_proba(X).T.tolist()
        for name, values in zip(classifier.classes_.tolist(), shares, strict=True):
            added[f"{args.column}: {name}"] = [f"{share:.6f}" for share in values]
    text = with_columns(table, added)
    if path is None:
        sys.stdout.write(text)
    else:
        write_file(path, text)
        tell_written(path, f"{counted(len(answers), 'row')}, {counted(len(added), 'new column')}")
    if args.label is not None:
        truth = table.texts(args.label)
        right = sum(answer == true for answer, true in zip(answers, truth, strict=True))
        stream = sys.stderr if path is None or is_standard_output(path) else sys.stdout
        print(f"accuracy: {right} of {len(truth)} ({right / len(truth):.4f})", file=stream)
    return 0


def features(classifier: "NAClassifier", table: CsvTable, label: str | None) -> Any:
    """Return the columns that the model was fitted to, found by name if it knows names."""
    dim = classifier.n_features_in_
    names = getattr(classifier, "feature_names_in_", None)
    if names is not None:
        for name in names:
            if name not in table.header:
                raise ValueError(
                    f"the model needs column {shown(name)}, which {table.path} does not have"
                    f"{did_you_mean(name, table.header[:1000])}; "
                    f"its columns: {listed(table.header)}"
                )
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
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*table.header, *added])
    writer.writerows([*row, *new] for row, *new in zip(table.cells, *added.values(), strict=True))
    return text.getvalue()
