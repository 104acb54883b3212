"""Thesis tables 2, 3 and 4: accuracy, NMI and sparseness of NMF by MU, ANLS and sparse ANLS on two text collections.

  ./run bench paper/text_tables [--runs 20] [--data Reuters] [--methods MU ANLS]

Prints ours beside theirs, mean and standard deviation over random starts. Preparation: corpora.py, with unit columns and
normalized-cut weights; k is the number of classes; ANLS is block principal pivoting; sparse has alpha = max(X)^2 and
beta = 0.01; at most 500 iterations (the thesis does not say its limit). An entry counts as zero at or below 1e-16, the
constant that keeps MU from dividing by zero.
"""

import argparse
import json
import os
import subprocess
import tempfile
from pathlib import Path

import corpora
import numpy as np
import scipy.sparse as sp
from safetensors.numpy import load_file

CORPORA = {"Reuters": corpora.reuters, "20 Newsgroups": corpora.newsgroups}
METHODS = {
    "MU": ["--solver", "mu"],
    "ANLS": ["--solver", "pivoting"],
    "sparse ANLS": ["--solver", "pivoting", "--sparse", "0.01", "--sparse-w", "thesis"],
}
# accuracy, NMI, percentage of zeros in W, in H
THESIS = {
    ("Reuters", "MU"): (0.3686, 0.5308, 40.92, 12.87),
    ("Reuters", "ANLS"): (0.3731, 0.5320, 68.14, 59.41),
    ("Reuters", "sparse ANLS"): (0.3917, 0.5497, 66.54, 72.84),
    ("20 Newsgroups", "MU"): (0.3735, 0.4069, 46.38, 15.73),
    ("20 Newsgroups", "ANLS"): (0.4150, 0.4304, 71.87, 56.16),
    ("20 Newsgroups", "sparse ANLS"): (0.3970, 0.4283, 71.01, 75.22),
}


def percentage_of_zeros(factor):
    return 100 * float(np.mean(factor <= 1e-16))


def one_run(copse, folder, k, options, seed):
    output = folder / "out"
    command = [copse, "factor", folder / "x.npz", "-k", k, "--truth", folder / "labels.txt", "--precision", "double",
               "--max-iterations", 500, "--seed", seed, "-o", output, "--force", "--quiet", *options]
    subprocess.run([str(part) for part in command], check=True)
    measures = json.loads((output / "result.json").read_text())["measures"]
    model = load_file(output / "model.safetensors")
    return measures["accuracy"], measures["nmi"], percentage_of_zeros(model["w"]), percentage_of_zeros(model["h"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--copse", default=os.environ.get("COPSE_PROGRAM", "copse"), help="the program")
    parser.add_argument("--runs", type=int, default=20, help="random starts per method (thesis: 20)")
    parser.add_argument("--data", nargs="+", choices=list(CORPORA), default=list(CORPORA), help="which collections")
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), default=list(METHODS), help="which methods")
    arguments = parser.parse_args()

    print("| data | method | | accuracy | NMI | % zeros W | % zeros H |\n| --- | --- | --- | --- | --- | --- | --- |")
    for name in arguments.data:
        x, _, labels = corpora.term_document_matrix(*CORPORA[name](), normalized_cut=True)
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            sp.save_npz(folder / "x.npz", x, compressed=False)
            (folder / "labels.txt").write_text("\n".join(labels) + "\n")
            for method in arguments.methods:
                runs = np.array([one_run(arguments.copse, folder, len(set(labels)), METHODS[method], seed)
                                 for seed in range(arguments.runs)])
                mean, spread = runs.mean(axis=0), runs.std(axis=0)
                theirs = THESIS[name, method]
                print(f"| {name} {x.shape[0]} x {x.shape[1]} | {method} | ours | "
                      + " | ".join(f"{m:.{d}f} ± {s:.{d}f}" for m, s, d in zip(mean, spread, (4, 4, 2, 2))) + " |")
                print("| | | thesis | " + " | ".join(f"{t:.{d}f}" for t, d in zip(theirs, (4, 4, 2, 2))) + " |", flush=True)


if __name__ == "__main__":
    main()
