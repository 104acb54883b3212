#!/usr/bin/env python3
"""How many: the verdict on real data whose answer is known.

Each line prints a row of bench/results/choosing.md; CPU seconds are user + system of the whole process and its children.

    bench/choosing.py verdicts [NAME ...]        all data, or those named; --runs N, and of text --documents N; --keep FOLDER keeps the results
    bench/choosing.py signatures                 mutational signatures, with cosines to the truth
    bench/choosing.py sparse                     [Kim & Park 2008, tables 8 and 9] with Golub's leukemia in place of their data

choosing_speed.py has the time of a survey beside cNMF and R's NMF.
"""
import argparse
import csv
import gzip
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

DATA = pathlib.Path(os.environ.get("COPSE_DATA", "shared/data"))
PROGRAM = os.environ.get("COPSE_PROGRAM", "copse")
CELLS = ("--library-size", 10000, "--select", 2000, "--select-by", "dispersion", "--weights", "log")
TEXT = ("-k", "2,3,4,5,6,8,10,12,15,20,25,30")

# name: (file, truth, options of choose)
SETS = {
    "golub": ("golub_leukemia/matrix.tsv.gz", "3 (or 2) kinds of leukemia", ("-k", "2:6", "--affine")),
    "scmix": ("scmix_sc_celseq2/matrix.mtx.gz", "3 cell lines", ("-k", "2:6", *CELLS)),
    "rnamix": ("scmix_RNAmix_celseq2/matrix.mtx.gz", "3 components", ("-k", "1:6", "--for", "components", *CELLS)),
    "mutsig": ("mutsig_synthetic/matrix.tsv.gz", "3 signatures", ("-k", "1:8", "--for", "components")),
    "pbmc3k": ("pbmc3k/matrix.mtx.gz", "9 kinds of cells", ("-k", "2:12", *CELLS)),
    "20newsgroups": ("20newsgroups/documents.jsonl.gz", "20 groups in 6 or 7 subjects", TEXT),
    "reuters": ("reuters21578/documents.jsonl.gz", "66 topics, very uneven", TEXT),
    "arxiv": ("arxiv_abstracts/documents.jsonl.gz", "25 categories in 7 archives", TEXT),
    "dblp": ("dblp_titles/documents.jsonl.gz", "4 areas", TEXT),
}


def run(line, **options):
    """The finished process, its CPU seconds and its wall time."""
    before, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.time()
    done = subprocess.run([str(word) for word in line], capture_output=True, text=True, **options)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, line))}\n{done.stderr}")
    return done, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, time.time() - wall


def choose(path, folder, *options):
    line = [PROGRAM, "choose", path, *options, "--threads", 2, "--quiet", "--force", "-o", folder]
    _, cpu, _ = run(line)
    return json.loads(pathlib.Path(folder, "result.json").read_text())["survey"], cpu


def sample(path, folder, count):
    """Every n-th document, about as many as asked for in all."""
    lines = gzip.open(path, "rt").read().splitlines()
    part = pathlib.Path(folder, "sample.jsonl")
    part.write_text("\n".join(lines[:: max(1, len(lines) // count)]) + "\n")
    return part


def verdicts(options):
    print("| data | truth | runs | verdict | sure | possible | each measure | CPU s |\n" + "| --- " * 8 + "|")
    for name in options.names or SETS:
        file, truth, line = SETS[name]
        with tempfile.TemporaryDirectory() as folder:
            path = sample(DATA / file, folder, options.documents) if "jsonl" in file else DATA / file
            survey, cpu = choose(path, f"{options.keep or folder}/{name}", *line, "--runs", options.runs)
        own = ", ".join(f"{choice['measure']} {choice['k']}" for choice in survey["choices"])
        possible = ", ".join(map(str, survey["possible"])) or "-"
        print(f"| {name}, `{' '.join(map(str, line))}` | {truth} | {options.runs} | {survey['k']} | {survey['sure']:.0%} | "
              f"{possible} | {own} | {cpu:.0f} |", flush=True)
        print(f"\n{name}: {survey['sentence']}\n", file=sys.stderr)


def signatures(options):
    """Three planted signatures, whose table is not in the form that copse reads: type and trinucleotide are two columns."""
    with tempfile.TemporaryDirectory() as folder:
        with open(DATA / "mutsig_synthetic/ground.truth.syn.sigs.csv", newline="") as file:
            head, *rows = csv.reader(file)
        lines = ["type\t" + "\t".join(head[2:])]
        lines += ["\t".join([f"{three[0]}[{kind}]{three[2]}", *values]) for kind, three, *values in rows]
        known = pathlib.Path(folder, "known.tsv")
        known.write_text("\n".join(lines) + "\n")
        path = DATA / "mutsig_synthetic/matrix.tsv.gz"
        print("| | component | reference | cosine |\n| --- | --- | --- | --- |")
        for loss in ("frobenius", "kl"):
            run([PROGRAM, "factor", path, "-k", 3, "--loss", loss, "--runs", 10, "--max-iterations", 5000, "--tolerance",
                 "1e-7", "--precision", "double", "--quiet", "--force", "-o", f"{folder}/out"])
            found = json.loads(run([PROGRAM, "evaluate", f"{folder}/out", known, "--components", "--json"])[0].stdout)
            for match in found:
                print(f"| {loss} | {match['component']} | {match['reference']} | {match['cosine']:.4f} |", flush=True)


def sparse(options):
    path, labels = DATA / "golub_leukemia/matrix.tsv.gz", DATA / "golub_leukemia/labels.txt"
    print("| beta | iterations | purity | zeros in H | relative error | CPU s |\n" + "| --- " * 6 + "|")
    with tempfile.TemporaryDirectory() as folder:
        for beta in (0.001, 0.01, 0.1, 0.3, 0.5, 1, 2, 5):
            purity, zeros, error, iterations = [], [], [], []
            cpu = 0
            for seed in range(options.runs):
                done, seconds, _ = run([PROGRAM, "factor", path, "-k", 3, "--solver", "pivoting", "--sparse", beta, "--seed",
                                        seed, "--truth", labels, "--json", "--quiet", "--force", "-o", f"{folder}/out"])
                result = json.loads(done.stdout)
                purity.append(result["measures"]["purity"])
                zeros.append(result["zero_share"]["h"])
                error.append(result["relative_error"])
                iterations.append(result["iterations"])
                cpu += seconds

            def mean(values):
                return sum(values) / len(values)

            print(f"| {beta} | {mean(iterations):.0f} | {mean(purity):.2f} | {mean(zeros):.0%} | {mean(error):.3f} | "
                  f"{cpu / options.runs:.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", default="verdicts", choices=["verdicts", "signatures", "sparse"])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--documents", type=int, default=3000)
    parser.add_argument("--keep")
    options = parser.parse_args()
    globals()[options.what](options)


if __name__ == "__main__":
    main()
