"""Tables of any kind are fitted, or refused in one line: wrong separators, mixed types, odd dates.

By hand, 10,000 tables: python -m pytest tests/fuzz/test_fuzz_tables.py --hypothesis-profile long
"""

import csv
import io
from contextlib import redirect_stderr, redirect_stdout

import numpy as np
import pytest
from hostile import in_time, works_or_refuses
from hypothesis import given
from hypothesis import strategies as st

from hyperna import table_pipeline
from hyperna.classifier import NAClassifier
from hyperna.cli import main

WORDS = st.sampled_from(
    ["a", "b", "yes", "no", "Rome", "New York", "", "NA", "?", "None", "-", "ü", "٣", "x" * 300,
     "=1+1", "a;b", "a,b", "tab\there", "two\nlines", 'quo"te', "[bold]", "%s", "\0", "\ufeff",
     "\x85", "infrequent_sklearn", "nan", "True", "\u202eabc", " spaces "]
)  # fmt: skip
NUMBERS = st.one_of(
    st.integers(-5, 5).map(str),
    st.floats().map(repr),
    st.floats(-1e3, 1e3).map("{:.2f}".format),
    st.sampled_from(
        ["1e308", "-1e308", "5e-324", "inf", "-inf", "1e999", "1,5", "1.234,5", "1,234.5", "$3",
         "7%", "1_000", "0x10", "1e", "--1", "9" * 400, "", "many", "0", "1"]
    ),
)  # fmt: skip
DATES = st.one_of(
    st.dates().map(str),
    st.datetimes().map(lambda moment: moment.isoformat(" ")),
    st.dates().map(lambda day: day.strftime("%d/%m/%Y")),
    st.sampled_from(
        ["0000-00-00", "2024-02-30", "9999-12-31", "0001-01-01", "10000-01-01", "1/2/3", "31.12.99",
         "2024-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "20240131", "Feb 30, 2024", "",
         "2024", "12:30", "today", "24:00"]
    ),
)  # fmt: skip
IDENTIFIERS = st.integers(0, 10**6).map("C-{}".format)
LABELS = st.one_of(
    st.sampled_from([["0", "1"], ["yes", "no"], ["a", "b", "c"], ["one"], ["", "x", "y"]]),
    st.sampled_from([["0.5", "1"], [str(k) for k in range(40)]]),
    st.lists(WORDS, min_size=1, max_size=4),
)
NAMES = st.one_of(
    st.sampled_from(["id", "age", "a", "b", "", " ", "class", "1", "date"]),
    st.sampled_from(["missingindicator_a", "a is missing", "a = b"]),
    WORDS,
)


