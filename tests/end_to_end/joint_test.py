"""copse topics and tree with links between documents, vectors of documents and their own neighbours."""

import numpy as np
import pytest
from text_test import SUBJECTS, check, make_documents, result_of, rows_of, write_lines

NOISE = "alpha beta gamma delta epsilon zeta theta iota kappa lambda sigma omega river stone cloud paper".split()


def hard_documents(count=400, seed=3):
    """Four subjects that words hardly tell apart: one word in twenty is of the subject."""
    rng = np.random.default_rng(seed)
    documents = []
    for j in range(count):
        label = list(SUBJECTS)[j % 4]
        picks = [rng.choice(SUBJECTS[label]) if rng.random() < 0.05 else rng.choice(NOISE) for _ in range(20)]
        documents.append({"id": f"doc-{j}", "label": label, "text": " ".join(picks)})
    return documents


def links(documents, seed=4, within=6.0, between=2.0):
    """Pairs of ids, mostly of one label."""
    rng = np.random.default_rng(seed)
    pairs = []
    for a in documents:
        for _ in range(10):
            b = documents[rng.integers(len(documents))]
            same = a["label"] == b["label"]
            if a is not b and rng.random() < (within if same else between / 3) / 8:
                pairs.append((a["id"], b["id"]))
    return pairs


def vectors(documents, seed=5, spread=0.25, dimensions=8):
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(4, dimensions))
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    return np.array([centres[list(SUBJECTS).index(d["label"])] + spread * rng.normal(size=dimensions)
                     for d in documents])


