"""`./run attack [SECONDS]`: attacks on the program for ten minutes. Prints a table of what was tried and what survived."""

import argparse
import platform
import sys
import time

import concurrency
import disks
import kills
import links
import models
import streams
from common import Attack

HEADER = ["| subject | tried | survived | seconds |", "| --- | ---: | ---: | ---: |"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seconds", nargs="?", type=float, default=600, help="for all subjects together")
    parser.add_argument("--only", default="", help="subjects that have this in their name")
    parser.add_argument("--table", help="write the table into this file, too")
    options = parser.parse_args()
    subjects = [subject for module in (kills, disks, models, links, concurrency, streams) for subject in module.SUBJECTS
                if options.only in subject[0]]
    whole = sum(share for _, share, _ in subjects)
    lines, findings, left_out = list(HEADER), [], []
    for name, share, work in subjects:
        attack = Attack(name, options.seconds * share / whole)
        began = time.monotonic()
        try:
            reason = work(attack)
        finally:
            attack.close()
        if reason:
            left_out.append(f"{name}: left out, {reason}.")
        survived = attack.tried - len(attack.findings)
        lines.append(f"| {name} | {attack.tried:,} | {survived:,} | {time.monotonic() - began:.0f} |")
        print(lines[-1], file=sys.stderr, flush=True)
        findings += [f"{name}: {finding}" for finding in attack.findings]
    print("\n".join(lines + [""] + left_out))
    for finding in findings:
        print(finding)
    if options.table:
        write_table(options.table, lines, left_out, findings)
    return 1 if findings else 0


def write_table(path, lines, left_out, findings):
    """docs/attack.md: the text above the table stays, the table is new."""
    with open(path, encoding="utf-8") as file:
        above = file.read().split(HEADER[0])[0]
    end = f"\n{platform.system()} on {platform.machine()}, {time.strftime('%Y-%m-%d')}. "
    end += "All survived.\n" if not findings else f"{len(findings)} did not survive.\n"
    with open(path, "w", encoding="utf-8") as file:
        file.write(above + "\n".join([*lines, *([""] if left_out else []), *left_out]) + "\n" + end)


if __name__ == "__main__":
    sys.exit(main())
