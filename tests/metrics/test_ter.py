"""TER: sacrebleu's edits, lengths and scores with ==, the oracle's, and all metric operations."""

import gc
import itertools
import pickle
from collections.abc import Sequence
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from rapidbleu import TER, TERScore, corpus_ter, sentence_ter
from rapidbleu.tokenizers.tercom import _pieces, tercom
from reference import ter as oracle
from support.corpora import (
    KINDS,
    N_WMT17_SYSTEMS,
    random_corpus,
    random_segments,
    with_gaps,
    wmt17,
    wmt17_reference,
)
from support.peers import need
from support.selection import few

sacrebleu = need("sacrebleu")

PARTS, FINE = 1862340480, 1882020540
NAMES = ("normalized", "no_punct", "asian_support", "case_sensitive")
OPTIONS = [
    dict(zip(NAMES, bits, strict=True)) for bits in itertools.product((False, True), repeat=4)
]
IDS = ["+".join(name for name in NAMES if options[name]) or "default" for options in OPTIONS]


def facts(score: Any) -> tuple[Any, ...]:
    return score.score, score.num_edits, score.ref_length, score.name, str(score)


def exact_length(row: Sequence[int]) -> Fraction:
    """Decode the mean reference length of a row."""
    return int(row[1]) + (int(row[2]) + Fraction(int(row[3]), FINE)) / PARTS


def shuffled(rng: Random, tokens: Sequence[str]) -> list[str]:
    """Return tokens with blocks moved, dropped, replaced and doubled."""
    tokens = list(tokens)
    for _ in range(rng.randint(0, 6)):
        if not tokens:
            break
        i, n, fate = rng.randrange(len(tokens)), rng.randint(1, 6), rng.random()
        block = tokens[i : i + n]
        if fate < 0.6:
            del tokens[i : i + n]
            i = rng.randint(0, len(tokens))
            tokens[i:i] = block
        elif fate < 0.7:
            del tokens[i : i + n]
        elif fate < 0.8:
            tokens[i:i] = block
        else:
            tokens[i] = rng.choice("abcxyz")
    return tokens


def random_pairs(seed: str, n: int, longest: int) -> list[tuple[list[str], list[list[str]]]]:
    """Return hypotheses that are reordered references, over small vocabularies."""
    rng = Random(seed)
    pairs = []
    for _ in range(n):
        words = [f"w{k}" for k in range(rng.choice((1, 2, 4, 20, 200)))]
        first = [rng.choice(words) for _ in range(rng.randint(0, longest))]
        refs = [shuffled(rng, first) for _ in range(rng.randint(1, 5))]
        if rng.random() < 0.1:
            refs.append(first[: rng.randint(0, 3)])
        hyp = shuffled(rng, first)
        pairs.append((hyp[: rng.randint(0, 3)] if rng.random() < 0.1 else hyp, refs))
    return pairs


@pytest.mark.parametrize("options", OPTIONS, ids=IDS)
@pytest.mark.parametrize("kind", few(KINDS, ["mixed"]))
def test_equal_to_sacrebleu(kind: str, options: dict[str, bool]) -> None:
    rng = Random(f"ter {kind}")
    hyps, refs = random_corpus(rng, 8, kind=kind, n_refs=3)
    short = [[text[:300] for text in stream] for stream in [hyps, *refs]]
    hyps, refs = short[0], short[1:]
    for streams in (refs[:1], refs[:2], refs, with_gaps(rng, refs)):
        ours, theirs = TER(**options), sacrebleu.TER(**options)
        rows = ours.segment_stats(hyps, streams).tolist()
        expected = theirs._extract_corpus_statistics(hyps, streams)
        assert [row[0] for row in rows] == [row[0] for row in expected]
        assert [float(exact_length(row)) for row in rows] == [row[1] for row in expected]
        expected_facts = facts(theirs._aggregate_and_compute(expected))
        assert facts(ours.corpus_score(hyps, streams)) == expected_facts
        assert facts(ours.score(rows)) == expected_facts
        theirs_signature = theirs.get_signature()
        for short_form in (False, True):
            assert (
                ours.get_signature().format(short_form).rsplit("|", 1)[0]
                == theirs_signature.format(short_form).rsplit("|", 1)[0]
            )
    given = [
        [stream[i] for stream in with_gaps(rng, refs) if stream[i] is not None]
        for i in range(len(hyps))
    ]
    for hyp, several in zip(hyps, given, strict=True):
        if several:
            expected_score = sacrebleu.TER(**options).sentence_score(hyp, several)
            assert facts(TER(**options).sentence_score(hyp, several)) == facts(expected_score)
            assert facts(sentence_ter(hyp, several, **options)) == facts(expected_score)
            assert facts(corpus_ter([hyp], [[ref] for ref in several], **options)) == facts(
                sacrebleu.corpus_ter([hyp], [[ref] for ref in several], **options)
            )


