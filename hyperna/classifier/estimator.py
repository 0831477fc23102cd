"""NAClassifier: the (1+1) NA as a scikit-learn classifier."""

import warnings
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from hyperna._validation import FloatArray, check_choice, check_integer, check_jobs, check_real
from hyperna._words import shown
from hyperna.algorithm import MOVES
from hyperna.classifier.export import FittedNetworks
from hyperna.classifier.fitted import (
    Control,
    Watch,
    class_columns,
    decide,
    fitted_attributes,
    linear_algebra,
    probabilities,
)
from hyperna.classifier.fitting import MOST_SEARCHED, MOST_TRIED, Fit, fit_all
from hyperna.classifier.points import FOLDS, LabelledPoints, Scaling, labelled_points, numbers
from hyperna.classifier.work import WALK, Settings
from hyperna.grid import MAX_RESOLUTION, Grid, finest_unit
from hyperna.mutation import StepLaw, law
from hyperna.neurons import NEURONS
from hyperna.outputs import OUTPUTS

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # scikit-learn before 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing: callbacks came with scikit-learn 1.9."""

    def with_callbacks(method: Any) -> Any:
        """Return the method as it is: callbacks came with scikit-learn 1.9."""
        return method


MARGIN_CLIP = 0.05
MOST_NEURONS = 1000


