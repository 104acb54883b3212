"""What every estimator has that holds a result of the library."""

from __future__ import annotations

import os
from numbers import Integral
from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted

from copse import _copse
from copse._fit import check_on_interrupt
from copse._genes import aligned, genes_of, is_anndata
from copse._items import checked, feature_names_of, items_of, validated
from copse._joint import joint_settings
from copse._parameters import choice, names_for, number
from copse._progress import CallbackSupportMixin
from copse._table import table
from copse._text import TextVectorizer, is_text, listed
from copse._threads import thread_count

if TYPE_CHECKING:
    from copse._types import Any, Array, Data, Path, Self, Sequence, Table


class Model(CallbackSupportMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """New samples, the page, files and copies: the same for flat factorizations and for trees."""

    vectorizer: Any = None
    vectorizer_: Any
    _result: Any
    _loaded = False  # features are matched by name where the model comes from a file

    def fit_predict(self, X: Data, y: Any = None, **params: Any) -> Array:
        """Fits the model and returns `labels_`."""
        return self.fit(X, **params).labels_

    def transform(self, X: Data, *, layer: str | None = None) -> Array:
        """The coefficients of the rows of X, new or old, for `components_`: one row per sample, one column per topic.

        A coefficient says how much of the topic is in the sample. They are the exact minimiser of the loss, with the
        penalty and the baseline of the fit. A result that was opened prepares X as the program prepared its data: give
        raw documents, or the raw matrix. Features with names may then come in any order, and those of an AnnData always
        may. `layer` names another layer of an AnnData than that of the fit.
        """
        check_is_fitted(self)
        return self._coefficients(self._aligned(X, layer))

    def inverse_transform(self, X: Data) -> Any:
        """The data that the coefficients X stand for: X @ components_, plus the baseline of an affine model."""
        check_is_fitted(self)
        product = X @ self.components_
        return product + self.baseline_ if hasattr(self, "baseline_") else product

    def save(
        self, folder: Path, *, names: Any = None, labels: Any = None, times: Any = None, overwrite: bool = False
    ) -> Self:
        """Writes the result into a folder, as the program does: `copse show`, `assign`, `edit` and `report` open it.

        Parameters
        ----------
        folder : str or path
            It is created, or must be empty.
        names, labels, times : sequences, default=None
            Of each sample: its name, its true class, its time. They become part of the model.
        overwrite : bool, default=False
            Replace an earlier result.
        """
        check_is_fitted(self)
        self._tell(names, labels, times)
        if hasattr(self, "vectorizer_") and not self._result.is_text:
            raise ValueError(
                f"A result keeps how TextVectorizer turns documents into a matrix, but not how "
                f"{type(self.vectorizer_).__name__} does. Use TextVectorizer, or pickle the model."
            )
        parent = os.path.dirname(os.path.abspath(os.fspath(folder)))
        if not os.path.isdir(parent):
            raise ValueError(f"{os.fspath(folder)} cannot be made: there is no folder {parent}.")
        self._result.save(os.fspath(folder), bool(overwrite))
        return self

    @classmethod
    def load(cls, folder: Path) -> Self:
        """The model in a folder that `save` or the program wrote."""
        from copse._load import load_result

        model = load_result(folder).model
        if not isinstance(model, cls):
            raise ValueError(f"{os.fspath(folder)} holds a fitted {type(model).__name__}, no {cls.__name__}.")
        return model

    def report(
        self, path: Path, *, title: str | None = None, names: Any = None, labels: Any = None, times: Any = None
    ) -> Self:
        """Writes the result as one HTML page that opens from disk and needs no network.

        Parameters
        ----------
        path : str or path
        title : str, default=None
        names, labels, times : sequences, default=None
            Of each sample: its name, its true class, its time. They become part of the model. Without names a document
            is called by its beginning, a row by its number.
        """
        check_is_fitted(self)
        self._tell(names, labels, times)
        self._result.write_page(os.fspath(path), title or "")
        return self

    def representatives(self, topic: str | int) -> Table:
        """A table of the samples that stand for a topic, best first: sample, name, weight, and text where it is kept.

        Near duplicates of other samples are left out.
        """
        check_is_fitted(self)
        found = next((known for known in self._result.topics(0) if topic in (known["id"], known["name"] or None)), None)
        if found is None and isinstance(topic, int):
            return self.representatives(str(topic))
        if found is None:
            raise ValueError(f"There is no topic {topic!r}.")
        samples = [sample for sample, _ in found["representatives"]]
        names, texts = self._result.item_names, self._result.excerpts
        return table(
            sample=samples,
            name=[names[sample] for sample in samples],
            weight=[weight for _, weight in found["representatives"]],
            text=[texts.get(sample) for sample in samples],
        )

    def find_topics(self, words: Any) -> Table:
        """A table of the topics in which the words weigh most, best first: topic and its weight of them.

        The weight is the sum over the words of their share in the topic's heaviest sixty.
        """
        check_is_fitted(self)
        words = {words.lower()} if isinstance(words, str) else {word.lower() for word in words}
        found = []
        for topic in self._result.topics(60)[1:]:
            total = sum(weight for _, weight, _ in topic["words"])
            weight = sum(weight for word, weight, _ in topic["words"] if word.lower() in words)
            if weight > 0:
                found.append((topic["id"], weight / total))
        found.sort(key=lambda entry: (-entry[1], entry[0]))
        return table(topic=[topic for topic, _ in found], weight=[weight for _, weight in found])

    def topics_over_time(self, times: Any = None) -> Table:
        """A table of how many samples each topic has in each period: one row per period, one column per topic.

        Times are years, dates as in ISO 8601 or in mail, or seconds since 1970. They are those given to `save` or
        `report`, unless they are given here.
        """
        check_is_fitted(self)
        self._tell(None, None, times)
        known = self._result.times
        if not known:
            raise ValueError("The samples have no times: give them.")
        periods, places = _copse.periods_of(known)
        ids = self._topic_ids()
        counts = np.zeros((len(periods), len(ids)), dtype=np.int64)
        inside = (self.labels_ >= 0) & (places >= 0)
        np.add.at(counts, (places[inside], self.labels_[inside]), 1)
        return table(period=periods, **{str(topic): counts[:, c] for c, topic in enumerate(ids)})

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Names for the columns of `transform`: the class and the topic."""
        check_is_fitted(self)
        if input_features is not None and not self._result.is_text and not hasattr(self, "vectorizer_"):
            super().get_feature_names_out(input_features)  # refuses those of other data
        prefix = type(self).__name__.lower()
        return np.asarray([f"{prefix}{topic}" for topic in self._topic_ids()], dtype=object)

    def ranked_features(self, n_features: int = 20, *, by: str = "score") -> Table:
        """A table of the features that stand for each topic, best first: topic, rank, feature, weight, share, score.

        `weight` is the entry of `components_`, `share` its share of the topic's sum. `score` is share * log(share /
        mean), with the mean of the feature's shares over all topics: large for features that are heavy here and light
        elsewhere. Needs pandas.

        Parameters
        ----------
        n_features : int, default=20
            Of each topic, at most; features of weight zero are left out.
        by : {'score', 'weight'}, default='score'
        """
        check_is_fitted(self)
        choice("by", by, ("score", "weight"))
        weights = np.asarray(self.components_, dtype=np.float64)
        sums = weights.sum(axis=1, keepdims=True)
        shares = np.divide(weights, sums, out=np.zeros_like(weights), where=sums > 0)
        ratio = np.divide(shares, shares.mean(axis=0), out=np.ones_like(shares), where=shares > 0)
        scores = shares * np.log(ratio)
        names = self._result.feature_names or [str(column) for column in range(weights.shape[1])]
        most = number("n_features", n_features, Integral, 1)
        rows = []
        for c, topic in enumerate(self._topic_ids()):
            order = np.argsort(-(scores if by == "score" else weights)[c], kind="stable")
            for rank, i in enumerate(order[weights[c, order] > 0][:most], 1):
                rows.append((topic, rank, names[i], weights[c, i], shares[c, i], scores[c, i]))
        titles = ("topic", "rank", "feature", "weight", "share", "score")
        return table(**{title: [row[at] for row in rows] for at, title in enumerate(titles)})

    def _chosen(self, X: Data, layer: str | None, genes: Any) -> Any:
        """Of an AnnData the layer and the genes that the model is fitted to, which it remembers; else X itself."""
        self.__dict__.pop("_layer", None)
        if is_anndata(X):
            self._layer = layer
            return genes_of(X, layer, genes)
        if layer is not None or genes is not None:
            raise ValueError("layer and genes choose parts of an AnnData, and X is none.")
        return X

    def _aligned(self, X: Data, layer: str | None) -> Any:
        """Of an AnnData the genes that the model knows, in their order; else X itself."""
        if not is_anndata(X):
            if layer is not None:
                raise ValueError("layer chooses a part of an AnnData, and X is none.")
            return X
        layer = getattr(self, "_layer", None) if layer is None else layer
        names = self._result.feature_names if self._loaded else getattr(self, "feature_names_in_", None)
        return genes_of(X, layer) if names is None or len(names) == 0 else aligned(X, layer, names)

    def _joint(self, items: Any, links: Any, vectors: Any, neighbours: bool, graph_weight: float | None) -> Any:
        """A graph to be fitted together with the items; None without one."""
        return joint_settings(items.dtype, items.all_items, links, vectors, neighbours, graph_weight)

    def _prepare(
        self, X: Data, feature_names: Sequence[str] | None = None, layer: str | None = None, genes: Any = None
    ) -> Any:
        """What the library is to work on, and the names of its features."""
        check_on_interrupt(self)
        X = self._chosen(X, layer, genes)
        threads = thread_count(self.n_jobs)
        X = list(X) if hasattr(X, "__next__") else X  # documents that come one by one are wanted more than once
        for attribute in ("vectorizer_", "_loaded"):
            self.__dict__.pop(attribute, None)
        if not is_text(X):
            X = validated(self, X, reset=True)
            return X, items_of(X, threads), self._given_names(X, feature_names)
        if feature_names is not None:
            raise ValueError("Documents bring their own feature names: the terms.")
        documents = listed(X)
        vectorizer = TextVectorizer() if self.vectorizer is None else self.vectorizer
        self.__dict__.pop("feature_names_in_", None)
        if isinstance(vectorizer, TextVectorizer):
            items = vectorizer._items(documents, threads)
            self.n_features_in_ = items.features
            return items, items, []
        self.vectorizer_ = clone(vectorizer)
        X = validated(self, self.vectorizer_.fit_transform(documents), reset=True)
        return X, items_of(X, threads), self._given_names(X, self.vectorizer_.get_feature_names_out())

    def _keep(self, result: Any) -> None:
        """Takes over a result, fitted or opened."""
        self._result = result
        if result.is_text:
            vectorizer = TextVectorizer() if self.vectorizer is None else clone(self.vectorizer)
            self.vectorizer_ = vectorizer._restore(result.text_model)

    def _given_names(self, X: Data, given: Any) -> list[str]:
        given = getattr(self, "feature_names_in_", None) if given is None else given
        if given is None:
            return []
        if len(given) != X.shape[1]:
            raise ValueError(f"There are {len(given)} feature names for {X.shape[1]} columns.")
        return [str(name) for name in given]

    def _new(self, X: Data, threads: int) -> Any:
        """Either a list of documents, or items with the names of their features."""
        X = list(X) if hasattr(X, "__next__") else X
        if is_text(X):
            if self._result.is_text:
                return listed(X), None, None
            if not hasattr(self, "vectorizer_"):
                raise ValueError("The model was fitted to a matrix, and these are documents.")
            X = self.vectorizer_.transform(listed(X))
        elif self._result.is_text:
            raise ValueError("The model was fitted to documents: give documents, a list of strings.")
        names = []
        if self._loaded:
            names, X = feature_names_of(X), checked(self, X)
        else:
            X = validated(self, X, reset=False)
        return None, items_of(X.astype(self.components_.dtype, copy=False), threads), names

    def _coefficients(self, X: Data) -> Array:
        threads = thread_count(self.n_jobs)
        documents, items, names = self._new(X, threads)
        if documents is not None:
            return self._padded(self._result.transform_documents(documents, threads))
        return self._padded(self._result.transform(items, names, threads))

    def _tell(self, names: Any, labels: Any, times: Any) -> None:
        if names is None and labels is None and times is None:
            return
        count = len(self.labels_)
        self._result.tell(
            names_for("names", names, count), names_for("labels", labels, count), names_for("times", times, count)
        )

    def _line(self) -> str:
        return "copse." + " ".join(repr(self).split())

    def _padded(self, coefficients: Array) -> Array:
        return coefficients

    @property
    def _n_features_out(self) -> int:
        return self.components_.shape[0]

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__().copy()
        state.pop("_data", None)  # the data of a fit stays where it is
        return state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
