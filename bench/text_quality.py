#!/usr/bin/env python3
"""How well topics and trees of raw documents agree with known classes: NMI and ARI on four corpora.

copse runs with its own settings and with the weights of the papers (--weights tf-idf). Beside it are two rivals on one
matrix of scikit-learn's: logarithms of counts, idf, unit rows, English stop words left out, words of at least 3 and at
most half of the documents. One is scikit-learn's NMF; the other reduces the matrix to 100 dimensions (SVD, unit rows)
and runs K-means from ten starts. All are told the number of classes. Each run has another 90 % of the documents, the
same for all. Labels are compared over all documents; whatever copse puts aside ("short", "outlier") is a cluster.

20 Newsgroups comes without headers and quoted lines, Reuters-21578 with the documents of one label among the 20 largest,
arXiv as 20,000 documents, drawn once.

    bench/text_quality.py                                  ten subsamples, results in bench/results/text_quality.md
    bench/text_quality.py --corpora dblp_titles --subsamples 2      a piece of it
    bench/text_quality.py --only rivals                    or copse

Finished runs are remembered (--log) with the program or the packages that made them, so that a call that was cut short
goes on where it stopped. The table has those of the present program and packages only.
"""
import argparse
import collections
import csv
import datetime
import functools
import gzip
import hashlib
import importlib.metadata
import json
import os
import pathlib
import platform
import random
import re
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results" / "text_quality.md"
CORPORA = {"20newsgroups": 20, "reuters21578": 20, "dblp_titles": 4, "arxiv_abstracts": 25}
WEIGHTS = {"": [], ", tf-idf": ["--weights", "tf-idf"]}
METHODS = ["topics", "tree", "tree, flattened"]
RIVALS = ["scikit-learn NMF", "SVD and K-means"]


def without_headers_and_quotes(post):
    body = post.partition("\n\n")[2]
    quoted = re.compile(r"\s*[>|:]|In article\b|.*\b(writes|wrote|says|said)\s*:\s*$")
    return "\n".join(line for line in body.split("\n") if not quoted.match(line))


def read(corpus):
    folder = os.environ.get("COPSE_DATA")
    if not folder:
        raise SystemExit("COPSE_DATA is not set: it names the folder that holds " + ", ".join(CORPORA))
    with gzip.open(pathlib.Path(folder) / corpus / "documents.jsonl.gz", "rt", encoding="utf-8") as lines:
        documents = [json.loads(line) for line in lines]
    pairs = [(document["text"], str(document["label"])) for document in documents if document["label"] is not None]
    if corpus == "20newsgroups":
        pairs = [(without_headers_and_quotes(text), label) for text, label in pairs]
    if corpus == "reuters21578":
        sizes = collections.Counter(label for _, label in pairs)
        largest = {label for label, _ in sizes.most_common(CORPORA[corpus])}
        pairs = [pair for pair in pairs if pair[1] in largest]
    if corpus == "arxiv_abstracts":
        pairs = random.Random(1).sample(pairs, 20_000)
    return pairs


def program():
    path = os.environ.get("COPSE_PROGRAM", str(ROOT / "build" / "bench" / "bin" / "copse"))
    if not os.access(path, os.X_OK):
        raise SystemExit("COPSE_PROGRAM does not name the program; ./run bench text_quality sets it")
    return path


@functools.cache
def makers():
    """What the runs of copse and those of the rivals depend on."""
    packages = " ".join(f"{name} {importlib.metadata.version(name)}" for name in ("scikit-learn", "numpy", "scipy"))
    return {"copse": hashlib.sha256(pathlib.Path(program()).read_bytes()).hexdigest()[:16], "rivals": packages}


def maker(who):
    return makers()["rivals" if who in RIVALS else "copse"]


