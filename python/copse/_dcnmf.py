"""Flat factorization from the leaves of a tree."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING

from copse._flat import FlatModel
from copse._parameters import number
from copse._progress import with_callbacks

if TYPE_CHECKING:
    from copse._types import Any, Array, Data, RandomState, Sequence


class DCNMF(FlatModel):
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
        n_components: int = 2,
        *,
        max_iter: int = 1,
        solver: str = "hals",
        tol: float = 1e-4,
        random_state: RandomState = None,
        beta: float | str = 0.0,
        alpha: float | None = None,
        affine: bool = False,
        time_limit: float | None = None,
        verbose: int = 0,
        n_jobs: int | None = None,
        on_interrupt: str = "raise",
    ) -> None:
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
    def fit_transform(
        self,
        X: Data,
        y: Any = None,
        *,
        feature_names: Sequence[str] | None = None,
        layer: str | None = None,
        genes: Any = None,
    ) -> Array:
        """Grows the tree, factorizes X and returns the coefficients of its rows. Parameters as for NMF."""
        X, items, names = self._prepare(X, feature_names, layer, genes)
        rank = number("n_components", self.n_components, Integral, 1)
        return self._factorize(X, items, names, self._settings(items), rank, dc=True)
