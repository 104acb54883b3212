"""Tables for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from copse._types import Any, Table


def table(**columns: Any) -> Table:
    """A pandas DataFrame."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError("This table is a pandas DataFrame: install pandas to have it.") from error
    return pandas.DataFrame(columns)
