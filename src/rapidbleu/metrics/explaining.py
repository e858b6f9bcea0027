"""Explanations of segment scores: tokens, matches and edits.

`rapidbleu.explanation` defines the results and their output as text, HTML and data.
"""

from __future__ import annotations

from rapidbleu._core.input.columns import Column, ReferenceColumns
from rapidbleu._lib.checks import items_of
from rapidbleu._lib.loader import load
from rapidbleu.metrics.corpus import row_of
from rapidbleu.metrics.options import MARKS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, TypeAlias

    from rapidbleu._types import Segment, SegmentReferences
    from rapidbleu.explanation.alignment import Alignment, Edit
    from rapidbleu.explanation.explanations import Explanation
    from rapidbleu.explanation.ngrams import NgramOrder
    from rapidbleu.explanation.texts import Texts

    _Trace: TypeAlias = Callable[[array[int], array[int]], tuple[list[tuple[int, int, int]], bytes]]
    _Step: TypeAlias = tuple[str, int | None, int | None]


def explain(metric: Any, hypothesis: Segment, references: SegmentReferences) -> Explanation:
    """Explain the score of a segment: what matched where, and the formula.

    Parameters and errors as in `sentence_score`.

    Returns
    -------
    Explanation
        An `NgramExplanation` for metrics that count n-grams, an `EditExplanation` for TER, HTER,
        WER and CER. ``print`` shows text, a notebook HTML; `to_dict` returns data. Each n-gram
        or edit becomes an object.

    Examples
    --------
    >>> from rapidbleu import CHRF
    >>> explanation = CHRF(char_order=2).explain("the the", ["the cat"])
    >>> [(own.order, own.matches, own.total) for own in explanation.orders]
    [(1, 4, 6), (2, 2, 5)]
    >>> explanation.formula[0]
    'character 1-grams: P = 100 * 4 / 6 = 66.67, R = 100 * 4 / 6 = 66.67'
    """
    load("rapidbleu.explanation.formulas")  # as metrics import it for their formulas
    load("rapidbleu.explanation.explanations")
    from rapidbleu.explanation.explanations import EditExplanation, Explanation, NgramExplanation

    score = metric.sentence_score(hypothesis, references)
    signature = metric.get_signature().format()
    all_references = items_of(references, "references", "references")
    texts = metric._read_texts(hypothesis, all_references)
    row = row_of(metric, hypothesis, all_references)
    if hasattr(metric, "align"):
        alignment: Alignment | None = metric.align(hypothesis, all_references)
        reference = alignment.which if alignment else None
    else:
        alignment = None
        reference = metric._reference_of(hypothesis, all_references, texts, row)
    formula = metric._formula(score, row, reference)
    several = sum(text is not None for text in all_references) > 1
    if several and reference is not None and not (alignment or metric._counts_together):
        formula.insert(0, f"the statistics are those of REF {reference + 1} alone")
    statistics = dict(zip(metric._stat_names(), row, strict=True))
    if alignment is None and reference is not None:
        alignment = _traced(metric, texts[0], reference)
    about = score, signature, texts, statistics, formula, reference
    if alignment is not None:
        return EditExplanation(alignment, *about)
    orders = metric._match_orders(texts, reference)
    return NgramExplanation(tuple(orders), *about) if orders else Explanation(*about)


def read_texts(metric: Any, hypothesis: Segment, references: list[Any]) -> tuple[Texts, ...]:
    """Return the texts of a segment as the metric reads them, here as tokens."""
    from rapidbleu.explanation.texts import Text, Texts

    refs = [
        None if reference is None else Text(tokens_of(metric, reference, of_reference=True))
        for reference in references
    ]
    return (Texts("tokens", Text(tokens_of(metric, hypothesis)), tuple(refs)),)


def find_reference(
    metric: Any,
    hypothesis: Segment,
    references: list[Any],
    texts: tuple[Texts, ...],
    row: list[int],
) -> int | None:
    """Return the reference that is used, if one is: the first that alone produces the row."""
    sources = references[: metric._n_sources]
    present = [i for i, text in enumerate(references) if text is not None and i >= len(sources)]
    if len(present) == 1:
        return present[0]
    if metric._counts_together:
        return None
    hyps = Column([hypothesis], "hypothesis")
    for i in present:
        alone = ReferenceColumns([[*sources, references[i]]], "segment")
        if metric._extractor.extract(hyps, alone, 0, 1) == row:
            return i
    return None


