"""Learning curves of tuning: the score, or the loss, after each step."""

from collections.abc import Iterable, Mapping

from rapidbleu.comparison.inputs import check_name
from rapidbleu.plots.drawing import axes_for, color_of, dress, load, name_series
from rapidbleu.tuning import Instability, TuningResult

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    _Run: TypeAlias = TuningResult | Iterable[dict[str, Any]]

STEPS = ("step", "epoch", "iteration")  # an entry of the history has one of these
SAID = {
    "score": "score of the tuned list",
    "expected": "expected score of the tuned list",
    "objective": "objective",
    "loss": "loss",
}


def plot_learning_curve(
    runs: "_Run | Instability | Mapping[str, _Run]",
    what: "str | None" = None,
    *,
    ax: "Axes | None" = None,
) -> "tuple[Figure, Axes]":
    """Draw how tunings went: what their history says of each step.

    Parameters
    ----------
    runs : TuningResult, iterable of dict, Instability, or dict of str to one of the first two
        Of `mert`, `mira`, `pro` or `risk`; dicts are entries of a history, which `callback` was
        called with. An `Instability` has several runs, which are named by their seeds.
    what : {"score", "expected", "objective", "loss"}, optional
        The first of these that all runs have by default: the score of the tuned list after each
        step of `mert` and each epoch of `mira`, the expected score of `risk`, the loss of `pro`.
    ax : matplotlib.axes.Axes, optional
        What is drawn on.

    Returns
    -------
    (matplotlib.figure.Figure, matplotlib.axes.Axes)
        A line for each run; of `mert` a line for each start from which a step was taken.

    Raises
    ------
    TypeError, ValueError
        If an argument is wrong, or if a run has no history of steps; those of `bagged` have none.
    ImportError
        Without Matplotlib.

    Examples
    --------
    A picture of a tuning that goes on: collect the entries, and draw them whenever you like.

    >>> from rapidbleu import MeanScore
    >>> from rapidbleu.tuning import NBestList, mira
    >>> comet = MeanScore("COMET")
    >>> features = [[0.0, 1.0], [1.0, 0.0], [0.5, 2.0], [1.0, 0.0]]
    >>> nbest = NBestList(features, comet.rows([0.5, 0.75, 0.25, 0.5]), [0, 2, 4], metric=comet)
    >>> entries = []
    >>> found = mira(nbest, callback=entries.append)
    >>> figure, axes = plot_learning_curve(entries)
    >>> axes.get_xlabel(), axes.get_ylabel()
    ('epoch', 'score of the tuned list')
    >>> len(axes.lines[0].get_ydata()) == len(found.history)
    True
    """
    histories = _histories(runs)
    entries = [entry for history in histories.values() for entry in history]
    known = [key for key in SAID if all(key in entry for entry in entries)]
    if not known:
        raise ValueError(f"runs: expected entries that all have one of {', '.join(SAID)}")
    if what is not None:
        check_name("what", what, known)
    key = known[0] if what is None else what
    figure, axes = axes_for(ax)
    firsts = [
        _draw(axes, history, key, color_of(i)) for i, history in enumerate(histories.values())
    ]
    kinds = dict.fromkeys(_step_of(entry) for entry in entries)
    dress(axes, "Learning curves" if len(firsts) > 1 else "Learning curve", " or ".join(kinds),
          SAID[key], grid="both")  # fmt: skip
    ticker = load("ticker")
    axes.xaxis.set_major_locator(ticker.MaxNLocator("auto", integer=True, steps=[1, 2, 5, 10]))
    if len(firsts) > 1:
        name_series(axes, firsts, list(histories))
    return figure, axes


def _draw(ax: "Axes", history: "list[dict[str, Any]]", key: str, color: str) -> "Any":
    """Draw the lines of a run; return the first."""
    climbs: dict[int, list[dict[str, Any]]] = {}
    for entry in history:
        climbs.setdefault(entry.get("start", 0), []).append(entry)
    width = 1.0 if len(climbs) > 1 else 1.8
    lines = [
        ax.plot(
            [entry[_step_of(entry)] for entry in climb], [entry[key] for entry in climb],
            color=color, linewidth=width, alpha=0.75 if len(climbs) > 1 else 1.0, marker="o",
            markersize=2.5 * width if len(climb) <= 30 else 0,
        )[0]
        for climb in climbs.values()
    ]  # fmt: skip
    return lines[0]


def _step_of(entry: "dict[str, Any]") -> str:
    """Return what an entry of a history calls its step."""
    return next(key for key in STEPS if key in entry)


def _histories(runs: object) -> "dict[str, list[dict[str, Any]]]":
    """Return the history of each run by its name."""
    if isinstance(runs, Instability):
        runs = {f"seed {seed}": run for seed, run in zip(runs.seeds, runs.results, strict=True)}
    if not isinstance(runs, Mapping):
        return {"": _history(runs, "runs")}
    if not runs:
        raise ValueError("runs: expected at least one run, got none")
    return {str(name): _history(run, f"runs[{name!r}]") for name, run in runs.items()}


def _history(run: object, where: str) -> "list[dict[str, Any]]":
    """Return the entries of a run, which all have a step."""
    if isinstance(run, TuningResult):
        run, where = run.history, f"{where}.history"
    if not isinstance(run, Iterable) or isinstance(run, (str, bytes, Mapping)):
        kind = type(run).__name__
        raise TypeError(f"{where}: expected TuningResult or entries of a history, got {kind}")
    entries = list(run)
    if not entries:
        raise ValueError(f"{where}: expected at least one entry, got none")
    for i, entry in enumerate(entries):
        if not isinstance(entry, dict):
            raise TypeError(f"{where}[{i}]: expected dict, got {type(entry).__name__}")
        if not any(key in entry for key in STEPS):
            listed = ", ".join(map(str, entry))
            raise ValueError(f"{where}[{i}]: expected one of {', '.join(STEPS)}; got {listed}")
    return entries
