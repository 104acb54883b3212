#!/usr/bin/env python3
"""Clusters of graphs with known classes: copse from its three starts beside igraph's Leiden and scikit-learn's spectral clustering.

Leiden's resolution is bisected until it gives k groups. All get the same graph, copse wrote it where items were given;
times are those of the clustering alone. Wants COPSE_DATA and Python packages that Copse itself does not need:
igraph (GPL, compared with and never linked) and scikit-learn.

    bench/graph.py PROGRAM                      PROGRAM is build/.../bench/graph
    bench/graph.py PROGRAM --planted NAME       NAME.edges.tsv and NAME.labels.txt as well
    bench/graph.py PROGRAM --items NAME         NAME.npy (a column per item) and NAME.txt as well, by self-tuning neighbours
"""
import argparse
import json
import os
import pathlib
import random
import subprocess
import tempfile
import time

import igraph
import numpy as np
import scipy.sparse as sp
from sklearn.cluster import SpectralClustering
from sklearn.metrics import normalized_mutual_info_score as nmi

GRAPHS = ["karate", "football", "polbooks", "email_eu_core", "lfr_300_mix20", "lfr_600_mix05", "lfr_1000"]
ITEMS = {"digits": ("digits_8x8", []), "ORL": ("orl_faces_32x32", [])}


def copse(program, path, k, truth, *options):
    call = [program, path, "-k", str(k), "--truth", truth, "--threads", "2", *options]
    return json.loads(subprocess.run(call, check=True, capture_output=True, text=True).stdout)


def leiden_to_k(graph, k, seed):
    random.seed(seed)
    igraph.set_random_number_generator(random)

    def at(resolution):
        return graph.community_leiden("modularity", weights="weight", resolution=resolution, n_iterations=2)

    low, high = 1e-3, 1.0
    best = found = at(high)
    while len(found) < k:
        low, high = high, 2 * high
        best = found = at(high)
    for _ in range(14):
        if len(best) == k:
            break
        middle = (low * high) ** .5
        found = at(middle)
        if abs(len(found) - k) < abs(len(best) - k):
            best = found
        low, high = (middle, high) if len(found) < k else (low, middle)
    return best.membership


def row(name, who, agreement, modularity, seconds, note=""):
    print(f"| {name} | {who} | {agreement:.3f} | {modularity:.3f} | {seconds:.2f} | {note} |", flush=True)


def compare(program, name, path, labels_path, options, spectral):
    labels = [line for line in pathlib.Path(labels_path).read_text().split("\n") if line]
    k = len(set(labels))
    edges_path = path
    with tempfile.TemporaryDirectory() as folder:
        if options:
            edges_path = os.path.join(folder, "edges.tsv")
            copse(program, path, k, labels_path, *options, "--write", edges_path, "--iterations", "1")
        for start in ("multilevel", "spectral", "random"):
            if start == "random" and len(labels) > 20000:
                continue
            for source in ("better", "factor"):
                if start == "random" and source == "better":
                    continue
                more = ["--runs", "10"] if start == "random" else []
                found = copse(program, edges_path, k, labels_path, "--start", start, "--labels", source, *more)
                note = f"soft {found['soft_nmi']:.3f}, {found['iterations']} iterations, {found['pieces']} pieces set aside"
                row(name, f"copse, {start}, {source}", found["nmi"], found["modularity"], found["seconds"], note)
        table = np.loadtxt(edges_path, ndmin=2)
    ends, weights = table[:, :2].astype(int), table[:, 2] if table.shape[1] > 2 else np.ones(len(table))
    graph = igraph.Graph(n=len(labels), edges=ends.tolist(), edge_attrs={"weight": weights.tolist()})
    began = time.time()
    found = leiden_to_k(graph, k, 0)
    row(name, "igraph Leiden to k", nmi(labels, found), graph.modularity(found, weights="weight"), time.time() - began,
        f"{len(set(found))} groups")
    if spectral:
        a = sp.coo_matrix((weights, ends.T), (len(labels), len(labels)))
        began = time.time()
        found = SpectralClustering(k, affinity="precomputed", assign_labels="cluster_qr", random_state=0).fit_predict((a + a.T).tocsr())
        row(name, "scikit-learn spectral", nmi(labels, found), graph.modularity(found, weights="weight"), time.time() - began)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--planted", action="append", default=[])
    parser.add_argument("--items", action="append", default=[])
    parser.add_argument("--only", help="one of the graphs; 'none' for none but those that are given")
    call = parser.parse_args()
    data = pathlib.Path(os.environ["COPSE_DATA"])
    print("| graph | method | NMI | modularity | seconds | |\n| --- | --- | --- | --- | --- | --- |")
    for name in GRAPHS:
        if call.only in (None, name):
            folder = data / f"graph_{name}"
            compare(call.program, name, str(folder / "edges.tsv.gz"), str(folder / "labels.txt"), [], True)
    for name, (folder, options) in ITEMS.items():
        if call.only in (None, name):
            images = np.load(data / folder / "images.npy")
            labels = data / folder / "labels.txt"
            count = sum(1 for line in labels.read_text().split("\n") if line)
            axis = images.shape.index(count)
            with tempfile.TemporaryDirectory() as place:
                path = os.path.join(place, "items.npy")  # a column per item
                np.save(path, np.moveaxis(images, axis, -1).reshape(-1, count).astype(np.float32))
                compare(call.program, name, path, str(labels), ["--similarity", "self-tuning", *options], True)
    for name in call.items:
        compare(call.program, pathlib.Path(name).name, name + ".npy", name + ".txt", ["--similarity", "self-tuning"], True)
    for name in call.planted:
        compare(call.program, pathlib.Path(name).name, name + ".edges.tsv", name + ".labels.txt", [], os.path.getsize(name + ".labels.txt") < 100_000)


if __name__ == "__main__":
    main()