@pytest.mark.slow
@pytest.mark.parametrize(("longest", "n"), [(6, 300), (15, 150), (40, 25), (90, 5)])
def test_moves_equal_to_sacrebleu(longest: int, n: int) -> None:
    ter, theirs = TER(), sacrebleu.TER()
    for hyp, refs in random_pairs(f"moves {longest}", n, longest):
        texts = [" ".join(ref) for ref in refs]
        expected = theirs.sentence_score(" ".join(hyp), texts)
        assert facts(ter.sentence_score(" ".join(hyp), texts)) == facts(expected), (hyp, refs)


BEAMS = [
    (1, 49, 3),
    (1, 50, 3),
    (1, 51, 3),
    (1, 52, 3),
    (2, 101, 5),
    (3, 149, 5),
    (3, 160, 2),
    (1, 400, 3),
    (2, 400, 3),
    (5, 400, 9),
    (7, 351, 500),
    (400, 1, 3),
    (300, 5, 5),
    (26, 26, 5),
    (64, 65, 5),
    (60, 120, 2),
    (100, 60, 30),
    (90, 90, 200),
    (130, 130, 1),
]


@pytest.mark.parametrize("lengths", few(BEAMS, BEAMS[:14]), ids=str)
def test_beam_equal_to_sacrebleu(lengths: tuple[int, int, int]) -> None:
    n_hyp, n_ref, n_words = lengths
    rng = Random(f"{n_hyp} {n_ref}")
    ter, theirs = TER(), sacrebleu.TER()
    for _ in range(1 if min(n_hyp, n_ref) > 30 else 3):
        hyp = " ".join(f"w{rng.randrange(n_words)}" for _ in range(n_hyp))
        ref = " ".join(f"w{rng.randrange(n_words)}" for _ in range(n_ref))
        assert facts(ter.sentence_score(hyp, [ref])) == facts(theirs.sentence_score(hyp, [ref]))


@pytest.mark.parametrize(("n", "distance"), [(1, 24), (1, 49), (1, 50), (1, 51), (8, 50), (8, 51)])
def test_far_moves_equal_to_sacrebleu(n: int, distance: int) -> None:
    words = [f"w{k}" for k in range(90)]
    hyp = words[n : n + distance] + words[:n] + words[n + distance :]
    expected = sacrebleu.TER().sentence_score(" ".join(hyp), [" ".join(words)])
    assert facts(TER().sentence_score(" ".join(hyp), [" ".join(words)])) == facts(expected)
    assert expected.num_edits == (1 if distance <= 50 else 2 * n)


@pytest.mark.slow
@pytest.mark.parametrize("n", [8, 9, 10, 11, 12])
def test_long_blocks_equal_to_sacrebleu(n: int) -> None:
    words = [f"w{k}" for k in range(40)]
    hyp = words[n : 2 * n] + words[:n] + words[2 * n :]
    expected = sacrebleu.TER().sentence_score(" ".join(hyp), [" ".join(words)])
    assert facts(TER().sentence_score(" ".join(hyp), [" ".join(words)])) == facts(expected)
    assert (expected.num_edits == 1) == (n <= 10)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [22, 63, 452])
def test_most_candidates_equal_to_sacrebleu(seed: int) -> None:
    """So many possible moves that the search gives up; with 999 it would give up earlier."""
    rng = Random(seed)
    n, n_words = rng.randint(30, 70), rng.randint(3, 12)
    ref = [f"w{rng.randrange(n_words)}" for _ in range(n)]
    hyp = list(ref)
    rng.shuffle(hyp)
    expected = sacrebleu.TER().sentence_score(" ".join(hyp), [" ".join(ref)])
    assert facts(TER().sentence_score(" ".join(hyp), [" ".join(ref)])) == facts(expected)


@pytest.mark.parametrize("system", few(range(N_WMT17_SYSTEMS), range(0, N_WMT17_SYSTEMS, 5)))
def test_wmt17_equal_to_sacrebleu(system: int) -> None:
    hyps, ref = wmt17(system), wmt17_reference()
    if hyps is None or ref is None:
        pytest.skip("newstest2017 is not here")
    part = slice(system * 180, system * 180 + 60)  # another part for each system
    options = OPTIONS[system]
    theirs = sacrebleu.TER(**options).corpus_score(hyps[part], [ref[part]])
    assert facts(TER(**options).corpus_score(hyps[part], [ref[part]])) == facts(theirs)


