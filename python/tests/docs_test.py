"""The examples in docstrings and in the guide do what they say."""

import doctest
import importlib
import pathlib
import pkgutil
import re
import subprocess
import sys

import pytest

import copse

GUIDE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "guide"
MODULES = [module.name for module in pkgutil.iter_modules(copse.__path__) if module.name != "_copse"]
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


@pytest.mark.parametrize("module", MODULES)
def test_docstrings(module):
    found = doctest.testmod(importlib.import_module(f"copse.{module}"), optionflags=OPTIONS)
    assert found.failed == 0


def test_every_public_class_has_an_example():
    for name in ("NMF", "DCNMF", "TopicTree"):
        assert ">>>" in getattr(copse, name).__doc__


@pytest.mark.parametrize("page", ["python.md"])
def test_pages(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = doctest.testfile(str(GUIDE / page), module_relative=False, optionflags=OPTIONS)
    assert found.failed == 0 and found.attempted > 0


def test_the_readme_needs_no_pandas(tmp_path):
    """What README shows of Python runs where nothing is installed but what the package itself needs."""
    block = re.search(r"```python\n(.*?)```", (GUIDE.parents[1] / "README.md").read_text(), re.S)[1]
    block = block.replace("n_components=20", "n_components=2").replace("n_leaves=40", "n_leaves=2")
    if not copse._copse.page_is_built():
        block = re.sub(r"\.report\(.*?\)", "", block)
    start = (
        "import sys\nfor name in ('pandas', 'matplotlib', 'anndata', 'polars'): sys.modules[name] = None\n"
        "import numpy\nX = numpy.random.RandomState(0).rand(20, 10)\n"
        "documents = ['rocket orbit moon fuel engine', 'bread flour yeast oven crust'] * 20\n"
    )
    done = subprocess.run([sys.executable, "-c", start + block], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
