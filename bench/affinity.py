#!/usr/bin/env python3
"""Affinity propagation on a sparse graph: seconds and agreement with known classes, and scikit-learn where it can.

20,000 documents with planted topics, each joined to its floor(log2 n) + 1 nearest by cosine: at the median similarity,
and with a search for the number of topics. 2,000 of them as a full matrix beside scikit-learn: the same similarities.

    bench/affinity.py                  prints the table of bench/results/affinity.md
    bench/affinity.py --items 5000
"""
import argparse
import time
import warnings

import numpy as np
import scipy.sparse
import sklearn.cluster
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

import copse


def timed(function):
    wall, cpu = time.time(), time.process_time()
    result = function()
    return result, time.process_time() - cpu, time.time() - wall


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=20000)
    parser.add_argument("--full", type=int, default=2000)
    parser.add_argument("--k", type=int, default=20)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    X, labels, _ = copse.make_corpus(options.items, 12000, options.k, random_state=0, n_jobs=options.threads)
    graph, cpu, wall = timed(lambda: copse.neighbour_graph(X, "cosine", n_jobs=options.threads))
    print("| | CPU seconds | wall | clusters | NMI | converged, runs, damping |")
    print("| --- | --- | --- | --- | --- | --- |")
    print(f"| graph of {options.items:,} items, {graph.nnz:,} entries | {cpu:.3g} | {wall:.3g} | | | |", flush=True)
    for name, k in (("median preference", None), (f"search for {options.k}", options.k)):
        estimator = copse.AffinityPropagation(k, affinity="precomputed", n_jobs=options.threads)
        model, cpu, wall = timed(lambda: estimator.fit(graph))
        print(f"| sparse, {name} | {cpu:.3g} | {wall:.3g} | {len(model.cluster_centers_indices_)} | "
              f"{normalized_mutual_info_score(labels, model.labels_):.3f} | {model.converged_}, {model.n_runs_}, "
              f"{model.damping_:.3g} |", flush=True)
    part = scipy.sparse.csr_array(X)[: options.full].astype(np.float64)
    S = (part @ part.T).toarray() - 1
    S *= 1 + 1e-6 * np.random.default_rng(0).random(S.shape)  # ties are decided by noise
    ours, cpu, wall = timed(lambda: copse.AffinityPropagation(affinity="precomputed", n_jobs=options.threads).fit(S))
    print(f"| full, {options.full:,} items | {cpu:.3g} | {wall:.3g} | {len(ours.cluster_centers_indices_)} | "
          f"{normalized_mutual_info_score(labels[: options.full], ours.labels_):.3f} | {ours.converged_}, "
          f"{ours.n_runs_}, {ours.damping_:.3g} |", flush=True)
    theirs, cpu, wall = timed(
        lambda: sklearn.cluster.AffinityPropagation(affinity="precomputed", random_state=0).fit(S))
    print(f"| full, scikit-learn {sklearn.__version__} | {cpu:.3g} | {wall:.3g} | "
          f"{len(theirs.cluster_centers_indices_)} | "
          f"{normalized_mutual_info_score(labels[: options.full], theirs.labels_):.3f} | "
          f"ARI with ours {adjusted_rand_score(theirs.labels_, ours.labels_):.3f} |")


if __name__ == "__main__":
    main()
