"""Chains in the explicit formats of the model checkers PRISM and Storm.

Text files describe a discrete-time Markov chain: its transitions, the labels of its states, and as
a reward the evaluations of a step. State 0 is the start, from which the first search point is drawn
uniformly; leaving it is the evaluation of that point. So the expected reward until `success` is the
expected number of evaluations, as `hyperna.theory` counts them.

``hyperna theory quarter --resolution 16 --export quarter16`` writes the files; how PRISM and Storm
read them is in ``docs/howto/exact_runtimes.md``.
"""

from pathlib import Path

import numpy as np
from scipy import sparse

from hyperna._files import write_file
from hyperna.theory.answers import ExactRuntime
from hyperna.theory.chain import Chain
from hyperna.theory.dense import selected_moves
from hyperna.theory.sparse_system import accepted_moves

LABELS = ("init", "success", "stuck")
# Moves that are written out: files of some hundred megabytes.
MOST_MOVES = 2**24


def export_chain(runtime: ExactRuntime, path: Path | str) -> list[Path]:
    """Write the chain of an exact runtime for PRISM and Storm; return the files.

    Angles that a symmetry of the problem joins are one state. The labels are `init`, `success` and
    `stuck` (states without a way out that are not the target).

    Parameters
    ----------
    runtime : ExactRuntime
        What `expected_runtime` returned.
    path : Path or str
        Where to write to. PRISM reads the files that end in .tra, .lab, .sta and .srew, Storm those
        that end in .storm.tra, .storm.lab and .storm.rew.

    Examples
    --------
    >>> import tempfile
    >>> from hyperna.problems import problem
    >>> from hyperna.theory import expected_runtime
    >>> runtime = expected_runtime(problem("half"), 4, "local", bias=False)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = export_chain(runtime, Path(folder) / "half4")
    ...     print([file.name for file in files])
    ...     print(files[0].read_text().splitlines()[:3])
    ['half4.tra', 'half4.lab', 'half4.sta', 'half4.srew', 'half4.storm.tra', 'half4.storm.lab', \
'half4.storm.rew']
    ['4 8', '0 1 0.5', '0 2 0.25']
    """
    path = Path(path)
    chain = runtime.chain
    if chain.moves_count > MOST_MOVES:
        raise ValueError(
            f"resolution must be smaller to write all moves: there are {chain.moves_count:.3g}, "
            f"at most {MOST_MOVES:.3g} are written"
        )
    target = chain.target.ravel()
    lines = [*_start_lines(chain), *_move_lines(chain)]
    marks = {0: 0}
    for number, states in enumerate(chain.solver.closed_classes()):
        marks.update(dict.fromkeys((states + 1).tolist(), min(number, 1) + 1))
    by_mark = sorted(marks.items())
    running = [0, *(np.flatnonzero(~target) + 1).tolist()]
    rewards = [f"{state} {chain.offspring if state else 1}" for state in running]
    texts = {
        ".tra": [f"{chain.size + 1} {len(lines)}", *lines],
        ".lab": [
            " ".join(f'{number}="{label}"' for number, label in enumerate(LABELS)),
            *(f"{state}: {mark}" for state, mark in by_mark),
        ],
        ".sta": _state_lines(runtime),
        ".srew": [f"{chain.size + 1} {len(rewards)}", *rewards],
        ".storm.tra": ["dtmc", *lines],
        ".storm.lab": [
            "#DECLARATION",
            " ".join(LABELS),
            "#END",
            *(f"{state} {LABELS[mark]}" for state, mark in by_mark),
        ],
        ".storm.rew": rewards,
    }
    return [_write(path, ending, text) for ending, text in texts.items()]


def _start_lines(chain: Chain) -> list[str]:
    """Transitions from the start to the first search point."""
    start = chain.start
    return [f"0 {y + 1} {start[y]:.17g}" for y in np.flatnonzero(start).tolist()]


def _move_lines(chain: Chain) -> list[str]:
    """All other transitions, with those that stay, sorted."""
    if chain.full or chain.comma:
        moves = sparse.csr_array(selected_moves(chain) * ~chain.target.ravel()[:, None])
    else:
        moves = accepted_moves(chain)[0]
    stay = 1.0 - np.asarray(moves.sum(axis=1)).ravel()
    whole = sparse.coo_array(moves + sparse.diags_array(np.maximum(stay, 0.0)))
    found = whole.data > 0
    row, column, data = whole.row[found], whole.col[found], whole.data[found]
    return [
        f"{row[n] + 1} {column[n] + 1} {data[n]:.17g}" for n in np.lexsort((column, row)).tolist()
    ]


def _state_lines(runtime: ExactRuntime) -> list[str]:
    """The components of the search point that each state stands for; -1 at the start."""
    chain = runtime.chain
    firsts = [np.unique(place, return_index=True)[1] for place in runtime._places]
    names = ",".join(name.replace(" ", "_") for name in runtime.components)
    lines = [f"({names})", f"0:({','.join(['-1'] * len(firsts))})"]
    for state, place in enumerate(np.ndindex(chain.shape)):
        values = ",".join(str(first[k]) for first, k in zip(firsts, place, strict=True))
        lines.append(f"{state + 1}:({values})")
    return lines


def _write(path: Path, ending: str, lines: list[str]) -> Path:
    file = path.with_name(path.name + ending)
    write_file(file, "\n".join(lines) + "\n")
    return file
