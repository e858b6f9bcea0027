"""Tuning by default: the method that holds best on other text."""

from rapidbleu.tuning.bagging.bagged import bagged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rapidbleu.tuning.bagging.bagged import BaggedResult
    from rapidbleu.tuning.lists.nbest import NBestList
    from rapidbleu.typing import Progress, Vector


def tune(
    nbest: "NBestList",
    weights: "Vector | None" = None,
    *,
    seed: int = 0,
    threads: int = 1,
    progress: "Progress | None" = None,
) -> "BaggedResult":
    """Tune weights that hold on other text: the mean of those of 20 bags, tuned for minimum risk.

    Parameters
    ----------
    nbest : NBestList
        At least 10 segments, with dense or sparse features; the metric may be any.
    weights : float array of shape (n_features,), or dict of names to numbers, optional
        The direction of the start; without it the search starts where all hypotheses of a segment
        are alike, and ends about as well.
    seed : int
        Of the bags; the result depends on nothing else, threads included.
    threads : int
        Over bags; 0: all cores.
    progress : callable, optional
        Called with the bags done and all of them, one call at a time.

    Returns
    -------
    BaggedResult
        Its `out_of_bag` is an estimate of the score on other text, which its `score` is not. After
        Ctrl-C, of the bags that are done.

    Raises
    ------
    ImportError
        If SciPy is not installed.
    TypeError, ValueError
        If an argument is wrong, before anything is tuned.
    KeyboardInterrupt
        If Ctrl-C comes before a bag is done.

    Notes
    -----
    This is ``bagged("risk")(nbest, weights, seed=seed)``. The rule by which it was chosen: of the
    methods of ``python -m bench generalisation`` that are below `mert` with 20 restarts on none of
    the lists, the one whose weights score best on segments that were not tuned on; of several that
    differ by less than a standard error, the fastest.

    References
    ----------
    See `bagged` and `risk`.

    Examples
    --------
    >>> import numpy as np
    >>> from rapidbleu import MeanScore
    >>> from rapidbleu.tuning import NBestList, tune
    >>> rng, comet = np.random.default_rng(0), MeanScore("COMET")
    >>> quality = rng.normal(size=400)
    >>> features = np.stack([quality + rng.normal(size=400), rng.normal(size=400)], axis=1)
    >>> nbest = NBestList(features, comet.rows(quality), np.arange(0, 401, 10), metric=comet)
    >>> found = tune(nbest)
    >>> round(found.score, 2), round(found.out_of_bag, 2)
    (1.13, 1.1)
    """
    return bagged("risk", threads=threads)(nbest, weights, seed=seed, progress=progress)
