"""Flat nonnegative factorization behind scikit-learn's interface."""

import warnings
from numbers import Integral, Real

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from copse import _copse
from copse._items import items_of, validated
from copse._progress import CallbackSupportMixin, FitProgress, with_callbacks
from copse._random import seed_of
from copse._table import table
from copse._threads import thread_count

SOLVERS = {
    "hals": _copse.Solver.hals,
    "cd": _copse.Solver.hals,  # what scikit-learn calls it
    "mu": _copse.Solver.mu,
    "active-set": _copse.Solver.active_set,
    "pivoting": _copse.Solver.pivoting,
    "projected-gradient": _copse.Solver.projected_gradient,
}
STARTS = {
    None: _copse.Start.automatic,
    "sample": _copse.Start.sample,
    "random": _copse.Start.random,
    "nndsvd": _copse.Start.nndsvd,
    "nndsvda": _copse.Start.nndsvda,
    "nndsvdar": _copse.Start.nndsvdar,
}
SINGULAR_STARTS = ("nndsvd", "nndsvda", "nndsvdar")
HISTORY = [("iteration", int), ("relative_error", float), ("projected_gradient_ratio", float), ("seconds", float)]


def choice(name, value, choices):
    """The entry of `choices` for a parameter, or an error that lists them."""
    if not (value is None or isinstance(value, str)) or value not in choices:
        listed = ", ".join(repr(known) for known in choices)
        raise ValueError(f"{name} must be one of {listed}, not {value!r}.")
    return choices[value]


def number(name, value, kind, least):
    if isinstance(value, bool) or not isinstance(value, kind) or not value >= least:
        what = "a whole number" if kind is Integral else "a number"
        raise ValueError(f"{name} must be {what} of at least {least}, not {value!r}.")
    return value


