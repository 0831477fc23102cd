"""What a fit shows while it runs and when it has ended: distances, probabilities, attributes.

`Control` deals out the work of a fit, `Watch` reports on it.
"""

import math
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import cache
from operator import attrgetter, itemgetter
from threading import Condition
from typing import Any

import numpy as np
from scipy.special import expit
from threadpoolctl import ThreadpoolController

from hyperna._validation import BoolArray, FloatArray, IntArray
from hyperna._words import counted
from hyperna.classifier.points import FOLDS, LabelledPoints, Scaling, blocks
from hyperna.classifier.rules import Rule, rule_of
from hyperna.classifier.starts import least
from hyperna.networks import Network
from hyperna.neurons import cone_distance
from hyperna.parallel import numbered

# With several classes scores are compared, and printed thresholds stay this near to the true ones,
# or nearer until the rules say what the classifier says, on tables of so many rows.
SLACKS, MOST_COMPARED = (0.02, 0.005, 0.001, 1e-4, 1e-5, 1e-7), 20_000
# Rows for each class, on average, from which on classes may have factors and offsets of their own.
WELL_COVERED = 20
# Offspring between which an interrupt from the keyboard is noticed: a fraction of a second.
PIECE = 2**13
# Pieces of each search between which callbacks are called.
PIECES = 10
# No two points of the unit ball are farther apart; the distance of a network that never changes.
FARTHEST = 2.0


def signed_distance(network: Network, Z: FloatArray) -> FloatArray:
    """Return how far the hyperplanes must move for the output at each point to change.

    For bent neurons it is the surfaces of their cones. The distance is positive iff the network
    fires. For an OR it is the largest w·x - b of the neurons, for an AND the smallest, for an XOR
    the one nearest to 0 with the sign of the output. For an evolved output hidden bits are changed,
    the nearest hyperplanes first, as far as that works against the output, until the output
    changes; OR and AND are special cases of this.

    Examples
    --------
    >>> network = Network.from_weights([[1, 0], [0, 1]], [0.5, 0.5], resolution=8)
    >>> signed_distance(network, np.array([[0.75, 0.0], [0.0, 0.25]]))
    array([ 0.25, -0.25])
    """
    margin = network.margin(Z) if network.grid.neuron == "plain" else from_cones(network, Z)
    if network.grid.has_output_neuron:
        fires, distance = _evolved_distance(network, margin)
    elif network.grid.output == "xor":
        fires, distance = np.logical_xor.reduce(margin >= 0.0, axis=1), np.abs(margin).min(axis=1)
    else:
        last = margin.min(axis=1) if network.grid.output == "and" else margin.max(axis=1)
        fires, distance = last >= 0.0, np.abs(last)
    # A point on a boundary is on one side of it nevertheless, if by the least positive number.
    distance = np.maximum(distance, np.nextafter(0.0, 1.0))
    return np.where(fires, distance, -distance)


def from_cones(network: Network, Z: FloatArray) -> FloatArray:
    """Return how far each point is from the surface of each cone, >= 0 iff the neuron fires."""
    W, b, _, _ = network.layers
    bend = network.grid.parameters(network.genome)[1]
    dot = np.einsum("nd,kd->nk", Z, W)
    across = np.sqrt(np.maximum((Z * Z).sum(axis=1)[:, None] - dot * dot, 0.0))
    far = cone_distance(dot - b, across, np.cos(bend))
    return np.where(network.hidden(Z), far, -np.maximum(far, np.nextafter(0.0, 1.0)))


def _evolved_distance(network: Network, margin: FloatArray) -> tuple[BoolArray, FloatArray]:
    """Return whether an output neuron fires, and how far that is from changing."""
    _, _, vote, quorum = network.layers
    bits = margin >= 0.0
    output = _reached(bits, vote, quorum)
    # What each neuron says when it works against the output.
    against = np.where(output[:, None], vote < 0.0, vote >= 0.0)
    size = np.abs(margin)
    order = np.argsort(size, axis=1, kind="stable")
    distance = np.full(len(margin), FARTHEST)
    row, open_rows = np.arange(len(margin)), np.ones(len(margin), bool)
    for i in order.T:
        bits[row, i] = against[row, i]
        changed = open_rows & (_reached(bits, vote, quorum) != output)
        distance[changed] = size[row, i][changed]
        open_rows &= ~changed
    return output, distance


