"""Folders between the program and Python, both ways, for every weighting, word option, score and kind of model.

The lists of options come from the library's own tables: a new weighting or score is tested without a change here.
"""

import json
import pickle
import subprocess

import numpy as np
import pandas
import pytest
import scipy.sparse
from text_test import corpus

import copse
from copse import _copse

CHOICES = _copse.choices
MODELS = {"topics": ("topics", "-k", 3), "tree": ("tree", "--leaves", 4)}
MATRIX_MODELS = {"factor": ("factor", "-k", 3), "tree": ("tree", "--leaves", 4)}

WORD_OPTIONS = [
    *[("--weights", name) for name in CHOICES["weights"]],
    *[("--addresses", name) for name in CHOICES["addresses"]],
    *[("--words", name) for name in CHOICES["words"]],
    *[("--scale", name) for name in CHOICES["scale"]],
    ("--stem", "english"),
    ("--stem", "auto", "--bigrams"),
    ("--language", "none"),
    ("--language", "english,german"),
    ("--numbers",),
    ("--min-words", "9"),
    ("--min-count", "20"),
    ("--max-share", "0.5"),
    ("--max-features", "25"),
    ("--no-unit-columns",),
    ("--normalized-cut",),
    ("--drop-headers", "--drop-quotes", "--drop-signatures"),
    ("--precision", "double"),
]
MATRIX_OPTIONS = [
    *[("--weights", name) for name in CHOICES["weights"]],
    *[("--scale", name) for name in CHOICES["scale"]],
    ("--unit-columns",),
    ("--normalized-cut",),
    ("--min-count", "30"),
    ("--min-words", "12", "--drop-empty"),
    ("--drop-duplicates",),
    ("--precision", "double"),
]
TREE_OPTIONS = [
    *[("--score", name) for name in CHOICES["score"]],
    *[("--pick", name) for name in CHOICES["pick"]],
    ("--start", "random", "--seed", "5"),
    ("--outlier-trials", "0"),
    ("--imbalance", "3"),
    ("--min-score", "0.1"),
]
FLAT_OPTIONS = [
    ("--affine",),
    ("--sparse", "0.5"),
    ("--sparse", "snmf"),
    ("--sparse", "thesis", "--affine", "--scale", "max"),
    ("--solver", "dc"),
    *[("--loss", name) for name in CHOICES["loss"]],
    ("--loss", "kl", "--solver", "mu"),
    *[("--solver", name) for name in CHOICES["solver"]],
]

FEATURES = 100


def documents():
    texts, subjects = corpus(20)
    texts[3] += " See https://example.org/rocket/orbit or mail judge@court.example 42 times 1999."
    texts[7] = "From: me\nSubject: bread\n\n> old text of others\n" + texts[7] + "\n-- \nsignature of mine"
    texts.insert(5, "Short.")
    texts.insert(9, "")
    texts += ["Zebra quartz violet: unknown words that nobody counted before.", texts[0], texts[1] + " extra"]
    return texts, [*subjects[:5], "none", *subjects[5:8], "none", *subjects[8:], "none", subjects[0], subjects[1]]


def counts(dense=False):
    X = copse.make_corpus(100, FEATURES, 3, terms_per_document=12, strength=3, counts=True, random_state=2).X
    X = scipy.sparse.vstack([X, scipy.sparse.csr_matrix((1, FEATURES), dtype=X.dtype), X[:2]]).tocsr()
    return X.toarray() if dense else X


def new_counts(dense=False):
    X = copse.make_corpus(100, FEATURES, 3, terms_per_document=12, strength=3, counts=True, random_state=9).X[:30]
    X = scipy.sparse.vstack([X, scipy.sparse.csr_matrix((1, FEATURES), dtype=X.dtype)]).tocsr()
    return X.toarray() if dense else X


