"""Results into AnnData. Estimators take an AnnData as data: its X, and its var_names as feature names."""

import numpy as np
from sklearn.utils.validation import check_is_fitted


def to_anndata(model, adata, *, key="copse"):
    """Writes a fitted model into the AnnData that it was fitted to, and returns it.

    - `obsm["X_" + key]`: the coefficients of the observations, from `model.transform`
    - `obs[key]`: their cluster, a category; "-1" for none
    - `varm[key]`: the components
    - `uns[key]`: the parameters
    """
    check_is_fitted(model)
    if len(model.labels_) != adata.n_obs:
        raise ValueError(f"The model was fitted to {len(model.labels_)} samples, this AnnData has {adata.n_obs}.")
    import pandas

    adata.obsm["X_" + key] = model.transform(adata)
    adata.obs[key] = pandas.Categorical(model.labels_.astype(str))
    adata.varm[key] = np.ascontiguousarray(model.components_.T)
    parameters = {name: str(value) for name, value in model.get_params(deep=False).items()}
    adata.uns[key] = {"estimator": type(model).__name__, "parameters": parameters}
    return adata
