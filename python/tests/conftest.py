"""Tests of the Python package; ./run test installs it into .venv first."""

import os

import pytest


def pytest_configure(config):
    # Many tests stop early on purpose; the one on stop reasons looks for the warning.
    config.addinivalue_line("filterwarnings", "ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="session")
def program():
    path = os.environ.get("COPSE_PROGRAM", "")
    if not os.access(path, os.X_OK):
        pytest.skip("COPSE_PROGRAM does not name the program; ./run test sets it")
    return path
