"""Reading, generating and measuring: what the program reads and makes, the same from Python."""

import subprocess

import numpy as np
import pytest
import scipy.io
import scipy.sparse
from sklearn import metrics

import copse


def test_read_gives_rows_of_samples(tmp_path):
    features_by_items = scipy.sparse.random(30, 20, density=0.2, format="csc", random_state=0)
    scipy.io.mmwrite(tmp_path / "x.mtx", features_by_items)
    found = copse.read(tmp_path / "x.mtx", dtype=np.float64)
    assert found.X.shape == (20, 30)
    np.testing.assert_array_equal(found.X.toarray(), features_by_items.T.toarray())
    rows = copse.read(tmp_path / "x.mtx", items="rows", dtype=np.float64)
    np.testing.assert_array_equal(rows.X.toarray(), features_by_items.toarray())
    assert copse.read(tmp_path / "x.mtx").X.dtype == np.float32


def test_read_knows_names(tmp_path):
    (tmp_path / "x.csv").write_text("gene,anna,ben\nBRCA1,1,2\nTP53,0,3\n")
    found = copse.read(tmp_path / "x.csv")
    assert found.item_names.tolist() == ["anna", "ben"] and found.feature_names.tolist() == ["BRCA1", "TP53"]
    np.testing.assert_array_equal(np.asarray(found.X), [[1, 0], [2, 3]])


def test_what_cannot_be_read_gets_a_sentence(tmp_path):
    (tmp_path / "x.csv").write_text("1,2\n3,-4\n")
    with pytest.raises(ValueError, match=r"x\.csv.*-4"):
        copse.read(tmp_path / "x.csv")
    with pytest.raises(ValueError, match="nothing.mtx"):
        copse.read(tmp_path / "nothing.mtx")
    with pytest.raises(ValueError, match="items must be"):
        copse.read(tmp_path / "x.csv", items="diagonal")


def test_evaluate_agrees_with_scikit_learn():
    random = np.random.RandomState(0)
    truth, labels = random.randint(0, 5, 200), random.randint(0, 7, 200)
    found = copse.evaluate(labels, truth)
    assert found["nmi"] == pytest.approx(metrics.normalized_mutual_info_score(truth, labels))
    assert found["ari"] == pytest.approx(metrics.adjusted_rand_score(truth, labels))
    assert found["items"] == 200 and found["clusters"] == 7 and found["classes"] == 5
    named = np.array(list("abcde"))[truth]
    assert copse.evaluate(labels, named) == found
    with pytest.raises(ValueError, match="200"):
        copse.evaluate(labels, truth[:-1])
    with pytest.raises(ValueError, match="must form a list"):
        copse.evaluate(labels.reshape(2, 100), truth)


@pytest.mark.parametrize(
    "make, arguments",
    [
        (lambda: copse.make_corpus(200, 300, 4, random_state=5), ["corpus", "--docs", "200", "--terms", "300"]),
        (lambda: copse.make_mixture(4, 50, 80, random_state=5), ["mixture", "--features", "50", "--items", "80"]),
        (lambda: copse.make_gene_expression(4, random_state=5), ["genes"]),
        (lambda: copse.make_graph(100, 4, degree=8, random_state=5), ["graph", "--nodes", "100", "--degree", "8"]),
    ],
)
def test_generators_are_those_of_the_program(program, tmp_path, make, arguments):
    found = make()
    file = tmp_path / "x.npz"
    subprocess.run(
        [program, "generate", *arguments, "-k", "4", "--seed", "5", "-o", file], check=True, capture_output=True
    )
    theirs = copse.read(file).X
    dense = lambda x: x.toarray() if scipy.sparse.issparse(x) else x
    np.testing.assert_array_equal(dense(found.X), dense(theirs))
    assert found.labels.shape == (found.X.shape[0],) and set(found.labels) == set(range(4))


def test_uniform_sparse():
    X = copse.make_uniform_sparse(500, 400, density=0.1, random_state=0)
    assert X.shape == (500, 400) and X.nnz == pytest.approx(20000, rel=0.05)


def test_reads_single_cell_files(tmp_path):
    anndata = pytest.importorskip("anndata")
    pandas = pytest.importorskip("pandas")
    x = scipy.sparse.random(20, 12, 0.4, random_state=1, format="csr")
    obs = pandas.DataFrame({"kind": pandas.Categorical(["a", "b"] * 10)}, index=[f"cell{i}" for i in range(20)])
    var = pandas.DataFrame(index=[f"gene{i}" for i in range(12)])
    anndata.AnnData(X=x, obs=obs, var=var, layers={"double": 2 * x}).write_h5ad(tmp_path / "x.h5ad")
    found = copse.read(tmp_path / "x.h5ad", label="kind", dtype=np.float64)
    np.testing.assert_array_equal(found.X.toarray(), x.toarray())  # cells are the samples
    assert list(found.item_names) == list(obs.index) and list(found.feature_names) == list(var.index)
    assert list(found.labels) == list(obs["kind"])
    layer = copse.read(tmp_path / "x.h5ad", layer="double", dtype=np.float64)
    np.testing.assert_array_equal(layer.X.toarray(), 2 * x.toarray())
    assert layer.labels is None
