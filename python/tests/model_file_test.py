"""Trees go to files and come back, and Python understands what the program writes."""

import json
import subprocess

import numpy as np
import pytest
import scipy.sparse
from safetensors.numpy import load_file, save_file
from text_test import corpus as documents

import copse


@pytest.fixture(scope="module")
def corpus():
    return copse.make_corpus(300, 200, 4, terms_per_document=30, strength=3, random_state=1)


def same(one, other, X):
    assert str(one.show()) == str(other.show())
    assert one.leaves_ == other.leaves_
    np.testing.assert_array_equal(one.labels_, other.labels_)
    np.testing.assert_array_equal(one.transform(X), other.transform(X))


@pytest.mark.parametrize("leaves", [1, 4])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_tree_comes_back_from_its_file(corpus, tmp_path, dtype, leaves):
    X = corpus.X.astype(dtype)
    tree = copse.TopicTree(leaves, random_state=3, imbalance=5.0).fit(X, feature_names=[f"w{i}" for i in range(200)])
    if leaves > 1:
        tree.rename("1", "größer")
    again = copse.TopicTree.load(tree.save(tmp_path / "m.safetensors") and tmp_path / "m.safetensors")
    same(tree, again, X)
    assert again.get_params() == tree.get_params()
    if leaves > 1:
        same(tree.split(tree.leaves_[0]), again.split(again.leaves_[0], X=X), X)
    assert [path.name for path in tmp_path.iterdir()] == ["m.safetensors"]


def test_a_tree_of_documents_comes_back_with_its_words(tmp_path):
    texts, _ = documents()
    texts.insert(4, "Short.")
    vectorizer = copse.TextVectorizer(stemmer="english", more_stop_words=("moon",))
    tree = copse.TopicTree(3, random_state=0, vectorizer=vectorizer).fit(texts)
    tree.save(tmp_path / "m.safetensors")
    again = copse.TopicTree.load(tmp_path / "m.safetensors")
    same(tree, again, texts)
    assert again.labels_[4] == -1 and len(again.labels_) == len(texts)
    assert again.vectorizer_.get_params() == vectorizer.get_params() | {"dtype": "float32"}


def test_files_that_are_no_tree_get_a_sentence(corpus, tmp_path):
    path = tmp_path / "m.safetensors"
    path.write_bytes(b"no")
    with pytest.raises(ValueError, match="cannot be read as a model"):
        copse.TopicTree.load(path)
    save_file({"w": np.zeros((2, 2))}, path)
    with pytest.raises(ValueError, match="not the model of a tree"):
        copse.TopicTree.load(path)
    copse.TopicTree(3, random_state=0).fit(corpus.X).save(path)
    good = load_file(path)
    for name in sorted(good):
        if not name.startswith("tree.") or name == "tree.flat" or not good[name].size:
            continue
        for damaged in (good[name][:-1], np.zeros(3, np.int8)):
            save_file(good | {name: damaged}, path)
            with pytest.raises(ValueError):
                copse.TopicTree.load(path)


def run(program, *arguments):
    subprocess.run([program, *map(str, arguments)], check=True, capture_output=True, timeout=120)


def test_a_flat_result_of_the_program(program, corpus, tmp_path):
    scipy.sparse.save_npz(tmp_path / "x.npz", corpus.X)
    run(
        program,
        "factor",
        tmp_path / "x.npz",
        "--items",
        "rows",
        "-k",
        4,
        "--affine",
        "--sparse",
        0.1,
        "-o",
        tmp_path / "out",
    )
    found = copse.load_result(tmp_path / "out")
    fitted = copse.NMF(4, random_state=0, affine=True, beta=0.1).fit(corpus.X)
    np.testing.assert_array_equal(found.model.components_, fitted.components_)
    np.testing.assert_array_equal(found.model.transform(corpus.X), fitted.transform(corpus.X))
    np.testing.assert_array_equal(found.labels, fitted.labels_)
    assert found.result["k"] == 4 and len(found.item_names) == 300


def test_a_tree_of_the_program(program, corpus, tmp_path):
    scipy.sparse.save_npz(tmp_path / "x.npz", corpus.X)
    run(program, "tree", tmp_path / "x.npz", "--items", "rows", "--leaves", 4, "--seed", 3, "-o", tmp_path / "out")
    found = copse.load_result(tmp_path / "out")
    same(found.model, copse.TopicTree(4, random_state=3).fit(corpus.X), corpus.X)
    same(copse.TopicTree.load(tmp_path / "out" / "model.safetensors"), found.model, corpus.X)


@pytest.mark.parametrize("command", [("topics", "-k", 3), ("tree", "--leaves", 3)])
def test_documents_of_the_program(program, tmp_path, command):
    texts, _ = documents()
    texts.insert(4, "Short.")
    lines = [json.dumps({"id": f"d{i}", "text": text}) + "\n" for i, text in enumerate(texts)]
    (tmp_path / "texts.jsonl").write_text("".join(lines))
    name, *options = command
    run(program, name, tmp_path / "texts.jsonl", "--min-count", 1, "--min-words", 2, *options, "-o", tmp_path / "out")
    found = copse.load_result(tmp_path / "out")
    assert list(found.item_names) == [f"d{i}" for i in range(len(texts))]
    assert found.labels[4] == -1 and (np.delete(found.labels, 4) >= 0).all()
    placed = found.labels >= 0
    weights = found.model.transform(texts)
    assert weights.shape == (len(texts), 3) and not weights[4].any()
    np.testing.assert_array_equal(weights[placed].argmax(axis=1), found.labels[placed])


def test_a_folder_without_a_result_gets_a_sentence(tmp_path):
    with pytest.raises(ValueError, match="not the folder of a complete result"):
        copse.load_result(tmp_path)
    (tmp_path / "result.json").write_text(json.dumps({"k": 3}))
    with pytest.raises(ValueError, match="cannot be read as a model"):
        copse.load_result(tmp_path)
