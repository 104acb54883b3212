"""model.safetensors: trees to files and back, and the results of the program."""

import ast
import json
import os
import pathlib
from typing import Any, NamedTuple

import numpy as np
import safetensors
import safetensors.numpy

from copse import _copse
from copse._dcnmf import DCNMF
from copse._flat import clusters_of
from copse._nmf import NMF
from copse._text import TextVectorizer
from copse._tree import TopicTree

TREE_LISTS = ("shape", "nodes", "scores", "items", "outliers", "terms", "weights", "shares", "term_weights")


class Result(NamedTuple):
    """A result of the program: the fitted model, result.json, and of all items their names and clusters (-1: none)."""

    model: Any
    result: dict
    item_names: np.ndarray
    labels: np.ndarray


def load_result(folder):
    """Loads the folder that `copse factor`, `topics` or `tree` wrote with -o.

    The model is a fitted NMF or TopicTree: `transform` takes new samples with the features of the model, or documents
    where the program was given documents (`model.vectorizer_` has the terms and their weights).
    """
    folder = pathlib.Path(folder)
    try:
        result = json.loads((folder / "result.json").read_text())
    except (OSError, ValueError) as error:
        raise ValueError(f"{folder} is not the folder of a complete result: {error}") from error
    file = _ModelFile(folder / "model.safetensors")
    settings = result.get("settings", {})
    seed = result.get("seed")
    if file.has("tree.nodes"):
        model = _tree_of(file, TopicTree(settings.get("leaves", 20), init=settings.get("start", "singular"), random_state=seed))
        labels = model.labels_
    else:
        kind = DCNMF if settings.get("solver") == "dc" else NMF
        parameters = {} if kind is DCNMF else {"solver": settings.get("solver", "hals")}
        model = kind(result["k"], random_state=seed, max_iter=settings.get("max_iterations", 200), **parameters)
        labels = file.of_all_items(_fill_flat(model, file, result))
    return Result(model, result, file.item_names(len(labels)), labels)


def save_tree(tree, path):
    """Writes a fitted TopicTree as the program writes its model: the data is not in it."""
    features, leaves = tree.components_.shape[1], tree.n_leaves_
    arrays = tree._tree.arrays()
    names = arrays.pop("names")
    tensors = {f"tree.{name}": array for name, array in arrays.items()}
    tensors["w"] = np.ascontiguousarray(tree.components_.T).reshape(features, leaves)
    tensors["tree.flat"] = np.empty(0, np.int64)
    tensors["kept_features"] = np.arange(features)
    strings = {
        "tree.names": names,
        "history": [],
        "feature_names": [] if tree._names is None else tree._names,
        "item_names": [str(sample) for sample in range(len(tree.labels_))],
    }
    if tree._kept is not None:
        tensors["kept_items"] = tree._kept.astype(np.int64)
    metadata = {"program": "copse", "version": _copse.__version__, "kind": "tree", "seed": str(tree._seed)}
    metadata["python"] = repr({name: value for name, value in tree.get_params(deep=False).items() if _is_plain(value)})
    if hasattr(tree, "vectorizer_"):
        vectorizer = tree.vectorizer_
        strings["vocabulary"] = [vectorizer._vocabulary.to_json()]
        tensors["feature_factors"] = vectorizer.factors_.astype(np.float64)
        parameters = vectorizer.get_params() | {"dtype": np.dtype(vectorizer.dtype).name}
        metadata["python_vectorizer"] = repr({name: value for name, value in parameters.items() if _is_plain(value)})
    for name, values in strings.items():
        encoded = [str(value).encode() for value in values]
        tensors[name] = np.frombuffer(b"".join(encoded), np.uint8)
        tensors[f"{name}_offsets"] = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    path = pathlib.Path(path)
    partial = path.with_name(f"{path.name}.partial-{os.getpid()}")
    try:
        safetensors.numpy.save_file(tensors, partial, metadata)
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def load_tree(path):
    """The TopicTree of a file that `save_tree` or the program wrote."""
    file = _ModelFile(path)
    if not file.has("tree.nodes"):
        raise ValueError(f"{path} is not the model of a tree.")
    return _tree_of(file, TopicTree(**file.parameters("python")))


