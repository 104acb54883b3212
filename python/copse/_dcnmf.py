"""Flat factorization from the leaves of a tree."""

from numbers import Integral

from copse._flat import FlatModel
from copse._parameters import number
from copse._progress import with_callbacks


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
    def fit_transform(self, X, y=None, *, feature_names=None, layer=None, genes=None):
        """Grows the tree, factorizes X and returns the coefficients of its rows. Parameters as for NMF."""
        X, items, names = self._prepare(X, feature_names, layer, genes)
        rank = number("n_components", self.n_components, Integral, 1)
        return self._factorize(X, items, names, self._settings(items), rank, dc=True)
