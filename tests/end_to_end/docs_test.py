"""The README and the guides: every block of shell commands runs as it stands, every block of C++ compiles, every key of a paper is listed."""

import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess

import numpy as np
import pytest
import scipy.io
import scipy.sparse
from demo_test import fake_packages
from segment_test import fields as make_picture
from segment_test import write_ppm
from text_test import make_documents, write_lines

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(), flags=re.MULTILINE | re.DOTALL)


def those_with(language):
    return [pytest.param(page, id=str(page.relative_to(ROOT))) for page in PAGES if blocks(page, language)]


def make_inputs(folder):
    """The files that examples name."""
    documents = make_documents(480)
    for j, document in enumerate(documents):
        document.update(body=document["text"], key=f"review {j}", stars=document["label"])
    write_lines(folder / "docs.jsonl", documents)
    write_lines(folder / "new.jsonl", make_documents(20, seed=2))
    with gzip.open(folder / "papers.jsonl.gz", "wt") as file:
        file.writelines(json.dumps(document) + "\n" for document in documents)
    columns = ["key", "date", "stars", "body"]
    rows = [columns, *([document[column] for column in columns] for document in documents)]
    (folder / "reviews.csv").write_text("".join(",".join(row) + "\n" for row in rows))
    (folder / "new-reviews.csv").write_text("".join(",".join(row) + "\n" for row in rows[:20]))
    (folder / "mails").mkdir()
    for j, document in enumerate(documents):
        (folder / "mails" / f"{j}.txt").write_text(f"From: a@b.c\nSubject: {j}\n\n{document['text']}\n")

    rng = np.random.default_rng(1)
    labels = np.arange(400) % 40
    counts = rng.poisson(0.1, (320, 400)) + rng.poisson(3.0, (320, 400)) * (np.arange(320)[:, None] % 40 == labels)
    scipy.io.mmwrite(folder / "X.mtx", scipy.sparse.coo_matrix(counts))
    for name in ("X.mtx.gz", "counts.mtx.gz"):
        with open(folder / "X.mtx", "rb") as plain, gzip.open(folder / name, "wb") as packed:
            shutil.copyfileobj(plain, packed)
    scipy.sparse.save_npz(folder / "X.npz", scipy.sparse.csc_matrix(counts))
    (folder / "terms.txt").write_text("".join(f"word{i}\n" for i in range(320)))
    (folder / "labels.txt").write_text("".join(f"{label}\n" for label in labels))
    pairs = np.array([(a, b) for a in range(400) for b in range(a + 1, 400) if labels[a] == labels[b]])
    with gzip.open(folder / "edges.tsv.gz", "wt") as packed:
        packed.writelines(f"{a}\t{b}\n" for a, b in [*pairs, *rng.integers(0, 400, (300, 2))])
    (folder / "new-edges.tsv").write_text("newcomer\t0\t2\nnewcomer\t40\t1\nother\t7\t1\n")
    np.save(folder / "faces.npy", rng.random((120, 16)) + 3 * np.eye(16)[np.arange(120) % 4])
    genes = rng.random((30, 24)) + (np.arange(30)[:, None] % 3 == np.arange(24) % 3)
    lines = ["gene\t" + "\t".join(f"patient{j}" for j in range(24)),
             *(f"gene{i}\t" + "\t".join(f"{x:.3f}" for x in row) for i, row in enumerate(genes))]
    (folder / "genes.tsv").write_text("\n".join(lines) + "\n")
    pixels, fields = make_picture(60, 80)
    write_ppm(folder / "photo.jpg", pixels)  # formats are told apart by their content
    for person in ("person1.npy", "person2.npy"):
        np.save(folder / person, fields)


@pytest.mark.parametrize("page", those_with("sh"))
def test_commands_run(page, program, tmp_path):
    work = tmp_path / "work"
    work.mkdir()
    make_inputs(work)
    environment = {**fake_packages(tmp_path, 600), "HOME": str(tmp_path), "MANPAGER": "cat"}
    programs = tmp_path / "programs"
    (programs / "copse").symlink_to(program)
    if shutil.which("man") is None:
        (programs / "man").write_text("#!/bin/sh\ncat > /dev/null\n")
        (programs / "man").chmod(0o755)
    for block in blocks(page, "sh"):
        run = subprocess.run(["bash", "-euo", "pipefail", "-c", block], cwd=work, env=environment, capture_output=True, text=True,
                             timeout=300)
        assert run.returncode == 0, f"{block}\n{run.stderr}"


@pytest.mark.parametrize("page", those_with("cpp"))
def test_snippets_compile(page, tmp_path):
    compiler = os.environ.get("CXX") or shutil.which("c++")
    if compiler is None:
        pytest.skip("there is no compiler")
    for number, block in enumerate(blocks(page, "cpp")):
        source = tmp_path / f"snippet{number}.cpp"
        source.write_text(block)
        run = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-I", ROOT, source],
                             capture_output=True, text=True, timeout=120)
        assert run.returncode == 0, f"{block}\n{run.stderr}"


KEY = re.compile(r"\[(?=[A-Z])([^\[\]\n]*?\b(?:19|20)\d\d[a-z]?)(?:, [^\[\]\n]*)?\](?!\()")


def keys_in(text):
    """The keys in `[Kuang 2014, eq. 58]` and `[Walker 1977; Vose 1991]`."""
    return {re.sub(r",(?= [a-z]).*", "", key).strip() for found in KEY.finditer(text) for key in found[1].split(";")}


def test_every_key_is_in_the_references():
    listed = set(re.findall(r"^\| \[([^\]]+)\] \|", (ROOT / "docs" / "references.md").read_text(), flags=re.MULTILINE))
    assert "Kuang 2014" in listed
    sources = [path for folder in ("copse", "apps", "python", "bench", "docs", "web/src")
               for path in (ROOT / folder).rglob("*") if path.suffix in {".h", ".cpp", ".py", ".ts", ".md"}]
    unknown = {(str(path.relative_to(ROOT)), key) for path in [ROOT / "README.md", *sources]
               for key in keys_in(path.read_text()) if key not in listed}
    assert not unknown


def sections(page):
    """The names under which a link finds the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_links_lead_somewhere():
    others = [ROOT / name for name in ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")]
    for page in [*PAGES, *others, *sorted((ROOT / "bench" / "results").glob("*.md"))]:
        words = re.sub(r"^```.*?^```$|`[^`\n]*`", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
        for target, section in re.findall(r"\]\(([^)#:]+)(?:#([^)]*))?\)", words):
            found = page.parent / target
            assert found.exists(), f"{page.name} links to {target}"
            assert not section or section in sections(found), f"{page.name} links to {target}#{section}"
