"""copse cluster: a result like any other, whatever the method; and copse compare: all of them in one table."""

import json
import os
import signal
import subprocess
import time

import numpy as np
import pytest
import scipy.io
import scipy.sparse
from conftest import page_data, read_tsv
from safetensors.numpy import load_file

pytestmark = pytest.mark.quick

ITEM_METHODS = ["kmeans", "spherical-kmeans", "hierarchical-kmeans", "bisecting"]
GRAPH_METHODS = ["kernel-kmeans", "spectral", "yu-shi", "cluster-qr"]


def labels_in(folder):
    return [int(row[1]) for row in read_tsv(folder / "assignments.tsv")[1:]]


@pytest.mark.parametrize("method", ITEM_METHODS + GRAPH_METHODS)
def test_every_method_finds_what_is_planted_and_takes_its_items_back(copse, planted, tmp_path, method):
    run = copse("cluster", planted.path, "-k", 3, "--method", method, "--runs", 3, "--truth", planted.labels_path, "-o",
                "out")
    assert run.returncode == 0, run.stderr
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    assert result["command"] == "cluster" and result["settings"]["method"] == method
    assert result["k"] == 3 and result["cols"] == 90 and result["rows"] == 60
    assert result["measures"]["accuracy"] == 1.0
    assert 0 < result["relative_error"] < 1
    labels = labels_in(tmp_path / "out")
    assert sorted(set(labels)) == [0, 1, 2]
    # The same items again: the clusters are far apart, so that the nearest centre is the own one.
    again = copse("assign", "out", planted.path, "-o", "again.tsv")
    assert again.returncode == 0, again.stderr
    assert [int(row[1]) for row in read_tsv(tmp_path / "again.tsv")[1:]] == labels
    weights = [float(row[2]) for row in read_tsv(tmp_path / "out" / "assignments.tsv")[1:]]
    assert all(0.5 <= weight <= 1 for weight in weights)
    shown = copse("show", "out")
    assert shown.returncode == 0, shown.stderr
    assert copse("report", "out", "--force").returncode in (0, 1, 2)


def test_sparse_and_dense_are_the_same(copse, planted, tmp_path):
    np.save(tmp_path / "x.npy", planted.x)
    for method in ("kmeans", "spherical-kmeans", "bisecting"):
        for name in (planted.path, "x.npy"):
            folder = f"{method}{str(name)[-3:]}"
            run = copse("cluster", name, "-k", 4, "--method", method, "--precision", "double", "--runs", 5, "-o", folder)
            assert run.returncode == 0, run.stderr
        objectives = [json.loads((tmp_path / f"{method}{end}" / "result.json").read_text())["objective"]
                      for end in ("mtx", "npy")]
        assert objectives[0] == pytest.approx(objectives[1], rel=1e-9)


def test_threads_change_nothing(copse, planted, tmp_path):
    for method in ITEM_METHODS + GRAPH_METHODS:
        outputs = []
        for threads in (1, 3):
            run = copse("cluster", planted.path, "-k", 5, "--method", method, "--threads", threads, "-o",
                        f"{method}{threads}")
            assert run.returncode == 0, run.stderr
            outputs.append((tmp_path / f"{method}{threads}" / "model.safetensors").read_bytes())
        assert outputs[0] == outputs[1]


