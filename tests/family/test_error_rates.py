"""WER, CER, PER and CDER against slow oracles, jiwer and the papers."""

import math
from random import Random
from typing import Any

import numpy as np
import pytest

from rapidbleu import CDER, CER, PER, WER
from reference.family import edits as oracle
from support.corpora import random_corpus
from support.processes import repeat_at_lower_levels
from support.selection import few

LENGTHS = [0, 1, 2, 5, 20, 63, 64, 65, 70, 127, 128, 129, 200]
LONGS = [f"a-long-token-{i}" for i in range(6)]

# Hypothesis, reference, then hits, substitutions, deletions, insertions, edits of PER and of CDER.
EXAMPLES = [
    ("the cat sat on the mat", "the cat is on the mat", (5, 1, 0, 0), 1, 1),
    (
        "he read the book because he was interested in world history",
        "he was interested in world history because he read the book",
        (6, 0, 5, 5),
        0,
        4,
    ),
    ("a b c d x", "c d a b e f", (2, 2, 2, 1), 2, 5),
    ("the the the the the the the", "the cat is on the mat", (2, 4, 0, 1), 5, 5),
    ("b a a b a", "a b a", (3, 0, 0, 2), 2, 1),
    ("x", "x", (1, 0, 0, 0), 0, 0),
    ("a", "a b", (1, 0, 1, 0), 1, 1),
    ("", "a b", (0, 0, 2, 0), 2, 2),
    ("a b", "", (0, 0, 0, 2), 2, 1),
    ("", "", (0, 0, 0, 0), 0, 0),
]


def pairs(rng: Random, n: int, lengths: list[int] = LENGTHS) -> list[tuple[list[str], list[str]]]:
    """Return texts with much or little in common, of few or many words, short and long."""
    found = []
    for _ in range(n):
        words = [f"w{i}" for i in range(rng.choice([1, 2, 3, 10, 300]))]
        words += LONGS[: rng.randint(0, 6)]
        ref = rng.choices(words, k=rng.choice(lengths))
        hyp = list(ref) if rng.random() < 0.7 else rng.choices(words, k=rng.choice(lengths))
        for _ in range(rng.randint(0, 8)):
            at = rng.randint(0, len(hyp))
            hyp[at : at + rng.randint(0, 2)] = rng.choices(words, k=rng.randint(0, 2))
        if rng.random() < 0.3 and hyp:
            at = rng.randrange(len(hyp))
            hyp = hyp[at:] + hyp[:at]
        found.append((hyp, ref))
    return found


@pytest.mark.parametrize(("hyp", "ref", "counts", "per", "cder"), EXAMPLES)
def test_examples(hyp: str, ref: str, counts: Any, per: int, cder: int) -> None:
    n = len(ref.split())
    assert WER().segment_stats([hyp], [[ref]]).tolist() == [list(counts)]
    found = PER().sentence_score(hyp, [ref])
    assert (found.num_edits, found.ref_len) == (per, n)
    assert CDER().segment_stats([hyp], [[ref]]).tolist() == [[cder, n]]
    edits = sum(counts[1:])
    expected = edits / n * 100 if n else 100.0 * (edits > 0)
    assert WER().sentence_score(hyp, [ref]).score == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize("seed", few(range(6), [0]))
def test_counts_are_those_of_the_oracle(seed: int) -> None:
    texts = pairs(Random(seed), 60)
    hyps, refs = zip(*texts, strict=True)
    rows = WER().segment_stats(hyps, [refs])
    assert rows.tolist() == [list(oracle.counts(hyp, ref)) for hyp, ref in texts]
    rows = PER().segment_stats(hyps, [refs])
    longer = rows[:, 3] - rows[:, 0]
    assert list(zip(longer.tolist(), rows[:, 2].tolist(), strict=True)) == [
        oracle.per_row(hyp, ref) for hyp, ref in texts
    ]
    rows = CDER().segment_stats(hyps, [refs])
    assert rows.tolist() == [list(oracle.cder_row(hyp, ref)) for hyp, ref in texts]


@pytest.mark.slow
def test_the_portable_code_counts_the_same() -> None:
    repeat_at_lower_levels(__file__, "oracle or several or pairs")


def test_cder_is_the_cheapest_path() -> None:
    for hyp, ref in pairs(Random("path"), 60, [0, 1, 2, 3, 5, 7]):
        (row,) = CDER().segment_stats([hyp], [[ref]]).tolist()
        assert row[0] == oracle.cder_by_definition(hyp, ref)


