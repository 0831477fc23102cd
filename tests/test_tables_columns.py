"""What a column is, told from its cells, and what its cells say."""

import datetime as dt
import math
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperna._csv import GAPS
from hyperna.tables import Column, TableReader, look_at
from hyperna.tables.columns import DATE_FORMATS, ISO, plain_cells, read_date, read_number
from hyperna.tables.dates import DateParts

AGES = [31, 47, 52, 31, 60, 22, 47, 39]
DAY = dt.datetime(2024, 1, 31, 18, 5)


@pytest.mark.parametrize(
    ("cells", "kind", "form", "gaps"),
    [
        (["31", "NA", "47.5", "-1e3"], "number", ".", 1),
        (["1,5", "2,25", "3,0"], "number", ",", 0),
        (["1,200", "12,000.5", "7"], "number", ".", 0),
        (["1.200,50", "3,5", "7"], "number", ",", 0),
        (["0,125", "12,500", "7,250"], "number", ",", 0),
        (["0.125", "12.500", "7.250"], "number", ".", 0),
        (["-0,125", "+0,500", "012,500"], "number", ",", 0),
        (["1,200", "1,200,300"], "number", ".", 0),
        (["1.200", "1.200.300"], "number", ",", 0),
        (["$12.50", "$7", "?"], "number", ".", 1),
        (["45%", "3 %", ""], "number", ".", 1),
        ([1, None, math.nan, 4], "number", ".", 2),
        ([Decimal("1.5"), Decimal(3)], "number", ".", 0),
        (["2024-01-31", "2023-12-01", "null"], "date", ISO, 1),
        (["2024-01-31T18:05:00Z", "2023-12-01 00:00"], "date", ISO, 0),
        (["31/01/2024", "01/02/2024"], "date", "%d/%m/%Y", 0),
        (["1/31/2024", "1/2/2024"], "date", "%m/%d/%Y", 0),
        (["31.1.2024", "1.2.2024"], "date", "%d.%m.%Y", 0),
        (["Jan 31, 2024", "Feb 1, 2024"], "date", "%b %d, %Y", 0),
        (["31-Jan-24", "01-Feb-24"], "date", "%d-%b-%y", 0),
        (["Jan-2024", "Feb-2024"], "date", "%b-%Y", 0),
        (["2024-01", "2023-12"], "date", "%Y-%m", 0),
        (["1/2024", "12/2023"], "date", "%m/%Y", 0),
        (["1/31/2024 6:05 PM", "2/1/2024 11:00 AM"], "date", "%m/%d/%Y %I:%M %p", 0),
        (["20240131", "20231201"], "date", "%Y%m%d", 0),
        ([20240131, 20231201.0, None], "date", "%Y%m%d", 1),
        (["2024-01-31", "20231201"], "date", ISO, 0),
        (["31.1.2024", "2024-02-01", "1.2.2024"], "date", "%d.%m.%Y", 0),
        ([dt.timedelta(days=1), dt.timedelta(hours=36)], "number", ".", 0),
        ([dt.date(2024, 1, 31), None, DAY], "date", ISO, 1),
        (["yes", "no", "yes", ""], "category", "", 1),
        ([True, False, True], "category", "", 0),
        (["12A", "13", "14B"], "category", "", 0),
    ],
)
def test_kinds_are_told_from_the_cells(cells, kind, form, gaps):
    found = look_at("name", cells)
    assert (found.kind, found.form, found.gaps, found.rows) == (kind, form, gaps, len(cells))
    values = found.read(cells)
    empty = [value is None or value != value for value in values]
    assert sum(empty) == gaps


