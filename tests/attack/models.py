"""Hostile models and results: known tensors with hostile values, wrong shapes, bytes; result.json and tree.json, too."""

import json
import random
import shutil
import struct
import subprocess
import time

from common import KINDS, PROGRAM, TOOLS

HOSTILE_NUMBERS = [-1, 0, 1, 2**31, 2**32, 2**40, 2**63 - 1, -(2**63)]
HOSTILE_REALS = [-1.0, float("nan"), float("inf"), -float("inf"), 1e300, 1e-320, 0.0]
BINARY = (".safetensors", ".json", ".npy", ".png", ".runs")
HOSTILE_JSON = [None, -1, 2**63, 1e300, "", "\x1b[2J\x07", True, [], {}, "../../../etc/passwd", [[[[]]]]]


def read_tensors(path):
    """The header and the bytes of a safetensors file, by the rules of the format."""
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    return json.loads(data[8:8 + length]), bytearray(data[8 + length:])


def write_tensors(path, header, data):
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + bytes(data))


def damage_value(randomness, header, data):
    """One number of one tensor."""
    name = randomness.choice([name for name in header if name != "__metadata__"])
    entry = header[name]
    kind, size = {"F32": ("<f", 4), "F64": ("<d", 8), "I64": ("<q", 8), "U8": ("<B", 1)}[entry["dtype"]]
    begin, end = entry["data_offsets"]
    if begin == end:
        return name
    at = begin + size * randomness.randrange((end - begin) // size)
    value = randomness.choice(HOSTILE_NUMBERS if entry["dtype"] == "I64" else HOSTILE_REALS)
    if entry["dtype"] == "U8":
        value = randomness.randrange(256)
    if entry["dtype"] == "F32" and value == 1e300:
        value = 3e38
    struct.pack_into(kind, data, at, value)
    return name


def damage_header(randomness, header):
    names = [name for name in header if name != "__metadata__"]
    name = randomness.choice(names)
    how = randomness.randrange(5)
    if how == 0:
        del header[name]
    elif how == 1:
        header[name]["shape"] = [randomness.choice(HOSTILE_NUMBERS) for _ in header[name]["shape"]]
    elif how == 2:
        header[name]["data_offsets"] = [randomness.choice(HOSTILE_NUMBERS), randomness.choice(HOSTILE_NUMBERS)]
    elif how == 3:
        header[name] = header[randomness.choice(names)]
    else:
        header[name]["shape"] = header[name]["shape"][::-1]
    return name


def damage_json(randomness, path):
    root = json.loads(path.read_text())
    place, key = {"": root}, ""
    while isinstance(place[key], (dict, list)) and place[key] and randomness.random() < 0.85:
        place = place[key]
        key = randomness.choice(list(place)) if isinstance(place, dict) else randomness.randrange(len(place))
    place[key] = randomness.choice(HOSTILE_JSON)
    path.write_text(json.dumps(root))
    return key


def damage(randomness, folder):
    """Returns what was done, in words."""
    how = randomness.randrange(8)
    model = folder / "model.safetensors"
    if not model.exists():
        how = randomness.choice((5, 7, 7))
    if how < 4:
        header, data = read_tensors(model)
        done = [damage_value(randomness, header, data) for _ in range(randomness.randrange(1, 4))]
        write_tensors(model, header, data)
        return f"values of {', '.join(done)}"
    if how == 4:
        header, data = read_tensors(model)
        done = damage_header(randomness, header)
        write_tensors(model, header, data)
        return f"the header of {done}"
    if how < 7:
        return f"result.json at {damage_json(randomness, folder / 'result.json')}"
    path = randomness.choice(sorted(path for path in folder.iterdir() if path.suffix in BINARY))
    data = bytearray(path.read_bytes())
    for _ in range(randomness.randrange(1, 9)):
        data[randomness.randrange(len(data))] = randomness.randrange(256)
    path.write_bytes(data[:randomness.randrange(len(data))] if randomness.random() < 0.3 else data)
    return f"bytes of {path.name}"


def commands(randomness, kind):
    every = [("show", "out"), ("show", "out", "--topic", "1", "--docs", "3"), ("show", "out", "--json"),
             ("assign", "out", "x.npz", "--quiet"), ("report", "out", "--quiet")]
    edits = [("--undo",), ("--cut", "2"), ("--merge", "1"), ("--drop", "2"), ("--rename", "2", "--to", "x"),
             ("--split", "2", "--into", "2")]
    if "tree" in kind:
        every += [("edit", "out", "--quiet", *randomness.choice(edits))]
    if "graph" in kind:
        every += [("assign", "out", "edges.txt", "--quiet")]
    if kind == "survey":
        every += [(*KINDS[kind][1], "-o", "out", "--resume", "--quiet")] * 2
    randomness.shuffle(every)
    return every[:3]


def hostile_results(attack):
    bases = [attack.result("tree"), *(attack.result(name, *make) for name, (make, _) in KINDS.items())]
    (attack.folder / "edges.txt").write_text("new 1 1\nnew 2 3\nother 5\n")
    randomness = random.Random(1)
    while attack.time_is_left:
        base = randomness.choice(bases)
        seed = attack.tried
        randomness.seed(seed)
        out = attack.anew(base)
        what = damage(randomness, out)
        for command in commands(randomness, base.name):
            try:
                run = attack.run(*command, timeout=30)
            except subprocess.TimeoutExpired:
                attack.check(False, f"{' '.join(command)} with {what} (seed {seed}) does not end")
                continue
            attack.sane(run, f"{' '.join(command)} with {what} (seed {seed})")


def hostile_logs(attack):
    """A log of splits with damaged bytes: the run takes what is whole and computes the rest."""
    attack.result("base")
    randomness = random.Random(1)
    process = subprocess.Popen([PROGRAM, "tree", "x.npz", "--leaves", "50", "-o", "killed", "--quiet"], cwd=attack.folder,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    log = attack.folder / "killed" / ".partial-splits"
    while process.poll() is None and not (log.exists() and log.stat().st_size > 20_000):
        pass
    process.kill()
    process.wait()
    if not log.exists():
        return "the run was over before it could be killed"
    good = log.read_bytes()
    while attack.time_is_left:
        bad = bytearray(good)
        for _ in range(randomness.randrange(1, 9)):
            bad[randomness.randrange(len(bad))] = randomness.randrange(256)
        if randomness.random() < 0.3:
            bad = bad[:randomness.randrange(len(bad))]
        shutil.rmtree(attack.folder / "killed")
        (attack.folder / "killed").mkdir()
        log.write_bytes(bad)
        run = attack.run("tree", "x.npz", "--leaves", 50, "-o", "killed", "--quiet", "--resume")
        attack.sane(run, "a damaged log of splits")
    return None


def random_inputs(program):
    """The fuzzers of whole results, in one process and with random inputs."""
    def attack_by_fuzzer(attack):
        seconds = max(1, int(attack.end - time.monotonic()))
        run = subprocess.run([TOOLS / program, str(seconds)], capture_output=True, text=True,
                             timeout=seconds + 120)
        attack.check(run.returncode == 0, f"{program}: exit code {run.returncode}, {run.stderr[-300:]!r}")
        attack.tried += int(run.stdout or 1) - 1
    return attack_by_fuzzer


SUBJECTS = [("results with hostile values and bytes, by command", 0.10, hostile_results),
            ("the same in the library, many a second", 0.06, random_inputs("result_random")),
            ("segments likewise", 0.02, random_inputs("segment_result_random")),
            ("runs of surveys likewise", 0.02, random_inputs("survey_random")),
            ("logs of splits likewise", 0.02, random_inputs("split_log_random")),
            ("damaged logs of splits, by --resume", 0.03, hostile_logs)]
