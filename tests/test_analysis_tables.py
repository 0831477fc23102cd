"""Tables as Markdown, LaTeX and CSV."""

import csv
import io
import math
import re

from hyperna._tables import Table, csv_text, escape_latex, latex, markdown


def test_every_special_sign_is_escaped_in_latex():
    special = "\\%&#$_{}~^<>"
    for sign in special:
        written = escape_latex(sign)
        assert written != sign
        assert re.fullmatch(r"\\[%&#$_{}]|\\text\w+\{\}", written)


TABLE = Table(
    "demo",
    "50 % of two_quarters",
    ("r", "mean", "verdict"),
    [("120", "1 (0 … 2)", "agrees"), ("1200", "∞", "paper higher")],
    [{"r": 120, "mean": 1.0}, {"r": 1200, "mean": math.inf}],
    ("A note.",),
    frozenset({2}),
)


def test_markdown_lines_up():
    lines = [line for line in markdown(TABLE).splitlines() if line.startswith("|")]
    assert len({len(line) for line in lines}) == 1
    assert lines[1] == "|-----:|----------:|--------------|"
    assert lines[3] == "| 1200 |         ∞ | paper higher |"


def test_latex_has_equal_rows_and_only_escaped_signs():
    text = latex(TABLE)
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert len(rows) == 3
    assert {row.count("&") for row in rows} == {2}
    assert r"\begin{tabular}{rrl}" in text
    assert r"\caption{50 \% of two\_quarters. A note.}" in text
    assert text.isascii()
    assert escape_latex("a\\b{c}") == r"a\textbackslash{}b\{c\}"


def test_csv_has_every_column_that_a_record_has():
    table = Table("s", "t", ("r",), [("1",), ("2",)], [{"r": 1}, {"r": 2, "exact": 3}])
    assert csv_text(table) == "r,exact\n1,\n2,3\n"


def test_csv_is_the_records():
    rows = list(csv.DictReader(io.StringIO(csv_text(TABLE))))
    assert rows == [{"r": "120", "mean": "1.0"}, {"r": "1200", "mean": "inf"}]
