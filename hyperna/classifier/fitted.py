"""What a fit shows, to those who watch it and as attributes of the estimator."""

import math
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from scipy.special import expit

from hyperna._validation import FloatArray, IntArray
from hyperna._words import counted
from hyperna.classifier.export import half_spaces
from hyperna.classifier.fitting import FOLDS, Fit
from hyperna.classifier.linear import least
from hyperna.classifier.points import Scaling, Table, blocks
from hyperna.classifier.rules import Rule, rule_of
from hyperna.classifier.spaces import signed_distance
from hyperna.classifier.work import PIECE, Control
from hyperna.networks import Network

Method = TypeVar("Method", bound=Callable[..., Any])

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # scikit-learn before 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing: callbacks came with scikit-learn 1.9."""

    def with_callbacks(method: Method) -> Method:
        """Return the method as it is: callbacks came with scikit-learn 1.9."""
        return method


# With several classes scores are compared, and printed thresholds stay this near to the true ones.
SLACK = 0.02
# Pieces of each search between which callbacks are called.
PIECES = 10


class Watch:
    """Looks in on a fit after each of its pieces, for callbacks and for `verbose`.

    A callback sees the pieces as tasks below the task "fit", each with an estimator that is fitted
    as if the work had ended there. One that returns True ends the fit, which keeps the best
    networks so far.
    """

    def __init__(
        self,
        estimator: Any,
        fits: list[Fit],
        control: Control,
        attributes: Callable[[], dict[str, Any]],
        X: Any,
        y: Any,
        sample_weight: Any,
    ) -> None:
        self.estimator, self.fits, self.attributes = estimator, fits, attributes
        self.data = {
            "X": X,
            "y": y,
            "metadata": None if sample_weight is None else {"sample_weight": sample_weight},
        }
        self.context, self.printed = None, ""
        control.pieces = PIECES
        if hasattr(estimator, "_init_callback_context"):
            most = len(fits)
            for fit in fits:
                shapes = len(fit.candidates)
                # Rounding the length of a piece down may add some, and long pieces are cut.
                searches = shapes * (min(fit.settings.restarts, fit.settings.max_evals // 100) + 1)
                most += FOLDS * shapes + (PIECES + 2) * searches + fit.settings.max_evals // PIECE
            self.context = estimator._init_callback_context(max_subtasks=most)
            self.context.call_on_fit_task_begin(estimator=estimator, **self.data)
        if estimator.verbose or getattr(estimator, "_skl_callbacks", None):
            control.report = self.piece

    def piece(self) -> bool:
        """Report a piece of work; return whether to end the fit."""
        if self.estimator.verbose:
            self._print()
        if self.context is None or not getattr(self.estimator, "_skl_callbacks", None):
            return False
        context = self.context.subcontext(task_name="piece")
        context.call_on_fit_task_begin(estimator=self.estimator, **self.data)
        stop = context.call_on_fit_task_end(
            estimator=self.estimator, **self.data, reconstruction_attributes=self.attributes
        )
        return bool(stop)

    def end(self) -> None:
        """Report the end of the fit."""
        if self.estimator.verbose:
            self._print()
        if self.context is not None:
            self.context.call_on_fit_task_end(
                estimator=self.estimator, **self.data, reconstruction_attributes=dict
            )

    def _print(self) -> None:
        evaluations = sum(fit.evaluations for fit in self.fits)
        losses = [
            1.0 - fit.current.score / fit.points.total
            for fit in self.fits
            if fit.current is not None
        ]
        mean = sum(losses) / len(losses)
        most = counted(sum(fit.settings.max_evals for fit in self.fits), "evaluation", "d")
        line = f"[NAClassifier] {evaluations} of at most {most} done, training error {mean:.4f}"
        if line != self.printed:
            print(line)
        self.printed = line


def softmax(values: FloatArray) -> FloatArray:
    """Return the rows of values as probabilities proportional to exp(value)."""
    power = np.exp(values - values.max(axis=1, keepdims=True))
    return np.asarray(power / power.sum(axis=1, keepdims=True))


def probabilities(distance: FloatArray, slope: float, lapse: float) -> FloatArray:
    """Return the chance of each class: a softmax of the distances, never below `lapse`.

    Examples
    --------
    >>> probabilities(np.array([[-1.0, 1.0], [-50.0, 50.0]]), slope=1.0, lapse=0.1)
    array([[0.19536234, 0.80463766],
           [0.1       , 0.9       ]])
    """
    chance: FloatArray = lapse + (1.0 - distance.shape[1] * lapse) * softmax(slope * distance)
    return chance


def fitted_chances(distance: FloatArray, label: IntArray, share: FloatArray, rows: float) -> Any:
    """Return slope and lapse for which `probabilities` fit the labels best.

    Labels are softened as by Platt (1999), by as much as two made-up rows, which keeps the slope
    finite for separated classes, and the lapse is drawn towards 0 by as much as one row.

    Parameters
    ----------
    distance : ndarray of shape (n, K)
        Signed distances, one column for each class.
    label : ndarray of shape (n,)
        Class of each point.
    share : ndarray of shape (n,)
        Weights that sum to one.
    rows : float
        How many rows the points stand for.
    """
    classes = distance.shape[1]
    soft = 1.0 / (rows + 2.0)
    target = np.full(distance.shape, soft / (classes - 1))
    target[np.arange(len(label)), label] = 1.0 - soft
    unit = float(np.abs(distance).max()) or 1.0
    powers, parts = (-7.0, 14.0), (-12.0, 6.0)

    def loss(v: FloatArray) -> tuple[float, FloatArray]:
        slope, part = math.exp(np.clip(v[0], *powers)) / unit, float(expit(np.clip(v[1], *parts)))
        plain = softmax(slope * distance)
        chance = part / classes + (1 - part) * plain
        odds = target / chance
        value = -share @ (target * np.log(chance)).sum(axis=1) - math.log(1 - part) / rows
        # derivatives of the softmax along its logits
        mean = (plain * odds).sum(axis=1, keepdims=True)
        by_slope = -(1 - part) * share @ (plain * (odds - mean) * distance).sum(axis=1)
        by_part = -share @ (odds * (1 / classes - plain)).sum(axis=1) + 1 / ((1 - part) * rows)
        return float(value), np.array([by_slope * slope, by_part * part * (1 - part)])

    begins = [np.array([math.log(s), lapse]) for s, lapse in ((3.0, -5.0), (30.0, -1.5))]
    _, (power, part) = min((least(loss, v, (), 100) for v in begins), key=lambda run: run[0])
    return math.exp(np.clip(power, *powers)) / unit, float(expit(np.clip(part, *parts))) / classes


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
                "network_ exists only for two classes; networks_ holds all of them"
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
        if hasattr(self, "networks_") and self.networks_[0].grid.neuron != "plain":
            raise AttributeError(
                f"{name} exists for plain neurons only: a bent neuron has no coefficients; "
                "rules_ holds the conditions of any network"
            )
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
            raise AttributeError("feature_importances_ exists only after fit")
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
    evals, losses = _mean_curve([fit.curve for fit in fits])
    # Slope and lapse by the distances of held-out points, where there are any.
    held_out = [fit.held_out_distances() for fit in fits]
    tried = any(column is not None for column in held_out)
    points = [fit.tried if tried else fit.points for fit in fits]
    columns = [
        signed_distance(network, some.Z) if column is None else column
        for network, some, column in zip(networks, points, held_out, strict=True)
    ]
    label = points[0].y.astype(int)
    if len(fits) > 1:
        label = np.argmax([some.y for some in points], axis=0)
    distance = class_columns(np.column_stack(columns))
    slope, lapse = fitted_chances(distance, label, points[0].share, points[0].rows)
    right, slack = 0, SLACK if len(networks) > 1 else np.inf
    for some in blocks(table.X):
        chosen = chosen_class(distances(networks, scaling.apply(table.X[some])))
        right += int(table.weight[some][chosen == table.label[some]].sum())
    return {
        "scaling_": scaling,
        "networks_": networks,
        "n_iter_": sum(fit.evaluations for fit in fits),
        "loss_evals_": evals,
        "loss_curve_": losses,
        "training_score_": right / int(table.weight.sum()),
        "rules_": [rule_of(network, scaling, table.X, slack) for network in networks],
        "slope_": slope,
        "lapse_": lapse,
    }


def distances(networks: list[Network], Z: FloatArray) -> FloatArray:
    """Return the signed distance of each point for each network."""
    return np.column_stack([signed_distance(network, Z) for network in networks])


def chosen_class(distance: FloatArray) -> IntArray:
    """Return the class whose distance is largest, or whether the only one is positive."""
    return distance.argmax(axis=1) if distance.shape[1] > 1 else (distance[:, 0] > 0).astype(int)


def _mean_curve(curves: list[list[tuple[int, float]]]) -> tuple[IntArray, FloatArray]:
    """Return the mean of step functions, at the places where one of them changes."""
    evals = np.unique([e for curve in curves for e, _ in curve]).astype(np.int64)
    total = np.zeros(len(evals))
    for curve in curves:
        places, losses = np.array(curve).T
        total += losses[np.maximum(np.searchsorted(places, evals, "right") - 1, 0)]
    return evals, total / len(curves)
