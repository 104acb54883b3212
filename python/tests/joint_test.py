"""Words together with links, vectors and neighbours, from arrays."""

import subprocess

import numpy as np
import pytest
import scipy.sparse as sp
from copse import NMF, TopicTree
from sklearn.metrics import adjusted_rand_score as ari


@pytest.fixture(scope="module")
def hard():
    """Four classes whose words tell little; links and vectors tell nearly all."""
    random = np.random.default_rng(4)
    classes = np.arange(240) % 4
    X = random.poisson(0.25, (240, 40)).astype(float)
    for c in range(4):
        X[classes == c, 10 * c : 10 * c + 10] += random.poisson(0.15, (60, 10))
    X[:, 0] += 1  # no row is empty
    same = classes[:, None] == classes[None]
    A = random.random((240, 240)) < np.where(same, 0.12, 0.005)
    vectors = np.eye(4)[classes] + 0.25 * random.standard_normal((240, 4))
    return X, classes, sp.csr_array(np.triu(A, 1).astype(float)), vectors


def model(kind):
    return NMF(4, random_state=0) if kind == "flat" else TopicTree(4)


@pytest.mark.parametrize("kind", ["flat", "tree"])
@pytest.mark.parametrize("given", ["links", "vectors"])
def test_a_graph_tells_what_features_do_not(hard, kind, given):
    X, classes, links, vectors = hard
    alone = ari(classes, model(kind).fit(X).labels_)
    joint = ari(classes, model(kind).fit(X, **{given: links if given == "links" else vectors}).labels_)
    assert joint > alone + 0.05


def test_the_direction_of_links_and_their_form_do_not_matter(hard):
    X, _, links, _ = hard
    found = [
        NMF(4, random_state=0).fit(X, links=form).labels_ for form in (links, sp.csr_array(links.T), links.toarray(), links.tocoo())
    ]
    assert all(np.array_equal(found[0], other) for other in found)


def test_a_weight_of_zero_is_the_features_alone(hard):
    X, _, links, vectors = hard
    alone = NMF(4, random_state=0).fit(X)
    joint = NMF(4, random_state=0).fit(X, links=links, vectors=vectors, graph_weight=0)
    assert np.allclose(joint.components_, alone.components_, atol=1e-3)


def test_documents_are_the_same_as_in_the_program(hard, tmp_path, program):
    import json

    X, _, links, vectors = hard
    texts = [" ".join(f"word{w:02d}" for w, n in enumerate(row) for _ in range(int(n))) for row in X]
    lines = "".join(json.dumps({"id": f"d{n}", "text": text}) + "\n" for n, text in enumerate(texts))
    (tmp_path / "docs.jsonl").write_text(lines)
    np.save(tmp_path / "vectors.npy", vectors)
    rows, columns = links.nonzero()
    (tmp_path / "links.tsv").write_text("".join(f"d{a}\td{b}\n" for a, b in zip(rows, columns, strict=True)))
    call = [program, "topics", "docs.jsonl", "-k", "4", "--links", "links.tsv", "--vectors", "vectors.npy", "-o", "out", "--quiet", "--no-page"]
    subprocess.run(call, cwd=tmp_path, check=True, capture_output=True)
    there = [line.split("\t")[1] for line in (tmp_path / "out/assignments.tsv").read_text().splitlines()[1:]]
    here = NMF(4, tol=1e-3, random_state=0).fit(texts, links=links, vectors=vectors).labels_
    assert ari(there, here) == 1


def test_neighbours_of_the_samples_themselves(hard):
    X, classes, _, _ = hard
    found = NMF(4, random_state=0).fit(X, neighbours=True)
    assert len(found.labels_) == len(classes)
    assert not np.array_equal(found.components_, NMF(4, random_state=0).fit(X).components_)


def test_documents_that_take_no_part_keep_their_rows(hard):
    X, _, links, _ = hard
    texts = [" ".join(f"word{w:02d}" for w, n in enumerate(row) for _ in range(int(n))) for row in X]
    texts[7] = ""
    labels = NMF(4, random_state=0).fit(texts, links=links).labels_
    assert labels[7] == -1 and (labels[:7] >= 0).all()


@pytest.mark.parametrize(
    "given, sentence",
    [
        ({"links": np.ones((3, 3))}, "links is 3 x 3"),
        ({"links": -np.eye(240)[::-1]}, "Negative values"),
        ({"vectors": np.ones((5, 2))}, "vectors has 5 rows"),
        ({"vectors": np.full((240, 2), np.nan)}, "NaN"),
        ({"graph_weight": 2.0}, "graph_weight needs a graph"),
        ({"neighbours": True, "graph_weight": -1.0}, "graph_weight"),
    ],
)
@pytest.mark.parametrize("kind", ["flat", "tree"])
def test_bad_graphs_get_a_sentence(hard, kind, given, sentence):
    with pytest.raises(ValueError, match=sentence):
        model(kind).fit(hard[0], **given)


def test_links_go_with_the_frobenius_loss_only(hard):
    with pytest.raises(ValueError, match="Frobenius"):
        NMF(4, solver="mu", beta_loss="kullback-leibler").fit(hard[0], links=hard[2])
