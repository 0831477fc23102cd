"""Exported code takes cells of numbers and dates as the model does, however they are written."""

import datetime as dt
import math
import sys
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from exported import NODE, run_javascript_programs, run_python, run_sql
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder
from test_export_code import classifier, condition, encoded

from hyperna import NAClassifier, export_code, load_model, save_model, table_pipeline
from hyperna.classifier.rules import Rule
from hyperna.tables import Column, DateParts, Encoding, Feature, StoredEncoder, table_encoder

needs_node = pytest.mark.skipif(NODE is None, reason="Node is not installed")

UTC_5 = dt.timezone(dt.timedelta(hours=-5))
# What is read in every language, and what is a gap in every language.
NUMBERS = [0, 7, -3.25, 2.5, 1e6, 2**53 + 1, 1e308, "5", " 5 ", "5.", ".5", "+5", "-1e5", "1E5"]
NUMBERS += ["005", "1.5e+03", "1e-400", "\t4\n"]
NO_NUMBERS = [
    None,
    "",
    " ",
    "NA",
    "?",
    "--",
    "never",
    "refused",
    "inf",
    "-Infinity",
    "nan",
    "1e999",
]
NO_NUMBERS += [
    "1e",
    "e5",
    "0x10",
    "0b1",
    "1_0",
    "5 6",
    "1,2,3",
    "+ 5",
    "True",
    "2024-01-31",
    math.inf,
]
NO_NUMBERS += [-math.inf, math.nan, "$", "%"]
# What SQL does not read.
MARKED_NUMBERS = [
    "$1,200",
    "1,200",
    "1.200,50",
    "1,5",
    "12,34",
    "45 %",
    "€ 3",
    "$ -5",
    "-$5",
    "1,200.",
]
MARKED_NUMBERS += ["0,125", "1.500.000", "$\t5", True, False, dt.date(2024, 1, 31), 10**20]
DATES = ["2024-01-31", "2023-03-05", "2022-07-14T00:00:00", "2024-02-29 18:30", " 2023-11-05 "]
DATES += ["2024-01-31T18:30:59", "2024-01-31T18:30:59.999", "2024-01-31T23:30:00-05:00"]
DATES += ["2024-01-31T00:30:00+02:00", "2024-01-31 10:00Z", "0001-01-01", "9999-12-31 23:59:59"]
NO_DATES = [None, "", "NA", "never", "now", "12:30", "2024", 2024, 45321, 45321.5, 20241301, 1e300]
NO_DATES += ["2024-02-30", "2024-13-01", "2024-1-31", "2024-01-31x", "2024-01-31T10:1", math.nan]
NO_DATES += ["2024-01-31 24:00", "2024-01-31T10:00:60", "2024-W54", "2024-0131", "1.2.3.2024"]
NO_DATES += [
    "30.02.2024",
    "007.1.2024",
    "100.1.2024",
    "31.12.2023 24:00",
    "1/2/3/2022",
    "0000-00-00",
]
ODD_DATES = ["20240131", 20230115, 20230115.0, "2024-01-31T10", "2024-01-31T1011+0200", "2024-W05"]
ODD_DATES += [
    "2024-W05-3",
    "2024W053",
    "2020-W53-7",
    "20240131T101112",
    "2024-01-31T10:00:00 +02:00",
]
ODD_DATES += [
    "99991231",
    99991231,
    "9999-12-31T23:59:59-05:00",
    "0001-01-01T00:00+05:00",
    "0000-01-01",
]
ODD_DATES += [
    "2024131",
    "202411",
    2024131,
    "31 Jan 2024",
    "31 jan 2024",
    "January 31, 2024",
    "Jan 2024",
]
ODD_DATES += [
    "12/31/2022 12:05 AM",
    "12/31/2022 13:05 PM",
    "1.2.2023 10:11:12.5",
    "2/2023",
    "2022-12",
]
ODD_DATES += ["31.12.2023  9:05", "31.12.2023 9:5", dt.date(2023, 5, 6), pd.NaT, True]
ODD_DATES += [dt.datetime(2023, 5, 6, 7, 8, 9, 999999), dt.datetime(2023, 5, 6, 23, tzinfo=UTC_5)]
FOREIGN_DATES = [
    "31.12.2023",
    "1.2.2023",
    "01.02.2023 9:05",
    "12/31/2022",
    "1/2/2022",
    "31/12/2022",
]
FOREIGN_DATES += ["31.12.23", "1.7.68", "1.7.69", "31-12-2023", "2024/01/31", "12/31/2022 10:11:12"]
# Formats that SQL reads, that JavaScript reads, and that only Python reads.
SQL_FORMS = [
    "ISO",
    "%d.%m.%Y",
    "%m/%d/%Y",
    "%d/%m/%Y",
    "%Y%m%d",
    "%d-%m-%Y",
    "%d.%m.%y",
    "%Y/%m/%d",
]
SQL_FORMS += ["%d.%m.%Y %H:%M", "%m/%d/%Y %H:%M:%S"]
FORMS = ["%d %b %Y", "%b %Y", "%B %d, %Y", "%m/%d/%Y %I:%M %p", "%m/%Y", "%d.%m.%Y %H:%M:%S.%f"]
FORMS += ["%d. %B %Y (%H h)", "%Y-%d-%m"]