def match_orders(metric: Any, texts: tuple[Texts, ...], reference: int | None) -> list[NgramOrder]:
    """Return the n-grams of all counted orders."""
    from rapidbleu.explanation.ngrams import match_ngrams

    against: Sequence[int] = range(len(texts[0].references))
    if not metric._counts_together and reference is not None:
        against = (reference,)
    return [match_ngrams(texts[0], order, against) for order in metric._counted_orders()]


def align(metric: Any, hypothesis: Segment, references: SegmentReferences) -> Alignment:
    """Return the edits of one segment, and its shifts for TER.

    Parameters and errors as in `sentence_score`.

    Returns
    -------
    Alignment
        Against the reference of the score. Ties are resolved as in jiwer, for TER as in sacrebleu.

    Notes
    -----
    Memory is that needed for the score, plus one object per token.

    Examples
    --------
    >>> from rapidbleu import CER, TER, WER
    >>> print(WER().align("the big cat sat on mat", ["the cat sat on the mat"]))
    REF: the *** cat sat on the mat
    HYP: the big cat sat on *** mat
             I              D
    >>> print(TER().align("on the mat the cat sat", ["the cat sat on a mat"]))
    shift [3:6] to 0: the cat sat
    REF: the cat sat on a   mat
    HYP: the cat sat on the mat
                        S
    >>> CER().align("ab", ["b"]).edits[0]
    Edit(kind='insert', hypothesis=0, reference=None)
    """
    metric.sentence_score(hypothesis, references)  # refuses invalid segments
    hyp = tokens_of(metric, hypothesis)
    best: tuple[tuple[int, int], Alignment] | None = None
    trace, longest = metric._edit_rule
    present = [(k, ref) for k, ref in enumerate(references) if ref is not None]
    for which, reference in present[: getattr(metric, "targeted", None)]:
        ref = tokens_of(metric, reference, of_reference=True)
        alignment = _align_one(hyp, ref, which, trace)
        rank = alignment.num_edits, -len(ref) if longest else 0
        if best is None or rank < best[0]:
            best = rank, alignment
    assert best is not None  # the score is one of some reference
    return best[1]


def _align_one(hyp: tuple[Any, ...], ref: tuple[Any, ...], which: int, trace: _Trace) -> Alignment:
    load("rapidbleu.explanation.alignment")
    from rapidbleu.explanation.alignment import Alignment, Shift, shifted

    hyp_ids, ref_ids = _numbers(hyp, ref)
    moves, steps = trace(hyp_ids, ref_ids)
    places = list(range(len(hyp)))
    for move in moves:
        shifted(places, move)
    edits = tuple(_edits(steps.decode("ascii"), places))
    return Alignment(hyp, ref, which, tuple(Shift(*move) for move in moves), edits)


def _numbers(hyp: Sequence[Any], ref: Sequence[Any]) -> tuple[array[int], array[int]]:
    """Number the tokens of a reference from 1; hypothesis tokens get the same numbers or 0."""
    array = load("array", "array")
    numbers: dict[Any, int] = {}
    ref_ids = array("i", [numbers.setdefault(identity(token), len(numbers) + 1) for token in ref])
    return array("i", [numbers.get(identity(token), 0) for token in hyp]), ref_ids


def _edits(steps: str, places: Sequence[int]) -> Iterable[Edit]:
    from rapidbleu.explanation.alignment import KINDS, Edit

    hyps = iter(places)
    refs = 0
    for letter in steps:
        hyp = None if letter == "D" else next(hyps)
        ref = None if letter == "I" else refs
        refs += ref is not None
        yield Edit(KINDS[letter], hyp, ref)


# Alignments of other metrics, as steps: the kind of an edit, and the places of its tokens


def _traced(metric: Any, texts: Texts, which: int) -> Alignment | None:
    from rapidbleu.explanation.alignment import Alignment, Edit

    hyp = texts.hypothesis.tokens
    ref = texts.references[which].tokens  # type: ignore[union-attr]
    steps = metric._trace and metric._trace(hyp, ref)
    if steps is None:
        return None
    return Alignment(hyp, ref, which, (), tuple([Edit(*step) for step in steps]))


