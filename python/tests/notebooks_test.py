"""The notebooks in docs/ run from top to bottom, and are stored with what they show."""

import os
import pathlib
import sys

import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tools"))
from run_notebooks import LOCAL, NOTEBOOKS  # noqa: E402

NAMES = sorted(path.stem for path in NOTEBOOKS.glob("*.ipynb"))


def outputs(notebook):
    return [output for cell in notebook.cells for output in cell.get("outputs", [])]


@pytest.mark.parametrize("name", NAMES)
def test_runs(name, tmp_path):
    notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
    if "COPSE_DATA" not in os.environ and any("COPSE_DATA" in cell.source for cell in notebook.cells):
        pytest.skip("COPSE_DATA is not set: it names the folder with the data sets")
    done = nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": tmp_path}}).execute()
    assert not any(output.output_type == "error" for output in outputs(done))
    assert any("text/html" in output.get("data", {}) for output in outputs(done))


@pytest.mark.parametrize("name", NAMES)
def test_is_stored_with_its_output(name):
    notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
    shown = outputs(notebook)
    assert any("text/html" in output.get("data", {}) for output in shown), "run tools/run_notebooks.py"
    assert not any(output.output_type == "error" for output in shown)
    assert not any(LOCAL.search(str(output)) for output in shown), "an output has a path of one machine"
