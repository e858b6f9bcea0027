"""Cross-validation: each method is tuned on a part of the segments and tested on the others."""

from __future__ import annotations

import math

from rapidbleu._lib.checks import check_count, check_type
from rapidbleu._lib.floats import DIGITS, digits_of
from rapidbleu._lib.lazy import np
from rapidbleu._lib.loader import load
from rapidbleu.parallel import check_progress, check_threads
from rapidbleu.printing.tables import plain_table
from rapidbleu.sequences import items_of
from rapidbleu.tuning.checks import check_vector
from rapidbleu.tuning.nbest import NBestList, taken
from rapidbleu.tuning.runs.running import find_method, run_all, run_method
from rapidbleu.tuning.runs.splits import check_splits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from rapidbleu.tuning.search.shared import TuningResult
    from rapidbleu.typing import FloatArray, Items, Method, Progress, Vector

    _Tune = Callable[[NBestList, int, list[BaseException]], FloatArray]
    _Tuner = Method | Callable[..., TuningResult | Vector] | Vector


class HeldOutDifference:
    """The difference of two methods on text that they were not tuned on.

    Attributes
    ----------
    mean : float
        Of the differences of the splits, in the unit of the metric.
    error : float
        Its standard error, which counts that splits share segments; nan with one split.
    n : int
        Splits.

    References
    ----------
    Nadeau & Bengio 2003, Inference for the Generalization Error, section 5 (corrected resampled
    t-test).

    Examples
    --------
    >>> import numpy as np
    >>> HeldOutDifference(np.array([0.3, 0.1, 0.2]), 1.0)
    +0.20 ± 0.12
    """

    def __init__(self, differences: FloatArray, ratio: float, digits: int = DIGITS) -> None:
        self._digits = digits
        self.n = len(differences)
        self.mean = float(differences.mean())
        self.error = float("nan")
        if self.n > 1:
            variance = float(differences.var(ddof=1))
            self.error = (variance * (1.0 / self.n + ratio)) ** 0.5

    @property
    def p(self) -> float:
        """How likely a mean as far from 0 is between equal methods: two-sided; needs SciPy."""
        try:
            load("scipy.special")
            from scipy.special import stdtr
        except ImportError:
            raise ImportError('p-values need SciPy: pip install "rapidbleu[tuning]"') from None
        if not self.error > 0.0:
            return 1.0 if self.mean == 0.0 else float("nan")
        return 2.0 * float(stdtr(self.n - 1, -abs(self.mean) / self.error))

    def __repr__(self) -> str:
        return f"{self.mean:+.{self._digits}f} ± {self.error:.{self._digits}f}"


class CrossValidation:
    """Scores of methods on what they were tuned on, and on other segments.

    Attributes
    ----------
    methods : tuple of str
    metric : str
        The name of the score.
    higher_is_better : bool
    train, test : float64 arrays of shape (n_methods, n_splits)
        Scores of the corpora, in the unit of the metric.
    seconds : float64 array of the same shape
        Wall clock of the tuning.
    weights : float64 array of shape (n_methods, n_splits, n_features)
    ratio : float
        Segments tested on for each one tuned on, the mean over splits.
    interrupted : bool
        Whether Ctrl-C ended it; there are fewer splits then.
    """

    def __init__(
        self,
        methods: tuple[str, ...],
        metric: str,
        higher_is_better: bool,
        train: FloatArray,
        test: FloatArray,
        seconds: FloatArray,
        weights: FloatArray,
        ratio: float,
        interrupted: bool,
    ) -> None:
        self.methods = methods
        self.metric = metric
        self.higher_is_better = higher_is_better
        self.train = train
        self.test = test
        self.seconds = seconds
        self.weights = weights
        self.ratio = ratio
        self.interrupted = interrupted

    @property
    def best(self) -> str:
        """The method with the best mean test score; of equal ones the first."""
        means = self.test.mean(axis=1)
        return self.methods[int(means.argmax() if self.higher_is_better else means.argmin())]

    def difference(self, one: str, other: str) -> HeldOutDifference:
        """Return how much higher one method scores on the tested segments than another.

        Raises
        ------
        ValueError
            If a name is not that of a method.
        """
        for where, name in (("one", one), ("other", other)):
            if name not in self.methods:
                known = ", ".join(map(repr, self.methods))
                raise ValueError(f"{where}: expected one of {known}, got {name!r}")
        i, j = self.methods.index(one), self.methods.index(other)
        return HeldOutDifference(self.test[i] - self.test[j], self.ratio, self._digits())

    def _digits(self) -> int:
        return digits_of(self.test.ravel().tolist())

    def __repr__(self) -> str:
        first = self.methods[0]
        n, digits = self.test.shape[1], self._digits()
        columns = [
            list(self.methods),
            [f"{mean:.{digits}f}" for mean in self.train.mean(axis=1)],
            [f"{mean:.{digits}f}" for mean in self.test.mean(axis=1)],
            ["", *(repr(self.difference(name, first)) for name in self.methods[1:])],
            [f"{mean:.2f}" for mean in self.seconds.mean(axis=1)],
        ]
        headers = ["", "train", "test", f"difference from {first}", "seconds"]
        table = plain_table(headers, columns, [False, True, True, True, True])
        title = f"{self.metric}, {n} split{'s' * (n > 1)}" + " (interrupted)" * self.interrupted
        return f"{title}\n{table}".replace("\n", "\n  ")


