"""Campaigns and comparisons on Ray, a backend that joblib does not know by itself."""

import sys

import pytest
from joblib import effective_n_jobs

import hyperna
from hyperna.campaign.campaign import Campaign
from hyperna.cli import main
from hyperna.parallel import in_order, numbered, parallel_backend
from hyperna.store.store import Store

pandas = pytest.importorskip("pandas", reason="a frame needs hyperna[data]")


@pytest.fixture(scope="module")
def ray():
    ray = pytest.importorskip("ray", reason="pip install ray")
    ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    yield ray
    ray.shutdown()


@pytest.mark.filterwarnings("default")
class TestRay:
    def test_the_command_gives_the_same_frame(self, ray, tmp_path, capsys):
        file = tmp_path / "small.toml"
        file.write_text('problem = ["half", "local_opt"]\nresolution = [60, 120]\nruns = 60\n')
        assert main(["campaign", "run", str(file), "--backend", "ray"]) == 0
        assert "240 runs of 4 settings, 240 of them new" in capsys.readouterr().out
        here = Campaign.from_toml(file).run(tmp_path / "here").to_frame()
        there = Store(tmp_path / "small.store").to_frame()
        pandas.testing.assert_frame_equal(there, here, check_exact=True)

    def test_comparisons_are_the_same(self, ray):
        def scores():
            compared = hyperna.compare("moons", ["na", "logistic"], folds=2, repeats=1)
            return [fold._replace(fit_seconds=0.0) for fold in compared.scores]

        with parallel_backend("ray"):
            there = scores()
        assert there == scores()

    def test_all_workers_are_used_by_default(self, ray):
        with parallel_backend("ray"):
            assert effective_n_jobs() == 2

    def test_results_come_in_order(self, ray):
        with parallel_backend("ray", n_jobs=2):
            assert list(in_order(divmod, [(i, 3) for i in range(20)])) == [
                divmod(i, 3) for i in range(20)
            ]

    def test_an_error_of_a_worker_arrives(self, ray):
        with parallel_backend("ray"), pytest.raises(ZeroDivisionError):
            list(numbered(divmod, [(7, 2), (7, 0)]))


def test_the_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ImportError, match="pip install ray"), parallel_backend("ray"):
        pass
