"""copse choose: a verdict with its reasons, the same however the runs are made."""

import json
import os
import re
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
def mixed(tmp_path):
    """Items that are mixtures of four parts."""
    random = np.random.default_rng(1)
    parts = np.kron(np.eye(4), np.ones((10, 1))) + 0.05 * random.random((40, 4))
    x = parts @ random.dirichlet(np.ones(4), 150).T
    np.save(tmp_path / "mixed.npy", np.maximum(0, x + 0.02 * random.normal(size=x.shape)))
    return tmp_path / "mixed.npy"


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
    assert "3 clusters." in few.stdout and "the least that so few runs can show" in few.stdout
    survey = survey_of(tmp_path / "out")
    assert survey["k"] == 3 and survey["sure"] > 0.9
    assert survey["sentence"] in run.stdout
    assert survey["runs"] == {"planned": 4 * 6 * 10, "done": 4 * 6 * 10}
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    assert result["k"] == 3 and result["measures"]["nmi"] > 0.95
    table = rows_of(tmp_path / "out" / "survey.tsv")
    assert [int(row["k"]) for row in table] == [2, 3, 4, 5]
    for row, entry in zip(table, survey["rows"], strict=True):
        for name in ("prediction_strength", "recurrence", "null_recurrence", "shuffled_recurrence", "recurrence_p_value"):
            assert float(row[name]) == pytest.approx(entry[name], rel=1e-5)
    assert survey["least"] == survey["most"] == 3
    assert len(rows_of(tmp_path / "out" / "assignments.tsv")) == 180


def test_sparse_nmf_is_surveyed_with_its_penalties(copse, few_genes, tmp_path):
    dense = copse("choose", few_genes, "-k", "2:4", "--affine", "--runs", 5, "-o", "dense")
    sparse = copse("choose", few_genes, "-k", "2:4", "--affine", "--runs", 5, "--sparse", "snmf", "-o", "sparse")
    assert dense.returncode == sparse.returncode == 0, sparse.stderr
    result = json.loads((tmp_path / "sparse" / "result.json").read_text())
    assert result["settings"]["beta"] == 0.5 and result["settings"]["alpha"] > 0
    zeros = json.loads((tmp_path / "dense" / "result.json").read_text())["zero_share"]["h"]
    assert result["zero_share"]["h"] > zeros
    for own, other in zip(rows_of(tmp_path / "sparse" / "survey.tsv"), rows_of(tmp_path / "dense" / "survey.tsv"),
                          strict=True):
        assert float(own["relative_error"]) > float(other["relative_error"])
        assert own["hidden_error"] != other["hidden_error"]
    # The final fit is that of factor.
    run = copse("factor", few_genes, "-k", result["k"], "--affine", "--sparse", "snmf", "-o", "factor")
    assert run.returncode == 0
    assert (tmp_path / "factor" / "assignments.tsv").read_bytes() == (
        tmp_path / "sparse" / "assignments.tsv").read_bytes()
    refused = copse("choose", few_genes, "-k", "2:4", "--method", "tree", "--sparse", "snmf")
    assert refused.returncode == 2 and "--method nmf" in refused.stderr


def test_the_clusters_at_the_end_may_be_a_consensus_of_runs(copse, few_genes, tmp_path):
    run = copse("choose", few_genes, "-k", "2:4", "--affine", "--runs", 5, "--consensus", 8, "-o", "out")
    assert run.returncode == 0, run.stderr
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    assert result["k"] == result["survey"]["k"] == 3 and result["consensus"]["runs"] == 8
    assert len(result["consensus"]["groups"]) == 24
    # Clusters of a consensus persist as those of a fit do.
    persistence = result["survey"]["persistence"]
    assert persistence["ks"] == [2, 3, 4] and len(persistence["values"]) == 3
    assert all(0.5 < row[1] <= 1 for row in persistence["values"])
    refused = copse("choose", few_genes, "-k", "2:4", "--method", "kmeans", "--consensus", 8)
    assert refused.returncode == 2 and "--method nmf" in refused.stderr
    # A survey that was stopped gives what there is at once.
    run = copse("choose", few_genes, "-k", "2:4", "--affine", "--runs", 500, "--time-limit", "0.5s", "--consensus", 500)
    assert run.returncode == 0 and "not a consensus" in run.stderr


def runs_of(folder):
    """Of each k, by kind: ten starts and ten with hidden entries at most."""
    return {row["k"]: int(row["runs"]) for row in rows_of(folder / "survey.tsv")}


