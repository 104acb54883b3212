"""Topic trees behind scikit-learn's interface."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import TYPE_CHECKING

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from copse import _copse
from copse._fit import fitted
from copse._items import items_of
from copse._model import Model
from copse._parameters import choice, number
from copse._progress import with_callbacks
from copse._random import seed_of
from copse._show import tree_html, tree_text
from copse._table import table
from copse._threads import thread_count
from copse._tree_edits import TreeEdits, node_name

if TYPE_CHECKING:
    from copse._types import Any, Array, Data, RandomState, Self, Sequence, Table

MOST_LEAVES = 300  # of a tree that knows when to stop


class TopicTree(TreeEdits, Model):
    """A tree of clusters: the most promising leaf is split in two again and again (HierNMF2).

    Each split is a nonnegative factorization of rank 2. Small groups that do not look like a topic are set aside as
    outliers. Rows of X are samples. `split`, `cut`, `merge`, `drop` and `rename` change a finished tree. The name of a
    node is the way to it from the root: '1.2' is the second child of the first child.

    Parameters
    ----------
    n_leaves : int or 'auto', default=20
        Leaves to stop at; the tree has fewer where nothing is left to split. 'auto': only what two topics explain
        better than one is split, judged by hidden entries and beside shuffled data, up to 300 leaves.
    criterion : {'mndcg', 'error', 'rank1-gain', 'fit', 'rank1', 'rank2'} or None, default=None
        What makes a leaf worth splitting. 'mndcg' compares the ranked words of a node and its children; 'error' is by
        how much the error falls. None: 'mndcg' where features have names, else 'error'.
    pick : {'score', 'size'}, default='score'
        Split the leaf with the highest score, or the largest.
    min_score : float, default=0.0
        Split only leaves with a higher score.
    outlier_trials : int, default=3
        Times that a small group may be set aside before a leaf is left alone; 0: never.
    imbalance : float, default=9.0
        A group is small if the other has so many times its samples.
    init : {'singular', 'random'}, default='singular'
        First factors of each factorization of rank 2: from the leading singular vectors, always the same, or random.
    tol, max_iter : float, default=1e-4, and int, default=1000
        Of each factorization of rank 2.
    vectorizer : TextVectorizer or None, default=None
        Turns documents into a matrix where strings are given to `fit`. None: TextVectorizer().
    random_state : int, RandomState or None, default=None
        Of init='random'; without it nothing is random.
    verbose, n_jobs, on_interrupt
        As for NMF.

    Attributes
    ----------
    labels_ : array of shape (n_samples,)
        The topic of each sample: the leaf with its largest coefficient, numbered as `leaves_`; -1 for none.
    leaves_ : list of str
        The names of the leaves.
    components_ : array of shape (n_leaves_, n_features)
        The topics of the leaves, each of unit 2-norm.
    topics_ : pandas.DataFrame
        One row per node: id, parent, size, words (a list), coherence, score, name, leaf, label. `coherence` says how
        often the best words of the node occur in the same samples: it is at most about 0, and higher is better. It is
        NaN where features have no names. `score` is what made the node worth splitting. `name` is what `rename` gave
        it, `label` that or else a few telling words.
    n_leaves_, n_features_in_ : int
    n_iter_ : int
        Iterations of all factorizations together.
    stop_reason_ : str
        'converged' or 'interrupted'.
    vectorizer_ : TextVectorizer
        Only if the tree was grown from strings.

    Examples
    --------
    >>> import numpy as np
    >>> from copse import TopicTree
    >>> X = np.kron(np.eye(3), np.ones((5, 2)))
    >>> tree = TopicTree(n_leaves=3).fit(X)
    >>> tree.leaves_
    ['1.1', '1.2', '2']
    >>> len(set(tree.labels_[:5])), len(set(tree.labels_))
    (1, 3)
    """

    def __init__(
        self,
        n_leaves: int | str = 20,
        *,
        criterion: str | None = None,
        pick: str = "score",
        min_score: float = 0.0,
        outlier_trials: int = 3,
        imbalance: float = 9.0,
        init: str = "singular",
        tol: float = 1e-4,
        max_iter: int = 1000,
        vectorizer: Any = None,
        random_state: RandomState = None,
        verbose: int = 0,
        n_jobs: int | None = None,
        on_interrupt: str = "raise",
    ) -> None:
        self.n_leaves = n_leaves
        self.criterion = criterion
        self.pick = pick
        self.min_score = min_score
        self.outlier_trials = outlier_trials
        self.imbalance = imbalance
        self.init = init
        self.tol = tol
        self.max_iter = max_iter
        self.vectorizer = vectorizer
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.on_interrupt = on_interrupt

    @with_callbacks
    def fit(
        self,
        X: Data,
        y: Any = None,
        *,
        feature_names: Sequence[str] | None = None,
        layer: str | None = None,
        genes: Any = None,
        links: Any = None,
        vectors: Any = None,
        neighbours: bool = False,
        graph_weight: float | None = None,
    ) -> Self:
        """Grows the tree.

        Parameters
        ----------
        X : {array, sparse matrix, data frame} of shape (n_samples, n_features), or list of str
            Strings are documents.
        y : ignored
        feature_names : sequence of str, default=None
            One for each column of X. Data frames and AnnData bring their own.
        layer, genes
            Of an AnnData, as for NMF.
        links, vectors, neighbours, graph_weight
            As for NMF: a graph that has its say when all samples are fitted to the topics of the leaves.
        """
        automatic = isinstance(self.n_leaves, str) and self.n_leaves == "auto"
        leaves = MOST_LEAVES if automatic else number("n_leaves", self.n_leaves, Integral, 1)
        X, items, names = self._prepare(X, feature_names, layer, genes)
        score = None if self.criterion is None else choice("criterion", self.criterion, _copse.choices["score"])
        result = fitted(
            _copse.grow,
            self,
            X,
            items,
            self._settings(leaves),
            leaves - 1,
            score=score,
            seed=seed_of(self.random_state),
            joint=self._joint(items, links, vectors, neighbours, graph_weight),
            feature_names=names,
            auto_leaves=automatic,
        )
        self._data = X  # for later splits
        self._keep(result)
        if self.stop_reason_ == "interrupted":
            warnings.warn(f"The tree was stopped at {self.n_leaves_} leaves.", ConvergenceWarning, stacklevel=2)
        elif result.explanation and not automatic:
            warnings.warn(result.explanation, UserWarning, stacklevel=2)
        return self

    def fit_transform(self, X: Data, y: Any = None, **params: Any) -> Array:
        """Grows the tree and returns transform(X)."""
        self.fit(X, **params)
        return self._fit_coefficients()

    def predict(self, X: Data, *, layer: str | None = None) -> Array:
        """The topic of each row of X, new or old: the leaf with the largest coefficient, numbered as `leaves_`.

        -1: no leaf that is left shares a feature with the row.
        """
        check_is_fitted(self)
        threads = thread_count(self.n_jobs)
        documents, items, names = self._new(self._aligned(X, layer), threads)
        if documents is not None:
            leaves, _, _ = self._result.place_documents(documents, threads)
        else:
            leaves, _, _ = self._result.place(items, names, threads)
        number_of = {leaf: number for number, leaf in enumerate(self.leaves_)}
        return np.array([number_of.get(leaf, -1) for leaf in leaves], dtype=np.int64)

    def partition(self, n_leaves: int) -> Array:
        """The leaf of each sample when the tree had so many: its name, '' for the root, None for an outlier."""
        check_is_fitted(self)
        most = self._result.splits + 1
        if not 1 <= n_leaves <= most:
            raise ValueError(f"A tree of {most} leaves has no partition into {n_leaves}.")
        ids = np.array([*self._result.ids, None], dtype=object)
        return ids[self._result.partition(n_leaves - 1)]

    def nodes(self, n_words: int = 10) -> list[dict[str, Any]]:
        """All nodes as dictionaries: id, parent, children, size, outliers, score, split, name, dropped, words, weights.

        `merged_into` is the node that `merge` gave the samples of this one to, or None.
        `leaf` says why a leaf is one: 'open' (it could be split), 'too_small', 'one_sided' or 'only_outliers'.
        """
        check_is_fitted(self)
        return self._result.nodes(n_words)

    def samples(self, node: str) -> Array:
        """The numbers of the samples below a node, outliers included."""
        check_is_fitted(self)
        return self._result.items_of(node_name(node))

    @property
    def topics_(self) -> Table:
        check_is_fitted(self)
        nodes = self._result.topics(10)
        nan = float("nan")
        return table(
            id=[node["id"] for node in nodes],
            parent=[node["parent"] for node in nodes],
            size=[node["size"] for node in nodes],
            words=[[word for word, _, _ in node["words"]] for node in nodes],
            coherence=[nan if node["coherence"] is None else node["coherence"] for node in nodes],
            score=[nan if node["score"] is None else node["score"] for node in nodes],
            name=[node["name"] for node in nodes],
            leaf=[node["is_leaf"] for node in nodes],
            label=[node["label"] for node in nodes],
        )

    def _settings(self, leaves: int) -> dict[str, Any]:
        return {
            "leaves": leaves,
            "pick": choice("pick", self.pick, _copse.choices["pick"]),
            "min_score": number("min_score", self.min_score, Real, -np.inf),
            "outlier_trials": number("outlier_trials", self.outlier_trials, Integral, 0),
            "imbalance": number("imbalance", self.imbalance, Real, 1),
            "start": choice("init", self.init, _copse.choices["rank2_init"]),
            "tolerance": number("tol", self.tol, Real, 0),
            "max_iterations": number("max_iter", self.max_iter, Integral, 1),
        }

    def _keep(self, result: Any) -> None:
        super()._keep(result)
        self._take_stock()
        self.n_iter_, self.stop_reason_ = result.iterations, result.stop_reason

    def _take_stock(self) -> None:
        """Fills the attributes that follow from the tree."""
        self.labels_ = self._result.labels
        self.leaves_ = self._result.leaves
        self.n_leaves_ = len(self.leaves_)
        self.components_ = self._result.w.T

    def _items(self, X: Data = None) -> Any:
        """The data of the fit as the library's items; None if there is none."""
        threads = thread_count(self.n_jobs)
        data = getattr(self, "_data", None)
        if X is None:
            return items_of(data, threads) if hasattr(data, "shape") else data
        documents, items, names = self._new(X, threads)
        if documents is not None:
            items = self._result.documents_again(documents, threads)
        elif self._loaded:
            items = self._result.items_again(items, names, threads)
        kept = int((self._result.kept_numbers >= 0).sum())
        if items.items != kept:
            raise ValueError(f"The tree was grown from {kept} samples, X has {items.items}.")
        return items

    def _fit_coefficients(self) -> Array:
        """Of all samples of the fit; zeros for those that took no part in it."""
        threads = thread_count(self.n_jobs)
        found = self._result.fit_coefficients(self._items(), threads)
        kept = self._result.kept_numbers
        if len(kept) == len(found):
            return found
        coefficients = np.zeros((len(kept), found.shape[1]), found.dtype)
        coefficients[kept >= 0] = found
        return coefficients

    def _topic_ids(self) -> Sequence[Any]:
        return self.leaves_

    def _describe(self, step: Any) -> str:
        return f"TopicTree: {step.leaves} of {step.wanted} leaves"

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        if not hasattr(self, "_result"):
            return super()._repr_mimebundle_(**kwargs)
        return {"text/plain": self.show(), "text/html": tree_html(self.nodes(8))}

    def _repr_html_(self) -> str:
        return self._repr_mimebundle_().get("text/html", "")

    def show(self, n_words: int = 8) -> str:
        """The tree as text, one line per node."""
        check_is_fitted(self)
        return tree_text(self.nodes(n_words))
