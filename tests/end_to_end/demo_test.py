"""copse demo: its texts, its page, and what can be done with its result."""

import gzip
import json
import os
import random
import shutil
import signal
import subprocess
import time

import numpy as np
import pytest
from conftest import page_data, read_tsv


def fake_packages(folder, count, before=":"):
    """An apt-cache that knows this many packages of twelve kinds, each kind with words of its own."""
    rng = np.random.default_rng(1)
    words = {f"kind{chr(97 + i)}": [f"word{chr(97 + i)}{chr(97 + j)}" for j in range(8)] for i in range(12)}
    stanzas = []
    for i in range(count):
        section = sorted(words)[i % 12]
        text = " ".join(rng.permutation(words[section])[:6])
        stanzas.append(f"Package: p{i}\nSection: {section}\nDescription-en: one line\n the long text {text}\n")
    programs = folder / "programs"
    programs.mkdir(exist_ok=True)
    (programs / "dump").write_text("\n".join(stanzas))
    script = programs / "apt-cache"
    script.write_text(f"#!/bin/sh\n{before}\ncase \"$*\" in dumpavail | *'search --full .') cat {programs}/dump;; esac\n")
    script.chmod(0o755)
    return {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}


def check(run):
    assert run.returncode == 0, run.stderr
    return run


def result_of(folder):
    return json.loads((folder / "result.json").read_text())


def tree_of(folder):
    return json.loads((folder / "tree.json").read_text())


def large_leaves(folder):
    leaves = [node for node in tree_of(folder)["nodes"] if node.get("leaf") == "open"]
    return [node["id"] for node in sorted(leaves, key=lambda node: -node["size"])]


def large_leaf(folder):
    return large_leaves(folder)[0]


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def test_demo_with_few_packages(copse, tmp_path):
    run = check(copse("demo", "--leaves", 6, "-o", "out", env=fake_packages(tmp_path, 150)))
    assert "Debian packages: the descriptions of 150 packages" in run.stderr and "time: read" in run.stderr
    result = result_of(tmp_path / "out")
    assert result["command"] == "demo" and 1 < result["k"] <= 6
    assert result["measures"]["purity"] > 0.3  # six leaves for twelve kinds
    for topic in result["topics"]:
        assert topic["top_features"][0]["feature"] != "the"
    assert read_tsv(tmp_path / "out" / "assignments.tsv")[1][0] == "p0"
    assert names_in(tmp_path) == ["out", "programs"]


def test_demo_takes_long_texts_from_compressed_lists(copse, tmp_path):
    if not os.access("/usr/lib/apt/apt-helper", os.X_OK):
        pytest.skip("apt-helper is not installed")
    environment = fake_packages(tmp_path, 150)
    dump = tmp_path / "programs" / "dump"
    short, long = [], []
    for i, stanza in enumerate(dump.read_text().split("\n\n")):
        name, section, first, text = stanza.splitlines()
        digest = f"Description-md5: {i:032x}"
        short.append("\n".join([name, section, "Description: one line", digest, ""]))
        long.append("\n".join([name, digest, first, f"{text} elsewhere{i}", ""]))
    dump.write_text("\n".join(short))
    lists = tmp_path / "programs" / "lists"
    lists.mkdir()
    with gzip.open(lists / "debian_main_i18n_Translation-en.gz", "wt") as file:
        file.write("\n".join(long))
    config = tmp_path / "programs" / "apt-config"
    config.write_text(f"#!/bin/sh\necho \"lists='{lists}/'\"\n")
    config.chmod(0o755)
    check(copse("demo", "--leaves", 2, "--no-page", env=environment))
    texts = [json.loads(line)["text"] for line in (tmp_path / "copse-demo" / "demo-documents.jsonl").open()]
    assert [text.split()[-1] for text in texts] == [f"elsewhere{i}" for i in range(150)]


