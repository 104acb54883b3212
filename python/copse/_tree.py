"""Topic trees behind scikit-learn's interface."""

import warnings
from numbers import Integral, Real

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from copse import _copse
from copse._fit import check_on_interrupt, fitted
from copse._items import items_of, validated
from copse._parameters import choice, number
from copse._progress import CallbackSupportMixin, with_callbacks
from copse._random import seed_of
from copse._report import write_report
from copse._show import tree_html, tree_text
from copse._table import table
from copse._text import TextVectorizer, is_text
from copse._threads import thread_count
from copse._tree_edits import TreeEdits

SCORES = {
    "mndcg": _copse.Score.mndcg,
    "error": _copse.Score.error,
    "rank1-gain": _copse.Score.rank1_gain,
    "fit": _copse.Score.fit,
    "rank1": _copse.Score.rank1,
    "rank2": _copse.Score.rank2,
}
PICKS = {"score": _copse.Pick.score, "size": _copse.Pick.size}
STARTS = {"singular": _copse.Rank2Start.singular, "random": _copse.Rank2Start.random}
COHERENCE_TERMS = 20


class TopicTree(TreeEdits, CallbackSupportMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """A tree of clusters: the most promising leaf is split in two again and again (HierNMF2).

    Each split is a nonnegative factorization of rank 2. Small groups that do not look like a topic are set aside as
    outliers. Rows of X are samples. `split`, `cut`, `merge`, `drop` and `rename` change a finished tree. The name of a
    node is the way to it from the root: '1.2' is the second child of the first child.

    Parameters
    ----------
    n_leaves : int, default=20
        Leaves to stop at; the tree has fewer where nothing is left to split.
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
        The leaf of each sample, numbered as `leaves_`; -1 for an outlier, and for a document with too few words.
    leaves_ : list of str
        The names of the leaves.
    components_ : array of shape (n_leaves_, n_features)
        The topics of the leaves, each of unit 2-norm.
    topics_ : pandas.DataFrame
        One row per node: id, parent, size, words, coherence, score, name, leaf.
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
        n_leaves=20,
        *,
        criterion=None,
        pick="score",
        min_score=0.0,
        outlier_trials=3,
        imbalance=9.0,
        init="singular",
        tol=1e-4,
        max_iter=1000,
        vectorizer=None,
        random_state=None,
        verbose=0,
        n_jobs=None,
        on_interrupt="raise",
    ):
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
    def fit(self, X, y=None, *, feature_names=None):
        """Grows the tree.

        Parameters
        ----------
        X : {array, sparse matrix, data frame} of shape (n_samples, n_features), or list of str
            Strings are documents.
        y : ignored
        feature_names : sequence of str, default=None
            One for each column of X. A data frame brings its own.
        """
        check_on_interrupt(self)
        X = list(X) if hasattr(X, "__next__") else X  # documents that come one by one are wanted more than once
        X, self._kept, feature_names = self._vectorized(X, feature_names)
        X = validated(self, X, reset=True)
        self._names = self._feature_names(X, feature_names)
        options = self._options(number("n_leaves", self.n_leaves, Integral, 1))
        items, self._tree = fitted(_copse.build_tree, self, X, options, options.leaves - 1)
        self._seed = options.seed
        self._X = X
        self._history = []
        self._take_stock(items)
        self.n_iter_ = self._tree.iterations
        self.stop_reason_ = self._tree.stop_reason.name
        if self.stop_reason_ == "interrupted":
            warnings.warn(f"The tree was stopped at {self.n_leaves_} leaves.", ConvergenceWarning, stacklevel=2)
        return self

    def fit_transform(self, X, y=None, **params):
        """Grows the tree and returns transform(X)."""
        X = list(X) if hasattr(X, "__next__") else X
        return self.fit(X, **params).transform(X)

    def fit_predict(self, X, y=None, **params):
        """Grows the tree and returns `labels_`."""
        return self.fit(X, **params).labels_

    def transform(self, X):
        """The coefficients of the rows of X for the topics of all leaves, by nonnegative least squares."""
        check_is_fitted(self)
        X = self._matrix(X)
        threads = thread_count(self.n_jobs)
        w = np.ascontiguousarray(self.components_.T)
        return _copse.assign_items(items_of(X, threads), w, np.empty(0, X.dtype), 0.0, threads)

    def _matrix(self, X):
        X = list(X) if hasattr(X, "__next__") else X
        if hasattr(self, "vectorizer_") and is_text(X):
            X = self.vectorizer_.transform(X)
        return validated(self, X, reset=False).astype(self.components_.dtype, copy=False)

    def _vectorized(self, X, feature_names):
        """The matrix to grow from, the numbers of its samples among those given (None: all), and the feature names.

        Documents that are too short are left out.
        """
        if not is_text(X):
            self._texts = None
            if hasattr(self, "vectorizer_"):
                del self.vectorizer_
            return X, None, feature_names
        if feature_names is not None:
            raise ValueError("Documents bring their own feature names: the terms.")
        self.vectorizer_ = TextVectorizer(n_jobs=self.n_jobs) if self.vectorizer is None else clone(self.vectorizer)
        documents = list(X)
        X = self.vectorizer_.fit_transform(documents)
        self._n_samples = X.shape[0]
        kept = np.flatnonzero(np.diff(X.indptr))
        self._texts = [documents[j] for j in kept]
        return X[kept], kept, self.vectorizer_.get_feature_names_out()

    def predict(self, X):
        """The leaf of each row of X, new or old, numbered as `leaves_`: it walks down the tree as those of the fit did.

        Outliers of the fit come to the nearest leaf. -1: the walk ends in a part that was dropped, or the row is empty.
        """
        check_is_fitted(self)
        X = self._matrix(X)
        threads = thread_count(self.n_jobs)
        number_of = np.full(len(self._tree.nodes(0)) + 1, -1)
        number_of[self._tree.leaf_nodes()] = np.arange(self.n_leaves_)
        labels = number_of[self._tree.place(items_of(X, threads), threads)]
        empty = np.diff(X.indptr) == 0 if scipy.sparse.issparse(X) else ~X.any(axis=1)
        return np.where(empty, -1, labels)

    def inverse_transform(self, X):
        """The data that the coefficients X stand for: X @ components_."""
        check_is_fitted(self)
        return X @ self.components_

    def partition(self, n_leaves):
        """The leaf of each sample when the tree had so many: its name, '' for the root, None for an outlier."""
        check_is_fitted(self)
        if not 1 <= n_leaves <= self._tree.splits + 1:
            raise ValueError(f"A tree of {self._tree.splits + 1} leaves has no partition into {n_leaves}.")
        ids = np.array([node["id"] for node in self.nodes(0)] + [None], dtype=object)
        return ids[self._of_all_samples(self._tree.partition(n_leaves - 1))]

    def nodes(self, n_words=10):
        """All nodes as dictionaries: id, parent, children, size, outliers, score, split, name, dropped, words, weights.

        `leaf` says why a leaf is one: 'open' (it could be split), 'too_small', 'one_sided' or 'only_outliers'.
        """
        check_is_fitted(self)
        found = self._tree.nodes(n_words)
        ids = [node["id"] for node in found]
        for node in found:
            node["words"] = [self._word(term) for term in node.pop("terms")]
            node["parent"] = None if node["parent"] < 0 else ids[node["parent"]]
            node["children"] = [ids[child] for child in node["children"]]
            node["leaf"] = None if node["children"] else node["leaf"].name
            del node["number"]
        return found

    def samples(self, node):
        """The numbers of the samples below a node, outliers included."""
        check_is_fitted(self)
        items = self._tree.items_of(self._tree.find(node))
        return items if self._kept is None else self._kept[items]

    @property
    def topics_(self):
        check_is_fitted(self)
        nodes = self.nodes()
        return table(
            id=[node["id"] for node in nodes],
            parent=[node["parent"] for node in nodes],
            size=[node["size"] for node in nodes],
            words=[" ".join(node["words"]) for node in nodes],
            coherence=self._coherence(),
            score=[node["score"] for node in nodes],
            name=[node["name"] for node in nodes],
            leaf=[not node["children"] for node in nodes],
        )

    def report(self, path, *, title="Topics", sample_names=None):
        """Writes the tree as one HTML page that opens from disk and needs no network.

        Parameters
        ----------
        path : str or path
        title : str, default='Topics'
        sample_names : sequence of str, default=None
            One for each sample. None: the beginnings of the documents, or numbers.
        """
        check_is_fitted(self)
        names = sample_names
        if names is not None:
            if len(names) != len(self.labels_):
                raise ValueError(f"There are {len(names)} names for {len(self.labels_)} samples.")
            names = names if self._kept is None else [names[j] for j in self._kept]
        write_report(self, path, title=title, texts=self._texts, names=names)
        return self

    def save(self, path):
        """Writes the tree to a .safetensors file, without the data: `split` will want it again."""
        from copse._model_file import save_tree

        check_is_fitted(self)
        save_tree(self, path)
        return self

    @staticmethod
    def load(path):
        """The tree that `save`, or `copse tree` as model.safetensors, wrote."""
        from copse._model_file import load_tree

        return load_tree(path)

    def _options(self, leaves):
        options = _copse.TreeOptions()
        options.leaves = leaves
        criterion = self.criterion or ("mndcg" if self._names is not None else "error")
        options.score = choice("criterion", criterion, SCORES)
        options.pick = choice("pick", self.pick, PICKS)
        options.min_score = number("min_score", self.min_score, Real, -np.inf)
        options.outlier_trials = number("outlier_trials", self.outlier_trials, Integral, 0)
        options.imbalance = number("imbalance", self.imbalance, Real, 1)
        options.start = choice("init", self.init, STARTS)
        options.tolerance = number("tol", self.tol, Real, 0)
        options.max_iterations = number("max_iter", self.max_iter, Integral, 1)
        options.seed = seed_of(self.random_state)
        return options

    def _feature_names(self, X, given):
        if given is None:
            given = getattr(self, "feature_names_in_", None)
        if given is None:
            return None
        if len(given) != X.shape[1]:
            raise ValueError(f"There are {len(given)} feature names for {X.shape[1]} columns.")
        return np.asarray(given, dtype=object)

    def _take_stock(self, items=None, components=None):
        """Fills the attributes that follow from the tree. A tree of one leaf needs its items or its component."""
        leaves = self._tree.leaf_nodes()
        ids = [node["id"] for node in self._tree.nodes(0)]
        number_of = np.full(len(ids) + 1, -1)
        number_of[leaves] = np.arange(len(leaves))
        self.labels_ = number_of[self._of_all_samples(self._tree.partition(self._tree.splits))]
        self.leaves_ = [ids[leaf] for leaf in leaves]
        self.n_leaves_ = len(leaves)
        if components is None:
            threads = thread_count(self.n_jobs)
            if self._tree.splits == 0 and items is None:
                items = items_of(self._data(None), threads)
            components = self._tree.leaf_topics(items, threads).T
        self.components_ = components

    def _of_all_samples(self, values):
        """From one value for each sample of the tree to one for each sample given; -1 for those left out."""
        if self._kept is None:
            return values
        spread = np.full(self._n_samples, -1, dtype=values.dtype)
        spread[self._kept] = values
        return spread

    def _data(self, X):
        if X is not None:
            X = self._matrix(X)
            if self._kept is not None and X.shape[0] == self._n_samples:
                X = X[self._kept]
            if X.shape[0] != self._tree.items:
                raise ValueError(f"The tree was grown from {self._tree.items} samples, X has {X.shape[0]}.")
            return X
        if self._X is None:
            raise ValueError("A tree that was loaded or unpickled has no data with it: give X, the data of the fit.")
        return self._X

    def _word(self, term):
        return str(term) if self._names is None else str(self._names[term])

    def _coherence(self):
        """How often the words of a node occur in the same samples; NaN for the root, and without the data."""
        topics = [node["terms"] for node in self._tree.nodes(COHERENCE_TERMS)]
        if self._X is None:
            return [float("nan")] * len(topics)
        terms = np.unique(np.concatenate([np.asarray(topic, dtype=np.int64) for topic in topics]))
        rows = scipy.sparse.csr_array(self._X[:, terms], dtype=np.float64)
        rows.sort_indices()
        local = [np.searchsorted(terms, topic).tolist() for topic in topics]
        values = _copse.coherence(
            len(terms), rows.indptr.astype(np.int64), rows.indices.astype(np.int32), rows.data, local, COHERENCE_TERMS
        )
        return [value if topic else float("nan") for value, topic in zip(values, topics)]

    def _describe(self, step):
        return f"TopicTree: {step.leaves} of {step.wanted} leaves"

    @property
    def _n_features_out(self):
        return self.n_leaves_

    def __getstate__(self):
        state = super().__getstate__().copy()
        if "_tree" in state:
            state["_tree"] = (type(self._tree).__name__, self._tree.arrays())
            state["_history"] = []
            state["_X"] = None
            state["_texts"] = None
        return state

    def __setstate__(self, state):
        super().__setstate__(state)
        if "_tree" in state:
            kind, arrays = self._tree
            self._tree = getattr(_copse, kind).from_arrays(arrays)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _repr_mimebundle_(self, **kwargs):
        if not hasattr(self, "_tree"):
            return super()._repr_mimebundle_(**kwargs)
        return {"text/plain": self.show(), "text/html": tree_html(self.nodes(8))}

    def show(self, n_words=8):
        """The tree as text, one line per node."""
        return tree_text(self.nodes(n_words))
