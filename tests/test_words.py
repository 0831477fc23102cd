"""Numbers and their nouns in all that is printed: one of something is singular."""

import re
from pathlib import Path

import pytest

from hyperna import OnePlusOneNA, problem
from hyperna._words import (
    NOTHING,
    are,
    counted,
    interval,
    listed,
    number,
    number_text,
    parse_name,
    percent,
    roundest,
    shortened,
    significant,
    sum_text,
    with_interval,
    write_name,
)
from hyperna.cli import main
from hyperna.fitness import FiniteSet

# A number that is one, and not the end of a longer one, before a plural.
ONE_OF_MANY = re.compile(
    r"(?<![\d.,])1 (more |failed |labelled )?(runs|neurons|settings|restarts|points|"
    r"evaluations|files|rows|columns|features|classes|successes|parameters|nodes|classifiers|"
    r"data sets|repeats|times|names|values|networks) (?!a row)"
)


def printed(capsys, *argv):
    assert main(list(argv)) == 0
    out, err = capsys.readouterr()
    text = " ".join((out + err).split()) + " "
    assert not ONE_OF_MANY.search(text), text
    return text


@pytest.mark.parametrize(
    ("number", "text", "verb"), [(0, "0 runs", "are"), (1, "1 run", "is"), (2, "2 runs", "are")]
)
def test_only_one_is_singular(number, text, verb):
    assert counted(number, "run") == text
    assert are(number) == verb


NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (number(-12345.6), "-12,346"),
        (number(-99.96), "-100.0"),
        (number(99.94), "99.9"),
        (number(100.4), "100"),
        (number(NAN), NOTHING),
        (number(-3.0), "-3"),
        (percent(0.0005), "0.1 %"),
        (interval((0.25, INF), percent), "25.0 % … ∞ %"),
        (with_interval(0.5, (0.25, 0.75), percent), "50.0 % (25.0 % … 75.0 %)"),
        (with_interval(0.5, (NAN, NAN), percent), "50.0 %"),
        (number(-100.0), "-100"),
        (number(100.04), "100"),
        (number(-100.4), "-100"),
        (interval((NAN, 3)), NOTHING),
        (significant(999.4), "999"),
        (significant(999.6), "1,000"),
        (significant(1000), "1,000"),
        (significant(-1004), "-1,000"),
        (significant(998_900_000), "999,000,000"),
        (significant(999_600_000), "1e+09"),
        (significant(1e9), "1e+09"),
        (significant(-0.0001234), "-0.000123"),
        (shortened("a" * 60), "a" * 60),
        (shortened("a" * 61), "a" * 57 + "..."),
        (number_text(0.1 + 0.2, None), "0.30000000000000004"),
        (number_text(0.3, None), "0.3"),
        (number_text(0.1 + 0.2, 15), "0.3"),
        (number_text(0.1 + 0.2, 16), "0.30000000000000004"),
        (sum_text([(1.0001, "a"), (-0.9999, "b")], 3), "a - b"),
        (sum_text([(1.0001, "a"), (-1.0, "b")], None), "1.0001*a - b"),
        (sum_text([(0.0, "a")], 3), "0"),
        (listed("abc", 3), "a, b, c"),
        (listed("abcd", 3), "a, b, c, ... (4 in all)"),
    ],
)
def test_numbers_for_people(written, text):
    assert written == text


@pytest.mark.parametrize(
    ("ends", "wanted", "slack", "rounded"),
    [
        ((10.0, 20.0), 14.26, INF, 14.0),
        ((10.0, 20.0), 2.0, INF, 14.0),
        ((-INF, 20.0), 30.0, INF, 20.0),
        ((10.0, INF), 3.0, INF, 10.0),
        ((-INF, INF), 3.4, INF, 3.0),
        ((0.0, 100.0), 37.2, 0.1, 37.2),
        # a slack that leaves nothing between the ends does not count
        ((10.0, 20.0), 40.0, 1.0, 16.0),
    ],
)
def test_thresholds_have_few_digits(ends, wanted, slack, rounded):
    assert roundest(*ends, wanted, slack) == rounded


