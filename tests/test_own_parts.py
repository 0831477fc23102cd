"""Laws, problems and algorithms of one's own: campaigns take them to processes of their own."""

import subprocess
import sys

import pytest
from joblib.externals.loky import get_reusable_executor

from hyperna.baselines import BASELINES
from hyperna.cli import main
from hyperna.experiments.algorithms import ALGORITHMS, Algorithm, algorithms
from hyperna.experiments.campaign import Campaign
from hyperna.experiments.setting import setting
from hyperna.experiments.store import Store
from hyperna.interop.store import describe_algorithm
from hyperna.mutation import LAWS
from hyperna.problems import PROBLEMS
from hyperna.run.algorithm import OnePlusOneNA
from hyperna.run.relatives import RELATIVES

OWN = """
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

import hyperna
from hyperna.baselines.base import Baseline
from hyperna.baselines.base import register as baseline
from hyperna.problems.base import register as problem
from hyperna.run.relatives import OnePlusLambdaNA
from hyperna.run.relatives import register as relative


@dataclass(frozen=True)
class OddLengths(hyperna.StepLaw):
    name: ClassVar[str] = "own_law"

    def weights(self, resolution):
        return np.arange(1, resolution + 1) % 2


@problem("own_problem", "a third of the circle")
def third(dim: int = 2):
    return hyperna.custom_arcs([(0, 120)], unit="degree", dim=dim)


@relative
@dataclass(frozen=True)
class Seven(OnePlusLambdaNA):
    name: ClassVar[str] = "own_relative"
    offspring: int = 7


@baseline
@dataclass(frozen=True)
class Guesses(Baseline):
    name: ClassVar[str] = "own_baseline"
    summary: ClassVar[str] = "uniform points"

    def search(self, error, space, rng, budget):
        while True:
            error(rng.uniform(space.low, space.high, (1, space.size)))
"""
FILE = """
problem = ["half", "own_problem"]
algorithm = ["na", "own_relative", "own_baseline"]
mutation = "own_law"
resolution = 12
budget = 100
target = 0.9
runs = 3
"""
# In a script nothing can be imported by a worker.
SCRIPT = f"""{OWN}
if __name__ == "__main__":
    import sys, tomllib

    campaign = hyperna.Campaign.from_dict(tomllib.loads('''{FILE}'''))
    campaign.run(sys.argv[1], n_jobs=2)
"""


def all_rows(store):
    return {runs.setting.digest: runs.rows.tolist() for runs in Store(store).runs()}


@pytest.fixture
def rows(tmp_path, monkeypatch):
    """What a single worker gets, with the module of one's own in the current folder."""
    get_reusable_executor().shutdown()  # its processes look in folders of earlier tests
    (tmp_path / "own_parts.py").write_text(OWN)
    (tmp_path / "own.toml").write_text(FILE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setenv("HYPERNA_IMPORT", "own_parts")
    registries = LAWS, PROBLEMS, RELATIVES, BASELINES, ALGORITHMS
    before = [dict(registry) for registry in registries]
    assert main(["campaign", "run", "own.toml", "--store", "alone"]) == 0
    yield all_rows("alone")
    del sys.modules["own_parts"]
    for registry, entries in zip(registries, before, strict=True):
        for name in registry.keys() - entries.keys():
            del registry[name]


def test_processes_know_the_modules_of_the_command_line(rows):
    assert len(rows) == 6
    line = ["campaign", "run", "own.toml", "--jobs", "2", "--backend", "loky"]
    assert main([*line, "--store", "processes"]) == 0
    assert all_rows("processes") == rows


def test_processes_know_what_a_script_registers(rows, tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    subprocess.run([sys.executable, "script.py", "script"], check=True, timeout=300)
    assert all_rows("script") == rows


def test_an_algorithm_of_one_s_own_may_know_a_mutation(monkeypatch):
    """It knows all options of the (1+1) NA, but it is no relative of it."""

    def make(made):
        return OnePlusOneNA(resolution=made.resolution, mutation=made.mutation).task("half")

    own = Algorithm("own", "the (1+1) NA by another way", make, keys=algorithms()["na"].keys)
    monkeypatch.setitem(ALGORITHMS, "own", own)
    campaign = Campaign.product(
        problem="half", algorithm=["own", "na"], mutation="local", resolution=12, runs=2
    )
    made = next(made for made in campaign.wanted if made.algorithm == "own")
    assert made.mutation == "local"
    assert made.digest != setting(problem="half", algorithm="own", resolution=12).digest
    assert describe_algorithm(made).startswith("own local")
    with pytest.raises(ValueError, match="'own' is not a relative"):
        made.make_algorithm()
