"""Tables on a terminal of 60 columns: nothing is wider, nothing is lost."""

import re

import pytest
from rich.console import Console

from hyperna._tables import Table, plain
from hyperna.cli import main
from hyperna.experiments.campaign import Campaign

WIDTH = 60


@pytest.fixture
def narrow(monkeypatch, capsys):
    """Run a command on a narrow terminal and return its lines."""

    def run(module, *words):
        def console():
            return Console(width=WIDTH, force_terminal=True, no_color=True, highlight=False)

        monkeypatch.setattr(f"hyperna.cli.{module}.make_console", console)
        assert main(list(words)) == 0
        return re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out).splitlines()

    return run


def check(lines):
    assert max(map(len, lines)) <= WIDTH
    assert not any("…" in line.replace(" … ", "") for line in lines)


def test_run_keeps_every_number(narrow, capsys):
    words = ["run", "half", "--runs", "20", "--budget", "60"]
    assert main(words) == 0
    wide = set(re.findall(r"\d[\d.,]*", capsys.readouterr().out))
    lines = narrow("run", *words)
    check(lines)
    text = " ".join(lines)
    assert len(wide) > 10
    assert wide <= set(re.findall(r"\d[\d.,]*", text))
    assert re.search(r"\d+ of 20 runs", text)


@pytest.mark.parametrize(
    ("module", "words", "told"),
    [
        ("list", ["list"], "at local optima of 2/3"),
        ("dataset", ["dataset", "--list"], "sphere:problem=local_opt,dim=5"),
        ("theory", ["theory", "quarter", "--resolution", "8"], "evaluations, mean"),
    ],
)
def test_texts_are_broken_and_not_cut(narrow, module, words, told):
    lines = narrow(module, *words)
    check(lines)
    assert told.replace(" ", "") in re.sub(r"\s", "", "".join(lines))


def test_status_tells_settings_apart(narrow, tmp_path):
    campaign = Campaign.product(
        problem=["half", "quarter"], restarts=[0, 2], mutation=["harmonic", "adaptive"], runs=3
    )
    from hyperna.experiments.store import Store

    store = Store(tmp_path / "store")
    with store.writer() as writer:
        writer.want(campaign.wanted)
    lines = narrow("campaign", "campaign", "status", str(store.path))
    check(lines)
    named = [line[:40].strip() for line in lines[1:-1]]
    assert "quarter, adaptive, 2 restarts, r = 120" in named
    assert len(set(named)) == len(named) == 8


def test_a_wide_table_is_told_row_by_row():
    table = Table("t", "T", ("r", "a long name", "b"), [("1", "2 (1 … 3)", "4")], [], ["A note."])
    assert plain(table, 200).startswith("### T\n\n| r | a long name | b |")
    assert plain(table, 20) == "### T\n\nr 1\n  a long name 2 (1 …\n  3); b 4\n\nA note.\n"
