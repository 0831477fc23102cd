"""Columns at the exact limits of their kinds, and what is made of them, computed plainly."""

import datetime as dt
import itertools
from collections import Counter

import numpy as np
import pytest

from hyperna import NAClassifier
from hyperna.classifier.candidates import lasso_sets, size_class
from hyperna.classifier.table import (
    FEWEST_OF_A_CLASS,
    MOST_ROWS,
    LabelledTable,
    Standardisation,
    StandardPoints,
    blocks,
    class_weights,
)
from hyperna.tables import DateParts, Encoding, Feature, TableReader, look_at, table_encoder
from hyperna.tables.columns import plain_cells, read_category, read_date, read_number
from hyperna.tables.dates import DATE_PARTS, date_part, moment_text

CUSTOMERS = [*range(1000, 1400, 20)]


def kind_of(cells, name="a"):
    return look_at(name, cells).kind


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        # so many of the cells as 4 of 5, not of the different ones
        (["1", "2"] * 4 + ["x", "y"], "number"),
        (["1", "2"] * 4 + ["3", "x", "y", "z"], "category"),
        (["1"] * 7 + ["2", "x", "x"], "number"),
        (["1", "2", "3", "4", "x", "x"], "category"),
        (["1", "2", "3", "4", "x", ""], "number"),  # gaps do not count
        (["2024-01-31", "2024-01-30"] * 4 + ["x", "y"], "date"),
        (["2024-01-31", "2024-01-30"] * 7 + ["x", "y", "x", "y"], "category"),
        # days written as one number, from 1900 to 2100
        ([19000101.0, 21001231.0], "date"),
        ([19000101.0, 21001232.0], "number"),
        ([19000100.0, 21001231.0], "number"),
        ([20240229.0, 20240301.0], "date"),
        ([20230229.0, 20240301.0], "number"),  # there is no such day
        ([20240229.5, 20240301.0], "number"),
        # all of them are days, not only most
        ([*range(20240101, 20240110), 20240132], "number"),
        ([*range(20240101, 20240110), 20240131], "date"),
        (["20240229", "20240301"], "date"),
        # texts: at most half of ten or more may differ
        ([f"t{k}" for k in range(9)], "category"),
        ([f"t{k}" for k in range(10)], "left out"),
        ([f"t{k}" for k in range(9)] + [None], "category"),
        ([f"t{k % 5}" for k in range(10)], "category"),
        ([f"t{k % 6}" for k in range(10)], "left out"),
        ([f"t{k % 6}" for k in range(11)], "left out"),
        ([f"t{k % 6}" for k in range(12)], "category"),
        # the most frequent one has one row in a hundred
        ([f"t{k % 100}" for k in range(1000)], "category"),
        ([f"t{k % 111}" for k in range(999)], "left out"),
        ([f"t{k % 99}" for k in range(990)] + [None] * 10, "category"),
        ([f"t{k % 100}" for k in range(1000)] + [None], "left out"),
        # numbers of rows: all different, from one of the first ten on, up to twice as many
        ([*range(20)], "left out"),
        ([*range(19)], "number"),
        ([*range(10, 30)], "left out"),
        ([*range(11, 31)], "number"),
        ([*range(-1, 19)], "number"),
        ([*range(19), 41], "left out"),
        ([*range(19), 42], "number"),
        ([*range(19), 0], "number"),
        ([*range(20), None], "number"),
        ([*range(19), 19.5], "number"),
        # constant
        ([7, 7], "left out"),
        ([7, None], "number"),
        ([None, None], "left out"),
    ],
)  # fmt: skip
def test_kinds_at_their_limits(cells, kind):
    assert kind_of(cells) == kind
    turned = cells[::-1]
    assert kind_of(turned) == kind


