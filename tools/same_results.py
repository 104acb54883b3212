"""Runs some forty commands with two programs and says where their results differ: same_results.py OLD NEW [WORDS].

Factors, labels, trees, surveys, measures and settings must be the same; times, memory and versions may differ. Results of
the old program are also opened with the new one. With WORDS, only commands that hold one of them run. COPSE_DATA names
the folder of real data.
"""

import ast
import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

DATA = pathlib.Path(os.environ.get("COPSE_DATA", "../shared/data"))

# {data} is COPSE_DATA, {here} the folder of what the preparing commands made.
PREPARE = [
    "generate corpus --docs 3000 --terms 4000 -k 8 --seed 1 -o {here}/corpus.npz",
    "generate mixture -k 5 --seed 2 -o {here}/mixture.npy",
    "generate genes -k 3 --seed 3 -o {here}/genes.npy",
    "convert {here}/corpus.npz {here}/corpus.copse",
]

# With `-o FOLDER`, if the command writes a result.
RUNS = [
    "topics {here}/texts.jsonl -k 12",
    "topics {here}/texts.jsonl -k 12 --loss kl --max-iterations 30 --precision double",
    "topics {here}/texts.jsonl -k 6 --consensus 8",
    "topics {here}/texts.jsonl -k 6 --stability 3 --bigrams --stem english",
    "topics {here}/texts.jsonl -k 6 --neighbour-graph words",
    "tree {here}/texts.jsonl --leaves 9",
    "tree {here}/texts.jsonl --leaves auto",
    "tree {here}/corpus.npz --leaves 8 --score error --engine disk",
    "tree {here}/corpus.copse --leaves 8 --engine disk",
    "factor {here}/corpus.npz --text -k 8 --truth {here}/corpus.labels.txt",
    "factor {here}/corpus.copse -k 8 --engine disk",
    "factor {here}/corpus.npz -k 8 --solver pivoting --start random --runs 3 --max-iterations 20",
    "factor {here}/corpus.npz -k 40 --solver mu --max-iterations 20 --threads 1",
    "factor {here}/corpus.npz -k 8 --solver dc",
    "factor {here}/corpus.npz -k 4 --sparse thesis --start nndsvd",
    "factor {data}/golub_leukemia/matrix.tsv.gz -k 3 --affine --solver pivoting --runs 4",
    "factor {data}/pbmc3k/matrix.mtx.gz -k 9 --select 1000 --library-size 10000 --weights log --truth {data}/pbmc3k/labels.txt",
    "factor {here}/faces.npy -k 40 --max-iterations 30",
    "graph {data}/graph_email_eu_core/edges.tsv.gz -k 42 --truth {data}/graph_email_eu_core/labels.txt",
    "graph {data}/graph_football/edges.tsv.gz -k auto",
    "graph {data}/graph_lfr_1000/edges.tsv.gz -k 25 --solver hals --start random --runs 3",
    "graph {data}/graph_lfr_1000/edges.tsv.gz --hierarchical --leaves 18",
    "graph {data}/graph_polbooks/edges.tsv.gz -k 3 --model blocks",
    "graph {here}/digits.npy --similarity self-tuning -k 10",
    "graph {here}/corpus.npz --text --similarity cosine -k 8",
    "cluster {here}/texts.jsonl -k 8 --method spherical-kmeans --runs 3",
    "cluster {here}/texts.jsonl -k 8 --method lda --max-iterations 30",
    "cluster {here}/texts.jsonl -k 8 --method anchors",
    "cluster {here}/mixture.npy -k 5 --method kmeans",
    "cluster {here}/corpus.npz --text -k 8 --method bisecting",
    "cluster {here}/corpus.npz --text -k 8 --method hierarchical-kmeans",
    "cluster {here}/corpus.npz --text -k 8 --method spectral",
    "cluster {here}/corpus.npz --text -k 8 --method yu-shi",
    "cluster {here}/corpus.npz --text -k 8 --method gnmf --max-iterations 30",
    "cluster {here}/corpus.npz --text -k 8 --method xray",
    "cluster {data}/graph_football/edges.tsv.gz --graph -k 12 --method kernel-kmeans",
    "cluster {data}/graph_football/edges.tsv.gz --graph -k 12 --method cluster-qr",
    "cluster {data}/golub_leukemia/matrix.tsv.gz -k 3 --method affinity-propagation",
    "choose {data}/golub_leukemia/matrix.tsv.gz -k 2:4 --runs 4 --affine",
    "choose {here}/corpus.npz --text -k 2:10:4 --runs 3 --method tree",
    "choose {here}/corpus.npz --text -k 6:9 --runs 3 --method spherical-kmeans",
    "compare {here}/corpus.npz --text -k 8 --runs 2 --methods nmf,tree,symnmf,spherical-kmeans,bisecting",
    "segment {data}/bsds500_subset/images/{picture} --pixels 20000",
]

