#!/usr/bin/env python3
"""`fit_transform` of scikit-learn's NMF and of copse's from Python, on text, pictures and cells, taking turns.

Both get the same matrix (float32) and the same number of threads. For every seed scikit-learn runs first with its
defaults, then copse with its defaults and with scikit-learn's start. Last, copse runs until it reaches scikit-learn's
error: the history of a run with its defaults says after which iteration that is, and a run that ends there is timed. A
run that converges above the error is charged in full and followed by another with another seed. Errors that agree to
1e-6 are the same. Where the loss is Kullback-Leibler, scikit-learn has solver='mu' and both start at random.

CPU seconds are those of all threads of the process; they are what a busy machine changes least.

    bench/python_nmf.py --seeds 3          results in bench/results/python_nmf.md
"""
import argparse
import datetime
import functools
import gzip
import json
import os
import pathlib
import statistics
import sys
import time
import warnings

import numpy as np
import scipy.ndimage
import scipy.sparse
import sklearn
import threadpoolctl
from flat_nmf import machine, spread
from sklearn.decomposition import NMF as TheirNMF
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

import copse

ROOT = pathlib.Path(__file__).resolve().parent.parent
MOST_RUNS = 10
SAME = 1 + 1e-6
KL = "kullback-leibler"


def texts(folder):
    file = next(iter(sorted(folder.glob("*.jsonl.gz"))))
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        return [json.loads(line)["text"] for line in lines]


def tf_idf(folder):
    """As a user of scikit-learn would have it."""
    return TfidfVectorizer(min_df=3, stop_words="english", dtype=np.float32).fit_transform(texts(folder))


def counts(folder):
    return CountVectorizer(min_df=5, stop_words="english", dtype=np.float32).fit_transform(texts(folder))


def pictures(folder):
    images = np.moveaxis(np.load(folder / "images.npy"), -1, 0)  # height x width x pictures in the file
    return np.ascontiguousarray(images.reshape(len(images), -1), dtype=np.float32)


def grey_levels(folder):
    """From 0 to 1. From 0 to 255 scikit-learn's rule, which depends on the scale, stops after two iterations."""
    return pictures(folder) / np.float32(255)


def enlarged(folder, samples=20_000, seed=0):
    """The digits at 28 x 28 pixels, moved by up to three pixels each way, as many as asked for: like MNIST."""
    images = np.moveaxis(np.load(folder / "images.npy"), -1, 0).astype(np.float32)
    large = scipy.ndimage.zoom(images, (1, 20 / 8, 20 / 8), order=1)
    random = np.random.default_rng(seed)
    X = np.zeros((samples, 28, 28), np.float32)
    for i, source in enumerate(random.integers(0, len(large), samples)):
        down, right = random.integers(1, 8, 2)
        X[i, down : down + 20, right : right + 20] = np.maximum(0, large[source])
    return X.reshape(samples, -1)


def cells(folder):
    """Equal library sizes and logarithms, cells x genes."""
    return copse.normalize_counts(copse.read(folder / "matrix.mtx.gz").X)


DATA = {  # name: folder, how it is read, k, loss, scikit-learn's iterations at most
    "20 Newsgroups, tf-idf": ("20newsgroups", tf_idf, 20, "frobenius", 200),
    "arXiv abstracts, tf-idf": ("arxiv_abstracts", tf_idf, 25, "frobenius", 200),
    "ORL faces": ("orl_faces_32x32", grey_levels, 40, "frobenius", 200),
    "digits, enlarged": ("digits_8x8", enlarged, 10, "frobenius", 200),
    "pbmc3k, normalised": ("pbmc3k", cells, 9, "frobenius", 200),
    "digits, Kullback-Leibler": ("digits_8x8", pictures, 10, KL, 200),
    "20 Newsgroups, counts, Kullback-Leibler": ("20newsgroups", counts, 20, KL, 10),
}


def timed(function):
    wall, cpu = time.perf_counter(), time.process_time()
    value = function()
    return value, {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}


def error_of(X, W, H, loss):
    """|X - W H| / |X|, or the divergence, in double precision, whoever made the factors."""
    W, H = W.astype(np.float64), H.astype(np.float64)
    if loss == KL:
        entries = scipy.sparse.csr_matrix(X)
        rows = np.repeat(np.arange(X.shape[0]), np.diff(entries.indptr))
        values, product = entries.data.astype(np.float64), np.empty(entries.nnz)
        for begin in range(0, entries.nnz, 1 << 18):
            part = slice(begin, begin + (1 << 18))
            product[part] = np.einsum("ij,ij->i", W[rows[part]], H.T[entries.indices[part]])
        seen = values > 0
        logs = values[seen] * np.log(values[seen] / np.maximum(product[seen], np.finfo(np.float32).tiny))
        return float(logs.sum() - values.sum() + W.sum(axis=0) @ H.sum(axis=1))
    entries = X.data if scipy.sparse.issparse(X) else X
    norm = float((entries.astype(np.float64) ** 2).sum())
    cross = float(((X @ H.T.astype(X.dtype)).astype(np.float64) * W).sum())
    return float(np.sqrt(max(0.0, norm - 2 * cross + float(((W.T @ W) * (H @ H.T)).sum())) / norm))


