#!/usr/bin/env python3
"""What `./run build`, and then `./run test`, cost: two commits side by side in one run, user seconds and the clock.

Usage: build_times.py OLD [NEW] [--only build] [--folder FOLDER] [--table FILE]

Both are cloned into FOLDER (build/build_times) and begin with nothing but the report page. A step is done for one commit, then
for the other. The compiler is called through this file, which notes what it took, so "compiled" is the same thing for all
commits, with whatever targets and presets; ccache is off. Judge by user seconds where others use the machine.
"""

import argparse
import collections
import os
import pathlib
import platform
import resource
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
LOG = "COPSE_COMPILE_LOG"
Cost = collections.namedtuple("Cost", "user clock")


def measured(command, **options):
    """The exit code of the command, and what it and all that it started took."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime, time.monotonic()
    code = subprocess.run(command, **options).returncode
    return code, Cost(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, time.monotonic() - start)


def compile_and_note():
    """As the compiler's launcher: one line with user seconds, clock and output, or with what was built instead."""
    code, cost = measured(sys.argv[1:])
    output = next((b for a, b in zip(sys.argv, sys.argv[2:]) if a == "-o"), "-")
    with open(os.environ[LOG], "a") as log:
        log.write(f"{cost.user:.3f}\t{cost.clock:.3f}\t{os.path.abspath(output)}\n")
    return code


def clone(commit, place):
    if not place.exists():
        subprocess.run(["git", "clone", "-q", ROOT, place], check=True)
    subprocess.run(["git", "-C", place, "checkout", "-q", "--detach", commit], check=True)
    subprocess.run(["git", "-C", place, "clean", "-fdxq", "-e", "node_modules", "-e", ".venv", "-e", "web/dist"], check=True)
    subprocess.run(["./run", "page"], cwd=place, check=True, stdout=subprocess.DEVNULL)


def run(verb, place):
    """`./run VERB` in a clone: what it took, what compilers took of it, and the files that took the longest."""
    log = place.parent / f"{place.name}-{verb}.tsv"
    log.unlink(missing_ok=True)
    log.touch()
    environment = os.environ | {LOG: str(log), "CMAKE_CXX_COMPILER_LAUNCHER": str(pathlib.Path(__file__).resolve()),
                                "CCACHE_DISABLE": "1"}
    with open(place.parent / f"{place.name}-{verb}.log", "w") as words:
        code, total = measured(["./run", verb], cwd=place, env=environment, stdout=words, stderr=subprocess.STDOUT)
    files = [line.split("\t") for line in log.read_text().splitlines()]
    files = sorted(((float(user), os.path.relpath(name.strip(), place)) for user, _, name in files), reverse=True)
    print(f"{place.name}: ./run {verb} took {total.user:.0f} s of user time, {total.clock:.0f} s by the clock, {len(files)} files",
          flush=True)
    return code, total, sum(user for user, _ in files), files


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new", nargs="?", default="HEAD")
    parser.add_argument("--only", choices=["build"])
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build/build_times")
    parser.add_argument("--table", type=pathlib.Path, default=ROOT / "bench/results/build_times.md")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    commits = {name: subprocess.run(["git", "rev-parse", "--short", getattr(arguments, name)], cwd=ROOT, check=True,
                                    capture_output=True, text=True).stdout.strip() for name in ("old", "new")}
    places = {name: (arguments.folder / name).resolve() for name in commits}
    for name, place in places.items():
        clone(commits[name], place)
    rows, longest, failed = [], {}, False
    for verb in ["build"] if arguments.only else ["build", "test"]:
        found = {name: run(verb, place) for name, place in places.items()}
        failed |= any(code != 0 for code, *_ in found.values())
        longest[verb] = found["new"][3][:10]
        (_, old, old_compiled, old_files), (_, new, new_compiled, new_files) = found["old"], found["new"]
        rows += [(f"`./run {verb}`, clock", old.clock, new.clock), (f"`./run {verb}`, user", old.user, new.user),
                 ("of this compiled, user", old_compiled, new_compiled), ("compiler calls", len(old_files), len(new_files))]
        for code, name in ((found[name][0], name) for name in found):
            if code != 0:
                rows.append((f"`./run {verb}` of the {name} commit failed, see {name}-{verb}.log", code, code))
    text = f"""# Minutes of build and test

    {' '.join(['bench/build_times.py', commits['old'], commits['new'], *(['--only', 'build'] if arguments.only else [])])}

{time.strftime('%-d %B %Y')}, {os.cpu_count()} cores ({platform.machine()}), load {os.getloadavg()[2]:.0f}. From nothing, without ccache; \
`./run test` right after `./run build`.

| seconds | {commits['old']} | {commits['new']} | share |
| --- | --- | --- | --- |
"""
    text += "".join(f"| {what} | {old:.0f} | {new:.0f} | {new / old if old else 0:.2f} |\n" for what, old, new in rows)
    for verb, files in longest.items():
        text += f"\nWhat `./run {verb}` compiles longest: " + ", ".join(
            f"{pathlib.Path(name).name.removesuffix('.o')} {user:.1f}" for user, name in files) + ".\n"
    arguments.table.write_text(text)
    print(text)
    return int(failed)


if __name__ == "__main__":
    sys.exit(compile_and_note() if LOG in os.environ else main())
