"""Several processes make one run: the result of one, one result, and no hang when one dies."""

import json
import os
import re
import shutil
import signal
import subprocess
import time

import numpy as np
import pytest
import scipy.io
import scipy.sparse
from conftest import read_tsv

# OpenMPI's by default; COPSE_MPIRUN=mpirun.mpich for a program that was built with MPICH.
MPIRUN = os.environ.get("COPSE_MPIRUN", "mpirun --allow-run-as-root --oversubscribe").split()

pytestmark = [pytest.mark.skipif(shutil.which(MPIRUN[0]) is None, reason="there is no mpirun"),
              pytest.mark.skipif("COPSE_SANITIZER" in os.environ, reason="MPI is not instrumented")]


def launcher(count):
    return [*MPIRUN, "-n", str(count)]


@pytest.fixture(scope="module")
def data(tmp_path_factory, program):
    libraries = subprocess.run(["ldd", program], capture_output=True, text=True).stdout
    if "libmpi" not in libraries:  # libmpich, too
        pytest.skip("the program was built without MPI")
    folder = tmp_path_factory.mktemp("processes")
    rng = np.random.default_rng(5)
    labels = rng.integers(0, 5, 1500)
    counts = rng.poisson(0.08, (200, 1500)) + rng.poisson(1.5, (200, 1500)) * (np.arange(200)[:, None] % 5 == labels)
    counts[:, 17] = 0
    scipy.io.mmwrite(folder / "x.mtx", scipy.sparse.coo_matrix(counts))
    subprocess.run([program, "convert", "x.mtx", "x.copse"], cwd=folder, check=True, capture_output=True)
    return folder


def run(program, data, count, *arguments, **options):
    line = [*(launcher(count) if count else []), program, *map(str, arguments)]
    return subprocess.run(line, cwd=data, capture_output=True, text=True, timeout=120, **options)


@pytest.mark.parametrize("line", [["factor", "x.copse", "-k", 5], ["factor", "x.copse", "-k", 5, "--text"],
                                  ["factor", "x.copse", "-k", 4, "--affine", "--solver", "pivoting"],
                                  ["factor", "x.copse", "-k", 5, "--sparse", "thesis", "--engine", "disk"],
                                  ["tree", "x.copse", "--leaves", 5], ["tree", "x.copse", "--leaves", 5, "--engine", "disk"],
                                  ["tree", "x.copse", "--leaves", 5, "--weights", "tf-idf", "--unit-columns", "--no-flat"]],
                         ids=lambda line: " ".join(map(str, line)))
def test_any_number_gives_the_same_clusters(program, data, line):
    alone = run(program, data, 0, *line, "-o", "alone", "--force")
    assert alone.returncode == 0, alone.stderr
    expected = read_tsv(data / "alone" / "assignments.tsv")
    error = json.loads((data / "alone" / "result.json").read_text())["relative_error"]
    for count in (2, 3):
        several = run(program, data, count, *line, "-o", "several", "--force")
        assert several.returncode == 0, several.stderr
        result = json.loads((data / "several" / "result.json").read_text())
        assert result["engine"] == "mpi"
        assert result["relative_error"] == pytest.approx(error, abs=1e-3)
        found = read_tsv(data / "several" / "assignments.tsv")
        assert np.mean([a[:2] == b[:2] for a, b in zip(expected, found, strict=True)]) > 0.995


def test_the_same_number_gives_the_same_bits(program, data):
    found = []
    for _ in range(2):
        assert run(program, data, 2, "factor", "x.copse", "-k", 5, "-o", "bits", "--force").returncode == 0
        found.append((data / "bits" / "model.safetensors").read_bytes())
    assert found[0] == found[1]


def test_runs_are_spread(program, data):
    """Everyone makes some of the runs, with all items; the result is that of one process, to the bit."""
    line = ["factor", "x.copse", "-k", 6, "--runs", 4, "--start", "random", "--max-iterations", 12]
    assert run(program, data, 0, *line, "-o", "alone", "--force").returncode == 0
    expected = json.loads((data / "alone" / "result.json").read_text())
    assert len(set(expected["runs"]["relative_errors"])) == 4
    for count in (1, 2, 3):
        several = run(program, data, count, *line, "-o", "several", "--force")
        assert several.returncode == 0, several.stderr
        result = json.loads((data / "several" / "result.json").read_text())
        assert result["runs"] == expected["runs"]
        for name in ("model.safetensors", "assignments.tsv"):
            assert (data / "several" / name).read_bytes() == (data / "alone" / name).read_bytes(), (count, name)
    assert "makes some of 4 runs" in several.stderr
    # Where the items do not fit, all processes make every run together.
    several = run(program, data, 2, *line, "--engine", "disk", "-o", "several", "--force")
    assert several.returncode == 0 and "some of" not in several.stderr, several.stderr
    result = json.loads((data / "several" / "result.json").read_text())
    assert result["runs"]["best"] == expected["runs"]["best"]
    assert result["runs"]["relative_errors"] == pytest.approx(expected["runs"]["relative_errors"], abs=1e-4)


