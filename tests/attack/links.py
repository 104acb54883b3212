"""Links, pipes and devices in a folder from elsewhere: nothing outside it is written, read for ever or deleted."""

import os
import subprocess

from common import KINDS, files_of

COMMANDS = [("edit", "out", "--undo", "--quiet"), ("report", "out", "--quiet"),
            ("tree", "x.npz", "--leaves", "5", "-o", "out", "--force", "--quiet")]
NAMES = ["assignments.tsv", "topics.tsv", "tree.json", "partitions.tsv", "tree.newick", "model.safetensors",
         "report.html", "result.json", "demo-documents.jsonl", ".partial-splits", ".partial-result",
         ".complete-result", "my-own-link"]
OTHER_NAMES = ["communities.tsv", "labels.png", "labels.npy", "segmentations.npy", "picture.png", "overlay.png",
               "segments.png", "boundaries.png", "survey.tsv", "survey.runs", ".partial-runs", "result.json", "report.html"]


def links_inside(attack):
    bases = {name: attack.result("base of a " + name, *make) for name, (make, _) in KINDS.items() if name != "flat"}
    tree = attack.result("base")
    cases = [(tree, name, COMMANDS) for name in NAMES]
    for kind, base in bases.items():
        again = (*KINDS[kind][1], "-o", "out", "--quiet")
        commands = [("report", "out", "--quiet"), (*again, "--force")] + [(*again, "--resume")] * (kind == "survey")
        cases += [(base, name, commands) for name in OTHER_NAMES if name.startswith(".") or (base / name).exists()]
    for base, name, commands in attack.while_time_is_left(cases):
        for command in commands:
            for where in ("file", "folder", "nowhere"):
                out = attack.anew(base)
                mine = attack.folder / "mine"
                if mine.is_dir():
                    for path in mine.iterdir():
                        path.unlink()
                    mine.rmdir()
                mine.unlink(missing_ok=True)
                there = (out / name).read_bytes() if (out / name).is_file() else b"precious"
                if where == "file":
                    mine.write_bytes(there)
                elif where == "folder":
                    mine.mkdir()
                    (mine / "result.json").write_bytes(there)
                (out / name).unlink(missing_ok=True)
                (out / name).symlink_to(mine)
                run = attack.run(*command)
                what = f"{command[0]}, {name} a link to a {where}"
                attack.sane(run, what)
                if where == "file":
                    attack.check(mine.is_file() and mine.read_bytes() == there, f"{what}: the file behind it changed")
                elif where == "folder":
                    attack.check(mine.is_dir() and (mine / "result.json").read_bytes() == there,
                                 f"{what}: the folder behind it changed")
                else:
                    attack.check(not mine.exists(), f"{what}: a file was made where it leads")
                if name == "my-own-link":
                    attack.check((out / name).is_symlink(), f"{what}: the user's link is gone")


def pipes_and_devices(attack):
    base = attack.result("base")
    for name in ("model.safetensors", "result.json", "report.html", "tree.json"):
        for kind in ("pipe", "/dev/zero", "/dev/full"):
            for command in attack.while_time_is_left((("show", "out"), ("assign", "out", "x.npz"), *COMMANDS)):
                out = attack.anew(base)
                (out / name).unlink()
                if kind == "pipe":
                    os.mkfifo(out / name)
                else:
                    (out / name).symlink_to(kind)
                try:
                    attack.sane(attack.run(*command, timeout=30), f"{command[0]}, {name} is {kind}")
                except subprocess.TimeoutExpired:
                    attack.check(False, f"{command[0]}, {name} is {kind}: it does not end")


def linked_folder(attack):
    base = attack.result("base")
    real = attack.anew(base, "real")
    (attack.folder / "out").unlink(missing_ok=True)
    (attack.folder / "out").symlink_to("real")
    before = files_of(real)
    for command in COMMANDS:
        run = attack.run(*command)
        attack.sane(run, f"{command[0]} into a linked folder")
        attack.check((attack.folder / "out").is_symlink(), f"{command[0]}: the link to the folder is gone")
    attack.check(files_of(real) != before, "the folder behind the link did not change")
    (attack.folder / "out").unlink()


def onto_inputs(attack):
    """No output takes the place of what the same command reads."""
    base = attack.result("base")
    out = attack.anew(base)
    (attack.folder / "hard.npz").unlink(missing_ok=True)
    os.link(attack.folder / "x.npz", attack.folder / "hard.npz")
    (attack.folder / "soft.npz").symlink_to("x.npz")
    data, old = (attack.folder / "x.npz").read_bytes(), files_of(base)
    for target in ("x.npz", "hard.npz", "soft.npz", "./x.npz", "out/model.safetensors", "out/result.json",
                   "out/topics.tsv", "out/../out/tree.json"):
        run = attack.run("assign", "out", "x.npz", "-o", target)
        attack.check(run.returncode == 1 and "name another file" in run.stderr, f"assign -o {target}: {run.stderr!r}")
    for target in ("out/model.safetensors", "out/result.json"):
        run = attack.run("report", "out", "-o", target)
        attack.check(run.returncode == 1 and "name another file" in run.stderr, f"report -o {target}: {run.stderr!r}")
    attack.check((attack.folder / "x.npz").read_bytes() == data and files_of(out) == old, "an input was written over")


SUBJECTS = [("links inside a result", 0.06, links_inside), ("pipes and devices inside a result", 0.03, pipes_and_devices),
            ("a link to the folder", 0.01, linked_folder), ("outputs onto inputs", 0.01, onto_inputs)]
