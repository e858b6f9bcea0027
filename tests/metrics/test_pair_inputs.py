"""All pairs of every kind of input, and what is refused."""

import re
import subprocess
import sys
from random import Random
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, CHRF, TER, WER

HYPS = ["the cat sat on the mat", "the cat sat", "", "a dog", "it rained on the mat all day"]
REFS = ["the cat sat down on the mat", "the dog", "it rained all day"]


@pytest.fixture
def bleu() -> BLEU:
    return BLEU(effective_order=True)


# Tokens


TOKENS = [
    "a", "b", "ab", "abcdefgh", "abcdefghi", "abcdefghj", "Abcdefghi", "abcdefgh" * 9,
    "abcdefgh" * 8 + "abcdefgi", "internationalization", "\0", "\0\0", "a\0", "a\0b", "abcdefg\0",
    "", " ", "ä", "äöüß", "äöüßä", "日本語", "\ud800", "😀" * 3,
]  # fmt: skip


@pytest.mark.parametrize("n_refs", [5, 200])
def test_kinds_of_tokens(bleu: BLEU, n_refs: int) -> None:
    """Short and long tokens, with NUL, empty: numbered they give the same scores."""
    rng = Random(n_refs)
    texts = [
        rng.choices(TOKENS[: rng.choice((3, 9, len(TOKENS)))], k=rng.randrange(25))
        for _ in range(40 + n_refs)
    ]
    numbers = [[TOKENS.index(token) for token in text] for text in texts]
    expected = [[bleu.sentence_score(hyp, [ref]).score for ref in texts[40:]] for hyp in texts[:40]]
    assert bleu.pairwise(texts[:40], texts[40:]).tolist() == expected
    assert bleu.pairwise(numbers[:40], numbers[40:]).tolist() == expected
    assert bleu.pairwise(texts).tolist() == bleu.pairwise(numbers).tolist()
    assert bleu.self_scores(texts).tolist() == bleu.self_scores(numbers).tolist()


def test_ids_of_all_sizes(bleu: BLEU) -> None:
    edges = [0, 1, -1, 255, 256, 1 << 32, (1 << 32) + 1, (1 << 63) - 1, -(1 << 63), 0xFFFFFFFF]
    rng = Random(1)
    ids = [rng.choices(edges, k=rng.randrange(20)) for _ in range(60)]
    expected = [[bleu.sentence_score(hyp, [ref]).score for ref in ids] for hyp in ids]
    assert bleu.pairwise(ids).tolist() == expected
    unsigned = [[token % (1 << 64) for token in text] for text in ids]
    assert bleu.pairwise(unsigned, ids).tolist() == expected
    arrays = [np.array(text, np.int64) for text in ids]
    assert bleu.pairwise(arrays, unsigned).tolist() == expected
    assert bleu.self_scores(arrays).tolist() == bleu.self_scores(unsigned).tolist()


COLLISION = """
import os
key = "abcdefga"  # an odd number, as keys are
os.urandom = lambda n: (key.encode() * n)[:n]
from rapidbleu import BLEU, CHRF, TER, WER
tokens = [key + tail for tail in ("0", "00", "1234567", "12345678", "12345679")]
texts = [[token] for token in tokens] * 10 + [tokens, tokens[::-1]]
ids = [[tokens.index(token) for token in text] for text in texts]
bleu = BLEU(effective_order=True)
same = [
    bleu.pairwise(texts).tolist() == bleu.pairwise(ids).tolist(),
    bleu.pairwise(list(texts), texts[:9]).tolist() == bleu.pairwise(ids, ids[:9]).tolist(),
    bleu.self_scores(texts[45:]).tolist() == bleu.self_scores(ids[45:]).tolist(),
    [bleu.sentence_score(text, [texts[-1]]).score for text in texts]
    == [bleu.sentence_score(text, [ids[-1]]).score for text in ids],
]
print(same)
"""


