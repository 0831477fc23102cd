"""What is given to a command or a task reaches what does the work, and comes out of it again."""

import json
import re
import warnings

import numpy as np
import pytest

from hyperna import NAClassifier, problem
from hyperna.campaign.campaign import Campaign
from hyperna.cli import main
from hyperna.paper.reproduce import Reproduction
from hyperna.play import answers


def test_a_campaign_gets_its_workers(tmp_path, monkeypatch):
    given = {}
    file = tmp_path / "half.toml"
    file.write_text('problem = "half"\nruns = 2\n', encoding="utf-8")
    monkeypatch.setattr(Campaign, "run", lambda self, store, **options: given.update(options))
    assert main(["campaign", "run", str(file), "--jobs", "3", "--backend", "threading"]) == 0
    assert (given["n_jobs"], given["backend"], given["scheduler"]) == (3, "threading", None)


@pytest.mark.parametrize("seed", [0, 11])
def test_reproduced_tables_name_their_seed(seed, capsys):
    words = f"reproduce --table 2 --quick --runs 2 --jobs 1 --json --seed {seed}"
    assert main(words.split()) == 0
    assert json.loads(capsys.readouterr().out)["seed"] == seed


@pytest.mark.parametrize(("runs", "exact"), [(1000, 200), (50, 10), (4, 2), (2, 2)])
def test_exact_runs_of_cma_are_a_fifth_but_two_at_least(runs, exact):
    cells = Reproduction((10,), runs=runs).cells(10)
    assert {kind: number for (_, kind), (_, number) in cells.items()} == {
        "counted": runs,
        "exact": exact,
    }


@pytest.mark.parametrize("suffix", [".PNG", ".Svg", ".pdf"])
@pytest.mark.parametrize("command", ["run half --runs 2 --resolution 24", "fit xor --max-evals 50"])
def test_pictures_may_be_named_in_capitals(command, suffix, tmp_path):
    pytest.importorskip("matplotlib", reason="needs hyperna[plot]")
    picture = tmp_path / f"some{suffix}"
    assert main([*command.split(), "--plot", str(picture)]) == 0
    begins = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}[suffix.lower()]
    assert picture.read_bytes().startswith(begins)
    assert picture.stat().st_size < 10**6


@pytest.mark.parametrize(("text", "interrupted"), [("fit interrupted", True), ("odd data", False)])
def test_only_an_interrupt_counts_as_one(text, interrupted, monkeypatch, capsys):
    plain = NAClassifier.fit

    def fit(self, *data):
        warnings.warn(text, UserWarning, stacklevel=1)
        return plain(self, *data)

    monkeypatch.setattr(NAClassifier, "fit", fit)
    code = main(["fit", "xor", "--max-evals", "50", "--json"])
    told = capsys.readouterr()
    assert code == (130 if interrupted else 0)
    assert json.loads(told.out)["interrupted"] is interrupted
    assert f"hyperna: warning: {text}" in told.err


def test_no_title_ends_the_data_of_a_report(tmp_path):
    file, store, page = (tmp_path / name for name in ("half.toml", "half.store", "page.html"))
    file.write_text('problem = "half"\nresolution = 24\nruns = 2\n', encoding="utf-8")
    assert main(["campaign", "run", str(file)]) == 0
    title = "a </script x> & <!--<script b"
    assert main(["report", str(store), "-o", str(page), "--title", title]) == 0
    text = page.read_text(encoding="utf-8")
    data = re.search(r'type="application/json" id="data">(.*?)</script>', text, re.S)[1]
    assert not set("<>&") & set(data)
    assert json.loads(data)["title"] == title


@pytest.mark.parametrize(
    ("setting", "runs"),
    [
        ({"problem": "half", "neurons": 1, "resolution": 24}, 200),
        ({"problem": "cube", "dim": 3, "neurons": 4, "output": "xor", "resolution": 1200}, 5),
    ],
)
def test_a_race_has_five_to_two_hundred_runs_in_a_part(setting, runs):
    part = answers.race({"setting": setting, "part": 0})
    assert len(part["evaluations"]) == len(part["success"]) == runs
    again = answers.race({"setting": setting, "part": 1})
    assert part["evaluations"] != again["evaluations"]


def test_improvements_of_neat_are_shares_that_rise_to_its_fitness():
    pytest.importorskip("neat", reason="needs hyperna[baselines]")
    from hyperna.baselines import neat_task

    run = neat_task("neat:population=20", problem("quarter"), budget=200, target=False).run(seed=1)
    shares = run.improvements.fitness
    assert len(shares) > 1
    assert (np.diff(shares) > 0).all()
    assert 0 <= shares[0] < shares[-1] == run.fitness <= 1
