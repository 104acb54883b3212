#!/usr/bin/env python3
"""One matrix, four places for its entries: in memory, in a .copse file, spread over processes (MPI), on a device (OpenCL).

For `factor` (k = 20 and others) and `tree` (60 leaves): are the clusters those of memory, how long does the solver take (CPU
seconds of all processes and seconds of the clock), what does it hold at most. The runs take turns, so that a busy moment
of the machine hits all alike. The file is in the page cache. The matrix is that of `copse generate corpus`, the twin of
the planted corpora of the papers' sizes.

    bench/engines.py --program build/release/bin/copse                           100,000 documents
    bench/engines.py --docs 765000 --terms 149000 -k 20 60 --opencl --threads 2 --rounds 1   59 million entries
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import resource
import subprocess
import tempfile
import time


def timed(line, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.time()
    run = subprocess.run(list(map(str, line)), cwd=folder, capture_output=True, text=True)
    seconds = time.time() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if run.returncode != 0:
        raise SystemExit(run.stderr)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, seconds


def clusters(folder):
    return [line.split("\t")[1] for line in (folder / "assignments.tsv").read_text().splitlines()[1:]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/bin/copse")
    parser.add_argument("--docs", type=int, default=100000)
    parser.add_argument("--terms", type=int, default=50000)
    parser.add_argument("-k", type=int, nargs="*", default=[20])
    parser.add_argument("--leaves", type=int, default=60)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--share", type=float, default=0.2, help="of the memory that a run in memory takes")
    parser.add_argument("--commands", nargs="*", default=["factor", "tree"])
    parser.add_argument("--processes", type=int, nargs="*", default=[1, 2, 3])
    parser.add_argument("--iterations", type=int, default=50)
    parser.add_argument("--opencl", action="store_true", help="on the first OpenCL device, too")
    arguments = parser.parse_args()
    program = pathlib.Path(arguments.program).resolve()
    work = pathlib.Path(tempfile.mkdtemp(prefix="engines-"))
    subprocess.run([program, "generate", "corpus", "--docs", str(arguments.docs), "--terms", str(arguments.terms), "-k",
                    "60", "-o", "big.copse"], cwd=work, check=True, capture_output=True)
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, {datetime.date.today()}; "
          f"{arguments.docs} x {arguments.terms}, {(work / 'big.copse').stat().st_size / 1e6:.0f} MB as .copse\n")
    print("| command | engine | CPU s | clock s | solve s | peak MB | relative error | same clusters |\n"
          "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    jobs = []
    if "factor" in arguments.commands:
        jobs += [("factor", ["-k", k, "--max-iterations", arguments.iterations, "--tolerance", 0]) for k in arguments.k]
    if "tree" in arguments.commands:
        jobs.append(("tree", ["--leaves", arguments.leaves]))
    for command, size in jobs:
        title = f"{command} {size[0]} {size[1]}"

        def line(threads):
            return [program, command, "big.copse", *size, "--threads", threads, "--no-page", "--force", "-o"]

        expected, peak = None, 0
        for _ in range(arguments.rounds):
            runs = [("memory", [*line(arguments.threads), "memory", "--engine", "memory"], "memory")]
            runs.append(("disk", None, "disk"))
            runs += [(f"{count} processes", ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", count,
                                             *line(max(1, arguments.threads // count)), "mpi"], "mpi")
                     for count in arguments.processes]
            if arguments.opencl:
                runs.append(("opencl", [*line(arguments.threads), "opencl", "--device", "opencl"], "opencl"))
            for name, call, folder in runs:
                if call is None:
                    limit = int(arguments.share * peak)
                    call = [*line(arguments.threads), "disk", "--engine", "disk", "--memory-limit", limit]
                    name = f"disk, limit {limit / 1e6:.0f} MB"
                try:
                    cpu, clock = timed(call, work)
                except SystemExit as error:
                    print(f"| {title} | {name} | refused: {str(error).strip().splitlines()[-1]} |")
                    continue
                result = json.loads((work / folder / "result.json").read_text())
                found = clusters(work / folder)
                if folder == "memory":
                    expected, peak = found, result["peak_memory_bytes"]
                same = sum(a == b for a, b in zip(expected, found, strict=True)) / len(found)
                print(f"| {title} | {name} | {cpu:.1f} | {clock:.1f} | {result['seconds']['solve']:.1f} | "
                      f"{result['peak_memory_bytes'] / 1e6:.0f} | {result['relative_error']:.6f} | {same:.5f} |", flush=True)


if __name__ == "__main__":
    main()
