"""The program as users see it: a command line goes in, files, stdout, stderr and an exit code come out."""

import json
import os
import pathlib
import re
import subprocess

import numpy as np
import pytest
import scipy.io
import scipy.sparse


@pytest.fixture(scope="session")
def program():
    path = os.environ.get("COPSE_PROGRAM", "")
    if not os.access(path, os.X_OK):
        pytest.skip("COPSE_PROGRAM does not name the program; ./run test sets it")
    return path


@pytest.fixture
def copse(program, tmp_path):
    """copse("factor", file, "-k", 3) runs the program in an empty folder."""

    def run(*arguments, **options):
        return subprocess.run([program, *map(str, arguments)], cwd=options.pop("cwd", tmp_path), capture_output=True,
                              text=True, timeout=120, **options)

    return run


@pytest.fixture
def planted(tmp_path):
    """A small sparse matrix with three blocks, its file, and the file with its labels."""
    return make_planted(tmp_path / "x.mtx")


def make_planted(path, features=60, items=90, k=3, seed=1):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, k, items)
    block = np.arange(features) * k // features
    x = rng.random((features, items)) * (rng.random((features, items)) < 0.1)
    x[block[:, None] == labels[None, :]] += 2 * rng.random((block[:, None] == labels[None, :]).sum())
    scipy.io.mmwrite(path, scipy.sparse.coo_matrix(x))
    labels_path = path.with_suffix(".labels.txt")
    labels_path.write_text("".join(f"class{label}\n" for label in labels))
    return Planted(path, labels_path, x, labels)


class Planted:
    def __init__(self, path, labels_path, x, labels):
        self.path, self.labels_path, self.x, self.labels = path, labels_path, x, labels


def read_tsv(path):
    lines = pathlib.Path(path).read_text().splitlines()
    return [line.split("\t") for line in lines]


def page_data(folder):
    """What the report page of a result holds; a program that was built without Node.js writes none."""
    page = pathlib.Path(folder) / "report.html"
    if not page.exists():
        pytest.skip("the program was built without the report page")
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page.read_text())[1])
