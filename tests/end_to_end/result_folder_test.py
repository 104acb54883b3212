"""The folder of a result: what is the user's stays, links are not followed, and nothing is said that did not happen."""

import json
import os
import resource
import signal
import subprocess
import time

import pytest
from conftest import make_planted


def asked_leaves(folder):
    return json.loads((folder / "result.json").read_text())["settings"]["leaves"]


@pytest.fixture
def tree(copse, planted, tmp_path):
    assert copse("tree", planted.path, "--leaves", 5, "-o", "out").returncode == 0
    return tmp_path / "out"


@pytest.mark.parametrize("folder_inside", [False, True])
def test_files_of_the_user_stay(copse, planted, tree, folder_inside):
    (tree / "notes.txt").write_text("mine")
    if folder_inside:
        (tree / "plots").mkdir()
        (tree / "plots" / "a.png").write_text("mine, too")
    before = tree.stat().st_ino
    for command in (("edit", "out", "--merge", "1"), ("edit", "out", "--undo"), ("report", "out"),
                    ("tree", planted.path, "--leaves", 4, "-o", "out", "--force")):
        run = copse(*command)
        assert run.returncode == 0, run.stderr
        assert (tree / "notes.txt").read_text() == "mine"
        assert not folder_inside or (tree / "plots" / "a.png").read_text() == "mine, too"
    assert asked_leaves(tree) == 4
    assert tree.stat().st_ino == before  # a shell in the folder is still in it
    assert not [name for name in os.listdir(tree) + os.listdir(tree.parent) if name.startswith(".")]


def test_an_edit_from_inside_the_folder(copse, tree):
    assert copse("edit", ".", "--merge", "1", cwd=tree).returncode == 0
    assert copse("show", ".", cwd=tree).returncode == 0


def test_a_link_is_replaced_and_what_it_led_to_stays(copse, tree, tmp_path):
    (tree / "topics.tsv").rename(tmp_path / "shared.tsv")
    (tree / "topics.tsv").symlink_to(tmp_path / "shared.tsv")
    before = (tmp_path / "shared.tsv").read_text()
    run = copse("edit", "out", "--cut", 2)
    assert run.returncode == 0 and "topics.tsv was a link" in run.stderr
    assert not (tree / "topics.tsv").is_symlink() and (tree / "topics.tsv").read_text() != before
    assert (tmp_path / "shared.tsv").read_text() == before


def test_an_edit_that_cannot_be_written_says_nothing_of_a_change(program, tree, tmp_path):
    def full_disk():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    before = {path.name: path.read_bytes() for path in tree.iterdir()}
    run = subprocess.run([program, "edit", "out", "--merge", "1"], cwd=tmp_path, preexec_fn=full_disk,
                         capture_output=True, text=True)
    assert run.returncode == 1 and "File too large" in run.stderr and "merged" not in run.stderr + run.stdout
    assert {path.name: path.read_bytes() for path in tree.iterdir()} == before


def test_what_a_killed_convert_left_goes_with_the_next(program, copse, tmp_path):
    larger = make_planted(tmp_path / "larger.mtx", 400, 3000, 10)
    left = []
    for _ in range(20):
        process = subprocess.Popen([program, "convert", larger.path, "x.csv", "--quiet"], cwd=tmp_path)
        while process.poll() is None and not left:
            left = [name for name in os.listdir(tmp_path) if name.startswith(".x.csv.partial-")]
        process.send_signal(signal.SIGKILL)
        process.wait()
        left = [name for name in os.listdir(tmp_path) if name.startswith(".x.csv.partial-")]
        if left:
            break
        time.sleep(0.1)
    assert left, "killed too late each time"
    assert copse("convert", larger.path, "x.csv").returncode == 0
    assert not [name for name in os.listdir(tmp_path) if ".partial-" in name]


def test_a_commit_that_was_killed_can_be_read_where_nothing_can_be_written(program, copse, tree, tmp_path):
    """The state that a kill leaves in the midst of a journal: topics.tsv has moved, the rest has not."""
    assert copse("tree", tmp_path / "x.mtx", "--leaves", 3, "-o", "new").returncode == 0
    complete = tree / ".complete-result"
    (tmp_path / "new").rename(complete)
    (complete / "files").write_text("".join(f"{name}\n" for name in sorted(os.listdir(complete))))
    (complete / "topics.tsv").replace(tree / "topics.tsv")
    options = {}
    if os.geteuid() == 0:
        options = {"user": 65534, "group": 65534}
        for path in (*tmp_path.parents[:3], tmp_path):
            path.chmod(path.stat().st_mode | 0o555)
    for path in (tree, complete):
        path.chmod(0o555)
    run = subprocess.run([program, "show", "out", "--json"], cwd=tmp_path, capture_output=True, text=True, **options)
    for path in (tree, complete):
        path.chmod(0o755)
    if run.returncode == 126 or "Permission denied" in run.stderr:
        pytest.skip("another user cannot run the program here")
    assert run.returncode == 0, run.stderr
    assert asked_leaves(tree) == 5  # nothing could be moved
    again = copse("show", "out", "--json")  # now it can
    assert again.returncode == 0 and again.stdout == run.stdout
    assert asked_leaves(tree) == 3
    assert not complete.exists()


def test_splits_that_cannot_be_noted_do_not_end_the_run(copse, planted, tmp_path):
    (tmp_path / "out" / ".partial-splits" / "in the way").mkdir(parents=True)
    run = copse("tree", planted.path, "--leaves", 4, "-o", "out")
    assert run.returncode == 0 and "the finished splits were not kept" in run.stderr
    assert asked_leaves(tmp_path / "out") == 4
