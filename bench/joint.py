#!/usr/bin/env python3
"""Topics from words with a graph of the documents beside them: NMI, ARI, time and memory.

The corpora are those of text_quality.py and, where they are on the machine, three more: the one-line descriptions of Debian's
packages by section (the 25 largest; apt's lists), the subjects of the posts of 20 Newsgroups with three words and more,
and the docstrings of SciPy by module. Each run has another 90 % of the documents, the same for all, and is told the
number of classes. Whatever has no topic is a cluster.

    words                   copse topics --neighbour-graph none
    own neighbours          copse topics --neighbour-graph words, for each of --weights
    tree, flattened         copse tree, without and with --neighbour-graph words
    SVD and K-means         scikit-learn: logarithms of counts, idf, unit rows; 100 dimensions, unit rows; ten starts

and, since real vectors and links are not at hand, with planted ones: a vector is a unit vector of its class in 32 dimensions
plus normal noise of deviation --noise in each; a document has three links on average, and seven of ten go to its class.

    vectors                 copse topics --vectors
    K-means of the vectors  scikit-learn, unit rows, ten starts
    links                   copse topics --links
    SVD as vectors          copse topics --vectors, with the 100 dimensions of the rival

    bench/joint.py                                         five subsamples, results in bench/results/joint.md
    bench/joint.py --corpora reuters21578 --subsamples 1   a piece of it

Runs are appended to a log (--log), and the tables are made from all that are there.
"""
import argparse
import collections
import datetime
import gzip
import importlib
import inspect
import json
import os
import pathlib
import platform
import random
import re
import resource
import statistics
import subprocess
import tempfile

import numpy as np
import text_quality

ROOT = text_quality.ROOT
RESULTS = ROOT / "bench" / "results" / "joint.md"
MODULES = "fft integrate interpolate linalg ndimage optimize signal sparse spatial special stats".split()


def newsgroup_subjects():
    folder = pathlib.Path(os.environ["COPSE_DATA"])
    with gzip.open(folder / "20newsgroups" / "documents.jsonl.gz", "rt", encoding="utf-8") as lines:
        documents = [json.loads(line) for line in lines]
    found = [(re.search(r"^Subject:\s*(?:re:\s*)*(.*)$", d["text"], re.M | re.I), str(d["label"])) for d in documents]
    return [(match[1], label) for match, label in found if match and len(match[1].split()) >= 3]


def debian_packages():
    helper = pathlib.Path("/usr/lib/apt/apt-helper")
    lists = sorted(pathlib.Path("/var/lib/apt/lists").glob("*_main_binary-*_Packages*"), key=lambda p: p.stat().st_size)
    if not helper.exists() or not lists:
        return []
    text = subprocess.run([helper, "cat-file", lists[-1]], capture_output=True, text=True).stdout
    pairs, sources = [], set()
    for package in text.split("\n\n"):
        fields = dict(re.findall(r"^(Package|Source|Section|Description): (.*)$", package, re.M))
        source = fields.get("Source", fields.get("Package", "")).split(" ")[0]
        if {"Section", "Description"} <= fields.keys() and source not in sources:
            sources.add(source)
            pairs.append((fields["Description"], fields["Section"]))
    largest = {section for section, _ in collections.Counter(s for _, s in pairs).most_common(25)}
    return [pair for pair in pairs if pair[1] in largest]


def scipy_docstrings():
    texts = {}
    for name in MODULES:
        module = importlib.import_module("scipy." + name)
        for member in map(lambda n: getattr(module, n), filter(lambda n: not n.startswith("_"), dir(module))):
            text = inspect.getdoc(member) if callable(member) else None
            if text and len(text) > 200:
                texts.setdefault(text, name)
    return list(texts.items())


MORE = {"20 Newsgroups, subjects": newsgroup_subjects, "Debian packages": debian_packages, "SciPy docstrings": scipy_docstrings}
CORPORA = [*text_quality.CORPORA, *MORE]


def read(corpus):
    return MORE[corpus]() if corpus in MORE else text_quality.read(corpus)