def _reached(bits: BoolArray, vote: FloatArray, quorum: float) -> BoolArray:
    """Whether the votes of the set bits reach the quorum, added in the order of the kernels."""
    total = np.zeros(len(bits))
    for bit, strength in zip(bits.T, vote, strict=True):
        total += np.where(bit, strength, 0.0)
    reached: BoolArray = total >= quorum
    return reached


def decide(
    networks: list[Network], Z: FloatArray, factor: FloatArray, offset: FloatArray
) -> tuple[FloatArray, IntArray]:
    """Return the score of each point for each network, and its class.

    A score is the signed distance times the network's factor, plus its offset. The class is the one
    with the largest score, or whether the only one is positive.
    """
    result = np.zeros((len(Z), len(networks)))
    for k, network in enumerate(networks):
        result[:, k] = factor[k] * signed_distance(network, Z) + offset[k]
    return result, result.argmax(axis=1) if len(networks) > 1 else (result[:, 0] > 0).astype(int)


def class_columns(distance: FloatArray) -> FloatArray:
    """Return one column a class; the two of a binary problem differ by the distance."""
    if distance.ndim == 2 and distance.shape[1] > 1:
        return distance
    half = distance.reshape(-1, 1) / 2
    return np.column_stack([-half, half])


def probabilities(distance: FloatArray, slope: float, lapse: float = 0.0) -> FloatArray:
    """Return the chance of each class: a softmax of the distances, never below `lapse`."""
    values = slope * distance
    power = np.exp(values - values.max(axis=1, keepdims=True))
    power /= power.sum(axis=1, keepdims=True)
    return np.asarray(lapse + (1.0 - distance.shape[1] * lapse) * power)


def fitted_chances(
    distance: FloatArray, label: IntArray, share: FloatArray, rows: float, own: bool = False
) -> Any:
    """Return slope and lapse for which `probabilities` fit the labels best, factors and offsets.

    Labels are softened as by Platt (1999), by as much as two made-up rows, which keeps the slope
    finite for separated classes, and the lapse is drawn towards 0 by as much as one row. There is
    a column of distances for each class; weights (`share`) sum to one and stand for so many rows.

    Factors of the distances are 1 and offsets 0. With `own` each class has its own, if the labels
    are told so much better that Schwarz's criterion (BIC, 1978) pays for that many parameters.
    """
    classes, soft = distance.shape[1], 1.0 / (rows + 2.0)
    if classes == 2:
        distance = np.asfortranarray(distance)  # two long columns are quicker than many short rows
    target = np.full_like(distance, soft / (classes - 1))
    target[np.arange(len(label)), label] = 1.0 - soft
    unit = float(np.abs(distance).max()) or 1.0

    def parts(v: FloatArray) -> tuple[FloatArray, FloatArray, float]:
        """Return slopes, offsets and the lapse of all classes; a common slope has no offsets."""
        each = (len(v) - 1) // 2 or 1
        slopes = np.exp(np.clip(v[:each], -7.0, 14.0)) / unit
        return slopes, v[each:-1], float(expit(np.clip(v[-1], -12.0, 6.0)))

    def loss(v: FloatArray) -> tuple[float, FloatArray]:
        slopes, offsets, part = parts(v)
        plain = probabilities(slopes * distance + (offsets if len(offsets) else 0.0), 1.0)
        chance = part / classes + (1 - part) * plain
        odds = target / chance
        value = -share @ (target * np.log(chance)).sum(axis=1) - math.log(1 - part) / rows
        # derivatives of the softmax along its logits
        push = (part - 1) * plain * (odds - (plain * odds).sum(axis=1, keepdims=True))
        by_slope = share @ (push * distance) * slopes
        by_part = -share @ (odds * (1 / classes - plain)).sum(axis=1) + 1 / ((1 - part) * rows)
        slope = [by_slope, share @ push] if len(offsets) else [by_slope.sum(keepdims=True)]
        return float(value), np.concatenate([*slope, [by_part * part * (1 - part)]])

    steep, flat = np.array([math.log(30.0), -1.5]), np.array([math.log(3.0), -5.0])
    found = least(loss, flat, (), 100), least(loss, steep, (), 100)
    value, best = min(found, key=itemgetter(0))
    if own and rows >= WELL_COVERED * classes:
        begin = np.concatenate([np.full(classes, best[0]), np.zeros(classes), best[1:]])
        less, v = least(loss, begin, (), 200, 1e-7)
        best = v if rows * (value - less) > (classes - 1) * math.log(rows) else best
    slopes, offsets, part = parts(best)
    slope = math.exp(np.log(slopes).mean()) if len(offsets) else float(slopes[0])
    offset = offsets / slope if len(offsets) else np.zeros(classes)
    return slope, part / classes, np.ones(classes) * slopes / slope, offset


