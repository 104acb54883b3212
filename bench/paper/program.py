"""Runs of `copse` on a matrix in a folder of its own, and a record of finished runs that later calls continue."""

import csv
import json
import os
import subprocess
from pathlib import Path

import scipy.sparse as sp

ROOT = Path(__file__).resolve().parents[2]


class Program:
    """`folder` gets the matrix and the latest output."""

    def __init__(self, folder, x, terms=None, threads=1):
        self.folder, self.threads, self.output = Path(folder), threads, Path(folder) / "out"
        self.features = []
        sp.save_npz(self.folder / "x.npz", x, compressed=False)
        if terms:
            (self.folder / "terms.txt").write_text("\n".join(terms) + "\n")
            self.features = ["--features", self.folder / "terms.txt"]

    def __call__(self, command, *options):
        """What result.json says; the other files lie in `output`."""
        call = [os.environ.get("COPSE_PROGRAM", "copse"), command, self.folder / "x.npz", "-o", self.output, "--force",
                "--quiet", "--threads", self.threads, *self.features, *options]
        subprocess.run([str(part) for part in call], check=True)
        return json.loads((self.output / "result.json").read_text())

    def columns(self, table):
        """The columns of a table of the latest output, by name."""
        with open(self.output / table, newline="") as lines:
            rows = csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
            return dict(zip(next(rows), zip(*rows)))


class Record:
    """Finished runs by name, kept in a file: a call that is cut short is continued by the next."""

    def __init__(self, path):
        self.path = Path(path)
        self.runs = json.loads(self.path.read_text()) if self.path.exists() else {}

    def run(self, name, make):
        if name not in self.runs:
            self.runs[name] = make()
            self.path.parent.mkdir(parents=True, exist_ok=True)
            partial = self.path.with_suffix(".partial")
            partial.write_text(json.dumps(self.runs))
            partial.replace(self.path)
        return self.runs[name]
