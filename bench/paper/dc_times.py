"""dcnmf figures 6, 7 and 8: quality and time of DC-NMF, trees and NMF beside K-means, CLUTO's criterion, LDA and separable methods.

  ./run bench paper/dc_times [--data Reuters "20 Newsgroups"] [--ks 10 20 40 70] [--time-limit 120s]

`copse compare --text` gives the rivals, one run each in a process of its own; `copse factor --text` gives DC-NMF and, from a random start,
NMF by pivoting (the paper's nmf-flat). Time: seconds of the clock without reading.
A method that would take longer than the limit has a dash. The paper's curves have no numbers, and its large corpora are not at hand.
Runs that an earlier call finished are not repeated.
"""

import argparse
import csv
import json
import os
import subprocess
import tempfile
from pathlib import Path

import corpora
import scipy.sparse as sp
from program import ROOT, Record
from sklearn.feature_extraction.text import CountVectorizer

RIVALS = ["tree", "nmf", "kmeans", "spherical-kmeans", "bisecting", "lda", "anchors", "xray", "hottopixx"]
FACTORED = {"DC-NMF": ["--solver", "dc"], "NMF by pivoting": ["--solver", "pivoting", "--start", "random"]}
CORPORA = {"Reuters": corpora.reuters, "20 Newsgroups": corpora.newsgroups}


def copse(command, folder, *words):
    program = os.environ.get("COPSE_PROGRAM", "copse")
    subprocess.run([program, command, folder / "counts.npz", "--text", "--truth", folder / "labels.txt", "-o", folder / "out", "--force",
                    "--no-page", "--quiet", "--threads", "2", *map(str, words)], check=True, stdout=subprocess.DEVNULL)


def compared(folder, k, limit):
    """NMI and seconds of every rival that ended in time."""
    copse("compare", folder, "-k", k, "--methods", ",".join(RIVALS), "--runs", 1, "--time-limit", limit)
    with open(folder / "out" / "comparison.tsv", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    return {row["method"]: [float(row["nmi"]), float(row["seconds"])] for row in rows if row["nmi"]}


def factored(folder, k, options):
    copse("factor", folder, "-k", k, *options)
    result = json.loads((folder / "out" / "result.json").read_text())
    return [result["measures"]["nmi"], result["seconds"]["solve"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", choices=list(CORPORA), default=list(CORPORA))
    parser.add_argument("--ks", type=int, nargs="+", default=[10, 20, 40, 70])
    parser.add_argument("--time-limit", default="120s", help="of each rival")
    parser.add_argument("--record", default=ROOT / "build/bench_data/dc_times.json", help="finished runs")
    arguments = parser.parse_args()
    record = Record(arguments.record)
    for name in arguments.data:
        with tempfile.TemporaryDirectory() as own:
            folder = Path(own)
            texts, labels = CORPORA[name]()
            words = CountVectorizer(token_pattern=corpora.WORD.pattern, stop_words="english")
            sp.save_npz(folder / "counts.npz", words.fit_transform(texts).T.tocsc(), compressed=False)
            (folder / "labels.txt").write_text("\n".join(labels) + "\n")
            found = {}
            for k in arguments.ks:
                found[k] = {method: record.run(f"{name}, {k}, {method}", lambda: factored(folder, k, options))
                            for method, options in FACTORED.items()}
                found[k] |= record.run(f"{name}, {k}, rivals, {arguments.time_limit}",
                                       lambda: compared(folder, k, arguments.time_limit))
        print(f"\n### {name}\n\n| NMI, seconds | " + " | ".join(f"k = {k}" for k in arguments.ks) + " |\n|" + " --- |" * (1 + len(arguments.ks)))
        for method in [*FACTORED, *RIVALS]:
            cells = [found[k].get(method) for k in arguments.ks]
            print(f"| {method} | " + " | ".join(f"{cell[0]:.3f}, {cell[1]:.1f}" if cell else "-" for cell in cells) + " |", flush=True)


if __name__ == "__main__":
    main()
