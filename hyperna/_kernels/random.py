"""Random numbers inside the kernels: xoshiro256++ and exact draws built on it.

The state is a ``uint64`` array of four words. A run's stream is derived from a key of four words
(made by `numpy.random.SeedSequence`) and the run's number, so that it depends on nothing else.
The generator is due to Blackman and Vigna, "Scrambled linear pseudorandom number generators", 2021.
"""

import math

import numpy as np

from hyperna._kernels.jit import inline_kernel, inner_kernel
from hyperna._kernels.order import smaller

_ROTATE_RESULT = np.uint64(23)
_ROTATE_BACK = np.uint64(64 - 23)
_ROTATE_STATE = np.uint64(45)
_ROTATE_STATE_BACK = np.uint64(64 - 45)
_SHIFT = np.uint64(17)
_TO_53_BITS = np.uint64(11)
_ONE = np.uint64(1)
_UNIT = 2.0**-53

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31 = np.uint64(30), np.uint64(27), np.uint64(31)


@inline_kernel
def following(s0, s1, s2, s3):
    """The next 64 random bits, and the four words of the next state.

    The innermost loop keeps the state in such variables: in an array, which might overlap with the
    arrays that are written to in between, every word would be stored and loaded again.
    """
    total = s0 + s3
    word = ((total << _ROTATE_RESULT) | (total >> _ROTATE_BACK)) + s0
    shifted = s1 << _SHIFT
    s2 ^= s0
    s3 ^= s1
    turned = (s3 << _ROTATE_STATE) | (s3 >> _ROTATE_STATE_BACK)
    return word, s0 ^ s3, s1 ^ s2, s2 ^ shifted, turned


@inline_kernel
def next_word(stream):
    """The next 64 random bits; advances `stream` in place."""
    word, s0, s1, s2, s3 = following(stream[0], stream[1], stream[2], stream[3])
    stream[0], stream[1], stream[2], stream[3] = s0, s1, s2, s3
    return word


@inner_kernel
def seed_stream(key, run, stream):
    """Set `stream` to the start of run number `run` under `key`.

    Number and key are scattered by the finaliser of splitmix64, a bijection of 64-bit words.
    """
    for j in range(4):
        word = (np.uint64(run) * np.uint64(4) + np.uint64(j)) * _GOLDEN + _GOLDEN
        for twice in range(2):
            word = (word ^ (word >> _S30)) * _MIX_1
            word = (word ^ (word >> _S27)) * _MIX_2
            word ^= word >> _S31
            if twice == 0:
                word ^= key[j]
        stream[j] = word + _GOLDEN * np.uint64(j)


@inner_kernel
def seed_samples(stream, samples):
    """Set `samples` to a second stream of a run, scattered from the state of its first."""
    for j in range(4):
        word = stream[j] + _GOLDEN * np.uint64(j + 5)
        word = (word ^ (word >> _S30)) * _MIX_1
        word = (word ^ (word >> _S27)) * _MIX_2
        samples[j] = word ^ (word >> _S31)


@inline_kernel
def uniform(stream):
    """A float in [0, 1) on the grid of 2**-53."""
    return np.float64(np.int64(next_word(stream) >> _TO_53_BITS)) * _UNIT


@inline_kernel
def below(stream, bound):
    """An integer uniform on 0..bound-1, exactly (bit mask and rejection)."""
    mask = np.uint64(bound - 1)
    mask |= mask >> np.uint64(1)
    mask |= mask >> np.uint64(2)
    mask |= mask >> np.uint64(4)
    mask |= mask >> np.uint64(8)
    mask |= mask >> np.uint64(16)
    mask |= mask >> np.uint64(32)
    while True:
        value = np.int64(next_word(stream) & mask)
        if value < bound:
            return value


@inline_kernel
def normal(stream):
    """A standard normal number (polar method)."""
    while True:
        x = 2.0 * uniform(stream) - 1.0
        y = 2.0 * uniform(stream) - 1.0
        square = x * x + y * y
        if 0.0 < square < 1.0:
            return x * math.sqrt(-2.0 * math.log(square) / square)


@inline_kernel
def geometric(stream, log_failure):
    """Failures before the first success, where `log_failure` = log P(failure) < 0."""
    positive = uniform(stream) + _UNIT
    return np.int64(smaller(np.floor(math.log(positive) / log_failure), 4.0e18))


@inline_kernel
def pick(word, table, first, bits):
    """The index that a random word gives in the alias table of 2**bits entries from `first` on.

    The method is Walker's (1977). An entry holds its threshold above the `bits` lowest bits and its
    alias in these; the lowest bit of the word is not used.
    """
    index = np.int64(word >> np.uint64(64 - bits))
    low = (1 << bits) - 1
    entry = table[np.uint64(first + index)]
    other = entry & low
    # Bit operations instead of a branch, which could not be predicted: keep is -1 or 0.
    keep = ((np.int64((word << np.uint64(bits)) >> _ONE) | low) - entry) >> 63
    return other ^ ((other ^ index) & keep)
