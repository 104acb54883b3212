"""copse tree and copse edit: files, soft weights, edits, resuming, and data that hardly is a tree."""

import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import time

import numpy as np
import pytest
import scipy.io
import scipy.sparse
from conftest import make_planted, page_data


def tree_of(folder):
    return json.loads((folder / "tree.json").read_text())


def read_tsv(path):
    header, *rows = [line.split("\t") for line in path.read_text().splitlines()]
    return [dict(zip(header, row)) for row in rows]


def files_of(folder):
    """All bytes that a rerun must repeat: everything but result.json and the page, which have timings."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())
            if path.name not in ("result.json", "report.html")}


@pytest.fixture
def corpus(tmp_path):
    planted = make_planted(tmp_path / "x.mtx", features=120, items=400, k=6, seed=3)
    (tmp_path / "terms.txt").write_text("".join(f"word{i}\n" for i in range(120)))
    return planted


def grow(copse, *more):
    run = copse("tree", "x.mtx", "--features", "terms.txt", "--leaves", 6, "-o", "out", *more)
    assert run.returncode == 0, run.stderr
    return run


def test_files_agree_with_each_other(copse, corpus, tmp_path):
    grow(copse, "--truth", corpus.labels_path)
    out = tmp_path / "out"
    assert sorted({path.name for path in out.iterdir()} - {"report.html"}) == [
        "assignments.tsv", "model.safetensors", "partitions.tsv", "result.json", "topics.tsv", "tree.json", "tree.newick"]
    tree = tree_of(out)
    nodes = {node["id"]: node for node in tree["nodes"]}
    leaves = {id for id, node in nodes.items() if not node["children"]}
    assert len(leaves) == tree["leaves"] <= 6
    for node in nodes.values():
        if node["children"]:
            assert sum(nodes[child]["size"] for child in node["children"]) + node["outliers"] == node["size"]
        if node["id"]:
            assert nodes[node["parent"]] and node["terms"][0]["term"].startswith("word")
            weights = [term["weight"] for term in node["terms"]]
            assert weights == sorted(weights, reverse=True)
    rows = read_tsv(out / "assignments.tsv")
    assert len(rows) == 400
    for row in rows:
        assert row["cluster"] in leaves and row["leaf"] in leaves | {"outlier"}
        weights = [float(weight) for weight in row["weights"].split(",")]
        assert len(weights) == row["path"].count(".") + 1
        assert weights == sorted(weights, reverse=True)
        assert 0 <= float(row["second_weight"]) <= 0.5
    for id in leaves:
        assert sum(row["cluster"] == id for row in rows) == nodes[id]["members"]
        assert sum(row["leaf"] == id for row in rows) == nodes[id]["size"]
    partitions = read_tsv(out / "partitions.tsv")
    last = list(partitions[0])[-1]
    assert [row[last] for row in partitions] == [row["cluster"] for row in rows]
    outline = {node["id"]: node for node in tree["outline"]}
    assert leaves < set(outline) <= set(nodes) and tree["outline"][0]["id"] == ""
    for id, node in outline.items():
        sizes = [nodes[child]["size"] for child in node["children"]]
        assert sizes == sorted(sizes, reverse=True) and bool(sizes) == bool(nodes[id]["children"])
        assert all(outline[child]["parent"] == id and child.startswith(id) for child in node["children"])
    newick = (out / "tree.newick").read_text()
    inner = sum(bool(node["children"]) for node in outline.values())
    assert newick.count("(") == newick.count(")") == inner and newick.endswith(";\n")
    assert newick.count("':1") == len(outline) - 1
    result = json.loads((out / "result.json").read_text())
    assert result["command"] == "tree" and result["k"] == tree["leaves"]
    assert result["measures"]["nmi"] == tree["partitions"][-1]["nmi"] > 0.5


def test_edits_and_undo(copse, corpus, tmp_path):
    grow(copse)
    out = tmp_path / "out"
    before = tree_of(out)
    leaf = next(node["id"] for node in before["nodes"] if not node["children"] and node["size"] > 40)
    steps = [("--cut", 3), ("--undo",), ("--split", leaf, "--into", 3), ("--rename", "1", "--to", "first 'half'"),
             ("--drop", "2"), ("--merge", "1"), ("--undo",)]
    for step in steps:
        run = copse("edit", "out", *step)
        assert run.returncode == 0, (step, run.stderr)
        json.loads((out / "result.json").read_text())
        if step == ("--cut", 3):
            assert tree_of(out)["leaves"] == 3
        if step[0] == "--split":
            old = {node["id"]: node for node in before["nodes"]}
            new = {node["id"]: node for node in tree_of(out)["nodes"]}
            assert all(new[id]["size"] == node["size"] and new[id]["terms"] == node["terms"] for id, node in old.items())
            assert any(id.startswith(leaf + ".") for id in new)
    tree = tree_of(out)
    assert [line.split()[0] for line in tree["history"]] == ["split", "renamed", "dropped"]
    assert {node["id"]: node["name"] for node in tree["nodes"]}["1"] == "first 'half'"


def rows_of(path):
    header, *rows = [line.split("\t") for line in path.read_text().splitlines()]
    return [dict(zip(header, row)) for row in rows]


def test_two_nodes_anywhere_become_one(copse, corpus, tmp_path):
    grow(copse)
    out = tmp_path / "out"
    before = {row["item"]: row for row in rows_of(out / "assignments.tsv")}
    leaves = [node for node in tree_of(out)["nodes"] if not node["children"]]
    one, other = next((a, b) for a in leaves for b in leaves if a["parent"] != b["parent"] and b["size"] > 20)
    run = copse("edit", "out", "--merge", one["id"], "--with", other["id"])
    assert run.returncode == 0, run.stderr
    tree = tree_of(out)
    nodes = {node["id"]: node for node in tree["nodes"]}
    assert tree["history"] == [f"merged {other['id']} into {one['id']}"] and tree["leaves"] == len(leaves) - 1
    assert nodes[one["id"]]["size"] == one["size"] + other["size"]
    assert nodes[other["id"]]["size"] == 0 and nodes[other["id"]]["merged_into"] == one["id"]
    assert other["id"] not in [entry["id"] for entry in tree["outline"]]
    after = {row["item"]: row for row in rows_of(out / "assignments.tsv")}
    merged = {other["id"]: one["id"]}
    for item, row in before.items():
        for column in ("cluster", "leaf"):
            assert after[item][column] == merged.get(row[column], row[column]), (item, column)
    # New items that look like those of the other come to the one.
    placed = copse("assign", "out", corpus.path.name, "-o", "placed.tsv")
    assert placed.returncode == 0, placed.stderr
    clusters = {row["item"]: row["cluster"] for row in rows_of(tmp_path / "placed.tsv")}
    same = sum(clusters[item] == row["cluster"] for item, row in after.items())
    assert other["id"] not in clusters.values() and same > 0.9 * len(after)


def test_names_tell_nodes_apart_and_can_be_given(copse, corpus, tmp_path):
    grow(copse)
    out = tmp_path / "out"
    labels = {node["id"]: node["label"] for node in tree_of(out)["nodes"] if node["id"]}
    assert len(set(labels.values())) == len(labels) and all(labels.values())
    for node in tree_of(out)["nodes"]:
        if node["id"]:
            shown = json.loads(copse("show", "out", "--topic", node["id"], "--words", 60, "--json").stdout)
            own = {entry["word"] for entry in shown["words"]}
            assert set(node["label"].split(", ")) <= own
    assert {row["label"] for row in read_tsv(out / "topics.tsv")} <= set(labels.values())
    shown = copse("show", "out").stdout
    assert all(f'"{labels[node["id"]]}"' in shown for node in tree_of(out)["outline"][1:])

    # The prompt's last section is an answer.
    prompt = copse("show", "out", "--prompt").stdout
    answer = prompt[prompt.rindex("\n\n") + 2:]
    shown = [node for node in tree_of(out)["outline"] if node["id"]]
    assert answer.splitlines() == [f'{node["short_id"]}\t{labels[node["id"]]}' for node in shown]
    (tmp_path / "names.tsv").write_text("1\tone, the first\n2\tthe second\n")
    assert copse("edit", "out", "--names", "names.tsv").returncode == 0
    named = {node["id"]: (node["name"], node["label"]) for node in tree_of(out)["nodes"]}
    assert named["1"] == ("one, the first", "one, the first") and named["1.1"] == ("", labels["1.1"])
    assert copse("show", "out", "--topic", "the second").stdout.startswith('topic 2 "the second"')
    assert tree_of(out)["history"] == ["named 2 nodes"]
    before = files_of(out)
    for lines, sentence in [("1\ta\n9\tb\n", "line 2: there is no node 9"), ("1\ta\n\n2\tb\n", "line 2: the line is empty"),
                            ("1\ta\n1\tb\n", "line 2: the topic 1 was named in line 1 already")]:
        (tmp_path / "bad.tsv").write_text(lines)
        run = copse("edit", "out", "--names", "bad.tsv")
        assert run.returncode == 1 and f"bad.tsv, {sentence}" in run.stderr
    assert files_of(out) == before
    assert copse("edit", "out", "--undo").returncode == 0
    assert {node["id"]: node["label"] for node in tree_of(out)["nodes"] if node["id"]} == labels

    # A split names the new nodes and leaves the others alone.
    leaf = next(node["id"] for node in tree_of(out)["nodes"] if not node["children"] and node["size"] > 40)
    assert copse("edit", "out", "--split", leaf, "--into", 2).returncode == 0
    after = {node["id"]: node["label"] for node in tree_of(out)["nodes"] if node["id"]}
    assert {id: after[id] for id in labels} == labels and len(set(after.values())) == len(after)


def test_without_names_of_features_nodes_have_none(copse, corpus, tmp_path):
    assert copse("tree", "x.mtx", "--leaves", 3, "-o", "out").returncode == 0
    assert {node["label"] for node in tree_of(tmp_path / "out")["nodes"]} == {""}
    assert "label" not in read_tsv(tmp_path / "out" / "topics.tsv")[0]


def test_stability_is_measured_where_it_is_asked_for(copse, corpus, tmp_path):
    grow(copse)
    plain = tree_of(tmp_path / "out")
    for threads in (1, 3):
        grow(copse, "--stability", 3, "--threads", threads, "--force")
        files = files_of(tmp_path / "out")
        assert threads == 1 or files == first
        first = files
    tree = tree_of(tmp_path / "out")
    assert [(node["id"], node["size"], node["label"]) for node in tree["nodes"]] == [
        (node["id"], node["size"], node["label"]) for node in plain["nodes"]]
    assert all("stability" not in node for node in plain["nodes"])
    assert all(0 <= node["stability"] <= 1 for node in tree["nodes"] if node["id"])
    rows = read_tsv(tmp_path / "out" / "assignments.tsv")
    known = [row for row in rows if row["stability"] != ""]
    assert 0.9 * len(rows) < len(known)  # drawn at least once of three times: .992
    # A leaf's share is the mean of its items', as far as they were drawn equally often.
    for node in tree["nodes"]:
        own = [float(row["stability"]) for row in known if row["cluster"] == node["id"]]
        if len(own) > 30:
            assert np.mean(own) == pytest.approx(node["stability"], abs=0.1)
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    assert result["settings"]["stability"] == 3 and all("stability" in topic for topic in result["topics"])
    assert "stability" in copse("show", "out").stdout
    # It survives an edit.
    assert copse("edit", "out", "--cut", 3).returncode == 0
    assert all("stability" in node for node in tree_of(tmp_path / "out")["nodes"] if node["id"])


def test_a_split_that_was_taken_back_and_made_again_changes_nothing(copse, corpus, tmp_path):
    grow(copse)
    out = tmp_path / "out"
    error = lambda: json.loads((out / "result.json").read_text())["relative_error"]
    before, error_before = tree_of(out), error()
    assert copse("edit", "out", "--cut", before["leaves"] - 1).returncode == 0
    leaves = {node["id"] for node in tree_of(out)["nodes"] if not node["children"]}
    again = [node["id"] for node in before["nodes"] if node["children"] and node["id"] in leaves]
    assert len(again) == 1
    assert copse("edit", "out", "--split", again[0], "--into", 2).returncode == 0
    assert [(node["id"], node["size"], node["terms"]) for node in tree_of(out)["nodes"]] == [
        (node["id"], node["size"], node["terms"]) for node in before["nodes"]]
    assert error() == pytest.approx(error_before, rel=1e-6)


@pytest.mark.parametrize("arguments, code, sentence", [
    (("--split", "9.9"), 1, "copse: The tree has no node 9.9."),
    (("--split", "1"), 1, "copse: Node 1 is split already: name a leaf below it, such as 1."),
    (("--cut", 99), 1, "copse: A tree of 6 leaves cannot be cut to 99."),
    (("--cut", 0), 2, "copse edit: --cut: 0 is out of range: it must be at least 1."),
    (("--merge", "1.1.1.1.1.1"), 1, "copse: The tree has no node 1.1.1.1.1.1."),
    (("--cut", 3, "--undo"), 2, "copse edit: --split: one change is needed, of --split, --cut, "),
    ((), 2, "copse edit: --split: one change is needed, of --split, --cut, "),
    (("--cut", 3, "--into", 4), 2, "copse edit: --into: it requires --split."),
    (("--cut", 3, "--to", "three"), 2, "copse edit: --to: it requires --rename."),
])
def test_a_wrong_edit_is_told_what_would_be_right(copse, corpus, tmp_path, arguments, code, sentence):
    grow(copse)
    before = files_of(tmp_path / "out")
    corpus.path.unlink()  # found out before it is read again
    run = copse("edit", "out", *arguments)
    assert run.returncode == code and run.stderr.startswith(sentence), run.stderr
    assert files_of(tmp_path / "out") == before


def steps_said(run):
    """The steps that the last lines give a time for."""
    said = next(line for line in run.stderr.splitlines() if line.startswith("time: "))
    return [step.split()[0] for step in said.removeprefix("time: ").split(";")[0].split(", ")]


def test_an_edit_names_the_steps_that_took_place(copse, corpus, tmp_path):
    assert steps_said(grow(copse)) == ["read", "prepare", "solve", "write"]
    leaf = next(node["id"] for node in tree_of(tmp_path / "out")["nodes"] if not node["children"] and node["size"] > 40)
    for change, steps in [(("--cut", 3), ["read", "write"]), (("--undo",), ["read", "write"]),
                          (("--split", leaf), ["read", "prepare", "solve", "write"])]:
        run = copse("edit", "out", *change)
        assert run.returncode == 0, run.stderr
        assert steps_said(run) == steps, change
        seconds = json.loads((tmp_path / "out" / "result.json").read_text())["seconds"]
        assert [step for step in seconds if seconds[step] > 0] == [*steps, "total"]
        assert sum(seconds[step] for step in steps) <= seconds["total"]
        # The page was made before it was written.
        assert [name for name, _ in page_data(tmp_path / "out")["facts"] if name in seconds] == steps[:-1]


def test_random_starts_follow_the_seed(copse, corpus, tmp_path):
    models = []
    for seed in (1, 1, 2):
        grow(copse, "--start", "random", "--seed", seed, "--force")
        models.append((tmp_path / "out" / "model.safetensors").read_bytes())
    assert models[0] == models[1] != models[2]
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    assert result["settings"]["start"] == "random" and result["seed"] == 2
    leaf = next(node["id"] for node in tree_of(tmp_path / "out")["nodes"] if not node["children"] and node["size"] > 40)
    run = copse("edit", "out", "--split", leaf, "--into", 2)
    assert run.returncode == 0, run.stderr


def test_threads_do_not_change_a_bit(copse, corpus, tmp_path):
    first = None
    for threads in (1, 2, 3, 8):
        grow(copse, "--threads", threads, "--force")
        now = files_of(tmp_path / "out")
        first = first or now
        assert now == first


@pytest.mark.parametrize("folder", ["out", "out/", "out/."])
def test_a_killed_run_resumes_with_the_same_bits(program, tmp_path, folder):
    x = scipy.sparse.random(3000, 6000, density=0.01, random_state=1, format="csc")
    scipy.sparse.save_npz(tmp_path / "x.npz", x)
    command = [program, "tree", "x.npz", "--score", "mndcg", "--leaves", "30", "--outlier-trials", "0", "--no-flat", "-o"]
    assert subprocess.run([*command, "whole"], cwd=tmp_path, capture_output=True).returncode == 0
    log = tmp_path / "out" / ".partial-splits"
    run = subprocess.Popen([*command, folder], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while run.poll() is None and not (log.exists() and log.stat().st_size > 500_000):
        time.sleep(0.001)
    run.send_signal(signal.SIGKILL)
    run.wait()
    assert log.exists(), "killed too late"
    # A record that was cut off in the middle does not count.
    os.truncate(log, log.stat().st_size - 100)
    run = subprocess.run([*command, folder, "--resume"], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert "taken from the run before" in run.stderr
    assert not log.exists()
    assert files_of(tmp_path / "out") == files_of(tmp_path / "whole")


@pytest.mark.parametrize("name,x", [
    ("identical", np.tile([[1.0], [2.0], [0.0]], 20)),
    ("one document", np.array([[1.0], [0.0], [2.0]])),
    ("two documents", np.array([[1.0, 0.0], [0.0, 3.0]])),
    ("rank 1", np.outer(np.arange(1, 6), np.arange(1, 30.0))),
    ("empty row and column", np.kron(np.array([[1.0, 0, 0], [0, 0, 0], [0, 0, 2.0]]), np.ones((1, 7)))),
])
@pytest.mark.parametrize("score", ["mndcg", "error", "rank1-gain", "fit", "rank1", "rank2"])
def test_degenerate_data_gives_fewer_leaves_and_a_sentence(copse, tmp_path, name, x, score):
    scipy.io.mmwrite(tmp_path / "x.mtx", scipy.sparse.csc_matrix(x))
    run = copse("tree", "x.mtx", "--leaves", 12, "--score", score, "-o", "out")
    assert run.returncode == 0, run.stderr
    tree = tree_of(tmp_path / "out")
    assert 1 <= tree["leaves"] < 12
    assert "not 12" in tree["explanation"] and tree["explanation"] in run.stderr


def test_dc_starts_from_a_tree(copse, corpus, tmp_path):
    run = copse("factor", "x.mtx", "-k", 6, "--solver", "dc", "-o", "dc")
    assert run.returncode == 0, run.stderr
    result = json.loads((tmp_path / "dc" / "result.json").read_text())
    assert result["settings"]["solver"] == "dc" and result["iterations"] == 1
    more = copse("factor", "x.mtx", "-k", 6, "--solver", "dc", "--max-iterations", 20, "--json", "--quiet")
    assert json.loads(more.stdout)["relative_error"] <= result["relative_error"]


@pytest.mark.parametrize("documents, terms, leaves", [(3000, 2000, 5), (3000, 2000, 200), (20000, 8000, 20),
                                                      (20000, 8000, 150)])
@pytest.mark.parametrize("options", [(), ("--no-flat", "--no-page"), ("--precision", "double")])
def test_the_memory_estimate_is_a_bound(copse, tmp_path, documents, terms, leaves, options):
    copse("generate", "corpus", "--docs", documents, "--terms", terms, "-k", 12, "--seed", 1, "-o", "x.npz")
    run = copse("tree", "x.npz", "--leaves", leaves, *options, "-o", "out")
    assert run.returncode == 0, run.stderr
    assert re.search(r"about [0-9.]+ [kMG]B of memory", run.stderr)
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    estimate, peak = result["estimated_memory_bytes"], result["peak_memory_bytes"]
    assert peak - 2e6 <= estimate <= (3 if "--no-flat" in options else 1.5) * peak  # the fit to the leaves is counted
    refused = copse("tree", "x.npz", "--leaves", leaves, *options, "--memory-limit", int(0.9 * estimate))
    assert refused.returncode == 1 and f"for --leaves {leaves}" in refused.stderr


def test_short_ids_are_understood(copse, tmp_path):
    # Every topic has twice the items of the next: the tree peels them off one by one.
    rng = np.random.default_rng(1)
    with (tmp_path / "chain.jsonl").open("w") as file:
        for topic, size in enumerate([800, 400, 200, 100, 50, 25]):
            for _ in range(size):
                words = [f"w{chr(97 + topic)}{chr(97 + i)}" for i in rng.integers(0, 20, 8)]
                words += [f"all{i}" for i in rng.integers(0, 9, 3)]
                file.write(json.dumps({"text": " ".join(words)}) + "\n")
    run = copse("tree", "chain.jsonl", "--leaves", 6, "--outlier-trials", 0, "-o", "out")
    assert run.returncode == 0, run.stderr
    tree = tree_of(tmp_path / "out")
    short = {node["short_id"]: node["id"] for node in tree["outline"] if "x" in node["short_id"]}
    assert short and len(tree["outline"][0]["children"]) > 2  # a chain of splits, shown side by side
    assert all(line.split()[0] in {node["short_id"] for node in tree["outline"]} for line in run.stdout.splitlines())
    for name, id in short.items():
        shown = [json.loads(copse("show", "out", "--topic", way, "--json").stdout) for way in (name, id)]
        assert shown[0] == shown[1] and shown[0]["id"] == id
    name, id = next(iter(short.items()))
    assert copse("edit", "out", "--rename", name, "--to", "deep").returncode == 0
    assert {node["id"]: node["name"] for node in tree_of(tmp_path / "out")["nodes"]}[id] == "deep"
    assert copse("edit", "out", "--merge", "1x99").returncode == 1


def test_a_terminal_gets_a_screen(program, copse, corpus, tmp_path):
    run = copse("tree", "x.mtx", "--features", "terms.txt", "--leaves", 30, "--outlier-trials", 0, "-o", "out")
    assert run.returncode == 0, run.stderr
    whole = copse("show", "out").stdout.splitlines()

    def on_terminal(rows, *arguments):
        control, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, 80, 0, 0))
        environment = {**os.environ, "LC_ALL": "C.UTF-8", "TERM": "xterm"}
        process = subprocess.Popen([program, *arguments], cwd=tmp_path, stdout=terminal, stderr=terminal, env=environment)
        os.close(terminal)
        text = b""
        try:
            while part := os.read(control, 65536):
                text += part
        except OSError:  # the other end is closed
            pass
        assert process.wait() == 0
        os.close(control)
        return [line.rsplit("\r", 1)[-1].replace("\033[K", "") for line in text.decode().replace("\r\n", "\n").splitlines()]

    for command in (["show", "out"], ["edit", "out", "--rename", "1", "--to", "one"], ["edit", "out", "--undo"]):
        lines = on_terminal(16, *command)
        assert len(lines) < 16 and max(map(len, lines)) <= 110
        assert any("smaller topics; --all shows all" in line for line in lines)
        assert any("\u2588" in line for line in lines)
    assert len(on_terminal(16, "show", "out", "--all")) == len(whole) > 16
    assert len(on_terminal(60, "show", "out")) == len(whole)
