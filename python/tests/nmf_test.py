"""NMF by its definitions: factors that fit, objectives that are minimal, the same answer from every kind of input."""

import pickle

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse
import sklearn.decomposition
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

from copse import DCNMF, NMF

SOLVERS = ["hals", "mu", "active-set", "pivoting", "projected-gradient"]


def planted(samples=60, features=40, k=4, seed=0):
    """A matrix of rank k with zeros in both factors."""
    random = np.random.RandomState(seed)
    w = random.rand(samples, k) * (random.rand(samples, k) < 0.5)
    h = random.rand(k, features) * (random.rand(k, features) < 0.5)
    return w @ h


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_record_of_the_error_is_true(solver):
    X = planted()
    model = NMF(4, solver=solver, random_state=1, max_iter=300, tol=1e-6 if solver != "mu" else 1e-3)
    W = model.fit_transform(X)
    assert (W >= 0).all() and (model.components_ >= 0).all()
    residual = np.linalg.norm(X - W @ model.components_)
    # The error comes from |X|^2 - 2 <X, WH> + |WH|^2, which is known to 1e-7 of |X| in double precision.
    assert model.reconstruction_err_ == pytest.approx(residual, rel=1e-5, abs=1e-6 * np.linalg.norm(X))
    assert residual < 0.05 * np.linalg.norm(X)
    assert model.history_.relative_error[-1] == model.relative_error_
    assert model.n_iter_ == model.history_.iteration[-1]
    np.testing.assert_allclose(np.linalg.norm(model.components_, axis=1), 1)
    np.testing.assert_array_equal(model.labels_, np.where(W.any(axis=1), W.argmax(axis=1), -1))


def test_a_consensus_of_runs_follows_its_definition():
    X = planted(samples=80) + 0.02 * np.random.RandomState(5).rand(80, 40)
    model = NMF(4, consensus=10, consensus_distance=0.4, random_state=0)
    W = model.fit_transform(X)
    found = model.consensus_
    runs = [NMF(4, random_state=0, n_runs=1).fit(X).components_]  # the first of them
    assert found["runs"] == 10 and found["neighbours"] == 3 and len(found["groups"]) == 40
    np.testing.assert_array_equal(found["groups"] >= 0, found["distances"] <= 0.4)
    # The first run's components are those of a run alone: each is near the component of its group.
    cosines = runs[0] @ model.components_.T
    for place, group in enumerate(found["groups"][:4]):
        if group >= 0:
            assert cosines[place].argmax() == group and cosines[place, group] > 0.9
    for row, coefficients in zip(X[:10], W):
        np.testing.assert_allclose(coefficients, scipy.optimize.nnls(model.components_.T, row)[0], atol=1e-8)
    residual = np.linalg.norm(X - W @ model.components_)
    assert model.reconstruction_err_ == pytest.approx(residual, rel=1e-5)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.consensus_["groups"], found["groups"])
    assert not hasattr(model.set_params(consensus=0).fit(X), "consensus_")
    for wrong in ({"consensus": 1}, {"consensus": 5, "n_runs": 2}, {"consensus": -1}, {"consensus": 5, "beta": 0.1}):
        with pytest.raises(ValueError):
            NMF(4, **wrong).fit(X)


def test_transform_is_nonnegative_least_squares():
    model = NMF(4, random_state=0).fit(planted())
    new = planted(samples=20, seed=9)
    coefficients = model.transform(new)
    for row, found in zip(new, coefficients):
        expected, _ = scipy.optimize.nnls(model.components_.T, row)
        np.testing.assert_allclose(found, expected, atol=1e-8)


def test_transform_knows_the_baseline_and_the_penalty():
    X = planted() + 0.3
    model = NMF(4, random_state=0, affine=True, beta=0.2, alpha=0.1, max_iter=500).fit(X)
    assert model.baseline_.shape == (X.shape[1],) and (model.baseline_ > 0.05).any()
    stacked = np.vstack([model.components_.T, model.penalty_])
    for row, found in zip(X[:5], model.transform(X[:5])):
        expected, _ = scipy.optimize.nnls(stacked, np.append(row - model.baseline_, 0))
        np.testing.assert_allclose(found, expected, atol=1e-8)
    restored = model.inverse_transform(model.transform(X))
    assert np.linalg.norm(X - restored) < np.linalg.norm(X - model.transform(X) @ model.components_)


