"""chrF against an installed sacrebleu and the oracle, with ==, and all metric operations."""

import os
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from itertools import product
from random import Random
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import rapidbleu
from rapidbleu import BLEU, CHRF, CHRFScore, corpus_chrf, sentence_chrf
from rapidbleu._core.input.columns import Column, ReferenceColumns
from rapidbleu._core.scoring.pairs import ChrfPairs, Pairs
from rapidbleu.tokenizers.characters import get_character_tokenizer
from reference import chrf as oracle
from support.corpora import KINDS, perturb, random_corpus, random_segments, with_gaps, wmt17
from support.corpora import wmt17_reference as real_reference
from support.processes import (
    LEVEL,
    LOWER_LEVELS,
    exhaust_memory,
    frees_at_once,
    linux_only,
    unsanitized,
)
from support.selection import few

OPTIONS: list[dict[str, Any]] = [
    {},
    {"word_order": 1},
    {"word_order": 2},
    {"lowercase": True, "word_order": 2},
    {"whitespace": True},
    {"whitespace": True, "lowercase": True, "word_order": 1},
    {"eps_smoothing": True},
    {"eps_smoothing": True, "word_order": 2},
    {"beta": 1},
    {"beta": 3, "word_order": 2},
    {"beta": 2.0},
    {"beta": 0.5, "eps_smoothing": True},
    {"beta": 0},
    {"beta": 0, "eps_smoothing": True, "word_order": 1},
    {"beta": 10**20},
    {"char_order": 1},
    {"char_order": 4, "word_order": 4},
    {"char_order": 0, "word_order": 3},
    {"char_order": 0, "word_order": 1, "eps_smoothing": True},
    {"char_order": 7},
    {"char_order": 17, "word_order": 18, "whitespace": True},
    {"char_order": 40, "word_order": 9},
]
FORMATS: list[dict[str, Any]] = [
    {},
    {"width": 0},
    {"width": 5},
    {"score_only": True},
    {"signature": "nrefs:1|case:mixed"},
    {"is_json": True, "signature": "nrefs:1|case:mixed", "width": 3},
]


def name_of(options: dict[str, Any]) -> str:
    return " ".join(f"{key}={value}" for key, value in options.items()) or "default"


each_option = pytest.mark.parametrize("options", OPTIONS, ids=name_of)
each_kind = pytest.mark.parametrize("kind", KINDS)


@cache
def corpus(kind: str, n: int = 16, n_refs: int = 3) -> tuple[list[str], list[list[str]]]:
    """Return a cached corpus with empty and blank segments; tests must not change it."""
    hyps, streams = random_corpus(Random(f"chrF {kind}"), n, kind=kind, n_refs=n_refs)
    hyps += ["", "", "a", " \t\u3000", "a"]
    streams = [[*stream, "", "a", "", "a b", " \x85"] for stream in streams]
    return hyps, streams


@pytest.fixture(scope="module")
def sacrebleu() -> ModuleType:
    module = pytest.importorskip("sacrebleu")
    assert module.__version__ == "2.6.0"
    return module


@each_option
@pytest.mark.parametrize("kind", few(KINDS, ["mixed"]))
def test_statistics_and_scores(sacrebleu: ModuleType, kind: str, options: dict[str, Any]) -> None:
    hyps, streams = corpus(kind)
    for n_refs in (1, 3):
        metric, peer = CHRF(**options), sacrebleu.CHRF(**options)
        expected = peer._extract_corpus_statistics(hyps, streams[:n_refs])
        rows = metric.segment_stats(hyps, streams[:n_refs])
        assert rows.dtype == np.int64 and rows.shape[1] == 3 * peer.order
        for i, (row, other) in enumerate(zip(rows.tolist(), expected, strict=True)):
            assert row == other, f"segment {i}: {hyps[i]!a} / {[s[i] for s in streams]!a}"
        score, other = (m.corpus_score(hyps, streams[:n_refs]) for m in (metric, peer))
        assert (score.score, score.name) == (other.score, other.name)
        assert metric.segment_scores(hyps, streams[:n_refs]).tolist() == [
            peer._compute_f_score(row) for row in expected
        ]