def test_demo_without_packages_generates_a_corpus(copse, tmp_path):
    for _ in range(2):  # the second replaces what the first has left
        run = check(copse("demo", "--leaves", 8, env=fake_packages(tmp_path, 3)))
    assert "Generated corpus: 20,000 documents" in run.stderr and "term" in run.stdout
    assert result_of(tmp_path / "copse-demo")["k"] == 8
    check(copse("edit", "copse-demo", "--split", large_leaf(tmp_path / "copse-demo")))
    assert page_data(tmp_path / "copse-demo")["title"] == "Generated corpus"


def test_demo_on_this_machine(copse, tmp_path):
    if not shutil.which("apt-cache"):
        pytest.skip("apt-cache is not installed")
    run = check(copse("demo", "--json"))
    assert json.loads(run.stdout)["measures"]["nmi"] > 0.05
    # Which packages there are differs from day to day, and not every leaf has two sides.
    edits = (copse("edit", "copse-demo", "--split", leaf, "--into", 4) for leaf in large_leaves(tmp_path / "copse-demo")[:5])
    assert any(edit.returncode == 0 for edit in edits)
    assert tree_of(tmp_path / "copse-demo")["leaves"] > result_of(tmp_path / "copse-demo")["settings"]["leaves"]


def test_the_result_has_its_texts_wherever_it_goes(copse, tmp_path):
    check(copse("demo", "--leaves", 6, env=fake_packages(tmp_path, 150)))
    moved = tmp_path / "elsewhere" / "packages"
    moved.parent.mkdir()
    shutil.move(tmp_path / "copse-demo", moved)
    texts = (moved / "demo-documents.jsonl").read_bytes()
    assert [json.loads(line)["id"] for line in texts.splitlines()] == [f"p{i}" for i in range(150)]
    before = tree_of(moved)["leaves"]
    check(copse("edit", moved, "--split", large_leaf(moved), "--into", 4))
    assert tree_of(moved)["leaves"] == before + 3
    check(copse("edit", ".", "--cut", 3, cwd=moved))
    check(copse("edit", moved, "--split", large_leaf(moved)))
    assert tree_of(moved)["leaves"] == 4
    assert (moved / "demo-documents.jsonl").read_bytes() == texts
    rows = read_tsv(moved / "assignments.tsv")[1:]
    first = next(row[0] for row in rows if row[5].startswith("1"))
    assert f"{first}: one line" in copse("show", moved, "--topic", "1", "--docs", 150).stdout
    placed = check(copse("assign", moved, moved / "demo-documents.jsonl")).stdout.splitlines()[1:]
    same = [new.split("\t")[1] == old[1] for new, old in zip(placed, rows, strict=True) if old[5] != "outlier"]
    assert len(same) > 100 and all(same)
    # Without them there is a sentence, and what needs no texts goes on.
    (moved / "demo-documents.jsonl").unlink()
    run = copse("edit", moved, "--split", large_leaf(moved))
    assert run.returncode == 1 and "demo-documents.jsonl: there is no such file" in run.stderr
    check(copse("edit", moved, "--cut", 2))


def test_the_page_says_what_the_texts_are(copse, tmp_path):
    check(copse("demo", "--leaves", 6, env=fake_packages(tmp_path, 150)))
    out = tmp_path / "copse-demo"
    shown = list(page_data(out)["settings"])
    for change, line in [((), "copse demo"), (("edit", out, "--cut", 3), "copse edit"), (("report", out), "copse edit")]:
        if change:
            check(copse(*change))
        page = page_data(out)
        assert page["title"] == "Debian packages" and page["command"] == line
        assert page["settings"]["origin"] == "the descriptions of 150 packages, as apt-cache gives them"
        assert page["settings"]["documents"] == "demo-documents.jsonl" and list(page["settings"]) == shown
    for name in ("report.html", "result.json", "model.safetensors"):
        assert b"partial-" not in (out / name).read_bytes()
    models = [(out / "model.safetensors").read_bytes()]
    for _ in range(2):
        check(copse("demo", "--leaves", 6, env=fake_packages(tmp_path, 150)))
        models.append((out / "model.safetensors").read_bytes())
    assert models[0] != models[1] == models[2]