@pytest.mark.parametrize(
    ("name", "cells", "reason"),
    [
        ("a", ["", "NA", None], "empty"),
        ("a", ["x", "x", " x "], "always x"),
        ("a", [2.0, 2.0], "always 2"),
        ("a", range(1, 101), "numbers the rows"),
        ("a", range(99, -1, -1), "numbers the rows"),
        ("a", [*range(1, 60), *range(65, 101)], "numbers the rows"),
        ("customer_id", range(1000, 1400, 4), "an identifier: a different number in every row"),
        ("customerId", range(1000, 1400, 4), "an identifier: a different number in every row"),
        ("column 1", range(1000, 1400, 4), "an identifier: a different number in every row"),
        ("a", [f"text {i}" for i in range(30)], "a different text in every row"),
        ("a", [f"text {i % 20}" for i in range(30)], "20 different texts in 30 rows"),
        ("a", [f"text {i % 300}" for i in range(900)], "no text in at least 1 % of the rows"),
    ],
)
def test_columns_that_teach_nothing_are_left_out(name, cells, reason):
    found = look_at(name, [*cells])
    assert (found.kind, found.reason, found.used) == ("left out", reason, False)


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("income", [*range(1000, 1400, 4)]),
        ("id", [1, 2, 2, 3] * 10),
        ("grid", [*range(1000, 1400, 4)]),
        ("a", [*range(1, 9)]),
        ("age", [*range(20, 50)]),
        ("a", [f"text {i}" for i in range(6)]),
    ],
)
def test_others_are_kept(name, cells):
    assert look_at(name, cells).used


