"""What a fit shows, to those who watch it and as attributes of the estimator."""

from collections.abc import Callable
from operator import attrgetter
from typing import Any, TypeVar

import numpy as np

from hyperna._validation import FloatArray, IntArray
from hyperna._words import counted
from hyperna.classifier.distances import (
    chosen_class,
    class_columns,
    distances,
    fitted_chances,
    signed_distance,
)
from hyperna.classifier.export import half_spaces
from hyperna.classifier.fitting import FOLDS, Fit
from hyperna.classifier.points import LabelledPoints, Scaling, blocks
from hyperna.classifier.rules import Rule, rule_of
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


class FittedNetworks:
    """What the networks of a fitted classifier say about themselves."""

    networks_: list[Network]
    scaling_: Scaling
    rules_: list[Rule]

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


def fitted_attributes(
    fits: list[Fit], table: LabelledPoints, scaling: Scaling, classes: Any
) -> dict[str, Any]:
    """Return what makes an estimator fitted, from problems that each have a network."""
    # Slope and lapse by the distances of held-out points, where there are any.
    tried = any(map(attrgetter("judged"), fits))
    networks, columns, labels, rules, evaluations, right = [], [], [], [], 0, 0
    for fit in fits:
        network, points = fit.current.network, fit.tried if tried else fit.points
        scaling.mark(network)
        networks.append(network)
        held_out = fit.held_out(fit.judged, signed_distance) if fit.judged else None
        columns.append(signed_distance(network, points.Z) if held_out is None else held_out)
        labels.append(points.y)
        rules.append(rule_of(network, scaling, table.Z, SLACK if len(fits) > 1 else np.inf))
        evaluations += fit.evaluations
    label = np.argmax(labels, axis=0) if len(fits) > 1 else labels[0].astype(int)
    distance = class_columns(np.column_stack(columns))
    slope, lapse = fitted_chances(distance, label, points.share, points.rows)
    for some in blocks(table.Z):
        chosen = chosen_class(distances(networks, scaling.apply(table.Z[some])))
        right += int(table.weight[some][chosen == table.y[some]].sum())
    evals, losses = mean_curve(list(map(attrgetter("curve"), fits)))
    return {
        "classes_": classes,
        "scaling_": scaling,
        "networks_": networks,
        "n_iter_": evaluations,
        "loss_evals_": evals,
        "loss_curve_": losses,
        "training_score_": right / table.total,
        "rules_": rules,
        "slope_": slope,
        "lapse_": lapse,
    }


def mean_curve(curves: list[list[tuple[int, float]]]) -> tuple[IntArray, FloatArray]:
    """Return the mean of step functions, at the places where one of them changes.

    Examples
    --------
    >>> mean_curve([[(1, 0.5), (4, 0.25)], [(2, 0.75)]])
    (array([1, 2, 4]), array([0.625, 0.625, 0.5  ]))
    """
    evals = np.unique(np.concatenate(curves)[:, 0]).astype(np.int64)
    total = np.zeros(len(evals))
    for curve in curves:
        places, losses = np.array(curve).T
        total += losses[np.maximum(np.searchsorted(places, evals, "right") - 1, 0)]
    return evals, total / len(curves)
