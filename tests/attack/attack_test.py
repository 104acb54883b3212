"""A few seconds of every attack; `./run attack` has ten minutes."""

import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(__file__))

import concurrency  # noqa: E402
import disks  # noqa: E402
import kills  # noqa: E402
import links  # noqa: E402
import models  # noqa: E402
import streams  # noqa: E402
from common import PROGRAM, Attack  # noqa: E402

SUBJECTS = [subject for module in (kills, disks, models, links, concurrency, streams) for subject in module.SUBJECTS]


@pytest.mark.parametrize("name, work", [(name, work) for name, _, work in SUBJECTS], ids=[name for name, _, _ in SUBJECTS])
def test_survives(name, work):
    if not os.access(PROGRAM, os.X_OK):
        pytest.skip("COPSE_PROGRAM does not name the program; ./run test sets it")
    if os.environ.get("COPSE_SANITIZER"):
        pytest.skip("a sanitizer takes memory, descriptors and signals of its own")
    attack = Attack(name, 3)
    try:
        reason = work(attack)
    finally:
        attack.close()
    if reason:
        pytest.skip(reason)
    assert attack.tried > 0
    assert not attack.findings
