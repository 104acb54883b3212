"""A fit by several processes under mpirun, each with some of the samples: what they agree on, and what they send."""

from __future__ import annotations

from math import gcd
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from copse._types import Any, Array, Callable

OWN_CHOICES = {"n_jobs", "verbose", "random_state", "on_interrupt", "vectorizer"}  # may differ from process to process


class Processes:
    """A communicator of mpi4py, as the library calls it: arrays of bytes, gathered and exchanged."""

    def __init__(self, comm: Any) -> None:
        if not all(hasattr(comm, name) for name in ("Get_rank", "Get_size", "Allgather", "Alltoallv", "allgather")):
            raise ValueError(f"comm must be a communicator of mpi4py, such as MPI.COMM_WORLD, not {comm!r}.")
        self.comm = comm
        self.rank: int = comm.Get_rank()
        self.size: int = comm.Get_size()
        _check_threads(comm)

    def all_gather(self, own: Array, gathered: Array) -> None:
        unit = gcd(8, len(own))
        self.comm.Allgather(_in_units(own, unit), _in_units(gathered, unit))

    def all_gather_parts(self, values: Array, starts: list[int]) -> None:
        part = values[starts[self.rank] : starts[self.rank + 1]].copy()
        unit = gcd(8, *starts)
        self.comm.Allgatherv(_in_units(part, unit), [_in_units(values, unit), _parts(starts, unit)])

    def exchange(self, values: Array, starts: list[int], received: Array) -> None:
        unit = gcd(8, *starts)
        part = starts[self.rank + 1] - starts[self.rank]
        places = [part * rank for rank in range(self.size + 1)]
        self.comm.Alltoallv(
            [_in_units(values, unit), _parts(starts, unit)], [_in_units(received, unit), _parts(places, unit)]
        )

    def agreed(self, function: Callable[[], Any]) -> Any:
        """What the function returns. Where it fails for one, it fails for all: nobody waits for somebody who left."""
        value, problem = None, None
        try:
            value = function()
        except Exception as error:  # of whatever kind: the others must hear of it
            problem = error
        problems = self.comm.allgather(None if problem is None else str(problem))
        if problem is not None:
            raise problem
        for rank, text in enumerate(problems):
            if text is not None:
                raise ValueError(f"The data of process {rank} was refused: {text}")
        return value

    def whole(self, items: Any, dtype: Any, parameters: dict[str, Any]) -> SimpleNamespace:
        """The sizes of all samples together. Refuses processes that do not fit together."""
        chosen = {name: repr(value) for name, value in parameters.items() if name not in OWN_CHOICES}
        facts = self.comm.allgather(
            (items.items, items.features, str(dtype), bool(items.is_sparse), items.largest, items.squared_norm, chosen)
        )
        for rank, other in enumerate(facts):
            for place, what in ((1, "columns"), (2, "type")):
                if other[place] != facts[0][place]:
                    raise ValueError(
                        f"All processes need the same columns and types: process 0 has {what} {facts[0][place]}, "
                        f"process {rank} has {other[place]}."
                    )
            for name, value in other[6].items():
                if value != facts[0][6][name]:
                    raise ValueError(
                        f"All processes need the same parameters: {name} is {facts[0][6][name]} in process 0 and "
                        f"{value} in process {rank}."
                    )
        return SimpleNamespace(
            items=sum(fact[0] for fact in facts),
            features=items.features,
            is_sparse=any(fact[3] for fact in facts),
            largest=max(fact[4] for fact in facts),
            squared_norm=sum(fact[5] for fact in facts),
        )


def refuse(given: dict[str, Any]) -> None:
    """Refuses what needs all samples in one process. The names are those of the arguments."""
    for name, value in given.items():
        if value:
            raise ValueError(f"{name} needs all samples in one process; leave out comm.")


def _check_threads(comm: Any) -> None:
    if not type(comm).__module__.startswith("mpi4py"):
        return
    from mpi4py import MPI

    if MPI.Query_thread() < MPI.THREAD_SERIALIZED:
        raise ValueError("This MPI was started for one thread only; set mpi4py.rc.thread_level to 'serialized'.")


def _in_units(values: Array, unit: int) -> Array:
    """So that the counts of a large array stay below 2^31."""
    return values.view(np.dtype(f"u{unit}"))


def _parts(starts: list[int], unit: int) -> tuple[list[int], list[int]]:
    places = [start // unit for start in starts]
    return [end - begin for begin, end in zip(places[:-1], places[1:], strict=True)], places[:-1]
