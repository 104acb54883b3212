"""Full and broken disks: a write that fails leaves the old result, and a sentence; nothing is half written."""

import errno
import os
import resource
import subprocess

from common import KINDS, PROGRAM, files_of, hidden
from kills import EDIT, at_call, can_trace


def fails_at_every_call(attack):
    if not can_trace(attack):
        return "system calls cannot be traced here"
    cases = [(attack.result("base"), EDIT, ("edit", "out", "--rename", "2", "--to", "x", "--quiet"))]
    for name in ("survey", "graph", "segments"):
        make, anew = KINDS[name]
        command = (*anew, "-o", "out", "--force", "--quiet")
        cases.append((attack.result("base of a " + name, *make), command, command))
    tries = []
    for case in cases:
        out = attack.anew(case[0])
        _, calls = at_call(attack, [], case[1])
        old, new = files_of(case[0]), files_of(out)
        tries += [(*case, old, new, error, number) for error in ("ENOSPC", "EIO") for number in range(1, calls + 1)]
    for base, command, again, old, new, error, number in attack.while_time_is_left(tries):
        out = attack.anew(base)
        run, _ = at_call(attack, ["--fail", str(number), error], command)
        what = f"{command[0]}, {error} at call {number}"
        shown = attack.run("show", "out")
        attack.check(shown.returncode == 0, f"{what}: show says {shown.stderr}")
        attack.check(files_of(out) == (new if run.returncode == 0 else old),
                     f"{what}: exit code {run.returncode}, another result than it says")
        attack.check(run.returncode in (0, 1), f"{what}: exit code {run.returncode}, {run.stderr[-200:]}")
        attack.run(*again)
        attack.check(not hidden(out) and not hidden(attack.folder), f"{what}: something is left behind")
    return None


def files_that_cannot_grow(attack):
    """A limit on the size of files stands for a disk that is full."""
    base = attack.result("base")
    old = files_of(base)
    commands = [("edit", "out", "--undo", "--quiet"), ("report", "out", "--quiet"),
                ("tree", "x.npz", "--leaves", "5", "-o", "out", "--force", "--quiet"),
                ("convert", "x.npz", "big.csv", "--quiet"), ("assign", "out", "x.npz", "-o", "placed.tsv")]
    for size in attack.while_time_is_left((0, 1, 100, 4096, 20_000, 60_000, 100_000)):
        for command in commands:
            out = attack.anew(base)
            for name in ("big.csv", "placed.tsv"):
                (attack.folder / name).unlink(missing_ok=True)

            def limit(size=size):
                resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

            run = subprocess.run([PROGRAM, *command], cwd=attack.folder, capture_output=True, text=True,
                                 preexec_fn=limit, timeout=120)
            what = f"{command[0]} with files of {size} bytes at most"
            if run.returncode == 0:
                continue  # it was enough
            attack.check(run.returncode == 1 and os.strerror(errno.EFBIG) in run.stderr,
                         f"{what}: exit code {run.returncode}, {run.stderr[-200:]!r}")
            # The splits of a tree that could not be written are kept for --resume.
            attack.check(files_of(out) == old and not set(hidden(out)) - {".partial-splits"},
                         f"{what}: the result is another one")
            attack.check(not (attack.folder / "big.csv").exists() and not (attack.folder / "placed.tsv").exists(),
                         f"{what}: a file is half written")


def small_disk(attack):
    """A real one, of 1 MB, where the user may mount it."""
    disk = attack.folder / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], capture_output=True)
    if mounted.returncode != 0:
        return "only root can mount a disk"
    try:
        base = attack.result("base")
        subprocess.run(["cp", "-r", base, disk / "out"], check=True)
        old = files_of(base)
        for spare in (500, 300, 200, 100, 50, 20, 4, 0):
            (disk / "filler").unlink(missing_ok=True)
            free = os.statvfs(disk).f_bavail * os.statvfs(disk).f_bsize
            (disk / "filler").write_bytes(b"x" * max(0, free - spare * 1000))
            run = attack.run("edit", disk / "out", "--rename", "2", "--to", f"name {spare}", "--quiet")
            attack.sane(run, f"edit with {spare} kB left")
            shown = attack.run("show", disk / "out")
            attack.check(shown.returncode == 0, f"after an edit with {spare} kB left, show says {shown.stderr}")
            if run.returncode != 0:
                attack.check(files_of(disk / "out") == old and not hidden(disk / "out"),
                             f"edit with {spare} kB left changed the result although it failed")
            old = files_of(disk / "out")
    finally:
        subprocess.run(["umount", disk])
    return None


SUBJECTS = [("a call that fails with a full or broken disk", 0.12, fails_at_every_call),
            ("files that cannot grow", 0.04, files_that_cannot_grow),
            ("a full disk", 0.02, small_disk)]
