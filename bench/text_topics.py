#!/usr/bin/env python3
"""Raw text to topics against scikit-learn's TfidfVectorizer and NMF: time, peak memory and NMI, end to end.

Both read the same compressed JSON lines and choose words by the same rules: lower case, runs of two or more letters, digits
and _, scikit-learn's English stop words left out, the 20,000 most frequent kept (but for ties at the 20,000th word).
copse runs twice: with its own weights (the default of `copse topics`), and with those of scikit-learn (smooth-tf-idf),
where both factor the same matrix. Both end with the cluster of every document in a file; copse also writes its model,
and no page (--no-page). scikit-learn's NMF has its own defaults (cd, nndsvda, tol 1e-4). Every run is a process of its
own, timed from its start to its end with 2 threads; they take turns. The peak memory is what the system says of each
process at its end (VmHWM: the resource usage of a child begins with that of the process that started it). Labels are
compared over all documents; those that copse calls "short" are a cluster of their own.

    bench/text_topics.py                             both corpora, 10 seeds, results in bench/results/text_topics.md
    bench/text_topics.py --corpora 20newsgroups --seeds 0 1 2      a piece of it
    bench/text_topics.py --million                   one million generated documents through `tree --leaves 50`

Runs are appended to a log (--log), and the table is made from all that are there.
"""
import argparse
import datetime
import gzip
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results" / "text_topics.md"
CORPORA = {"20newsgroups": 20, "arxiv_abstracts": 25}
WORDS = 20000
SAME = "copse, same weights"  # as scikit-learn

SKLEARN = """
import gzip, json, sys
import numpy
from sklearn.decomposition import NMF
from sklearn.feature_extraction.text import TfidfVectorizer
path, k, seed, words, out = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
with gzip.open(path, "rt", encoding="utf-8") as lines:
    texts = [json.loads(line)["text"] for line in lines]
x = TfidfVectorizer(stop_words="english", max_features=words).fit_transform(texts)
model = NMF(k, random_state=seed)
labels = model.fit_transform(x).argmax(axis=1)
memory = next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith("VmHWM"))
json.dump({"labels": labels.tolist(), "nonzeros": x.nnz, "words": x.shape[1], "iterations": model.n_iter_,
           "error": model.reconstruction_err_ / numpy.sqrt(x.multiply(x).sum()), "memory": memory}, open(out, "w"))
"""


def data(corpus):
    folder = os.environ.get("COPSE_DATA")
    if not folder:
        raise SystemExit("COPSE_DATA is not set: it names the folder that holds 20newsgroups/ and arxiv_abstracts/")
    return pathlib.Path(folder) / corpus / "documents.jsonl.gz"


def program():
    path = os.environ.get("COPSE_PROGRAM", str(ROOT / "build" / "bench" / "bin" / "copse"))
    if not os.access(path, os.X_OK):
        raise SystemExit("COPSE_PROGRAM does not name the program; ./run bench text_topics sets it")
    return path


