"""Ctrl-C keeps the best so far, and a run that is killed leaves no half-written file under a final name."""

import json
import os
import random
import signal
import subprocess
import time

import numpy as np
import pytest
import scipy.sparse
from conftest import make_planted
from safetensors.numpy import load_file

ENDLESS = ["--tolerance", "0", "--max-iterations", "100000000", "--solver", "mu"]


@pytest.fixture
def larger(tmp_path):
    return make_planted(tmp_path / "larger.mtx", 400, 3000, 10)


def start(program, larger, *arguments):
    return subprocess.Popen([program, "factor", larger.path, "-k", "20", *arguments], cwd=larger.path.parent,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_until_solving(process):
    """The estimate is said before the file is read; soon after that it is solving."""
    assert "memory" in process.stderr.readline()
    time.sleep(1.5)


@pytest.mark.parametrize("number, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_run_keeps_what_it_has(program, larger, tmp_path, number, code):
    process = start(program, larger, *ENDLESS, "-o", "out")
    wait_until_solving(process)
    process.send_signal(number)
    sent = time.monotonic()
    process.wait(timeout=30)
    assert time.monotonic() - sent < 3  # a second on a quiet machine
    assert process.returncode == code
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    assert result["stop_reason"] == "interrupted" and result["iterations"] > 0
    assert result["relative_error"] < 1
    assert load_file(tmp_path / "out" / "model.safetensors")["h"].shape == (3000, 20)
    assert "interrupted after" in process.stderr.read()
    assert process.stdout.read().startswith("cluster")


def test_an_interrupted_tree_is_a_result_and_can_be_continued(program, copse, tmp_path):
    copse("generate", "corpus", "--docs", 20000, "--terms", 8000, "-k", 30, "--seed", 1, "-o", "x.npz")
    command = [program, "tree", "x.npz", "--leaves", "300", "--outlier-trials", "0", "--threads", "1"]
    assert subprocess.run([*command, "-o", "whole"], cwd=tmp_path, capture_output=True).returncode == 0
    process = subprocess.Popen([*command, "-o", "out"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True)
    log = tmp_path / "out" / ".partial-splits"
    while process.poll() is None and not (log.exists() and log.stat().st_size > 3_000_000):
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    _, words = process.communicate(timeout=60)
    assert process.returncode == 130, words
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    assert result["stop_reason"] == "interrupted" and 2 <= result["k"] < 300
    tree = json.loads((tmp_path / "out" / "tree.json").read_text())
    assert "the run was interrupted" in tree["explanation"] and "--resume" in words
    # What is there is the beginning of the whole tree.
    whole = json.loads((tmp_path / "whole" / "tree.json").read_text())
    assert [node["id"] for node in tree["nodes"]] == [node["id"] for node in whole["nodes"][: len(tree["nodes"])]]
    again = subprocess.run([*command, "-o", "out", "--resume"], cwd=tmp_path, capture_output=True, text=True)
    assert again.returncode == 0 and "taken from the run before" in again.stderr, again.stderr
    assert not log.exists()
    for name in ("model.safetensors", "assignments.tsv"):
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_a_tree_is_not_continued_with_other_items(program, copse, tmp_path):
    """The same shape, counts and norm, but the items in another order; each has fifteen entries."""
    rng = np.random.default_rng(1)
    rows = np.sort(np.argsort(rng.random((4000, 300)), axis=1)[:, :15], axis=1)
    x = scipy.sparse.csc_matrix((rng.random(60000), rows.ravel(), np.arange(0, 60001, 15)), shape=(300, 4000))
    scipy.sparse.save_npz(tmp_path / "x.npz", x)
    command = [program, "tree", "x.npz", "--leaves", "40", "-o", "out"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    log = tmp_path / "out" / ".partial-splits"
    while process.poll() is None and not (log.exists() and log.stat().st_size > 100_000):
        time.sleep(0.001)
    process.kill()
    process.wait()
    assert log.exists(), "killed too late"
    scipy.sparse.save_npz(tmp_path / "x.npz", x[:, np.random.default_rng(0).permutation(4000)].tocsc())
    run = subprocess.run([*command, "--resume"], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 1 and "belongs to a run with other data or other options" in run.stderr


def test_an_interruption_ends_the_subsamples_and_keeps_the_result(program, larger, tmp_path):
    process = subprocess.Popen([program, "tree", larger.path, "--leaves", "6", "--stability", "100000", "-o", "out"],
                               cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_until_solving(process)
    time.sleep(4)
    process.send_signal(signal.SIGINT)
    _, words = process.communicate(timeout=30)
    assert process.returncode == 130 and "of 100000 subsamples" in words
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    assert result["k"] == 6 and all(0 <= topic["stability"] <= 1 for topic in result["topics"])


def test_interrupted_before_there_is_a_result(program, tmp_path):
    read_end, write_end = os.pipe()  # a file that never comes
    process = subprocess.Popen([program, "factor", "-", "-k", "2", "-o", "out"], cwd=tmp_path, stdin=read_end,
                               stderr=subprocess.PIPE, text=True)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, words = process.communicate(timeout=30)
    os.close(write_end)
    assert process.returncode == 130 and "nothing was written" in words
    assert os.listdir(tmp_path) == []


def test_kill_at_any_moment_leaves_only_whole_files(program, copse, larger, tmp_path):
    randomness = random.Random(1)
    begun = time.monotonic()
    assert copse("factor", larger.path, "-k", 20, "--max-iterations", 5, "-o", "out").returncode == 0
    whole = time.monotonic() - begun
    complete = 0
    for _ in range(25):
        process = start(program, larger, "--max-iterations", "5", "-o", "out", "--force", "--quiet")
        time.sleep(randomness.uniform(0.3, 1.1) * whole)
        process.kill()
        process.communicate()
        names = {path.name for path in (tmp_path / "out").iterdir() if not path.name.startswith(".")}
        if "model.safetensors" in names:
            assert load_file(tmp_path / "out" / "model.safetensors")["w"].shape == (400, 20)
        if "assignments.tsv" in names:
            assert (tmp_path / "out" / "assignments.tsv").read_text().count("\n") == 3001
        if "result.json" in names:  # the seal: all others are there
            complete += 1
            assert json.loads((tmp_path / "out" / "result.json").read_text())["k"] == 20
            assert names - {"report.html"} == {"assignments.tsv", "model.safetensors", "result.json", "topics.tsv"}
    assert complete > 0
    assert copse("factor", larger.path, "-k", 20, "--max-iterations", 5, "-o", "out", "--force").returncode == 0
    assert not [path for path in (tmp_path / "out").iterdir() if path.name.startswith(".")]


def test_kill_during_convert(program, copse, larger, tmp_path):
    assert copse("convert", larger.path, "good.npz").returncode == 0
    good = (tmp_path / "good.npz").stat().st_size
    randomness = random.Random(2)
    for _ in range(15):
        process = subprocess.Popen([program, "convert", larger.path, "x.npz", "--quiet"], cwd=tmp_path)
        time.sleep(randomness.uniform(0, 0.3))
        process.kill()
        process.wait()
        if (tmp_path / "x.npz").exists():
            assert (tmp_path / "x.npz").stat().st_size == good
            (tmp_path / "x.npz").unlink()


@pytest.mark.parametrize("command", [("factor", "-k", "3"), ("tree", "--leaves", "4")])
@pytest.mark.parametrize("words", ["2>/dev/full", "2>&-"])
def test_words_that_cannot_be_printed_cost_no_result(program, larger, tmp_path, command, words):
    line = f"exec {program} {command[0]} {larger.path} {' '.join(command[1:])} -o out {words}"
    run = subprocess.run(["sh", "-c", line], cwd=tmp_path, stdout=subprocess.PIPE)
    assert run.returncode == 0 and run.stdout
    assert json.loads((tmp_path / "out" / "result.json").read_text())["k"] > 1
    wrong = subprocess.run(["sh", "-c", f"exec {program} factor nowhere.npz -k 3 {words}"], cwd=tmp_path)
    assert wrong.returncode == 1
