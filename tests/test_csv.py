"""The reader of CSV files: wide files, odd files, long names and values."""

import contextlib
import re

import numpy as np
import pytest

from hyperna import read_csv
from hyperna._csv import CsvTable, _separator
from hyperna.cli import main
from hyperna.datasets import read_dataset

# Points of these files lie outside of the unit ball, which `read_csv` warns of.
pytestmark = pytest.mark.filterwarnings("ignore:points lie up to")


def test_wide_files_take_linear_time(tmp_path):
    """Looking names up in a list took five minutes for this file."""
    columns = 100_000
    file = tmp_path / "wide.csv"
    names = ",".join(f"c{i}" for i in range(columns))
    row = ",".join(map(str, range(columns)))
    file.write_text(f"{names},kind\n{row},plum\n{row},fig\n")
    expected = np.arange(columns, dtype=float)
    for X in (read_csv(file).X, read_dataset(file).X):
        assert np.array_equal(X, [expected, expected])
    ignored = read_dataset(file, ignore=[f"c{i}" for i in range(0, columns, 2)])
    assert np.array_equal(ignored.X[0], expected[1::2])
    table = CsvTable(file)
    assert np.array_equal(table.numbers(table.header[:-1][::-1])[0], expected[::-1])


def test_the_same_points_whoever_reads_them(tmp_path):
    file = tmp_path / "points.csv"
    file.write_text("\ufeff a , class,b\r\n\r\n 1.5 , yes ,-2e3\r\n0,no,7\r\n", encoding="utf-8")
    problem, data = read_csv(file, label="class"), read_dataset(file, label="class")
    assert problem.X.tolist() == data.X.tolist() == [[1.5, -2000.0], [0.0, 7.0]]
    assert data.features == ("a", "b")
    assert problem.y.tolist() == (data.y == "yes").tolist() == [True, False]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b,{long}\n1,2,x\n3,4,y\n", "label must name a column"),
        ("{long},{long},y\n1,2,x\n3,4,y\n", "more than one column"),
        ("a,b,zz\n{long},2,x\n3,4,y\n", "line 2, column 'a': expected a finite number"),
        ("a,b,zz\n1,2,{long}\n3,4,{long}\n", "label must name a column"),
    ],
)
def test_long_names_and_values_are_shortened(tmp_path, text, message):
    file = tmp_path / "long.csv"
    file.write_text(text.format(long="w" * 50_000))
    for read in (read_csv, read_dataset):
        with pytest.raises(ValueError, match=message) as caught:
            read(file, label="nowhere" if "must name" in message else None)
        assert len(str(caught.value)) < 600


def test_many_columns_are_not_all_listed(tmp_path, capsys):
    file = tmp_path / "wide.csv"
    file.write_text(",".join(f"c{i}" for i in range(5000)) + "\n" + ",".join(["1"] * 5000) + "\n")
    assert main(["fit", str(file), "--label", "c50x"]) == 2
    error = capsys.readouterr().err
    assert "got 'c50x'; did you mean 'c50'?; its columns: c0, c1," in error
    assert "c19, ... (5,000 in all)" in error


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('"a\nb",c,kind\n1,2,x\n\n3,"4\n",y\n5,six,x\n', "line 7, column 'c'"),
        ("a,b,kind\n1,2,x\n1,2\n", "line 3: expected 3 values like the first line, got 2"),
        ("a,b,kind\n1,2,x\n1,2, NaN \n", "line 3: the label 'kind' is missing"),
        ("1,2,0.5\n3,4,1\n", "must start with a line of column names"),
    ],
)
def test_faults_are_where_the_message_says(tmp_path, text, message):
    file = tmp_path / "odd.csv"
    file.write_text(text)
    for read in (read_csv, read_dataset):
        with pytest.raises(ValueError, match=message):
            read(file)


def test_columns_may_be_called_by_numbers(tmp_path):
    file = tmp_path / "numbered.csv"
    file.write_text("0,1,kind\n1.5,2,x\n3,4,y\n")
    assert read_dataset(file).features == ("0", "1")
    assert read_csv(file).X.tolist() == [[1.5, 2.0], [3.0, 4.0]]


@pytest.mark.parametrize("text", ["nan", "inf", "-inf", "1e999", "", "one"])
def test_the_first_cell_without_a_finite_number_is_named(tmp_path, text):
    (tmp_path / "some.csv").write_text(f"a,b\n1,2\n\n3, {text} \n{text},x\n")
    with pytest.raises(ValueError, match=r"line 4, column 'b': expected a finite number") as error:
        CsvTable(tmp_path / "some.csv").numbers(["a", "b"])
    assert str(error.value).endswith(f"got {text!r}")


