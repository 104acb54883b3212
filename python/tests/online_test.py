"""Batches, scikit-learn's function, saving and loading, penalties of scikit-learn's."""

import pickle

import numpy as np
import pytest
import scipy.sparse
import sklearn.decomposition
from nmf_test import planted

import copse
from copse import NMF


def relative_error(X, W, H):
    return np.linalg.norm(X - W @ H) / np.linalg.norm(X)


@pytest.mark.parametrize("kind", [np.asarray, scipy.sparse.csr_matrix])
def test_one_read_of_batches_comes_close_to_the_fit_of_all(kind):
    X = planted(600) + 0.05 * np.random.RandomState(1).rand(600, 40)
    whole = NMF(4, random_state=0, n_runs=3).fit(X)
    model = NMF(4, random_state=0)
    for begin in range(0, 600, 50):
        assert model.partial_fit(kind(X[begin : begin + 50])) is model
    assert model.n_iter_ == 12 and model.labels_.shape == (50,)
    assert relative_error(X, model.transform(X), model.components_) < 1.03 * whole.relative_error_
    np.testing.assert_array_equal(model.predict(X[550:]), model.labels_)
    again = pickle.loads(pickle.dumps(model)).partial_fit(X[:50])
    np.testing.assert_array_equal(again.components_, model.partial_fit(X[:50]).components_)


def test_the_past_fades_as_the_parameter_says():
    random = np.random.RandomState(0)
    old, new = np.kron(np.eye(2), np.ones((20, 5))), np.kron(np.eye(2)[::-1], np.ones((20, 5)))
    new[:20] *= random.rand(10) + 0.5
    drift = {}
    for forgetting in (0.0, 1.0, 50.0):
        model = NMF(2, random_state=0, forgetting=forgetting, tol=1e-8)
        for batch in [old] * 5 + [new] * 2:
            model.partial_fit(batch)
        drift[forgetting] = relative_error(new, model.transform(new), model.components_)
    assert drift[0.0] > drift[1.0] > drift[50.0]
    one_batch = NMF(2, random_state=0, tol=1e-8).partial_fit(new)
    assert drift[50.0] == pytest.approx(relative_error(new, one_batch.transform(new), one_batch.components_), abs=1e-3)


def test_batches_that_do_not_fit_get_a_sentence(tmp_path):
    X = planted()
    model = NMF(4, random_state=0).partial_fit(X, feature_names=[f"f{i}" for i in range(40)])
    with pytest.raises(ValueError, match="39 features"):
        model.partial_fit(X[:, 1:])
    with pytest.raises(ValueError, match="not those of the first batch"):
        model.partial_fit(X, feature_names=[f"g{i}" for i in range(40)])
    with pytest.raises(ValueError, match="same columns every time"):
        NMF(2).partial_fit(["some words", "other words"])
    with pytest.raises(ValueError, match="Frobenius loss only"):
        NMF(2, beta_loss="kullback-leibler").partial_fit(X)
    with pytest.raises(ValueError, match="3 samples, too few for 4"):
        NMF(4).partial_fit(X[:3])
    with pytest.raises(ValueError, match="forgetting must be"):
        NMF(4, forgetting=-1).partial_fit(X)
    model.save(tmp_path / "out")
    np.testing.assert_allclose(NMF.load(tmp_path / "out").transform(X), model.transform(X), atol=1e-9)
    assert model.fit(X).labels_.shape == (60,)
    assert model.partial_fit(X).n_iter_ == 1  # anew


@pytest.mark.parametrize("loss", ["frobenius", "kullback-leibler"])
def test_the_function_is_the_estimator(loss):
    X = planted()
    model = NMF(4, beta_loss=loss, random_state=0)
    W, H, n_iter = copse.non_negative_factorization(X, n_components=4, beta_loss=loss, random_state=0)
    np.testing.assert_array_equal(model.fit_transform(X), W)
    np.testing.assert_array_equal(model.components_, H)
    assert n_iter == model.n_iter_
    fixed, same, _ = copse.non_negative_factorization(X, H=H, beta_loss=loss, update_H=False)
    assert same is H
    np.testing.assert_allclose(fixed, model.transform(X))
    for wrong, sentence in (
        ({"H": None}, "needs H"),
        ({"H": H[:, 1:]}, "wrong second dimension"),
        ({"H": -H}, "Negative"),
    ):
        with pytest.raises(ValueError, match=sentence):
            copse.non_negative_factorization(X, beta_loss=loss, update_H=False, **wrong)


def test_models_are_loaded_by_their_class(tmp_path):
    X = planted()
    NMF(3, random_state=0).fit(X).save(tmp_path / "flat")
    assert isinstance(NMF.load(tmp_path / "flat"), NMF)
    with pytest.raises(ValueError, match="holds a fitted NMF, no TopicTree"):
        copse.TopicTree.load(tmp_path / "flat")


def test_penalties_of_scikit_learn_where_they_are_exact():
    X = planted()
    ours = NMF(1, alpha_W=0.02, alpha_H=0.03, tol=1e-9, max_iter=2000, random_state=0)
    theirs = sklearn.decomposition.NMF(
        1, alpha_W=0.02, alpha_H=0.03, tol=1e-9, max_iter=2000, init="random", random_state=0
    )
    np.testing.assert_allclose(
        ours.fit_transform(X) @ ours.components_, theirs.fit_transform(X) @ theirs.components_, rtol=1e-3, atol=1e-5
    )
    for wrong in ({"alpha_W": 0.1}, {"alpha_H": 0.1, "l1_ratio": 0.5, "beta": 0.1}, {"alpha_H": 0.1}):
        with pytest.raises(ValueError):
            NMF(2, **wrong).fit(X)
