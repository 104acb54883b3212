#!/usr/bin/env python3
"""Chapter 3 of the thesis on data that is at hand: figure 7 and table 6, figure 8, tables 9 to 11.

    bench/paper/symnmf.py PROGRAM [--part figure7|figure8|tables] [--starts 20] [--data ORL Reuters] [--picture FILE.svg]

PROGRAM is build/.../bench/graph. The papers' scaling is taken (tau 0, no component set aside) and random starts, except in
the rows that say otherwise. COIL-20 is not at hand: figure 8 is drawn from ORL (400 faces of 32 x 32, where the thesis has
69 x 84). Newton is left out on Reuters: it holds n x n numbers for every cluster, and the thesis takes ANLS there too. The
rows of the tables stand beside those of rivals.py. Finished runs of the tables are not repeated. Wants COPSE_DATA, scikit-learn and, for the picture, matplotlib.
"""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans
from scipy.optimize import linear_sum_assignment

import corpora
from program import ROOT, Record

PAPERS = ["--tau", "0", "--least-component", "0", "--start", "random", "--labels", "factor", "--iterations", "10000"]


def graph(program, path, k, truth, *options):
    call = [program, path, "-k", str(k), "--truth", str(truth), "--threads", "2", *options]
    before = os.times().children_user
    found = json.loads(subprocess.run(call, check=True, capture_output=True, text=True).stdout)
    return found | {"cpu": os.times().children_user - before}


def accuracy(labels, found):
    table = np.zeros((len(set(labels)), max(found) + 1))
    numbers = {label: n for n, label in enumerate(sorted(set(labels)))}
    for label, cluster in zip(labels, found):
        table[numbers[label], cluster] += 1
    return table[linear_sum_assignment(-table)].sum() / len(labels)


def figure7(program, place, starts):
    folder = pathlib.Path(os.environ["COPSE_DATA"]) / "toy2d" / "zelnik2"
    points = np.loadtxt(folder / "points.tsv", skiprows=1)
    labels = (folder / "labels.txt").read_text().split()
    path = os.path.join(place, "points.npy")
    np.save(path, (points - points.min(0)).T)  # distances stay, and no entry is negative
    distances = ((points[:, None] - points[None]) ** 2).sum(2)
    a = np.exp(-distances / .05**2)
    scale = 1 / np.sqrt(a.sum(0))
    values, vectors = np.linalg.eigh(a * scale[:, None] * scale[None])
    print("Table 6, leading eigenvalues:", ", ".join(f"{value:.16f}" for value in values[:-5:-1]))
    rows = vectors[:, -3:]
    rows = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-300)
    found = [KMeans(3, n_init=10, random_state=seed).fit_predict(rows) for seed in range(starts)]
    print(f"\nFigure 7, 303 points, sigma .05, all pairs, {starts} starts\n\n| method | mean accuracy | best |\n| --- | --- | --- |")
    scores = [accuracy(labels, labels_found) for labels_found in found]
    print(f"| spectral (rows of three eigenvectors, K-means) | {np.mean(scores):.3f} | {max(scores):.3f} |")
    common = ["--similarity", "gaussian", "--sigma", ".05", "--neighbours", "302"]
    for name, options in (("SymNMF, newton", [*PAPERS, "--solver", "newton"]), ("SymNMF, anls", [*PAPERS, "--solver", "anls"]),
                          ("SymNMF, coordinate descent", [*PAPERS, "--solver", "coordinate"]), ("copse as it is", [])):
        runs = [graph(program, path, 3, folder / "labels.txt", *common, *options, "--seed", str(seed)) for seed in range(starts)]
        scores = [run["accuracy"] for run in runs]
        best = min(runs, key=lambda run: run["relative_error"])
        print(f"| {name} | {np.mean(scores):.3f} | {max(scores):.3f}, by objective {best['accuracy']:.3f} |", flush=True)


def faces(place):
    folder = pathlib.Path(os.environ["COPSE_DATA"]) / "orl_faces_32x32"
    images = np.load(folder / "images.npy")
    path = os.path.join(place, "faces.npy")
    np.save(path, images.reshape(-1, images.shape[-1]).astype(np.float32))
    return path, folder / "labels.txt", 40, ["--similarity", "self-tuning"]