@each_option
def test_sentences(sacrebleu: ModuleType, options: dict[str, Any]) -> None:
    hyps, streams = corpus("mixed")
    metric, peer = CHRF(**options), sacrebleu.CHRF(**options)
    for hyp, *refs in zip(hyps, *streams, strict=True):
        for several in (refs[:1], refs, tuple(refs)):
            score, other = (m.sentence_score(hyp, several) for m in (metric, peer))
            assert (score.score, score.name) == (other.score, other.name)
            assert type(score) is CHRFScore


@each_kind
def test_varying_references(sacrebleu: ModuleType, kind: str) -> None:
    hyps, streams = corpus(kind)
    holed = with_gaps(Random(kind), streams)
    for options in ({}, {"word_order": 2, "eps_smoothing": True}):
        metric, peer = CHRF(**options), sacrebleu.CHRF(**options)
        expected = peer._extract_corpus_statistics(hyps, holed)
        assert metric.segment_stats(hyps, holed).tolist() == expected
        score, other = metric.corpus_score(hyps, holed), peer.corpus_score(hyps, holed)
        assert score.score == other.score
        assert "nrefs:var|" in str(metric.get_signature())


@each_option
def test_fields_formats_and_signatures(sacrebleu: ModuleType, options: dict[str, Any]) -> None:
    hyps, streams = corpus("german")
    metric, peer = CHRF(**options), sacrebleu.CHRF(**options)
    score, other = metric.corpus_score(hyps, streams), peer.corpus_score(hyps, streams)
    for field in ("name", "score", "char_order", "word_order", "beta"):
        assert getattr(score, field) == getattr(other, field)
    assert str(score) == str(other) and repr(score) == repr(other)
    for form in FORMATS:
        assert score.format(**form) == other.format(**form)
    ours = f"2.6.0+rapidbleu.{rapidbleu.__version__}"
    for short in (False, True):
        text = peer.get_signature().format(short=short)
        assert metric.get_signature().format(short=short) == text.replace("2.6.0", ours)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"word_order": 2},
        {"char_order": 4, "beta": 1.0},
        {"remove_whitespace": False, "eps_smoothing": True},
    ],
    ids=name_of,
)
def test_functions(sacrebleu: ModuleType, options: dict[str, Any]) -> None:
    hyps, streams = corpus("quotes")
    score = corpus_chrf(hyps, streams, **options)
    other = sacrebleu.corpus_chrf(hyps, streams, **options)
    assert (score.score, str(score)) == (other.score, str(other))
    by_segment = [list(refs) for refs in zip(*streams, strict=True)]
    again = corpus_chrf(hyps, by_segment, layout="segment", threads=2, **options)
    assert again.score == score.score
    for hyp, refs in zip(hyps, by_segment, strict=True):
        score = sentence_chrf(hyp, refs, **options)
        other = sacrebleu.sentence_chrf(hyp, refs, **options)
        assert (score.score, str(score)) == (other.score, str(other))


def test_functions_tell_equal_options_apart() -> None:
    """2, 2.0 and True are the same dict key."""
    assert str(sentence_chrf("a", ["a"], beta=2.0)).startswith("chrF2.0 =")
    assert str(sentence_chrf("a", ["a"], beta=2)).startswith("chrF2 =")
    with pytest.raises(TypeError, match="word_order: expected int; got bool"):
        sentence_chrf("a", ["a"], 6, True)


@pytest.mark.slow
def test_real_text(sacrebleu: ModuleType) -> None:
    system, reference = wmt17(0), real_reference()
    if system is None or reference is None:
        pytest.skip("no WMT17 data: set RAPIDBLEU_DATA to the folder that holds wmt17-en-de")
    for options in ({}, {"word_order": 2}):
        metric, peer = CHRF(**options), sacrebleu.CHRF(**options)
        expected = peer._extract_corpus_statistics(system, [reference])
        assert metric.segment_stats(system, [reference]).tolist() == expected
        assert metric.corpus_score(system, [reference]).score == peer._compute_f_score(
            [sum(column) for column in zip(*expected, strict=True)]
        )