def test_a_graph_that_is_given(copse, tmp_path):
    random = np.random.default_rng(2)
    lines = [f"{i} {j}" for i in range(60) for j in range(i) if random.random() < (0.5 if i // 20 == j // 20 else 0.02)]
    (tmp_path / "edges.tsv").write_text("\n".join(lines) + "\n")
    (tmp_path / "truth.txt").write_text("".join(f"{i // 20}\n" for i in range(60)))
    for method in GRAPH_METHODS:
        run = copse("cluster", "edges.tsv", "--graph", "-k", 3, "--method", method, "--truth", "truth.txt", "--runs", 5,
                    "-o", method)
        assert run.returncode == 0, run.stderr
        assert json.loads((tmp_path / method / "result.json").read_text())["measures"]["accuracy"] == 1.0
        assert copse("show", method).returncode == 0
    wrong = copse("cluster", "edges.tsv", "--graph", "-k", 3, "--method", "kmeans")
    assert wrong.returncode == 2 and "reads items, not a graph" in wrong.stderr


def test_documents(copse, tmp_path):
    words = {"sea": "ship wave sail harbour storm".split(), "oven": "bread flour yeast crust bake".split()}
    random = np.random.default_rng(1)
    with open(tmp_path / "docs.jsonl", "w") as file:
        for i in range(60):
            kind = "sea" if i % 2 else "oven"
            file.write(json.dumps({"id": f"d{i}", "text": " ".join(random.choice(words[kind], 8)), "label": kind}) + "\n")
    run = copse("cluster", "docs.jsonl", "-k", 2, "-o", "out")
    assert run.returncode == 0, run.stderr
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    assert result["measures"]["accuracy"] == 1.0
    assert {"ship", "bread"} <= {word["feature"] if isinstance(word, dict) else word[0]
                                 for topic in result["topics"] for word in topic["top_features"]} or "bread" in run.stdout
    (tmp_path / "new.txt").write_text("a ship in a storm\nflour and yeast\n")
    placed = copse("assign", "out", "new.txt", "-o", "new.tsv")
    assert placed.returncode == 0, placed.stderr
    labels = [row[1] for row in read_tsv(tmp_path / "new.tsv")[1:]]
    assert labels[0] != labels[1]


def topics_of(n, words=40, seed=0, lengths=(8, 60)):
    """Counts of words of four topics with words of their own and common ones; documents of very different lengths."""
    random = np.random.default_rng(seed)
    labels = np.arange(n) % 4
    counts = np.zeros((n, 4 * words + 20))
    for i in range(n):
        length = random.integers(*lengths)
        own = random.integers(0, words, length) + words * labels[i]
        common = random.integers(4 * words, 4 * words + 20, length // 2)
        np.add.at(counts[i], np.concatenate([own, common]), 1)
    return counts, labels


def test_lengths_of_documents_do_not_count(copse, tmp_path):
    counts, labels = topics_of(400, lengths=(4, 400))
    scipy.sparse.save_npz(tmp_path / "x.npz", scipy.sparse.csr_matrix(counts))
    (tmp_path / "truth.txt").write_text("".join(f"{label}\n" for label in labels))
    for method in ("kmeans", "spherical-kmeans"):
        run = copse("cluster", "x.npz", "--items", "rows", "--text", "-k", 4, "--method", method, "--runs", 5, "--truth",
                    "truth.txt", "-o", method)
        assert run.returncode == 0, run.stderr
        result = json.loads((tmp_path / method / "result.json").read_text())
        assert result["measures"]["accuracy"] > 0.98, method
    result = json.loads((tmp_path / "kmeans" / "result.json").read_text())
    assert result["settings"]["place"] == "unit-distance"
    assert any("unit length" in note for note in result["notes"])
    # New items are placed the same way: here those of the fit.
    again = copse("assign", "kmeans", "x.npz", "-o", "again.tsv")
    assert again.returncode == 0, again.stderr
    assert [int(row[1]) for row in read_tsv(tmp_path / "again.tsv")[1:]] == labels_in(tmp_path / "kmeans")


@pytest.mark.parametrize("method", ["lda", "anchors", "xray", "hottopixx", "affinity-propagation", "gnmf"])
def test_the_other_methods_find_planted_topics(copse, tmp_path, method):
    counts, labels = topics_of(200)
    scipy.sparse.save_npz(tmp_path / "x.npz", scipy.sparse.csr_matrix(counts))
    (tmp_path / "truth.txt").write_text("".join(f"{label}\n" for label in labels))
    run = copse("cluster", "x.npz", "--items", "rows", "--text", "-k", 4, "--method", method, "--truth", "truth.txt", "-o",
                "out")
    assert run.returncode == 0, run.stderr
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    # The words are far from separable: the linear program has no answer here, but below it has.
    assert method == "hottopixx" or result["measures"]["accuracy"] > 0.85
    assert "objective" in result and "objective" not in result["settings"]
    assert len(result["runs"]["objectives"]) == 1
    assert copse("show", "out").returncode == 0
    again = copse("assign", "out", "x.npz", "-o", "again.tsv")
    assert again.returncode == 0, again.stderr
    placed = np.array([int(row[1]) for row in read_tsv(tmp_path / "again.tsv")[1:]])
    assert np.mean(placed == labels_in(tmp_path / "out")) > 0.85


@pytest.mark.parametrize("method", ["xray", "hottopixx"])
def test_separable_items_get_their_planted_labels(copse, tmp_path, method):
    """Every feature is a mixture of four, some are copies of them, and every item has one large share."""
    random = np.random.default_rng(5)
    labels = np.arange(160) % 4
    shares = random.dirichlet(np.ones(4), 160) * 0.6 + 0.4 * np.eye(4)[labels]
    mixtures = np.hstack([np.eye(4), np.eye(4)[:, :2], random.dirichlet(np.ones(4), 40).T])
    x = shares @ (mixtures * random.uniform(0.5, 2, mixtures.shape[1]))
    np.save(tmp_path / "x.npy", x)
    (tmp_path / "truth.txt").write_text("".join(f"{label}\n" for label in shares.argmax(axis=1)))
    run = copse("cluster", "x.npy", "--items", "rows", "-k", 4, "--method", method, "--truth", "truth.txt", "-o", "out")
    assert run.returncode == 0, run.stderr
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    assert result["relative_error"] < 1e-3  # in float
    assert result["measures"]["accuracy"] > 0.9


def test_new_documents_of_lda_know_the_prior(copse, tmp_path):
    """A document of common words only goes to the topic that is most probable beforehand, weighed by those words."""
    random = np.random.default_rng(3)
    counts, labels = topics_of(300)
    few = np.concatenate([np.flatnonzero(labels == 0), np.flatnonzero(labels == 1)[:5]])
    scipy.sparse.save_npz(tmp_path / "x.npz", scipy.sparse.csr_matrix(counts[few]))
    run = copse("cluster", "x.npz", "--items", "rows", "-k", 2, "--method", "lda", "-o", "out")
    assert run.returncode == 0, run.stderr
    model = load_file(tmp_path / "out" / "model.safetensors")
    alpha, words = model["prior"], model["w"].astype(float)
    assert alpha.shape == (2,) and (alpha > 0).all()
    new = np.zeros((20, counts.shape[1]))
    for row in new:
        np.add.at(row, random.integers(160, 180, 3), 1)
    scipy.sparse.save_npz(tmp_path / "new.npz", scipy.sparse.csr_matrix(new))
    placed = copse("assign", "out", "new.npz", "-o", "new.tsv")
    assert placed.returncode == 0, placed.stderr
    # The fixed point of expected counts, by hand.
    for row, line in zip(new[:, model["kept_features"]] if "kept_features" in model else new,
                         read_tsv(tmp_path / "new.tsv")[1:]):
        seen = np.flatnonzero(row)
        expected = np.full(2, row.sum() / 2)
        own = np.zeros((len(seen), 2))
        for _ in range(200):
            following = np.zeros(2)
            for r, word in enumerate(seen):
                part = (np.maximum(0, expected - own[r]) + alpha) * words[word]
                own[r] = part / part.sum()
                following += row[word] * own[r]
            change, expected = np.abs(following - expected).sum(), following
            if change <= 1e-6 * row.sum():
                break
        shares = (expected + alpha) / (expected + alpha).sum()
        assert int(line[1]) == shares.argmax()
        assert float(line[2]) == pytest.approx(shares.max(), abs=2e-3)


def test_memory_is_announced(copse, tmp_path):
    random = np.random.default_rng(0)
    x = scipy.sparse.random(20000, 3000, 0.01, "csr", random_state=0, dtype=np.float32)
    scipy.sparse.save_npz(tmp_path / "x.npz", x)
    for method, k in (("spherical-kmeans", 10), ("spherical-kmeans", 300), ("kmeans", 100), ("bisecting", 10)):
        run = copse("cluster", "x.npz", "-k", k, "--method", method, "--max-iterations", 3, "-o", "out", "--force", "--no-page")
        assert run.returncode == 0, run.stderr
        result = json.loads((tmp_path / "out" / "result.json").read_text())
        assert result["peak_memory_bytes"] <= result["estimated_memory_bytes"], (method, k)
        assert result["estimated_memory_bytes"] <= 3 * result["peak_memory_bytes"], (method, k)


def test_wrong_calls(copse, planted):
    for arguments, sentence in (
        (("-k", 3, "--keep-prior"), "--method lda"),
        (("-k", 3, "--method", "kmeans", "--selection", "max"), "--method xray"),
        (("-k", 3, "--method", "k-means"), "k-means"),
        (("--method", "kmeans"), "-k"),
        (("-k", 3, "--neighbours", 5), "neighbour graph"),
    ):
        run = copse("cluster", planted.path, *arguments)
        assert run.returncode == 2, run.stderr
        assert sentence in run.stderr
    many = copse("cluster", planted.path, "-k", 91)
    assert many.returncode == 1 and "too large" in many.stderr


METHODS = "nmf,kmeans,spherical-kmeans,spectral"


def test_compare_writes_one_table(copse, planted, tmp_path):
    (tmp_path / "other.txt").write_text("".join(f"{label}\n" for label in planted.labels))
    run = copse("compare", planted.path, "-k", 3, "--methods", METHODS, "--runs", 3, "--truth", planted.labels_path,
                "--labels", "elsewhere=other.txt", "-o", "out")
    assert run.returncode == 0, run.stderr
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    rows = {row["method"]: row for row in result["methods"]}
    assert list(rows) == METHODS.split(",") + ["elsewhere"]
    assert rows["elsewhere"]["given"] and rows["elsewhere"]["measures"]["accuracy"] == 1.0
    for name in METHODS.split(","):
        row = rows[name]
        assert row["runs"] == 3 and row["seconds"] > 0 and row["peak_memory_bytes"] > 1e6
        assert row["measures"]["accuracy"] == 1.0 and row["stability"] == pytest.approx(1.0)
        assert -1 <= row["silhouette"] <= 1
        assert name in run.stdout
    # Pairwise NMI of labels that are all the same partition.
    assert np.allclose(np.array(result["agreement"], float), 1, atol=1e-3)
    table = read_tsv(tmp_path / "out" / "comparison.tsv")
    assert [row[0] for row in table[1:]] == list(rows)
    labels = read_tsv(tmp_path / "out" / "assignments.tsv")
    assert labels[0] == ["item", "nmf:3", "kmeans:3", "spherical-kmeans:3", "spectral:3", "elsewhere"]
    assert len(labels) == 91
    shown = copse("show", "out")
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.splitlines()[: len(rows) + 1] == run.stdout.splitlines()[: len(rows) + 1]
    assert json.loads(copse("show", "out", "--json").stdout)["methods"] == result["methods"]
    for command in (("assign", "out", planted.path), ("report", "out"), ("edit", "out", "--undo")):
        refused = copse(*command)
        assert refused.returncode == 1 and "holds a comparison of methods" in refused.stderr
    data = page_data(tmp_path / "out")
    assert data["kind"] == "comparison" and len(data["titles"]) == 90


def test_compare_chooses_by_objective_and_measures_as_evaluate_does(copse, planted, tmp_path):
    run = copse("compare", planted.path, "-k", "2:3", "--methods", "kmeans", "--runs", 4, "--truth", planted.labels_path,
                "-o", "out")
    assert run.returncode == 0, run.stderr
    rows = json.loads((tmp_path / "out" / "result.json").read_text())["methods"]
    assert [row["k"] for row in rows] == [2, 3]
    for column, row in enumerate(rows, 1):
        labels = [line[column] for line in read_tsv(tmp_path / "out" / "assignments.tsv")[1:]]
        (tmp_path / "found.txt").write_text("\n".join(labels) + "\n")
        measures = json.loads(copse("evaluate", "found.txt", planted.labels_path, "--json").stdout)
        assert measures["nmi"] == pytest.approx(row["measures"]["nmi"], abs=1e-9)
        # Four single runs with the same seeds: the least objective is the one that counts.
        single = []
        for seed in range(4):
            one = copse("cluster", planted.path, "-k", row["k"], "--method", "kmeans", "--seed", seed, "--json", "--quiet")
            single.append(json.loads(one.stdout)["objective"])
        assert row["objective"] == pytest.approx(min(single), rel=1e-6)


def test_one_that_fails_does_not_take_the_table_with_it(copse, planted, tmp_path):
    x = planted.x.copy()
    x[:, 5] = 0  # nothing to compare with: no direction, no neighbours
    scipy.io.mmwrite(tmp_path / "y.mtx", scipy.sparse.coo_matrix(x))
    run = copse("compare", "y.mtx", "-k", 70, "--methods", "kmeans,tree,nmf", "--runs", 1, "-o", "out")
    assert run.returncode == 0, run.stderr
    rows = {row["method"]: row for row in json.loads((tmp_path / "out" / "result.json").read_text())["methods"]}
    assert "failure" in rows["nmf"] and "70" in rows["nmf"]["failure"]  # more than there are features
    assert rows["kmeans"]["clusters"] == 70


def test_finished_methods_are_kept(copse, program, planted, tmp_path):
    arguments = ["compare", planted.path, "-k", 3, "--runs", 2, "-o", "out"]
    assert copse(*arguments, "--methods", "kmeans").returncode == 0
    before = json.loads((tmp_path / "out" / "result.json").read_text())["methods"][0]
    run = copse(*arguments, "--methods", "kmeans,nmf", "--resume")
    assert run.returncode == 0, run.stderr
    rows = json.loads((tmp_path / "out" / "result.json").read_text())["methods"]
    assert rows[0] == before and rows[1]["method"] == "nmf"
    # Another number of runs is another comparison.
    run = copse("compare", planted.path, "-k", 3, "--runs", 3, "-o", "out", "--methods", "kmeans", "--resume")
    assert json.loads((tmp_path / "out" / "result.json").read_text())["methods"][0]["runs"] == 3
    # An interruption leaves what is there.
    process = subprocess.Popen([program, *map(str, arguments[:-1]), "later", "--methods",
                                "kmeans,nmf,tree,spectral,symnmf,yu-shi"], cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                               start_new_session=True)
    runs = tmp_path / "later" / "comparison.runs"
    while process.poll() is None and not (runs.exists() and runs.read_text().startswith("{")):
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode in (0, 130)


def test_methods_that_would_not_end_in_time_are_left_out(copse, tmp_path):
    assert copse("generate", "corpus", "--docs", 4000, "--terms", 3000, "-o", "c.mtx").returncode == 0
    run = copse("compare", "c.mtx", "-k", 10, "--methods", "spherical-kmeans,bisecting", "--runs", 200, "--time-limit", "2s",
                "-o", "out")
    rows = {}
    if run.returncode == 0:
        rows = {row["method"]: row for row in json.loads((tmp_path / "out" / "result.json").read_text())["methods"]}
    text = run.stdout + run.stderr
    assert "left out" in text
    for row in rows.values():
        assert row.get("left_out", False) == ("left out" in row.get("failure", ""))


def test_all_methods_that_suit_the_data_take_part(copse, tmp_path):
    counts, labels = topics_of(120)
    scipy.sparse.save_npz(tmp_path / "x.npz", scipy.sparse.csr_matrix(counts))
    (tmp_path / "truth.txt").write_text("".join(f"{label}\n" for label in labels))
    common = ("compare", "x.npz", "--items", "rows", "-k", 4, "--runs", 4, "--truth", "truth.txt", "--force", "-o", "out")

    def rows(*more):
        run = copse(*common, *more)
        assert run.returncode == 0, run.stderr
        return {row["method"]: row for row in json.loads((tmp_path / "out" / "result.json").read_text())["methods"]}

    plain = rows()
    assert "lda" not in plain and "gnmf" in plain and "xray" not in plain
    text = rows("--text", "--time-limit", "60s")
    assert {"lda", "anchors", "xray", "hottopixx", "affinity-propagation"} <= set(text)
    for name, row in text.items():
        assert "failure" not in row, row
        # The words are not separable: what Hottopixx finds is not asked.
        least = {"hierarchical-kmeans": 0.5, "tree": 0.5, "hottopixx": 0}.get(name, 0.9)
        assert row["measures"]["accuracy"] > least, (name, row)


def test_compare_refuses_what_cannot_be(copse, planted):
    assert copse("compare", planted.path, "-k", 3, "--methods", "nmf,magic").returncode == 2
    assert copse("compare", "-", "-k", 3).returncode == 2
    assert copse("compare", planted.path).returncode == 2
    missing = copse("compare", planted.path, "-k", 3, "--methods", "nmf", "--labels", "nowhere.txt")
    assert missing.returncode == 1 and "nowhere.txt" in missing.stderr
