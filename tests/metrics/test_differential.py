"""rapidbleu against an installed sacrebleu with ==, and the oracle for features beyond it."""

import math
import sys
from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pytest

import rapidbleu
from rapidbleu import BLEU
from reference import bleu as oracle
from support.corpora import (
    KINDS,
    N_WMT17_SYSTEMS,
    random_corpus,
    with_gaps,
    wmt17,
    wmt17_reference,
)
from support.peers import need
from support.selection import few
from support.typed import assert_identical

sacrebleu = need("sacrebleu")
CONTRACT = "2.6.0"

TOKENIZERS = ("none", "13a", "char", "zh", "intl")
SMOOTHING = [
    ("none", None),
    ("none", 0.4),  # ignored
    ("exp", None),
    ("exp", 0.4),  # ignored
    ("floor", None),
    ("floor", 0.0),
    ("floor", 0.01),
    ("floor", 2.5),
    ("add-k", None),
    ("add-k", 0),
    ("add-k", 0.0),
    ("add-k", 0.5),
    ("add-k", 3),
]
FIELDS = (
    "name",
    "score",
    "counts",
    "totals",
    "precisions",
    "bp",
    "sys_len",
    "ref_len",
    "ratio",
    "prec_str",
)
FORMATS: list[dict[str, Any]] = [
    {},
    {"width": 0},
    {"width": 1},
    {"width": 7},
    {"score_only": True},
    {"score_only": True, "width": 4},
    {"score_only": True, "is_json": True, "signature": "a:b"},
    {"signature": "nrefs:1|case:mixed"},
    {"is_json": True, "signature": "nrefs:1|case:mixed|tok:käse"},
    {"is_json": True, "signature": "a:b", "width": 5},
]

Texts = Sequence[str]
Streams = Sequence[Sequence[str | None]]


@cache
def corpus(kind: str, n: int = 50, n_refs: int = 4) -> tuple[list[str], list[list[str]]]:
    """Return a cached corpus; tests must not change it."""
    return random_corpus(Random(f"differential {kind}"), n, kind=kind, n_refs=n_refs)


def peer(**options: Any) -> Any:
    return sacrebleu.BLEU(**options)


def assert_same_stats(options: dict[str, Any], hypotheses: Texts, streams: Streams) -> None:
    expected = peer(**options)._extract_corpus_statistics(hypotheses, streams)
    rows = BLEU(**options).segment_stats(hypotheses, streams)
    assert rows.dtype == np.int64
    assert rows.shape == (len(hypotheses), 2 + 2 * options.get("max_ngram_order", 4))
    for i, (row, expected_row) in enumerate(zip(rows.tolist(), expected, strict=True)):
        references = [stream[i] for stream in streams]
        assert_identical(row, expected_row, f"segment {i}: {hypotheses[i]!a} / {references!a}")


def assert_same_score(score: Any, expected: Any) -> None:
    assert_identical(fields(score), fields(expected))
    assert str(score) == str(expected)
    assert repr(score) == repr(expected)
    for options in FORMATS:
        assert score.format(**options) == expected.format(**options), options


def fields(score: Any) -> dict[str, Any]:
    return {name: getattr(score, name) for name in FIELDS}


def assert_same_signature(metric: Any, expected: Any) -> None:
    version = f"{CONTRACT}+rapidbleu.{rapidbleu.__version__}"
    for short in (False, True):
        text = expected.get_signature().format(short=short)
        assert metric.get_signature().format(short=short) == text.replace(CONTRACT, version)
    assert str(metric.get_signature()) == metric.get_signature().format()


def test_the_peer_is_the_one_of_the_contract() -> None:
    assert sacrebleu.__version__ == CONTRACT


@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("tokenize", TOKENIZERS)
@pytest.mark.parametrize("kind", KINDS)
def test_stats_of_tokenizers(kind: str, tokenize: str, lowercase: bool) -> None:
    hypotheses, streams = corpus(kind)
    assert_same_stats({"tokenize": tokenize, "lowercase": lowercase}, hypotheses, streams)


