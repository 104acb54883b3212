"""copse choose: a verdict with its reasons, the same however the runs are made."""

import json
import signal
import subprocess
import time

import numpy as np
import pytest
from conftest import read_tsv


def rows_of(path):
    head, *lines = read_tsv(path)
    return [dict(zip(head, line, strict=True)) for line in lines]


@pytest.fixture
def genes(copse, tmp_path):
    run = copse("generate", "genes", "-k", 3, "--seed", 1, "-o", "genes.npy")
    assert run.returncode == 0, run.stderr
    return tmp_path / "genes.npy"


@pytest.fixture
def few_genes(copse, tmp_path):
    """Three clusters that are quickly told apart."""
    run = copse("generate", "genes", "-k", 3, "--seed", 1, "--features", 60, "--nuisance", 20, "--items-per-cluster", 20,
                "--outliers", 0.05, "-o", "few.npy")
    assert run.returncode == 0, run.stderr
    return tmp_path / "few.npy"


@pytest.fixture
def copse_process(program, tmp_path):
    """Starts the program and does not wait for it."""
    def start(*arguments):
        return subprocess.Popen([program, *map(str, arguments)], cwd=tmp_path, text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)
    return start


def survey_of(folder):
    return json.loads((folder / "result.json").read_text())["survey"]


def test_finds_the_planted_number_and_writes_its_clusters(copse, genes, tmp_path):
    run = copse("choose", genes, "-k", "2:5", "--affine", "--runs", 10, "-o", "out", "--truth",
                tmp_path / "genes.labels.txt")
    assert run.returncode == 0, run.stderr
    assert "3 clusters." in run.stdout and "weak evidence" not in run.stdout
    few = copse("choose", genes, "-k", "2:4", "--affine", "--runs", 2)  # no p-value below 1 / 5
    assert "3 clusters." in few.stdout and "weak evidence" in few.stdout
    survey = survey_of(tmp_path / "out")
    assert survey["k"] == 3 and survey["sure"] > 0.9
    assert survey["sentence"] in run.stdout
    assert survey["runs"] == {"planned": 4 * 6 * 10, "done": 4 * 6 * 10}
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    assert result["k"] == 3 and result["measures"]["nmi"] > 0.95
    table = rows_of(tmp_path / "out" / "survey.tsv")
    assert [int(row["k"]) for row in table] == [2, 3, 4, 5]
    for row, entry in zip(table, survey["rows"], strict=True):
        assert float(row["prediction_strength"]) == pytest.approx(entry["prediction_strength"], rel=1e-5)
    assert len(rows_of(tmp_path / "out" / "assignments.tsv")) == 180


def test_says_that_there_is_nothing(copse, tmp_path):
    """One Gaussian: starts agree on two clusters [Kuang 2014, section 4.3], the verdict does not."""
    random = np.random.default_rng(0)
    np.save(tmp_path / "one.npy", np.abs(random.normal(3, 1, (30, 200))))
    run = copse("choose", "one.npy", "-k", "2:4", "--runs", 15, "-o", "out")
    assert run.returncode == 0, run.stderr
    assert "No evidence of clusters." in run.stdout
    survey = survey_of(tmp_path / "out")
    assert survey["k"] == 1
    assert survey["rows"][0]["starts_cophenetic"] > survey["rows"][0]["resampled_cophenetic"]


def test_components_are_another_question(copse, tmp_path):
    """Items that are mixtures of four parts have four components."""
    random = np.random.default_rng(1)
    parts = np.kron(np.eye(4), np.ones((10, 1))) + 0.05 * random.random((40, 4))
    x = parts @ random.dirichlet(np.ones(4), 150).T
    np.save(tmp_path / "mixed.npy", np.maximum(0, x + 0.02 * random.normal(size=x.shape)))
    run = copse("choose", "mixed.npy", "-k", "1:7", "--for", "components", "--runs", 10, "-o", "out")
    assert run.returncode == 0, run.stderr
    assert run.stdout.count("4 components.") == 1