@pytest.mark.parametrize("asked", ["number", "date", "date:%d.%m.%Y", "category"])
@pytest.mark.parametrize("gaps", [0, 1, 5])
def test_a_kind_that_no_cell_has_leaves_a_column_out(asked, gaps):
    """However many gaps there are beside the cells; one cell that has it is enough."""
    kind = asked.partition(":")[0]
    good = {"number": "7", "date": "31.12.2023" if ":" in asked else "2023-12-31"}.get(kind)
    for cells in (["x", "y", "z", "x"], ["x", "y", "z", good]):
        found = look_at("a", [*cells, *[None] * gaps], asked)
        if kind == "category":
            assert (found.kind, found.odd, found.gaps) == ("category", 0, gaps + (None in cells))
            continue
        odd = 4 - (good in cells)
        assert found.kind == (kind if good in cells else "left out")
        assert (found.odd, found.gaps, found.rows) == (odd, odd + gaps, 4 + gaps)
        assert found.odd_example in cells


@pytest.mark.parametrize("name", ["id", "ID", "customer_id", "customer id", "userId", "userID"])
def test_identifiers_have_names_and_twenty_rows(name):
    assert kind_of(CUSTOMERS, name) == "left out"
    assert kind_of(CUSTOMERS[:-1], name) == "number"
    assert kind_of([*CUSTOMERS[:-1], CUSTOMERS[0]], name) == "number"
    assert kind_of([*CUSTOMERS[:-1], 0.5], name) == "number"
    for other in (f"{name}s", "paid", "acid", "ideal"):
        assert kind_of(CUSTOMERS, other) == "number"
    found = look_at(name, CUSTOMERS, "number")
    assert (found.kind, found.reason) == ("number", "")


# Cells of numbers, and what they are with a decimal point and with a decimal comma.
MARKED = {
    "12,500": (12500.0, 12.5),
    "$12.500": (12.5, 12500.0),
    "1,5": (None, 1.5),
    "1.200,50": (None, 1200.5),
    "2.5": (2.5, None),
    "7": (7.0, 7.0),
    3.0: (3.0, 3.0),
    "x": (None, None),
}
# Cells of dates, and what they are with the month first and with the day first.
ORDERED = {
    "1/2/2024": ("2024-01-02", "2024-02-01"),
    "13/2/2024": (None, "2024-02-13"),
    "2/13/2024": ("2024-02-13", None),
    "5/5/2024": ("2024-05-05", "2024-05-05"),
    "2024-02-03": ("2024-02-03", "2024-02-03"),
    "x": (None, None),
}


def reading_by_hand(cells, told):
    """Which of two ways to read some cells is taken, whether the other would do, and the values.

    The first way is taken, unless the second reads more of them, or reads the same cells as other
    values and is the way of other columns.
    """
    first, second = ([known[way] for known in cells] for way in (0, 1))
    read = [[value is not None for value in values] for values in (first, second)]
    either = read[0] == read[1] and first != second
    second_is_taken = sum(read[1]) > sum(read[0]) or (either and told)
    return second_is_taken, either, second if second_is_taken else first


@pytest.mark.parametrize("decimal", ["", ".", ","])
def test_decimal_marks_of_all_short_columns(decimal):
    for some in itertools.product(MARKED, repeat=3):
        if len({*some}) == 1:
            continue
        commas, either, values = reading_by_hand([MARKED[cell] for cell in some], decimal == ",")
        found = look_at("a", some, "number", decimal)
        if not any(values):
            assert not found.used
            continue
        mark, other = (",", ".") if commas else (".", ",")
        assert (found.form, found.other_form) == (mark, other if either else ""), some
        assert found.gaps == values.count(None)
        assert [None if x != x else x for x in found.read(some).tolist()] == values


@pytest.mark.parametrize("day_first", [None, False, True])
@pytest.mark.parametrize("separator", ["/", "-"])
def test_orders_of_day_and_month_of_all_short_columns(separator, day_first):
    usual = separator == "-"  # the day, if nothing tells
    for some in itertools.product(ORDERED, repeat=3):
        ways = [ORDERED[cell][::-1] if usual else ORDERED[cell] for cell in some]
        if len({*some}) == 1 or not {*some} - {"2024-02-03", "x"}:
            continue
        told = day_first is not None and day_first != usual
        second_is_taken, either, values = reading_by_hand(ways, told)
        cells = [cell if cell == "2024-02-03" else cell.replace("/", separator) for cell in some]
        found = look_at("a", cells, "date", day_first=day_first)
        form, other = f"%m{separator}%d{separator}%Y", f"%d{separator}%m{separator}%Y"
        if second_is_taken != usual:
            form, other = other, form
        assert (found.form, found.other_form) == (form, other if either else ""), cells
        days = [None if np.isnat(day) else str(day)[:10] for day in found.read(cells)]
        assert days == values


