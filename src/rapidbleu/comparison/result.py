"""Results of a comparison: tables, and searches for n-grams and examples."""

from __future__ import annotations

from rapidbleu._core.counting.matches import Beside, NgramMatches
from rapidbleu._lib.checks import Named, check_count
from rapidbleu._lib.floats import DIGITS, SIGNIFICANT
from rapidbleu._lib.loader import load, np
from rapidbleu.comparison.tables import (
    FREQUENCIES,
    RESERVED,
    TITLES,
    bucket_names,
    buckets_of,
    check_name,
    check_pair,
    table_of,
    text_of,
)
from rapidbleu.significance.result import FEW, WIDTH, least_p_value, p_triangle
from rapidbleu.table import Table, column_names, html_sections

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal, TypeAlias

    from rapidbleu._core.text.tokenize import PreparedReferences
    from rapidbleu._types import Array, FloatArray, IntArray
    from rapidbleu.score import Score

    _What: TypeAlias = Literal["match", "over", "under"]
    _Counts: TypeAlias = tuple[Array, dict[int, Array]]  # positions; by system counts of n-grams

WHAT = ("match", "over", "under")
MOST_BITS = 31  # buckets of word frequencies that segments are marked with


class Comparison:
    """Result of `compare`.

    Attributes
    ----------
    systems, metrics : list of str
    columns : dict of str to str
        Column of each metric in tables, an identifier such as ``bleu``. In names of columns,
        systems are identifiers as well.
    n_segments, n_systems, n_tests : int
        Numbers of segments, of compared systems, and of tested pairs under each metric; `systems`
        and `tests` may be only the `top` of these.
    baseline : str or None
        System compared with each other one; None: all pairs.
    pairs : list of (str, str)
        The pairs in `tests`.
    n_resamples, seed, level, correction
        Arguments of `compare`.
    alpha : float
        0.05: systems differ significantly if their corrected p does not exceed this.
    signatures : dict of str to str
        Signatures of the metrics that have one.
    higher_is_better : dict of str to bool
        By metric.
    outputs : dict of str to list of segments
        Outputs by system.
    references : list of lists of segments
        References of each segment; the first one determines length and words.
    sources, labels : list of str or None
        Source and label of each segment.
    segment_scores : dict of str to dict of str to float64 array of shape (n_segments,)
        By metric and system.
    corpus_scores : dict of str to dict of str to Score
        By metric and system.
    resampled : dict of str to dict of str to ResampledScore
        Scores, intervals and resampled scores by metric and system.
    scores : Table
        A row for each system: ``system``; ``bleu``, ``bleu_low``, ``bleu_high``, and likewise for
        each metric; ``words``, ``length_ratio``.
    ranks : Table
        A row for each system: ``system``; ``bleu_best``, ``bleu_worst``, and likewise for each
        metric: 1 + the number of significantly better systems, and `n_systems` minus the number of
        significantly worse ones. No rows unless all pairs were tested.
    tests : Table
        A row for each metric and pair: ``metric``, ``a``, ``b``, ``difference`` (b minus a) with
        its interval ``low``, ``high``, ``p_value``, ``p_corrected``, ``identical``: "outputs",
        "statistics" or None.
    buckets : dict of str to Table
        By "label", "length", "length_difference", and "bleu_score", and likewise for each metric. A
        row for each bucket and system: ``bucket``, ``system``, ``segments``, and their score under
        each metric, NaN for none.
    words : Table
        A row for each bucket of frequencies and system: ``bucket``, ``system``,
        ``reference_words``, ``output_words``, ``right``, ``found``, ``precision``, ``recall``,
        ``f`` (F1).
    segments : Table
        A row for each segment: ``segment`` (index), ``label``, ``length``; for a system A
        ``length_a`` and ``bleu_a``, and likewise for each system and metric.

    Examples
    --------
    >>> from rapidbleu import compare
    >>> outputs = {"A": ["The cat sat on a mat.", "It rained."], "B": ["A cat.", "It was raining."]}
    >>> found = compare(outputs, [["The cat sat on the mat.", "It was raining."]])
    >>> found.systems, found.metrics
    (['A', 'B'], ['BLEU', 'chrF2'])
    >>> found.examples("B", "A", "chrF2", 1)["output_a"]
    ['It was raining.']
    """

    systems: list[str]
    metrics: list[str]
    columns: dict[str, str]
    n_segments: int
    n_systems: int
    n_tests: int
    baseline: str | None
    pairs: list[tuple[str, str]]
    n_resamples: int
    seed: int | None
    level: float
    correction: str
    alpha: float = SIGNIFICANT
    signatures: dict[str, str]
    higher_is_better: dict[str, bool]
    outputs: dict[str, list[Any]]
    references: list[list[Any]]
    sources: list[str] | None
    labels: list[str] | None
    segment_scores: dict[str, dict[str, FloatArray]]
    corpus_scores: dict[str, dict[str, Score]]
    resampled: dict[str, dict[str, Any]]
    scores: Table
    ranks: Table
    tests: Table
    buckets: dict[str, Table]
    words: Table
    segments: Table

    def __init__(self, words: Words, /, **attributes: Any) -> None:
        self._words = words
        for name, value in attributes.items():
            vars(self)[name] = Named(value) if isinstance(value, dict) else value
        self._mark_tests()

    def _mark_tests(self) -> None:
        """Mark bounds of p-values and, for LaTeX, differences that are significant."""
        corrected = least_p_value(self.n_resamples, self.n_tests, self.correction)
        self.tests._least = {"p_value": least_p_value(self.n_resamples), "p_corrected": corrected}
        how = "" if self.correction == "none" else f", corrected ({self.correction})"
        self.tests._star("p_corrected", how, self.alpha)
        self.scores._note = f"{self.tests._note}, compared with {self.baseline}"
        for i in self.tests._starred["p_corrected"] if self.baseline is not None else ():
            column = self.columns[self.tests["metric"][i]]
            row = self.systems.index(self.tests["b"][i])
            self.scores._starred.setdefault(column, set()).add(row)

    def show(self, *, height: int = 640) -> None:
        """Show the report of `rapidbleu.comparison.report` in a notebook, below the cell.

        The notebook stores it with all texts. It loads nothing and cannot access the notebook.

        Parameters
        ----------
        height : int
            In pixels.

        Raises
        ------
        ImportError
            If IPython or Jinja2 (extra ``report``) is missing.
        """
        check_count("height", height, 1)
        try:
            display = load("IPython.display", "display")
        except ImportError:
            message = "show() needs a notebook; rapidbleu.comparison.report.write_report a file"
            raise ImportError(message) from None
        render = load(f"{__package__}.report", "render_report")  # its module imports this one
        # Links to sections must stay in the frame.
        page = render(self).replace("<head>", '<head><base href="about:srcdoc">', 1)
        frame = (
            '<iframe title="Comparison of systems" sandbox="allow-scripts allow-downloads" '
            f'style="width: 100%; height: {height}px; border: 1px solid #8884; border-radius: 6px" '
            f'srcdoc="{load("html", "escape")(page)}"></iframe>'
        )
        display({"text/html": frame, "text/plain": repr(self)}, raw=True)

    def ngrams(
        self,
        a: str,
        b: str,
        n: int = 50,
        what: _What = "match",
        *,
        min_ngram_order: int = 1,
        max_ngram_order: int = 4,
        alpha: float = 1.0,
    ) -> Table:
        """Find n-grams that one system has more often than another, most characteristic first.

        Parameters
        ----------
        a, b : str
            Systems; `a` has the n-grams more often.
        n : int
            Maximum number of rows.
        what : {"match", "over", "under"}
            What to count in segments: n-grams of the output that a reference contains, at most as
            often as one of them does; the remaining n-grams of the output; or n-grams of the first
            reference that the output lacks.
        min_ngram_order, max_ngram_order : int
            Number of words in an n-gram.
        alpha : float
            Smoothing; higher values prefer frequent n-grams.

        Returns
        -------
        Table
            ``ngram``, ``order``, ``share``, ``a``, ``b``: the counts, and their ratio ``(a + alpha)
            / (a + b + 2 * alpha)``, in descending order. Ties are ordered by frequency, then by
            length, both descending, then by position in the texts.

        Raises
        ------
        TypeError, ValueError
            If an argument is wrong.

        Examples
        --------
        >>> from rapidbleu import compare
        >>> outputs = {"A": ["a rose is red", "a rose"], "B": ["one rose is red", "some rose"]}
        >>> found = compare(outputs, [["a rose is red", "a rose"]])
        >>> print(found.ngrams("A", "B", 3).format("csv"), end="")
        ngram,order,share,a,b
        a rose,2,0.75,2,0
        a,1,0.75,2,0
        a rose is red,4,0.6666666666666666,1,0
        """
        i, j = self._pair(a, b)
        check_count("n", n, 1)
        check_name("what", what, WHAT)
        least = check_count("min_ngram_order", min_ngram_order, 1)
        most = check_count("max_ngram_order", max_ngram_order, least)
        if isinstance(alpha, bool) or not hasattr(alpha, "__float__"):
            raise TypeError(f"alpha: expected a number; got {type(alpha).__name__}")
        if not 0 < alpha < float("inf"):
            raise ValueError(f"alpha: expected a number above 0; got {alpha}")
        return self._words.characteristic(i, j, n, what, range(least, most + 1), float(alpha))

    def examples(self, a: str, b: str, metric: str | None = None, n: int = 10) -> Table:
        """Find the segments in which one system is better than another by the largest margin.

        Parameters
        ----------
        a, b : str
            Systems; `a` is better.
        metric : str, optional
            Default: the first one.
        n : int
            Maximum number of rows. Segments with equal outputs and reference appear once.

        Returns
        -------
        Table
            ``segment`` (index), ``difference``, ``score_a``, ``score_b``, ``output_a``,
            ``output_b``, ``reference`` (the first), and ``source`` if there are sources.
        """
        self._pair(a, b)
        check_count("n", n, 1)
        metric = self.metrics[0] if metric is None else metric
        check_name("metric", metric, self.metrics)
        of_a = self.segment_scores[metric][a]
        of_b = self.segment_scores[metric][b]
        gaps = of_a - of_b
        gains = gaps if self.higher_is_better[metric] else -gaps
        chosen: dict[tuple[str, ...], int] = {}  # the first segment by outputs and reference
        for i in np.argsort(-gains, kind="stable").tolist():
            if len(chosen) == n or not gains[i] > 0:
                break
            texts = self.outputs[a][i], self.outputs[b][i], self.references[i][0]
            chosen.setdefault(tuple(map(text_of, texts)), i)
        segments = list(chosen.values())
        columns: dict[str, Any] = {
            "segment": np.array(segments, np.int64),
            "difference": gaps[segments],
            "score_a": of_a[segments],
            "score_b": of_b[segments],
        }
        for k, name in enumerate(("output_a", "output_b", "reference")):
            columns[name] = [texts[k] for texts in chosen]
        if self.sources is not None:
            columns["source"] = [self.sources[i] for i in segments]
        fine = self.scores._digits[self.columns[metric]] > DIGITS
        return table_of(columns, fine=("difference", "score_a", "score_b") if fine else ())

    def side_by_side(self, buckets: str, what: str) -> Table:
        """Return one column of a table of buckets, with a column for each system.

        Parameters
        ----------
        buckets : str
            One of `buckets`, or "words".
        what : str
            A metric or "segments"; for words "precision", "recall", "f", or a number of words.

        Returns
        -------
        Table
            ``bucket``, the number of segments or words if all systems agree, and a column for each
            system.
        """
        tables = {**self.buckets, "words": self.words}
        check_name("buckets", buckets, list(tables))
        table = tables[buckets]
        n = len(self.systems)
        metrics = {} if buckets == "words" else self.columns
        check_name("what", what, [*table.names[2 : len(table.names) - len(metrics)], *metrics])
        column = metrics.get(what, what)
        columns = {"bucket": table["bucket"][::n]}
        size = "segments" if "segments" in table.names else "reference_words"
        sizes = table[size].reshape(-1, n)  # a column for each system
        if what != size and (sizes == sizes[:, :1]).all():
            columns[size] = sizes[:, 0]
        titles = {name: TITLES[name] for name in columns if name in TITLES}
        names = column_names(self.systems, RESERVED)
        columns |= zip(names, table[column].reshape(-1, n).T, strict=True)
        titles |= zip(names, self.systems, strict=True)
        return Table(columns, dict.fromkeys(names, table._digits[column]), titles=titles)

    def _p_values(self, metric: str, column: str = "p_corrected") -> FloatArray:
        """Return a column of `tests` for each pair of systems, NaN if it was not tested."""
        numbers = {name: i for i, name in enumerate(self.systems)}
        values = np.full((len(numbers),) * 2, np.nan)
        tests = [self.tests[name] for name in ("metric", "a", "b", column)]
        for tested, a, b, p in zip(*tests, strict=True):
            if tested == metric:
                values[numbers[a], numbers[b]] = p
                values[numbers[b], numbers[a]] = p
        return values

    def _triangles(self, metric: str, width: int = WIDTH) -> list[Table]:
        """Return the tests under a metric as in `p_triangle`."""
        low = self._p_values(metric, "low")
        high = self._p_values(metric, "high")
        after = np.triu(np.ones(low.shape, bool))  # of the pair in the other order
        return p_triangle(
            metric,
            self.systems,
            self.scores[self.columns[metric]],
            self._p_values(metric),
            self.higher_is_better[metric],
            width=width,
            least=self.tests._least["p_corrected"],
            intervals=np.array([np.where(after, low, -high), np.where(after, high, -low)]),
        )

    @property
    def _interval_note(self) -> str:
        """Explain the intervals in `_triangles`."""
        return (
            f"[low, high]: {100 * self.level:g}% interval of how much better the system of the "
            "column is"
        )

    @property
    def _p_is_least(self) -> list[bool]:
        """Whether `p_corrected` is the least that so many resamples can show, by test."""
        least = self.tests._least["p_corrected"]
        return [bool(p <= least and p < 1) for p in self.tests["p_corrected"]]

    def _bound_note(self, option: str = "n_resamples") -> str:
        """Return a note on p-values that are bounds, which the option lowers; "" without any."""
        if not any(self._p_is_least):
            return ""
        return (
            f"≤: no difference has a lower p in {self.n_resamples} resamples; a larger {option} "
            "can show lower ones"
        )

    def _ranked(self) -> Table:
        """Return scores with ranges of ranks, such as "2-4"."""
        columns: dict[str, Any] = {"system": self.ranks["system"]}
        titles: dict[str, str] = {}
        best: dict[str, Literal["max", "min"]] = {}
        ends = [self.ranks[name].tolist() for name in self.ranks.names[1:]]
        for k, (metric, column) in enumerate(self.columns.items()):
            ranges = zip(ends[2 * k], ends[2 * k + 1], strict=True)
            columns[column] = self.scores[column]
            columns[f"{column} rank"] = [f"{a}-{b}" if a < b else str(a) for a, b in ranges]
            titles |= {column: metric, f"{column} rank": "rank"}
            best[column] = "max" if self.higher_is_better[metric] else "min"
        digits = {column: self.scores._digits[column] for column in best}
        return Table(columns, digits, best, titles)

    def _pair(self, a: str, b: str) -> tuple[int, int]:
        """Return the indices of two systems."""
        check_pair(a, b, self.systems)
        return self.systems.index(a), self.systems.index(b)

    def to_dict(self) -> dict[str, Any]:
        """Return tables and options as dicts, lists, numbers and strings, without the texts.

        Returns
        -------
        dict
            Attributes by name, with tables as in `Table.to_dict`. Metrics are dicts with ``name``,
            ``column``, ``signature`` and ``higher_is_better``. `tests` contains ``p_is_least`` as
            well: whether ``p_corrected`` is the least that `n_resamples` can show, thus a bound.
        """
        metrics = [
            {
                "name": metric,
                "column": column,
                "signature": self.signatures.get(metric),
                "higher_is_better": self.higher_is_better[metric],
            }
            for metric, column in self.columns.items()
        ]
        options = (
            "n_segments",
            "n_systems",
            "n_tests",
            "baseline",
            "n_resamples",
            "seed",
            "level",
            "correction",
            "alpha",
        )
        data = {
            "systems": self.systems,
            "metrics": metrics,
            **{name: getattr(self, name) for name in options},
            "scores": self.scores.to_dict(),
            "ranks": self.ranks.to_dict(),
            "tests": self.tests.to_dict(),
            "words": self.words.to_dict(),
            "buckets": {name: table.to_dict() for name, table in self.buckets.items()},
            "segments": self.segments.to_dict(),
        }
        data["tests"]["p_is_least"] = self._p_is_least
        return data

    @property
    def _tested(self) -> str:
        """Return which pairs were tested, for titles."""
        if len(self.ranks):
            return "all pairs"
        return "pairs" if self.baseline is None else f"pairs with {self.baseline}"

    @property
    def _heading(self) -> str:
        return (
            f"{plural(len(self.systems), 'system')}, {plural(self.n_segments, 'segment')}; "
            f"{plural(self.n_resamples, 'resample')}, seed {self.seed}, "
            f"{100 * self.level:g}% intervals"
        )

    def __repr__(self) -> str:
        lines = [self._heading, self.scores.format()]
        if len(self.ranks):
            lines += [f"\nranks, p <= {self.alpha}", self._ranked().format()]
        if len(self.tests):
            lines += [f"\npaired bootstrap, correction: {self.correction}", repr(self.tests)]
            lines += [self._bound_note()] * any(self._p_is_least)
        lines += ["\nwords by their frequency in the references", self.words.format()]
        return "\n".join([*lines, f"\nbuckets: {', '.join(self.buckets)}"])

    def _repr_html_(self) -> str:
        tests = f"Paired bootstrap, correction: {self.correction}"
        notes = [self._bound_note()] * any(self._p_is_least)
        sections = [("Scores", self.scores)]
        if len(self.ranks):
            sections.append((f"Ranks, p <= {self.alpha}", self._ranked()))
        if len(self.ranks) <= FEW:
            sections.append((tests, self.tests))
        else:
            notes.append(self._interval_note)
            for metric in self.metrics:
                [triangle] = self._triangles(metric, 1 << 30)  # notebooks scroll
                sections.append((f"{metric}: {tests}", triangle))
        words = "F1 of words by their frequency in the references"
        signed = {"metric": [*self.signatures], "signature": [*self.signatures.values()]}
        sections += [(words, self.side_by_side("words", "f")), ("Signatures", Table(signed))]
        return html_sections(". ".join([self._heading, *notes]), sections)


