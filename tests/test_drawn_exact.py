"""Maps of exact runtimes and of drift over two components of several, computed a second time."""

from itertools import permutations

import numpy as np
import pytest

pytest.importorskip("matplotlib")

import matplotlib.pyplot as plt

from hyperna import expected_runtime
from hyperna.plots import plot_drift, plot_expected_times, plot_scaling
from hyperna.theory import drift

# Options of chains with three and four components.
CHAINS = {
    "sphere": {"problem": "half", "resolution": 4, "dim": 3},
    "two neurons": {"problem": "two_quarters", "resolution": 4, "neurons": 2, "target": 0.7},
    "bent": {"problem": "quarter", "resolution": 6, "neuron": "bent", "target": 0.9},
}


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module", params=CHAINS)
def runtime(request):
    options = dict(CHAINS[request.param])
    return expected_runtime(options.pop("problem"), options.pop("resolution"), **options)


def scale_of(runtime, k):
    """The values of a component as people read them."""
    r, name = runtime.grid.resolution, runtime.components[k]
    places = np.arange(runtime.per_state.shape[k])
    if name.startswith("bias"):
        return 2 * places / r - 1
    return (180 if name.startswith("bend") else 360) * places / r


def shown_in(ax, runtime, pair):
    """The image of a map as an array over the first component, then the second."""
    (image,) = ax.images
    left, right, bottom, top = image.get_extent()
    for k, low, high in ((pair[0], left, right), (pair[1], bottom, top)):
        values = scale_of(runtime, k)
        centres = low + (high - low) * (np.arange(len(values)) + 0.5) / len(values)
        np.testing.assert_allclose(centres, values, atol=1e-9)
    for k, label in ((pair[0], ax.get_xlabel()), (pair[1], ax.get_ylabel())):
        assert label.removesuffix(" in degrees") == runtime.components[k]
        assert label.endswith("degrees") == (not runtime.components[k].startswith("bias"))
    return np.ma.filled(np.ma.asarray(image.get_array(), float), np.nan).T


def over(values, pair, join):
    """The values over two components, joined over all others one by one."""
    sizes = values.shape[pair[0]], values.shape[pair[1]]
    table = np.empty(sizes)
    for i in range(sizes[0]):
        for j in range(sizes[1]):
            place = [slice(None)] * values.ndim
            place[pair[0]], place[pair[1]] = i, j
            table[i, j] = join(values[tuple(place)].ravel())
    return table


def test_maps_of_expected_times_are_means_over_all_other_components(runtime):
    for pair in permutations(range(runtime.per_state.ndim), 2):
        ax = plot_expected_times(runtime, components=pair)
        wanted = over(runtime.per_state, pair, np.mean)
        found = shown_in(ax, runtime, pair)
        np.testing.assert_allclose(found, np.where(np.isfinite(wanted), wanted, np.nan))
        plt.close("all")


def test_without_a_choice_the_last_angle_of_the_first_neuron_and_what_follows_are_shown(runtime):
    names = runtime.components
    width = runtime.grid.width
    last = max(k for k in range(width) if names[k].startswith("angle"))
    pair = (last, last + 1)
    found = shown_in(plot_expected_times(runtime), runtime, pair)
    wanted = over(runtime.per_state, pair, np.mean)
    np.testing.assert_allclose(found, np.where(np.isfinite(wanted), wanted, np.nan))
    for wrong in ((0, 0), (-1, 1), (0, len(names)), (len(names), 0)):
        with pytest.raises(ValueError, match="components must be two places from 0 to"):
            plot_expected_times(runtime, components=wrong)


def test_maps_of_drift_have_the_least_of_all_other_components(runtime):
    found = drift(runtime, "missing fitness")
    values = np.where(found.free, found.drift, np.nan)

    def least(some):
        return np.nan if np.isnan(some).all() else np.nanmin(some)

    for pair in permutations(range(values.ndim), 2):
        ax = plot_drift(found, over="components", components=pair)
        np.testing.assert_allclose(shown_in(ax, runtime, pair), over(values, pair, least))
        marked = [line for line in ax.lines if line.get_marker() == "x"]
        failing = over(found.failing.astype(float), pair, np.max) > 0
        wanted = {
            (scale_of(runtime, pair[0])[i], scale_of(runtime, pair[1])[j])
            for i, j in np.argwhere(failing)
        }
        drawn = {tuple(point) for line in marked for point in line.get_xydata().tolist()}
        assert drawn == wanted
        plt.close("all")


def test_points_of_drift_are_the_networks_that_do_not_succeed(runtime):
    found = drift(runtime, "missing fitness")
    good, *rest = plot_drift(found).lines
    free, failing = found.free, found.failing
    chosen = free & ~failing
    assert good.get_xdata().tolist() == found.values[chosen].tolist()
    assert good.get_ydata().tolist() == found.drift[chosen].tolist()
    crosses = [line for line in rest if line.get_marker() == "x"]
    assert sum(len(line.get_xdata()) for line in crosses) == failing.sum()
    (relative,) = [line for line in rest if line.get_linestyle() == "--"]
    x, y = relative.get_data()
    assert [x[0], x[-1]] == [found.values[free].min(), found.values[free].max()]
    np.testing.assert_allclose(y, found.multiplicative_rate * np.asarray(x))


def test_runtimes_of_no_evaluations_are_refused():
    with pytest.raises(ValueError, match="evaluations at r = 24 must be one number > 0"):
        plot_scaling({12: [1.0, 2.0], 24: [0.0, 3.0]})
    assert plot_scaling({12: [1.0, 2.0], 24: [0.5, 3.0]}).get_yscale() == "log"
