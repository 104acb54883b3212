"""Closed and full standard streams, and limits of the process: work that is done is not lost, and none crashes."""

import os
import resource
import subprocess

from common import PROGRAM, hidden

STREAMS = [">&-", "2>&-", ">&- 2>&-", "> /dev/full", "2> /dev/full", "> /dev/full 2>&1", "< /dev/null", "<&-"]


def closed_streams(attack):
    base = attack.result("base")
    commands = [("tree x.npz --leaves 5 -o made", True), ("factor x.npz -k 3 -o made", True),
                ("edit out --undo", False), ("show out", False), ("report out", False), ("assign out x.npz", False),
                ("assign out x.npz -o placed.tsv", False), ("convert x.npz y.csv", False), ("show nowhere", False),
                ("--help", False), ("--version", False)]
    for streams in attack.while_time_is_left(STREAMS):
        for command, makes in commands:
            attack.anew(base)
            subprocess.run(["rm", "-rf", attack.folder / "made"])
            run = subprocess.run(["sh", "-c", f"exec {PROGRAM} {command} {streams}"], cwd=attack.folder,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)
            attack.check(run.returncode in (0, 1, 2), f"{command} {streams}: exit code {run.returncode}")
            if makes:
                attack.check((attack.folder / "made" / "result.json").exists(), f"{command} {streams}: no result")
            shown = attack.run("show", "out")
            attack.check(shown.returncode == 0, f"after {command} {streams}, show says {shown.stderr!r}")


def limits(attack):
    """Few open files, little memory, no processor time: a sentence, or the system's own end; the result stays whole."""
    base = attack.result("base")
    commands = [("edit", "out", "--undo", "--quiet"), ("report", "out", "--quiet"), ("show", "out"),
                ("tree", "x.npz", "--leaves", "5", "-o", "out", "--force", "--quiet")]
    cases = [(resource.RLIMIT_NOFILE, size, name) for size, name in
             ((3, "3 open files"), (4, "4"), (5, "5"), (6, "6"), (8, "8"), (10, "10"), (12, "12"), (16, "16"))]
    cases += [(resource.RLIMIT_AS, size * 2**20, f"{size} MB of address space") for size in (60, 80, 120, 200, 400, 800)]
    for which, size, name in attack.while_time_is_left(cases):
        for command in commands:
            attack.anew(base)

            def limit(which=which, size=size):
                resource.setrlimit(which, (size, size))

            run = subprocess.run([PROGRAM, *command], cwd=attack.folder, capture_output=True,
                                 preexec_fn=limit, timeout=120)
            what = f"{command[0]} with {name}"
            # 127: the loader itself finds no memory or descriptor for the libraries.
            attack.check(run.returncode in (0, 1, 2, 127), f"{what}: exit code {run.returncode}, {run.stderr[-200:]!r}")
            shown = attack.run("show", "out")
            attack.check(shown.returncode == 0, f"after {what}, show says {shown.stderr!r}")


def unwritable_parent(attack):
    """A container's /out: the folder may be written, what is beside it may not. Root becomes another user for that."""
    attack.result("base")
    place = attack.folder / "parent" / "out"
    place.mkdir(parents=True)
    options = {}
    if os.geteuid() == 0:
        os.chown(place, 65534, 65534)
        attack.folder.chmod(0o755)
        options = {"user": 65534, "group": 65534}
    place.parent.chmod(0o555)
    run_into(attack, place, **options)
    place.parent.chmod(0o755)


def mount_point(attack):
    """It cannot be exchanged with another folder, nor lies on its parent's disk."""
    attack.result("base")
    place = attack.folder / "mounted"
    place.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "tmpfs", place], capture_output=True).returncode != 0:
        return "only root can mount a disk"
    try:
        run_into(attack, place)
    finally:
        subprocess.run(["umount", place])
    return None


def run_into(attack, place, **options):
    for command in (("tree", "x.npz", "--leaves", "5", "-o", place), ("edit", place, "--merge", "1"),
                    ("edit", place, "--undo"), ("report", place),
                    ("tree", "x.npz", "--leaves", "4", "-o", place, "--force"), ("show", place)):
        run = attack.run(*command, **options)
        attack.check(run.returncode == 0, f"{command[0]}: {run.stderr!r}")
        attack.check(not hidden(place), f"{command[0]}: something is left behind")


SUBJECTS = [("closed and full streams", 0.04, closed_streams), ("few descriptors, little memory", 0.04, limits),
            ("a folder whose parent cannot be written", 0.01, unwritable_parent),
            ("a folder that is a mount point", 0.01, mount_point)]
