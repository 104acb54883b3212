"""The exact NNLS solvers, which see the Gram matrix only, against SciPy's nnls, which sees the matrix itself."""

import os
import pathlib
import subprocess

import numpy as np
import pytest
import scipy.optimize

N = 60


def problems(k):
    rng = np.random.default_rng(k)
    m = k + 10
    b, y = rng.random((m, k)), rng.random((m, N)) - 0.4
    yield "random", b, y
    yield "signed", b - 0.5, y
    twice = b.copy()
    twice[:, 1::2] = 2 * twice[:, : 2 * (k // 2) : 2]
    yield "duplicate columns", twice, y
    yield "rank-deficient", b @ np.diag(np.arange(k) % 3 > 0), y
    yield "wider than tall", b[: (k + 1) // 2], y[: (k + 1) // 2]
    yield "badly scaled", b * 10.0 ** rng.integers(-6, 7, k), y
    yield "degenerate", b, b @ (rng.integers(0, 3, (k, N)) * (rng.random((k, N)) < 0.4))
    yield "zero right-hand sides", b, np.zeros((m, N))


def solve(solver, b, y):
    program = pathlib.Path(os.environ["COPSE_PROGRAM"]).parent.parent / "nnls_solve"
    gram, rhs = b.T @ b, y.T @ b
    done = subprocess.run(
        [program, solver, str(b.shape[1]), str(y.shape[1])],
        input=gram.tobytes() + np.ascontiguousarray(rhs).tobytes(), capture_output=True, check=True)
    return np.frombuffer(done.stdout).reshape(y.shape[1], b.shape[1])


@pytest.mark.skipif("COPSE_PROGRAM" not in os.environ, reason="COPSE_PROGRAM names no program")
@pytest.mark.parametrize("solver, k", [
    ("rank2", 2), *((s, k) for s in ("active-set", "pivoting") for k in (1, 2, 5, 20, 70))])
def test_reaches_the_residual_of_scipy(solver, k):
    for name, b, y in problems(k):
        g = solve(solver, b, y)
        assert (g >= 0).all(), name
        # SciPy has no scaling of its own; unit columns are the same problem.
        unit = b / np.maximum(np.linalg.norm(b, axis=0), 1e-300)
        for j in range(N):
            expected = scipy.optimize.nnls(unit, y[:, j], maxiter=100 * k)[1]
            found = np.linalg.norm(b @ g[j] - y[:, j])
            assert found <= expected + 1e-7 * np.linalg.norm(y[:, j]), f"{name}, right-hand side {j}"
