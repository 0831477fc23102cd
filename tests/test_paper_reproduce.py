"""Reproduced tables: their runs, their numbers, and the command."""

import json

import pytest

from hyperna.cli import main
from hyperna.paper.reproduce import Reproduction


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


def test_progress_of_the_tables_counts_all_of_them():
    from hyperna.paper.reproduce import Reproduction

    told = []
    tables = Reproduction(tables=(1, 2, 3), runs=2, quick=True)
    for _ in tables.run(progress=lambda done, total, _: told.append((done, total))):
        pass
    done = [now for now, _ in told]
    assert done == sorted(done)
    assert {total for _, total in told} == {done[-1]} == {tables.total}
