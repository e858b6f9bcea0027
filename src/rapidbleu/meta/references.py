"""What the references do to a metric: its agreement with people by which of them it is given."""

from itertools import combinations

from rapidbleu.counts import check_count
from rapidbleu.meta.effects import ReferenceEffect, ReferenceEffects
from rapidbleu.meta.figures.cautions import silence
from rapidbleu.meta.figures.correlation import Question, figure_of
from rapidbleu.meta.figures.groups import with_systems
from rapidbleu.meta.scores.checks import counted, shape_of
from rapidbleu.meta.scores.matching import as_scores
from rapidbleu.meta.scores.table import SystemScores
from rapidbleu.meta.scores.warning import caution
from rapidbleu.metrics import BLEU
from rapidbleu.parallel import check_progress, check_threads
from rapidbleu.scoring import check_metric
from rapidbleu.sequences import items_of
from rapidbleu.significance.systems import named_systems, rows_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from rapidbleu.meta.figures.groups import _SystemSource
    from rapidbleu.scoring import RowScoring
    from rapidbleu.typing import Hypotheses, Integers, Items, Progress, Segment, Texts

MOST = 1023  # sets of references, those of ten


def reference_effects(
    systems: "Mapping[str, Hypotheses] | Items[tuple[str, Hypotheses]]",
    references: "Mapping[str, Items[Segment | None] | Texts]",
    human: "_SystemSource",
    metric: "RowScoring | None" = None,
    *,
    figure: str = "pearson",
    by: str = "means",
    sizes: "Integers | None" = None,
    most: int = MOST,
    threads: int = 1,
    progress: "Progress | None" = None,
) -> ReferenceEffects:
    """Find how a metric agrees with people by number and choice of references.

    Parameters
    ----------
    systems : dict of str to hypotheses, or sequence of (name, hypotheses)
        A system that has the name of a reference is that reference: sets that it is in leave it
        out, so human translations can be among the systems.
    references : dict of str to stream
        Each has a reference, or None, for each segment.
    human : scores as `correlate` takes them
        Of the same systems: a matrix, or with ``by="means"`` also a number for each, in the order
        of `systems` or by name. Greater is better.
    metric : metric, optional
        Any that reads text; by default BLEU. Error rates are negated.
    figure, by : str
        As in `correlate`. With ``by="means"`` a system's score is the metric's of the corpus.
    sizes : sequence of int, optional
        Numbers of references; by default all.
    most : int
        Sets of references at most: more are an error.
    threads : int
        0: all cores. The result is the same.
    progress : callable, optional
        Called with the sets done and all of them.

    Returns
    -------
    ReferenceEffects

    Raises
    ------
    TypeError, ValueError
        Before anything is scored, if an argument is wrong; if a set has a segment without any
        reference.

    Notes
    -----
    Each system is scored against each set: 2**n - 1 of them for n references. Ctrl-C ends it.

    References
    ----------
    Callison-Burch, Osborne and Koehn 2006, section 4.
    Freitag, Grangier and Caswell 2020, "BLEU might be Guilty but References are not Innocent".

    Examples
    --------
    >>> references = {
    ...     "A": ["the cat sat on the mat", "it was raining there"],
    ...     "B": ["a cat was sitting there", "it rained"],
    ... }
    >>> systems = {
    ...     "X": ["a cat sat there", "it rained there"],
    ...     "Y": ["the cat sits on the mat", "it was raining there"],
    ...     "Z": ["cat sitting the mat", "raining it"],
    ... }
    >>> human = {"X": [3.0, 4.0], "Y": [4.0, 4.0], "Z": [2.0, 1.0]}
    >>> found = reference_effects(systems, references, human, by="none")
    >>> found
    BLEU, pearson by none
    references   value
    A            0.494  -0.023 without Y
    B            0.139  -0.831 without Z
    A + B        0.468   0.038 without Y
    >>> round(found["A", "B"].value, 3)
    0.468
    """
    check_progress(progress)
    judged = check_metric(BLEU() if metric is None else metric)
    question = Question(figure, by)
    named = named_systems(systems)
    streams = _streams(references)
    check_count("most", most, 1)
    n_threads = check_threads(threads)
    wanted = _sizes(sizes, len(streams))
    chosen = [names for size in wanted for names in combinations(streams, size)]
    if len(chosen) > most:
        raise ValueError(
            f"references: expected at most {most} sets, got {len(chosen)}; raise `most`, or give "
            f"`sizes`"
        )
    means = by == "means" and figure != "soft_accuracy"
    people = _people(human, list(named), means)
    effects, called = [], ""
    for done, names in enumerate(chosen, 1):
        own = {name: streams[name] for name in names}
        called, scores, values = _scored(judged, named, own, means, n_threads)
        value = _value(question, people, values, caution)
        without = {
            left_out: _value(
                question, people,
                {name: own for name, own in values.items() if name != left_out}, silence,
            )
            for left_out in values
        }  # fmt: skip
        effects.append(ReferenceEffect(names, scores, value, without))
        if progress is not None:
            progress(done, len(chosen))
    return ReferenceEffects(called, figure, by, effects)


