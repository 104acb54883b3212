#!/usr/bin/env python3
"""K-means on unit rows: copse beside scikit-learn, CPU seconds at equal objective.

tf-idf of the words of bench/lda.py (20 Newsgroups without headers and quoted lines, arXiv abstracts), rows of unit length,
float32. All start from the same centres, which scikit-learn's k-means++ draws, and take turns. "Lloyd" is the same
algorithm in both: batches until no row moves; the objectives must agree. "spherical" is copse's SphericalKMeans: the same
batches by angle, and then with moves of single rows. Two objectives of the labels, both less is better: the squared one,
sum over rows of |x - c|^2, c being the mean of the row's cluster, which Lloyd lowers; and the spherical one, sum over rows
of 1 - cos(x, c), which spherical K-means lowers.

    bench/k_means.py                                   prints the tables of bench/results/k_means.md
    bench/k_means.py --corpora 20newsgroups --seeds 1
"""
import argparse
import resource
import statistics
import sys
import warnings

import numpy as np
import scipy.sparse
import sklearn
from sklearn.cluster import KMeans, kmeans_plusplus
from sklearn.feature_extraction.text import TfidfTransformer

import pathlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from lda import CORPORA, counts_of  # noqa: E402


def cpu():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def objectives(x, labels):
    """The squared and the spherical one, in double; rows have unit length or are zero."""
    k = labels.max() + 1
    sums = scipy.sparse.csr_matrix((np.ones(len(labels)), (labels, np.arange(len(labels)))), (k, len(labels))) @ x
    squares = np.asarray(sums.multiply(sums).sum(axis=1)).ravel()
    norm = x.multiply(x).sum()  # the number of rows that are not zero
    return norm - (squares / np.maximum(1, np.bincount(labels, minlength=k))).sum(), norm - np.sqrt(squares).sum()


def main():
    import copse

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", nargs="*", default=CORPORA)
    parser.add_argument("-k", type=int, default=20)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"copse beside scikit-learn {sklearn.__version__}, k = {options.k}, {options.threads} threads, "
          f"{options.seeds} seeds\n")
    for corpus in options.corpora:
        train, test, _ = counts_of(corpus)
        x = scipy.sparse.csr_matrix(TfidfTransformer().fit_transform(train + test.tocsr()).astype(np.float32))
        exact = x.astype(np.float64)
        copse.SphericalKMeans(2, n_jobs=options.threads, max_iter=1).fit(x[:100])  # threads are there
        rows = []
        for seed in range(options.seeds):
            start = kmeans_plusplus(x, options.k, random_state=seed)[0]
            start = np.asarray(start.todense() if scipy.sparse.issparse(start) else start)
            runs = {
                "scikit-learn, Lloyd": KMeans(options.k, init=start, n_init=1, tol=0, max_iter=1000),
                "copse, Lloyd": copse.SphericalKMeans(options.k, spherical=False, init=start, online=False,
                                                      max_iter=1000, n_jobs=options.threads),
                "copse, spherical, batches": copse.SphericalKMeans(options.k, init=start, online=False, max_iter=1000,
                                                                   n_jobs=options.threads),
                "copse, spherical": copse.SphericalKMeans(options.k, init=start, max_iter=1000, n_jobs=options.threads),
            }
            for name, model in runs.items():
                began = cpu()
                model.fit(x)
                took = cpu() - began
                rows.append((name, took, *objectives(exact, np.maximum(model.labels_, 0)), model.n_iter_))
                print(f"seed {seed}: {name}: {took:.2f} s, squared {rows[-1][2]:.3f}, spherical {rows[-1][3]:.3f}, "
                      f"{model.n_iter_} iterations", file=sys.stderr, flush=True)
        print(f"### {corpus}: {x.shape[0]:,} documents, {x.shape[1]:,} words, {x.nnz:,} entries\n")
        print("| | CPU seconds, median (least .. most) | squared, mean (least .. most) | spherical, mean (least .. most) | "
              "iterations, median |")
        print("| --- | --- | --- | --- | --- |")
        names = list(dict.fromkeys(row[0] for row in rows))
        for name in names:
            took, *values, counts = zip(*[row[1:] for row in rows if row[0] == name])
            spread = " | ".join(f"{statistics.mean(v):.1f} ({min(v):.1f} .. {max(v):.1f})" for v in values)
            print(f"| {name} | {statistics.median(took):.3g} ({min(took):.3g} .. {max(took):.3g}) | {spread} | "
                  f"{statistics.median(counts):.0f} |")
        print()
        for name, column in zip(names[1:], (2, 3, 3)):
            pairs = list(zip(*[[row for row in rows if row[0] == which] for which in (names[0], name)]))
            ratios = [theirs[1] / ours[1] for theirs, ours in pairs]
            apart = [(ours[column] - theirs[column]) / theirs[column] for theirs, ours in pairs]
            print(f"{name}: {statistics.median(ratios):.1f} times less CPU ({min(ratios):.1f} .. {max(ratios):.1f}); its "
                  f"objective minus scikit-learn's, as a share: {min(apart):.1e} .. {max(apart):.1e}.")
        print(flush=True)


if __name__ == "__main__":
    main()