PIECES = (
    "'s",
    "'s ",
    "'s\n",
    "s's",
    "'S ",
    "\n-",
    "-\n",
    "\n",
    "&quot;",
    "&amp;",
    "&lt;",
    "&gt;",
    "&amp;quot;",
    "&amp;lt;",
    "&AMP;",
    "1.",
    "1.2",
    ",",
    ".",
    "..",
    "1-2",
    "-",
    "\u3072\u3089\u304c\u306a",
    "\u30ab\u30bf\u30ab\u30ca",
    "\u31f0\u31f1",
    "\u30fb",
    "\u3002",
    "\u3001",
    "\u3008",
    "\u3011",
    "\u3014",
    "\u301f",
    "\uff61",
    "\uff65",
    "\uff0e",
    "\uff0c",
    "\uff1f",
    "\uff1a",
    "\uff1b",
    "\uff01",
    "\uff02",
    "\uff08",
    "\uff09",
    "\u6f22",
    "\u3400",
    "\u4dbf",
    "\u9fff",
    "\ua000",
    "\u3200",
    "\u32bf",
    "\u3300",
    "\u33ff",
    "\u8c48",
    "\ufaff",
    "\ufe30",
    "\ufe4f",
    "\u2e80",
    "\u2eff",
    "\u31c0",
    "\u31ef",
    "\u3f22",
    "\u3f23",
    "\u31bf",
    "\u31f0",
    "\u3000",
    "\u00a0",
    "\t",
    "\x0b",
    "\x1c",
    "\u0085",
    " ",
    "a",
    "B",
    "\u0130",
    "\u0391\u03a3",
    "\u00df",
    "(",
    ")",
    '"',
    "!",
    "?",
    ":",
    ";",
    "{",
    "~",
    "[",
    "`",
    "&",
    "@",
    "/",
    "\u2028",
    "\ud800",
    "\U00020000",
    "\0",
    "9",
    "\u0663",
)


@pytest.mark.parametrize("options", OPTIONS, ids=IDS)
def test_tokens_are_those_of_sacrebleu(options: dict[str, bool]) -> None:
    rng = Random("tercom")
    theirs = sacrebleu.TER(**options)
    ours = tercom(options["normalized"], options["no_punct"], options["asian_support"])
    texts = ["".join(rng.choices(PIECES, k=rng.randint(0, 12))) for _ in range(700)]
    texts += random_segments(rng, 40, kind="adversarial")
    ter = TER(**options)
    for text in texts:
        once = theirs._preprocess_segment(text)
        lower = text if options["case_sensitive"] else text.lower()
        assert ours(lower.rstrip()) == once.split()
        assert ter.corpus_stats(["none"], [[text]])[1] == len(
            theirs._preprocess_segment(once).split()
        )


@pytest.mark.parametrize("options", range(8))
def test_long_texts_are_tokenized_in_pieces(options: int) -> None:
    ours = tercom(*(bool(options & bit) for bit in (1, 2, 4)))
    rng = Random(f"pieces {options}")
    characters = [*"12as' .,-&;\n。我", "'s", "quot"]
    for _ in range(500):
        text = "".join(rng.choices(characters, k=rng.randrange(40)))
        expected = ours._spaced(text).split()
        for size in (1, 2, 7):
            assert "".join(map(ours._spaced, _pieces(text, size))).split() == expected


def test_references_are_normalized_twice() -> None:
    """A quirk of sacrebleu that its numbers depend on."""
    text = "Nima's, and 1..2"
    ter = TER(normalized=True)
    expected = sacrebleu.TER(normalized=True).sentence_score(text, [text])
    assert facts(ter.sentence_score(text, [text])) == facts(expected)
    assert expected.num_edits > 0
    theirs = sacrebleu.TER(normalized=True)
    scores = [theirs.sentence_score(text, [ref]).score for ref in (text, "a")]
    assert ter.pairwise([text], [text, "a"]).tolist() == [scores]
    assert ter.pairwise([text, "a"])[0].tolist() == scores
    assert ter.self_scores([text, text]).tolist() == [scores[0]] * 2
    assert ter.nbest_scores([[text]], [[text]]).tolist() == [scores[0]]
    prepared = ter.prepare([[text]])
    assert ter.corpus_score([text], prepared).score == scores[0]
    with pytest.raises(ValueError, match=r"hypotheses: expected text, as case:lc"):
        ter.pairwise(prepared, [text])
    assert TER().pairwise(TER().prepare([[text]]), [text]).tolist() == [[0.0]]


