"""Data from files and generators, and how well labels agree with the truth."""

from typing import NamedTuple

import numpy as np
import scipy.sparse

from copse import _copse
from copse._parameters import choice
from copse._random import seed_of
from copse._threads import thread_count

PRESENCE = {None: "detect", True: "present", False: "absent"}


class Dataset(NamedTuple):
    """A matrix with rows as samples, and the names of its rows and columns where they are known, else None."""

    X: object
    feature_names: object
    item_names: object
    notes: list


class Planted(NamedTuple):
    """Generated data: X with rows as samples, the true cluster of each, and its group where there are groups."""

    X: object
    labels: np.ndarray
    parents: object


def read(path, *, items="columns", dtype=np.float32, header=None, row_names=None, n_jobs=None):
    """Reads a matrix as the program does: MatrixMarket, .npy, SciPy .npz, .csv and .tsv, also compressed.

    Parameters
    ----------
    path : str or path
    items : {'columns', 'rows'}, default='columns'
        Where the samples are in the file. In the result they are rows.
    dtype : float32 or float64, default=float32
    header, row_names : bool or None, default=None
        Whether a .csv or .tsv file has names in its first line and column; None: look.

    Returns
    -------
    Dataset
        X (CSR or dense), feature_names, item_names, notes.
    """
    choice("items", items, _copse.choices["items"])
    found = _copse.read_matrix(
        path, items, PRESENCE[header], PRESENCE[row_names], single_precision(dtype), thread_count(n_jobs)
    )
    return Dataset(matrix_of(found), _names(found["feature_names"]), _names(found["item_names"]), found["notes"])


def evaluate(labels, truth):
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


def make_corpus(
    n_documents=10000,
    n_terms=12000,
    n_topics=20,
    *,
    branch=1,
    terms_per_document=70.0,
    zipf=1.02,
    strength=1.0,
    counts=False,
    random_state=None,
    dtype=np.float32,
    n_jobs=None,
):
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
    n_clusters, n_features=500, n_samples=1000, *, variance=0.3, random_state=None, dtype=np.float32, n_jobs=None
):
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
    n_clusters,
    n_features=200,
    *,
    nuisance_features=80,
    samples_per_cluster=60,
    deviation=0.25,
    outlier_fraction=0.15,
    random_state=None,
    dtype=np.float32,
    n_jobs=None,
):
    """Simulated gene expression profiles, as `copse generate genes`."""
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
    )


def make_graph(
    n_nodes=1000, n_clusters=10, *, degree=20.0, mixing=0.2, random_state=None, dtype=np.float32, n_jobs=None
):
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


def make_uniform_sparse(n_samples, n_features, *, density=0.01, random_state=None, dtype=np.float32, n_jobs=None):
    """A sparse matrix without structure, as `copse generate sparse`: X alone."""
    options = _copse.UniformSparseOptions()
    options.features, options.items, options.density = n_features, n_samples, density
    options.seed = seed_of(random_state)
    return matrix_of(_copse.generate_uniform_sparse(options, single_precision(dtype), thread_count(n_jobs)))


def _generate(kind, function, random_state, dtype, n_jobs, **settings):
    options = kind()
    options.seed = seed_of(random_state)
    for name, value in settings.items():
        setattr(options, name, value)
    found = function(options, single_precision(dtype), thread_count(n_jobs))
    return Planted(matrix_of(found), found["labels"], found["parents"] if len(found["parents"]) else None)


def single_precision(dtype):
    if np.dtype(dtype) not in (np.float32, np.float64):
        raise ValueError(f"dtype must be float32 or float64, not {dtype!r}.")
    return np.dtype(dtype) == np.float32


def matrix_of(found):
    if "dense" in found:
        return found["dense"]
    return scipy.sparse.csr_matrix((found["data"], found["indices"], found["indptr"]), shape=found["shape"])


def _names(names):
    return np.asarray(names, dtype=object) if names else None


def _label_numbers(labels):
    labels = np.asarray(labels)
    if labels.ndim != 1:
        raise ValueError(f"Labels must form a list, one for each sample; their shape is {labels.shape}.")
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)