class _FlatModel(CallbackSupportMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """What all flat factorizations share once they are fitted."""

    def fit(self, X, y=None, **params):
        """Factorizes X; see fit_transform."""
        self.fit_transform(X, **params)
        return self

    def transform(self, X):
        """The coefficients of the rows of X, new or old, for the components that were found.

        The exact minimiser given `components_`, and not a few steps towards it.
        """
        check_is_fitted(self)
        X = validated(self, X, reset=False)
        dtype = self.components_.dtype
        threads = thread_count(self.n_jobs)
        X = X.astype(dtype, copy=False)
        baseline = getattr(self, "baseline_", np.empty(0)).astype(dtype, copy=False)
        w = np.ascontiguousarray(self.components_.T)
        return _copse.assign_items(items_of(X, threads), w, baseline, self.beta_, threads)

    def predict(self, X):
        """The cluster of each row of X: the component with the largest coefficient, or -1 for a row without any."""
        return clusters_of(self.transform(X))

    def fit_predict(self, X, y=None, **params):
        """Factorizes X and returns `labels_`."""
        return self.fit(X, **params).labels_

    def inverse_transform(self, X):
        """The data that the coefficients X stand for: X @ components_, plus the baseline of an affine model."""
        check_is_fitted(self)
        product = X @ self.components_
        return product + self.baseline_ if hasattr(self, "baseline_") else product

    def topics(self, n_words=10, feature_names=None):
        """A table with the size of each cluster and its heaviest features, for people. Needs pandas.

        Names come from `feature_names`, or the data frame of the fit; features without names get numbers.
        """
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None) if feature_names is None else feature_names
        if names is not None and len(names) != self.n_features_in_:
            raise ValueError(f"There are {len(names)} feature names for {self.n_features_in_} columns.")
        words = []
        for component in self.components_:
            heaviest = np.argsort(-component, kind="stable")[:n_words]
            words.append(" ".join(str(i if names is None else names[i]) for i in heaviest if component[i] > 0))
        sizes = np.bincount(self.labels_[self.labels_ >= 0], minlength=len(words))
        return table(topic=np.arange(len(words)), size=sizes, words=words)

    @property
    def _n_features_out(self):
        return self.components_.shape[0]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _options(self, X):
        """What the constructor's parameters mean for X."""
        options = _copse.NmfOptions()
        options.solver = choice("solver", self.solver, SOLVERS)
        options.max_iterations = number("max_iter", self.max_iter, Integral, 1)
        options.tolerance = number("tol", self.tol, Real, 0)
        options.seed = seed_of(self.random_state)
        options.affine = bool(self.affine)
        options.alpha, options.beta = sparse_weights(X, self.alpha, self.beta)
        if self.time_limit is not None:
            options.time_limit = number("time_limit", self.time_limit, Real, 0)
        return options

    def _factorize(self, X, options, **start):
        """Runs the library, fills the fitted attributes and returns the coefficients of the rows of X."""
        threads = thread_count(self.n_jobs)
        items = items_of(X, threads)
        asked = options.rank
        # More components than the smaller side of X cannot lower the error: the rest stay zero.
        options.rank = min(asked, *X.shape)
        self._step_limit = options.max_iterations
        progress = FitProgress(self, X, self._step_limit)
        result = _copse.factorize(
            items,
            options,
            **start,
            threads=threads,
            progress=progress.callback,
            keep_interrupted=self.on_interrupt == "keep",
        )
        if progress.callback is not None:
            progress.finish()
        self.n_components_ = asked
        self.components_ = _padded(result["w"], asked).T
        coefficients = _padded(result["h"], asked)
        self.labels_ = result["labels"]
        self.beta_ = options.beta
        if options.affine:
            self.baseline_ = result["baseline"]
        elif hasattr(self, "baseline_"):
            del self.baseline_
        self.history_ = np.rec.fromarrays(result["history"].T, dtype=HISTORY)
        self.n_iter_ = int(self.history_.iteration[-1])
        self.relative_error_ = result["relative_error"]
        self.reconstruction_err_ = self.relative_error_ * float(np.sqrt(items.squared_norm))
        self.stop_reason_ = result["stop_reason"].name
        self._warn()
        return coefficients

    def _warn(self):
        if self.stop_reason_ == "max_iterations" and self.tol > 0 and self._warns_of_max_iter:
            warnings.warn(
                f"Maximum number of iterations {self.max_iter} reached. Increase it to improve convergence.",
                ConvergenceWarning,
                stacklevel=6,
            )
        if self.stop_reason_ == "interrupted":
            warnings.warn(
                f"The fit was stopped after iteration {self.n_iter_}; the best factors so far are kept.",
                ConvergenceWarning,
                stacklevel=6,
            )

    def _describe(self, iteration):
        return (
            f"{type(self).__name__}: iteration {iteration.number} of at most {self._step_limit}, "
            f"relative error {iteration.relative_error:.5f}, gradient {iteration.projected_gradient_ratio:.1e}"
        )

    def _check_choices(self):
        if self.on_interrupt not in ("raise", "keep"):
            raise ValueError(f"on_interrupt must be 'raise' or 'keep', not {self.on_interrupt!r}.")