def test_sparse_weights_make_coefficients_sparse():
    X = planted(seed=3) + 0.01
    plain = NMF(6, random_state=0, max_iter=500).fit_transform(X)
    sparse = NMF(6, random_state=0, max_iter=500, beta=1.0).fit_transform(X)
    assert (sparse == 0).mean() > (plain == 0).mean() + 0.1
    for rule in ("thesis", "snmf"):
        model = NMF(4, random_state=0, beta=rule, max_iter=500).fit(X)
        assert model.beta_ == {"thesis": 0.01, "snmf": 0.5}[rule]


def test_alpha_is_scikit_learns_alpha_h_per_sample():
    X = planted()
    ours = NMF(4, random_state=0, alpha=0.6, beta=0.1, max_iter=50, tol=0).fit(X)
    theirs = NMF(4, random_state=0, alpha=0, alpha_H=0.6 / len(X), beta=0.1, max_iter=50, tol=0).fit(X)
    np.testing.assert_allclose(ours.components_, theirs.components_)
    for refused in ({"alpha_W": 1.0}, {"alpha_H": 1.0, "l1_ratio": 0.5}, {"alpha_H": 1.0}):
        with pytest.raises(ValueError, match="use beta"):
            NMF(4, **refused).fit(X)
    with pytest.raises(ValueError, match="alpha_H alone has no effect"):
        NMF(4, alpha_H=1.0).fit(X)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_kind_of_input_gives_the_same(dtype):
    import pandas
    import polars

    X = planted().astype(dtype)
    X[X < 0.3] = 0
    csr = scipy.sparse.csr_matrix(X)
    wide = scipy.sparse.csr_array(X)
    wide.indptr, wide.indices = wide.indptr.astype(np.int64), wide.indices.astype(np.int64)
    frozen = csr.copy()
    for array in (frozen.data, frozen.indices, frozen.indptr):
        array.flags.writeable = False
    shuffled = csr.copy()
    for i in range(X.shape[0]):
        row = slice(shuffled.indptr[i], shuffled.indptr[i + 1])
        shuffled.indices[row], shuffled.data[row] = shuffled.indices[row][::-1].copy(), shuffled.data[row][::-1].copy()
    shuffled.has_sorted_indices = False
    shuffled.has_canonical_format = False
    names = [f"f{i}" for i in range(X.shape[1])]
    model = NMF(3, random_state=5, max_iter=30, tol=0, init="random")

    expected_sparse = clone(model).fit_transform(csr)
    assert expected_sparse.dtype == dtype
    before = shuffled.indices.copy()
    for other in (wide, frozen, shuffled, csr.tocsc(), csr.tocoo(), scipy.sparse.csr_array(X), csr.tolil()):
        np.testing.assert_array_equal(clone(model).fit_transform(other), expected_sparse)
    np.testing.assert_array_equal(shuffled.indices, before)

    expected_dense = clone(model).fit_transform(X)
    strided = np.zeros((2 * X.shape[0], 3 * X.shape[1]), dtype)[::2, ::3]
    strided[:] = X
    frozen = X.copy()
    frozen.flags.writeable = False
    frame = pandas.DataFrame(X, columns=names)
    for other in [np.asfortranarray(X), strided, frozen, X[::-1][::-1], frame]:
        np.testing.assert_array_equal(clone(model).fit_transform(other), expected_dense)
    # scikit-learn makes float64 of any frame of polars.
    from_polars = clone(model).fit(polars.DataFrame(X, schema=names))
    np.testing.assert_array_equal(from_polars.components_, clone(model).fit(X.astype(np.float64)).components_)
    # How often 'hals' sweeps depends on the cost of a product, and so on how X is stored; 'mu' knows no such choice.
    mu = clone(model).set_params(solver="mu")
    np.testing.assert_allclose(clone(mu).fit_transform(X), clone(mu).fit_transform(csr), rtol=1e-3, atol=1e-4)
    assert list(clone(model).fit(frame).feature_names_in_) == list(from_polars.feature_names_in_) == names
    with pytest.raises(ValueError, match="names"):
        from_polars.transform(polars.DataFrame(X, schema=names[::-1]))


