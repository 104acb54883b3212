"""The methods that the papers compare with: K-means by angle, by bisection and of graphs, and spectral clustering."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from copse import _copse
from copse._graph import AFFINITIES, graph_arrays, neighbour_graph, placed_by_edges
from copse._items import items_of
from copse._parameters import choice, number
from copse._random import seed_of
from copse._stored import Stored, is_stored
from copse._threads import thread_count

FLOATS = [np.float64, np.float32]
STARTS = ("k-means++", "random")


def _clusters(n_clusters: Any, samples: int) -> int:
    clusters = int(number("n_clusters", n_clusters, Integral, 1))
    if clusters > samples:
        raise ValueError(f"n_clusters={clusters} must be at most the number of samples, n_samples = {samples}.")
    return clusters


def _say_fewer(found: int, wanted: int) -> None:
    if found < wanted:
        message = f"Number of distinct clusters ({found}) found smaller than n_clusters ({wanted}): fewer rows differ."
        warnings.warn(message, ConvergenceWarning, stacklevel=3)


class _Centres(Stored, ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator):
    """What methods with centres have in common."""

    spherical: bool

    def _validated(self, X: Any, reset: bool) -> Any:
        if reset:
            self._forget()
        return validate_data(self, X, accept_sparse="csr", dtype=FLOATS, order="C", reset=reset)

    def _keep(self, found: dict[str, Any], wanted: int) -> None:
        self.labels_ = found["labels"].astype(np.int32)
        self.cluster_centers_ = np.ascontiguousarray(found["centres"].T)
        self.inertia_ = found["objective"]
        self.n_iter_ = max(1, found["iterations"])
        self.stop_reason_ = found["stop_reason"]
        self._n_features_out = len(self.cluster_centers_)
        _say_fewer(len(self.cluster_centers_), wanted)

    def predict(self, X: Any) -> np.ndarray:
        """The cluster of each row: that of the nearest centre; -1 for a row of zeros where angles count."""
        check_is_fitted(self)
        return self._largest(self._weights(X)).astype(np.int32)

    def transform(self, X: Any) -> np.ndarray:
        """Distances of the rows to the centres; where angles count, 1 - cosine."""
        check_is_fitted(self)
        if self._stored is not None:
            raise ValueError("A model from a folder places raw data by `predict`; distances need the prepared data.")
        X = self._validated(X, reset=False)
        centres = self.cluster_centers_.astype(np.float64)
        rows = X.astype(np.float64)
        products = np.asarray(rows @ centres.T)
        squares = np.asarray(rows.multiply(rows).sum(axis=1)).ravel() if hasattr(rows, "multiply") else (rows**2).sum(1)
        if self.spherical:
            lengths = np.sqrt(squares)
            return 1 - products / np.where(lengths > 0, lengths, 1)[:, None]
        return np.sqrt(np.maximum(squares[:, None] - 2 * products + (centres**2).sum(axis=1), 0))

    def _weights(self, X: Any) -> np.ndarray:
        if self._stored is not None:
            return self._placed(X)
        X = self._validated(X, reset=False)
        dtype = self.cluster_centers_.dtype
        threads = thread_count(self.n_jobs)
        centres = np.ascontiguousarray(self.cluster_centers_.T)
        items = items_of(X.astype(dtype, copy=False), threads)
        return np.asarray(_copse.nearest_weights(items, centres, self.spherical, threads))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = []
        return tags


class SphericalKMeans(_Centres):
    """K-means of rows by their direction, as documents want it; or Euclidean, with spherical=False.

    Batches until nothing moves, then single rows whose move alone lowers the objective (Dhillon, Guan & Kogan 2002).
    Sparse rows stay sparse.

    Parameters
    ----------
    n_clusters : int, default=8
    spherical : bool, default=True
        Rows and centres count by direction; the objective is the sum of 1 - cosine. False: the sum of squared distances.
    init : {'k-means++', 'random'} or array of shape (n_clusters, n_features), default='k-means++'
        The first centres.
    n_init : int, default=1
        Starts to try; the one with the least objective is kept.
    online : bool, default=True
        Single moves after the batches. False is the plain algorithm of Lloyd.
    max_iter : int, default=100
        Batches and passes of single moves at most.
    tol : float, default=0.0
        A batch that lowers the objective by a smaller share of it is the last; 0: one that moves nothing.
    random_state : int, RandomState, Generator or None, default=None
        A whole number is the seed itself: the same bits as `copse cluster --seed`, with any number of threads.
    n_jobs : int or None, default=None
        Threads; None: all.

    Attributes
    ----------
    cluster_centers_ : array of shape (n_clusters, n_features)
        Of unit length where directions count. Fewer where fewer rows differ.
    labels_ : array of shape (n_samples,)
        -1 for a row of zeros, which has no direction.
    inertia_ : float
        The objective.
    n_iter_, stop_reason_, n_features_in_, feature_names_in_

    Examples
    --------
    >>> import numpy as np
    >>> from copse import SphericalKMeans
    >>> X = np.array([[1.0, 0.1], [9, 1], [0, 2], [0.1, 3]])
    >>> model = SphericalKMeans(n_clusters=2, random_state=0).fit(X)
    >>> bool(model.labels_[0] == model.labels_[1] != model.labels_[2]), int(model.predict([[5.0, 0.2]])[0] == model.labels_[0])
    (True, 1)
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        spherical: bool = True,
        init: Any = "k-means++",
        n_init: int = 1,
        online: bool = True,
        max_iter: int = 100,
        tol: float = 0.0,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.spherical = spherical
        self.init = init
        self.n_init = n_init
        self.online = online
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> SphericalKMeans:
        """Finds the clusters of the rows of X."""
        X = self._validated(X, reset=True)
        clusters = _clusters(self.n_clusters, X.shape[0])
        centres = None
        start = STARTS[0]
        if isinstance(self.init, str):
            start = choice("init", self.init, STARTS)
        else:
            centres = np.asarray(self.init, dtype=X.dtype)
            if centres.shape != (clusters, X.shape[1]):
                raise ValueError(f"init must be {clusters} x {X.shape[1]}, and is {' x '.join(map(str, centres.shape))}.")
            centres = np.ascontiguousarray(centres.T)
        threads = thread_count(self.n_jobs)
        found = _copse.k_means(
            items_of(X, threads),
            clusters,
            bool(self.spherical),
            start,
            bool(self.online),
            number("n_init", self.n_init, Integral, 1),
            number("max_iter", self.max_iter, Integral, 1),
            number("tol", self.tol, Real, 0),
            seed_of(self.random_state),
            centres,
            threads,
        )
        self._keep(found, clusters)
        return self