def test_threads_workers_and_resumed_runs_give_the_same_survey(copse, genes, tmp_path):
    line = ("choose", genes, "-k", "2:4", "--affine", "--runs", 4)
    assert copse(*line, "--threads", 1, "-o", "one").returncode == 0
    whole = survey_of(tmp_path / "one")
    assert copse(*line, "--threads", 8, "-o", "eight").returncode == 0
    assert survey_of(tmp_path / "eight") == whole
    for worker in (3, 1, 2):
        run = copse(*line, "--worker", f"{worker}/3", "-o", "shared")
        assert run.returncode == 0, run.stderr
    assert not (tmp_path / "shared").exists()
    run = copse(*line, "--resume", "-o", "shared")
    assert run.returncode == 0, run.stderr
    assert survey_of(tmp_path / "shared") == whole
    assert [path.name for path in tmp_path.iterdir() if "runs" in path.name] == []
    few = ("choose", genes, "-k", "2:3", "--affine", "--runs", 2)
    assert copse(*few, "-o", "grown").returncode == 0
    assert copse(*line, "--resume", "-o", "grown").returncode == 0
    assert survey_of(tmp_path / "grown") == whole


def test_a_killed_survey_goes_on(copse, copse_process, genes, tmp_path):
    line = ("choose", genes, "-k", "2:4", "--affine", "--runs", 6)
    assert copse(*line, "-o", "whole").returncode == 0
    process = copse_process(*line, "-o", "killed")
    log = tmp_path / "killed" / ".partial-runs"
    while process.poll() is None and (not log.exists() or log.stat().st_size < 3000):
        time.sleep(0.001)
    process.kill()
    process.wait()
    with log.open("ab") as file:
        file.write(b"torn")  # what a kill in the middle of a record leaves
    run = copse(*line, "-o", "killed")
    assert run.returncode == 1 and "go on with --resume" in run.stderr
    run = copse(*line, "--resume", "-o", "killed")
    assert run.returncode == 0, run.stderr
    assert survey_of(tmp_path / "killed") == survey_of(tmp_path / "whole")
    assert not log.exists()


def files_of(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.startswith(".")}


@pytest.mark.parametrize("option", ["--force", "--resume"])
def test_a_killed_survey_leaves_the_one_before(copse, copse_process, genes, tmp_path, option):
    assert copse("choose", genes, "-k", "2:3", "--affine", "--runs", 3, "-o", "out").returncode == 0
    before = files_of(tmp_path / "out")
    assert len(before["survey.runs"]) > 1000
    line = ("choose", genes, "-k", "2:4", "--affine", "--runs", 300, "-o", "out")
    process = copse_process(*line, option)
    log = tmp_path / "out" / ".partial-runs"
    while process.poll() is None and (not log.exists() or log.stat().st_size < 3000):
        time.sleep(0.001)
    process.kill()
    process.wait()
    assert files_of(tmp_path / "out") == before
    few = ("choose", genes, "-k", "2:4", "--affine", "--runs", 4)
    assert copse(*few, "--resume", "-o", "out").returncode == 0
    assert copse(*few, "-o", "whole").returncode == 0
    assert survey_of(tmp_path / "out") == survey_of(tmp_path / "whole")
    # All other commands that replace a result drop the runs with it, and none before.
    assert copse("factor", genes, "-k", 2, "--memory-limit", "1M", "--force", "-o", "out").returncode == 1
    assert (tmp_path / "out" / "survey.runs").exists()
    assert copse("factor", genes, "-k", 2, "--force", "-o", "out").returncode == 0
    assert not (tmp_path / "out" / "survey.runs").exists()


def test_the_runs_of_a_survey_are_not_written_through_links(copse, genes, tmp_path):
    mine = tmp_path / "mine.txt"
    for name in ("survey.runs", ".partial-runs"):
        for option in ("--force", "--resume"):
            assert copse("choose", genes, "-k", 2, "--runs", 1, "-o", "out", "--force").returncode == 0
            mine.write_text("precious")
            (tmp_path / "out" / name).unlink(missing_ok=True)
            (tmp_path / "out" / name).symlink_to(mine)
            run = copse("choose", genes, "-k", 2, "--runs", 2, "-o", "out", option)
            assert run.returncode == 0, run.stderr
            assert mine.read_text() == "precious"
            assert not (tmp_path / "out" / "survey.runs").is_symlink()
            assert not (tmp_path / "out" / ".partial-runs").exists()


