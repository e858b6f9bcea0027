"""Output of the scoring command: lines, JSON and tables, in the forms of ``-f``.

JSON scores are objects with name, number and signature, in a list if there are several, and with
the system's name if there are several systems. In CSV and TSV each number has its own column, with
as many digits as in text; p-values have four. Text is sacrebleu's table of systems or of pairs,
followed by notes and signatures, which are comments in LaTeX.
"""

from __future__ import annotations

import re

from rapidbleu._lib.colors import leave_plain, paint
from rapidbleu._lib.floats import SIGNIFICANT, digits_of, exact_mean, p_text
from rapidbleu._lib.loader import load
from rapidbleu.cli.files import Corpus, count_segments
from rapidbleu.cli.messages import Bar, progress_bar, terminal_width, use_color
from rapidbleu.cli.metrics import titles_of
from rapidbleu.table import (
    SEPARATORS,
    column_names,
    comments,
    escaped,
    fancy_grid,
    json_list,
    latex_table,
    write_table,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterable
    from typing import Any, TextIO, TypeAlias

    from rapidbleu._types import IntArray
    from rapidbleu.score import Score
    from rapidbleu.table import Table

    _Column: TypeAlias = tuple[str, list[str]]  # header and cells
    # A system, its group scores under a metric, the overall score, and the signature.
    _Grouped: TypeAlias = tuple[str, list[float], Any, str]
    _Result: TypeAlias = dict[str, Any]
    _Paint: TypeAlias = Callable[[str, str], str]

# Numbers of results, in the order of columns in CSV and TSV
NUMBERS = (
    "score",
    "difference",
    "mean",
    "low",
    "high",
    "p_value",
    "p_corrected",
    "identical",
)
WIDTH = 1  # decimals, as in sacrebleu
NOTE_WIDTH = 97  # characters per line of a note


class Job:
    """Systems with texts or rows of statistics, their metrics, and the form of results.

    `also` are entries of all signatures.
    """

    def __init__(
        self,
        metrics: dict[str, Any],
        corpus: Corpus,
        also: dict[str, str],
        args: Namespace,
        out: TextIO,
    ) -> None:
        self.metrics = metrics
        if not args.paired:  # tests have metrics in the order of the options
            computed = sorted(metrics.keys() - corpus.given.keys())
            self.metrics = {name: metrics[name] for name in computed} | metrics
        self.corpus = corpus
        self.names = [system.name for system in corpus.systems]
        self.also = also
        self.args = args
        self.format: str = args.format
        self.score_only: bool = args.score_only
        self.color = args.format == "text" and use_color(out, args.no_color)
        self.paint = paint if self.color else leave_plain
        self.out = out
        # Names of metrics in results, and in CSV and TSV
        self.titles: dict[str, str] = {}
        self.columns: dict[str, str] = {}
        several = len({type(metric) for metric in metrics.values()}) < len(metrics)
        if several or args.paired or args.format in (*SEPARATORS, "markdown"):
            self.titles = titles_of(metrics)
            names = column_names(metrics, taken=("system", "segment", "a", "b"))
            self.columns = dict(zip(self.titles.values(), names, strict=True))
        # Decimals, of which external scores may need more
        self.width = WIDTH if args.width is None else args.width
        self.digits: dict[str, int] = {}
        for name, rows_of in corpus.given.items() if args.scores and args.width is None else ():
            scores = [metrics[name].score(rows).score for rows in rows_of]
            self.digits[name] = digits_of(scores, WIDTH)

    def rows(self, name: str) -> list[IntArray]:
        """Return the rows of statistics of each system under a metric."""
        if name in self.corpus.given:
            return self.corpus.given[name]
        return self.of_systems("segment_stats", name)

    def of_systems(self, method: str, name: str) -> list[Any]:
        """Call a metric's method for each system; they share references, tokenized once."""
        metric = self.metrics[name]
        n_systems = len(self.names)
        references: Any = self.corpus.references or None  # None if in the table of systems
        results = []
        with self.bar(name) as bar:
            if n_systems > 1 and references:
                references = metric.prepare(references)
            for system in self.corpus.systems:
                progress = bar and bar.part(n_systems)
                results.append(
                    getattr(metric, method)(
                        system.segments, references, threads=self.args.threads, progress=progress
                    )
                )
        return results

    def bar(self, name: str) -> Bar:
        """Return a bar for the segments of all systems."""

        def count() -> int:
            n = self.corpus.n_segments or count_segments(self.args)
            return n * len(self.names)

        return progress_bar(name, count, self.args.quiet)

    def named(self, score: Score, metric: str) -> Score:
        """Return a score under its name in results."""
        return score._renamed(self.titles[metric]) if metric in self.titles else score

    def width_of(self, metric: str) -> int:
        """Return the number of decimals of a metric's scores."""
        return self.digits.get(metric, self.width)

    def column(self, system: str, metric: str, numbers: Iterable[float]) -> _Column:
        """Return scores under their metric, and under their system if there are several."""
        header = self.columns.get(metric, metric) if self.format in SEPARATORS else metric
        if len(self.names) > 1:
            header = f"{system} {header}"
        width = self.width_of(metric)
        return header, [f"{number:.{width}f}" for number in numbers]

    def signature(self, name: str, **entries: Any) -> str:
        """Return the signature of a metric with more entries; "" if its scores are external.

        JSON never abbreviates its keys.
        """
        metric = self.metrics[name]
        if not hasattr(metric, "get_signature"):
            return ""
        signature = metric.get_signature()
        for key, value in (self.also | entries).items():
            signature.update(key, value)
        return str(signature.format(self.args.short and self.format != "json"))

    def score(self, score: Score, signature: str) -> str:
        width = self.width_of(score.name)
        return score.format(width, self.score_only, signature, self.format == "json")

    def entry(self, score: Score, signature: str) -> dict[str, Any]:
        """Return the JSON object of a score."""
        text = score.format(self.width_of(score.name), signature=signature, is_json=True)
        entry: dict[str, Any] = load("json").loads(text)
        return entry


class Results:
    """The results of systems by metric; the first one is the baseline of a test without pairs.

    A result is an object of JSON. That of a system has ``score`` and, as in sacrebleu, ``p_value``,
    ``mean``, ``ci`` and what is ``identical`` to the baseline's: outputs or statistics. ``low`` and
    ``high`` appear only in CSV and TSV.

    For tests of all pairs, `pairs` contains columns: ``System`` and ``Compared with`` with names,
    and for each metric a list of results with ``difference``, ``p_value``, ``p_corrected``,
    ``p_is_least`` and ``identical``. With more than a few systems, text, Markdown and LaTeX have
    `triangles` instead.
    """

    def __init__(self, names: list[str], test: tuple[str, int] | None = None) -> None:
        self.names = names
        self.test = test  # "bs" or "ar", with the number of resamples or trials
        self.about: _Result = {}  # the test, in JSON of pairs
        self.scores: dict[str, list[Score]] = {}  # without a test
        self.systems: dict[str, list[_Result]] = {}
        self.signatures: dict[str, str] = {}
        self.errors: set[str] = set()  # metrics for which lower is better
        self.pairs: dict[str, list[Any]] | None = None
        self.least = 0.0, 0.0  # p-values of pairs, and corrected ones
        self.triangles: list[Table] = []

    def add(self, scores: list[Score], signature: str, numbers: Iterable[_Result] = ()) -> None:
        """Add the scores of all systems under a metric, with further numbers of each."""
        name = scores[0].name
        self.scores[name] = scores
        self.systems[name] = [{"score": score.score} for score in scores]
        for result, more in zip(self.systems[name], numbers, strict=False):
            result |= more
        self.signatures[name] = signature
        if scores[0]._lower_is_better:
            self.errors.add(name)

    @property
    def labels(self) -> list[str]:
        """Names of the systems in tables."""
        if self.test is None or self.pairs is not None:
            return self.names
        return [f"Baseline: {self.names[0]}", *self.names[1:]]


def as_json(value: Any) -> str:
    """Return JSON formatted like sacrebleu's for several systems."""
    return str(load("json").dumps(value, indent=4, ensure_ascii=False))


def table(columns: Iterable[_Column], form: str, n_names: int, n_kept: int = 0) -> str:
    """Return columns as a table without a final line feed, right-aligned except for the first one.

    In CSV and TSV headers are identifiers except for the first `n_kept`.
    """
    headers, cells = zip(*columns, strict=True)
    if form in SEPARATORS:
        kept = headers[:n_kept]
        headers = *kept, *column_names(headers[n_kept:], kept)
    right = [i >= n_names for i in range(len(headers))]
    return write_table(form, [*headers], [*cells], right).removesuffix("\n")


def corpus_scores(job: Job) -> Results:
    """Return the scores of all systems and metrics."""
    results = Results(job.names)
    for name, metric in job.metrics.items():
        if name in job.corpus.given:
            scores = list(map(metric.score, job.corpus.given[name]))
        else:
            scores = job.of_systems("corpus_score", name)
        results.add([job.named(score, name) for score in scores], job.signature(name))
    return results


def written(results: Results, job: Job) -> str:
    """Return results in the requested form: lines for one system, otherwise tables, or JSON."""
    if results.test is None and len(results.names) == 1 and job.format in ("json", "text"):
        texts = []
        for name, [score] in results.scores.items():
            texts.append(job.score(score, results.signatures[name]))
        if job.format == "text":
            return "\n".join(aligned(texts, job.paint))
        return texts[0] if len(texts) == 1 else "".join(json_list(texts)).rstrip("\n")
    if job.format != "json":
        return tables_of(results, job)
    if results.pairs is not None:
        return as_json(pairs_of(results, results.pairs, job))
    entries: list[_Result] = []
    for i, label in enumerate(results.labels):
        if results.test is None:  # the lists of single systems, with names
            for name, scores in results.scores.items():
                entry = job.entry(scores[i], results.signatures[name])
                entries.append({"system": label} | entry)
        else:  # sacrebleu's list, with the signature alongside the numbers
            entries.append({"system": label})
            for name, of_systems in results.systems.items():
                signature = {"signature": results.signatures[name]}
                entries[-1][name] = _without_ends(of_systems[i]) | signature
    return as_json(entries)


def aligned(lines: list[str], paint: _Paint) -> list[str]:
    """Return the scores of one system, aligned at their equals signs if there are several.

    Each line is the formatted score of a metric; intervals become cyan.

    >>> from rapidbleu._lib.colors import leave_plain
    >>> print(*aligned(["BLEU = 26.6 100.0/9.1", "chrF2++ = 52.5"], leave_plain), sep="\\n")
       BLEU = 26.6 100.0/9.1
    chrF2++ = 52.5
    """
    if "μ" in lines[0]:
        interval = re.compile(r"\(μ = -?[0-9.]+ ± [0-9.]+\)")
        lines = [interval.sub(lambda match: paint(match[0], "cyan"), line) for line in lines]
    if len(lines) == 1:
        return lines
    heads = [line.index("=") - 1 for line in lines if "=" in line]
    return [line for line in lines if "=" not in line] + [
        f"{line[:head]:>{max(heads)}}{line[head:]}"
        for head, line in zip(heads, lines, strict=False)
    ]


def pairs_of(results: Results, columns: dict[str, list[Any]], job: Job) -> _Result:
    """Return a test of pairs as an object of JSON."""
    systems: list[_Result] = [{"system": name} for name in results.names]
    names = zip(columns["System"], columns["Compared with"], strict=True)
    pairs: list[_Result] = [{"a": a, "b": b} for a, b in names]
    for name, of_systems in results.systems.items():
        for entry, result in zip([*systems, *pairs], of_systems + columns[name], strict=True):
            known = {key: value for key, value in result.items() if value is not None}
            entry[job.columns[name]] = _without_ends(known)
    signatures = {job.columns[name]: text for name, text in results.signatures.items()}
    return results.about | {"signatures": signatures, "systems": systems, "pairs": pairs}


def _without_ends(result: _Result) -> _Result:
    return {key: value for key, value in result.items() if key not in ("low", "high")}


def tables_of(results: Results, job: Job) -> str:
    """Return a table of systems, and one of pairs if any, in any form except JSON."""
    form: Any = job.format
    if form in SEPARATORS:
        return _as_columns(results, job)
    # Tables, with triangles instead of pairs for many systems
    blocks = [_drawn({"System": results.labels, **results.systems}, 1, results, job)]
    if results.pairs and not results.triangles:
        blocks.append(_drawn(results.pairs, 2, results, job))
    blocks += [triangle.format(form) for triangle in results.triangles]
    if job.score_only and form != "text":
        return "\n\n".join(blocks)
    # Notes on the test, and signatures
    title = ""
    notes: list[str] = []
    label = results.labels[0]
    if results.test is not None:
        title = title_of_test(*results.test)
        notes = notes_of(results, escaped(label) if form == "markdown" else label, job.color)
    signatures = {name: text for name, text in results.signatures.items() if text}
    if form == "latex":
        lines = [title, *notes] if notes else []
        lines += [f"{name}: {text}" for name, text in signatures.items()]
        return "\n\n".join(blocks) + f"\n{comments(lines)}".rstrip()
    if form == "markdown":
        if notes:
            blocks += [f"**{title}**", "\n".join([f"- {note}" for note in notes])]
        if signatures:
            lines = [f"- {escaped(name)}: `{text}`" for name, text in signatures.items()]
            blocks += ["**Metric signatures**", "\n".join(lines)]
        return "\n\n".join(blocks)
    if notes:
        width = min(NOTE_WIDTH, (terminal_width(job.out) or 100) - 3)
        lines = [line for note in notes for line in note_lines(note, label, job.paint, width)]
        blocks.append(_framed(title, lines))
    lines = [f" - {name:<10} {text}" for name, text in signatures.items()]
    return "\n\n".join([*blocks, _framed("Metric signatures", lines)])


def _as_columns(results: Results, job: Job) -> str:
    """Return the numbers of systems or pairs in CSV or TSV."""
    names = {"System": "system", **job.columns}
    if results.pairs:
        names |= {"System": "a", "Compared with": "b"}
    columns: list[_Column] = []
    shown = results.pairs or {"System": results.names, **results.systems}
    for name, column in shown.items():
        if isinstance(column[0], str):
            columns.append((names[name], column))
            continue
        for key in NUMBERS:
            values = [result.get(key) for result in column]
            is_known = any(value is not None for value in values)
            if is_known or (results.test and key == "identical"):
                ending = "" if key == "score" else f"_{key}"
                cells = [_number(key, value, job.width_of(name)) for value in values]
                columns.append((names[name] + ending, cells))
    for name, text in results.signatures.items():
        if text and not job.score_only:
            columns.append((f"{names[name]}_signature", [text] * len(columns[0][1])))
    return table(columns, job.format, 0)


def _number(key: str, value: Any, width: int) -> str:
    """Return the cell of CSV and TSV for a number, a p-value, or what is identical."""
    if value is None or key == "identical":
        return value or ""
    if key.startswith("p_"):
        return f"{value:.4f}"
    return f"{value:z.{width}f}" if key == "difference" else f"{value:.{width}f}"


def _drawn(columns: dict[str, list[Any]], n_names: int, results: Results, job: Job) -> str:
    """Return a table of results as text, in Markdown, or in LaTeX with bold best scores.

    The first `n_names` columns are names. Text has sacrebleu's rules, and a colored baseline.
    """
    is_text = job.format == "text"
    cells = score_cells(columns, job.width_of, is_text, job.paint, results.least)
    if is_text:
        if results.labels != results.names:
            for column in cells.values():
                column[0] = job.paint(column[0], "yellow")
        headers = [job.paint(name, "cyan") for name in cells]
        return fancy_grid(headers, list(cells.values()), terminal_width(job.out))
    if job.format == "markdown":
        return table(cells.items(), "markdown", n_names)
    bold: list[set[int]] = [set()] * n_names
    right = [False] * n_names
    for name, of_systems in results.systems.items():
        is_pair = n_names > 1
        scores = [result["score"] for result in of_systems]
        best = min(scores) if name in results.errors else max(scores)
        is_best = {i for i, score in enumerate(scores) if score == best and len(scores) > 1}
        bold.append(set() if is_pair else is_best)
        # Scores alone are numbers. With intervals and p-values they are text
        last = of_systems[-1]
        right.append(not is_pair and last.get("mean") is None and last.get("p_value") is None)
    return latex_table([*cells], [*cells.values()], right, bold)


def _framed(title: str, lines: list[str]) -> str:
    """Return lines under a title between rules."""
    rule = "-" * len(title)
    return "\n".join([rule, title, rule, *lines])


def score_cells(
    columns: dict[str, list[Any]],
    width: Callable[[str], int],
    multiline: bool,
    paint: _Paint,
    least: tuple[float, float] = (0.0, 0.0),
) -> dict[str, list[str]]:
    """Return the columns of a table of names and results, as text.

    With `multiline`, p-values, and whether systems are identical, are on lines of their own.

    >>> result = {"score": 26.6, "p_value": 0.01, "mean": 26.5, "ci": 0.6}
    >>> score_cells({"System": ["a"], "BLEU": [result]}, lambda name: 1, False, leave_plain)
    {'System': ['a'], 'BLEU (μ ± 95% CI)': ['26.6 (26.5 ± 0.6) (p = 0.0100)*']}
    >>> pair = {"difference": 1.5, "p_value": 0.01, "p_corrected": 0.03}
    >>> score_cells({"BLEU": [pair]}, lambda name: 1, False, leave_plain)
    {'BLEU': ['+1.5 (p = 0.0100, Holm 0.0300)*']}
    """
    cells: dict[str, list[str]] = {}
    for name, column in columns.items():
        if isinstance(column[0], str):
            cells[name] = list(column)
            continue
        words = [_words(result, width(name), paint, least) for result in column]
        has_intervals = column[0].get("mean") is not None
        header = f"{name} (μ ± 95% CI)" if has_intervals else name
        cells[header] = [("\n" if multiline else " ").join(line) for line in words]
    return cells


def _words(result: _Result, digits: int, paint: _Paint, least: tuple[float, float]) -> list[str]:
    """Return score or difference, p-value, and what is identical."""
    p_value = result.get("p_value")
    identical = result.get("identical")
    if "difference" in result:
        words = [f"{result['difference']:+z.{digits}f}"]
        single = p_text(result["p_value"], least[0])
        holm = p_text(result["p_corrected"], least[1])
        p = f"(p {single}, Holm {holm})" if single[0] == "≤" else f"(p = {single}, Holm {holm})"
        starred = result["p_corrected"] <= SIGNIFICANT
    else:
        words = [f"{result['score']:.{digits}f}"]
        if result.get("mean") is not None:
            words[0] += f" ({result['mean']:.{digits}f} ± {result['ci']:.{digits}f})"
        if p_value is None:
            return words
        p = f"(p = {p_value:.4f})"
        starred = p_value <= SIGNIFICANT and identical is None
    words.append(f"{p}*" if starred else paint(p, "red"))
    return [*words, f"identical {identical}"] if identical else words


def title_of_test(test: str, n: int) -> str:
    """Return the name of a test, ``"bs"`` or ``"ar"``, with n resamples or trials."""
    if test == "bs":
        return f"Paired bootstrap resampling test with {n} resampling trials"
    return f"Paired approximate randomization test with {n} trials"


def notes_of(results: Results, baseline: str, colors: bool) -> list[str]:
    """Return notes on a test of all pairs, or of systems against this baseline."""
    test, n = results.test or ("bs", 0)
    chance = f"by chance if the systems are equally good: (c + 1) / {n + 1} for c "
    if test == "bs":
        chance += "resamples in which it exceeds the mean of all by"
    else:
        chance += "trials in which it is"
    if results.pairs is not None:
        p = "a corrected p"
        less = "no less" if test == "bs" else "no smaller"
        shown = "the difference is its score less the score of the other"
        holm = "Behind Holm is p"
        if results.triangles:
            holm = "p is"
            shown = (
                "p is in the row of one, under the number of the other. Systems are numbered from "
                "the best by each metric; JSON, CSV and TSV have the differences"
            )
        notes = [
            f"Each system is compared with each other one: {shown}. p estimates how often a "
            f"difference as large as that or larger comes about {chance} {less}. Equal differences "
            "count, so identical systems have p = 1; sacrebleu, which compares with a baseline "
            "only, does not count them.",
            f"{holm} corrected for the {len(results.pairs['System'])} pairs of a metric by "
            "the procedure of Holm (1979).",
        ]
    else:
        p = "p"
        more = "more" if test == "bs" else "larger"
        notes = [
            f"Each system is compared to {baseline}. p estimates how often a difference larger "
            f"than the one seen comes about {chance} {more}. Equal differences do not count."
        ]
    star = f"A star marks {p} <= {SIGNIFICANT}: a difference that is unlikely to be chance."
    notes.append(f"{star} Other values of p are red." if colors and not results.triangles else star)
    if test == "bs":
        notes.append("In parentheses are mean and 95 % interval of the resampled scores.")
    of_systems = [result for column in results.systems.values() for result in column]
    if results.pairs is None and any(result.get("identical") for result in of_systems):
        notes.append(
            "Systems that are identical, at least in the statistics of every segment, cannot "
            "differ by chance: p is the least there is, says nothing, and has no star."
        )
    return notes


def note_lines(note: str, label: str, paint: _Paint, width: int) -> list[str]:
    """Return the lines of a note, with the baseline's label in its color."""
    from textwrap import wrap

    whole = note.replace(label, label.replace(" ", "\xa0"))  # never broken
    lines = wrap(whole, max(width, 20), break_long_words=False, break_on_hyphens=False)
    indented = [f"{'   ' if i else ' - '}{line}" for i, line in enumerate(lines)]
    plain = "\n".join(indented).replace("\xa0", " ").replace(label, paint(label, "yellow"))
    return plain.replace(" are red.", f" are {paint('red', 'red')}.").split("\n")


def grouped(counts: dict[tuple[Any, ...], int], results: list[_Grouped], job: Job) -> str:
    """Return the scores of groups, their mean, and the overall score.

    JSON adds groups and mean to the overall score. Other forms have a row per group, and a column
    per system and metric.
    """
    by = job.args.by
    if job.format == "json":
        entries = []
        for system, scores, whole, signature in results:
            width = job.width_of(whole.name)
            entry: dict[str, Any] = {"system": system} if len(job.names) > 1 else {}
            entry |= job.entry(whole, signature)
            entry["macro"] = round(exact_mean(scores), width)
            entry["groups"] = [
                {
                    "group": dict(zip(by, values, strict=True)),
                    "n_segments": n,
                    "score": round(score, width),
                }
                for (values, n), score in zip(counts.items(), scores, strict=True)
            ]
            entries.append(entry)
        return as_json(entries if len(entries) > 1 else entries[0])
    empty = [None] * (len(by) - 1)
    total = sum(counts.values())
    rows = [[*values, n] for values, n in counts.items()]
    rows += [["(macro)", *empty, total], ["(micro)", *empty, total]]
    columns: list[_Column] = [
        (name, ["" if value is None else str(value) for value in values])
        for name, values in zip([*by, "n_segments"], zip(*rows, strict=True), strict=True)
    ]
    for system, scores, whole, _ in results:
        numbers = [*scores, exact_mean(scores), whole.score]
        columns.append(job.column(system, whole.name, numbers))
    return table(columns, job.format, len(by), n_kept=len(by) + 1)


def segment_table(columns: list[_Column], job: Job) -> str:
    """Return a row per segment, with its number and its scores.

    Text with only scores has neither headers nor numbers.
    """
    if job.format == "text" and job.score_only:
        first_row = [cells[0] for _, cells in columns]
        rest = [cells[1:] for _, cells in columns]
        return write_table("text", first_row, rest, [True] * len(columns))
    first = job.corpus.first + 1
    numbers = [str(first + i) for i in range(len(columns[0][1]))]
    return table([("Segment", numbers), *columns], job.format, 0)


def segment_entry(place: dict[str, Any], score: Score, signature: str, job: Job) -> str:
    """Return the entry of a segment; it is JSON that begins with `place` if there is any."""
    if not place:
        return job.score(score, signature)
    entry = place | job.entry(score, signature)
    if job.score_only:
        entry = {key: entry[key] for key in ("segment", "system", "name", "score")}
    return str(load("json").dumps(entry, indent=1, ensure_ascii=False))
