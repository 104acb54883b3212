"""choose_k: the survey of the library, and the same numbers as the program."""

import json
import subprocess

import numpy as np
import pytest
import scipy.sparse
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist, pdist, squareform

from copse import (
    NMF,
    BisectingKMeans,
    SphericalKMeans,
    SymNMF,
    TopicTree,
    _copse,
    choose_k,
    make_gene_expression,
    match_components,
)


@pytest.fixture(scope="module")
def genes():
    return make_gene_expression(n_clusters=3, random_state=1, dtype=np.float64)


def test_finds_planted_clusters(genes):
    survey = choose_k(genes[0], range(2, 6), affine=True, n_runs=8, random_state=0)
    assert survey.k_ == 3 and survey.sure_ > 0.8
    assert survey.sentence_.startswith("3 clusters.")
    table = survey.table_
    assert list(table.k) == [2, 3, 4, 5]
    assert (table.prediction_strength.between(0, 1)).all() and (table.recurrence.between(0, 1)).all()
    assert survey.interval_[0] <= 3 <= survey.interval_[1] and survey.choices_["gps"] == 3
    assert table.recurrence[1] > 0.95  # of three, as of two of them together
    assert repr(survey).startswith("Survey(k_=3")


def test_says_that_all_samples_share_a_baseline(genes):
    survey = choose_k(genes[0], [2, 3, 4], n_runs=4, random_state=0)
    assert "of the data is a baseline" in survey.sentence_ and "NMF (affine)" in survey.sentence_
    without = genes[0] - np.quantile(genes[0], 0.1, axis=0)
    survey = choose_k(np.maximum(without, 0), [2, 3, 4], n_runs=4, random_state=0)
    assert "baseline" not in survey.sentence_


@pytest.mark.parametrize("most", [10000, 50])
def test_has_the_numbers_of_the_program(genes, program, tmp_path, most):
    np.save(tmp_path / "x.npy", genes[0])
    subprocess.run(
        [program, "choose", tmp_path / "x.npy", "--items", "rows", "-k", "2:4", "--runs", "3", "--seed", "5",
         "--most-items", str(most), "--precision", "double", "-o", tmp_path / "out", "--quiet"],
        check=True,
    )
    found = json.loads((tmp_path / "out" / "result.json").read_text())["survey"]
    assert found["items"] == min(most, len(genes[0]))
    found["sentence"] = found["sentence"].replace("--affine", "affine")  # each spells options as its own
    assert choose_k(genes[0], [2, 3, 4], n_runs=3, random_state=5, max_samples=most)._found == found


def test_sparse_data_and_all_measures():
    random = np.random.default_rng(0)
    X = np.kron(np.eye(2), np.ones((30, 12))) * random.random((60, 24)) + 0.01
    X[X < 0.2] = 0
    survey = choose_k(scipy.sparse.csr_matrix(X), [2, 3, 4], n_runs=5, all_measures=True, random_state=0)
    assert survey.k_ == 2
    assert {"gap", "block_error", "hidden_error", "perturbed_silhouette"} <= set(survey.table_.columns)
    assert not any(name.endswith("silhouettes") for name in survey.table_.columns)
    assert "perturbation" in survey.choices_ and survey.persistence_.shape == (2, 3)


def test_plot(genes):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    survey = choose_k(genes[0], [2, 3], n_runs=2, random_state=0)
    ax = survey.plot()
    assert [line.get_label() for line in ax.get_lines()][:3] == ["data", "chance: box", "chance: shuffled"]
    assert ax.get_ylabel() == "recurrence" and survey.plot("strength").get_ylabel() == "prediction strength"
    assert survey.plot("error").get_ylabel() == "error"
    assert survey.plot("consensus").images[0].get_array().shape == (180, 180)
    bars = survey.plot("flows").patches
    assert len(bars) == 5 and sum(bar.get_height() for bar in bars) == pytest.approx(2 * 180)
    ax = survey.plot("persistence")
    assert ax.images[0].get_array().shape == (survey.k_, 2)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["2", "3"]
    with pytest.raises(ValueError, match="kind must be one of"):
        survey.plot("pie")