class _ModelFile:
    def __init__(self, path):
        self.path = path
        try:
            with safetensors.safe_open(path, "np") as file:
                self.metadata = file.metadata() or {}
            self.tensors = safetensors.numpy.load_file(path)
        except (OSError, safetensors.SafetensorError) as error:
            raise ValueError(f"{path} cannot be read as a model: {error}") from error

    def has(self, name):
        return name in self.tensors

    def get(self, name):
        if name not in self.tensors:
            raise ValueError(f'{self.path} has no tensor "{name}".')
        return self.tensors[name]

    def strings(self, name):
        if name not in self.tensors:
            return []
        text, offsets = self.tensors[name].tobytes(), self.get(f"{name}_offsets")
        return [text[a:b].decode("utf-8", "replace") for a, b in zip(offsets, offsets[1:])]

    def parameters(self, name):
        try:
            return ast.literal_eval(self.metadata.get(name, "{}"))
        except (ValueError, SyntaxError) as error:
            raise ValueError(f"{self.path} has damaged parameters.") from error

    def kept(self):
        return self.tensors.get("kept_items")

    def item_names(self, count):
        names = self.strings("item_names")
        return np.asarray(names or [str(item) for item in range(count)], dtype=object)

    def of_all_items(self, labels):
        kept, names = self.kept(), self.strings("item_names")
        if kept is None or not len(kept):
            return labels
        spread = np.full(len(names), -1, dtype=labels.dtype)
        spread[kept] = labels
        return spread

    def vectorizer(self):
        """The TextVectorizer that gives documents the terms of this model; None for the model of a matrix."""
        stored = self.strings("vocabulary")
        if not stored:
            return None
        vectorizer = TextVectorizer(**self.parameters("python_vectorizer"))
        vocabulary = _copse.Vocabulary.from_json(stored[0])
        if self.has("kept_features"):
            vocabulary = vocabulary.select(self.get("kept_features").tolist())
        factors = self.tensors.get("feature_factors", np.ones(len(vocabulary.keys)))
        return vectorizer._restore(vocabulary, factors)


def _tree_of(file, tree):
    w = file.get("w")
    arrays = {name: file.get(f"tree.{name}") for name in TREE_LISTS} | {"names": file.strings("tree.names")}
    kind = _copse.TreeFloat if w.dtype == np.float32 else _copse.TreeDouble
    try:
        tree._tree = kind.from_arrays(arrays)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{file.path} is not the model of a tree: {error}.") from error
    names = file.strings("feature_names")
    tree._names = np.asarray(names, dtype=object) if names else None
    tree._kept = file.kept() if file.has("kept_items") and len(file.kept()) else None
    tree._n_samples = len(file.item_names(tree._tree.items))
    tree._X = tree._texts = None
    tree._history = []
    tree._seed = int(file.metadata.get("seed", 0) if tree.random_state is None else tree.random_state)
    tree.n_features_in_ = tree._tree.features
    tree.stop_reason_ = tree._tree.stop_reason.name
    vectorizer = file.vectorizer()
    if vectorizer is not None:
        tree.vectorizer_ = vectorizer
    tree._take_stock(components=w.T)
    return tree


def _fill_flat(model, file, result):
    w, h = file.get("w"), file.get("h")
    model.components_, model.n_components_, model.n_features_in_ = w.T, w.shape[1], w.shape[0]
    model.beta_ = float(result.get("settings", {}).get("beta", 0.0))
    model.penalty_ = np.full(w.shape[1] if model.beta_ > 0 else 0, np.sqrt(model.beta_))
    model.labels_ = clusters_of(h)
    if file.has("baseline"):
        model.baseline_ = file.get("baseline")
        model.affine = True
    model.relative_error_ = result["relative_error"]
    model.n_iter_, model.stop_reason_ = result["iterations"], result["stop_reason"]
    names = file.strings("feature_names")
    if names:
        model.feature_names_ = np.asarray(names, dtype=object)
    vectorizer = file.vectorizer()
    if vectorizer is not None:
        model.vectorizer_ = vectorizer
    return model.labels_


def _is_plain(value):
    return value is None or isinstance(value, (str, int, float, bool, tuple, list))
