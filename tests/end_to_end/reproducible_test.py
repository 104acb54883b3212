"""The same seed gives the same bytes, whatever the number of threads."""

import hashlib
import subprocess

import pytest
from conftest import make_planted
from factor_test import SOLVERS


@pytest.fixture(scope="module")
def corpus(program, tmp_path_factory):
    """Several thousand items and a word-like spread of sizes, so that every loop has more than one block."""
    path = tmp_path_factory.mktemp("corpus") / "corpus.npz"
    subprocess.run([program, "generate", "corpus", "--docs", "6000", "--terms", "5000", "-k", "8", "--seed", "3", "-o",
                    path], check=True)
    return path


@pytest.mark.combinations
@pytest.mark.parametrize("precision", ["float", "double"])
@pytest.mark.parametrize("variant", [["--solver", solver] for solver in SOLVERS] + [
    ["--start", "random"], ["--start", "nndsvd"], ["--start", "nndsvdar"], ["--affine"], ["--sparse", "thesis"], ["--runs", "3"]], ids=" ".join)
def test_checksum_does_not_depend_on_threads(copse, corpus, tmp_path, variant, precision):
    checksums = set()
    for threads in (1, 2, 3, 8):
        run = copse("factor", corpus, "-k", 8, "--seed", 5, "--max-iterations", 6, "--threads", threads, "--precision",
                    precision, *variant, "-o", f"out{threads}")
        assert run.returncode == 0, run.stderr
        checksums.add(hashlib.sha256((tmp_path / f"out{threads}" / "model.safetensors").read_bytes()).hexdigest())
    assert len(checksums) == 1


def test_another_seed_is_another_model(copse, tmp_path):
    planted = make_planted(tmp_path / "x.mtx")
    models = set()
    for seed in (1, 2):
        copse("factor", planted.path, "-k", 3, "--seed", seed, "--max-iterations", 2, "-o", f"out{seed}")
        models.add((tmp_path / f"out{seed}" / "model.safetensors").read_bytes())
    assert len(models) == 2
