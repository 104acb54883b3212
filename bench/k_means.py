"""Spherical K-means beside scikit-learn's KMeans on unit rows: CPU seconds to the same objective.

    python bench/k_means.py PROGRAM X.npz [-k 20] [--turns 3]

Both start from k-means++ and make batches only (--batch-only, Lloyd). Ours counts the whole process, reading included;
theirs the call of fit() alone. The objective is the sum of 1 - cos of both, from labels, in double.
"""

import argparse
import json
import os
import pathlib
import resource
import subprocess
import tempfile
import time

import numpy as np
import scipy.sparse
from sklearn.cluster import KMeans
from sklearn.preprocessing import normalize


def objective(x, labels):
    """n - sum over clusters of |sum of unit rows|."""
    k = labels.max() + 1
    sums = scipy.sparse.csr_matrix((np.ones(len(labels)), (labels, np.arange(len(labels)))), (k, len(labels))) @ x
    return len(labels) - np.sqrt(sums.multiply(sums).sum(axis=1)).sum()


def ours(program, path, x, k, seed, more):
    with tempfile.TemporaryDirectory() as folder:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run = subprocess.run([program, "cluster", path, "--items", "rows", "-k", str(k), "--method", "spherical-kmeans",
                              "--seed", str(seed), "--quiet", "--no-page", "-o", folder + "/out", *more],
                             capture_output=True, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert run.returncode == 0, run.stderr
        rows = (pathlib.Path(folder) / "out" / "assignments.tsv").read_text().splitlines()[1:]
        result = json.loads((pathlib.Path(folder) / "out" / "result.json").read_text())
    labels = np.array([int(row.split("\t")[1]) for row in rows])
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return objective(x, labels), cpu, result["seconds"]["solve"], result["iterations"]


def theirs(x, k, seed):
    model = KMeans(k, n_init=1, random_state=seed, tol=0, max_iter=100)
    began, wall = time.process_time(), time.perf_counter()
    model.fit(x)
    return objective(x, model.labels_), time.process_time() - began, time.perf_counter() - wall, model.n_iter_


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("matrix")
    parser.add_argument("-k", type=int, default=20)
    parser.add_argument("--turns", type=int, default=3)
    arguments = parser.parse_args()
    x = normalize(scipy.sparse.load_npz(arguments.matrix).tocsr()).astype(np.float32)
    print(f"{x.shape[0]} items, {x.shape[1]} features, {x.nnz} entries, k = {arguments.k}, {os.cpu_count()} cores")
    print("seed  who              objective  CPU s  wall s  iterations")
    for seed in range(arguments.turns):
        for who, run in (("ours, batches", lambda: ours(arguments.program, arguments.matrix, x, arguments.k, seed, ["--batch-only"])),
                         ("scikit-learn", lambda: theirs(x, arguments.k, seed)),
                         ("ours", lambda: ours(arguments.program, arguments.matrix, x, arguments.k, seed, []))):
            value, cpu, wall, iterations = run()
            print(f"{seed:4}  {who:14}  {value:11.2f}  {cpu:5.2f}  {wall:6.2f}  {iterations:6}", flush=True)


if __name__ == "__main__":
    main()
