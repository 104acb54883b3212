#!/usr/bin/env python3
"""SymNMF of a neighbour graph beside RcppML: CPU seconds to the objective that RcppML reaches.

    bench/rcppml_graph.py PROGRAM ITEMS.npz [-k 20] [--nodes 10000] [--seeds 3]

PROGRAM is build/.../bench/graph. The first --nodes columns of ITEMS become a graph of their exact cosine neighbours, scaled as
the papers have it; both get that matrix, one thread and a random start. RcppML is Debian's (r-cran-rcppml, with Rscript);
the table says how far its two factors differ, 0 where they are equal. Times are those of the factorizations alone, in
turns, seed by seed.
"""
import argparse
import json
import os
import subprocess
import tempfile

import numpy as np
import scipy.io
import scipy.sparse as sp

SCRIPT = """
suppressMessages({library(Matrix); library(RcppML)})
words <- commandArgs(TRUE)
A <- as(readMM(words[1]), "CsparseMatrix")
A <- as(A, "generalMatrix")
setRcppMLthreads(1)
spent <- system.time(fit <- nmf(A, as.integer(words[2]), tol = as.numeric(words[4]), maxit = 1000, verbose = FALSE, seed = as.integer(words[3])))
WD <- fit$w %*% diag(fit$d)
objective <- sum(A@x^2) - 2 * sum((A %*% t(fit$h)) * WD) + sum(crossprod(WD) * tcrossprod(fit$h))
same <- max(abs(fit$w - t(fit$h))) / max(fit$w)
cat(sprintf('{"seconds": %.4f, "relative_error": %.9f, "iterations": %d, "asymmetry": %.3g}', spent[["user.self"]] + spent[["sys.self"]],
            sqrt(objective / sum(A@x^2)), as.integer(fit$iter), same))
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("items")
    parser.add_argument("-k", type=int, default=20)
    parser.add_argument("--nodes", type=int, default=10000)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--tolerance", default="1e-4", help="RcppML's")
    call = parser.parse_args()

    def ours(path, *options):
        words = [call.program, path, "-k", str(call.k), "--threads", "1", "--tau", "0", "--least-component", "0", *options]
        return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)

    with tempfile.TemporaryDirectory() as place:
        items, edges, matrix = (os.path.join(place, name) for name in ("items.npz", "edges.tsv", "a.mtx"))
        sp.save_npz(items, sp.load_npz(call.items).tocsc()[:, : call.nodes])
        ours(items, "--similarity", "cosine", "--write", edges, "--iterations", "1")
        table = np.loadtxt(edges)
        n = int(table[:, :2].max()) + 1
        a = sp.coo_matrix((table[:, 2], table[:, :2].astype(int).T), (n, n))
        a = (a + a.T).tocsr()
        scale = sp.diags(1 / np.sqrt(np.maximum(np.asarray(a.sum(0)).ravel(), 1e-300)))
        scipy.io.mmwrite(matrix, (scale @ a @ scale).tocoo(), symmetry="general", precision=9)
        script = os.path.join(place, "run.R")
        with open(script, "w") as file:
            file.write(SCRIPT)
        print(f"{n} nodes, {a.nnz // 2} edges, k = {call.k}\n")
        print("| seed | RcppML: relative error | W against H' | iterations | CPU s | copse: sweeps to it | CPU s | times faster | copse at its end | CPU s |")
        print("|" + " --- |" * 10)
        for seed in range(1, call.seeds + 1):
            words = ["Rscript", script, matrix, str(call.k), str(seed), call.tolerance]
            theirs = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
            found = ours(edges, "--start", "random", "--labels", "factor", "--iterations", "1000", "--history", "1", "--seed", str(seed))
            reached = next((step for step in found["history"] if step[1] <= theirs["relative_error"]), None)
            number, _, _, _, seconds = reached or (0, 0, 0, 0, float("nan"))
            last = found["history"][-1]
            print(f"| {seed} | {theirs['relative_error']:.6f} | {theirs['asymmetry']:.2f} | {theirs['iterations']} | {theirs['seconds']:.2f} | {number} | {seconds:.2f} | "
                  f"{theirs['seconds'] / seconds if seconds else float('inf'):.1f} | {last[1]:.6f} | {last[4]:.2f} |", flush=True)


if __name__ == "__main__":
    main()
