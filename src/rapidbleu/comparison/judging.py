"""Systems under metrics: rows of statistics, scores with intervals, tests of all pairs."""

from rapidbleu.comparison.columns import score_columns, table_of
from rapidbleu.floats import DIGITS, digits_of
from rapidbleu.metrics.contract.base import Metric
from rapidbleu.significance import ResampledScore, bootstrap, corrected, paired_bootstrap
from rapidbleu.significance.systems import Systems, compared_pairs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rapidbleu.comparison.inputs import CheckedTexts
    from rapidbleu.metrics.mean import MeanScore
    from rapidbleu.scoring import RowScoring
    from rapidbleu.table import Table
    from rapidbleu.typing import FloatArray, IntArray, Progress

TESTS = ("metric", "a", "b", "difference", "low", "high", "p", "corrected p", "identical")


class Judged:
    """Scores of systems under metrics.

    Attributes
    ----------
    names : list of str
        Of the systems.
    metrics : dict of str to metric
    rows : dict of str to list of int64 arrays of shape (n_segments, n_stats)
        For each metric, those of the systems.
    corpus_scores : dict of str to dict of str to Score
    segment_scores : dict of str to dict of str to float64 array of shape (n_segments,)
        Both by metric and system.
    higher_is_better : dict of str to bool
    fine : list of str
        Metrics whose scores are within [-1, 1], and need more digits.
    """

    def __init__(
        self,
        texts: "CheckedTexts",
        metrics: "dict[str, RowScoring]",
        external: "dict[str, tuple[MeanScore, list[IntArray]]]",
        threads: int,
    ) -> None:
        # Lists of one reference are a stream, which costs metrics less than segments do.
        if all(len(several) == 1 for several in texts.references):
            references: Any = [[reference for (reference,) in texts.references]]
            systems = Systems(texts.outputs, references, metrics, "stream", threads, least=1)
        else:
            systems = Systems(
                texts.outputs, texts.references, metrics, "segment", threads, least=1
            )
        self.names = systems.names
        self.metrics: dict[str, RowScoring] = systems.metrics
        self.rows: dict[str, list[IntArray]] = systems.rows
        for name, (metric, rows) in external.items():
            self.metrics[name], self.rows[name] = metric, rows
        self.signatures = {
            name: str(metric.get_signature())
            for name, metric in self.metrics.items()
            if isinstance(metric, Metric)
        }
        self.higher_is_better = {
            name: metric.higher_is_better for name, metric in self.metrics.items()
        }
        self.corpus_scores = {
            metric: {
                system: self.metrics[metric].score(own)
                for system, own in zip(self.names, rows, strict=True)
            }
            for metric, rows in self.rows.items()
        }
        self.fine = [
            metric for metric, by_system in self.corpus_scores.items()
            if digits_of(map(float, by_system.values())) > DIGITS
        ]  # fmt: skip
        self.segment_scores: dict[str, dict[str, FloatArray]] = {
            metric: {
                system: self.metrics[metric].score_rows(own)
                for system, own in zip(self.names, rows, strict=True)
            }
            for metric, rows in self.rows.items()
        }

    def resample(
        self,
        baseline: "int | None",
        n: int,
        seed: "int | None",
        level: float,
        threads: int,
        progress: "Progress | None",
    ) -> "Resampled":
        """Return scores with intervals, and what the paired bootstrap says of pairs."""
        options: Any = {"n": n, "seed": seed, "level": level, "threads": threads}
        options["progress"] = progress
        if len(self.names) == 1:
            [system] = self.names
            return Resampled({
                name: {system: bootstrap(metric, self.rows[name][0], **options)}
                for name, metric in self.metrics.items()
            }, {})  # fmt: skip
        by_system = {
            system: {name: rows[i] for name, rows in self.rows.items()}
            for i, system in enumerate(self.names)
        }
        found = paired_bootstrap(by_system, None, self.metrics, baseline=baseline, **options)
        pairs = compared_pairs(len(self.names), baseline)
        p_values = {
            name: {(i, j): float(found.p_values[name][i, j]) for i, j in pairs}
            for name in self.metrics
        }
        return Resampled({name: found[name] for name in self.metrics}, p_values)


class Resampled:
    """Scores with their resamples, and p-values of pairs.

    Attributes
    ----------
    scores : dict of str to dict of str to ResampledScore
        By metric and system.
    p_values : dict of str to dict of (int, int) to float
        By metric and the numbers of two systems.
    """

    def __init__(
        self,
        scores: "dict[str, dict[str, ResampledScore]]",
        p_values: "dict[str, dict[tuple[int, int], float]]",
    ) -> None:
        self.scores = scores
        self.p_values = p_values

    def score_table(
        self, lengths: "dict[str, int]", reference_length: int, judged: Judged
    ) -> "Table":
        """Return a row for each system: its scores, their intervals, its words."""
        from math import nan

        numbers: list[Any] = []
        for own in self.scores.values():
            rows = [(each.score, *(each.interval or ())) for each in own.values()]
            numbers += zip(*rows, strict=True)
        words = list(lengths.values())
        ratios = [n / reference_length if reference_length else nan for n in words]
        columns = [
            ("system", list(lengths)),
            *zip(score_columns(list(self.scores)), numbers, strict=True),
            ("words", words), ("length ratio", ratios),
        ]  # fmt: skip
        return table_of(columns, judged.higher_is_better, score_columns(judged.fine))

    def test_table(self, judged: Judged, texts: "CheckedTexts", correction: str) -> "Table":
        """Return a row for each metric and pair."""
        rows: list[tuple[Any, ...]] = []
        for metric, by_pair in self.p_values.items():
            fixed = corrected(list(by_pair.values()), correction)
            for ((i, j), p), p_corrected in zip(by_pair.items(), fixed, strict=True):
                a, b = judged.names[i], judged.names[j]
                one, other = self.scores[metric][a], self.scores[metric][b]
                samples: Any = other.samples - one.samples  # type: ignore[operator]
                gap = ResampledScore(metric, other.score - one.score, samples, one.level)
                same = None
                if (judged.rows[metric][i] == judged.rows[metric][j]).all():
                    same = "outputs" if texts.outputs[a] == texts.outputs[b] else "statistics"
                rows.append((metric, a, b, gap.score, *(gap.interval or ()), p, p_corrected, same))
        columns = zip(TESTS, zip(*rows, strict=True) if rows else [[]] * 9, strict=True)
        return table_of(columns, fine=("difference", "low", "high") if judged.fine else ())
