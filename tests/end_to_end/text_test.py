"""copse topics, tree, show, assign and report on documents: from raw text to topics and back."""

import csv
import gzip
import json
import re

import numpy as np
import pytest
from conftest import read_tsv

SUBJECTS = {
    "music": "guitar piano violin melody concert orchestra rhythm singer album chorus tune lyrics".split(),
    "cooking": "recipe oven butter flour garlic onion pepper dough roast sauce kitchen dessert".split(),
    "space": "rocket orbit planet telescope galaxy comet astronaut lunar satellite asteroid nebula crater".split(),
    "sport": "football goal referee stadium tennis racket marathon athlete coach tournament league medal".split(),
}
COMMON = "people day house city morning story number water world friend".split()


def make_documents(count=240, seed=1, words=25):
    rng = np.random.default_rng(seed)
    documents = []
    for j in range(count):
        label = list(SUBJECTS)[j % 4]
        picks = [rng.choice(SUBJECTS[label]) if rng.random() < 0.7 else rng.choice(COMMON) for _ in range(words)]
        documents.append({"id": f"doc-{j}", "title": f"{label} number {j}", "label": label,
                          "date": f"{2000 + j % 3}-0{1 + j % 9}-11", "text": "The " + " ".join(picks) + "."})
    documents.append({"id": "short", "title": "almost nothing", "label": "sport", "date": "2001-01-01", "text": "Hm!"})
    return documents


def write_lines(path, documents):
    path.write_text("".join(json.dumps(document) + "\n" for document in documents))
    return path


@pytest.fixture
def documents(tmp_path):
    documents = make_documents()
    write_lines(tmp_path / "docs.jsonl", documents)
    return documents


def result_of(folder):
    return json.loads((folder / "result.json").read_text())


def rows_of(path):
    header, *rows = read_tsv(path)
    return [dict(zip(header, row)) for row in rows]


def check(run):
    assert run.returncode == 0, run.stderr
    return run


def test_topics_have_names_and_stability(copse, documents, tmp_path):
    check(copse("topics", "docs.jsonl", "-k", 4, "--stability", 4, "-o", "out"))
    topics = result_of(tmp_path / "out")["topics"]
    for topic in topics:
        assert set(topic["label"].split(", ")) <= set(SUBJECTS[topic["main_class"]["name"]])
        assert topic["stability"] > 0.95  # planted
    assert len({topic["label"] for topic in topics}) == 4
    rows = rows_of(tmp_path / "out" / "assignments.tsv")
    assert np.mean([float(row["stability"]) for row in rows if row["stability"]]) > 0.95
    assert next(row for row in rows if row["item"] == "short")["stability"] == ""


def test_flat_topics_can_be_named_and_names_taken_back(copse, documents, tmp_path):
    check(copse("topics", "docs.jsonl", "-k", 4, "--stability", 3, "-o", "out"))
    out = tmp_path / "out"
    before = result_of(out)
    assigned = (out / "assignments.tsv").read_bytes()

    # The prompt's last section is an answer.
    prompt = check(copse("show", "out", "--prompt")).stdout
    answer = dict(line.split("\t") for line in prompt[prompt.rindex("\n\n") + 2:].splitlines())
    assert answer == {str(c): topic["label"] for c, topic in enumerate(before["topics"])}
    (tmp_path / "names.tsv").write_text("2\tthe third\n0\tthe first\n")
    check(copse("edit", "out", "--names", "names.tsv"))
    check(copse("edit", "out", "--rename", "1", "--to", "a second"))
    now = result_of(out)
    assert [topic["label"] for topic in now["topics"]] == ["the first", "a second", "the third", answer["3"]]
    for key in ("k", "relative_error", "iterations", "measures", "settings", "notes", "history"):
        assert now.get(key) == before.get(key), key
    assert [topic["stability"] for topic in now["topics"]] == [topic["stability"] for topic in before["topics"]]
    assert (out / "assignments.tsv").read_bytes() == assigned
    assert check(copse("show", "out", "--topic", "a second")).stdout.startswith('topic 1 "a second"')
    assert "the third" in (out / "report.html").read_text()

    check(copse("edit", "out", "--undo"))
    assert [topic["label"] for topic in result_of(out)["topics"]] == ["the first", answer["1"], "the third", answer["3"]]
    check(copse("edit", "out", "--undo"))
    assert result_of(out)["topics"] == before["topics"]
    for arguments, sentence in [(("--undo",), "nothing to undo"), (("--cut", 2), "only a tree can be split"),
                                (("--rename", "4", "--to", "x"), "There is no topic 4: they are 0 to 3"),
                                (("--rename", "1.1", "--to", "x"), "There is no topic 1.1")]:
        run = copse("edit", "out", *arguments)
        assert run.returncode == 1 and sentence in run.stderr, run.stderr
    (tmp_path / "names.tsv").write_text("0\ta\n7\tb\n")
    run = copse("edit", "out", "--names", "names.tsv")
    assert run.returncode == 1 and "names.tsv, line 2: there is no topic 7" in run.stderr
    assert result_of(out)["topics"] == before["topics"]


