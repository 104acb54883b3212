"""What the attacks share: the program, small results to attack, and the count of what was tried and what survived."""

import os
import pathlib
import random
import shutil
import subprocess
import tempfile
import time

PROGRAM = os.path.abspath(os.environ.get("COPSE_PROGRAM") or "build/release/bin/copse")
TOOLS = pathlib.Path(os.environ.get("COPSE_ATTACK_TOOLS", pathlib.Path(PROGRAM).parent.parent))

# A crash is a signal, or an exit code that the program does not give on purpose.
EXPECTED_CODES = (0, 1, 2)


class Attack:
    """One subject: a name, a time to end, and the findings. `tried` counts; a finding is a sentence."""

    def __init__(self, name, seconds):
        self.name, self.end = name, time.monotonic() + seconds
        self.tried, self.findings = 0, []
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="copse-attack-"))

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def while_time_is_left(self, choices):
        """All of them if there is time, else an even choice; one at least, however slow the machine."""
        for place, choice in enumerate(random.Random(1).sample(list(choices), len(choices))):
            if place and not self.time_is_left:
                return
            yield choice

    @property
    def time_is_left(self):
        return time.monotonic() < self.end

    def check(self, survived, what):
        self.tried += 1
        if not survived:
            self.findings.append(what)
        return survived

    def run(self, *arguments, timeout=120, **options):
        """The program in the folder of the attack; its words and its exit code."""
        options.setdefault("cwd", self.folder)
        return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True,
                              errors="replace", timeout=timeout, **options)

    def sane(self, run, what):
        """The program ended by itself, and where it refused something it said so in a sentence."""
        said = run.returncode == 0 or "copse: " in run.stderr
        surprised = "should not have happened" in run.stderr
        return self.check(run.returncode in EXPECTED_CODES and said and not surprised,
                          f"{what}: exit code {run.returncode}, {run.stderr.strip()[-200:]!r}")

    def inputs(self):
        """A matrix, a graph and a picture, all small."""
        if (self.folder / "x.npz").exists():
            return
        self.run("generate", "corpus", "--docs", 200, "--terms", 400, "-k", 4, "--seed", 1, "-o", "x.npz")
        self.run("generate", "graph", "--nodes", 60, "--degree", 8, "-k", 3, "-o", "graph.mtx")
        noise = random.Random(1)
        pixels = [(200 if x < 10 else 40, 180 if y < 8 else 30, 100) for y in range(16) for x in range(20)]
        (self.folder / "picture.ppm").write_bytes(
            b"P6 20 16 255\n" + bytes(value + noise.randrange(20) for pixel in pixels for value in pixel))

    def result(self, name, command="tree", *arguments):
        """A small result; a tree of six leaves comes with an edit that can be taken back. It takes no time of the attack."""
        began = time.monotonic()
        self.inputs()
        if command == "tree":
            made = self.run("tree", "x.npz", "--leaves", 6, "-o", name, *arguments)
            assert made.returncode == 0, made.stderr
            made = self.run("edit", name, "--merge", 1)
        else:
            made = self.run(command, *arguments, "-o", name)
        assert made.returncode == 0, made.stderr
        self.end += time.monotonic() - began
        return self.folder / name

    def anew(self, base, name="out"):
        """A copy of a folder under another name, and nothing beside it that an attack before left."""
        for place in (self.folder / name, self.folder / f".{name}.partial-result"):
            shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(base, self.folder / name, symlinks=True)
        return self.folder / name


# How each kind of result is made, and then made anew with something else in it.
KINDS = {
    "flat": (("factor", "x.npz", "-k", "3", "--affine"), ("factor", "x.npz", "-k", "2")),
    "graph": (("graph", "graph.mtx", "-k", "3"), ("graph", "graph.mtx", "-k", "2")),
    "tree of a graph": (("graph", "graph.mtx", "--hierarchical", "--leaves", "4"),
                        ("graph", "graph.mtx", "--hierarchical", "--leaves", "3")),
    "segments": (("segment", "picture.ppm", "--superpixels", "12", "--rank", "6", "--segments", "4"),
                 ("segment", "picture.ppm", "--superpixels", "12", "--rank", "6", "--segments", "3")),
    "survey": (("choose", "x.npz", "-k", "2:3", "--runs", "1"), ("choose", "x.npz", "-k", "2:3", "--runs", "2")),
}

# These tell the time, too.
TIMED = ("result.json", "report.html", "survey.runs")


def files_of(folder):
    """What a result says, file by file."""
    return {path.name: path.read_bytes() for path in pathlib.Path(folder).iterdir()
            if path.is_file() and not path.name.startswith(".") and path.name not in TIMED}


def hidden(folder):
    return sorted(path.name for path in pathlib.Path(folder).iterdir() if path.name.startswith("."))