def numbers_in_training(rng, mark):
    texts = [f"{x:.2f}".replace(".", mark) for x in rng.normal(5, 4, 30)]
    if rng.random() < 0.7:
        texts[:3] = ["refused", "NA", ""]
    return texts


def dates_in_training(rng, form):
    seconds = rng.integers(0, 900 * 86400, 30) // (1 if rng.random() < 0.6 else 86400)
    unit = "s" if seconds.max() > 900 else "D"
    moments = pd.Timestamp("2022-01-01") + pd.to_timedelta(seconds, unit=unit)
    texts = [str(each) if form == "ISO" else each.strftime(form) for each in moments]
    if rng.random() < 0.7:
        texts[:2] = ["never", None]
    return texts


def random_model(rng, marks, forms):
    """A model of one or two columns with a random rule, and which cells may stand in each.

    The rule asks for features of all kinds, for gaps alone, or for the parts of dates alone.
    """
    table, kinds = {}, {}
    for k in range(rng.integers(1, 3)):
        if rng.random() < 0.4:
            table[f"number {k}"] = numbers_in_training(rng, str(rng.choice(marks)))
        else:
            form = str(rng.choice(forms))
            table[f"date {k}"] = dates_in_training(rng, form)
            kinds[f"date {k}"] = "date" if form == "ISO" else f"date:{form}"
    encoder = table_encoder(kinds=kinds).fit(table)
    features = Encoding.of(encoder).features
    values = encoder.transform(table)
    wanted = [("missing",), ("month", "weekday", "hour"), None, None][rng.integers(4)]
    asked = [k for k, each in enumerate(features) if wanted is None or each.kind in wanted]
    asked = asked or [*range(len(features))]
    some = []
    for _ in range(rng.integers(1, 4)):
        chosen = rng.permutation(asked)[: rng.integers(1, 4)].tolist()
        weights = [float(rng.choice([1, -1]))]
        weights += [float(each) for each in rng.choice([-2.5, -1, 0.5, 3], len(chosen) - 1)]
        sums = (values[:, chosen] * weights).sum(axis=1)
        some.append(condition(chosen, weights, float(rng.choice(sums) + rng.choice([0, 0.5]))))
    rule = Rule(tuple(some), int(rng.integers(0, len(some) + 1)), 1.0, 0.0, 0.5)
    last = classifier([rule], dim=len(features))
    return Pipeline([*encoder.steps, ("classifier", last)]), table


def random_rows(rng, table, numbers, dates, n=150):
    cells = {}
    for name, texts in table.items():
        usual = numbers if name.startswith("number") else dates
        drawn = [*usual, *texts[:8]]
        cells[name] = [drawn[k] for k in rng.integers(0, len(drawn), n)]
    return [dict(zip(cells, row, strict=True)) for row in zip(*cells.values(), strict=True)]


def truth(model, rows):
    return model.predict({name: [row[name] for row in rows] for name in rows[0]}).tolist()


def assert_same(rows, found, wanted, code):
    wrong = [
        (row, *pair) for row, *pair in zip(rows, found, wanted, strict=True) if len({*pair}) > 1
    ]
    assert not wrong, f"{wrong[:5]}\n{code}"


