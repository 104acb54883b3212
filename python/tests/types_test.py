"""Annotations: the package passes mypy's strict checks, and code that uses it gets its types."""

import inspect
import pathlib
import subprocess
import sys

import pytest

import copse

pytest.importorskip("mypy")
SETTINGS = pathlib.Path(__file__).resolve().parents[2] / "pyproject.toml"

USER = """
import numpy as np
from copse import NMF, TopicTree, evaluate, load_result, normalize_counts
from copse._types import Array

model: NMF = NMF(n_components=2, beta_loss="kullback-leibler", random_state=0).fit(np.eye(3))
coefficients: Array = model.fit_transform(np.eye(3))
tree: TopicTree = TopicTree(4).fit(["a text"]).split("1", into=2).save("out")
agreement: float = evaluate([0, 1], [1, 0])["nmi"]
NMF(n_components=2.5)
model.fit_transform(np.eye(3)).no_such_method()
tree.split(1)
"""


def mypy(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "mypy", *map(str, arguments)], capture_output=True, text=True, timeout=600, **options
    )


def test_the_package_is_strictly_typed(tmp_path):
    done = mypy("--config-file", SETTINGS, "-p", "copse", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_users_get_the_types(tmp_path):
    (tmp_path / "user.py").write_text(USER)
    done = mypy("--strict", "user.py", cwd=tmp_path)
    wrong = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert [line.split(":")[1] for line in wrong] == ["10", "11", "12"], done.stdout


@pytest.mark.parametrize("name", [name for name in copse.__all__ if name != "__version__"])
def test_everything_public_has_annotations(name):
    thing = getattr(copse, name)
    methods = (
        [thing]
        if inspect.isfunction(thing)
        else [
            method
            for at, method in inspect.getmembers(thing, inspect.isfunction)
            if (not at.startswith("_") or at == "__init__") and method.__module__.startswith("copse")
        ]
    )
    for method in methods:
        signature = inspect.signature(inspect.unwrap(method))
        for parameter in list(signature.parameters.values()):
            assert parameter.name == "self" or parameter.annotation is not parameter.empty, (method, parameter)
        assert signature.return_annotation is not signature.empty, method