def test_says_which_clusters_persist(genes, parts):
    """The components of the last fit, found again in fits to parts of the samples."""
    survey = choose_k(parts, [2, 3, 4], n_runs=4, random_state=0)
    table = survey.persistence_
    assert survey.k_ == 3 and list(table.columns) == [2, 3, 4] and list(table.index) == [0, 1, 2]
    assert table[3].min() > 0.98 and table.to_numpy().max() <= 1
    random, cosines = np.random.default_rng(0), []
    own = NMF(3, tol=1e-3, random_state=0).fit(parts).components_
    for k in (2, 3, 4):
        nearest = []
        for seed in range(20):
            part = parts[random.permutation(75)[:60]]
            found = NMF(k, init="random", tol=1e-4, random_state=seed).fit(part).components_
            nearest.append((1 - cdist(own, found, "cosine")).max(axis=1))
        cosines.append(np.mean(nearest, axis=0))
    np.testing.assert_allclose(np.sort(table.to_numpy(), axis=0), np.sort(np.transpose(cosines), axis=0), atol=0.15)
    tree = choose_k(parts, [2, 3], method="tree", n_runs=2, random_state=0)
    assert all(set(name) <= set("12.") for name in tree.persistence_.index)
    none = choose_k(parts, [2, 3], method="kmeans", n_runs=2, random_state=0)
    assert none.persistence_ is None
    pytest.importorskip("matplotlib").use("Agg")
    with pytest.raises(ValueError, match="no components"):
        none.plot("persistence")
    sparse = choose_k(scipy.sparse.csr_matrix(genes[0]), [2, 3], affine=True, n_runs=2, random_state=0)
    assert sparse.persistence_.shape == (sparse.k_, 2)


