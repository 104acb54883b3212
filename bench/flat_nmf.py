#!/usr/bin/env python3
"""Flat NMF against scikit-learn and RcppML: how soon each reaches the error that scikit-learn ends with.

One run: for every matrix and seed, scikit-learn (solver 'cd', tol 1e-4, its default start), RcppML (tol 1e-4) and copse
take turns, so that a busy moment of the machine hits all alike. Reading files is not timed for anyone; copse's seconds
hold its start and its transposed copy. RcppML gives no history: its time is that of the whole run, whatever error it ends
with. A copse run that stalls above the target is charged in full and followed by a run from another seed.

    bench/flat_nmf.py                          all matrices, 5 seeds, results in bench/results/flat_nmf.md
    bench/flat_nmf.py --matrices small --seeds 2
    bench/flat_nmf.py --matrices medium --first-seed 2 --seeds 3 --keep    adds to the runs of earlier calls
"""
import argparse
import collections
import datetime
import gzip
import json
import os
import pathlib
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
RANKS = {"small": 20, "medium": 40, "newsgroups": 20}
MOST_RESTARTS = 5

RCPPML = """
suppressMessages({library(Matrix); library(RcppML)})
call <- commandArgs(trailingOnly = TRUE)
x <- readRDS(call[1])
options(RcppML.threads = as.integer(call[4]))
if (exists("setRcppMLthreads")) setRcppMLthreads(as.integer(call[4]))
seconds <- system.time(model <- nmf(x, as.integer(call[2]), tol = 1e-4, maxit = 200, verbose = FALSE,
                                    seed = as.integer(call[3])))[["elapsed"]]
w <- if (is.list(model)) model$w else model@w
d <- if (is.list(model)) model$d else model@d
h <- if (is.list(model)) model$h else model@h
wd <- w %*% diag(d, length(d))
cross <- sum((crossprod(x, wd)) * t(h))
square <- sum(crossprod(wd) * tcrossprod(h))
total <- sum(x@x^2)
cat(seconds, sqrt(max(0, total - 2 * cross + square) / total), "\\n")
"""

SKLEARN = """
import re, sys, time, json
import scipy.sparse
from sklearn.decomposition import NMF
x = scipy.sparse.load_npz(sys.argv[1]).T.tocsr()
norm = (x.data ** 2).sum() ** 0.5
began = time.perf_counter()
model = NMF(int(sys.argv[2]), solver="cd", tol=1e-4, random_state=int(sys.argv[3])).fit(x)
seconds = time.perf_counter() - began
print(json.dumps({"seconds": seconds, "error": model.reconstruction_err_ / norm, "iterations": model.n_iter_,
                  "memory": 1024 * int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1])}))
"""


def newsgroups(path, documents):
    """20 Newsgroups as [Kuang 2014, section 2.2.1] has it: no quotations and signatures, terms seen 3 times, documents of 5 words."""
    import numpy
    import scipy.sparse

    vocabulary, rows, columns, counts, items = {}, [], [], [], 0
    with gzip.open(documents, "rt") as lines:
        for line in lines:
            kept = [part for part in json.loads(line)["text"].splitlines() if not part.startswith((">", "--"))]
            words = collections.Counter(re.findall(r"[a-z]{2,}", "\n".join(kept).lower()))
            if sum(words.values()) < 5:
                continue
            for word, count in words.items():
                rows.append(vocabulary.setdefault(word, len(vocabulary)))
                columns.append(items)
                counts.append(float(count))
            items += 1
    x = scipy.sparse.csr_matrix((counts, (rows, columns)), shape=(len(vocabulary), items))
    x = x[numpy.asarray(x.sum(axis=1)).ravel() >= 3]
    x = scipy.sparse.diags(numpy.log(items / numpy.diff(x.indptr))) @ x
    norms = numpy.sqrt(numpy.asarray(x.multiply(x).sum(axis=0)).ravel())
    x = (x @ scipy.sparse.diags(1 / numpy.where(norms > 0, norms, 1))).tocsc()
    x.eliminate_zeros()
    scipy.sparse.save_npz(path, x, compressed=False)


def make_matrix(name, folder, arguments):
    path = folder / f"{name}.npz"
    if path.exists():
        return path
    if name == "newsgroups":
        newsgroups(path, arguments.data / "20newsgroups" / "documents.jsonl.gz")
    else:
        subprocess.run([sys.executable, arguments.generator.resolve(), "--preset", name, "--out", folder / name],
                       check=True, stdout=subprocess.DEVNULL)
    return path


def run_sklearn(path, rank, seed, threads):
    done = subprocess.run([sys.executable, "-c", SKLEARN, path, str(rank), str(seed)], check=True, text=True,
                          capture_output=True, env=dict(os.environ, OMP_NUM_THREADS=str(threads),
                                                        OPENBLAS_NUM_THREADS=str(threads)))
    return json.loads(done.stdout)


def run_rcppml(script, matrix, rank, seed, threads):
    """Seconds and error of the whole run; the memory of the process, which has read the matrix from an R file."""
    command = ["Rscript", script, matrix, str(rank), str(seed + 1), str(threads)]
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(command, stdout=output, env=dict(os.environ, OMP_NUM_THREADS=str(threads)))
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise RuntimeError("RcppML failed")
        output.seek(0)
        seconds, error = map(float, output.read().split()[-2:])
    return {"seconds": seconds, "error": error, "memory": usage.ru_maxrss * 1024}


