"""copse factor: its files say what they claim to say."""

import json

import numpy as np
import pytest
import scipy.io
import sklearn.metrics
from conftest import make_planted, read_tsv
from safetensors.numpy import load_file
from safetensors import safe_open

SOLVERS = ["hals", "mu", "active-set", "pivoting", "projected-gradient"]


def result_of(folder):
    return json.loads((folder / "result.json").read_text())


def test_result_has_the_promised_keys(copse, planted, tmp_path):
    run = copse("factor", planted.path, "-k", 3, "--seed", 7, "--threads", 2, "-o", "out")
    assert run.returncode == 0, run.stderr
    result = result_of(tmp_path / "out")
    assert result["command"] == "factor"
    assert (result["seed"], result["threads"], result["k"]) == (7, 2, 3)
    assert (result["rows"], result["cols"]) == planted.x.shape
    assert result["nonzeros"] == np.count_nonzero(planted.x)
    assert result["iterations"] == result["history"][-1]["iteration"] > 0
    assert result["stop_reason"] in ("converged", "max_iterations")
    assert set(result["seconds"]) == {"read", "prepare", "solve", "write", "total"}
    assert result["seconds"]["total"] >= result["seconds"]["solve"] > 0
    assert result["peak_memory_bytes"] > 1e6
    assert result["settings"]["solver"] == "hals"
    assert "measures" not in result
    # A program that was built without Node.js has no page.
    assert sorted({path.name for path in (tmp_path / "out").iterdir()} - {"report.html"}) == [
        "assignments.tsv", "model.safetensors", "result.json", "topics.tsv"]


@pytest.mark.parametrize("precision", ["float", "double"])
@pytest.mark.parametrize("solver", SOLVERS)
def test_model_is_what_the_result_says(copse, planted, tmp_path, solver, precision):
    run = copse("factor", planted.path, "-k", 3, "--solver", solver, "--precision", precision, "-o", "out")
    assert run.returncode == 0, run.stderr
    model = load_file(tmp_path / "out" / "model.safetensors")
    w, h = model["w"], model["h"]
    assert w.dtype == h.dtype == (np.float32 if precision == "float" else np.float64)
    assert w.min() >= 0 and h.min() >= 0
    np.testing.assert_allclose(np.linalg.norm(w, axis=0), 1, rtol=1e-5)
    error = np.linalg.norm(planted.x - w.astype(float) @ h.astype(float).T) / np.linalg.norm(planted.x)
    assert result_of(tmp_path / "out")["relative_error"] == pytest.approx(error, abs=2e-3 if precision == "float" else 1e-7)
    assert error < 0.6


def divergence(x, y):
    seen = x > 0
    return (x[seen] * np.log(x[seen] / y[seen])).sum() - x.sum() + y.sum()


@pytest.mark.parametrize("solver", ["hals", "mu"])
def test_the_kullback_leibler_loss_is_what_it_says(copse, planted, tmp_path, solver):
    run = copse("factor", planted.path, "-k", 3, "--loss", "kl", "--solver", solver, "--precision", "double",
                "--truth", planted.labels_path, "-o", "out")
    assert run.returncode == 0, run.stderr
    assert "relative divergence" in run.stderr
    result, model = result_of(tmp_path / "out"), load_file(tmp_path / "out" / "model.safetensors")
    assert result["settings"]["loss"] == "kl" and result["measures"]["accuracy"] > 0.95
    x = planted.x
    least = divergence(x, np.outer(x.sum(1), x.sum(0)) / x.sum())  # of k = 1
    assert result["relative_error"] == pytest.approx(divergence(x, model["w"] @ model["h"].T) / least, abs=1e-9)
    # New items get their least divergence, not their least error: at the minimum (1'W) h = 1'x.
    run = copse("assign", "out", planted.path)
    assert run.returncode == 0, run.stderr
    placed = [line.split("\t")[1] for line in run.stdout.splitlines()[1:]]
    assert placed == [row[1] for row in read_tsv(tmp_path / "out" / "assignments.tsv")[1:]]
    for command in (["show", "out"], ["report", "out"], ["evaluate", "out/assignments.tsv", planted.labels_path]):
        again = copse(*command)
        assert again.returncode == 0, again.stderr


