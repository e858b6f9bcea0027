"""Test sets in the folder layout of mt-metrics-eval: texts, human scores and metric scores."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field

from rapidbleu._lib.loader import np
from rapidbleu.meta.scores import SystemScores, counted
from rapidbleu.meta.tables import number_of
from rapidbleu.streams.files import name_of, placed_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from rapidbleu._types import Path

NO_TRANSLATION = "[No translation supplied]"


@dataclass(eq=False, repr=False)
class EvaluationSet:
    """A test set in one language pair, with human and metric scores of systems.

    Attributes
    ----------
    language_pair : str
    sources : list of str, or None
    references : dict of str to list of str
    outputs : dict of str to list of str
        Texts by system, one per segment; None if not supplied. Human translations judged like
        systems appear here and in `references`.
    documents, domains : list of str, or None
        One per segment.
    human, metrics : dict of str to SystemScores
        Segment scores by name of the score ("mqm") or of the metric ("BLEU-refA"). Segments are
        unnamed, in the order of the texts.
    human_systems, metric_systems : dict of str to dict of str to float
        System scores; nan for None.

    Examples
    --------
    >>> from rapidbleu.meta import read_folder
    >>> test_set = read_folder("mt-metrics-eval-v2/wmt22", "en-de")  # doctest: +SKIP
    >>> sorted(test_set.human), len(test_set.outputs)  # doctest: +SKIP
    """

    language_pair: str
    sources: list[str | None] | None = None
    references: dict[str, list[str | None]] = field(default_factory=dict)
    outputs: dict[str, list[str | None]] = field(default_factory=dict)
    documents: list[str] | None = None
    domains: list[str] | None = None
    human: dict[str, SystemScores] = field(default_factory=dict)
    metrics: dict[str, SystemScores] = field(default_factory=dict)
    human_systems: dict[str, dict[str, float]] = field(default_factory=dict)
    metric_systems: dict[str, dict[str, float]] = field(default_factory=dict)

    def __repr__(self) -> str:
        return (
            f"EvaluationSet({self.language_pair!r}, {counted(len(self.outputs), 'system')}, "
            f"{counted(self.n_segments, 'segment')}, {counted(len(self.human), 'human score')}, "
            f"{counted(len(self.metrics), 'metric')})"
        )

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the judged systems."""
        return tuple(self.outputs)

    @property
    def n_segments(self) -> int:
        """The number of segments of each system."""
        return len(next(iter(self.outputs.values()), ()))

    def pair(self, human: str, metric: str) -> tuple[SystemScores, SystemScores]:
        """Return the human scores and a metric's scores of the systems that both have.

        Drops systems without human scores. References that a metric used have no scores by it.

        Parameters
        ----------
        human, metric : str
            Names in `human` and in `metrics`.
        """
        for name, known, where in ((human, self.human, "human"), (metric, self.metrics, "metric")):
            if name not in known:
                listed = ", ".join(map(repr, known)) or "none"
                raise ValueError(f"{where}: expected one of {listed}; got {name!r}")
        ours = self.human[human]
        theirs = self.metrics[metric]
        scored = np.flatnonzero(~np.isnan(ours.values).all(axis=1)).tolist()
        named = [(ours.systems or ())[i] for i in scored]
        both = [name for name in named if name in (theirs.systems or ())]
        if not both:
            raise ValueError(f"metric: expected scores of systems that {human!r} has; got none")
        return ours.of(both), theirs.of(both)