def test_topics_find_the_subjects(copse, documents, tmp_path):
    run = check(copse("topics", "docs.jsonl", "-k", 4, "--time", "date", "-o", "out"))
    assert "241 documents" in run.stderr and "1 document without any known word" in run.stderr
    result = result_of(tmp_path / "out")
    assert result["command"] == "topics" and result["k"] == 4 and result["cols"] == 240
    assert result["settings"]["documents"] == "docs.jsonl" and result["settings"]["weights"] == "text"
    # The document without a known word is a cluster of its own, so that 1 of 241 is in no class.
    assert result["measures"]["items"] == 241 and result["measures"]["clusters"] == 5
    assert result["measures"]["accuracy"] == pytest.approx(240 / 241)
    for topic in result["topics"]:
        words = {entry["feature"] for entry in topic["top_features"]}
        assert max(len(words & set(subject)) for subject in SUBJECTS.values()) >= 8
        assert "the" not in words and topic["coherence"] < 0
    rows = rows_of(tmp_path / "out" / "assignments.tsv")
    assert [row["item"] for row in rows] == [document["id"] for document in documents]
    assert rows[-1]["cluster"] == "none"
    groups = {}
    for row, document in zip(rows[:-1], documents):
        groups.setdefault(document["label"], set()).add(row["cluster"])
    assert all(len(group) == 1 for group in groups.values()) and len(groups) == 4


