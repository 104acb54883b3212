"""Data from files and generators, and how well labels agree with the truth."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy.sparse

from copse import _copse
from copse._parameters import choice
from copse._random import seed_of
from copse._table import table
from copse._threads import thread_count

if TYPE_CHECKING:
    from copse._types import Any, Callable, Path, RandomState, Table

PRESENCE = {None: "detect", True: "present", False: "absent"}


class Dataset(NamedTuple):
    """A matrix with rows as samples, and the names of its rows and columns where they are known, else None."""

    X: object
    feature_names: object
    item_names: object
    notes: list[str]
    labels: object = None


class Planted(NamedTuple):
    """Generated data: X with rows as samples, the true cluster of each, and its group where there are groups."""

    X: object
    labels: np.ndarray
    parents: object


def read(
    path: Path,
    *,
    items: str = "automatic",
    layer: str = "",
    label: str = "",
    dtype: Any = np.float32,
    header: bool | None = None,
    row_names: bool | None = None,
    n_jobs: int | None = None,
) -> Dataset:
    """Reads a matrix as the program does: .copse, MatrixMarket, .npy, SciPy .npz, .csv, .tsv, .h5ad and 10x data.

    Parameters
    ----------
    path : str or path
    items : {'automatic', 'columns', 'rows'}, default='automatic'
        Where the samples are in the file; automatic: in columns, and the cells of single-cell data. In the result they
        are rows.
    layer, label : str, default=''
        Of an .h5ad file: the layer to read in place of X, and the column of obs that holds the labels of the cells.
    dtype : float32 or float64, default=float32
    header, row_names : bool or None, default=None
        Whether a .csv or .tsv file has names in its first line and column; None: look.

    Returns
    -------
    Dataset
        X (CSR or dense), feature_names, item_names, notes, labels.
    """
    choice("items", items, _copse.choices["items"])
    found = _copse.read_matrix(
        path, items, PRESENCE[header], PRESENCE[row_names], layer, label, single_precision(dtype), thread_count(n_jobs)
    )
    names = [_names(found[kind]) for kind in ("feature_names", "item_names", "labels")]
    return Dataset(matrix_of(found), names[0], names[1], found["notes"], names[2])


def evaluate(labels: Any, truth: Any) -> dict[str, Any]:
    """Agreement of clusters with the true classes: a dictionary with accuracy, nmi, ari, purity and entropy.

    >>> from copse import evaluate
    >>> evaluate([0, 0, 1, 1], ["b", "b", "a", "a"])["accuracy"]
    1.0
    """
    measures = _copse.compare_clusterings(_label_numbers(labels), _label_numbers(truth))
    return {
        name: getattr(measures, name)
        for name in ("accuracy", "nmi", "ari", "purity", "entropy", "items", "clusters", "classes")
    }


def match_components(components: Any, references: Any, names: Any = None) -> Table:
    """Components beside known ones, such as mutational signatures, by cosine: a pandas DataFrame.

    Parameters
    ----------
    components : array of shape (n_components, n_features)
        `components_` of a model.
    references : array of shape (n_references, n_features), or DataFrame with a row for each reference
        The same features in the same order; nothing negative.
    names : names of the references, default=None
        None: the index of the DataFrame, or their numbers.

    Returns
    -------
    DataFrame
        For each component its `reference`, no two the same and the sum of the cosines the largest, with its `cosine`;
        the `nearest` of all references and the `nearest_cosine`. None where references are fewer than components.

    Examples
    --------
    >>> from copse import match_components
    >>> match_components([[2, 0], [1, 1]], [[1, 1], [1, 0]], names=["both", "first"])["reference"].tolist()
    ['first', 'both']
    """
    if names is None:
        names = references.index if hasattr(references, "columns") else range(len(references))
    ours, theirs = (np.ascontiguousarray(values, dtype=np.float64) for values in (components, references))
    for values in (ours, theirs):
        if values.ndim != 2 or not np.isfinite(values).all() or (values < 0).any():
            raise ValueError("Components and references must be matrices with finite entries and none below 0.")
    if len(names := list(names)) != len(theirs):
        raise ValueError(f"There are {len(names)} names for {len(theirs)} references.")
    partner, cosine, nearest, nearest_cosine = np.asarray(_copse.match_components(ours, theirs)).T
    return table(
        reference=[names[int(place)] if place >= 0 else None for place in partner],
        cosine=cosine,
        nearest=[names[int(place)] if place >= 0 else None for place in nearest],
        nearest_cosine=nearest_cosine,
    )


def make_corpus(
    n_documents: int = 10000,
    n_terms: int = 12000,
    n_topics: int = 20,
    *,
    branch: int = 1,
    terms_per_document: float = 70.0,
    zipf: float = 1.02,
    strength: float = 1.0,
    counts: bool = False,
    random_state: RandomState = None,
    dtype: Any = np.float32,
    n_jobs: int | None = None,
) -> Planted:
    """A corpus with planted topics and Zipf's law of words, as `copse generate corpus`; tf-idf unless counts=True.

    >>> from copse import make_corpus
    >>> X, labels, _ = make_corpus(100, 300, 4, random_state=0)
    >>> X.shape, int(labels.max())
    ((100, 300), 3)
    """
    return _generate(
        _copse.CorpusOptions,
        _copse.generate_corpus,
        random_state,
        dtype,
        n_jobs,
        documents=n_documents,
        terms=n_terms,
        k=n_topics,
        branch=branch,
        terms_per_document=terms_per_document,
        zipf=zipf,
        strength=strength,
        counts=counts,
    )


def make_mixture(
    n_clusters: int,
    n_features: int = 500,
    n_samples: int = 1000,
    *,
    variance: float = 0.3,
    random_state: RandomState = None,
    dtype: Any = np.float32,
    n_jobs: int | None = None,
) -> Planted:
    """Clearly separated clusters in many dimensions, as `copse generate mixture`."""
    return _generate(
        _copse.MixtureOptions,
        _copse.generate_mixture,
        random_state,
        dtype,
        n_jobs,
        k=n_clusters,
        features=n_features,
        items=n_samples,
        variance=variance,
    )


def make_gene_expression(
    n_clusters: int,
    n_features: int = 200,
    *,
    nuisance_features: int = 80,
    samples_per_cluster: int = 60,
    deviation: float = 0.25,
    outlier_fraction: float = 0.15,
    largest_outlier: float = 0.0,
    random_state: RandomState = None,
    dtype: Any = np.float32,
    n_jobs: int | None = None,
) -> Planted:
    """Simulated gene expression profiles, as `copse generate genes`.

    Outliers are uniform between 0 and `largest_outlier`, or, where that is 0, between the smallest and the largest of the
    other entries."""
    return _generate(
        _copse.GeneExpressionOptions,
        _copse.generate_gene_expression,
        random_state,
        dtype,
        n_jobs,
        k=n_clusters,
        features=n_features,
        nuisance_features=nuisance_features,
        items_per_cluster=samples_per_cluster,
        deviation=deviation,
        outlier_fraction=outlier_fraction,
        largest_outlier=largest_outlier,
    )


def make_graph(
    n_nodes: int = 1000,
    n_clusters: int = 10,
    *,
    degree: float = 20.0,
    mixing: float = 0.2,
    random_state: RandomState = None,
    dtype: Any = np.float32,
    n_jobs: int | None = None,
) -> Planted:
    """The adjacency matrix of a graph with planted clusters, as `copse generate graph`."""
    return _generate(
        _copse.GraphOptions,
        _copse.generate_graph,
        random_state,
        dtype,
        n_jobs,
        nodes=n_nodes,
        k=n_clusters,
        degree=degree,
        mixing=mixing,
    )


def make_uniform_sparse(
    n_samples: int,
    n_features: int,
    *,
    density: float = 0.01,
    random_state: RandomState = None,
    dtype: Any = np.float32,
    n_jobs: int | None = None,
) -> Any:
    """A sparse matrix without structure, as `copse generate sparse`: X alone."""
    options = _copse.UniformSparseOptions()
    options.features, options.items, options.density = n_features, n_samples, density
    options.seed = seed_of(random_state)
    return matrix_of(_copse.generate_uniform_sparse(options, single_precision(dtype), thread_count(n_jobs)))


def _generate(
    kind: Any,
    function: Callable[..., Any],
    random_state: RandomState,
    dtype: Any,
    n_jobs: int | None,
    **settings: Any,
) -> Planted:
    options = kind()
    options.seed = seed_of(random_state)
    for name, value in settings.items():
        setattr(options, name, value)
    found = function(options, single_precision(dtype), thread_count(n_jobs))
    return Planted(matrix_of(found), found["labels"], found["parents"] if len(found["parents"]) else None)


def single_precision(dtype: Any) -> bool:
    if np.dtype(dtype) not in (np.float32, np.float64):
        raise ValueError(f"dtype must be float32 or float64, not {dtype!r}.")
    return np.dtype(dtype) == np.float32


def matrix_of(found: Any) -> Any:
    if "dense" in found:
        return found["dense"]
    return scipy.sparse.csr_matrix((found["data"], found["indices"], found["indptr"]), shape=found["shape"])


def _names(names: Any) -> Any:
    return np.asarray(names, dtype=object) if names else None


def _label_numbers(labels: Any) -> Any:
    labels = np.asarray(labels)
    if labels.ndim != 1:
        raise ValueError(f"Labels must form a list, one for each sample; their shape is {labels.shape}.")
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)
