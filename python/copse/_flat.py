"""What all flat factorizations share."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import TYPE_CHECKING

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from copse import _copse
from copse._fit import fitted
from copse._model import Model
from copse._parameters import choice, number
from copse._random import seed_of
from copse._table import table

if TYPE_CHECKING:
    from copse._types import Any, Array, Data, Self, Sequence, Table

SOLVERS = {name: name for name in _copse.choices["solver"]} | {"cd": "hals"}  # what scikit-learn calls it
RULES = ("thesis", "snmf")
HISTORY = [("iteration", int), ("relative_error", float), ("projected_gradient_ratio", float), ("seconds", float)]


class FlatModel(Model):
    """What all flat factorizations share once they are fitted."""

    def fit(self, X: Data, y: Any = None, **params: Any) -> Self:
        """Factorizes X; see fit_transform."""
        self.fit_transform(X, **params)
        return self

    def predict(self, X: Data, *, layer: str | None = None) -> Array:
        """The cluster of each row of X: the component with the largest coefficient, or -1 for a row without any."""
        check_is_fitted(self)
        coefficients = self._coefficients(self._aligned(X, layer))
        labels = coefficients.argmax(axis=1)
        labels[~(coefficients > 0).any(axis=1)] = -1
        return labels

    def topics(self, n_words: int = 10, feature_names: Sequence[str] | None = None) -> Table:
        """A table with the size of each cluster, its heaviest features and its label, for people. Needs pandas.

        The label is two or three of the features that tell the topic from the others; it is empty where the data of
        the fit has no names. Names come from `feature_names`, or the data of the fit; features without names get
        numbers.
        """
        check_is_fitted(self)
        if feature_names is not None and len(feature_names) != self.n_features_in_:
            raise ValueError(f"There are {len(feature_names)} feature names for {self.n_features_in_} columns.")
        name = (
            (lambda word, number: word) if feature_names is None else (lambda word, number: str(feature_names[number]))
        )
        found = self._result.topics(n_words)[1:]
        words = [[name(word, number) for word, _, number in topic["words"]] for topic in found]
        missing = self.n_components_ - len(found)
        return table(
            topic=np.arange(self.n_components_),
            size=[topic["size"] for topic in found] + [0] * missing,
            words=words + [[]] * missing,
            label=[topic["label"] for topic in found] + [""] * missing,
        )

    def _settings(self, items: Any) -> dict[str, Any]:
        """What the constructor's parameters mean for these items, under the names that the library gives them."""
        alpha, beta = sparse_weights(items, self.alpha, self.beta)
        settings = {
            "solver": SOLVERS[choice("solver", self.solver, SOLVERS)],
            "max_iterations": number("max_iter", self.max_iter, Integral, 1),
            "tolerance": number("tol", self.tol, Real, 0),
            "affine": bool(self.affine),
            "alpha": alpha,
            "beta": beta,
        }
        if self.time_limit is not None:
            settings["time_limit"] = number("time_limit", self.time_limit, Real, 0)
        return settings

    def _factorize(
        self,
        X: Data,
        items: Any,
        names: Any,
        settings: dict[str, Any],
        rank: int,
        seed: int | None = None,
        whole: Any = None,
        **start: Any,
    ) -> Array:
        """Runs the library, fills the fitted attributes and returns the coefficients of all samples.

        `whole` has the sizes of all samples, where these are only some of them."""
        self._step_limit = settings["max_iterations"]
        self.n_components_ = rank
        whole = items if whole is None else whole
        # More components than the smaller side of X cannot lower the error: the rest stay zero.
        result = fitted(
            _copse.factor,
            self,
            X,
            items,
            settings,
            self._step_limit,
            rank=min(rank, whole.items, whole.features),
            seed=seed_of(self.random_state) if seed is None else seed,
            feature_names=names,
            **start,
        )
        self._keep(result)
        if settings.get("loss") == "kl":
            self.reconstruction_err_ = float(np.sqrt(2 * self.relative_error_ * items.independent_divergence))
        else:
            self.reconstruction_err_ = self.relative_error_ * float(np.sqrt(whole.squared_norm))
        self._warn()
        return self._fit_coefficients()

    def _keep(self, result: Any) -> None:
        super()._keep(result)
        self.components_ = self._padded(result.w).T
        self.labels_ = result.labels
        self.beta_ = result.settings["beta"]
        self.penalty_ = result.penalty
        self.__dict__.pop("baseline_", None)
        if result.settings["affine"]:
            self.baseline_ = result.baseline
        self.__dict__.pop("consensus_", None)
        if result.consensus is not None:
            self.consensus_ = result.consensus
        self.history_ = np.rec.fromarrays(result.history.T, dtype=HISTORY)
        self.n_iter_, self.relative_error_, self.stop_reason_ = (
            result.iterations,
            result.relative_error,
            result.stop_reason,
        )

    def _coefficients(self, X: Data) -> Array:
        own = self._result
        if not np.array_equal(self.components_, self._padded(own.w).T):  # somebody gave the model others
            w = np.ascontiguousarray(np.asarray(self.components_, dtype=own.w.dtype).T)
            self._result, self.n_components_ = own.with_w(w), w.shape[1]
        try:
            return super()._coefficients(X)
        finally:
            self._result = own

    def _fit_coefficients(self) -> Array:
        """Of all samples of the fit; zeros for those that took no part in it."""
        kept, found = self._result.kept_numbers, self._padded(self._result.h)
        if len(kept) == len(found):
            return found
        coefficients = np.zeros((len(kept), found.shape[1]), found.dtype)
        coefficients[kept >= 0] = found
        return coefficients

    def _padded(self, coefficients: Array) -> Array:
        missing = self.n_components_ - coefficients.shape[1]
        return coefficients if missing == 0 else np.pad(coefficients, ((0, 0), (0, missing)))

    def _topic_ids(self) -> Sequence[Any]:
        return range(self.n_components_)

    def _warn(self) -> None:
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

    def _describe(self, iteration: Any) -> str:
        return (
            f"{type(self).__name__}: iteration {iteration.number} of at most {self._step_limit}, "
            f"relative error {iteration.relative_error:.5f}, gradient {iteration.projected_gradient_ratio:.1e}"
        )


def sparse_weights(items: Any, alpha: Any, beta: Any) -> tuple[float, float]:
    """alpha and beta as numbers, from numbers or from the rules of the papers."""
    beta = choice("beta", beta, RULES) if isinstance(beta, str) else number("beta", beta, Real, 0)
    alpha = None if alpha is None else number("alpha", alpha, Real, 0)
    if beta == 0:
        if alpha:
            raise ValueError("alpha alone has no effect: coefficients would grow as components shrink. Give beta, too.")
        return 0.0, 0.0
    return _copse.sparse_weights(beta, alpha, items.largest, items.is_sparse)