def test_classes_are_written_back_as_they_were_read(tmp_path):
    from hyperna._csv import CsvTable

    (tmp_path / "codes.csv").write_text("x,code,number\n1,007,7\n2,7,-3\n3,+1,0\n")
    table = CsvTable(tmp_path / "codes.csv")
    assert table.classes("code").tolist() == ["007", "7", "+1"]
    assert table.classes("number").tolist() == [7, -3, 0]


@pytest.mark.parametrize("cell", ["", "nan", "red"])
def test_what_to_do_about_a_feature_without_numbers_is_said(tmp_path, cell):
    file = tmp_path / "some.csv"
    file.write_text(f"size,colour,kind\n1,2,a\n3,{cell},b\n")
    with pytest.raises(
        ValueError, match=re.escape(f"got {cell!r}; read_table takes text and gaps")
    ):
        read_dataset(file)


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_separators_and_encodings_are_recognised(tmp_path, mark, encoding):
    file = tmp_path / "some.csv"
    lines = [["size", '"the, kind; really"'], ["1.5", "plüm"], ["2", '"f,i;g"']]
    file.write_bytes("\r\n".join(map(mark.join, lines)).encode(encoding))
    table = CsvTable(file)
    assert table.separator == mark
    assert table.header == ["size", "the, kind; really"]
    assert table.cells == [["1.5", "plüm"], ["2", "f,i;g"]]


@pytest.mark.parametrize("order", ["le", "be"])
def test_both_orders_of_bytes_are_read(tmp_path, order):
    file = tmp_path / "some.csv"
    file.write_bytes("\ufeffsize;kind\n1;plüm\n2;fig\n".encode(f"utf-16-{order}"))
    table = CsvTable(file)
    assert (table.header, table.separator) == (["size", "kind"], ";")
    assert table.texts("kind") == ["plüm", "fig"]


@pytest.mark.parametrize(
    ("lines", "mark"),
    [
        # the first of the marks where two give as many cells
        (["a,b;c", "1,2;3"], ","),
        (["a;b,c", "1;2,3"], ","),
        (["a|b\tc", "1|2\t3"], "\t"),
        # the one with the most cells where two give as many lines
        (["a;b;c,d", "1;2;3,4"], ";"),
        (["a|b,c|d", "1|2,3|4"], "|"),
        # the one with the most lines, however few the cells
        (["a;b,c,d", "1;2", "3;4"], ";"),
        (["a,b;c;d", "1,2", "3,4;5;6"], ","),
        (["a;b,c,d", "1;2", "3;4,5,6", "7,8,9"], ","),
        # one that is only in some of the lines below
        (["a", "1,2", "3,4"], None),
    ],
)
def test_the_separator_gives_most_lines_as_many_cells(tmp_path, lines, mark):
    file = tmp_path / "some.csv"
    file.write_text("\n".join(lines))
    with contextlib.suppress(ValueError):  # lines that do not fit in
        assert CsvTable(file).separator == mark
    with file.open() as opened:
        assert _separator(opened) == (mark or ",")


@pytest.mark.parametrize(
    ("different", "rows", "fit"),
    [(20, 20, True), (21, 21, False), (21, 41, False), (21, 42, True), (22, 43, False)],
)
def test_up_to_twenty_classes_or_as_many_as_half_of_the_rows(tmp_path, different, rows, fit):
    file = tmp_path / "some.csv"
    labels = [f"c{min(k, different - 1)}" for k in range(rows)]
    file.write_text("x,kind\n" + "".join(f"{k},{label}\n" for k, label in enumerate(labels)))
    if fit:
        assert CsvTable(file).classes("kind").tolist() == labels
    else:
        with pytest.raises(ValueError, match=f"got {different} different values in {rows} rows"):
            CsvTable(file).classes("kind")


@pytest.mark.parametrize("sign", ["", "-"])
def test_whole_numbers_are_classes_as_far_as_each_is_a_double(tmp_path, sign):
    file = tmp_path / "some.csv"
    for number, wanted in ((2**53 - 1, int), (2**53, str), (2**53 + 1, str)):
        file.write_text(f"x,kind\n1,{sign}{number}\n2,3\n")
        found = CsvTable(file).classes("kind").tolist()
        assert found == [wanted(f"{sign}{number}"), wanted("3")]


def test_columns_without_a_name_are_called_by_their_place(tmp_path):
    (tmp_path / "some.csv").write_text(",a,\n1,2,3\n")
    assert CsvTable(tmp_path / "some.csv").header == ["column 1", "a", "column 3"]


def test_all_problems_of_a_file_are_told_at_once(tmp_path):
    rows = "".join(f"1,2{',3' * (k % 3)}\n" for k in range(20))
    (tmp_path / "some.csv").write_text(f"a,b,a,b\n{rows}")
    with pytest.raises(ValueError, match="more than one column named 'a', 'b'") as caught:
        CsvTable(tmp_path / "some.csv")
    wrong = "lines 2, 3, 5, 6, 8, ... (14 in all): expected 4 values like the first line, got 2, 3"
    assert wrong in str(caught.value)
