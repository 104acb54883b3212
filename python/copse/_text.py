"""Text to a matrix of weighted terms."""

from __future__ import annotations

from numbers import Integral, Real
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from copse import _copse
from copse._data import matrix_of, single_precision
from copse._parameters import choice, number, words
from copse._threads import thread_count

if TYPE_CHECKING:
    from copse._types import Any, Array, Data, Self

DEFAULTS = _copse.text_settings
TITLE_LENGTH = 100


def is_text(X: Data) -> bool:
    """Whether X is a list of strings rather than a matrix."""
    if isinstance(X, (str, bytes)):
        raise ValueError("A list of documents is needed, not one string.")
    if hasattr(X, "columns") and len(getattr(X, "shape", ())) == 2 and X.shape[1] == 1:
        first = next(iter(np.asarray(X).ravel()), None)
        if isinstance(first, str):
            raise ValueError(f"Documents must form a list or a series: give X[{X.columns[0]!r}], not a frame.")
    if hasattr(X, "shape") and len(X.shape) != 1 or scipy.sparse.issparse(X) or not hasattr(X, "__iter__"):
        return False
    first = next((value for value in X if value is not None), None)
    if isinstance(first, bytes):
        raise ValueError("Documents must be strings, not bytes: decode them.")
    return isinstance(first, str)


def listed(documents: Any) -> list[str]:
    """Documents as a list. What is no string in it is found when they are read."""
    if isinstance(documents, (str, bytes)):
        raise ValueError("A list of documents is needed, not one string.")
    if hasattr(documents, "columns"):
        is_text(documents)
    documents = list(documents)
    if not documents:
        raise ValueError("There are no documents.")
    return documents


