#!/usr/bin/env python3
"""`copse plan` beside the runs that it plans, and what it says of clusters of machines.

The first table is of this machine: memory, engine, bytes sent and CPU seconds, planned and found. The others are on paper:
nobody ran them. Each node is a machine like this one with --threads threads and --memory bytes.

    bench/plan.py --program build/release/bin/copse
    bench/plan.py --only-paper
"""
import argparse
import json
import pathlib
import re
import resource
import shutil
import subprocess
import tempfile


def call(line, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run(list(map(str, line)), cwd=folder, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if run.returncode != 0:
        raise SystemExit(run.stderr)
    return run.stdout, after.ru_utime - before.ru_utime


def compare(program, docs, terms, work):
    call([program, "generate", "corpus", "--docs", docs, "--terms", terms, "-k", 40, "-o", "x.copse"], work)
    print("| run | planned MB | peak MB | planned CPU s | CPU s | ratio | planned bytes sent | bytes sent |\n"
          "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    hals = ["--max-iterations", 40, "--tolerance", 0]
    for name, command, size, more, processes in [
            ("factor -k 20", "factor", ["-k", 20], hals, 1), ("factor -k 60", "factor", ["-k", 60], hals, 1),
            ("factor -k 20 --engine disk", "factor", ["-k", 20, "--engine", "disk"], hals, 1),
            ("tree --leaves 20", "tree", ["--leaves", 20], [], 1), ("tree --leaves 60", "tree", ["--leaves", 60], [], 1),
            ("2 processes, factor -k 20", "factor", ["-k", 20], hals, 2)]:
        out, _ = call([program, "plan", "x.copse", *size, "--iterations", 40, "--nodes", processes, "--threads", 1, "--json"], work)
        plan = json.loads(out)
        launcher = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", processes] if processes > 1 else []
        if launcher and shutil.which("mpirun") is None:
            continue
        _, cpu = call([*launcher, program, command, "x.copse", *size, *more, "--threads", 1, "--no-page", "--force", "-o", "out"], work)
        result = json.loads((work / "out" / "result.json").read_text())
        note = re.search(r"sent ([\d,]+) bytes", " ".join(result["notes"]))
        planned = plan["cpu_seconds"] * processes
        sent = format(plan["bytes_sent"], ",.0f") if processes > 1 else ""
        print(f"| {name} | {plan['memory_bytes'] / 1e6:.0f} | {result['peak_memory_bytes'] / 1e6:.0f} | {planned:.2f} | {cpu:.2f} | "
              f"{planned / cpu:.2f} | {sent} | {note[1] if note else ''} |", flush=True)


def paper(program, title, features, items, each, k, threads, memory, work, weak=False):
    """Strong scaling: all items for any number of nodes; weak: so many items per node."""
    print(f"\n{title}\n\n| nodes | items | entries in | GB per process | CPU s | messages s | total s | speedup | efficiency |\n"
          "| ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    counts = [2**e for e in range(11)]

    def plans(items, nodes):
        out, _ = call([program, "plan", "--sizes", f"{features}x{items}x{each * items}", "-k", k, "--nodes", ",".join(map(str, nodes)),
                       "--threads", threads, "--memory-limit", memory, "--json"], work)
        return json.loads(out)

    rows = [plans(items * nodes, [nodes]) for nodes in counts] if weak else plans(items, counts)
    for nodes, plan in zip(counts, rows, strict=True):
        speedup = rows[0]["seconds"] / plan["seconds"] * plan["cols"] / rows[0]["cols"]
        print(f"| {nodes} | {plan['cols']:,} | {'file' if plan['in_file'] else 'memory'} | {plan['memory_bytes'] / 1e9:.0f}"
              f"{' (refused)' if plan['problem'] else ''} | {plan['cpu_seconds']:,.0f} | {plan['message_seconds']:.1f} | "
              f"{plan['seconds']:,.1f} | {speedup:.1f} | {speedup / nodes:.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/bin/copse")
    parser.add_argument("--docs", type=int, default=100000)
    parser.add_argument("--terms", type=int, default=50000)
    parser.add_argument("--threads", type=int, default=16)
    parser.add_argument("--memory", default="64G")
    parser.add_argument("-k", type=int, default=100)
    parser.add_argument("--only-paper", action="store_true")
    arguments = parser.parse_args()
    program = pathlib.Path(arguments.program).resolve()
    work = pathlib.Path(tempfile.mkdtemp(prefix="plan-"))
    if not arguments.only_paper:
        compare(program, arguments.docs, arguments.terms, work)
    common = (arguments.k, arguments.threads, arguments.memory, work)
    paper(program, "Strong scaling, 4.5 million articles x 100,000 terms, 100 terms each (on paper)", 100000, 4500000, 100, *common)
    paper(program, "Strong scaling, 10^9 documents x 200,000 terms, 75 terms each (on paper)", 200000, 10**9, 75, *common)
    paper(program, "Weak scaling, 10^9 / 1,024 documents per node (on paper)", 200000, 976563, 75, *common, weak=True)


if __name__ == "__main__":
    main()