@pytest.mark.parametrize("arguments, sentence", [
    ({"ks": []}, "at least one"),
    ({"ks": [0]}, "ks must be"),
    ({"ks": [2], "question": "rank"}, "question must be one of"),
    ({"ks": [2], "n_runs": 0}, "n_runs"),
    ({"ks": [500]}, "at most"),
])
def test_wrong_calls_get_a_sentence(genes, arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        choose_k(genes[0], **arguments)


def test_the_cophenetic_correlation_is_scipys():
    random = np.random.default_rng(3)
    for size in (2, 3, 10, 40):
        points = random.random((size, 3))
        distances = pdist(points)
        expected = cophenet(linkage(distances, "average"), distances)[0] if size > 2 else 1.0
        assert _copse.cophenetic_correlation(squareform(distances)) == pytest.approx(expected, abs=1e-12)


def test_components_are_paired_as_scipy_pairs_them():
    random = np.random.default_rng(4)
    for count, known in ((5, 9), (9, 5), (1, 1)):
        ours, theirs = random.random((count, 12)) ** 3, random.random((known, 12)) ** 3
        cosines = 1 - cdist(ours, theirs, "cosine")
        found = match_components(ours, theirs)
        rows, columns = linear_sum_assignment(-cosines)
        assert found["cosine"].sum() == pytest.approx(cosines[rows, columns].sum())
        assert found["nearest"].tolist() == cosines.argmax(axis=1).tolist()
        for component, reference in enumerate(found["reference"].dropna()) if known >= count else []:
            assert found["cosine"][component] == pytest.approx(cosines[component, int(reference)])
    with pytest.raises(ValueError, match="below 0"):
        match_components([[-1.0]], [[1.0]])
    with pytest.raises(ValueError, match="same features"):
        match_components([[1.0]], [[1.0, 2.0]])


def test_an_estimator_chooses_for_itself():
    X = make_gene_expression(n_clusters=3, n_features=60, nuisance_features=20, samples_per_cluster=20, outlier_fraction=0.05, random_state=1).X
    model = NMF("choose", affine=True, random_state=0).fit(X)
    assert model.survey_.k_ == 3 and model.components_.shape == (3, 60)
    assert NMF("auto", max_iter=2, tol=1).fit(X).components_.shape[0] == 60


def test_writes_the_chosen_model_into_anndata(genes, tmp_path):
    anndata = pytest.importorskip("anndata")
    X = genes[0]
    names = [f"gene{i}" for i in range(X.shape[1])]
    adata = anndata.AnnData(np.zeros_like(X), layers={"counts": X})
    adata.var_names = names
    survey = choose_k(adata, [2, 3, 4], affine=True, n_runs=5, layer="counts", random_state=0)
    assert survey._found == choose_k(X, [2, 3, 4], affine=True, n_runs=5, random_state=0)._found
    survey.to_anndata(adata, layer="counts", key="groups")
    model = NMF(survey.k_, affine=True, random_state=0)
    np.testing.assert_array_equal(adata.obsm["X_groups"], model.fit_transform(X))
    np.testing.assert_array_equal(adata.varm["groups"], model.components_.T)
    assert list(adata.obs["groups"]) == [str(label) for label in model.labels_]
    adata.write_h5ad(tmp_path / "out.h5ad")
    kept = anndata.read_h5ad(tmp_path / "out.h5ad").uns["groups"]["survey"]
    assert kept["k"] == survey.k_ and kept["sentence"] == survey.sentence_
    assert list(kept["table"].k) == [2, 3, 4]
    some = choose_k(adata, [2, 3], n_runs=2, layer="counts", genes=names[:50], random_state=0)
    assert some._found == choose_k(X[:, :50], [2, 3], n_runs=2, random_state=0)._found
    with pytest.raises(ValueError, match="no layer 'logs'"):
        choose_k(adata, [2], layer="logs")


@pytest.fixture(scope="module")
def parts():
    """Three groups of samples, each with features of its own."""
    random = np.random.default_rng(5)
    X = np.kron(np.eye(3), np.ones((25, 10))) * (1 + random.random((75, 30))) + 0.2 * random.random((75, 30))
    return X[random.permutation(75)]


@pytest.mark.parametrize("method, model", [
    ("tree", TopicTree), ("symnmf", SymNMF), ("kmeans", SphericalKMeans), ("spherical-kmeans", SphericalKMeans),
    ("bisecting", BisectingKMeans),
])
def test_surveys_other_methods(parts, program, tmp_path, method, model):
    survey = choose_k(parts, [2, 3, 4], method=method, n_runs=6, random_state=4)
    assert survey.k_ == 3 and survey.method_ == method
    assert "hidden_error" not in survey.table_.columns
    np.save(tmp_path / "x.npy", parts)
    subprocess.run(
        [program, "choose", tmp_path / "x.npy", "--items", "rows", "-k", "2:4", "--method", method, "--runs", "6",
         "--seed", "4", "--precision", "double", "-o", tmp_path / "out", "--quiet"],
        check=True,
    )
    assert survey._found == json.loads((tmp_path / "out" / "result.json").read_text())["survey"]
    fitted = survey.model(parts)
    assert type(fitted) is model
    truth = parts.reshape(75, 3, 10).sum(axis=2).argmax(axis=1)
    assert len(set(zip(truth, fitted.labels_))) == 3
    if method.endswith("kmeans"):
        assert fitted.spherical == (method != "kmeans")
    with pytest.raises(ValueError, match="survey of"):
        survey.to_anndata(None)


@pytest.mark.parametrize("arguments, sentence", [
    ({"method": "spectral"}, "method must be one of"),
    ({"method": "tree", "question": "components"}, "only nmf can"),
    ({"method": "tree", "affine": True}, "affine is for method 'nmf'"),
    ({"method": "kmeans", "solver": "mu"}, "solver is for method 'nmf'"),
    ({"method": "kmeans", "tol": 0.1}, "tol is for method 'nmf'"),
    ({"method": "symnmf", "max_iter": 3}, "max_iter is for method 'nmf'"),
])
def test_options_of_another_method_get_a_sentence(parts, arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        choose_k(parts, [2, 3], **arguments)