def test_ends_when_the_verdict_is_settled(copse, few_genes, tmp_path):
    run = copse("choose", few_genes, "-k", "2:4", "--affine", "-o", "settled")
    assert run.returncode == 0, run.stderr
    assert set(runs_of(tmp_path / "settled").values()) == {60}  # ten of each of six kinds
    assert survey_of(tmp_path / "settled")["sure"] >= 0.95
    # Just as many as are asked for, and no more than the most.
    for words, many in ((["--runs", 12], 4 * 12 + 20), (["--most-runs", 4], 6 * 4)):
        run = copse("choose", few_genes, "-k", "2:4", "--affine", *words, "-o", "asked", "--force")
        assert run.returncode == 0, run.stderr
        assert set(runs_of(tmp_path / "asked").values()) == {many}, words
    run = copse("choose", few_genes, "-k", "2:4", "--runs", 3, "--most-runs", 4)
    assert run.returncode == 2 and "--most-runs" in run.stderr


def test_a_settled_survey_that_was_cut_short_goes_on_the_same_way(copse, few_genes, tmp_path):
    def choose(*more):
        run = copse("choose", few_genes, "-k", "2:5", *more)
        assert run.returncode == 0, run.stderr

    choose("-o", "whole")
    for some in (3, 11, 13):
        choose("--runs", some, "-o", "part", "--force")
        choose("--resume", "-o", "part")
        assert (tmp_path / "part" / "survey.tsv").read_text() == (tmp_path / "whole" / "survey.tsv").read_text()
        assert survey_of(tmp_path / "part")["sentence"] == survey_of(tmp_path / "whole")["sentence"]


def test_notices_a_baseline_that_nmf_has_no_place_for(copse, genes, tmp_path):
    run = copse("choose", genes, "-k", "2:4", "--runs", 4, "-o", "plain")
    assert run.returncode == 0, run.stderr
    survey = survey_of(tmp_path / "plain")
    assert "of the data is a baseline that all items share" in survey["sentence"] and "affine" in survey["sentence"]
    agree = float(re.search(r"(\d+) % of the surveys drawn anew", survey["sentence"])[1]) / 100
    assert survey["sure"] == pytest.approx(agree, abs=0.01)
    for more in (["--affine"], ["--method", "kmeans"], ["--for", "components"]):
        run = copse("choose", genes, "-k", "2:3", "--runs", 2, *more, "-o", "other", "--force")
        assert run.returncode == 0, run.stderr
        assert "baseline" not in survey_of(tmp_path / "other")["sentence"], more


def test_looks_at_a_sample_and_clusters_all(copse, few_genes, tmp_path):
    run = copse("choose", few_genes, "-k", "2:4", "--affine", "--runs", 5, "--most-items", 45, "-o", "out", "--truth",
                tmp_path / "few.labels.txt")
    assert run.returncode == 0, run.stderr
    assert "looked at 45 of the 60 items" in run.stderr and "the survey takes up to" in run.stderr
    survey = survey_of(tmp_path / "out")
    assert (survey["items"], survey["k"]) == (45, 3)
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    assert result["measures"]["items"] == 60 and result["measures"]["nmi"] > 0.9
    other = copse("choose", few_genes, "-k", "2:4", "--affine", "--runs", 6, "--most-items", 44, "--resume", "-o", "out")
    assert other.returncode == 1 and "another" in other.stderr
    none = copse("choose", few_genes, "-k", "4:5", "--most-items", 3)
    assert none.returncode == 1 and "The survey looks at 3 items with" in none.stderr
    whole = copse("choose", few_genes, "-k", "2:4", "--affine", "--runs", 2, "--most-items", 0, "--json")
    assert json.loads(whole.stdout)["survey"]["items"] == 60 and "looked at" not in whole.stderr


@pytest.mark.parametrize("options, tolerance", [((), 1e-4), (("--affine",), 1e-4), (("--tolerance", 0.01), 0.01)])
def test_dense_data_is_fitted_further(copse, few_genes, options, tolerance):
    run = copse("choose", few_genes, "-k", 2, "--runs", 1, "--json", *options)
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["settings"]["tolerance"] == tolerance