def cross_validate(
    nbest: NBestList,
    methods: Mapping[str, _Tuner] | Sequence[Method],
    *,
    splits: int | Items[Any] = 10,
    weights: Vector | None = None,
    seed: int = 0,
    threads: int = 1,
    progress: Progress | None = None,
) -> CrossValidation:
    """Compare methods of tuning by what their weights score on other segments.

    Parameters
    ----------
    nbest : NBestList
        At least 10 segments.
    methods : mapping of str to method, or sequence of {"mert", "pro", "mira", "risk"}
        A method is one of these names; or a callable, such as a `functools.partial` of one of
        these functions, called as ``method(nbest, seed=seed)``, with ``weights=weights`` if there
        are some, which returns a `TuningResult` or weights; or weights, which stay as they are.
    splits : int, or sequence of (segments to tune on, segments to test on)
        As many random halves; or what `random_halves`, `k_folds` and `document_folds` return. The
        same for all methods.
    weights : float array of shape (n_features,), or dict, optional
        Where all methods start.
    seed : int
        Of random halves, and of the first split's runs; those of the next have the next one.
    threads : int
        Over splits; 0: all cores. The result is the same.
    progress : callable, optional
        Called with the runs done and all of them, one call at a time.

    Returns
    -------
    CrossValidation
        After Ctrl-C, of the splits that are done.

    Raises
    ------
    TypeError, ValueError
        If an argument is wrong, before anything is tuned.
    KeyboardInterrupt
        If Ctrl-C comes before a split is done.

    Notes
    -----
    As many runs as there are methods and splits. Each thread has a copy of the list. After Ctrl-C
    other threads end the climb or the epoch that they are in, or the run of a callable.

    Examples
    --------
    >>> import numpy as np
    >>> from rapidbleu import MeanScore
    >>> from rapidbleu.tuning import NBestList
    >>> rng, comet = np.random.default_rng(0), MeanScore("COMET")
    >>> quality = rng.normal(size=400)
    >>> features = np.stack([quality + rng.normal(size=400), rng.normal(size=400)], axis=1)
    >>> nbest = NBestList(features, comet.rows(quality), np.arange(0, 401, 10), metric=comet)
    >>> found = cross_validate(nbest, {"start": [0.5, 0.5], "mert": "mert"}, splits=5)
    >>> found.best, found.test.shape
    ('mert', (2, 5))
    >>> found.difference("mert", "start")
    +0.23 ± 0.07
    """
    from time import perf_counter

    check_progress(progress)
    check_type("nbest", nbest, NBestList)
    check_count("seed", seed, 0, math.inf)
    n_threads = check_threads(threads)
    chosen = check_splits(splits, nbest.n_segments, seed)
    start = None if weights is None else check_vector(weights, nbest.names)
    tuners = _tuners(methods, nbest, start)
    shape = len(tuners), len(chosen)
    train, test, seconds = (np.full(shape, np.nan) for _ in range(3))
    found = np.full((*shape, nbest.n_features), np.nan)

    def run(split: int, stop: list[BaseException], end_step: Callable[[], None]) -> None:
        tuned, tested = (taken(nbest, part) for part in chosen[split])
        for i, tune in enumerate(tuners.values()):
            if stop:
                raise KeyboardInterrupt
            began = perf_counter()
            found[i, split] = own = tune(tuned, seed + split, stop)
            seconds[i, split] = perf_counter() - began
            train[i, split] = tuned.evaluate(own)
            test[i, split] = tested.evaluate(own)
            end_step()

    kept, interrupted = run_all(run, len(chosen), n_threads, progress, len(tuners))
    ratio = float(np.mean([len(chosen[i][1]) / len(chosen[i][0]) for i in kept]))
    return CrossValidation(
        tuple(tuners), nbest.score(found[0, kept[0]]).name, nbest.metric.higher_is_better,
        train[:, kept], test[:, kept], seconds[:, kept], found[:, kept], ratio, interrupted,
    )  # fmt: skip


def _tuners(methods: Any, nbest: NBestList, start: FloatArray | None) -> dict[str, _Tune]:
    """Return functions of a list, a seed and a list of exceptions that end them, by name."""
    if hasattr(methods, "items"):
        named = dict(methods.items())
    else:
        named = {name: name for name in items_of(methods, "methods", "methods")}
    if not named:
        raise ValueError("methods: expected at least one, got none")
    return {
        _checked_name(name): _tuner(method, f"methods[{name!r}]", nbest, start)
        for name, method in named.items()
    }


def _checked_name(name: Any) -> str:
    if not isinstance(name, str):
        raise TypeError(f"methods: expected names, got {type(name).__name__}")
    return name


def _tuner(method: Any, where: str, nbest: NBestList, start: FloatArray | None) -> _Tune:
    if not callable(method) and not isinstance(method, str):
        try:
            fixed = check_vector(method, nbest.names)
        except (TypeError, ValueError) as error:
            kind = TypeError if isinstance(error, TypeError) else ValueError
            raise kind(f"{where}: {str(error).removeprefix('weights: ')}") from None
        return lambda nbest, seed, stop: fixed
    try:
        run, _ = find_method(method)
    except ValueError as error:
        raise ValueError(f"{where}: {str(error).removeprefix('method: ')}") from None
    options = {} if start is None else {"weights": start}
    return lambda nbest, seed, stop: run_method(run, nbest, stop, seed=seed, **options)