def test_the_best_of_several_references() -> None:
    """Fewest edits, and the longest on ties."""
    rng = Random("several")
    texts = [[text for text, _ in pairs(rng, 4, [0, 1, 3, 8, 70])] for _ in range(80)]
    hyps, streams = [several[0] for several in texts], [[t[k] for t in texts] for k in (1, 2, 3)]
    rows = WER().segment_stats(hyps, streams)
    edits = rows[:, 1:].sum(axis=1)
    assert list(zip(edits.tolist(), rows[:, :3].sum(axis=1).tolist(), strict=True)) == [
        oracle.wer_stats(several[0], several[1:]) for several in texts
    ]
    rows = PER().segment_stats(hyps, streams)
    assert list(zip((rows[:, 3] - rows[:, 0]).tolist(), rows[:, 2].tolist(), strict=True)) == [
        oracle.per_stats(several[0], several[1:]) for several in texts
    ]
    rows = CDER().segment_stats(hyps, streams)
    assert rows.tolist() == [list(oracle.cder_stats(each[0], each[1:])) for each in texts]


@pytest.mark.slow
def test_long_texts_in_bands() -> None:
    rng = Random("bands")
    ref = [rng.choice("abcdefgh") for _ in range(2_600)]
    hyp = [token for token in ref if rng.random() > 0.1] + ref[:500]
    ((hits, substitutions, deletions, insertions),) = WER().segment_stats([hyp], [[ref]]).tolist()
    assert substitutions + deletions + insertions == oracle.distance(hyp, ref)
    assert hits + substitutions + deletions == len(ref)
    assert hits + substitutions + insertions == len(hyp)


def test_pairs_with_references_side_by_side() -> None:
    rng = Random("pairs")
    texts = [text for text, _ in pairs(rng, 60, [0, 1, 5, 20, 63, 64, 65])]
    matrix = WER().pairwise(texts, texts[:50])
    for i, j in [(rng.randrange(60), rng.randrange(50)) for _ in range(300)]:
        edits = oracle.distance(texts[i], texts[j])
        n = len(texts[j])
        assert matrix[i, j] == (100 * (edits / n) if n else 100.0 * (edits > 0))


def test_counts_are_those_of_jiwer() -> None:
    jiwer = pytest.importorskip("jiwer")
    hyps, (refs,) = random_corpus(Random("jiwer"), 400, kind="mixed", n_refs=1)
    kept = [i for i, ref in enumerate(refs) if ref.strip()]
    hyps, refs = [hyps[i] for i in kept], [refs[i] for i in kept]
    words = [" ".join(text.split()) for text in hyps], [" ".join(text.split()) for text in refs]
    found = jiwer.process_words(words[1], words[0])
    score = WER().corpus_score(words[0], [words[1]])
    counts = (found.hits, found.substitutions, found.deletions, found.insertions)
    assert (score.matches, score.substitutions, score.deletions, score.insertions) == counts
    assert score.score == 100 * found.wer
    of_characters = jiwer.process_characters(refs, hyps)
    score = CER().corpus_score(hyps, [refs])
    assert score.num_edits == of_characters.substitutions + of_characters.deletions + (
        of_characters.insertions
    )
    assert score.matches == of_characters.hits
    assert score.score == 100 * of_characters.cer
    for hyp, ref, row in zip(*words, WER().segment_stats(*words[:1], [words[1]]), strict=True):
        if ref:
            own = jiwer.process_words(ref, hyp)
            assert row.tolist() == [own.hits, own.substitutions, own.deletions, own.insertions]


@pytest.mark.parametrize("seed", few(range(8), [0]))
def test_alignments_are_those_of_rapidfuzz(seed: int) -> None:
    distance = pytest.importorskip("rapidfuzz.distance")
    for hyp, ref in pairs(Random(seed), 200, [*LENGTHS, 513, 800]):
        kinds = [edit.tag for edit in distance.Levenshtein.editops(ref, hyp)]
        (row,) = WER().segment_stats([hyp], [[ref]]).tolist()
        assert row[1:] == [kinds.count(kind) for kind in ("replace", "delete", "insert")]


