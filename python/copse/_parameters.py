"""Parameters of estimators: what they may be, and the sentence for what they may not."""

from numbers import Integral


def choice(name, value, choices):
    """The entry of `choices` for a parameter, or an error that lists them."""
    if not (value is None or isinstance(value, str)) or value not in choices:
        listed = ", ".join(repr(known) for known in choices)
        raise ValueError(f"{name} must be one of {listed}, not {value!r}.")
    return choices[value]


def number(name, value, kind, least):
    if isinstance(value, bool) or not isinstance(value, kind) or not value >= least:
        what = "a whole number" if kind is Integral else "a number"
        raise ValueError(f"{name} must be {what} of at least {least}, not {value!r}.")
    return value
