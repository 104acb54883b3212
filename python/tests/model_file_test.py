"""Models go to folders, pickles and copies, and come back whole."""

import copy
import json
import pickle

import numpy as np
import pandas
import pytest
from safetensors.numpy import load_file, save_file
from sklearn.feature_extraction.text import TfidfVectorizer
from text_test import corpus as documents

import copse
from copse import _copse


@pytest.fixture(scope="module")
def corpus():
    return copse.make_corpus(300, 200, 4, terms_per_document=30, strength=3, random_state=1)


def same(one, other, X):
    assert str(one.show()) == str(other.show())
    assert one.leaves_ == other.leaves_
    np.testing.assert_array_equal(one.labels_, other.labels_)
    np.testing.assert_array_equal(one.transform(X), other.transform(X))
    np.testing.assert_array_equal(one.topics_.coherence, other.topics_.coherence)


def through_a_folder(model, tmp_path):
    return copse.load_result(model.save(tmp_path / "model") and tmp_path / "model").model


COPIES = {
    "folder": through_a_folder,
    "pickle": lambda model, _: pickle.loads(pickle.dumps(model)),
    "deepcopy": lambda model, _: copy.deepcopy(model),
}


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("leaves", [1, 4])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_tree_comes_back(corpus, tmp_path, dtype, leaves, way):
    X = corpus.X.astype(dtype)
    tree = copse.TopicTree(leaves, random_state=3, imbalance=5.0).fit(X, feature_names=[f"w{i}" for i in range(200)])
    if leaves > 1:
        tree.rename("1", "größer")
    again = COPIES[way](tree, tmp_path)
    same(tree, again, X)
    if leaves == 1:
        return
    assert np.isfinite(again.topics_.coherence[1:]).all()
    with pytest.raises(ValueError, match="give X"):
        again.split(again.leaves_[0])
    same(tree.split(tree.leaves_[0]), again.split(again.leaves_[0], X=X), X)
    for _ in range(2):
        same(tree.undo(), again.undo(), X)
    assert "größer" not in str(again.show())
    if _copse.page_is_built():
        again.report(tmp_path / "page.html", title="Again")
        assert "Again" in (tmp_path / "page.html").read_text()


@pytest.mark.parametrize("way", COPIES)
def test_a_tree_of_documents_comes_back_with_its_words(tmp_path, way):
    texts, _ = documents()
    texts.insert(4, "Short.")
    vectorizer = copse.TextVectorizer(stemmer="english", more_stop_words=("moon",))
    tree = copse.TopicTree(3, random_state=0, vectorizer=vectorizer).fit(texts)
    again = COPIES[way](tree, tmp_path)
    same(tree, again, texts)
    assert again.labels_[4] == -1 and len(again.labels_) == len(texts)
    found = again.vectorizer_.get_params() | {"stop_words": "auto"}
    assert found == vectorizer.get_params()
    same(tree.split(tree.leaves_[0]), again.split(again.leaves_[0], X=texts), texts)
    assert again.representatives("1").text[0].startswith("The ")


@pytest.mark.parametrize("way", COPIES)
def test_a_flat_model_comes_back(corpus, tmp_path, way):
    X = pandas.DataFrame(corpus.X.toarray(), columns=[f"w{i}" for i in range(200)])
    model = copse.NMF(4, random_state=0, affine=True, beta=0.1, alpha=0.5).fit(X)
    again = COPIES[way](model, tmp_path)
    for attribute in ("components_", "labels_", "baseline_", "feature_names_in_", "history_"):
        np.testing.assert_array_equal(getattr(again, attribute), getattr(model, attribute))
    np.testing.assert_array_equal(again.transform(X), model.transform(X))
    assert again.topics().equals(model.topics())
    assert {name: again.get_params()[name] for name in ("beta", "alpha", "affine", "random_state")} == {
        "beta": 0.1,
        "alpha": 0.5,
        "affine": True,
        "random_state": 0,
    }


@pytest.mark.skipif(not _copse.page_is_built(), reason="this build has no report page: it needs Node.js")
def test_the_page_has_classes_times_names_and_no_near_duplicates(tmp_path):
    texts, subjects = documents()
    texts += [texts[0]] * 3
    subjects = [*subjects, *[subjects[0]] * 3]
    times = [f"19{90 + i % 5}" for i in range(len(texts))]
    for model in (copse.NMF(3, random_state=0), copse.TopicTree(3, criterion="error")):
        model.fit(texts).report(
            tmp_path / "page.html", names=[f"text {i}" for i in range(len(texts))], labels=subjects, times=times
        )
        page = (tmp_path / "page.html").read_text()
        assert "text 7" in page and '"law"' in page and "1993" in page and type(model).__name__ in page
        for topic in model._result.topics(0):
            assert not {len(texts) - 1, len(texts) - 2, len(texts) - 3} & {j for j, _ in topic["representatives"]}
        over_time = model.topics_over_time()
        assert over_time.period.tolist() == ["1990", "1991", "1992", "1993", "1994"]
        assert over_time.iloc[:, 1:].to_numpy().sum() == (model.labels_ >= 0).sum()
        best = model.find_topics("telescope").topic[0]
        assert "telescope" in [word for t in model._result.topics(60) if t["id"] == best for word, _, _ in t["words"]]
    with pytest.raises(ValueError, match="There are 1 names for"):
        model.report(tmp_path / "page.html", names=["one"])


def test_what_cannot_be_saved_gets_a_sentence(corpus, tmp_path):
    foreign = copse.TopicTree(3, vectorizer=TfidfVectorizer()).fit(documents()[0])
    assert foreign.transform(documents()[0]).shape == (120, foreign.n_leaves_)
    with pytest.raises(ValueError, match="not how TfidfVectorizer does"):
        foreign.save(tmp_path / "out")
    assert not (tmp_path / "out").exists()
    tree = copse.TopicTree(3).fit(corpus.X)
    with pytest.raises(ValueError, match="there is no folder"):
        tree.save(tmp_path / "missing" / "out")
    tree.save(tmp_path / "out")
    with pytest.raises(OSError, match="out"):
        tree.save(tmp_path / "out")
    tree.save(tmp_path / "out", overwrite=True)
    with pytest.raises(ValueError, match="documents"):
        tree.transform(["a text"])
    with pytest.raises(ValueError, match="such as '1.2', not 1"):
        tree.split(1)


def test_damaged_folders_get_a_sentence(corpus, tmp_path):
    with pytest.raises(ValueError, match="is .* the folder of a result"):
        copse.load_result(tmp_path)
    (tmp_path / "result.json").write_text(json.dumps({"k": 3}))
    with pytest.raises(ValueError, match="is .* the folder of a result"):
        copse.load_result(tmp_path)
    copse.TopicTree(3, random_state=0).fit(corpus.X).save(tmp_path / "out")
    copse.NMF(3, random_state=0).fit(corpus.X).save(tmp_path / "flat")
    with pytest.raises(ValueError, match="holds a fitted NMF, no TopicTree"):
        copse.TopicTree.load(tmp_path / "flat")
    path = tmp_path / "out" / "model.safetensors"
    good = load_file(path)
    path.write_bytes(b"no")
    with pytest.raises(ValueError):
        copse.load_result(tmp_path / "out")
    for name in sorted(good):
        if not name.startswith("tree.") or name == "tree.flat" or not good[name].size:
            continue
        for damaged in (good[name][:-1], np.zeros(3, np.int8)):
            save_file(good | {name: damaged}, path)
            with pytest.raises(ValueError):
                copse.load_result(tmp_path / "out")