def test_repeated_entries_are_added_up():
    twice = scipy.sparse.csr_matrix(([1.0, 2.0, 3.0, 1.0], ([0, 0, 1, 2], [1, 1, 0, 2])), shape=(3, 3))
    raw = scipy.sparse.csr_matrix((np.array([1.0, 2.0, 3.0, 1.0]), np.array([1, 1, 0, 2]), np.array([0, 2, 3, 4])))
    model = NMF(2, random_state=0, max_iter=20, tol=0)
    np.testing.assert_array_equal(clone(model).fit_transform(raw), clone(model).fit_transform(twice))
    assert raw.nnz == 4


def test_room_behind_the_last_entry_is_no_entry():
    X = scipy.sparse.csr_matrix(planted())
    roomy = X.copy()
    roomy.data = np.append(roomy.data, [7.0, 7.0])
    roomy.indices = np.append(roomy.indices, [0, 0]).astype(np.int32)
    model = NMF(2, random_state=0, max_iter=20, tol=0)
    np.testing.assert_array_equal(clone(model).fit_transform(roomy), clone(model).fit_transform(X))


def test_sparse_arrays_are_not_copied():
    from copse._items import items_of

    X = scipy.sparse.random(2000, 500, density=0.2, format="csr", random_state=0)
    items = items_of(X, 1)
    result = NMF(1, random_state=0).fit(X)._result
    before = result.transform(items, [], 1)
    X.data *= 2  # seen by the library: it holds on to the array itself
    np.testing.assert_allclose(result.transform(items, [], 1), 2 * before)


def test_any_random_state():
    X = planted()
    fit = lambda state: NMF(3, random_state=state, max_iter=5, tol=0, init="random").fit_transform(X)
    np.testing.assert_array_equal(fit(7), fit(np.int64(7)))
    np.testing.assert_array_equal(fit(np.random.RandomState(3)), fit(np.random.RandomState(3)))
    np.testing.assert_array_equal(fit(np.random.default_rng(3)), fit(np.random.default_rng(3)))
    assert (fit(7) != fit(8)).any() and (fit(None) != fit(None)).any()
    np.random.seed(1)
    first = fit(None)
    np.random.seed(1)
    np.testing.assert_array_equal(first, fit(None))
    state = np.random.RandomState(3)
    assert (fit(state) != fit(state)).any()


def test_threads_do_not_change_a_bit():
    X = scipy.sparse.random(3000, 400, density=0.05, format="csr", random_state=0)
    one, all_ = (NMF(8, random_state=0, max_iter=10, tol=0, n_jobs=jobs).fit(X) for jobs in (1, -1))
    np.testing.assert_array_equal(one.components_, all_.components_)
    np.testing.assert_array_equal(one.transform(X), all_.transform(X))


def test_a_custom_start_is_where_it_starts():
    X = planted()
    random = np.random.RandomState(0)
    W, H = random.rand(60, 3), random.rand(3, 40)
    one = NMF(3, init="custom", max_iter=1, tol=0, solver="mu").fit(X, W=W, H=H)
    # One multiplicative update of W, then of H, by Lee and Seung.
    W1 = W * (X @ H.T) / (W @ (H @ H.T))
    H1 = H * (W1.T @ X) / ((W1.T @ W1) @ H)
    np.testing.assert_allclose(one.components_, H1 / np.linalg.norm(H1, axis=1, keepdims=True))


def test_the_number_of_components_comes_from_a_custom_start():
    random = np.random.RandomState(0)
    model = NMF(init="custom", tol=1e-2).fit(random.rand(6, 5), W=random.rand(6, 2), H=random.rand(2, 5))
    assert model.n_components_ == 2


def test_entries_whose_squares_overflow_are_refused():
    for dtype, large in ((np.float32, 1e20), (np.float64, 1e200)):
        for X in (np.full((3, 3), large, dtype), scipy.sparse.csr_matrix(np.eye(3, dtype=dtype) * dtype(large))):
            with pytest.raises(ValueError, match="too large"):
                NMF(2).fit(X)


