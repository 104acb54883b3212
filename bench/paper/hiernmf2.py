"""HierNMF2 as its authors' program does it, plainly, in NumPy: a reference for quality, not for speed.

It differs from thesis algorithm 6 in one respect: outliers are set aside when a node is made, not when it is split, so
that final leaves lose theirs too, and the root's own split is not tested.
"""

import numpy as np
import scipy.sparse as sp


def solve_two_columns(gram, products):
    """min |B g - y|, g >= 0, for the rows y'B of `products` [Kuang 2014, algorithm 5]."""
    solution = products @ np.linalg.inv(gram)
    outside = (solution < 0).any(axis=1)
    norms = np.sqrt(np.diag(gram))
    edges = products[outside] / norms
    first = edges[:, 0] >= edges[:, 1]
    solution[outside] = np.maximum(edges, 0) / norms * np.stack([first, ~first], axis=1)
    return solution


def singular(gram):
    return np.linalg.det(gram) <= 1e-14 * gram[0, 0] * gram[1, 1]


def rank2_nmf(x, h, tolerance=1e-4, max_iterations=10000):
    """W (unit columns) and H', or None where a factor loses its rank. Stops by thesis (9, 10)."""
    gram, products = h.T @ h, x @ h
    for iteration in range(max_iterations):
        w = solve_two_columns(gram, products)
        norms = np.linalg.norm(w, axis=0)
        if norms.min() == 0:
            return None
        w /= norms
        gram = w.T @ w
        if singular(gram):
            return None
        h = solve_two_columns(gram, x.T @ w)
        gram, products = h.T @ h, x @ h
        if singular(gram):
            return None
        # H is optimal for W: only the gradient of W counts.
        gradient = w @ gram - products
        norm = np.linalg.norm(gradient[(gradient <= 0) | (w > 0)])
        if iteration == 0:
            first = norm
        elif norm < tolerance * first:
            break
    return w, h


def mndcg(parent, children):
    """[Kuang 2014, eq. 58]-(63); terms of weight zero as in the authors' program."""
    m, ranked = len(parent), np.count_nonzero(parent)
    if ranked <= 1:
        return -3
    order = np.argsort(-parent, kind="stable")
    orders = [np.argsort(-children[:, c], kind="stable") for c in (0, 1)]
    place = np.empty((2, m), int)
    for c in (0, 1):
        place[c, orders[c]] = np.arange(m)
    discount = np.log(m - place.max(axis=0)[order])
    discount[discount == 0] = np.log(2)
    gain, ideal = np.zeros(m), np.log(np.arange(m, 0, -1.0))
    gain[:ranked] = np.log(np.arange(ranked, 0, -1.0))
    ideal[ranked:] = 1
    by_position = np.concatenate([[1], np.log2(np.arange(2, m + 1))])
    best = (np.sort(ideal / discount)[::-1] / by_position).sum()
    of_term = np.empty(m)
    of_term[order] = gain / discount
    return np.prod([(of_term[o] / by_position).sum() / best for o in orders])


class HierNMF2:
    def __init__(self, x, leaves, seed, trials=3, unbalanced=0.1):
        self.x, self.random, self.trials, self.unbalanced = x, np.random.default_rng(seed), trials, unbalanced
        self.partitions = []  # of items, after each split
        everything = np.arange(x.shape[1])
        side, w, _ = self.split(everything, None)
        current, node, least = [], {"items": everything, "w": w, "side": side}, np.inf
        while True:
            for c in (0, 1):
                current.append(self.try_node(node["items"][node["side"] == c], node["w"][:, c], least))
            self.partitions.append([leaf["items"] for leaf in current])
            scores = [leaf["score"] for leaf in current]
            if len(current) >= leaves or max(scores) < 0:
                break
            least = min((score for score in scores if score > 0), default=np.inf)
            node = current.pop(int(np.argmax(scores)))

    def split(self, items, topic):
        """The side of each item, W over all terms, and the score; -1 for what cannot be split."""
        nothing = np.zeros(len(items), int), None, -1
        if len(items) <= 3:
            return nothing
        part = self.x[:, items]
        terms = np.unique(part.indices)
        local = np.zeros(self.x.shape[0], int)
        local[terms] = np.arange(len(terms))
        part = sp.csc_matrix((part.data, local[part.indices], part.indptr), shape=(len(terms), len(items)))
        factors = rank2_nmf(part, self.random.random((len(items), 2)))
        if factors is None:
            return nothing
        w = np.zeros((self.x.shape[0], 2))
        w[terms] = factors[0]
        side = (factors[1][:, 1] > factors[1][:, 0]).astype(int)
        if topic is None or not 0 < side.sum() < len(side):
            return side, w, -1
        return side, w, mndcg(topic, w)

    def try_node(self, items, topic, least):
        kept = items
        for _ in range(self.trials):
            side, w, score = self.split(kept, topic)
            small = int(2 * side.sum() <= len(side))
            if score < 0 or (side == small).sum() >= self.unbalanced * len(side):
                return {"items": kept, "w": w, "side": side, "score": score}
            if self.split(kept[side == small], w[:, small])[2] >= least:
                return {"items": kept, "w": w, "side": side, "score": score}
            kept = kept[side != small]
        return {"items": items, "w": None, "side": None, "score": -2}


def clusters(x, leaves, seed):
    """One label per item; outliers are a cluster of their own, -1."""
    labels = np.full(x.shape[1], -1)
    for number, items in enumerate(HierNMF2(x, leaves, seed).partitions[-1]):
        labels[items] = number
    return labels
