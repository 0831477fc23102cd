"""The command report, and the page that it writes."""

import json
import re
import tomllib

import numpy as np
import pytest
from reported import evil_report, evil_store

from hyperna import __version__
from hyperna.cli import main
from hyperna.experiments.campaign import Campaign
from hyperna.experiments.store import Store
from hyperna.report import write_report
from hyperna.report.page import read_entries
from hyperna.report.rerun import campaign_toml, single_run


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


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("report")


@pytest.fixture(scope="module")
def store(folder):
    return evil_store(folder)


class TestCommand:
    def test_writes_the_page(self, store, folder, capsys, monkeypatch):
        monkeypatch.setattr("hyperna.report.sections.svg", lambda *_: "<svg></svg>")
        out = folder / "page.html"
        assert main(["report", str(store.path), "-o", str(out), "--title", "Mine"]) == 0
        assert "216 runs" in capsys.readouterr().out
        assert "<h1>Mine</h1>" in out.read_text(encoding="utf-8")

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (["nowhere.store", "-o", "x.html"], "nowhere.store is not a store"),
            (["nowhere.store", "-o", "x.pdf"], "--out must end in .html"),
            (["nowhere.store", "-o", "no/folder/x.html"], "create it"),
        ],
    )
    def test_bad_input_is_one_line(self, words, message, capsys, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        assert main(["report", *words]) == 2
        error = capsys.readouterr().err
        assert message in error
        assert error.count("\n") == 1

    def test_an_empty_store_is_an_error(self, tmp_path):
        with Store(tmp_path / "store").writer() as writer:
            writer.want({})
        with pytest.raises(ValueError, match="holds no runs yet"):
            write_report(Store(tmp_path / "store"), tmp_path / "x.html")

    def test_a_single_run_has_a_report(self, tmp_path):
        one = Campaign.product(problem="half", runs=1).run(tmp_path / "store")
        assert write_report(one, tmp_path / "x.html") == 1
        [entry] = read_entries(one)
        assert np.isnan(entry.summary.mean_interval.low)


@pytest.fixture(scope="module")
def path(store, folder):
    return evil_report(store, folder)


@pytest.fixture(scope="module")
def page(path):
    return path.read_text(encoding="utf-8")


class TestRerun:
    def test_the_campaign_file_asks_for_the_same_runs(self, store, page, folder):
        from html import unescape

        text = unescape(re.search(r'<pre class="long" id="toml">(.*?)</pre>', page, re.S)[1])
        again = Campaign.from_dict(tomllib.loads(text), folder)
        assert again.wanted == store.wanted()

    def test_texts_survive_the_campaign_file(self):
        made = unbacked_setting(problem='a"\\\n\x7fé.csv')
        read = tomllib.loads(campaign_toml([(made, 3)]))
        assert read["settings"][0]["problem"] == 'a"\\\n\x7fé.csv'

    def test_single_runs_come_out_as_stored(self, store, folder, monkeypatch):
        monkeypatch.chdir(folder)
        for runs in store.runs():
            scope = {}
            exec(single_run(runs.setting), scope)
            assert scope["result"].evaluations == runs.evaluations[0]
            assert scope["result"].fitness == runs.fitness[0]

    def test_versions_and_seeds_are_told(self, store, page):
        for runs in store.runs():
            assert str(runs.setting.entropy) in page
        assert f"hyperna {__version__}, Python 3." in page


def unbacked_setting(**options):
    """A setting that no file stands behind."""
    from hyperna.experiments.setting import Setting

    shape = {"algorithm": "na", "dim": 2, "neurons": 1, "output": "or", "resolution": 120}
    return Setting.of({**shape, **options})


def test_an_old_report_survives_a_failure(store, folder, monkeypatch):
    path = folder / "kept.html"
    path.write_text("old")
    monkeypatch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError(28, "full")))
    monkeypatch.setattr("hyperna.report.sections.svg", lambda *_: "<svg></svg>")
    with pytest.raises(OSError, match="full"):
        write_report(store, path)
    assert path.read_text() == "old"
    assert not list(folder.glob("*.draft"))
