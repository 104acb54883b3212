"""TopicTree: planted topics come back, edits change what they say, and the program grows the same tree."""

import json
import pickle
import subprocess

import numpy as np
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from copse import TopicTree, evaluate, make_corpus


@parametrize_with_checks([TopicTree(n_leaves=3)])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def corpus():
    return make_corpus(600, 400, 6, terms_per_document=40, strength=3, random_state=1)


@pytest.fixture
def tree(corpus):
    names = [f"word{i}" for i in range(400)]
    return TopicTree(n_leaves=6, random_state=0).fit(corpus.X, feature_names=names)


def test_finds_planted_topics(tree, corpus):
    assert tree.n_leaves_ == len(tree.leaves_) == 6
    inside = tree.labels_ >= 0
    assert evaluate(tree.labels_[inside], corpus.labels[inside])["nmi"] > 0.7
    coefficients = tree.transform(corpus.X)
    assert coefficients.shape == (600, 6) and (coefficients >= 0).all()
    assert (coefficients.argmax(axis=1) == tree.labels_)[inside].mean() > 0.9
    assert tree.get_feature_names_out().tolist() == [f"topictree{leaf}" for leaf in tree.leaves_]


def test_needs_no_seed(tree, corpus):
    again = TopicTree(n_leaves=6, random_state=5).fit(corpus.X, feature_names=[f"word{i}" for i in range(400)])
    np.testing.assert_array_equal(again.labels_, tree.labels_)
    np.testing.assert_array_equal(again.components_, tree.components_)


def test_random_starts_follow_the_seed(corpus):
    first, same, other = (
        TopicTree(n_leaves=6, init="random", random_state=seed).fit(corpus.X).components_ for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, same)
    assert first.shape != other.shape or not np.array_equal(first, other)
    with pytest.raises(ValueError, match="init"):
        TopicTree(init="nndsvd").fit(corpus.X)


def test_samples_of_the_fit_come_back_to_their_leaves(tree, corpus):
    found = tree.predict(corpus.X)
    np.testing.assert_array_equal(found, tree.labels_)
    assert (found >= 0).all()
    new = scipy.sparse.vstack([corpus.X[:5], scipy.sparse.csr_matrix((1, 400), dtype=np.float32)])
    np.testing.assert_array_equal(tree.predict(new), [*found[:5], -1])
    dropped = tree.leaves_[0]
    assert dropped not in tree.drop(dropped).leaves_ and (tree.predict(corpus.X) < len(tree.leaves_)).all()


def test_the_table_of_topics(tree, corpus):
    topics = tree.topics_
    assert {"id", "parent", "size", "words", "coherence"} <= set(topics.columns)
    assert len(topics) == 2 * tree.n_leaves_ - 1
    root = topics[topics.id == ""].iloc[0]
    assert root["size"] == 600 and np.isnan(root.coherence)
    first = topics[topics.id == "1"].iloc[0]
    # Coherence by its definition, [Kuang 2014, eq. 64].
    terms = [int(word[4:]) for word in tree.nodes(20)[1]["words"]]
    assert first.words[0] == f"word{terms[0]}"
    present = corpus.X[:, terms].toarray() != 0
    expected = sum(
        np.log(((present[:, i] & present[:, j]).sum() + 1) / present[:, i].sum())
        for i in range(len(terms))
        for j in range(i, len(terms))
    )
    assert first.coherence == pytest.approx(expected)


def test_nodes_say_why_they_are_leaves(tree):
    for node in tree.nodes():
        assert (node["leaf"] is None) == bool(node["children"])
    tiny = TopicTree(n_leaves=9, random_state=0).fit(np.eye(3))
    assert {node["leaf"] for node in tiny.nodes()} - {None} <= {"too_small", "one_sided", "only_outliers"}


def test_partitions_are_nested(tree):
    partitions = [tree.partition(leaves) for leaves in range(1, tree.n_leaves_ + 1)]
    for leaves, (coarse, fine) in enumerate(zip(partitions, partitions[1:]), 1):
        assert len(set(coarse) - {None}) == leaves
        for one, other in zip(coarse, fine):
            assert other is None or other.startswith(one)
    with pytest.raises(ValueError, match="no partition into 99"):
        tree.partition(99)


def test_edits(tree):
    assert tree.cut(4).n_leaves_ == 4
    leaf = max(tree.leaves_, key=lambda leaf: len(tree.samples(leaf)))
    before = set(tree.leaves_)
    tree.split(leaf, into=3)
    assert 4 < tree.n_leaves_ <= 6 and before - {leaf} <= set(tree.leaves_)
    assert tree.components_.shape == (tree.n_leaves_, 400)
    tree.merge(leaf)
    assert set(tree.leaves_) == before
    tree.rename("1", "first")
    assert tree.topics_.set_index("id").loc["1", "name"] == "first" and "first" in str(tree.show())
    gone = tree.leaves_[0]
    members = np.intersect1d(tree.samples(gone), np.flatnonzero(tree.labels_ == 0))
    assert len(members) > 0
    tree.drop(gone)
    assert (tree.labels_[members] == -1).all() and gone not in tree.leaves_
    for _ in range(5):
        tree.undo()
    assert tree.n_leaves_ == 6
    with pytest.raises(ValueError, match="nothing to undo"):
        tree.undo()
    with pytest.raises(ValueError, match="no node 1.1.1.1.1.1.1"):
        tree.merge("1.1.1.1.1.1.1")
    with pytest.raises(ValueError, match="cannot be cut to 40"):
        tree.cut(40)
    assert tree.n_leaves_ == 6


