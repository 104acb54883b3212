"""A long fit can be watched and stopped, lets other threads of Python work, and keeps to its threads."""

import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import joblib
import numpy as np
import pytest
import scipy.sparse
import threadpoolctl
from copse._threads import thread_count
from sklearn.exceptions import ConvergenceWarning

from copse import DCNMF, NMF


@pytest.fixture(scope="module")
def large():
    return scipy.sparse.random(4000, 2000, density=0.02, format="csr", random_state=0)


@pytest.fixture(autouse=True)
def control_c_is_heard():
    """A shell ignores it for what runs in its background, and Python then does, too."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupt_after(seconds):
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


def endless(**more):
    return NMF(20, tol=0, max_iter=10**6, random_state=0, **more)


def test_control_c_stops_a_fit(large):
    model = endless()
    timer = interrupt_after(0.5)
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        model.fit(large)
    timer.join()
    assert time.monotonic() - began < 10
    assert not hasattr(model, "components_")


def test_control_c_keeps_the_best_on_request(large):
    model = endless(on_interrupt="keep")
    timer = interrupt_after(1)
    with pytest.warns(ConvergenceWarning, match="was stopped after iteration"):
        model.fit(large)
    timer.join()
    assert model.stop_reason_ == "interrupted" and model.n_iter_ >= 1
    assert model.relative_error_ < 1


def test_other_threads_run_meanwhile(large):
    ticks = []
    stop = threading.Event()

    def tick():
        while not stop.wait(0.01):
            ticks.append(time.monotonic())

    thread = threading.Thread(target=tick)
    thread.start()
    NMF(20, tol=0, max_iter=10**6, time_limit=1.0, random_state=0).fit(large)
    stop.set()
    thread.join()
    assert len(ticks) > 10


class Callback:
    """scikit-learn's protocol."""

    def __init__(self, stop_after=None, fail_at=None):
        self.calls, self.tasks, self.threads = [], 0, set()
        self.stop_after, self.fail_at = stop_after, fail_at

    def setup(self, estimator, context):
        self.calls.append("setup")

    def on_fit_task_begin(self, estimator, context, *, X=None, y=None, metadata=None, fitted_estimator=None):
        self.threads.add(threading.get_ident())

    def on_fit_task_end(self, estimator, context, *, X=None, y=None, metadata=None, fitted_estimator=None):
        self.tasks += 1
        if self.tasks == self.fail_at:
            raise RuntimeError("the callback failed")
        return self.tasks == self.stop_after

    def teardown(self, estimator, context):
        self.calls.append("teardown")


@pytest.mark.skipif(not hasattr(NMF, "set_callbacks"), reason="scikit-learn before 1.9 has no callbacks")
class TestCallbacks:
    def test_see_every_iteration_in_the_calling_thread(self, large):
        callback = Callback()
        NMF(5, tol=0, max_iter=7, random_state=0).set_callbacks(callback).fit(large)
        assert callback.tasks == 7 + 1 and callback.calls == ["setup", "teardown"]
        assert callback.threads == {threading.get_ident()}

    def test_can_stop(self, large):
        model = NMF(5, tol=0, max_iter=50, random_state=0).set_callbacks(Callback(stop_after=3))
        with pytest.warns(ConvergenceWarning, match="stopped after iteration 3"):
            model.fit(large)
        assert model.n_iter_ == 3

    def test_may_fail(self, large):
        callback = Callback(fail_at=2)
        with pytest.raises(RuntimeError, match="the callback failed"):
            NMF(5, tol=0, max_iter=50, random_state=0).set_callbacks(callback).fit(large)
        assert callback.calls == ["setup", "teardown"]


def test_verbose_ends_with_a_line(large, capfd):
    NMF(5, tol=0, max_iter=3, random_state=0, verbose=1).fit(large)
    assert "NMF: iteration 3 of at most 3, relative error 0." in capfd.readouterr().err
    DCNMF(5, random_state=0).fit(large)
    assert capfd.readouterr().err == ""


def test_n_jobs_counts_as_in_scikit_learn():
    cpus = joblib.cpu_count()
    assert thread_count(None) == thread_count(-1) == cpus
    assert thread_count(1) == 1 and thread_count(-cpus) == 1 and thread_count(-100) == 1


def test_threadpoolctl_sees_and_limits_us():
    ours = [pool for pool in threadpoolctl.threadpool_info() if pool["user_api"] == "copse"]
    assert len(ours) == 1 and ours[0]["num_threads"] == thread_count(None)
    with threadpoolctl.threadpool_limits(1):
        assert thread_count(None) == 1 and thread_count(2) == 1
    with threadpoolctl.threadpool_limits({"copse": 1}):
        assert thread_count(None) == 1
    assert thread_count(None) == joblib.cpu_count()


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_workers_of_joblib_share_the_machine(backend):
    counts = joblib.Parallel(n_jobs=2, backend=backend)(joblib.delayed(thread_count)(None) for _ in range(4))
    assert set(counts) == {1 if backend == "threading" else max(1, joblib.cpu_count() // 2)}


def test_a_limit_of_threads_is_kept():
    """Counts the threads of a process that fits with one."""
    script = """
        import threading, time
        import numpy as np
        from copse import NMF
        X = np.random.RandomState(0).rand(2000, 500)
        most = 0
        def watch():
            global most
            while not done.wait(0.02):
                most = max(most, int([l for l in open("/proc/self/status") if l.startswith("Threads")][0].split()[1]))
        NMF(5, n_jobs=1, max_iter=2, tol=0, random_state=0).fit(X)
        done = threading.Event()
        thread = threading.Thread(target=watch)
        thread.start()
        before = int([l for l in open("/proc/self/status") if l.startswith("Threads")][0].split()[1])
        NMF(20, n_jobs=1, tol=0, max_iter=10**6, time_limit=0.5, random_state=0).fit(X)
        done.set(); thread.join()
        print(most - before)
    """
    out = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, check=True)
    assert int(out.stdout) <= 1  # the one that works while the caller listens for Ctrl-C


def test_results_do_not_depend_on_who_else_runs(large):
    expected = NMF(5, tol=0, max_iter=5, random_state=0).fit_transform(large)
    results = joblib.Parallel(n_jobs=2, backend="threading")(
        joblib.delayed(NMF(5, tol=0, max_iter=5, random_state=0).fit_transform)(large) for _ in range(4)
    )
    for found in results:
        np.testing.assert_array_equal(found, expected)


def fit_in_child(X):
    return NMF(5, tol=0, max_iter=5, random_state=0).fit_transform(X)


def test_a_forked_process_fits_too(large):
    """Threads do not survive a fork; the child must do without those of its parent."""
    expected = fit_in_child(large)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        for found in pool.map_async(fit_in_child, [large] * 2).get(60):
            np.testing.assert_array_equal(found, expected)