class NMF(_FlatModel):
    """Nonnegative matrix factorization X ~ W H, many times faster than scikit-learn's and used the same way.

    Minimises |X - W H|^2 + alpha |H|^2 + beta sum_i |W[i]|_1^2 over W, H >= 0, where rows of X are samples, W is what
    `fit_transform` returns and H is `components_`, with rows of unit 2-norm.

    Parameters
    ----------
    n_components : int, 'auto' or None, default='auto'
        Number of components. 'auto' is the number of given components for init='custom'; otherwise 'auto' and None mean
        the smaller side of X. Components beyond the smaller side of X stay zero.
    init : {'random', 'nndsvd', 'nndsvda', 'nndsvdar', 'sample', 'custom'} or None, default=None
        Where the iteration starts. None: 'sample' (a quick factorization of some of the samples) for 'hals', 'random'
        for the other solvers. 'custom': `W` and `H` as given to `fit_transform`.
    solver : {'hals', 'cd', 'mu', 'active-set', 'pivoting', 'projected-gradient'}, default='hals'
        'hals' is coordinate descent with extrapolation, the fastest; 'cd' is scikit-learn's name for it. 'mu' are
        multiplicative updates; the others solve each step exactly or by gradients.
    beta_loss : {'frobenius', 2}, default='frobenius'
        The only loss there is.
    tol : float, default=1e-4
        Stops when the projected gradient falls to this share of its value after the first iteration.
    max_iter : int, default=200
        Iterations at most.
    random_state : int, RandomState, Generator or None, default=None
        A whole number is the seed itself: the same bits as `copse factor --seed`, with any number of threads.
    alpha_W, alpha_H, l1_ratio : float, default 0.0, 'same', 0.0
        scikit-learn's penalties, as far as this objective has them: `alpha_H` with l1_ratio=0 and alpha_W=0 is `alpha`
        divided by the number of samples. For sparse coefficients use `beta`.
    verbose : int, default=0
        Above 0 shows a line of progress, in a terminal or a notebook.
    shuffle : bool, default=False
        Has no effect; here for scikit-learn's signature.
    beta : float, 'thesis' or 'snmf', default=0.0
        Sparse NMF: weight of the squared 1-norms of the samples' coefficients. The words choose it, and alpha, by the
        rules of two papers from the largest entry of X.
    alpha : float or None, default=None
        Weight of |H|^2. None: chosen by the rule if `beta` is not 0, otherwise 0.
    affine : bool, default=False
        X ~ W H + baseline, with one nonnegative baseline for all samples.
    n_runs : int, default=1
        Starts to try; the one with the least objective is kept.
    time_limit : float or None, default=None
        Seconds after which the best so far is taken.
    n_jobs : int or None, default=None
        Threads. None: all that are free, or fewer inside joblib's workers and threadpoolctl's limits. -1: all. The
        result does not depend on it.
    on_interrupt : {'raise', 'keep'}, default='raise'
        What Ctrl-C does: 'raise' stops the fit with KeyboardInterrupt, 'keep' stops it with the best factors so far.

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        The components, each of unit 2-norm; one that died is zero.
    labels_ : array of shape (n_samples,)
        The component with the largest coefficient of each sample; -1 where all are zero.
    baseline_ : array of shape (n_features,)
        Only with affine=True.
    reconstruction_err_, relative_error_ : float
        |X - W H|, and the same divided by |X|.
    n_iter_, n_components_, n_features_in_ : int
    feature_names_in_ : array of str
        Only if X has them.
    stop_reason_ : str
        'converged', 'max_iterations', 'time_limit' or 'interrupted'.
    history_ : record array
        One record per iteration: iteration, relative_error, projected_gradient_ratio, seconds.

    Examples
    --------
    >>> import numpy as np
    >>> from copse import NMF
    >>> X = np.array([[1, 1, 0], [2, 2, 0], [0, 0, 3.0]])
    >>> model = NMF(n_components=2, random_state=0)
    >>> W = model.fit_transform(X)
    >>> W.shape
    (3, 2)
    >>> bool(model.relative_error_ < 1e-3)
    True
    >>> bool(model.labels_[0] == model.labels_[1] != model.labels_[2])
    True
    """

    _warns_of_max_iter = True

    def __init__(
        self,
        n_components="auto",
        *,
        init=None,
        solver="hals",
        beta_loss="frobenius",
        tol=1e-4,
        max_iter=200,
        random_state=None,
        alpha_W=0.0,
        alpha_H="same",
        l1_ratio=0.0,
        verbose=0,
        shuffle=False,
        beta=0.0,
        alpha=None,
        affine=False,
        n_runs=1,
        time_limit=None,
        n_jobs=None,
        on_interrupt="raise",
    ):
        self.n_components = n_components
        self.init = init
        self.solver = solver
        self.beta_loss = beta_loss
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.alpha_W = alpha_W
        self.alpha_H = alpha_H
        self.l1_ratio = l1_ratio
        self.verbose = verbose
        self.shuffle = shuffle
        self.beta = beta
        self.alpha = alpha
        self.affine = affine
        self.n_runs = n_runs
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.on_interrupt = on_interrupt

    @with_callbacks
    def fit_transform(self, X, y=None, W=None, H=None):
        """Factorizes X and returns the coefficients of its rows.

        Parameters
        ----------
        X : {array, sparse matrix, data frame} of shape (n_samples, n_features)
            CSR with 32-bit column numbers is read in place; other forms are converted once.
        y : ignored
        W, H : arrays of shape (n_samples, n_components) and (n_components, n_features)
            The start for init='custom'.

        Returns
        -------
        W : array of shape (n_samples, n_components)
        """
        self._check_choices()
        if self.beta_loss not in ("frobenius", 2, 2.0):
            raise ValueError(
                f"Invalid beta_loss parameter: solver {self.solver!r} does not handle beta_loss = {self.beta_loss!r}; "
                "Copse minimises the Frobenius norm only."
            )
        X = validated(self, X, reset=True)
        options = self._options(X)
        options.alpha += self._sklearn_alpha(X)
        options.runs = number("n_runs", self.n_runs, Integral, 1)
        if self.init == "custom":
            start = self._given_start(X, W, H)
            options.rank = start["w"].shape[1]
            return self._factorize(X, options, **start)
        if W is not None or H is not None:
            warnings.warn(
                "When init!='custom', provided W or H are ignored. Set init='custom' to use them as initialization.",
                RuntimeWarning,
                stacklevel=2,
            )
        options.start = choice("init", self.init, STARTS | {"custom": None})
        options.rank = self._rank(X)
        if self.init in SINGULAR_STARTS and options.rank > min(X.shape):
            raise ValueError(
                f"init = '{self.init}' can only be used when n_components <= min(n_samples, n_features): "
                f"{options.rank} components of a matrix of {X.shape[0]} x {X.shape[1]} are too many."
            )
        return self._factorize(X, options)

    def _rank(self, X):
        if self.n_components is None or self.n_components == "auto":
            return min(X.shape)
        return int(number("n_components", self.n_components, Integral, 1))

    def _sklearn_alpha(self, X):
        """`alpha` from scikit-learn's parameters: 1/2 |X - W H|^2 + 1/2 alpha_H n_samples |H|^2 is half of ours."""
        number("alpha_W", self.alpha_W, Real, 0)
        alpha_H = self.alpha_W if self.alpha_H == "same" else number("alpha_H", self.alpha_H, Real, 0)
        if not 0 <= number("l1_ratio", self.l1_ratio, Real, 0) <= 1:
            raise ValueError(f"l1_ratio must lie between 0 and 1; it is {self.l1_ratio}.")
        if self.alpha_W > 0 or (alpha_H > 0 and self.l1_ratio > 0):
            raise ValueError(
                "Copse has no penalty on W as scikit-learn's alpha_W, and none on |H|_1. For sparse coefficients use "
                "beta, the weight of the squared 1-norms of the rows of W; alpha_H with l1_ratio=0 and alpha_W=0 works."
            )
        return alpha_H * X.shape[0]

    def _given_start(self, X, W, H):
        if W is None or H is None:
            raise ValueError("init='custom' needs both W and H: give them to fit_transform.")
        W, H = np.asarray(W), np.asarray(H)
        rank = len(H) if self.n_components is None or self.n_components == "auto" else self._rank(X)
        for name, given, shape in (("H", H, (rank, X.shape[1])), ("W", W, (X.shape[0], rank))):
            for axis, side in enumerate(("first", "second")):
                found = given.shape[axis] if given.ndim == 2 else f"an array of {given.ndim} dimensions"
                if found != shape[axis]:
                    raise ValueError(
                        f"Array with wrong {side} dimension passed to NMF (input {name}). "
                        f"Expected {shape[axis]}, but got {found}."
                    )
            if (given < 0).any():
                raise ValueError(f"Negative values in data passed to NMF (input {name}).")
            if not given.any():
                raise ValueError(f"Array passed to NMF (input {name}) is full of zeros.")
        if not W.dtype == H.dtype == X.dtype:
            raise TypeError(
                f"H and W should have the same dtype as X. Got H.dtype = {H.dtype} and W.dtype = {W.dtype}."
            )
        return {"w": np.ascontiguousarray(H.T), "h": np.ascontiguousarray(W)}


