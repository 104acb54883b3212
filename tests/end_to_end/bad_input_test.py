"""Whatever is wrong gets a sentence that names it: exit 2 for a wrong call, 1 for a failed run, never a crash."""

import gzip
import json
import os
import re
import resource
import shutil
import subprocess

import numpy as np
import pytest
from conftest import make_planted

pytestmark = pytest.mark.quick

HEADER = "%%MatrixMarket matrix coordinate real general\n"


def sentence(run, code, *parts):
    """The run failed with this code and one line that has all the parts."""
    assert run.returncode == code, (run.returncode, run.stderr)
    assert run.stdout == ""
    last = [line for line in run.stderr.splitlines() if line.startswith("copse")]
    assert len(last) == 1, run.stderr
    for part in parts:
        assert part in last[0], last[0]


@pytest.mark.parametrize("name, content, parts", [
    ("empty.mtx", b"", ["empty.mtx"]),
    ("binary.mtx", bytes(range(256)) * 8, ["binary.mtx"]),
    ("words.mtx", b"these are just words\n", ["words.mtx"]),
    ("truncated.mtx", (HEADER + "3 3 4\n1 1 1\n2 2 1\n").encode(), ["truncated.mtx", "4"]),
    ("more.mtx", (HEADER + "3 3 1\n1 1 1\n2 2 1\n").encode(), ["more.mtx", "1"]),
    ("range.mtx", (HEADER + "3 3 2\n1 1 1\n4 2 1\n").encode(), ["range.mtx", "line 4", "4"]),
    ("zero.mtx", (HEADER + "3 3 2\n1 1 1\n0 2 1\n").encode(), ["zero.mtx", "line 4", "0"]),
    ("nan.mtx", (HEADER + "3 3 2\n1 1 1\n2 2 nan\n").encode(), ["nan.mtx", "line 4"]),
    ("infinite.mtx", (HEADER + "3 3 2\n1 1 1\n2 2 inf\n").encode(), ["infinite.mtx", "line 4"]),
    ("negative.mtx", (HEADER + "3 3 2\n1 1 1\n2 2 -1\n").encode(), ["negative.mtx", "line 4", "-1"]),
    ("half.mtx.gz", gzip.compress((HEADER + "3 3 2\n1 1 1\n2 2 1\n").encode(), mtime=0)[:40], ["half.mtx.gz"]),
    ("broken.npz", b"PK\x03\x04 not really", ["broken.npz"]),
    ("ragged.csv", b"1,2,3\n4,5\n6,7,8\n", ["ragged.csv", "line 2"]),
    ("sizes.mtx", (HEADER + "99999999999999999999 3 1\n1 1 1\n").encode(), ["sizes.mtx"]),
    ("product.mtx", b"%%MatrixMarket matrix array real general\n2000000000 2000000000\n1\n", ["product.mtx"]),
])
def test_a_file_that_is_not_a_matrix(copse, tmp_path, name, content, parts):
    (tmp_path / name).write_bytes(content)
    sentence(copse("factor", name, "-k", 1, "-o", "out"), 1, *parts)
    assert not (tmp_path / "out").exists()


def test_a_file_that_is_not_there(copse, tmp_path):
    sentence(copse("factor", "missing.mtx", "-k", 2), 1, "missing.mtx", "o such file")
    sentence(copse("factor", tmp_path, "-k", 2), 1, str(tmp_path))
    sentence(copse("convert", "missing.mtx", "x.npz"), 1, "missing.mtx", "o such file")


def test_values_that_a_dense_file_may_not_have(copse, tmp_path):
    for value in (np.nan, np.inf, -1):
        x = np.ones((4, 5))
        x[2, 3] = value
        np.save(tmp_path / "x.npy", x)
        sentence(copse("factor", "x.npy", "-k", 2), 1, "x.npy")


def test_the_number_of_clusters(copse, planted):
    sentence(copse("factor", planted.path, "-k", 0), 2, "0 is out of range", "at least 1")
    sentence(copse("factor", planted.path, "-k", -3), 2, "-3 is out of range")
    sentence(copse("factor", planted.path, "-k", "many"), 2, "'many' is not a whole number")
    sentence(copse("factor", planted.path, "-k", "3.5"), 2, "'3.5' is not a whole number")
    for options in (("-k",), ("-k", 3, "--seed"), ("-k", 3, "--top")):
        run = copse("factor", planted.path, *options, "99999999999999999999")
        sentence(run, 2, "99999999999999999999 is out of range", " to ")
        assert "at least" not in run.stderr
    sentence(copse("factor", planted.path), 2, "-k N|auto is missing")
    sentence(copse("factor", planted.path, "-k", 61), 1, "-k 61 is too large", "60 features and 90 items", "at most 60")


