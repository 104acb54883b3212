"""The notebooks in docs/ run from top to bottom."""

import pathlib

import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
NOTEBOOKS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "notebooks"


@pytest.mark.parametrize("name", ["text", "genes"])
def test_runs(name, tmp_path):
    notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells), "commit notebooks without their output"
    done = nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": tmp_path}}).execute()
    shown = [output for cell in done.cells for output in cell.get("outputs", [])]
    assert not any(output.output_type == "error" for output in shown)
    assert any("text/html" in output.get("data", {}) for output in shown)
