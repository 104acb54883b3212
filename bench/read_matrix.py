"""Time to read a matrix, beside SciPy: MatrixMarket against mmread, .npz against load_npz, 2 threads each, interleaved.

Usage: read_matrix.py [FILE...]; without files, a matrix like the issue's (50,000 x 100,000, 7.5 million entries) is made.
COPSE_PROGRAM names the program; the benchmark matrix_reader is found beside it.
"""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import scipy
import scipy.io
import scipy.sparse

THREADS, ROUNDS = 2, 7
READER = pathlib.Path(os.environ["COPSE_PROGRAM"]).parent.parent / "bench" / "matrix_reader"


def seconds_of_copse(path, precision):
    command = [READER, f"--benchmark_filter=read_file<{precision}>/threads:{THREADS}/", "--benchmark_min_time=0",
               "--benchmark_format=json"]
    output = subprocess.run(command, env=os.environ | {"COPSE_BENCH_MATRIX": str(path)}, check=True, capture_output=True)
    return json.loads(output.stdout)["benchmarks"][0]["real_time"] / 1000


def seconds_of_scipy(path):
    read = scipy.sparse.load_npz if path.suffix == ".npz" else scipy.io.mmread
    start = time.perf_counter()
    read(path)
    return time.perf_counter() - start


def make_files(folder):
    random = np.random.default_rng(1)
    terms = np.minimum(random.zipf(1.3, 16_000_000) - 1, 49_999)
    x = scipy.sparse.csc_matrix((np.ones(len(terms)), (terms, random.integers(0, 100_000, len(terms)))), (50_000, 100_000))
    x.data /= np.repeat(np.sqrt(np.asarray(x.power(2).sum(axis=0))[0]), np.diff(x.indptr))
    paths = [folder / "made.mtx", folder / "made.mtx.gz", folder / "made.npz", folder / "deflated.npz"]
    for path in paths[:2]:
        scipy.io.mmwrite(path, x, precision=9)
    scipy.sparse.save_npz(paths[2], x, compressed=False)
    scipy.sparse.save_npz(paths[3], x)
    return paths


def main():
    scipy.io._fast_matrix_market.PARALLELISM = THREADS
    with tempfile.TemporaryDirectory() as folder:
        paths = [pathlib.Path(name) for name in sys.argv[1:]] or make_files(pathlib.Path(folder))
        print(f"SciPy {scipy.__version__}, {THREADS} threads each, medians of {ROUNDS} interleaved rounds")
        print(f"{'file':16} {'MB':>6} {'float':>8} {'double':>8} {'SciPy':>8}  SciPy/double")
        for path in paths:
            times = {"float": [], "double": [], "scipy": []}
            for _ in range(ROUNDS):
                times["float"].append(seconds_of_copse(path, "float"))
                times["double"].append(seconds_of_copse(path, "double"))
                times["scipy"].append(seconds_of_scipy(path))
            single, double, other = (statistics.median(values) for values in times.values())
            ratio = statistics.median(s / d for s, d in zip(times["scipy"], times["double"]))
            print(f"{path.name:16} {path.stat().st_size / 1e6:6.0f} {single:7.3f}s {double:7.3f}s {other:7.3f}s  {ratio:.2f}")


if __name__ == "__main__":
    main()
