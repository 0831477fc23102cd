"""NAClassifier as scikit-learn checks estimators."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from hyperna import NAClassifier

# Few evaluations: the checks ask for the contract, and for little accuracy.
ESTIMATORS = [NAClassifier(evaluations=300)]
OTHERS = [
    NAClassifier(class_weight="balanced", evaluations=300),
    NAClassifier(max_neurons=1, evaluations=300),
    NAClassifier(max_neurons=3, output="or", evaluations=300, n_jobs=2),
    NAClassifier(shortness=0.0, evaluations=300),
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
