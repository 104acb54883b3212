"""How many threads a call may use: n_jobs, threadpoolctl, joblib and the machine have a say."""

import os
from numbers import Integral

import joblib
import threadpoolctl

from copse import _copse


class _Controller(threadpoolctl.LibController):
    """Lets threadpoolctl see and limit our threads: `threadpool_limits(2)`, or `{"copse": 2}` for ours alone."""

    user_api = "copse"
    internal_api = "copse"
    filename_prefixes = ("_copse",)
    check_symbols = ("copse_get_num_threads", "copse_set_num_threads")

    def get_num_threads(self) -> int:
        return self.dynlib.copse_get_num_threads()

    def set_num_threads(self, num_threads: int) -> None:
        self.dynlib.copse_set_num_threads(num_threads)

    def get_version(self) -> str:
        return str(getattr(_copse, "__version__"))  # noqa: B009  not in the stub that nanobind writes


threadpoolctl.register(_Controller)


def thread_count(n_jobs: int | None) -> int:
    """The threads for `n_jobs`, which counts as scikit-learn's does, but None means all that are free."""
    if n_jobs is None:
        wanted = _free_threads()
    elif not isinstance(n_jobs, Integral) or n_jobs == 0:
        raise ValueError(f"n_jobs must be None or a whole number other than 0, not {n_jobs!r}.")
    else:
        wanted = int(n_jobs) if n_jobs > 0 else max(1, joblib.cpu_count() + 1 + int(n_jobs))
    return min(wanted, _copse.thread_limit())


def _free_threads() -> int:
    """All that the process may use. Workers of joblib share them: its processes are told by OMP_NUM_THREADS."""
    told = os.environ.get("OMP_NUM_THREADS", "")
    if told.isdigit() and int(told) > 0:
        return int(told)
    backend, _ = joblib.parallel.get_active_backend()
    return 1 if (backend.nesting_level or 0) > 0 else joblib.cpu_count()