def _value(
    question: Question,
    people: SystemScores,
    values: "Mapping[str, Any]",
    tell: "Callable[[str], None]",
) -> float:
    """Return the figure of some systems; nan of fewer than two."""
    if len(values) < 2:
        return float("nan")
    human, [own] = question.match(people.of(values), {"metric": values})
    return figure_of(question, human, own, "metric", tell).value


def _people(human: "Any", names: "list[str]", means: bool) -> SystemScores:
    """Return the human scores, with names, of the systems and no others."""
    scores = with_systems(human, "human") if means else as_scores(human, "human")
    if scores.systems is None:
        if len(scores.values) != len(names):
            raise ValueError(
                f"human: expected scores of {counted(len(names), 'system')}, got "
                f"{shape_of(scores.values)}"
            )
        scores = SystemScores(scores.values, names, scores.segments)
    known = scores.systems or ()
    for name in names:
        if name not in known:
            raise ValueError(f"human: expected scores of system {name!r}, got none")
    for name in known:
        if name not in names:
            raise ValueError(f"human: got scores of {name!r}, which is no system")
    return scores


def _scored(
    metric: "RowScoring",
    systems: "Mapping[str, Any]",
    streams: "Mapping[str, Any]",
    means: bool,
    threads: int,
) -> "tuple[str, dict[str, float], dict[str, Any]]":
    """Return the name of the scores, those of the systems, and what is compared with people."""
    prepare: Any = getattr(metric, "prepare", None)
    given: Any = list(streams.values())
    try:
        prepared = prepare(given) if prepare else given
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"references {', '.join(map(repr, streams))}: {error}") from None
    called, scores, values = "", {}, {}
    sign = 1.0 if metric.higher_is_better else -1.0
    for name, hypotheses in systems.items():
        if name in streams:
            continue
        try:
            rows = rows_of(metric, hypotheses, prepared, "stream", threads)
        except (TypeError, ValueError) as error:
            kind = TypeError if isinstance(error, TypeError) else ValueError
            raise kind(f"systems[{name!r}]: {error}") from None
        total = metric.score(rows)
        called, scores[name] = total.name, total.score
        values[name] = sign * (total.score if means else metric.score_rows(rows))
    return called, scores, values


def _streams(references: "Any") -> "dict[str, Any]":
    """Return references by name, of which there is at least one."""
    if not (hasattr(references, "items") and hasattr(references, "keys")):
        raise TypeError(
            f"references: expected a dict of names and streams, got {type(references).__name__}"
        )
    for name in references:
        if not isinstance(name, str):
            raise TypeError(f"references: expected names, got {type(name).__name__}")
    if not references:
        raise ValueError("references: expected at least one, got none")
    return dict(references.items())


def _sizes(sizes: "Integers | None", n: int) -> list[int]:
    """Return the numbers of references, growing."""
    if sizes is None:
        return list(range(1, n + 1))
    own = items_of(sizes, "sizes", "numbers of references")
    found = {check_count(f"sizes[{i}]", size, 1, n) for i, size in enumerate(own)}
    if not found:
        raise ValueError("sizes: expected at least one, got none")
    return sorted(found)