@pytest.mark.parametrize("first", [0, 1])
def test_numbers_of_rows_are_left_out_in_every_part_of_a_table(first):
    """In folds and among rows with a label too: there they would tell sorted classes apart."""
    rng = np.random.default_rng(0)
    for rows in (50, 51, 1000):
        part = first + rng.choice(rows, rows // 2, replace=False)
        assert look_at("a", part).reason == "numbers the rows"


def test_a_kind_that_is_given_is_taken():
    codes = [*range(100)]
    assert look_at("a", codes, "number").kind == "number"
    category = look_at("a", codes, "category")
    assert category.read(codes[:2]).tolist() == ["0", "1"]
    day = look_at("a", ["01/02/2024", "02/02/2024"], "date:%d/%m/%Y")
    assert day.read(["01/02/2024"])[0] == np.datetime64("2024-02-01")
    assert look_at("a", ["red", "blue"], "number").reason == "holds no number, for instance 'red'"
    assert look_at("a", ["7", "8"], "date").reason.startswith("holds no date")


def test_cells_of_another_kind_count_as_gaps_and_are_told():
    found = look_at("age", [*map(str, AGES), "refused", "", "inf"])
    assert (found.kind, found.gaps, found.odd, found.odd_example) == ("number", 3, 2, "refused")
    assert np.isnan(found.read(["refused", "inf", "1e999", "1_0"])).all()
    day = look_at("day", ["2024-01-31"] * 5 + ["0000-00-00"])
    assert (day.kind, day.gaps, day.odd_example) == ("date", 1, "0000-00-00")


def test_the_order_of_day_and_month_is_told_where_both_fit():
    assert look_at("day", ["01/02/2024", "03/04/2024"]).remark == (
        "read as month, day; the other order would fit too"
    )
    assert look_at("day", ["01/02/2024", "03/14/2024"]).remark == ""
    assert look_at("price", ["1,5", "2,5"]).remark == "decimal comma"


EITHER = ["1/2/2024", "3/4/2024", "never", "5/5/2024", "6/7/2024", "7/6/2024"]
DAY_FIRST, MONTH_FIRST = ["13/2/2024", "1/2/2024"], ["2/13/2024", "1/2/2024"]


@pytest.mark.parametrize(
    ("cells", "others", "form"),
    [
        (EITHER, [], "%m/%d/%Y"),
        (EITHER, [DAY_FIRST], "%d/%m/%Y"),
        (EITHER, [MONTH_FIRST], "%m/%d/%Y"),
        (EITHER, [DAY_FIRST, MONTH_FIRST], "%m/%d/%Y"),
        (EITHER, [["13.2.2024", "1.2.2024"]], "%d/%m/%Y"),
        (EITHER, [["2024-02-13", "2024-02-01"], ["Feb 13, 2024", "Feb 1, 2024"]], "%m/%d/%Y"),
        (EITHER, [["2024/02/13", "2024/02/01"]], "%m/%d/%Y"),
        (EITHER, [[f"{cell} 10:30" for cell in DAY_FIRST]], "%d/%m/%Y"),
        ([f"{cell} 10:30" for cell in EITHER], [DAY_FIRST], "%d/%m/%Y %H:%M"),
        ([cell.replace("/", "-") for cell in EITHER], [], "%d-%m-%Y"),
        ([cell.replace("/", "-") for cell in EITHER], [MONTH_FIRST], "%m-%d-%Y"),
        ([cell.replace("/", "-") for cell in EITHER], [MONTH_FIRST, DAY_FIRST], "%d-%m-%Y"),
    ],
)
def test_dates_that_fit_both_orders_have_that_of_the_table(cells, others, form):
    table = {"on": cells, **{f"other {k}": (each * 3)[:6] for k, each in enumerate(others)}}
    found = TableReader().fit(table).columns_[0]
    assert (found.kind, found.form) == ("date", form)
    order = "day, month" if form.startswith("%d") else "month, day"
    assert found.remark == f"read as {order}; the other order would fit too"
    second = dt.datetime(2024, 2, 1) if form.startswith("%d") else dt.datetime(2024, 1, 2)
    assert found.read(cells)[0].astype("datetime64[D]") == np.datetime64(second, "D")
    for row in (found, *TableReader(kinds={"on": f"date:{form}"}).fit(table).columns_[:1]):
        assert (row.form, row.gaps, row.odd) == (form, 1, 1)


def test_an_order_that_is_given_is_taken_and_tells_that_of_other_columns():
    table = {"on": EITHER, "until": EITHER}
    found = TableReader(kinds={"on": "date:%d/%m/%Y"}).fit(table).columns_
    assert [column.form for column in found] == ["%d/%m/%Y", "%d/%m/%Y"]
    assert [bool(column.remark) for column in found] == [False, True]


def test_iso_dates_are_read_in_columns_of_any_format():
    column = Column("day", "date", "%d/%m/%Y")
    read = column.read(["31/01/2024", "2024-01-31", " 2024-01-31T10:00+02:00", "2024-31-01"])
    assert read.astype(str).tolist() == [
        "2024-01-31T00:00:00.000000",
        "2024-01-31T00:00:00.000000",
        "2024-01-31T08:00:00.000000",
        "NaT",
    ]


def test_how_long_something_took_is_in_days_in_lists_and_arrays():
    pandas = pytest.importorskip("pandas")
    column = Column("took", "number", ".")
    times = [dt.timedelta(days=1, hours=12), pandas.Timedelta("6h"), np.timedelta64(2, "D"), None]
    assert column.read(times).tolist()[:3] == [1.5, 0.25, 2.0]
    assert np.isnan(column.read([pandas.NaT, np.timedelta64("NaT")])).all()
    assert column.read(pandas.Series(times[:3])).tolist() == [1.5, 0.25, 2.0]


CLEAR_COMMAS = ["0,5", "1,25"]
CLEAR_POINTS = ["0.5", "1.25"]
COMMAS = ["12,500", "7,250", "?"]
POINTS = ["12.500", "7.250", "?"]


@pytest.mark.parametrize(
    ("cells", "others", "separator", "form", "remark"),
    [
        (COMMAS, [], "", ".", "read with commas between thousands; decimal commas would fit too"),
        (COMMAS, [], ",", ".", "read with commas between thousands; decimal commas would fit too"),
        (COMMAS, [], ";", ",", "read with decimal commas; commas between thousands would fit too"),
        (COMMAS, [CLEAR_COMMAS], "", ",", "read with decimal commas; commas between"),
        (COMMAS, [CLEAR_POINTS], ";", ".", "read with commas between thousands; decimal commas"),
        (
            COMMAS,
            [CLEAR_POINTS, CLEAR_COMMAS],
            ";",
            ",",
            "read with decimal commas; commas between",
        ),
        (COMMAS, [CLEAR_POINTS, CLEAR_COMMAS], ",", ".", "read with commas between thousands;"),
        (POINTS, [CLEAR_POINTS, CLEAR_COMMAS], ";", ".", "read with decimal points; points"),
        (COMMAS, [["$1,200.50", "7"], ["a.b.", "c,d"]], ";", ".", "read with commas between"),
        (POINTS, [], "", ".", "read with decimal points; points between thousands would fit too"),
        (POINTS, [], ";", ".", "read with decimal points; points between thousands would fit too"),
        (["$12.500", "$7.250", "?"], [], ";", ".", "read with decimal points; points between"),
        (POINTS, [CLEAR_COMMAS], "", ",", "read with points between thousands; decimal points"),
        (POINTS, [CLEAR_POINTS], ";", ".", ""),
        (POINTS, [COMMAS], ";", ",", "read with points between thousands; decimal points"),
        (POINTS, [[0.5, 1.25], ["3", "4"]], "", ".", "read with decimal points; points between"),
    ],
)
def test_numbers_that_fit_both_decimal_marks_have_that_of_the_table(
    cells, others, separator, form, remark
):
    table = {"size": cells, **{f"other {k}": [*each, None] for k, each in enumerate(others)}}
    table = {name: column[:3] for name, column in table.items()}
    reader = TableReader(separator=separator).fit(table)
    found = reader.columns_[0]
    assert (found.kind, found.form, found.gaps) == ("number", form, 1)
    assert found.remark.startswith(remark)
    assert bool(found.remark) == bool(remark)
    decimals = [12.5, 7.25]
    if form != ("," if "," in cells[0] else "."):
        decimals = [12500, 7250]
    assert reader.transform(table)[:2, 0].tolist() == decimals


def test_a_decimal_mark_that_is_given_is_taken_and_tells_that_of_other_columns():
    table = {"size": COMMAS, "price": COMMAS, "weight": POINTS}
    reader = TableReader(kinds={"size": "number:,"}).fit(table)
    assert [column.form for column in reader.columns_] == [",", ",", ","]
    assert reader.transform(table)[0].tolist() == [12.5, 12.5, 12500]
    assert reader.columns_[0].remark == "decimal comma"
    reader = TableReader(kinds={"size": "number:."}, separator=";").fit(table)
    assert [column.form for column in reader.columns_] == [".", ".", "."]
    found = TableReader(kinds={"size": "number:,"}).fit({"size": ["1.5", "1,5", "2"]}).columns_[0]
    assert (found.gaps, found.odd_example) == (1, "1.5")
    for wrong in ("number:;", "number:%d", "number:"):
        with pytest.raises(ValueError, match=r"'number:,' \(decimal commas\)"):
            TableReader(kinds={"size": wrong}).fit(table)


@pytest.mark.parametrize(
    ("cells", "written"),
    [
        (["7", "$7"], "$7"),
        (["7", "7.5", "1e3"], ""),
        (["7", "7.500"], ""),
        (["7", "7,5"], "7,5"),
        (["many", "45 %"] + ["1"] * 9, "45 %"),
        ([1.5, 2.5], ""),
        (["a", "b"], ""),
        (["7", "\u0668"], "\u0668"),
        (["2024-01-31", "2024-02-01 10:00", "2024-02-01T10:00:15Z", "never"] * 3, ""),
        (["2024-01-31", "2024-W05"], "2024-W05"),
        (["2024-01-31", "20240201"], "20240201"),
        (["20240131", "20240201"], ""),
        (["31.1.2024", "1.2.2024", "2024-02-01"], ""),
        (["31.1.2024", "1.2.2024", "2024-W05"], "2024-W05"),
        ([DAY, DAY + dt.timedelta(days=1)], ""),
    ],
)
def test_a_cell_is_kept_that_is_no_plain_number_or_date(cells, written):
    assert look_at("name", cells).written_as == written


@given(
    st.sampled_from(DATE_FORMATS),
    st.lists(
        st.datetimes(dt.datetime(1970, 1, 1), dt.datetime(2060, 1, 1)), min_size=1, max_size=6
    ),
)
def test_dates_are_read_back_in_every_format(form, moments):
    texts = [moment.strftime(form) for moment in moments]
    if form == "%Y%m%d" or "%y" not in form:
        wanted = [np.datetime64(dt.datetime.strptime(text, form), "us") for text in texts]
        assert Column("day", "date", form).read(texts).tolist() == [w.item() for w in wanted]
    if len(set(texts)) > 1:
        found = look_at("day", texts)
        assert found.kind == "date", (texts, found)
        assert found.odd == 0


@given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from([".", ","]))
def test_numbers_are_read_back(value, decimal):
    text = repr(value).replace(".", decimal)
    assert read_number(text, decimal) == value
    whole = round(min(max(value, -1e15), 1e15))
    written = f"{whole:,}".replace(",", "." if decimal == "," else ",")
    assert read_number(written, decimal) == whole


