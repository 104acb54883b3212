"""K-means and its kin, and spectral clustering: scikit-learn's checks, and the same answers where both compute the same."""

import numpy as np
import pytest
import scipy.sparse
from sklearn import cluster as theirs
from sklearn.cluster._spectral import cluster_qr, discretize
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import normalize
from sklearn.utils.estimator_checks import parametrize_with_checks

from copse import BisectingKMeans, KernelKMeans, SpectralClustering, SphericalKMeans, neighbour_graph


@parametrize_with_checks(
    [
        SphericalKMeans(n_clusters=2),
        SphericalKMeans(n_clusters=3, spherical=False),
        BisectingKMeans(n_clusters=3),
        BisectingKMeans(n_clusters=3, spherical=False, bisecting_strategy="biggest_inertia"),
        KernelKMeans(n_clusters=3),
        SpectralClustering(n_clusters=3),
        SpectralClustering(n_clusters=3, assign_labels="cluster_qr"),
    ]
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def clouds(n=300, seed=0):
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(4), n // 4)
    return rng.normal(0, 1, (n, 5)) + 6 * np.eye(4, 5)[labels], labels


@pytest.mark.parametrize("sparse", [False, True])
def test_the_same_as_scikit_learns_k_means_from_the_same_start(sparse):
    rng = np.random.default_rng(1)
    for seed in range(5):
        X = rng.normal(0, 1, (400, 6)) * (rng.random((400, 6)) < 0.7)
        start = X[rng.choice(400, 7, replace=False)]
        data = scipy.sparse.csr_matrix(X) if sparse else X
        model = SphericalKMeans(7, spherical=False, init=start, online=False, max_iter=1000).fit(data)
        other = theirs.KMeans(7, init=start, n_init=1, tol=0, max_iter=1000).fit(data)
        np.testing.assert_array_equal(model.labels_, other.labels_)
        np.testing.assert_allclose(model.cluster_centers_, other.cluster_centers_, atol=1e-9)
        assert model.inertia_ == pytest.approx(other.inertia_, rel=1e-9)
        np.testing.assert_array_equal(model.predict(data), other.predict(data))
        np.testing.assert_allclose(model.transform(data), other.transform(data), atol=1e-6)


def test_directions_count():
    X, labels = clouds()
    X = np.abs(X)
    scaled = X * np.random.default_rng(0).uniform(0.1, 10, (len(X), 1))
    one, two = (SphericalKMeans(4, n_init=5, random_state=0).fit(x) for x in (X, scaled))
    assert adjusted_rand_score(one.labels_, two.labels_) == 1
    assert one.inertia_ == pytest.approx(two.inertia_, rel=1e-9)
    unit = normalize(X)
    assert one.inertia_ == pytest.approx(sum(1 - unit[i] @ one.cluster_centers_[c] for i, c in enumerate(one.labels_)))
    np.testing.assert_allclose(np.linalg.norm(one.cluster_centers_, axis=1), 1)
    np.testing.assert_array_equal(one.predict(X), one.labels_)


def test_single_moves_never_make_it_worse():
    rng = np.random.default_rng(3)
    X = scipy.sparse.random(200, 50, 0.2, "csr", random_state=3, data_rvs=lambda n: rng.random(n))
    for seed in range(4):
        batches = SphericalKMeans(9, online=False, random_state=seed).fit(X)
        both = SphericalKMeans(9, random_state=seed).fit(X)
        assert both.inertia_ <= batches.inertia_ + 1e-12


@pytest.mark.parametrize("strategy", ["biggest_inertia", "largest_cluster"])
def test_the_same_splits_as_scikit_learns_bisection(strategy):
    """Groups of groups, so that every good split is the same."""
    rng = np.random.default_rng(0)
    places = np.array([[0, 0], [0, 12], [100, 0], [100, 20], [100, 40]])
    X = places[rng.integers(0, 5, 250)] + rng.normal(0, 0.5, (250, 2))
    for k in (2, 3, 5):
        other = theirs.BisectingKMeans(k, bisecting_strategy=strategy, n_init=10, random_state=0).fit(X)
        model = BisectingKMeans(k, spherical=False, bisecting_strategy=strategy, random_state=0).fit(X)
        assert adjusted_rand_score(model.labels_, other.labels_) == 1
        assert model.inertia_ == pytest.approx(other.inertia_, rel=1e-6)


@pytest.mark.parametrize("labels", ["kmeans", "discretize", "cluster_qr"])
def test_the_same_groups_as_scikit_learns_spectral_clustering(labels):
    X, truth = clouds()
    A = neighbour_graph(X, n_neighbors=10)
    model = SpectralClustering(4, affinity="precomputed", assign_labels=labels, random_state=0).fit(A)
    other = theirs.SpectralClustering(4, affinity="precomputed", assign_labels=labels, random_state=0).fit(
        scipy.sparse.csr_matrix(A)
    )
    assert adjusted_rand_score(model.labels_, other.labels_) > 0.99
    assert adjusted_rand_score(SpectralClustering(4, assign_labels=labels, random_state=0).fit_predict(X), truth) > 0.97


def test_the_eigenvectors_are_those_of_the_graph_and_their_labels_those_of_scikit_learn():
    rng = np.random.default_rng(4)
    X = rng.normal(0, 1, (120, 5)) + 3 * np.eye(4, 5)[np.arange(120) % 4]
    A = neighbour_graph(X, n_neighbors=25).toarray()
    degrees = A.sum(axis=0)
    normalized = A / np.sqrt(np.outer(degrees, degrees))
    values, vectors = np.linalg.eigh(normalized)
    assert values[-2] < 0.999  # one component, so that the space is unique
    by_qr = SpectralClustering(4, affinity="precomputed", assign_labels="cluster_qr", eigen_tol=1e-10).fit(A)
    np.testing.assert_allclose(by_qr.eigenvalues_, values[:-5:-1], atol=1e-8)
    np.testing.assert_allclose(by_qr.embedding_ @ by_qr.embedding_.T, vectors[:, -4:] @ vectors[:, -4:].T, atol=1e-6)
    assert adjusted_rand_score(by_qr.labels_, cluster_qr(by_qr.embedding_)) == 1
    by_rotation = SpectralClustering(4, affinity="precomputed", assign_labels="discretize", random_state=0).fit(A)
    rotations = [discretize(by_qr.embedding_.copy(), random_state=seed) for seed in range(5)]
    assert max(adjusted_rand_score(by_rotation.labels_, labels) for labels in rotations) == 1
    # K-means of the rows at unit length, each from the same number of starts: the same least objective.
    by_means = SpectralClustering(4, affinity="precomputed", n_init=20, eigen_tol=1e-10, random_state=0).fit(A)
    rows = normalize(vectors[:, -4:])
    theirs_best = theirs.KMeans(4, n_init=20, random_state=0).fit(rows)
    assert adjusted_rand_score(by_means.labels_, theirs_best.labels_) == 1


def test_kernel_k_means_lowers_the_normalized_cut():
    X, truth = clouds()
    model = KernelKMeans(4, random_state=0).fit(X)
    assert adjusted_rand_score(model.labels_, truth) > 0.95
    A = model.affinity_matrix_
    degrees = np.asarray(A.sum(axis=0)).ravel()
    cut = sum(1 - A[model.labels_ == c][:, model.labels_ == c].sum() / degrees[model.labels_ == c].sum() for c in range(4))
    assert model.normalized_cut_ == pytest.approx(cut, rel=1e-6)


def test_the_same_bits_with_any_number_of_threads():
    X = scipy.sparse.random(300, 80, 0.1, "csr", random_state=0, dtype=np.float32)
    for make in (SphericalKMeans, BisectingKMeans, KernelKMeans, SpectralClustering):
        one, three = (make(5, random_state=0, n_jobs=jobs).fit(X) for jobs in (1, 3))
        np.testing.assert_array_equal(one.labels_, three.labels_)


def test_says_what_is_wrong():
    X, _ = clouds()
    with pytest.raises(ValueError, match="n_clusters"):
        SphericalKMeans(301).fit(X)
    with pytest.raises(ValueError, match="init"):
        SphericalKMeans(3, init="best").fit(X)
    with pytest.raises(ValueError, match="init must be 3 x 5"):
        SphericalKMeans(3, init=X[:2]).fit(X)
    with pytest.raises(ValueError, match="assign_labels"):
        SpectralClustering(3, assign_labels="best").fit(X)
    with pytest.warns(UserWarning, match="smaller than n_clusters"):
        SphericalKMeans(3).fit(np.ones((5, 2)))
    assert (SphericalKMeans(1).fit(np.array([[0.0, 0], [1, 1]])).labels_ == [-1, 0]).all()