def test_long_tokens_with_the_same_hash() -> None:
    """A product with zero is zero: tokens that begin with the key all hash to zero."""
    result = subprocess.run(
        [sys.executable, "-c", COLLISION], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[True, True, True, True]"


# Containers


def test_containers(bleu: BLEU) -> None:
    pa, pd, pl = (pytest.importorskip(name) for name in ("pyarrow", "pandas", "polars"))
    expected = bleu.pairwise(HYPS, REFS).tolist()
    own = bleu.self_scores(HYPS).tolist()
    makers = [tuple, np.array, lambda x: np.array(x, object), pd.Series, pl.Series, pa.array,
              lambda x: pa.array(x, pa.large_string()), lambda x: pa.array(x, pa.string_view()),
              lambda x: pa.chunked_array([x[:1], x[1:]]), lambda x: pa.array(x).dictionary_encode(),
              lambda x: bleu.prepare([x]), lambda x: [text.split() for text in x]]  # fmt: skip
    for make in makers[:-1]:
        for other in (list, make):
            assert bleu.pairwise(make(HYPS), other(REFS)).tolist() == expected
            assert bleu.pairwise(other(HYPS), make(REFS)).tolist() == expected
        assert bleu.mbr(make(HYPS)).tolist() == bleu.mbr(HYPS).tolist()
        assert bleu.self_scores(make(HYPS)).tolist() == own
    tokens = makers[-1]
    assert bleu.pairwise(tokens(HYPS), tokens(REFS)).tolist() == expected


def test_containers_of_groups(bleu: BLEU) -> None:
    pa, pd, pl = (pytest.importorskip(name) for name in ("pyarrow", "pandas", "polars"))
    expected = bleu.pairwise(HYPS).tolist()
    two = [HYPS, HYPS]
    for groups in (tuple(two), np.array(two), np.array(two, object), [tuple(HYPS), np.array(HYPS)],
                   [pa.array(HYPS), pd.Series(HYPS)], [pl.Series(HYPS)] * 2):  # fmt: skip
        found = bleu.pairwise(groups, groups=True)
        assert [matrix.tolist() for matrix in found] == [expected] * 2
    tokens = [text.split() for text in HYPS]
    assert bleu.pairwise([tokens, tokens], groups=True)[1].tolist() == expected


def test_prepared_references(bleu: BLEU) -> None:
    """One text for each segment, whichever stream it is from; the same object as both sides."""
    hyps = bleu.prepare([HYPS])
    streams: Any = [[HYPS[0], None, HYPS[2], None, None], [None, HYPS[1], None, *HYPS[3:]]]
    expected = bleu.pairwise(HYPS).tolist()
    for again in (hyps, bleu.prepare(streams), bleu.prepare([[x] for x in HYPS], layout="segment")):
        assert bleu.pairwise(again).tolist() == expected
        assert bleu.pairwise(hyps, again).tolist() == expected
        assert bleu.self_scores(again).tolist() == bleu.self_scores(HYPS).tolist()
    same_tokenizer = BLEU(max_ngram_order=2)
    assert same_tokenizer.pairwise(hyps).tolist() == same_tokenizer.pairwise(HYPS).tolist()


# What is refused


def refuse(error: type[Exception], message: str, call: Any, *args: Any, **options: Any) -> None:
    """The call must raise exactly this type of error, with a message that begins like this."""
    with pytest.raises(error, match="^" + re.escape(message)) as caught:
        call(*args, **options)
    assert caught.type is error


METHODS = ("pairwise", "mbr", "self_scores")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("error", "message", "hyps"),
    [
        (TypeError, "hypotheses: expected a sequence of segments, got NoneType", None),
        (TypeError, "hypotheses: expected a sequence of segments, got a single str", "a b"),
        (TypeError, "hypotheses: expected a sequence of segments, got dict", {"a": "b"}),
        (TypeError, "hypotheses: expected a sequence of segments, got set", {"a", "b"}),
        (TypeError, "hypotheses: expected a sequence of segments, got bytes", b"ab"),
        (ValueError, "hypotheses: expected at least one segment, got none", []),
        (TypeError, "hypotheses[1]: expected str, got NoneType", ["a", None]),
        (TypeError, "hypotheses[2]: expected str, got list", ["a", "b", ["c"]]),
        (TypeError, "hypotheses[1]: expected list of str tokens, got str", [["a"], "b"]),
        (TypeError, "hypotheses[1][1]: expected str, got int", [["a"], ["b", 1]]),
        (TypeError, "hypotheses[1][0]: expected int, got str", [[1], ["b"]]),
        (ValueError, "hypotheses[1][0]: expected an id of 64 bits", [[1], [1 << 64]]),
        (ValueError, "hypotheses: expected at least one segment, got none", np.array([], str)),
    ],
)
def test_bad_hypotheses(bleu: BLEU, method: str, error: Any, message: str, hyps: Any) -> None:
    refuse(error, message, getattr(bleu, method), hyps)


