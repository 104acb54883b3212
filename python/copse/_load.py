"""Results from folders, written by the program or by `save`."""

from __future__ import annotations

import json
import math
import os
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from copse import _copse
from copse._dcnmf import DCNMF
from copse._graph import SymNMF
from copse._nmf import LOSSES, NMF, STARTS
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
    """Opens the folder that `copse factor`, `topics`, `tree`, `graph` or `demo` wrote with -o, or a model with `save`.

    The model is a fitted NMF, DCNMF, TopicTree or SymNMF. It takes raw data: documents where the result was made from
    documents, else a matrix with samples as rows. It prepares them as the data of the fit was prepared, so `transform`
    and `predict` agree with `copse assign`. Features are matched by name where X has names.
    """
    result: Any = _copse.open_result(os.fspath(folder))
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
    if "method" in settings:
        raise ValueError(
            f"The result was made by `copse cluster --method {settings['method']}`; `copse show`, `assign` and `report` "
            "open it, and its assignments.tsv has the labels. Python opens results of NMF, trees and graphs."
        )
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
        model = NMF(rank, solver=settings["solver"], init=init, beta_loss=loss, n_runs=settings["runs"], **common)
    model.n_components_ = rank
    return model
