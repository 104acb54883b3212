"""Text: the vectorizer against scikit-learn's, trees from strings, the report."""

import json
import pickle
import re

import numpy as np
import pandas
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.pipeline import make_pipeline

from copse import NMF, TextVectorizer, TopicTree, _copse

SUBJECTS = {
    "food": "bread butter cheese oven flour sugar recipe kitchen bake dough".split(),
    "space": "rocket orbit planet moon launch satellite astronaut gravity telescope star".split(),
    "law": "court judge appeal verdict lawyer trial witness jury crime sentence".split(),
}


def corpus(per_subject=40, seed=0):
    """Documents of three subjects, and the subject of each."""
    random = np.random.RandomState(seed)
    documents, subjects = [], []
    for subject, words in SUBJECTS.items():
        for _ in range(per_subject):
            chosen = [words[i] for i in random.randint(0, len(words), 20)]
            documents.append("The " + " and the ".join(chosen) + ". This is what it was about.")
            subjects.append(subject)
    order = random.permutation(len(documents))
    return [documents[i] for i in order], np.array(subjects)[order]


PLAIN = dict(words="characters", stop_words=None, addresses="words", numbers=True, min_count=1, min_words=0)


def test_counts_are_scikit_learns():
    documents, _ = corpus()
    documents += ["Ünïcode straße and numbers 42, x2 y_z", "the the THE"]
    ours = TextVectorizer(**PLAIN, weighting="none", unit=False, dtype=np.float64)
    theirs = CountVectorizer()
    X, expected = ours.fit_transform(documents), theirs.fit_transform(documents)
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    assert (X != expected).nnz == 0
    assert ours.vocabulary_ == theirs.vocabulary_


def test_weights_are_tf_idf_with_unit_rows():
    documents, _ = corpus()
    ours = TextVectorizer(**PLAIN, weighting="tf-idf", dtype=np.float64)
    X = ours.fit_transform(documents)
    counts = CountVectorizer(vocabulary=ours.vocabulary_).fit_transform(documents).astype(float)
    weights = counts.multiply(np.log(len(documents) / np.asarray((counts > 0).sum(axis=0)).ravel())).tocsr()
    norms = np.sqrt(np.asarray(weights.multiply(weights).sum(axis=1)))
    np.testing.assert_allclose(X.toarray(), weights.toarray() / norms, atol=1e-12)
    assert TfidfVectorizer().fit_transform(documents).shape[0] == X.shape[0]


@pytest.mark.parametrize(
    "parameters",
    [{}, {"stemmer": "english"}, {"bigrams": True}, {"normalized_cut": True}, {"mail": ["quotes"]}]
    + [{"weighting": name} for name in _copse.choices["weights"]],
    ids=str,
)
def test_old_documents_are_transformed_as_in_the_fit(parameters):
    documents, _ = corpus()
    documents.insert(3, "Too short.")
    vectorizer = TextVectorizer(dtype=np.float64, **parameters)
    X = vectorizer.fit_transform(documents)
    assert X.shape[0] == len(documents) and X[3].nnz == 0
    for model in (vectorizer, pickle.loads(pickle.dumps(vectorizer))):
        np.testing.assert_allclose(model.transform(documents).toarray(), X.toarray(), rtol=1e-13)
    assert clone(vectorizer).get_params() == vectorizer.get_params()


def test_stop_words_of_the_language_are_left_out():
    documents, _ = corpus()
    vectorizer = TextVectorizer().fit(documents)
    assert vectorizer.languages_ == ["english"]
    assert set(vectorizer.get_feature_names_out()) == {word for words in SUBJECTS.values() for word in words}
    more = TextVectorizer(more_stop_words=["rocket", "judge"]).fit(documents)
    assert len(vectorizer.vocabulary_) - len(more.vocabulary_) == 2
    one = TextVectorizer(more_stop_words="rocket").fit(documents)
    assert set(vectorizer.vocabulary_) - set(one.vocabulary_) == {"rocket"}