def test_python_reads_any_cell_as_the_model_does():
    rng = np.random.default_rng(0)
    numbers = [
        *NUMBERS,
        *NO_NUMBERS,
        *MARKED_NUMBERS,
        "\u0665",
        pd.NA,
        pd.Timedelta("36h"),
        10**400,
    ]
    numbers += [dt.timedelta(days=2), np.True_, np.float32(0.1), b"12", dt.time(5), np.int64(3)]
    dates = [
        *DATES,
        *NO_DATES,
        *ODD_DATES,
        *FOREIGN_DATES,
        pd.NA,
        np.int64(20230115),
        False,
        "\u0665",
    ]
    dates += [np.datetime64("2023-05-06T07:08"), pd.Timestamp("2023-05-06 07:08:09.999999999")]
    dates += [dt.datetime(1, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=5)))]
    for _ in range(150):
        model, table = random_model(rng, [".", ","], [*SQL_FORMS, *FORMS, "%j/%Y"])
        rows = random_rows(rng, table, numbers, dates)
        code = export_code(model, "python")
        assert_same(rows, run_python(code, rows), truth(model, rows), code)
        assert "WARNING" not in code


@needs_node
def test_javascript_reads_any_cell_as_the_model_does(tmp_path):
    rng = np.random.default_rng(1)
    programs, models = [], []
    for _ in range(150):
        model, table = random_model(rng, [".", ","], [*SQL_FORMS, *FORMS])
        rows = random_rows(
            rng,
            table,
            [*NUMBERS, *NO_NUMBERS, *MARKED_NUMBERS],
            [*DATES, *NO_DATES, *ODD_DATES, *FOREIGN_DATES],
        )
        code = export_code(model, "javascript")
        assert "WARNING" not in code
        models.append(model)
        programs.append((code, rows))
    found = run_javascript_programs(programs, tmp_path)
    for model, (code, rows), each in zip(models, programs, found, strict=True):
        assert_same(rows, each, truth(model, rows), code)


@pytest.mark.parametrize("typed", ["", " REAL", " TEXT", " NUMERIC"])
def test_sql_reads_plain_numbers_and_dates_and_takes_all_else_for_gaps(typed):
    rng = np.random.default_rng(2)
    numbers = [*NUMBERS, *NO_NUMBERS]
    if typed == " TEXT":  # it holds 15 digits
        numbers.remove(1e308)
    for _ in range(60):
        model, table = random_model(rng, ["."], SQL_FORMS)
        rows = random_rows(rng, table, numbers, [*DATES, *NO_DATES, *FOREIGN_DATES])
        code = export_code(model, "sql")
        assert_same(rows, run_sql(code, rows, [*table], typed), truth(model, rows), code)
        assert "WARNING" not in code
        assert "VARCHAR" not in code  # MySQL casts to CHAR only


def test_a_rule_that_asks_for_gaps_alone_counts_words_among_them(tmp_path):
    size = ["refused"] * 25 + [f"{k / 10}" for k in range(275)]
    seen = [f"{1 + k % 28}.{1 + k % 12}.2024" for k in range(300)]
    seen[40:70] = ["never"] * 30
    for name, cells, odd in (("size", size, "refused"), ("seen", seen, "never")):
        table = {name: cells}
        labels = [cell == odd for cell in cells]
        model = table_pipeline(NAClassifier(random_state=0)).fit(table, labels)
        rows = [{name: cell} for cell in cells]
        assert model.predict(table).tolist() == labels
        assert run_python(export_code(model, "python"), rows) == labels
        assert run_sql(export_code(model, "sql"), rows, [name]) == labels
        if NODE:
            programs = [(export_code(model, "javascript"), rows)]
            assert run_javascript_programs(programs, tmp_path) == [labels]


def gap_model(column):
    """A model that asks only whether a column has a gap."""
    fill = "2024-01-01" if column.kind == "date" else 5.0
    features = (Feature(column.name, "missing"), Feature(column.name, column.kind, fill=fill))
    if column.kind == "date":
        features = (features[0], Feature(column.name, "month", fill=fill))
    rule = Rule((condition([0], [1.0], 0.5),), 1, 1.0, 0.0, 0.5)
    return make_pipeline(StoredEncoder(Encoding((column,), features)), classifier([rule], dim=2))