def test_a_kind_that_is_given_holds_whatever_other_columns_tell():
    """Without it these would be an identifier, categories, and categories once more."""
    clear = [f"{k},5" for k in range(20)]
    table = {
        "id": [f"{k},125" for k in range(10, 30)],
        "size": ["12,500", "7,250", *["x", "y"] * 9],
        "on": ["1/2/2024", "3/4/2024", *["x", "y"] * 9],
        "clear": clear,
        "from": ["13/2/2024", "14/2/2024"] * 10,
    }
    kinds = {"id": "number", "size": "number", "on": "date"}
    found = TableReader(kinds=kinds).fit(table).columns_
    number, date = ("number", ","), ("date", "%d/%m/%Y")
    assert [(each.kind, each.form) for each in found] == [number, number, date, number, date]


@pytest.mark.parametrize("first", [True, 1, 1.0, "1", "True"])
def test_equal_cells_of_other_types_stay_what_they_are(first):
    known = [(True, "True"), (1, 1.0), (1.0, 1.0), ("1", "1"), ("True", "True"), (np.True_, "True")]
    cells = [first, *(cell for cell, _ in known)]
    plain = plain_cells(cells).tolist()
    assert plain[1:] == [one for _, one in known]
    assert [type(one) for one in plain[1:]] == [type(one) for _, one in known]


def test_the_example_of_odd_cells_is_the_most_frequent_one():
    cells = [*map(str, range(40)), "seldom", "often", "often", "late"]
    assert look_at("a", cells).odd_example == "often"


def test_a_format_is_asked_before_the_iso_one_where_both_read_a_text():
    assert read_date("2024-02-03", "%Y-%d-%m") == np.datetime64("2024-03-02")
    assert read_date("2024-02-13", "%Y-%d-%m") == np.datetime64("2024-02-13")


@pytest.mark.parametrize(
    ("text", "decimal", "value"),
    [
        ("1,234", ".", 1234.0),
        ("12,34", ".", None),
        ("1,2345", ".", None),
        ("1234,567", ".", None),
        ("123,456,789.5", ".", 123456789.5),
        ("-1,234", ".", -1234.0),
        ("1.234", ",", 1234.0),
        ("1.23", ",", None),
        ("1.234,5", ",", 1234.5),
        ("1,5", ",", 1.5),
        ("5 %", ".", 5.0),
        ("€ 1,000", ".", 1000.0),
        ("1e3", ".", 1000.0),
        ("1_000", ".", None),
        ("inf", ".", None),
        ("nan", ".", None),
        ("1e400", ".", None),
    ],
)
def test_texts_that_are_numbers(text, decimal, value):
    found = read_number(text, decimal)
    assert found == value if value is not None else np.isnan(found)


def test_cells_that_are_dates_at_the_ends_of_the_calendar():
    for text in ("0001-01-01", "9999-12-31", "2024-02-29"):
        assert str(read_date(text)).startswith(text)
    for text in ("0000-12-31", "10000-01-01", "2023-02-29", "x"):
        assert np.isnat(read_date(text))
    assert str(read_date(19000101.0, "%Y%m%d"))[:10] == "1900-01-01"
    assert str(read_date(21001231.0, "%Y%m%d"))[:10] == "2100-12-31"
    assert np.isnat(read_date(18991231.0, "%Y%m%d"))
    assert np.isnat(read_date(21010101.0, "%Y%m%d"))
    assert read_category(np.datetime64("2024-01-31T00:00:00", "us")) == "2024-01-31"
    assert read_category(np.datetime64("2024-01-31T10:00:00", "us")) == "2024-01-31T10:00:00"


def plain_parts(moment, origin, step):
    """Parts of a date by the calendar of Python."""
    since = moment - dt.datetime.fromisoformat(origin)
    days = since.days if step == "day" else since.days + since.seconds / 86400
    return [days, moment.month, moment.isoweekday(), moment.hour]


