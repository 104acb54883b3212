"""How many clusters: a survey of a range of k, and its verdict."""

from __future__ import annotations

import json
import math
from numbers import Integral, Real
from typing import TYPE_CHECKING

import numpy as np

from copse import _copse
from copse._anndata import to_anndata
from copse._cluster import BisectingKMeans, SphericalKMeans
from copse._flat import sparse_weights
from copse._genes import genes_of, is_anndata
from copse._graph import SymNMF
from copse._items import items_of, validated
from copse._nmf import NMF
from copse._parameters import choice, number
from copse._plots import _axes
from copse._random import seed_of
from copse._table import table
from copse._threads import thread_count
from copse._tree import TopicTree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from copse._types import Any, Data, RandomState, Table

ITEMS = (_copse.ItemsFloat, _copse.ItemsDouble)


class Survey:
    """What `choose_k` found.

    Attributes
    ----------
    k_ : int
        How many clusters, or components, the data supports. 1: there is no evidence of clusters.
    sentence_ : str
        The verdict with its reasons.
    sure_ : float
        How sure the verdict is: the share of surveys, drawn anew with replacement from these runs, that choose the same
        k, and less where all samples share a large baseline and `affine` was not asked for; the sentence says so.
    possible_ : list of int
        Other numbers that at least a tenth of them choose.
    interval_ : tuple of int
        Nine tenths of them choose from the first to the second.
    choices_ : dict
        What each measure says by its own rule.
    method_ : str
        What was fitted.
    """

    def __init__(self, found: dict[str, Any], parameters: dict[str, Any] | None = None) -> None:
        self._found = found
        self._parameters = parameters or {}  # of the method that was surveyed
        self.method_: str = found["method"]
        self.k_: int = found["k"]
        self.sentence_: str = found["sentence"]
        self.sure_: float = found["sure"]
        self.possible_: list[int] = found["possible"]
        self.interval_: tuple[int, int] = (found["least"], found["most"])
        self.choices_: dict[str, int] = {choice["measure"]: choice["k"] for choice in found["choices"]}

    @property
    def table_(self) -> Table:
        """One row for every k with all measures, as survey.tsv has them: a pandas DataFrame."""
        rows = self._found["rows"]
        names = list(dict.fromkeys(name for row in rows for name in row))
        return table(**{name: [row.get(name, math.nan) for row in rows] for name in names if not name.endswith("silhouettes")})

    @property
    def persistence_(self) -> Table | None:
        """How well each cluster of the chosen number is found again at every k: a pandas DataFrame, clusters x k.

        The cosine of its component with the nearest component of a fit to a part of the samples, the mean over these
        fits, 0 to 1; at the chosen k it is the stability of the cluster. The clusters are those that `copse choose`
        writes: the fit of all samples with the settings of the survey. A tree's are named by the ids of their leaves.
        None where the method has no components.
        """
        found = self._found["persistence"]
        if found is None:
            return None
        columns = zip(*found["values"])
        frame = table(**{str(k): np.array(column, dtype=float) for k, column in zip(found["ks"], columns)})
        frame.columns = found["ks"]
        frame.columns.name = "k"
        if self.method_ == "tree":
            frame.index = found["topics"]
        frame.index.name = "cluster"
        return frame

    def model(self, X: Data, *, layer: str | None = None, genes: Any = None) -> Any:
        """The method of the survey with the chosen number of clusters and the survey's settings, fitted to X.

        An NMF, TopicTree, SymNMF, SphericalKMeans (which is K-means with spherical=False) or BisectingKMeans.
        """
        if self.method_ == "nmf":
            return NMF(self.k_, **self._parameters).fit(X, layer=layer, genes=genes)
        makers: dict[str, Callable[..., Any]] = {
            "tree": lambda k, **settings: TopicTree(k, criterion="error", **settings),
            "symnmf": SymNMF,
            "kmeans": lambda k, **settings: SphericalKMeans(k, spherical=False, **settings),
            "spherical-kmeans": SphericalKMeans,
            "bisecting": BisectingKMeans,
        }
        if is_anndata(X):
            X = genes_of(X, layer, genes).matrix
        return makers[self.method_](self.k_, **self._parameters).fit(X)

    def to_anndata(self, adata: Any, *, layer: str | None = None, key: str = "copse") -> Any:
        """Fits the chosen number of components to an AnnData, writes them into it and returns it.

        `to_anndata` of the package says what becomes of the model: usages in `obsm`, spectra in `varm`, clusters in
        `obs`. `uns[key]["survey"]` has the verdict and the measures. Of a survey of NMF only.
        """
        if self.method_ != "nmf":
            raise ValueError(f"Components are written of nmf, and this is a survey of {self.method_}; see `model`.")
        to_anndata(self.model(adata, layer=layer), adata, layer=layer, key=key)
        adata.uns[key]["survey"] = {
            "k": self.k_,
            "sure": self.sure_,
            "sentence": self.sentence_,
            "possible": np.array(self.possible_, dtype=np.int64),
            "interval": np.array(self.interval_, dtype=np.int64),
            "choices": dict(self.choices_),
            "table": self.table_,
        }
        return adata

    def plot(self, kind: str = "recurrence", ax: Any = None) -> Any:
        """Draws one picture of the survey. Returns the axes.

        Parameters
        ----------
        kind : {'recurrence', 'strength', 'error', 'consensus', 'flows', 'persistence'}, default='recurrence'
            'recurrence': how far clusters come back in halves, beside that of data without clusters, with one standard
            deviation and p-values; where there was no such run, the error of hidden entries. 'strength': prediction
            strength in the same way. 'error': error and stability on two axes. 'consensus': how often two samples come together for the chosen k, reordered. 'flows': how clusters
            split and merge from each k to the next. 'persistence': how well each cluster is found again at every k.
        ax : matplotlib axes, default=None
            Where to draw; None: a new figure.
        """
        drawers = {"recurrence": self._plot_recurrence, "strength": self._plot_strength, "error": self._plot_error,
                   "consensus": self._plot_consensus, "flows": self._plot_flows,
                   "persistence": self._plot_persistence}
        choice("kind", kind, tuple(drawers))
        ax = _axes(ax)
        drawers[kind](ax)
        return ax

    def _curve(self, ax: Any, name: str, label: str, colour: str) -> bool:
        rows = [row for row in self._found["rows"] if name in row]
        if not rows:
            return False
        ks, centre = [row["k"] for row in rows], [row[name] for row in rows]
        spread = [row.get(name + "_deviation", 0.0) for row in rows]
        ax.plot(ks, centre, color=colour, marker="o", label=label)
        ax.fill_between(ks, [c - s for c, s in zip(centre, spread)], [c + s for c, s in zip(centre, spread)],
                        color=colour, alpha=0.15)
        return True

    def _mark(self, ax: Any) -> None:
        if self.k_ in [row["k"] for row in self._found["rows"]]:
            ax.axvline(self.k_, color="0.5", linestyle=":")
        ax.set_xlabel("k")

    def _plot_recurrence(self, ax: Any) -> None:
        self._plot_halves(ax, "recurrence", "recurrence", "recurrence_p_value", "recurrence")

    def _plot_strength(self, ax: Any) -> None:
        self._plot_halves(ax, "prediction_strength", "strength", "p_value", "prediction strength")

    def _plot_halves(self, ax: Any, own: str, chance: str, p: str, label: str) -> None:
        if not self._curve(ax, own, "data", "C3"):
            self._curve(ax, "hidden_error", "hidden entries", "C3")
            ax.set_ylabel("hidden error")
        else:
            both = any(f"shuffled_{chance}" in row for row in self._found["rows"])
            self._curve(ax, f"null_{chance}", "chance: box" if both else "chance", "C0")
            self._curve(ax, f"shuffled_{chance}", "chance: shuffled", "C7")
            ax.set_ylabel(label)
            for row in self._found["rows"]:
                if p in row:
                    ax.annotate(f"{row[p]:.2f}".lstrip("0"), (row["k"], 0), ha="center", fontsize="small",
                                xycoords=("data", "axes fraction"), xytext=(0, 3), textcoords="offset points")
        self._mark(ax)
        ax.legend()

    def _plot_error(self, ax: Any) -> None:
        if not self._curve(ax, "hidden_error", "error of hidden entries", "C3"):
            self._curve(ax, "relative_error", "error", "C3")
        ax.set_ylabel("error")
        other = ax.twinx()
        self._curve(other, "resampled_dispersion", "dispersion of the consensus", "C0")
        self._curve(other, "silhouette", "silhouette of the worst component", "C7")
        self._curve(other, "perturbed_silhouette", "the same of perturbed data", "C4")
        other.set_ylabel("stability")
        self._mark(ax)
        lines = [line for one in (ax, other) for line in one.get_lines() if not line.get_label().startswith("_")]
        ax.legend(lines, [line.get_label() for line in lines])

    def _plot_consensus(self, ax: Any) -> None:
        picture = self._found["consensus"]
        if picture is None:
            raise ValueError("This survey drew no samples, so it has no consensus.")
        ax.imshow([[int(letter, 36) / 35 for letter in line] for line in picture["lines"]], cmap="Greens", vmin=0, vmax=1)
        ax.set_title(f"consensus, k = {picture['k']}")
        ax.set_xticks([])
        ax.set_yticks([])

    def _plot_flows(self, ax: Any) -> None:
        flows = self._found["flows"]
        if not flows:
            raise ValueError("This survey has fewer than two numbers of clusters with random starts.")
        columns = [[sum(row) for row in flows[0]["counts"]]]
        columns += [[sum(column) for column in zip(*flow["counts"])] for flow in flows]
        gap = 0.02 * sum(columns[0])
        bottoms = []
        for place, sizes in enumerate(columns):
            bottom, own = 0.0, []
            for cluster, size in enumerate(sizes):
                ax.bar(place, size, width=0.12, bottom=bottom, color=f"C{cluster % 10}")
                own.append(bottom)
                bottom += size + gap
            bottoms.append(own)
        for place, flow in enumerate(flows):
            left, right = list(bottoms[place]), list(bottoms[place + 1])
            for a, row in enumerate(flow["counts"]):
                for b, size in enumerate(row):
                    xs = [place + 0.06 + 0.88 * t / 20 for t in range(21)]
                    ease = [(t / 20) ** 2 * (3 - 2 * t / 20) for t in range(21)]
                    low = [left[a] + (right[b] - left[a]) * e for e in ease]
                    ax.fill_between(xs, low, [y + size for y in low], color=f"C{a % 10}", alpha=0.3, linewidth=0)
                    left[a] += size
                    right[b] += size
        ax.set_xticks(range(len(columns)), [str(flows[0]["from"])] + [str(flow["to"]) for flow in flows])
        ax.set_xlabel("k")
        ax.set_ylabel("samples")

    def _plot_persistence(self, ax: Any) -> None:
        found = self._found["persistence"]
        if found is None:
            raise ValueError(f"A survey of {self.method_} has no components that could be found again.")
        ax.imshow(np.array(found["values"], dtype=float), cmap="Greens", vmin=0, vmax=1, aspect="auto")
        ax.set_xticks(range(len(found["ks"])), [str(k) for k in found["ks"]])
        names = found["topics"] if self.method_ == "tree" else range(len(found["topics"]))
        ax.set_yticks(range(len(found["topics"])), [str(name) for name in names])
        ax.set_xlabel("k")
        ax.set_ylabel("cluster")

    def __repr__(self) -> str:
        return f"Survey(k_={self.k_}, sure_={self.sure_:.2f})"