def test_survives_pickling(tree, corpus):
    again = pickle.loads(pickle.dumps(tree))
    np.testing.assert_array_equal(again.labels_, tree.labels_)
    np.testing.assert_array_equal(again.transform(corpus.X), tree.transform(corpus.X))
    assert str(again.show()) == str(tree.show())
    leaf = tree.leaves_[0]
    with pytest.raises(ValueError, match="give X"):
        again.split(leaf)
    again.split(leaf, X=corpus.X)
    np.testing.assert_array_equal(again.labels_, tree.split(leaf).labels_)


def test_shows_itself(tree):
    shown = tree._repr_mimebundle_()
    assert shown["text/html"].count("<li>") == 11 and "word" in shown["text/html"]
    assert "TopicTree" in clone(tree)._repr_mimebundle_()["text/plain"]


def test_wrong_parameters_get_a_sentence(corpus):
    for wrong, sentence in [
        ({"n_leaves": 0}, "n_leaves must be"),
        ({"criterion": "luck"}, "criterion must be one of 'mndcg'"),
        ({"imbalance": 1.0}, "imbalance.*out of range"),
        ({"on_interrupt": "?"}, "on_interrupt"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            TopicTree(**wrong).fit(corpus.X)
    with pytest.raises(ValueError, match="2 feature names for 400 columns"):
        TopicTree().fit(corpus.X, feature_names=["a", "b"])


@pytest.mark.skipif(not hasattr(TopicTree, "set_callbacks"), reason="scikit-learn before 1.9 has no callbacks")
def test_a_callback_can_stop(corpus):
    from long_fit_test import Callback

    model = TopicTree(n_leaves=6, random_state=0).set_callbacks(Callback(stop_after=3))
    with pytest.warns(ConvergenceWarning, match="stopped at 3 leaves"):
        model.fit(corpus.X)
    assert model.n_leaves_ == 3 and model.stop_reason_ == "interrupted"


@pytest.mark.parametrize("score", ["mndcg", "error"])
def test_the_program_grows_the_same_tree(program, corpus, tmp_path, score):
    scipy.sparse.save_npz(tmp_path / "x.npz", corpus.X)
    subprocess.run(
        [
            program,
            "tree",
            tmp_path / "x.npz",
            "--items",
            "rows",
            "--leaves",
            "6",
            "--seed",
            "3",
            "--score",
            score,
            "-o",
            tmp_path / "out",
        ],
        check=True,
        capture_output=True,
    )
    model = TopicTree(n_leaves=6, random_state=3, criterion=score).fit(corpus.X)
    rows = [line.split("\t") for line in (tmp_path / "out" / "assignments.tsv").read_text().splitlines()]
    leaf = rows[0].index("cluster")
    ids = ["outlier" if label < 0 else model.leaves_[label] for label in model.labels_]
    assert [row[leaf] for row in rows[1:]] == ids
    assert json.loads((tmp_path / "out" / "tree.json").read_text())


def test_two_siblings_become_one_leaf():
    X = np.kron(np.eye(4), np.ones((6, 2))) + 0.01
    tree = TopicTree(4, criterion="error").fit(X)
    parent_of = {leaf: leaf.rpartition(".")[0] for leaf in tree.leaves_}
    pairs = [(a, b) for a in tree.leaves_ for b in tree.leaves_ if a < b]
    for wrong, why in ((("1", "1"), "Two nodes are needed"), (("", "1"), "Node 1 is below the root")):
        with pytest.raises(ValueError, match=why):
            tree.merge(*wrong)
    one, other = next(pair for pair in pairs if parent_of[pair[0]] == parent_of[pair[1]])
    below = sorted([*tree.samples(one), *tree.samples(other)])
    tree.merge(other, one)
    assert parent_of[one] in tree.leaves_ and one not in tree.leaves_ and tree.n_leaves_ == 3
    assert sorted(tree.samples(parent_of[one])) == below


def test_two_nodes_anywhere_become_one_leaf(tmp_path):
    X = np.kron(np.eye(4), np.ones((6, 2))) + 0.01
    tree = TopicTree(4, criterion="error").fit(X)
    parent_of = {leaf: leaf.rpartition(".")[0] for leaf in tree.leaves_}
    one, other = next((a, b) for a in tree.leaves_ for b in tree.leaves_ if parent_of[a] != parent_of[b])
    both = sorted([*tree.samples(one), *tree.samples(other)])
    words = [next(node["words"][:2] for node in tree.nodes() if node["id"] == leaf) for leaf in (one, other)]
    before = tree.labels_.copy()
    tree.merge(one, other)
    assert sorted(tree.samples(one)) == both and tree.n_leaves_ == 3 and other not in tree.leaves_
    kept = tree.leaves_.index(one)
    assert sorted(np.flatnonzero(tree.labels_ == kept)) == both
    nodes = {node["id"]: node for node in tree.nodes()}
    assert nodes[other]["merged_into"] == one and nodes[other]["size"] == 0 and nodes[one]["merged_into"] is None
    assert set(nodes[one]["words"][:4]) == {*words[0], *words[1]}
    assert f"(merged into {one})" in str(tree.show())
    # New items that look like the other's go the same way, by the flat fit and down the tree, also from a file.
    tree.save(tmp_path / "tree")
    for model in (tree, TopicTree.load(tmp_path / "tree")):
        assert (model.predict(X) == tree.labels_).all()
    with pytest.raises(ValueError, match=f"was merged into {one}"):
        tree.split(other)
    with pytest.raises(ValueError, match=f"was merged into {one} before"):
        tree.merge(one, other)
    assert (tree.undo().labels_ == before).all()