class BisectingKMeans(_Centres):
    """Repeated bisection: splits one cluster in two until there are enough. By default with CLUTO's criterion I2.

    Parameters
    ----------
    n_clusters : int, default=8
    spherical : bool, default=True
        As for SphericalKMeans.
    bisecting_strategy : {'best_gain', 'biggest_inertia', 'largest_cluster'}, default='best_gain'
        Which cluster is split next: the one whose split lowers the objective most, the one with the largest objective,
        or the one with the most rows.
    init : {'k-means++', 'random'}, default='k-means++'
    n_init : int, default=10
        Starts of every split.
    max_iter : int, default=100
        Of every split.
    random_state, n_jobs
        As for SphericalKMeans.

    Attributes
    ----------
    cluster_centers_, labels_, inertia_, n_iter_, stop_reason_, n_features_in_, feature_names_in_
        As for SphericalKMeans; `n_iter_` counts splits, and `labels_` are in the order of the clusters' first rows.
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        spherical: bool = True,
        bisecting_strategy: str = "best_gain",
        init: str = "k-means++",
        n_init: int = 10,
        max_iter: int = 100,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.spherical = spherical
        self.bisecting_strategy = bisecting_strategy
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> BisectingKMeans:
        """Finds the clusters of the rows of X."""
        X = self._validated(X, reset=True)
        clusters = _clusters(self.n_clusters, X.shape[0])
        threads = thread_count(self.n_jobs)
        strategies = ("best_gain", "biggest_inertia", "largest_cluster")
        found = _copse.bisect(
            items_of(X, threads),
            clusters,
            bool(self.spherical),
            choice("bisecting_strategy", self.bisecting_strategy, strategies),
            choice("init", self.init, STARTS),
            number("n_init", self.n_init, Integral, 1),
            number("max_iter", self.max_iter, Integral, 1),
            seed_of(self.random_state),
            threads,
        )
        self._keep(found, clusters)
        return self


class _OfGraph(Stored, ClusterMixin, BaseEstimator):
    """What methods that read a graph have in common."""

    affinity: Any
    n_neighbors: int | None
    sigma: float | None
    n_clusters: int
    n_jobs: int | None

    @available_if(is_stored)  # type: ignore[untyped-decorator]
    def predict(self, X: Any) -> np.ndarray:
        """The cluster of new rows, or documents, as `copse assign` places them. Only of a model from a folder.

        Where the program read a graph, X has a column for each node: the weights of the new nodes' edges.
        """
        of_graph = not hasattr(self._stored, "is_text")
        return placed_by_edges(self._stored, X) if of_graph else self._largest(self._placed(X))

    def _arrays(self, X: Any) -> tuple[int, Any]:
        self._forget()
        X = validate_data(self, X, accept_sparse="csr", dtype=FLOATS, order="C", ensure_min_samples=2)
        clusters = _clusters(self.n_clusters, X.shape[0])
        choice("affinity", self.affinity, AFFINITIES)
        if self.affinity == "precomputed":
            graph = X
        else:
            graph = neighbour_graph(
                X, self.affinity, n_neighbors=self.n_neighbors, sigma=self.sigma, n_jobs=self.n_jobs
            )
        self.affinity_matrix_ = graph
        return clusters, graph_arrays(graph, np.float64, X.shape[0], "X")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.affinity == "precomputed"
        return tags


class KernelKMeans(_OfGraph):
    """Weighted kernel K-means of a graph for its normalized cut (Dhillon, Guan & Kulis 2007).

    Parameters
    ----------
    n_clusters : int, default=8
    affinity : {'nearest_neighbors', 'cosine', 'self-tuning', 'gaussian', 'precomputed'}, default='nearest_neighbors'
        What joins rows, as for SymNMF; 'precomputed': X is the graph.
    n_neighbors, sigma
        As for SymNMF.
    init : {'k-means++', 'random'}, default='k-means++'
        Clusters grow from nodes that are no neighbours of each other, or from any.
    n_init : int, default=10
        Starts to try; the one with the least normalized cut is kept.
    max_iter : int, default=100
    random_state, n_jobs
        As for SphericalKMeans.

    Attributes
    ----------
    labels_ : array of shape (n_samples,)
        -1 for a node without edges.
    normalized_cut_ : float
    affinity_matrix_ : the graph
    n_iter_, n_features_in_, feature_names_in_
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        affinity: str = "nearest_neighbors",
        n_neighbors: int | None = None,
        sigma: float | None = None,
        init: str = "k-means++",
        n_init: int = 10,
        max_iter: int = 100,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.sigma = sigma
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> KernelKMeans:
        """Finds the clusters of the rows of X, or of the nodes of a graph X."""
        clusters, arrays = self._arrays(X)
        found = _copse.kernel_k_means(
            arrays,
            clusters,
            choice("init", self.init, STARTS),
            number("n_init", self.n_init, Integral, 1),
            number("max_iter", self.max_iter, Integral, 1),
            seed_of(self.random_state),
            thread_count(self.n_jobs),
        )
        self.labels_ = found["labels"].astype(np.int32)
        self.normalized_cut_ = found["objective"]
        self.n_iter_ = max(1, found["iterations"])
        return self


