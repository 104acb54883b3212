"""choose_k: the survey of the library, and the same numbers as the program."""

import json
import subprocess

import numpy as np
import pytest
import scipy.sparse

from copse import choose_k, make_gene_expression


@pytest.fixture(scope="module")
def genes():
    return make_gene_expression(n_clusters=3, random_state=1, dtype=np.float64)


def test_finds_planted_clusters(genes):
    survey = choose_k(genes[0], range(2, 6), affine=True, n_runs=8, random_state=0)
    assert survey.k_ == 3 and survey.sure_ > 0.8
    assert survey.sentence_.startswith("3 clusters.")
    table = survey.table_
    assert list(table.k) == [2, 3, 4, 5]
    assert (table.prediction_strength.between(0, 1)).all()
    assert survey.choices_["gps"] == 3
    assert repr(survey).startswith("Survey(k_=3")


def test_has_the_numbers_of_the_program(genes, program, tmp_path):
    np.save(tmp_path / "x.npy", genes[0])
    subprocess.run(
        [program, "choose", tmp_path / "x.npy", "--items", "rows", "-k", "2:4", "--runs", "3", "--seed", "5",
         "--precision", "double", "-o", tmp_path / "out", "--quiet"],
        check=True,
    )
    found = json.loads((tmp_path / "out" / "result.json").read_text())["survey"]
    assert choose_k(genes[0], [2, 3, 4], n_runs=3, random_state=5)._found == found


def test_sparse_data_and_all_measures():
    random = np.random.default_rng(0)
    X = np.kron(np.eye(2), np.ones((30, 12))) * random.random((60, 24)) + 0.01
    X[X < 0.2] = 0
    survey = choose_k(scipy.sparse.csr_matrix(X), [2, 3, 4], n_runs=5, all_measures=True, random_state=0)
    assert survey.k_ == 2
    assert {"gap", "block_error", "hidden_error"} <= set(survey.table_.columns)


def test_plot(genes):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    ax = choose_k(genes[0], [2, 3], n_runs=2, random_state=0).plot()
    assert [line.get_label() for line in ax.get_lines()][:3] == ["data", "chance: box", "chance: shuffled"]


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