def fitted_attributes(
    fits: list[Any], table: LabelledPoints, scaling: Scaling, classes: Any
) -> dict[str, Any]:
    """Return what makes an estimator fitted, from problems that each have a network."""
    # Slope and lapse by the distances of held-out points, where there are any.
    tried = any(map(attrgetter("judged"), fits))
    networks, columns, labels, evaluations, right = [], [], [], 0, 0
    for fit in fits:
        network, points = (fit.under_way or fit.best).network, fit.tried if tried else fit.points
        scaling.mark(network)
        networks.append(network)
        known = fit.held_out(fit.judged, signed_distance) if fit.judged else None
        columns.append(signed_distance(network, points.Z) if known is None else known)
        labels.append(points.y)
        evaluations += fit.evaluations
    label = np.argmax(labels, axis=0) if len(fits) > 1 else labels[0].astype(int)
    distance = class_columns(np.column_stack(columns))
    # Distances to networks that have seen the points say little about other classes.
    own = len(fits) > 1 and all(map(attrgetter("judged"), fits))
    found = fitted_chances(distance, label, points.share, points.rows, own)
    slope, lapse, factor, offset = found
    if len(fits) > 1:
        rules = compared_rules(networks, table.Z, scaling, factor, offset)
    else:
        rules = [rule_of(networks[0], scaling, table.Z)]
    for some in blocks(table.Z):
        _, chosen = decide(networks, scaling.apply(table.Z[some]), factor, offset)
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
        "factor_": factor[: len(fits)],
        "offset_": offset[: len(fits)],
    }


def compared_rules(
    networks: list[Network], X: FloatArray, scaling: Scaling, factor: FloatArray, offset: FloatArray
) -> list[Rule]:
    """Return the rules of more than two classes, by whose scores each row has the same class."""
    rules = [rule_of(network, scaling, X, SLACKS[0]) for network in networks]
    if len(X) > MOST_COMPARED:
        return rules
    _, chosen = decide(networks, scaling.apply(X), factor, offset)
    for slack in SLACKS[1:]:
        scores = []
        for rule, times, plus in zip(rules, factor, offset, strict=True):
            scores.append(rule.score(X, times) + float(f"{plus:.6g}"))
        if (np.argmax(scores, axis=0) == chosen).all():
            break
        rules = [rule_of(network, scaling, X, slack, idle=True) for network in networks]
    return rules


def mean_curve(curves: list[list[tuple[int, float]]]) -> tuple[IntArray, FloatArray]:
    """Return the mean of step functions, at the places where one of them changes."""
    evals = np.unique(np.concatenate(curves)[:, 0]).astype(np.int64)
    total = np.zeros(len(evals))
    for curve in curves:
        places, losses = np.array(curve).T
        total += losses[np.maximum(np.searchsorted(places, evals, "right") - 1, 0)]
    return evals, total / len(curves)


@cache
def linear_algebra() -> ThreadpoolController:
    """Return the libraries of linear algebra, which takes milliseconds to look for.

    A fit lets them use one thread: matrices are small, and other sums lead to other networks.
    """
    return ThreadpoolController()


