"""Every option of the commands about data changes what it should, and nothing is left untried.

The options of ``run``, ``campaign`` and ``reproduce`` are tried with the settings they stand for.
"""

import csv
import io
import json

import numpy as np
import pytest

from hyperna.classifier import NAClassifier
from hyperna.cli import build_parser, main
from hyperna.comparison import CLASSIFIERS, Contender, compare
from hyperna.datasets import dataset, read_dataset
from hyperna.models import classifier_of, load_model

COMPARE = ("compare", "data.csv", "--classifiers", "knn,tree", "--folds", "2", "--repeats", "1")
FIT = ("fit", "data.csv", "--evaluations", "300")


@pytest.fixture
def said(tmp_path, monkeypatch, capsys):
    """A function that runs a command in a folder with data and returns what it prints."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    X = np.round(rng.uniform(-1, 1, (60, 2)), 3)
    kinds = np.where(X[:, 0] * X[:, 1] > 0, "plum", "fig")
    other = np.where(X[:, 0] > 0, "left", np.where(X[:, 1] > 0, "up", "down"))
    rows = [f"{a},{b},{o},{k}" for (a, b), o, k in zip(X.tolist(), other, kinds, strict=True)]
    (tmp_path / "both.csv").write_text("\n".join(["a,b,side,kind", *rows]) + "\n")
    plain = [f"{a},{b},{k}" for (a, b), k in zip(X.tolist(), kinds, strict=True)]
    (tmp_path / "data.csv").write_text("\n".join(["a,b,kind", *plain]) + "\n")
    first = [f"{k},{a},{b}" for (a, b), k in zip(X.tolist(), kinds, strict=True)]
    (tmp_path / "first.csv").write_text("\n".join(["kind,a,b", *first]) + "\n")

    def run(*argv):
        assert main(list(argv)) == 0
        return capsys.readouterr().out

    return run


# Options of compare. Each is given to COMPARE; the check gets what is reported with and without.


def fits_of(report):
    keys = ("dataset", "rotated", "classifier", "repeat", "fold", "test_accuracy")
    return [tuple(fit[key] for key in keys) for fit in report["fits"]]


COMPARED = {
    ("--folds", "3"): lambda new, old: {fit["fold"] for fit in new["fits"]} == {0, 1, 2},
    ("--repeats", "2"): lambda new, old: (
        {fit["repeat"] for fit in new["fits"]} == {0, 1}
        and [fit for fit in fits_of(new) if fit[3] == 0] == fits_of(old)
    ),
    ("--rotate",): lambda new, old: (
        [fit for fit in fits_of(new) if not fit[1]] == fits_of(old)
        and [fit[5] for fit in fits_of(new) if fit[1]] != [fit[5] for fit in fits_of(old)]
    ),
    ("--seed", "1"): lambda new, old: new["settings"]["seed"] == 1 and fits_of(new) != fits_of(old),
    ("--classifiers", "logistic"): lambda new, old: list(new["classifiers"]) == ["logistic"],
    ("--jobs", "1"): lambda new, old: fits_of(new) == fits_of(old),
    ("--jobs", "2", "--backend", "threading"): lambda new, old: fits_of(new) == fits_of(old),
}


@pytest.mark.parametrize("options", COMPARED, ids=" ".join)
def test_options_of_compare(said, options):
    old, new = (json.loads(said(*COMPARE, *more, "--json", "--all")) for more in ((), options))
    assert COMPARED[options](new, old)


def test_reports_of_compare(said, tmp_path):
    short = json.loads(said(*COMPARE, "--json"))
    assert "fits" not in short
    assert "fits" in json.loads(said(*COMPARE, "--json", "--all"))
    assert said(*COMPARE, "--markdown").count("|") > 20
    assert "|" not in said(*COMPARE)
    assert "knn" in said("compare", "--list")
    said(*COMPARE, "--plot", "made.svg")
    assert "<svg" in (tmp_path / "made.svg").read_text()
    classes = said("compare", "first.csv", "--label", "kind", *COMPARE[2:], "--json")
    assert (
        json.loads(classes)["summary"][0]["test_accuracy"] == (short["summary"][0]["test_accuracy"])
    )


def test_the_seed_of_a_comparison_reaches_every_classifier():
    """Another seed, another repeat and another fold: another random_state, always the same."""
    seeds = {}

    def recorded(seed):
        seeds[recorded.now].append(seed)
        return CLASSIFIERS["knn"].build(seed)

    for recorded.now in ("zero", "again", "one"):
        seeds[recorded.now] = []
        contender = Contender("own", "", recorded)
        compare("xor:n=40", [contender], folds=2, repeats=2, seed=int(recorded.now == "one"))
    assert seeds["zero"] == seeds["again"]
    assert len({*seeds["zero"], *seeds["one"]}) == 8
    for name, entry in CLASSIFIERS.items():
        try:
            made = entry.build(17)
        except ImportError:
            continue
        assert made.get_params().get("random_state", 17) == 17, name


# Options of fit: each is a parameter of the classifier that is saved.

PARAMETERS = {
    ("--max-terms", "1"): ("max_terms", 1),
    ("--max-neurons", "1"): ("max_neurons", 1),
    ("--output", "or"): ("output", "or"),
    ("--shortness", "0"): ("shortness", 0.0),
    ("--evaluations", "77"): ("evaluations", 77),
    ("--class-weight", "balanced"): ("class_weight", "balanced"),
    ("--jobs", "2"): ("n_jobs", 2),
    ("--seed", "5"): ("random_state", 5),
    ("--verbose",): ("verbose", True),
}


@pytest.mark.parametrize("options", PARAMETERS, ids=" ".join)
def test_options_of_fit_are_parameters_of_the_classifier(said, tmp_path, options):
    name, value = PARAMETERS[options]
    said(*FIT, *options, "--save", "made.json")
    made = NAClassifier.from_json((tmp_path / "made.json").read_text())
    assert made.get_params()[name] == value
    given = {"evaluations": 300, "random_state": 0, name: value}
    data = read_dataset("data.csv")
    same = NAClassifier(**{**given, "verbose": False}).fit(data.X, data.y)
    assert made.list_ == same.list_, "the command fits what Python fits"


def test_features_that_may_only_raise_the_chance(said, tmp_path):
    said(*FIT, "--monotonic", "a=1,b=-1", "--save", "made.json")
    made = NAClassifier.from_json((tmp_path / "made.json").read_text())
    data = read_dataset("data.csv")
    signs = NAClassifier(evaluations=300, monotonic_cst=[1, -1], random_state=0)
    assert made.list_ == signs.fit(data.X, data.y).list_


@pytest.mark.slow
def test_other_options_of_fit(said, tmp_path):
    plain = json.loads(said(*FIT, "--json"))
    assert plain["saved"] is None
    said("fit", "both.csv", *FIT[2:], "--ignore", "side", "--save", "made.json")
    assert classifier_of(load_model("made.json")).n_features_in_ == 2
    moved = json.loads(said("fit", "first.csv", *FIT[2:], "--label", "kind", "--json"))
    assert moved["rule"] == plain["rule"]
    labelled = json.loads(
        said("fit", "both.csv", "--label", "side", "--ignore", "kind", *FIT[2:], "--json")
    )
    assert labelled["classes"] == ["down", "left", "up"]
    assert labelled["output"] == "list"
    said(*FIT, "--plot", "made.svg")
    assert "<svg" in (tmp_path / "made.svg").read_text()
    assert len(said(*FIT, "--verbose").splitlines()) > len(said(*FIT).splitlines())


# Options of predict and dataset.


def test_options_of_predict(said, tmp_path):
    said(*FIT, "--save", "model.json")
    model = NAClassifier.from_json((tmp_path / "model.json").read_text())
    assert model.feature_names_in_.tolist() == ["a", "b"]
    del model.feature_names_in_
    data = read_dataset("data.csv")
    predict = ("predict", "model.json", "data.csv")
    rows = list(csv.DictReader(io.StringIO(said(*predict))))
    assert [row["prediction"] for row in rows] == model.predict(data.X).tolist()
    named = list(csv.DictReader(io.StringIO(said(*predict, "--column", "answer", "--proba"))))
    assert [row["answer"] for row in named] == [row["prediction"] for row in rows]
    for place, kind in enumerate(model.classes_):
        shares = [float(row[f"answer: {kind}"]) for row in named]
        assert np.allclose(shares, model.predict_proba(data.X)[:, place], atol=1e-6)
    right = int((model.predict(data.X) == data.y).sum())
    told = said(*predict, "--label", "kind", "-o", "made.csv")
    assert f"accuracy: {right} of 60" in told
    assert list(csv.DictReader(io.StringIO((tmp_path / "made.csv").read_text()))) == rows


def test_options_of_dataset(said, tmp_path):
    moons = dataset("moons", n=20).to_csv()
    assert said("dataset", "moons:n=20") == moons
    said("dataset", "moons:n=20", "-o", "made.csv")
    assert (tmp_path / "made.csv").read_text() == moons
    (tmp_path / "all").mkdir()
    said("dataset", "--all", "-o", "all")
    assert (tmp_path / "all" / "xor.csv").read_text() == dataset("xor").to_csv()
    listed = json.loads(said("dataset", "--list", "--json"))
    shown = said("dataset", "--list")
    assert all(name in shown for kind in listed.values() for name in kind)


TRIED = {
    "compare": {
        *("data", "--label", "--ignore", "--list", "--json", "--all", "--markdown", "--plot"),
        *(word for options in COMPARED for word in options if word.startswith("--")),
        "--scheduler",
        "--kind",  # in test_models.py
    },
    "fit": {
        *("data", "--label", "--ignore", "--save", "--json", "--plot"),
        *("--kind", "--path", "--monotonic"),  # in test_models.py, test_cli_data.py, and above
        *(options[0] for options in PARAMETERS),
    },
    "predict": {
        *("model", "data", "--out", "--column", "--proba", "--label"),
        *("--explain", "--row", "--plot"),  # in test_living.py
    },
    "dataset": {"name", "--out", "--all", "--list", "--json"},
}


@pytest.mark.parametrize("command", TRIED)
def test_no_option_is_left_untried(command):
    parser = next(a for a in build_parser()._actions if a.dest == "command").choices[command]
    names = {(action.option_strings or [action.dest])[-1] for action in parser._actions}
    assert names - {"--help"} <= TRIED[command], "give the new option a row in a table above"