@pytest.mark.parametrize("text", ["a", "1_0", "", "1e999", "-inf", "nan", "1,2,3", "0x10", "--1"])
def test_what_is_no_number(text):
    assert math.isnan(read_number(text))


@pytest.mark.parametrize("text", ["0000-00-00", "2024-02-30", "1", "99999-01-01", "", "today"])
def test_what_is_no_date(text):
    assert np.isnat(read_date(text))


def test_texts_for_gaps_are_those_of_pandas_and_some_more():
    pandas = pytest.importorskip("pandas")
    from pandas._libs.parsers import STR_NA_VALUES  # what read_csv takes for a gap

    assert set(STR_NA_VALUES) - GAPS <= {" "}
    assert plain_cells([*GAPS, " ? "]).tolist() == [None] * (len(GAPS) + 1)
    assert pandas.NA is not None


def test_types_of_pandas_and_polars_say_the_same_as_texts():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    texts = {
        "number": ["1", "2.5", ""],
        "whole": ["1", "", "3"],
        "day": ["2024-01-31", "", "2023-01-01"],
        "moment": ["2024-01-31T18:05:00", "2023-01-01T00:00:00", ""],
        "zone": ["2024-01-31T18:05:00", "2023-01-01T00:00:00", ""],
        "city": ["Rome", "", "Oslo"],
        "kind": ["a", "", "b"],
        "flag": ["True", "False", ""],
    }
    frame = pandas.DataFrame(
        {
            "number": [1, 2.5, np.nan],
            "whole": pandas.array([1, None, 3], dtype="Int64"),
            "day": pandas.to_datetime(["2024-01-31", None, "2023-01-01"]),
            "moment": [DAY, dt.datetime(2023, 1, 1), None],
            "zone": pandas.to_datetime(["2024-01-31 18:05", "2023-01-01 00:00", None], utc=True),
            "city": ["Rome", None, "Oslo"],
            "kind": pandas.Categorical(["a", None, "b"]),
            "flag": pandas.array([True, False, None], dtype="boolean"),
        }
    )
    other = polars.DataFrame(
        {
            "number": [1.0, 2.5, None],
            "whole": [1, None, 3],
            "day": [dt.date(2024, 1, 31), None, dt.date(2023, 1, 1)],
            "moment": [DAY, dt.datetime(2023, 1, 1), None],
            "zone": [DAY, dt.datetime(2023, 1, 1), None],
            "city": ["Rome", None, "Oslo"],
            "kind": polars.Series(["a", None, "b"], dtype=polars.Categorical),
            "flag": [True, False, None],
        }
    )
    first = TableReader().fit(texts)
    values = first.transform(texts)
    for table in (frame, other):
        reader = TableReader().fit(table)
        kinds = [(column.name, column.kind, column.gaps) for column in reader.columns_]
        assert kinds == [(column.name, column.kind, column.gaps) for column in first.columns_]
        for one in (reader, first):
            again = one.transform(table)
            same = (again == values) | (again != again) & (values != values)
            assert same.all(), again