@pytest.mark.parametrize("seed", range(30))
def test_dates_become_numbers_by_the_calendar(seed):
    rng = np.random.default_rng(seed)
    first, last = dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31, 23, 59, 59)
    base = [first, dt.datetime(1969, 12, 30), dt.datetime(2024, 2, 27), last][seed % 4]
    sign = -1 if base == last else 1
    seconds = 1 if seed % 3 else 86400
    reach = [3, 40, 90_000, 4_000_000][int(rng.integers(0, 4))]
    steps = rng.integers(0, reach if seconds == 1 else reach % 997 + 2, 12)
    moments = [base + sign * dt.timedelta(seconds=seconds * int(k)) for k in steps]
    if base == last and seconds > 1:
        moments = [moment.replace(hour=0, minute=0, second=0) for moment in moments]
    gaps = rng.random(12) < (seed % 2) / 3
    gaps[0] = False
    cells = [None if gap else moment for gap, moment in zip(gaps, moments, strict=True)]
    known = sorted(moment for moment in cells if moment)
    parts = DateParts().fit(np.array(cells, dtype="datetime64[us]")[:, None])
    whole = all(moment.time() == dt.time() for moment in known)
    assert parts.step_ == ["day" if whole else "second"]
    assert parts.origin_ == [f"{known[0].year:04d}-01-01"]
    fill = known[(len(known) - 1) // 2]
    assert parts.fill_[0] == np.datetime64(fill, "us").item().isoformat(timespec="microseconds")
    origin, step = parts.origin_[0], parts.step_[0]
    table = np.array([plain_parts(moment or fill, origin, step) for moment in cells])
    values = np.array([plain_parts(moment, origin, step) for moment in known])
    wanted = ["date"] + [
        part for k, part in enumerate(DATE_PARTS) if k and len(set(values[:, k].tolist())) > 1
    ]
    columns = [table[:, DATE_PARTS.index(part)] for part in wanted]
    if gaps.any():
        wanted.append("missing")
        columns.append(gaps.astype(float))
    assert parts.parts_ == [tuple(wanted)]
    found = parts.transform(np.array(cells, dtype="datetime64[us]")[:, None])
    np.testing.assert_array_equal(found, np.column_stack(columns))


def test_times_are_rounded_down_on_both_sides_of_the_origin():
    moments = np.array(
        ["2023-12-31T23:59:59.999999", "2024-01-01", "2024-01-01T23:59:59.9"], "datetime64[us]"
    )
    assert date_part(moments, "date", "2024-01-01", "day").tolist() == [-1, 0, 0]
    seconds = date_part(moments, "date", "2024-01-01", "second") * 86400
    assert seconds.tolist() == [-1, 0, 86399]
    assert date_part(moments, "hour").tolist() == [23, 0, 23]
    assert moment_text("2024-01-01", 86399, "second") == "2024-01-01 23:59:59"
    assert moment_text("2024-01-01", 3600, "second") == "2024-01-01 01:00"
    assert moment_text("2024-01-01", -86400, "second") == "2023-12-31"


def encoded(cells, name="c"):
    """Features of a column, and their values for the table, beside another column."""
    encoder = table_encoder().fit({name: cells, "x": [0.5, 1.5] * (len(cells) // 2)})
    features = [each for each in Encoding.of(encoder).features if each.column == name]
    X = encoder.transform({name: cells, "x": [0.0] * len(cells)})
    return features, X


@pytest.mark.parametrize("rows", [200, 400])
@pytest.mark.parametrize("rarest", [-1, 0, 1])
def test_categories_of_one_row_in_a_hundred_have_a_feature(rows, rarest):
    count = rows // 100 + rarest
    cells = ["small"] * count + ["b"] * (rows // 2)
    cells += ["a"] * (rows - len(cells))
    features, _ = encoded(cells)
    own = {feature.category for feature in features if feature.kind == "category"}
    assert ("small" in own) == (rarest >= 0)
    rare = [feature for feature in features if feature.kind == "rare"]
    assert len(rare) == (rarest < 0)
    if rare:
        assert set(rare[0].named) == {"a", "b"}


@pytest.mark.parametrize("count", [18, 19, 20, 21, 22, 25])
@pytest.mark.parametrize("gaps", [0, 30])
def test_at_most_twenty_features_of_categories(count, gaps):
    """From twenty on the smallest share one; a gap is a category."""
    rng = np.random.default_rng(count)
    sizes = {f"t{k:02d}": 20 + k for k in range(count)}
    cells = [text for text, size in sizes.items() for _ in range(size)] + [None] * gaps
    cells += [cells[-1 - gaps]] * (len(cells) % 2)
    cells = [cells[k] for k in rng.permutation(len(cells))]
    features, X = encoded(cells)
    counts = Counter(cells)
    largest = [text for text, _ in counts.most_common()]
    kept = {*(largest if len(counts) < 20 else largest[:19])}
    kinds = Counter(feature.kind for feature in features)
    assert kinds["category"] == len(kept - {None})
    assert kinds["missing"] == (None in kept)
    assert kinds["rare"] == (len(counts) >= 20)
    place = X.shape[1] - len(features)
    for feature, values in zip(features, X.T[place:], strict=True):
        wanted = [
            {
                "category": cell == feature.category,
                "missing": cell is None,
                "rare": cell not in kept,
            }[feature.kind]
            for cell in cells
        ]
        assert values.tolist() == [float(one) for one in wanted]


@pytest.mark.parametrize("seed", range(12))
def test_gaps_of_numbers_count_as_the_median(seed):
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(3, 12))
    values = rng.integers(-9, 10, rows) / 2
    gap = rng.random(rows) < 0.3
    gap[:2] = False
    values[:2] = [-10, 10]
    cells = np.where(gap, np.nan, values)
    encoder = table_encoder().fit({"x": cells})
    known = sorted(values[~gap].tolist())
    middle = len(known) // 2
    median = known[middle] if len(known) % 2 else (known[middle - 1] + known[middle]) / 2
    found = encoder.transform({"x": [*cells, np.nan, np.inf, "x"]})
    assert found[:, 0].tolist() == [*np.where(gap, median, values), median, median, median]
    assert found.shape[1] == 1 + gap.any()
    if gap.any():
        assert found[:, 1].tolist() == [*gap.astype(float), 1, 1, 1]
    [first, *_] = Encoding.of(encoder).features
    assert (first.fill, first.gaps) == (median, bool(gap.any()))


@pytest.mark.parametrize("relation", ["<", ">"])
def test_borders_of_dates_at_whole_steps_and_the_ends_of_the_calendar(relation):
    for step, per_day in (("day", 1), ("second", 86400)):
        feature = Feature("d", "date", origin="2024-01-01", step=step, fill="2024-01-01")
        for count in (-86401, -1, 0, 1, 7, 43200, 86400, 100_000):
            for shift in (-0.5, 0.0, 0.5):
                threshold = (count + shift) / per_day
                border = feature.date_border(relation, threshold)
                for other in range(count - 2, count + 3):
                    value = other / per_day
                    holds = value > threshold if relation == ">" else value < threshold
                    assert (other > border if relation == ">" else other < border) == holds
        ends = date_part(
            np.array(["0001-01-01", "9999-12-31T23:59:59"], "datetime64[us]"),
            "date",
            "2024-01-01",
            step,
        )
        for end, below in zip(ends, (True, False), strict=True):
            assert not isinstance(feature.date_border(relation, float(end)), bool)
            beyond = float(np.nextafter(end, -np.inf if below else np.inf))
            assert feature.date_border(relation, beyond) is (below == (relation == ">"))


# Rows


@pytest.mark.parametrize("size", [MOST_ROWS, MOST_ROWS + 1, 30_000])
def test_samples_have_a_hundred_rows_of_each_class_or_all(size):
    rng = np.random.default_rng(size)
    counts = {1: FEWEST_OF_A_CLASS - 1, 2: FEWEST_OF_A_CLASS, 3: FEWEST_OF_A_CLASS + 1, 4: 140}
    label = np.zeros(size, np.int64)
    begin = 0
    for k, count in counts.items():
        label[begin : begin + count] = k
        begin += count
    weight = rng.integers(1, 4, size).astype(float)
    table = LabelledTable.of(rng.normal(size=(size, 2)), label, weight)
    for seed in range(2):
        sample = table.sample(np.random.default_rng(seed))
        if size <= MOST_ROWS:
            assert sample is table
            continue
        share = MOST_ROWS / size
        drawn = np.bincount(sample.label)
        assert drawn.sum() >= MOST_ROWS
        rows = {tuple(row): w for row, w in zip(table.X.tolist(), table.weight, strict=True)}
        assert len({tuple(row) for row in sample.X.tolist()}) == len(sample.X)
        for k, count in counts.items():
            assert drawn[k] >= min(count, FEWEST_OF_A_CLASS)
            own, whole = sample.label == k, table.label == k
            given = [rows[tuple(row)] for row in sample.X[own].tolist()]
            weights = sample.weight[own]
            plain = np.allclose(weights, given)
            fair = table.weight[whole].sum() * share
            assert plain or weights.sum() == pytest.approx(fair)
            # weights keep their proportions
            assert np.ptp(weights / given) < 1e-9
            if drawn[k] > FEWEST_OF_A_CLASS:
                assert plain
        assert sample.weight.sum() == pytest.approx(sample.n_rows)
        assert sample.given == pytest.approx(table.given * sample.n_rows / table.n_rows)


def test_shares_of_wrong_answers_are_weights():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 1))
    label = rng.integers(0, 3, 50)
    weight = rng.uniform(0.1, 3.0, 50)
    table = LabelledTable.of(X, label, weight)
    answer = rng.integers(0, 3)
    share = table.wrong_share(lambda rows: np.full(len(rows), answer))
    assert share == pytest.approx(weight[label != answer].sum() / weight.sum())
    some = table.part(table.label != 1)
    assert some.given == pytest.approx(weight[label != 1].sum())
    assert some.n_rows == pytest.approx(table.n_rows * some.given / table.given)


@pytest.mark.parametrize("rows", [1, 2**21 - 1, 2**21, 2**21 + 1, 2**22, 5_000_000])
@pytest.mark.parametrize("width", [0, 1, 2, 3_000_000])
def test_blocks_cover_all_rows_once(rows, width):
    if width == 3_000_000 and rows > 1:
        rows = 7
    end = 0
    for some in blocks(rows, width):
        assert some.start == end
        end = some.stop
        assert (some.stop - some.start) * width <= max(2**21, width)
    assert end >= rows > end - (some.stop - some.start)


def test_columns_that_vary_are_points_and_others_are_left_out():
    X = np.array([[0.0, 5.0, -1.0], [4.0, 5.0, 0.0], [2.0, 5.0, 1e-300], [2.0, 5.0, 7.0]])
    label = np.array([0, 1, 2, 1])
    table = LabelledTable(X, label, np.array([1.0, 2.0, 3.0, 4.0]), 10.0, 10.0)
    standard = Standardisation.fit(X, table.weight)
    points = StandardPoints.of(table, standard, 1)
    assert (points.features.tolist(), points.dim) == ([0, 2], 3)
    assert points.label.tolist() == [0, 1, 0, 1]
    assert (points.n_rows, points.share) == (10.0, pytest.approx(0.6))
    mean = points.columns @ points.weight / 10
    np.testing.assert_allclose(mean, 0, atol=1e-12)
    np.testing.assert_allclose(points.squares @ points.weight / 10, 1)
    farthest = max(np.hypot(*column) for column in points.columns.T)
    assert points.radius == pytest.approx(farthest)
    assert max(np.hypot(*column) for column in points.in_unit_ball.T) == pytest.approx(1)
    # a column that varies in the table but not among some rows
    some = StandardPoints.of(table.part(np.array([False, False, True, True])), standard, 1)
    assert some.features.tolist() == [2]


@pytest.mark.parametrize("seed", range(20))
def test_balanced_classes_weigh_the_same(seed):
    rng = np.random.default_rng(seed)
    label = np.concatenate([np.arange(4), rng.integers(0, 4, 20)])
    weight = rng.integers(0, 3, 24).astype(float)
    if seed % 2:
        weight[label == 2] = 0.0
    total = [weight[label == k].sum() for k in range(4)]
    made = class_weights("balanced", np.arange(4), label, weight)
    present = [k for k in range(4) if total[k]]
    for k in present:
        assert made[k] * total[k] == pytest.approx(weight.sum() / len(present))


@pytest.mark.parametrize("cells", [1, 5, 9, 11, 100])
@pytest.mark.parametrize("others", ["alike", "few"])
@pytest.mark.parametrize("stray", [False, True])
def test_equal_rows_are_copies_if_a_feature_has_many_values(cells, others, stray):
    """And if most rows that agree in the other features agree in this one, with one label."""
    values = np.repeat(np.arange(cells, dtype=float), 4)
    other = values % (2 if others == "few" else 2 * cells)
    X = np.column_stack([values, other])
    label = (values % 2).astype(int)
    if stray:
        label[::4] = 1 - label[::4]
    table = LabelledTable.of(X, label, np.ones(len(X)))
    assert len(table.X) == cells * (1 + stray)
    copies = cells > 10 and others == "alike" and not stray
    assert table.n_rows == pytest.approx(cells if copies else 4 * cells)


@pytest.mark.parametrize("wrong", range(5))
def test_copies_may_differ_in_a_twentieth_of_their_labels(wrong):
    """Pairs of rows agree in label 1 - 2 p (1 - p) times where p of the copies differ."""
    values = np.repeat(np.arange(40, dtype=float), 10)
    label = np.zeros(400, int)
    label[200:] = 1
    label[: 10 * 10 * wrong : 10] = 1
    X = np.column_stack([values, values])
    table = LabelledTable.of(X, label, np.ones(400))
    pairs = sum(
        (label[k : k + 10].sum() ** 2 + (10 - label[k : k + 10].sum()) ** 2) / 100
        for k in range(0, 400, 10)
    )
    agree = pairs / 40
    assert (table.n_rows < 400) == (agree > 0.95)


@pytest.mark.parametrize(
    ("weight", "rows"),
    [(2.0, 8.0), (2.5e8, 1e9), (np.nextafter(2.5e8, 0), 1e9), (2.6e8, 1e9), (1e12, 1e9)],
)
def test_weights_stand_for_a_billion_rows_at_most(weight, rows):
    X, label = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])
    table = LabelledTable.of(X, label, np.full(4, weight))
    assert table.n_rows == pytest.approx(rows, rel=1e-12)
    assert table.weight.tolist() == pytest.approx([rows / 4] * 4)
    assert table.given == 4 * weight


