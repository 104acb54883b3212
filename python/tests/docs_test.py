"""The examples in docstrings and in the guide do what they say."""

import doctest
import importlib
import pathlib
import pkgutil

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
