"""How many clusters: a survey of a range of k, and its verdict."""

from __future__ import annotations

import json
import math
from numbers import Integral
from typing import TYPE_CHECKING

from copse import _copse
from copse._items import items_of, validated
from copse._nmf import NMF
from copse._parameters import choice, number
from copse._plots import _axes
from copse._random import seed_of
from copse._table import table
from copse._threads import thread_count

if TYPE_CHECKING:
    from collections.abc import Iterable

    from copse._types import Any, Data, RandomState, Table


class Survey:
    """What `choose_k` found.

    Attributes
    ----------
    k_ : int
        How many clusters, or components, the data supports. 1: there is no evidence of clusters.
    sentence_ : str
        The verdict with its reasons.
    sure_ : float
        The share of surveys, drawn anew with replacement from these runs, that choose the same k.
    possible_ : list of int
        Other numbers that at least a tenth of them choose.
    choices_ : dict
        What each measure says by its own rule.
    """

    def __init__(self, found: dict[str, Any]) -> None:
        self._found = found
        self.k_: int = found["k"]
        self.sentence_: str = found["sentence"]
        self.sure_: float = found["sure"]
        self.possible_: list[int] = found["possible"]
        self.choices_: dict[str, int] = {choice["measure"]: choice["k"] for choice in found["choices"]}

    @property
    def table_(self) -> Table:
        """One row for every k with all measures, as survey.tsv has them: a pandas DataFrame."""
        rows = self._found["rows"]
        names = list(dict.fromkeys(name for row in rows for name in row))
        return table(**{name: [row.get(name, math.nan) for row in rows] for name in names})

    def plot(self, ax: Any = None) -> Any:
        """Draws prediction strength beside that of data without clusters, with one standard deviation. Returns the axes.

        Where there was no such run, the error of hidden entries.
        """
        ax = _axes(ax)
        rows = self._found["rows"]
        ks = [row["k"] for row in rows]
        drawn = [("prediction_strength", "data", "C3"), ("null_strength", "chance: box", "C0"),
                 ("shuffled_strength", "chance: shuffled", "C7")]
        if "prediction_strength" not in rows[0]:
            drawn = [("hidden_error", "hidden entries", "C3")]
        for name, label, colour in drawn:
            if name not in rows[0]:
                continue
            centre = [row.get(name, math.nan) for row in rows]
            spread = [row.get(name + "_deviation", 0.0) for row in rows]
            ax.plot(ks, centre, color=colour, marker="o", label=label)
            ax.fill_between(ks, [c - s for c, s in zip(centre, spread)], [c + s for c, s in zip(centre, spread)],
                            color=colour, alpha=0.15)
        if self.k_ in ks:
            ax.axvline(self.k_, color="0.5", linestyle=":")
        ax.set_xlabel("k")
        ax.set_ylabel("hidden error" if drawn[0][0] == "hidden_error" else "prediction strength")
        ax.legend()
        return ax

    def __repr__(self) -> str:
        return f"Survey(k_={self.k_}, sure_={self.sure_:.2f})"


def choose_k(
    X: Data,
    ks: Iterable[int] = range(2, 9),
    *,
    question: str = "clusters",
    n_runs: int = 50,
    null: str = "automatic",
    average: str = "median",
    all_measures: bool = False,
    solver: str = "hals",
    affine: bool = False,
    tol: float = 1e-3,
    max_iter: int = 200,
    random_state: RandomState = None,
    time_limit: float | None = None,
    n_jobs: int | None = None,
) -> Survey:
    """Says how many clusters X has, how sure that is and what else is possible.

    Every k is fitted many times: to halves of the samples, which predict each other; to halves of data without
    clusters; to parts of the samples; with hidden entries; from several starts. The numbers are those of `copse choose`
    with the same seed.

    Parameters
    ----------
    X : {array, sparse matrix, data frame, AnnData} of shape (n_samples, n_features)
    ks : numbers of clusters to look at
    question : {'clusters', 'components'}, default='clusters'
        How many groups can be told apart, or how many components the data needs. These may be different numbers.
    n_runs : int, default=50
        Runs of each kind for every k.
    null : {'automatic', 'box', 'shuffled'}, default='automatic'
        Data without clusters: uniform in the box of the principal components, or each feature shuffled.
    average : {'median', 'mean'}, default='median'
    all_measures : bool, default=False
        Also the gap statistic and bi-cross-validation.
    solver, affine, tol, max_iter, random_state, n_jobs
        As for NMF.
    time_limit : float or None, default=None
        Seconds after which the verdict is that of the runs so far.

    Returns
    -------
    Survey

    Examples
    --------
    >>> from copse import choose_k, make_gene_expression
    >>> X = make_gene_expression(n_clusters=3, random_state=0).X
    >>> choose_k(X, range(2, 5), affine=True, n_runs=5, random_state=0).k_
    3
    """
    numbers = sorted({number("ks", k, Integral, 1) for k in ks})
    if not numbers:
        raise ValueError("ks must name at least one number of clusters.")
    choice("question", question, ("clusters", "components"))
    choice("null", null, ("automatic", "box", "shuffled"))
    choice("average", average, ("median", "mean"))
    threads = thread_count(n_jobs)
    items = items_of(validated(NMF(), X, reset=True), threads)
    found = _copse.survey(
        items,
        numbers,
        number("n_runs", n_runs, Integral, 1),
        question,
        null,
        average,
        bool(all_measures),
        solver,
        bool(affine),
        float(tol),
        number("max_iter", max_iter, Integral, 1),
        seed_of(random_state),
        math.inf if time_limit is None else float(time_limit),
        threads,
    )
    return Survey(json.loads(found))
