"""Does exported code give the classifier's answers? 200 random fits, 1,000 rows each.

    python benchmarks/exported_code.py --fits 200 --rows 1000

Each fit has a random table: 1 to 6 columns of numbers, and for two fits in three also categories,
gaps and dates (days or moments); 2 to 5 classes from random rules with noise; all four ways to join
conditions. Rows are drawn anew; a third of them are moved to the border of a condition, exactly and
one or two doubles to either side. The exported Python, SQL (SQLite) and JavaScript (Node) classify
all rows, and each answer is compared with that of `predict`.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

from hyperna import NAClassifier, table_pipeline
from hyperna.classifier.code import export_code
from hyperna.tables import Encoding

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from exported import NODE, border_values, run_javascript, run_python, run_sql, table_rows

CITIES = ["Rome", "Oslo", "Bern", "O'Brien", 'a "b"', "Zürich", "x\\y", "3"]


def random_table(rng, rows, encoded):
    """Return a table of random columns."""
    columns = {}
    for k in range(rng.integers(1, 7)):
        scale = 10.0 ** rng.integers(-3, 5)
        values = rng.normal(rng.normal(), 1.0, rows) * scale
        if rng.random() < 0.4:
            values = np.round(values / scale, 1) * scale
        columns[f"number {k}"] = values
    if encoded:
        columns["city"] = rng.choice(CITIES[: rng.integers(2, 9)], rows)
        columns["flag"] = rng.choice(["yes", "no"], rows)
        days = rng.integers(0, 1200, rows)
        columns["day"] = pd.Timestamp("2019-03-01") + pd.to_timedelta(days, unit="D")
        seconds = rng.integers(0, 10**7, rows)
        columns["moment"] = pd.Timestamp("2021-06-01") + pd.to_timedelta(seconds, unit="s")
    frame = pd.DataFrame(columns)
    if encoded:
        for name in frame.columns:
            if rng.random() < 0.6:
                frame.loc[rng.random(rows) < 0.15, name] = None
    return frame


def random_labels(rng, features, classes):
    """Return labels by random conditions on the features, with a tenth of them at random."""
    names = np.array([f"class {k}" for k in range(classes)])
    if rng.random() < 0.3:
        names = np.arange(classes)
    deviation = features.std(axis=0)
    spread = np.where(deviation > 0, deviation, 1.0)
    standard = (features - features.mean(axis=0)) / spread
    scores = []
    for _ in range(classes):
        score = np.zeros(len(features))
        conditions = []
        for _ in range(rng.integers(1, 4)):
            chosen = rng.choice(
                standard.shape[1], min(standard.shape[1], rng.integers(1, 4)), False
            )
            conditions.append(standard[:, chosen] @ rng.normal(size=len(chosen)))
        joined = np.array(conditions)
        kind = rng.integers(3)
        if kind == 0:
            score = joined.max(axis=0)
        elif kind == 1:
            score = joined.min(axis=0)
        else:
            score = joined.prod(axis=0)
        scores.append(score)
    label = np.argmax(scores, axis=0)
    noise = rng.random(len(label)) < 0.1
    label[noise] = rng.integers(0, classes, noise.sum())
    label[:classes] = np.arange(classes)
    return names[label]


def moved_to_borders(rng, model, frame):
    """Return the rows with a third of them moved to the border of a condition, and how many."""
    frame = frame.copy()
    count = 0
    encoding = Encoding.of(model)
    points = encoding.transform(frame)
    classifier = model.steps[-1][1]
    conditions = [each for rule in classifier.rules_ for each in rule.conditions]
    for row in np.flatnonzero(rng.random(len(frame)) < 0.35) if conditions else ():
        condition = conditions[rng.integers(len(conditions))]
        feature = encoding.features[k := int(rng.choice(condition.features))]
        values = border_values(condition, points[row : row + 1], k)
        value = float(values[rng.integers(len(values))][0])
        if feature.kind == "number":
            frame.loc[row, feature.column] = value
            count += 1
        elif feature.kind == "date" and abs(value) < 10**5:
            moment = np.datetime64(feature.origin, "s") + np.timedelta64(int(value * 86400), "s")
            if feature.step == "day":
                moment = moment.astype("datetime64[D]")
            frame.loc[row, feature.column] = pd.Timestamp(moment) + pd.Timedelta(
                int(rng.integers(-1, 2)), "D" if feature.step == "day" else "s"
            )
            count += 1
    return frame, count


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fits", type=int, default=200)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    wrong = {"python": 0, "sql": 0, "javascript": 0}
    outputs, terms, classes_of, borders = {}, [], [], 0
    begin = time.process_time()
    for number in range(args.fits):
        rng = np.random.default_rng([args.seed, number])
        encoded = number % 3 > 0
        classes = int(rng.choice([2, 2, 2, 3, 4, 5]))
        rows = int(rng.integers(80, 400))
        both = random_table(rng, rows + args.rows, encoded)
        train, test = both.iloc[:rows], both.iloc[rows:].reset_index(drop=True)
        output = str(rng.choice(["auto", "or", "and", "xor", "at_least"]))
        classifier = NAClassifier(
            output=output, shortness=0.3, evaluations=300, random_state=number
        )
        model = table_pipeline(classifier)
        features = (
            table_pipeline(classifier).set_params(classifier="passthrough").fit_transform(train)
        )
        model.fit(train, random_labels(rng, features, classes))
        moved, count = moved_to_borders(rng, model, test)
        borders += count
        truth = model.predict(moved).tolist()
        plain = table_rows(moved)
        with tempfile.TemporaryDirectory() as folder:
            answers = {
                "python": run_python(export_code(model, "python"), plain),
                "sql": run_sql(export_code(model, "sql"), plain, [*moved.columns]),
            }
            if NODE:
                code = export_code(model, "javascript")
                answers["javascript"] = run_javascript(code, plain, Path(folder))
        for language, given in answers.items():
            count = sum(a != b for a, b in zip(given, truth, strict=True))
            wrong[language] += count
            if count:
                print(f"fit {number}: {count} wrong in {language}", flush=True)
        outputs[classifier_output(model)] = outputs.get(classifier_output(model), 0) + 1
        terms.append(model.steps[-1][1].n_terms_)
        classes_of.append(classes)
    total = args.fits * args.rows
    print(f"{args.fits} fits, {total:,} rows, {borders:,} of them at borders")
    print(f"outputs: {outputs}; terms: {min(terms)} to {max(terms)}, median {np.median(terms):g}")
    print(f"more than two classes: {sum(k > 2 for k in classes_of)} fits")
    print(f"different answers: {wrong}")
    print(f"{time.process_time() - begin:.0f} s of processor time in this process")
    return 1 if any(wrong.values()) else 0


def classifier_output(model):
    return model.steps[-1][1].output_


if __name__ == "__main__":
    sys.exit(main())
