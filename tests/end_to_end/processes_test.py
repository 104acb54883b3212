"""Several processes make one run: the result of one, one result, and no hang when one dies."""

import json
import os
import shutil
import signal
import subprocess
import time

import numpy as np
import pytest
import scipy.io
import scipy.sparse
from conftest import read_tsv

pytestmark = [pytest.mark.skipif(shutil.which("mpirun") is None, reason="there is no mpirun"),
              pytest.mark.skipif("COPSE_SANITIZER" in os.environ, reason="MPI is not instrumented")]


def launcher(count):
    return ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(count)]


@pytest.fixture(scope="module")
def data(tmp_path_factory, program):
    libraries = subprocess.run(["ldd", program], capture_output=True, text=True).stdout
    if "libmpi" not in libraries:
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


@pytest.mark.parametrize("line, sentence", [
    (["factor", "x.mtx", "-k", 3], "cannot be read in blocks of items"),
    (["factor", "x.copse", "-k", 3, "--loss", "kl"], "all entries in memory"),
    (["factor", "x.copse", "-k", 3, "--solver", "dc"], "runs on one process"),
    (["tree", "x.copse", "--leaves", 3, "--stability", 2], "all entries in memory"),
    (["tree", "x.copse", "--leaves", 3, "--resume", "-o", "resumed"], "--resume"),
    (["convert", "x.mtx", "y.copse"], "not `convert`"),
    (["factor", "missing.copse", "-k", 3], "missing.copse"),
], ids=lambda value: " ".join(map(str, value)) if isinstance(value, list) else "")
def test_what_is_not_possible_gets_a_sentence(program, data, line, sentence):
    several = run(program, data, 2, *line)
    assert several.returncode != 0
    assert several.stderr.count(sentence) == 1, several.stderr


def test_a_dead_process_ends_all(program, data):
    subprocess.run([program, "generate", "corpus", "--docs", "20000", "--terms", "5000", "-k", "8", "-o", "big.copse"],
                   cwd=data, check=True, capture_output=True)
    for attempt in range(3):
        several = subprocess.Popen([*launcher(2), program, "factor", "big.copse", "-k", "12", "--tolerance", "0",
                                    "--max-iterations", "1000000", "-o", "dead", "--threads", "1"], cwd=data,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
        time.sleep(2 + attempt)
        children = subprocess.run(["pgrep", "-P", str(several.pid)], capture_output=True, text=True).stdout.split()
        members = [child for child in children
                   if "factor" in open(f"/proc/{child}/cmdline").read()]
        assert len(members) == 2
        os.kill(int(members[attempt % 2]), signal.SIGKILL)
        began = time.time()
        _, words = several.communicate(timeout=60)
        assert several.returncode != 0
        assert time.time() - began < 30
        assert "signal 9" in words
        assert not (data / "dead" / "result.json").exists()
