"""copse.compare: the table, labels and files of `copse compare`."""

import json

import numpy as np
import pytest
import scipy.sparse

import copse


def test_the_table(tmp_path):
    X, y, _ = copse.make_mixture(3, 20, 90, random_state=0)
    found = copse.compare(X, 3, methods=["nmf", "spherical-kmeans", "spectral"], y=y, n_runs=2, folder=tmp_path / "out",
                          labels={"elsewhere": list(y)})
    assert [row["method"] for row in found.rows_] == ["nmf", "spherical-kmeans", "spectral", "elsewhere"]
    assert all(row["measures"]["accuracy"] == 1 for row in found.rows_)
    assert found.table_["nmi"].tolist() == [1.0] * 4
    assert found.table_["peak_memory_bytes"][0] > 1e6
    np.testing.assert_allclose(found.agreement_, 1, atol=1e-3)
    model = copse.SphericalKMeans(3, random_state=0).fit(X)
    assert copse.evaluate(found.labels_["spherical-kmeans"], model.labels_)["accuracy"] == 1
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    assert result["methods"] == found.rows_ and next(iter(result["settings"].values())) == "the data"
    assert (tmp_path / "out" / "comparison.tsv").exists() and (tmp_path / "out" / "report.html").exists()
    with pytest.raises(OSError, match="out"):
        copse.compare(X, 3, methods=["kmeans"], folder=tmp_path / "out")


def test_several_k_and_one_that_fails():
    X, _, _ = copse.make_mixture(3, 5, 40, random_state=0)
    found = copse.compare(scipy.sparse.csr_array(X), [2, 8], methods=["kmeans", "nmf"], n_runs=1)
    assert [(row["method"], row["k"]) for row in found.rows_] == [("kmeans", 2), ("nmf", 2), ("kmeans", 8), ("nmf", 8)]
    assert "8" in found.rows_[3]["failure"]  # more than there are features
    assert set(found.labels_) == {("kmeans", 2), ("nmf", 2), ("kmeans", 8)}
    assert np.isnan(found.agreement_[3]).all()


def test_documents():
    rng = np.random.default_rng(0)
    words = {"sea": "ship wave sail harbour storm".split(), "oven": "bread flour yeast crust bake".split()}
    y = ["sea" if i % 2 else "oven" for i in range(60)]
    texts = [" ".join(rng.choice(words[kind], 8)) for kind in y]
    found = copse.compare(texts, 2, methods=["lda", "kmeans"], y=y, n_runs=2)
    assert all(row["measures"]["accuracy"] == 1 for row in found.rows_)


def test_says_what_is_wrong():
    X = np.ones((5, 3))
    with pytest.raises(ValueError, match="magic"):
        copse.compare(X, 2, methods=["magic"])
    with pytest.raises(ValueError, match="y has 3 labels for 5 samples"):
        copse.compare(X, 2, y=[1, 2, 3])
    with pytest.raises(ValueError, match="k"):
        copse.compare(X, 0)