class SpectralClustering(_OfGraph):
    """Labels from the leading eigenvectors of D^-1/2 A D^-1/2.

    Parameters
    ----------
    n_clusters : int, default=8
    affinity, n_neighbors, sigma
        As for KernelKMeans.
    assign_labels : {'kmeans', 'discretize', 'cluster_qr'}, default='kmeans'
        'kmeans' of the rows at unit length (Ng, Jordan & Weiss 2002), the rotation nearest to a partition (Yu & Shi
        2003), or the one that pivots tell (Damle, Minden & Ying 2019).
    n_init : int, default=10
        Starts of 'kmeans' or 'discretize'.
    eigen_tol : float, default=1e-4
        Of the eigenvectors: |A x - value x| <= eigen_tol |A|.
    random_state, n_jobs
        As for SphericalKMeans.

    Attributes
    ----------
    labels_ : array of shape (n_samples,)
        -1 for a node without edges.
    eigenvalues_ : array of shape (n_clusters,)
    embedding_ : array of shape (n_samples, n_clusters)
        The eigenvectors.
    affinity_matrix_ : the graph
    n_features_in_, feature_names_in_
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        affinity: str = "nearest_neighbors",
        n_neighbors: int | None = None,
        sigma: float | None = None,
        assign_labels: str = "kmeans",
        n_init: int = 10,
        eigen_tol: float = 1e-4,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.sigma = sigma
        self.assign_labels = assign_labels
        self.n_init = n_init
        self.eigen_tol = eigen_tol
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> SpectralClustering:
        """Finds the clusters of the rows of X, or of the nodes of a graph X."""
        clusters, arrays = self._arrays(X)
        found = _copse.spectral_clustering(
            arrays,
            clusters,
            choice("assign_labels", self.assign_labels, ("kmeans", "discretize", "cluster_qr")),
            number("n_init", self.n_init, Integral, 1),
            number("eigen_tol", self.eigen_tol, Real, 0),
            seed_of(self.random_state),
            thread_count(self.n_jobs),
        )
        self.labels_ = found["labels"].astype(np.int32)
        self.embedding_ = found["vectors"]
        self.eigenvalues_ = found["values"]
        for note in found["notes"]:
            warnings.warn(note, ConvergenceWarning, stacklevel=2)
        return self