def test_ctrl_c_gives_the_verdict_so_far(copse_process, genes, tmp_path):
    process = copse_process("choose", genes, "-k", "2:5", "--affine", "--runs", 5000, "-o", "out")
    log = tmp_path / "out" / ".partial-runs"
    while process.poll() is None and (not log.exists() or log.stat().st_size < 300000):
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 130, stderr
    survey = survey_of(tmp_path / "out")
    assert 0 < survey["runs"]["done"] < survey["runs"]["planned"]
    assert "the verdict is that of" in stderr


@pytest.mark.parametrize("arguments, sentence", [
    (("-k", "5:2"), "runs backwards"),
    (("-k", "two"), "is no range"),
    (("-k", "0:3"), "is no range"),
    (("-k", "2:3", "--worker", "4/3", "-o", "out"), "--worker"),
    (("-k", "500:600"), "is too large"),
])
def test_wrong_calls_get_a_sentence(copse, genes, arguments, sentence):
    run = copse("choose", genes, *arguments)
    assert run.returncode in (1, 2)
    assert sentence in run.stderr


def test_other_data_is_not_mixed_in(copse, genes, tmp_path):
    assert copse("choose", genes, "-k", 2, "--runs", 1, "-o", "out").returncode == 0
    x = np.load(genes)
    np.save(tmp_path / "other.npy", x[:, ::-1])
    run = copse("choose", "other.npy", "-k", 2, "--runs", 2, "--resume", "-o", "out")
    assert run.returncode == 1
    assert "belongs to a run with other data" in run.stderr


def test_constant_data_and_one_item(copse, tmp_path):
    np.save(tmp_path / "constant.npy", np.ones((5, 40)))
    run = copse("choose", "constant.npy", "-k", "2:3", "--runs", 3)
    assert run.returncode == 0, run.stderr
    assert "No evidence of clusters." in run.stdout
    np.save(tmp_path / "single.npy", np.ones((5, 1)))
    run = copse("choose", "single.npy", "-k", "2:3", "--runs", 2)
    assert run.returncode == 1
    assert "too large" in run.stderr


def test_numbers_above_the_items_are_left_out_and_said(copse, tmp_path):
    random = np.random.default_rng(3)
    np.save(tmp_path / "few.npy", random.random((20, 9)))
    run = copse("choose", "few.npy", "-k", "2:30", "--runs", 2, "-o", "out")
    assert run.returncode == 0, run.stderr
    assert "Numbers of clusters above 9 were left out" in run.stderr
    assert [row["k"] for row in survey_of(tmp_path / "out")["rows"]] == list(range(2, 10))


def test_negative_values_and_repeated_genes_get_a_sentence(copse, tmp_path):
    np.save(tmp_path / "negative.npy", np.array([[1.0, 2, 3], [4, -5, 6], [1, 1, 1]]))
    run = copse("choose", "negative.npy", "-k", "2:3")
    assert run.returncode == 1
    assert "feature 2 and item 2 is negative" in run.stderr
    (tmp_path / "genes.txt").write_text("TP53\nMYC\nTP53\n")
    np.save(tmp_path / "positive.npy", np.ones((3, 5)))
    run = copse("choose", "positive.npy", "--features", "genes.txt", "-k", "2:3")
    assert "2 features share a name with another, such as 'TP53'" in run.stderr


def test_the_order_of_the_items_does_not_matter(copse, genes, tmp_path):
    x = np.load(genes)
    np.save(tmp_path / "turned.npy", x[:, np.random.default_rng(5).permutation(x.shape[1])])
    line = ("-k", "2:4", "--affine", "--runs", 3)
    assert copse("choose", genes, *line, "-o", "one").returncode == 0
    assert copse("choose", "turned.npy", *line, "-o", "other").returncode == 0
    one, other = survey_of(tmp_path / "one"), survey_of(tmp_path / "other")
    assert x.shape[1] == 180 and one["consensus"].pop("items") != other["consensus"].pop("items")
    assert one == other


