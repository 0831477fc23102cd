"""Half-spaces in standard units and how they are joined: what a search changes and compares."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hyperna._kernels.short_rules import ODD
from hyperna._validation import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class HalfSpaces:
    """N half-spaces ``normals[i] · x >= thresholds[i]`` with normals of length 1.

    A point is positive if at least `quorum` of them hold it (1: any, N: all), or, with the quorum
    `ODD`, which is 0, an odd number of them. A network without half-spaces is the constant answer:
    with the quorum 0, which then does not stand for an odd number, it is positive, else negative.
    """

    normals: FloatArray
    thresholds: FloatArray
    quorum: int

    @classmethod
    def constant(cls, dim: int, positive: bool) -> "HalfSpaces":
        """Return the network that always answers the same."""
        return cls(np.zeros((0, dim)), np.zeros(0), 0 if positive else 1)

    @classmethod
    def made(cls, weights: FloatArray, thresholds: FloatArray, quorum: int) -> "HalfSpaces":
        """Return the network of weights of any length, without those that are 0 everywhere.

        Such a half-space holds all points if its threshold is at most 0, or none.
        """
        length = np.sqrt((weights**2).sum(axis=1))
        kept = length > 0
        always = int((thresholds[~kept] <= 0).sum())  # how many of the others hold all points
        normals = weights[kept] / length[kept, None]
        thresholds = thresholds[kept] / length[kept]
        size = len(thresholds)
        if quorum == ODD:
            odd = always % 2 == 1
            if not size:
                return cls.constant(weights.shape[1], odd)
            if odd:  # one that holds elsewhere has the same effect
                normals[0] = -normals[0]
                thresholds[0] = -thresholds[0]
            return cls(normals, thresholds, ODD if size > 1 else 1)
        needed = quorum - always
        if 0 < needed <= size:
            return cls(normals, thresholds, needed)
        return cls.constant(weights.shape[1], needed <= 0)

    @property
    def neurons(self) -> int:
        """Number of half-spaces."""
        return len(self.thresholds)

    @cached_property
    def terms_of_each(self) -> IntArray:
        """Number of weights of each half-space that are not 0."""
        return np.count_nonzero(self.normals, axis=1)

    @cached_property
    def terms(self) -> int:
        """Number of weights that are not 0: the size of the rule."""
        return int(self.terms_of_each.sum())

    @property
    def features(self) -> tuple[int, ...]:
        """Numbers of the features that are used."""
        return tuple(np.flatnonzero(self.normals.any(axis=0)).tolist())

    def margins(self, columns: FloatArray) -> FloatArray:
        """Return how far each point is inside of each half-space, shape (N, n)."""
        used = list(self.features)
        return self.normals[:, used] @ columns[used] - self.thresholds[:, None]

    def distance(self, columns: FloatArray) -> FloatArray:
        """Return how far half-spaces must move for a point's answer to change, signed."""
        if not self.neurons:
            return np.full(columns.shape[1], math.inf if self.quorum == 0 else -math.inf)
        return joined_distance(self.margins(columns), self.quorum)

    def tidied(self, columns: FloatArray) -> "HalfSpaces":
        """Return a network with the same answers on these points.

        Thresholds lie in the middle between the nearest points, and half-spaces that hold all
        points or none are left out.
        """
        normals = self.normals.copy()
        thresholds = self.thresholds.copy()
        for i, margin in enumerate(self.margins(columns)):
            inside = margin[margin >= 0]
            outside = margin[margin < 0]
            if len(inside) and len(outside):
                thresholds[i] += (inside.min() + outside.max()) / 2
            else:  # the same for all points, as `made` takes it
                normals[i] = 0.0
                thresholds[i] = 0.0 if len(inside) else 1.0
        return HalfSpaces.made(normals, thresholds, self.quorum)


def joined_distance(margins: FloatArray, quorum: int) -> FloatArray:
    """Return the signed distance of points from a network's border, given those of its half-spaces.

    For "at least k" it is the k-th largest margin; for an odd number the one nearest to 0, positive
    where the number is odd. A margin of 0 is inside.

    Examples
    --------
    >>> margins = np.array([[0.5, 0.5, -3.0], [-1.0, 2.0, -2.0]])
    >>> joined_distance(margins, 1), joined_distance(margins, 2), joined_distance(margins, ODD)
    (array([ 0.5,  2. , -2. ]), array([-1. ,  0.5, -3. ]), array([ 0.5, -0.5, -2. ]))
    """
    if quorum == ODD:
        nearest = np.abs(margins).min(axis=0)
        return np.where((margins >= 0).sum(axis=0) % 2 == 1, nearest, -nearest)
    return np.sort(margins, axis=0)[len(margins) - quorum]
