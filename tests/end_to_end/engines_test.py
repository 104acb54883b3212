"""The same answer, whether the entries are in memory or stay in their file; every option works there or is refused with a sentence.

TABLE holds what docs/guide/engines.md says. Every option of the commands must stand in it, so that a new one cannot be forgotten.
"""

import json
import os
import pathlib
import re
import resource
import subprocess

import numpy as np
import pytest
import scipy.io
import scipy.optimize
import scipy.sparse
from conftest import read_tsv

ROOT = pathlib.Path(__file__).resolve().parents[2]

FACTOR = {
    "--text": [], "--items": ["columns"], "--header": ["detect"], "--row-names": ["detect"], "--features": ["names.txt"],
    "--item-names": ["items.txt"], "--truth": ["labels.txt"], "--min-count": [4], "--min-words": [12],
    "--drop-empty": [], "--drop-duplicates": None, "--select": None, "--library-size": None, "--weights": ["log-tf-idf"], "--scale": ["max"],
    "--unit-columns": [], "--normalized-cut": [], "--loss": {"frobenius": True, "kl": False},
    "--solver": {"hals": True, "mu": True, "active-set": True, "pivoting": True, "projected-gradient": True, "dc": True},
    "--start": {"automatic": True, "sample": True, "random": True, "nndsvd": True, "nndsvda": True, "nndsvdar": True},
    "--runs": [2], "--consensus": [3], "--consensus-distance": [2, "--consensus", 3], "--seed": [3], "--affine": [], "--sparse": ["thesis"], "--sparse-w": [0.1, "--sparse", 0.1], "--max-iterations": [15],
    "--tolerance": [1e-3], "--time-limit": ["60s"], "--force": [], "--no-page": [], "--top": [4], "--threads": [2],
    "--precision": ["double"], "--memory-limit": ["1G"], "--explain": [], "--json": [], "--quiet": [],
}
TREE = {
    "--items": ["columns"], "--header": ["detect"], "--row-names": ["detect"], "--features": ["names.txt"],
    "--item-names": ["items.txt"], "--truth": ["labels.txt"], "--min-count": [4], "--min-words": [12],
    "--drop-empty": [], "--drop-duplicates": None, "--select": None, "--library-size": None, "--weights": ["log-tf-idf"], "--scale": ["max"],
    "--unit-columns": [], "--normalized-cut": [],
    "--score": {"mndcg": True, "error": True, "rank1-gain": True, "fit": True, "rank1": True, "rank2": True},
    "--pick": ["size"], "--min-score": [0.01], "--outlier-trials": [0], "--imbalance": [5], "--start": ["random"],
    "--tolerance": [1e-3], "--max-iterations": [50], "--large-share": [0.5], "--time-limit": ["60s"], "--seed": [3],
    "--stability": None, "--no-flat": [], "--links": None, "--vectors": None, "--force": [], "--no-page": [],
    "--top": [4], "--resume": [], "--all": [], "--threads": [2], "--precision": ["double"], "--memory-limit": ["1G"],
    "--explain": [], "--json": [], "--quiet": [],
}
# Those that say how documents are read or how a graph is made of them have nothing to do with a matrix in a file.
ELSEWHERE = {
    "--help", "--help-all", "--engine", "--clusters", "--leaves", "--output", "--format", "--id", "--label", "--time", "--title", "--skip-bad",
    "--language", "--stop-words", "--stem", "--bigrams", "--max-share", "--max-features", "--numbers", "--addresses",
    "--words", "--drop-headers", "--drop-quotes", "--neighbour-graph", "--joint-weight", "--neighbours", "--link-weight", "--graph-weight",
    "--select-by", "--cell-labels", "--drop-signatures", "--device",
    "--text", "--csv-quotes", "--layer", "--label-column", "--transposed", "--undirected", "--directed",
}


