"""Changes to a finished tree."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING

from sklearn.utils.validation import check_is_fitted

from copse._parameters import number
from copse._threads import thread_count

if TYPE_CHECKING:
    from copse._types import Any, Data, Self


class TreeEdits:
    """The methods of TopicTree that change its tree, and take changes back. The library keeps the last versions."""

    if TYPE_CHECKING:
        _result: Any
        n_jobs: int | None

        def _items(self, X: Data = None) -> Any: ...
        def _take_stock(self) -> None: ...

    def split(self, node: str, into: int = 2, X: Data = None) -> Self:
        """Splits a leaf further, into so many leaves at most; the rest of the tree stays as it is.

        X is the data of the fit, needed only for a tree that was loaded, unpickled or copied.
        """
        check_is_fitted(self)
        node, into = node_name(node), number("into", into, Integral, 2)
        items = self._items(X)
        if items is None:
            raise ValueError(
                "A tree that was loaded, unpickled or copied has no data with it: give X, the data of the fit."
            )
        return self._edit("split", node, into, items=items)

    def cut(self, n_leaves: int) -> Self:
        """Takes the last splits back until so many leaves are left."""
        return self._edit("cut", number=number("n_leaves", n_leaves, Integral, 1))

    def merge(self, node: str, other: str | None = None) -> Self:
        """Makes a node a leaf again; or, with `other`, makes one leaf of two nodes.

        The samples of `other` go to `node`, which becomes a leaf, and so do new ones. `other` stays in the tree as an
        empty node that points to it (`merged_into` in `nodes_`), so that all ids stay. Two nodes with the same parent
        become that parent.
        """
        return self._edit("merge", node_name(node), name="" if other is None else node_name(other))

    def drop(self, node: str) -> Self:
        """Sets all samples below a node aside as outliers."""
        return self._edit("drop", node_name(node))

    def rename(self, node: str, name: str) -> Self:
        """Gives a node a name of its own; '' takes it away."""
        return self._edit("rename", node_name(node), name=name)

    def undo(self) -> Self:
        """Takes the last change back. Ten versions are kept, also in files, pickles and copies."""
        return self._edit("undo")

    def _edit(self, what: str, node: str = "", number: int = 0, name: str = "", items: Any = None) -> Self:
        check_is_fitted(self)
        self._result.edit(what, node, number, name, items, thread_count(self.n_jobs))
        self._take_stock()
        return self


def node_name(node: str) -> str:
    if not isinstance(node, str):
        raise ValueError(f"A node is called by its way from the root, a string such as '1.2', not {node!r}.")
    return node