def read_folder(
    path: Path, language_pair: str, *, metrics: Iterable[str] | None = None
) -> EvaluationSet:
    """Read one language pair of a test set in the layout of mt-metrics-eval.

    Scores of documents and domains, and span ratings, are not read.

    Parameters
    ----------
    path : path
        Folder of the test set, such as ``mt-metrics-eval-v2/wmt22``. It must contain
        ``system-outputs``; ``sources``, ``references``, ``documents``, ``human-scores`` and
        ``metric-scores`` are optional. Texts are ``.txt`` or ``.jsonl``.
    language_pair : str
        Such as "en-de".
    metrics : sequence of str, optional
        Metrics to read, such as ["BLEU-refA"] (default: all; [] reads none).

    References
    ----------
    https://github.com/google-research/mt-metrics-eval, "File organization and naming convention".

    Examples
    --------
    >>> test_set = read_folder("mt-metrics-eval-v2/wmt22", "en-de", metrics=[])  # doctest: +SKIP
    """
    folder = name_of(path)
    if not isinstance(language_pair, str):
        raise TypeError(f"language_pair: expected str; got {type(language_pair).__name__}")
    os.listdir(folder)  # raises OSError if the folder does not exist
    dataset = EvaluationSet(language_pair)
    for file, name in _files(folder, "system-outputs", language_pair):
        n = dataset.n_segments if dataset.outputs else None
        dataset.outputs[name.rpartition(".")[0]] = _texts(file, "hypothesis", n)
    if not dataset.outputs:
        where = os.path.join(folder, "system-outputs", language_pair)
        raise ValueError(f"{where}: expected outputs of systems; got none")
    for file, name in _files(folder, "sources"):
        if name in (f"{language_pair}.txt", f"{language_pair}.jsonl"):
            dataset.sources = _texts(file, "source", dataset.n_segments)
    for file, name in _files(folder, "references"):
        if name.startswith(f"{language_pair}."):
            dataset.references[name.split(".")[-2]] = _texts(file, "target", dataset.n_segments)
    file = os.path.join(folder, "documents", f"{language_pair}.docs")
    if os.path.isfile(file):
        dataset.domains = []
        dataset.documents = []
        for place, line in placed_lines(file):
            words = line.split()
            if len(words) < 2:
                raise ValueError(f"{place}: expected a domain and a document; got {line!r}")
            dataset.domains.append(words[0])
            dataset.documents.append(words[1])
        _check_count(file, len(dataset.documents), dataset.n_segments)
    wanted = None if metrics is None else set(metrics)
    for file, name in _files(folder, "human-scores"):
        pair, _, rest = name.partition(".")
        if pair == language_pair:
            _read_scores(dataset, file, rest, dataset.human, dataset.human_systems)
    for file, name in _files(folder, "metric-scores", language_pair):
        if wanted is None or name.rsplit(".", 2)[0] in wanted:
            _read_scores(dataset, file, name, dataset.metrics, dataset.metric_systems)
    for name in wanted or ():
        if name not in dataset.metrics and name not in dataset.metric_systems:
            raise ValueError(f"metrics: expected names of metrics in {folder}; got {name!r}")
    return dataset


def _files(*parts: str) -> list[tuple[str, str]]:
    """Return the paths and names of the files in a folder, [] if the folder does not exist."""
    folder = os.path.join(*parts)
    if not os.path.isdir(folder):
        return []
    names = [name for name in sorted(os.listdir(folder)) if not name.startswith(".")]
    paths = [(os.path.join(folder, name), name) for name in names]
    return [(path, name) for path, name in paths if os.path.isfile(path)]


def _check_count(file: str, n: int, expected: int) -> None:
    if n != expected:
        raise ValueError(f"{file}: expected {counted(expected, 'segment')}; got {n}")


def _texts(file: str, field: str, n: int | None) -> list[str | None]:
    """Return one text per line, None for one not supplied; check that there are `n`."""
    texts: list[str | None] = []
    for place, line in placed_lines(file):
        text: str | None = line.rstrip()
        if file.endswith(".jsonl"):
            try:
                text = json.loads(line)[field]
            except (ValueError, KeyError, TypeError, RecursionError):
                text = line
            if text is line or not isinstance(text, str | None):
                raise ValueError(f"{place}: expected JSON with a text {field!r}; got {line!r}")
        elif text == NO_TRANSLATION:
            text = None
        texts.append(text)
    if n is not None:
        _check_count(file, len(texts), n)
    return texts


def read_in_order(
    file: str, *, n: int | None = None, known: Container[str] | None = None
) -> SystemScores:
    """Read lines of a system and a score (or None), the segments of each system in order.

    Each system must have `n` scores (default: as many as the first) and be in `known`.
    """
    scores: dict[str, list[float]] = {}
    for place, line in placed_lines(file):
        words = line.split()
        if len(words) != 2:
            raise ValueError(f"{place}: expected a system and a score; got {line!r}")
        if known is not None and words[0] not in known:
            raise ValueError(f"{place}: expected a system that has outputs; got {words[0]!r}")
        scores.setdefault(words[0], []).append(number_of(words[1], place))
    if not scores:
        raise ValueError(f"{file}: expected at least one score; got none")
    wanted = len(next(iter(scores.values()))) if n is None else n
    for system, values in scores.items():
        if len(values) != wanted:
            expected = f"{counted(wanted, 'score')} of system {system!r}"
            raise ValueError(f"{file}: expected {expected}; got {len(values)}")
    return SystemScores._like(np.array(list(scores.values())), tuple(scores), None)


def _read_scores(
    dataset: EvaluationSet,
    file: str,
    name: str,
    of_segments: dict[str, SystemScores],
    of_systems: dict[str, dict[str, float]],
) -> None:
    """Read ``NAME.seg.score`` or ``NAME.sys.score``; skip any other file."""
    scorer, _, level = name.removesuffix(".score").rpartition(".")
    if not name.endswith(".score") or level not in ("seg", "sys") or not scorer:
        return
    n = 1 if level == "sys" else dataset.n_segments
    scores = read_in_order(file, n=n, known=dataset.outputs)
    if level == "seg":
        of_segments[scorer] = scores
    else:
        of_systems[scorer] = dict(zip(scores.systems or (), scores.means().tolist(), strict=True))
