#!/usr/bin/env python3
"""LDA: copse beside tomotopy, CPU seconds and perplexity on words that were held out.

Counts of words of 20 Newsgroups (without headers and quoted lines) and of arXiv abstracts: words of letters, in 5
documents or more and in half of them at most, English stop words left out, documents of 10 words or more. A tenth of the
words of each document is held out, drawn at random. Both get the same words, the same priors to begin with
(alpha = 5 / k, beta = 0.01), the same numbers of sweeps, and move alpha every ten sweeps after the fiftieth; copse moves
beta as well, and once more does not. They take turns. Perplexity is that of the held-out words under the topics of their
documents as the last sweep left them. NMI is that of the largest topic with the document's class. The last column is
how much sooner copse has the perplexity that tomotopy has after so many sweeps, by the straight line between two
numbers of sweeps, turn by turn.

    bench/lda.py                                        prints the tables of bench/results/lda.md
    bench/lda.py --corpora 20newsgroups --k 20 --turns 1 --sweeps 50 100
"""
import argparse
import gzip
import importlib.metadata
import json
import os
import pathlib
import re
import statistics
import sys
import time

import numpy as np
import scipy.sparse
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import normalized_mutual_info_score

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from text_quality import without_headers_and_quotes  # noqa: E402

CORPORA = ["20newsgroups", "arxiv_abstracts"]


def counts_of(corpus):
    folder = os.environ.get("COPSE_DATA")
    if not folder:
        raise SystemExit("COPSE_DATA is not set: it names the folder that holds " + ", ".join(CORPORA))
    with gzip.open(pathlib.Path(folder) / corpus / "documents.jsonl.gz", "rt", encoding="utf-8") as lines:
        documents = [json.loads(line) for line in lines]
    texts = [d["text"] for d in documents]
    if corpus == "20newsgroups":
        texts = [without_headers_and_quotes(text) for text in texts]
    words = CountVectorizer(stop_words="english", min_df=5, max_df=0.5, token_pattern="[a-zA-Z]{2,}")
    counts = words.fit_transform(texts).tocsr()
    kept = np.asarray(counts.sum(axis=1)).ravel() >= 10
    labels = np.array([str(d["label"]) for d in documents])[kept]
    counts = counts[kept]
    train, test = counts.copy(), counts.copy()
    train.data = np.random.RandomState(0).binomial(counts.data, 0.9)
    test.data = counts.data - train.data
    for part in (train, test):
        part.eliminate_zeros()
        part.sort_indices()
    return train, test.tocoo(), labels


def judged(test, labels, words, documents):
    p = np.einsum("ij,ij->i", documents[test.row], words[:, test.col].T)
    perplexity = float(np.exp(-(test.data * np.log(p)).sum() / test.data.sum()))
    return perplexity, normalized_mutual_info_score(labels, documents.argmax(axis=1))


def copse_runs(train, k, sweeps, threads, seed, optimize_beta):
    import copse

    X = scipy.sparse.csr_array(train.astype(np.float32))
    for number in sweeps:
        model = copse.LDA(k, max_iter=number, optimize_beta=optimize_beta, random_state=seed, n_jobs=threads)
        began = time.process_time()
        model.fit(X)
        seconds = time.process_time() - began
        documents = model.doc_topic_.copy()
        documents[documents.sum(axis=1) == 0] = model.alpha_ / model.alpha_.sum()
        yield seconds, model.components_, documents


def tomotopy_runs(train, k, sweeps, threads, seed):
    import tomotopy

    model = tomotopy.LDAModel(k=k, alpha=5 / k, eta=0.01, seed=seed)
    model.burn_in = 50
    model.optim_interval = 10
    for i in range(train.shape[0]):
        row = slice(train.indptr[i], train.indptr[i + 1])
        words = [str(w) for w in np.repeat(train.indices[row], train.data[row])]
        model.add_doc(words or ["nothing"])
    model.train(0)
    seconds = 0
    for before, number in zip([0, *sweeps], sweeps):
        began = time.process_time()
        model.train(number - before, workers=threads)
        seconds += time.process_time() - began
        words = np.full((k, train.shape[1]), 1e-12)
        places = [(e, int(word)) for e, word in enumerate(model.used_vocabs) if word != "nothing"]
        here, there = (list(numbers) for numbers in zip(*places))
        for c in range(k):
            words[c, there] = model.get_topic_word_dist(c)[here]
        yield seconds, words, np.array([document.get_topic_dist() for document in model.docs])


def seconds_until(perplexity, runs):
    """CPU seconds at which a run with these (seconds, perplexity) had that perplexity; None: it did not get there."""
    before = (0, float("inf"))
    for seconds, reached in runs:
        if reached <= perplexity:
            share = 1 if before[1] == float("inf") else (before[1] - perplexity) / (before[1] - reached)
            return before[0] + share * (seconds - before[0])
        before = (seconds, reached)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", nargs="*", default=CORPORA)
    parser.add_argument("--k", type=int, nargs="*", default=[20, 100])
    parser.add_argument("--sweeps", type=int, nargs="*", default=[50, 100, 200, 400])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--turns", type=int, default=3)
    options = parser.parse_args()
    print(f"copse beside tomotopy {importlib.metadata.version('tomotopy')}, {options.threads} threads, "
          f"{options.turns} turns\n")
    for corpus in options.corpora:
        train, test, labels = counts_of(corpus)
        for k in options.k:
            compare(corpus, train, test, labels, k, options)


def compare(corpus, train, test, labels, k, options):
    runs = {"tomotopy": tomotopy_runs,
            "copse": lambda *a: copse_runs(*a, True),
            "copse, beta given": lambda *a: copse_runs(*a, False)}
    found = {name: [] for name in runs}  # one list of (seconds, perplexity, NMI) per turn
    for turn in range(options.turns):
        for name, run in runs.items():
            found[name].append([])
            for number, (seconds, words, documents) in zip(options.sweeps, run(train, k, options.sweeps,
                                                                               options.threads, turn + 1)):
                found[name][-1].append((seconds, *judged(test, labels, words, documents)))
                print(f"{corpus}, k = {k}, seed {turn + 1}: {name}, {number} sweeps: {seconds:.1f} s, perplexity "
                      f"{found[name][-1][-1][1]:.1f}, NMI {found[name][-1][-1][2]:.3f}", file=sys.stderr, flush=True)
    print(f"### {corpus}: {train.shape[0]:,} documents, {train.shape[1]:,} words, {train.sum():,} of them to "
          f"learn from, {int(test.data.sum()):,} held out, k = {k}\n")
    print("| | sweeps | CPU seconds, median (least .. most) | perplexity, mean (least .. most) | NMI, mean | sooner |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, turns in found.items():
        for place, number in enumerate(options.sweeps):
            seconds, perplexities, nmis = zip(*(turn[place] for turn in turns))
            sooner = ""
            if name != "tomotopy":
                times = [(theirs[place][0], seconds_until(theirs[place][1], [row[:2] for row in ours]))
                         for theirs, ours in zip(found["tomotopy"], turns)]
                sooner = ", ".join("never" if until is None else f"{theirs / until:.2f}" for theirs, until in times)
            print(f"| {name} | {number} | {statistics.median(seconds):.3g} ({min(seconds):.3g} .. {max(seconds):.3g}) | "
                  f"{statistics.mean(perplexities):.0f} ({min(perplexities):.0f} .. {max(perplexities):.0f}) | "
                  f"{statistics.mean(nmis):.3f} | {sooner} |")
    print(flush=True)


if __name__ == "__main__":
    main()
