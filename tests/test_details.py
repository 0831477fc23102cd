"""Details of weights, names, numbers and refusals that no other test looks at."""

import numpy as np
import pytest

import hyperna
from hyperna.baselines.neat_networks import NeatNetwork
from hyperna.datasets import DATASETS, sample


def test_weights_are_repetitions_to_neat():
    """What guides its evolution counts weights as the score does."""
    pytest.importorskip("neat")
    from hyperna.baselines.neat import neat_task

    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(12, 2)), rng.integers(1, 9, 12)
    y = rng.random(12) < 0.5
    rows = [
        neat_task("neat:population=10", problem, budget=300, target=False).run_block(1, 0, 3)
        for problem in (
            hyperna.points(X, y, weight=weight),
            hyperna.points(np.repeat(X, weight, axis=0), np.repeat(y, weight)),
        )
    ]
    assert (rows[0][:, :3] == rows[1][:, :3]).all()


def test_an_output_that_nothing_leads_to_is_silent():
    X = np.zeros((3, 1))
    assert not NeatNetwork((-1,), (0,), ()).predict(X).any()
    one = NeatNetwork((-1,), (0, 1), ((1, -5.0, ()),))
    assert (one.predict(X) == 1).all()


def test_the_same_gap_in_every_fold_is_all_evidence():
    """One answers always as labelled, the other never."""
    from sklearn.base import BaseEstimator, ClassifierMixin

    class Always(ClassifierMixin, BaseEstimator):
        def __init__(self, right=True):
            self.right = right

        def fit(self, X, y):
            self.classes_ = np.unique(y)
            return self

        def predict(self, X):
            return (X[:, 0] > 0) == self.right

    X = np.linspace(-1, 1, 20)[:, None]
    twins = {"right": Always(), "wrong": Always(right=False)}
    [row] = hyperna.compare((X, X[:, 0] > 0), twins, folds=2, repeats=1).differences()
    assert (row["difference"], row["difference_se"], row["p_value"]) == (-1, 0, 0)


@pytest.mark.parametrize("names", [("a",), ("a", "b", "c")])
def test_data_have_as_many_names_as_columns(names):
    with pytest.raises(ValueError, match="features must name the 2 columns of X"):
        hyperna.Dataset(np.zeros((4, 2)), np.arange(4) % 2, features=names)


def test_a_report_tells_how_many_runs_were_wanted(tmp_path):
    from hyperna.report.page import read_entries

    campaign = hyperna.Campaign.product(problem="half", resolution=12, runs=2)
    store = campaign.run(tmp_path / "store")
    with store.writer() as writer:
        writer.want(dict.fromkeys(campaign.wanted, 5))
    assert read_entries(store)[0].data(with_rows=False)["wanted"] == 5


def test_no_more_than_a_million_points_are_drawn():
    with pytest.raises(ValueError, match="n must be an integer from 1 to 1000000, got 344478661"):
        sample(hyperna.problem("half"), n=344_478_661)


def test_laws_are_weighed_by_how_likely_they_are():
    """The weight of a law falls with its AICc: exp(-difference / 2), and all sum up to 1."""
    from hyperna.analysis.laws import fit_scaling

    r = np.array([10.0, 20, 40, 80, 160, 320])
    fits = [fit for fit in fit_scaling(r, 3 * r + 5, 0.2 * r) if fit.fits]
    likelihood = np.exp([-fit.aicc / 2 for fit in fits])
    assert len(fits) > 1
    assert likelihood[0] > likelihood[-1]
    assert [fit.weight for fit in fits] == pytest.approx(list(likelihood / likelihood.sum()))


def test_loggers_of_ioh_name_the_algorithm(tmp_path):
    import json

    pytest.importorskip("ioh")
    from hyperna.interop import Objective, analyzer_logger

    f = Objective(hyperna.problem("half"), resolution=12).ioh_problem()
    logger = analyzer_logger(tmp_path / "mine", "walk", info="to the left")
    f.attach_logger(logger)
    f([0, 6])
    f.detach_logger()
    logger.close()
    [file] = (tmp_path / "mine").glob("*.json")
    assert json.loads(file.read_text())["algorithm"] == {"name": "walk", "info": "to the left"}


@pytest.mark.parametrize("name", DATASETS)
def test_the_name_of_data_holds_what_is_unusual(name):
    usual = DATASETS[name].parameters
    assert hyperna.dataset(name, **usual).name == name
    if "seed" in usual:
        assert hyperna.dataset(name, **{**usual, "seed": 5}).name == f"{name}:seed=5"


@pytest.mark.parametrize("runs", [1, 63, 65, 101, 130])
def test_as_many_runs_as_wanted_are_made(runs):
    na = hyperna.OnePlusOneNA(neurons=1, resolution=12)
    assert len(na.run_many(hyperna.problem("half"), runs, budget=3, seed=0)) == runs


@pytest.mark.parametrize(
    "fitness",
    [
        hyperna.ExactArcs(hyperna.problem("half")),
        hyperna.ExactSphere(hyperna.problem("half", dim=3)),
        hyperna.FiniteSet([[1.0, 0.0], [-1.0, 0.0]], [1, 0]),
        hyperna.Sampled(hyperna.problem("half"), n=5, seed=0),
        hyperna.Online(hyperna.problem("half"), samples=5),
    ],
    ids=lambda fitness: type(fitness).__name__,
)
def test_only_networks_of_the_right_dimension_are_judged(fitness):
    with pytest.raises(TypeError, match="network must be a Network, got 'net'"):
        fitness("net")
    with pytest.raises(ValueError, match=f"networks must have dim {fitness.dim}"):
        fitness(hyperna.Network(hyperna.Grid(4, 1, 12), [0, 0, 0, 6]))