def test_more_clusters_than_the_rank_is_no_error(copse, tmp_path):
    np.save(tmp_path / "x.npy", np.outer(np.arange(1, 9), np.arange(1, 12)).astype(float))
    run = copse("factor", "x.npy", "-k", 5, "-o", "out")
    assert run.returncode == 0, run.stderr


def test_a_matrix_of_zeros(copse, tmp_path):
    np.save(tmp_path / "x.npy", np.zeros((5, 6)))
    sentence(copse("factor", "x.npy", "-k", 2), 1, "no entry but zeros")
    (tmp_path / "none.mtx").write_text(HEADER + "5 6 0\n")
    sentence(copse("factor", "none.mtx", "-k", 2), 1, "no entry but zeros")
    for name in ("x.npy", "none.mtx"):
        sentence(copse("tree", name, "--leaves", 3, "-o", "out"), 1, "no entry but zeros")
        assert not (tmp_path / "out").exists()


def test_preparation_that_leaves_nothing(copse, planted):
    sentence(copse("factor", planted.path, "-k", 2, "--min-count", 1e9), 1, "preparation leaves nothing")


def test_one_item(copse, tmp_path):
    np.save(tmp_path / "x.npy", np.arange(1.0, 6).reshape(5, 1))
    run = copse("factor", "x.npy", "-k", 1, "-o", "out")
    assert run.returncode == 0, run.stderr
    assert (tmp_path / "out" / "assignments.tsv").read_text().splitlines()[1].startswith("0\t0\t")
    sentence(copse("factor", "x.npy", "-k", 2), 1, "at most 1")


def test_duplicates_are_added_up_and_said_once(copse, tmp_path):
    (tmp_path / "x.mtx").write_text(HEADER + "2 3 4\n1 1 1\n2 2 1\n1 1 2\n1 3 1\n")
    run = copse("factor", "x.mtx", "-k", 1)
    assert run.returncode == 0 and run.stderr.count("duplicate") == 1


def test_names_that_are_not_utf8(copse, planted, tmp_path):
    (tmp_path / "words.txt").write_bytes(b"".join(b"caf\xe9%d\n" % i for i in range(60)))
    run = copse("factor", planted.path, "-k", 2, "--features", "words.txt", "-o", "out")
    assert run.returncode == 0 and "UTF-8" in run.stderr
    assert "caf\ufffd" in (tmp_path / "out" / "topics.tsv").read_text()


def test_label_and_name_files_of_another_length(copse, planted, tmp_path):
    (tmp_path / "few.txt").write_text("a\nb\n")
    for option in ("--truth", "--item-names"):
        sentence(copse("factor", planted.path, "-k", 2, option, "few.txt"), 1, "few.txt has 2 lines", "90 items")
    sentence(copse("factor", planted.path, "-k", 2, "--features", "few.txt"), 1, "few.txt has 2 lines", "60 features")
    sentence(copse("evaluate", "few.txt", planted.labels_path), 1, "few.txt has 2 labels", "90 labels")
    (tmp_path / "none.txt").write_text("")
    assert copse("evaluate", "none.txt", "none.txt").returncode == 1


def test_an_output_folder_that_exists(copse, planted, tmp_path):
    (tmp_path / "empty").mkdir()
    assert copse("factor", planted.path, "-k", 2, "-o", "empty").returncode == 0
    sentence(copse("factor", planted.path, "-k", 3, "-o", "empty"), 1, "earlier result", "--force")
    assert copse("factor", planted.path, "-k", 3, "-o", "empty", "--force").returncode == 0
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("precious")
    sentence(copse("factor", planted.path, "-k", 2, "-o", "mine", "--force"), 1, "mine", "thesis.tex")
    sentence(copse("factor", planted.path, "-k", 2, "-o", "mine/thesis.tex"), 1, "it is a file")
    assert os.listdir(tmp_path / "mine") == ["thesis.tex"]


def test_an_output_folder_that_cannot_be_written_is_found_before_the_work(copse, planted, tmp_path):
    run = copse("factor", planted.path, "-k", 2, "-o", "/proc/copse")
    sentence(run, 1, "/proc/copse")
    assert "memory" not in run.stderr  # the matrix was not even looked at
    if os.geteuid() == 0:
        return  # root may write everywhere
    (tmp_path / "locked").mkdir(mode=0o500)
    sentence(copse("factor", planted.path, "-k", 2, "-o", "locked"), 1, "locked", "Permission denied")
    sentence(copse("factor", planted.path, "-k", 2, "-o", "locked/out"), 1, "locked", "Permission denied")