def timed(command):
    """Seconds of one process."""
    environment = dict(os.environ, OMP_NUM_THREADS="2", OPENBLAS_NUM_THREADS="2")
    began = time.perf_counter()
    run = subprocess.run(list(map(str, command)), env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if run.returncode != 0:
        raise SystemExit(f"{command[0]} failed:\n{run.stderr.decode()}")
    return {"seconds": time.perf_counter() - began}


def run_copse(corpus, k, seed, stop_words, folder, weights):
    out = folder / "out"
    run = timed([program(), "topics", data(corpus), "-k", k, "--seed", seed, "--threads", 2, "--words", "characters",
                 "--numbers", "--addresses", "words", "--language", "none", "--stop-words", stop_words, "--min-count", 1,
                 "--max-features", WORDS, "--no-page", "-o", out, "--force", "--quiet"] + weights)
    labels = [line.split("\t")[1] for line in (out / "assignments.tsv").read_text().splitlines()[1:]]
    result = json.loads((out / "result.json").read_text())
    return run | {"labels": labels, "nonzeros": result["nonzeros"], "words": result["rows"], "steps": steps_of(result),
                  "iterations": result["iterations"], "error": result["relative_error"],
                  "memory": result["peak_memory_bytes"]}


def steps_of(result):
    return {step: result["seconds"][step] for step in ("read", "prepare", "solve", "write")}


def run_sklearn(corpus, k, seed, folder):
    out = folder / "sklearn.json"
    run = timed([sys.executable, "-c", SKLEARN, data(corpus), k, seed, WORDS, out])
    return run | json.loads(out.read_text())


def race(corpus, seeds, log):
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS
    from sklearn.metrics import normalized_mutual_info_score
    k = CORPORA[corpus]
    with gzip.open(data(corpus), "rt", encoding="utf-8") as lines:
        truth = [json.loads(line)["label"] for line in lines]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        stop_words = folder / "stop_words.txt"
        stop_words.write_text("".join(word + "\n" for word in sorted(ENGLISH_STOP_WORDS)))
        for seed in seeds:
            for who, go in (("copse", lambda: run_copse(corpus, k, seed, stop_words, folder, [])),
                            (SAME, lambda: run_copse(corpus, k, seed, stop_words, folder, ["--weights", "smooth-tf-idf"])),
                            ("scikit-learn", lambda: run_sklearn(corpus, k, seed, folder))):
                run = go()
                run["nmi"] = normalized_mutual_info_score(truth, run.pop("labels"))
                keep({"corpus": corpus, "documents": len(truth), "seed": seed, "who": who} | run, log)


def keep(entry, log):
    print(json.dumps(entry), flush=True)
    with open(log, "a") as file:
        file.write(json.dumps(entry) + "\n")


def million(documents, log):
    """One million documents of 100 words, with 50 planted topics in a hierarchy, as JSON lines through `tree`."""
    import numpy
    rng = numpy.random.default_rng(1)
    words = numpy.array([f"w{i}" for i in range(100_000)])
    weights = 1 / (numpy.arange(len(words)) + 2.7) ** 1.02
    background = numpy.cumsum(weights / weights.sum())
    topics = [rng.choice(len(words), 400, replace=False) for _ in range(50)]
    parents = [rng.choice(len(words), 400, replace=False) for _ in range(10)]
    with tempfile.TemporaryDirectory() as name:
        path = pathlib.Path(name) / "million.jsonl"
        with open(path, "w") as file:
            for begin in range(0, documents, 10_000):
                count = min(10_000, documents - begin)
                labels = rng.integers(0, 50, count)
                common = numpy.searchsorted(background, rng.random((count, 100)))
                kind = rng.random((count, 100))
                rank = (rng.random((count, 100)) ** 2 * 400).astype(int)
                for j in range(count):
                    own = numpy.where(kind[j] < 0.35, topics[labels[j]][rank[j]],
                                      numpy.where(kind[j] < 0.5, parents[labels[j] // 5][rank[j]], common[j]))
                    file.write(f'{{"id":"{begin + j}","label":"t{labels[j]}","text":"{" ".join(words[own])}"}}\n')
        size = path.stat().st_size
        out = pathlib.Path(name) / "out"
        run = timed([program(), "tree", path, "--leaves", 50, "--threads", 2, "--no-page", "-o", out, "--quiet"])
        result = json.loads((out / "result.json").read_text())
        entry = {"corpus": "million", "documents": documents, "bytes": size, "who": "copse", "nonzeros": result["nonzeros"],
                 "words": result["rows"], "leaves": result["k"], "nmi": result["measures"]["nmi"],
                 "steps": steps_of(result), "memory": result["peak_memory_bytes"]} | run
        keep(entry, log)


def report(log):
    entries = [json.loads(line) for line in open(log)]
    lines = ["# Raw text to topics", "",
             f"`./run bench text_topics`, {datetime.date.today()}, {platform.machine()}, {os.cpu_count()} cores. They take turns;",
             "every run is a process of its own with 2 threads, timed from its start to its end. The script says what is run.",
             "Mean over the seeds, least and most in brackets; of the memory the most. The error is |X - W H| / |X|.", "",
             "| corpus | who | seeds | seconds | peak memory | NMI | error |", "| --- | --- | --- | --- | --- | --- | --- |"]
    ratios = []
    for corpus in CORPORA:
        means = {}
        for who in ("copse", SAME, "scikit-learn"):
            runs = {entry["seed"]: entry for entry in entries if entry["corpus"] == corpus and entry["who"] == who}
            if not runs:
                continue
            column = {key: [run[key] for run in runs.values()] for key in ("seconds", "memory", "nmi", "error")}
            means[who] = {key: statistics.mean(values) for key, values in column.items()}

            def shown(key, digits):
                values = column[key]
                return f"{statistics.mean(values):.{digits}f} ({min(values):.{digits}f} .. {max(values):.{digits}f})"
            one = next(iter(runs.values()))
            about = f"{corpus}, {one['documents']:,} documents, k = {CORPORA[corpus]}" if len(means) == 1 else ""
            lines.append(f"| {about} | {who} | {len(runs)} | {shown('seconds', 2)} | {max(column['memory']) / 1e6:.0f} MB | "
                         f"{shown('nmi', 4)} | {shown('error', 5)} |")
        for who, mean in means.items():
            if who == "scikit-learn" or "scikit-learn" not in means:
                continue
            peer = means["scikit-learn"]
            ratios.append(f"- {corpus}, {who}: {peer['seconds'] / mean['seconds']:.1f} times faster, "
                          f"{mean['memory'] / peer['memory']:.2f} of the memory, NMI {mean['nmi'] - peer['nmi']:+.4f}.")
    lines += [""] + ratios
    for entry in entries:
        if entry["corpus"] != "million":
            continue
        steps = ", ".join(f"{step} {seconds:.1f} s" for step, seconds in entry["steps"].items())
        lines += ["", f"{entry['documents']:,} generated documents of 100 words ({entry['bytes'] / 1e6:.0f} MB of JSON lines, "
                      f"{entry['words']:,} words, {entry['nonzeros']:,} entries) through `copse tree --leaves 50`: "
                      f"{entry['seconds']:.1f} s ({steps}), peak memory {entry['memory'] / 1e9:.2f} GB, {entry['leaves']} leaves, "
                      f"NMI {entry['nmi']:.3f} against the 50 planted topics."]
    RESULTS.write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", nargs="*", default=list(CORPORA), choices=list(CORPORA))
    parser.add_argument("--seeds", nargs="*", type=int, default=list(range(10)))
    parser.add_argument("--million", action="store_true", help="only the generated documents")
    parser.add_argument("--documents", type=int, default=1_000_000, help="with --million: so many")
    parser.add_argument("--log", default=str(ROOT / "build" / "text_topics.jsonl"))
    options = parser.parse_args()
    pathlib.Path(options.log).parent.mkdir(parents=True, exist_ok=True)
    if options.million:
        million(options.documents, options.log)
    else:
        for corpus in options.corpora:
            race(corpus, options.seeds, options.log)
    report(options.log)


if __name__ == "__main__":
    main()
