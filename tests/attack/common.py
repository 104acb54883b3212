"""What the attacks share: the program, small results to attack, and the count of what was tried and what survived."""

import os
import pathlib
import random
import shutil
import subprocess
import tempfile
import time

PROGRAM = os.path.abspath(os.environ.get("COPSE_PROGRAM") or "build/test/bin/copse")
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
        """All of them if there is time, else an even choice."""
        for choice in random.Random(1).sample(list(choices), len(choices)):
            if not self.time_is_left:
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

    def result(self, name, command="tree", *arguments):
        """A small result: of a tree with six leaves, after an edit that can be taken back. It takes no time of the attack."""
        began = time.monotonic()
        if not (self.folder / "x.npz").exists():
            self.run("generate", "corpus", "--docs", 200, "--terms", 400, "-k", 4, "--seed", 1, "-o", "x.npz")
        if command == "tree":
            made = self.run("tree", "x.npz", "--leaves", 6, "-o", name, *arguments)
            assert made.returncode == 0, made.stderr
            made = self.run("edit", name, "--merge", 1)
        else:
            made = self.run(command, "x.npz", *arguments, "-o", name)
        assert made.returncode == 0, made.stderr
        self.end += time.monotonic() - began
        return self.folder / name

    def anew(self, base, name="out"):
        """A copy of a folder under another name, and nothing beside it that an attack before left."""
        for place in (self.folder / name, self.folder / f".{name}.partial-result"):
            shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(base, self.folder / name, symlinks=True)
        return self.folder / name


def files_of(folder):
    """What a result says, file by file; result.json and the page tell the time, too."""
    return {path.name: path.read_bytes() for path in pathlib.Path(folder).iterdir()
            if path.is_file() and not path.name.startswith(".") and path.name not in ("result.json", "report.html")}


def hidden(folder):
    return sorted(path.name for path in pathlib.Path(folder).iterdir() if path.name.startswith("."))
