"""Every method on the same data, in one table."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from numbers import Integral, Real
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse
from sklearn.utils.validation import check_array

from copse import _copse
from copse._parameters import number
from copse._random import seed_of
from copse._table import table
from copse._threads import thread_count

if TYPE_CHECKING:
    from copse._types import Any, Path, RandomState, Table


# What the process of a method does: the module alone, so that its memory is that of the method.
WORKER = """
import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("_copse", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
asked = json.load(sys.stdin)
print(module.compare_line(asked["options"], asked["method"], asked["k"], asked["threads"]))
"""


class Comparison:
    """What `compare` found.

    Attributes
    ----------
    rows_ : list of dict
        One for each method and k, as `methods` in result.json: quality, time, memory; `failure` where it has no labels.
    labels_ : dict
        The labels of each method that has some, -1 for no cluster. With several k the keys are (method, k).
    agreement_ : array
        NMI of every pair of rows; NaN for those without labels.
    """

    def __init__(self, found: dict[str, Any], lines: list[str]) -> None:
        self.rows_: list[dict[str, Any]] = found["methods"]
        self.agreement_ = np.array(found["agreement"], dtype=float)
        outcomes = [json.loads(line) for line in lines]
        several = len(set(found["k"])) > 1
        self.labels_ = {
            (row["method"], row["k"]) if several else row["method"]: np.array(row["labels"])
            for row in outcomes
            if not row.get("failure")
        }

    @property
    def table_(self) -> Table:
        """The same rows as a pandas DataFrame, measures as columns of their own."""
        rows = [{**{k: v for k, v in row.items() if k != "measures"}, **row.get("measures", {})} for row in self.rows_]
        names = list(dict.fromkeys(name for row in rows for name in row))
        return table(**{name: [row.get(name, math.nan) for row in rows] for name in names})

    def __repr__(self) -> str:
        return f"<Comparison of {', '.join(dict.fromkeys(row['method'] for row in self.rows_))}>"


def compare(
    data: Any,
    k: int | Iterable[int],
    *,
    methods: Iterable[str] | None = None,
    y: Any = None,
    labels: dict[str, Any] | None = None,
    text: bool = False,
    n_runs: int = 5,
    time_limit: float | None = None,
    folder: Path | None = None,
    overwrite: bool = False,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> Comparison:
    """Runs all methods that suit the data, each in a process of its own, one after the other.

    All get the same preparation, the same k and the same number of runs, of which the one with the best objective
    counts, never the one that fits `y` best. It is what `copse compare` does.

    Parameters
    ----------
    data : matrix with samples as rows (an array, or sparse), or an iterable of documents
    k : int or several
    methods : names, or None for those that suit the data
        'nmf', 'tree', 'symnmf' and what `copse cluster --method` knows. XRAY, Hottopixx and affinity propagation, which
        can take hours, are among those that suit only with a `time_limit`.
    y : the true class of each sample, or None
    labels : dict of names and labels of other programs, one label for each sample
    text : bool, default=False
        A matrix holds counts of words: weighed as text is. Documents are always.
    n_runs : int, default=5
    time_limit : float or None, default=None
        Seconds for each method with each k: one that would take longer, as a sample tells, is left out.
    folder : path or None, default=None
        Where result.json, comparison.tsv, assignments.tsv and the page report.html go.
    overwrite : bool, default=False
        Whether a result in the folder may be replaced.
    random_state, n_jobs

    Examples
    --------
    >>> import copse
    >>> X, y, _ = copse.make_mixture(3, 20, 90, random_state=0)
    >>> found = copse.compare(X, 3, methods=["nmf", "spherical-kmeans"], y=y, n_runs=2)
    >>> [row["method"] for row in found.rows_]
    ['nmf', 'spherical-kmeans']
    """
    ks = [int(number("k", one, Integral, 1)) for one in (k if isinstance(k, Iterable) else [k])]
    known = _copse.compare_methods()
    chosen = [] if methods is None else list(methods)
    for method in chosen:
        if method not in known:
            raise ValueError(f"methods: {method!r} is none of {', '.join(known)}.")
    limit = math.inf if time_limit is None else float(number("time_limit", time_limit, Real, 0))
    threads = thread_count(n_jobs)
    with tempfile.TemporaryDirectory(prefix="copse-") as place:
        options: dict[str, Any] = {
            **_written(data, y, labels or {}, place),
            "text": bool(text),
            "methods": chosen,
            "ks": ks,
            "runs": int(number("n_runs", n_runs, Integral, 1)),
            "seed": seed_of(random_state),
            "time_limit": limit,
        }
        options["methods"] = _copse.suitable_methods(options)
        lines = [_in_process(options, method, one, threads, limit) for one in ks for method in options["methods"]]
        out = "" if folder is None else os.fspath(folder)
        found = json.loads(_copse.compare_result(options, lines, out, bool(overwrite), threads))
    return Comparison(found, lines)


def _written(data: Any, y: Any, labels: dict[str, Any], place: str) -> dict[str, Any]:
    """The data as files that every process can read."""
    is_matrix = scipy.sparse.issparse(data) or hasattr(data, "shape") or hasattr(data, "__dataframe__")
    if not is_matrix:
        data = list(data)
        is_matrix = not all(isinstance(one, str) for one in data)
    if is_matrix:
        data = check_array(data, accept_sparse="csr", dtype=[np.float64, np.float32])
    count = data.shape[0] if is_matrix else len(data)
    for name, values in {"y": y, **labels}.items():
        if values is not None and len(values) != count:
            raise ValueError(f"{name} has {len(values)} labels for {count} samples.")
    lines = {name: _lines(values, os.path.join(place, f"{n}.txt")) for n, (name, values) in enumerate(labels.items())}
    written: dict[str, Any] = {"documents": not is_matrix, "truth": "", "labels": list(lines.items())}
    if not is_matrix:
        written["path"] = os.path.join(place, "documents.jsonl")
        with open(written["path"], "w", encoding="utf-8") as file:
            for n, one in enumerate(data):
                document = {"id": str(n), "text": one} | ({} if y is None else {"label": str(y[n])})
                file.write(json.dumps(document) + "\n")
        return written
    if scipy.sparse.issparse(data):
        written["path"] = os.path.join(place, "data.npz")
        scipy.sparse.save_npz(written["path"], scipy.sparse.csr_matrix(data), compressed=False)
    else:
        written["path"] = os.path.join(place, "data.npy")
        np.save(written["path"], data)
    if y is not None:
        written["truth"] = _lines(y, os.path.join(place, "truth.txt"))
    return written


def _lines(values: Any, path: str) -> str:
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(str(value).replace("\n", " ").replace("\t", " ") + "\n" for value in values)
    return path


def _in_process(options: dict[str, Any], method: str, k: int, threads: int, limit: float) -> str:
    """The outcome of one method as a line of JSON."""
    asked = json.dumps({"options": options, "method": method, "k": k, "threads": threads})
    call = [sys.executable, "-c", WORKER, str(_copse.__file__)]
    # A method that does not look at its limit is ended some time after it.
    longest = None if math.isinf(limit) else 2 * limit + 60
    try:
        ended = subprocess.run(
            call, input=asked, capture_output=True, text=True, encoding="utf-8", timeout=longest
        )
    except subprocess.TimeoutExpired:
        return _copse.failed_line(options, method, k, f"did not end within {longest:.0f} seconds.")
    if ended.returncode == 0:
        return ended.stdout.splitlines()[-1]
    said = [line for line in ended.stderr.splitlines() if line.strip()]
    sentence = said[-1].removeprefix("ValueError: ") if said else f"failed with exit code {ended.returncode}."
    return _copse.failed_line(options, method, k, sentence.replace(options["path"], "The data"))

