"""Results into AnnData. Estimators take an AnnData as data: its X, and its var_names as feature names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sklearn.utils.validation import check_is_fitted

from copse._genes import genes_of
from copse._items import checked, items_of
from copse._threads import thread_count

if TYPE_CHECKING:
    from copse._types import Any


def to_anndata(model: Any, adata: Any, *, layer: str | None = None, key: str = "copse") -> Any:
    """Writes a fitted model into the AnnData that it was fitted to, and returns it.

    - `obsm["X_" + key]`: the coefficients of the observations
    - `obs[key]`: their cluster, a category: the number of a component, the name of a leaf; "-1" for none
    - `varm[key]`: the components; NaN for genes that the model does not know
    - `varm[key + "_baseline"]`: the baseline of an affine model, likewise
    - `uns[key]`: the parameters, and the names of the topics in the order of the columns

    The coefficients are those of the fit. Only for a tree that was loaded, unpickled or copied they are computed again,
    from `layer`, or from X where layer is None: name the one that the tree was fitted to. The genes are found by name.
    """
    check_is_fitted(model)
    if len(model.labels_) != adata.n_obs:
        raise ValueError(f"The model was fitted to {len(model.labels_)} samples, this AnnData has {adata.n_obs}.")
    if layer is not None and layer not in adata.layers:
        raise ValueError(f"This AnnData has no layer {layer!r}.")
    import pandas

    places = _places(model, adata)
    if hasattr(model, "_fit_coefficients") and (not hasattr(model, "leaves_") or hasattr(model, "_data")):
        coefficients = model._fit_coefficients()
    else:
        X = checked(model, genes_of(adata, layer, places)).astype(model.components_.dtype, copy=False)
        threads = thread_count(model.n_jobs)
        names = [str(name) for name in getattr(model, "feature_names_in_", [])]
        coefficients = model._result.transform(items_of(X, threads), names, threads)
    topics = [str(topic) for topic in model._topic_ids()]
    adata.obsm["X_" + key] = coefficients
    adata.obs[key] = pandas.Categorical([topics[label] if label >= 0 else "-1" for label in model.labels_])
    adata.varm[key] = _spread(model.components_.T, places, adata.n_vars)
    if hasattr(model, "baseline_"):
        adata.varm[key + "_baseline"] = _spread(model.baseline_[:, None], places, adata.n_vars)
    parameters = {name: str(value) for name, value in model.get_params(deep=False).items()}
    adata.uns[key] = {"estimator": type(model).__name__, "parameters": parameters, "topics": topics}
    return adata


def _places(model: Any, adata: Any) -> Any:
    """The columns of the AnnData that hold the model's features."""
    names = getattr(model, "feature_names_in_", None)
    count = model.components_.shape[1]
    if names is None:
        if count != adata.n_vars:
            raise ValueError(
                f"The model has {count} features without names, this AnnData has {adata.n_vars} genes: which are they? "
                "Fit the model to an AnnData or a data frame, so that it knows their names."
            )
        return np.arange(count)
    places = adata.var_names.get_indexer(names)
    if (places < 0).any():
        raise ValueError(f"This AnnData has no gene {names[int(np.argmax(places < 0))]!r}, which the model knows.")
    return places


def _spread(rows: Any, places: Any, count: int) -> Any:
    if len(places) == count and np.array_equal(places, np.arange(count)):
        return np.ascontiguousarray(rows)
    spread = np.full((count, rows.shape[1]), np.nan, dtype=rows.dtype)
    spread[places] = rows
    return spread
