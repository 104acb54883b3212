"""copse graph: planted communities in every format, items through their neighbours, what comes after, and bad input."""

import gzip
import json
import os
import pathlib
import signal
import subprocess
import time

import numpy as np
import pytest
import scipy.io
import scipy.sparse
from conftest import page_data, read_tsv

pytestmark = pytest.mark.quick


def planted_graph(k=6, size=15, inside=0.7, between=0.02, seed=1):
    """A symmetric matrix of zeros and ones, and the community of every node."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(k), size)
    chance = np.where(labels[:, None] == labels, inside, between)
    upper = np.triu(rng.random(chance.shape) < chance, 1)
    return (upper | upper.T).astype(float), labels


def edges_of(a):
    return [(i, j) for i, j in zip(*np.nonzero(np.triu(a)))]


def write_edges(path, a, name=str, end="\n"):
    pathlib.Path(path).write_text("".join(f"{name(i)}\t{name(j)}{end}" for i, j in edges_of(a)))


@pytest.fixture
def graph(tmp_path):
    """edges.tsv with nodes that are words, and the file with their classes by name."""
    a, labels = planted_graph()
    write_edges(tmp_path / "edges.tsv", a, name="node {}".format)
    (tmp_path / "truth.tsv").write_text("".join(f"node {i}\tgroup {label}\n" for i, label in enumerate(labels)))
    return a, labels


def test_finds_planted_communities(copse, graph, tmp_path):
    a, labels = graph
    run = copse("graph", "edges.tsv", "-k", 6, "--truth", "truth.tsv", "-o", "out")
    assert run.returncode == 0, run.stderr
    assert "community" in run.stdout and "central nodes" in run.stdout
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    assert result["measures"]["accuracy"] == 1
    keys = {"command", "seed", "threads", "k", "rows", "cols", "nonzeros", "iterations", "relative_error",
            "projected_gradient_ratio", "stop_reason", "seconds", "peak_memory_bytes", "modularity", "conductance",
            "normalized_cut", "coverage", "graph", "communities"}
    assert keys <= set(result)
    assert result["command"] == "graph" and result["k"] == 6 and result["rows"] == result["cols"] == 90
    assert result["nonzeros"] == int(a.sum()) and result["graph"]["edges"] == int(a.sum()) // 2

    # Modularity, conductance and normalized cut by their definitions.
    degrees, total = a.sum(0), a.sum()
    within = [a[np.ix_(labels == c, labels == c)].sum() for c in range(6)]
    volumes = [degrees[labels == c].sum() for c in range(6)]
    assert result["modularity"] == pytest.approx(sum(w / total - (v / total) ** 2 for w, v in zip(within, volumes)))
    assert result["normalized_cut"] == pytest.approx(sum((v - w) / v for w, v in zip(within, volumes)))
    assert result["conductance"] == pytest.approx(np.mean([(v - w) / min(v, total - v) for w, v in zip(within, volumes)]))

    rows = read_tsv(tmp_path / "out" / "assignments.tsv")
    assert rows[0] == ["item", "cluster", "weight", "memberships"]
    assert sorted(row[0] for row in rows[1:]) == sorted(f"node {i}" for i in range(90))
    for _, cluster, weight, memberships in rows[1:]:
        first, *others = [part.split(":") for part in memberships.split()]
        assert first[0] == cluster and float(first[1]) == pytest.approx(float(weight), abs=1e-3)
        assert all(float(share) >= 0.25 for _, share in others)
    communities = read_tsv(tmp_path / "out" / "communities.tsv")
    assert len(communities) == 7 and communities[0][:2] == ["cluster", "nodes"]
    assert [int(row[1]) for row in communities[1:]] == [15] * 6


@pytest.mark.parametrize("solver", ["coordinate", "hals", "anls", "anls-growing", "newton", "projected-gradient", "gauss-newton"])
@pytest.mark.parametrize("start", ["multilevel", "spectral"])
def test_every_solver_and_start(copse, graph, solver, start):
    run = copse("graph", "edges.tsv", "-k", 6, "--truth", "truth.tsv", "--json", "--quiet", "--solver", solver, "--start", start)
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["measures"]["accuracy"] == 1
    assert run.stderr == ""


def test_random_starts_and_the_scaling_of_the_papers(copse, graph):
    run = copse("graph", "edges.tsv", "-k", 6, "--truth", "truth.tsv", "--json", "--start", "random", "--runs", 8,
                "--scaling", "normalized-cut", "--labels", "factor")
    result = json.loads(run.stdout)
    assert result["settings"]["tau"] == 0 and len(result["runs"]["relative_errors"]) == 8
    assert result["measures"]["nmi"] > 0.9


def test_every_format_gives_the_same_graph(copse, tmp_path):
    a, labels = planted_graph(4, 10)
    scipy.io.mmwrite(tmp_path / "a.mtx", scipy.sparse.coo_matrix(a))
    np.save(tmp_path / "a.npy", a)
    scipy.sparse.save_npz(tmp_path / "a.npz", scipy.sparse.csr_matrix(a))
    write_edges(tmp_path / "a.tsv", a)
    with gzip.open(tmp_path / "a.csv.gz", "wt") as file:
        file.write("source,target,weight\n")
        file.writelines(f"{j},{i},1\n" for i, j in edges_of(a))
    lines = [f"{len(a)} {int(a.sum()) // 2}"] + [" ".join(str(j + 1) for j in np.flatnonzero(row)) for row in a]
    (tmp_path / "a.metis").write_text("\n".join(lines) + "\n")
    nodes = "".join(f'<node id="{i}"/>' for i in range(len(a)))
    edges = "".join(f'<edge source="{i}" target="{j}"/>' for i, j in edges_of(a))
    (tmp_path / "a.graphml").write_text(
        f'<?xml version="1.0"?><graphml><graph edgedefault="undirected">{nodes}{edges}</graph></graphml>')
    (tmp_path / "truth.txt").write_text("".join(f"{label}\n" for label in labels))
    found = {}
    for name in ("a.mtx", "a.npy", "a.npz", "a.tsv", "a.csv.gz", "a.metis", "a.graphml"):
        run = copse("graph", name, "-k", 4, "--truth", "truth.txt", "--json", "--quiet", "-o", f"out-{name}")
        assert run.returncode == 0, run.stderr
        result = json.loads(run.stdout)
        rows = read_tsv(tmp_path / f"out-{name}" / "assignments.tsv")[1:]
        found[name] = (result["modularity"], result["measures"]["accuracy"], tuple(row[1] for row in rows))
        first = "1" if name == "a.metis" else "0"
        assert rows[0][0] == first
    assert len(set(found.values())) == 1, found
    run = copse("graph", "-", "-k", 4, "--json", "--quiet", input=(tmp_path / "a.tsv").read_text())
    assert json.loads(run.stdout)["modularity"] == found["a.tsv"][0]


def test_items_through_their_neighbours(copse, tmp_path):
    rng = np.random.default_rng(3)
    labels = np.repeat(np.arange(3), 30)
    counts = rng.poisson(0.2, (90, 40)) + rng.poisson(3, (90, 40)) * (np.arange(40) % 3 == labels[:, None])
    scipy.sparse.save_npz(tmp_path / "x.npz", scipy.sparse.csr_matrix(counts.astype(float)))
    (tmp_path / "words.txt").write_text("".join(f"word{i}\n" for i in range(40)))
    (tmp_path / "truth.txt").write_text("".join(f"{label}\n" for label in labels))
    run = copse("graph", "x.npz", "--items", "rows", "--similarity", "cosine", "-k", 3, "--features", "words.txt",
                "--truth", "truth.txt", "--json", "--quiet", "-o", "out")
    assert run.returncode == 0, run.stderr
    result = json.loads(run.stdout)
    assert result["measures"]["accuracy"] == 1
    assert result["settings"]["similarity"] == "cosine"
    for community in result["communities"]:
        topic = int(community["main_class"]["name"])
        assert all(int(feature["feature"][4:]) % 3 == topic for feature in community["top_features"][:10])
    shown = copse("show", "out", "--topic", "0")
    assert "features above the mean of all" in shown.stdout

    # New items join their own: here the old ones, once more.
    run = copse("assign", "out", "x.npz", "--features", "words.txt")
    assert run.returncode == 0, run.stderr
    placed = [line.split("\t")[1] for line in run.stdout.splitlines()[1:]]
    assert placed == [row[1] for row in read_tsv(tmp_path / "out" / "assignments.tsv")[1:]]


def test_numbers_tell_where_the_truth_belongs(copse, tmp_path):
    a, labels = planted_graph()
    a[7] = a[:, 7] = 0  # no edge: only the truth knows of it
    lines = [f"{j} {i}\n" for i, j in edges_of(a)]
    np.random.default_rng(0).shuffle(lines)
    (tmp_path / "edges.txt").write_text("# a comment\n" + "".join(lines))
    (tmp_path / "truth.txt").write_text("".join(f"{label}\n" for label in labels))
    run = copse("graph", "edges.txt", "-k", 6, "--truth", "truth.txt", "--json", "-o", "out")
    assert run.returncode == 0, run.stderr
    result = json.loads(run.stdout)
    assert result["measures"]["accuracy"] == pytest.approx(89 / 90)
    assert result["graph"]["isolated"] == 1 and result["graph"]["pieces_set_aside"] == 1
    rows = read_tsv(tmp_path / "out" / "assignments.tsv")[1:]
    assert [row[0] for row in rows] == [str(i) for i in range(90)]
    assert rows[7][1] == "6"  # a cluster of its own
    measured = json.loads(copse("evaluate", "out/assignments.tsv", "truth.txt", "--json").stdout)
    assert measured["accuracy"] == pytest.approx(89 / 90)


def test_show_assign_and_report(copse, graph, tmp_path):
    assert copse("graph", "edges.tsv", "-k", 6, "-o", "out", "--quiet").returncode == 0
    shown = copse("show", "out")
    assert shown.returncode == 0 and "modularity" in shown.stdout
    listed = json.loads(copse("show", "out", "--json").stdout)
    assert len(listed["communities"]) == 6
    one = json.loads(copse("show", "out", "--topic", "2", "--json").stdout)
    assert one["nodes"] == 15 and len(one["central"]) == 10
    assert "neighbours" in copse("show", "out", "--topic", "2").stdout
    missing = copse("show", "out", "--topic", "77")
    assert missing.returncode == 1 and "no community '77'" in missing.stderr

    (tmp_path / "new.tsv").write_text("guest\tnode 0\t2\nguest\tnode 1\t1\nguest\tnode 80\t1\nalone\tguest\t1\n")
    run = copse("assign", "out", "new.tsv", "--json")
    placed = {item["item"]: item for item in json.loads(run.stdout)["items"]}
    own = dict(row[:2] for row in read_tsv(tmp_path / "out" / "assignments.tsv"))
    assert placed["guest"]["cluster"] == own["node 0"] and placed["guest"]["weight"] == pytest.approx(0.75)
    assert placed["alone"]["cluster"] == "-1"
    assert "between two new nodes" in run.stderr

    page = page_data(tmp_path / "out")
    assert page["kind"] == "graph" and page["nodes"]["total"] == 90 and len(page["communities"]) == 6
    assert page["edges"]["inside"] == page["summary"]["edges"]
    assert copse("report", "out", "-o", "again.html", "--title", "Friends").returncode == 0
    assert "Friends" in (tmp_path / "again.html").read_text()
    assert "holds neither a tree nor flat topics" in copse("edit", "out", "--cut", 2).stderr


def test_the_same_bits_on_any_number_of_threads(copse, graph, tmp_path):
    for threads in (1, 2):
        copse("graph", "edges.tsv", "-k", 6, "--threads", threads, "-o", f"out{threads}", "--seed", 4)
    for name in ("assignments.tsv", "communities.tsv", "model.safetensors"):
        assert (tmp_path / "out1" / name).read_bytes() == (tmp_path / "out2" / name).read_bytes()


def test_nodes_with_any_names(copse, tmp_path):
    a, _ = planted_graph(2, 6, 0.9, 0.05)
    names = ['"a\tb"', '"c, d"', '"<b>"', "é", "x y", '"say ""hi"""', "0", "00", "-1", "NaN", "#not a comment", "z"]
    (tmp_path / "e.csv").write_text("".join(f"{names[i]},{names[j]}\n" for i, j in edges_of(a) if i != 10))
    run = copse("graph", "e.csv", "-k", 2, "-o", "out")
    assert run.returncode == 0, run.stderr
    items = [row[0] for row in read_tsv(tmp_path / "out" / "assignments.tsv")[1:]]
    assert {"a b", "c, d", "<b>", "é", 'say "hi"', "00", "NaN"} <= set(items)