def test_the_reader_lists_all_problems_at_once():
    table = {"age": AGES, "city": ["Rome", "Oslo"] * 4}
    with pytest.raises(ValueError, match="not in the table") as caught:
        TableReader(kinds={"agee": "number"}, ignore=["town", "land"]).fit(table)
    for word in ("'agee'; did you mean 'age'?", "'town', 'land'", "age, city"):
        assert word in str(caught.value)
    with pytest.raises(ValueError, match="no column to learn from") as caught:
        TableReader(ignore=["age"]).fit({"age": AGES, "unit": ["m"] * 8})
    assert "'age' (as asked), 'unit' (always m)" in str(caught.value)
    with pytest.raises(ValueError, match=r"2 more columns: 'age', 'city'"):
        TableReader().fit(table).transform({"Age": AGES})
    with pytest.raises(ValueError, match=r"got 'words' for column 'age'"):
        TableReader(kinds={"age": "words"}).fit(table)
    with pytest.raises(TypeError, match="kinds must map"):
        TableReader(kinds=["age"]).fit(table)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ([1, 2, 3], "X must be a table"),
        ({}, "at least one column"),
        ({"a": []}, "at least one row"),
        ({"a": [1], "b": [1, 2]}, "one length"),
        (np.zeros((0, 2)), "at least one row"),
    ],
)
def test_what_is_no_table(table, words):
    with pytest.raises(ValueError, match=words):
        TableReader().fit(table)


