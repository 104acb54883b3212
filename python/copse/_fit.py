"""The one call of the library in a fit: its threads, its progress, and what Ctrl-C does to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from copse._parameters import choice
from copse._progress import FitProgress
from copse._threads import thread_count

if TYPE_CHECKING:
    from copse._types import Any, Callable, Data

INTERRUPTS = ("raise", "keep")


def check_on_interrupt(estimator: Any) -> None:
    """To be called early: turning documents into a matrix may take long."""
    choice("on_interrupt", estimator.on_interrupt, INTERRUPTS)


def fitted(
    function: Callable[..., Any], estimator: Any, X: Data, items: Any, settings: dict[str, Any], steps: int, **more: Any
) -> Any:
    """What function(items, settings, ...) of the library makes of the items of X."""
    progress = FitProgress(estimator, X, steps)
    result = function(
        items,
        settings,
        **more,
        line=estimator._line(),
        threads=thread_count(estimator.n_jobs),
        progress=progress.callback,
        keep_interrupted=estimator.on_interrupt == "keep",
    )
    if progress.callback is not None:
        progress.finish()
    return result
