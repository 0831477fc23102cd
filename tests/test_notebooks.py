"""Notebooks run from top to bottom, and still say what they said when they were committed."""

import re
import warnings
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat", reason="needs hyperna[notebooks]")
nbclient = pytest.importorskip("nbclient", reason="needs hyperna[notebooks]")
pytest.importorskip("ipykernel", reason="needs hyperna[notebooks]")
pytest.importorskip("matplotlib", reason="needs hyperna[plot]")

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
# Runs are functions of their seeds; a classifier may choose otherwise with another scikit-learn.
SAME_EVERYWHERE = ("01", "02", "03")
SECONDS = 300


def printed(notebook):
    """All that the cells print."""
    return [
        "".join(out["text"] for out in cell.outputs if out.output_type == "stream")
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


def kinds(notebook):
    """What kinds of output each cell has: pictures, texts, tables."""
    return [
        sorted(kind for out in cell.outputs for kind in out.get("data", {}))
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


def test_notebooks_are_numbered_and_ask_one_question_each():
    assert [path.name[:2] for path in NOTEBOOKS] == ["01", "02", "03", "04", "05"]
    for number, path in enumerate(NOTEBOOKS, start=1):
        first = nbformat.read(path, as_version=4).cells[0]
        assert re.fullmatch(rf"# {number}\. [^?]+\?", first.source.splitlines()[0])


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_is_committed_with_all_outputs(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert all(cell.outputs for cell in code)
    assert any("image/png" in kind for kind in kinds(notebook))


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs_and_says_the_same(path):
    committed = nbformat.read(path, as_version=4)
    notebook = nbformat.read(path, as_version=4)
    client = nbclient.NotebookClient(
        notebook, timeout=SECONDS, kernel_name="python3", resources={"metadata": {"path": ROOT}}
    )
    with warnings.catch_warnings():
        # Of Jupyter's own machinery, not of the code in the notebook, which is another process.
        warnings.simplefilter("ignore")
        client.execute()
    assert kinds(notebook) == kinds(committed)
    if path.name.startswith(SAME_EVERYWHERE):
        assert printed(notebook) == printed(committed)