def test_names_with_parameters_are_read_as_they_are_written():
    settings = {"flag": True, "other": False, "n": 3, "word": "True story"}
    text = write_name("name", settings)
    assert text == "name:flag=true,other=false,n=3,word=True story"
    assert parse_name("it", text) == (
        "name",
        {"flag": "true", "other": "false", "n": "3", "word": "True story"},
    )
    with pytest.raises(ValueError, match="n is given twice"):
        parse_name("it", "name:n=3,n=3")


def test_a_single_run(capsys):
    options = ("--runs", "1", "--neurons", "1", "--restarts", "1", "--stagnation", "9")
    text = printed(capsys, "run", "half", *options, "--budget", "1")
    assert "half in D = 2: 1 neuron, output or" in text
    assert "1 restart 1 run from seed 0, at most 1 evaluation each" in text
    assert "0 of 1 run" in text


def test_the_kind_of_neuron_is_named_unless_it_is_plain(capsys):
    options = ("--neuron", "bent", "--runs", "1", "--budget", "1")
    assert "1 bent neuron, output or" in printed(capsys, "run", "half", *options)


def test_a_campaign_of_one_run(capsys, tmp_path):
    file, store = tmp_path / "one.toml", str(tmp_path / "one.store")
    file.write_text('problem = "half"\nresolution = 12\nruns = 1\n', encoding="utf-8")
    assert "1 run of 1 setting, 1 of them new" in printed(capsys, "campaign", "run", str(file))
    assert "1 of 1 run of 1 setting is done" in printed(capsys, "campaign", "status", store)
    for form in ("csv", "ioh"):
        place = str(tmp_path / f"out.{form}")
        assert ": 1 run" in printed(capsys, "campaign", "export", store, form, "-o", place)
    page = tmp_path / "one.html"
    assert ": 1 run " in printed(capsys, "report", store, "-o", str(page))
    text = re.sub(r"<[^>]+>", " ", page.read_text(encoding="utf-8").partition("<script")[0])
    assert "1 run of 1 setting on 1 problem; 1 succeeded." in text
    assert not ONE_OF_MANY.search(text)


def test_a_rule_of_one_term(capsys, tmp_path):
    file = tmp_path / "line.csv"
    file.write_text("x,class\n" + "".join(f"{i**2},{i > 9}\n" for i in range(20)), encoding="utf-8")
    assert "(1 term in 1 condition)" in printed(capsys, "fit", str(file))
    options = ("--classifiers", "na,tree", "--folds", "2", "--repeats", "1")
    assert "20 points, 1 feature, 2 classes" in printed(capsys, "compare", str(file), *options)


def test_objects_that_hold_one():
    assert repr(FiniteSet([[0.0, 1.0]], [1])) == "FiniteSet(1 point in R^2, total weight 1)"
    runs = OnePlusOneNA(neurons=1, resolution=12).run_many(problem("half"), runs=1, seed=0)
    assert repr(runs).startswith("Runs(1 run: 1 ")


OTHER_WORDS = re.compile(
    r"solved runs|runs? (is|are) solved|solves (more|fewer|\d)|\| +solved +\||% right|found %|"
    r"LOCAL_OPT|TWO_QUARTERS|beyond doubt|fitness at the end"
)


def test_pages_have_one_word_for_one_thing():
    root = Path(__file__).parents[1]
    pages = [root / "README.md", *(root / "notebooks").rglob("*.md")]
    pages += [path for path in (root / "docs").rglob("*.md") if "_made" not in path.parts]
    pages += (root / "notebooks").glob("*.ipynb")
    assert len(pages) > 60
    for path in pages:
        assert not OTHER_WORDS.search(path.read_text(encoding="utf-8")), path
