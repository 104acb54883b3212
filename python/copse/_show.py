"""A tree for the eye: as text and as HTML."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from copse._types import Any


class Text(str):
    """Text that a notebook shows as it is."""

    def __repr__(self) -> str:
        return str(self)


def tree_text(nodes: list[dict[str, Any]]) -> Text:
    """One line per node, indented by depth; nodes as TopicTree.nodes() has them."""
    lines = []
    for node in sorted(nodes, key=lambda node: [int(part) for part in node["id"].split(".") if part]):
        indent = "  " * (node["id"].count(".") + 1 if node["id"] else 0)
        into = node["merged_into"]
        note = f" (merged into {into})" if into is not None else " (dropped)" if node["dropped"] else ""
        lines.append(f"{indent}{_label(node)}  {node['size']}{note}  {' '.join(node['words'])}".rstrip())
    return Text("\n".join(lines))


def tree_html(nodes: list[dict[str, Any]]) -> str:
    """Nested lists that fold."""
    by_id = {node["id"]: node for node in nodes}

    def item(node: dict[str, Any]) -> str:
        words = html.escape(" ".join(node["words"]))
        line = f"<b>{html.escape(_label(node))}</b> <small>{node['size']}</small> {words}"
        if not node["children"]:
            return f"<li>{line}</li>"
        inner = "".join(item(by_id[child]) for child in node["children"])
        return f"<li><details open><summary>{line}</summary><ul>{inner}</ul></details></li>"

    return f'<ul class="copse-tree">{item(by_id[""])}</ul>'


def _label(node: dict[str, Any]) -> Any:
    return node["name"] or node["id"] or "all"