def plural(n: int, what: str) -> str:
    return f"{n} {what}{'s' * (n != 1)}"


class Words:
    """Words of references and outputs, as numbers.

    `texts` contains the references of each segment, and after them the outputs of the systems.
    `reference_lengths` counts the words of first references, and `lengths`, by system, the words of
    outputs.
    """

    def __init__(self, texts: PreparedReferences, names: list[str]) -> None:
        self._names = names
        self._beside = Beside(texts, len(names))
        self._known: dict[str, list[_Counts]] = {}

        def lengths(system: int) -> IntArray:
            lengths = np.empty(len(texts), np.int64)
            self._beside.write_lengths(system, lengths)
            return lengths

        self.reference_lengths = lengths(-1)
        self.lengths = {name: lengths(i) for i, name in enumerate(names)}

    def by_frequency(self, cutoffs: list[float] | None) -> Table:
        """Return a row for each bucket of frequencies and system.

        `cutoffs` are frequencies in the first references; by default compare-mt's.
        """
        ends = FREQUENCIES if cutoffs is None else cutoffs
        names = bucket_names(ends, True)
        systems = range(len(self._names))
        matches = NgramMatches(self._beside, systems, True)
        n = matches.n_ngrams + 1
        frequencies = np.empty(n, np.int32)
        counts = np.empty(n, np.int32)
        self._beside.count_words(frequencies)
        bucket = buckets_of(frequencies, ends)
        marked = (bucket > 0) & (bucket <= MOST_BITS)
        self._bits = np.where(marked, 1 << (bucket - 1) * marked, 0).astype(np.int32)

        def summed(weights: Array) -> IntArray:
            # Sums of floats are exact here; item 0, which represents no word, is 0.
            return np.bincount(bucket.astype(np.intp), weights, len(names)).astype(np.int64)

        expected = np.array([summed(frequencies)] * len(self._names))
        by_kind = []
        for what in WHAT:
            sums = []
            for i in systems:
                matches.count(what, i, counts)
                sums.append(summed(counts))
            by_kind.append(np.array(sums))
        right, wrong, missing = by_kind
        found = expected - missing
        with np.errstate(invalid="ignore"):
            precision = right / (right + wrong)
            recall = found / expected
            both = 2 * precision * recall / (precision + recall)
        nothing = (right == 0) | (found == 0)
        some = right + wrong + expected > 0
        columns = {
            "reference_words": expected,
            "output_words": right + wrong,
            "right": right,
            "found": found,
            "precision": precision,
            "recall": recall,
            "f": np.where(nothing, np.where(some, 0.0, np.nan), both),
        }
        table = {
            "bucket": [name for name in names for _ in systems],
            "system": self._names * len(names),
        }
        return table_of(table | {name: column.T.ravel() for name, column in columns.items()})

    def frequency_bits(self) -> Array:
        """Return a bit for each bucket but the first with words of the segment, by segment."""
        marks = np.empty(len(self.reference_lengths), np.int32)
        self._beside.mark_segments(self._bits, marks)
        return marks

    def characteristic(
        self, a: int, b: int, n: int, what: _What, orders: range, alpha: float
    ) -> Table:
        """Return n-grams that one system has more often than another, most characteristic first."""
        blocks = []
        counts = self._counts(what, a, b, orders.stop - 1)
        for order in orders:
            places, of_a, of_b = counts[order - 1]
            more = np.flatnonzero(of_a > of_b)
            n_a = of_a[more].astype(np.int64)
            n_b = of_b[more].astype(np.int64)
            share = (n_a + alpha) / (n_a + n_b + 2 * alpha)
            blocks.append((share, n_a, n_b, np.full(len(more), order), places[more]))
        share, n_a, n_b, order_of, begins = (
            np.concatenate(parts) for parts in zip(*blocks, strict=True)
        )
        likely = np.arange(len(share))  # sorting these is enough
        if len(share) > n:
            likely = np.flatnonzero(share >= np.partition(share, -n)[-n])
        keys = (begins, -order_of, -n_a, -share)  # the last one first
        best = likely[np.lexsort([key[likely] for key in keys])[:n]]
        ngrams = zip(begins[best].tolist(), order_of[best].tolist(), strict=True)
        return table_of(
            {
                "ngram": [self._beside.text_at(begin, order) for begin, order in ngrams],
                "order": order_of[best],
                "share": share[best],
                "a": n_a[best],
                "b": n_b[best],
            }
        )

    def _counts(
        self, what: _What, a: int, b: int, max_order: int
    ) -> list[tuple[Array, Array, Array]]:
        """Return positions of n-grams and their counts in two systems, by order.

        N-grams of references are counted once for all systems and cached. The far more numerous
        n-grams of outputs alone are counted for these two systems.
        """
        if what == "over":
            known = self._count(what, [a, b], max_order)
        else:
            if len(self._known.get(what, ())) < max_order:
                self._known[what] = self._count(what, list(range(len(self._names))), max_order)
            known = self._known[what]
        return [(places, counts[a], counts[b]) for places, counts in known[:max_order]]

    def _count(self, what: _What, systems: list[int], max_order: int) -> list[_Counts]:
        matches = NgramMatches(self._beside, systems, what == "over")
        known = []
        for order in range(1, max_order + 1):
            if order > 1:
                matches.lengthen()
            n = matches.n_ngrams + 1
            begins = np.empty(n, np.int32)
            matches.write_places(begins)
            counts = {system: np.empty(n, np.int32) for system in systems}
            for system, column in counts.items():
                matches.count(what, system, column)
                column[0] = 0
            known.append((begins, counts))
        return known