LENGTHS = [0, 1, 5, 63, 64, 65, 127, 128, 129, 192, 193, 256, 257, 384, 385, 900]


@each_option
def test_lengths(options: dict[str, Any]) -> None:
    """Lengths at which matching changes algorithm; few characters, so that n-grams repeat."""
    shape = {key: options[key] for key in options if key not in ("beta", "eps_smoothing")}
    metric = CHRF(**options)
    for n, alphabet in product(LENGTHS, ("a", "ab c.", "abcdefghij klmnop,.(äß字𝄞)")):
        rng = Random(f"{n} {alphabet}")
        ref = "".join(rng.choices(alphabet, k=n))
        hyp = "".join(c for c in ref if rng.random() < 0.8) + ref[:3]
        row = metric.segment_stats([hyp], [[ref]])[0].tolist()
        assert row == oracle.row(hyp, ref, **shape), (n, alphabet)
        expected = oracle.score(row, options.get("beta", 2), options.get("eps_smoothing", False))
        assert metric.sentence_score(hyp, [ref]).score == expected, (n, alphabet)


@pytest.mark.parametrize(
    ("char_order", "n_characters"),
    [
        *((6, n) for n in (1, 2, 3, 127, 128, 1022, 1023, 1024, 1025, 1500)),
        *((4, n) for n in (2047, 2048, 2049)),
        *((16, n) for n in (1, 6, 7, 8)),
        *((9, n) for n in (126, 127, 128)),
        (1, 2048),
        (17, 3),
    ],
)
def test_long_texts(char_order: int, n_characters: int) -> None:
    """Many or few different characters: up to and beyond the limit of sorting for each order."""
    rng = Random(n_characters)
    alphabet = [chr(0x4E00 + k) for k in range(n_characters)]
    ref = rng.sample(alphabet, n_characters) + rng.choices(alphabet, k=2500)
    hyp = [c for c in ref if rng.random() < 0.9] + list("xyz") + ref[-3:] + list("q")
    metric = CHRF(char_order=char_order)
    for other in (ref, hyp[::-1]):
        row = metric.segment_stats(["".join(hyp)], [["".join(other)]])[0].tolist()
        assert row == oracle.row("".join(hyp), "".join(other), char_order)
    assert metric.segment_stats(["qq"], [["".join(ref)]])[0, 2::3].tolist() == [0] * char_order


