"""Kills: at each system call that changes files, and at random moments. The old or the new result is there, whole."""

import random
import signal
import subprocess
import time

from common import KINDS, PROGRAM, TOOLS, files_of, hidden

EDIT = ("edit", "out", "--undo", "--quiet")
FORCE = ("tree", "x.npz", "--leaves", "5", "-o", "out", "--force", "--quiet")
FRESH = ("tree", "x.npz", "--leaves", "5", "-o", "fresh", "--quiet")


def at_call(attack, options, arguments):
    """Runs the program under at_call; what it said, and how many calls changed files."""
    count = attack.folder / "count"
    run = subprocess.run([TOOLS / "at_call", *options, "--count", count, "--", PROGRAM, *arguments], cwd=attack.folder,
                         capture_output=True, timeout=120)
    return run, int(count.read_text() if count.exists() else 0)


def can_trace(attack):
    return at_call(attack, [], ["--version"])[0].returncode == 0


def at_every_call(attack, arguments, base, deny=(), beside=(), again=("edit", "out", "--rename", "2", "--to", "x")):
    """`deny`: system calls that this file system has not. `beside`: folders that the user put into the result. `again`:
    what the next user does."""
    (base / "notes.txt").write_text("mine")
    for name in beside:
        (base / name).mkdir()
    out = attack.anew(base)
    _, calls = at_call(attack, deny, arguments)
    old, new = files_of(base), files_of(out)
    runs = base / "survey.runs"
    attack.check(old != new, "the change changed nothing")
    for number in attack.while_time_is_left(range(1, calls + 1)):
        attack.anew(base)
        at_call(attack, ["--kill", str(number), *deny], arguments)
        what = f"{arguments[0]} {' '.join(deny)} killed at call {number}"
        raw = files_of(out)
        if not deny and not beside:
            attack.check(raw in (old, new), f"{what}: the folder holds a mixture")
        shown = attack.run("show", "out")
        attack.check(shown.returncode == 0, f"{what}: show says {shown.stderr}")
        attack.check(files_of(out) in (old, new), f"{what}: there is a mixture after show")
        if runs.exists() and files_of(out) == old:
            attack.check((out / "survey.runs").read_bytes() == runs.read_bytes(), f"{what}: the runs of the survey changed")
        next_run = attack.run(*again, "--quiet")
        attack.check(next_run.returncode == 0, f"{what}: the next run says {next_run.stderr}")
        attack.check((out / "notes.txt").read_text() == "mine" and all((out / name).is_dir() for name in beside),
                     f"{what}: files of the user are gone")
        attack.check(not hidden(out) and not hidden(attack.folder), f"{what}: something is left behind")


def other_kinds_at_every_call(attack, names):
    """Graphs, segments and surveys, in turns."""
    end = attack.end
    for place, name in enumerate(names):
        make, anew = KINDS[name]
        before = attack.end
        base = attack.result("base " + name, *make)
        end += attack.end - before  # what making it took
        attack.end = time.monotonic() + (end - time.monotonic()) / (len(names) - place)
        for option in ("--force", "--resume") if name == "survey" else ("--force",):
            command = (*anew, "-o", "out", option)
            at_every_call(attack, (*command, "--quiet"), base, again=command)
        attack.end = end


def fresh_at_every_call(attack):
    """A folder that did not exist: nothing, or the whole result; and the same command works afterwards."""
    attack.result("base")
    _, calls = at_call(attack, [], FRESH)
    whole = files_of(attack.folder / "fresh")
    for number in attack.while_time_is_left(range(1, calls + 1)):
        subprocess.run(["rm", "-rf", attack.folder / "fresh", attack.folder / ".fresh.partial-result"])
        at_call(attack, ["--kill", str(number)], FRESH)
        there = (attack.folder / "fresh" / "result.json").exists()
        if (attack.folder / "fresh").exists():
            attack.check(files_of(attack.folder / "fresh") == (whole if there else {}),
                         f"a new folder, killed at call {number}, holds a part of a result")
        again = attack.run(*FRESH, *(["--force"] if there else []))
        attack.check(again.returncode == 0 and files_of(attack.folder / "fresh") == whole,
                     f"a new folder, killed at call {number}: the next run says {again.stderr}")


def at_random(attack):
    base = attack.result("base")
    out = attack.anew(base)
    attack.run(*EDIT)
    old, new = files_of(base), files_of(out)
    randomness = random.Random(1)
    while attack.time_is_left:
        attack.anew(base)
        began = time.monotonic()
        process = subprocess.Popen([PROGRAM, *EDIT], cwd=attack.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        time.sleep(randomness.uniform(0, 0.15))
        process.send_signal(signal.SIGKILL)
        process.wait()
        attack.check(files_of(out) in (old, new), f"killed after {time.monotonic() - began:.3f} s: a mixture")
        shown = attack.run("show", "out")
        attack.check(shown.returncode == 0, f"killed at a random moment: show says {shown.stderr}")


def of_a_tree(attack, arguments, **options):
    at_every_call(attack, arguments, attack.result("base"), **options)


def part(work, *arguments, **options):
    def attack_calls(attack):
        if not can_trace(attack):
            return "system calls cannot be traced here"
        return work(attack, *arguments, **options)
    return attack_calls


SUBJECTS = [
    ("edit, killed at every system call that changes files", 0.16, part(of_a_tree, EDIT)),
    ("the same without exchange of folders (journal)", 0.12,
     part(of_a_tree, EDIT, deny=("--deny", "renameat2", "EINVAL"))),
    ("the same with a folder of the user inside (journal)", 0.06, part(of_a_tree, EDIT, beside=("plots",))),
    ("tree --force, killed at every such call", 0.10, part(of_a_tree, FORCE)),
    ("graph, segment, choose --force and --resume, killed at every such call", 0.14,
     part(other_kinds_at_every_call, ("survey", "graph", "tree of a graph", "segments"))),
    ("tree into a new folder, killed at every such call", 0.05, part(fresh_at_every_call)),
    ("edit, killed at random moments", 0.03, at_random),
]
