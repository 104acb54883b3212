"""The methods that the papers compare with: LDA, anchor words, XRAY, Hottopixx, affinity propagation, GNMF."""

from __future__ import annotations

import math
import warnings
from numbers import Integral, Real
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import euclidean_distances, pairwise_distances_argmin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from copse import _copse
from copse._items import items_of, validated
from copse._parameters import choice, number
from copse._random import seed_of
from copse._stored import Stored, is_stored
from copse._threads import thread_count

if TYPE_CHECKING:
    from copse._types import Any, Data, RandomState

FLOATS = [np.float64, np.float32]


def _seconds(limit: float | None) -> float:
    return math.inf if limit is None else number("time_limit", limit, Real, 0)


class _Topics(Stored, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """What models with topics in `components_` (n_components x n_features) share."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    @property
    def _n_features_out(self) -> int:
        return self.components_.shape[0]

    def _start(self, X: Data) -> Any:
        """Checks what all have; returns X and the library's view of it."""
        self._forget()
        number("n_components", self.n_components, Integral, 1)
        X = validated(self, X, reset=True)
        return items_of(X, thread_count(self.n_jobs))

    def _new(self, X: Data) -> Any:
        check_is_fitted(self)
        X = validated(self, X, reset=False)
        return items_of(X.astype(self.components_.dtype, copy=False), thread_count(self.n_jobs))

    def predict(self, X: Data) -> np.ndarray:
        """The topic with the largest weight for each row of X; -1 for a row without any word of the model."""
        return self._largest(self.transform(X))

    def fit_predict(self, X: Data, y: Any = None) -> np.ndarray:
        return self.fit(X).predict(X)

    def top_features(self, n: int = 10) -> np.ndarray:
        """The columns of X with the largest weights in each topic, largest first."""
        check_is_fitted(self)
        return np.argsort(-self.components_, axis=1, kind="stable")[:, :n]


class _CountTopics(_Topics):
    """Models of counts of words."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True  # whole numbers: what counts are
        return tags


class LDA(_CountTopics):
    """Latent Dirichlet allocation by collapsed Gibbs sampling with a sparse sampler.

    Documents are rows of counts of words: whole numbers, not weighted. Other entries are refused.

    Parameters
    ----------
    n_components : int, default=10
        Number of topics.
    alpha : float or None, default=None
        Prior of each topic in a document; None: 5 / n_components.
    beta : float, default=0.01
        Prior of each word in a topic.
    optimize_alpha, optimize_beta : bool, default=True
        Whether the priors follow the data, by Minka's fixed point: an alpha for each topic, one beta for all words.
    max_iter : int, default=500
        Sweeps over all words.
    burn_in : int, default=50
        Sweeps before the priors move.
    time_limit : float or None, default=None
        Seconds after which the latest state is taken.
    random_state : int, RandomState, Generator or None, default=None
        A whole number is the seed itself. The same seed gives the same bits with any number of threads.
    n_jobs : int or None, default=None
        Threads; None: all that are free.

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        p(word | topic); rows add up to 1.
    doc_topic_ : array of shape (n_samples, n_components)
        p(topic | document) of the last sweep; a row of zeros for an empty document. `transform` finds topics anew from
        the words, without sampling.
    labels_ : array of shape (n_samples,)
        The topic with the largest share, -1 for an empty document.
    alpha_ : array of shape (n_components,)
    beta_ : float
    log_likelihood_ : float
        log p(words, topics) per word, of the last state; `history_` has it for each sweep, measured every ten.
    n_iter_, stop_reason_, n_features_in_, feature_names_in_

    Examples
    --------
    >>> import numpy as np
    >>> from copse import LDA
    >>> X = np.array([[5, 4, 0, 0], [4, 6, 0, 1], [0, 0, 5, 5], [0, 1, 6, 3]])
    >>> labels = LDA(n_components=2, max_iter=100, random_state=0).fit(X).labels_
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """

    def __init__(
        self,
        n_components: int = 10,
        *,
        alpha: float | None = None,
        beta: float = 0.01,
        optimize_alpha: bool = True,
        optimize_beta: bool = True,
        max_iter: int = 500,
        burn_in: int = 50,
        time_limit: float | None = None,
        random_state: RandomState = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.alpha = alpha
        self.beta = beta
        self.optimize_alpha = optimize_alpha
        self.optimize_beta = optimize_beta
        self.max_iter = max_iter
        self.burn_in = burn_in
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Data, y: Any = None) -> LDA:
        """Samples topics for the words of X."""
        items = self._start(X)
        found = _copse.lda(
            items,
            topics=int(self.n_components),
            alpha=0.0 if self.alpha is None else number("alpha", self.alpha, Real, 0),
            beta=number("beta", self.beta, Real, 0),
            optimize_alpha=bool(self.optimize_alpha),
            optimize_beta=bool(self.optimize_beta),
            sweeps=number("max_iter", self.max_iter, Integral, 1),
            burn_in=number("burn_in", self.burn_in, Integral, 0),
            seed=seed_of(self.random_state),
            time_limit=_seconds(self.time_limit),
            threads=thread_count(self.n_jobs),
        )
        self.components_ = np.ascontiguousarray(found["words"].T)
        self.doc_topic_ = found["documents"]
        self.labels_ = np.where(self.doc_topic_.max(axis=1) > 0, self.doc_topic_.argmax(axis=1), -1)
        self.alpha_ = found["alpha"]
        self.beta_ = found["beta"]
        self.log_likelihood_ = found["log_likelihood"]
        self.history_ = found["history"]
        self.n_iter_ = len(self.history_)
        self.stop_reason_ = found["stop_reason"]
        return self

    def transform(self, X: Data) -> np.ndarray:
        """p(topic | document) of each row of X, given the topics; a row of zeros for an empty document."""
        if self._stored is not None:
            return self._placed(X)
        items = self._new(X)
        words = np.ascontiguousarray(self.components_.T)
        return np.asarray(_copse.place_in_lda(items, words, self.alpha_, thread_count(self.n_jobs)))

    def perplexity(self, X: Data, documents: Any = None) -> float:
        """exp(-log p(words) / words) of X, given p(topic | document): `documents`, or what `transform` finds from X
        itself. For an honest figure give the topics that `transform` found from other words of the same documents."""
        if self._stored is not None:
            raise ValueError("A model from a folder counts words itself; perplexity needs the counts it was fitted to.")
        items = self._new(X)
        words = np.ascontiguousarray(self.components_.T)
        if documents is None:
            documents = self.transform(X)
        documents = np.ascontiguousarray(documents, dtype=words.dtype)
        return _copse.perplexity(items, words, documents, thread_count(self.n_jobs))


class AnchorTopics(_CountTopics):
    """Topics from anchor words (AnchorRecovery): words of one topic only, found from which words occur together.

    Documents are rows of counts of words: whole numbers, not weighted. Other entries are refused.

    Parameters
    ----------
    n_components : int, default=10
    min_documents : int or None, default=None
        An anchor occurs in at least so many documents; None: the square root of their number.
    n_jobs : int or None, default=None

    Attributes
    ----------
    components_ : array of shape (n_components_, n_features)
        p(word | topic); rows add up to 1. There are fewer topics than asked for where fewer anchors span all words.
    anchors_ : array of shape (n_components_,)
        The column of X that is the anchor of each topic.
    mixtures_ : array of shape (n_features, n_components_)
        p(topic | word).
    topic_shares_ : array of shape (n_components_,)
    residual_ : float
        What the mixtures of anchors leave of the co-occurrences.
    n_components_, n_features_in_, feature_names_in_

    Examples
    --------
    >>> import numpy as np
    >>> from copse import AnchorTopics
    >>> X = np.array([[2, 1, 0, 0, 1], [1, 2, 0, 0, 0], [0, 0, 2, 1, 1], [0, 0, 1, 2, 0]])
    >>> labels = AnchorTopics(n_components=2, min_documents=1).fit_predict(X)
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """

    def __init__(self, n_components: int = 10, *, min_documents: int | None = None, n_jobs: int | None = None) -> None:
        self.n_components = n_components
        self.min_documents = min_documents
        self.n_jobs = n_jobs

    def fit(self, X: Data, y: Any = None) -> AnchorTopics:
        """Finds anchors and topics of the words of X."""
        items = self._start(X)
        least = 0 if self.min_documents is None else number("min_documents", self.min_documents, Integral, 1)
        found = _copse.anchor_topics(items, int(self.n_components), least, thread_count(self.n_jobs))
        self.components_ = np.ascontiguousarray(found["words"].T)
        self.anchors_ = found["anchors"]
        self.mixtures_ = found["mixtures"]
        self.topic_shares_ = found["topic_shares"]
        self.residual_ = found["residual"]
        self.n_components_ = len(self.anchors_)
        return self

    def transform(self, X: Data) -> np.ndarray:
        """The weights of the topics in each row of X, by the least Kullback-Leibler divergence."""
        if self._stored is not None:
            return self._placed(X)
        items = self._new(X)
        words = np.ascontiguousarray(self.components_.T)
        return np.asarray(_copse.place_on(items, words, True, thread_count(self.n_jobs)))


class _Separable(_Topics):
    """Anchors are features: X ~ X[:, anchors_] components_."""

    _method = ""

    def _fit(self, X: Data, **more: Any) -> None:
        items = self._start(X)
        settings = {
            "selection": "rays",
            "epochs": 1,
            "primal_step": 0.1,
            "dual_step": 0.01,
            "decay": 1.0,
            "memory_limit": 8e9,
            "seed": 0,
            **more,
        }
        found = _copse.separable(
            items,
            method=self._method,
            anchors=int(self.n_components),
            threads=thread_count(self.n_jobs),
            **settings,
        )
        self.components_ = np.ascontiguousarray(found["w"].T)
        self.anchors_ = found["anchors"]
        self.relative_error_ = found["relative_error"]
        self.history_ = found["history"]
        self.n_components_ = len(self.anchors_)
        self.n_iter_ = max(1, len(self.history_))

    def transform(self, X: Data) -> np.ndarray:
        """The nonnegative coefficients of each row of X on `components_`, by least squares."""
        if self._stored is not None:
            return self._placed(X)
        items = self._new(X)
        words = np.ascontiguousarray(self.components_.T)
        return np.asarray(_copse.place_on(items, words, False, thread_count(self.n_jobs)))


class XRAY(_Separable):
    """Separable factorization by extreme rays: a few columns of X, the anchors, express all others.

    Parameters
    ----------
    n_components : int, default=10
    selection : {'rays', 'max', 'dist', 'greedy'}, default='rays'
        How the next anchor is chosen. 'rays', 'max' and 'dist' find the anchors of separable data exactly; 'greedy'
        takes the column that lowers the error most.
    n_jobs : int or None, default=None

    Attributes
    ----------
    components_ : array of shape (n_components_, n_features)
        The coefficients of all columns on the anchors.
    anchors_ : array of shape (n_components_,)
        Columns of X in the order of choice; fewer than asked for where fewer express all.
    relative_error_ : float
        |X - X[:, anchors_] components_| / |X|; `history_` has it for each number of anchors.
    n_components_, n_iter_, n_features_in_, feature_names_in_

    Examples
    --------
    >>> import numpy as np
    >>> from copse import XRAY
    >>> X = np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 0.5], [2.0, 1.0, 1.5]])
    >>> sorted(XRAY(n_components=2, selection="max").fit(X).anchors_.tolist())
    [0, 1]
    """

    _method = "xray"

    def __init__(self, n_components: int = 10, *, selection: str = "rays", n_jobs: int | None = None) -> None:
        self.n_components = n_components
        self.selection = selection
        self.n_jobs = n_jobs

    def fit(self, X: Data, y: Any = None) -> XRAY:
        """Finds anchors among the columns of X."""
        self._fit(X, selection=choice("selection", self.selection, ("rays", "max", "dist", "greedy")))
        return self


class Hottopixx(_Separable):
    """Separable factorization by a linear program, solved by incremental gradients.

    A square matrix over the columns of X stands in memory: 4 bytes for each pair.

    Parameters
    ----------
    n_components : int, default=10
    max_iter : int, default=50
        Passes over the rows of X.
    primal_step, dual_step : float, default 0.1 and 0.01
    decay : float, default=1.0
        What the steps are multiplied by after each pass. 1, as the paper has it, finds the anchors of separable data;
        where data are far from separable, 0.95 can be better.
    memory_limit : float, default=8e9
        Bytes that the square matrix may take; larger data are refused.
    random_state : int, RandomState, Generator or None, default=None
    n_jobs : int or None, default=None

    Attributes
    ----------
    components_, anchors_, relative_error_, n_components_, n_iter_, n_features_in_, feature_names_in_
        As for XRAY; `history_` has the mean distance of a column from its mixture, pass after pass.

    Examples
    --------
    >>> import numpy as np
    >>> from copse import Hottopixx
    >>> X = np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 0.5], [2.0, 1.0, 1.5]])
    >>> sorted(Hottopixx(n_components=2, random_state=0).fit(X).anchors_.tolist())
    [0, 1]
    """

    _method = "hottopixx"

    def __init__(
        self,
        n_components: int = 10,
        *,
        max_iter: int = 50,
        primal_step: float = 0.1,
        dual_step: float = 0.01,
        decay: float = 1.0,
        memory_limit: float = 8e9,
        random_state: RandomState = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.max_iter = max_iter
        self.primal_step = primal_step
        self.dual_step = dual_step
        self.decay = decay
        self.memory_limit = memory_limit
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Data, y: Any = None) -> Hottopixx:
        """Finds anchors among the columns of X."""
        self._fit(
            X,
            epochs=number("max_iter", self.max_iter, Integral, 1),
            primal_step=number("primal_step", self.primal_step, Real, 0),
            dual_step=number("dual_step", self.dual_step, Real, 0),
            decay=number("decay", self.decay, Real, 0),
            memory_limit=number("memory_limit", self.memory_limit, Real, 0),
            seed=seed_of(self.random_state),
        )
        return self


class AffinityPropagation(Stored, ClusterMixin, BaseEstimator):
    """Clusters around exemplars that the samples choose among themselves, on all pairs or on a sparse graph.

    Where scikit-learn's AffinityPropagation stands this gives the same exemplars, up to ties; it also takes sparse
    similarities, finds a preference for a wanted number of clusters, repeats with more damping what does not converge,
    and labels every sample.

    Parameters
    ----------
    n_clusters : int or None, default=None
        Searches the preference that gives this number; the nearest number found is taken. None: what `preference`
        gives.
    damping : float, default=0.5
        At least 0.5 and less than 1.
    most_damping : float, default=0.95
        Messages that do not settle are repeated with damping half the way to 1, up to here. 0: never.
    max_iter, convergence_iter : int, default 200 and 15
    preference : float or None, default=None
        None: the median of the similarities; of a dense matrix with its diagonal, as scikit-learn has it.
    affinity : {'euclidean', 'precomputed', 'nearest_neighbors'}, default='euclidean'
        'euclidean': minus the squared distance of all pairs. 'precomputed': X has the similarities, dense, or sparse:
        pairs that are not stored cannot stand for each other. 'nearest_neighbors': cosines to the nearest samples.
    n_neighbors : int or None, default=None
        Of 'nearest_neighbors'; None: floor(log2 n) + 1.
    time_limit : float or None, default=None
    n_jobs : int or None, default=None

    Attributes
    ----------
    labels_ : array of shape (n_samples,)
        Never -1.
    cluster_centers_indices_ : array of shape (n_clusters,)
        The exemplars.
    cluster_centers_ : array or CSR matrix of shape (n_clusters, n_features)
        Unless X has similarities.
    converged_ : bool
    preference_, damping_ : float
        Of the run that was kept.
    n_iter_, n_runs_, net_similarity_, n_features_in_, feature_names_in_

    Examples
    --------
    >>> import numpy as np
    >>> from copse import AffinityPropagation
    >>> X = np.array([[1.0, 2.0], [1.0, 4.0], [1.0, 0.5], [9.0, 2.0], [9.0, 4.0], [9.0, 0.5]])
    >>> AffinityPropagation(n_clusters=2).fit(X).labels_.tolist()
    [0, 0, 0, 1, 1, 1]
    """

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        damping: float = 0.5,
        most_damping: float = 0.95,
        max_iter: int = 200,
        convergence_iter: int = 15,
        preference: float | None = None,
        affinity: str = "euclidean",
        n_neighbors: int | None = None,
        time_limit: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.damping = damping
        self.most_damping = most_damping
        self.max_iter = max_iter
        self.convergence_iter = convergence_iter
        self.preference = preference
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.time_limit = time_limit
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.affinity == "precomputed"
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: Data, y: Any = None) -> AffinityPropagation:
        """Finds the exemplars among the rows of X."""
        self._forget()
        choice("affinity", self.affinity, ("euclidean", "precomputed", "nearest_neighbors"))
        wanted = 0 if self.n_clusters is None else number("n_clusters", self.n_clusters, Integral, 1)
        threads = thread_count(self.n_jobs)
        X = validate_data(self, X, accept_sparse="csr", dtype=FLOATS, order="C")
        settings = {
            "k": wanted,
            "preference": None if self.preference is None else float(self.preference),
            "damping": number("damping", self.damping, Real, 0),
            "most_damping": number("most_damping", self.most_damping, Real, 0),
            "max_iterations": number("max_iter", self.max_iter, Integral, 1),
            "stable_iterations": number("convergence_iter", self.convergence_iter, Integral, 1),
            "time_limit": _seconds(self.time_limit),
            "threads": threads,
        }
        pairs = self._similarities(X)
        if settings["preference"] is None and not scipy.sparse.issparse(pairs) and pairs.size:
            settings["preference"] = float(np.median(pairs))
        if scipy.sparse.issparse(pairs):
            found = _copse.affinity_propagation_on_pairs(items_of(pairs, threads), **settings)
        else:
            found = _copse.affinity_propagation(np.ascontiguousarray(pairs, dtype=np.float64), **settings)
        self.labels_ = found["labels"]
        self.cluster_centers_indices_ = found["exemplars"]
        if self.affinity != "precomputed":
            self.cluster_centers_ = X[self.cluster_centers_indices_].copy()
        self.converged_ = found["converged"]
        self.preference_ = found["preference"]
        self.damping_ = found["damping"]
        self.n_iter_ = max(1, found["iterations"])
        self.n_runs_ = found["runs"]
        self.net_similarity_ = found["net_similarity"]
        if not self.converged_:
            message = "The messages did not settle; the clusters are those of the last iteration."
            warnings.warn(message, ConvergenceWarning, stacklevel=2)
        if wanted and len(self.cluster_centers_indices_) != wanted:
            message = f"No preference gave {wanted} clusters; {len(self.cluster_centers_indices_)} is the nearest number."
            warnings.warn(message, ConvergenceWarning, stacklevel=2)
        return self

    def predict(self, X: Data) -> np.ndarray:
        """The nearest exemplar of each row of X."""
        check_is_fitted(self)
        if self._stored is not None:
            return self._largest(self._placed(X))
        X = validate_data(self, X, accept_sparse="csr", dtype=FLOATS, reset=False)
        if self.affinity == "precomputed":
            raise ValueError("predict needs samples; this model was fitted to similarities.")
        metric = "cosine" if self.affinity == "nearest_neighbors" else "euclidean"
        return pairwise_distances_argmin(X, self.cluster_centers_, metric=metric)

    def _similarities(self, X: Any) -> Any:
        if self.affinity == "euclidean":
            return -euclidean_distances(X, squared=True)
        if self.affinity == "nearest_neighbors":
            from copse._graph import neighbour_graph

            graph = neighbour_graph(X, "cosine", n_neighbors=self.n_neighbors, n_jobs=self.n_jobs)
            return scipy.sparse.csr_array(graph).astype(np.float64)
        if X.shape[0] != X.shape[1]:
            raise ValueError(f"Similarities must be a square matrix, not {X.shape[0]} x {X.shape[1]}.")
        return scipy.sparse.csr_array(X).astype(np.float64) if scipy.sparse.issparse(X) else X


class GNMF(Stored, ClusterMixin, BaseEstimator):
    """Graph-regularized NMF: X ~ H W with similar coefficients for neighbours, then spherical K-means on them.

    Parameters
    ----------
    n_clusters : int, default=8
        Clusters, and components of the factorization.
    weight : float, default=100.0
        Weight of the graph (lambda).
    solver : {'multiplicative', 'hals'}, default='multiplicative'
        As published, or coordinate descent with components of length 1 at most.
    n_neighbors : int or None, default=None
        Neighbours of each sample in the graph; None: floor(log2 n) + 1. Cosines for sparse X, self-tuning for dense.
    max_iter : int, default=300
    tol : float, default=1e-5
        Stops when ten iterations lower the objective by less than this share of it.
    n_init : int, default=10
        Starts of K-means.
    random_state : int, RandomState, Generator or None, default=None
    n_jobs : int or None, default=None

    Attributes
    ----------
    labels_ : array of shape (n_samples,)
    components_ : array of shape (n_clusters, n_features)
        W, rows of length 1.
    embedding_ : array of shape (n_samples, n_clusters)
        H.
    objective_, relative_error_ : float
    history_ : array
        The objective of each iteration; it never rises.
    n_iter_, stop_reason_, n_features_in_, feature_names_in_

    Examples
    --------
    >>> import numpy as np
    >>> from copse import GNMF
    >>> X = np.repeat(np.array([[1.0, 0.0, 0.1], [0.0, 1.0, 0.2]]), 10, axis=0)
    >>> X += 0.01 * np.arange(60).reshape(20, 3) / 60
    >>> labels = GNMF(n_clusters=2, random_state=0).fit(X).labels_
    >>> len(set(labels[:10])), len(set(labels[10:])), bool(labels[0] != labels[-1])
    (1, 1, True)
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        weight: float = 100.0,
        solver: str = "multiplicative",
        n_neighbors: int | None = None,
        max_iter: int = 300,
        tol: float = 1e-5,
        n_init: int = 10,
        random_state: RandomState = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.weight = weight
        self.solver = solver
        self.n_neighbors = n_neighbors
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.random_state = random_state
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: Data, y: Any = None) -> GNMF:
        """Factors X together with its neighbour graph."""
        self._forget()
        clusters = number("n_clusters", self.n_clusters, Integral, 1)
        X = validated(self, X, reset=True)
        if X.shape[0] < 2:
            raise ValueError(f"GNMF needs neighbours: found n_samples = {X.shape[0]}, at least 2 are needed (1 sample).")
        if clusters > min(X.shape):
            raise ValueError(f"n_clusters={clusters} must be at most the smaller side of X, {min(X.shape)}.")
        found = _copse.gnmf(
            items_of(X, thread_count(self.n_jobs)),
            k=clusters,
            weight=number("weight", self.weight, Real, 0),
            solver=choice("solver", self.solver, ("multiplicative", "hals")),
            neighbours=0 if self.n_neighbors is None else number("n_neighbors", self.n_neighbors, Integral, 1),
            max_iterations=number("max_iter", self.max_iter, Integral, 1),
            tolerance=number("tol", self.tol, Real, 0),
            runs=number("n_init", self.n_init, Integral, 1),
            seed=seed_of(self.random_state),
            threads=thread_count(self.n_jobs),
        )
        self.labels_ = found["labels"]
        self.components_ = np.ascontiguousarray(found["w"].T)
        self.embedding_ = found["h"]
        self.objective_ = found["objective"]
        self.relative_error_ = found["relative_error"]
        self.history_ = found["history"]
        self.n_iter_ = len(self.history_)
        self.stop_reason_ = found["stop_reason"]
        return self

    @available_if(is_stored)  # type: ignore[untyped-decorator]
    def predict(self, X: Data) -> np.ndarray:
        """The cluster of new rows, or documents, as `copse assign` places them. Only of a model from a folder."""
        return self._largest(self._placed(X))
