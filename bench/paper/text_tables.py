"""Thesis tables 2, 3 and 4: accuracy, NMI and sparseness of NMF by MU, ANLS and sparse ANLS on two text collections.

  ./run bench paper/text_tables [--runs 20] [--data Reuters] [--methods MU ANLS]

Prints ours beside theirs, mean and standard deviation over random starts. Preparation: corpora.py, with unit columns and
normalized-cut weights; k is the number of classes; ANLS is block principal pivoting; sparse has alpha = max(X)^2 and
beta = 0.01; at most 500 iterations (the thesis does not say its limit). An entry counts as zero at or below 1e-16, the
constant that keeps MU from dividing by zero. Runs that an earlier call finished are not repeated.
"""

import argparse
import tempfile

import corpora
import numpy as np
from program import ROOT, Program, Record
from safetensors.numpy import load_file

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


def one_run(program, k, options, seed):
    result = program("factor", "-k", k, "--truth", program.folder / "labels.txt", "--precision", "double",
                     "--max-iterations", 500, "--seed", seed, *options)
    model = load_file(program.output / "model.safetensors")
    return {"accuracy": result["measures"]["accuracy"], "nmi": result["measures"]["nmi"],
            "w": percentage_of_zeros(model["w"]), "h": percentage_of_zeros(model["h"]),
            "iterations": result["iterations"], "seconds": result["seconds"]["solve"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20, help="random starts per method (thesis: 20)")
    parser.add_argument("--data", nargs="+", choices=list(corpora.CORPORA), default=list(corpora.CORPORA))
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), default=list(METHODS))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--record", default=ROOT / "build/bench_data/text_tables.json", help="finished runs")
    arguments = parser.parse_args()

    record = Record(arguments.record)
    print("| data | method | | accuracy | NMI | % zeros W | % zeros H | iterations |\n|" + " --- |" * 8)
    for name in arguments.data:
        x, _, labels = corpora.term_document_matrix(*corpora.CORPORA[name]())
        with tempfile.TemporaryDirectory() as folder:
            program = Program(folder, corpora.normalized_cut(x), threads=arguments.threads)
            (program.folder / "labels.txt").write_text("\n".join(labels) + "\n")
            for method in arguments.methods:
                runs = [record.run(f"{name}, {method}, {seed}",
                                   lambda: one_run(program, len(set(labels)), METHODS[method], seed))
                        for seed in range(arguments.runs)]
                columns = [[run[key] for run in runs] for key in ("accuracy", "nmi", "w", "h")]
                print(f"| {name} {x.shape[0]} x {x.shape[1]} | {method} | ours, {len(runs)} runs | "
                      + " | ".join(f"{np.mean(c):.{d}f} ± {np.std(c):.{d}f}" for c, d in zip(columns, (4, 4, 2, 2)))
                      + f" | {np.mean([run['iterations'] for run in runs]):.0f} |")
                print("| | | thesis | "
                      + " | ".join(f"{t:.{d}f}" for t, d in zip(THESIS[name, method], (4, 4, 2, 2))) + " | |", flush=True)


if __name__ == "__main__":
    main()