def test_there_is_one_tokenizer_for_each_set_of_options() -> None:
    tokenizer = tercom(normalized=True)
    assert tokenizer is TER(normalized=True).tokenizer
    assert pickle.loads(pickle.dumps(tokenizer)) is tokenizer
    assert repr(tokenizer) == "<tokenizer 'tercom normalized'>"


@pytest.mark.parametrize("longest", few([5, 12, 30], [5, 12]))
def test_equal_to_the_oracle(longest: int) -> None:
    pairs = random_pairs(f"oracle {longest}", 900 // longest, longest)
    hyps = [hyp for hyp, _ in pairs]
    refs = [several for _, several in pairs]
    rows = TER().segment_stats(hyps, refs, layout="segment").tolist()
    found = [(row[0], exact_length(row)) for row in rows]
    assert found == [oracle.stats(hyp, several) for hyp, several in pairs]


def test_identity_is_exact_for_long_tokens_and_ids() -> None:
    rng = Random("long tokens")
    words = ["a\0", "a", *("internationalization" * (1 + k % 3) + str(k) for k in range(12))]
    for _ in range(60):
        ref = rng.choices(words, k=rng.randint(0, 20))
        hyp = shuffled(rng, ref)
        expected = oracle.edits(hyp, ref)
        numbers = {word: (k - 6) * 2**59 for k, word in enumerate([*words, *"abcxyz"])}
        assert TER().segment_stats([hyp], [[ref]])[0, 0] == expected
        ids = [numbers[word] for word in hyp], [numbers[word] for word in ref]
        assert TER(case_sensitive=True).segment_stats([ids[0]], [[ids[1]]])[0, 0] == expected


@pytest.mark.parametrize("n_refs", [*range(1, 70), 97, 128, 255, 512, 640])
def test_rows_are_exact(n_refs: int) -> None:
    """Up to 42 references are exact; with more, the double still equals the quotient's."""
    rng = Random(n_refs)
    ter = TER()
    for _ in range(4):
        lengths = [rng.randint(1, 9) for _ in range(n_refs)]
        refs = [["w"] * n for n in lengths]
        row = ter.segment_stats([["w"]], [refs], layout="segment")[0]
        mean = Fraction(sum(lengths), n_refs)
        assert (row[2:] < 2**31).all()
        if n_refs <= 42:
            assert exact_length(row) == mean
        assert abs(exact_length(row) - mean) <= Fraction(1, 2 * PARTS * FINE)
        score = ter.score(row)
        assert score.ref_length == sum(lengths) / n_refs
        assert score.score == 100 * (score.num_edits / score.ref_length)


def test_sums_are_exact_and_corpora_add_as_sacrebleu_does() -> None:
    rng = Random("sums")
    hyps = [["w"]] * 3000
    refs = [[["w"] * rng.randint(0, 30) for _ in range(rng.randint(1, 7))] for _ in hyps]
    ter = TER()
    rows = ter.segment_stats(hyps, refs, layout="segment")
    means = [Fraction(sum(map(len, several)), len(several)) for several in refs]
    total = ter.corpus_stats(hyps, refs, layout="segment")
    assert (total == rows.sum(0)).all()
    assert exact_length(total) == sum(means)
    assert ter.score(total).ref_length == float(sum(means))  # the nearest double
    assert ter.score_rows(total[None])[0] == ter.score(total).score
    in_order = 0.0
    for mean in means:
        in_order += float(mean)
    assert in_order != float(sum(means))  # or the next lines would test nothing
    for threads in (1, 3):
        score = ter.corpus_score(hyps, refs, layout="segment", threads=threads)
        assert score.ref_length == in_order == ter.score(rows).ref_length
    assert abs(in_order - float(sum(means))) < 1e-9


@pytest.mark.parametrize("n_refs", [1, 2, 4, 8])
def test_powers_of_two_add_in_any_order(n_refs: int) -> None:
    rng = Random(n_refs)
    refs = [[["w"] * rng.randint(0, 30) for _ in range(n_refs)] for _ in range(2000)]
    ter = TER()
    hyps = [["w"]] * len(refs)
    rows = ter.segment_stats(hyps, refs, layout="segment")
    score = ter.corpus_score(hyps, refs, layout="segment")
    assert facts(score) == facts(ter.score(rows[::-1])) == facts(ter.score(rows.sum(0)))
    assert Fraction(score.ref_length) == Fraction(sum(len(r) for s in refs for r in s), n_refs)


@pytest.mark.parametrize(
    ("hyp", "refs", "score", "edits", "length"),
    [
        ("", [""], 0.0, 0, 0.0),
        ("a b", [""], 100.0, 2, 0.0),
        ("", ["a b"], 100.0, 2, 2.0),
        ("a", ["", "b c d"], 100 * (1 / 1.5), 1, 1.5),
        (" \u3000\t", ["\n"], 0.0, 0, 0.0),
        ("A", ["a"], 0.0, 0, 1.0),
        ("on the mat the cat sat", ["the cat sat on the mat"], 100 * (1 / 6), 1, 6.0),
    ],
)
def test_small_cases(hyp: str, refs: list[str], score: float, edits: int, length: float) -> None:
    found = TER().sentence_score(hyp, refs)
    assert (found.score, found.num_edits, found.ref_length) == (score, edits, length)
    assert facts(found) == facts(sacrebleu.TER().sentence_score(hyp, refs))


def test_score_object() -> None:
    score = TERScore(12.5, 1, 8.0)
    theirs = sacrebleu.metrics.TERScore(12.5, 1, 8.0)
    assert float(score) == 12.5
    for options in ({}, {"width": 4}, {"score_only": True}, {"is_json": True, "signature": "a:b"}):
        assert score.format(**options) == theirs.format(**options)
    assert vars(pickle.loads(pickle.dumps(score))) == vars(score)


RNG = Random("generic")
HYPS, REFS = random_corpus(RNG, 300, kind="mixed", n_refs=3)
HYPS, REFS = [t[:120] for t in HYPS], [[t[:120] for t in stream] for stream in REFS]


def test_resampled() -> None:
    """sacrebleu's resamples, which NumPy 2 sums and scores in single precision."""
    hyps, refs = HYPS[:60], [stream[:60] for stream in REFS[:2]]
    ours, theirs = TER(), sacrebleu.TER()
    score, expected = (m.corpus_score(hyps, refs, n_bootstrap=100) for m in (ours, theirs))
    assert (score.score, score.num_edits, score.ref_length) == facts(expected)[:3]
    assert score._mean == pytest.approx(expected._mean, rel=1e-6)
    assert score._ci == pytest.approx(expected._ci, rel=1e-4)
    signature = str(ours.get_signature()).rsplit("|", 1)[0]
    assert signature == str(theirs.get_signature()).rsplit("|", 1)[0]
    assert "|bs:100|seed:12345|" in signature


def test_long_segments_take_linear_time() -> None:
    rng = Random("long")
    ref = [f"w{rng.randrange(500)}" for _ in range(100_000)]
    hyp = ref[:40_000] + ref[40_003:40_009] + ref[40_000:40_003] + ref[40_009:]
    row = TER().segment_stats([hyp], [[ref]])[0]
    assert row.tolist() == [1, 100_000, 0, 0]
    row = TER().segment_stats([hyp * 2], [[ref]])[0]
    assert row[0] >= 100_000


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: TER().corpus_score(["a"]), ValueError, "expected references; got None"),
        (lambda: TER().corpus_score(["a"], [["a"]], layout="x"), ValueError, "layout: expected"),
        (lambda: TER().corpus_score([[1]], [[[1]]]), ValueError, "case"),
        (lambda: TER().score([1, 2, 3]), ValueError, r"expected shape \(4,\)"),
        (lambda: TER().score([1, -2, 3, 4]), ValueError, r"stats\[0\]\[1\]"),
        (
            lambda: TER().corpus_score(["a"], TER(normalized=True).prepare([["a"]])),
            ValueError,
            "expected references prepared for case:lc.tok:tercom.norm:no",
        ),
    ],
)
def test_bad_input(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


@pytest.mark.slow
def test_memory_is_given_back() -> None:
    tracemalloc = pytest.importorskip("tracemalloc")
    ter = TER()
    text = "a b c " * 20_000
    ter.sentence_score("a b", ["b a"])
    tracemalloc.start()
    try:
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        ter.sentence_score(text, [text + "x"])
        gc.collect()
        assert tracemalloc.get_traced_memory()[0] - before < 2_000_000
        assert tracemalloc.get_traced_memory()[1] < 60_000_000
    finally:
        tracemalloc.stop()