# On the result of the run with that number.
AFTER = [
    (0, "assign {result} {here}/texts.jsonl --json --quiet"),
    (0, "show {result}"),
    (5, "show {result} --all"),
    (5, "assign {result} {here}/texts.jsonl --json --quiet"),
    (18, "show {result}"),
    (39, "show {result}"),
]

# What may differ between two runs of the same program.
VOLATILE = re.compile(r'^(seconds|peak_memory_bytes|estimated_memory_bytes|version|threads|line|history|clock)$')


def plain(value):
    """JSON without what two runs of the same program may have different."""
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items() if not VOLATILE.match(key)}
    if isinstance(value, list):
        return [plain(one) for one in value]
    return value


def tensors(path):
    """Name to (type, shape, bytes)."""
    blob = path.read_bytes()
    size = int.from_bytes(blob[:8], "little")
    header = json.loads(blob[8 : 8 + size])
    header.pop("__metadata__", None)
    start = 8 + size
    return {
        name: (one["dtype"], one["shape"], blob[start + one["data_offsets"][0] : start + one["data_offsets"][1]])
        for name, one in header.items()
    }


def flatten_pictures(source, target):
    """An .npy file of pictures as a matrix with a column for each."""
    blob = source.read_bytes()
    start = 10 + int.from_bytes(blob[8:10], "little")
    header = ast.literal_eval(blob[10:start].decode())
    height, width, count = header["shape"]
    text = str({**header, "shape": (height * width, count)})
    text += " " * (-(10 + len(text) + 1) % 64) + "\n"
    target.write_bytes(blob[:8] + len(text).to_bytes(2, "little") + text.encode() + blob[start:])


def differences(old, new):
    """Sentences on two folders of results."""
    names = {p.name for p in old.iterdir()} | {p.name for p in new.iterdir()}
    for name in sorted(names - {"report.html"}):
        a, b = old / name, new / name
        if not a.exists() or not b.exists():
            yield f"{name} is only in one of them"
        elif name.endswith(".safetensors"):
            one, other = tensors(a), tensors(b)
            yield from (f"{name}: {key} differs" for key in sorted(one.keys() | other.keys()) if one.get(key) != other.get(key))
        elif name in ("result.json", "tree.json"):
            one, other = plain(json.loads(a.read_text())), plain(json.loads(b.read_text()))
            yield from (f"{name}: {key} differs: {str(one.get(key))[:150]} | {str(other.get(key))[:150]}"
                        for key in sorted(one.keys() | other.keys()) if one.get(key) != other.get(key))
        elif name == "comparison.tsv":
            def rows(path):
                return [[cell for i, cell in enumerate(line.split("\t")) if i not in (4, 5)] for line in path.read_text().splitlines()]
            if rows(a) != rows(b):
                yield f"{name} differs"
        elif a.suffix in (".tsv", ".npy", ".txt", ".jsonl") and a.read_bytes() != b.read_bytes():
            yield f"{name} differs"


def main():
    old, new, words = sys.argv[1], sys.argv[2], sys.argv[3:]
    here = pathlib.Path(tempfile.mkdtemp(prefix="same-results-"))
    picture = sorted(p.name for p in (DATA / "bsds500_subset/images").iterdir())[0]
    run = lambda program, line: subprocess.run([program, *line.split()], capture_output=True, text=True, errors="replace")
    fill = lambda line: line.format(data=DATA, here=here, picture=picture, result="{result}")
    for line in PREPARE:
        done = run(old, fill(line))
        assert done.returncode == 0, done.stderr
    for name, source in (("faces", "orl_faces_32x32"), ("digits", "digits_8x8")):
        flatten_pictures(DATA / source / "images.npy", here / f"{name}.npy")
    with gzip.open(DATA / "20newsgroups/documents.jsonl.gz", "rt") as whole, open(here / "texts.jsonl", "w") as few:
        few.writelines(line for number, line in enumerate(whole) if number % 12 == 0)
    wrong = 0
    for number, line in enumerate(RUNS):
        if words and not any(word in line for word in words):
            continue
        folders = []
        for side, program in (("old", old), ("new", new)):
            folders.append(here / f"{side}-{number}")
            done = run(program, fill(line) + f" -o {folders[-1]} --quiet")
            if not folders[-1].exists():
                print(f"{side} failed: {line}\n    {done.stderr.strip()[:300]}")
                break
        else:
            found = list(differences(*folders))
            wrong += bool(found)
            print(("same   " if not found else "DIFFERS ") + line + "".join("\n    " + one for one in found), flush=True)
            continue
        wrong += 1
    for number, line in AFTER:
        result = here / f"old-{number}"
        if not result.exists():
            continue
        outputs = [run(program, fill(line).format(result=result)) for program in (old, new)]
        same = outputs[0].returncode == outputs[1].returncode and outputs[0].stdout == outputs[1].stdout
        wrong += not same
        print(("same   " if same else "DIFFERS ") + "old result: " + line, flush=True)
    shutil.rmtree(here)
    print(f"{wrong} differ" if wrong else "all the same")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
