"""The picture of a classifier's path: accuracy against terms."""

import numpy as np
import pytest
from commands import refusal
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from hyperna import NAClassifier
from hyperna.cli import main

plt = pytest.importorskip("matplotlib.pyplot", reason="needs hyperna[plot]")

from hyperna.plots import dark_pictures, plot_path  # noqa: E402


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def flowers():
    X, y = load_iris(return_X_y=True)
    return X, y, NAClassifier(random_state=0).fit(X, y)


def drawn(ax):
    """The line of accuracies, by the number of terms."""
    line = ax.containers[0].lines[0]
    return dict(zip(*line.get_data(), strict=True))


def labels(ax):
    return ax.get_legend_handles_labels()[1]


def test_training_accuracy_by_terms_with_the_chosen_rule_and_the_constant_answer(flowers):
    _, _, fitted = flowers
    ax = plot_path(fitted)
    path = fitted.path_
    assert drawn(ax) == {row.terms: pytest.approx(row.accuracy) for row in path if row.terms}
    assert ax.get_ylabel() == "training accuracy"
    chosen = next(line for line in ax.lines if line.get_label().startswith("chosen"))
    assert chosen.get_xdata() == [path.chosen.terms]
    assert chosen.get_ydata() == [pytest.approx(fitted.training_score_)]
    constant = next(line for line in ax.lines if line.get_label().startswith("constant"))
    assert list(constant.get_ydata()) == pytest.approx([fitted.baseline_score_] * 2)


def test_held_out_accuracy_with_its_standard_error(flowers):
    X, y, fitted = flowers
    again = fitted.at(terms=fitted.n_terms_)
    path = again.validate_path(X, y, cv=3)
    ax = plot_path(again)
    assert ax.get_ylabel() == "held-out accuracy"
    assert drawn(ax) == {
        row.terms: pytest.approx(1 - row.held_out_error) for row in path if row.terms
    }
    [bars] = ax.containers[0].lines[2]
    half = [(high - low) / 2 for (_, low), (_, high) in bars.get_segments()]
    assert half == pytest.approx([row.standard_error for row in path if row.terms])


def test_a_pipeline_and_the_path_itself_are_drawn_alike(flowers):
    X, y, _ = flowers
    model = make_pipeline(StandardScaler(), NAClassifier(random_state=0)).fit(X, y)
    assert drawn(plot_path(model)) == drawn(plot_path(model[-1].path_))


def test_a_long_path_has_a_logarithmic_axis_with_plain_numbers():
    X, y = load_breast_cancer(return_X_y=True)
    with dark_pictures():
        ax = plot_path(NAClassifier(shortness=0, max_neurons=1, random_state=0).fit(X, y))
    assert ax.get_xscale() == "log"
    assert "1" in [label.get_text() for label in ax.get_xticklabels()]


def test_where_nothing_is_learnt_the_constant_answer_is_the_picture():
    X = np.zeros((20, 2))
    fitted = NAClassifier(random_state=0).fit(X, [0, 1, 1, 1] * 5)
    ax = plot_path(fitted)
    assert drawn(ax) == {}
    assert "constant answer (chosen): 0.750" in labels(ax)
    assert not any(label.startswith("chosen") for label in labels(ax))


def test_only_a_fitted_classifier_has_a_path(flowers):
    X, y, fitted = flowers
    with pytest.raises(TypeError, match="fitted NAClassifier or its path, got NAClassifier"):
        plot_path(NAClassifier())
    with pytest.raises(TypeError, match="got LogisticRegression"):
        plot_path(LogisticRegression().fit(X, y == 0))
    with pytest.raises(ValueError, match="read from JSON has no path"):
        plot_path(NAClassifier.from_json(fitted.to_json()))


def test_the_command_draws_the_path_beside_the_regions(tmp_path, capsys):
    sizes = {}
    for name, more in (("regions", ()), ("both", ("--path", "3"))):
        file = tmp_path / f"{name}.png"
        assert main(["fit", "sklearn:iris", "--plot", str(file), *more]) == 0
        sizes[name] = plt.imread(file).shape
    assert sizes["both"][1] > 1.5 * sizes["regions"][1]
    assert "held-out error" in capsys.readouterr().out


def test_one_feature_has_a_path_but_no_regions(tmp_path, capsys):
    data = tmp_path / "one.csv"
    rows = [f"{k / 10},{'yes' if k > 20 else 'no'}" for k in range(40)]
    data.write_text("\n".join(["size,bought", *rows]) + "\n", encoding="utf-8")
    picture = tmp_path / "one.png"
    model = tmp_path / "model.json"
    wanted = ("--plot", str(picture), "--save", str(model))
    assert "--plot needs at least 2 features" in refusal(capsys, "fit", str(data), *wanted)
    assert not picture.exists()
    assert not model.exists()
    assert main(["fit", str(data), "--path", "--plot", str(picture)]) == 0
    assert picture.stat().st_size > 0