@pytest.mark.parametrize("method", METHODS[:2])
@pytest.mark.parametrize(
    ("error", "message", "refs"),
    [
        (TypeError, "references: expected a sequence of segments, got a single str", "a b"),
        (ValueError, "references: expected at least one segment, got none", ()),
        (TypeError, "references[1]: expected str, got NoneType", ["a", None]),
        (TypeError, "references: expected segments of str as in hypotheses, got list of", [REFS]),
        (TypeError, "references: expected segments of str as in hypotheses, got list of", [[1]]),
        (ValueError, "references: expected one text for each segment, got <References of 3 "
                     "segments, 2 each", BLEU().prepare([REFS, REFS])),
        (ValueError, "references: expected one text for each segment, got <References of 1 "
                     "segments, 2 each", BLEU().prepare([["a", "b"]], layout="segment")),
        (ValueError, "references: expected one text for each segment, got <References of 2 "
                     "segments, a varying", BLEU().prepare([["a", "b"], ["a", None]])),
        (ValueError, "references: expected references prepared for tok:13a|case:mixed, got others",
         BLEU(tokenize="char").prepare([REFS])),
        (ValueError, "references: expected references prepared for tok:13a|case:mixed, got others",
         BLEU(lowercase=True).prepare([REFS])),
    ],
)  # fmt: skip
def test_bad_references(bleu: BLEU, method: str, error: Any, message: str, refs: Any) -> None:
    refuse(error, message, getattr(bleu, method), HYPS, refs)


