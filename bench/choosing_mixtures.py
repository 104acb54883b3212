#!/usr/bin/env python3
"""How many: the verdict on mixtures of whole classes, drawn at random from real data with labels.

Each mixture has 1 to 8 classes of a source, some 100 items of each, or uneven ones. The table has a row for each of them, and
the summary says for each source how often the verdict is right. One class alone may have groups of its own: it counts apart.

    bench/choosing_mixtures.py [SOURCE ...]      all sources, or those named; --classes 1,2,4; --draws N of each; --runs N; --range 2:12
    bench/choosing_mixtures.py --summary         no surveys: the summary of those that are kept

--keep FOLDER (mixtures) has the results, so that a call goes on where another ended and other rules can be tried on survey.runs;
--seed S draws others. CPU seconds are user + system of the whole process.
"""
import argparse
import array
import collections
import csv
import gzip
import json
import math
import os
import pathlib
import random
import resource
import struct
import subprocess
import sys

DATA = pathlib.Path(os.environ.get("COPSE_DATA", "shared/data"))
PROGRAM = os.environ.get("COPSE_PROGRAM", "copse")
CELLS = ("--library-size", "10000", "--select", "2000", "--select-by", "dispersion", "--weights", "log")
UNEVEN = (0.4, 2.5)  # times as many items of a class, where sizes differ
ENOUGH = 60  # a class with fewer items is left out

RELIGION = ("alt.atheism", "soc.religion.christian", "talk.religion.misc")


# Classes of one subject are told apart less easily, and where `apart` is asked for, no two of them are mixed.
def subject_of_newsgroup(name):
    if name in RELIGION:
        return "religion"
    first, second = name.split(".")[:2]
    if first == "rec":
        return "sport" if second == "sport" else "vehicles"
    return name if first == "sci" else first


def archive_of(name):
    return name.split(".")[0]


def lineage_of(name):
    return "T" if name.endswith("T") else "monocyte" if name.endswith("Mono") else name


def documents(name, label, text=lambda line: line["text"]):
    """Lines of JSON by class; documents without a class, or with several, are left out."""
    classes = collections.defaultdict(list)
    with gzip.open(DATA / name / "documents.jsonl.gz", "rt") as file:
        for line in map(json.loads, file):
            if line[label] is not None:
                classes[line[label]].append(json.dumps({"id": line["id"], "text": text(line)}))
    return classes


def write_documents(path, items):
    path = path.with_suffix(".jsonl")
    path.write_text("\n".join(items) + "\n")
    return path


def without_header(line):
    return line["text"].partition("\n\n")[2]


def cells(name):
    labels = (DATA / name / "labels.txt").read_text().splitlines()
    columns = collections.defaultdict(list)
    with gzip.open(DATA / name / "matrix.mtx.gz", "rt") as file:
        size = next(line for line in file if not line.startswith("%")).split()
        for line in file:
            row, column, value = line.split()
            columns[int(column)].append(f"{row} %d {value}")
    if len(labels) != int(size[1]):
        sys.exit(f"{name}: {len(labels)} labels of {size[1]} cells")
    classes = collections.defaultdict(list)
    for j, label in enumerate(labels, 1):
        classes[label].append((int(size[0]), columns[j]))
    return classes


def write_cells(path, items):
    path = path.with_suffix(".mtx")
    entries = [entry % j for j, (_, column) in enumerate(items, 1) for entry in column]
    head = f"%%MatrixMarket matrix coordinate real general\n{items[0][0]} {len(items)} {len(entries)}\n"
    path.write_text(head + "\n".join(entries) + "\n")
    return path


def digits():
    labels = (DATA / "digits_8x8/labels.txt").read_text().split()
    raw = (DATA / "digits_8x8/images.npy").read_bytes()
    begin = 10 + struct.unpack("<H", raw[8:10])[0]
    if "'fortran_order': False" not in raw[10:begin].decode():
        sys.exit("digits_8x8: other order of its axes")
    values, count = raw[begin:], len(labels)
    classes = collections.defaultdict(list)
    for j, label in enumerate(labels):
        classes[label].append([values[pixel * count + j] for pixel in range(64)])
    return classes