class DCNMF(_FlatModel):
    """DC-NMF: a flat factorization that starts from the leaves of a tree and then needs few iterations.

    The tree is grown by rank-2 factorizations, always splitting the leaf that lowers the error most; the topics of its
    leaves are the start of `components_`. Rows of X are samples.

    Parameters
    ----------
    n_components : int, default=2
        Number of components, at most the smaller side of X.
    max_iter : int, default=1
        Iterations after the tree; one is what the paper does.
    solver, tol, random_state, beta, alpha, affine, time_limit, verbose, n_jobs, on_interrupt
        As for NMF.

    Attributes
    ----------
    components_, labels_, baseline_, reconstruction_err_, relative_error_, n_iter_, stop_reason_, history_
        As for NMF.

    Examples
    --------
    >>> import numpy as np
    >>> from copse import DCNMF
    >>> X = np.kron(np.eye(3), np.ones((4, 2)))
    >>> labels = DCNMF(n_components=3, random_state=0).fit_predict(X)
    >>> len(set(labels[:4])), len(set(labels))
    (1, 3)
    """

    _warns_of_max_iter = False

    def __init__(
        self,
        n_components=2,
        *,
        max_iter=1,
        solver="hals",
        tol=1e-4,
        random_state=None,
        beta=0.0,
        alpha=None,
        affine=False,
        time_limit=None,
        verbose=0,
        n_jobs=None,
        on_interrupt="raise",
    ):
        self.n_components = n_components
        self.max_iter = max_iter
        self.solver = solver
        self.tol = tol
        self.random_state = random_state
        self.beta = beta
        self.alpha = alpha
        self.affine = affine
        self.time_limit = time_limit
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.on_interrupt = on_interrupt

    @with_callbacks
    def fit_transform(self, X, y=None):
        """Grows the tree, factorizes X and returns the coefficients of its rows."""
        self._check_choices()
        X = validated(self, X, reset=True)
        options = self._options(X)
        options.rank = int(number("n_components", self.n_components, Integral, 1))
        return self._factorize(X, options, dc=True)


def clusters_of(coefficients):
    """The column of the largest entry in each row, the first of equal ones; -1 for a row of zeros."""
    labels = coefficients.argmax(axis=1)
    labels[~(coefficients > 0).any(axis=1)] = -1
    return labels


def sparse_weights(X, alpha, beta):
    """alpha and beta as numbers, from numbers or from the rules of the papers."""

    def largest():
        values = X.data if scipy.sparse.issparse(X) else X
        return float(values.max()) if values.size else 0.0

    rules = {
        "thesis": lambda: _copse.thesis_sparse_weights(largest()),
        "snmf": lambda: _copse.snmf_sparse_weights(largest(), scipy.sparse.issparse(X)),
    }
    rule = choice("beta", beta, rules) if isinstance(beta, str) else rules["thesis"]
    weight = rule().beta if isinstance(beta, str) else number("beta", beta, Real, 0)
    if alpha is not None:
        return number("alpha", alpha, Real, 0), weight
    return (rule().alpha if weight > 0 else 0.0), weight


def _padded(factor, columns):
    missing = columns - factor.shape[1]
    return factor if missing == 0 else np.pad(factor, ((0, 0), (0, missing)))