@pytest.mark.parametrize(
    ("error", "message", "groups"),
    [
        (ValueError, "hypotheses: expected at least one group, got none", []),
        (TypeError, "hypotheses: expected a sequence of lists of segments, got NoneType", None),
        (TypeError, "hypotheses: expected a sequence of lists of segments, got Ref",
         BLEU().prepare([HYPS])),
        (TypeError, "hypotheses[0]: expected a list of segments, got a single str", HYPS),
        (TypeError, "hypotheses[1]: expected a sequence of segments, got NoneType", [HYPS, None]),
        (ValueError, "hypotheses[1]: expected at least one segment, got none", [HYPS, []]),
        (TypeError, "hypotheses[1][1]: expected str, got NoneType", [HYPS, ["a", None]]),
        (TypeError, "hypotheses[1][0]: expected str, got int", [HYPS, [1, 2]]),
        (TypeError, "hypotheses[2][1][1]: expected str, got int",
         [[["a"], []], [["a"], []], [["a"], ["b", 1]]]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("method", METHODS)
def test_bad_groups(bleu: BLEU, method: str, error: Any, message: str, groups: Any) -> None:
    refuse(error, message, getattr(bleu, method), groups, groups=True)


def test_groups_that_do_not_fit(bleu: BLEU) -> None:
    for call in (bleu.pairwise, bleu.mbr):
        refuse(ValueError, "references: expected 2 groups, as many as of hypotheses, got 1",
               call, [HYPS, HYPS], [REFS], groups=True)  # fmt: skip
        refuse(ValueError, "references[1]: expected at least one segment, got none",
               call, [HYPS, HYPS], [REFS, []], groups=True)  # fmt: skip
    refuse(ValueError, "hypotheses: expected at least two segments, got 1", bleu.self_scores, ["a"])
    refuse(ValueError, "hypotheses[1]: expected at least two segments, got 1",
           bleu.self_scores, [HYPS, ["a"]], groups=True)  # fmt: skip


@pytest.mark.parametrize(
    ("error", "message", "weights"),
    [
        (ValueError, "weights: expected shape (3,), got (2,)", [1, 2]),
        (ValueError, "weights: expected one dimension, got 2", np.ones((3, 1))),
        (ValueError, "weights: expected one dimension, got 0", 1.0),
        (TypeError, "weights: expected numbers, got bool", [True, True, False]),
        (TypeError, "weights: expected numbers, got complex128", [1j, 1, 1]),
        (TypeError, "weights: expected numbers, got object", [1, None, 1]),
        (TypeError, f"weights: expected numbers, got {np.array('abc').dtype}", "abc"),
        (ValueError, "weights: expected numbers of at least 0", [1, 2, float("nan")]),
        (ValueError, "weights: expected numbers of at least 0", [1, 2, float("inf")]),
        (ValueError, "weights: expected numbers of at least 0", [1, 2, -1e-9]),
        (ValueError, "weights: expected numbers of at least 0", [0, 0, 0]),
    ],
)
def test_bad_weights(bleu: BLEU, error: Any, message: str, weights: Any) -> None:
    refuse(error, message, bleu.mbr, HYPS, REFS, weights)
    if weights is not None and not isinstance(weights, (str, float)):
        refuse(error, message.replace("weights", "weights[1]", 1), bleu.mbr, [HYPS, HYPS],
               [REFS, REFS], [[1, 1, 1], weights], groups=True)  # fmt: skip


def test_other_bad_options(bleu: BLEU) -> None:
    refuse(ValueError, "weights: expected 2 groups, got 1", bleu.mbr, [HYPS, HYPS], None,
           [[1] * 5], groups=True)  # fmt: skip
    for method in METHODS:
        call = getattr(bleu, method)
        refuse(ValueError, "threads: expected 0 for all cores", call, HYPS, threads=-1)
        refuse(TypeError, "threads: expected int, got str", call, HYPS, threads="2")
        lower = getattr(BLEU(lowercase=True), method)
        refuse(ValueError, "lowercase: integer ids have no case", lower, [[1], [2]])


def test_errors_of_a_tokenizer() -> None:
    """The error comes through, and the metric scores on."""

    def tokenize(text: str) -> list[str]:
        if text == "bad":
            raise RuntimeError(text)
        return text.split()

    bleu = BLEU(tokenize=tokenize, effective_order=True)
    for method in METHODS:
        with pytest.raises(RuntimeError, match="bad"):
            getattr(bleu, method)(["a", "bad"], threads=2)
        assert len(getattr(bleu, method)(["a", "b"])) == 2


# Lists of texts that look like tokens

GROUPS = [["a b", "b c"], ["c", "d"]]
ALL = ("pairwise", "mbr", "select", "self_scores")


@pytest.mark.parametrize("metric", [BLEU(effective_order=True), TER(), WER()], ids=repr)
@pytest.mark.parametrize("method", ALL)
def test_lists_of_texts_want_a_decision(metric: Any, method: str) -> None:
    call = getattr(metric, method)
    message = (
        r"hypotheses\[0\]\[0\]: expected a token without white space, got 'a b'; "
        r"groups=True reads lists as groups of texts, groups=False as tokens"
    )
    with pytest.raises(ValueError, match=message):
        call(GROUPS)
    assert len(call(GROUPS, groups=True)) == 2
    call(GROUPS, groups=False)


@pytest.mark.parametrize(
    ("groups", "place"),
    [
        ([["yes", "no"], ["it rains", "it rained"]], r"hypotheses\[1\]\[0\]: .* 'it rains'"),
        ((("yes", "it\trains"), ()), r"hypotheses\[0\]\[1\]: .* 'it\\trains'"),
        ([[], ["a", "b", "c\u3000d"]], r"hypotheses\[1\]\[2\]"),
        ([np.array(["a", "b c"]), ["d"]], r"hypotheses\[0\]\[1\]"),
        (np.array([["a", "b"], ["c", "d e"]]).tolist(), r"hypotheses\[1\]\[1\]"),
    ],
)
def test_texts_are_found_anywhere_in_lists(groups: Any, place: str) -> None:
    for metric in (BLEU(effective_order=True), CHRF(), TER()):
        with pytest.raises(ValueError, match=place):
            metric.select(groups)
    with pytest.raises(ValueError, match=place.replace("hypotheses", "references")):
        TER().mbr([["a"]], groups)


def test_tokens_with_white_space_need_groups_false(bleu: BLEU) -> None:
    tokens = [["New York", "is", "big"], ["New York", "was", "big"], ["York", "is", "big"]]
    ids = [[0, 1, 2], [0, 3, 2], [4, 1, 2]]
    for method in ALL:
        call = getattr(bleu, method)
        assert np.array_equal(call(tokens, groups=False), call(ids))
        assert np.array_equal(call(ids, groups=False), call(ids))


def test_other_tokens_need_no_decision(bleu: BLEU) -> None:
    """Tokens of models begin with a space, or are nothing else."""
    tokens = [[" the", " cat", "s", "\n\n"], ["the ", " ", "", "▁cat"], ["the\0cat", "日本語"]]
    for method in ALL:
        call = getattr(bleu, method)
        assert np.array_equal(call(tokens), call(tokens, groups=False))
        assert np.array_equal(call(HYPS), call(HYPS, groups=False))


@pytest.mark.parametrize("groups", [None, False])
def test_segments_of_two_kinds_stay_what_is_wrong(bleu: BLEU, groups: Any) -> None:
    """Where references are texts, the message of lists of texts is about the kinds."""
    with pytest.raises(TypeError, match="references: expected segments of str as in hypotheses"):
        bleu.pairwise(HYPS, [REFS], groups=groups)
    for call in (
        lambda: bleu.corpus_score([HYPS], [REFS]),
        lambda: bleu.segment_scores([HYPS], [REFS]),
        lambda: bleu.nbest_scores([HYPS], REFS, segments=[0]),
        lambda: bleu.sentence_score(HYPS, REFS),
        lambda: bleu.running([REFS], [HYPS] * 3),
    ):
        with pytest.raises((TypeError, ValueError), match=r"references|hypothes"):
            call()