def test_a_file_that_may_not_grow_leaves_nothing_behind(copse, planted, tmp_path):
    def small_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))

    sentence(copse("factor", planted.path, "-k", 2, "-o", "out", preexec_fn=small_files), 1, "cannot write", "out")
    assert not (tmp_path / "out").exists()
    sentence(copse("convert", planted.path, "x.npz", preexec_fn=small_files), 1, "cannot write", "x.npz")
    assert not list(tmp_path.glob("*x.npz*"))
    sentence(copse("convert", planted.path, "/dev/full"), 1, "/dev/full")


def on_a_small_disk(command, folder):
    """Runs the command where `folder` is a disk of 64 kB, then lists what is on it."""
    folder.mkdir(exist_ok=True)
    script = f'mount -t tmpfs -o size=64k tmpfs "{folder}" || exit 99; "$@"; code=$?; ls -A "{folder}"; exit $code'
    return subprocess.run(["unshare", "-rm", "sh", "-c", script, "sh", *map(str, command)], capture_output=True,
                          text=True, timeout=60)


def test_a_full_disk_leaves_nothing_behind(program, tmp_path):
    if not shutil.which("unshare") or on_a_small_disk(["true"], tmp_path / "disk").returncode != 0:
        pytest.skip("this machine does not let users mount a small disk of their own")
    planted = make_planted(tmp_path / "larger.mtx", 300, 2000, 5)
    for command in (["factor", planted.path, "-k", 20, "--quiet", "-o", tmp_path / "disk" / "out"],
                    ["factor", planted.path, "-k", 20, "--quiet", "-o", tmp_path / "disk"],
                    ["convert", planted.path, tmp_path / "disk" / "x.npz"],
                    ["generate", "mixture", "-k", 3, "-o", tmp_path / "disk" / "x.npy"]):
        run = on_a_small_disk([program, *command], tmp_path / "disk")
        sentence(run, 1, "cannot write", "No space left on device")


def test_a_full_standard_output(program, planted, tmp_path):
    for arguments in (["factor", planted.path, "-k", "2"], ["--help"], ["factor", planted.path, "-k", "2", "--json"]):
        with open("/dev/full", "w") as full:
            run = subprocess.run([program, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
        assert run.returncode == 1 and "No space left on device" in run.stderr


def test_more_memory_than_there_is(copse, tmp_path):
    planted = make_planted(tmp_path / "larger.mtx", 500, 500, 5)

    def factor(k, precision, limit):
        return copse("factor", planted.path, "-k", k, "--precision", precision, "--max-iterations", 1,
                     "--memory-limit", limit)

    def need(precision):
        run = factor(400, precision, "1MB")
        sentence(run, 1, "needs about")
        return int(re.search(r"needs about (\d+) MB", run.stderr)[1])

    between = (need("float") + need("double")) // 2
    sentence(factor(400, "double", f"{between}MB"), 1, f"--memory-limit allows {between} MB", "--precision float would fit")
    little = f"{need('float') - 4}MB"
    run = factor(400, "float", little)
    sentence(run, 1, "-k ", " would fit")
    smaller = run.stderr.split(" would fit")[0].split("-k ")[-1]
    assert factor(smaller, "float", little).returncode == 0
    run = copse("factor", planted.path, "-k", 2, "--memory-limit", "10k")
    sentence(run, 1, "No -k would fit")
    (tmp_path / "huge.mtx").write_text(HEADER + "2000000000 2000000000 900000000000\n1 1 1\n")
    sentence(copse("factor", "huge.mtx", "-k", 2), 1)
    sentence(copse("generate", "corpus", "--docs", 10**18, "-o", "x.npz"), 1)
    sentence(copse("generate", "mixture", "-k", 2, "--items", 10**12, "--features", 10**9, "-o", "x.npy"), 1)


def test_a_model_that_is_none(copse, planted, tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"12345678 this is no model")
    sentence(copse("factor", planted.path, "-k", 2, "--start", "model.safetensors"), 1, "not a safetensors file")
    sentence(copse("factor", planted.path, "-k", 2, "--start", "nndsvdx"), 1, "nndsvdx")


@pytest.mark.skipif("COPSE_SANITIZER" in os.environ, reason="a sanitizer needs memory of its own")
@pytest.mark.parametrize("name", ["x.mtx", "x.npz", "x.npy", "x.csv"])
def test_the_estimate_holds(copse, tmp_path, name):
    """What was used, besides the pages of the file itself, is no more than what was announced."""
    planted = make_planted(tmp_path / "larger.mtx", 1000, 4000, 5)
    copse("convert", planted.path, name)
    run = copse("factor", name, "-k", 20, "--max-iterations", 30, "--json")
    announced, unit = re.search(r"about ([\d.]+) (MB|GB) of memory", run.stderr).groups()
    used = json.loads(run.stdout)["peak_memory_bytes"] - (tmp_path / name).stat().st_size
    assert used < 1.15 * float(announced) * {"MB": 1e6, "GB": 1e9}[unit]
