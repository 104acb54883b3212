"""What all flat factorizations share."""

import warnings
from numbers import Integral, Real

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from copse import _copse
from copse._fit import fitted
from copse._items import items_of, validated
from copse._parameters import choice, number
from copse._progress import CallbackSupportMixin
from copse._random import seed_of
from copse._table import table
from copse._text import is_text
from copse._threads import thread_count

SOLVERS = {
    "hals": _copse.Solver.hals,
    "cd": _copse.Solver.hals,  # what scikit-learn calls it
    "mu": _copse.Solver.mu,
    "active-set": _copse.Solver.active_set,
    "pivoting": _copse.Solver.pivoting,
    "projected-gradient": _copse.Solver.projected_gradient,
}
HISTORY = [("iteration", int), ("relative_error", float), ("projected_gradient_ratio", float), ("seconds", float)]


class FlatModel(CallbackSupportMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
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
        if hasattr(self, "vectorizer_") and is_text(X):  # a result of the program on documents
            X = self.vectorizer_.transform(X)
        X = validated(self, X, reset=False)
        dtype = self.components_.dtype
        threads = thread_count(self.n_jobs)
        X = X.astype(dtype, copy=False)
        baseline = getattr(self, "baseline_", np.empty(0)).astype(dtype, copy=False)
        w = np.ascontiguousarray(self.components_.T)
        return _copse.assign_items(items_of(X, threads), w, baseline, self.penalty_, threads)

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
        names = feature_names
        for attribute in ("feature_names_in_", "feature_names_"):  # the latter in a result of the program
            names = getattr(self, attribute, None) if names is None else names
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
        asked = options.rank
        # More components than the smaller side of X cannot lower the error: the rest stay zero.
        options.rank = min(asked, *X.shape)
        self._step_limit = options.max_iterations
        items, result = fitted(_copse.factorize, self, X, options, self._step_limit, **start)
        self.n_components_ = asked
        self.components_ = _padded(result["w"], asked).T
        coefficients = _padded(result["h"], asked)
        self.labels_ = result["labels"]
        self.beta_ = options.beta
        self.penalty_ = np.pad(result["penalty"], (0, (asked - options.rank) * (options.beta > 0)))
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