@st.composite
def tables(draw):
    """Names, rows of cells, and how the file is written."""
    rows = draw(st.sampled_from([0, 1, 2, 3, 5, 12, 25, 40]))
    kinds = draw(
        st.lists(st.sampled_from([WORDS, NUMBERS, DATES, IDENTIFIERS]), min_size=0, max_size=5)
    )
    columns = []
    for kind in kinds:
        few = draw(st.lists(kind, min_size=1, max_size=draw(st.sampled_from([1, 2, 4, 40]))))
        odd = draw(st.one_of(st.none(), WORDS, NUMBERS, DATES))
        cells = [few[(7 * k + k // 3) % len(few)] for k in range(rows)]
        if odd is not None and cells:
            cells[draw(st.integers(0, rows - 1))] = odd
        columns.append(cells)
    labels = draw(LABELS)
    columns.append([labels[(5 * k + k // 4) % len(labels)] for k in range(rows)])
    unique = draw(st.booleans())
    names = draw(st.lists(NAMES, min_size=len(columns), max_size=len(columns), unique=unique))
    return names, [*zip(*columns, strict=True)]


@st.composite
def contents(draw):
    """The bytes of a CSV file, as some program might write it, perhaps damaged."""
    names, rows = draw(tables())
    text = io.StringIO()
    options = {
        "delimiter": draw(st.sampled_from([",", ",", ";", "\t", "|", " ", ":"])),
        "lineterminator": draw(st.sampled_from(["\n", "\r\n", "\r", "\n\n"])),
    }
    if draw(st.booleans()):
        csv.writer(text, quoting=draw(st.sampled_from([0, 1])), **options).writerows([names, *rows])
    else:  # as one writes by hand: nothing is quoted
        mark, end = options["delimiter"], options["lineterminator"]
        text.write(end.join(mark.join(map(str, row)) for row in [names, *rows]))
    encoding = draw(st.sampled_from(["utf-8", "utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252"]))
    data = text.getvalue().encode(encoding, errors="replace")
    if draw(st.integers(0, 4)) == 0 and data:
        place = draw(st.integers(0, len(data)))
        damage = draw(
            st.sampled_from([b'"', b"\0", b"\n", b",", b"\xff", b"\xef\xbb\xbf", b",,,", b"'"])
        )
        data = data[:place] + damage + data[place + draw(st.integers(0, 3)) :]
    return data


def run(*words):
    """The exit code of a command and the lines on standard error."""
    out, err = io.StringIO(), io.StringIO()
    with in_time(words), redirect_stdout(out), redirect_stderr(err):
        code = main([*words])
    lines = [line for line in err.getvalue().splitlines() if not line.startswith("accuracy: ")]
    assert code in (0, 2), (code, lines)
    assert all(line.startswith("hyperna: ") and len(line) < 1500 for line in lines), lines
    assert (code == 2) == bool(lines and lines[-1].startswith("hyperna: error: ")), lines
    assert code == 2 or out.getvalue()
    return code


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("tables")


@given(contents(), contents(), st.sampled_from([(), ("--label", "class"), ("--kind", "a=date")]))
def test_tables_are_fitted_or_refused(place, content, other, options):
    """Fitted, saved, and used on its own table and on another one."""
    first, second, model = place / "first.csv", place / "second.csv", place / "model.json"
    first.write_bytes(content)
    second.write_bytes(other)
    model.unlink(missing_ok=True)
    quick = ("--max-neurons", "1", "--evaluations", "20")
    if run("fit", str(first), *quick, *options, "--save", str(model)) == 0:
        assert run("predict", str(model), str(first), "--proba", "--column", "the answer") == 0
        run("predict", str(model), str(second), "--column", "the answer")
    else:
        assert not model.exists()


@given(contents())
def test_tables_are_compared_or_refused(place, content):
    file = place / "compared.csv"
    file.write_bytes(content)
    words = ("--classifiers", "tree,knn", "--folds", "2", "--repeats", "1")
    run("compare", str(file), *words)


ODD = [
    None, float("nan"), float("inf"), 10**400, True, 1j, b"bytes", [1, 2], {}, object, -0.0,
    np.datetime64("NaT"), np.datetime64("2024-01-01"), np.timedelta64(1, "D"), np.float32(1.5),
    np.int8(3),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:The number of unique classes")
@given(tables(), st.data())
def test_frames_are_fitted_or_refused(table, data):
    """Cells that are no texts, in Python."""
    names, rows = table
    cells = np.array(rows, dtype=object).reshape(len(rows), len(names))
    for _ in range(data.draw(st.integers(0, 5)) if cells.size else 0):
        row = data.draw(st.integers(0, cells.shape[0] - 1))
        column = data.draw(st.integers(0, cells.shape[1] - 1))
        value = data.draw(st.sampled_from(ODD))
        cells[row, column] = value
    model = table_pipeline(NAClassifier(max_neurons=1, evaluations=20, random_state=0))
    X = {f"c{k}": cells[:, k] for k in range(cells.shape[1] - 1)}
    y = [str(row[-1]) for row in rows]
    fitted = works_or_refuses(table, lambda: model.fit(X, y))
    if fitted is not None:
        assert len(fitted.predict(X)) == len(y)


@pytest.mark.parametrize("kind", ["numbers", "texts", "dates", "gaps", "same name"])
@pytest.mark.slow
def test_tables_with_a_hundred_thousand_columns(place, kind):
    width = 100_000
    cells = {
        "numbers": [f"{k % 7}.5" for k in range(width)],
        "texts": [("Rome", "Oslo")[k % 2] for k in range(width)],
        "dates": [f"2024-01-{1 + k % 28:02}" for k in range(width)],
        "gaps": [("", "1")[k % 2] for k in range(width)],
        "same name": ["1"] * width,
    }[kind]
    names = ["x" if kind == "same name" else f"c{k}" for k in range(width)]
    lines = [",".join([*names, "class"])]
    lines += [",".join([*cells[r:], *cells[:r], "ab"[r % 2]]) for r in range(8)]
    file = place / "wide.csv"
    file.write_text("\n".join(lines))
    quick = ("--max-neurons", "1", "--evaluations", "20")
    assert run("fit", str(file), *quick) == (2 if kind == "same name" else 0)