def run_copse(program, path, rank, seed, threads, target):
    spent, memory = 0.0, 0
    for restart in range(MOST_RESTARTS):
        done = subprocess.run([program, path, "--rank", str(rank), "--seed", str(seed + 1000 * restart), "--threads",
                               str(threads), "--target", repr(target), "--iterations", "60"], check=True, text=True,
                              capture_output=True)
        answer = json.loads(done.stdout)
        memory = max(memory, answer["peak_memory_bytes"])
        last = answer["history"][-1]
        spent += last["seconds"]
        if last["relative_error"] <= target:
            break
    return {"seconds": spent, "error": last["relative_error"], "iterations": last["number"], "runs": restart + 1,
            "memory": memory, "reached": last["relative_error"] <= target}


def write_rds(path, folder):
    """The matrix as an R file, so that reading is not timed."""
    import scipy.io
    import scipy.sparse

    rds = path.with_suffix(".rds")
    if not rds.exists():
        market = folder / "for_r.mtx"
        scipy.io.mmwrite(market, scipy.sparse.load_npz(path))
        subprocess.run(["Rscript", "-e", f'suppressMessages(library(Matrix)); saveRDS(as(readMM("{market}"), '
                        f'"CsparseMatrix"), "{rds}", compress = FALSE)'], check=True)
        market.unlink()
    return rds


def spread(values):
    return f"{statistics.mean(values):.3g} ({min(values):.3g} .. {max(values):.3g})"


def report(name, rank, shape, runs):
    lines = [f"### {name}, {shape}, k = {rank}, {len(runs)} seeds", "",
             "| | seconds, mean (least .. most) | relative error it ends with | peak memory, MB |", "| --- | --- | --- | --- |"]
    for who in ("scikit-learn", "RcppML", "copse"):
        mine = [run[who] for run in runs if who in run]
        if mine:
            label = "copse, to scikit-learn's error" if who == "copse" else who
            lines.append(f"| {label} | {spread([run['seconds'] for run in mine])} | "
                         f"{spread([run['error'] for run in mine])} | {max(run['memory'] for run in mine) / 2**20:.0f} |")
    lines.append("")
    for who in ("scikit-learn", "RcppML"):
        ratios = [run[who]["seconds"] / run["copse"]["seconds"] for run in runs if who in run]
        if ratios:
            lines.append(f"copse reaches scikit-learn's error {spread(ratios)} times sooner than {who} ends.")
    copse = [run["copse"] for run in runs]
    lines.append(f"Iterations of copse's last run: {', '.join(str(run['iterations']) for run in copse)}; runs it took: "
                 f"{', '.join(str(run['runs']) for run in copse)}; reached: {sum(run['reached'] for run in copse)} of "
                 f"{len(copse)}.")
    return "\n".join(lines) + "\n"


def machine():
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")
    return f"{model}, {os.cpu_count()} cores, {platform.system()} {platform.release()}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matrices", nargs="+", choices=list(RANKS), default=list(RANKS))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--keep", action="store_true", help="report the runs of earlier calls, too")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/bench/flat_nmf")
    parser.add_argument("--generator", type=pathlib.Path, default=ROOT / "../shared/bench/gen.py")
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path(os.environ.get("COPSE_DATA", ROOT / "../shared/data")))
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build/bench_data", help="where matrices are kept")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "bench/results/flat_nmf.md")
    parser.add_argument("--without-rcppml", action="store_true")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    script = arguments.folder / "rcppml.R"
    script.write_text(RCPPML)
    with_rcppml = not arguments.without_rcppml and shutil.which("Rscript") is not None

    import scipy.sparse
    import sklearn

    record = arguments.folder / "flat_nmf.json"  # matrix -> shape and runs by seed
    done = json.loads(record.read_text()) if arguments.keep and record.exists() else {}
    for name in arguments.matrices:
        path = make_matrix(name, arguments.folder, arguments)
        rds = write_rds(path, arguments.folder) if with_rcppml else None
        x = scipy.sparse.load_npz(path)
        entry = done.setdefault(name, {"runs": {}})
        entry["shape"] = f"{x.shape[0]:,} x {x.shape[1]:,}, {x.nnz:,} nonzeros"
        del x
        for seed in range(arguments.first_seed, arguments.first_seed + arguments.seeds):
            run = {"scikit-learn": run_sklearn(path, RANKS[name], seed, arguments.threads)}
            run["copse"] = run_copse(arguments.program, path, RANKS[name], seed, arguments.threads,
                                     run["scikit-learn"]["error"])
            if with_rcppml:
                run["RcppML"] = run_rcppml(script, rds, RANKS[name], seed, arguments.threads)
            entry["runs"][str(seed)] = run
            record.write_text(json.dumps(done))
            print(name, "seed", seed, json.dumps(run), file=sys.stderr, flush=True)
    sections = [report(name, RANKS[name], done[name]["shape"], list(done[name]["runs"].values()))
                for name in RANKS if name in done]

    head = ["# Flat NMF: time to the error that scikit-learn ends with", "",
            f"{datetime.date.today()}, {machine()}, {arguments.threads} threads each, runs interleaved seed by seed.",
            f"scikit-learn {sklearn.__version__} (`NMF(solver='cd', tol=1e-4)`), RcppML as Debian ships it (`tol = 1e-4`).",
            "Made by `bench/flat_nmf.py`.", ""]
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text("\n".join(head) + "\n" + "\n".join(sections))
    print("\n".join(sections))


if __name__ == "__main__":
    main()
