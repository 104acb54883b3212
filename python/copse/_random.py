"""random_state in all its forms."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING

import numpy as np
from sklearn.utils import check_random_state

if TYPE_CHECKING:
    from copse._types import RandomState


def seed_of(random_state: RandomState) -> int:
    """The seed for the library. A whole number is the seed itself, the same as `copse --seed`; from None, a
    RandomState or a Generator one is drawn."""
    if isinstance(random_state, Integral):
        if not 0 <= random_state < 2**64:
            raise ValueError(f"random_state must lie between 0 and 2^64 - 1; it is {random_state}.")
        return int(random_state)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    return int(check_random_state(random_state).randint(2**31 - 1))