def test_more_components_than_the_smaller_side_stay_zero():
    X = planted(samples=5, features=9)
    model = NMF(7, random_state=0, tol=0, max_iter=200)
    W = model.fit_transform(X)
    assert W.shape == (5, 7) and model.components_.shape == (7, 9)
    assert (W[:, 5:] == 0).all() and (model.components_[5:] == 0).all()
    assert NMF(random_state=0).fit(X).n_components_ == 5
    assert model.transform(X).shape == (5, 7)


def test_pickles_clones_pipelines_and_grids():
    X = planted()
    model = NMF(3, random_state=0).fit(X)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.transform(X), model.transform(X))
    assert clone(model).get_params() == model.get_params()
    piped = make_pipeline(MaxAbsScaler(), NMF(3, random_state=0)).set_output(transform="pandas")
    frame = piped.fit_transform(X)
    assert list(frame.columns) == ["nmf0", "nmf1", "nmf2"]
    grid = GridSearchCV(NMF(random_state=0), {"n_components": [1, 4]}, scoring=negative_error, n_jobs=2, cv=2)
    assert grid.fit(X).best_params_ == {"n_components": 4}


def negative_error(model, X, y=None):
    return -np.linalg.norm(X - model.inverse_transform(model.transform(X)))


def test_runs_keep_the_best():
    X = planted(k=8, seed=4)
    errors = [NMF(6, init="random", random_state=0, n_runs=runs, max_iter=15, tol=0).fit(X) for runs in (1, 5)]
    assert errors[1].relative_error_ <= errors[0].relative_error_


def test_stop_reasons():
    X = planted()
    with pytest.warns(ConvergenceWarning, match="Maximum number of iterations 2 reached"):
        assert NMF(4, max_iter=2, random_state=0).fit(X).stop_reason_ == "max_iterations"
    assert NMF(4, tol=0.5, random_state=0).fit(X).stop_reason_ == "converged"
    assert NMF(4, tol=0, max_iter=10**6, time_limit=0.05, random_state=0).fit(X).stop_reason_ == "time_limit"


def test_dcnmf_finds_blocks_and_improves_with_iterations():
    X = np.kron(np.eye(4), np.ones((10, 5))) + 0.01 * planted(40, 20)
    model = DCNMF(4, random_state=0).fit(X)
    blocks = model.labels_.reshape(4, 10)
    assert (blocks == blocks[:, :1]).all() and len(set(blocks[:, 0])) == 4
    assert DCNMF(4, random_state=0, max_iter=20).fit(X).relative_error_ <= model.relative_error_ + 1e-12
    np.testing.assert_array_equal(model.predict(X), model.labels_)


@pytest.mark.parametrize(
    "wrong, sentence",
    [
        ({"solver": "newton"}, "solver must be one of 'hals', 'mu'"),
        ({"init": "zeros"}, "init must be one of None, 'sample'"),
        ({"beta_loss": "itakura-saito"}, "Copse has 'frobenius' and, for 'hals'"),
        ({"beta_loss": 1.5}, "does not handle beta_loss = 1.5"),
        ({"beta_loss": "kullback-leibler", "affine": True}, "neither penalties"),
        ({"beta_loss": "kullback-leibler", "solver": "pivoting"}, "has the solvers hals and mu"),
        ({"beta_loss": "kullback-leibler", "init": "nndsvd"}, "begin with random"),
        ({"n_components": 0}, "n_components must be a whole number of at least 1, not 0"),
        ({"n_components": 2.5}, "n_components must be a whole number"),
        ({"max_iter": 0}, "max_iter must be"),
        ({"tol": -1}, "tol must be a number of at least 0"),
        ({"tol": float("nan")}, "tol must be a number"),
        ({"beta": -1}, "beta must be"),
        ({"alpha": 1.0}, "alpha alone has no effect"),
        ({"beta": "lots"}, "beta must be one of 'thesis', 'snmf'"),
        ({"n_runs": 0}, "n_runs must be"),
        ({"n_jobs": 0}, "n_jobs must be"),
        ({"random_state": -1}, "random_state must lie between"),
        ({"on_interrupt": "ignore"}, "on_interrupt must be"),
        ({"init": "custom"}, "init='custom' needs"),
        ({"time_limit": 0}, "time limit must be positive"),
        ({"init": "sample", "solver": "mu"}, "keeps the zeros"),
    ],
)
def test_wrong_parameters_get_a_sentence(wrong, sentence):
    with pytest.raises(ValueError, match=sentence):
        NMF(**({"n_components": 2} | wrong)).fit(planted())