BAD = {
    "negative": ("a\tb\t1\nb\tc\t-2\n", "line 2", "negative"),
    "not a number": ("a\tb\tnan\n", "line 1", "not a number"),
    "no weight": ("a\tb\t1\nb\tc\tmuch\n", "line 2", "a weight was expected"),
    "one field": ("a\n", "line 1", "two nodes"),
    "empty": ("# nothing\n", "edges were expected"),
    "loops only": ("a\ta\nb\tb\n", "2 nodes and no edges"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_lists_of_edges(copse, tmp_path, case):
    text, *words = BAD[case]
    (tmp_path / "bad.tsv").write_text(text)
    run = copse("graph", "bad.tsv", "-k", 1)
    assert run.returncode == 1
    assert all(word in run.stderr for word in ["bad.tsv", *words]), run.stderr


def test_other_bad_input(copse, graph, tmp_path):
    def refused(*arguments, code=1):
        run = copse("graph", *arguments)
        assert run.returncode == code, run.stderr
        assert "should not have happened" not in run.stderr
        return run.stderr

    assert "-k 91 is too large" in refused("edges.tsv", "-k", 91)
    assert "cannot be opened" in refused("missing.tsv", "-k", 2) or "missing.tsv" in refused("missing.tsv", "-k", 2)
    np.save(tmp_path / "wide.npy", np.ones((3, 5)))
    assert "square" in refused("wide.npy", "-k", 2)
    assert "--similarity" in refused("wide.npy", "-k", 2)
    for value, words in ((-1, "is negative"), (np.nan, "is not a number"), (np.inf, "is infinite")):
        wrong = np.ones((4, 4)) - np.eye(4)
        wrong[1, 2] = value
        np.save(tmp_path / "wrong.npy", wrong)
        assert "wrong.npy" in refused("wrong.npy", "-k", 2) and words in refused("wrong.npy", "-k", 2)
    np.save(tmp_path / "nothing.npy", np.zeros((0, 0)))
    assert "the matrix is empty" in refused("nothing.npy", "-k", 1)
    np.save(tmp_path / "zeros.npy", np.zeros((4, 4)))
    assert "4 nodes and no edges" in refused("zeros.npy", "-k", 2)
    np.save(tmp_path / "one.npy", np.zeros((1, 1)))
    assert "one.npy" in refused("one.npy", "-k", 1)
    (tmp_path / "two.txt").write_text("x\ny\n")
    assert "2 lines, but the graph has 90 nodes" in refused("edges.tsv", "-k", 2, "--truth", "two.txt")
    assert "is not in two.txt" in refused("edges.tsv", "-k", 2, "--nodes", "two.txt")
    assert "--memory-limit allows" in refused("edges.tsv", "-k", 2, "--memory-limit", "1M")
    assert "requires --sigma" in refused("edges.tsv", "-k", 2, "--similarity", "gaussian", code=2)
    assert "--similarity" in refused("edges.tsv", "-k", 2, "--neighbours", 3, code=2)
    assert "--solver" in refused("edges.tsv", "-k", 2, "--solver", "newon", code=2)


def test_notes_on_what_was_changed(copse, tmp_path):
    (tmp_path / "e.tsv").write_text("a\tb\na\tb\nb\ta\nb\tc\nc\ta\nc\tc\nx\ty\nd\te\t\n")
    run = copse("graph", "e.tsv", "-k", 2, "--json")
    notes = " ".join(json.loads(run.stdout)["notes"])
    assert "1 loop was dropped" in notes
    assert "2 edges were listed again, or in the other direction" in notes
    assert "The graph has 3 components" in notes
    assert "57 % of the nodes are in pieces" in notes or "% of the nodes are in pieces" in notes
    lopsided = np.zeros((6, 6))
    lopsided[0, 1], lopsided[1, 0], lopsided[2, 3], lopsided[4, 5], lopsided[1, 2] = 2, 1, 1, 1, 1
    np.save(tmp_path / "directed.npy", lopsided)
    notes = " ".join(json.loads(copse("graph", "directed.npy", "-k", 2, "--json").stdout)["notes"])
    assert "pairs of nodes had two weights; their mean was taken" in notes


@pytest.mark.parametrize("shape", ["complete", "star", "pieces", "pair"])
def test_shapes_without_communities(copse, tmp_path, shape):
    n = 2 if shape == "pair" else 12
    a = np.ones((n, n)) - np.eye(n)
    if shape == "star":
        a[1:, 1:] = 0
    if shape == "pieces":
        a = np.kron(np.eye(4), np.ones((3, 3)) - np.eye(3))
    np.save(tmp_path / "a.npy", a)
    for k in {1, 2, n}:
        run = copse("graph", "a.npy", "-k", k, "--json", "--quiet", "-o", f"out{k}")
        assert run.returncode == 0, run.stderr
        result = json.loads(run.stdout)
        assert np.isfinite(result["modularity"]) and sum(c["items"] for c in result["communities"]) + result["graph"]["nodes_set_aside"] == n
        assert len(read_tsv(tmp_path / f"out{k}" / "assignments.tsv")) == n + 1


def test_ctrl_c_keeps_the_best_so_far(program, tmp_path):
    a, _ = planted_graph(20, 40, 0.3, 0.02)
    write_edges(tmp_path / "edges.tsv", a)
    command = [program, "graph", "edges.tsv", "-k", "20", "--start", "random", "--tolerance", "0", "--max-iterations",
               "1000000000", "-o", "out"]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    time.sleep(3)
    process.send_signal(signal.SIGINT)
    _, words = process.communicate(timeout=60)
    assert process.returncode == 130, words
    assert json.loads((tmp_path / "out" / "result.json").read_text())["stop_reason"] == "interrupted"
    assert len(read_tsv(tmp_path / "out" / "assignments.tsv")) == 801


def test_time_limit(copse, graph):
    run = copse("graph", "edges.tsv", "-k", 6, "--start", "random", "--tolerance", 0, "--max-iterations", 1000000000,
                "--time-limit", "1s", "--json")
    assert json.loads(run.stdout)["stop_reason"] == "time_limit"


def test_a_tree_of_communities(copse, graph, tmp_path):
    run = copse("graph", "edges.tsv", "--hierarchical", "--leaves", 6, "--truth", "truth.tsv", "-o", "tree", "--json")
    assert run.returncode == 0, run.stderr
    result = json.loads(run.stdout)
    assert result["k"] == 6 and result["measures"]["accuracy"] > 0.95
    assert result["settings"]["leaves"] == 6 and result["settings"]["similarity"] == "none"
    tree = json.loads((tmp_path / "tree" / "tree.json").read_text())
    assert tree
    shown = copse("show", "tree")
    assert shown.returncode == 0 and "node " in shown.stdout
    leaf = sorted({row[1] for row in read_tsv(tmp_path / "tree" / "assignments.tsv")[1:]})[0]
    run = copse("edit", "tree", "--split", leaf, "--into", 2)
    assert run.returncode == 0, run.stderr
    assert json.loads((tmp_path / "tree" / "result.json").read_text())["k"] == 7
    assert copse("edit", "tree", "--cut", 3).returncode == 0
    assert json.loads((tmp_path / "tree" / "result.json").read_text())["k"] == 3
    assert copse("report", "tree", "-o", "page.html").returncode == 0
    assert '"items":"node"' in (tmp_path / "page.html").read_text()
    assert "tree of communities" in copse("assign", "tree", "edges.tsv").stderr
    said = copse("graph", "edges.tsv", "--hierarchical", "--leaves", 6)
    assert "6 communities, 0 nodes set aside as outliers, 0 without a community" in said.stdout + said.stderr
    assert "does not go with --hierarchical" in copse("graph", "edges.tsv", "--hierarchical", "-k", 2).stderr
    assert copse("graph", "edges.tsv").returncode == 2


def test_groups_that_avoid_each_other(copse, tmp_path):
    labels = np.arange(40) % 2
    rng = np.random.default_rng(5)
    upper = np.triu(rng.random((40, 40)) < np.where(labels[:, None] == labels, 0.02, 0.6), 1)
    write_edges(tmp_path / "edges.tsv", upper | upper.T)
    (tmp_path / "truth.txt").write_text("".join(f"{label}\n" for label in labels))
    run = copse("graph", "edges.tsv", "-k", 2, "--truth", "truth.txt", "--model", "blocks", "--json", "-o", "out")
    assert run.returncode == 0, run.stderr
    result = json.loads(run.stdout)
    assert result["measures"]["accuracy"] == 1
    assert result["modularity"] < 0  # no symmetric factorization would find them
    assert copse("show", "out", "--topic", "0").returncode == 0


@pytest.mark.skipif("COPSE_DATA" not in os.environ, reason="COPSE_DATA does not name a folder with data")
@pytest.mark.parametrize("name, k", [("graph_lfr_1000", None), ("graph_lfr_300_mix20", None), ("graph_lfr_600_mix05", None), ("graph_karate", 2)])
def test_known_graphs(copse, name, k):
    folder = pathlib.Path(os.environ["COPSE_DATA"]) / name
    truth = (folder / "labels.txt").read_text().splitlines()
    run = copse("graph", folder / "edges.tsv.gz", "-k", k or len(set(truth)), "--truth", folder / "labels.txt", "--json", "--quiet")
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["measures"]["accuracy"] >= (0.99 if k is None else 0.94)


@pytest.mark.skipif("COPSE_DATA" not in os.environ, reason="COPSE_DATA does not name a folder with data")
def test_the_example_where_spectral_clustering_fails(copse, tmp_path):
    """Figures 6 and 7 of [Kuang 2014]: two tight groups and scattered points, whose own eigenvalues reach 1 as well."""
    folder = pathlib.Path(os.environ["COPSE_DATA"]) / "toy2d" / "zelnik2"
    points = np.loadtxt(folder / "points.tsv", skiprows=1)
    labels = np.array((folder / "labels.txt").read_text().split())
    e = np.exp(-((points[:, None] - points[None]) ** 2).sum(2) / 0.05**2)
    scale = 1 / np.sqrt(e.sum(0))
    vectors = np.linalg.eigh(e * scale[:, None] * scale[None])[1][:, -3:]
    rows = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    tight = [label for label in set(labels) if np.median(e[labels == label].sum(1)) > 10]
    one, other = (rows[labels == label].mean(0) for label in tight)
    assert np.linalg.norm(one - other) < 0.01  # both groups are mapped to one place
    np.save(tmp_path / "points.npy", (points - points.min(0)).T)
    call = ["graph", "points.npy", "--similarity", "gaussian", "--sigma", 0.05, "--neighbours", 302, "-k", 3, "--truth", folder / "labels.txt", "--json", "--quiet"]
    assert json.loads(copse(*call).stdout)["measures"]["accuracy"] > 0.95
    papers = ["--scaling", "normalized-cut", "--start", "random", "--labels", "factor", "--least-component", 0, "--runs", 5, "--choose", "objective"]
    assert json.loads(copse(*call, *papers).stdout)["measures"]["accuracy"] > 0.75
    tuned = copse("graph", "points.npy", "--similarity", "self-tuning", "-k", 3, "--truth", folder / "labels.txt", "--json", "--quiet")
    assert json.loads(tuned.stdout)["measures"]["accuracy"] == 1
