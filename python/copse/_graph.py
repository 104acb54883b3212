"""Communities of graphs, and clusters of samples through their neighbour graph, by symmetric factorization."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Callable, Hashable, Sequence
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from copse import _copse
from copse._data import matrix_of, single_precision
from copse._fit import check_on_interrupt, fitted
from copse._items import feature_names_of, items_of
from copse._parameters import choice, names_for, number
from copse._progress import CallbackSupportMixin, with_callbacks
from copse._random import seed_of
from copse._table import table
from copse._threads import thread_count

AFFINITIES = ("nearest_neighbors", "cosine", "self-tuning", "gaussian", "precomputed")
HISTORY = [("iteration", int), ("relative_error", float), ("projected_gradient_ratio", float), ("seconds", float)]
FLOATS = [np.float64, np.float32]


class SymNMF(CallbackSupportMixin, ClusterMixin, BaseEstimator):
    """Clusters of samples, or communities of a graph: A ~ B B' with B >= 0, where A are similarities.

    Each sample is joined to its nearest neighbours; the graph is scaled by the roots of its degrees and factorized. A
    row of `memberships_` says how far the sample belongs to each cluster, `labels_` which one is its own.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters. Pieces of the graph that are too small for one and not connected with the rest become
        clusters n_clusters, n_clusters + 1, ... of their own.
    affinity : {'nearest_neighbors', 'cosine', 'self-tuning', 'gaussian', 'precomputed'} or callable
        What joins samples. 'cosine' of their angle; 'gaussian': exp(-d^2 / sigma^2); 'self-tuning': the same at the
        scale of both samples; 'nearest_neighbors' (default): 'cosine' for sparse X, 'self-tuning' for dense X.
        'precomputed': X is the graph, n_samples x n_samples, dense or sparse, entries of 0 and above. A callable gets
        X and returns such a matrix. Where a graph is not symmetric, the two weights of a pair are averaged; its
        diagonal does not count.
    n_neighbors : int or None, default=None
        Neighbours that each sample keeps; None: floor(log2 n) + 1.
    sigma : float or None, default=None
        The scale of 'gaussian'.
    scale_neighbor : int, default=7
        'self-tuning': the scale of a sample is the distance to this neighbour.
    init : {'multilevel', 'spectral', 'random'}, default='multilevel'
        Where the factorization starts: from groups by moves that raise modularity, from leading eigenvectors, or from
        random numbers.
    solver : {'coordinate', 'hals', 'anls', 'anls-growing', 'newton', 'projected-gradient', 'gauss-newton'}
        How each step goes. 'coordinate' (default) is exact coordinate descent; 'newton' is for graphs of less than
        3,000 nodes.
    model : {'symmetric', 'blocks'}, default='symmetric'
        'blocks': A ~ Z S Z', which also finds groups with more edges to each other than within.
    tau : float, default=0.1
        Degrees d count as d + tau mean(d) in the scaling; 0 is the normalized cut of the papers.
    n_runs : int, default=1
        Starts to try.
    choose : {'modularity', 'normalized-cut', 'objective'}, default='modularity'
        Which of the runs is kept.
    labels : {'better', 'factor'}, default='better'
        'factor': the largest membership of each sample. 'better': that, or the partition of the start where it has the
        higher modularity.
    overlap : float, default=0.25
        A sample belongs to every cluster where its membership is at least this.
    alpha, beta : float, default 1.0 and 0.0
        'anls' and 'hals': weight of |C - B|^2, and of the squared row sums of B.
    tol : float, default=1e-4
        Stops when the projected gradient is at most `tol` times that of a random start.
    max_iter : int, default=100
        Iterations of a run at most.
    time_limit : float or None, default=None
        Seconds after which the best so far is taken.
    random_state : int, RandomState, Generator or None, default=None
        A whole number is the seed itself: the same bits as `copse graph --seed`, with any number of threads.
    verbose, n_jobs, on_interrupt
        As for NMF.

    Attributes
    ----------
    labels_ : array of shape (n_samples,)
    memberships_ : array of shape (n_samples, n_clusters)
        Rows add up to 1, or to 0 for samples of pieces that took no part.
    embedding_ : array of shape (n_samples, n_clusters)
        The factor B.
    affinity_matrix_ : CSR array of shape (n_samples, n_samples)
        The graph, before the scaling.
    modularity_, normalized_cut_, conductance_ : float
        Quality of `labels_` on the graph; conductance is the mean over the clusters.
    relative_error_, n_iter_, stop_reason_, history_
        As for NMF, of A and B B'.
    n_features_in_ : int
    feature_names_in_ : array of str
        Only if X has them.

    Examples
    --------
    >>> import numpy as np
    >>> from copse import SymNMF
    >>> rng = np.random.default_rng(0)
    >>> X = np.vstack([rng.normal(0, 1, (30, 2)), rng.normal(9, 1, (30, 2))])
    >>> model = SymNMF(n_clusters=2, random_state=0).fit(X)
    >>> len(set(model.labels_[:30])), len(set(model.labels_[30:])), model.memberships_.shape
    (1, 1, (60, 2))
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        affinity: str | Callable[[Any], Any] = "nearest_neighbors",
        n_neighbors: int | None = None,
        sigma: float | None = None,
        scale_neighbor: int = 7,
        init: str = "multilevel",
        solver: str = "coordinate",
        model: str = "symmetric",
        tau: float = 0.1,
        n_runs: int = 1,
        choose: str = "modularity",
        labels: str = "better",
        overlap: float = 0.25,
        alpha: float = 1.0,
        beta: float = 0.0,
        tol: float = 1e-4,
        max_iter: int = 100,
        time_limit: float | None = None,
        random_state: Any = None,
        verbose: int = 0,
        n_jobs: int | None = None,
        on_interrupt: str = "raise",
    ) -> None:
        self.n_clusters = n_clusters
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.sigma = sigma
        self.scale_neighbor = scale_neighbor
        self.init = init
        self.solver = solver
        self.model = model
        self.tau = tau
        self.n_runs = n_runs
        self.choose = choose
        self.labels = labels
        self.overlap = overlap
        self.alpha = alpha
        self.beta = beta
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.on_interrupt = on_interrupt

    @with_callbacks
    def fit(self, X: Any, y: Any = None) -> SymNMF:
        """Finds the clusters of the rows of X, or of the nodes of a graph X."""
        check_on_interrupt(self)
        settings = self._settings()
        clusters = number("n_clusters", self.n_clusters, Integral, 1)
        given = self.affinity == "precomputed"
        X = validate_data(self, X, accept_sparse="csr", dtype=FLOATS, order="C", ensure_min_samples=2)
        if clusters > X.shape[0]:
            raise ValueError(f"n_clusters={clusters} must be at most the number of samples, n_samples = {X.shape[0]}.")
        common = {"k": clusters, "seed": seed_of(self.random_state), "overlap": self._overlap()}
        affinity: Any = self.affinity
        if given or callable(affinity):
            graph = X if given else affinity(X)
            arrays = graph_arrays(graph, X.dtype, X.shape[0], "X" if given else "The affinity")
            more = {"names": [], **common}
            result = fitted(_copse.cluster_graph, self, X, arrays, settings, settings["max_iterations"], **more)
        else:
            items = items_of(X, thread_count(self.n_jobs))
            names = [str(name) for name in getattr(self, "feature_names_in_", ())]
            more = {"input": self._input(X), "feature_names": names, **common}
            result = fitted(_copse.cluster_items, self, X, items, settings, settings["max_iterations"], **more)
        self._keep(result)
        if self.stop_reason_ == "interrupted":
            message = f"The fit was stopped after iteration {self.n_iter_}; the best factor so far is kept."
            warnings.warn(message, ConvergenceWarning, stacklevel=2)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The cluster of each new row of X: that of most of its nearest neighbours, by weight.

        With affinity='precomputed', X has a column for each node of the graph: the weights of the new nodes' edges. A
        row without any has the label -1.
        """
        check_is_fitted(self)
        threads = thread_count(self.n_jobs)
        dtype = self.embedding_.dtype
        if not self._result.has_items:
            return placed_by_edges(self._result, X)
        names = feature_names_of(X) if self._loaded else []
        if self._loaded:
            X = check_array(X, accept_sparse="csr", dtype=FLOATS, order="C")
        else:
            X = validate_data(self, X, accept_sparse="csr", dtype=FLOATS, order="C", reset=False)
        return _numbers(self._result.place(items_of(X.astype(dtype, copy=False), threads), names, threads)[0])

    def communities(self, n_nodes: int = 10) -> Any:
        """A table of the clusters: size, conductance, central samples and nearest clusters. Needs pandas."""
        check_is_fitted(self)
        found = self._result.communities
        return table(
            cluster=np.arange(len(found)),
            size=[entry["size"] for entry in found],
            overlapping=[entry["overlapping"] for entry in found],
            conductance=[entry["conductance"] for entry in found],
            central=[[name for _, name, _ in entry["central"][:n_nodes]] for entry in found],
            neighbours=[[int(other) for other, _ in entry["neighbours"]] for entry in found],
        )

    def overlapping(self) -> list[np.ndarray]:
        """The samples of each cluster, those among them whose own cluster is another: see `overlap`."""
        check_is_fitted(self)
        shares = self.memberships_
        return [np.flatnonzero((self.labels_ == c) | (shares[:, c] >= self._overlap())) for c in range(shares.shape[1])]

    def save(
        self,
        folder: str | os.PathLike[str],
        *,
        names: Sequence[Any] | None = None,
        labels: Sequence[Any] | None = None,
        overwrite: bool = False,
    ) -> SymNMF:
        """Writes the result into a folder, as the program does: `copse show`, `assign` and `report` open it.

        `names` and `labels` are the name and the true class of each sample; they become part of the model.
        """
        check_is_fitted(self)
        self._tell(names, labels)
        parent = os.path.dirname(os.path.abspath(os.fspath(folder)))
        if not os.path.isdir(parent):
            raise ValueError(f"{os.fspath(folder)} cannot be made: there is no folder {parent}.")
        self._result.save(os.fspath(folder), bool(overwrite))
        return self

    def report(
        self,
        path: str | os.PathLike[str],
        *,
        title: str | None = None,
        names: Sequence[Any] | None = None,
        labels: Sequence[Any] | None = None,
    ) -> SymNMF:
        """Writes the result as one HTML page: the graph drawn, its matrix, its communities."""
        check_is_fitted(self)
        self._tell(names, labels)
        self._result.write_page(os.fspath(path), title or "")
        return self

    _loaded = False  # features are matched by name where the model comes from a file

    @classmethod
    def _of(cls, result: Any) -> SymNMF:
        """A fitted model from a stored result."""
        settings = result.settings
        similarity = settings["similarity"]
        limit = settings["time_limit"]
        model = cls(
            result.k,
            affinity="precomputed" if similarity == "none" else similarity,
            n_neighbors=settings.get("neighbours") or None,
            sigma=settings.get("sigma") or None,
            scale_neighbor=settings.get("scale_neighbour", 7),
            init=settings["start"],
            solver=settings["solver"],
            model=settings["model"],
            tau=settings["tau"],
            n_runs=settings["runs"],
            choose=settings["choose"],
            labels=settings["labels"],
            overlap=settings["overlap"],
            alpha=settings["alpha"],
            beta=settings["beta"],
            tol=settings["tolerance"],
            max_iter=settings["max_iterations"],
            time_limit=None if math.isinf(limit) else limit,
            random_state=result.seed,
        )
        model._loaded = True
        model._keep(result)
        if result.has_items:
            kept = result.kept_features
            model.n_features_in_ = int(kept[-1]) + 1 if len(kept) else 0
            if result.feature_names:
                model.feature_names_in_ = np.asarray(result.feature_names, dtype=object)
        else:
            model.n_features_in_ = len(model.labels_)
        return model

    def _settings(self) -> dict[str, Any]:
        """What the constructor's parameters mean, under the names that the library gives them."""
        if not callable(self.affinity):
            choice("affinity", self.affinity, AFFINITIES)
        known = _copse.graph_choices
        settings = {
            "start": choice("init", self.init, known["start"]),
            "solver": choice("solver", self.solver, known["solver"]),
            "model": choice("model", self.model, known["model"]),
            "tau": number("tau", self.tau, Real, 0),
            "runs": number("n_runs", self.n_runs, Integral, 1),
            "choose": choice("choose", self.choose, known["choose"]),
            "labels": choice("labels", self.labels, known["labels"]),
            "alpha": number("alpha", self.alpha, Real, 0),
            "beta": number("beta", self.beta, Real, 0),
            "max_iterations": number("max_iter", self.max_iter, Integral, 1),
            "tolerance": number("tol", self.tol, Real, 0),
        }
        if self.time_limit is not None:
            settings["time_limit"] = number("time_limit", self.time_limit, Real, 0)
        self._step_limit = settings["max_iterations"]
        return settings

    def _input(self, X: Any) -> dict[str, Any]:
        return similarity_settings(X, self.affinity, self.n_neighbors, self.sigma, self.scale_neighbor)

    def _overlap(self) -> float:
        return number("overlap", self.overlap, Real, 0)

    def _keep(self, result: Any) -> None:
        self._result = result
        self.labels_ = result.labels
        self.memberships_ = self._of_all(result.memberships)
        self.embedding_ = self._of_all(result.b)
        found = result.affinity
        self.affinity_matrix_ = scipy.sparse.csr_array(
            (found["data"], found["indices"], found["indptr"]), shape=found["shape"]
        )
        self.modularity_, self.normalized_cut_, self.conductance_ = (
            result.modularity,
            result.normalized_cut,
            result.conductance,
        )
        self.relative_error_, self.n_iter_, self.stop_reason_ = (
            result.relative_error,
            result.iterations,
            result.stop_reason,
        )
        self.history_ = np.rec.fromarrays(result.history.T, dtype=HISTORY)

    def _of_all(self, rows: np.ndarray) -> np.ndarray:
        """From the samples of the graph to all; zeros for those that preparation dropped."""
        kept = self._result.kept_numbers
        if len(kept) == len(rows):
            return rows
        every = np.zeros((len(kept), rows.shape[1]), rows.dtype)
        every[kept >= 0] = rows
        return every

    def _tell(self, names: Sequence[Any] | None, labels: Sequence[Any] | None) -> None:
        if names is not None or labels is not None:
            count = len(self.labels_)
            self._result.tell(names_for("names", names, count), names_for("labels", labels, count))

    def _line(self) -> str:
        return "copse." + " ".join(repr(self).split())

    def _describe(self, iteration: Any) -> str:
        return (
            f"SymNMF: iteration {iteration.number} of at most {self._step_limit}, "
            f"relative error {iteration.relative_error:.5f}, gradient {iteration.projected_gradient_ratio:.1e}"
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        given = self.affinity == "precomputed"
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = given
        tags.input_tags.positive_only = given
        return tags


class Communities(NamedTuple):
    """What `communities` found."""

    groups: list[set[Any]]  # the nodes of each community, largest first; pieces that took no part are groups, too
    labels: dict[Hashable, int]  # of each node: the number of its group
    memberships: np.ndarray  # nodes x communities, columns in the order of the groups; rows add up to 1 or 0
    nodes: list[Any]  # the rows of it
    model: SymNMF


def communities(G: Any, n_clusters: int, *, weight: str | None = "weight", **parameters: Any) -> Communities:
    """Communities of a graph of networkx or igraph, or of a matrix of weights (SciPy, NumPy).

    Parameters
    ----------
    G : networkx graph, igraph.Graph, sparse matrix or array
        Edges that are listed again are added up, the two directions of a directed graph are averaged, self-loops do not
        count.
    n_clusters : int
        Number of communities.
    weight : str or None, default='weight'
        The attribute of edges that is their weight, where they have it; None: every edge counts 1.
    **parameters
        Those of SymNMF: `random_state`, `n_runs`, `solver`, `overlap` ...

    Returns
    -------
    Communities
        groups, labels, memberships, nodes, model.

    Examples
    --------
    >>> import scipy.sparse
    >>> from copse import communities
    >>> A = scipy.sparse.block_diag([[[0, 1, 1], [1, 0, 1], [1, 1, 0]]] * 2).tolil()
    >>> A[2, 3] = A[3, 2] = 1
    >>> sorted(sorted(group) for group in communities(A.tocsr(), 2).groups)
    [[0, 1, 2], [3, 4, 5]]
    """
    A, nodes = _adjacency(G, weight)
    model = SymNMF(n_clusters, affinity="precomputed", **parameters).fit(A)
    sizes = np.bincount(model.labels_)
    order = np.argsort(-sizes, kind="stable")
    order = order[sizes[order] > 0]
    rank = {int(label): place for place, label in enumerate(order)}
    groups: list[set[Any]] = [set() for _ in order]
    for node, label in zip(nodes, model.labels_, strict=True):
        groups[rank[int(label)]].add(node)
    labels = {node: rank[int(label)] for node, label in zip(nodes, model.labels_, strict=True)}
    columns = [label for label in order if label < n_clusters]
    if all(not isinstance(node, int) for node in nodes):
        model._tell([str(node) for node in nodes], None)
    return Communities(groups, labels, model.memberships_[:, columns], list(nodes), model)


def neighbour_graph(
    X: Any,
    similarity: str = "nearest_neighbors",
    *,
    n_neighbors: int | None = None,
    sigma: float | None = None,
    scale_neighbor: int = 7,
    n_jobs: int | None = None,
) -> scipy.sparse.csr_array:
    """The graph that joins each row of X to its nearest, in either direction: what SymNMF works on.

    Exact, by all threads, and never n x n in memory. The parameters are those of SymNMF.

    >>> import numpy as np
    >>> from copse import neighbour_graph
    >>> A = neighbour_graph(np.array([[1.0, 0], [1, 0.1], [0, 1], [0.1, 1]]), "cosine", n_neighbors=1)
    >>> A.nnz, bool((A != A.T).nnz)
    (4, False)
    """
    X = check_array(X, accept_sparse="csr", dtype=FLOATS, order="C")
    choice("similarity", similarity, AFFINITIES[:-1])
    threads = thread_count(n_jobs)
    settings = similarity_settings(X, similarity, n_neighbors, sigma, scale_neighbor)
    found = _copse.neighbour_graph(items_of(X, threads), settings, threads)
    return scipy.sparse.csr_array((found["data"], found["indices"], found["indptr"]), shape=found["shape"])


class ReadGraph(NamedTuple):
    """A graph from a file."""

    A: scipy.sparse.csr_array
    names: np.ndarray
    notes: list[str]


def read_graph(
    path: str | os.PathLike[str], *, format: str = "automatic", dtype: Any = np.float32, n_jobs: int | None = None
) -> ReadGraph:
    """Reads a graph as `copse graph` does: an edge list, METIS, GraphML or a matrix, also compressed.

    Nodes whose names are whole numbers stand in their order. Edges that are listed again, or in the other direction,
    are added up; loops are dropped. `notes` say so.
    """
    choice("format", format, _copse.graph_choices["format"])
    found = _copse.read_graph(os.fspath(path), format, single_precision(dtype), thread_count(n_jobs))
    return ReadGraph(
        scipy.sparse.csr_array(matrix_of(found)), np.asarray(found["names"], dtype=object), found["notes"]
    )


def graph_quality(A: Any, labels: Any) -> dict[str, Any]:
    """Modularity, normalized cut, coverage and the conductance of each group, of labels 0, 1, ... on a graph."""
    A = check_array(A, accept_sparse="csr", dtype=FLOATS)
    labels = np.ascontiguousarray(np.asarray(labels), dtype=np.int64)
    return dict(_copse.graph_quality(graph_arrays(A, A.dtype, A.shape[0], "A"), labels))


def similarity_settings(
    X: Any, affinity: Any, n_neighbors: int | None, sigma: float | None, scale_neighbor: int
) -> dict[str, Any]:
    """Under the names that the library gives them."""
    if affinity == "nearest_neighbors":
        affinity = "cosine" if scipy.sparse.issparse(X) else "self-tuning"
    if affinity == "gaussian" and sigma is None:
        raise ValueError("affinity='gaussian' needs sigma, the distance at which similarity is 1/e.")
    return {
        "similarity": affinity,
        "neighbours": 0 if n_neighbors is None else number("n_neighbors", n_neighbors, Integral, 1),
        "sigma": 0.0 if sigma is None else number("sigma", sigma, Real, 0),
        "scale_neighbour": number("scale_neighbor", scale_neighbor, Integral, 1),
    }


def graph_arrays(graph: Any, dtype: Any, nodes: int, what: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The arrays of a matrix of weights. Raises ValueError for one that is no graph."""
    graph = check_array(graph, accept_sparse="csr", dtype=FLOATS)
    if graph.shape != (nodes, nodes):
        raise ValueError(
            f"{what} is {graph.shape[0]} x {graph.shape[1]}, and a graph needs a square matrix: a row and a column for "
            f"each of the {nodes} samples."
        )
    rows = scipy.sparse.csr_array(graph, dtype=dtype, copy=True)
    rows.sum_duplicates()
    rows.eliminate_zeros()
    if rows.nnz and rows.data.min() < 0:
        raise ValueError(f"Negative values in data passed to SymNMF: {what} holds weights of edges, 0 or more.")
    return rows.indptr.astype(np.int64), rows.indices.astype(np.int32), np.ascontiguousarray(rows.data)


def _adjacency(G: Any, weight: str | None) -> tuple[Any, list[Any]]:
    """The matrix of weights and the nodes behind its rows."""
    module = type(G).__module__.split(".")[0]
    if hasattr(G, "nodes") and hasattr(G, "is_multigraph"):  # networkx, and what follows its protocol
        import networkx

        nodes = list(G.nodes)
        if not nodes:
            raise ValueError("The graph has no nodes.")
        A = networkx.to_scipy_sparse_array(G, nodelist=nodes, weight=weight, dtype=np.float64, format="csr")
        return A, nodes
    if module == "igraph" or (hasattr(G, "vs") and hasattr(G, "get_edgelist")):
        count = G.vcount()
        if count == 0:
            raise ValueError("The graph has no nodes.")
        weights = G.es[weight] if weight is not None and weight in G.es.attributes() else np.ones(G.ecount())
        ends = np.asarray(G.get_edgelist(), dtype=np.int64).reshape(-1, 2)
        A = scipy.sparse.coo_array((np.asarray(weights, float), (ends[:, 0], ends[:, 1])), shape=(count, count)).tocsr()
        A = A if G.is_directed() else A + A.T
        nodes = list(G.vs["name"]) if "name" in G.vs.attributes() else list(range(count))
        return A, nodes
    A = check_array(G, accept_sparse="csr", dtype=FLOATS, ensure_min_samples=1)
    return A, list(range(A.shape[0]))


def _numbers(clusters: Sequence[str]) -> np.ndarray:
    return np.asarray([int(cluster) for cluster in clusters], dtype=np.int64)


def placed_by_edges(result: Any, X: Any) -> np.ndarray:
    """The communities of new nodes: X has a column for each node of the graph, the weights of the new nodes' edges."""
    X = check_array(X, accept_sparse="csr", dtype=FLOATS)
    nodes = len(result.item_names)
    if X.shape[1] != nodes:
        raise ValueError(f"X has {X.shape[1]} columns; weights of edges to the {nodes} nodes of the graph are expected.")
    rows = scipy.sparse.csr_array(X).astype(result.b.dtype)
    rows.sum_duplicates()
    indptr, indices = rows.indptr.astype(np.int64), rows.indices.astype(np.int32)
    return _numbers(result.place_edges(X.shape[1], indptr, indices, rows.data)[0])