def test_wrong_data_gets_a_sentence():
    X = planted()
    X[3, 5] = -0.5
    for bad in (X, scipy.sparse.csr_matrix(X)):
        with pytest.raises(ValueError, match=r"Negative values in data passed to NMF: -0.5 in row 3, column 5"):
            NMF(2).fit(bad)
    X[3, 5] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        NMF(2).fit(X)


@pytest.mark.parametrize("solver", SOLVERS)
def test_one_more_iteration_lowers_the_error(solver):
    """scikit-learn's test_nmf_decreasing, for the loss that we have."""
    X = np.abs(np.random.RandomState(42).randn(20, 15))
    random = np.random.RandomState(1)
    W, H = random.rand(20, 10), random.rand(10, 15)
    before = np.linalg.norm(X - W @ H)
    for _ in range(15):
        model = NMF(10, init="custom", solver=solver, max_iter=1, tol=0)
        W = model.fit_transform(X, W=W, H=H)
        H = model.components_
        assert np.linalg.norm(X - W @ H) < before
        before = np.linalg.norm(X - W @ H)


@pytest.mark.parametrize("given, kept", [("f4", "f4"), ("f8", "f8"), ("i4", "f8"), ("i8", "f8"), ("f2", "f8")])
@pytest.mark.parametrize("solver", ["hals", "mu"])
def test_the_type_is_kept(solver, given, kept):
    X = np.random.RandomState(0).randint(0, 5, (20, 15)).astype(given)
    model = NMF(3, random_state=0, tol=1e-2, solver=solver, alpha=0.1, beta=0.1)
    assert model.fit(X).transform(X).dtype == model.fit_transform(X).dtype == model.components_.dtype == np.dtype(kept)


def counts(samples=80, features=40, k=4, seed=0):
    """Poisson counts of k planted topics, and the topics' data without noise."""
    random = np.random.RandomState(seed)
    topics = random.dirichlet(np.full(features, 0.1), k)
    mean = random.dirichlet(np.full(k, 0.2), samples) @ topics * 200
    return random.poisson(mean).astype(float), mean


@pytest.mark.parametrize("solver", ["hals", "mu"])
@pytest.mark.parametrize("kind", [np.asarray, scipy.sparse.csr_matrix])
def test_kullback_leibler_reaches_what_scikit_learn_reaches(solver, kind):
    X, _ = counts()
    theirs = sklearn.decomposition.NMF(
        4, init="random", solver="mu", beta_loss="kullback-leibler", max_iter=2000, tol=1e-7, random_state=0
    ).fit(X)
    model = NMF(4, beta_loss="kullback-leibler", solver=solver, tol=1e-7, max_iter=2000, random_state=0, n_runs=3)
    W = model.fit_transform(kind(X))
    Y, seen = W @ model.components_, X > 0
    divergence = (X[seen] * np.log(X[seen] / Y[seen])).sum() - X.sum() + Y.sum()
    assert model.reconstruction_err_ == pytest.approx(np.sqrt(2 * divergence), rel=1e-6)
    assert model.reconstruction_err_ <= theirs.reconstruction_err_ * (1 + 1e-3)


def test_kullback_leibler_transform_is_the_fit_and_the_minimum():
    X, _ = counts()
    model = NMF(4, beta_loss=1, tol=1e-9, max_iter=5000, random_state=0)
    W = model.fit_transform(X)
    H = model.components_
    np.testing.assert_allclose(model.transform(X) @ H, W @ H, atol=0.05)
    # KKT of new samples: H (1 - x / (w H)) >= 0, and zero where w > 0.
    new, _ = counts(seed=5)
    W = model.transform(new)
    slope = H.sum(axis=1) - (new / np.maximum(W @ H, 1e-12)) @ H.T
    reachable = (new.astype(bool) & (H.sum(axis=0) == 0)).sum(axis=1) == 0  # a count of no topic has no coefficient
    assert slope[reachable].min() > -1e-2 and np.abs(slope * W)[reachable].max() < 1e-2 * X.sum(axis=1).max()
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.transform(new), W)
