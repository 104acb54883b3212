"""Clustering by nonnegative matrix factorization: flat topics, topic trees, and what each cluster is about."""

from copse import _threads  # noqa: F401  tells threadpoolctl about us
from copse._anndata import to_anndata
from copse._copse import __version__  # type: ignore[attr-defined]  # not in the stub that nanobind writes
from copse._choose import Survey, choose_k
from copse._cluster import BisectingKMeans, KernelKMeans, SpectralClustering, SphericalKMeans
from copse._compare import Comparison, compare
from copse._data import (
    evaluate,
    make_corpus,
    make_gene_expression,
    make_graph,
    make_mixture,
    make_uniform_sparse,
    match_components,
    read,
)
from copse._dcnmf import DCNMF
from copse._function import non_negative_factorization
from copse._genes import normalize_counts
from copse._graph import SymNMF, communities, graph_quality, neighbour_graph, read_graph
from copse._image import segment
from copse._load import load_result
from copse._nmf import NMF
from copse._plots import plot_history, plot_tree
from copse._rivals import GNMF, LDA, XRAY, AffinityPropagation, AnchorTopics, Hottopixx
from copse._text import TextVectorizer
from copse._tree import TopicTree

__all__ = [
    "AffinityPropagation",
    "AnchorTopics",
    "BisectingKMeans",
    "Comparison",
    "DCNMF",
    "GNMF",
    "Hottopixx",
    "KernelKMeans",
    "LDA",
    "NMF",
    "SpectralClustering",
    "SphericalKMeans",
    "Survey",
    "SymNMF",
    "TextVectorizer",
    "TopicTree",
    "XRAY",
    "__version__",
    "choose_k",
    "communities",
    "compare",
    "evaluate",
    "graph_quality",
    "load_result",
    "make_corpus",
    "make_gene_expression",
    "make_graph",
    "make_mixture",
    "make_uniform_sparse",
    "match_components",
    "neighbour_graph",
    "non_negative_factorization",
    "normalize_counts",
    "plot_history",
    "plot_tree",
    "read",
    "read_graph",
    "segment",
    "to_anndata",
]