@pytest.mark.parametrize("n_refs", [1, 2, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_stats_of_fewer_references(kind: str, n_refs: int) -> None:
    hypotheses, streams = corpus(kind)
    assert_same_stats({}, hypotheses, streams[:n_refs])


@pytest.mark.parametrize("kind", KINDS)
def test_stats_of_a_variable_number_of_references(kind: str) -> None:
    hypotheses, streams = corpus(kind)
    holed = with_gaps(Random(f"gaps {kind}"), streams)
    assert any(text is None for stream in holed for text in stream)
    assert_same_stats({}, hypotheses, holed)


@pytest.mark.parametrize("max_ngram_order", range(1, 9))
@pytest.mark.parametrize("kind", ["ascii", "quotes", "adversarial"])
def test_stats_of_orders(kind: str, max_ngram_order: int) -> None:
    hypotheses, streams = corpus(kind)
    for n_refs in (1, 4):
        assert_same_stats({"max_ngram_order": max_ngram_order}, hypotheses, streams[:n_refs])


@pytest.mark.parametrize("tokenize", TOKENIZERS)
def test_stats_of_adversarial_text(tokenize: str) -> None:
    rng = Random(f"adversarial {tokenize}")
    hypotheses, streams = random_corpus(rng, 300, kind="adversarial", n_refs=2)
    assert_same_stats({"tokenize": tokenize, "lowercase": True}, hypotheses, streams)


@pytest.mark.slow
@pytest.mark.parametrize("tokenize", TOKENIZERS)
def test_stats_of_single_characters_in_context(tokenize: str) -> None:
    """Test all code points below U+3400 and some of each later block, with three neighbours.

    They are next to letters, digits and spaces. The reference contains each token that a rule may
    create from the hypothesis, so that the clipped counts reveal where the hypothesis was cut.
    """
    rng = Random("characters")
    code_points = [*range(0x3400), *(rng.randrange(0x3400, 0x110000) for _ in range(3000))]
    code_points += [block + offset for block in range(0x10000, 0x20000, 64) for offset in (0, 33)]
    chars = [chr(code_point) for code_point in code_points]
    hypotheses = [f"a{c}b 1{c}2 {c}. ,{c} {c}-1 3{c}{c} {c}" for c in chars]
    references = [f"{c} {c}. ,{c} 1{c}2 a{c}b . , a {c}{c} 2 b 3 3{c}{c} {c}b" for c in chars]
    step = 40
    for first in range(0, len(chars), step):
        assert_same_stats(
            {"tokenize": tokenize, "max_ngram_order": 2},
            hypotheses[first : first + step],
            [references[first : first + step]],
        )


@pytest.mark.parametrize(
    "n_tokens",
    few([1, 2, 31, 32, 63, 64, 65, 128, 129, 255, 256, 257, 600, 3000], range(600)),
)
def test_stats_at_the_lengths_where_algorithms_change(n_tokens: int) -> None:
    rng = Random(n_tokens)
    for n_types in (1, 2, 5, 1000):
        words = [f"w{i}" for i in range(n_types)]
        hypotheses, *streams = (
            [
                " ".join(rng.choices(words, k=max(0, n_tokens + delta)))
                for delta in (-1, 0, 0, 1, rng.randint(-n_tokens, 9))
            ]
            for _ in range(4)
        )
        assert_same_stats({}, hypotheses, streams[:1])
        assert_same_stats({}, hypotheses, streams)


@pytest.mark.parametrize("letter", ["a", "\xe4", "\u4e00", "\U0001f600", "\ud800", "\x00"])
def test_tokens_that_differ_in_one_character(letter: str) -> None:
    hypotheses: list[str] = []
    references: list[str] = []
    for length in (1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 200):
        token = letter * length
        places = sorted({0, 1, length // 2, length - 2, length - 1} & set(range(length)))
        others = [token[:place] + "b" + token[place + 1 :] for place in places]
        others += [token + letter, token + "\x00", "\x00" + token, token[:-1]]
        hypotheses += [f"{token} {token} {token}"] * 2
        # The second reference repeats the token in a string of another kind.
        references += [" ".join(others), f"{' '.join(others)} {token} \U0001f601\u0416\xfc"]
    for lowercase in (False, True):
        options = {"tokenize": "none", "lowercase": lowercase}
        assert_same_stats(options, hypotheses, [references])
        assert_same_stats(options, references, [hypotheses])


@pytest.mark.parametrize("effective_order", [False, True])
@pytest.mark.parametrize(("method", "value"), SMOOTHING)
def test_corpus_scores_of_smoothing(
    method: str, value: float | None, effective_order: bool
) -> None:
    options: dict[str, Any] = {
        "smooth_method": method,
        "smooth_value": value,
        "effective_order": effective_order,
        "tokenize": "none",
    }
    for name, (hypotheses, streams) in small_corpora().items():
        for max_ngram_order in range(1, 9):
            options["max_ngram_order"] = max_ngram_order
            metric, expected = BLEU(**options), peer(**options)
            score = metric.corpus_score(hypotheses, streams)
            expected_score = expected.corpus_score(hypotheses, streams)
            assert_identical(fields(score), fields(expected_score), (name, max_ngram_order))
            assert str(score) == str(expected_score), (name, max_ngram_order)
            assert_same_signature(metric, expected)


@cache
def small_corpora() -> dict[str, tuple[list[str], list[list[str]]]]:
    hypotheses, streams = corpus("ascii")
    return {
        "ordinary": (hypotheses[:12], [stream[:12] for stream in streams[:2]]),
        "identical": (hypotheses[:5], [hypotheses[:5]]),
        "disjoint": (["a b c d e f"], [["u v w x y z"]]),
        "no bigrams match": (["a x b y"], [["a b c d"]]),
        "two words": (["a b", "c"], [["a b c", "c"]]),
        "one word": (["a"], [["a"]]),
        "short hypothesis": (["a b c d e"], [["a b c d e f g h i j k"]]),
        "nothing said": (["", ""], [["a b", "c"]]),
        "nothing at all": ([""], [[""]]),
        "empty reference": (["a b c"], [[""]]),
    }


@pytest.mark.parametrize("tokenize", TOKENIZERS)
@pytest.mark.parametrize("kind", KINDS)
def test_corpus_scores_of_tokenizers(kind: str, tokenize: str) -> None:
    hypotheses, streams = corpus(kind)
    for lowercase, n_refs in ((False, 1), (True, 3)):
        options = {"tokenize": tokenize, "lowercase": lowercase}
        metric, expected = BLEU(**options), peer(**options)
        assert_same_score(
            metric.corpus_score(hypotheses, streams[:n_refs]),
            expected.corpus_score(hypotheses, streams[:n_refs]),
        )
        assert_same_signature(metric, expected)


@pytest.mark.parametrize("effective_order", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_segment_scores(kind: str, effective_order: bool) -> None:
    hypotheses, streams = corpus(kind)
    options: dict[str, Any] = {"effective_order": effective_order, "lowercase": kind == "german"}
    metric, expected = BLEU(**options), peer(**options)
    scores = metric.segment_scores(hypotheses, streams)
    assert scores.dtype == np.float64
    for i, texts in enumerate(zip(*streams, strict=True)):
        references = list(texts)
        expected_score = expected.sentence_score(hypotheses[i], references)
        assert_same_score(metric.sentence_score(hypotheses[i], references), expected_score)
        assert scores[i] == expected_score.score
    assert_same_signature(metric, expected)
    rows = metric.segment_stats(hypotheses, streams)
    assert metric.score_rows(rows).tolist() == scores.tolist()


@pytest.mark.parametrize(("method", "value"), SMOOTHING)
def test_segment_scores_of_smoothing(method: str, value: float | None) -> None:
    hypotheses, streams = corpus("quotes")
    for effective_order in (False, True):
        for max_ngram_order in (1, 4, 6):
            options: dict[str, Any] = {
                "smooth_method": method,
                "smooth_value": value,
                "effective_order": effective_order,
                "max_ngram_order": max_ngram_order,
                "tokenize": "none",
            }
            expected = peer(**options)
            expected_scores = [
                expected.sentence_score(hypothesis, list(texts)).score
                for hypothesis, *texts in zip(hypotheses, *streams[:2], strict=True)
            ]
            scores = BLEU(**options).segment_scores(hypotheses, streams[:2])
            assert scores.tolist() == expected_scores


def test_score_of_statistics() -> None:
    hypotheses, streams = corpus("mixed")
    metric, expected = BLEU(), peer()
    rows = metric.segment_stats(hypotheses, streams)
    score = expected.corpus_score(hypotheses, streams)
    assert_same_score(metric.score(rows), score)
    assert_same_score(metric.score(rows.sum(axis=0)), score)
    assert_same_score(metric.score(metric.corpus_stats(hypotheses, streams)), score)
    assert metric.corpus_stats(hypotheses, streams).tolist() == rows.sum(axis=0).tolist()


def test_score_leaves_the_statistics_alone() -> None:
    metric = BLEU(smooth_method="add-k", smooth_value=2)
    row = np.array([5, 6, 3, 1, 0, 0, 5, 4, 3, 2])
    before = row.tolist()
    metric.score(row)
    metric.score_rows(row[np.newaxis])
    assert row.tolist() == before


def test_signature_of_a_variable_number_of_references() -> None:
    hypotheses, streams = corpus("ascii")
    holed = with_gaps(Random("signature"), streams)
    metric, expected = BLEU(smooth_method="floor"), peer(smooth_method="floor")
    assert_same_score(
        metric.corpus_score(hypotheses, holed), expected.corpus_score(hypotheses, holed)
    )
    assert_same_signature(metric, expected)
    assert "nrefs:var" in str(metric.get_signature())


def test_signature_before_any_reference() -> None:
    for metric in (BLEU(), peer()):
        with pytest.raises(ValueError, match="Number of references unknown"):
            metric.get_signature()


@pytest.mark.parametrize("kind", KINDS)
def test_references_of_the_constructor(kind: str) -> None:
    hypotheses, streams = corpus(kind)
    metric, expected = BLEU(references=streams), peer(references=streams)
    for system in (hypotheses, streams[1], [""] * len(hypotheses)):
        assert_same_score(metric.corpus_score(system, None), expected.corpus_score(system, None))
    assert_same_signature(metric, expected)
    assert_same_score(
        BLEU().corpus_score(hypotheses, metric.prepare(streams)),
        expected.corpus_score(hypotheses, None),
    )


@pytest.mark.parametrize("kind", KINDS)
def test_functions(kind: str) -> None:
    hypotheses, streams = corpus(kind)
    assert_same_score(
        rapidbleu.corpus_bleu(hypotheses, streams), sacrebleu.corpus_bleu(hypotheses, streams)
    )
    for smooth_value in (0.1, 0.5):
        assert_same_score(
            rapidbleu.raw_corpus_bleu(hypotheses, streams, smooth_value),
            sacrebleu.raw_corpus_bleu(hypotheses, streams, smooth_value),
        )
    for hypothesis, *references in zip(hypotheses, *streams, strict=True):
        assert_same_score(
            rapidbleu.sentence_bleu(hypothesis, references),
            sacrebleu.sentence_bleu(hypothesis, references),
        )


def test_functions_with_options_by_position() -> None:
    hypotheses, streams = corpus("quotes")
    for options in (
        ("floor", 0.2, True, True, "intl", True),
        ("add-k", 2, False, False, "char", False),
        ("none", None, True, True, "zh", True),
    ):
        assert_same_score(
            rapidbleu.corpus_bleu(hypotheses, streams, *options),
            sacrebleu.corpus_bleu(hypotheses, streams, *options),
        )
        method, value, _, lowercase, tokenize, effective = options
        for hypothesis, *references in zip(hypotheses[:20], *streams, strict=False):
            sentence_options = (method, value, lowercase, tokenize, effective)
            assert_same_score(
                rapidbleu.sentence_bleu(hypothesis, references, *sentence_options),
                sacrebleu.sentence_bleu(hypothesis, references, *sentence_options),
            )


@pytest.mark.parametrize("language", ["", "de", "zh", "zh-CN"])
def test_tokenizer_of_the_target_language(language: str) -> None:
    hypotheses, streams = corpus("chinese")
    metric, expected = BLEU(trg_lang=language), peer(trg_lang=language)
    assert_same_score(
        metric.corpus_score(hypotheses, streams), expected.corpus_score(hypotheses, streams)
    )
    assert_same_signature(metric, expected)


@pytest.mark.parametrize("kind", KINDS)
def test_layout_and_threads_change_nothing(kind: str) -> None:
    hypotheses, streams = corpus(kind)
    holed = with_gaps(Random(f"layout {kind}"), streams)
    by_segment = [list(texts) for texts in zip(*holed, strict=True)]
    metric = BLEU()
    rows = metric.segment_stats(hypotheses, holed).tolist()
    assert metric.segment_stats(hypotheses, by_segment, layout="segment").tolist() == rows
    assert metric.segment_stats(hypotheses, holed, threads=3).tolist() == rows


def real_data(system: int) -> tuple[list[str], list[str]]:
    hypotheses, references = wmt17(system), wmt17_reference()
    if hypotheses is None or references is None:
        pytest.skip("no WMT17 data: set RAPIDBLEU_DATA to the folder that holds wmt17-en-de")
    return hypotheses, references


@cache
def wmt17_peer(tokenize: str) -> tuple[Any, Any]:
    references = [wmt17_reference()]
    options = {"tokenize": tokenize, "references": references}
    return BLEU(**options), peer(**options)


@pytest.mark.parametrize("system", few(range(N_WMT17_SYSTEMS), range(0, N_WMT17_SYSTEMS, 5)))
def test_wmt17_systems(system: int) -> None:
    hypotheses, _ = real_data(system)
    metric, expected = wmt17_peer("13a")
    rows = metric.segment_stats(hypotheses)
    expected_rows = expected._extract_corpus_statistics(hypotheses, None)
    assert rows.tolist() == expected_rows
    assert_same_score(metric.score(rows), expected._aggregate_and_compute(expected_rows))


@pytest.mark.slow
@pytest.mark.parametrize("tokenize", TOKENIZERS)
def test_wmt17_tokenizers(tokenize: str) -> None:
    hypotheses, _ = real_data(TOKENIZERS.index(tokenize))
    metric, expected = wmt17_peer(tokenize)
    assert_same_score(
        metric.corpus_score(hypotheses, None), expected.corpus_score(hypotheses, None)
    )


@pytest.mark.slow
def test_wmt17_with_other_systems_as_references() -> None:
    hypotheses, references = real_data(3)
    streams = [references, *(real_data(system)[0] for system in (5, 9))]
    assert_same_stats({"lowercase": True}, hypotheses[:1000], [stream[:1000] for stream in streams])


def test_wmt17_gold() -> None:
    hypotheses, references = real_data(0)
    score = BLEU().corpus_score(hypotheses, [references])
    if sys.version_info < (3, 12):  # later versions of sum() are compensated
        assert score.score == 26.59580468309487
    assert math.isclose(score.score, 26.59580468309487, rel_tol=1e-14)
    assert score.sys_len == 62496


@pytest.mark.parametrize("policy", oracle.REF_LEN_POLICIES)
def test_reference_length_policies(policy: str) -> None:
    hypotheses, streams = corpus("ascii")
    holed = with_gaps(Random(f"policy {policy}"), streams)
    expected = [
        oracle.segment_stats(
            hypothesis.split(), [text.split() for text in texts if text is not None], 4, policy
        )
        for hypothesis, *texts in zip(hypotheses, *holed, strict=True)
    ]
    rows = BLEU(tokenize="none", ref_len=policy).segment_stats(hypotheses, holed)
    assert rows.tolist() == expected


@pytest.mark.parametrize("effective_order", [False, True])
@pytest.mark.parametrize("weights", [(1.0,), (0.5, 0.5), (0.1, 0.2, 0.7), (0.4, 0.3, 0.2, 0.1)])
def test_weights(weights: tuple[float, ...], effective_order: bool) -> None:
    options: dict[str, Any] = {"weights": weights, "effective_order": effective_order}
    metric = BLEU(tokenize="none", max_ngram_order=len(weights), **options)
    hypotheses, streams = corpus("ascii")
    rows = metric.segment_stats(hypotheses, streams)
    corpus_row = oracle.corpus_stats(rows.tolist())
    scores = [*metric.score_rows(rows).tolist(), metric.corpus_score(hypotheses, streams).score]
    expected = [
        oracle.score_from_stats(row, **options).score for row in [*rows.tolist(), corpus_row]
    ]
    assert scores == pytest.approx(expected, rel=1e-12, abs=1e-300)
    assert any(expected)


@pytest.mark.parametrize("kind", KINDS)
def test_tokens_and_ids(kind: str) -> None:
    hypotheses, streams = corpus(kind)
    hypothesis_tokens = [text.split(" ") for text in hypotheses]
    reference_tokens = [[text.split(" ") for text in stream] for stream in streams]
    expected = [
        oracle.segment_stats(tokens, references)
        for tokens, *references in zip(hypothesis_tokens, *reference_tokens, strict=True)
    ]
    metric = BLEU()
    assert metric.segment_stats(hypothesis_tokens, reference_tokens).tolist() == expected

    ids: dict[str, int] = {}

    def to_ids(tokens: list[str]) -> list[int]:
        return [ids.setdefault(token, len(ids) * 7919 % 50_021) for token in tokens]

    hypothesis_ids = [to_ids(tokens) for tokens in hypothesis_tokens]
    reference_ids = [[to_ids(tokens) for tokens in stream] for stream in reference_tokens]
    assert len(set(ids.values())) == len(ids)
    assert metric.segment_stats(hypothesis_ids, reference_ids).tolist() == expected
    arrays = [[np.array(row) for row in stream] for stream in reference_ids]
    assert metric.segment_stats([np.array(row) for row in hypothesis_ids], arrays).tolist() == (
        expected
    )


def test_a_callable_as_tokenizer() -> None:
    def by_vowels(text: str) -> list[str]:
        return text.replace("a", " ").replace("e", " ").split(" ")

    def tokens(text: str) -> list[str]:
        return by_vowels(text.lower().rstrip())

    hypotheses, streams = corpus("german")
    expected = [
        oracle.segment_stats(tokens(hypothesis), [tokens(text) for text in texts])
        for hypothesis, *texts in zip(hypotheses, *streams, strict=True)
    ]
    metric = BLEU(tokenize=by_vowels, lowercase=True)
    assert metric.segment_stats(hypotheses, streams).tolist() == expected