@pytest.mark.parametrize("dim", [1, 2, 3, 6, 12])
@pytest.mark.parametrize("seed", range(4))
def test_sets_along_the_lasso_path_are_different_and_end_with_all_features(dim, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, dim))
    label = (X @ rng.normal(size=dim) > 0).astype(np.int64)
    table = LabelledTable.of(X, label, np.ones(60))
    points = StandardPoints.of(table, Standardisation.fit(X, np.ones(60)), 1)
    sets = [tuple(some.tolist()) for some in lasso_sets(points)]
    assert sets[-1] == tuple(range(dim))
    assert len({*sets}) == len(sets)
    sizes = [len(some) for some in sets]
    assert sizes == sorted(sizes)
    assert len({size_class(size) for size in sizes[:-1]}) == len(sizes) - 1
    assert [size for size in sizes if size < min(dim, 9)] == [*range(1, min(dim, 9))]


@pytest.mark.parametrize("value", [1.0, 0.1, -3.7, 1e200, -1e-200, 12345.678])
@pytest.mark.parametrize("labels", [[0, 1], [1, 0]])
def test_neighbouring_numbers_are_told_apart(value, labels):
    """There is no number between them for the threshold."""
    X = np.tile([[value], [np.nextafter(value, np.inf)]], (20, 1))
    y = labels * 20
    clf = NAClassifier(random_state=0, evaluations=10, max_neurons=1).fit(X, y)
    assert clf.predict(X).tolist() == y