@pytest.mark.parametrize("line, sentence", [
    (["factor", "x.mtx", "-k", 3], "cannot be read in blocks of items"),
    (["factor", "x.copse", "-k", 3, "--loss", "kl"], "all entries in memory"),
    (["factor", "x.copse", "-k", 3, "--solver", "dc"], "runs on one process"),
    (["tree", "x.copse", "--leaves", 3, "--stability", 2], "all entries in memory"),
    (["convert", "x.mtx", "y.copse"], "not `convert`"),
    (["factor", "missing.copse", "-k", 3], "missing.copse"),
], ids=lambda value: " ".join(map(str, value)) if isinstance(value, list) else "")
def test_what_is_not_possible_gets_a_sentence(program, data, line, sentence):
    several = run(program, data, 2, *line)
    assert several.returncode != 0
    assert several.stderr.count(sentence) == 1, several.stderr


def kill_one(program, folder, line, moment, victim):
    """Starts two processes, kills one of them after some seconds, and says whether the run was over by then. Fails if the
    other hangs."""
    several = subprocess.Popen([*launcher(2), program, *map(str, line)], cwd=folder, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, start_new_session=True)
    time.sleep(moment)
    members = members_below(several.pid)
    began = time.time()
    if len(members) > victim:
        os.kill(members[victim], signal.SIGKILL)
    words = "".join(several.communicate(timeout=60))  # launchers differ in where they say it
    if several.returncode == 0:
        return True
    assert re.search("signal:? 9", words.lower()), words
    assert time.time() - began < 30
    return False


def members_below(launcher_process):
    """The processes of the run; a launcher may have helpers between."""
    found = []
    for child in subprocess.run(["pgrep", "-P", str(launcher_process)], capture_output=True, text=True).stdout.split():
        below = members_below(child)
        found += below if below else [int(child)] if is_member(child) else []
    return found


def is_member(process):
    try:
        with open(f"/proc/{process}/cmdline") as file:
            return file.read().split("\0")[1] in ("factor", "tree")
    except (OSError, IndexError):
        return False


def test_a_dead_process_ends_all(program, data):
    subprocess.run([program, "generate", "corpus", "--docs", "20000", "--terms", "5000", "-k", "8", "-o", "big.copse"],
                   cwd=data, check=True, capture_output=True)
    line = ["factor", "big.copse", "-k", 12, "--tolerance", 0, "--max-iterations", 1000000, "-o", "dead", "--threads", 1]
    for attempt in range(3):
        assert not kill_one(program, data, line, 2 + attempt, attempt % 2)
        assert not (data / "dead" / "result.json").exists()


def test_a_killed_tree_is_resumed(program, data):
    """Whenever a process was killed, the result is none or the whole one, and --resume gives the whole one. COPSE_KILLS=20 tries
    more moments."""
    subprocess.run([program, "generate", "corpus", "--docs", "15000", "--terms", "4000", "-k", "12", "-o", "tree.copse"],
                   cwd=data, check=True, capture_output=True)
    line = ["tree", "tree.copse", "--leaves", 12, "--threads", 1]
    began = time.time()
    whole = run(program, data, 2, *line, "-o", "whole")
    assert whole.returncode == 0, whole.stderr
    seconds = time.time() - began
    moments = seconds * np.random.default_rng(4).uniform(0.2, 1, int(os.environ.get("COPSE_KILLS", "3")))
    names = ("assignments.tsv", "topics.tsv", "tree.newick")
    recalled = over = 0
    for attempt, moment in enumerate(moments):
        folder = data / f"killed{attempt}"
        if kill_one(program, data, [*line, "-o", folder.name], moment, attempt % 2):
            over += 1
        else:
            written = {path.name for path in folder.iterdir() if not path.name.startswith(".")} if folder.exists() else set()
            assert "result.json" in written or not written & set(names)
        resumed = run(program, data, 2, *line, "-o", folder.name, "--resume")
        assert resumed.returncode == 0, resumed.stderr
        recalled += "were taken from the run before" in (folder / "result.json").read_text()
        for name in names:
            assert (folder / name).read_bytes() == (data / "whole" / name).read_bytes()
        shutil.rmtree(folder)
    print(f"{len(moments)} moments: {over} runs were over, {recalled} of the others went on from finished splits")

