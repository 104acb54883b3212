"""Reuters-21578 and 20 Newsgroups as term-document matrices, prepared as thesis section 2.2.1 says.

Single-label documents only; terms seen fewer than 3 times in all and documents with fewer than 5 words dropped; tf-idf,
unit columns; the normalized-cut weights of (7) are a step of their own. The thesis does not say how it cut text into words: here
a word is a run of two or more letters, in lower case, without scikit-learn's English stop words.
"""

import gzip
import json
import os
import re
from collections import Counter
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

WORD = re.compile(r"[a-z]{2,}")


def data_folder():
    folder = os.environ.get("COPSE_DATA")
    if not folder:
        raise SystemExit("COPSE_DATA is not set: it names the folder that holds reuters21578/ and 20newsgroups/")
    return Path(folder)


def read_documents(name):
    with gzip.open(data_folder() / name / "documents.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def reuters():
    """The 20 largest single-label classes of the ModApte split (articles with a body): texts and labels."""
    split = [d for d in read_documents("reuters21578") if d["modapte"] in ("train", "test") and d["type"] == "NORM"]
    documents = [d for d in split if d["label"]]
    largest = {label for label, _ in Counter(d["label"] for d in documents).most_common(20)}
    kept = [d for d in documents if d["label"] in largest]
    return [d["text"] for d in kept], [d["label"] for d in kept]


def newsgroups():
    """20 Newsgroups without headers, quoted lines and signatures: texts and labels."""
    documents = read_documents("20newsgroups")
    return [own_words(d["text"]) for d in documents], [d["label"] for d in documents]


CORPORA = {"Reuters": reuters, "20 Newsgroups": newsgroups}


def own_words(post):
    """A post's body without lines that start with '>' (quotations) or '--' (signatures), [Kuang 2014, section 2.2.1]."""
    _, _, body = post.partition("\n\n")
    return "\n".join(line for line in body.splitlines() if not line.lstrip().startswith((">", "--")))


IDF = {  # by number of documents and of those that have the word
    "plain": lambda n, df: np.log(n / df),
    "smooth": lambda n, df: 1 + np.log(n / df),
    "none": lambda n, df: np.ones(len(df)),
}


def term_document_matrix(texts, labels, idf="plain"):
    """Terms x documents (CSC) with unit columns, the words of its rows and the labels of its columns."""
    documents = [[word for word in WORD.findall(text.lower()) if word not in ENGLISH_STOP_WORDS] for text in texts]
    totals = Counter(word for document in documents for word in document)
    vocabulary = {word: i for i, word in enumerate(sorted(word for word, count in totals.items() if count >= 3))}
    columns, kept = [], []
    for document, label in zip(documents, labels):
        counts = Counter(vocabulary[word] for word in document if word in vocabulary)
        if sum(counts.values()) >= 5:
            columns.append(counts)
            kept.append(label)
    offsets = np.cumsum([0] + [len(c) for c in columns])
    rows = np.fromiter((i for c in columns for i in sorted(c)), np.int32, offsets[-1])
    values = np.fromiter((c[i] for c in columns for i in sorted(c)), np.float64, offsets[-1])
    x = sp.csc_matrix((values, rows, offsets), shape=(len(vocabulary), len(columns)))
    document_frequency = np.bincount(x.indices, minlength=x.shape[0])
    x = sp.diags(IDF[idf](x.shape[1], np.maximum(document_frequency, 1))) @ x
    x = x @ sp.diags(1 / np.sqrt(x.multiply(x).sum(axis=0)).A1)
    return x.tocsc(), sorted(vocabulary), kept


def normalized_cut(x):
    """The weights of (7)."""
    return (x @ sp.diags(1 / np.sqrt(x.T @ (x @ np.ones(x.shape[1]))))).tocsc()


def newsgroup_levels(label):
    """The three truth levels of a newsgroup, 6/18/20 nodes (thesis table 16)."""
    if "politics" in label:
        return "politics", label, label
    if "religion" in label or label == "alt.atheism":
        return "religion", label, label
    parts = label.split(".")
    return parts[0], ".".join(parts[:2]), label