def test_the_last_fit_has_the_seed_of_the_survey(copse, few_genes, tmp_path):
    line = (few_genes, "--max-iterations", 3, "--tolerance", 0, "--seed", 5)  # far from where all seeds end
    assert copse("choose", *line, "-k", "3:3", "--runs", 2, "-o", "out").returncode == 0
    assert copse("factor", *line, "-k", 3, "-o", "own").returncode == 0
    files = [(tmp_path / name / "model.safetensors").read_bytes() for name in ("out", "own")]
    assert files[0] == files[1]
    assert copse("factor", *line[:-1], 0, "-k", 3, "-o", "other").returncode == 0
    assert files[0] != (tmp_path / "other" / "model.safetensors").read_bytes()


METHODS = ["tree", "symnmf", "kmeans", "spherical-kmeans", "bisecting"]


def clusters_of(folder):
    return {row["item"]: row.get("cluster", row.get("community")) for row in rows_of(folder / "assignments.tsv")}


@pytest.mark.parametrize("method", METHODS)
def test_a_survey_goes_over_other_methods(copse, planted, tmp_path, method):
    """The clusters that it writes are those of the method's own command with the chosen number, and take new items."""
    run = copse("choose", planted.path, "-k", "2:4", "--method", method, "--runs", 8, "--seed", 3, "-o", "out")
    assert run.returncode == 0, run.stderr
    survey = survey_of(tmp_path / "out")
    assert survey["method"] == method and survey["k"] == 3
    assert survey["sentence"] in run.stdout and "3 clusters." in run.stdout
    assert f"{method} cannot foretell hidden entries" in run.stderr
    assert "hidden_error" not in survey["rows"][0] and "hold-out" not in survey["sentence"]
    one_start = method == "tree"
    assert survey["runs"]["planned"] == 3 * (3 * 8 + (1 if one_start else 8))  # sparse data has one kind of chance
    own = {"tree": ("tree", planted.path, "--leaves", 3), "symnmf": ("graph", planted.path, "-k", 3, "--similarity", "cosine")}
    line = own.get(method, ("cluster", planted.path, "-k", 3, "--method", method))
    assert copse(*line, "--seed", 3, "-o", "own").returncode == 0
    assert clusters_of(tmp_path / "out") == clusters_of(tmp_path / "own")
    assert (tmp_path / "out" / "survey.tsv").exists()
    assert survey["sentence"] in (tmp_path / "out" / "report.html").read_text()
    assert copse("show", "out").returncode == 0
    placed = copse("assign", "out", planted.path)
    assert placed.returncode == 0 and len(placed.stdout.splitlines()) == 91, placed.stderr


def test_methods_do_not_mix(copse, few_genes):
    assert copse("choose", few_genes, "-k", 2, "--runs", 1, "--method", "kmeans", "-o", "out").returncode == 0
    for other in ("nmf", "spherical-kmeans", "tree"):
        run = copse("choose", few_genes, "-k", 2, "--runs", 2, "--method", other, "--resume", "-o", "out")
        assert run.returncode == 1 and "belongs to a run with other data" in run.stderr
    run = copse("choose", few_genes, "-k", 2, "--runs", 2, "--method", "kmeans", "--resume", "-o", "out")
    assert run.returncode == 0, run.stderr
    for line in (("--for", "components"), ("--affine",), ("--solver", "mu"), ("--hide", 0.1)):
        run = copse("choose", few_genes, "-k", 2, "--method", "tree", *line)
        assert run.returncode == 2 and line[0] in run.stderr


def test_other_methods_without_clusters_and_with_more_of_them_than_features(copse, tmp_path):
    random = np.random.default_rng(0)
    np.save(tmp_path / "one.npy", np.abs(random.normal(3, 1, (30, 120))))
    for method in METHODS:
        run = copse("choose", "one.npy", "-k", "2:3", "--runs", 12, "--method", method, "-o", "out", "--force")
        assert run.returncode == 0, run.stderr
        assert "No evidence of clusters." in run.stdout, method
        assert len(set(clusters_of(tmp_path / "out").values())) == 1
    np.save(tmp_path / "narrow.npy", random.random((2, 40)))
    run = copse("choose", "narrow.npy", "-k", "2:30", "--runs", 2, "--method", "kmeans", "-o", "narrow")
    assert run.returncode == 0, run.stderr
    assert [row["k"] for row in survey_of(tmp_path / "narrow")["rows"]] == list(range(2, 31))


