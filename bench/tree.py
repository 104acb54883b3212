#!/usr/bin/env python3
"""Topic trees against RcppML's dclust, and against a plain transcription of the authors' program for quality.

One run: for every planted matrix, dclust and copse take turns, so that a busy moment of the machine hits all alike.
Reading files is not timed for anyone; copse's seconds are those of the tree, flattening stands beside them. dclust
cannot be told how many leaves: it splits until a cluster would fall below `min_samples`, here half the mean size of a
leaf of copse's tree.

    bench/tree.py                               small, medium and large
    bench/tree.py --matrices small --turns 5
    bench/tree.py --transcription 5             the authors' program as well, from 5 random starts
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
LEAVES = {"small": 20, "medium": 40, "large": 60}
BYTES_PER_ENTRY = 8  # of the matrix: a row number and a float
BYTES_READ = 6  # per entry of a node with at most 65,536 features, which has row numbers of 16 bits

DCLUST = """
suppressMessages({library(Matrix); library(RcppML)})
call <- commandArgs(trailingOnly = TRUE)
x <- readRDS(call[1])
setRcppMLthreads(as.integer(call[3]))
seconds <- system.time(clusters <- dclust(x, min_samples = as.integer(call[2]), verbose = FALSE,
                                          seed = as.integer(call[4])))[["elapsed"]]
labels <- integer(ncol(x))
leaves <- Filter(function(cluster) cluster$leaf, clusters)
for (i in seq_along(leaves)) labels[leaves[[i]]$samples + 1] <- i
writeLines(as.character(labels), call[5])
cat(seconds, length(leaves), "\\n")
"""

WRITE_RDS = """
suppressMessages(library(Matrix))
call <- commandArgs(trailingOnly = TRUE)
part <- function(name, what, count) readBin(file.path(call[1], name), what, count, size = 4)
size <- part("size", "integer", 3)
x <- new("dgCMatrix", i = part("indices", "integer", size[3]), p = part("indptr", "integer", size[2] + 1),
         x = as.double(part("data", "numeric", size[3])), Dim = size[1:2])