def test_repeated_names_are_refused():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match="more than one 'a'"):
        TableReader().fit(pandas.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]))


def test_arrays_have_columns_by_position():
    X = np.array([["1", "a"], ["2", "b"], ["3", "a"]], dtype=object)
    reader = TableReader(names=["size", "kind"]).fit(X)
    assert reader.get_feature_names_out().tolist() == ["size", "kind"]
    assert reader.transform(X[:1]).tolist() == [[1.0, "a"]]
    assert TableReader().fit(X).feature_names_in_.tolist() == ["x1", "x2"]
    with pytest.raises(ValueError, match="2 columns, got 3"):
        reader.transform(np.zeros((1, 3)))
    floats = TableReader().fit(np.array([[1.0, 2.0], [3.0, np.nan]]))
    assert floats.transform(np.array([[5.0, 6.0]])).dtype == float


def test_the_first_and_the_last_moment_of_the_calendar_are_dates():
    inside = ["0001-01-01", "9999-12-31", "9999-12-31T23:59:59"]
    moments = np.array(inside, dtype="datetime64[s]")
    assert not np.isnat(plain_cells(moments)).any()
    beyond = np.array(["0000-12-31", "10000-01-01"], dtype="datetime64[s]")
    assert np.isnat(plain_cells(beyond)).all()
    for moment in moments:
        assert plain_cells([moment])[0] == moment
    assert plain_cells([*beyond]).tolist() == [None, None]
    column = Column("d", "date")
    assert (column.read(inside) == moments).all()


def test_texts_of_which_more_than_half_differ_are_left_out():
    for different, kind in ((20, "category"), (21, "left out")):
        texts = [f"text {i % different}" for i in range(40)]
        assert look_at("remark", texts).kind == kind


def test_dates_have_seconds_if_one_of_them_has_a_time():
    for cells, step, days in (
        (["2024-01-01", "2024-01-03"], "day", [0.0, 2.0]),
        (["2024-01-01", "2024-01-03T12:00"], "second", [0.0, 2.5]),
    ):
        moments = np.array(cells, dtype="datetime64[us]")[:, None]
        parts = DateParts().fit(moments)
        assert parts.step_ == [step]
        assert parts.transform(moments)[:, 0].tolist() == days
