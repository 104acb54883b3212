"""The words of the annotations; only type checkers read this file."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing
import pandas
from typing_extensions import Self

__all__ = [
    "Any",
    "Array",
    "Callable",
    "Data",
    "Iterable",
    "Iterator",
    "Path",
    "RandomState",
    "Self",
    "Sequence",
    "Table",
]

Array: TypeAlias = numpy.typing.NDArray[Any]
Path: TypeAlias = str | os.PathLike[str]
# An array, a sparse matrix, a data frame of pandas or polars, an AnnData, or documents. Most of them have no types that
# could be named here.
Data: TypeAlias = Any
RandomState: TypeAlias = int | np.random.RandomState | np.random.Generator | None
Table: TypeAlias = pandas.DataFrame
