#!/usr/bin/env python3
"""Segments of pictures against those that people drew: the three methods of [Kuang 2014, section 3.8].

    bench/segment.py PROGRAM [--pictures N]     PROGRAM is build/.../bin/copse; wants COPSE_DATA and matplotlib

Prints the table of bench/results/segment.md and draws the precision-recall curves to bench/results/segment.png. A picture
that is done is remembered in build/bench_data, so a call that was cut short goes on where it stopped. Wants no training
picture: the weights of the boundaries come from other pictures (bench/fit_boundary.py).
"""
import argparse
import json
import os
import pathlib
import resource
import subprocess
import tempfile

import numpy as np
import scipy.io

# Name in the table, and options: the thesis splits superpixels, the default merges them.
METHODS = {
    "spectral": ("Spectral-Embed, split", ["--method", "spectral", "--hierarchy", "split"]),
    "embed": ("SymNMF-Embed, split", ["--method", "embed", "--hierarchy", "split"]),
    "clust": ("SymNMF-Clust", ["--method", "clust"]),
    "spectral_merged": ("Spectral-Embed, merge", ["--method", "spectral"]),
    "default": ("SymNMF-Embed, merge (default)", []),
}
ROOT = pathlib.Path(__file__).resolve().parent.parent


def run(*call):
    """The JSON that a command prints, and the CPU seconds that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([str(word) for word in call], check=True, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return json.loads(done.stdout), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def judge(program, picture, people, choices):
    with tempfile.TemporaryDirectory() as folder:
        truths = []
        for number, person in enumerate(people):
            truths.append(f"{folder}/{number}.npy")
            np.save(truths[-1], np.ascontiguousarray(person["Segmentation"][0, 0].astype(np.int32)))
        result, cpu = run(program, "segment", picture, *choices, "-o", f"{folder}/out", "--no-page", "--json", "--quiet")
        regions, _ = run(program, "evaluate", f"{folder}/out/labels.png", *truths, "--json")
        boundaries, _ = run(program, "evaluate", f"{folder}/out/boundaries.png", *truths, "--map", "--json")
    return {"cpu": cpu, "seconds": result["seconds"]["total"], "memory": result["peak_memory_bytes"], "segments": result["k"],
            "regions": regions, "curve": boundaries["curve"]}


def counts(curve):
    return np.array([[point[key] for key in ("found", "found_matched", "truth", "truth_matched")] for point in curve], float)


def precision_recall_f(c):
    precision, recall = c[..., 1] / np.maximum(1, c[..., 0]), c[..., 3] / np.maximum(1, c[..., 2])
    return precision, recall, 2 * precision * recall / np.maximum(1e-12, precision + recall)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--pictures", type=int, default=20)
    parser.add_argument("--memory", type=pathlib.Path, default=ROOT / "build/bench_data/segment")
    parser.add_argument("--methods", nargs="*", choices=list(METHODS), default=list(METHODS))
    options = parser.parse_args()
    data = pathlib.Path(os.environ["COPSE_DATA"]) / "bsds500_subset"
    options.memory.mkdir(parents=True, exist_ok=True)
    found = {method: [] for method in options.methods}
    for picture in sorted((data / "images").glob("*.jpg"))[:options.pictures]:
        people = scipy.io.loadmat(data / f"groundTruth/{picture.stem}.mat")["groundTruth"][0]
        for method in options.methods:
            remembered = options.memory / f"{picture.stem}.{method}.json"
            if not remembered.exists():
                remembered.write_text(json.dumps(judge(options.program.resolve(), picture, people, METHODS[method][1])))
            found[method].append(json.loads(remembered.read_text()))
            best = precision_recall_f(counts(found[method][-1]["curve"]))[2].max()
            print(f"{picture.stem} {method}: best F {best:.3f}, {found[method][-1]['cpu']:.1f} s of CPU", flush=True)

    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(figsize=(6, 5))
    for f in np.arange(0.3, 0.9, 0.1):  # where F is the same
        recall = np.linspace(f / (2 - f), 1, 100)
        axes.plot(recall, f * recall / (2 * recall - f), color="#dddddd", linewidth=1, zorder=0)
    print("\n| method | best F, one threshold | precision, recall there | best F per picture | covering | variation of information |"
          " CPU s a picture |\n| --- | --- | --- | --- | --- | --- | --- |")
    styles = dict(zip(METHODS, ["o--", "s-", "^-", "x--", "D-"]))
    for method in options.methods:
        name, style = METHODS[method][0], styles[method]
        curves = np.array([counts(picture["curve"]) for picture in found[method]])
        precision, recall, f = precision_recall_f(curves.sum(axis=0))
        best = f.argmax()
        each = np.array([curve[precision_recall_f(curve)[2].argmax()] for curve in curves])
        mean = lambda key: np.mean([picture["regions"][key] for picture in found[method]])
        print(f"| {name} | {f[best]:.3f} | {precision[best]:.3f}, {recall[best]:.3f} | {precision_recall_f(each.sum(axis=0))[2]:.3f} | "
              f"{mean('covering'):.3f} | {mean('variation_of_information'):.2f} | {np.mean([p['cpu'] for p in found[method]]):.1f} |")
        shown = recall > 0
        axes.plot(recall[shown], precision[shown], style, markersize=3, label=f"{name}, F = {f[best]:.2f}")
    axes.set(xlabel="recall", ylabel="precision", xlim=(0, 1), ylim=(0, 1), title=f"Boundaries of {len(curves)} pictures")
    axes.legend(loc="lower left")
    figure.tight_layout()
    figure.savefig(ROOT / "bench/results/segment.png", dpi=110)


if __name__ == "__main__":
    main()
