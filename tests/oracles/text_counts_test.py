"""Counts and tf-idf of real text, set to scikit-learn's rules, against its CountVectorizer and TfidfVectorizer."""

import gzip
import json
import os
import pathlib
import subprocess
import zipfile

import numpy as np
import pytest
import scipy.sparse
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

pytestmark = pytest.mark.skipif("COPSE_PROGRAM" not in os.environ, reason="COPSE_PROGRAM names no program")

SAMPLE = ["The café's naïve Ωmega x² snake_case don't ½ 3.14 a I", "ΟΔΥΣΣΕΥΣ İstanbul ǅ ﬁne Ⅷ 中文 文本 हिन्दी שלום",
          "", "one\u00a0two\u2028three\tfour_ _five 1_000 ١٢٣ a\u0301b e\u0301", "🇩🇪 emoji👍🏽word ªº µ mµ"]


def documents(name):
    """Texts of one of the data sets, or the sample that is written here."""
    if name == "sample":
        return SAMPLE
    path = pathlib.Path(os.environ.get("COPSE_DATA", "")) / name / "documents.jsonl.gz"
    if not path.is_file():
        pytest.skip("COPSE_DATA names no folder with data")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line)["text"] for line, _ in zip(lines, range(3000))]


def counted(texts, folder, what):
    source, target = folder / "documents.jsonl", folder / "counts.npz"
    source.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    program = pathlib.Path(os.environ["COPSE_PROGRAM"]).parent.parent / "text_counts"
    subprocess.run([program, source, target, what], check=True)
    terms = zipfile.ZipFile(target).read("features.txt").decode().splitlines()
    return scipy.sparse.load_npz(target).T.tocsr(), terms


@pytest.mark.parametrize("name", ["sample", "20newsgroups", "arxiv_abstracts"])
def test_counts_are_those_of_scikit_learn(name, tmp_path):
    texts = documents(name)
    ours, terms = counted(texts, tmp_path, "counts")
    vectorizer = CountVectorizer()
    theirs = vectorizer.fit_transform(texts)
    assert terms == list(vectorizer.get_feature_names_out())
    assert (ours != theirs).nnz == 0


@pytest.mark.parametrize("name", ["sample", "20newsgroups"])
def test_vectors_are_those_of_scikit_learn(name, tmp_path):
    texts = documents(name)
    ours, _ = counted(texts, tmp_path, "tf-idf")
    theirs = TfidfVectorizer().fit_transform(texts)
    np.testing.assert_allclose(ours.toarray() if name == "sample" else ours.data,
                               theirs.toarray() if name == "sample" else theirs.sorted_indices().data, rtol=1e-12)