@pytest.fixture(scope="module")
def data(tmp_path_factory, program):
    """A planted matrix of counts as .mtx and .copse, with names and labels, in a folder."""
    folder = tmp_path_factory.mktemp("engines")
    rng = np.random.default_rng(5)
    labels = rng.integers(0, 5, 900)
    counts = rng.poisson(0.08, (150, 900)) + rng.poisson(1.5, (150, 900)) * (np.arange(150)[:, None] % 5 == labels)
    counts[:, 17] = 0
    scipy.io.mmwrite(folder / "x.mtx", scipy.sparse.coo_matrix(counts))
    (folder / "names.txt").write_text("".join(f"word{i}\n" for i in range(150)))
    (folder / "items.txt").write_text("".join(f"item{j}\n" for j in range(900)))
    (folder / "labels.txt").write_text("".join(f"class{label}\n" for label in labels))
    (folder / "links.tsv").write_text("".join(f"item{j}\titem{j + 1}\n" for j in range(800)))
    np.save(folder / "vectors.npy", rng.random((900, 4)))
    subprocess.run([program, "convert", "x.mtx", "x.copse"], cwd=folder, check=True, capture_output=True)
    return folder


def run_both(copse, data, command, *arguments):
    """Runs with both engines into folders; the results as JSON and the clusters of the items."""
    found = []
    for engine in ("memory", "disk"):
        folder = data / f"out-{engine}"
        run = copse(command, "x.copse", *arguments, "--engine", engine, "-o", folder, "--force", cwd=data)
        assert run.returncode == 0, run.stderr
        result = json.loads((folder / "result.json").read_text())
        assert result["engine"] == engine
        found.append((result, [row[1] for row in read_tsv(folder / "assignments.tsv")[1:]], folder))
    return found


def agreement(a, b):
    """The share of items with the same cluster, whatever its number: two starts may end in the same clusters, and rounding
    says which of them is the better one."""
    _, first = np.unique(a, return_inverse=True)
    _, second = np.unique(b, return_inverse=True)
    counts = np.zeros((first.max() + 1, second.max() + 1))
    np.add.at(counts, (first, second), 1)
    return counts[scipy.optimize.linear_sum_assignment(-counts)].sum() / len(first)


def values(option):
    """The arguments to try, and whether they work on disk."""
    if option is None:
        return [(None, False)]
    if isinstance(option, dict):
        return [([value], works) for value, works in option.items()]
    return [(option, True)]


def cases():
    for command, size, table in (("factor", ["-k", 5], FACTOR), ("tree", ["--leaves", 5], TREE)):
        for name, option in table.items():
            for arguments, works in values(option):
                yield pytest.param(command, size, name, arguments, works, id=" ".join(map(str, [command, name, *(arguments or [])])))


@pytest.mark.combinations
@pytest.mark.parametrize("command, size, name, arguments, works", list(cases()))
def test_every_option_works_or_is_refused(copse, data, command, size, name, arguments, works):
    given = {"--stability": [3], "--links": ["links.tsv"], "--vectors": ["vectors.npy"], "--select": [50],
             "--library-size": [100]}.get(name, arguments or [])
    line = [*size, name, *given]
    if works:
        (memory, expected, _), (disk, labels, _) = run_both(copse, data, command, *line)
        assert agreement(expected, labels) > 0.99
        assert disk["relative_error"] == pytest.approx(memory["relative_error"], abs=2e-3)
        assert disk["stop_reason"] == memory["stop_reason"]
        return
    run = copse(command, "x.copse", *line, "--engine", "disk", "-o", data / "refused", cwd=data)
    assert run.returncode in (1, 2)
    assert "--engine disk" in run.stderr
    assert "all entries in memory" in run.stderr
    assert not (data / "refused" / "result.json").exists()


@pytest.mark.parametrize("command, table", [("factor", FACTOR), ("tree", TREE)])
def test_the_table_has_every_option(copse, command, table):
    text = copse(command, "--help").stdout
    options = set(re.findall(r"^  (?:-\w, )?(--[a-z][a-z0-9-]*)", text, re.MULTILINE))
    assert "--threads" in options and "--seed" in options
    known = set(table) | ELSEWHERE
    assert {option for option in options if option not in known} == set()


