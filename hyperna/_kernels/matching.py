"""Giving every neuron an optimal neuron of its own."""

from hyperna._kernels.jit import inner_kernel

MATCHING_ROWS = 4


@inner_kernel
def all_matched(near, size, scratch):
    """Whether each of `size` rows can be given a column of its own where `near` is 1.

    By augmenting paths. Windows around different optimal neurons overlap only on very coarse grids,
    so that nearly always the first look decides. The MATCHING_ROWS rows of `scratch` hold the row
    that owns each column, the column of each row, from which row each column was reached, and the
    rows to look at.
    """
    owner, mate, reached, queue = scratch[0], scratch[1], scratch[2], scratch[3]
    for j in range(size):
        owner[j] = -1
    for start in range(size):
        for j in range(size):
            reached[j] = -1
        queue[0] = start
        head = 0
        tail = 1
        free = -1
        while head < tail and free < 0:
            i = queue[head]
            head += 1
            for j in range(size):
                if near[i, j] == 1 and reached[j] < 0:
                    reached[j] = i
                    if owner[j] < 0:
                        free = j
                        break
                    queue[tail] = owner[j]
                    tail += 1
        if free < 0:
            return False
        i = -1
        while i != start:
            i = reached[free]
            before = mate[i]
            owner[free] = i
            mate[i] = free
            free = before
    return True
