"""A graph of the samples, to be fitted together with their features."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING

import numpy as np
from sklearn.utils.validation import check_array

from copse._graph import graph_arrays
from copse._parameters import number

if TYPE_CHECKING:
    from copse._types import Any


def joint_settings(
    dtype: Any, n_samples: int, links: Any, vectors: Any, neighbours: bool, graph_weight: float | None
) -> dict[str, Any] | None:
    """What was asked for, as the library takes it; None: nothing."""
    if links is None and vectors is None and not neighbours:
        if graph_weight is not None:
            raise ValueError("graph_weight needs a graph: links, vectors, or neighbours=True.")
        return None
    if links is not None:
        links = graph_arrays(links, dtype, n_samples, "links")
    if vectors is not None:
        vectors = np.ascontiguousarray(check_array(vectors, dtype=dtype))
        if vectors.shape[0] != n_samples:
            raise ValueError(
                f"vectors has {vectors.shape[0]} rows, but there are {n_samples} samples: one row for each is expected, "
                "in the same order."
            )
    return {
        "links": links,
        "vectors": vectors,
        "neighbours": bool(neighbours),
        "weight": -1.0 if graph_weight is None else float(number("graph_weight", graph_weight, Real, 0)),
    }
