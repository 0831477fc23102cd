"""The command campaign: what it hands on, and how it tells settings apart."""

import json

import pytest

from hyperna.cli import main
from hyperna.experiments.campaign import Campaign
from hyperna.experiments.store import Store


def test_a_campaign_is_the_same_with_other_workers(tmp_path):
    file = tmp_path / "half.toml"
    file.write_text('problem = "half"\nresolution = 12\nruns = 20\n', encoding="utf-8")
    rows = []
    for number, workers in enumerate(([], ["--jobs", "3", "--backend", "threading"])):
        store = tmp_path / str(number)
        assert main(["campaign", "run", str(file), "--store", str(store), *workers]) == 0
        rows.append(next(iter(Store(store).runs())).rows.tolist())
    assert rows[0] == rows[1]


def test_the_status_tells_settings_apart():
    from hyperna.cli.campaign import varying_keys

    def keys(**options):
        length = max(map(len, options.values()))
        columns = {key: values * (length // len(values)) for key, values in options.items()}
        return varying_keys(
            [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        )

    half, budget, chance = ["half"], [50, 90], [0.5, 0.25]
    assert keys(problem=half, budget=budget) == ["problem", "budget"]
    assert keys(problem=half, mutation_probability=chance) == ["problem", "mutation_probability"]
    # which follow from the number of neurons and the resolution
    implied = {"problem": half, "budget": budget, "mutation_probability": chance}
    assert keys(**implied, neurons=[1, 2]) == ["problem", "neurons"]
    assert keys(**implied, resolution=[12, 24]) == ["problem", "resolution"]
    assert keys(**implied | {"problem": ["half", "quarter"]}) == ["problem"]


FILE = """
runs = 20
resolution = [12, 60]
[[settings]]
problem = ["half", "quarter"]
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "small.toml"
    path.write_text(FILE)
    return path


def test_run_status_export(file, tmp_path, capsys):
    pandas = pytest.importorskip("pandas", reason="a frame needs hyperna[data]")
    assert main(["campaign", "run", str(file), "--jobs", "2"]) == 0
    out = capsys.readouterr().out
    assert "small.store: 80 runs of 4 settings, 80 of them new" in out
    assert main(["campaign", "run", str(file)]) == 0
    assert "nothing was missing" in capsys.readouterr().out
    store = tmp_path / "small.store"
    assert main(["campaign", "status", str(store)]) == 0
    table = capsys.readouterr().out
    assert "80 of 80 runs of 4 settings are done" in table
    assert main(["campaign", "status", str(store), "--json"]) == 0
    status = json.loads(capsys.readouterr().out)
    assert (status["done"], status["wanted"], status["damaged"]) == (80, 80, [])
    assert [entry["resolution"] for entry in status["settings"]] == [12, 12, 60, 60]
    frame = Store(store).to_frame()
    csv = tmp_path / "runs.csv"
    assert main(["campaign", "export", str(store), "csv", "-o", str(csv)]) == 0
    back = pandas.read_csv(csv, converters={"fitness": float})
    assert back.evaluations.tolist() == frame.evaluations.tolist()
    assert back.fitness.tolist() == frame.fitness.tolist()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "nothing.toml"], "nothing.toml: No such file"),
        (["run", "{file}", "--jobs", "0"], "--jobs must not be 0"),
        (["run", "{file}", "--backend", "steam"], "backend 'steam' is not known to joblib"),
        (["run", "{file}", "--store", "{file}"], "cannot be used"),
        (["status", "nowhere"], "nowhere is not a store"),
        (["export", "nowhere", "csv", "-o", "x.csv"], "nowhere is not a store"),
        (["export", "nowhere", "xls", "-o", "x.xls"], "invalid choice: 'xls'"),
    ],
)
def test_bad_commands_say_so_in_one_line(file, capsys, arguments, message, monkeypatch):
    monkeypatch.chdir(file.parent)
    arguments = [argument.format(file=file) for argument in arguments]
    assert main(["campaign", *arguments]) == 2
    complaint = capsys.readouterr().err
    assert message in complaint
    assert complaint.count("\n") == 1


def test_a_bad_file_stops_before_the_first_run(file, capsys):
    file.write_text(FILE + 'mutation = ["local", "wild"]\n')
    assert main(["campaign", "run", str(file)]) == 2
    assert "line 6: mutation must be one of" in capsys.readouterr().err
    assert not file.with_suffix(".store").exists()


def test_an_interrupted_command_says_what_is_kept(file, capsys, monkeypatch):
    def interrupted(*_, progress, **__):
        progress(3, 80, 1.0)
        raise KeyboardInterrupt

    monkeypatch.setattr(Campaign, "run", interrupted)
    assert main(["campaign", "run", str(file)]) == 130
    assert "interrupted: 3 of 80 runs are stored in" in capsys.readouterr().err


def test_the_command_stores_and_exports_where_it_is_told(tmp_path, capsys):
    file = tmp_path / "some.toml"
    file.write_text('problem = "half"\nresolution = 12\nruns = 2\n')
    other = tmp_path / "elsewhere"
    assert main(["campaign", "run", str(file), "--store", str(other)]) == 0
    assert not (tmp_path / "some.store").exists()
    assert len(next(iter(Store(other).runs()))) == 2
    out = tmp_path / "ioh"
    assert main(["campaign", "export", str(other), "ioh", "-o", str(out), "--jobs", "2"]) == 0
    assert "2 runs, ready for IOHanalyzer" in capsys.readouterr().out
    assert list(out.rglob("*.json"))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ('neurons = 1\nalgorithm = ["na", "random_search"]', ""),
        ('neurons = [1, 2]\nalgorithm = ["na", "random_search"]', "in 2 of 4 settings nothing"),
        ("target = 0.9", ""),
        # as it is wanted
        ("target = false", ""),
    ],
)
def test_settings_in_which_nothing_is_a_success_are_told_beforehand(
    options, words, tmp_path, capsys
):
    """Nobody knows the best of two neurons in five dimensions."""
    file = tmp_path / "five.toml"
    file.write_text(f'runs = 2\nproblem = "quarter"\ndim = 5\nbudget = 50\n{options}\n')
    assert main(["campaign", "run", str(file)]) == 0
    told = capsys.readouterr().err
    assert (words in told) if words else "nothing counts" not in told