def test_documents_by_spherical_k_means_and_by_k_means_of_unit_length(copse, tmp_path):
    words = [["apple", "pear", "plum", "fruit", "tree"], ["ship", "sail", "harbour", "anchor", "sea"],
             ["goal", "match", "player", "team", "ball"]]
    random = np.random.default_rng(2)
    with (tmp_path / "texts.jsonl").open("w") as file:
        for number in range(90):
            file.write(json.dumps({"text": " ".join(random.choice(words[number % 3], random.integers(5, 60)))}) + "\n")
    for method in ("spherical-kmeans", "kmeans", "tree"):
        run = copse("choose", "texts.jsonl", "-k", "2:5", "--runs", 8, "--method", method, "-o", method)
        assert run.returncode == 0, run.stderr
        assert survey_of(tmp_path / method)["k"] == 3, run.stdout
        assert ("unit length" in run.stderr) == (method == "kmeans")
        found = list(clusters_of(tmp_path / method).values())
        assert len(set(zip(found, [number % 3 for number in range(90)]))) == 3


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


def test_components_are_another_question(copse, mixed):
    """Items that are mixtures of four parts have four components."""
    run = copse("choose", mixed, "-k", "1:7", "--for", "components", "--runs", 10, "-o", "out")
    assert run.returncode == 0, run.stderr
    assert run.stdout.count("4 components.") == 1


def test_the_perturbation_test_is_one_of_all_measures(copse, mixed, few_genes, tmp_path):
    line = ("choose", mixed, "-k", "2:6", "--for", "components", "--tolerance", "1e-5", "--max-iterations", 1000)
    run = copse(*line, "--runs", 22, "--all-measures", "--threads", 2, "-o", "out")
    assert run.returncode == 0, run.stderr
    survey = survey_of(tmp_path / "out")
    assert {"measure": "perturbation", "answers": "components", "k": 4} in survey["choices"]
    assert re.search(r"silhouette +perturbed", run.stdout)
    for entry, row in zip(survey["rows"], rows_of(tmp_path / "out" / "survey.tsv"), strict=True):
        assert len(entry["perturbed_silhouettes"]) == entry["k"]
        assert entry["perturbed_silhouette"] == min(entry["perturbed_silhouettes"])
        assert float(row["perturbed_silhouette"]) == pytest.approx(entry["perturbed_silhouette"], rel=1e-5)
        # 22 of eight kinds, one of the data's variation, and 20 perturbed ones as NMFk makes them.
        assert entry["runs"] == 22 * 8 + 1 + 20
    assert copse(*line, "--runs", 3, "-o", "few").returncode == 0
    assert "perturbed_silhouette" not in survey_of(tmp_path / "few")["rows"][0]
    assert "perturbation" not in str(survey_of(tmp_path / "few")["choices"])
    # Runs of a survey without this measure count for one with it.
    assert copse(*line, "--runs", 22, "--all-measures", "--resume", "--threads", 1, "-o", "few").returncode == 0
    assert survey_of(tmp_path / "few") == survey
    run = copse("choose", few_genes, "-k", "2:3", "--runs", 2, "--all-measures", "--method", "kmeans", "-o", "kmeans")
    assert run.returncode == 0 and "and so is the perturbation test, which is one of nmf" in run.stderr
    assert "perturbed_silhouette" not in survey_of(tmp_path / "kmeans")["rows"][0]
    run = copse("choose", few_genes, "-k", "2:3", "--runs", 2, "--method", "kmeans", "-o", "kmeans", "--force")
    assert "perturbation test" not in run.stderr


def write_topics(path):
    """Fruit stands alone; two kinds of sport share half of their words, and are told apart from three clusters on."""
    fruit = ["apple", "pear", "plum", "cherry", "orchard", "tree", "ripe", "basket"]
    sport = ["player", "team", "match", "coach", "league", "season"]
    kinds = [fruit, sport + ["goal", "penalty", "striker"], sport + ["wicket", "bowler", "innings"]]
    random = np.random.default_rng(3)
    with path.open("w") as file:
        for number in range(240):
            words = random.choice(kinds[number % 3], random.integers(20, 60))
            file.write(json.dumps({"text": " ".join(words)}) + "\n")