@pytest.mark.parametrize("command, size", [("factor", ["-k", 5]), ("tree", ["--leaves", 5])])
def test_a_device_gives_the_same_clusters(copse, data, command, size):
    if not json.loads(copse("devices", "--json").stdout)["devices"]:
        pytest.skip("there is no OpenCL device here; pocl-opencl-icd is one")
    labels = []
    for device in ([], ["--device", "opencl"]):
        run = copse(command, "x.mtx", *size, *device, "--no-page", "-o", data / "device", "--force", cwd=data)
        assert run.returncode == 0, run.stderr
        labels.append([row[1] for row in read_tsv(data / "device" / "assignments.tsv")])
    result = json.loads((data / "device" / "result.json").read_text())
    assert result["engine"] == "opencl"
    assert any("the model of the device says" in note for note in result["notes"])
    assert np.mean([a == b for a, b in zip(*labels, strict=True)]) > 0.99
    for line, sentence in ((["--stability", 3], "CPU only"), (["--engine", "disk"], "fits in memory"),
                           (["--device", "cuda"], "cuda")):
        given = line if "--device" in line else [*line, "--device", "opencl"]
        run = copse(command, "x.copse", *size, *given, "-o", data / "refused", cwd=data)
        if command == "factor" and "--stability" in line:
            continue  # it has no such option
        assert run.returncode != 0 and sentence in run.stderr, run.stderr


@pytest.mark.parametrize("command, size", [("factor", ["-k", 5]), ("tree", ["--leaves", 5])])
def test_explain_tells_the_plan_beside_the_run(copse, data, command, size):
    """What is planned and what is taken stand side by side, and the bytes read are those of the other note."""
    engines = {"memory": ["--engine", "memory"], "disk": ["--engine", "disk"]}
    if json.loads(copse("devices", "--json").stdout)["devices"]:
        engines["opencl"] = ["--device", "opencl"]
    for engine, given in engines.items():
        folder = data / "explained"
        run = copse(command, "x.copse", *size, *given, "--explain", "--no-page", "-o", folder, "--force", cwd=data)
        assert run.returncode == 0, run.stderr
        result = json.loads((folder / "result.json").read_text())
        lines = dict(note.removeprefix("explain: ").split(": ", 1) for note in result["notes"] if note.startswith("explain: "))
        expected = {"memory", "device" if engine == "opencl" else "solver"} | ({"reads"} if engine == "disk" else set())
        assert set(lines) == expected
        for line in lines.values():
            planned, taken = line.split(", ", 1)
            assert "planned" in planned and re.search(r"\d", planned) and re.search(r"\d.*(taken|read)", taken), line
        if command == "factor" and engine != "opencl":
            assert f"for {result['iterations']} iteration" in lines["solver"]
        if engine == "disk":
            read = next(note for note in result["notes"] if note.startswith("the file was read"))
            assert re.search(r", (.*) in all", read)[1] + " read" in lines["reads"]
        assert any("explain: memory" in line for line in run.stderr.splitlines())