def run_copse(command, documents, k, options, threads, folder):
    """The columns of assignments.tsv."""
    out = folder / "out"
    size = {"topics": "-k", "tree": "--leaves"}[command]
    line = [program(), command, documents, size, k, *options, "--threads", threads, "--no-page", "--quiet", "--force", "-o", out]
    run = subprocess.run(list(map(str, line)), capture_output=True, text=True)
    if run.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, line))} failed:\n{run.stderr}")
    with open(out / "assignments.tsv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return {column: [row[column] for row in rows] for column in rows[0]}


def run_rival(who, texts, k, seed):
    from sklearn.cluster import KMeans
    from sklearn.decomposition import NMF, TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.preprocessing import normalize
    x = TfidfVectorizer(sublinear_tf=True, stop_words="english", min_df=3, max_df=0.5).fit_transform(texts)
    if who == "scikit-learn NMF":
        return NMF(k, random_state=seed).fit_transform(x).argmax(axis=1)
    reduced = normalize(TruncatedSVD(100, random_state=seed).fit_transform(x))
    return KMeans(k, n_init=10, random_state=seed).fit_predict(reduced)


def finished(log):
    """The runs of the present program and packages: who, corpus: subsample: entry."""
    runs = collections.defaultdict(dict)
    for line in open(log) if log.exists() else []:
        entry = json.loads(line)
        if entry.get("maker") == maker(entry["who"]):
            runs[entry["who"], entry["corpus"]][entry["subsample"]] = entry
    return runs


def measure(corpus, pairs, subsample, options):
    from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
    k = CORPORA[corpus]
    runs = finished(options.log)
    chosen = sorted(random.Random(subsample).sample(range(len(pairs)), round(0.9 * len(pairs))))
    texts, truth = zip(*(pairs[j] for j in chosen))

    def is_missing(*names):
        return any(subsample not in runs[who, corpus] for who in names)

    def keep(who, labels):
        entry = {"corpus": corpus, "documents": len(pairs), "subsample": subsample, "who": who, "maker": maker(who),
                 "nmi": normalized_mutual_info_score(truth, labels), "ari": adjusted_rand_score(truth, labels)}
        print(json.dumps(entry), flush=True)
        with open(options.log, "a") as file:
            file.write(json.dumps(entry) + "\n")

    if options.only != "rivals":
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            path = folder / "documents.jsonl"
            with open(path, "w", encoding="utf-8") as file:
                for j, text in enumerate(texts):
                    file.write(json.dumps({"id": str(j), "text": text}) + "\n")
            for suffix, weights in WEIGHTS.items():
                if is_missing("topics" + suffix):
                    keep("topics" + suffix, run_copse("topics", path, k, weights, options.threads, folder)["cluster"])
                if is_missing("tree" + suffix, "tree, flattened" + suffix):
                    columns = run_copse("tree", path, k, weights, options.threads, folder)
                    keep("tree" + suffix, columns["leaf"])
                    keep("tree, flattened" + suffix, columns["cluster"])
    if options.only != "copse":
        for who in RIVALS:
            if is_missing(who):
                keep(who, run_rival(who, texts, k, subsample))


def report(log, output):
    runs = finished(log)
    documents = {corpus: entry["documents"] for (_, corpus), done in runs.items() for entry in done.values()}
    corpora = [corpus for corpus in CORPORA if corpus in documents]
    everyone = [method + suffix for suffix in WEIGHTS for method in METHODS] + RIVALS
    lines = ["# Topics of raw documents against known classes", "",
             f"`./run bench text_quality`, {datetime.date.today()}, {platform.machine()}, {os.cpu_count()} cores. "
             "NMI and ARI, mean over subsamples",
             "of 90 % of the documents, standard deviation in brackets. The script says what is run.", ""]
    for measure_name in ("nmi", "ari"):
        lines += [f"| {measure_name.upper()} | " + " | ".join(f"{c}, {documents[c]:,}" for c in corpora) + " | mean |",
                  "| --- |" + " --- |" * (len(corpora) + 1)]
        for who in everyone:
            cells, means = [], []
            for corpus in corpora:
                values = [entry[measure_name] for entry in runs[who, corpus].values()]
                if values:
                    means.append(statistics.mean(values))
                    cells.append(f"{means[-1]:.3f} ({statistics.pstdev(values):.3f})")
                else:
                    cells.append("")
            if means:
                mean = f"{statistics.mean(means):.3f}" if len(means) == len(corpora) else ""
                lines.append(f"| {who} | " + " | ".join(cells) + f" | {mean} |")
        lines.append("")
    counts = {who: ", ".join(f"{corpus} {len(runs[who, corpus])}" for corpus in corpora) for who in ("topics", RIVALS[0])}
    lines.append(f"Subsamples of copse: {counts['topics']}; of scikit-learn: {counts[RIVALS[0]]}.")
    output.write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", nargs="*", default=list(CORPORA), choices=list(CORPORA))
    parser.add_argument("--subsamples", type=int, default=10)
    parser.add_argument("--only", choices=["copse", "rivals"], help="run copse or scikit-learn, not both")
    parser.add_argument("--threads", type=int, default=2, help="of copse")
    parser.add_argument("--log", type=pathlib.Path, default=ROOT / "build" / "bench_data" / "text_quality.jsonl")
    parser.add_argument("--output", type=pathlib.Path, default=RESULTS)
    options = parser.parse_args()
    options.log.parent.mkdir(parents=True, exist_ok=True)
    documents = {corpus: read(corpus) for corpus in options.corpora}
    for subsample in range(options.subsamples):  # outside, so that a run that is cut short has something of all
        for corpus in options.corpora:
            measure(corpus, documents[corpus], subsample, options)
    report(options.log, options.output)


if __name__ == "__main__":
    main()
