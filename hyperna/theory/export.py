"""Chains in the explicit formats of the model checkers PRISM and Storm.

Text files describe a discrete-time Markov chain: its transitions, the labels of its states, and a
reward of 1 for each evaluation. State 0 is the start, from which the first search point is drawn
uniformly; leaving it is the evaluation of that point. So the expected reward until `success` is the
expected number of evaluations, as `hyperna.theory` counts them.

``hyperna theory quarter --resolution 16 --export quarter16`` writes the files; how PRISM and Storm
read them is in ``docs/howto/exact_runtimes.md``.
"""

from pathlib import Path

import numpy as np

from hyperna._files import write_file
from hyperna.theory.answers import ExactRuntime
from hyperna.theory.walk import closed_classes

LABELS = ("init", "success", "stuck")
# Moves that are written out: files of some hundred megabytes.
MOST_MOVES = 2**24


def export_chain(runtime: ExactRuntime, path: Path) -> list[Path]:
    """Write the chain of an exact runtime for PRISM and Storm; return the files.

    Angles that a symmetry of the problem joins are one state. The labels are `init`, `success` and
    `stuck` (states without a way out that are not the target).

    Parameters
    ----------
    runtime : ExactRuntime
        What `expected_runtime` returned.
    path : Path
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
    chain = runtime.chain
    if chain.moves_count > MOST_MOVES:
        raise ValueError(
            f"resolution must be smaller to write all moves: there are {chain.moves_count:.3g}, "
            f"at most {MOST_MOVES:.3g} are written"
        )
    size = chain.score.size
    every = np.arange(size)
    moves = chain.moves(every, every)
    score = chain.score.ravel()
    moves *= score[:, None] <= score
    np.fill_diagonal(moves, 0.0)
    moves[chain.target.ravel()] = 0.0
    np.fill_diagonal(moves, 1.0 - moves.sum(axis=1))
    start = runtime._start.ravel()
    lines = [f"0 {y + 1} {start[y]:.17g}" for y in np.flatnonzero(start).tolist()]
    for x, y in np.argwhere(moves > 0).tolist():
        lines.append(f"{x + 1} {y + 1} {moves[x, y]:.17g}")
    marks = {0: 0}
    for number, states in enumerate(closed_classes(chain)):
        marks.update(dict.fromkeys((states + 1).tolist(), min(number, 1) + 1))
    rows = np.unique(runtime._place, return_index=True)[1]
    width = chain.shape[1]
    searched = [f"{x + 1}:({rows[x // width]},{x % width})" for x in every.tolist()]
    running = [0, *(np.flatnonzero(~chain.target.ravel()) + 1).tolist()]
    rewards = [f"{state} 1" for state in running]
    by_mark = sorted(marks.items())
    components = "(neuron1,neuron2)" if chain.parts else "(angle,bias)"
    texts = {
        ".tra": [f"{size + 1} {len(lines)}", *lines],
        ".lab": [
            " ".join(f'{number}="{label}"' for number, label in enumerate(LABELS)),
            *(f"{state}: {mark}" for state, mark in by_mark),
        ],
        ".sta": [components, "0:(-1,-1)", *searched],
        ".srew": [f"{size + 1} {len(rewards)}", *rewards],
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


def _write(path: Path, ending: str, lines: list[str]) -> Path:
    file = path.with_name(path.name + ending)
    write_file(file, "\n".join(lines) + "\n")
    return file
