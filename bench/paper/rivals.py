#!/usr/bin/env python3
"""Thesis tables 9 and 10: mean and best accuracy of eight methods on Reuters-21578 and ORL, ours beside theirs.

    bench/paper/rivals.py [--runs 20] [--data ORL Reuters] [--methods KM SKM] [--faces FOLDER] [--idf plain]

Data: Reuters as corpora.py has it (the thesis: 8,095 documents, 12,998 terms), with unit columns and normalized-cut weights for
KM, NMF and GNMF; ORL as 32 x 32 pictures cropped to the face, or, with --faces, as the database is published (s1/1.pgm to
s40/10.pgm, 92 x 112) and reduced to the thesis's 69 x 84; every picture scaled to [0, 1] for them. Graphs: cosine of
text, self-tuning of pictures, floor(log2 n) + 1 neighbours. Random starts with seeds 0, 1, ...: K-means from random rows, batches
and single moves; GNMF as published, lambda 100; SymNMF by Newton for pictures and ANLS for text, mu = 1e-4. "Best" is the best
by label as in table 10; "by objective" is the run that a user would get. Finished runs are not repeated. Wants COPSE_DATA.
"""
import argparse
import os
import pathlib
import statistics
import time
import warnings

import corpora
import numpy as np
import scipy.sparse as sp
from program import ROOT, Record

THESIS = {  # mean (table 9), best (table 10)
    "Reuters": {"KM": (.4111, .5001), "SKM": (.3332, .4011), "KKM": (.3489, .5313), "NMF": (.3731, .4127),
                "GNMF": (.4460, .5408), "SpNJW": (.3114, .4033), "SpYS": (.4986, .4989), "SymNMF": (.5094, .5633)},
    "ORL": {"KM": (.6499, .7075), "SKM": (.6500, .7025), "KKM": (.6858, .7675), "NMF": (.7020, .7375),
            "GNMF": (.7282, .7900), "SpNJW": (.7127, .7700), "SpYS": (.7752, .7925), "SymNMF": (.7798, .8025)},
}


def reuters(idf):
    x, _, labels = corpora.term_document_matrix(*corpora.reuters(), idf)
    return sp.csr_matrix(x.T), sp.csr_matrix(corpora.normalized_cut(x).T), labels, "cosine"


def cropped_faces():
    folder = pathlib.Path(os.environ["COPSE_DATA"]) / "orl_faces_32x32"
    images = np.load(folder / "images.npy")
    return images.reshape(-1, images.shape[-1]).astype(np.float64).T, (folder / "labels.txt").read_text().split()


def published_faces(folder):
    from PIL import Image

    paths = [pathlib.Path(folder, f"s{person}", f"{picture}.pgm") for person in range(1, 41) for picture in range(1, 11)]
    pictures = [Image.open(path).resize((69, 84), Image.Resampling.BICUBIC) for path in paths]
    return np.array([np.asarray(picture, dtype=np.float64).ravel() for picture in pictures]), [path.parent.name for path in paths]


def orl(folder):
    rows, labels = published_faces(folder) if folder else cropped_faces()
    low, high = rows.min(axis=1, keepdims=True), rows.max(axis=1, keepdims=True)
    return rows, (rows - low) / (high - low), labels, "self-tuning"


def models(k, seed, of_pictures):
    """What each method is, what it reads, and its objective: less is better."""
    import copse

    means = {"init": "random", "random_state": seed, "max_iter": 1000}
    return {
        "KM": (copse.SphericalKMeans(k, spherical=False, **means), "weighed", "inertia_"),
        "SKM": (copse.SphericalKMeans(k, **means), "weighed", "inertia_"),
        "KKM": (copse.KernelKMeans(k, affinity="precomputed", n_init=1, **means), "graph", "normalized_cut_"),
        "NMF": (copse.NMF(k, solver="pivoting", init="random", max_iter=500, random_state=seed), "weighed", "relative_error_"),
        "GNMF": (copse.GNMF(k, max_iter=500, n_init=1, random_state=seed), "weighed", "objective_"),
        "SpNJW": (copse.SpectralClustering(k, affinity="precomputed", n_init=1, random_state=seed), "graph", None),
        "SpYS": (copse.SpectralClustering(k, affinity="precomputed", assign_labels="discretize", n_init=1, random_state=seed),
                 "graph", None),
        "SymNMF": (copse.SymNMF(k, affinity="precomputed", init="random", tau=0, labels="factor", max_iter=10000,
                                solver="newton" if of_pictures else "anls", random_state=seed), "graph", "relative_error_"),
    }


def main():
    import copse

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--data", nargs="+", choices=list(THESIS), default=["ORL", "Reuters"])
    parser.add_argument("--methods", nargs="+", default=list(THESIS["ORL"]))
    parser.add_argument("--record", default=ROOT / "build/bench_data/rivals.json", help="finished runs")
    parser.add_argument("--faces", help="ORL as it is published: a folder that holds s1 to s40")
    parser.add_argument("--idf", choices=list(corpora.IDF), default="plain", help="weights of words: log(n/df), 1 + log(n/df), 1")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    record = Record(arguments.record)
    print("| data | method | mean accuracy, theirs | best, theirs | by objective | NMI, mean | runs | CPU seconds a run |")
    print("|" + " --- |" * 8)
    for name in arguments.data:
        rows, weighed, labels, similarity = reuters(arguments.idf) if name == "Reuters" else orl(arguments.faces)
        recorded = name
        if name == "ORL" and arguments.faces:
            recorded += " as published"
        if name == "Reuters" and arguments.idf != "plain":
            recorded += f", {arguments.idf} idf"
        k = len(set(labels))
        graph = copse.neighbour_graph(rows, similarity)
        inputs = {"weighed": weighed, "graph": graph}
        truth = np.unique(labels, return_inverse=True)[1]

        def one(method, seed):
            model, reads, objective = models(k, seed, name == "ORL")[method]
            began = time.process_time()
            found = model.fit(inputs[reads]).labels_
            took = time.process_time() - began
            measures = copse.evaluate(found, truth)
            value = float(getattr(model, objective)) if objective else None
            return {"accuracy": measures["accuracy"], "nmi": measures["nmi"], "objective": value, "seconds": took}

        for method in arguments.methods:
            runs = [record.run(f"{recorded} {method} {seed}", lambda: one(method, seed)) for seed in range(arguments.runs)]
            scores = [run["accuracy"] for run in runs]
            mean, best = THESIS[name][method]
            chosen = "" if runs[0]["objective"] is None else f"{min(runs, key=lambda run: run['objective'])['accuracy']:.3f}"
            print(f"| {recorded} | {method} | {statistics.mean(scores):.3f}, {mean:.3f} | {max(scores):.3f}, {best:.3f} | {chosen} | "
                  f"{statistics.mean(run['nmi'] for run in runs):.3f} | {len(runs)} | "
                  f"{statistics.median(run['seconds'] for run in runs):.2f} |", flush=True)


if __name__ == "__main__":
    main()
