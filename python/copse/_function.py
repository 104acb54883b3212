"""scikit-learn's function in place of its estimator."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from copse import _copse
from copse._items import items_of, validated
from copse._nmf import NMF
from copse._threads import thread_count

if TYPE_CHECKING:
    from copse._types import Any, Array, Data, RandomState


def non_negative_factorization(
    X: Data,
    W: Any = None,
    H: Any = None,
    n_components: int | str | None = "auto",
    *,
    init: str | None = None,
    update_H: bool = True,
    solver: str = "hals",
    beta_loss: str | float = "frobenius",
    tol: float = 1e-4,
    max_iter: int = 200,
    alpha_W: float = 0.0,
    alpha_H: float | str = "same",
    l1_ratio: float = 0.0,
    random_state: RandomState = None,
    verbose: int = 0,
    shuffle: bool = False,
) -> tuple[Array, Array, int]:
    """Factorizes X ~ W H and returns W, H and the number of iterations, as scikit-learn's function does.

    Parameters are those of NMF. With update_H=False, H is given and stays, and W is its exact minimiser: nonnegative
    least squares, or the least divergence.

    >>> import numpy as np
    >>> from copse import non_negative_factorization
    >>> W, H, n_iter = non_negative_factorization(np.eye(4), n_components=2, random_state=0)
    >>> W.shape, H.shape
    ((4, 2), (2, 4))
    """
    model = NMF(
        n_components,
        init=init,
        solver=solver,
        beta_loss=beta_loss,
        tol=tol,
        max_iter=max_iter,
        random_state=random_state,
        alpha_W=alpha_W,
        alpha_H=alpha_H,
        l1_ratio=l1_ratio,
        verbose=verbose,
        shuffle=shuffle,
    )
    if update_H:
        coefficients = model.fit_transform(X, W=W, H=H)
        return coefficients, model.components_, model.n_iter_
    if W is not None:
        warnings.warn("When update_H=False, the provided initial W is not used.", RuntimeWarning, stacklevel=2)
    if H is None:
        raise ValueError("update_H=False needs H, the components.")
    if any(weight not in (0, "same") for weight in (alpha_W, alpha_H)):
        raise ValueError("With update_H=False there are no penalties; NMF(beta=...) has one, and its transform.")
    X = validated(model, X, reset=True)
    H = np.asarray(H)
    if H.dtype != X.dtype:
        raise TypeError(f"H should have the same dtype as X. Got H.dtype = {H.dtype}.")
    if H.ndim != 2 or H.shape[1] != X.shape[1]:
        raise ValueError(
            f"Array with wrong second dimension passed to NMF (input H). Expected {X.shape[1]}, but got "
            f"{H.shape[1] if H.ndim == 2 else f'an array of {H.ndim} dimensions'}."
        )
    if not np.isfinite(H).all() or (H < 0).any():
        raise ValueError("Negative values in data passed to NMF (input H), or values that are no numbers.")
    threads = thread_count(None)
    found: Any = _copse.coefficients(items_of(X, threads), np.ascontiguousarray(H.T), model._loss(), threads)
    return found, H, 0