@pytest.fixture
def hard(tmp_path):
    documents = hard_documents()
    write_lines(tmp_path / "docs.jsonl", documents)
    (tmp_path / "links.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in links(documents)))
    np.save(tmp_path / "vectors.npy", vectors(documents))
    return documents


def nmi(folder):
    return result_of(folder)["measures"]["nmi"]


def test_links_and_vectors_tell_what_words_do_not(copse, hard, tmp_path):
    check(copse("topics", "docs.jsonl", "-k", 4, "--neighbour-graph", "none", "-o", "words"))
    check(copse("topics", "docs.jsonl", "-k", 4, "--links", "links.tsv", "-o", "links"))
    check(copse("topics", "docs.jsonl", "-k", 4, "--vectors", "vectors.npy", "-o", "vectors"))
    check(copse("topics", "docs.jsonl", "-k", 4, "--links", "links.tsv", "--vectors", "vectors.npy", "-o", "both"))
    words = nmi(tmp_path / "words")
    assert nmi(tmp_path / "links") > words + 0.2
    assert nmi(tmp_path / "vectors") > words + 0.2
    assert nmi(tmp_path / "both") > words + 0.2
    # The words of the topics follow: the best ones are those of the subjects.
    for topic in result_of(tmp_path / "vectors")["topics"]:
        own = set(SUBJECTS[topic["main_class"]["name"]])
        assert len(own & {term["feature"] for term in topic["top_features"]}) >= 3
    settings = result_of(tmp_path / "both")["settings"]
    assert settings["links"] == "links.tsv" and settings["vectors"] == "vectors.npy" and settings["graph_weight"] == 1


def test_a_weight_of_zero_is_words_alone(copse, hard, tmp_path):
    check(copse("topics", "docs.jsonl", "-k", 4, "--neighbour-graph", "none", "-o", "words"))
    check(copse("topics", "docs.jsonl", "-k", 4, "--links", "links.tsv", "--graph-weight", 0, "-o", "zero"))
    same = [a["cluster"] == b["cluster"] for a, b in zip(rows_of(tmp_path / "words" / "assignments.tsv"),
                                                          rows_of(tmp_path / "zero" / "assignments.tsv"))]
    assert np.mean(same) > 0.97


def test_a_tree_takes_links_where_it_places_documents(copse, hard, tmp_path):
    check(copse("tree", "docs.jsonl", "--leaves", 4, "--neighbour-graph", "none", "-o", "words"))
    check(copse("tree", "docs.jsonl", "--leaves", 4, "--links", "links.tsv", "-o", "links"))
    words, joint = rows_of(tmp_path / "words" / "assignments.tsv"), rows_of(tmp_path / "links" / "assignments.tsv")
    assert [row["leaf"] for row in words] == [row["leaf"] for row in joint]
    assert [row["cluster"] for row in words] != [row["cluster"] for row in joint]
    run = copse("tree", "docs.jsonl", "--leaves", 4, "--links", "links.tsv", "--no-flat")
    assert run.returncode == 2 and "--no-flat" in run.stderr


def test_the_number_of_threads_changes_nothing(copse, hard, tmp_path):
    for threads in (1, 2):
        check(copse("topics", "docs.jsonl", "-k", 4, "--links", "links.tsv", "--neighbour-graph", "words", "--threads",
                    threads, "-o", f"out{threads}"))
    one, two = ((tmp_path / f"out{t}" / "assignments.tsv").read_text() for t in (1, 2))
    assert one == two


def test_assign_goes_by_words(copse, tmp_path):
    documents = make_documents()
    write_lines(tmp_path / "docs.jsonl", documents)
    (tmp_path / "links.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in links(documents)))
    check(copse("topics", "docs.jsonl", "-k", 4, "--links", "links.tsv", "--stability", 2, "-o", "out"))
    check(copse("assign", "out", "docs.jsonl", "-o", "again.tsv"))
    placed = [row["cluster"] for row in rows_of(tmp_path / "again.tsv")]
    fitted = [row["cluster"] for row in rows_of(tmp_path / "out" / "assignments.tsv")]
    assert np.mean([a == b for a, b in zip(placed, fitted)]) > 0.95


def test_links_that_cannot_be_used_are_counted(copse, hard, tmp_path):
    pairs = [(a, b) for a, b in links(hard) if "doc-0" not in (a, b)]
    lines = [f"{a},{b}" for a, b in pairs] + ["doc-1,stranger", "doc-2,stranger", "nobody,somebody", "doc-5,doc-5"]
    (tmp_path / "cites.csv").write_text("\n".join(lines) + "\n")
    run = check(copse("topics", "docs.jsonl", "-k", 4, "--links", "cites.csv", "-o", "out"))
    assert "cites.csv: 3 links left out, which name 3 ids that are not among the documents." in run.stderr
    assert "loop was dropped" in run.stderr
    assert "without a link or neighbour: placed by words alone." in run.stderr
    assert any("3 links left out" in note for note in result_of(tmp_path / "out")["notes"])


def test_the_direction_and_order_of_links_do_not_matter(copse, hard, tmp_path):
    pairs = sorted({tuple(sorted(pair)) for pair in links(hard)})
    (tmp_path / "a.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in pairs))
    (tmp_path / "b.tsv").write_text("".join(f"{b}\t{a}\n" for a, b in reversed(pairs)))
    for name in "ab":
        check(copse("topics", "docs.jsonl", "-k", 4, "--links", f"{name}.tsv", "-o", name))
    assert (tmp_path / "a" / "assignments.tsv").read_text() == (tmp_path / "b" / "assignments.tsv").read_text()


def test_vectors_of_zeros_leave_a_document_to_its_words(copse, hard, tmp_path):
    x = vectors(hard)
    x[:3] = 0
    np.save(tmp_path / "zeros.npy", x)
    run = check(copse("topics", "docs.jsonl", "-k", 4, "--vectors", "zeros.npy"))
    assert "zeros.npy: 3 rows have nothing but zeros: placed by words alone." in run.stderr


BAD = {
    "rows.npy": (lambda x: x[:-1], "has 399 rows, but there are 400 documents"),
    "nan.npy": (lambda x: np.where(np.arange(8) == 2, np.nan, x), "row 1, column 3 is not a number (NaN)."),
    "infinite.npy": (lambda x: np.where(np.arange(8) == 7, np.inf, x), "row 1, column 8 is infinite."),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_vectors_get_a_sentence(copse, hard, tmp_path, name):
    change, sentence = BAD[name]
    np.save(tmp_path / name, change(vectors(hard)))
    run = copse("topics", "docs.jsonl", "-k", 4, "--vectors", name)
    assert run.returncode == 1 and name in run.stderr and sentence in run.stderr


@pytest.mark.parametrize("content, sentence", [
    ("doc-1\ndoc-2\n", "bad.tsv"),                                       # one column
    ("stranger\tnobody\n", "no link between two of the documents"),
    ("doc-1\tdoc-2\t-3\n", "line 1"),
    ("doc-1\tdoc-2\tnan\n", "line 1"),
    ("", "bad.tsv"),
])
def test_bad_links_get_a_sentence(copse, hard, tmp_path, content, sentence):
    (tmp_path / "bad.tsv").write_text(content)
    run = copse("topics", "docs.jsonl", "-k", 4, "--links", "bad.tsv")
    assert run.returncode == 1 and sentence in run.stderr and "bad.tsv" in run.stderr
    assert len(run.stderr.strip().splitlines()) <= 3


def test_other_bad_input_gets_a_sentence(copse, hard, tmp_path):
    (tmp_path / "text.npy").write_text("no array")
    for arguments in (["--vectors", "text.npy"], ["--vectors", "links.tsv"], ["--vectors", "missing.npy"],
                      ["--links", "missing.tsv"]):
        run = copse("topics", "docs.jsonl", "-k", 4, *arguments)
        assert run.returncode == 1 and arguments[1] in run.stderr, run.stderr
    assert copse("topics", "docs.jsonl", "--graph-weight", "-1").returncode == 2
    twice = hard + [hard[0]]
    write_lines(tmp_path / "twice.jsonl", twice)
    run = copse("topics", "twice.jsonl", "-k", 4, "--links", "links.tsv")
    assert run.returncode == 1 and "more than one item has this name" in run.stderr
    np.save(tmp_path / "square.npy", np.ones((3, 3)))
    run = copse("topics", "docs.jsonl", "-k", 4, "--links", "square.npy")
    assert run.returncode == 1 and "square.npy has 3 nodes and no names" in run.stderr