def write_digits(path, items):
    """Items are columns."""
    path = path.with_suffix(".npy")
    head = str({"descr": "<f4", "fortran_order": True, "shape": (64, len(items))}).encode()
    head += b" " * (-(len(head) + 11) % 64) + b"\n"
    body = array.array("f", [value for item in items for value in item]).tobytes()
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + body)
    return path


# name: (classes with their items, how a mixture is written, subject of a class or none, options of choose)
SOURCES = {
    "newsgroups": (lambda: documents("20newsgroups", "label", without_header), write_documents, None, ()),
    "newsgroups-apart": (lambda: documents("20newsgroups", "label", without_header), write_documents, subject_of_newsgroup, ()),
    "arxiv": (lambda: documents("arxiv_abstracts", "label"), write_documents, None, ()),
    "arxiv-apart": (lambda: documents("arxiv_abstracts", "label"), write_documents, archive_of, ()),
    "reuters": (lambda: documents("reuters21578", "label"), write_documents, None, ()),
    "dblp": (lambda: documents("dblp_titles", "label"), write_documents, None, ()),
    "digits": (digits, write_digits, None, ()),
    "pbmc3k": (lambda: cells("pbmc3k"), write_cells, None, CELLS),
    "pbmc3k-apart": (lambda: cells("pbmc3k"), write_cells, lineage_of, CELLS),
    "scmix": (lambda: cells("scmix_sc_celseq2"), write_cells, None, CELLS),
}


def draw(classes, subject, count, items_each, uneven, generator):
    """Names of `count` classes and their items in random order; none where there are not so many classes."""
    names = sorted(name for name in classes if len(classes[name]) >= ENOUGH)
    generator.shuffle(names)
    chosen, seen = [], set()
    for name in names:
        own = subject(name) if subject else name
        if own not in seen and len(chosen) < count:
            chosen.append(name)
            seen.add(own)
    if len(chosen) < count:
        return None, None
    items, sizes = [], []
    for name in chosen:
        size = round(items_each * math.exp(generator.uniform(*map(math.log, UNEVEN)))) if uneven else items_each
        sizes.append(min(size, len(classes[name])))
        items += generator.sample(classes[name], sizes[-1])
    generator.shuffle(items)
    return [f"{name} {size}" for name, size in zip(chosen, sizes)], items