@pytest.mark.slow
@pytest.mark.parametrize("n", [(1 << 17) - 1, 1 << 17, (1 << 17) + 1])
def test_giant_texts(n: int) -> None:
    rng = Random(n)
    ref = "".join(rng.choices("abcdefgh", k=n))
    hyp = ref[n // 3 :] + ref[: n // 3]
    assert CHRF().segment_stats([hyp], [[ref]])[0].tolist() == oracle.row(hyp, ref)


@each_kind
def test_tokenizer(kind: str) -> None:
    """The readable rules; compiled ones have the same statistics, see above."""
    for text in [*random_segments(Random(kind), 60, kind=kind), "", " ", "(hi)", "-", "--", "é!"]:
        for whitespace in (False, True):
            tokenizer = get_character_tokenizer(whitespace, words=True)
            assert tokenizer(text) == oracle.characters(text, whitespace)
            assert tokenizer.words(text) == oracle.words(text)


@pytest.mark.slow
def test_every_character_is_itself() -> None:
    step = 977
    metrics = [CHRF(1, 1), CHRF(1, 1, whitespace=True)]
    for first in range(0, 0x110000, step):
        points = map(chr, range(first, min(first + step, 0x110000)))
        ref = "".join(f"x{c}{c}y " for c in points)
        for metric in metrics:
            shape = {"char_order": 1, "word_order": 1, "whitespace": metric.whitespace}
            expected = oracle.row(ref[::-1], ref, **shape)
            assert metric.segment_stats([ref[::-1]], [[ref]]).tolist() == [expected]


@pytest.mark.parametrize("begin", ["", " ", "\0", "(", " -", "a (", ".. ("])
def test_words_across_blocks(begin: str) -> None:
    metric = CHRF(2, 2, whitespace=True)
    tails = ["", ".", "(", " ", "\u3000", "\u3000x", "é.", "\0", ".\0 \0.", "\x85\x85(a", ".)"]
    for n in [*range(3), *range(56, 70), *range(122, 132)]:
        for tail in tails:
            hyp, ref = begin + "a" * n + tail, "a" * n + tail[:1]
            row = metric.segment_stats([hyp], [[ref]])[0].tolist()
            assert row == oracle.row(hyp, ref, 2, 2, whitespace=True)


def test_random_words() -> None:
    rng = Random(1)
    metric = CHRF(1, 2)
    for _ in range(300):
        hyp, ref = ("".join(rng.choices("  aé.(\u3000", k=rng.randrange(200))) for _ in range(2))
        row = metric.segment_stats([hyp], [[ref]])[0].tolist()
        assert row == oracle.row(hyp, ref, 1, 2)


def test_first_of_the_best_references_counts() -> None:
    """Equal scores of different rows: 2 of 4 and 2 of 4, with different order lengths."""
    metric = CHRF(char_order=1)
    first, second = "abxy", "abzw"
    assert metric.segment_stats(["ab"], [[first], [second]]).tolist() == [[2, 4, 2]]
    ties = CHRF(char_order=1, beta=0)  # precision only: the longer reference is no worse
    assert ties.segment_stats(["ab"], [["abc"], ["ab"]]).tolist() == [[2, 3, 2]]
    assert ties.segment_stats(["ab"], [["ab"], ["abc"]]).tolist() == [[2, 2, 2]]


def test_any_small_corpus() -> None:
    pytest.importorskip("hypothesis")
    from hypothesis import given
    from hypothesis import strategies as st

    text = st.text(st.sampled_from("ab .é字\0\ud800\u2003"), max_size=14)

    @given(
        text,
        st.lists(text, min_size=1, max_size=3),
        st.integers(0, 3),
        st.integers(0, 3),
        st.booleans(),
        st.booleans(),
        st.sampled_from([0, 0.3, 1, 2, 5]),
    )
    def agrees(
        hyp: str, refs: list[str], nc: int, nw: int, whitespace: bool, eps: bool, beta: float
    ) -> None:
        options: dict[str, Any] = {
            "char_order": nc if nc or nw else 1,
            "word_order": nw,
            "whitespace": whitespace,
            "eps_smoothing": eps,
            "beta": beta,
        }
        metric = CHRF(**options)
        row = metric.segment_stats([hyp], [refs], layout="segment")[0].tolist()
        assert row == oracle.best_row(hyp, refs, **options)
        score = metric.sentence_score(hyp, refs).score
        assert score == oracle.score(row, beta, eps)
        assert 0 <= score < 100.00000001
        assert (
            metric.pairwise([hyp] * 9, refs).tolist()
            == [[metric.sentence_score(hyp, [ref]).score for ref in refs]] * 9
        )

    agrees()


def test_arrow_and_arrays() -> None:
    hyps, streams = corpus("chinese")
    metric = CHRF(word_order=1)
    expected = metric.segment_stats(hyps, streams)
    arrays = [np.array(stream, object) for stream in streams]
    assert (metric.segment_stats(np.array(hyps, object), arrays) == expected).all()
    pa = pytest.importorskip("pyarrow")
    columns = [pa.array(stream) for stream in streams]
    assert (metric.segment_stats(pa.chunked_array([hyps[:7], hyps[7:]]), columns) == expected).all()
    lower = CHRF(lowercase=True)
    assert (
        lower.segment_stats(pa.array(hyps), columns) == lower.segment_stats(hyps, streams)
    ).all()


@pytest.mark.slow
def test_portable_code() -> None:
    program = (
        "import sys; from random import Random; from support.corpora import KINDS, random_corpus;"
        "from rapidbleu import CHRF\n"
        "for kind in KINDS:\n"
        "    hyps, streams = random_corpus(Random(kind), 30, kind=kind, n_refs=2)\n"
        "    print(CHRF(word_order=2).segment_stats(hyps, streams).tolist())\n"
        "    print(CHRF().pairwise(hyps, streams[0]).tolist())\n"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", program],
            check=True,
            capture_output=True,
            encoding="utf-8",
            env={**os.environ, "RAPIDBLEU_SIMD": simd, "PYTHONPATH": os.pathsep.join(sys.path)},
        ).stdout
        for simd in [*LOWER_LEVELS, LEVEL]
    }
    assert len(printed) == 1 and "[[" in printed.pop()


