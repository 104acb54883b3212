"""Cells x genes: the parts of an AnnData that a model is fitted to, in memory or in a file, and their preparation."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy.sparse

from copse._parameters import choice, number

if TYPE_CHECKING:
    from copse._types import Any, Array, Data, Iterator

CELLS_PER_BLOCK = 4096  # what is read at once of an AnnData that stays in its file
SCALES = (None, "deviation", "max")


class Genes(NamedTuple):
    """A matrix of cells x genes with the names of the genes."""

    matrix: object
    names: np.ndarray


def is_anndata(X: Data) -> bool:
    """Whether X is an AnnData, without importing it."""
    return hasattr(X, "var_names") and hasattr(X, "obs_names") and hasattr(X, "obsm")


def genes_of(adata: Any, layer: str | None = None, genes: Any = None) -> Genes:
    """The chosen genes of X or of a layer. What lies in a file is read in blocks, and only these genes are kept."""
    places = places_of(adata, genes)
    names = np.asarray(adata.var_names if places is None else adata.var_names[places], dtype=object)
    blocks = list(blocks_of(adata, layer, places))
    if len(blocks) == 1:
        return Genes(blocks[0], names)
    stack = scipy.sparse.vstack if scipy.sparse.issparse(blocks[0]) else np.concatenate
    return Genes(stack(blocks), names)


def aligned(adata: Any, layer: str | None, names: Any) -> Genes:
    """The genes of these names, in their order."""
    places = adata.var_names.get_indexer(names)
    if (places < 0).any():
        raise ValueError(f"This AnnData has no gene {names[int(np.argmax(places < 0))]!r}, which the model knows.")
    return genes_of(adata, layer, None if np.array_equal(places, np.arange(adata.n_vars)) else places)


def blocks_of(adata: Any, layer: str | None = None, places: Any = None) -> Iterator[Any]:
    """Blocks of cells, as the file is read; one block of all for what is in memory."""
    if layer is not None and layer not in adata.layers:
        raise ValueError(f"This AnnData has no layer {layer!r}.")
    values = adata.X if layer is None else adata.layers[layer]
    if values is None:
        raise ValueError("This AnnData has no X: name a layer.")
    whole = isinstance(values, np.ndarray) or scipy.sparse.issparse(values)
    step = adata.n_obs if whole else CELLS_PER_BLOCK
    for begin in range(0, max(1, adata.n_obs), max(1, step)):
        block = values if whole else values[begin : begin + step]
        yield block if places is None else _columns(block, places)


def _columns(block: Any, places: Any) -> Any:
    if scipy.sparse.issparse(block):
        return block.tocsr()[:, places]
    return np.asarray(block)[:, places]


def places_of(adata: Any, genes: Any) -> Any:
    """The columns of the chosen genes: a mask, names, or the name of a column of var that is a mask; None: all."""
    if genes is None:
        return None
    if isinstance(genes, str):
        if genes not in adata.var:
            raise ValueError(f"The table var of this AnnData has no column {genes!r}.")
        genes = adata.var[genes]
    genes = np.asarray(genes)
    if genes.dtype == bool:
        if len(genes) != adata.n_vars:
            raise ValueError(f"The mask has {len(genes)} entries for {adata.n_vars} genes.")
        places = np.flatnonzero(genes)
    elif genes.dtype.kind == "i":
        places = genes
    else:
        places = adata.var_names.get_indexer(genes)
        if (places < 0).any():
            raise ValueError(f"This AnnData has no gene {str(genes[int(np.argmax(places < 0))])!r}.")
    if len(places) == 0:
        raise ValueError("No gene is chosen.")
    return places


def normalize_counts(
    X: Data,
    *,
    layer: str | None = None,
    genes: Any = None,
    library_size: float | str | None = "median",
    log: bool = True,
    scale: str | None = None,
) -> Any:
    """Counts of cells x genes as they are usually prepared: equal library sizes, logarithms, genes of like weight.

    Entries stay nonnegative and sparse: nothing is centred. X itself is left alone.

    Parameters
    ----------
    X : {array, sparse matrix, data frame, AnnData} of shape (n_cells, n_genes)
    layer, genes
        Of an AnnData: the layer to take instead of X, and the genes, as for `fit`. Library sizes are those of the
        chosen genes.
    library_size : float, 'median' or None, default='median'
        The entries of every cell are made to add up to this; 'median' is the median over the cells that have entries.
    log : bool, default=True
        log(1 + x).
    scale : {'deviation', 'max'} or None, default=None
        Divide each gene by its standard deviation, or by its largest entry; genes without any stay zero.

    Returns
    -------
    array or CSR matrix of shape (n_cells, n_genes)

    Examples
    --------
    >>> import numpy as np
    >>> from copse import normalize_counts
    >>> normalize_counts(np.array([[1.0, 3.0], [0.0, 8.0]]), library_size=4, log=False)
    array([[1., 3.],
           [0., 4.]])
    """
    choice("scale", scale, SCALES)
    matrix = genes_of(X, layer, genes).matrix if is_anndata(X) else X
    if scipy.sparse.issparse(matrix):
        values = scipy.sparse.csr_matrix(matrix, copy=True)
        values.sum_duplicates()
    else:
        values = np.array(matrix, dtype=None if getattr(matrix, "dtype", None) in (np.float32, np.float64) else float)
    if values.dtype not in (np.float32, np.float64):
        values = values.astype(np.float64)
    entries = values.data if scipy.sparse.issparse(values) else values
    if entries.size and not (np.isfinite(entries).all() and entries.min() >= 0):
        raise ValueError("Counts must be numbers that are not negative.")
    if library_size is not None:
        sizes = np.asarray(values.sum(axis=1), dtype=np.float64).ravel()
        if isinstance(library_size, str):
            choice("library_size", library_size, ("median",))
            wanted = float(np.median(sizes[sizes > 0])) if (sizes > 0).any() else 1.0
        else:
            wanted = number("library_size", library_size, Real, 0)
        values = _scaled_rows(values, np.divide(wanted, sizes, out=np.zeros_like(sizes), where=sizes > 0))
    if log:
        values = values.log1p() if scipy.sparse.issparse(values) else np.log1p(values)
    if scale is not None:
        spread = _deviations(values) if scale == "deviation" else _largest(values)
        values = _scaled_rows(values.T, np.divide(1, spread, out=np.zeros_like(spread), where=spread > 0)).T
        values = values.tocsr() if scipy.sparse.issparse(values) else np.ascontiguousarray(values)
    return values


def _scaled_rows(values: Any, factors: Array) -> Any:
    factors = factors.astype(values.dtype)
    if scipy.sparse.issparse(values):
        return (scipy.sparse.diags(factors) @ values).asformat(values.format)
    return values * factors[:, None]


def _deviations(values: Any) -> Any:
    """Of the columns, zeros included, with n as the divisor."""
    cells = max(1, values.shape[0])
    squares = values.multiply(values) if scipy.sparse.issparse(values) else np.square(values, dtype=np.float64)
    mean = np.asarray(values.sum(axis=0), dtype=np.float64).ravel() / cells
    return np.sqrt(np.maximum(0, np.asarray(squares.sum(axis=0), dtype=np.float64).ravel() / cells - mean**2))


def _largest(values: Any) -> Any:
    most = values.max(axis=0)
    return np.asarray(most.todense() if scipy.sparse.issparse(most) else most, dtype=np.float64).ravel()