def trace_steps(hyp: Sequence[Any], ref: Sequence[Any], jumps: bool = False) -> list[_Step]:
    """Return the steps of a longest common subsequence or, with `jumps`, of CDER.

    A jump has the place in the hypothesis that it leads to. Time and memory are the product of
    both lengths.
    """
    hyp_ids, ref_ids = _numbers(hyp, ref)
    rows = [
        [min(i, 1) if jumps else i for i in range(len(hyp_ids) + 1)]
    ]  # costs, as in Levenshtein's
    for token in ref_ids:
        last = rows[-1]
        row = [rows[-1][0] + 1]
        for i, number in enumerate(hyp_ids):
            apart = 0 if number == token else 1 if jumps else 2
            row.append(min(last[i] + apart, last[i + 1] + 1, row[i] + 1))
        most = min(row) + 1 if jumps else max(row)
        rows.append([min(cost, most) for cost in row])
    moves = ("equal", 1, 1, 0), ("substitute", 1, 1, 1), ("insert", 1, 0, 1), ("delete", 0, 1, 1)
    steps: list[_Step] = []
    i = len(hyp_ids)
    j = len(ref_ids)
    while i or j:
        for kind, a, b, price in moves:
            fits = i >= a and j >= b and rows[j][i] == rows[j - b][i - a] + price
            if fits and (a != b or (hyp_ids[i - 1] == ref_ids[j - 1]) == (price == 0)):
                i = i - a
                j = j - b
                steps.append((kind, i if a else None, j if b else None))
                break
        else:
            steps.append(("jump", i, None))
            i = rows[j].index(min(rows[j]))
    return steps[::-1]


def trace_matches(matches: Iterable[Any], n_hyp: int, n_ref: int) -> list[_Step]:
    """Return the steps of METEOR in the order of the reference.

    A match has the beginning and the number of its words on both sides. Words without a match
    follow the word before them.
    """
    matches = [("", 0, 0, 0, 0), *matches, ("", n_hyp, 0, n_ref, 0)]
    matched = {i for _, begin, n, _, _ in matches for i in range(begin, begin + n)}
    steps: list[_Step] = []
    at = ref_end = 0
    for kind, hyp, n, ref, m in matches:
        steps += [("delete", None, j) for j in range(ref_end, ref)]
        if n and hyp != at:
            steps.append(("jump", hyp, None))
        for k in range(max(n, m)):
            steps.append((kind, hyp + k if k < n else None, ref + k if k < m else None))
        at = hyp + n
        ref_end = ref + m
        while at < n_hyp and at not in matched:
            steps.append(("insert", at, None))
            at += 1
    return steps


# Tokens as Python objects, as the compiled readers see them


def tokens_of(metric: Any, segment: Segment, of_reference: bool = False) -> tuple[Any, ...]:
    """Return the tokens of a valid segment, str or int, as the compiled readers produce them.

    `of_reference` reads it as a reference, if the metric reads references differently.

    >>> from rapidbleu import BLEU
    >>> tokens_of(BLEU(lowercase=True), "It rained.")
    ('it', 'rained', '.')
    """
    if isinstance(segment, str):
        text = lower_text(metric, segment)
        rule = metric.tokenizer
        make_scanner = getattr(rule, "scanner", None)
        compiled = make_scanner is not None and make_scanner() is not None
        if of_reference:
            rule = getattr(rule, "reference_rule", None) or rule
        tokens = rule(text if compiled else text.rstrip())  # as readers do
        return tuple(tokens.split() if isinstance(tokens, str) else tokens)
    tokens = tuple(
        int(token) if not isinstance(token, str) else token.lower() if metric.lowercase else token
        for token in segment
    )
    if not metric._marks:
        return tokens
    pad, end = (identity(metric._marks.get(name, "")) for name in MARKS)
    ids = list(map(identity, tokens))
    kept = tokens[: ids.index(end)] if end in ids else tokens
    return tuple(token for token in kept if identity(token) != pad)


def lower_text(metric: Any, text: str) -> str:
    """Return a text, in lower case if the metric lowercases.

    >>> from rapidbleu import BLEU
    >>> lower_text(BLEU(), "It"), lower_text(BLEU(lowercase=True), "It")
    ('It', 'it')
    """
    lowercases = getattr(metric.tokenizer, "lowercases", False)
    return text.lower() if metric.lowercase and not lowercases else text


def identity(token: Any) -> Any:
    """Return a value that equal tokens share: integer ids are equal modulo 2**64.

    >>> identity(-1) == identity(2**64 - 1)
    True
    """
    return token if isinstance(token, str) else token % 2**64
