"""Minimum error rate training: weights that maximise the score of the corpus they choose."""

from rapidbleu.parallel import check_threads
from rapidbleu.tuning.lists.nbest import NBestList
from rapidbleu.tuning.search.ground import ListGround
from rapidbleu.tuning.search.plan import MertResult, Plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from rapidbleu.typing import Bounds, Norm, Progress, Smoothing, StepCallback, Weights


def mert(
    nbest: NBestList,
    weights: "Weights | None" = None,
    *,
    restarts: int = 20,
    axes: bool = True,
    random_directions: int = 0,
    fixed: "Collection[str]" = (),
    bounds: "Bounds | None" = None,
    ranges: "Bounds | None" = None,
    normalize: "Norm | None" = "l1",
    min_gain: "float | None" = None,
    max_steps: int = 1000,
    smooth: "Smoothing | None" = None,
    penalty: float = 0.0,
    seed: int = 0,
    threads: int = 1,
    callback: "StepCallback | None" = None,
    progress: "Progress | None" = None,
    moses_compat: bool = False,
) -> MertResult:
    """Tune weights by exact line searches, for the best score of the corpus they choose.

    From each start, all directions are searched and the best step of all is taken, until none gains
    anything (steepest coordinate ascent, the "powell" of Moses).

    Parameters
    ----------
    nbest : NBestList
        With dense features. `Interpolation` makes one metric of several, `MeanScore` one of given
        segment scores; of a metric like TER the least score is the best.
    weights : float array of shape (n_features,) or (k, n_features), or dict, optional
        The first start, or several; all weights alike by default.
    restarts : int
        Starts at random besides.
    axes : bool
        Search the directions of the single features.
    random_directions : int
        Search so many random directions in each step too, drawn evenly from all directions.
    fixed : collection of str
        Names of features whose weights stay as they are.
    bounds : dict of str to (low, high), or float array of shape (n_features, 2), optional
        Of the weights, infinite where there is none.
    ranges : as `bounds`, optional
        Where random starts are drawn from. By default from -1 to 1, over the standard deviation
        that the feature has within the segments.
    normalize : {"l1", "l2", None}
        Scale the weights to a norm of 1; not done where some are `fixed` or have `bounds`.
    min_gain : float, optional
        A step must gain more than this, in the unit of the metric; 1e-7 by default. With
        `moses_compat` a step that gains less, but something, is still taken and is the last one;
        0.01 by default.
    max_steps : int
        Of one climb.
    smooth : ("mean" or "min", window), optional
        Maximise the mean or the minimum of the scores over so many intervals on either side of a
        point, which generalises better than a peak.
    penalty : float
        Subtract this times the squared distance from the first start.
    seed : int
        Of starts and directions. The result depends on nothing else, not on threads either.
    threads : int
        0 for all cores: over the starts, or over the directions if there is one start.
    callback : callable, optional
        Called with the history entry of each step, one call at a time.
    progress : callable, optional
        Called as ``progress(done, n_starts)`` after each climb.
    moses_compat : bool
        Follow Moses step by step: its choice of points on a line, its single precision, its stop
        after a step that gains 0.01 percent or less, and its choice of the best climb by the
        smoothed score. Random starts and directions are not Moses'.

    Returns
    -------
    MertResult
        After Ctrl-C, the best so far.

    Raises
    ------
    TypeError, ValueError
        If an argument is not as described; before anything is searched.

    References
    ----------
    Och, F. J. 2003. Minimum Error Rate Training in Statistical Machine Translation. ACL.

    Cer, D., Jurafsky, D., Manning, C. D. 2008. Regularization and Search for Minimum Error Rate
    Training. WMT.

    Moore, R. C., Quirk, C. 2008. Random Restarts in Minimum Error Rate Training for Statistical
    Machine Translation. COLING.

    Examples
    --------
    >>> hypotheses = [["a b c x", "a b c d e"], ["e f g h", "f g h"]]
    >>> features = [[-1.0, 4], [-2.0, 5], [-1.5, 4], [-1.0, 3]]
    >>> references = [["a b c d e", "e f g h"]]
    >>> nbest = NBestList.from_lists(hypotheses, features, references, names=["lm", "length"])
    >>> mert(nbest, {"lm": 1, "length": 0}, fixed=["lm"])
    mert: 100.0000
      lm      1
      length  1.1
    """
    plan = Plan(
        restarts=restarts, axes=axes, random_directions=random_directions, fixed=fixed,
        bounds=bounds, ranges=ranges, normalize=normalize, min_gain=min_gain, max_steps=max_steps,
        smooth=smooth, penalty=penalty, seed=seed, callback=callback, progress=progress,
        moses_compat=moses_compat,
    )  # fmt: skip
    return plan.carry_out(ListGround(nbest, check_threads(threads)), weights)
