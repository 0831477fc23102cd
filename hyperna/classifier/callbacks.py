"""Watching a fit: scikit-learn's callbacks, where that version is installed, and `verbose`."""

from collections.abc import Callable
from typing import Any, TypeVar

from hyperna._words import counted
from hyperna.classifier.control import Control
from hyperna.classifier.fitting import FOLDS, Fit
from hyperna.classifier.work import PIECE

Method = TypeVar("Method", bound=Callable[..., Any])

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # scikit-learn before 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing: callbacks came with scikit-learn 1.9."""

    def with_callbacks(method: Method) -> Method:
        """Return the method as it is: callbacks came with scikit-learn 1.9."""
        return method


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
            self.context = estimator._init_callback_context(max_subtasks=self._most_pieces())
            self.context.call_on_fit_task_begin(estimator=estimator, **self.data)
        if estimator.verbose or getattr(estimator, "_skl_callbacks", None):
            control.report = self.piece

    def _most_pieces(self) -> int:
        """Upper limit of the number of pieces."""
        each = 0
        for fit in self.fits:
            shapes = len(fit.candidates)
            # Rounding the length of a piece down may add some, and long pieces are cut.
            searches = shapes * (min(fit.settings.restarts, fit.settings.max_evals // 100) + 1)
            cuts = fit.settings.max_evals // PIECE
            each += FOLDS * shapes + (PIECES + 2) * searches + cuts
        return each + len(self.fits)

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