class TextVectorizer(TransformerMixin, BaseEstimator):
    """Documents to a sparse matrix of weighted terms, as the program prepares text.

    Words are found by the rules of Unicode in any language, folded, and counted. Stop words of the languages that are
    found in the text are left out. The counts become weights, and rows get comparable lengths. A document with fewer
    than `min_words` counted words takes no part in the fit.

    Parameters
    ----------
    stop_words : 'auto', None, str or list of str, default='auto'
        'auto': the lists of the languages that are found in the text. Otherwise names of languages, such as 'english'.
    more_stop_words : str or sequence of str, default=()
        Words to leave out besides.
    stemmer : str or None, default=None
        None, 'auto' (that of the main language) or a language.
    bigrams : bool, default=False
        Count two words that belong together as one term.
    min_count, min_words : int, default as the program
        Drop terms that occur less often in all, and documents with fewer counted words.
    max_share : float, default=1.0
        Drop terms that are in a larger share of the documents.
    max_terms : int or None, default=None
        Keep the most frequent only.
    words : {'unicode', 'characters'}, default='unicode'
        'characters' finds the words that scikit-learn's vectorizers find.
    addresses : {'drop', 'whole', 'words'}, default='drop'
        What becomes of addresses of the web and of mail.
    numbers : bool, default=False
        Keep words that have no letter.
    mail : bool or list of {'headers', 'quotes', 'signatures'}, default=False
        Drop these parts of mail. True: all three.
    weighting : str, default as the program
        A name of `copse topics --weights`.
    unit : bool, default=True
        Scale rows to unit 2-norm, as `--unit-columns` does.
    normalized_cut : bool, default=False
        Divide rows by the square root of their degree, as `--normalized-cut` does.
    dtype : float32 or float64, default=float32
    n_jobs : int or None, default=None
        As for NMF.

    Attributes
    ----------
    vocabulary_ : dict
        The column of each term.
    languages_ : list of str
        The lists of stop words that were left out.
    factors_ : array of shape (n_terms,)
        What the weighting multiplies each term by.

    Examples
    --------
    >>> from copse import TextVectorizer
    >>> vectorizer = TextVectorizer(min_count=1, min_words=1)
    >>> X = vectorizer.fit_transform(["The cat sat on the mat.", "Dogs chase the cat.", "Dogs bark."])
    >>> X.shape
    (3, 6)
    >>> vectorizer.get_feature_names_out().tolist()
    ['bark', 'cat', 'chase', 'dogs', 'mat', 'sat']
    """

    def __init__(
        self,
        *,
        stop_words: Any = "auto",
        more_stop_words: Any = (),
        stemmer: str | None = None,
        bigrams: bool = False,
        min_count: int = int(DEFAULTS["min_count"]),
        min_words: int = int(DEFAULTS["min_words"]),
        max_share: float = 1.0,
        max_terms: int | None = None,
        words: str = "unicode",
        addresses: str = "drop",
        numbers: bool = False,
        mail: Any = False,
        weighting: str = DEFAULTS["weights"],
        unit: bool = DEFAULTS["unit_columns"],
        normalized_cut: bool = DEFAULTS["normalized_cut"],
        dtype: Any = np.float32,
        n_jobs: int | None = None,
    ) -> None:
        self.stop_words = stop_words
        self.more_stop_words = more_stop_words
        self.stemmer = stemmer
        self.bigrams = bigrams
        self.min_count = min_count
        self.min_words = min_words
        self.max_share = max_share
        self.max_terms = max_terms
        self.words = words
        self.addresses = addresses
        self.numbers = numbers
        self.mail = mail
        self.weighting = weighting
        self.unit = unit
        self.normalized_cut = normalized_cut
        self.dtype = dtype
        self.n_jobs = n_jobs

    def fit(self, documents: Any, y: Any = None) -> Self:
        """Chooses the terms and learns their weights."""
        self.fit_transform(documents)
        return self

    def fit_transform(self, documents: Any, y: Any = None) -> Array:
        """Chooses the terms and returns the matrix of the documents: CSR, one row each."""
        documents = listed(documents)
        model, found = _copse.fit_text(
            documents,
            self._settings(),
            words("more_stop_words", self.more_stop_words),
            single_precision(self.dtype),
            thread_count(self.n_jobs),
        )
        self._restore(model)
        kept = found["kept"]
        if not len(kept):
            return matrix_of(found)
        X = _spread(matrix_of(found), kept, len(documents))
        short = np.setdiff1d(np.arange(len(documents)), kept)  # they took no part in the fit
        return X + _spread(self.transform([documents[j] for j in short]), short, len(documents)) if len(short) else X

    def transform(self, documents: Any) -> Array:
        """The matrix of documents, new or old, with the terms and weights of the fit."""
        check_is_fitted(self)
        found = self._model.transform(listed(documents), single_precision(self.dtype), thread_count(self.n_jobs))
        X = matrix_of(found)
        X.eliminate_zeros()
        return X

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The terms, as they are shown."""
        check_is_fitted(self)
        return np.asarray(self._model.names, dtype=object)

    def _items(self, documents: Any, threads: int) -> Any:
        """Documents as the library fits a model to them."""
        kind = _copse.ItemsFloat if single_precision(self.dtype) else _copse.ItemsDouble
        titles = [
            " ".join(text[: 2 * TITLE_LENGTH].split())[:TITLE_LENGTH] if isinstance(text, str) else ""
            for text in documents
        ]
        return kind(documents, self._settings(), words("more_stop_words", self.more_stop_words), titles, threads)

    def _restore(self, model: Any) -> Any:
        """Takes over what the library learned."""
        self._model = model
        self.vocabulary_ = {name: column for column, name in enumerate(model.names)}
        self.languages_ = model.languages
        # Weights that do not depend on the documents leave nothing to learn.
        self.factors_ = model.factors if len(model.factors) else np.ones(len(model.names))
        return self

    @classmethod
    def _of(cls, model: Any, **parameters: Any) -> Any:
        """The fitted vectorizer of a result on documents."""
        settings = model.settings
        languages = settings["language"].split(",")
        mail = [part for part in ("headers", "quotes", "signatures") if settings[f"drop_{part}"]]
        return cls(
            stop_words={"none": None}.get(languages[0], languages[0]) if len(languages) == 1 else languages,
            more_stop_words=tuple(model.more_stop_words),
            stemmer={"none": None}.get(settings["stem"], settings["stem"]),
            bigrams=settings["bigrams"],
            min_count=int(settings["min_count"]),
            min_words=int(settings["min_words"]),
            max_share=settings["max_share"],
            max_terms=settings["max_features"] or None,
            words=settings["words"],
            addresses=settings["addresses"],
            numbers=settings["numbers"],
            mail=True if len(mail) == 3 else mail or False,
            weighting=settings["weights"],
            unit=settings["unit_columns"],
            normalized_cut=settings["normalized_cut"],
            **parameters,
        )._restore(model)

    def _settings(self) -> dict[str, Any]:
        """The parameters under the names that the library gives them."""
        stop_words = "none" if self.stop_words is None else self.stop_words
        parts = ("headers", "quotes", "signatures")
        mail = (parts if self.mail else ()) if isinstance(self.mail, (bool, np.bool_)) else words("mail", self.mail)
        return {
            "language": stop_words if isinstance(stop_words, str) else ",".join(words("stop_words", stop_words)),
            "stem": self.stemmer or "none",
            "bigrams": bool(self.bigrams),
            "min_count": number("min_count", self.min_count, Integral, 1),
            "min_words": number("min_words", self.min_words, Integral, 0),
            "max_share": number("max_share", self.max_share, Real, 0),
            "max_features": 0 if self.max_terms is None else number("max_terms", self.max_terms, Integral, 1),
            "words": choice("words", self.words, _copse.choices["words"]),
            "addresses": choice("addresses", self.addresses, _copse.choices["addresses"]),
            "numbers": bool(self.numbers),
            **{f"drop_{part}": part in {choice("mail", name, parts) for name in mail} for part in parts},
            "weights": choice("weighting", self.weighting, _copse.choices["weights"]),
            "unit_columns": bool(self.unit),
            "normalized_cut": bool(self.normalized_cut),
        }

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


def _spread(rows: Any, kept: Any, count: int) -> Any:
    """The rows at their places among `count`, the others empty."""
    lengths = np.zeros(count, dtype=rows.indptr.dtype)
    lengths[kept] = np.diff(rows.indptr)
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    return scipy.sparse.csr_matrix((rows.data, rows.indices, indptr), shape=(count, rows.shape[1]))