@pytest.mark.parametrize(
    ("column", "first", "second"),
    [
        (
            Column("size", "number", ".", written_as="$1,200"),
            "numbers such as $1,200 in the column size,",
            "it needs plain numbers there, such as 1200.",
        ),
        (
            Column("size", "number", ","),
            "numbers such as 1,5 in the column size,",
            "it needs plain numbers there, such as 1.5.",
        ),
        (
            Column("seen", "date", "ISO 8601", written_as="2024-W05"),
            "dates such as 2024-W05 in the column seen,",
            "it needs ISO dates there, such as 2024-12-31.",
        ),
        (
            Column("seen", "date", "%d %b %Y", written_as="2024-W05"),
            "dates such as 31 Dec 2024 in the column seen,",
            "it needs ISO dates there, such as 2024-12-31.",
        ),
    ],
)
def test_what_sql_does_not_read_is_told_also_where_only_gaps_are_asked_for(column, first, second):
    model = gap_model(column)
    code = export_code(model, "sql")
    assert f"-- WARNING: the model reads {first}\n-- but this code does not: {second}\n" in code
    assert code.count("WARNING") == 1
    for language in ("python", "javascript"):
        assert "WARNING" not in export_code(model, language)


@needs_node
def test_javascript_refuses_what_only_the_model_can_tell_from_a_gap(tmp_path):
    rare = gap_model(Column("seen", "date", "%j/%Y"))
    code = export_code(rare, "javascript")
    assert "WARNING: the model reads dates such as 366/2024 in the column seen," in code
    cells = ["2024-01-31", None, "NA", "", math.nan, "31/2024", "never", 45321]
    number = export_code(gap_model(Column("size", "number")), "javascript")
    date = export_code(gap_model(Column("seen", "date", "%d.%m.%Y")), "javascript")
    found = run_javascript_programs(
        [
            (code, [{"seen": cell} for cell in cells]),
            (number, [{"size": "\u0665"}]),
            (date, [{"seen": "\u0661.1.2024"}]),
        ],
        tmp_path,
    )
    assert found[0][:5] == ["no", *["yes"] * 4]
    assert found[0][5:] == [f"error: a date is needed, got {cell}" for cell in cells[5:]]
    for (answer,) in found[1:]:
        assert answer.startswith("error: only the digits 0 to 9 can be read")


def test_models_that_refuse_words_have_code_that_does(tmp_path):
    """Of scikit-learn's imputer in a pipeline of one's own; what is read from a file takes them."""
    sizes = [[1.0], [2.0], [3.0], [4.0], [np.nan]] * 10
    frame = pd.DataFrame(sizes, columns=["size"])
    labels = frame["size"].isna() | (frame["size"] > 3)
    imputer = SimpleImputer(strategy="median", add_indicator=True)
    model = make_pipeline(imputer, NAClassifier(random_state=0)).fit(frame, labels)
    gap_alone = Rule((condition([1], [1.0], 0.5),), 1, 1.0, 0.0, 0.5)
    for asked in (model[-1], classifier([gap_alone], dim=2)):
        own = make_pipeline(imputer, asked)
        rows = [{"size": cell} for cell in (1.0, 3.5, "4", None, math.nan)]
        wanted = own.predict(pd.DataFrame(rows, dtype=float)).tolist()
        words = [{"size": cell} for cell in ("refused", math.inf, "$4", "0x10")]
        for row in words:
            with pytest.raises(ValueError, match=r"non-numeric|infinity"):
                own.predict(pd.DataFrame([row]))
        code = export_code(own, "python")
        assert run_python(code, rows) == wanted
        for row in words:
            with pytest.raises(ValueError, match=r"number is needed|could not convert"):
                run_python(code, [row])
        if NODE:
            programs = [(export_code(own, "javascript"), [*rows, *words])]
            (found,) = run_javascript_programs(programs, tmp_path)
            assert found[:5] == wanted
            assert all(str(each).startswith("error: a number is needed") for each in found[5:])
    save_model(model, tmp_path / "model.json")
    loaded = load_model(tmp_path / "model.json")
    wanted = loaded.predict({"size": ["refused", 1.0]}).tolist()
    rows = [{"size": "refused"}, {"size": 1.0}]
    assert run_python(export_code(loaded, "python"), rows) == wanted


