"""What a fit says on the way: scikit-learn's callbacks, and a line for the eye."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # scikit-learn has no types: a decorated method keeps its own
    from typing import TypeVar

    from copse._types import Any, Data

    Method = TypeVar("Method")

    class CallbackSupportMixin:
        _skl_callbacks: Any

    def with_callbacks(method: Method) -> Method: ...

else:
    try:  # scikit-learn 1.9 and later
        from sklearn.callback import CallbackSupportMixin, with_callbacks
    except ImportError:

        class CallbackSupportMixin:
            """Stands in where scikit-learn has no callbacks yet."""

        def with_callbacks(method):
            return method


class Line:
    """One line that is written over and over: in a terminal, in a notebook, or once at the end in a file."""

    seconds_between = 0.1

    def __init__(self, wanted: bool) -> None:
        self._wanted = bool(wanted)
        self._shown = 0.0
        self._text = ""
        self._display = _notebook_display() if self._wanted else None

    def show(self, text: str) -> None:
        self._text = text
        if self._wanted and time.monotonic() - self._shown > self.seconds_between:
            self._write(end="")

    def finish(self) -> None:
        if self._wanted and self._text:
            self._write(end="\n")

    def _write(self, end: str) -> None:
        self._shown = time.monotonic()
        if self._display is not None:
            self._display.update({"text/plain": self._text}, raw=True)
        elif sys.stderr.isatty():
            print(f"\r{self._text}\x1b[K", end=end, file=sys.stderr, flush=True)
        elif end:
            print(self._text, file=sys.stderr)


def _notebook_display() -> Any:
    """A display of IPython's that can be updated, where this runs in a notebook."""
    get_ipython = getattr(sys.modules.get("IPython"), "get_ipython", None)
    if get_ipython is None or getattr(get_ipython(), "kernel", None) is None:
        return None
    from IPython.display import display

    show: Any = display
    return show({"text/plain": ""}, raw=True, display_id=True)


class FitProgress:
    """Tells scikit-learn's callbacks and the line about each step of a fit; called by the library.

    With neither there is nothing to tell, and `callback` is None.
    """

    def __init__(self, estimator: Any, X: Data, steps: int) -> None:
        self._estimator = estimator
        self._X = X
        self._line = Line(estimator.verbose)
        self._context = None
        if getattr(estimator, "_skl_callbacks", None):
            self._context = estimator._init_callback_context(max_subtasks=steps)
            self._context.call_on_fit_task_begin(estimator=estimator, X=X, y=None)
        self.callback = self._step if self._context is not None or estimator.verbose else None

    def _step(self, step: Any) -> bool:
        self._line.show(self._estimator._describe(step))
        if self._context is None:
            return True
        task = self._context.subcontext()
        task.call_on_fit_task_begin(estimator=self._estimator, X=self._X, y=None)
        return not task.call_on_fit_task_end(estimator=self._estimator, X=self._X, y=None)

    def finish(self) -> None:
        self._line.finish()
        if self._context is not None:
            self._context.call_on_fit_task_end(estimator=self._estimator, X=self._X, y=None)
