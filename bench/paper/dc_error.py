"""dcnmf figures 3 and 4: error and projected gradient of DC-NMF beside HALS, pivoting and MU from random starts at equal time.

  ./run bench paper/dc_error [--data newsgroups planted] [--ranks 20 40 80 160] [--seeds 2]

The unit of time is what DC-NMF takes for its tree and one alternation. Every method may go on for two units, and the
table has its relative error |X - W H| / |X| after one and after two; a dash where not one iteration was done by then. Then
the projected gradient at these times, as a share of that at the method's own start. The last columns have the
iterations within two units, and the seconds to the error that DC-NMF has after one unit. Times
hold the start and the transposed copy, not the reading of the file. HALS is copse's: accelerated and extrapolated.
`HALS, own start` is what copse does when asked for nothing else. Runs that an earlier call finished are not repeated.
"""

import argparse
import tempfile
from pathlib import Path

import corpora
import numpy as np
import scipy.sparse as sp
from program import ROOT, Program, Record

UNITS = (1, 2)
METHODS = {
    "DC-NMF": ["--solver", "dc"],
    "HALS, random start": ["--solver", "hals", "--start", "random"],
    "pivoting, random start": ["--solver", "pivoting", "--start", "random"],
    "MU, random start": ["--solver", "mu", "--start", "random"],
    "HALS, own start": ["--solver", "hals"],
}


def progress(result):
    """Seconds, error and projected gradient, one of each per iteration."""
    # The history of DC-NMF begins when its tree is done, that of all others when the matrix is transposed.
    before = result["seconds"]["solve"] - result["history"][-1]["seconds"]
    return [(before + iteration["seconds"], iteration["relative_error"], iteration["projected_gradient_ratio"])
            for iteration in result["history"]]


def one_run(program, k, options, seed, first=None):
    """`first` is the run of DC-NMF, which sets the unit of time and the error to reach."""
    def factor(*more):
        return program("factor", "-k", k, "--seed", seed, *options, *more)
    limit = UNITS[-1] * (first["unit"] if first else factor("--max-iterations", 1)["seconds"]["solve"])
    done = progress(factor("--tolerance", 0, "--max-iterations", 10**9, "--time-limit", limit))
    unit = first["unit"] if first else done[0][0]
    at = [next((state for state in reversed(done) if state[0] <= factor * unit), (None, None, None)) for factor in UNITS]
    errors = [error for _, error, _ in at]
    target = first["errors"][0] if first else errors[0]
    return {"unit": unit, "errors": errors, "gradients": [gradient for _, _, gradient in at],
            "iterations": sum(seconds <= UNITS[-1] * unit for seconds, _, _ in done),
            "reached": next((seconds for seconds, error, _ in done if error <= target), None)}


def cell(values, digits):
    if None in values:
        return "-"
    spread = f" ({min(values):.{digits}f} .. {max(values):.{digits}f})" if len(values) > 1 else ""
    return f"{np.mean(values):.{digits}f}{spread}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", choices=["newsgroups", "planted"], default=["newsgroups", "planted"])
    parser.add_argument("--planted", type=Path, default=ROOT / "build/bench_data/medium.npz",
                        help="a planted corpus of 100,000 documents, as bench/flat_nmf.py makes it")
    parser.add_argument("--ranks", type=int, nargs="+", default=[20, 40, 80, 160])
    parser.add_argument("--seeds", type=int, default=2, help="of all methods but DC-NMF, which needs none")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--record", default=ROOT / "build/bench_data/dc_error.json", help="finished runs")
    arguments = parser.parse_args()

    record = Record(arguments.record)
    for data in arguments.data:
        if data == "planted" and not arguments.planted.exists():
            print(f"\n### planted\n\n{arguments.planted.name} is not there; bench/flat_nmf.py makes it.")
            continue
        if data == "planted":
            x = sp.load_npz(arguments.planted).tocsc()
        else:
            x = corpora.normalized_cut(corpora.term_document_matrix(*corpora.newsgroups())[0])
        print(f"\n### {data}, {x.shape[0]:,} x {x.shape[1]:,}, {x.nnz:,} nonzeros\n\n| k | unit, s | method | error at 1 "
              "unit | at 2 units | gradient at 1 unit | at 2 units | iterations | seconds to DC-NMF's first error |\n|" + " --- |" * 9)
        with tempfile.TemporaryDirectory() as folder:
            program = Program(folder, x, threads=arguments.threads)
            for k in arguments.ranks:
                first = None
                for method, options in METHODS.items():
                    runs = [record.run(f"{data}, {k}, {method}, {seed}",
                                       lambda: one_run(program, k, options, seed, first))
                            for seed in range(arguments.seeds if first else 1)]
                    first = first or runs[0]
                    errors, gradients = ([[run[what][place] for run in runs] for place in range(len(UNITS))]
                                         for what in ("errors", "gradients"))
                    print(f"| {k} | {first['unit']:.2f} | {method} | "
                          + " | ".join([cell(values, 5) for values in errors] + [cell(values, 5) for values in gradients])
                          + f" | {np.mean([run['iterations'] for run in runs]):.0f} | "
                          + cell([run["reached"] for run in runs], 2) + " |", flush=True)


if __name__ == "__main__":
    main()
