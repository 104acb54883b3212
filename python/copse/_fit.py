"""The one call of the library in a fit: its threads, its progress, and what Ctrl-C does to it."""

from copse._items import items_of
from copse._parameters import choice
from copse._progress import FitProgress
from copse._threads import thread_count

INTERRUPTS = {"raise": False, "keep": True}


def check_on_interrupt(estimator):
    """To be called early: turning documents into a matrix may take long."""
    choice("on_interrupt", estimator.on_interrupt, INTERRUPTS)


def fitted(function, estimator, X, options, steps, **start):
    """The items of validated X, and what function(items, options, **start) of the library makes of them."""
    threads = thread_count(estimator.n_jobs)
    items = items_of(X, threads)
    progress = FitProgress(estimator, X, steps)
    result = function(
        items,
        options,
        **start,
        threads=threads,
        progress=progress.callback,
        keep_interrupted=INTERRUPTS[estimator.on_interrupt],
    )
    if progress.callback is not None:
        progress.finish()
    return items, result
