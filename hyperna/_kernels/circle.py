"""Exact fitness on the circle (D = 2) as a kind of fitness for the loop."""

import numpy as np

from hyperna._kernels.ahead import MOST_OFFSPRING, N_ROWS, can_look_ahead, look_ahead
from hyperna._kernels.arcs import (
    COLUMNS,
    END,
    ORDER,
    SCRATCH,
    START,
    USED,
    WORD_NEURONS,
    Circle,
    CircleWork,
    network_score,
    output_answers,
    output_fires,
    place_arc,
)
from hyperna._kernels.geometry import EVOLVED
from hyperna._kernels.jit import lean_kernel
from hyperna._kernels.matching import all_matched
from hyperna._kernels.protocol import implement, prepare


def _workspace(fitness):
    neurons = fitness.neurons
    work = CircleWork(
        np.full((2 * neurons, max(COLUMNS, neurons)), -1),
        np.zeros((SCRATCH + 4, 2 * neurons), np.int64),
        np.zeros(neurons + 1, np.float64),
        np.zeros(neurons + 2, np.int64),
        np.zeros((N_ROWS, MOST_OFFSPRING), np.int64),
        np.zeros(MOST_OFFSPRING, np.int64),
    )
    for i in range(2 * neurons):
        work.event[ORDER, i] = i
        work.event[USED, i] = i
    return work


def _prepare(fitness, work, genome):
    for i in range(fitness.neurons):
        place_arc(fitness, work.arc, genome, i, i)
        work.event[USED, i] = i
    if fitness.join == EVOLVED and fitness.neurons > 1:
        output_answers(fitness, work, genome)
    return network_score(fitness, work)


def _evaluate(fitness, work, genome, changed, count, score):
    neurons = fitness.neurons
    output_changed = False
    for t in range(count):
        neuron = changed[t] >> 1
        if changed[t] >= 2 * neurons:
            output_changed = True
        elif work.event[USED, neuron] == neuron:
            work.event[USED, neuron] = neurons + neuron
            place_arc(fitness, work.arc, genome, neuron, neurons + neuron)
    if output_changed:
        work.bits[neurons + 1] = work.bits[neurons]
        output_answers(fitness, work, genome)
    return network_score(fitness, work)


def _tie(fitness, work):
    return 0.0


def _keep(fitness, work, genome, changed, count):
    neurons = fitness.neurons
    for t in range(count):
        neuron = changed[t] >> 1
        if changed[t] < 2 * neurons and work.event[USED, neuron] != neuron:
            work.event[USED, neuron] = neuron
            for column in range(COLUMNS):
                work.arc[neuron, column] = work.arc[neurons + neuron, column]


def _undo(fitness, work, genome, changed, count):
    neurons = fitness.neurons
    output_changed = False
    for t in range(count):
        if changed[t] < 2 * neurons:
            work.event[USED, changed[t] >> 1] = changed[t] >> 1
        else:
            output_changed = True
    if output_changed:
        work.bits[neurons] = work.bits[neurons + 1]
        if neurons > WORD_NEURONS:
            output_answers(fitness, work, genome)


def _pass_over(fitness, work, mutation, steps, genome, first, last, score):
    if can_look_ahead(fitness, mutation):
        return look_ahead(fitness, work, mutation, steps, genome, first, last, score)
    return first


@lean_kernel
def apart(value, target, modulus):
    """Distance on a cycle of length `modulus`."""
    gap = abs(value - target)
    return min(gap, modulus - gap)


@lean_kernel
def close_to(circle, genome, neuron, angle, bias, tolerance):
    """Whether a neuron is close to an optimal one."""
    r = np.float64(circle.resolution)
    return (
        apart(np.float64(genome[2 * neuron]), angle, r) < tolerance
        and apart(np.float64(genome[2 * neuron + 1]), bias, r + 1.0) < tolerance
    )


@lean_kernel
def find_targets(circle, genome, neuron, targets, tolerance, near):
    """Mark the targets that a neuron, perhaps with its sides swapped, is close to."""
    r = np.float64(circle.resolution)
    anything = False
    for i in range(circle.neurons):
        angle, bias = targets[i, 0], targets[i, 1]
        close = close_to(circle, genome, neuron, angle, bias, tolerance)
        if not close and circle.join == EVOLVED and circle.neurons > 1:
            angle += 0.5 * r if angle < 0.5 * r else -0.5 * r
            close = close_to(circle, genome, neuron, angle, r - bias, tolerance)
        near[neuron, i] = 1 if close else 0
        anything = anything or close
    return anything


@lean_kernel
def answer_at(circle, work, place):
    """Whether the network with an evolved output fires at a place, given in units."""
    for i in range(circle.neurons):
        ahead = (place - work.arc[i, START]) % circle.turn
        work.bits[i] = np.int64(ahead <= work.arc[i, END] - work.arc[i, START])
    return output_fires(circle, work)


@lean_kernel
def output_agrees(circle, work, targets):
    """Whether the evolved output fires at the places in one column and is silent at the others."""
    step = np.float64(circle.step)
    for i in range(circle.neurons):
        if not answer_at(circle, work, np.int64(np.rint(targets[i, 2] * step))):
            return False
        if answer_at(circle, work, np.int64(np.rint(targets[i, 3] * step))):
            return False
    return True


def _optimal(fitness, work, genome, optima, tolerance):
    neurons = fitness.neurons
    near = work.arc[neurons : 2 * neurons]
    for alternative in range(optima.shape[0]):
        targets = optima[alternative]
        found = True
        for i in range(neurons):
            if not find_targets(fitness, genome, i, targets, tolerance, near):
                found = False
                break
        if found and neurons > 1:
            found = all_matched(near, neurons, work.event[SCRATCH:])
            if found and fitness.join == EVOLVED:
                found = output_agrees(fitness, work, targets)
        if found:
            return True
    return False


@lean_kernel
def circle_score(circle, work, genome):
    """Number of correctly classified units of the circle."""
    return prepare(circle, work, genome)


implement(
    Circle,
    workspace=_workspace,
    prepare=_prepare,
    evaluate=_evaluate,
    tie=_tie,
    keep=_keep,
    undo=_undo,
    pass_over=_pass_over,
    optimal=_optimal,
)