def test_dates_of_a_pipeline_without_a_reader_are_read_or_refused(tmp_path):
    moments = pd.Series(pd.date_range("2024-01-01", periods=60, freq="D"))
    moments[50:] = pd.NaT
    frame = pd.DataFrame({"on": moments})
    labels = moments.isna() | (moments > "2024-02-01")
    model = make_pipeline(DateParts(), NAClassifier(random_state=0)).fit(frame, labels)
    rows = [{"x1": cell} for cell in (None, "2024-01-05", "2024-02-15", pd.NaT)]
    code = export_code(model, "python")
    assert run_python(code, rows) == [True, False, True, True]
    with pytest.raises(ValueError, match="a date is needed, got 'never'"):
        run_python(code, [{"x1": "never"}])
    if NODE:
        programs = [(export_code(model, "javascript"), [*rows[:3], {"x1": "never"}])]
        wanted = [True, False, True, "error: a date is needed, got never"]
        assert run_javascript_programs(programs, tmp_path) == [wanted]


def test_a_column_that_is_a_number_and_a_category_has_no_code():
    frame = pd.DataFrame({"size": [1.0, 2.0, 3.0, 4.0] * 10})
    both = make_column_transformer(
        (SimpleImputer(), ["size"]), (OneHotEncoder(sparse_output=False), ["size"])
    )
    some = (condition([0], [1.0], 2.5), condition([1], [1.0], 0.5))
    model = make_pipeline(both.fit(frame), classifier([Rule(some, 0, 1.0, 0.0, 0.5)], dim=5))
    with pytest.raises(TypeError, match="takes the column size for a number and for a category"):
        export_code(model, "python")
    model = make_pipeline(both, classifier([Rule(some[:1], 0, 1.0, 0.0, 0.5)], dim=5))
    rows = frame.head(4).to_dict("records")
    wanted = model.predict(frame.head(4)).tolist()
    assert run_python(export_code(model, "python"), rows) == wanted
    assert run_sql(export_code(model, "sql"), rows, ["size"]) == wanted


def test_texts_are_made_of_any_cell_as_the_model_makes_them(tmp_path):
    moment = dt.datetime(2024, 1, 31, 18, 5, 6)
    cells = ["Rome", " Rome", " ", None, math.nan, pd.NaT, True, False, 3, 3.0, -2.5, 0.1, 10**20]
    cells += [1e-7, 1.5e-5, 12345678901234567, 123456789012345678, 1e300, dt.date(2024, 1, 31)]
    # where powers of ten begin
    cells += [1e16, 1e16 - 2, -1e16, 1e-4, math.nextafter(1e-4, 0)]
    cells += [
        moment,
        moment.replace(microsecond=120000),
        moment.replace(hour=0, minute=0, second=0),
    ]
    cells += [dt.datetime(2024, 1, 31, 19, tzinfo=UTC_5)]
    others = [
        pd.NA,
        Decimal("3.0"),
        Decimal("NaN"),
        np.int64(3),
        np.True_,
        np.float32(0.1),
        10**400,
    ]
    others += [pd.Timestamp(moment), math.inf, dt.time(5)]
    column = Column("city", "category")
    texts = {text for text in column.read([*cells, *others]).tolist() if text is not None}
    programs = []
    for text in sorted(texts):
        city = Feature("city", "category", category=text)
        model = encoded([city], [Rule((condition([0], [1.0], 0.5),), 1, 1.0, 0.0, 0.5)])
        rows = [{"city": cell} for cell in [*cells, *others]]
        wanted = truth(model, rows)
        assert "yes" in wanted
        code = export_code(model, "python")
        assert_same(rows, run_python(code, rows), wanted, code)
        programs.append((export_code(model, "javascript"), rows[: len(cells)], wanted))
    if NODE:
        found = run_javascript_programs([each[:2] for each in programs], tmp_path)
        for (code, rows, wanted), each in zip(programs, found, strict=True):
            assert_same(rows, each, wanted[: len(rows)], code)


def test_an_older_python_that_reads_fewer_dates_is_refused(monkeypatch):
    code = export_code(gap_model(Column("seen", "date")), "python")
    monkeypatch.setattr(sys, "version_info", (3, 10, 4))
    with pytest.raises(ImportError, match=r"Python 3\.11 or later"):
        run_python(code, [])