def run_copse(command, path, k, options, threads, folder):
    """Clusters, CPU seconds and peak memory in MB."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    columns = text_quality.run_copse(command, path, k, options, threads, folder)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    memory = json.loads((folder / "out" / "result.json").read_text())["peak_memory_bytes"] / 1e6
    return columns["cluster"], seconds, memory


def planted_vectors(truth, seed, noise):
    rng = np.random.default_rng(seed)
    names = sorted(set(truth))
    centres = rng.normal(size=(len(names), 32))
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    return centres[[names.index(label) for label in truth]] + noise * rng.normal(size=(len(truth), 32))


def planted_links(truth, seed):
    rng = np.random.default_rng(seed)
    members = collections.defaultdict(list)
    for j, label in enumerate(truth):
        members[label].append(j)
    for j, label in enumerate(truth):
        for _ in range(rng.poisson(1.5)):  # each is a link of two documents
            among = members[label] if rng.random() < 0.7 else range(len(truth))
            yield j, among[rng.integers(len(among))]


def runs_of(texts, truth, k, subsample, options, folder):
    """Yields who, labels, CPU seconds, memory."""
    path = folder / "documents.jsonl"
    with open(path, "w", encoding="utf-8") as file:
        for j, text in enumerate(texts):
            file.write(json.dumps({"id": str(j), "text": text}) + "\n")

    def copse(who, command, *more):
        return who, *run_copse(command, path, k, list(map(str, more)), options.threads, folder)

    yield copse("words", "topics", "--neighbour-graph", "none")
    for weight in options.weights:
        yield copse(f"own neighbours, {weight}", "topics", "--neighbour-graph", "words", "--graph-weight", weight)
    if options.trees:
        yield copse("tree, flattened", "tree", "--neighbour-graph", "none")
        yield copse("tree, flattened, own neighbours", "tree", "--neighbour-graph", "words", "--graph-weight", options.weights[0])
    if not options.rivals:
        return
    from sklearn.cluster import KMeans
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.preprocessing import normalize
    x = TfidfVectorizer(sublinear_tf=True, stop_words="english", min_df=3, max_df=0.5).fit_transform(texts)
    reduced = normalize(TruncatedSVD(100, random_state=subsample).fit_transform(x))
    yield "SVD and K-means", KMeans(k, n_init=10, random_state=subsample).fit_predict(reduced), None, None
    np.save(folder / "svd.npy", reduced)
    yield copse("SVD as vectors", "topics", "--vectors", folder / "svd.npy")
    vectors = planted_vectors(truth, subsample, options.noise)
    np.save(folder / "vectors.npy", vectors)
    yield "K-means of the vectors", KMeans(k, n_init=10, random_state=subsample).fit_predict(normalize(vectors)), None, None
    yield copse("vectors", "topics", "--vectors", folder / "vectors.npy")
    (folder / "links.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in planted_links(truth, subsample)))
    yield copse("links", "topics", "--links", folder / "links.tsv")


def measure(corpus, options):
    from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
    pairs = read(corpus)
    if not pairs:
        print(f"{corpus} is not on this machine")
        return
    k = len({label for _, label in pairs})
    for subsample in range(options.first, options.subsamples):
        chosen = sorted(random.Random(subsample).sample(range(len(pairs)), round(0.9 * len(pairs))))
        texts, truth = zip(*(pairs[j] for j in chosen))
        with tempfile.TemporaryDirectory() as name:
            for who, labels, seconds, memory in runs_of(texts, truth, k, subsample, options, pathlib.Path(name)):
                entry = {"corpus": corpus, "documents": len(pairs), "subsample": subsample, "who": who, "seconds": seconds,
                         "memory": memory, "nmi": normalized_mutual_info_score(truth, labels),
                         "ari": adjusted_rand_score(truth, labels)}
                print(json.dumps(entry), flush=True)
                with open(options.log, "a") as file:
                    file.write(json.dumps(entry) + "\n")


def report(log, output):
    runs = collections.defaultdict(dict)  # who, corpus: subsample: entry; the last of each counts
    documents, everyone = {}, []
    for line in open(log):
        entry = json.loads(line)
        runs[entry["who"], entry["corpus"]][entry["subsample"]] = entry
        documents[entry["corpus"]] = entry["documents"]
        if entry["who"] not in everyone:
            everyone.append(entry["who"])
    corpora = [corpus for corpus in CORPORA if corpus in documents]
    lines = ["# Words with a graph of the documents", "",
             f"`./run bench joint`, {datetime.date.today()}, {platform.machine()}, {os.cpu_count()} cores. Mean over subsamples of 90 % of "
             "the documents, standard deviation", "in brackets. The script says what is run.", ""]
    for name, title in (("nmi", "NMI"), ("ari", "ARI"), ("seconds", "CPU seconds"), ("memory", "peak memory, MB")):
        digits = 3 if name in ("nmi", "ari") else 1 if name == "seconds" else 0
        lines += [f"| {title} | " + " | ".join(f"{c}, {documents[c]:,}" for c in corpora) + " | mean |",
                  "| --- |" + " --- |" * (len(corpora) + 1)]
        for who in everyone:
            cells, means = [], []
            for corpus in corpora:
                values = [e[name] for e in runs[who, corpus].values() if e[name] is not None]
                if values:
                    means.append(statistics.mean(values))
                    spread = f" ({statistics.pstdev(values):.3f})" if digits == 3 else ""
                    cells.append(f"{means[-1]:.{digits}f}{spread}")
                else:
                    cells.append("")
            if means:
                mean = f"{statistics.mean(means):.{digits}f}" if len(means) == len(corpora) else ""
                lines.append(f"| {who} | " + " | ".join(cells) + f" | {mean} |")
        lines.append("")
    lines.append("Subsamples: " + ", ".join(f"{corpus} {len(runs['words', corpus])}" for corpus in corpora) + ".")
    output.write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", nargs="*", default=CORPORA, choices=CORPORA)
    parser.add_argument("--subsamples", type=int, default=5)
    parser.add_argument("--first", type=int, default=0, help="begin with this one: those before are in the log")
    parser.add_argument("--weights", nargs="*", type=float, default=[0.3, 1], help="--graph-weight of the documents' own neighbours")
    parser.add_argument("--noise", type=float, default=0.35, help="of planted vectors")
    parser.add_argument("--no-rivals", dest="rivals", action="store_false", help="no scikit-learn, no planted vectors and links")
    parser.add_argument("--no-trees", dest="trees", action="store_false")
    parser.add_argument("--threads", type=int, default=2, help="of copse")
    parser.add_argument("--log", type=pathlib.Path, default=ROOT / "build" / "joint.jsonl")
    parser.add_argument("--output", type=pathlib.Path, default=RESULTS)
    options = parser.parse_args()
    options.log.parent.mkdir(parents=True, exist_ok=True)
    for corpus in options.corpora:
        measure(corpus, options)
    report(options.log, options.output)


if __name__ == "__main__":
    main()