@pytest.mark.parametrize("seed", few(range(8), [0]))
def test_characters_in_stripes(seed: int) -> None:
    """Characters of ASCII are numbered by their codes, all remaining ones by a hash."""
    rng = Random(f"stripes {seed}")
    alphabets = ["ab", "a\u00fc\u00df\u0416\u4e2d", "ab\0\x7f\x80\ud800\U0001f600", "\u00fc\u4e2d"]
    for n_hyp in (1, 63, 64, 65, 127, 129, 191, 193, 255, 256, 257, 300, 520):
        n_ref = rng.choice([65, 128, 129, 192, 193, 256, 257, 513])
        letters = rng.choice(alphabets)
        hyp, ref = ("".join(rng.choices(letters, k=n)) for n in (n_hyp, n_ref))
        if rng.random() < 0.5:
            hyp = ref[: n_hyp // 2] + hyp[n_hyp // 2 :] + ref[-5:]
        rows = CER().segment_stats([hyp], [[ref]]).tolist()
        assert rows == [list(oracle.counts(hyp, ref))], (hyp, ref)


@pytest.mark.parametrize("seed", few(range(8), [0]))
def test_long_texts_near_and_far_from_the_diagonal(seed: int) -> None:
    distance = pytest.importorskip("rapidfuzz.distance")
    rng = Random(f"diagonal {seed}")
    for share in (0, 0.001, 0.02, 0.05, 0.06, 0.1, 0.5):
        words = [f"w{i}" for i in range(rng.choice([2, 50, 3_000]))]
        ref = rng.choices(words, k=rng.choice([2_049, 2_300, 3_000, 4_096]))
        copies = [rng.choice([0, 2]) if rng.random() < share else 1 for _ in ref]
        hyp = [word for word, n in zip(ref, copies, strict=True) for _ in range(n)]
        at = rng.randrange(len(hyp))
        block = rng.choices(words, k=rng.choice([0, 1, 70, 400]))
        hyp[at : at + rng.choice([0, 1, 70, 400])] = block
        kinds = [edit.tag for edit in distance.Levenshtein.editops(ref, hyp)]
        expected = [kinds.count(kind) for kind in ("replace", "delete", "insert")]
        (row,) = WER().segment_stats([hyp], [[ref]]).tolist()
        assert row == [len(ref) - sum(expected[:2]), *expected]
        score = WER().align(hyp, [ref])
        assert [edit.kind for edit in score.edits if edit.kind != "equal"] == [
            {"replace": "substitute"}.get(kind, kind) for kind in kinds
        ]


def test_characters() -> None:
    hyp, ref = "  \u00fcber\u2003die Br\u00fccke ", "\u00dcber die  Br\u00fccke\n"
    for whitespace in (True, False):
        for strip in (True, False) if whitespace else (True,):
            cer = CER(whitespace=whitespace, strip=strip)
            own = [cer.tokenizer(text) for text in (hyp, ref)]
            expected = oracle.counts(*own)
            assert cer.segment_stats([hyp], [[ref]]).tolist() == [list(expected)]
    assert CER(lowercase=True).sentence_score("ABC", ["abc"]).score == 0


def test_forms_of_per() -> None:
    hyps, refs = ["a b c d", "a"], [["a b", "a b c"]]
    by_segment, of_corpus = PER(), PER(aggregate="corpus")
    assert by_segment.corpus_score(hyps, refs).score == 80.0
    score = of_corpus.corpus_score(hyps, refs)
    assert (score.score, score.num_edits, score.matches) == (40.0, 2, 3)
    rows = by_segment.segment_stats(hyps, refs)
    m, c, r, _ = rows.sum(axis=0).tolist()
    assert 1 - oracle.moses_per([m, c, r]) == pytest.approx(score.score / 100, rel=1e-6)
    assert of_corpus.segment_stats(hyps, refs).tolist() == rows.tolist()
    with pytest.raises(ValueError, match="aggregate: expected one of segments, corpus; got 'mo"):
        PER(aggregate="moses")  # type: ignore[arg-type]


def test_empty_references() -> None:
    for metric in (WER(), CER(), PER(), CDER()):
        assert metric.corpus_score(["a", "b"], [["", ""]]).score == 100
        assert metric.corpus_score(["", ""], [["", ""]]).score == 0
        assert metric.corpus_score(["a", "b"], [["", "b"]]).score == 100


def test_printed_scores() -> None:
    score = WER().corpus_score(["the cat sat on mat"], [["the cat sat on the mat"]])
    assert str(score) == "WER = 16.67 (S = 0 D = 1 I = 0 ref_len = 6)"
    assert (score.hyp_len, score.ref_len, score.num_edits) == (5, 6, 1)
    assert str(PER().corpus_score(["a"], [["b"]])) == "PER = 100.00"
    assert str(CDER().corpus_score(["a"], [["b"]])) == "CDER = 100.00"
    assert math.isclose(float(score), 100 / 6)


def test_tokens_that_collide_are_told_apart() -> None:
    ids = [[1, 2**32 + 1, -1, 2**63], [1, 2, 2**64 - 1]]
    assert WER().segment_stats([np.array([1, 2], np.int8)], [[ids[1]]]).tolist() == [[2, 0, 1, 0]]
    assert WER().segment_stats(ids[:1], [ids[1:]]).tolist() == [[2, 1, 0, 1]]
