"""NAClassifier as scikit-learn checks estimators."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from hyperna import NAClassifier

# Few evaluations: the checks ask for the contract, and for little accuracy.
ESTIMATORS = [NAClassifier(max_evals=1000, n_restarts=0)]
OTHERS = [
    NAClassifier(class_weight="balanced", n_neurons=2, max_evals=500, n_restarts=0),
    NAClassifier(n_neurons=1, max_evals=500),
    NAClassifier(n_neurons=3, output="or", init="sphere", tie_break=None, max_evals=1000, n_jobs=2),
    NAClassifier(n_neurons=2, neuron="bent", max_evals=500, n_restarts=0),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_check(estimator, check):
    check(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(OTHERS)
def test_scikit_learn_check_of_other_settings(estimator, check):
    check(estimator)
