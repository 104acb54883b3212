"""Raw text to weighted counts, beside scikit-learn's TfidfVectorizer: same files, interleaved, 2 threads for copse.

Usage: text.py [FILE...]; without files, those of COPSE_DATA. A file holds one JSON object with a `text` per line, in gzip.
COPSE_PROGRAM names the program; the benchmark text_reader is found beside it.
"""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROUNDS = 3
READER = pathlib.Path(os.environ["COPSE_PROGRAM"]).parent.parent / "bench" / "text_reader"

SCIKIT_LEARN = """
import gzip, json, sys, time
from sklearn.feature_extraction.text import TfidfVectorizer
start = time.perf_counter()
with gzip.open(sys.argv[1], "rt", encoding="utf-8") as lines:
    texts = [json.loads(line)["text"] for line in lines]
TfidfVectorizer(stop_words="english").fit_transform(texts)
print(json.dumps({"seconds": time.perf_counter() - start, "bytes": sum(len(text.encode()) for text in texts)}))
"""


def run(command, environment=None):
    """What a program prints, and its peak memory in MB."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL, env=environment or os.environ)
        _, status, usage = os.wait4(process.pid, 0)
        assert status == 0, command
        output.seek(0)
        return output.read(), usage.ru_maxrss / 1024


def measure_copse(path):
    command = [READER, "--benchmark_filter=count/threads:2/", "--benchmark_min_time=0", "--benchmark_format=json"]
    output, memory = run(command, os.environ | {"COPSE_BENCH_TEXT": str(path)})
    return json.loads(output)["benchmarks"][0]["real_time"] / 1000, memory


def measure_scikit_learn(path):
    output, memory = run([sys.executable, "-c", SCIKIT_LEARN, str(path)])
    found = json.loads(output)
    return found["seconds"], memory, found["bytes"]


def main():
    paths = [pathlib.Path(name) for name in sys.argv[1:]]
    if not paths:
        data = pathlib.Path(os.environ["COPSE_DATA"])
        paths = [data / name / "documents.jsonl.gz" for name in ("20newsgroups", "arxiv_abstracts")]
    print(f"medians of {ROUNDS} interleaved rounds")
    print(f"{'file':16} {'MB of text':>10} {'copse':>8} {'MB/s':>6} {'MB peak':>8} {'sklearn':>8} {'MB/s':>6} {'MB peak':>8}  ratio")
    for path in paths:
        ours, theirs = [], []
        for _ in range(ROUNDS):
            ours.append(measure_copse(path))
            theirs.append(measure_scikit_learn(path))
        megabytes = theirs[0][2] / 1e6
        seconds, memory = (statistics.median(values) for values in zip(*ours))
        other, other_memory = (statistics.median(values) for values in list(zip(*theirs))[:2])
        print(f"{path.parent.name:16} {megabytes:10.1f} {seconds:7.2f}s {megabytes / seconds:6.0f} {memory:8.0f} "
              f"{other:7.2f}s {megabytes / other:6.1f} {other_memory:8.0f}  {other / seconds:.1f}")


if __name__ == "__main__":
    main()