def test_an_earlier_result_stays_unless_told(copse, tmp_path):
    environment = fake_packages(tmp_path, 150, before=f"touch {tmp_path}/asked")
    check(copse("demo", "--leaves", 6, "-o", "out", env=environment))
    (tmp_path / "asked").unlink()
    run = copse("demo", "--leaves", 4, "-o", "out/", env=environment)
    assert run.returncode == 1 and "--force" in run.stderr
    assert not (tmp_path / "asked").exists()  # found out before any work
    assert tree_of(tmp_path / "out")["leaves"] == 6
    check(copse("demo", "--leaves", 4, "-o", "out/", "--force", env=environment))
    assert tree_of(tmp_path / "out")["leaves"] == 4
    (tmp_path / "copse-demo").mkdir()
    (tmp_path / "copse-demo" / "thesis.tex").write_text("mine")
    run = copse("demo", env=environment)
    assert run.returncode == 1 and "thesis.tex" in run.stderr
    assert names_in(tmp_path / "copse-demo") == ["thesis.tex"]


def test_the_texts_are_not_replaced_while_they_are_read(copse, tmp_path):
    check(copse("demo", "--leaves", 6, env=fake_packages(tmp_path, 150)))
    texts = tmp_path / "copse-demo" / "demo-documents.jsonl"
    for command in (("tree", "--leaves", 4), ("topics", "-k", 4)):
        run = copse(command[0], texts, *command[1:], "-o", "copse-demo", "--force")
        assert run.returncode == 1 and "is read from there; name another folder" in run.stderr
        assert texts.exists() and result_of(tmp_path / "copse-demo")["command"] == "demo"
        check(copse(command[0], texts, *command[1:], "-o", command[0]))
    # Another result in its place has no use for them.
    shutil.copy(texts, tmp_path / "mine.jsonl")
    check(copse("tree", "mine.jsonl", "--leaves", 4, "-o", "copse-demo", "--force"))
    assert not texts.exists()


@pytest.mark.parametrize("number, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_demo_leaves_nothing(program, tmp_path, number, code):
    environment = fake_packages(tmp_path, 150, before=f"touch {tmp_path}/programs/asked; sleep 60")
    process = subprocess.Popen([program, "demo"], cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True,
                               start_new_session=True)
    while not (tmp_path / "programs" / "asked").exists():
        time.sleep(0.01)
    time.sleep(0.5)  # a shell that is just starting a program may miss a signal
    os.killpg(process.pid, number)  # a terminal sends it to all
    _, words = process.communicate(timeout=30)
    assert process.returncode == code and "nothing was written" in words
    assert names_in(tmp_path) == ["programs"]


def test_a_killed_demo_leaves_only_whole_files(program, copse, tmp_path):
    environment = fake_packages(tmp_path, 1500)
    begun = time.monotonic()
    check(copse("demo", env=environment))
    whole = time.monotonic() - begun
    out = tmp_path / "copse-demo"
    names = names_in(out)
    texts = (out / "demo-documents.jsonl").read_bytes()
    randomness = random.Random(1)
    for _ in range(20):
        process = subprocess.Popen([program, "demo", "--quiet"], cwd=tmp_path, env=environment, start_new_session=True)
        time.sleep(randomness.uniform(0.1, 1.1) * whole)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        now = [name for name in names_in(out) if not name.startswith(".")]
        if "demo-documents.jsonl" in now:
            assert (out / "demo-documents.jsonl").read_bytes() == texts
        if "result.json" in now:
            assert now == names
    check(copse("demo", env=environment))
    assert names_in(out) == names and names_in(tmp_path) == ["copse-demo", "programs"]
