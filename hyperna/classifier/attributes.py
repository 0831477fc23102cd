"""What a fitted estimator knows: networks, losses, and how distances become probabilities."""

from typing import Any

import numpy as np

from hyperna._validation import FloatArray, IntArray
from hyperna.classifier.fitting import Fit
from hyperna.classifier.margins import fitted_chances, signed_distance
from hyperna.classifier.points import Table
from hyperna.classifier.rules import Rule, rule_of
from hyperna.classifier.scaling import Scaling
from hyperna.classifier.text import half_spaces
from hyperna.networks import Network


class FittedNetworks:
    """What the networks of a fitted classifier say about themselves."""

    networks_: list[Network]
    scaling_: Scaling
    rules_: list[Rule]

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if name in ("networks_", "scaling_"):
            self._mark()

    def __setstate__(self, state: Any) -> None:
        super().__setstate__(state)  # type: ignore[misc]
        self._mark()

    def _mark(self) -> None:
        """Tell networks whose half-spaces are not in the units of the data, for who draws them."""
        scaling = self.__dict__.get("scaling_")
        if scaling is not None and not scaling.changes_nothing:
            for network in self.__dict__.get("networks_", []):
                object.__setattr__(network, "scaled", True)

    @property
    def network_(self) -> Network:
        """The network that tells the second class from the first."""
        if len(self.networks_) > 1:
            raise AttributeError(
                "network_ exists for two classes only; networks_ holds all of them"
            )
        return self.networks_[0]

    @property
    def n_neurons_(self) -> Any:
        """Number of neurons, for more than two classes a list."""
        sizes = [network.grid.neurons for network in self.networks_]
        return sizes if len(sizes) > 1 else sizes[0]

    @property
    def output_(self) -> Any:
        """How the neurons are joined, for more than two classes a list."""
        outputs = [network.grid.output for network in self.networks_]
        return outputs if len(outputs) > 1 else outputs[0]

    @property
    def coef_(self) -> FloatArray:
        """Coefficients of the features for two classes and one neuron, shape (1, n_features)."""
        return self._one_neuron("coef_")[0]

    @property
    def intercept_(self) -> FloatArray:
        """What is added to the coefficients times the features, shape (1,)."""
        return self._one_neuron("intercept_")[1]

    def _one_neuron(self, name: str) -> tuple[FloatArray, FloatArray]:
        if not hasattr(self, "networks_") or self.n_neurons_ != 1:
            # AttributeError: scikit-learn then takes feature_importances_.
            raise AttributeError(
                f"{name} exists for two classes and one neuron only, as with n_neurons=1; "
                "rules_ holds the conditions of any network"
            )
        W, t = half_spaces(self.networks_[0], self.scaling_)
        return W, -t

    @property
    def feature_importances_(self) -> FloatArray:
        """Share of each feature in the conditions: coefficient times deviation, averaged."""
        if not hasattr(self, "networks_"):
            raise AttributeError("feature_importances_ exists after fit only")
        parts = []
        for rule in self.rules_:
            sizes = np.abs([condition.influence for condition in rule.conditions])
            total = sizes.sum(axis=1, keepdims=True)
            parts.append((sizes / np.where(total > 0, total, 1.0)).mean(axis=0))
        mean = np.mean(parts, axis=0)
        return np.asarray(mean / (mean.sum() or 1.0))


def class_columns(distance: FloatArray) -> FloatArray:
    """Return one column a class; the two of a binary problem differ by the distance."""
    if distance.ndim == 2 and distance.shape[1] > 1:
        return distance
    half = distance.reshape(-1, 1) / 2
    return np.column_stack([-half, half])


def fitted_attributes(fits: list[Fit], table: Table, scaling: Scaling) -> dict[str, Any]:
    """Return what makes an estimator fitted, from problems that each have a network."""
    networks = [fit.current.network for fit in fits if fit.current is not None]
    distance = np.column_stack([signed_distance(net, fits[0].points.Z) for net in networks])
    chosen = distance.argmax(axis=1) if len(networks) > 1 else (distance[:, 0] > 0).astype(int)
    evals, losses = _mean_curve([fit.curve for fit in fits])
    slope, lapse = _chances(fits, table, distance)
    return {
        "scaling_": scaling,
        "networks_": networks,
        "n_iter_": sum(fit.evaluations for fit in fits),
        "loss_evals_": evals,
        "loss_curve_": losses,
        "training_score_": int(table.weight[chosen == table.label].sum()) / int(table.weight.sum()),
        "rules_": [rule_of(network, scaling, table.X, fits[0].points.Z) for network in networks],
        "slope_": slope,
        "lapse_": lapse,
    }


def _chances(fits: list[Fit], table: Table, distance: FloatArray) -> tuple[float, float]:
    """Return slope and lapse by the distances of held-out points, where there are any."""
    index, weight = np.arange(len(table.label)), table.weight
    held_out = [fit.held_out_distances() for fit in fits]
    if any(column is not None for column in held_out):
        index, weight, _ = fits[0].folds
        columns = [
            distance[index, k] if column is None else column for k, column in enumerate(held_out)
        ]
        distance = np.column_stack(columns)
    rows = table.rows * float(weight.sum()) / float(table.weight.sum())
    return fitted_chances(class_columns(distance), table.label[index], weight / weight.sum(), rows)


def _mean_curve(curves: list[list[tuple[int, float]]]) -> tuple[IntArray, FloatArray]:
    """Return the mean of step functions, at the places where one of them changes."""
    evals = np.unique([e for curve in curves for e, _ in curve]).astype(np.int64)
    total = np.zeros(len(evals))
    for curve in curves:
        places, losses = np.array(curve).T
        total += losses[np.maximum(np.searchsorted(places, evals, "right") - 1, 0)]
    return evals, total / len(curves)
