#!/usr/bin/env python3
"""Makes docs/page.png, the picture of a page in the README: grows a tree, and takes a screenshot with Chromium.

    tools/page_picture.py                                     arXiv abstracts if COPSE_DATA has them, else `copse demo`
    tools/page_picture.py DOCS [--title TEXT] [-- OPTION...]  these documents, OPTIONs for `copse tree`

COPSE_PROGRAM names the program (build/release/bin/copse), CHROMIUM the browser (/usr/bin/chromium).
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
MOST_BYTES = 200_000
BROWSER_OPTIONS = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
    --disable-component-update --disable-sync --hide-scrollbars --virtual-time-budget=4000""".split()


def result_of(program, documents, title, options, folder):
    """Grows the tree into `folder`, with its page."""
    if documents is None:
        subprocess.run([program, "demo", "-o", folder, "--quiet"], check=True)
        return
    subprocess.run([program, "tree", documents, "--leaves", "40", "-o", folder, "--quiet", *options], check=True)
    if title:
        subprocess.run([program, "report", folder, "--title", title], check=True, stderr=subprocess.DEVNULL)


def topic_to_show(folder):
    """The inner node of the outline whose size is closest to a twentieth of all items."""
    tree = json.loads((folder / "tree.json").read_text())
    sizes = {node["id"]: node["size"] for node in tree["nodes"]}
    inner = [node["id"] for node in tree["outline"] if node["children"] and node["id"]] or [""]
    return min(inner, key=lambda id: abs(sizes[id] - sizes[""] / 20))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("documents", nargs="?", metavar="DOCS")
    parser.add_argument("options", nargs="*", metavar="OPTION")
    parser.add_argument("--title")
    parser.add_argument("--topic", help="id of the node to show")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "docs" / "page.png")
    arguments = parser.parse_args()

    abstracts = pathlib.Path(os.environ.get("COPSE_DATA", "")) / "arxiv_abstracts" / "documents.jsonl.gz"
    if arguments.documents is None and "COPSE_DATA" in os.environ and abstracts.exists():
        arguments.documents, arguments.title, arguments.options = str(abstracts), "arXiv abstracts", ["--time", "date"]
    program = os.environ.get("COPSE_PROGRAM", str(ROOT / "build" / "release" / "bin" / "copse"))

    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary) / "result"
        result_of(program, arguments.documents, arguments.title, arguments.options, folder)
        topic = arguments.topic or topic_to_show(folder)
        picture = pathlib.Path(temporary) / "page.png"
        # Tall enough that the page need not scroll to the topic in the tree: Chromium leaves out what it scrolled away.
        subprocess.run([os.environ.get("CHROMIUM", "/usr/bin/chromium"), *BROWSER_OPTIONS, "--window-size=1280,1000",
                        f"--user-data-dir={temporary}/browser", f"--screenshot={picture}",
                        f"{(folder / 'report.html').as_uri()}#{topic}"],
                       check=True, timeout=120, stderr=subprocess.DEVNULL)
        if picture.stat().st_size > MOST_BYTES:
            sys.exit(f"the picture has {picture.stat().st_size:,} bytes; at most {MOST_BYTES:,} belong in the tree")
        arguments.output.write_bytes(picture.read_bytes())
    print(f"{arguments.output}: topic {topic}, {arguments.output.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