@pytest.mark.parametrize("options, sentence", [
    (("--affine",), "neither penalties"),
    (("--sparse", "0.1"), "neither penalties"),
    (("--solver", "pivoting"), "has the solvers hals and mu"),
    (("--solver", "dc"), "dc starts from a tree"),
    (("--start", "nndsvd"), "begin with random, nndsvda or nndsvdar"),
])
def test_options_that_the_kullback_leibler_loss_has_not_are_refused(copse, planted, options, sentence):
    run = copse("factor", planted.path, "-k", 3, "--loss", "kl", *options)
    assert run.returncode in (1, 2) and sentence in run.stderr


def test_a_consensus_of_runs_says_what_they_have_in_common(copse, planted, tmp_path):
    run = copse("factor", planted.path, "-k", 3, "--consensus", 12, "--truth", planted.labels_path, "-o", "out")
    assert run.returncode == 0, run.stderr
    assert "consensus of 12 runs" in run.stderr
    result, model = result_of(tmp_path / "out"), load_file(tmp_path / "out" / "model.safetensors")
    consensus = result["consensus"]
    assert consensus["runs"] == 12 and consensus["neighbours"] == 3
    assert len(consensus["distances"]) == len(consensus["groups"]) == 36
    assert [group >= 0 for group in consensus["groups"]] == [d <= 0.5 for d in consensus["distances"]]
    for c in range(3):
        runs = {place // 3 for place, group in enumerate(consensus["groups"]) if group == c}
        assert consensus["shares"][c] == pytest.approx(len(runs) / 12)
    assert result["measures"]["accuracy"] > 0.95
    assert result["settings"]["consensus"] == 12 and result["settings"]["consensus_distance"] == 0.5
    assert len(result["runs"]["relative_errors"]) == 12
    weights = model["h"].sum(axis=0)
    assert list(weights) == sorted(weights, reverse=True)
    left = planted.x - model["w"] @ model["h"].T
    assert result["relative_error"] == pytest.approx(np.linalg.norm(left) / np.linalg.norm(planted.x), abs=2e-3)
    placed = copse("assign", "out", planted.path)
    assert [line.split("\t")[1] for line in placed.stdout.splitlines()[1:]] == [
        row[1] for row in read_tsv(tmp_path / "out" / "assignments.tsv")[1:]]
    # What is stored is still there when the page is written anew.
    assert copse("edit", "out", "--rename", 1, "--to", "first").returncode == 0
    assert result_of(tmp_path / "out")["consensus"] == consensus


@pytest.mark.parametrize("options, code, sentence", [
    (("--consensus", "1"), 2, "--consensus"),
    (("--consensus", "5", "--runs", "3"), 2, "--runs"),
    (("--consensus-distance", ".3"), 2, "--consensus"),
    (("--consensus", "5", "--loss", "kl"), 1, "Frobenius loss only"),
    (("--consensus", "5", "--sparse", "0.1"), 1, "without penalties"),
    (("--consensus", "5", "--solver", "dc"), 2, "does not go with --consensus"),
    (("--consensus", "5", "--consensus-distance", "-1"), 2, "--consensus-distance"),
])
def test_what_a_consensus_does_not_go_with_is_refused(copse, planted, options, code, sentence):
    run = copse("factor", planted.path, "-k", 3, *options)
    assert run.returncode == code and sentence in run.stderr


def test_tables_follow_from_the_model(copse, planted, tmp_path):
    copse("factor", planted.path, "-k", 3, "--top", 4, "-o", "out")
    model = load_file(tmp_path / "out" / "model.safetensors")
    header, *rows = read_tsv(tmp_path / "out" / "assignments.tsv")
    assert header == ["item", "cluster", "weight"]
    assert [row[0] for row in rows] == [str(j) for j in range(planted.x.shape[1])]
    assert [int(row[1]) for row in rows] == list(model["h"].argmax(axis=1))
    np.testing.assert_allclose([float(row[2]) for row in rows], model["h"].max(axis=1), rtol=1e-6)
    header, *rows = read_tsv(tmp_path / "out" / "topics.tsv")
    assert header == ["cluster", "rank", "feature", "weight"]
    expected = [str(i) for c in range(3) for i in np.argsort(-model["w"][:, c], kind="stable")[:4]]
    assert [row[2] for row in rows] == expected


def test_measures_are_those_of_scikit_learn(copse, planted, tmp_path):
    run = copse("factor", planted.path, "-k", 3, "--truth", planted.labels_path, "-o", "out")
    assert run.returncode == 0, run.stderr
    measures = result_of(tmp_path / "out")["measures"]
    clusters = [int(row[1]) for row in read_tsv(tmp_path / "out" / "assignments.tsv")[1:]]
    assert measures["nmi"] == pytest.approx(sklearn.metrics.normalized_mutual_info_score(planted.labels, clusters))
    assert measures["ari"] == pytest.approx(sklearn.metrics.adjusted_rand_score(planted.labels, clusters))
    assert measures["accuracy"] > 0.95
    assert f"accuracy {measures['accuracy']:.4f}" in run.stderr


def test_data_goes_to_stdout_and_words_to_stderr(copse, planted):
    run = copse("factor", planted.path, "-k", 3)
    assert run.stdout.startswith("cluster") and len(run.stdout.splitlines()) == 4
    assert "memory" in run.stderr and "relative error" in run.stderr
    run = copse("factor", planted.path, "-k", 3, "--quiet")
    assert run.stdout.startswith("cluster") and run.stderr == ""
    run = copse("factor", planted.path, "-k", 3, "--json")
    assert json.loads(run.stdout)["k"] == 3 and "relative error" in run.stderr
    run = copse("factor", planted.path, "-k", 3, "--quiet", "-o", "out")
    assert run.stdout == run.stderr == ""


def test_no_progress_bar_without_a_terminal(copse, planted):
    run = copse("factor", planted.path, "-k", 3, "--runs", 5, "--tolerance", 0)
    assert "\r" not in run.stderr and "\033" not in run.stderr + run.stdout


def test_names_are_carried_to_the_output(copse, planted, tmp_path):
    features, items = planted.x.shape
    (tmp_path / "words.txt").write_text("".join(f"wort-ä{i}\n" for i in range(features)))
    (tmp_path / "docs.txt").write_text("".join(f"doc {j}\n" for j in range(items)))
    run = copse("factor", planted.path, "-k", 3, "--features", "words.txt", "--item-names", "docs.txt", "-o", "out")
    assert run.returncode == 0, run.stderr
    assert read_tsv(tmp_path / "out" / "assignments.tsv")[5][0] == "doc 4"
    assert read_tsv(tmp_path / "out" / "topics.tsv")[1][2].startswith("wort-ä")
    model = load_file(tmp_path / "out" / "model.safetensors")
    text, offsets = bytes(model["feature_names"]), model["feature_names_offsets"]
    assert [text[a:b].decode() for a, b in zip(offsets, offsets[1:])] == [f"wort-ä{i}" for i in range(features)]


def test_items_in_rows_are_the_same_matrix(copse, planted, tmp_path):
    scipy.io.mmwrite(tmp_path / "t.mtx", scipy.sparse.coo_matrix(planted.x.T))
    copse("factor", planted.path, "-k", 3, "-o", "a")
    copse("factor", "t.mtx", "--items", "rows", "-k", 3, "-o", "b")
    a, b = (load_file(tmp_path / name / "model.safetensors") for name in "ab")
    assert np.array_equal(a["w"], b["w"]) and np.array_equal(a["h"], b["h"])


def test_a_model_can_be_the_start(copse, planted, tmp_path):
    copse("factor", planted.path, "-k", 3, "-o", "first", "--max-iterations", 3)
    run = copse("factor", planted.path, "-k", 3, "--start", "first/model.safetensors", "-o", "second")
    assert run.returncode == 0, run.stderr
    first, second = result_of(tmp_path / "first"), result_of(tmp_path / "second")
    assert second["relative_error"] <= first["relative_error"] + 1e-6
    run = copse("factor", planted.path, "-k", 4, "--start", "first/model.safetensors")
    assert run.returncode == 1 and "is 60 x 3, but this run needs 60 x 4" in run.stderr


def test_runs_keep_the_best(copse, planted, tmp_path):
    copse("factor", planted.path, "-k", 5, "--runs", 4, "-o", "out")
    runs = result_of(tmp_path / "out")["runs"]
    assert len(runs["relative_errors"]) == 4
    assert min(runs["relative_errors"]) == pytest.approx(runs["relative_errors"][runs["best"]])
    assert min(runs["relative_errors"]) == pytest.approx(result_of(tmp_path / "out")["relative_error"], abs=1e-6)


def test_sparse_conventions(copse, planted, tmp_path):
    largest = planted.x.max()
    for arguments, alpha, beta in [
        (["--sparse", "thesis"], largest**2, 0.01),
        (["--sparse", "snmf"], largest, 0.1),
        (["--sparse", "0.3"], largest**2, 0.3),
        (["--sparse", "0.3", "--sparse-w", "snmf"], largest, 0.3),
        (["--sparse", "0.3", "--sparse-w", "2"], 2, 0.3),
        ([], 0, 0),
    ]:
        run = copse("factor", planted.path, "-k", 3, "--precision", "double", "--json", *arguments)
        settings = json.loads(run.stdout)["settings"]
        assert settings["alpha"] == pytest.approx(alpha, rel=1e-9), arguments
        assert settings["beta"] == pytest.approx(beta), arguments
    refused = copse("factor", planted.path, "-k", 3, "--sparse-w", "2")
    assert refused.returncode != 0 and "Set both, or none" in refused.stderr


def test_affine_has_a_baseline(copse, planted, tmp_path):
    np.save(tmp_path / "dense.npy", planted.x + 1)
    run = copse("factor", "dense.npy", "-k", 3, "--affine", "--solver", "pivoting", "-o", "out")
    assert run.returncode == 0, run.stderr
    model = load_file(tmp_path / "out" / "model.safetensors")
    assert model["baseline"].shape == (60,) and model["baseline"].mean() > 0.3
    approximation = model["baseline"][:, None] + model["w"] @ model["h"].T
    error = np.linalg.norm(planted.x + 1 - approximation) / np.linalg.norm(planted.x + 1)
    assert result_of(tmp_path / "out")["relative_error"] == pytest.approx(error, abs=2e-3)


def test_items_outside_the_fit_are_placed(copse, planted, tmp_path):
    x = np.rint(planted.x * 3)
    x[:, 4] = 0
    x[:, 7] = 0
    x[:, 7] = np.where(np.arange(len(x)) == x[:, 8].argmax(), 2, 0)
    scipy.io.mmwrite(tmp_path / "counts.mtx", scipy.sparse.coo_matrix(x))
    run = copse("factor", "counts.mtx", "-k", 3, "--text", "--min-words", 3, "--truth", planted.labels_path, "-o", "out")
    assert run.returncode == 0, run.stderr
    rows = read_tsv(tmp_path / "out" / "assignments.tsv")[1:]
    # Item 4 is empty; item 7 has two words of item 8's topic, too few for the fit.
    assert len(rows) == 90 and rows[4][1:] == ["-1", "0"] and rows[7][1] == rows[8][1] != "-1"
    result = result_of(tmp_path / "out")
    assert result["cols"] == 88 and result["measures"]["items"] == 89
    model = load_file(tmp_path / "out" / "model.safetensors")
    assert list(model["kept_items"]) == [j for j in range(90) if j not in (4, 7)]
    assert model["feature_factors"].shape == (model["w"].shape[0],)
    with safe_open(tmp_path / "out" / "model.safetensors", "np") as file:
        assert file.metadata()["weights"] == "text" and file.metadata()["unit_columns"] == "true"
    run = copse("evaluate", "out/assignments.tsv", planted.labels_path)
    assert "1 item without a cluster left out" in run.stderr
    assert f"nmi       {result['measures']['nmi']:.4f}" in run.stdout


def test_an_empty_item_has_no_cluster(copse, planted, tmp_path):
    x = planted.x.copy()
    x[:, 4] = 0
    scipy.io.mmwrite(tmp_path / "empty.mtx", scipy.sparse.coo_matrix(x))
    run = copse("factor", "empty.mtx", "-k", 3, "-o", "out")
    assert run.returncode == 0 and "1 item without any entry" in run.stderr
    assert read_tsv(tmp_path / "out" / "assignments.tsv")[5][1:] == ["-1", "0"]
    assert result_of(tmp_path / "out")["items_without_cluster"] == 1


def test_time_limit_gives_the_best_so_far(copse, tmp_path):
    planted = make_planted(tmp_path / "larger.mtx", 500, 2000, 10)
    run = copse("factor", planted.path, "-k", 30, "--solver", "mu", "--tolerance", 0, "--max-iterations", 1000000,
                "--time-limit", "0.5s", "-o", "out")
    assert run.returncode == 0, run.stderr
    result = result_of(tmp_path / "out")
    assert result["stop_reason"] == "time_limit"
    assert 0.4 < result["seconds"]["solve"] < 5


def test_reads_the_standard_input(copse, planted, tmp_path):
    with open(planted.path) as file:
        run = copse("factor", "-", "-k", 3, "--json", stdin=file)
    assert run.returncode == 0 and json.loads(run.stdout)["rows"] == 60
