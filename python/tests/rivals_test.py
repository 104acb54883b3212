"""The methods that the papers compare with."""

import numpy as np
import pytest
import scipy.sparse
import sklearn.cluster
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from copse import GNMF, LDA, XRAY, AffinityPropagation, AnchorTopics, Hottopixx


@parametrize_with_checks(
    [
        LDA(n_components=2, max_iter=60),
        AnchorTopics(n_components=1, min_documents=1),
        XRAY(n_components=2),
        XRAY(n_components=2, selection="max"),
        Hottopixx(n_components=2, max_iter=20),
        AffinityPropagation(),
        GNMF(n_clusters=2),
    ],
    # The check scales its data to mean 0, whatever the tags say.
    expected_failed_checks=lambda estimator: (
        {"check_clustering": "needs entries of 0 and above"} if isinstance(estimator, GNMF) else {}
    ),
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def documents(n=120, empty=False):
    """Counts of words of 4 topics with words of their own."""
    rng = np.random.default_rng(0)
    X = np.zeros((n, 44))
    labels = np.arange(n) % 4
    for d in range(n):
        own = 10 * labels[d] + rng.integers(0, 10, 36)
        np.add.at(X[d], np.concatenate([own, rng.integers(40, 44, 4)]), 1)
    if empty:
        X[-1] = 0
    return X, labels


ALL = [
    LDA(4, max_iter=100, random_state=0),
    AnchorTopics(4),
    XRAY(4),
    Hottopixx(4, decay=0.95, random_state=0),  # the words are not separable: steps that shrink help
    AffinityPropagation(4),
    GNMF(4, random_state=0),
]


@pytest.mark.parametrize("estimator", ALL, ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("form", ["dense", "sparse", "float32"])
def test_planted_clusters_are_found(estimator, form):
    X, labels = documents()
    X = {"dense": X, "sparse": scipy.sparse.csr_array(X), "float32": X.astype(np.float32)}[form]
    found = estimator.fit_predict(X)
    assert adjusted_rand_score(labels, found) > 0.9


@pytest.mark.parametrize("estimator", ALL[:4], ids=lambda e: type(e).__name__)
def test_an_empty_document_has_no_topic(estimator):
    X, _ = documents(empty=True)
    labels = estimator.fit_predict(X)
    assert labels[-1] == -1
    assert (labels[:-1] >= 0).all()
    assert (estimator.transform(X)[-1] == 0).all()


@pytest.mark.parametrize("estimator", [LDA(2), AnchorTopics(2)], ids=lambda e: type(e).__name__)
def test_what_is_no_count_is_refused(estimator):
    X, _ = documents()
    X[3, 5] = 0.5
    with pytest.raises(ValueError, match="is no count. Give raw counts"):
        estimator.fit(X)


def test_lda_is_a_model_of_words():
    X, _ = documents()
    train, test = X[:, :], X[:30]
    model = LDA(4, max_iter=150, random_state=1).fit(train)
    np.testing.assert_allclose(model.components_.sum(axis=1), 1, rtol=1e-5)
    np.testing.assert_allclose(model.doc_topic_.sum(axis=1), 1, rtol=1e-5)
    rows = model.transform(test)
    by_hand = np.exp(-(test * np.log(rows @ model.components_)).sum() / test.sum())
    assert model.perplexity(test) == pytest.approx(by_hand, rel=1e-6)
    assert model.perplexity(test) < 0.6 * LDA(1, max_iter=1).fit(train).perplexity(test)
    assert len(model.history_) == model.n_iter_ == 150
    assert model.history_[-1] > model.history_[0]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("preference", [None, -5.0, -50.0])
def test_affinity_propagation_is_that_of_scikit_learn(seed, preference):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(60, 2)) + 6 * rng.integers(0, 3, (60, 2))
    # Two samples that are each other's nearest are a tie, which noise decides: tilt all similarities a little.
    S = -((points[:, None] - points[None]) ** 2).sum(-1) * (1 + 1e-3 * rng.random((60, 60)))
    theirs = sklearn.cluster.AffinityPropagation(affinity="precomputed", preference=preference, random_state=0).fit(S)
    ours = AffinityPropagation(affinity="precomputed", preference=preference).fit(S)
    np.testing.assert_array_equal(ours.cluster_centers_indices_, theirs.cluster_centers_indices_)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    assert ours.n_iter_ == theirs.n_iter_
    sparse = S.copy()
    np.fill_diagonal(sparse, 0)
    pairs = AffinityPropagation(affinity="precomputed", preference=ours.preference_).fit(scipy.sparse.csr_array(sparse))
    np.testing.assert_array_equal(pairs.labels_, ours.labels_)


def test_affinity_propagation_says_what_it_did_not_reach():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 2))
    with pytest.warns(ConvergenceWarning, match="did not settle"):
        model = AffinityPropagation(max_iter=3, most_damping=0).fit(X)
    assert not model.converged_
    assert (model.labels_ >= 0).all()
    apart = scipy.sparse.csr_array(np.kron(np.eye(3), np.ones((4, 4)) - np.eye(4)) * rng.uniform(1, 2, (12, 12)))
    with pytest.warns(ConvergenceWarning, match="3 is the nearest"):
        AffinityPropagation(2, affinity="precomputed").fit(apart)


def test_anchors_of_separable_columns():
    rng = np.random.default_rng(1)
    H = np.hstack([np.eye(4), rng.dirichlet(np.ones(4), 30).T])
    X = rng.random((50, 4)) @ H
    for model in (XRAY(4), XRAY(4, selection="max"), XRAY(4, selection="dist"), Hottopixx(4, random_state=0)):
        model.fit(X)
        assert sorted(model.anchors_) == [0, 1, 2, 3]
        np.testing.assert_allclose(X[:, model.anchors_] @ model.components_, X, atol=1e-5)
    with pytest.raises(ValueError, match="Keep fewer features"):
        Hottopixx(2, memory_limit=1000).fit(X)
