"""Flat factorization in the place of scikit-learn's NMF."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse
from sklearn.exceptions import ConvergenceWarning

from copse import _copse
from copse._flat import SOLVERS, FlatModel
from copse._genes import Genes, blocks_of, is_anndata, places_of
from copse._items import items_of, validated
from copse._parameters import choice, number
from copse._processes import Processes, refuse
from copse._progress import with_callbacks
from copse._random import seed_of
from copse._text import is_text
from copse._threads import thread_count

if TYPE_CHECKING:
    from copse._types import Any, Array, Data, RandomState, Self, Sequence

STARTS = {None: "automatic"} | {name: name for name in _copse.choices["init"] if name != "automatic"}
LOSSES = {"frobenius": "frobenius", "kl": "kullback-leibler"}  # the library's names and scikit-learn's
SINGULAR_STARTS = tuple(name for name in STARTS if name and name.startswith("nndsvd"))


class NMF(FlatModel):
    """Nonnegative matrix factorization X ~ W H, many times faster than scikit-learn's and used the same way.

    Minimises |X - W H|^2 + alpha |H|^2 + beta sum_i |W[i]|_1^2 over W, H >= 0, where rows of X are samples, W is what
    `fit_transform` returns and H is `components_`, with rows of unit 2-norm.

    Parameters
    ----------
    n_components : int, 'auto', 'choose' or None, default='auto'
        Number of components. 'auto' is scikit-learn's word: the number of given components for init='custom', otherwise
        the smaller side of X, as None is. 'choose' asks `choose_k` how many clusters of 2 to 20 the data supports, with
        up to 20 runs of each kind, and keeps the survey as `survey_`. Components beyond the smaller side of X stay zero.
    init : {'random', 'nndsvd', 'nndsvda', 'nndsvdar', 'sample', 'custom'} or None, default=None
        Where the iteration starts. None: 'sample' (a quick factorization of some of the samples) for 'hals', 'random'
        for the other solvers. 'custom': `W` and `H` as given to `fit_transform`.
    solver : {'hals', 'cd', 'mu', 'active-set', 'pivoting', 'projected-gradient'}, default='hals'
        'hals' is coordinate descent with extrapolation, the fastest; 'cd' is scikit-learn's name for it. 'mu' are
        multiplicative updates; the others solve each step exactly or by gradients.
    beta_loss : {'frobenius', 'kullback-leibler', 2, 1}, default='frobenius'
        'kullback-leibler' is for counts: it minimises the sum of x log(x / (W H)) - x + (W H), by 'hals' (one
        coordinate after the other) or 'mu', without penalties and baseline. It starts from 'random', 'nndsvda' or
        'nndsvdar'.
    tol : float, default=1e-4
        Stops when the projected gradient, for X of norm one and components of unit norm, is at most `tol` times the
        root of their number, whatever the start. Kullback-Leibler: when ten iterations like the last would lower the
        divergence by less than `tol` times that of the best model with one component.
    max_iter : int, default=200
        Iterations at most.
    random_state : int, RandomState, Generator or None, default=None
        A whole number is the seed itself: the same bits as `copse factor --seed`, with any number of threads.
    alpha_W, alpha_H, l1_ratio : float, default 0.0, 'same', 0.0
        scikit-learn's penalties, where this objective has them exactly, with l1_ratio=0: beside `beta`, alpha_H adds
        n_samples times itself to `alpha`; with one component alpha_W adds n_features times itself to `beta`, as |w|_1^2
        is |w|^2 there. Anything else is refused. For sparse coefficients use `beta`.
    verbose : int, default=0
        Above 0 shows a line of progress, in a terminal or a notebook.
    shuffle : bool, default=False
        Has no effect; here for scikit-learn's signature.
    beta : float, 'thesis' or 'snmf', default=0.0
        Sparse NMF: weight of the squared 1-norms of the samples' coefficients. The words choose it, and alpha, by the
        rules of two papers from the largest entry of X.
    alpha : float or None, default=None
        Weight of |H|^2, together with `beta`. None: chosen by the rule.
    affine : bool, default=False
        X ~ W H + baseline, with one nonnegative baseline for all samples.
    n_runs : int, default=1
        Starts to try; the one with the least objective is kept.
    consensus : int, default=0
        Make so many runs (100 is usual) and take the components that come back in them, in place of those of the best
        run, as cNMF does [Kotliar et al. 2019]: components far from all others are left out, the median of each group of
        like ones is taken, and coefficients and components are fitted once more. 0: no consensus.
    consensus_distance : float, default=0.5
        Leaves out components whose mean distance to those nearest to them, as vectors of length 1, is larger. 2: none.
    time_limit : float or None, default=None
        Seconds after which the best so far is taken.
    vectorizer : TextVectorizer or None, default=None
        Turns documents into a matrix where strings are given to `fit`. None: TextVectorizer().
    forgetting : float, default=1.0
        Of `partial_fit`: after t samples, a batch that ended with sample s counts (s / t) ** forgetting. 0 forgets
        nothing, so that the rough coefficients of the first batches stay for ever; more forgets sooner.
    n_jobs : int or None, default=None
        Threads. None: all that are free, or fewer inside joblib's workers and threadpoolctl's limits. -1: all. The
        result does not depend on it.
    on_interrupt : {'raise', 'keep'}, default='raise'
        What Ctrl-C does: 'raise' stops the fit with KeyboardInterrupt, 'keep' stops it with the best factors so far.

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        The components, each of unit 2-norm; one that died is zero.
    labels_ : array of shape (n_samples,)
        The component with the largest coefficient of each sample; -1 where all are zero, and for a document with too
        few words.
    baseline_ : array of shape (n_features,)
        Only with affine=True.
    consensus_ : dict
        Only with `consensus`: 'runs' that ended; for every component of every run, run after run, its mean distance to
        the 'neighbours' nearest to it in 'distances', and in 'groups' the component of the consensus to which it belongs,
        or -1; for every component of the consensus its mean silhouette in 'silhouettes', and the share of the runs that
        have it in 'shares'.
    penalty_ : array of shape (n_components,), or empty without `beta`
        What the coefficients w of a sample cost at the scale of `components_`: (penalty_ @ w) ** 2.
    reconstruction_err_, relative_error_ : float
        |X - W H|, and the same divided by |X|. Kullback-Leibler: the root of twice the divergence, as scikit-learn has
        it, and the divergence divided by that of the best model with one component.
    n_iter_, n_components_, n_features_in_ : int
    feature_names_in_ : array of str
        Only if X has them.
    stop_reason_ : str
        'converged', 'max_iterations', 'time_limit' or 'interrupted'.
    history_ : record array
        One record per iteration: iteration, relative_error, projected_gradient_ratio, seconds. Iterations with more
        components than asked for, which a default run makes once to leave a poor minimum, count but have none.

    Examples
    --------
    >>> import numpy as np
    >>> from copse import NMF
    >>> X = np.array([[1, 1, 0], [2, 2, 0], [0, 0, 3.0]])
    >>> model = NMF(n_components=2, random_state=0)
    >>> W = model.fit_transform(X)
    >>> W.shape
    (3, 2)
    >>> bool(model.relative_error_ < 1e-3)
    True
    >>> bool(model.labels_[0] == model.labels_[1] != model.labels_[2])
    True
    """

    _warns_of_max_iter = True

    def __init__(
        self,
        n_components: int | str | None = "auto",
        *,
        init: str | None = None,
        solver: str = "hals",
        beta_loss: str | float = "frobenius",
        tol: float = 1e-4,
        max_iter: int = 200,
        random_state: RandomState = None,
        alpha_W: float = 0.0,
        alpha_H: float | str = "same",
        l1_ratio: float = 0.0,
        verbose: int = 0,
        shuffle: bool = False,
        beta: float | str = 0.0,
        alpha: float | None = None,
        affine: bool = False,
        n_runs: int = 1,
        consensus: int = 0,
        consensus_distance: float = 0.5,
        time_limit: float | None = None,
        vectorizer: Any = None,
        forgetting: float = 1.0,
        n_jobs: int | None = None,
        on_interrupt: str = "raise",
    ) -> None:
        self.n_components = n_components
        self.init = init
        self.solver = solver
        self.beta_loss = beta_loss
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.alpha_W = alpha_W
        self.alpha_H = alpha_H
        self.l1_ratio = l1_ratio
        self.verbose = verbose
        self.shuffle = shuffle
        self.beta = beta
        self.alpha = alpha
        self.affine = affine
        self.n_runs = n_runs
        self.consensus = consensus
        self.consensus_distance = consensus_distance
        self.time_limit = time_limit
        self.vectorizer = vectorizer
        self.forgetting = forgetting
        self.n_jobs = n_jobs
        self.on_interrupt = on_interrupt

    @with_callbacks
    def fit_transform(
        self,
        X: Data,
        y: Any = None,
        W: Any = None,
        H: Any = None,
        *,
        feature_names: Sequence[str] | None = None,
        layer: str | None = None,
        genes: Any = None,
        links: Any = None,
        vectors: Any = None,
        neighbours: bool = False,
        graph_weight: float | None = None,
        comm: Any = None,
    ) -> Array:
        """Factorizes X and returns the coefficients of its rows.

        Parameters
        ----------
        X : {array, sparse matrix, data frame} of shape (n_samples, n_features), or list of str
            Strings are documents. CSR with 32-bit column numbers is read in place; other forms are converted once.
        y : ignored
        W, H : arrays of shape (n_samples, n_components) and (n_components, n_features)
            The start for init='custom'.
        feature_names : sequence of str, default=None
            One for each column of X. Data frames and AnnData bring their own. With names topics have words and labels.
        layer : str, default=None
            Of an AnnData: the layer to take instead of its X.
        genes : mask, list of names, or str, default=None
            Of an AnnData: the genes to take. A string names a column of `var` that is a mask, as 'highly_variable'.
        links : sparse matrix or array of shape (n_samples, n_samples), default=None
            Weights of links between samples, such as citations, to be fitted together with X; a link counts in both
            directions. Samples without links are placed by X alone. So are new ones, in `transform` and `predict`.
        vectors : array of shape (n_samples, n_dimensions), default=None
            A vector for each sample, such as that of a sentence model: samples with a large cosine are linked.
        neighbours : bool, default=False
            Link each sample to those that are most similar to it by X itself.
        graph_weight : float or None, default=None
            How much links and neighbours count; at 1 as much as X. None: 1, or 0.3 where `neighbours` are all of it.
        comm : communicator of mpi4py, default=None
            The processes that fit together, such as MPI.COMM_WORLD under mpirun. Each gives some of the samples, in the
            order of their ranks, and all must call with the same parameters. `components_`, `relative_error_` and the
            history are the same in all of them; `labels_` and the coefficients are those of a process's own samples.

        Returns
        -------
        W : array of shape (n_samples, n_components)
        """
        loss = self._loss()
        self.__dict__.pop("_seen", None)  # what partial_fit gathered
        if comm is not None:
            given = {"W": W is not None, "H": H is not None, "links": links is not None, "vectors": vectors is not None}
            return self._fit_together(Processes(comm), X, feature_names, layer, genes, given | {"neighbours": neighbours})
        X, items, names = self._prepare(X, feature_names, layer, genes)
        settings = self._settings(items) | {"loss": loss}
        alpha, beta = self._sklearn_weights(items)
        settings["alpha"] += alpha
        settings["beta"] += beta
        settings["runs"] = number("n_runs", self.n_runs, Integral, 1)
        consensus = self._consensus()
        joint = self._joint(items, links, vectors, neighbours, graph_weight)
        if self.init == "custom":
            start = self._given_start(X, W, H)
            return self._factorize(X, items, names, settings, start["w"].shape[1], joint=joint, **start, **consensus)
        if W is not None or H is not None:
            warnings.warn(
                "When init!='custom', provided W or H are ignored. Set init='custom' to use them as initialization.",
                RuntimeWarning,
                stacklevel=2,
            )
        settings["start"] = STARTS[choice("init", self.init, [*STARTS, "custom"])]
        rank = self._rank(items)
        if self.init in SINGULAR_STARTS and rank > min(items.items, items.features):
            raise ValueError(
                f"init = '{self.init}' can only be used when n_components <= min(n_samples, n_features): "
                f"{rank} components of a matrix of {items.items} x {items.features} are too many."
            )
        return self._factorize(X, items, names, settings, rank, joint=joint, **consensus)

    def _fit_together(
        self,
        processes: Processes,
        X: Data,
        feature_names: Sequence[str] | None,
        layer: str | None,
        genes: Any,
        given: dict[str, bool],
    ) -> Array:
        def prepared() -> Any:
            documents = not isinstance(X, np.ndarray) and is_text(X)
            refuse(given | {"init='custom'": self.init == "custom", "the text of documents": documents})
            refuse({"beta_loss='kullback-leibler'": self._loss() != "frobenius", "consensus": self.consensus > 0})
            refuse({"n_components='choose'": isinstance(self.n_components, str) and self.n_components == "choose"})
            number("n_runs", self.n_runs, Integral, 1)
            choice("init", self.init, STARTS)
            return seed_of(self.random_state), *self._prepare(X, feature_names, layer, genes)

        seed, own, items, names = processes.agreed(prepared)
        whole = processes.whole(items, own.dtype, self.get_params(deep=False))
        settings = self._settings(whole) | {"loss": "frobenius", "runs": self.n_runs, "start": STARTS[self.init]}
        alpha, beta = self._sklearn_weights(whole)
        settings["alpha"] += alpha
        settings["beta"] += beta
        seed = processes.comm.bcast(seed)  # that of the first, for all
        found = self._factorize(
            own, items, names, settings, self._rank(whole), seed=seed, whole=whole, processes=processes
        )
        if self.stop_reason_ == "interrupted" and self.on_interrupt == "raise":
            raise KeyboardInterrupt
        return found

    def partial_fit(
        self,
        X: Data,
        y: Any = None,
        *,
        feature_names: Sequence[str] | None = None,
        layer: str | None = None,
        genes: Any = None,
    ) -> Self:
        """Takes another batch of samples in; data that does not fit into memory is read once, batch by batch.

        The first batch is factorized as by `fit`; it must have n_components samples at least. Of every batch only
        A = sum w' w and B = sum w' x are kept, with the coefficients w that its samples x had, and `components_` is the
        exact minimiser for all that is kept [Mairal et al. 2010]. `forgetting` lets the past fade. Batches should be
        drawn from the whole: shuffle samples that are sorted.

        `labels_`, `relative_error_` and what `save` and `report` write are those of the last batch; `n_iter_` counts
        batches. `fit` begins anew, and so does the first `partial_fit` after it.

        Parameters
        ----------
        X : {array, sparse matrix, data frame, AnnData} of shape (n_samples, n_features)
            The same columns every time. Turn documents into a matrix with a TextVectorizer that was fitted before.
        feature_names : sequence of str, default=None
            One for each column of X, in the first batch.
        layer, genes
            Of an AnnData, as for `fit`. One that is backed by a file is read in blocks, and each is a batch.
        """
        forgetting = number("forgetting", self.forgetting, Real, 0)
        if is_text(X):
            raise ValueError(
                "partial_fit needs a matrix with the same columns every time: fit a TextVectorizer to some documents "
                "first, and give what it makes of each batch."
            )
        if self._loss() != "frobenius" or self.affine or self.beta != 0:
            raise ValueError("partial_fit has the Frobenius loss only, without penalties and baseline.")
        if is_anndata(X):
            places = places_of(X, genes)
            names = np.asarray(X.var_names if places is None else X.var_names[places], dtype=object)
            for block in blocks_of(X, layer, places):
                self.partial_fit(Genes(block, names))
            self._layer = layer
            return self
        seen = getattr(self, "_seen", 0)
        if seen == 0:
            rank = self.n_components if isinstance(self.n_components, Integral) else 1
            shape: tuple[int, ...] = getattr(X.matrix if isinstance(X, Genes) else X, "shape", ())
            if len(shape) == 2 and shape[0] < rank:
                raise ValueError(f"The first batch has {shape[0]} samples, too few for {rank} components.")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)  # it is only the start
                self.fit_transform(X, feature_names=feature_names)
            k, dtype = self._result.k, self._result.w.dtype
            self._past = np.zeros((k, k)), np.zeros((self.n_features_in_, k), dtype)
            self._names = list(self._result.feature_names)
        elif feature_names is not None and [str(name) for name in feature_names] != self._names:
            raise ValueError("The feature names are not those of the first batch.")
        threads = thread_count(self.n_jobs)
        items = items_of(validated(self, X, reset=False).astype(self._result.w.dtype, copy=False), threads)
        keep = (seen / (seen + items.items)) ** forgetting if seen else 0.0
        batches = self.n_iter_ if seen else 0
        result, *self._past = self._result.take_in(items, *self._past, keep, self._names, threads)
        self._keep(result)
        self.reconstruction_err_ = self.relative_error_ * float(np.sqrt(items.squared_norm))
        self._seen, self.n_iter_ = seen + items.items, batches + 1
        return self

    def _loss(self) -> str:
        if self.beta_loss in ("frobenius", 2):
            return "frobenius"
        if self.beta_loss in ("kullback-leibler", 1) and self.solver != "cd":  # which refuses it in scikit-learn
            return "kl"
        raise ValueError(
            f"Invalid beta_loss parameter: solver {self.solver!r} does not handle beta_loss = {self.beta_loss!r}. "
            "Copse has 'frobenius' and, for 'hals' and 'mu', 'kullback-leibler'."
        )

    def _rank(self, items: Any) -> int:
        if self.n_components is None or self.n_components == "auto":
            return min(items.items, items.features)
        if isinstance(self.n_components, str) and self.n_components == "choose":
            from copse._choose import choose_k

            self.survey_ = choose_k(
                items,
                _copse.automatic_range(20),
                max_runs=20,
                solver=SOLVERS[choice("solver", self.solver, SOLVERS)],
                affine=bool(self.affine),
                beta=self.beta,
                alpha=self.alpha,
                random_state=self.random_state,
                search=True,
                n_jobs=self.n_jobs,
            )
            return max(1, self.survey_.k_)
        return number("n_components", self.n_components, Integral, 1)

    def _consensus(self) -> dict[str, Any]:
        runs = number("consensus", self.consensus, Integral, 0)
        if runs == 1 or (runs > 0 and self.n_runs > 1):
            raise ValueError("consensus is a number of runs, 2 at least, and takes the place of n_runs.")
        return {
            "consensus": runs,
            "consensus_distance": number("consensus_distance", self.consensus_distance, Real, 0),
        }

    def _sklearn_weights(self, items: Any) -> tuple[float, float]:
        """alpha and beta from scikit-learn's parameters. Its objective is half of ours: 1/2 |X - W H|^2 + 1/2 alpha_H
        n_samples |H|^2 + 1/2 alpha_W n_features |W|^2 for l1_ratio = 0."""
        alpha_W = number("alpha_W", self.alpha_W, Real, 0)
        same = isinstance(self.alpha_H, str) and self.alpha_H == "same"
        alpha_H = alpha_W if same else number("alpha_H", self.alpha_H, Real, 0)
        if not 0 <= number("l1_ratio", self.l1_ratio, Real, 0) <= 1:
            raise ValueError(f"l1_ratio must lie between 0 and 1; it is {self.l1_ratio}.")
        if alpha_W == alpha_H == 0:
            return 0.0, 0.0
        one = self.n_components == 1 and alpha_W > 0
        if self.l1_ratio > 0 or (alpha_W > 0 and not one):
            raise ValueError(
                "Copse has no penalty on W as scikit-learn's alpha_W, and none on |H|_1. For sparse coefficients use "
                "beta, the weight of the squared 1-norms of the rows of W."
            )
        if self.beta == 0 and not (one and alpha_H > 0):
            raise ValueError(
                "alpha_H alone has no effect: coefficients would grow as components shrink. For sparse coefficients "
                "use beta."
                if alpha_H > 0
                else "alpha_W alone has no effect: components would grow as coefficients shrink. Give alpha_H, too."
            )
        return alpha_H * items.items, alpha_W * items.features

    def _given_start(self, X: Data, W: Any, H: Any) -> dict[str, Any]:
        if W is None or H is None:
            raise ValueError("init='custom' needs both W and H: give them to fit_transform.")
        W, H = np.asarray(W), np.asarray(H)
        if not isinstance(X, np.ndarray) and not scipy.sparse.issparse(X):
            raise ValueError("init='custom' needs a matrix, not documents.")
        rank = self.n_components
        rank = len(H) if rank is None or rank == "auto" else number("n_components", rank, Integral, 1)
        for name, given, shape in (("H", H, (rank, X.shape[1])), ("W", W, (X.shape[0], rank))):
            for axis, side in enumerate(("first", "second")):
                found = given.shape[axis] if given.ndim == 2 else f"an array of {given.ndim} dimensions"
                if found != shape[axis]:
                    raise ValueError(
                        f"Array with wrong {side} dimension passed to NMF (input {name}). "
                        f"Expected {shape[axis]}, but got {found}."
                    )
            if not np.isfinite(given).all():
                raise ValueError(f"Array passed to NMF (input {name}) has entries that are NaN or infinite.")
            if (given < 0).any():
                raise ValueError(f"Negative values in data passed to NMF (input {name}).")
            if not given.any():
                raise ValueError(f"Array passed to NMF (input {name}) is full of zeros.")
        if not W.dtype == H.dtype == X.dtype:
            raise TypeError(
                f"H and W should have the same dtype as X. Got H.dtype = {H.dtype} and W.dtype = {W.dtype}."
            )
        return {"w": np.ascontiguousarray(H.T), "h": np.ascontiguousarray(W)}
