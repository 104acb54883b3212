"""copse evaluate, generate and convert."""

import json
import re
import pathlib

import numpy as np
import pytest
import scipy.io
import scipy.sparse
import sklearn.metrics


def read_matrix(path):
    if path.suffix == ".npz":
        return scipy.sparse.load_npz(path).toarray()
    if path.suffix == ".npy":
        return np.load(path)
    if ".mtx" in path.name:
        return scipy.sparse.coo_matrix(scipy.io.mmread(path)).toarray()
    return np.genfromtxt(path, delimiter="," if ".csv" in path.name else "\t")


def test_evaluate_equals_scikit_learn(copse, tmp_path):
    rng = np.random.default_rng(5)
    truth, found = rng.integers(0, 4, 200), rng.integers(0, 6, 200)
    (tmp_path / "truth.txt").write_text("".join(f"class {label}\n" for label in truth))
    (tmp_path / "found.txt").write_text("".join(f"{label}\n" for label in found))
    run = copse("evaluate", "found.txt", "truth.txt", "--json")
    measures = json.loads(run.stdout)
    assert measures["nmi"] == pytest.approx(sklearn.metrics.normalized_mutual_info_score(truth, found))
    assert measures["ari"] == pytest.approx(sklearn.metrics.adjusted_rand_score(truth, found))
    assert (measures["items"], measures["clusters"], measures["classes"]) == (200, 6, 4)
    table = dict(line.split() for line in copse("evaluate", "found.txt", "truth.txt").stdout.splitlines())
    assert float(table["nmi"]) == pytest.approx(measures["nmi"], abs=5e-5)


def test_evaluate_reads_tables_and_the_standard_input(copse, tmp_path):
    (tmp_path / "a.tsv").write_text("item\tcluster\tweight\nx\t0\t1\ny\t1\t1\nz\t-1\t0\n")
    (tmp_path / "b.txt").write_text("left\nright\nleft\n")
    run = copse("evaluate", "a.tsv", "b.txt", "--json")
    assert json.loads(run.stdout)["items"] == 2 and json.loads(run.stdout)["accuracy"] == 1
    assert "1 item without a cluster left out" in run.stderr
    run = copse("evaluate", "-", "b.txt", "--json", input="p\nq\np\n")
    assert json.loads(run.stdout)["accuracy"] == 1
    (tmp_path / "broken.tsv").write_text("item\tcluster\tweight\nx\n")
    run = copse("evaluate", "broken.tsv", "b.txt")
    assert run.returncode == 1 and "broken.tsv, line 2" in run.stderr


@pytest.mark.parametrize("name", ["x.npz", "x.mtx", "x.mtx.gz", "x.npy", "x.csv", "x.tsv"])
def test_convert_keeps_every_entry(copse, planted, tmp_path, name):
    assert copse("convert", planted.path, name).returncode == 0
    run = copse("convert", name, "back.npy")
    assert run.returncode == 0, run.stderr
    np.testing.assert_array_equal(np.load(tmp_path / "back.npy"), planted.x)


def test_convert_writes_what_others_read(copse, planted, tmp_path):
    for name in ("x.npz", "x.npy", "x.mtx.gz"):
        assert copse("convert", planted.path, name).returncode == 0
        np.testing.assert_array_equal(read_matrix(tmp_path / name), planted.x)
    copse("convert", planted.path, "t.npy", "--transpose")
    np.testing.assert_array_equal(np.load(tmp_path / "t.npy"), planted.x.T)


def test_convert_names_a_format_it_does_not_know(copse, planted):
    run = copse("convert", planted.path, "x.docx")
    assert run.returncode == 1 and "x.docx" in run.stderr and ".npz" in run.stderr