def run(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, timeout=120, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def write_documents(path, texts):
    path.write_text("".join(json.dumps({"id": f"d{i}", "text": text}) + "\n" for i, text in enumerate(texts)))
    return path


def write_matrix(path, X, names=None):
    """For the program: as .npz or .npy with items in rows, or a table with names of the features."""
    if names is not None:
        path = path.with_suffix(".csv")
        rows = X.toarray() if scipy.sparse.issparse(X) else X
        pandas.DataFrame(rows, columns=names).to_csv(path, index=False)
    elif scipy.sparse.issparse(X):
        path = path.with_suffix(".npz")
        scipy.sparse.save_npz(path, X)
    else:
        path = path.with_suffix(".npy")
        np.save(path, X)
    return path


def assigned(program, folder, path, *options):
    items = json.loads(run(program, "assign", folder, path, "--json", "--quiet", *options))["items"]
    return [item["cluster"] for item in items], np.array([item["weight"] for item in items]), items


def same_as_assign(program, folder, model, path, X, *options):
    """transform and predict agree with `copse assign`, to the last bit."""
    clusters, weights, items = assigned(program, folder, path, *options)
    coefficients, labels = model.transform(X), model.predict(X)
    if hasattr(model, "leaves_"):
        ids = model.leaves_
        best = [ids[row.argmax()] if row.any() else None for row in coefficients]
        for found, item in zip(best, items):
            assert found is None or item["cluster"] == found
    else:
        ids = [str(c) for c in range(coefficients.shape[1])]
        inside = labels >= 0
        np.testing.assert_array_equal(coefficients.max(axis=1)[inside], weights[inside].astype(coefficients.dtype))
    expected = [ids.index(cluster) if cluster in ids else -1 for cluster in clusters]
    np.testing.assert_array_equal(labels, expected)
    assert len(set(labels)) > 1  # or nothing was tested


def same_labels(folder, found):
    rows = [line.split("\t") for line in (folder / "assignments.tsv").read_text().splitlines()[1:]]
    ids = getattr(found.model, "leaves_", None) or [str(c) for c in range(found.result["k"])]
    assert [row[0] for row in rows] == list(found.item_names)
    assert [ids.index(row[1]) if row[1] in ids else -1 for row in rows] == found.labels.tolist()


def named(options):
    return " ".join(options)


@pytest.mark.combinations
@pytest.mark.parametrize("options", WORD_OPTIONS, ids=named)
@pytest.mark.parametrize("model", MODELS)
def test_documents_of_the_program(program, tmp_path, model, options):
    texts, _ = documents()
    path = write_documents(tmp_path / "old.jsonl", texts)
    if options[0] == "--scale" and model == "topics":
        pytest.skip("topics has no --scale")
    least = () if "--min-count" in options else ("--min-count", 1)
    run(program, *MODELS[model], path, *least, "-o", tmp_path / "out", *options)
    found = copse.load_result(tmp_path / "out")
    same_labels(tmp_path / "out", found)
    same_as_assign(program, tmp_path / "out", found.model, path, texts)
    new = corpus(5, seed=8)[0] + ["Too short.", "Words that nobody has ever counted anywhere before."]
    same_as_assign(program, tmp_path / "out", found.model, write_documents(tmp_path / "new.jsonl", new), new)
    settings = found.model.vectorizer_._settings()
    assert all(found.result["settings"][name] == value for name, value in settings.items())


@pytest.mark.parametrize("options", TREE_OPTIONS, ids=named)
def test_trees_of_the_program_are_split_as_by_edit(program, tmp_path, options):
    texts, _ = documents()
    path = write_documents(tmp_path / "old.jsonl", texts)
    run(program, "tree", path, "--min-count", 1, "--leaves", 3, "-o", tmp_path / "out", *options)
    tree = copse.load_result(tmp_path / "out").model
    same_as_assign(program, tmp_path / "out", tree, path, texts)
    leaf = max(tree.leaves_, key=lambda leaf: len(tree.samples(leaf)))
    try:
        tree.split(leaf, into=3, X=texts)
    except ValueError as error:
        assert "cannot be split" in str(error)
        return
    run(program, "edit", tmp_path / "out", "--split", leaf, "--into", 3)
    edited = copse.load_result(tmp_path / "out")
    assert edited.model.leaves_ == tree.leaves_
    np.testing.assert_array_equal(edited.labels, tree.labels_)
    np.testing.assert_array_equal(edited.model.components_, tree.components_)
    np.testing.assert_array_equal(edited.model.topics_.coherence, tree.topics_.coherence)


@pytest.mark.combinations
@pytest.mark.parametrize("dense", [False, True], ids=["sparse", "dense"])
@pytest.mark.parametrize(
    "model, options",
    [(model, options) for model in MATRIX_MODELS for options in MATRIX_OPTIONS]
    + [("factor", options) for options in FLAT_OPTIONS]
    + [("tree", options) for options in TREE_OPTIONS],
    ids=str,
)
def test_matrices_of_the_program(program, tmp_path, model, options, dense):
    path = write_matrix(tmp_path / "old", counts(dense))
    run(program, *MATRIX_MODELS[model], path, "--items", "rows", "-o", tmp_path / "out", *options)
    found = copse.load_result(tmp_path / "out")
    same_labels(tmp_path / "out", found)
    same_as_assign(program, tmp_path / "out", found.model, path, counts(dense))
    new = write_matrix(tmp_path / "new", new_counts(dense))
    same_as_assign(program, tmp_path / "out", found.model, new, new_counts(dense))


@pytest.mark.parametrize("options", [(), ("--scale", "max", "--min-count", "30")], ids=named)
@pytest.mark.parametrize("model", MATRIX_MODELS)
def test_features_are_matched_by_name(program, tmp_path, model, options):
    names = [f"gene{i}" for i in range(FEATURES)]
    path = write_matrix(tmp_path / "old", counts(), names)
    run(program, *MATRIX_MODELS[model], path, "--items", "rows", "-o", tmp_path / "out", *options)
    found = copse.load_result(tmp_path / "out").model
    order = np.random.RandomState(0).permutation(FEATURES)
    shuffled = pandas.DataFrame(new_counts(True)[:, order], columns=np.array(names)[order])
    shuffled["unknown"] = 3.0
    new = tmp_path / "new.csv"
    shuffled.to_csv(new, index=False)
    same_as_assign(program, tmp_path / "out", found, new, shuffled)
    straight = pandas.DataFrame(new_counts(True), columns=names)
    np.testing.assert_array_equal(found.transform(straight), found.transform(shuffled))
    with pytest.raises(ValueError, match="none of the features"):
        found.transform(straight.add_prefix("x"))
    with pytest.raises(ValueError, match="it has 2 features"):
        found.transform(np.ones((3, 2)))


ESTIMATORS = {
    "kmeans": copse.SphericalKMeans,
    "spherical-kmeans": copse.SphericalKMeans,
    "bisecting": copse.BisectingKMeans,
    "hierarchical-kmeans": copse.BisectingKMeans,
    "kernel-kmeans": copse.KernelKMeans,
    "spectral": copse.SpectralClustering,
    "yu-shi": copse.SpectralClustering,
    "cluster-qr": copse.SpectralClustering,
    "affinity-propagation": copse.AffinityPropagation,
    "gnmf": copse.GNMF,
    "lda": copse.LDA,
    "anchors": copse.AnchorTopics,
    "xray": copse.XRAY,
    "hottopixx": copse.Hottopixx,
}


def predicts_as_assign(program, folder, model, path, X):
    """`copse assign` writes the same clusters for what lies in `path`."""
    run(program, "assign", folder, path, "-o", folder / "again.tsv")
    with open(folder / "again.tsv", newline="") as lines:
        placed = [line.rstrip("\n").split("\t")[1] for line in lines][1:]
    np.testing.assert_array_equal(model.predict(X), [-1 if cluster == "none" else int(cluster) for cluster in placed])


@pytest.mark.parametrize("method", ESTIMATORS)
def test_methods_of_the_program(program, tmp_path, method):
    path = write_matrix(tmp_path / "old", counts())
    run(program, "cluster", path, "--items", "rows", "--text", "-k", 3, "--method", method, "-o", tmp_path / "out")
    found = copse.load_result(tmp_path / "out")
    assert type(found.model) is ESTIMATORS[method]
    same_labels(tmp_path / "out", found)
    np.testing.assert_array_equal(found.model.labels_, found.labels)
    rows = found.model.components_ if hasattr(found.model, "components_") else found.model.cluster_centers_
    assert len(rows) == found.result["k"]
    new = write_matrix(tmp_path / "new", new_counts())
    predicts_as_assign(program, tmp_path / "out", found.model, new, new_counts())
    again = pickle.loads(pickle.dumps(found.model))
    np.testing.assert_array_equal(again.predict(new_counts()), found.model.predict(new_counts()))
    with pytest.raises(ValueError, match="give rows of numbers"):
        found.model.predict(["some words"])


@pytest.mark.parametrize("method", ["spherical-kmeans", "lda", "cluster-qr"])
def test_methods_of_the_program_on_documents(program, tmp_path, method):
    texts, _ = documents()
    path = write_documents(tmp_path / "old.jsonl", texts)
    run(program, "cluster", path, "--min-count", 1, "-k", 3, "--method", method, "-o", tmp_path / "out")
    found = copse.load_result(tmp_path / "out")
    new = corpus(5, seed=8)[0] + ["Words that nobody has ever counted anywhere before."]
    predicts_as_assign(program, tmp_path / "out", found.model, write_documents(tmp_path / "new.jsonl", new), new)
    with pytest.raises(ValueError, match="give documents"):
        found.model.predict(counts())
    if method == "cluster-qr":
        assert not hasattr(copse.SpectralClustering(3), "predict")


def test_a_loaded_method_that_is_fitted_again_forgets_the_folder(program, tmp_path):
    path = write_matrix(tmp_path / "old", counts())
    run(program, "cluster", path, "--items", "rows", "-k", 3, "-o", tmp_path / "out")
    model = copse.load_result(tmp_path / "out").model
    with pytest.raises(ValueError, match="predict"):
        model.transform(counts())
    model.fit(counts()[:, :20])
    assert model.transform(counts()[:, :20]).shape == (counts().shape[0], 3)


@pytest.mark.combinations
@pytest.mark.parametrize("weighting", CHOICES["weights"])
@pytest.mark.parametrize("parameters", [{}, {"stemmer": "english"}, {"unit": False}, {"normalized_cut": True}], ids=str)
@pytest.mark.parametrize("kind", ["flat", "tree"])
def test_documents_of_python(program, tmp_path, kind, parameters, weighting):
    texts, classes = documents()
    vectorizer = copse.TextVectorizer(weighting=weighting, min_count=1, **parameters)
    if kind == "flat":
        model = copse.NMF(3, random_state=0, tol=1e-2, vectorizer=vectorizer).fit(texts)
    else:
        model = copse.TopicTree(4, vectorizer=vectorizer).fit(texts)
    model.save(tmp_path / "out", names=[f"d{i}" for i in range(len(texts))], labels=classes)
    found = copse.load_result(tmp_path / "out")
    same_labels(tmp_path / "out", found)
    np.testing.assert_array_equal(found.labels, model.labels_)
    path = write_documents(tmp_path / "old.jsonl", texts)
    for one in (model, found.model):
        same_as_assign(program, tmp_path / "out", one, path, texts)
    assert found.result["measures"]["nmi"] > 0.3
    shown = json.loads(run(program, "show", tmp_path / "out", "--json"))
    assert shown
    run(program, "report", tmp_path / "out", "-o", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "d17" in page and "copse." in page
    if kind == "tree":
        edits_go_both_ways(program, tmp_path / "out", found.model)


def edits_go_both_ways(program, folder, tree):
    before = tree.leaves_
    run(program, "edit", folder, "--cut", 2)
    edited = copse.TopicTree.load(folder)
    assert edited.leaves_ == tree.cut(2).leaves_
    edited.rename("1", "first").save(folder, overwrite=True)
    run(program, "edit", folder, "--undo")
    assert "first" not in str(copse.TopicTree.load(folder).show())
    run(program, "edit", folder, "--undo")
    assert copse.TopicTree.load(folder).leaves_ == before == tree.undo().leaves_
    refused = subprocess.run([program, "edit", folder, "--split", before[0]], capture_output=True, text=True)
    assert refused.returncode != 0 and "data in memory" in refused.stderr


@pytest.mark.combinations
@pytest.mark.parametrize("dense", [False, True], ids=["sparse", "dense"])
@pytest.mark.parametrize(
    "model",
    [
        copse.NMF(3, random_state=0),
        copse.NMF(3, random_state=0, affine=True, beta=0.3),
        copse.DCNMF(3, random_state=0),
        *[copse.TopicTree(4, criterion=score) for score in CHOICES["score"]],
    ],
    ids=str,
)
def test_matrices_of_python(program, tmp_path, model, dense):
    model.fit(counts(dense)).save(tmp_path / "out")
    found = copse.load_result(tmp_path / "out")
    assert type(found.model) is type(model)
    same_labels(tmp_path / "out", found)
    new = write_matrix(tmp_path / "new", new_counts(dense))
    for one in (model, found.model):
        same_as_assign(program, tmp_path / "out", one, new, new_counts(dense))
    run(program, "show", tmp_path / "out")
    run(program, "report", tmp_path / "out", "-o", tmp_path / "page.html")
