"""Help, typos, completion and the manual page."""

import re
import shutil
import subprocess

import pytest

pytestmark = pytest.mark.quick

COMMANDS = ["factor", "evaluate", "generate", "convert", "demo", "completion", "manual"]
KINDS = ["corpus", "mixture", "genes", "uniform", "graph"]
PATHS = [[command] for command in COMMANDS] + [["generate", kind] for kind in KINDS]


def test_no_arguments_is_a_wrong_call_with_help(copse):
    run = copse()
    assert run.returncode == 2 and run.stdout == "" and "Commands" in run.stderr


def test_version(copse):
    run = copse("--version")
    assert run.returncode == 0 and re.fullmatch(r"copse \d+\.\d+\.\d+\n", run.stdout)


@pytest.mark.parametrize("path", PATHS, ids=" ".join)
def test_help_teaches(copse, path):
    run = copse(*path, "--help")
    assert run.returncode == 0 and run.stderr == ""
    assert "Usage" in run.stdout and "Examples" in run.stdout and "\033" not in run.stdout
    assert f"copse {' '.join(path)}" in run.stdout
    assert max(map(len, run.stdout.splitlines())) <= 110


def test_help_shows_the_defaults_of_the_library(copse):
    text = copse("factor", "--help").stdout
    for default in ("[hals]", "[200]", "[0.0001]", "[automatic]", "[float]"):
        assert default in text


@pytest.mark.parametrize("arguments, parts", [
    (["facter"], ["there is no command 'facter'", "Did you mean factor?"]),
    (["factor", "x.mtx", "-k", "2", "--sover", "mu"], ["there is no option '--sover'", "Did you mean --solver?"]),
    (["factor", "x.mtx", "--treads=2"], ["there is no option '--treads'", "Did you mean --threads?"]),
    (["factor", "x.mtx", "-k", "2", "--solver", "hal"], ["'hal' is not one of hals", "Did you mean hals?"]),
    (["factor", "x.mtx", "-k", "2", "--precision", "half"], ["'half' is not one of float, double"]),
    (["factor", "x.mtx", "-k", "2", "y.mtx"], ["nothing is expected at 'y.mtx'"]),
    (["factor", "-k", "2"], ["MATRIX is missing"]),
    (["factor", "x.mtx", "-k"], ["--clusters needs a value"]),
    (["factor", "x.mtx", "-k", "2", "--tolerance", "-1"], ["--tolerance", "out of range"]),
    (["factor", "x.mtx", "-k", "2", "--tolerance", "nan"], ["--tolerance", "not a number"]),
    (["factor", "x.mtx", "-k", "2", "--threads", "0"], ["--threads", "out of range"]),
    (["factor", "x.mtx", "-k", "2", "--memory-limit", "8 apples"], ["'8 apples' is not an amount of memory"]),
    (["factor", "x.mtx", "-k", "2", "--time-limit", "soon"], ["'soon' is not a time"]),
    (["factor", "x.mtx", "-k", "2", "--sparse", "-1"], ["--sparse", "-1 is out of range"]),
    (["generate"], ["a command is missing"]),
    (["generate", "corpse"], ["there is no command 'corpse'", "Did you mean corpus?"]),
    (["generate", "mixture", "-o", "x.npy"], ["-k N is missing"]),
    (["completion", "tcsh"], ["'tcsh' is not one of bash, zsh, fish"]),
    (["evaluate", "a.txt"], ["TRUTH is missing"]),
    (["tree", "x.mtx", "--resume"], ["--resume: it requires --output"]),
    (["tree", "x.mtx", "-o", ""], ["--output: the name of the folder is empty"]),
    (["show", ""], ["RESULT: the name of the folder is empty"]),
])
def test_a_wrong_call(copse, arguments, parts):
    run = copse(*arguments)
    assert run.returncode == 2, run.stderr
    assert run.stdout == "" and "--help'" in run.stderr
    for part in parts:
        assert part in run.stderr


def long_options(text):
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text))


@pytest.mark.parametrize("path", PATHS, ids=" ".join)
def test_manual_has_every_option_of_the_help(copse, path):
    page = re.sub(r"\\f[BIR]", " ", copse("manual").stdout).replace("\\-", "-")
    section = re.search(rf'^\.SS "copse {" ".join(path)}"\n(.*?)(?=^\.S[SH] )', page, re.M | re.S)
    assert section, path
    assert long_options(copse(*path, "--help").stdout) - long_options(section[1]) == set()


def test_manual_is_a_page_that_man_accepts(copse, tmp_path):
    if not shutil.which("man"):
        pytest.skip("man is not installed")
    (tmp_path / "copse.1").write_text(copse("manual").stdout)
    run = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", "copse.1"], cwd=tmp_path,
                         capture_output=True, text=True, env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"})
    assert run.returncode == 0 and run.stderr == ""


def complete(program, copse, tmp_path, *words):
    script = tmp_path / "copse.bash"
    script.write_text(copse("completion", "bash").stdout)
    listed = " ".join(f"'{word}'" for word in words)
    run = subprocess.run(
        ["bash", "-c", f"source {script}; COMP_WORDS=(copse {listed}); COMP_CWORD={len(words)}; _copse; "
         'printf "%s\\n" "${COMPREPLY[@]}"; complete -p copse'], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0 and run.stderr == ""
    return [line for line in run.stdout.splitlines()[:-1] if line]


def test_bash_completes(program, copse, tmp_path):
    (tmp_path / "matrix.mtx").write_text("")
    (tmp_path / "folder").mkdir()
    assert complete(program, copse, tmp_path, "fac") == ["factor"]
    assert set(COMMANDS) <= set(complete(program, copse, tmp_path, ""))
    assert complete(program, copse, tmp_path, "factor", "--sol") == ["--solver"]
    assert complete(program, copse, tmp_path, "factor", "m") == ["matrix.mtx"]
    assert complete(program, copse, tmp_path, "factor", "--solver", "p") == ["pivoting", "projected-gradient"]
    assert complete(program, copse, tmp_path, "factor", "x", "-o", "") == ["folder"]
    assert complete(program, copse, tmp_path, "edit", "f") == ["folder"]
    assert "matrix.mtx" not in complete(program, copse, tmp_path, "show", "")
    assert complete(program, copse, tmp_path, "factor", "-k", "") == ["auto"]
    assert complete(program, copse, tmp_path, "generate", "c") == ["corpus"]
    assert complete(program, copse, tmp_path, "generate", "corpus", "--do") == ["--docs"]
    assert complete(program, copse, tmp_path, "completion", "z") == ["zsh"]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_accept_the_script(copse, tmp_path, shell):
    script = tmp_path / "script"
    script.write_text(copse("completion", shell).stdout)
    assert long_options(copse("factor", "--help").stdout) - {"--"} and "solver" in script.read_text()
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    run = subprocess.run([shell, "-n", script], capture_output=True, text=True)
    assert run.returncode == 0 and run.stderr == ""