def run(model, X, loss):
    W, seconds = timed(functools.partial(model.fit_transform, X))
    return seconds | {"error": error_of(X, W, model.components_, loss), "iterations": int(model.n_iter_)}


def theirs(X, k, loss, seed, most):
    special = {"solver": "mu", "beta_loss": loss, "init": "random"} if loss == KL else {}
    return run(TheirNMF(k, random_state=seed, max_iter=most, **special), X, loss)


def to_error(X, k, loss, seed, target):
    spent = {"cpu": 0.0, "wall": 0.0}
    for number in range(MOST_RUNS):
        begin = functools.partial(copse.NMF, k, beta_loss=loss, random_state=seed + 1000 * number)
        whole = run(begin(), X, loss)
        # The history of float32 is known to 1e-3 only: bisect for the first iteration that is there.
        low, high, best = 1, whole["iterations"], whole
        if whole["error"] > SAME * target:
            spent = {name: spent[name] + whole[name] for name in spent}
            continue
        while low < high:
            middle = (low + high) // 2
            part = run(begin(max_iter=middle), X, loss)
            if part["error"] <= SAME * target:
                high, best = middle, part
            else:
                low = middle + 1
        return {name: spent[name] + best[name] for name in spent} | {"runs": number + 1, "iterations": high, "reached": True}
    return spent | {"runs": MOST_RUNS, "iterations": 0, "reached": False}


def section(name, k, X, loss, runs):
    stored = X.nnz if scipy.sparse.issparse(X) else np.count_nonzero(X)
    what = "divergence" if loss == KL else "relative error"
    lines = [f"### {name}: {X.shape[0]:,} x {X.shape[1]:,}, {stored:,} nonzeros, {'sparse' if scipy.sparse.issparse(X) else 'dense'}, k = {k}", "",
             f"| | CPU seconds, mean (least .. most) | wall | {what} | iterations |", "| --- | --- | --- | --- | --- |"]
    for who in runs[0]:
        mine = [one[who] for one in runs]
        errors = [one["error"] for one in mine if "error" in one]
        shown = f"{statistics.mean(errors):.6g}" if errors else ""
        lines.append(f"| {who} | {spread([one['cpu'] for one in mine])} | {spread([one['wall'] for one in mine])} | {shown} | "
                     f"{', '.join(str(one['iterations']) for one in mine)} |")
    last = [one["copse, to scikit-learn's error"] for one in runs]
    ratio = [one["scikit-learn"]["cpu"] / one["copse, to scikit-learn's error"]["cpu"] for one in runs]
    whole = [one["scikit-learn"]["cpu"] / one["copse"]["cpu"] for one in runs]
    lines += ["", f"CPU, scikit-learn / copse: {spread(ratio)} to the same error, {spread(whole)} for whole runs. Reached: "
              f"{sum(one['reached'] for one in last)} of {len(runs)}; runs it took: {', '.join(str(one['runs']) for one in last)}.", ""]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", choices=list(DATA), default=list(DATA))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path(os.environ.get("COPSE_DATA", ROOT / "../shared/data")))
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "bench/results/python_nmf.md")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    head = ["# NMF from Python: copse and scikit-learn", "",
            f"`./run bench python_nmf --seeds {arguments.seeds}`, {datetime.date.today()}, {machine()}, {arguments.threads} threads each, "
            f"{arguments.seeds} seeds, runs interleaved, other work on the machine.",
            f"scikit-learn {sklearn.__version__}, float32.", ""]
    sections = []
    with threadpoolctl.threadpool_limits(arguments.threads):
        copse.NMF(2, random_state=0).fit(np.eye(9, dtype=np.float32))  # what is loaded on first use
        for name in arguments.data:
            folder, read, k, loss, most = DATA[name]
            X = read(arguments.folder / folder)
            runs = []
            for seed in range(arguments.seeds):
                one = {"scikit-learn": theirs(X, k, loss, seed, most)}
                one["copse"] = run(copse.NMF(k, beta_loss=loss, random_state=seed), X, loss)
                if loss != KL:
                    one["copse, init='nndsvda'"] = run(copse.NMF(k, init="nndsvda", random_state=seed), X, loss)
                one["copse, to scikit-learn's error"] = to_error(X, k, loss, seed, one["scikit-learn"]["error"])
                runs.append(one)
                print(name, "seed", seed, json.dumps(one), file=sys.stderr, flush=True)
            sections.append(section(name, k, X, loss, runs))
            arguments.output.write_text("\n".join(head) + "\n" + "\n".join(sections))
    print("\n".join(sections))


if __name__ == "__main__":
    main()