def test_a_grid_is_searched_to_its_neighbours(copse, few_genes, tmp_path):
    run = copse("choose", few_genes, "-k", "2,6,10", "--affine", "--runs", 8, "--search", "-o", "out")
    assert run.returncode == 0, run.stderr
    survey = survey_of(tmp_path / "out")
    ks = [row["k"] for row in survey["rows"]]
    assert survey["k"] == 3 and {2, 3, 4} <= set(ks) and len(ks) < 9


def test_k_auto_is_a_survey(copse, few_genes, tmp_path):
    run = copse("factor", few_genes, "-k", "auto", "--affine", "-o", "out", "--truth", tmp_path / "few.labels.txt")
    assert run.returncode == 0, run.stderr
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    assert result["command"] == "factor" and result["k"] == 3 and result["measures"]["nmi"] > 0.9
    assert "3 clusters." in run.stdout
    run = copse("factor", few_genes, "-k", "auto", "--sparse", "thesis")
    assert run.returncode != 0 and "does not go with sparse NMF" in run.stderr
    assert copse("factor", few_genes, "-k", "some").returncode == 2


def test_a_tree_knows_when_to_stop(copse, genes, tmp_path):
    run = copse("tree", genes, "--leaves", "auto", "-o", "out", "--truth", tmp_path / "genes.labels.txt")
    assert run.returncode == 0, run.stderr
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    assert result["k"] == 3 and result["measures"]["nmi"] > 0.9
    assert "The tree has 3 leaves: no leaf can be split further" in run.stderr
    assert copse("generate", "genes", "-k", 1, "-o", "one.npy").returncode == 0
    run = copse("tree", "one.npy", "--leaves", "auto", "-o", "single")
    assert run.returncode == 0, run.stderr
    assert json.loads((tmp_path / "single" / "result.json").read_text())["k"] == 1


def test_graph_k_auto(copse, tmp_path):
    lines = []
    for group in range(4):
        nodes = range(12 * group, 12 * group + 12)
        lines += [f"n{a}\tn{b}" for a in nodes for b in nodes if a < b]
    lines += [f"n{12 * group}\tn{(12 * group + 12) % 48}" for group in range(4)]
    (tmp_path / "edges.tsv").write_text("\n".join(lines) + "\n")
    run = copse("graph", "edges.tsv", "-k", "auto", "-o", "out")
    assert run.returncode == 0, run.stderr
    assert json.loads((tmp_path / "out" / "result.json").read_text())["k"] == 4
    assert "4 communities: modularity is highest there" in run.stderr


def test_new_items_are_selected_and_scaled_as_the_old(copse, tmp_path):
    """The items of the fit come back with their own coefficients, though most features and all totals are gone."""
    random = np.random.default_rng(4)
    counts = random.poisson(random.random((60, 3)) @ random.random((3, 40)) * 5 * random.integers(1, 9, 40)).astype(float)
    np.save(tmp_path / "cells.npy", counts)
    run = copse("factor", "cells.npy", "-k", 3, "--library-size", 1000, "--select", 25, "--select-by", "dispersion",
                "--weights", "log", "--tolerance", "1e-8", "--max-iterations", 3000, "--precision", "double", "-o", "out")
    assert run.returncode == 0, run.stderr
    assert "35 features dropped: others vary more" in run.stderr
    placed = copse("assign", "out", "cells.npy")
    assert placed.returncode == 0, placed.stderr
    fitted = {row["item"]: row for row in rows_of(tmp_path / "out" / "assignments.tsv")}
    head, *lines = [line.split("\t") for line in placed.stdout.splitlines()]
    for line in lines:
        row = dict(zip(head, line, strict=True))
        assert row["cluster"] == fitted[row["item"]]["cluster"]
        assert float(row["weight"]) == pytest.approx(float(fitted[row["item"]]["weight"]), rel=1e-3)
