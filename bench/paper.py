#!/usr/bin/env python3
"""The papers' tables and figures on the data at hand, ours beside theirs, one after the other.

    ./run bench paper [--runs 20] [--only SUBSTRING]

Each stands in a file of its own below bench/paper, which says how it is made; this one calls them all, and says what the data do not
allow. Finished runs are remembered, so a call that was cut short goes on where it stopped. With 20 runs it takes hours. Wants COPSE_DATA.
"""
import argparse
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
BUILT = HERE.parent / "build" / "bench" / "bench"


def parts(runs):
    """Title, and the call or a sentence."""
    return [
        ("[Kuang 2014], tables 2, 3 and 4", ["text_tables.py", "--runs", runs]),
        ("[Kuang 2014], tables 9 and 10, eight methods", ["rivals.py", "--runs", runs]),
        ("[Kuang 2014], table 11: SymNMF by Newton, ANLS and coordinate descent",
         ["symnmf.py", BUILT / "graph", "--part", "tables", "--starts", runs]),
        ("[Kuang 2014], figures 20 and 26; [Du et al. 2017], figures 5 and 6", ["tree_quality.py", "--runs", runs]),
        ("[Du et al. 2017], figures 3 and 4", ["dc_error.py"]),
        ("[Du et al. 2017], figures 6, 7 and 8, on the corpora at hand", ["dc_times.py"]),
        ("[Du et al. 2017], table 1", [BUILT / "paper/synthetic_tables", "dcnmf"]),
        ("[Kim & Park 2008], table 1", [BUILT / "paper/synthetic_tables", "snmf"]),
        ("[Kim & Park 2008], tables 2 to 4, 8 and 9, on topics of Reuters-21578: TDT2 is not at hand",
         ["snmf_tables.py", "--trials", min(10, runs)]),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--only", default="", help="titles that contain this")
    options = parser.parse_args()
    failed = []
    for title, call in parts(options.runs):
        if options.only not in title:
            continue
        print(f"\n## {title}\n", flush=True)
        if isinstance(call, str):
            print(call)
            continue
        program = call[0]
        words = [str(program)] if isinstance(program, pathlib.Path) else [sys.executable, str(HERE / "paper" / program)]
        if subprocess.run([*words, *map(str, call[1:])], check=False).returncode != 0:
            failed.append(title)
    if failed:
        raise SystemExit("Not made: " + "; ".join(failed))


if __name__ == "__main__":
    main()