def choose_k(
    X: Data,
    ks: Iterable[int] = range(2, 9),
    *,
    method: str = "nmf",
    question: str = "clusters",
    n_runs: int | None = None,
    max_runs: int = 50,
    null: str = "automatic",
    average: str = "median",
    all_measures: bool = False,
    solver: str = "hals",
    affine: bool = False,
    beta: float | str = 0.0,
    alpha: float | None = None,
    tol: float | None = None,
    max_iter: int = 200,
    random_state: RandomState = None,
    time_limit: float | None = None,
    search: bool = False,
    max_samples: int | None = 10000,
    layer: str | None = None,
    genes: Any = None,
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
    method : {'nmf', 'tree', 'symnmf', 'kmeans', 'spherical-kmeans', 'bisecting'}, default='nmf'
        What is fitted. Samples that a fit has not seen get the cluster of the largest coefficient (of 'tree' by the
        topics of its leaves), of their nearest neighbours, or of the nearest centre. With others than 'nmf' no entries
        are hidden.
    question : {'clusters', 'components'}, default='clusters'
        How many groups can be told apart, or how many components the data needs. These may be different numbers. The
        second is for 'nmf'.
    n_runs : int or None, default=None
        Runs of each kind for every k. None: 10, and 5 more at a time until the verdict is settled. At most 10 are starts,
        and 10 with hidden entries where 'clusters' is the question.
    max_runs : int, default=50
        Where `n_runs` is None, runs at most.
    null : {'automatic', 'box', 'shuffled'}, default='automatic'
        Data without clusters: uniform in the box of the principal components, or each feature shuffled.
    average : {'median', 'mean'}, default='median'
    all_measures : bool, default=False
        Also the gap statistic, bi-cross-validation and the perturbation test of NMFk, and more than 10 starts.
    solver, affine, beta, alpha, tol, max_iter
        As for NMF, and for method 'nmf' only. None for `tol` is 1e-3, and 1e-4 for dense data, where NMF comes
        to rest slowly.
    random_state, n_jobs
        As for NMF.
    time_limit : float or None, default=None
        Seconds after which the verdict is that of the runs so far.
    search : bool, default=False
        `ks` is a grid, such as range(5, 101, 5): look closer around the best of it until its neighbours are there.
    max_samples : int or None, default=10000
        Samples that the runs look at, drawn at random if there are more; None: all.
    layer, genes
        Of an AnnData: the layer to take instead of X, and the genes, as for `NMF.fit`.

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
    threads = thread_count(n_jobs)
    if is_anndata(X):
        X = genes_of(X, layer, genes).matrix
    items = X if isinstance(X, ITEMS) else items_of(validated(NMF(), X, reset=True), threads)
    numbers = sorted({number("ks", k, Integral, 1) for k in ks})
    if not numbers:
        raise ValueError("ks must name at least one number of clusters.")
    choice("method", method, tuple(_copse.survey_methods()))
    choice("question", question, ("clusters", "components"))
    if method != "nmf":
        for name, given, own in (("solver", solver, "hals"), ("affine", bool(affine), False), ("beta", beta, 0),
                                 ("alpha", alpha, None), ("tol", tol, None), ("max_iter", max_iter, 200)):
            if given != own:
                raise ValueError(f"{name} is for method 'nmf', not for {method!r}.")
    choice("null", null, ("automatic", "box", "shuffled"))
    choice("average", average, ("median", "mean"))
    weights = sparse_weights(items, alpha, beta)
    found = _copse.survey(
        items,
        numbers,
        method,
        number("max_runs", max_runs, Integral, 1) if n_runs is None else number("n_runs", n_runs, Integral, 1),
        n_runs is None,
        question,
        null,
        average,
        bool(all_measures),
        solver,
        bool(affine),
        *weights,
        -1 if tol is None else number("tol", tol, Real, 0),
        number("max_iter", max_iter, Integral, 1),
        seed_of(random_state),
        math.inf if time_limit is None else float(time_limit),
        bool(search),
        0 if max_samples is None else number("max_samples", max_samples, Integral, 1),
        threads,
    )
    parameters: dict[str, Any] = {"random_state": random_state, "n_jobs": n_jobs}
    if method == "nmf":
        parameters |= {"solver": solver, "affine": bool(affine), "beta": beta, "alpha": alpha}
    return Survey(json.loads(found), parameters)
