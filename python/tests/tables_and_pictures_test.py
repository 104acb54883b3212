"""What people look at: tables, pictures, AnnData."""

import numpy as np
import pandas
import pytest
import scipy.sparse

import copse

anndata = pytest.importorskip("anndata")


@pytest.fixture(scope="module")
def genes():
    found = copse.make_gene_expression(3, 60, nuisance_features=10, samples_per_cluster=20, random_state=0)
    return anndata.AnnData(
        scipy.sparse.csr_matrix(found.X),
        obs=pandas.DataFrame(index=[f"cell{i}" for i in range(60)]),
        var=pandas.DataFrame(index=[f"gene{i}" for i in range(60)]),
    )


def test_anndata_goes_in_and_comes_out(genes):
    model = copse.NMF(3, random_state=0)
    W = model.fit_transform(genes)
    assert model.feature_names_in_[7] == "gene7"
    np.testing.assert_array_equal(model.components_, copse.NMF(3, random_state=0).fit(genes.X).components_)
    copse.to_anndata(model, genes, key="nmf")
    np.testing.assert_array_equal(genes.obsm["X_nmf"], W)
    assert genes.obs["nmf"].astype(int).tolist() == model.labels_.tolist()
    assert genes.varm["nmf"].shape == (60, 3) and genes.uns["nmf"]["parameters"]["n_components"] == "3"
    np.testing.assert_allclose(model.transform(genes[:, ::-1]), model.transform(genes))  # genes are found by name
    with pytest.raises(ValueError, match="60 samples, this AnnData has 30"):
        copse.to_anndata(model, genes[:30].copy())
    tree = copse.TopicTree(3, random_state=0).fit(genes)
    assert tree.nodes(3)[1]["words"][0].startswith("gene")


def test_the_table_of_topics():
    X = pandas.DataFrame(np.kron(np.eye(2), np.ones((3, 2))), columns=["ant", "bee", "cow", "dog"])
    topics = copse.NMF(2, random_state=0).fit(X).topics(n_words=3)
    assert topics["size"].tolist() == [3, 3]
    assert sorted(tuple(sorted(words)) for words in topics.words) == [("ant", "bee"), ("cow", "dog")]
    numbered = copse.NMF(2, random_state=0).fit(X.to_numpy())
    assert sorted(numbered.topics().words)[0][0] in "01"
    assert sorted(numbered.topics(feature_names=list("wxyz")).words)[0][0] in "wx"
    with pytest.raises(ValueError, match="3 feature names for 4 columns"):
        numbered.topics(feature_names=list("xyz"))


def test_the_picture_of_a_fit():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    X = np.random.RandomState(0).rand(20, 10)
    models = [copse.NMF(3, solver=solver, random_state=0, max_iter=5, tol=0).fit(X) for solver in ("hals", "mu")]
    ax = copse.plot_history(*models, against="seconds")
    assert len(ax.lines) == 2 and ax.get_xlabel() == "seconds"
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), models[0].history_.relative_error)
    with pytest.raises(ValueError, match="against must be"):
        copse.plot_history(models[0], against="luck")