def reuters(place):
    x, _, labels = corpora.term_document_matrix(*corpora.reuters())
    sp.save_npz(os.path.join(place, "reuters.npz"), x)
    truth = os.path.join(place, "reuters.txt")
    pathlib.Path(truth).write_text("\n".join(label.replace("\n", " ") for label in labels) + "\n")
    return os.path.join(place, "reuters.npz"), truth, 20, ["--similarity", "cosine"]


def figure8(program, place, picture):
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    path, truth, k, similarity = faces(place)
    figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    print("\nFigure 8, ORL, one random start, papers' scaling\n\n| solver | iterations | seconds | relative error | projected gradient ratio |\n| --- | --- | --- | --- | --- |")
    for solver in ("newton", "anls", "anls-growing", "hals", "coordinate", "gauss-newton"):
        run = graph(program, path, k, truth, *similarity, *PAPERS, "--solver", solver, "--history", "1")
        number, error, gradient, _, seconds = np.array(run["history"]).T
        papers = solver in ("newton", "anls")  # the two of the thesis; the others are drawn thin
        style = {"label": solver, "linewidth": 2 if papers else .9, "alpha": 1 if papers else .7, "zorder": 3 if papers else 2}
        axes[0].semilogx(np.maximum(seconds, 1e-3), error, **style)
        axes[1].loglog(np.maximum(seconds, 1e-3), np.maximum(gradient, 1e-6), **style)
        print(f"| {solver} | {number[-1]:.0f} | {seconds[-1]:.2f} | {error[-1]:.6f} | {gradient[-1]:.2g} |", flush=True)
    axes[0].set_ylabel("|A - B B'| / |A|")
    axes[1].set_ylabel("projected gradient / that of the start")
    for axis in axes:
        axis.set_xlabel("CPU seconds")
    axes[0].set_title("Objective")
    axes[1].set_title("Stationarity; the line is where a run stops")
    axes[1].axhline(1e-4, color="grey", linewidth=.8, linestyle=":")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=6, frameon=False)
    figure.savefig(picture, metadata={"Date": None})


def tables(program, place, starts, data):
    record = Record(ROOT / "build/bench_data/symnmf.json")
    print(f"\nTables 9 to 11, {starts} random starts, mu = 1e-4\n")
    print("| data | solver | mean accuracy | best by label | by objective | by modularity | NMI, mean | CPU seconds a run |")
    print("|" + " --- |" * 8)
    for name, source in (("ORL", faces), ("Reuters", reuters)):
        if name not in data:
            continue
        path, truth, k, similarity = source(place)
        edges = os.path.join(place, "edges.tsv")
        graph(program, path, k, truth, *similarity, "--write", edges, "--iterations", "1")

        def rows(who, options, count):
            runs = [record.run(f"{name} {who} {seed}", lambda: graph(program, edges, k, truth, *options, "--seed", str(seed)))
                    for seed in range(count)]
            scores = [run["accuracy"] for run in runs]
            chosen = [min(runs, key=lambda run: run["relative_error"]), max(runs, key=lambda run: run["modularity"])]
            print(f"| {name} | {who} | {np.mean(scores):.3f} | {max(scores):.3f} | " +
                  " | ".join(f"{run['accuracy']:.3f}" for run in chosen) +
                  f" | {np.mean([run['nmi'] for run in runs]):.3f} | {np.median([run['cpu'] for run in runs]):.1f} |", flush=True)

        for solver in ("coordinate", "anls", "newton")[:2 if source is reuters else 3]:
            rows(f"SymNMF, {solver}", [*PAPERS, "--solver", solver], starts)
        rows("copse as it is", [], 3)
        rows("copse, spectral start, factor", ["--start", "spectral", "--labels", "factor"], 3)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--part", choices=["figure7", "figure8", "tables"])
    parser.add_argument("--starts", type=int, default=20)
    parser.add_argument("--data", nargs="+", choices=["ORL", "Reuters"], default=["ORL", "Reuters"])
    parser.add_argument("--picture", default="kuang_2014_figure_8.svg")
    call = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        if call.part in (None, "figure7"):
            figure7(call.program, place, call.starts)
        if call.part in (None, "figure8"):
            figure8(call.program, place, call.picture)
        if call.part in (None, "tables"):
            tables(call.program, place, call.starts, call.data)


if __name__ == "__main__":
    main()