@pytest.mark.slow
@unsanitized
@linux_only
@frees_at_once
@pytest.mark.parametrize(
    ("setup", "call"),
    [
        ("text = 'la ' * 2_000_000", "chrf.corpus_stats([text], [[text]])"),
        ("text = 'la ' * 2_000_000", "chrf.prepare([[text]])"),
        ("text = 'la ' * 60_000", "chrf.corpus_stats([text], [[text]])"),
        ("texts = [f'the cat {i} sat' for i in range(2_000)]", "chrf.pairwise(texts)"),
        ("texts = [f'the cat {i} sat' * 40 for i in range(600)]", "chrf.self_scores(texts)"),
    ],
)
def test_out_of_memory(setup: str, call: str) -> None:
    make = "metric = chrf = rapidbleu.CHRF(word_order=2)\n"
    exhaust_memory(make + setup, call, most=80 * 2**20, step=3 * 2**18)


def relatives(rng: Random, n: int) -> list[str]:
    """Return mostly related segments; some are long, empty, or duplicates."""
    texts = [*random_segments(rng, max(1, n // 5), kind="mixed"), "", " ", "a", "ab" * 300]
    while len(texts) < n:
        texts.append(perturb(rng, rng.choice(texts)))
    return texts[:n]


def by_sentences(metric: Any, hyps: Sequence[str], refs: Sequence[str]) -> list[list[float]]:
    return [[metric.sentence_score(hyp, [ref]).score for ref in refs] for hyp in hyps]


@each_option
def test_pairs(options: dict[str, Any]) -> None:
    rng = Random(name_of(options))
    metric = CHRF(**options)
    for n_hyps, n_refs in ((3, 30), (20, 5), (20, 40)):
        hyps, refs = relatives(rng, n_hyps), relatives(rng, n_refs)
        refs[1:3] = hyps[1:3]
        expected = by_sentences(metric, hyps, refs)
        assert metric.pairwise(hyps, refs).tolist() == expected
        assert metric.pairwise(metric.prepare([hyps]), refs, threads=2).tolist() == expected
        utilities = [sum(row) / n_refs for row in expected]
        assert metric.mbr(hyps, refs) == pytest.approx(utilities, rel=1e-12)
    assert metric.pairwise(hyps).tolist() == by_sentences(metric, hyps, hyps)
    alone = [metric.sentence_score(hyp, hyps[:i] + hyps[i + 1 :]) for i, hyp in enumerate(hyps)]
    assert metric.self_scores(hyps).tolist() == [score.score for score in alone]
    few = metric.self_scores([hyps[:3], hyps[:5]], groups=True)
    assert few[0].tolist() == metric.self_scores(hyps[:3]).tolist()


@each_kind
def test_pairs_of_sacrebleu(sacrebleu: ModuleType, kind: str) -> None:
    rng = Random(kind)
    hyps = random_segments(rng, 12, kind=kind)
    refs = [perturb(rng, rng.choice(hyps)) for _ in range(15)]
    for options in ({}, {"word_order": 2}, {"eps_smoothing": True, "word_order": 1}):
        expected = by_sentences(sacrebleu.CHRF(**options), hyps, refs)
        assert CHRF(**options).pairwise(hyps, refs).tolist() == expected


@pytest.mark.parametrize("options", [{}, {"word_order": 2}, {"char_order": 0, "word_order": 2}])
def test_pairs_of_many(options: dict[str, Any]) -> None:
    rng = Random(3)
    metric = CHRF(**options)
    hyps, refs = (
        metric._extractor.prepare(ReferenceColumns(Column(texts, "texts"), "stream", "texts"))
        for texts in (relatives(rng, 30), relatives(rng, 1100))
    )
    for h0, h1, r0, r1 in ((0, 30, 0, 1100), (3, 11, 511, 1024), (7, 8, 5, 6)):
        found = []
        for cls in (Pairs, ChrfPairs):
            out = np.full((h1 - h0, r1 - r0), np.nan)
            groups = np.array([[h0, h1, r0, r1, 0, r1 - r0]], np.int64)
            cls(metric._kernel, hyps, refs, 1).score(groups, 0, 1, out)
            found.append(out.tolist())
        assert found[0] == found[1]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"char_order": -1}, ValueError, "char_order: expected at least 0; got -1"),
        ({"word_order": 10**7}, ValueError, "word_order: expected at most 1000000; got 10000000"),
        ({"char_order": 6.0}, TypeError, "char_order: expected int; got float"),
        ({"word_order": True}, TypeError, "word_order: expected int; got bool"),
        ({"char_order": 0}, ValueError, "expected one of them above 0; got 0 and 0"),
        ({"beta": "2"}, TypeError, "beta: expected a number; got str"),
        ({"beta": True}, TypeError, "beta: expected a number; got bool"),
        ({"beta": -1}, ValueError, r"beta: expected 0 to 1e\+150; got -1"),
        ({"beta": float("nan")}, ValueError, r"beta: expected 0 to 1e\+150; got nan"),
        ({"beta": 1e160}, ValueError, r"beta: expected 0 to 1e\+150; got 1e"),
    ],
)
def test_bad_options(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        CHRF(**options)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda m: m.corpus_score([["a"]], [[["a"]]]), TypeError, "segments: expected str; got l"),
        (lambda m: m.corpus_score([[1]], [[[1]]]), TypeError, "got list of integer ids"),
        (lambda m: m.sentence_score(["a"], [["a"]]), TypeError, "got list of str tokens"),
        (lambda m: m.sentence_score("a", [["a"]]), TypeError, "expected str"),
        (lambda m: m.prepare([[["a"]]]), TypeError, "got list of str tokens"),
        (lambda m: m.pairwise([["a"]], ["a"]), TypeError, "got list of str tokens"),
        (lambda m: m.nbest_scores([[["a"]]], [["a"]]), TypeError, "expected"),
        (lambda m: m.corpus_score(["a"]), ValueError, "the metric was made without any"),
    ],
)
def test_bad_input(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call(CHRF())


@pytest.mark.parametrize(
    "other",
    [{"word_order": 1}, {"whitespace": True}, {"lowercase": True}],
    ids=name_of,
)
def test_references_prepared_otherwise(other: dict[str, Any]) -> None:
    message = "expected references prepared for text:chars.*case:.*got others"
    with pytest.raises(ValueError, match=message):
        CHRF().corpus_score(["a"], CHRF(**other).prepare([["a"]]))
    with pytest.raises(ValueError, match=message):
        CHRF(**other).corpus_score(["a"], CHRF().prepare([["a"]]))
    with pytest.raises(ValueError, match=message):
        CHRF().corpus_score(["a"], BLEU(tokenize="char").prepare([["a"]]))


def test_references_prepared_for_other_orders() -> None:
    references = CHRF(6, 2).prepare([["the cat"]])
    assert CHRF(3, 1, beta=1).corpus_score(["the cat"], references).score == 100