@pytest.mark.parametrize("method", ["nmf", "tree", "spherical-kmeans"])
def test_says_which_clusters_persist(copse, tmp_path, method):
    write_topics(tmp_path / "texts.jsonl")
    run = copse("choose", "texts.jsonl", "-k", "2:5", "--runs", 6, "--method", method, "-o", "out")
    assert run.returncode == 0, run.stderr
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    found = result["survey"]["persistence"]
    assert found["ks"] == [2, 3, 4, 5] and result["survey"]["k"] == 3, run.stdout
    clusters = [row["cluster"] for row in rows_of(tmp_path / "out" / "assignments.tsv")]
    assert len(found["topics"]) == len(found["values"]) == 3 and set(found["topics"]) == set(clusters)
    fruit = found["topics"].index(clusters[0])
    for topic, values in enumerate(found["values"]):
        assert len(values) == 4 and 0 <= min(values) and max(values) <= 1
        assert values[1] > 0.95  # at the chosen k
        if topic == fruit:
            assert min(values) > 0.8
        else:
            assert values[0] < found["values"][fruit][0] - 0.03
    said = [line for line in run.stdout.splitlines() if "found again" in line.lower()]
    assert len(said) == 1 and "at every k from 2 to 5" in said[0]
    shown = copse("show", "out")
    assert shown.returncode == 0 and said[0] in shown.stdout.splitlines()
    assert json.dumps(found["values"][0][0]) in (tmp_path / "out" / "report.html").read_text()


@pytest.mark.parametrize("method", ["kmeans", "symnmf"])
def test_methods_without_components_have_no_persistence(copse, few_genes, tmp_path, method):
    run = copse("choose", few_genes, "-k", "2:3", "--runs", 2, "--method", method, "-o", "out")
    assert run.returncode == 0, run.stderr
    assert survey_of(tmp_path / "out")["persistence"] is None
    assert "found again" not in (run.stdout + copse("show", "out").stdout).lower()


def test_the_clusters_that_persist_are_those_of_the_features_that_were_kept(copse, genes, tmp_path):
    """Selected, scaled and weighed genes: the components of the last fit are the survey's, so each is found at its own k."""
    np.save(tmp_path / "counts.npy", np.round(20 * np.load(genes)))
    run = copse("choose", "counts.npy", "-k", "3:4", "--runs", 4, "--affine", "--select", 100, "--weights", "log", "--scale",
                "deviation", "--most-items", 120, "-o", "out")
    assert run.returncode == 0, run.stderr
    survey = survey_of(tmp_path / "out")
    own = [row[survey["persistence"]["ks"].index(survey["k"])] for row in survey["persistence"]["values"]]
    assert survey["k"] == 3 and min(own) > 0.85


@pytest.mark.parametrize("damage", [
    {"ks": [2, 3], "topics": ["1"], "values": [[1, 1], [1, 1]]},
    {"ks": [2, 3], "topics": ["1"], "values": [[1]]},
    {"ks": [2, "x"], "topics": ["1"], "values": [[1, 1]]},
    {"ks": [2, 3], "topics": ["1"], "values": 7},
    {"ks": [2, 3]},
    [1, 2],
    "words",
])
def test_show_survives_a_result_whose_persistence_is_damaged(copse, few_genes, tmp_path, damage):
    assert copse("choose", few_genes, "-k", "2:3", "--runs", 2, "-o", "out").returncode == 0
    path = tmp_path / "out" / "result.json"
    result = json.loads(path.read_text())
    result["survey"]["persistence"] = damage
    path.write_text(json.dumps(result))
    run = copse("show", "out")
    assert run.returncode == 0 and "found again" not in run.stdout.lower(), run.stderr
    result["survey"]["persistence"] = {"ks": [2, 3], "topics": ["\u001b[31m", "2"], "values": [[1, 1], [0, 1]]}
    path.write_text(json.dumps(result))
    assert "found again" in copse("show", "out").stdout.lower() and "\x1b" not in copse("show", "out").stdout


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


@pytest.mark.parametrize("threads", [pytest.param(1, marks=pytest.mark.night), 2, pytest.param(8, marks=pytest.mark.night)])
def test_workers_that_are_killed_at_random_moments(copse, copse_process, few_genes, tmp_path, threads):
    """Three at once, each killed and begun again until it comes to its end: the survey of an undisturbed call."""
    line = ("choose", few_genes, "-k", "2:4", "--affine", "--runs", 60)
    assert copse(*line, "-o", "whole").returncode == 0
    random = np.random.default_rng(threads)
    kills = 0
    for _ in range(40):
        workers = [copse_process(*line, "--threads", threads, "--worker", f"{number}/3", "-o", "out") for number in (1, 2, 3)]
        time.sleep(random.uniform(0.02, 0.4))
        for worker in workers:
            kills += worker.poll() is None
            worker.kill()
            worker.communicate()
        if kills >= (12 if os.environ.get("COPSE_TIER") == "night" else 4):
            break
    assert kills > 0
    for attempt in range(5):  # and the verdict: killed, too, then left alone
        process = copse_process(*line, "--threads", threads, "--resume", "-o", "out")
        if attempt < 4:
            time.sleep(random.uniform(0.02, 0.3))
            process.kill()
        _, stderr = process.communicate(timeout=100)
    assert process.returncode == 0, stderr
    assert survey_of(tmp_path / "out") == survey_of(tmp_path / "whole")
    assert (tmp_path / "out" / "survey.tsv").read_bytes() == (tmp_path / "whole" / "survey.tsv").read_bytes()


