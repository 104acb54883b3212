"""Models of `copse cluster` that come from a folder: they place raw data as `copse assign` does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn.utils.validation import check_array

from copse._items import feature_names_of, items_of
from copse._text import is_text, listed
from copse._threads import thread_count

if TYPE_CHECKING:
    from copse._types import Data


class Stored:
    """A mixin of estimators that load_result() can give. `_stored` is the result where a model comes from a folder."""

    _stored: Any = None
    n_jobs: int | None

    def _placed(self, X: Data) -> np.ndarray:
        """The weights of new items, documents or raw rows, for the clusters of the stored result."""
        result, threads = self._stored, thread_count(self.n_jobs)
        X = list(X) if hasattr(X, "__next__") else X
        if is_text(X) != result.is_text:
            wanted = "documents: give documents, a list of strings" if result.is_text else "a matrix: give rows of numbers"
            raise ValueError(f"The model was fitted to {wanted}.")
        if result.is_text:
            return np.asarray(result.transform_documents(listed(X), threads))
        names = feature_names_of(X)
        X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32], order="C")
        return np.asarray(result.transform(items_of(X.astype(result.w.dtype, copy=False), threads), names, threads))

    def _forget(self) -> None:
        """A model that is fitted again is no longer the stored one."""
        self.__dict__.pop("_stored", None)

    def _largest(self, weights: np.ndarray) -> np.ndarray:
        """The cluster with the largest weight of each row; -1 for a row without any."""
        labels = weights.argmax(axis=1)
        labels[weights.max(axis=1, initial=0) <= 0] = -1
        return labels


def is_stored(model: Any) -> bool:
    """For methods that only a model from a folder has. Raises AttributeError, as scikit-learn wants it."""
    if model._stored is None:
        raise AttributeError(f"{type(model).__name__} labels what it was fitted to, and nothing else.")
    return True
