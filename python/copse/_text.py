"""Text to a matrix of weighted terms."""

from numbers import Integral, Real

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from copse import _copse
from copse._data import matrix_of, single_precision
from copse._parameters import choice, number
from copse._threads import thread_count

RULES = {"unicode": _copse.WordRule.unicode, "word-characters": _copse.WordRule.word_characters}
LINKS = {"drop": _copse.Links.drop, "whole": _copse.Links.whole, "words": _copse.Links.words}
WEIGHTINGS = {"tf-idf": _copse.Weighting.tf_idf, "log": _copse.Weighting.log, "none": _copse.Weighting.none}


def is_text(X):
    """Whether X is a list of strings rather than a matrix."""
    if isinstance(X, str):
        raise ValueError("A list of documents is needed, not one string.")
    if hasattr(X, "shape") and len(X.shape) != 1 or scipy.sparse.issparse(X) or not hasattr(X, "__iter__"):
        return False
    first = next(iter(X), None)
    return isinstance(first, str)


class TextVectorizer(TransformerMixin, BaseEstimator):
    """Documents to a sparse matrix of weighted terms, as the program prepares text.

    Words are found by the rules of Unicode in any language, folded, and counted; stop words of the languages that are
    found in the text are left out. The counts become tf-idf weights, and each row gets unit 2-norm. A document with
    fewer than `min_words` counted words becomes a row of zeros.

    Parameters
    ----------
    stop_words : 'auto', None, str or list of str, default='auto'
        'auto': the lists of the languages that are found in the text. Otherwise names of languages, such as 'english'.
    more_stop_words : sequence of str, default=()
        Words to leave out besides.
    stemmer : str or None, default=None
        None, 'auto' (that of the main language) or a language.
    bigrams : bool, default=False
        Count two words that belong together as one term.
    min_count, min_words : int, default=3 and 5
        Drop terms that occur less often in all, and documents with fewer counted words.
    max_share : float, default=1.0
        Drop terms that are in a larger share of the documents.
    max_terms : int or None, default=None
        Keep the most frequent only.
    words : {'unicode', 'word-characters'}, default='unicode'
        'word-characters' finds the words that scikit-learn's vectorizers find.
    links : {'drop', 'whole', 'words'}, default='drop'
        What becomes of addresses of the web and of mail.
    numbers : bool, default=False
        Keep words that have no letter.
    mail : bool, default=False
        Drop headers, quoted lines and signatures.
    weighting : {'tf-idf', 'log', 'none'}, default='tf-idf'
    unit : bool, default=True
        Scale rows to unit 2-norm.
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
        What tf-idf multiplies the count of each term by.

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
        stop_words="auto",
        more_stop_words=(),
        stemmer=None,
        bigrams=False,
        min_count=3,
        min_words=5,
        max_share=1.0,
        max_terms=None,
        words="unicode",
        links="drop",
        numbers=False,
        mail=False,
        weighting="tf-idf",
        unit=True,
        dtype=np.float32,
        n_jobs=None,
    ):
        self.stop_words = stop_words
        self.more_stop_words = more_stop_words
        self.stemmer = stemmer
        self.bigrams = bigrams
        self.min_count = min_count
        self.min_words = min_words
        self.max_share = max_share
        self.max_terms = max_terms
        self.words = words
        self.links = links
        self.numbers = numbers
        self.mail = mail
        self.weighting = weighting
        self.unit = unit
        self.dtype = dtype
        self.n_jobs = n_jobs

    def fit(self, documents, y=None):
        """Chooses the terms and learns their weights."""
        self.fit_transform(documents)
        return self

    def fit_transform(self, documents, y=None):
        """Chooses the terms and returns the matrix of the documents: CSR, one row each."""
        documents = _listed(documents)
        found = _copse.fit_text(
            documents,
            self._text_options(),
            self._preparation(),
            single_precision(self.dtype),
            thread_count(self.n_jobs),
        )
        self._vocabulary = found["vocabulary"]
        self.kept_ = found["kept"]
        # Weights that do not depend on the documents leave nothing to learn.
        self.factors_ = found["factors"] if len(found["factors"]) else np.ones(len(self._vocabulary.keys))
        self._fill()
        return _spread(matrix_of(found), self.kept_, len(documents))

    def transform(self, documents):
        """The matrix of documents, new or old, with the terms and weights of the fit."""
        check_is_fitted(self)
        documents = _listed(documents)
        found = _copse.transform_text(
            documents,
            self._vocabulary,
            self._preparation(),
            self.factors_.tolist(),
            single_precision(self.dtype),
            thread_count(self.n_jobs),
        )
        X = matrix_of(found)
        X.data[np.repeat(found["words"] < self.min_words, np.diff(X.indptr))] = 0
        X.eliminate_zeros()
        return X

    def get_feature_names_out(self, input_features=None):
        """The terms, as they are shown."""
        check_is_fitted(self)
        return np.asarray(self._vocabulary.names, dtype=object)

    def _restore(self, vocabulary, factors):
        """Takes over what a file holds in the place of a fit."""
        self._vocabulary, self.factors_ = vocabulary, factors
        self._fill()
        return self

    def _fill(self):
        self.vocabulary_ = {name: column for column, name in enumerate(self._vocabulary.names)}
        self.languages_ = self._vocabulary.stop_words

    def _text_options(self):
        options = _copse.TextOptions()
        tokens, mail = _copse.TokenOptions(), _copse.MailOptions()
        tokens.rule = choice("words", self.words, RULES)
        tokens.links = choice("links", self.links, LINKS)
        tokens.numbers = bool(self.numbers)
        mail.drop_headers = mail.drop_quotes = mail.drop_signature = bool(self.mail)
        options.tokens, options.mail = tokens, mail
        stop_words = "none" if self.stop_words is None else self.stop_words
        options.stop_words = [stop_words] if isinstance(stop_words, str) else list(stop_words)
        options.more_stop_words = list(self.more_stop_words)
        options.stemmer = self.stemmer or "none"
        options.bigrams = bool(self.bigrams)
        options.min_count = number("min_count", self.min_count, Integral, 1)
        options.min_words = number("min_words", self.min_words, Integral, 0)
        options.max_share = number("max_share", self.max_share, Real, 0)
        options.max_terms = 0 if self.max_terms is None else number("max_terms", self.max_terms, Integral, 1)
        return options

    def _preparation(self):
        options = _copse.PrepareOptions()
        options.min_item_total = self.min_words
        options.drop_empty = True
        options.weighting = choice("weighting", self.weighting, WEIGHTINGS)
        options.unit_items = bool(self.unit)
        return options

    def __getstate__(self):
        state = super().__getstate__().copy()
        if "_vocabulary" in state:
            state["_vocabulary"] = self._vocabulary.to_json()
        return state

    def __setstate__(self, state):
        super().__setstate__(state)
        if "_vocabulary" in state:
            self._vocabulary = _copse.Vocabulary.from_json(state["_vocabulary"])

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


def _listed(documents):
    if isinstance(documents, str):
        raise ValueError("A list of documents is needed, not one string.")
    documents = list(documents)
    if not documents:
        raise ValueError("There are no documents.")
    return documents


def _spread(rows, kept, count):
    """The rows at their places among `count`, the others empty."""
    lengths = np.zeros(count, dtype=rows.indptr.dtype)
    lengths[kept] = np.diff(rows.indptr)
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    return scipy.sparse.csr_matrix((rows.data, rows.indices, indptr), shape=(count, rows.shape[1]))