@pytest.mark.parametrize("method", ["nmf", "kmeans"])
def test_ctrl_c_at_random_moments_keeps_whole_runs_only(copse, copse_process, genes, tmp_path, method):
    line = ("choose", genes, "-k", "2:4", "--runs", 4, "--method", method)
    assert copse(*line, "-o", "whole").returncode == 0
    random = np.random.default_rng(1)
    for _ in range(8 if os.environ.get("COPSE_TIER") == "night" else 3):
        process = copse_process(*line, "--resume", "-o", "out")
        time.sleep(random.uniform(0.05, 0.4))
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        assert process.returncode in (0, 130, -signal.SIGINT)  # the last: before it began
    assert copse(*line, "--resume", "-o", "out").returncode == 0
    assert survey_of(tmp_path / "out") == survey_of(tmp_path / "whole")


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


def sorted_strips(survey):
    """Takes the persistence out of the survey: it is of the clusters at the end, whose fit may depend on the order."""
    found = survey.pop("persistence")
    return sorted(found["values"]) if found else []


def write_named(path, x, names):
    lines = ["gene\t" + "\t".join(names)]
    lines += [f"g{number}\t" + "\t".join(map(repr, map(float, row))) for number, row in enumerate(x)]
    path.write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize("method", ["nmf", "tree", "kmeans", "symnmf"])
def test_items_with_names_in_another_order(copse, few_genes, tmp_path, method):
    """Tables, verdict and pictures are the same to the last bit, and items keep their clusters under their names."""
    x = np.load(few_genes)
    names = [f"patient {number}" for number in range(x.shape[1])]
    write_named(tmp_path / "one.tsv", x, names)
    whole, strips, extra = None, [], ("--affine",) if method == "nmf" else ()
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(names))
        write_named(tmp_path / "turned.tsv", x[:, order], [names[j] for j in order])
        surveys = []
        for file, given in (("one.tsv", names), ("turned.tsv", [names[j] for j in order])):
            if file == "one.tsv" and whole is not None:
                continue
            run = copse("choose", file, "-k", "2:4", "--runs", 4, "--method", method, *extra, "-o", file[:-4], "--force")
            assert run.returncode == 0, run.stderr
            survey = survey_of(tmp_path / file[:-4])
            survey["consensus"]["items"] = [given[j] for j in survey["consensus"]["items"]]
            strips.append(sorted_strips(survey))
            surveys.append(survey)
        whole = whole or surveys[0]
        assert surveys[-1] == whole
        np.testing.assert_allclose(strips[-1], strips[0], atol=0.1)
        pairs = set()
        one, other = clusters_of(tmp_path / "one"), clusters_of(tmp_path / "turned")
        for name in names:
            pairs.add((one[name], other[name]))
        assert len(pairs) == whole["k"] == 3  # one to one


def test_the_order_of_the_items_does_not_matter(copse, genes, tmp_path):
    x = np.load(genes)
    np.save(tmp_path / "turned.npy", x[:, np.random.default_rng(5).permutation(x.shape[1])])
    line = ("-k", "2:4", "--affine", "--runs", 3)
    assert copse("choose", genes, *line, "-o", "one").returncode == 0
    assert copse("choose", "turned.npy", *line, "-o", "other").returncode == 0
    one, other = survey_of(tmp_path / "one"), survey_of(tmp_path / "other")
    assert x.shape[1] == 180 and one["consensus"].pop("items") != other["consensus"].pop("items")
    np.testing.assert_allclose(sorted_strips(one), sorted_strips(other), atol=0.1)
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
    run = copse("factor", few_genes, "-k", "auto", "--sparse", "thesis", "-o", "sparse")
    assert run.returncode == 0, run.stderr
    assert json.loads((tmp_path / "sparse" / "result.json").read_text())["settings"]["beta"] == 0.01
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
