"""Cells x genes: layers, masks, files, names in any order, normalisation, ranked tables, labels."""

import numpy as np
import pandas
import pytest
import scipy.sparse

import copse

anndata = pytest.importorskip("anndata")
CELLS, GENES = 90, 40


@pytest.fixture
def cells():
    random = np.random.RandomState(0)
    programs = np.kron(np.eye(3), np.ones((1, GENES // 3 + 1)))[:, :GENES] * 8 + 0.3
    counts = random.poisson(programs[np.arange(CELLS) % 3] * random.rand(CELLS, 1) * 2).astype(np.float32)
    counts[:, 0] += 1
    return anndata.AnnData(
        scipy.sparse.csr_matrix(random.rand(CELLS, GENES).astype(np.float32)),
        obs=pandas.DataFrame(index=[f"cell{i}" for i in range(CELLS)]),
        var=pandas.DataFrame({"chosen": np.arange(GENES) % 2 == 0}, index=[f"gene{i}" for i in range(GENES)]),
        layers={"counts": scipy.sparse.csr_matrix(counts)},
    )


@pytest.mark.parametrize("model", [copse.NMF(3, random_state=0), copse.TopicTree(3, criterion="error")], ids=str)
def test_a_layer_and_some_genes(cells, model):
    names = cells.var_names[cells.var.chosen]
    counts = cells.layers["counts"][:, cells.var.chosen.to_numpy()]
    expected = type(model)(**model.get_params()).fit(counts, feature_names=list(names))
    for genes in ("chosen", cells.var.chosen.to_numpy(), list(names)):
        model.fit(cells, layer="counts", genes=genes)
        assert model.feature_names_in_.tolist() == names.tolist()
        np.testing.assert_array_equal(model.components_, expected.components_)
    # Later the layer is that of the fit, and genes are found by name.
    shuffled = cells[:, np.random.RandomState(1).permutation(GENES)].copy()
    for given in (cells, shuffled):
        np.testing.assert_array_equal(model.transform(given), expected.transform(counts))
        np.testing.assert_array_equal(model.predict(given), expected.predict(counts))
    cells.layers["other"] = cells.X
    assert not np.array_equal(model.transform(cells, layer="other"), model.transform(cells))


@pytest.mark.parametrize("sparse", [True, False])
def test_cells_that_stay_in_their_file(cells, tmp_path, monkeypatch, sparse):
    cells.X = cells.layers["counts"] if sparse else cells.layers["counts"].toarray()
    del cells.layers["counts"]
    cells.write_h5ad(tmp_path / "cells.h5ad")
    backed = anndata.read_h5ad(tmp_path / "cells.h5ad", backed="r")
    monkeypatch.setattr("copse._genes.CELLS_PER_BLOCK", 25)
    for genes in (None, "chosen"):
        expected = copse.NMF(3, random_state=0).fit(cells, genes=genes)
        model = copse.NMF(3, random_state=0).fit(backed, genes=genes)
        np.testing.assert_array_equal(model.components_, expected.components_)
        np.testing.assert_array_equal(model.transform(backed), expected.transform(cells))
        batches = copse.NMF(3, random_state=0).partial_fit(backed, genes=genes)
        assert batches.n_iter_ == 4 and batches.feature_names_in_.tolist() == model.feature_names_in_.tolist()
        W = batches.transform(backed)
        assert (
            np.linalg.norm(batches._aligned(cells, None).matrix - W @ batches.components_)
            < 1.1 * model.reconstruction_err_
        )


def test_wrong_choices_get_a_sentence(cells):
    for wrong, sentence in (
        ({"layer": "logs"}, "no layer 'logs'"),
        ({"genes": "variable"}, "no column 'variable'"),
        ({"genes": [True, False]}, "2 entries for 40 genes"),
        ({"genes": ["gene1", "geneX"]}, "no gene 'geneX'"),
        ({"genes": np.zeros(GENES, dtype=bool)}, "No gene is chosen"),
    ):
        with pytest.raises(ValueError, match=sentence):
            copse.NMF(2).fit(cells, **wrong)
    with pytest.raises(ValueError, match="X is none"):
        copse.NMF(2).fit(np.ones((5, 4)), layer="counts")
    model = copse.NMF(2, random_state=0).fit(cells)
    with pytest.raises(ValueError, match="no gene 'gene0', which the model knows"):
        model.transform(cells[:, 1:])


@pytest.mark.parametrize("sparse", [True, False])
def test_normalisation_by_its_definition(cells, sparse):
    counts = cells.layers["counts"].toarray().astype(np.float64)
    counts[3] = 0
    given = scipy.sparse.csr_matrix(counts) if sparse else counts
    before = counts.copy()
    dense = lambda X: X.toarray() if scipy.sparse.issparse(X) else X
    sizes = counts.sum(axis=1)
    expected = np.zeros_like(counts)
    expected[sizes > 0] = counts[sizes > 0] / sizes[sizes > 0, None] * np.median(sizes[sizes > 0])
    np.testing.assert_allclose(dense(copse.normalize_counts(given, log=False)), expected)
    logs = np.log1p(expected)
    np.testing.assert_allclose(dense(copse.normalize_counts(given)), logs)
    scaled = copse.normalize_counts(given, scale="deviation")
    assert scipy.sparse.issparse(scaled) == sparse
    np.testing.assert_allclose(dense(scaled), logs / logs.std(axis=0))
    np.testing.assert_allclose(dense(copse.normalize_counts(given, scale="max")).max(axis=0), 1)
    np.testing.assert_allclose(dense(copse.normalize_counts(given, library_size=None, log=False)), counts)
    np.testing.assert_array_equal(dense(given), before)
    with pytest.raises(ValueError, match="not negative"):
        copse.normalize_counts(-given)
    with pytest.raises(ValueError, match="library_size must be one of 'median'"):
        copse.normalize_counts(given, library_size="mean")
    assert copse.normalize_counts(cells, layer="counts", genes="chosen").shape == (CELLS, GENES // 2)
    assert copse.normalize_counts(cells, layer="counts").dtype == np.float32


def test_ranked_genes_tell_programs_apart(cells):
    model = copse.NMF(3, random_state=0).fit(cells, layer="counts")
    table = model.ranked_features(5)
    assert table.columns.tolist() == ["topic", "rank", "feature", "weight", "share", "score"]
    assert table.groupby("topic").size().tolist() == [5, 5, 5]
    assert table.feature.nunique() == 15  # the programs share no genes
    shares = model.components_ / model.components_.sum(axis=1, keepdims=True)
    for row in table.itertuples():
        gene = int(row.feature.removeprefix("gene"))
        assert row.weight == pytest.approx(model.components_[row.topic, gene])
        share = shares[row.topic, gene]
        assert row.share == pytest.approx(share, rel=1e-5)
        assert row.score == pytest.approx(share * np.log(share / shares[:, gene].mean()), rel=1e-4)
    by_weight = model.ranked_features(4, by="weight")
    assert by_weight[by_weight.topic == 0].weight.is_monotonic_decreasing
    with pytest.raises(ValueError, match="by must be"):
        model.ranked_features(by="luck")


def test_topics_of_arrays_with_names_have_labels(cells):
    counts, names = cells.layers["counts"], list(cells.var_names)
    for X in (counts, counts.toarray()):
        model = copse.NMF(3, random_state=0).fit(X, feature_names=names)
        table = model.topics()
        assert table.label.str.contains("gene").all() and table.label.nunique() == 3
        for words, label in zip(model.topics(60).words, table.label):
            assert set(label.replace(",", " ").split()) <= set(words)
        tree = copse.TopicTree(3, criterion="error").fit(X, feature_names=names)
        assert tree.topics_[tree.topics_.leaf].label.str.contains("gene").all()
    assert (copse.NMF(3, random_state=0).fit(counts).topics().label == "").all()
    with pytest.raises(ValueError, match="3 feature names for 40 columns"):
        copse.NMF(3).fit(counts, feature_names=list("abc"))
