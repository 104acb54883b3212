"""Changes to a finished tree."""

from numbers import Integral

from sklearn.utils.validation import check_is_fitted

from copse._items import items_of
from copse._parameters import number
from copse._threads import thread_count


class TreeEdits:
    """The methods of TopicTree that change its tree, and take changes back."""

    def split(self, node, into=2, X=None):
        """Splits a leaf further, into so many leaves at most; the rest of the tree stays as it is.

        X is the data of the fit, needed only for a tree that was loaded or unpickled.
        """
        check_is_fitted(self)
        X = self._data(X)
        before = self._tree.leaves
        options = self._options(number("into", into, Integral, 2))
        options.seed = self._seed
        threads = thread_count(self.n_jobs)
        changed = self._tree.copy()
        changed.grow(node, items_of(X, threads), options, threads)
        if changed.leaves == before:
            raise ValueError(f"Node {node} cannot be split further.")
        return self._change(changed)

    def cut(self, n_leaves):
        """Takes the last splits back until so many leaves are left."""
        check_is_fitted(self)
        return self._edit("cut", number("n_leaves", n_leaves, Integral, 1))

    def merge(self, node):
        """Makes a node a leaf again."""
        check_is_fitted(self)
        return self._edit("merge", node)

    def drop(self, node):
        """Sets all samples below a node aside as outliers."""
        check_is_fitted(self)
        return self._edit("drop", node)

    def rename(self, node, name):
        """Gives a node a name of its own; '' takes it away."""
        check_is_fitted(self)
        return self._edit("rename", node, name)

    def undo(self):
        """Takes the last change back."""
        check_is_fitted(self)
        if not self._history:
            raise ValueError("There is nothing to undo.")
        self._tree = self._history.pop()
        self._take_stock()
        return self

    def _edit(self, what, *arguments):
        changed = self._tree.copy()
        getattr(changed, what)(*arguments)
        return self._change(changed)

    def _change(self, changed):
        self._history.append(self._tree)
        self._tree = changed
        self._take_stock()
        return self
