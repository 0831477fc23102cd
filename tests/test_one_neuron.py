"""One neuron has no output layer: how outputs are called makes no difference to it."""

import numpy as np
import pytest

from hyperna import OnePlusOneNA, problem
from hyperna.network.neurons import NEURONS
from hyperna.network.outputs import OUTPUTS

NAMES = ("half", "quarter", "two_quarters", "local_opt")


@pytest.mark.parametrize("dim", [2, 3])
@pytest.mark.parametrize("neuron", NEURONS)
@pytest.mark.parametrize("bias", [True, False])
def test_one_neuron_succeeds_alike_under_all_outputs(dim, neuron, bias):
    for name in NAMES:
        tasks = [
            OnePlusOneNA(neurons=1, neuron=neuron, bias=bias, output=output).task(
                problem(name, dim=dim)
            )
            for output in OUTPUTS
        ]
        subject = problem(name, dim=dim)
        optima = [subject.optima(1, output, bias=bias, neuron=neuron) for output in OUTPUTS]
        for task, found in zip(tasks, optima, strict=True):
            assert task.criterion == tasks[0].criterion
            np.testing.assert_allclose(found, optima[0], rtol=1e-12, atol=1e-12)
