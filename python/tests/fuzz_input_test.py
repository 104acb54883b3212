"""Anything may be given to fit: a result or an error with a sentence comes back, never a crash and never nonsense."""

import concurrent.futures
import warnings

import numpy as np
import pytest
import scipy.sparse

from copse import DCNMF, NMF

DTYPES = ["f2", "f4", "f8", ">f8", "i1", "i4", "u2", "u8", "?", "c16", "O", "M8[s]", "U3", "S2"]
SHAPES = [(0, 0), (0, 3), (3, 0), (1, 1), (1, 5), (5, 1), (7, 4), (4, 7), (3,), (2, 2, 2), ()]


def estimators(random):
    k = int(random.integers(1, 9))
    solver = random.choice(["hals", "mu", "active-set", "pivoting", "projected-gradient"])
    init = random.choice(["none", "random", "nndsvd", "nndsvda", "nndsvdar"])
    init = None if init == "none" else str(init)
    yield NMF(k, solver=str(solver), init=init, max_iter=3, random_state=0, affine=bool(random.integers(2)))
    yield DCNMF(k, random_state=0)


def array(random):
    shape = SHAPES[random.integers(len(SHAPES))]
    dtype = np.dtype(DTYPES[random.integers(len(DTYPES))])
    base = random.integers(0, 4, shape)
    x = base.astype(dtype) if dtype.kind not in "MUS" else base.astype("i8").astype(dtype)
    change = random.integers(8)
    if change == 0 and x.size and x.dtype.kind == "f":
        x.flat[random.integers(x.size)] = random.choice([np.nan, np.inf, -np.inf, -1, -0.0])
    if change == 1 and x.size and x.dtype.kind == "f":
        x.flat[random.integers(x.size)] = np.finfo(x.dtype).max
    if change == 2:
        x = np.asfortranarray(x)
    if change == 3 and x.ndim == 2:
        x = np.repeat(np.repeat(x, 2, 0), 3, 1)[::2, ::-3]
    if change == 4:
        x = np.ascontiguousarray(x)
        x.flags.writeable = False
    if change == 5 and x.ndim == 2 and x.size:
        x = np.lib.stride_tricks.as_strided(x, x.shape, (0, x.strides[1]))
    return x


def sparse(random):
    m, n = (int(random.integers(1, 8)) for _ in range(2))
    x = scipy.sparse.random(m, n, density=random.random(), format="csr", random_state=int(random.integers(1000)))
    x = x.astype(random.choice(["f4", "f8", "i4"]))
    change = random.integers(12)
    if x.nnz == 0:
        return x
    at = int(random.integers(x.nnz))
    if change == 0:
        x.indices[at] = random.choice([-1, n, 2**31 - 1])
    if change == 1:
        x.indptr[random.integers(m + 1)] = random.choice([-1, x.nnz + 1, 2**31 - 1])
    if change == 2 and x.dtype.kind == "f":
        x.data[at] = random.choice([np.nan, np.inf, -1])
    if change == 3:
        x.indices = x.indices[:-1]
    if change == 4:
        x.data = x.data[:-1]
    if change == 5:
        x.indices[:] = x.indices[0]
    if change == 6:
        x.indices = x.indices.astype("i8")
        x.indices[at] = 2**40
    if change == 7:
        x.indices[:] = x.indices[::-1].copy()
        x.has_canonical_format = x.has_sorted_indices = True  # a lie
    if change == 8:
        x = x.tocoo()
        x.col[at] = random.choice([-1, n, 2**30])
    if change == 9:
        x = x.tocsc()
        x.indices[at] = random.choice([-1, m, 2**30])
    return x


def check(estimator, x):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            coefficients = estimator.fit_transform(x)
            again = estimator.transform(x)
    except (ValueError, TypeError) as error:
        assert str(error)
        return "refused"
    assert coefficients.shape == again.shape == (x.shape[0], estimator.n_components)
    for result in (coefficients, again, estimator.components_):
        assert np.isfinite(result).all() and (result >= 0).all()
    return "fitted"


@pytest.mark.parametrize("seed", range(20))
def test_fuzz(seed):
    random = np.random.default_rng(seed)
    outcomes = set()
    for _ in range(40):
        make = array if random.integers(2) else sparse
        for estimator in estimators(random):
            outcomes.add(check(estimator, make(random)))
    assert outcomes == {"refused", "fitted"}


def test_many_threads_of_python_at_once():
    X = scipy.sparse.random(400, 80, density=0.1, format="csr", random_state=0)
    expected = {k: NMF(k, random_state=k, max_iter=20, tol=0).fit_transform(X) for k in range(1, 9)}

    def fit(task):
        k = task % 8 + 1
        return k, NMF(k, random_state=k, max_iter=20, tol=0, n_jobs=task % 3 + 1).fit_transform(X)

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for k, found in pool.map(fit, range(48)):
            np.testing.assert_array_equal(found, expected[k])


def test_one_estimator_transforms_in_many_threads():
    X = scipy.sparse.random(300, 50, density=0.2, format="csr", random_state=0)
    model = NMF(5, random_state=0).fit(X)
    expected = model.transform(X)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for found in pool.map(lambda _: model.transform(X), range(32)):
            np.testing.assert_array_equal(found, expected)
