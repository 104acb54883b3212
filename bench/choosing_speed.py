#!/usr/bin/env python3
"""The time of a survey k = 2 ... 8 beside R's nmfEstimateRank and cNMF, in turns; and of a large one.

    bench/choosing_speed.py rivals --cnmf PYTHON --r [--rival-runs 2] [--runs 50] [--sets golub pbmc3k] [--turns 1]
    bench/choosing_speed.py large [--cells 36000] [--genes 3600] [--last 15] [--runs 100] [--timed 1]

CPU seconds are user + system of a process and its children. PYTHON has cnmf installed. A rival makes --rival-runs runs for
every k; its time for --runs of them is calculated in proportion (of cNMF without what it does once). Ours makes all --runs of every kind: halves and halves without clusters
(two fits each), samples, 10 starts, and 10 with hidden entries.
"""
import argparse
import gzip
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import time

DATA = pathlib.Path(os.environ.get("COPSE_DATA", "shared/data"))
PROGRAM = os.environ.get("COPSE_PROGRAM", "copse")
CELLS = ("--library-size", 10000, "--select", 2000, "--select-by", "dispersion", "--weights", "log")

KINDS = ["halves", "halves without clusters", "shuffled halves", "resampled", "starts", "hold-out"]

CELLS_AS_H5AD = """
import sys, anndata, scipy.io, scipy.sparse, pandas
x = scipy.sparse.csr_matrix(scipy.io.mmread(sys.argv[1]).T).astype("float32")
names = lambda count, word: pandas.DataFrame(index=[f"{word} {i}" for i in range(count)])
anndata.AnnData(x, obs=names(x.shape[0], "cell"), var=names(x.shape[1], "gene")).write_h5ad(sys.argv[2])
"""
R_SURVEY = """
library(NMF)
x <- as.matrix(read.table(commandArgs(TRUE)[1], header = TRUE, row.names = 1, sep = "\\t", check.names = FALSE))
x <- x[rowSums(x) > 0, ]
estimate <- nmfEstimateRank(x, 2:8, method = "brunet", nrun = as.integer(commandArgs(TRUE)[2]), seed = 1, .opt = "v-p")
print(estimate$measures[, c("rank", "cophenetic", "dispersion")])
"""


def run(line, **options):
    """Its output, CPU seconds, wall seconds and the peak of its memory in MB."""
    wall = time.time()
    process = subprocess.Popen([str(word) for word in line], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    output = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(map(str, line))}\n{output[-2000:]}")
    return output, used.ru_utime + used.ru_stime, time.time() - wall, used.ru_maxrss / 1024


def survey(path, *options):
    with tempfile.TemporaryDirectory() as folder:
        _, cpu, _, peak = run([PROGRAM, "choose", path, *options, "--threads", 2, "--quiet", "-o", f"{folder}/out"])
        return json.loads(pathlib.Path(folder, "out", "result.json").read_text()), cpu, peak


def cnmf(python, counts, genes, runs, folder):
    """prepare, factorize, combine and the figure over k, as cNMF's manual has it: CPU seconds of the parts."""
    program = pathlib.Path(python).parent / "cnmf"
    common = ["--output-dir", folder, "--name", "run"]
    parts = {}
    for line in (["prepare", *common, "-c", counts, "-k", *range(2, 9), "--n-iter", runs, "--seed", 1, "--numgenes", genes],
                 ["factorize", *common, "--worker-index", 0, "--total-workers", 1], ["combine", *common],
                 ["k_selection_plot", *common]):
        parts[line[0]] = run([program, *line], env={**os.environ, "OMP_NUM_THREADS": "2"})[1]
    return parts


def rivals(options):
    print("| data | program | runs for each k | fits | CPU s | for all runs asked | CPU s for each fit |\n" + "| --- " * 7 + "|")

    def row(data, program, runs, fits, cpu, whole, each):
        print(f"| {data} | {program} | {runs} | {fits:,} | {cpu:.1f} | {whole:.0f} | {each:.4f} |", flush=True)

    def own(name, path, extra, many):
        _, cpu, _ = survey(path, "-k", "2:8", "--runs", many, *extra)
        sparse = name == "pbmc3k"  # one kind of chance
        fits = 7 * (many * (2 + 2 + (0 if sparse else 2) + 1) + 2 * min(many, 10))
        row(name, "copse, whole survey", many, fits, cpu, cpu, cpu / fits)
        # What a rival makes: factorizations of all items from random starts.
        def starts(count):
            return run([PROGRAM, "factor", path, "-k", 5, "--runs", count, "--tolerance", "1e-3", *extra, "--threads", 2,
                        "--quiet"])[1]

        once, several = starts(1), starts(many)
        each = (several - once) / (many - 1)
        row(name, "copse factor -k 5, starts alone", many, many, several, 7 * many * each, each)

    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        rows = [line.rstrip("\n").split("\t") for line in gzip.open(DATA / "golub_leukemia/matrix.tsv.gz", "rt")]
        (folder / "golub.txt").write_text("\n".join("\t".join(column) for column in zip(*rows)) + "\n")
        (folder / "golub.tsv").write_bytes(gzip.open(DATA / "golub_leukemia/matrix.tsv.gz").read())
        (folder / "survey.R").write_text(R_SURVEY)
        if "pbmc3k" in options.sets and options.cnmf:
            (folder / "matrix.mtx").write_bytes(gzip.open(DATA / "pbmc3k/matrix.mtx.gz").read())
            run([options.cnmf, "-c", CELLS_AS_H5AD, folder / "matrix.mtx", folder / "pbmc3k.h5ad"])
        sets = {"golub": (DATA / "golub_leukemia/matrix.tsv.gz", (), folder / "golub.txt", 5000),
                "pbmc3k": (DATA / "pbmc3k/matrix.mtx.gz", CELLS, folder / "pbmc3k.h5ad", 2000)}
        few, many = options.rival_runs, options.runs
        for turn in range(options.turns):
            for name in options.sets:
                path, extra, counts, genes = sets[name]
                if options.own:
                    own(name, path, extra, many)
                if options.cnmf:
                    parts = cnmf(options.cnmf, counts, genes, few, folder / f"{name}{turn}")
                    each = parts["factorize"] / (7 * few)
                    whole = parts["prepare"] + (parts["factorize"] + parts["combine"]) * many / few + parts["k_selection_plot"]
                    row(name, "cNMF", few, 7 * few, sum(parts.values()), whole, each)
                if name == "golub" and options.r:
                    cpu = run(["Rscript", folder / "survey.R", folder / "golub.tsv", few])[1]
                    row(name, "R's nmfEstimateRank", few, 7 * few, cpu, cpu * many / few, cpu / (7 * few))


