"""copse plan beside the runs that it plans."""

import json
import re
import resource
import shutil
import subprocess

import pytest


@pytest.fixture(scope="module")
def data(tmp_path_factory, program):
    folder = tmp_path_factory.mktemp("plan")
    subprocess.run([program, "generate", "corpus", "--docs", "20000", "--terms", "5000", "-k", "10", "-o", "x.copse"],
                   cwd=folder, check=True, capture_output=True)
    return folder


def call(program, data, *line, launcher=()):
    run = subprocess.run([*launcher, program, *map(str, line)], cwd=data, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    return run


def plan(program, data, *line):
    return json.loads(call(program, data, "plan", *line, "--json").stdout)


def result(data, folder):
    return json.loads((data / folder / "result.json").read_text())


@pytest.mark.parametrize("line, engine", [(["-k", 10], []), (["-k", 10], ["--engine", "disk"]), (["-k", 10], ["--memory-limit", "70M"]),
                                          (["--leaves", 8], [])], ids=str)
def test_memory_and_engine_are_those_of_the_run(program, data, line, engine):
    planned = plan(program, data, "x.copse", *line, *engine)
    command = "factor" if line[0] == "-k" else "tree"
    call(program, data, command, "x.copse", *line, *engine, "-o", "out", "--force")
    run = result(data, "out")
    assert planned["engine"] == run["engine"]
    assert planned["problem"] == ""
    assert planned["nonzeros"] == run["nonzeros"]
    if command == "factor":
        assert planned["memory_bytes"] == pytest.approx(run["estimated_memory_bytes"], rel=0.02)
    assert run["peak_memory_bytes"] <= planned["memory_bytes"] * 1.001


# The plan's CPU seconds are those of the solver; a run also reads and writes.
@pytest.mark.parametrize("line", [["-k", 20], ["--leaves", 20]], ids=str)
def test_time_is_within_a_factor_of_four(program, data, line):
    planned = plan(program, data, "x.copse", *line, "--iterations", 60)["cpu_seconds"]
    flat = ["factor", "x.copse", *line, "--max-iterations", 60, "--tolerance", 0]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    call(program, data, *(flat if line[0] == "-k" else ["tree", "x.copse", *line]), "--threads", 1)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime - before.ru_utime
    assert seconds / 4 <= planned <= 4 * seconds


def test_words_are_those_that_processes_send(program, data):
    if shutil.which("mpirun") is None or "libmpi" not in subprocess.run(["ldd", program], capture_output=True, text=True).stdout:
        pytest.skip("there is no MPI")
    sent = []
    for iterations in (4, 9):
        run = call(program, data, "factor", "x.copse", "-k", 7, "--solver", "pivoting", "--start", "random", "--tolerance", 0,
                   "--max-iterations", iterations, "-o", "out", "--force", "--threads", 1,
                   launcher=["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2"])
        assert run.returncode == 0
        note = " ".join(result(data, "out")["notes"])
        sent.append(int(re.search(r"sent ([\d,]+) bytes", note)[1].replace(",", "")))
    planned = plan(program, data, "x.copse", "-k", 7, "--nodes", 2)
    assert (sent[1] - sent[0]) / 5 == planned["bytes_sent_per_iteration"]


def test_a_matrix_in_thought(program, data):
    small, large = (plan(program, data, "--sizes", "100000x4500000x500000000", "-k", 100, "--nodes", nodes) for nodes in (4, 64))
    assert large["memory_bytes"] < small["memory_bytes"]
    assert large["cpu_seconds"] < small["cpu_seconds"] / 8
    assert call(program, data, "plan", "--sizes", "1000x10000x100000", "-k", 5).stdout.startswith("matrix")


@pytest.mark.parametrize("line", [["x.copse"], ["-k", 5], ["x.copse", "-k", 5, "--leaves", 5], ["--sizes", "5x5", "-k", 2],
                                  ["--sizes", "5x0x5", "-k", 2], ["x.copse", "--sizes", "5x5x5", "-k", 2]], ids=str)
def test_wrong_calls_get_a_sentence(program, data, line):
    run = subprocess.run([program, "plan", *map(str, line)], cwd=data, capture_output=True, text=True)
    assert run.returncode == 2
    assert "give" in run.stderr or "--sizes" in run.stderr
