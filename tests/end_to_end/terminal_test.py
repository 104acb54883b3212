"""Names, titles and words of others reach the terminal harmless, and notes and errors say what was met."""

import json
import os
import pty
import subprocess

import numpy as np
import pytest
from conftest import make_planted

EVIL = "evil\x1b[31m\x1b]0;owned\x07 \u009b1m\x7f\u202e\ncopse: forged line"
HARMFUL = [chr(code) for code in [*range(32), *range(0x7F, 0xA0), 0x2028, 0x2029, 0x202E] if chr(code) not in "\n\t"]


def check_harmless(text, lines=None):
    assert not [repr(c) for c in HARMFUL if c in text], text
    assert not [line for line in text.splitlines() if line.startswith("copse: forged")], text


@pytest.fixture
def documents(tmp_path):
    rng = np.random.default_rng(1)
    words = [["guitar", "piano", "violin", "melody"], ["rocket", "orbit", "planet", "comet"]]
    with open(tmp_path / "docs.jsonl", "w") as file:
        for j in range(60):
            text = " ".join(rng.choice(words[j % 2], 12)) + " " + EVIL
            file.write(json.dumps({"id": f"{EVIL}{j}", "title": EVIL, "label": EVIL + str(j % 2), "text": text}) + "\n")


def test_documents_with_escape_sequences(copse, tmp_path, documents):
    for command in (("topics", "-k", 2), ("tree", "--leaves", 2)):
        run = copse(command[0], "docs.jsonl", *command[1:], "-o", command[0])
        assert run.returncode == 0, run.stderr
        check_harmless(run.stdout + run.stderr)
        for options in ((), ("--topic", "1"), ("--all",), ("--prompt",), ("--json",)):
            run = copse("show", command[0], *options)
            assert run.returncode == 0, run.stderr
            check_harmless(run.stdout + run.stderr)
        assert "forged line" in copse("show", command[0], "--topic", "1", "--docs", 3).stdout
        shown = json.loads(copse("show", command[0], "--topic", "1", "--json").stdout)
        assert shown["documents"][0]["title"] == EVIL
        check_harmless(copse("assign", command[0], "docs.jsonl", "--json").stdout)


def test_names_of_features_items_and_classes(copse, tmp_path):
    planted = make_planted(tmp_path / "x.mtx")
    evil = EVIL.replace("\n", "\r")
    (tmp_path / "names.txt").write_text("".join(f"{evil}{i}\n" for i in range(60)), newline="")
    (tmp_path / "items.txt").write_text("".join(f"{evil}{i}\n" for i in range(90)), newline="")
    for command in (("factor", "-k", 3), ("tree", "--leaves", 3)):
        run = copse(command[0], planted.path, *command[1:], "--features", "names.txt", "--item-names", "items.txt",
                    "--truth", "items.txt", "-o", command[0])
        assert run.returncode == 0, run.stderr
        check_harmless(run.stdout + run.stderr)
        check_harmless(copse("show", command[0], "--topic", "1").stdout)


def test_errors_and_names_of_files(copse, tmp_path):
    check_harmless(copse("factor", EVIL + ".mtx", "-k", 2).stderr)
    check_harmless(copse(EVIL).stderr)
    check_harmless(copse("factor", "x.mtx", "--" + EVIL, "-k", 2).stderr)
    check_harmless(copse("factor", "x.mtx", "-k", EVIL).stderr)
    name = "evil\x1b[31m\u009b.csv"
    (tmp_path / name).write_text("a,b\n1,\x1b[31m\n")
    run = copse("factor", name, "-k", 1)
    assert run.returncode == 1 and "line 2" in run.stderr
    check_harmless(run.stderr)
    (tmp_path / "bad.npy").write_bytes(b"\x93NUMPY\x01\x00v\x00" + b"{'descr': '\x1b[31m', ".ljust(118))
    check_harmless(copse("factor", "bad.npy", "-k", 1).stderr)
    (tmp_path / "bad.jsonl").write_text('{"\x1b[31mkey": "x"}\n{"\\u001b[31mkey": "x"}\n')
    check_harmless(copse("topics", "bad.jsonl").stderr)


def test_a_table_on_a_terminal_is_harmless_and_in_a_pipe_exact(program, copse, tmp_path, documents):
    assert copse("topics", "docs.jsonl", "-k", 2, "-o", "out").returncode == 0
    assert "\x1b" in copse("assign", "out", "docs.jsonl").stdout
    main, other = pty.openpty()
    with subprocess.Popen([program, "assign", "out", "docs.jsonl"], cwd=tmp_path, stdout=other,
                          stderr=subprocess.DEVNULL) as run:
        os.close(other)
        shown = b""
        while True:
            try:
                piece = os.read(main, 1 << 16)
            except OSError:
                break
            if not piece:
                break
            shown += piece
        assert run.wait(60) == 0
    os.close(main)
    check_harmless(shown.decode().replace("\r\n", "\n"))
    assert shown.count(b"\n") == 61