def test_every_door_gives_the_same_topics(copse, documents, tmp_path):
    kept = [document for document in documents if document["id"] != "short"]
    write_lines(tmp_path / "docs.jsonl", kept)
    with gzip.open(tmp_path / "docs.jsonl.gz", "wt") as file:
        file.write((tmp_path / "docs.jsonl").read_text())
    with open(tmp_path / "docs.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["key", "body", "kind"])
        writer.writerows([document["id"], document["text"], document["label"]] for document in kept)
    (tmp_path / "docs.txt").write_text("".join(document["text"] + "\n" for document in kept))
    folder = tmp_path / "folder"
    folder.mkdir()
    for number, document in enumerate(kept):
        (folder / f"{number:04}.txt").write_text(document["text"])
    doors = [("docs.jsonl",), ("docs.jsonl.gz",), ("docs.csv", "--text", "body", "--id", "key", "--label", "kind"),
             ("docs.txt",), ("folder",)]
    clusters = []
    for number, door in enumerate(doors):
        check(copse("topics", *door, "-k", 4, "-o", f"out{number}"))
        clusters.append([row["cluster"] for row in rows_of(tmp_path / f"out{number}" / "assignments.tsv")])
    check(copse("topics", "-", "-k", 4, "-o", "piped", input=(tmp_path / "docs.jsonl").read_text()))
    clusters.append([row["cluster"] for row in rows_of(tmp_path / "piped" / "assignments.tsv")])
    assert all(one == clusters[0] for one in clusters)


@pytest.mark.parametrize("command", [("topics", "-k", 4), ("tree", "--leaves", 6)])
@pytest.mark.parametrize("options", [(), ("--stem", "english", "--bigrams", "--normalized-cut"),
                                     ("--weights", "log-tf-idf", "--precision", "double"), ("--weights", "tf-idf")])
def test_assign_gives_training_documents_their_own_topics(copse, documents, tmp_path, command, options):
    check(copse(command[0], "docs.jsonl", *command[1:], *options, "-o", "out"))
    trained = rows_of(tmp_path / "out" / "assignments.tsv")
    run = check(copse("assign", "out", "docs.jsonl", "-o", "again.tsv"))
    assert "1 document without any known word" in run.stderr
    again = rows_of(tmp_path / "again.tsv")
    assert [row["item"] for row in again] == [row["item"] for row in trained]
    for before, after in zip(trained, again):
        assert after["cluster"] == before["cluster"]
        assert float(after["weight"]) == pytest.approx(float(before["weight"]), rel=1e-3, abs=1e-6)
        if command[0] == "tree" and before["leaf"] != "outlier":
            assert after["leaf"] == before["leaf"]


def test_assign_places_new_documents(copse, documents, tmp_path):
    check(copse("topics", "docs.jsonl", "-k", 4, "-o", "out"))
    label_of = {row["cluster"]: document["label"]
                for row, document in zip(rows_of(tmp_path / "out" / "assignments.tsv"), documents)}
    write_lines(tmp_path / "new.jsonl", make_documents(40, seed=9)[:-1])
    answer = json.loads(check(copse("assign", "out", "new.jsonl", "--json")).stdout)
    assert [label_of[item["cluster"]] for item in answer["items"]] == [list(SUBJECTS)[j % 4] for j in range(40)]
    unknown = json.loads(check(copse("assign", "out", "-", "--json", "--format", "lines",
                                     input="entirely different words stand here and nothing else\n")).stdout)
    assert unknown["items"][0]["cluster"] == "none"


def test_tree_reads_documents_and_show_shows_them(copse, documents, tmp_path):
    check(copse("tree", "docs.jsonl", "--leaves", 4, "--time", "date", "-o", "out"))
    tree = json.loads((tmp_path / "out" / "tree.json").read_text())
    assert tree["leaves"] == 4
    result = result_of(tmp_path / "out")
    assert result["measures"]["nmi"] > 0.7 and all("coherence" in topic for topic in result["topics"])
    listed = check(copse("show", "out")).stdout
    assert "\nnone  1" in listed
    sizes = {node["id"]: node["members"] for node in tree["nodes"]}
    assert len(tree["outline"]) > 4
    for node in tree["outline"][1:]:
        assert re.search(rf"^ *{re.escape(node['short_id'])} +{sizes[node['id']]}\b", listed, re.M)
    leaf = next(node for node in tree["nodes"] if not node["children"])
    shown = json.loads(check(copse("show", "out", "--topic", leaf["id"], "--docs", 3, "--json")).stdout)
    assert shown["size"] == leaf["members"] and len(shown["documents"]) == 3
    by_id = {document["id"]: document for document in documents}
    for document in shown["documents"]:
        assert document["text"] == by_id[document["item"]]["text"]
        assert document["title"] == by_id[document["item"]]["title"]
    assert sum(shown["classes"].values()) == leaf["members"]
    assert list(shown["times"]) == sorted(shown["times"]) and sum(shown["times"].values()) == leaf["members"]
    text = check(copse("show", "out", "--topic", leaf["id"], "--docs", 2)).stdout
    assert leaf["terms"][0]["term"] in text and shown["documents"][0]["item"] in text
    short = json.loads(check(copse("show", "out", "--topic", "none", "--json")).stdout)
    assert [document["item"] for document in short["documents"]] == ["short"]
    run = copse("show", "out", "--topic", "7.7")
    assert run.returncode == 1 and "There is no topic 7.7" in run.stderr


def test_an_edited_tree_keeps_its_documents(copse, documents, tmp_path):
    check(copse("tree", "docs.jsonl", "--leaves", 4, "-o", "out"))
    check(copse("edit", "out", "--split", next(
        node["id"] for node in json.loads((tmp_path / "out" / "tree.json").read_text())["nodes"]
        if not node["children"])))
    tree = json.loads((tmp_path / "out" / "tree.json").read_text())
    newest = tree["nodes"][-1]
    shown = json.loads(check(copse("show", "out", "--topic", newest["id"], "--docs", 1, "--json")).stdout)
    assert shown["documents"][0]["text"].startswith("The ") and shown["coherence"] < 0
    assert rows_of(tmp_path / "out" / "assignments.tsv")[-1]["cluster"] == "none"
    assert result_of(tmp_path / "out")["measures"]["items"] == 241


def test_outliers_keep_their_mark_and_have_a_topic(copse, documents, tmp_path):
    strange = [{"id": f"odd-{j}", "text": f"zylo{j % 2} vrax quorl{j % 3} blint snarv plok"} for j in range(9)]
    write_lines(tmp_path / "docs.jsonl", documents + strange)
    check(copse("tree", "docs.jsonl", "--leaves", 4, "--imbalance", 3, "--weights", "tf-idf", "-o", "out"))
    rows = rows_of(tmp_path / "out" / "assignments.tsv")
    outliers = [row for row in rows if row["leaf"] == "outlier"]
    leaves = {node["id"] for node in json.loads((tmp_path / "out" / "tree.json").read_text())["nodes"]
              if not node["children"]}
    assert outliers and all(row["cluster"] in leaves for row in outliers)
    shown = json.loads(check(copse("show", "out", "--topic", "outlier", "--json")).stdout)
    assert shown["size"] == len(outliers)


@pytest.mark.parametrize("command", [("topics", "-k", 4), ("tree", "--leaves", 4)])
def test_short_documents_stay_out_of_the_fit_and_are_placed(copse, documents, tmp_path, command):
    """They change nothing for the others, and go where `assign` would put them."""
    check(copse(command[0], "docs.jsonl", *command[1:], "--min-words", 5, "-o", "before"))
    short = [{"id": f"short-{label}", "label": label, "text": " ".join(SUBJECTS[label][:3])} for label in SUBJECTS]
    write_lines(tmp_path / "more.jsonl", documents[:-1] + short)
    run = check(copse(command[0], "more.jsonl", *command[1:], "--min-words", 5, "-o", "after"))
    assert "4 documents too short for the fit (--min-words), placed when it was done" in run.stderr
    rows = rows_of(tmp_path / "after" / "assignments.tsv")
    assert all(row["cluster"] != "none" for row in rows) and result_of(tmp_path / "after")["cols"] == 240
    before = {row["item"]: row["cluster"] for row in rows_of(tmp_path / "before" / "assignments.tsv")}
    assert all(before[row["item"]] == row["cluster"] for row in rows if row["item"] in before)
    again = json.loads(check(copse("assign", "after", "more.jsonl", "--json")).stdout)
    assert [item["cluster"] for item in again["items"]] == [row["cluster"] for row in rows]
    (tmp_path / "labels.txt").write_text("".join(document["label"] + "\n" for document in documents[:-1] + short))
    measures = json.loads(check(copse("evaluate", "after/assignments.tsv", "labels.txt", "--json")).stdout)
    assert measures["items"] == 244 and measures == result_of(tmp_path / "after")["measures"]


def test_threads_do_not_change_a_bit(copse, documents, tmp_path):
    for command in (("topics", "-k", 4), ("tree", "--leaves", 4)):
        first = None
        for threads in (1, 2, 5):
            check(copse(command[0], "docs.jsonl", *command[1:], "--threads", threads, "-o", "out", "--force"))
            now = (tmp_path / "out" / "model.safetensors").read_bytes()
            first = first or now
            assert now == first


def test_no_page_keeps_no_text(copse, documents, tmp_path):
    for command in (("topics", "-k", 4), ("tree", "--leaves", 4)):
        check(copse(command[0], "docs.jsonl", *command[1:], "--no-page", "-o", command[0]))
        assert not (tmp_path / command[0] / "report.html").exists()
        model = (tmp_path / command[0] / "model.safetensors").read_bytes()
        assert not any(document["text"].encode() in model for document in documents[:-1])
    leaf = next(node["id"] for node in json.loads((tmp_path / "tree" / "tree.json").read_text())["nodes"]
                if not node["children"] and node["size"] > 10)
    for change in (("--split", leaf), ("--cut", 2)):
        run = check(copse("edit", "tree", *change))
        assert "page:" not in run.stderr and not (tmp_path / "tree" / "report.html").exists()
        model = (tmp_path / "tree" / "model.safetensors").read_bytes()
        assert not any(document["text"].encode() in model for document in documents[:-1])


def test_near_duplicates_are_noted(copse, documents, tmp_path):
    copies = [dict(document, id=document["id"] + "-copy", text=document["text"] + " guitar") for document in documents[:6]]
    write_lines(tmp_path / "docs.jsonl", documents + copies)
    check(copse("topics", "docs.jsonl", "-k", 4, "-o", "out"))
    for topic in range(4):
        shown = json.loads(check(copse("show", "out", "--topic", topic, "--docs", 100, "--json")).stdout)
        assert not any(document["item"].endswith("-copy") for document in shown["documents"])


@pytest.mark.parametrize("arguments, code, words", [
    (("topics", "missing.jsonl"), 1, "missing.jsonl"),
    (("topics", "docs.jsonl", "--text", "body"), 1, "body"),
    (("topics", "docs.jsonl", "--stem", "klingon"), 1, "klingon"),
    (("topics", "docs.jsonl", "-k", 500), 1, "500"),
    (("tree", "docs.jsonl", "--features", "x.txt"), 2, "is for a matrix"),
    (("tree", "docs.jsonl", "--drop-duplicates"), 2, "is for a matrix"),
    (("tree", "x.mtx", "--stem", "english"), 2, "is for documents"),
    (("assign", "nowhere", "docs.jsonl"), 1, "nowhere/result.json"),
    (("show", "nowhere"), 1, "nowhere/result.json"),
    (("report", "nowhere"), 1, ""),
])
def test_mistakes_get_a_sentence(copse, documents, arguments, code, words):
    run = copse(*arguments)
    assert run.returncode == code, run.stderr
    last = run.stderr.splitlines()[-1 if code == 1 else -2]  # a wrong call is followed by where help is
    assert last.startswith("copse") and words in last and "should not have happened" not in last


def test_bad_lines_are_named_or_skipped(copse, documents, tmp_path):
    lines = (tmp_path / "docs.jsonl").read_text().splitlines()
    lines[6] = '{"id": "x", "tex'
    (tmp_path / "docs.jsonl").write_text("\n".join(lines) + "\n")
    run = copse("topics", "docs.jsonl", "-k", 4)
    assert run.returncode == 1 and "docs.jsonl, line 7" in run.stderr
    run = check(copse("topics", "docs.jsonl", "-k", 4, "--skip-bad"))
    assert "1 document skipped" in run.stderr


def test_a_table_of_documents_needs_the_name_of_a_column(copse, tmp_path):
    (tmp_path / "reviews.csv").write_text("key,body,stars\na,good and cheap,5\nb,bad and dear,1\n")
    run = copse("tree", "reviews.csv", "--leaves", 2)
    assert run.returncode == 1 and run.stderr.endswith("name the column of their text: --text COLUMN.\n")


def test_reading_keeps_to_the_memory_limit(copse, tmp_path):
    with open(tmp_path / "docs.txt", "w") as file:
        for document in range(100_000):
            file.write(" ".join(f"w{document * 40 + word}x" for word in range(40)) + "\n")
    run = copse("topics", "docs.txt", "-k", 2, "--memory-limit", "30M")
    assert run.returncode == 1
    said, refused = run.stderr.splitlines()
    assert re.fullmatch(r"docs.txt: \d+ MB to read, which may take up to about \d+ MB of memory", said)
    assert refused.startswith("copse: reading takes more memory than the 30 MB that --memory-limit allows")


@pytest.mark.parametrize("texts, words", [
    (["the same words every time again"] * 30, "every word that counts is in all of 30 documents, and --weights text"),
])
def test_documents_with_nothing_to_tell_them_apart(copse, tmp_path, texts, words):
    write_lines(tmp_path / "docs.jsonl", [{"text": text} for text in texts])
    run = copse("topics", "docs.jsonl", "-k", 1, "--min-count", 1, "--language", "none")
    assert run.returncode == 1 and words in run.stderr.splitlines()[-1]


@pytest.mark.parametrize("texts", [["only one document with some words here"], ["the same words every time again"] * 30,
                                   ["", "", ""], ["a b", "c d"]])
def test_degenerate_documents_are_no_crash(copse, tmp_path, texts):
    write_lines(tmp_path / "docs.jsonl", [{"text": text} for text in texts])
    for command in (("topics", "-k", 1), ("tree", "--leaves", 3)):
        run = copse(command[0], "docs.jsonl", *command[1:], "--min-count", 1, "-o", "out", "--force")
        assert run.returncode in (0, 1), run.stderr
        assert "should not have happened" not in run.stderr
        if run.returncode == 1:
            assert run.stderr.strip().endswith(".")
