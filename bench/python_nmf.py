#!/usr/bin/env python3
"""`fit_transform` of scikit-learn's NMF and of copse's on real text, from Python, taking turns.

Both get the same CSR matrix (tf-idf by scikit-learn, float32, sorted) and the same number of threads. For every seed
scikit-learn runs first (`NMF(k)`, its defaults), then copse with its defaults and with scikit-learn's start. Last, copse
runs with its defaults until it reaches scikit-learn's error: a run that converges above it is charged in full and
followed by another with another seed. Errors that agree to 1e-6 are the same: two runs that converge to one minimum stop at
slightly different distances from it. The crossing is what `fit_transform` takes beyond the call of the library.

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
import sklearn
import threadpoolctl
from flat_nmf import machine, spread
from sklearn.decomposition import NMF as TheirNMF
from sklearn.feature_extraction.text import TfidfVectorizer

import copse
from copse import _copse

ROOT = pathlib.Path(__file__).resolve().parent.parent
CORPORA = {"20newsgroups": 20, "arxiv_abstracts": 25}
MOST_RUNS = 10
SAME = 1 + 1e-6


def matrix(folder):
    """tf-idf of the documents as a user of scikit-learn would have it."""
    file = next(iter(sorted(folder.glob("*.jsonl.gz"))))
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line in lines]
    X = TfidfVectorizer(min_df=3, stop_words="english", dtype=np.float32).fit_transform(texts)
    X.sort_indices()
    return X


def timed(function):
    began = time.perf_counter()
    value = function()
    return value, time.perf_counter() - began


def relative_error(X, W, H):
    """|X - W H| / |X| in double precision, whoever made the factors."""
    W, H = W.astype(np.float64), H.astype(np.float64)
    norm = float((X.data.astype(np.float64) ** 2).sum())
    cross = float(((X @ H.T) * W).sum())
    return float(np.sqrt(max(0.0, norm - 2 * cross + float(((W.T @ W) * (H @ H.T)).sum())) / norm))


class Library:
    """Times the calls of the library inside `fit_transform`."""

    def __init__(self):
        self.factorize, self.seconds = _copse.factorize, 0.0

    def __enter__(self):
        def call(*arguments, **named):
            value, seconds = timed(lambda: self.factorize(*arguments, **named))
            self.seconds += seconds
            return value

        _copse.factorize = call
        return self

    def __exit__(self, *_):
        _copse.factorize = self.factorize


def run_theirs(X, k, seed):
    model = TheirNMF(k, random_state=seed)
    W, seconds = timed(lambda: model.fit_transform(X))
    return {"seconds": seconds, "error": relative_error(X, W, model.components_), "iterations": model.n_iter_}


def run_ours(X, k, seed, init=None):
    model = copse.NMF(k, init=init, random_state=seed)
    with Library() as library:
        W, seconds = timed(lambda: model.fit_transform(X))
    return {
        "seconds": seconds,
        "error": relative_error(X, W, model.components_),
        "iterations": model.n_iter_,
        "crossing": (seconds - library.seconds) / seconds,
    }


def run_to_error(X, k, seed, target):
    """The seconds until scikit-learn's error is reached: the history of a run says when; the crossing is added."""
    spent, reached = 0.0, False
    for run in range(MOST_RUNS):
        model = copse.NMF(k, random_state=seed + 1000 * run)
        with Library() as library:
            _, seconds = timed(functools.partial(model.fit_transform, X))
        there = np.flatnonzero(model.history_.relative_error <= SAME * target)
        reached = len(there) > 0
        spent += float(model.history_.seconds[there[0]]) + seconds - library.seconds if reached else seconds
        if reached:
            break
    return {"seconds": spent, "runs": run + 1, "reached": reached}


def section(name, k, X, runs):
    lines = [f"### {name}, {X.shape[0]:,} documents x {X.shape[1]:,} terms, {X.nnz:,} nonzeros, k = {k}", "",
             "| | seconds, mean (least .. most) | relative error | iterations |", "| --- | --- | --- | --- |"]
    for who in ("scikit-learn", "copse", "copse, init='nndsvda'"):
        mine = [run[who] for run in runs]
        lines.append(f"| {who}{'' if ',' in who else ', defaults'} | {spread([run['seconds'] for run in mine])} | "
                     f"{statistics.mean(run['error'] for run in mine):.5f} | "
                     f"{', '.join(str(run['iterations']) for run in mine)} |")
    to_error = [run["to error"] for run in runs]
    lines.append(f"| copse, to scikit-learn's error | {spread([run['seconds'] for run in to_error])} | | |")
    ratios = [run["scikit-learn"]["seconds"] / run["to error"]["seconds"] for run in runs]
    whole = [run["scikit-learn"]["seconds"] / run["copse"]["seconds"] for run in runs]
    same_start = [run["scikit-learn"]["seconds"] / run["copse, init='nndsvda'"]["seconds"] for run in runs]
    crossing = [100 * run["copse"]["crossing"] for run in runs]
    together = sum(run["scikit-learn"]["seconds"] for run in runs) / sum(run["seconds"] for run in to_error)
    lines += ["", f"To the same error copse is {spread(ratios)} times faster, {together:.3g} times all seeds together. Whole runs: both with their "
              f"defaults {spread(whole)} times, both with init='nndsvda' {spread(same_start)} times.",
              f"Reached: {sum(run['reached'] for run in to_error)} of {len(runs)}; runs it took: "
              f"{', '.join(str(run['runs']) for run in to_error)}. Crossing into C++: {spread(crossing)} % of a run.", ""]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", nargs="+", choices=list(CORPORA), default=list(CORPORA))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path(os.environ.get("COPSE_DATA", ROOT / "../shared/data")))
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "bench/results/python_nmf.md")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    sections = []
    with threadpoolctl.threadpool_limits(arguments.threads):
        for name in arguments.corpora:
            X, k = matrix(arguments.data / name), CORPORA[name]
            run_ours(X[:500], 5, 0)  # what is loaded on first use
            runs = []
            for seed in range(arguments.seeds):
                run = {"scikit-learn": run_theirs(X, k, seed), "copse": run_ours(X, k, seed)}
                run["copse, init='nndsvda'"] = run_ours(X, k, seed, "nndsvda")
                run["to error"] = run_to_error(X, k, seed, run["scikit-learn"]["error"])
                runs.append(run)
                print(name, "seed", seed, json.dumps(run), file=sys.stderr, flush=True)
            sections.append(section(name, k, X, runs))
    head = ["# NMF from Python: copse and scikit-learn", "",
            f"{datetime.date.today()}, {machine()}, {arguments.threads} threads each, {arguments.seeds} seeds, runs interleaved.",
            f"scikit-learn {sklearn.__version__} (`NMF(k)`, its defaults), tf-idf in float32. Made by `bench/python_nmf.py`.", ""]
    arguments.output.write_text("\n".join(head) + "\n" + "\n".join(sections))
    print("\n".join(sections))


if __name__ == "__main__":
    main()