def survey(folder, path, line):
    """The verdict and its CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([PROGRAM, "choose", str(path), *line, "--quiet", "--force", "-o", str(folder)], capture_output=True,
                          text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{path}: {done.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def per_k(folder, name):
    """A column of survey.tsv, as '2 .31, 3 .25'."""
    with open(folder / "survey.tsv", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    return ", ".join(f"{row['k']} {float(row[name]):.2f}".replace(" 0.", " .") for row in rows if row.get(name))


def row_of(folder):
    facts = json.loads((folder / "mixture.json").read_text())
    facts["folder"] = folder
    facts["verdict"] = json.loads((folder / "result.json").read_text())["survey"]
    return facts


def print_row(facts):
    verdict = facts["verdict"]
    own = ", ".join(f"{choice['measure']} {choice['k']}" for choice in verdict["choices"])
    possible = ", ".join(map(str, verdict["possible"])) or "-"
    cells_of_row = [facts["source"], ", ".join(facts["classes"]), facts["count"], verdict["k"], f"{verdict['sure']:.0%}", possible,
                    f"{verdict['least']} - {verdict['most']}", own, per_k(facts["folder"], "recurrence"),
                    per_k(facts["folder"], "prediction_strength"), f"{facts['cpu']:.0f}"]
    print("| " + " | ".join(map(str, cells_of_row)) + " |", flush=True)


def summary(rows):
    print("\n| source | mixtures | right | within one | in the interval | or possible | mean log2 of verdict / truth |\n" +
          "| --- " * 7 + "|")
    groups = collections.defaultdict(list)
    for row in rows:
        if row["count"] > 1:
            groups[row["source"]].append(row)
            groups["all"].append(row)
        else:
            groups["one class alone"].append(row)
    for name, group in groups.items():
        def share(holds):
            return sum(holds(row["verdict"], row["count"]) for row in group)

        ratio = sum(math.log2(row["verdict"]["k"] / row["count"]) for row in group) / len(group)
        print(f"| {name} | {len(group)} | {share(lambda v, c: v['k'] == c)} | {share(lambda v, c: abs(v['k'] - c) <= 1)} | "
              f"{share(lambda v, c: v['least'] <= c <= v['most'])} | {share(lambda v, c: v['k'] == c or c in v['possible'])} | "
              f"{ratio:+.2f} |")
    print("\n| says | mixtures | right |\n| --- | --- | --- |")
    for low, high in ((0, .5), (.5, .7), (.7, .9), (.9, 1), (1, 1.1)):
        says = [row for row in groups["all"] if low <= row["verdict"]["sure"] < high]
        if says:
            right = sum(row["verdict"]["k"] == row["count"] for row in says)
            print(f"| {low:.0%} - {min(high, 1):.0%} | {len(says)} | {right / len(says):.0%} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", nargs="*", help=", ".join(SOURCES))
    parser.add_argument("--classes", default="2,3,4,5,6,8")
    parser.add_argument("--draws", type=int, default=1)
    parser.add_argument("--items", type=int, default=150, help="of each class, where there are as many")
    parser.add_argument("--uneven", action="store_true", help=f"{UNEVEN[0]} to {UNEVEN[1]} times as many, by chance")
    parser.add_argument("--range", default="2:12")
    parser.add_argument("--runs", type=int, default=8)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=pathlib.Path, default=pathlib.Path("mixtures"))
    parser.add_argument("--summary", action="store_true")
    options = parser.parse_args()
    if unknown := set(options.sources) - set(SOURCES):
        parser.error(f"no such source: {', '.join(sorted(unknown))}")
    options.keep.mkdir(parents=True, exist_ok=True)
    head = ("source", "classes", "truth", "verdict", "sure", "possible", "interval", "each measure", "recurrence", "strength", "CPU s")
    print("| " + " | ".join(head) + " |\n" + "| --- " * len(head) + "|")
    if options.summary:
        rows = [row_of(path.parent) for path in sorted(options.keep.glob("*/mixture.json"))]
        rows = [row for row in rows if not options.sources or row["source"] in options.sources]
        for row in rows:
            print_row(row)
        summary(rows)
        return
    rows = []
    for source in options.sources or SOURCES:
        read, write, subject, line = SOURCES[source]
        classes = read()
        for count in map(int, options.classes.split(",")):
            for number in range(options.draws):
                name = f"{source}-{count}-{'uneven' if options.uneven else 'even'}-{options.items}-{options.seed}-{number}"
                folder = options.keep / name
                if not (folder / "mixture.json").exists():
                    chosen, items = draw(classes, subject, count, options.items, options.uneven, random.Random(name))
                    if chosen is None:
                        continue
                    path = write(options.keep / name, items)
                    cpu = survey(folder, path, ["-k", options.range, "--runs", str(options.runs), "--threads", str(options.threads), *line])
                    path.unlink()
                    facts = {"source": source, "classes": chosen, "count": count, "cpu": cpu, "runs": options.runs}
                    (folder / "mixture.json").write_text(json.dumps(facts) + "\n")
                rows.append(row_of(folder))
                print_row(rows[-1])
    if rows:
        summary(rows)


if __name__ == "__main__":
    main()
