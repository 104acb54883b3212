"""Thesis figures 20 and 26, dcnmf figures 5 and 6: NMI at 2..20 clusters of trees, flattened trees, DC-NMF, NMF and K-means.

  ./run bench paper/tree_quality [--runs 20] [--data Reuters] [--methods "tree, mndcg" K-means]

Preparation: corpora.py with normalized-cut weights, but for K-means. 20 Newsgroups has three truth levels. A tree of copse depends on no
seed, so each run takes another 90 % of the documents, the same for all methods, and the run's number is the seed of those
that need one. The nested partitions are those of one tree; all other methods have one factorization per number of
clusters. Outliers count as one cluster. `authors` is hiernmf2.py, the authors' program transcribed, from random starts.
Runs that an earlier call finished are not repeated.
"""

import argparse
import tempfile

import corpora
import hiernmf2
import numpy as np
from program import ROOT, Program, Record
from sklearn.cluster import KMeans
from sklearn.metrics import normalized_mutual_info_score

MOST_CLUSTERS = 20
LEVELS = {"Reuters": lambda label: (label,), "20 Newsgroups": corpora.newsgroup_levels}


class Sample:
    """90 % of the documents, ready for every method."""

    def __init__(self, name, folder, x, terms, labels, seed):
        kept = np.sort(np.random.default_rng(seed).permutation(x.shape[1])[: round(0.9 * x.shape[1])])
        self.unit, self.seed = x[:, kept], seed
        self.x = corpora.normalized_cut(self.unit)
        self.truth = list(zip(*(LEVELS[name](labels[j]) for j in kept)))
        self.program = Program(folder, self.x, terms)

    def nmi(self, clusters):
        """One number per truth level."""
        return [normalized_mutual_info_score(truth, clusters) for truth in self.truth]


def tree(score):
    """All partitions of one tree; the last one stands where there are no more leaves."""
    def method(sample):
        sample.program("tree", "--leaves", MOST_CLUSTERS, "--score", score, "--no-flat")
        partitions = sample.program.columns("partitions.tsv")
        del partitions["item"]
        values = {int(k): sample.nmi(partition) for k, partition in partitions.items()}
        return {k: values[min(k, max(values))] for k in range(2, MOST_CLUSTERS + 1)}
    return method


def authors(sample):
    """As tree("mndcg"), by the authors' program."""
    partitions = hiernmf2.HierNMF2(sample.x, MOST_CLUSTERS, sample.seed).partitions
    values = {}
    for partition in partitions:
        clusters = np.full(sample.x.shape[1], -1)
        for number, items in enumerate(partition):
            clusters[items] = number
        values[len(partition)] = sample.nmi(clusters)
    return {k: values[min(k, max(values))] for k in range(2, MOST_CLUSTERS + 1)}


def for_each_number(clusters):
    return lambda sample: {k: sample.nmi(clusters(sample, k)) for k in range(2, MOST_CLUSTERS + 1)}


def flattened(sample, k):
    """The tree by mndcg with k leaves, flattened as [Kuang 2014, section 6.7] has it."""
    sample.program("tree", "--leaves", k, "--score", "mndcg")
    return sample.program.columns("assignments.tsv")["cluster"]


def factored(*options):
    def clusters(sample, k):
        sample.program("factor", "-k", k, "--seed", sample.seed, *options)
        return sample.program.columns("assignments.tsv")["cluster"]
    return clusters


def k_means(sample, k):
    """scikit-learn's, on unit columns: from weighted ones it makes clusters of a few documents and one of the rest."""
    return KMeans(k, n_init=1, random_state=sample.seed).fit(sample.unit.T.tocsr()).labels_


METHODS = {
    "tree, mndcg": tree("mndcg"),
    "tree, error": tree("error"),
    "authors": authors,
    "flattened": for_each_number(flattened),
    "DC-NMF": for_each_number(factored("--solver", "dc")),
    "NMF": for_each_number(factored()),
    "K-means": for_each_number(k_means),
}


def report(name, runs, methods, levels):
    """One table per truth level: mean and standard deviation over the runs."""
    for level in range(levels):
        classes = f", truth level {level + 1}" if levels > 1 else ""
        print(f"\n### {name}{classes}\n\n| clusters | " + " | ".join(methods) + " |\n|" + " --- |" * (1 + len(methods)))
        values = {method: np.array([[run[str(k)][level] for k in range(2, MOST_CLUSTERS + 1)] for run in runs[method]])
                  for method in methods}
        for k in range(2, MOST_CLUSTERS + 1):
            cells = [values[method][:, k - 2] for method in methods]
            print(f"| {k} | " + " | ".join(
                f"{c.mean():.3f} ± {c.std():.3f}" if len(c) > 1 else f"{c[0]:.3f}" for c in cells) + " |")
        print("| mean | " + " | ".join(f"{values[method].mean():.3f}" for method in methods) + " |")
    print("\nRuns: " + ", ".join(f"{method} {len(runs[method])}" for method in methods) + ".", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--data", nargs="+", choices=list(LEVELS), default=list(LEVELS))
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), default=list(METHODS))
    parser.add_argument("--runs-of-authors", type=int, default=5, help="fewer, since it is slow")
    parser.add_argument("--record", default=ROOT / "build/bench_data/tree_quality.json", help="finished runs")
    arguments = parser.parse_args()

    record = Record(arguments.record)
    for name in arguments.data:
        x, terms, labels = corpora.term_document_matrix(*corpora.CORPORA[name]())
        runs = {method: [] for method in arguments.methods}
        for seed in range(arguments.runs):
            with tempfile.TemporaryDirectory() as folder:
                sample = Sample(name, folder, x, terms, labels, seed)
                for method, make in METHODS.items():
                    if method not in runs or (method == "authors" and seed >= arguments.runs_of_authors):
                        continue
                    run = record.run(f"{name}, {method}, {seed}",
                                     lambda: {str(k): values for k, values in make(sample).items()})
                    runs[method].append(run)
        report(f"{name}, {x.shape[0]:,} terms x {round(0.9 * x.shape[1]):,} documents", runs, arguments.methods,
               len(LEVELS[name](labels[0])))


if __name__ == "__main__":
    main()