class Control:
    """Deals out pieces of work, lets a caller look in between them, and ends them early.

    Work is done by joblib: in threads, because the kernels release the interpreter's lock, or by
    whatever backend is set with ``joblib.parallel_config``. A copy that was sent to another process
    only knows how to work; nothing watches it. Once `stopped`, or `interrupted` from the keyboard,
    searches under way return what they have, and others do not begin.
    """

    def __init__(self, n_jobs: int | None = None, fits: Sequence[Any] = ()) -> None:
        self.n_jobs, self.fits = n_jobs, fits
        # Called after each piece of work; the work ends when it returns True.
        self.report: Callable[[], bool] | None = None
        self.stopped = self.interrupted = self._away = False
        self._busy, self._change = 0, Condition()

    def __getstate__(self) -> dict[str, Any]:
        return {}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__()  # type: ignore[misc]
        self._away = True

    def interrupt(self) -> None:
        """End the work because the user wishes so."""
        self.stopped = self.interrupted = True

    def pause(self) -> None:
        """Let who watches look in after a piece of work."""
        if not self.stopped and self.report is not None and self.report():
            self.stopped = True

    def note(self, number: int, outcome: Any) -> None:
        """Remember a search under way that is the best so far, for those who watch or interrupt."""
        with self._change:
            for fit in self.fits[number : number + 1]:
                best = fit.under_way or fit.best
                if best is None or outcome.rank > best.rank:
                    fit.under_way = outcome

    def map(self, jobs: list[tuple[Any, ...]]) -> list[Any]:
        """Return work(self, *arguments) for each job (work, *arguments); None if not finished."""
        results: list[Any] = [None] * len(jobs)
        try:
            if self.report is not None:
                # The watcher sees the pieces one after the other.
                for number, job in enumerate(jobs):
                    results[number] = self._do(*job)
            elif jobs:
                for number, result in numbered(self._do, jobs, self.n_jobs, False):
                    results[number] = result
        except KeyboardInterrupt:
            self.interrupt()
            with self._change:  # threads at work note where they stand
                self._change.wait_for(lambda: self._busy == 0)
        return results

    def _do(self, work: Callable[..., Any], *arguments: Any) -> Any:
        with self._change:
            self._busy += 1
        try:
            if self.stopped:
                return None
            one = linear_algebra().limit(limits=1, user_api="blas") if self._away else nullcontext()
            with one:
                return work(self, *arguments)
        finally:
            with self._change:
                self._busy -= 1
                self._change.notify_all()


class Watch:
    """Looks in on a fit after each of its pieces, for callbacks and for `verbose`.

    A callback sees the pieces as tasks below the task "fit", each with an estimator that is fitted
    as if the work had ended there. One that returns True ends the fit, which keeps the best
    networks so far.
    """

    def __init__(
        self, estimator: Any, control: Control, attributes: Callable[[], dict[str, Any]], data: Any
    ) -> None:
        self.estimator, self.fits, self.attributes = estimator, control.fits, attributes
        self.context, self.printed, self.least = None, "", np.inf
        self.data = {"estimator": estimator, **data}
        if getattr(estimator, "_skl_callbacks", None):
            most = len(self.fits)
            for fit in self.fits:
                shapes, evals = len(fit.candidates), fit.settings.max_evals
                # Rounding the length of a piece down may add some, and long pieces are cut.
                searches = shapes * (min(fit.settings.restarts, evals // 100) + 1)
                most += FOLDS * shapes + (PIECES + 2) * searches + evals // PIECE
            self.context = estimator._init_callback_context(max_subtasks=most)
            self.context.call_on_fit_task_begin(**self.data)
        control.report = self.piece

    def piece(self) -> bool:
        """Report a piece of work; return whether to end the fit."""
        self._print()
        if self.context is None:
            return False
        context = self.context.subcontext(task_name="piece")
        context.call_on_fit_task_begin(**self.data)
        ended = context.call_on_fit_task_end
        return bool(ended(**self.data, reconstruction_attributes=self.attributes))

    def end(self) -> None:
        """Report the end of the fit."""
        self._print(ended=True)
        if self.context is not None:
            self.context.call_on_fit_task_end(**self.data, reconstruction_attributes=dict)

    def _print(self, ended: bool = False) -> None:
        if not self.estimator.verbose:
            return
        best = [(fit.under_way or fit.best, fit.points.total) for fit in self.fits]
        losses = [1.0 - outcome.rank[0] / total for outcome, total in best if outcome]
        mean, evaluations = sum(losses) / len(losses), sum(fit.evaluations for fit in self.fits)
        most = counted(sum(fit.settings.max_evals for fit in self.fits), "evaluation", "d")
        done = f"{evaluations} of at most {most} done"
        if ended:
            done = f"finished after {counted(evaluations, 'evaluation', 'd')}"
        of_each = " of each class against all others, on average" if len(best) > 1 else ""
        line = f"{done}, training error{of_each} {mean:.4f}"
        if ended and mean > self.least:
            line += f" ({self.least:.4f} before networks were chosen and simplified)"
        if len(losses) == len(self.fits):  # before, the mean is of some classes only
            self.least = min(self.least, mean)
        if line != self.printed:
            print(f"[NAClassifier] {line}")
        self.printed = line
