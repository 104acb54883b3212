"""Tiers of tests. COPSE_TIER is quick, test (what a change can break; also without the variable) or night (all)."""

import os
import random

TIER = os.environ.get("COPSE_TIER", "test")
SEED = int(os.environ.get("COPSE_TEST_SEED", "0"))  # draws other combinations


def pytest_configure(config):
    """Tests that run side by side share the cores: what they start takes one thread unless it asks for more."""
    worker = getattr(config, "workerinput", None)
    if worker is not None and hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {cores[int(worker["workerid"].removeprefix("gw")) % len(cores)]})


def pytest_collection_modifyitems(config, items):
    named = any("::" in argument for argument in config.args)  # who names a test gets it
    if TIER == "night" or named:
        return
    groups = {}
    for item in items:
        if item.get_closest_marker("combinations") or item.get_closest_marker("sample"):
            groups.setdefault((item.path, item.originalname), []).append(item)
    drawn = {item for cases in groups.values() for item in some_of(cases)}

    def wanted(item):
        if item.get_closest_marker("night") or ((item.path, item.originalname) in groups and item not in drawn):
            return False
        return TIER != "quick" or item.get_closest_marker("quick")

    config.hook.pytest_deselected(items=[item for item in items if not wanted(item)])
    items[:] = [item for item in items if wanted(item)]


def some_of(cases):
    """As many as the marker `sample` says, or so many that each value of each parameter has its turn."""
    order = list(cases)
    random.Random(f"{SEED} {cases[0].originalname}").shuffle(order)
    if sample := cases[0].get_closest_marker("sample"):
        return order[:sample.args[0]]
    values = {item: {(name, repr(value)) for name, value in item.callspec.params.items()} for item in cases}
    missing = set().union(*values.values())
    found = []
    while missing:
        found.append(max(order, key=lambda item: len(values[item] & missing)))
        missing -= values[found[-1]]
    return found
