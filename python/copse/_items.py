"""From what people have (arrays, sparse matrices, data frames, AnnData) to what the library reads."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse
from sklearn.utils.validation import check_array, validate_data

from copse import _copse
from copse._genes import Genes, genes_of, is_anndata

if TYPE_CHECKING:
    from copse._types import Any, Data

MOST_FEATURES = np.iinfo(np.int32).max


def validated(estimator: Any, X: Data, *, reset: bool) -> Any:
    """X as a CSR matrix or a C-ordered array of float32 or float64, without a copy where X is that already.

    Raises as scikit-learn does for other shapes, NaN and infinity, and for negative entries.
    """
    names, X = _named(X)
    if names is not None:
        _check_names(estimator, names, reset)
    _check_structure(X)
    with warnings.catch_warnings():
        if names is not None:
            warnings.filterwarnings("ignore", message="X does not have valid feature names")
        X = validate_data(estimator, X, accept_sparse="csr", dtype=[np.float64, np.float32], order="C", reset=reset)
    if names is not None and reset:
        estimator.feature_names_in_ = names
    _check_signs(estimator, X)
    return X


def checked(estimator: Any, X: Data) -> Any:
    """As validated(), but the library is to match the features."""
    X = _named(X)[1]
    _check_structure(X)
    X = check_array(
        X, accept_sparse="csr", dtype=[np.float64, np.float32], order="C", estimator=estimator, input_name="X"
    )
    _check_signs(estimator, X)
    return X


def feature_names_of(X: Data) -> list[str]:
    """The names of the columns of X, where all of them are strings, else an empty list."""
    names = _named(X)[0]
    names = getattr(X, "columns", ()) if names is None else names
    return list(names) if all(isinstance(name, str) for name in names) else []


def _named(X: Data) -> Any:
    """Names that scikit-learn would not see, and the matrix they belong to."""
    if isinstance(X, Genes):
        return X.names, X.matrix
    if is_anndata(X):
        return _named(genes_of(X))
    if type(X).__module__.startswith("polars."):  # scikit-learn 1.7 sees no names in frames of polars 2
        return np.asarray(X.columns, dtype=object), X
    return None, X


def _check_signs(estimator: Any, X: Data) -> None:
    values = X.data if scipy.sparse.issparse(X) else X
    if values.size and values.min() < 0:
        at = int(np.argmax(values.ravel() < 0))
        if scipy.sparse.issparse(X):
            row, column = int(np.searchsorted(X.indptr, at, side="right")) - 1, int(X.indices[at])
        else:
            row, column = (int(place) for place in np.unravel_index(at, X.shape))
        raise ValueError(
            f"Negative values in data passed to {type(estimator).__name__}: {values.ravel()[at]:g} in row {row}, "
            f"column {column}. Nonnegative factorization needs entries that are zero or more."
        )


def _check_names(estimator: Any, names: Any, reset: bool) -> None:
    known = getattr(estimator, "feature_names_in_", None)
    if not reset and known is not None and not np.array_equal(known, names):
        raise ValueError("The names of the features are not those of the fit, or in another order.")


def items_of(X: Data, threads: int) -> Any:
    """The library's view of validated data. Rows of a CSR matrix are items as they stand; only `indptr` is widened to
    64 bits where it has 32. Copied are unsorted or repeated column numbers, 64-bit column numbers, and dense data."""
    kind = _copse.ItemsFloat if X.dtype == np.float32 else _copse.ItemsDouble
    if not scipy.sparse.issparse(X):
        return _checked_size(kind(np.ascontiguousarray(X), threads), X.dtype)
    if X.shape[1] > MOST_FEATURES:
        raise ValueError(f"A matrix may have 2^31 - 1 features at most, not {X.shape[1]}.")
    indptr = np.ascontiguousarray(X.indptr, dtype=np.int64)
    stored = int(indptr[-1]) if len(indptr) else 0  # SciPy allows room behind the last entry
    indices, data = np.ascontiguousarray(X.indices[:stored]), np.ascontiguousarray(X.data[:stored])
    if indices.dtype != np.int32:
        if indices.size and not 0 <= indices.min() <= indices.max() < X.shape[1]:
            raise ValueError("The sparse matrix has a column number outside its shape.")
        indices = indices.astype(np.int32)
    return _checked_size(kind(X.shape[1], indptr, indices, data, threads), X.dtype)


def _checked_size(items: Any, dtype: Any) -> Any:
    if not items.squared_norm <= float(np.finfo(dtype).max):
        raise ValueError(
            f"The entries are too large: the sum of their squares is no number of type {dtype}. Scale them."
        )
    return items


def _check_structure(X: Data) -> None:
    """SciPy trusts the numbers in a sparse matrix while it converts one. CSR of floats is looked at by the library."""
    if not scipy.sparse.issparse(X) or (X.format == "csr" and X.dtype in (np.float32, np.float64)):
        return
    if X.format == "coo":
        sides = list(zip((X.row, X.col), X.shape))
        fits = len(X.row) == len(X.col) == len(X.data)
    elif X.format in ("csr", "csc"):
        lines, length = X.shape if X.format == "csr" else X.shape[::-1]
        sides = [(X.indices, length)]
        fits = (
            len(X.indptr) == lines + 1
            and X.indptr[0] == 0
            and (np.diff(X.indptr) >= 0).all()
            and X.indptr[-1] <= min(len(X.indices), len(X.data))
        )
    else:
        if X.format == "bsr":
            X.check_format(full_check=True)
        return
    if not fits or any(part.size and not 0 <= part.min() <= part.max() < size for part, size in sides):
        raise ValueError("The sparse matrix has entries outside its shape, or arrays that do not belong together.")
