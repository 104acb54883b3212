"""SymNMF and its relatives: planted graphs, scikit-learn's checks, other libraries' graphs, files."""

import pickle

import numpy as np
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.datasets import make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.estimator_checks import parametrize_with_checks

from copse import SymNMF, communities, graph_quality, load_result, neighbour_graph, read_graph


def planted(k=5, size=20, inside=0.6, between=0.02, seed=0):
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(k), size)
    upper = np.triu(rng.random((k * size, k * size)) < np.where(labels[:, None] == labels, inside, between), 1)
    return scipy.sparse.csr_array((upper | upper.T).astype(float)), labels


def clouds(seed=0):
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(3), 40)
    return rng.normal(0, 1, (120, 4)) + 7 * np.eye(3, 4)[labels], labels


@parametrize_with_checks(
    [SymNMF(n_clusters=2), SymNMF(n_clusters=3, affinity="cosine"), SymNMF(2, init="spectral", solver="hals")]
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("affinity", ["nearest_neighbors", "self-tuning", "gaussian", "cosine"])
def test_clusters_samples(affinity):
    X, labels = clouds()
    model = SymNMF(3, affinity=affinity, sigma=2.0, random_state=0).fit(X)
    assert adjusted_rand_score(labels, model.labels_) == 1
    np.testing.assert_allclose(model.memberships_.sum(axis=1), 1, rtol=1e-6)
    assert model.embedding_.shape == model.memberships_.shape == (120, 3)
    assert (model.affinity_matrix_ != model.affinity_matrix_.T).nnz == 0
    again, _ = clouds(seed=1)
    assert adjusted_rand_score(labels, model.predict(again)) > 0.97
    assert (model.fit_predict(X) == model.labels_).all()


def test_separates_what_is_not_round():
    X, labels = make_moons(300, noise=0.04, random_state=0)
    assert adjusted_rand_score(labels, SymNMF(2, random_state=0).fit_predict(X)) == 1


def test_sparse_samples_are_compared_by_cosine():
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(4), 30)
    own = np.arange(40) % 4 == labels[:, None]
    X = scipy.sparse.csr_matrix(rng.poisson(0.1, (120, 40)) + rng.poisson(2, (120, 40)) * own)
    model = SymNMF(4, random_state=0).fit(X.astype(float))
    assert adjusted_rand_score(labels, model.labels_) == 1
    assert (model.affinity_matrix_ != neighbour_graph(X.astype(float), "cosine")).nnz == 0


@pytest.mark.parametrize(
    "kind", [scipy.sparse.csr_array, scipy.sparse.coo_array, scipy.sparse.csc_matrix, lambda a: a.toarray()]
)
def test_takes_a_graph_in_any_form(kind):
    A, labels = planted()
    model = SymNMF(5, affinity="precomputed", random_state=0).fit(kind(A))
    assert adjusted_rand_score(labels, model.labels_) == 1
    assert (model.affinity_matrix_ != A).nnz == 0
    # Modularity by its definition.
    degrees, total = np.asarray(A.sum(axis=0)).ravel(), A.sum()
    same = model.labels_[:, None] == model.labels_
    modularity = ((A.toarray() - np.outer(degrees, degrees) / total) * same).sum() / total
    assert model.modularity_ == pytest.approx(modularity)
    assert graph_quality(A, model.labels_)["modularity"] == pytest.approx(modularity)
    assert (model.predict(A[:10]) == model.labels_[:10]).all()


def test_a_callable_makes_the_graph():
    X, labels = clouds()
    model = SymNMF(3, affinity=lambda X: np.exp(-((X[:, None] - X) ** 2).sum(-1) / 9), random_state=0).fit(X)
    assert adjusted_rand_score(labels, model.labels_) == 1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_neighbours_are_those_of_scikit_learn(dtype):
    X = np.random.default_rng(0).normal(size=(200, 3)).astype(dtype)
    A = neighbour_graph(X, "gaussian", n_neighbors=4, sigma=1.5)
    distances, indices = NearestNeighbors(n_neighbors=5).fit(X.astype(float)).kneighbors(X.astype(float))
    expected = np.zeros((200, 200))
    for i in range(200):
        for distance, j in zip(distances[i, 1:], indices[i, 1:]):
            expected[i, j] = expected[j, i] = np.exp(-(distance**2) / 1.5**2)
    np.testing.assert_allclose(A.toarray(), expected, rtol=1e-4, atol=1e-7)


