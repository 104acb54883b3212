"""Python and the program: the same data, seed and settings give the same bits."""

import subprocess

import numpy as np
import pytest
import scipy.sparse
from safetensors.numpy import load_file

from copse import DCNMF, NMF


@pytest.fixture(scope="module")
def matrix(tmp_path_factory):
    path = tmp_path_factory.mktemp("matrix") / "x.npz"
    X = scipy.sparse.random(500, 200, density=0.05, format="csr", random_state=3)
    scipy.sparse.save_npz(path, X)
    return path, X


def run(program, *arguments):
    subprocess.run([program, *map(str, arguments)], check=True, capture_output=True, timeout=120)


CASES = {
    "default": ({}, []),
    "mu": ({"solver": "mu"}, ["--solver", "mu"]),
    "pivoting from singular vectors": (
        {"solver": "pivoting", "init": "nndsvda"},
        ["--solver", "pivoting", "--start", "nndsvda"],
    ),
    "sparse": ({"beta": 0.1}, ["--sparse", "0.1"]),
    "sparse by rule": ({"beta": "snmf"}, ["--sparse", "snmf"]),
    "affine": ({"affine": True}, ["--affine"]),
    "best of three": ({"n_runs": 3, "init": "random"}, ["--runs", "3", "--start", "random"]),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("case", CASES)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_same_bits_as_factor(program, matrix, tmp_path, case, dtype):
    path, X = matrix
    parameters, options = CASES[case]
    precision = "float" if dtype == np.float32 else "double"
    run(
        program,
        "factor",
        path,
        "--items",
        "rows",
        "-k",
        5,
        "--seed",
        7,
        "--max-iterations",
        25,
        "--precision",
        precision,
        "-o",
        tmp_path / "out",
        *options,
    )
    theirs = load_file(tmp_path / "out" / "model.safetensors")
    model = NMF(5, random_state=7, max_iter=25, **parameters)
    coefficients = model.fit_transform(X.astype(dtype))
    assert theirs["w"].dtype == dtype
    np.testing.assert_array_equal(model.components_.T, theirs["w"])
    np.testing.assert_array_equal(coefficients, theirs["h"])
    if "baseline" in theirs:
        np.testing.assert_array_equal(model.baseline_, theirs["baseline"])


def test_the_same_bits_as_factor_dc(program, matrix, tmp_path):
    path, X = matrix
    run(program, "factor", path, "--items", "rows", "-k", 5, "--seed", 7, "--solver", "dc", "-o", tmp_path / "out")
    theirs = load_file(tmp_path / "out" / "model.safetensors")
    model = DCNMF(5, random_state=7).fit(X.astype(np.float32))
    np.testing.assert_array_equal(model.components_.T, theirs["w"])
