"""Results from folders, written by the program or by `save`."""

from __future__ import annotations

import json
import math
import os
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from copse import _copse
from copse._cluster import BisectingKMeans, KernelKMeans, SpectralClustering, SphericalKMeans
from copse._dcnmf import DCNMF
from copse._graph import SymNMF
from copse._nmf import LOSSES, NMF, STARTS
from copse._rivals import GNMF, LDA, XRAY, AffinityPropagation, AnchorTopics, Hottopixx
from copse._text import TextVectorizer
from copse._tree import TopicTree

if TYPE_CHECKING:
    from copse._types import Path


class Result(NamedTuple):
    """A stored result: the fitted model, result.json, and of all items their names and clusters (-1: none)."""

    model: Any
    result: dict[str, Any]
    item_names: np.ndarray
    labels: np.ndarray


def load_result(folder: Path) -> Result:
    """Opens the folder that `copse factor`, `topics`, `tree`, `graph`, `cluster` or `demo` wrote with -o, or a model with
    `save`.

    The model is a fitted NMF, DCNMF, TopicTree or SymNMF, or the estimator of a method of `cluster` with its labels and
    centres or topics. It takes raw data: documents where the result was made from
    documents, else a matrix with samples as rows. It prepares them as the data of the fit was prepared, so `transform`
    and `predict` agree with `copse assign`. Features are matched by name where X has names.
    """
    result: Any = _copse.open_result(os.fspath(folder))
    if "method" in result.settings and "leaves" not in result.settings:
        return _of_method(result)
    if "similarity" in result.settings and "leaves" not in result.settings:
        graph_model = SymNMF._of(result)
        names = np.asarray(result.item_names, dtype=object)
        return Result(graph_model, json.loads(result.json), names, graph_model.labels_)
    model = _estimator(result)
    if result.is_text:
        model.vectorizer = TextVectorizer._of(result.text_model, dtype=result.w.dtype.type)
        model.n_features_in_ = len(result.feature_names)
    else:
        kept = result.kept_features
        model.n_features_in_ = int(kept[-1]) + 1 if len(kept) else 0
        if result.feature_names:
            model.feature_names_in_ = np.asarray(result.feature_names, dtype=object)
    model._loaded = True
    model._keep(result)
    return Result(model, json.loads(result.json), np.asarray(result.item_names, dtype=object), model.labels_)


def _estimator(result: Any) -> Any:
    """An estimator with the parameters of the run."""
    settings = result.settings
    common = {
        "tol": settings["tolerance"],
        "max_iter": settings["max_iterations"],
        "random_state": result.seed,
    }
    if "leaves" in settings:
        same = {name: settings[name] for name in ("pick", "min_score", "outlier_trials", "imbalance")}
        return TopicTree(settings["leaves"], criterion=settings["score"], init=settings["start"], **same, **common)
    limit = settings["time_limit"]
    common |= {
        "alpha": settings["alpha"] or None,
        "beta": settings["beta"],
        "affine": settings["affine"],
        "time_limit": None if math.isinf(limit) else limit,
    }
    rank = result.k
    if settings["solver"] == "dc":
        model = DCNMF(rank, **common)
    else:
        starts = {library: name for name, library in STARTS.items()}
        init = starts.get(settings["start"], "custom")
        loss = LOSSES[settings.get("loss", "frobenius")]
        consensus = {name: settings[name] for name in ("consensus", "consensus_distance") if name in settings}
        model = NMF(
            rank, solver=settings["solver"], init=init, beta_loss=loss, n_runs=settings["runs"], **consensus, **common
        )
    model.n_components_ = rank
    return model


def _of_method(result: Any) -> Result:
    """The result of `copse cluster`."""
    about = json.loads(result.json)
    model = _method(result.settings, result.k)
    names = np.asarray(result.item_names, dtype=object)
    model.stop_reason_ = result.stop_reason
    model.n_iter_ = max(1, result.iterations)
    model._stored = result
    model.labels_ = np.asarray(result.labels)
    if not hasattr(result, "is_text"):  # of a graph
        model.n_features_in_ = len(model.labels_)
        return Result(model, about, names, model.labels_)
    rows = np.ascontiguousarray(result.w.T)
    kept = result.kept_features
    model.n_features_in_ = len(result.feature_names) if result.is_text else int(kept[-1]) + 1 if len(kept) else 0
    if result.feature_names and not result.is_text:
        model.feature_names_in_ = np.asarray(result.feature_names, dtype=object)
    if isinstance(model, (SphericalKMeans, BisectingKMeans)):
        model.cluster_centers_, model.inertia_, model._n_features_out = rows, about["objective"], len(rows)
    elif isinstance(model, (LDA, AnchorTopics, XRAY, Hottopixx)):
        model.components_, model.n_components_, model.relative_error_ = rows, len(rows), result.relative_error
    else:
        model.cluster_centers_ = rows
    return Result(model, about, names, model.labels_)


def _method(settings: dict[str, Any], k: int) -> Any:
    """An estimator with the parameters of the run of `copse cluster`."""
    name = settings["method"]
    init = settings.get("start")
    runs = settings["runs"]
    iterations: dict[str, Any] = {"max_iter": settings["max_iterations"]} if settings["max_iterations"] > 0 else {}
    centres: dict[str, Any] = {"init": init, "n_init": runs, **iterations}
    joined: dict[str, Any] = {"affinity": "precomputed" if settings.get("similarity") == "none" else "cosine"}
    if settings.get("neighbours"):
        joined["n_neighbors"] = settings["neighbours"]
    labels = {"spectral": "kmeans", "yu-shi": "discretize", "cluster-qr": "cluster_qr"}
    if name in ("kmeans", "spherical-kmeans"):
        return SphericalKMeans(k, spherical=name != "kmeans", online=settings["online"], **centres)
    if name in ("bisecting", "hierarchical-kmeans"):
        return BisectingKMeans(k, spherical=settings["place"] == "angle")
    if name == "kernel-kmeans":
        return KernelKMeans(k, **joined, **centres)
    if name in labels:
        return SpectralClustering(k, assign_labels=labels[name], n_init=runs, **joined)
    if name == "affinity-propagation":
        return AffinityPropagation(k, preference=settings.get("preference"), **iterations)
    if name == "gnmf":
        return GNMF(k, weight=settings["graph_weight"], **iterations)
    if name == "lda":
        moved = settings["move_prior"]
        return LDA(k, optimize_alpha=moved, optimize_beta=moved, **iterations)
    if name == "anchors":
        return AnchorTopics(k)
    return XRAY(k, selection=settings["selection"]) if name == "xray" else Hottopixx(k)
