"""Pictures, through matplotlib where it is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sklearn.utils.validation import check_is_fitted

if TYPE_CHECKING:
    from copse._types import Any


def plot_history(*models: Any, ax: Any = None, against: str = "iteration") -> Any:
    """Draws the relative error of fitted NMF or DCNMF models, against 'iteration' or 'seconds'. Returns the axes."""
    if against not in ("iteration", "seconds"):
        raise ValueError(f"against must be 'iteration' or 'seconds', not {against!r}.")
    ax = _axes(ax)
    for model in models:
        check_is_fitted(model, "history_")
        label = f"{type(model).__name__} {getattr(model, 'solver', '')}, {model.n_components_} components"
        ax.plot(model.history_[against], model.history_.relative_error, label=label)
    ax.set_xlabel(against)
    ax.set_ylabel("relative error")
    ax.legend()
    return ax


def plot_tree(tree: Any, *, n_words: int = 4, ax: Any = None) -> Any:
    """Draws a fitted TopicTree: the root on the left, the leaves with their sizes and words on the right.

    A line is the wider the more samples the node has. Returns the axes.
    """
    check_is_fitted(tree)
    ax = _axes(ax)
    nodes = {node["id"]: node for node in tree.nodes(n_words)}
    places: dict[str, tuple[float, float]] = {}

    def place(name: str) -> float:
        node = nodes[name]
        depth = name.count(".") + 1 if name else 0
        heights = [place(child) for child in node["children"]]
        leaves = len([known for known in places if not nodes[known]["children"]])
        places[name] = (depth, sum(heights) / len(heights) if heights else -leaves)
        return places[name][1]

    place("")
    most = max(1, nodes[""]["size"])
    for name, node in nodes.items():
        x, y = places[name]
        for child in node["children"]:
            right, other = places[child]
            width = 0.5 + 6 * nodes[child]["size"] / most
            ax.plot([x, x, right], [y, other, other], color="0.6", linewidth=width, solid_joinstyle="round")
        if not node["children"]:
            label = f"{node['name'] or name}  {node['size']}  {', '.join(node['words'])}"
            ax.text(x + 0.05, y, label, va="center", fontsize="small")
    ax.set_axis_off()
    return ax


def _axes(ax: Any) -> Any:
    try:
        import matplotlib.pyplot
    except ImportError as error:
        raise ImportError("Pictures are drawn by matplotlib: install it to have them.") from error
    return matplotlib.pyplot.subplots()[1] if ax is None else ax
