"""Many at once: two edits, readers during commits. Nothing is lost, and a reader sees the old or the new result."""

import json
import subprocess
import threading

from common import PROGRAM


def two_edits(attack):
    base = attack.result("base")
    while attack.time_is_left:
        out = attack.anew(base)
        processes = [subprocess.Popen([PROGRAM, "edit", "out", "--rename", node, "--to", f"name {node}",
                                       "--quiet"], cwd=attack.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                      text=True) for node in ("1", "2")]
        words = [process.communicate(timeout=120)[1] for process in processes]
        if not attack.check((out / "tree.json").exists(), "after two edits a part of the result is gone"):
            continue
        names = {node.get("name") for node in json.loads((out / "tree.json").read_text())["nodes"]}
        for node, process, said in zip(("1", "2"), processes, words):
            if process.returncode == 0:
                attack.check(f"name {node}" in names, f"the edit of node {node} ended well and is lost")
            else:
                attack.check("another run is writing there" in said, f"an edit beside another says {said!r}")
        attack.check(any(process.returncode == 0 for process in processes), "both edits were refused")


def readers(attack, journal=False):
    """One writer renames a node and takes the name back, for ever; readers must see a whole result."""
    base = attack.result("base")
    out = attack.anew(base)
    if journal:
        (out / "plots").mkdir()  # a folder inside: the journal
    stop = threading.Event()

    def write():
        while not stop.is_set():
            attack.run("edit", "out", "--rename", "2", "--to", "second", "--quiet")
            attack.run("edit", "out", "--undo", "--quiet")

    writer = threading.Thread(target=write)
    writer.start()
    try:
        while attack.time_is_left:
            run = attack.run("show", "out", "--json")
            if not attack.check(run.returncode == 0, f"show during commits: {run.stderr!r}"):
                continue
            json.loads(run.stdout)
            placed = attack.run("assign", "out", "x.npz", "--quiet")
            attack.check(placed.returncode == 0, f"assign during commits: {placed.stderr!r}")
    finally:
        stop.set()
        writer.join()


SUBJECTS = [("two edits at once", 0.04, two_edits), ("readers during commits", 0.04, readers),
            ("readers during commits with a journal", 0.03, lambda attack: readers(attack, journal=True))]