@pytest.mark.parametrize("arguments, shape, classes", [
    (["corpus", "--docs", 300, "--terms", 200, "--terms-per-document", 20, "-k", 5, "-o", "x.npz"], (200, 300), 5),
    (["mixture", "-k", 4, "--features", 50, "--items", 80, "-o", "x.npy"], (50, 80), 4),
    (["genes", "-k", 3, "-o", "x.npy"], (200, 180), 3),
    (["graph", "--nodes", 120, "-k", 4, "-o", "x.npz"], (120, 120), 4),
    (["uniform", "--features", 70, "--items", 90, "--density", 0.1, "-o", "x.npz"], (70, 90), None),
])
def test_generate(copse, tmp_path, arguments, shape, classes):
    run = copse("generate", *arguments, "--seed", 3)
    assert run.returncode == 0, run.stderr
    path = tmp_path / arguments[-1]
    x = read_matrix(path)
    assert x.shape == shape and x.min() >= 0 and x.max() > 0
    labels = tmp_path / "x.labels.txt"
    assert labels.exists() == (classes is not None)
    if classes:
        lines = labels.read_text().splitlines()
        assert len(lines) == shape[1] and len(set(lines)) <= classes
    before = path.read_bytes()
    copse("generate", *arguments, "--seed", 3, "--threads", 1)
    assert path.read_bytes() == before
    copse("generate", *arguments, "--seed", 4)
    assert path.read_bytes() != before


def test_generated_hierarchy_has_parents(copse, tmp_path):
    copse("generate", "corpus", "--docs", 300, "--terms", 400, "-k", 6, "--branch", 3, "-o", "x.mtx.gz")
    parents = (tmp_path / "x.parents.txt").read_text().splitlines()
    labels = (tmp_path / "x.labels.txt").read_text().splitlines()
    assert len(parents) == len(labels) == 300 and len(set(parents)) == 2
    assert len(set(zip(labels, parents))) == len(set(labels))


def test_planted_topics_are_found(copse, tmp_path):
    copse("generate", "corpus", "--docs", 3000, "--terms", 2000, "-k", 6, "--strength", 2, "--seed", 2, "-o", "x.npz")
    run = copse("factor", "x.npz", "-k", 6, "--truth", "x.labels.txt", "--json", "--quiet", "--runs", 3)
    assert json.loads(run.stdout)["measures"]["nmi"] > 0.8


@pytest.mark.parametrize("scale", ["none", "deviation"])
def test_evaluate_pairs_components_with_references(copse, tmp_path, scale):
    """Planted signatures are found again in a table that has others, too, and its channels in another order."""
    random = np.random.default_rng(6)
    signatures = random.dirichlet(np.full(40, 0.2), 6).T
    x = random.poisson(signatures[:, :4] @ random.gamma(0.5, 3000, (4, 120)))
    channels = np.array([f"channel {i}" for i in range(40)])

    def write(name, rows, columns, values):
        lines = ["type\t" + "\t".join(columns)]
        lines += [row + "\t" + "\t".join(map(str, line)) for row, line in zip(rows, values)]
        (tmp_path / name).write_text("\n".join(lines) + "\n")

    order = random.permutation(40)
    write("counts.tsv", channels, [f"sample {j}" for j in range(120)], x)
    write("known.tsv", channels[order], [f"S{s}" for s in range(6)], signatures[order])
    run = copse("factor", "counts.tsv", "-k", 4, "--runs", 5, "--scale", scale, "--max-iterations", 2000,
                "--tolerance", "1e-6", "-o", "out")
    assert run.returncode == 0, run.stderr
    run = copse("evaluate", "out", "known.tsv", "--components", "--json")
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    assert {match["reference"] for match in found} == {"S0", "S1", "S2", "S3"}
    for match in found:
        assert match["cosine"] > 0.98 and match["nearest"] == match["reference"]
        assert match["nearest_cosine"] == match["cosine"]
    table = copse("evaluate", "out", "known.tsv", "--components").stdout.splitlines()
    assert table[0] == "component\treference\tcosine\tnearest\tnearest_cosine" and len(table) == 5
    (tmp_path / "other.tsv").write_text("type\tS0\nnobody\t1\n")
    run = copse("evaluate", "out", "other.tsv", "--components")
    assert run.returncode == 1 and "none of the features" in run.stderr
    assert copse("tree", "counts.tsv", "--leaves", 3, "-o", "tree").returncode == 0
    run = copse("evaluate", "tree", "known.tsv", "--components")
    assert run.returncode == 1 and "has no components to compare" in run.stderr
