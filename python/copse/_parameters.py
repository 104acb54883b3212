"""Parameters of estimators: what they may be, and the sentence for what they may not."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from copse._types import Any, Iterable


def choice(name: str, value: Any, choices: Iterable[Any]) -> Any:
    """The value of a parameter that is one of `choices`, or an error that lists them."""
    if not (value is None or isinstance(value, str)) or value not in choices:
        listed = ", ".join(repr(known) for known in choices)
        raise ValueError(f"{name} must be one of {listed}, not {value!r}.")
    return value


def number(name: str, value: Any, kind: Any, least: float) -> Any:
    if isinstance(value, bool) or not isinstance(value, kind) or not value >= least:
        what = "a whole number" if kind is Integral else "a number"
        raise ValueError(f"{name} must be {what} of at least {least}, not {value!r}.")
    return int(value) if kind is Integral else float(value)


def words(name: str, values: Any) -> Any:
    """A list of strings; one string is a list of one, and not its letters."""
    if values is None:
        return []
    values = [values] if isinstance(values, str) else list(values)
    wrong = next((value for value in values if not isinstance(value, str)), None)
    if wrong is not None:
        raise ValueError(f"{name} must be strings, not {wrong!r}.")
    return values


def names_for(name: str, values: Any, count: int) -> list[str]:
    """One text for each of `count` samples; an empty list for None."""
    if values is None:
        return []
    if isinstance(values, str) or not hasattr(values, "__iter__"):
        raise ValueError(f"{name} must be a list with one entry for each sample, not {values!r}.")
    values = ["" if value is None or value != value else str(value) for value in values]
    if len(values) != count:
        raise ValueError(f"There are {len(values)} {name} for {count} samples.")
    return values