MAKE = """
import sys, numpy, scipy.sparse
cells, genes, kinds, seed = map(int, sys.argv[1:5])
random = numpy.random.default_rng(seed)
programs = random.gamma(.15, 1, (kinds, genes))
programs *= 1200 / programs.sum(axis=1, keepdims=True)
parts = []
for begin in range(0, cells, 1000):
    count = min(1000, cells - begin)
    mean = programs[random.integers(0, kinds, count)] * random.lognormal(0, .3, (count, 1))
    parts.append(scipy.sparse.csr_matrix(random.poisson(.85 * mean + .15 * programs.mean(axis=0)).astype("float32")))
scipy.sparse.save_npz(sys.argv[5], scipy.sparse.vstack(parts, format="csr").T.tocsc())
"""


def seconds_by_kind(path):
    """Of the runs in survey.runs: a header of 16 bytes; then of each its length, a checksum, kind, k, number and seconds."""
    kept = pathlib.Path(path).read_bytes()
    place, seconds = 16, {}
    while place < len(kept):
        length, kind, time_taken = *struct.unpack_from("<Q8xi", kept, place), *struct.unpack_from("<d", kept, place + 32)
        seconds[KINDS[kind]] = seconds.get(KINDS[kind], 0) + time_taken
        place += 16 + length
    return seconds


def large(options):
    """A planted count matrix of 10 kinds of cells; --timed of the --runs are made, and the rest is calculated."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/cells.npz"
        run([sys.executable, "-c", MAKE, options.cells, options.genes, 10, 1, path])
        _, cpu, wall, peak = run([PROGRAM, "choose", path, "--weights", "log", "--library-size", 10000, "-k", f"2:{options.last}", "--runs",
                                  options.timed, "--threads", 2, "--quiet", "-o", f"{folder}/out"])
        found = json.loads(pathlib.Path(folder, "out", "result.json").read_text())["survey"]
        seconds = seconds_by_kind(f"{folder}/out/survey.runs")
        print(f"{options.cells} cells x {options.genes} genes, k = 2 ... {options.last}, {options.timed} runs of each kind: {found['runs']['done']} "
              f"runs, {wall:.0f} s of the clock, {cpu:.0f} s of CPU, peak {peak:.0f} MB; verdict {found['k']}, {found['sure']:.0%} sure")
        print("| kind | seconds of its runs |\n| --- | --- |")
        for kind, taken in seconds.items():
            print(f"| {kind} | {taken:.0f} |")
        hidden = seconds["hold-out"] / min(10, options.timed)
        others = (sum(seconds.values()) - seconds["hold-out"]) / options.timed
        whole = cpu + others * (options.runs - options.timed) + hidden * (10 - min(10, options.timed))
        print(f"{options.runs} runs of each kind, 10 of them with hidden entries: {whole:.0f} s of one core by calculation")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", default="rivals", choices=["rivals", "large"])
    parser.add_argument("--runs", type=int, default=0)
    parser.add_argument("--rival-runs", type=int, default=2, help="at least 2 for cNMF")
    parser.add_argument("--sets", nargs="+", default=["golub", "pbmc3k"])
    parser.add_argument("--turns", type=int, default=1)
    parser.add_argument("--rivals-only", dest="own", action="store_false")
    parser.add_argument("--cnmf")
    parser.add_argument("--r", action="store_true")
    parser.add_argument("--cells", type=int, default=36000)
    parser.add_argument("--genes", type=int, default=3600)
    parser.add_argument("--last", type=int, default=15)
    parser.add_argument("--timed", type=int, default=1)
    options = parser.parse_args()
    options.runs = options.runs or (50 if options.what == "rivals" else 100)
    {"rivals": rivals, "large": large}[options.what](options)


if __name__ == "__main__":
    main()
