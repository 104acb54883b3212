"""Two programs with the same arguments, in turns: CPU seconds, peak memory, the ratio of each turn and its spread.

python bench/turns.py OLD NEW --turns 5 -- tree X.npz --leaves 20 --threads 2

A folder of its own is added as `-o` to every run and removed after it. One turn of each comes first and is not counted: it reads the
input into the cache of the system.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile


def run(program: str, arguments: list[str]) -> tuple[float, float]:
    """CPU seconds and peak megabytes."""
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            [program, *arguments, "-o", os.path.join(folder, "out")], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        said = process.stderr.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        if status != 0:
            sys.exit(f"{program} failed: {said.strip()}")
        return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main() -> None:
    if len(sys.argv) == 1:  # among all benchmarks
        print("Left out: it compares two programs, which must be named.")
        return
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("arguments", nargs="+", help="after --: the command line of both")
    options = parser.parse_args()
    programs = (options.old, options.new)
    for program in programs:
        run(program, options.arguments)
    turns = [[run(program, options.arguments) for program in programs] for _ in range(options.turns)]
    ratios = sorted(new[0] / old[0] for old, new in turns)
    for which, name in enumerate(("old", "new")):
        seconds, memory = (statistics.median(turn[which][i] for turn in turns) for i in (0, 1))
        print(f"{name}: {seconds:.2f} s of CPU, {memory:.0f} MB at most (medians of {options.turns} turns)")
    print(f"new / old: {statistics.median(ratios):.3f} (from {ratios[0]:.3f} to {ratios[-1]:.3f})")


if __name__ == "__main__":
    main()
