"""The report page of a tree: one HTML file that opens from disk and needs no network."""

import os

import numpy as np
import scipy.sparse

from copse import _copse

WORDS = 50
REPRESENTATIVES = 10
TEXTS = 400
TITLE_LENGTH = 100


def write_report(tree, path, *, title, texts, names):
    """Writes the page for a fitted TopicTree that has its data.

    `texts` are the documents, or None; `names` stand for documents that have no text.
    """
    X, nodes = tree._data(None), tree._tree.nodes(WORDS)
    coefficients = tree.transform(X)
    leaves = tree._tree.leaf_nodes()
    order = np.argsort(-coefficients, axis=1, kind="stable")
    rows = np.arange(len(coefficients))
    total = np.maximum(coefficients.sum(axis=1), np.finfo(coefficients.dtype).tiny)
    grown = tree._tree.partition(tree._tree.splits)
    outlier = grown < 0
    nearest = leaves[order[:, 0]]
    leaf = np.where(outlier, nearest, grown)
    other = np.where(nearest == leaf, order[:, min(1, order.shape[1] - 1)], order[:, 0])
    number_of = np.zeros(len(nodes), dtype=np.int64)
    number_of[leaves] = np.arange(len(leaves))
    weight = coefficients[rows, number_of[leaf]] / total
    second_weight = coefficients[rows, other] / total
    second = np.where((second_weight > 0) & (leaves[other] != leaf), leaves[other], -1)

    share = _document_frequencies(X) / max(1, X.shape[0])
    coherence = tree._coherence()
    page_nodes = []
    representatives = []
    for number, node in enumerate(nodes):
        items = tree._tree.items_of(number)
        weights = tree._tree.weights_of(number)
        best = items[np.argsort(-weights, kind="stable")[:REPRESENTATIVES]] if len(weights) == len(items) else items[:0]
        representatives.append(best)
        words = [
            _copse.PageWord(tree._word(term), float(value), float(max(share[term], 1 / max(1, X.shape[0]))))
            for term, value in zip(node["terms"], node["weights"])
        ]
        page_nodes.append(
            _copse.PageNode(
                node["id"],
                node["parent"],
                node["name"],
                _finite(node["score"]),
                _finite(coherence[number]),
                words,
                best.tolist(),
            )
        )
    shown = []
    if texts is not None:
        first = list(
            dict.fromkeys(
                int(j) for rank in range(REPRESENTATIVES) for best in representatives for j in best[rank : rank + 1]
            )
        )
        shown = [(j, texts[j]) for j in first[:TEXTS]]
    _copse.write_page(
        os.fspath(path),
        title,
        page_nodes,
        _titles(texts, names, X.shape[0]),
        leaf.astype(np.int64),
        second.astype(np.int64),
        weight.astype(np.float64),
        second_weight.astype(np.float64),
        outlier,
        shown,
        [("version", _copse.__version__)],
    )


def _titles(texts, names, count):
    if names is not None:
        return [str(name) for name in names]
    if texts is not None:
        return [" ".join(text[: 2 * TITLE_LENGTH].split())[:TITLE_LENGTH] for text in texts]
    return [str(j) for j in range(count)]


def _document_frequencies(X):
    if scipy.sparse.issparse(X):
        return np.bincount(X.indices, minlength=X.shape[1])
    return np.count_nonzero(X, axis=0)


def _finite(value):
    return float(value) if np.isfinite(value) else None
