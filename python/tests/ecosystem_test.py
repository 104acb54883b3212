"""Beside others: scikit-learn's columns and outputs, pandas, AnnData, notebooks."""

import numpy as np
import pandas
import pytest
import scipy.sparse
from sklearn.compose import ColumnTransformer
from text_test import corpus

import copse


@pytest.mark.parametrize("model", [copse.TopicTree(3, criterion="error"), copse.NMF(3, random_state=0)], ids=str)
def test_a_column_of_texts(model):
    texts, _ = corpus()
    frame = pandas.DataFrame({"text": texts, "length": [len(text) for text in texts]})
    frame.index = pandas.Index([f"row {i}" for i in range(len(texts))], name="place")
    columns = ColumnTransformer([("t", model, "text")], remainder="passthrough").set_output(transform="pandas")
    found = columns.fit_transform(frame)
    assert found.shape == (120, 4) and found.index.equals(frame.index) and found.index.name == "place"
    fitted = columns.named_transformers_["t"]
    topics = getattr(fitted, "leaves_", range(3))
    prefix = type(model).__name__.lower()
    assert columns.get_feature_names_out().tolist() == [*[f"t__{prefix}{topic}" for topic in topics], "remainder__length"]
    assert (fitted.predict(frame.text) == fitted.labels_)[fitted.labels_ >= 0].all()


def test_predict_does_not_mind_the_output_of_transform():
    X = np.random.RandomState(0).rand(20, 6)
    model = copse.NMF(2, random_state=0, tol=1e-2).set_output(transform="pandas").fit(X)
    assert isinstance(model.transform(X), pandas.DataFrame)
    assert set(model.predict(X)) <= {-1, 0, 1}


def test_a_tree_says_why_it_has_fewer_leaves():
    with pytest.warns(UserWarning, match="The tree has .* not 50"):
        copse.TopicTree(50).fit(np.kron(np.eye(3), np.ones((5, 2))))


def test_a_tree_shows_itself_as_html():
    tree = copse.TopicTree(3).fit(np.kron(np.eye(3), np.ones((5, 2))))
    assert "copse-tree" in tree._repr_html_()
    assert "copse-tree" not in copse.TopicTree(3)._repr_html_()


def test_words_of_bigrams_stay_together():
    texts, _ = corpus()
    texts = [text.replace("rocket", "space rocket") for text in texts]
    tree = copse.TopicTree(3, criterion="error", vectorizer=copse.TextVectorizer(bigrams=True)).fit(texts)
    assert "space rocket" in {word for words in tree.topics_.words for word in words}


def test_starts_that_are_no_numbers_are_named():
    X = np.random.RandomState(0).rand(6, 5)
    for W, H, name in ((np.full((6, 2), np.nan), np.ones((2, 5)), "W"), (np.ones((6, 2)), np.full((2, 5), np.inf), "H")):
        with pytest.raises(ValueError, match=rf"input {name}\) has entries that are NaN"):
            copse.NMF(2, init="custom").fit(X, W=W, H=H)


def test_anndata_with_layers_and_some_genes():
    anndata = pytest.importorskip("anndata")
    random = np.random.RandomState(0)
    counts = random.poisson(np.kron(random.rand(2, 3) * 20, np.ones((15, 8)))).astype(np.float64)
    adata = anndata.AnnData(
        counts * random.rand(30, 1),  # another story than the layer's
        obs=pandas.DataFrame(index=[f"cell{i}" for i in range(30)]),
        var=pandas.DataFrame(index=[f"gene{i}" for i in range(24)]),
        layers={"counts": scipy.sparse.csr_matrix(counts)},
    )
    frame = pandas.DataFrame(counts, index=adata.obs_names, columns=adata.var_names)
    chosen = adata.var_names[::-2]
    model = copse.NMF(2, random_state=0, affine=True)
    W = model.fit_transform(frame[chosen])
    copse.to_anndata(model, adata, layer="counts")
    np.testing.assert_array_equal(adata.obsm["X_copse"], W)
    components = pandas.DataFrame(adata.varm["copse"], index=adata.var_names)
    np.testing.assert_array_equal(components.loc[chosen].T, model.components_)
    assert components.drop(index=chosen).isna().all(axis=None)
    baseline = pandas.Series(adata.varm["copse_baseline"][:, 0], index=adata.var_names)
    np.testing.assert_array_equal(baseline.loc[chosen], model.baseline_)

    tree = copse.TopicTree(3, criterion="error").fit(frame)
    expected = tree.transform(frame)
    copse.to_anndata(tree, adata, key="tree")  # the fit's own, whatever X holds
    np.testing.assert_array_equal(adata.obsm["X_tree"], expected)
    assert set(adata.obs["tree"]) <= {*tree.leaves_, "-1"} and adata.uns["tree"]["topics"] == tree.leaves_
    import copy

    copse.to_anndata(copy.deepcopy(tree), adata, layer="counts", key="again")
    np.testing.assert_allclose(adata.obsm["X_again"], expected, atol=1e-9)
    with pytest.raises(ValueError, match="no layer 'logs'"):
        copse.to_anndata(tree, adata, layer="logs")
    with pytest.raises(ValueError, match="no gene 'gene20'"):
        copse.to_anndata(tree, adata[:, :20].copy())
    unnamed = copse.NMF(2, random_state=0).fit(counts[:, :5])
    with pytest.raises(ValueError, match="without names"):
        copse.to_anndata(unnamed, adata)


def test_the_picture_of_a_tree():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    tree = copse.TopicTree(3).fit(np.kron(np.eye(3), np.ones((5, 2))))
    ax = copse.plot_tree(tree)
    assert len(ax.lines) == 4 and len(ax.texts) == 3
    heights = [text.get_position()[1] for text in ax.texts]
    assert len(set(heights)) == 3
