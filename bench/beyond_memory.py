#!/usr/bin/env python3
"""More than memory holds, under a limit that the kernel enforces: private memory that can be written, as `ulimit -d` sets it.
A file that is mapped to read does not count, since the system takes its pages back.

`matrix`: a planted corpus is written to a .copse file as a stream, and `tree` splits it. `text`: documents with the words
of real ones (every one is made of the shuffled words of two documents of one class) go through `topics`. Both say the
time, the peak memory, and how often the file was read. What was made is deleted in the end.

    bench/beyond_memory.py matrix --docs 1680000 --words 604 --limit 2G     10^9 entries
    bench/beyond_memory.py matrix --file big.copse --limit 2G               a file that is there, with big.labels.txt
    bench/beyond_memory.py text --docs 1000000 --limit 1G
"""
import argparse
import datetime
import gzip
import json
import os
import pathlib
import random
import resource
import shutil
import subprocess
import tempfile
import time


def in_bytes(text):
    return int(float(text[:-1]) * {"M": 10**6, "G": 10**9}[text[-1]])


def limited(line, folder, limit):
    """Runs it; the kernel refuses memory beyond the limit. CPU seconds, seconds, what it said."""
    def enforce():
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.time()
    run = subprocess.run(list(map(str, line)), cwd=folder, capture_output=True, text=True, preexec_fn=enforce)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if run.returncode != 0:
        raise SystemExit(run.stderr)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, time.time() - began, run.stderr + run.stdout


def write_documents(path, data, count):
    """A JSON line each, with the words of two documents of the same class in any order."""
    classes = {}
    for name in ("arxiv_abstracts", "20newsgroups", "reuters21578"):
        for line in gzip.open(data / name / "documents.jsonl.gz", "rt"):
            document = json.loads(line)
            classes.setdefault(f"{name} {document.get('label')}", []).append(document["text"].split())
    names = [name for name, texts in classes.items() if len(texts) > 50]
    draw = random.Random(1)
    words = 0
    with open(path, "w") as file:
        for number in range(count):
            texts = classes[draw.choice(names)]
            text = draw.choice(texts)[:400] + draw.choice(texts)[:400]
            draw.shuffle(text)
            text = text[:(len(text) + 1) // 2]
            words += len(text)
            file.write(json.dumps({"id": str(number), "text": " ".join(text)}) + "\n")
    return words


def report(folder, cpu, seconds, words):
    result = json.loads((folder / "result.json").read_text())
    reads = next((note for note in result["notes"] if "times" in note and "in all" in note), "it was in memory")
    quality = f", NMI {result['measures']['nmi']:.3f}" if "measures" in result else ""
    print(f"{result['engine']}: {cpu:.0f} s of CPU, {seconds:.0f} s; peak {result['peak_memory_bytes'] / 1e6:.0f} MB; "
          f"{reads} Relative error {result['relative_error']:.4f}{quality}.\n{words}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["matrix", "text"])
    parser.add_argument("--program", default="build/release/bin/copse")
    parser.add_argument("--docs", type=int, default=100000)
    parser.add_argument("--words", type=float, default=604, help="matrix: different words in a document")
    parser.add_argument("--terms", type=int, default=60000)
    parser.add_argument("--file", help="matrix: a planted corpus that was generated before; it stays")
    parser.add_argument("--leaves", type=int, default=4)
    parser.add_argument("-k", type=int, default=20)
    parser.add_argument("--iterations", type=int, default=30)
    parser.add_argument("--limit", default="2G", help="for --memory-limit and for the kernel")
    parser.add_argument("--data", default=os.environ.get("COPSE_DATA", ""))
    parser.add_argument("--folder", help="where to work [a temporary one]")
    arguments = parser.parse_args()
    program = pathlib.Path(arguments.program).resolve()
    work = pathlib.Path(tempfile.mkdtemp(prefix="beyond-", dir=arguments.folder))
    limit = in_bytes(arguments.limit)
    print(f"{os.cpu_count()} cores, {datetime.date.today()}, limit {arguments.limit}", flush=True)
    try:
        if arguments.kind == "matrix" and arguments.file:
            big = pathlib.Path(arguments.file).resolve()
            line = ["tree", big, "--leaves", arguments.leaves, "--truth", big.with_suffix(".labels.txt")]
        elif arguments.kind == "matrix":
            cpu, seconds, words = limited(
                [program, "generate", "corpus", "--docs", arguments.docs, "--terms", arguments.terms, "-k", 8, "--branch", 4,
                 "--terms-per-document", arguments.words, "--seed", 1, "-o", "big.copse"], work, limit)
            print(f"generated in {cpu:.0f} s of CPU, {seconds:.0f} s; {(work / 'big.copse').stat().st_size / 1e9:.2f} GB\n{words}",
                  flush=True)
            line = ["tree", "big.copse", "--leaves", arguments.leaves, "--truth", "big.labels.txt"]
        else:
            words = write_documents(work / "docs.jsonl", pathlib.Path(arguments.data), arguments.docs)
            print(f"{arguments.docs} documents, {words} words, {(work / 'docs.jsonl').stat().st_size / 1e9:.2f} GB", flush=True)
            line = ["topics", "docs.jsonl", "-k", arguments.k, "--max-iterations", arguments.iterations]
        cpu, seconds, words = limited([program, *line, "--memory-limit", limit, "--no-page", "-o", "out"], work, limit)
        report(work / "out", cpu, seconds, words)
    finally:
        shutil.rmtree(work)


if __name__ == "__main__":
    main()