@pytest.mark.parametrize("name", ["large.copse", "large.mtx"])
def test_a_file_beyond_the_addresses_of_the_process_gets_a_sentence(program, tmp_path, name):
    with (tmp_path / name).open("wb") as file:
        file.truncate(20 << 30)  # it takes no room on the disk
    limit = 6 << 30
    run = subprocess.run([program, "factor", name, "-k", "2"], cwd=tmp_path, capture_output=True, text=True,
                         preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
    assert run.returncode == 1
    assert "it has 21.5 GB" in run.stderr and "6.44 GB only (ulimit -v)" in run.stderr and "--memory-limit" in run.stderr


def test_explain_is_refused_where_no_plan_knows(copse, data):
    for command, line in (("factor", ["-k", 5, "--loss", "kl"]), ("factor", ["-k", 5, "--solver", "dc"]), ("factor", ["-k", 5, "--runs", 2]),
                          ("factor", ["-k", "auto"]), ("tree", ["--leaves", "auto"]), ("tree", ["--leaves", 5, "--stability", 3])):
        run = copse(command, "x.copse", *line, "--explain", "-o", data / "refused", cwd=data)
        assert run.returncode in (1, 2) and "no plan knows of" in run.stderr, (line, run.stderr)
        assert not (data / "refused" / "result.json").exists()
    (data / "docs.txt").write_text("one two three\nfour five six\n" * 20)
    run = copse("tree", "docs.txt", "--leaves", 2, "--explain", cwd=data)
    assert run.returncode in (1, 2) and "the counting of documents" in run.stderr


def test_the_guide_says_the_same():
    page = (ROOT / "docs/guide/engines.md").read_text()
    for command, table in (("factor", FACTOR), ("tree", TREE)):
        row = next(line for line in page.splitlines() if line.startswith(f"| `{command}`"))
        for name, option in table.items():
            if option is None:
                assert f"`{name}`" in row
            if isinstance(option, dict):
                for value, works in option.items():
                    assert (f"`{name} {value}`" in row) == (not works)


def test_a_limit_decides(copse, data, tmp_path):
    """Nothing but the limit: in memory where that fits, else in the file, else a sentence."""
    program = copse("--version").args[0]
    subprocess.run([program, "generate", "corpus", "--docs", "60000", "--terms", "9000", "-k", "8", "-o", "big.copse"],
                   cwd=tmp_path, check=True, capture_output=True)
    engines = {}
    for limit in ("4G", "100M"):
        run = copse("factor", "big.copse", "-k", 4, "--max-iterations", 5, "--memory-limit", limit, "--json", cwd=tmp_path)
        assert run.returncode == 0, run.stderr
        result = json.loads(run.stdout)
        engines[limit] = result["engine"]
        assert ("read from the file again and again" in run.stderr) == (result["engine"] == "disk")
    assert engines == {"4G": "memory", "100M": "disk"}
    assert any(re.search(r"the file was read \d+\.\d times, .*B in all", note) for note in result["notes"])
    assert result["peak_memory_bytes"] <= 100e6
    run = copse("factor", "big.copse", "-k", 4, "--memory-limit", "30M", cwd=tmp_path)
    assert run.returncode == 1
    assert "even with the items left in their file" in run.stderr


def test_coefficients_lie_in_scratch_files_under_a_small_limit(copse, tmp_path):
    """Many items, and so much of memory that not even H with its copies fits: the same clusters, the limit is kept, and
    nothing stays behind."""
    program = copse("--version").args[0]
    subprocess.run([program, "generate", "corpus", "--docs", "150000", "--terms", "2000", "-k", "12", "-o", "many.copse"],
                   cwd=tmp_path, check=True, capture_output=True)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    factor = ["factor", "many.copse", "-k", 40, "--max-iterations", 25, "--threads", 2]
    labels, errors = {}, {}
    for engine, options in (("disk", ["--engine", "disk"]), ("spilled", ["--memory-limit", "150M"])):
        run = copse(*factor, *options, "-o", engine, cwd=tmp_path, env={**os.environ, "TMPDIR": str(scratch)})
        assert run.returncode == 0, run.stderr
        assert ("their coefficients are in scratch files" in run.stderr) == (engine == "spilled"), run.stderr
        result = json.loads((tmp_path / engine / "result.json").read_text())
        assert result["engine"] == "disk"
        labels[engine] = (tmp_path / engine / "assignments.tsv").read_text()
        errors[engine] = result["relative_error"]
        if engine == "spilled" and "COPSE_SANITIZER" not in os.environ:
            assert result["peak_memory_bytes"] <= 150e6
    assert labels["disk"] == labels["spilled"] and errors["disk"] == errors["spilled"]
    assert not list(scratch.iterdir())
    run = copse(*factor, "--memory-limit", "150M", cwd=tmp_path, env={**os.environ, "TMPDIR": str(tmp_path / "nowhere")})
    assert run.returncode == 1 and "nowhere: no scratch file" in run.stderr, run.stderr


def test_other_files_are_refused(copse, data):
    run = copse("factor", "x.mtx", "-k", 3, "--engine", "disk", cwd=data)
    assert run.returncode == 1
    assert "cannot be read in blocks of items" in run.stderr and "copse convert" in run.stderr
    run = copse("factor", "x.copse", "-k", 3, "--items", "rows", "--engine", "disk", cwd=data)
    assert run.returncode == 1
    assert "cannot be read in blocks of items" in run.stderr


def documents(path, count, words, length=30):
    """Texts of four subjects."""
    rng = np.random.default_rng(3)
    subjects = ("planet", "engine", "violin", "harbour")
    own = (words * rng.random((count, length)) ** 3).astype(int).tolist()
    common = rng.integers(0, words, (count, length // 3)).tolist()
    with open(path, "w") as file:
        for j in range(count):
            text = [f"{subjects[j % 4]}{i}" for i in own[j]] + [f"common{i}" for i in common[j]]
            print(json.dumps({"id": f"d{j}", "text": " ".join(text), "label": "pehv"[j % 4]}), file=file)


@pytest.mark.parametrize("command, size", [("topics", ["-k", 4]), ("tree", ["--leaves", 4])])
def test_documents_are_counted_on_disk(copse, tmp_path, command, size):
    """The same topics, and nothing stays in the folder for scratch files."""
    documents(tmp_path / "docs.jsonl", 1500, 300)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    environment = {**os.environ, "TMPDIR": str(scratch)}
    found = []
    for engine in ("memory", "disk"):
        run = copse(command, "docs.jsonl", *size, "--engine", engine, "-o", engine, env=environment)
        assert run.returncode == 0, run.stderr
        result = json.loads((tmp_path / engine / "result.json").read_text())
        assert result["engine"] == engine
        assert result["measures"]["nmi"] > 0.95
        found.append([row[:2] for row in read_tsv(tmp_path / engine / "assignments.tsv")])
    assert np.mean([a == b for a, b in zip(*found, strict=True)]) > 0.99
    assert any("the file was read" in note for note in result["notes"])
    assert any("scratch file" in note for note in result["notes"])
    assert list(scratch.iterdir()) == []
    (tmp_path / "new.jsonl").write_text('{"text": "planet1 planet2 planet3 planet0"}\n')
    placed = [copse("assign", folder, "new.jsonl").stdout.splitlines()[1].split("\t")[1] for folder in ("memory", "disk")]
    assert placed[0] == placed[1]


def test_documents_spill_under_a_limit(copse, tmp_path):
    """Counts that do not fit go to the disk by themselves, and the limit holds."""
    documents(tmp_path / "docs.jsonl", 8000, 6000, 600)
    run = copse("topics", "docs.jsonl", "-k", 4, "--max-iterations", 5, "--no-page", "--json")
    assert run.returncode == 0, run.stderr
    memory = json.loads(run.stdout)
    assert memory["engine"] == "memory"
    limit = int(0.75 * memory["peak_memory_bytes"])
    run = copse("topics", "docs.jsonl", "-k", 4, "--max-iterations", 5, "--no-page", "--json", "--memory-limit", limit)
    assert run.returncode == 0, run.stderr
    disk = json.loads(run.stdout)
    assert disk["engine"] == "disk"
    assert disk["peak_memory_bytes"] <= limit
    assert disk["measures"]["nmi"] == pytest.approx(memory["measures"]["nmi"], abs=0.01)


def test_npz_is_streamed(copse, data):
    """Without compression, with the items along the compressed axis; features in any order, some twice."""
    x = scipy.io.mmread(data / "x.mtx").tocsc().astype(np.float64)
    expected = run_both(copse, data, "tree", "--leaves", 5)[0][1]
    shuffled = x.copy()
    rng = np.random.default_rng(2)
    for j in range(x.shape[1]):
        part = slice(x.indptr[j], x.indptr[j + 1])
        order = rng.permutation(x.indptr[j + 1] - x.indptr[j])
        shuffled.indices[part], shuffled.data[part] = x.indices[part][order], x.data[part][order]
    halves = scipy.sparse.csc_matrix((np.repeat(x.data, 2) / 2, np.repeat(x.indices, 2), 2 * x.indptr), shape=x.shape)
    files = {"csc": (x, []), "csr": (x.T.tocsr(), ["--items", "rows"]), "shuffled": (shuffled, []), "twice": (halves, []),
             "ints": (x.astype(np.int16), [])}
    for name, (matrix, options) in files.items():
        scipy.sparse.save_npz(data / f"{name}.npz", matrix, compressed=False)
        run = copse("tree", f"{name}.npz", *options, "--leaves", 5, "--engine", "disk", "-o", data / "npz", "--force", cwd=data)
        assert run.returncode == 0, (name, run.stderr)
        assert json.loads((data / "npz" / "result.json").read_text())["engine"] == "disk"
        assert [row[1] for row in read_tsv(data / "npz" / "assignments.tsv")[1:]] == expected, name
    scipy.sparse.save_npz(data / "packed.npz", x, compressed=True)
    for name, options in (("packed", []), ("csr", []), ("csc", ["--items", "rows"])):
        run = copse("tree", f"{name}.npz", *options, "--leaves", 5, "--engine", "disk", cwd=data)
        assert run.returncode == 1 and "cannot be read in blocks" in run.stderr, (name, run.stderr)


def test_damaged_npz_is_refused(copse, data):
    x = scipy.io.mmread(data / "x.mtx").tocsc().astype(np.float64)
    bad = {}
    bad["negative"], bad["outside"], bad["offsets"] = x.copy(), x.copy(), x.copy()
    bad["negative"].data[100] = -1
    bad["outside"].indices[100] = 1 << 30
    bad["offsets"].indptr[10] = 1 << 30
    for name, matrix in bad.items():
        np.savez(data / f"{name}.npz", format=b"csc", shape=matrix.shape, data=matrix.data, indices=matrix.indices, indptr=matrix.indptr)
    scipy.sparse.save_npz(data / "flipped.npz", x, compressed=False)
    bytes_ = bytearray((data / "flipped.npz").read_bytes())
    bytes_[bytes_.find(x.data[:50].tobytes()) + 7] ^= 1
    (data / "flipped.npz").write_bytes(bytes_)
    for name, sentence in (("negative", "is negative"), ("outside", "is outside of 0 to 149"), ("offsets", "offsets must ascend"),
                           ("flipped", "damaged")):
        run = copse("factor", f"{name}.npz", "-k", 3, "--engine", "disk", cwd=data)
        assert run.returncode == 1, name
        assert sentence in run.stderr, run.stderr


def test_a_tree_is_the_same_to_the_bit(copse, data):
    (_, expected, memory), (_, labels, disk) = run_both(copse, data, "tree", "--leaves", 6)
    assert labels == expected
    for name in ("tree.json", "topics.tsv", "partitions.tsv"):
        assert (memory / name).read_bytes() == (disk / name).read_bytes()


def test_threads_do_not_matter(copse, data):
    found = []
    for threads in (1, 4):
        run = copse("factor", "x.copse", "-k", 5, "--engine", "disk", "--threads", threads, "-o", data / "threads", "--force",
                    cwd=data)
        assert run.returncode == 0
        found.append((data / "threads" / "model.safetensors").read_bytes())
    assert found[0] == found[1]


@pytest.mark.parametrize("command, size", [("factor", ["-k", 5]), ("tree", ["--leaves", 5])])
def test_assign_reads_blocks(copse, data, command, size):
    """Items of a .copse file get the places that those of the same matrix in another file get."""
    run = copse(command, "x.copse", *size, "--text", "-o", data / "model", "--force", cwd=data)
    if command == "tree":
        run = copse(command, "x.copse", *size, "--weights", "text", "--unit-columns", "--drop-empty", "-o", data / "model",
                    "--force", cwd=data)
    assert run.returncode == 0, run.stderr
    tables = []
    for file in ("x.copse", "x.mtx"):
        run = copse("assign", data / "model", file, cwd=data)
        assert run.returncode == 0, run.stderr
        tables.append(run.stdout)
    assert tables[0] == tables[1]


def test_a_damaged_block_is_named(copse, data):
    bytes_ = bytearray((data / "x.copse").read_bytes())
    bytes_[len(bytes_) // 3] ^= 0x55
    (data / "damaged.copse").write_bytes(bytes_)
    run = copse("factor", "damaged.copse", "-k", 3, "--engine", "disk", "-o", data / "damaged", cwd=data)
    assert run.returncode == 1
    assert "block" in run.stderr
    assert not (data / "damaged" / "result.json").exists()