class NAClassifier(FittedNetworks, CallbackSupportMixin, ClassifierMixin, BaseEstimator):
    """Classifier that minimises the number of errors directly, with a network of a few half-spaces.

    A small network of threshold neurons is evolved by the (1+1) NA: one network, one offspring at a
    time, kept if it classifies the training points no worse. The half-spaces found can be printed
    (`export_text`) and drawn. More than two classes are handled one-versus-rest.

    Parameters
    ----------
    n_neurons : int or "auto", default="auto"
        Number of hidden neurons, at most 1000; "auto" chooses up to 8 by cross-validation.
    output : {"auto", "or", "and", "xor", "evolved"}, default="auto"
        How the neurons are joined. "or": the second class is a union of half-spaces; "and": an
        intersection; "xor": the points in an odd number of half-spaces; "evolved": a weighted
        vote.
        "auto" tries them on held-out training points (three folds) and fits the best one, for as
        long as that helps. One half-space, that of logistic regression, is kept unless a network
        is better by more than one standard error of the paired difference, and also where nothing
        is better than a constant answer by one standard error, unless some network with no more
        parameters than points makes no training error at all.
    resolution : int, default=65536
        Number of angles and biases on the search grid, from 2 to 2**40.
    mutation : str or StepLaw, default="harmonic"
        How far a mutated angle or bias moves; see ``hyperna.LAWS``.
    max_evals : int, default=100000
        Maximum number of fitness evaluations for each binary problem, including those of the
        trials. If there are trials, the final searches take about as many evaluations as they.
    n_restarts : int, default=2
        Number of restarts: further searches after the first one, of which the best network is
        kept. There are fewer if a search would get less than 100 evaluations.
    stagnation : int, optional
        Number of evaluations without improvement after which a search ends early.
    tie_break : {"margin"}, float or None, default="margin"
        Among networks with the same number of errors prefer those whose boundary stays away from
        the points: the sum of the distances, each clipped to ±0.05 (or to the number given; the
        points fill the unit ball). None: accept all of them, as the paper's algorithm does.
    init : {"data", "grid", "sphere"}, default="data"
        Start with half-spaces fitted to the data (linear fits, and smooth stand-ins for an OR, an
        AND, an XOR and a vote, fitted by L-BFGS), or at random: uniform on the grid as in the
        paper, or with uniform normals. With random starts and `n_restarts` > 0 a search begins
        with a knock-out of up to 16 starts, in which ties are accepted: the better half continues
        with twice as many evaluations, until one is left. "auto" then chooses among one neuron,
        an XOR of two and a vote of four, which may turn out to be an OR or an AND.
    move : {"rotation", "angle"}, default="rotation"
        How a mutated direction moves: the normal turns in the plane of two random features, or one
        of its angles changes, as in the paper. With two features both are the same.
    neuron : {"plain", "bent"}, default="plain"
        Kind of the neurons: half-spaces, or cones, whose bend evolves too. Cones begin as the
        half-spaces of `init`. They are searched without margins, so `tie_break` only decides
        between finished searches, and are not made simpler afterwards; `export_text` prints
        neurons with an evolved bend as conditions on the angle between axis and point.
    scale : bool, default=True
        Centre the features, divide by their deviations and shrink all into the unit ball, where
        biases in [-1, 1] reach every hyperplane that matters. False: use the data as they are,
        for points on the unit sphere; hyperplanes farther than 1 from 0 are then out of reach.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes: a dict, or "balanced" for equal total weights. It is the same
        as multiplying `sample_weight` by the weight of each row's class.
    n_jobs : int, optional
        Number of workers, as in joblib, for trials, restarts and classes. They are threads, unless
        another backend is set with ``joblib.parallel_config`` ("loky", "dask", ...). The result
        does not depend on either. With callbacks or `verbose` all is done in one thread.
    warm_start : bool, default=False
        Continue with the networks of the previous call to `fit`, in its scaling.
    verbose : int, default=0
        Print the evaluations and the training error during the fit.
    random_state : int, RandomState or None
        Pass an integer for reproducible results.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    networks_ : list of Network
        One network for two classes, otherwise one for each class against the rest.
    network_ : Network
        The only network, for two classes.
    n_neurons_, output_ : int and str, or lists of these
        Number of neurons and how they are joined, for more than two classes one for each class.
    coef_, intercept_ : ndarray of shape (1, n_features) and (1,)
        For one plain neuron: `decision_function` is X @ coef_[0] + intercept_[0].
    feature_importances_ : ndarray of shape (n_features,)
        Share of each feature in the conditions of `rules_`: coefficient times standard deviation,
        averaged over the conditions and then over the classes. The shares sum to 1.
    rules_ : list of Rule
        What `export_text` prints: conditions in the units of the data.
    scaling_ : Scaling
        The map from the features to the unit ball.
    n_iter_ : int
        Fitness evaluations, in all.
    loss_curve_, loss_evals_ : ndarray
        Least training error so far, and the evaluations after which it was reached (for more
        than two classes: the mean over the binary problems).
    training_score_ : float
        Accuracy on the training points, with their weights.
    slope_, lapse_ : float
        See `predict_proba`.
    factor_, offset_ : ndarray of shape (n_classes,), of shape (1,) for two classes
        By which the distances of more than two classes are compared, see `decision_function`.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    Equal rows are merged and the rows are sorted, so the result depends neither on the order of
    the rows nor on whether a row has weight 2 or occurs twice. Where the size of the weights
    matters, in the standard errors and in the penalty of the logistic regression, they are read
    as numbers of rows.

    Interrupting `fit` from the keyboard leaves a fitted estimator with the best networks so far,
    and a ConvergenceWarning says so. If it comes before every class has a first network, the
    KeyboardInterrupt is raised as usual. Threads of `n_jobs` finish their piece of work first; what
    other processes were doing is lost. For the same reason, an interrupt in a grid search or a
    cross-validation ends only the current fit, which is scored as it is before the next one
    begins. To end all of them, turn the warning into an error with
    ``warnings.simplefilter("error", ConvergenceWarning)`` and ``error_score="raise"``.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[-1, -1], [-1, 1], [1, -1], [1, 1]])
    >>> clf = NAClassifier(random_state=0).fit(X, ["even", "odd", "odd", "even"])
    >>> clf.score(X, ["even", "odd", "odd", "even"])
    1.0
    """

    def __init__(
        self,
        n_neurons: int | str = "auto",
        *,
        output: str = "auto",
        resolution: int = 65536,
        mutation: str | StepLaw = "harmonic",
        max_evals: int = 100_000,
        n_restarts: int = 2,
        stagnation: int | None = None,
        tie_break: str | float | None = "margin",
        init: str = "data",
        move: str = "rotation",
        neuron: str = "plain",
        scale: bool = True,
        class_weight: dict[Any, float] | str | None = None,
        n_jobs: int | None = None,
        warm_start: bool = False,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.n_neurons = n_neurons
        self.output = output
        self.resolution = resolution
        self.mutation = mutation
        self.max_evals = max_evals
        self.n_restarts = n_restarts
        self.stagnation = stagnation
        self.tie_break = tie_break
        self.init = init
        self.move = move
        self.neuron = neuron
        self.scale = scale
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.warm_start = warm_start
        self.verbose = verbose
        self.random_state = random_state

    @with_callbacks
    def fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> "NAClassifier":
        """Evolve networks that classify X as y.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training points.
        y : array-like of shape (n_samples,)
            Their classes.
        sample_weight : array-like of shape (n_samples,), optional
            Non-negative sample weights.

        Returns
        -------
        self
        """
        table, classes, y = labelled_points(self, X, y, sample_weight)
        settings = self._settings(table.Z.shape[1])
        continued = self.warm_start and hasattr(self, "networks_")
        if continued:
            scaling = self.scaling_
        elif self.scale:
            scaling = Scaling.fit(table.Z, table.weight.astype(float))
        else:
            scaling = Scaling.identity(table.Z.shape[1])
        fits = self._binary_fits(table, scaling, len(classes), settings)
        if continued:
            self._continue(fits, classes)
        attributes = partial(fitted_attributes, fits, table, scaling, classes)
        control, watch = Control(check_jobs(self.n_jobs), fits), None
        if self.verbose or getattr(self, "_skl_callbacks", None):
            weights = None if sample_weight is None else {"sample_weight": sample_weight}
            watch = Watch(self, control, attributes, {"X": X, "y": y, "metadata": weights})
        try:
            with linear_algebra().limit(limits=1, user_api="blas"):
                fit_all(fits, control)
        except KeyboardInterrupt:
            control.interrupt()
        for fit in fits:
            if fit.best is None:
                raise KeyboardInterrupt
        for name, value in attributes().items():
            setattr(self, name, value)
        if control.interrupted:
            message = "fit was interrupted; the estimator holds the best networks found until then"
            warnings.warn(message, ConvergenceWarning, stacklevel=2)
        if watch is not None:
            watch.end()
        return self

    def decision_function(self, X: ArrayLike) -> FloatArray:
        """Return the score of each point, in the units of the unit ball.

        For two classes: the distance by which the hyperplanes, or the surfaces of cones, must move
        for the answer to change, positive for the second class; shape (n_samples,). For more: one
        column per class, ``factor_ * distance + offset_``. Factors are 1 and offsets 0 unless the
        classes of held-out points are told much better with others.
        """
        score, _ = self._decide(X)
        return score[:, 0] if len(self.networks_) == 1 else score

    def predict(self, X: ArrayLike) -> Any:
        """Return the class of each point: the one with the largest `decision_function`."""
        _, chosen = self._decide(X)
        return self.classes_[chosen]

    def _decide(self, X: ArrayLike) -> tuple[FloatArray, Any]:
        check_is_fitted(self)
        Z = self.scaling_.apply(numbers(self, X))
        return decide(self.networks_, Z, self.factor_, self.offset_)

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return the probability of each class, which grows with the distance.

        It is ``lapse_ + (1 - K * lapse_) * softmax(slope_ * score)`` for K classes. The scores of
        more than two classes are those of `decision_function`; those of two classes are half of it
        and its opposite, so that a point on the boundary has probability 1/2. However far a point
        is, the probability of a wrong label stays at `lapse_`. Both numbers fit the labels of the
        training points best, with the distances to networks that had not seen these points. Where
        no points were held out (few points or evaluations, or ``init`` other than "data" with
        nothing to choose), the training points themselves are used, and the values are optimistic.
        """
        distance = self.decision_function(X)
        probability = probabilities(class_columns(distance), self.slope_, self.lapse_)
        if distance.ndim == 1:
            # Near the boundary both would be 1/2, and the larger one must be that of the answer.
            positive = np.maximum(probability[:, 1], np.nextafter(0.5, 1.0))
            probability[:, 1] = np.where(distance > 0, positive, probability[:, 1])
            probability[:, 0] = 1.0 - probability[:, 1]
        return probability

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "networks_")

    def _settings(self, dim: int) -> Settings:
        """Return the checked parameters, for this number of features."""
        neurons, clip, stagnation = self.n_neurons, self.tie_break, self.stagnation
        if isinstance(neurons, str):
            check_choice("n_neurons", neurons, ("auto",), f"or an integer from 1 to {MOST_NEURONS}")
        else:
            neurons = check_integer("n_neurons", neurons, 1, MOST_NEURONS)
        if isinstance(clip, str):
            check_choice("tie_break", clip, ("margin",), "or a number or None")
            clip = MARGIN_CLIP
        elif clip is not None:
            clip = check_real("tie_break", clip, 0.0)
        if stagnation is not None:
            stagnation = check_integer("stagnation", stagnation, 1, 2**61)
        for name in ("scale", "warm_start"):
            if not isinstance(getattr(self, name), bool | np.bool_):
                raise TypeError(f"{name} must be True or False, got {shown(getattr(self, name))}")
        check_integer("verbose", int(self.verbose), 0)
        resolution = check_integer("resolution", self.resolution, 2, MAX_RESOLUTION)
        init = check_choice("init", self.init, ("data", "grid", "sphere"))
        neuron, mutation = check_choice("neuron", self.neuron, NEURONS), law(self.mutation)
        rotation = check_choice("move", self.move, MOVES) == "rotation" and dim > 2
        unit = finest_unit(resolution) if rotation or mutation.continuous else 1
        plain, by_chance = neuron == "plain", init != "data"
        return Settings(
            neurons=neurons,
            output=check_choice("output", self.output, ("auto", *OUTPUTS)),
            resolution=resolution * unit,
            unit=unit,
            rotation=rotation,
            mutation=mutation,
            max_evals=check_integer("max_evals", self.max_evals, 1, 2**61),
            restarts=check_integer("n_restarts", self.n_restarts, 0),
            stagnation=stagnation,
            clip=clip or 0.0,
            init=init,
            neuron=neuron,
            simplifies=neurons == "auto" and plain,
            from_scratch=neurons == "auto" and by_chance,
            phases=((False, WALK), (True, 1.0)) if by_chance and plain and clip else ((True, 1.0),),
        )

    def _continue(self, fits: list[Fit], classes: Any) -> None:
        """Let the fits begin with the networks of the previous one."""
        if not np.array_equal(classes, self.classes_):
            raise ValueError(
                "warm_start can only be used where y has the same classes as in the previous call "
                f"to fit. Previously got {self.classes_}, y has {classes}"
            )
        for fit, network in zip(fits, self.networks_, strict=True):
            fit.start = network.as_kind(self.neuron)
            had, dim = fit.start.grid, fit.points.Z.shape[1]
            wanted = Grid(dim, had.neurons, fit.settings.resolution, had.output, self.neuron)
            if had != wanted:
                raise ValueError(
                    "warm_start can only be used where the networks of the previous call to fit "
                    f"are on the grid {wanted}, got one on {had}"
                )

    def _binary_fits(
        self, table: LabelledPoints, scaling: Scaling, classes: int, settings: Settings
    ) -> list[Fit]:
        """Return the problems to solve: the second class, or each one against all others."""
        seed = check_random_state(self.random_state).randint(2**31 - 1, size=4).tolist()
        rng = np.random.default_rng(np.random.SeedSequence(seed))
        if len(table.y) > MOST_SEARCHED:
            table = table.sample(rng, MOST_SEARCHED)
        points = replace(table, Z=scaling.apply(table.Z))
        index, weight, fold = points.folds(MOST_TRIED, rng)
        tried = points.part(index, weight)
        seen = [tried.part(fold != k) for k in range(FOLDS)]
        fits: list[Fit] = []
        for k in range(classes) if classes > 2 else (1,):
            every, some, *own = [replace(part, y=part.y == k) for part in (points, tried, *seen)]
            fits.append(Fit(len(fits), every, some, own, fold, settings, seed, (k,)))
        return fits