saveRDS(x, call[2], compress = FALSE)
"""


def write_rds(path, folder, script):
    """The matrix as an R file, so that reading is not timed; handed over as raw arrays."""
    import numpy
    import scipy.sparse

    rds = folder / (path.stem + ".rds")
    if not rds.exists():
        x = scipy.sparse.load_npz(path).tocsc()
        x.sort_indices()
        parts = folder / "for_r"
        parts.mkdir(exist_ok=True)
        numpy.array([*x.shape, x.nnz], numpy.int32).tofile(parts / "size")
        x.indices.astype(numpy.int32).tofile(parts / "indices")
        x.indptr.astype(numpy.int32).tofile(parts / "indptr")
        x.data.astype(numpy.float32).tofile(parts / "data")
        subprocess.run(["Rscript", script, parts, rds], check=True)
        for part in parts.iterdir():
            part.unlink()
    return rds


def nmi(clusters, classes):
    from sklearn.metrics import normalized_mutual_info_score

    return normalized_mutual_info_score(classes, clusters)


def run_dclust(script, rds, min_samples, threads, seed, labels, truth):
    done = subprocess.run(["Rscript", script, rds, str(min_samples), str(threads), str(seed + 1), labels], check=True,
                          text=True, capture_output=True, env=dict(os.environ, OMP_NUM_THREADS=str(threads)))
    seconds, leaves = done.stdout.split()[-2:]
    return {"seconds": float(seconds), "leaves": int(leaves), "nmi": nmi(labels.read_text().split(), truth)}


def run_copse(program, path, leaves, threads, truth=None):
    command = [program, path, "--leaves", str(leaves), "--threads", str(threads), "--score", "error"]
    done = subprocess.run(command + (["--truth", truth] if truth else []), check=True, text=True, capture_output=True)
    return json.loads(done.stdout)


def spread(values, digits=3):
    values = list(values)
    if len(values) == 1:
        return f"{values[0]:.{digits}g}"
    return f"{statistics.median(values):.{digits}g} ({min(values):.{digits}g} .. {max(values):.{digits}g})"


def race(name, arguments, scripts):
    path, leaves = arguments.folder / f"{name}.npz", LEAVES[name]
    truth_file = arguments.folder / f"{name}.labels.txt"
    truth = truth_file.read_text().split()
    rds = write_rds(path, arguments.scratch, scripts["rds"])
    runs = []
    for turn in range(arguments.turns):
        run = {"copse": run_copse(arguments.program, path, leaves, arguments.threads, truth_file),
               "dclust": run_dclust(scripts["dclust"], rds, len(truth) // (2 * leaves), arguments.threads, turn,
                                    arguments.scratch / "labels", truth)}
        runs.append(run)
        print(name, turn, json.dumps(run), file=sys.stderr, flush=True)
    mine, theirs = [run["copse"] for run in runs], [run["dclust"] for run in runs]
    first = mine[0]
    entries = first["entries_read"]
    rate = [BYTES_READ * entries / run["seconds"] / 1e9 for run in mine]
    matrix = BYTES_PER_ENTRY * (first["nonzeros"] + first["cols"])
    lines = [f"### {name}: {first['rows']:,} x {first['cols']:,}, {first['nonzeros']:,} nonzeros", "",
             "| | seconds, median (least .. most) | leaves | NMI | NMI flattened |", "| --- | --- | --- | --- | --- |",
             f"| copse | {spread(run['seconds'] for run in mine)} | {first['leaves']} | {first['nmi']:.3f} | "
             f"{first['flat_nmi']:.3f} |",
             f"| dclust | {spread(run['seconds'] for run in theirs)} | {theirs[0]['leaves']} | "
             f"{statistics.mean(run['nmi'] for run in theirs):.3f} | |", "",
             f"copse is {spread(b['seconds'] / a['seconds'] for a, b in zip(mine, theirs))} times faster. It made "
             f"{first['factorizations']} factorizations and read {entries:.3g} entries, {entries / first['nonzeros']:.0f} "
             f"passes over the matrix, at {spread(rate)} GB/s"
             + (f", {100 * statistics.median(rate) / arguments.bandwidth:.0f} % of {arguments.bandwidth} GB/s" if
                arguments.bandwidth else "")
             + f". Flattening took {spread(run['flatten_seconds'] for run in mine)} s more. Outliers: {first['outliers']}. "
             f"Peak memory while building: {max(run['peak_memory_bytes'] for run in mine) / matrix:.2f} times the matrix "
             f"({max(run['memory_before'] for run in mine) / matrix:.2f} before, with what reading the file took), "
             f"{max(run['peak_memory_bytes'] - run['program_bytes'] for run in mine) / matrix:.2f} without the code of the "
             "program and its libraries.", ""]
    return lines


def transcription(name, arguments):
    sys.path.insert(0, str(ROOT / "bench/paper"))
    import hiernmf2
    import scipy.sparse

    x = scipy.sparse.load_npz(arguments.folder / f"{name}.npz").tocsc()
    truth = (arguments.folder / f"{name}.labels.txt").read_text().split()
    found = []
    for seed in range(arguments.transcription):
        began = time.perf_counter()
        labels = hiernmf2.clusters(x, LEAVES[name], seed)
        found.append(nmi(labels, truth))
        print(name, "transcription", seed, found[-1], time.perf_counter() - began, file=sys.stderr, flush=True)
    return (f"The authors' program (`bench/paper/hiernmf2.py`) from {len(found)} random starts: NMI "
            f"{statistics.mean(found):.3f} ({min(found):.3f} .. {max(found):.3f}).\n")


def linearity(arguments):
    path = arguments.folder / "medium.npz"
    lines = ["### Time against leaves, medium", "", "| leaves | seconds | per leaf, ms |", "| --- | --- | --- |"]
    for leaves in (10, 20, 40, 80):
        seconds = min(run_copse(arguments.program, path, leaves, arguments.threads)["seconds"] for _ in range(2))
        lines.append(f"| {leaves} | {seconds:.3g} | {1000 * seconds / leaves:.3g} |")
    return lines + [""]


def machine():
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")
    return f"{model}, {os.cpu_count()} cores, {platform.system()} {platform.release()}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matrices", nargs="+", choices=list(LEAVES), default=list(LEAVES))
    parser.add_argument("--turns", type=int, default=5, help="of each matrix; one of large takes two minutes")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--bandwidth", type=float, help="the machine's in GB/s, as bench/kernels measures it")
    parser.add_argument("--transcription", type=int, default=0, metavar="STARTS")
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/bench/tree")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build/bench_data",
                        help="holds small.npz, small.labels.txt ...")
    parser.add_argument("--scratch", type=pathlib.Path, default=ROOT / "build/bench_data")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "bench/results/tree.md")
    arguments = parser.parse_args()
    arguments.scratch.mkdir(parents=True, exist_ok=True)
    scripts = {"rds": arguments.scratch / "rds.R", "dclust": arguments.scratch / "dclust.R"}
    scripts["rds"].write_text(WRITE_RDS)
    scripts["dclust"].write_text(DCLUST)
    lines = ["# Topic trees", "",
             f"{datetime.date.today()}, {machine()}, {arguments.threads} threads each, runs interleaved. Planted corpora, "
             "score `error` (the default where the features have no names), RcppML as Debian ships it. Made by "
             "`bench/tree.py`.", ""]
    for name in arguments.matrices:
        lines += race(name, arguments, scripts)
        if arguments.transcription:
            lines += [transcription(name, arguments)]
    if "medium" in arguments.matrices:
        lines += linearity(arguments)
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text("\n".join(lines))
    print("\n".join(lines))


if __name__ == "__main__":
    main()