@pytest.mark.parametrize(
    "call, sentence",
    [
        (lambda: TextVectorizer().fit("one string"), "A list of documents"),
        (lambda: TextVectorizer().fit([]), "no documents"),
        (lambda: TextVectorizer().fit(["a text", 3]), "Document 1 is not a string.*of type int"),
        (lambda: TopicTree().fit(["a text", None]), "Document 1 is not a string.*of type NoneType"),
        (lambda: TopicTree().fit([None, "a text"]), "Document 0 is not a string.*of type NoneType"),
        (lambda: TopicTree().fit([b"a text"]), "not bytes"),
        (lambda: TopicTree().fit(pandas.DataFrame({"t": corpus()[0]})), r"give X\['t'\], not a frame"),
        (lambda: TextVectorizer(min_count=1, min_words=5).fit(["rocket orbit", "planet moon"]), "min_words"),
        (lambda: TopicTree().fit(["rocket orbit planet moon launch satellite"] * 50), "."),
        (lambda: TextVectorizer(more_stop_words=[3]).fit(["a text"]), "more_stop_words must be strings"),
        (lambda: TextVectorizer(mail=["footers"]).fit(["a text"]), "mail must be one of 'headers'"),
        (lambda: TextVectorizer().fit(["a text", "\ud800"]), "Document 1 is not a string of Unicode"),
        (lambda: TextVectorizer(stop_words="klingon").fit(["a text"]), "klingon"),
        (lambda: TextVectorizer(words="letters").fit(["a text"]), "words must be one of"),
        (lambda: TextVectorizer().fit(["nothing is left of this"]), "."),
        (lambda: TopicTree().fit("one string"), "A list of documents"),
        (lambda: TopicTree().fit(corpus()[0], feature_names=["a"]), "bring their own"),
    ],
)
def test_wrong_text_gets_a_sentence(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()


def test_a_pipeline_finds_the_subjects():
    documents, subjects = corpus()
    model = make_pipeline(TextVectorizer(), NMF(3, random_state=0)).fit(documents)
    labels = model.predict(documents)
    assert {len(set(labels[subjects == subject])) for subject in SUBJECTS} == {1} and len(set(labels)) == 3


@pytest.mark.parametrize("container", [list, np.array, tuple, "pandas", iter])
def test_a_tree_grows_from_strings(container):
    documents, subjects = corpus()
    documents.insert(5, "Short.")
    subjects = np.insert(subjects, 5, "none")
    if container == "pandas":
        import pandas

        container = pandas.Series
    # With 30 words in all, their ranking says too little: the error decides which leaf to split.
    tree = TopicTree(n_leaves=3, criterion="error", random_state=0).fit(container(documents))
    assert tree.labels_.shape == (121,) and tree.labels_[5] == -1
    for subject in SUBJECTS:
        assert len(set(tree.labels_[subjects == subject])) == 1
    words = tree.nodes(5)[1]["words"]
    assert any(set(words) <= set(subject) for subject in SUBJECTS.values())
    assert set(tree.samples("1")) | set(tree.samples("2")) <= set(range(121)) - {5}
    new = tree.transform(["The judge and the jury were in court for the trial and the verdict."])
    leaf = tree.leaves_[new.argmax()]
    assert "judge" in next(node for node in tree.nodes() if node["id"] == leaf)["words"]


def test_a_tree_from_strings_survives_pickling():
    documents, _ = corpus()
    documents.insert(5, "Short.")
    tree = TopicTree(n_leaves=2, random_state=0).fit(documents)
    again = pickle.loads(pickle.dumps(tree))
    np.testing.assert_array_equal(again.transform(documents), tree.transform(documents))
    np.testing.assert_array_equal(again.split("1", X=documents).labels_, tree.split("1").labels_)


@pytest.mark.skipif(not _copse.page_is_built(), reason="this build has no report page: it needs Node.js")
def test_the_report_holds_the_tree(tmp_path):
    documents, _ = corpus()
    documents.insert(5, "Short.")
    tree = TopicTree(n_leaves=3, random_state=0).fit(documents)
    tree.rename("1", "a name of its own")
    tree.report(tmp_path / "report.html", title="Three subjects")
    page = (tmp_path / "report.html").read_text()
    assert "Three subjects" in page and "a name of its own" in page and "telescope" in page
    matrix = TopicTree(n_leaves=2, random_state=0).fit(scipy.sparse.random(30, 20, 0.3, format="csr", random_state=0))
    matrix.report(tmp_path / "matrix.html", names=[f"sample {j}" for j in range(30)])
    assert "sample 7" in (tmp_path / "matrix.html").read_text()


def test_json_of_the_vocabulary_is_json():
    documents, _ = corpus()
    vectorizer = TextVectorizer(stemmer="english").fit(documents)
    assert json.loads(vectorizer._model.__getstate__()[1])
    assert all(re.fullmatch(r"\w+", name) for name in vectorizer.get_feature_names_out())