def test_networkx():
    networkx = pytest.importorskip("networkx")
    G = networkx.relabel_nodes(networkx.connected_caveman_graph(6, 8), lambda i: f"person {i}")
    G.add_edge("person 0", "person 0")
    found = communities(G, 6, random_state=0)
    assert {frozenset(group) for group in found.groups} == {
        frozenset(f"person {i}" for i in range(8 * c, 8 * c + 8)) for c in range(6)
    }
    assert found.labels["person 0"] == found.labels["person 1"]
    assert found.memberships.shape == (48, 6)
    assert found.nodes == list(G.nodes)
    assert networkx.community.modularity(G.subgraph(G.nodes), found.groups) > 0.7
    directed = networkx.DiGraph([(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (2, 3)])
    assert sorted(map(sorted, communities(directed, 2).groups)) == [[0, 1, 2], [3, 4, 5]]
    with pytest.raises(ValueError, match="no nodes"):
        communities(networkx.Graph(), 1)


def test_igraph():
    igraph = pytest.importorskip("igraph")
    A, labels = planted()
    rows, columns = scipy.sparse.triu(A).nonzero()
    G = igraph.Graph(n=len(labels), edges=list(zip(rows.tolist(), columns.tolist())))
    found = communities(G, 5, random_state=0)
    assert adjusted_rand_score(labels, [found.labels[i] for i in range(len(labels))]) == 1
    G.vs["name"] = [f"n{i}" for i in range(len(labels))]
    assert "n0" in communities(G, 5, random_state=0).labels


def test_pieces_become_clusters_of_their_own():
    A, _ = planted()
    A = scipy.sparse.block_diag([A, np.zeros((2, 2)), [[0, 1], [1, 0]]], format="csr")
    model = SymNMF(5, affinity="precomputed", random_state=0).fit(A)
    assert sorted(model.labels_[100:]) == [5, 6, 7, 7]
    assert (model.memberships_[100:] == 0).all()


def test_overlapping():
    A, labels = planted(2, 15, 0.9, 0.0)
    bridge = scipy.sparse.lil_array((31, 31))
    bridge[:30, :30] = A
    bridge[30, [0, 1, 2, 3, 15, 16, 17, 18]] = bridge[[0, 1, 2, 3, 15, 16, 17, 18], 30] = 1
    model = SymNMF(2, affinity="precomputed", random_state=0).fit(bridge.tocsr())
    groups = model.overlapping()
    assert 30 in groups[0] and 30 in groups[1]
    assert set(groups[0]) | set(groups[1]) == set(range(31))


def test_saved_opened_pickled(tmp_path):
    X, labels = clouds()
    model = SymNMF(3, random_state=0, n_neighbors=6).fit(X)
    model.save(tmp_path / "out", names=[f"item {i}" for i in range(120)], labels=labels)
    opened = load_result(tmp_path / "out")
    assert (opened.labels == model.labels_).all()
    assert opened.item_names[3] == "item 3"
    assert opened.result["measures"]["accuracy"] == 1
    assert opened.model.n_neighbors == 6 and opened.model.affinity == "self-tuning"
    again, _ = clouds(seed=3)
    assert (opened.model.predict(again) == model.predict(again)).all()
    copy = pickle.loads(pickle.dumps(model))
    assert (copy.predict(again) == model.predict(again)).all()
    assert (clone(model).fit(X).labels_ == model.labels_).all()
    model.report(tmp_path / "page.html", title="Clouds")
    assert "Clouds" in (tmp_path / "page.html").read_text()
    assert list(model.communities().columns)[:3] == ["cluster", "size", "overlapping"]


def test_reads_graphs(tmp_path):
    (tmp_path / "e.csv").write_text("b,a,2\na,c,1\nc,c,5\n")
    graph = read_graph(tmp_path / "e.csv")
    assert list(graph.names) == ["b", "a", "c"]
    np.testing.assert_array_equal(graph.A.toarray(), [[0, 2, 0], [2, 0, 1], [0, 1, 0]])
    assert "loop" in graph.notes[0]


def test_the_program_finds_the_same(tmp_path):
    """The same seed gives the same labels as run_graph on the same data, with any number of threads."""
    A, _ = planted()
    first = SymNMF(5, affinity="precomputed", random_state=3, n_jobs=1).fit(A)
    second = SymNMF(5, affinity="precomputed", random_state=3, n_jobs=2).fit(A)
    assert (first.embedding_ == second.embedding_).all()


@pytest.mark.parametrize(
    "parameters, words",
    [
        ({"n_clusters": 0}, "n_clusters"),
        ({"n_clusters": 500}, "at most the number of samples"),
        ({"affinity": "rbf"}, "affinity must be one of"),
        ({"affinity": "gaussian"}, "needs sigma"),
        ({"solver": "magic"}, "solver must be one of"),
        ({"init": "kmeans"}, "init must be one of"),
        ({"n_neighbors": 0}, "n_neighbors"),
        ({"affinity": lambda X: np.ones((3, 3))}, "square matrix"),
        ({"affinity": "precomputed"}, "square matrix"),
    ],
)
def test_refuses_with_a_sentence(parameters, words):
    X, _ = clouds()
    with pytest.raises(ValueError, match=words):
        SymNMF(**{"n_clusters": 3, **parameters}).fit(X)


def test_refuses_graphs_that_cannot_be():
    A, _ = planted()
    model = SymNMF(5, affinity="precomputed")
    with pytest.raises(ValueError, match="Negative"):
        model.fit(-A)
    with pytest.raises(ValueError, match="NaN"):
        model.fit(A.toarray() * np.nan)
    with pytest.raises(ValueError, match="no edges"):
        model.fit(np.eye(10))
