"""Checks of any text against the oracles of `reference` and the installed peers.

Each function raises AssertionError where two results differ. Peers are skipped where they cannot
score a text; the oracles score everything.
"""

import itertools
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import Any

from rapidbleu import BLEU, CHRF, TER
from rapidbleu.tokenizers import get_tokenizer
from reference import bleu, chrf, ter
from reference.scanner import ReferenceScanner
from support.peers import peer
from support.typed import assert_identical

RULED = ("none", "char", "13a", "zh", "intl")
TER_NAMES = ("normalized", "no_punct", "asian_support", "case_sensitive")
TER_OPTIONS = [
    dict(zip(TER_NAMES, bits, strict=True)) for bits in itertools.product((False, True), repeat=4)
]
CHRF_OPTIONS: list[dict[str, Any]] = [
    {},
    {"word_order": 2},
    {"lowercase": True, "word_order": 1, "whitespace": True},
    {"char_order": 9, "word_order": 2, "eps_smoothing": True},
]
TER_PARTS, TER_FINE = 1862340480, 1882020540  # resolutions of a mean length in a row of TER

Texts = Sequence[str]
Streams = Sequence[Sequence[str | None]]


@cache
def _scanner(tokenize: str) -> ReferenceScanner:
    return ReferenceScanner(get_tokenizer(tokenize).rules())


@cache
def _peer_tokenizer(tokenize: str) -> Any:
    sacrebleu = peer("sacrebleu")
    return sacrebleu and sacrebleu.BLEU(tokenize=tokenize, force=True).tokenizer


def same_tokens(text: str) -> None:
    for tokenize in RULED:
        ours = get_tokenizer(tokenize)(text)
        assert ours == _scanner(tokenize).tokens(text), (tokenize, ascii(text))
        theirs = _peer_tokenizer(tokenize)
        if theirs is not None:
            assert ours == theirs(text).split(), (tokenize, ascii(text))


def given(streams: Streams, i: int) -> list[str]:
    return [text for stream in streams if (text := stream[i]) is not None]


def same_bleu(hyps: Texts, streams: Streams, tokenize: str, lowercase: bool = False) -> None:
    options = {"tokenize": tokenize, "lowercase": lowercase, "force": True}
    rows = BLEU(**options).segment_stats(hyps, streams).tolist()
    for i, (row, hyp) in enumerate(zip(rows, hyps, strict=True)):
        hyp_tokens, *refs = (
            _scanner(tokenize).tokens((text.lower() if lowercase else text).rstrip())
            for text in (hyp, *given(streams, i))
        )
        assert row == bleu.segment_stats(hyp_tokens, refs), (options, ascii((hyp, refs)))
    sacrebleu = peer("sacrebleu")
    if sacrebleu:
        expected = sacrebleu.BLEU(**options)._extract_corpus_statistics(hyps, streams)
        assert_identical(rows, expected, options)


def same_chrf(hyps: Texts, streams: Streams, **options: Any) -> None:
    rows = CHRF(**options).segment_stats(hyps, streams).tolist()
    for i, (row, hyp) in enumerate(zip(rows, hyps, strict=True)):
        refs = given(streams, i)
        assert row == chrf.best_row(hyp, refs, **options), (options, ascii((hyp, refs)))
    sacrebleu = peer("sacrebleu")
    if sacrebleu:
        expected = sacrebleu.CHRF(**options)._extract_corpus_statistics(hyps, streams)
        assert_identical(rows, expected, options)


def same_ter(hyps: Texts, streams: Streams, **options: bool) -> None:
    """Compare rows of TER: of text with sacrebleu's, of words with the oracle's."""
    words = [text.split() for text in hyps]
    references = [[text.split() for text in given(streams, i)] for i in range(len(hyps))]
    rows = TER(case_sensitive=True).segment_stats(words, references, layout="segment")
    for found, hyp, refs in zip(ter_numbers(rows), words, references, strict=True):
        assert found == ter.stats(hyp, refs), ascii((hyp, refs))
    sacrebleu = peer("sacrebleu")
    if sacrebleu:
        rows = TER(**options).segment_stats(hyps, streams)
        expected = sacrebleu.TER(**options)._extract_corpus_statistics(hyps, streams)
        found = [[n_edits, float(length)] for n_edits, length in ter_numbers(rows)]
        assert_identical(found, expected, (options, ascii((hyps, streams))))


def ter_numbers(rows: Any) -> list[tuple[int, Fraction]]:
    """Return edits and mean length of each row of TER."""
    return [
        (n_edits, whole + (parts + Fraction(fine, TER_FINE)) / TER_PARTS)
        for n_edits, whole, parts, fine in rows.tolist()
    ]
