"""Every accepted form of input returns the rows of plain lists; pickled references are checked."""

import array
import copy
import os
import pickle
import random
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, CHRF, References, sentence_bleu
from rapidbleu._core.text.tokenize import restore
from rapidbleu.tokenizers import get_tokenizer
from reference import bleu as oracle
from support.corpora import nasty, random_corpus, with_gaps
from support.peers import need

N = 60
RNG = Random("inputs")
HYPS, REFS = random_corpus(RNG, N, kind="mixed", n_refs=3)
GAPS = with_gaps(RNG, REFS)
BY_SEGMENT = [[stream[i] for stream in REFS] for i in range(N)]
GAPS_BY_SEGMENT = [[stream[i] for stream in GAPS] for i in range(N)]
PRESENT_BY_SEGMENT = [[text for text in texts if text is not None] for texts in GAPS_BY_SEGMENT]
TOKENS = [get_tokenizer("13a")(text.rstrip()) for text in HYPS]
REF_TOKENS = [[get_tokenizer("13a")(text.rstrip()) for text in stream] for stream in REFS]
WORDS = {word for stream in [TOKENS, *REF_TOKENS] for tokens in stream for word in tokens}
NUMBERS = {word: i for i, word in enumerate(sorted(WORDS))}


def rows(hypotheses: Any, references: Any, *, layout: str = "stream", **options: Any) -> Any:
    return BLEU(**options).segment_stats(hypotheses, references, layout=layout).tolist()


EXPECTED = rows(HYPS, REFS)
EXPECTED_WITH_GAPS = rows(HYPS, GAPS)


def ids(streams: list[list[list[str]]], convert: Callable[[list[int]], Any]) -> list[list[Any]]:
    return [[convert([NUMBERS[token] for token in tokens]) for tokens in s] for s in streams]


class Texts(Sequence[Any]):
    def __init__(self, items: Sequence[Any]) -> None:
        self._items = items

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, index: Any) -> Any:
        return self._items[index]


class Lines:
    """A sequence without the base class."""

    def __init__(self, items: Sequence[Any]) -> None:
        self._items = items

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, index: int) -> Any:
        return self._items[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)


class Text(str):
    """A str subclass."""


def test_plain_lists_give_the_rows_of_the_paper() -> None:
    for row, hyp, *refs in zip(EXPECTED, TOKENS, *REF_TOKENS, strict=True):
        assert row == oracle.segment_stats(hyp, refs)
    assert EXPECTED != EXPECTED_WITH_GAPS


def numpy_variable(texts: list[Any]) -> Any:
    string_type: Any = getattr(getattr(np, "dtypes", None), "StringDType", None)
    if string_type is None:
        pytest.skip("NumPy is older than 2")
    return np.array(texts, dtype=string_type())


COLUMNS: dict[str, Callable[[list[Any]], Any]] = {
    "tuple": tuple,
    "Sequence": Texts,
    "sequence by duck": Lines,
    "str subclass": lambda texts: [Text(text) for text in texts],
    "NumPy object": lambda texts: np.array(texts, dtype=object),
    "NumPy StringDType": numpy_variable,
    "pandas object": lambda texts: need("pandas").Series(texts, dtype=object),
    "pandas str": lambda texts: need("pandas").Series(texts, dtype="str"),
    "pandas string": lambda texts: need("pandas").Series(texts, dtype="string"),
    "pandas Arrow": lambda texts: need("pandas").Series(
        texts, dtype=need("pandas").ArrowDtype(need("pyarrow").string())
    ),
    "pandas categorical": lambda texts: need("pandas").Series(texts, dtype="category"),
    "pandas odd index": lambda texts: need("pandas").Series(texts, index=range(len(texts), 0, -1)),
    "polars": lambda texts: need("polars").Series(texts),
    "polars categorical": lambda texts: need("polars").Series(
        texts, dtype=need("polars").Categorical
    ),
    "Arrow string": lambda texts: need("pyarrow").array(texts, "string"),
    "Arrow large_string": lambda texts: need("pyarrow").array(texts, "large_string"),
    "Arrow string_view": lambda texts: need("pyarrow").array(texts, "string_view"),
    "Arrow dictionary": lambda texts: need("pyarrow").array(texts).dictionary_encode(),
    "Arrow slice": lambda texts: need("pyarrow").array(["", *texts, "x"]).slice(1, len(texts)),
    "Arrow chunks": lambda texts: need("pyarrow").chunked_array(
        [texts[:7], [], texts[7:8], texts[8:]], "string"
    ),
    "Arrow chunks of dictionaries": lambda texts: need("pyarrow").chunked_array(
        [need("pyarrow").array(part).dictionary_encode() for part in (texts[:9], texts[9:])]
    ),
}


NEVER_NULL = {"str subclass", "NumPy StringDType"}


@pytest.mark.parametrize("form", COLUMNS)
def test_columns_of_text(form: str) -> None:
    make = COLUMNS[form]
    assert rows(make(HYPS), [make(stream) for stream in REFS]) == EXPECTED
    assert rows(make(HYPS), REFS) == EXPECTED
    assert rows(HYPS, [REFS[0], make(REFS[1]), REFS[2]]) == EXPECTED


@pytest.mark.parametrize("form", sorted(COLUMNS.keys() - NEVER_NULL))
def test_columns_of_text_with_missing_references(form: str) -> None:
    make = COLUMNS[form]
    assert rows(HYPS, [make(stream) for stream in GAPS]) == EXPECTED_WITH_GAPS


def test_numpy_unicode() -> None:
    """Fixed-width arrays lose trailing NULs, so compare with their contents."""
    arrays = [np.array(stream) for stream in REFS]
    assert arrays[0].dtype.kind == "U"
    texts = [stream.tolist() for stream in arrays]
    assert rows(np.array(HYPS), arrays) == rows(np.array(HYPS).tolist(), texts)
    assert rows(np.array(HYPS), np.array(REFS)) == rows(np.array(HYPS).tolist(), texts)
    assert rows(list(np.array(HYPS)), [list(stream) for stream in arrays]) == rows(
        np.array(HYPS).tolist(), texts
    )


def test_array_of_streams() -> None:
    assert rows(HYPS, np.array(REFS, dtype=object)) == EXPECTED
    assert rows(HYPS, np.array(BY_SEGMENT, dtype=object), layout="segment") == EXPECTED


@pytest.mark.parametrize("outer", [list, tuple, Texts, Lines])
@pytest.mark.parametrize("inner", [list, tuple, Texts, Lines])
def test_references_by_segment(outer: Any, inner: Any) -> None:
    nested = outer([inner(texts) for texts in BY_SEGMENT])
    assert rows(HYPS, nested, layout="segment") == EXPECTED
    nested = outer([inner(texts) for texts in PRESENT_BY_SEGMENT])
    assert rows(HYPS, nested, layout="segment") == EXPECTED_WITH_GAPS
    nested = outer([inner(texts) for texts in GAPS_BY_SEGMENT])
    assert rows(HYPS, nested, layout="segment") == EXPECTED_WITH_GAPS


LISTS: dict[str, Callable[[list[list[Any]]], Any]] = {
    "Arrow list": lambda nested: need("pyarrow").array(nested),
    "Arrow large_list": lambda nested: need("pyarrow").array(
        nested, need("pyarrow").large_list(need("pyarrow").large_string())
    ),
    "Arrow list of views": lambda nested: need("pyarrow").array(
        nested, need("pyarrow").list_(need("pyarrow").string_view())
    ),
    "Arrow list slice": lambda nested: need("pyarrow").array([["x"], *nested, [None]]).slice(1, N),
    "Arrow list chunks": lambda nested: need("pyarrow").chunked_array(
        [nested[:11], nested[11:12], nested[12:]]
    ),
    "polars list": lambda nested: need("polars").Series(nested),
}


@pytest.mark.parametrize("form", LISTS)
def test_list_columns_of_references(form: str) -> None:
    make = LISTS[form]
    assert rows(HYPS, make(BY_SEGMENT)) == EXPECTED
    assert rows(HYPS, make(BY_SEGMENT), layout="segment") == EXPECTED
    assert rows(HYPS, make(PRESENT_BY_SEGMENT)) == EXPECTED_WITH_GAPS
    assert rows(HYPS, make(GAPS_BY_SEGMENT)) == EXPECTED_WITH_GAPS


def test_fixed_size_list_column_of_references() -> None:
    pa = need("pyarrow")
    fixed = pa.list_(pa.string(), 3)
    assert rows(HYPS, pa.array(BY_SEGMENT, fixed)) == EXPECTED
    assert rows(HYPS, pa.array(GAPS_BY_SEGMENT, fixed)) == EXPECTED_WITH_GAPS
    assert rows(HYPS[3:], pa.array(BY_SEGMENT, fixed).slice(3)) == EXPECTED[3:]


@pytest.mark.parametrize("make", [list, tuple, Texts, Lines, lambda t: np.array(t, dtype=object)])
def test_lists_of_tokens(make: Any) -> None:
    hyps = [make(tokens) for tokens in TOKENS]
    refs = [[make(tokens) for tokens in stream] for stream in REF_TOKENS]
    assert rows(hyps, refs) == EXPECTED
    assert rows(tuple(hyps), list(zip(*refs, strict=True)), layout="segment") == EXPECTED
    assert rows(hyps, BLEU().prepare(refs)) == EXPECTED


def test_tokens_with_missing_references() -> None:
    refs = [
        [None if text is None else tokens for text, tokens in zip(texts, stream, strict=True)]
        for texts, stream in zip(GAPS, REF_TOKENS, strict=True)
    ]
    assert rows(TOKENS, refs) == EXPECTED_WITH_GAPS


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("segments", [HYPS, TOKENS], ids=["text", "tokens"])
def test_streams_without_any_reference(segments: Any, place: int) -> None:
    streams: list[Any] = [segments[::-1], segments]
    expected = rows(segments, streams)
    streams.insert(place, [None] * len(segments))
    bleu = BLEU()
    assert bleu.segment_stats(segments, streams).tolist() == expected
    assert bleu.num_refs == 2
    assert rows(segments, bleu.prepare(streams)) == expected


def test_tokens_are_taken_as_they_are() -> None:
    odd = ["a b", "", " ", "x.", "\x00", "\ud800", "&amp;", "é" * 40]
    assert rows([odd], [[odd]]) == [[8, 8, 8, 7, 6, 5, 8, 7, 6, 5]]
    assert rows([odd], [[odd[::-1]]]) == [[8, 8, 8, 0, 0, 0, 8, 7, 6, 5]]
    upper = [[token.upper() for token in tokens] for tokens in TOKENS]
    lower = [[token.upper().lower() for token in tokens] for tokens in TOKENS]
    assert rows(upper, [lower], lowercase=True) == rows(lower, [lower])


@pytest.mark.parametrize("make", [list, tuple, Texts, np.array, Lines])
def test_lists_of_ids(make: Any) -> None:
    hyps, *refs = ids([TOKENS, *REF_TOKENS], make)
    assert rows(hyps, refs) == EXPECTED
    assert rows(hyps, BLEU().prepare(refs)) == EXPECTED


@pytest.mark.parametrize("letter", "bhilqBHILQ")
def test_id_arrays_of_every_type(letter: str) -> None:
    small = [[number % 100 for number in each] for each in ids([TOKENS], list)[0]]
    reference = [numbers[::2] + numbers[1::2] for numbers in small]
    expected = rows(small, [reference])
    for make in (lambda n: np.array(n, dtype=letter), lambda n: array.array(letter, n)):
        arrays = [make(numbers) for numbers in small]
        assert rows(arrays, [[make(numbers) for numbers in reference]]) == expected
        assert rows(arrays, [reference]) == expected


@pytest.mark.parametrize(
    "make",
    [
        lambda n: np.repeat(n, 2)[::2],
        lambda n: np.array(n[::-1], dtype=np.int32)[::-1],
        lambda n: np.array(n, dtype=">i4"),
        lambda n: np.array(n, dtype=object),
        lambda n: [np.int64(number) for number in n],
    ],
    ids=["strided", "reversed", "big-endian", "object", "list of NumPy integers"],
)
def test_unusual_id_arrays(make: Any) -> None:
    hyps, *refs = ids([TOKENS, *REF_TOKENS], lambda n: make(n) if n else [])
    assert rows(hyps, refs) == EXPECTED


def test_ids_of_all_64_bits() -> None:
    extreme = [0, -1, 1, -(2**63), 2**63 - 1, 2**63 - 2, -2, 2**32, 2**32 + 1, -(2**32)]
    n = len(extreme)
    complete = [n, n, n, n - 1, n - 2, n - 3, n, n - 1, n - 2, n - 3]
    assert rows([extreme], [[extreme]]) == [complete]
    assert rows([np.array(extreme)], [[extreme]]) == [complete]
    assert rows([np.array(extreme)], [[extreme[::-1]]])[0][2:4] == [n, 0]
    assert rows([[2**64 - 1, 2**63]], [[np.array([2**64 - 1, 2**63], dtype=np.uint64)]])[0][2] == 2


def test_matrix_of_ids() -> None:
    matrix = np.arange(12).reshape(3, 4) % 5
    assert rows(matrix, [matrix]) == rows(matrix.tolist(), [matrix.tolist()])


def test_callables_as_tokenizers() -> None:
    thirteen_a = get_tokenizer("13a")
    assert rows(HYPS, REFS, tokenize=lambda text: thirteen_a(text)) == EXPECTED
    assert rows(HYPS, REFS, tokenize=lambda text: tuple(thirteen_a(text))) == EXPECTED
    assert rows(HYPS, REFS, tokenize=lambda text: " ".join(thirteen_a(text))) == EXPECTED
    assert rows(HYPS, REFS, tokenize=str.split) == rows(HYPS, REFS, tokenize="none")
    expected = rows(HYPS, REFS, tokenize="char", lowercase=True)
    characters = get_tokenizer("char")
    assert rows(HYPS, REFS, tokenize=lambda text: characters(text), lowercase=True) == expected


def test_callables_without_a_hash() -> None:
    class Words:
        def __eq__(self, other: object) -> bool:
            return isinstance(other, Words)

        def __call__(self, text: str) -> list[str]:
            return text.split()

    expected = sentence_bleu(HYPS[0], [REFS[0][0]], tokenize="none")
    assert sentence_bleu(HYPS[0], [REFS[0][0]], tokenize=Words()) == expected


def test_callables_see_lowercased_and_stripped_text() -> None:
    seen: list[str] = []

    def tokenize(text: str) -> list[str]:
        seen.append(text)
        return text.split()

    BLEU(tokenize=tokenize, lowercase=True).corpus_score([" Ä b \n"], [["ΟΔΟΣ\u2028 "]])
    assert sorted(seen) == sorted([" ä b", "οδος"])


def test_lowercased_columns() -> None:
    """Lowercased strings are created one after the other in the same memory."""
    texts = [("The CAT " * (i % 9) + "Sat. ÄÖ")[: 40 - i % 13] for i in range(N)]
    expected = rows(texts, [HYPS], lowercase=True)
    assert expected == rows([text.lower() for text in texts], [[hyp.lower() for hyp in HYPS]])
    array = need("pyarrow").array
    assert rows(array(texts), [array(HYPS)], lowercase=True) == expected
    assert rows(array(texts), BLEU(lowercase=True).prepare([array(HYPS)]), lowercase=True) == (
        expected
    )


def test_references_of_the_constructor() -> None:
    bleu = BLEU(references=REFS)
    assert bleu.segment_stats(HYPS).tolist() == EXPECTED
    assert bleu.corpus_score(HYPS, None).score == BLEU().corpus_score(HYPS, REFS).score
    assert bleu.segment_stats(HYPS, GAPS).tolist() == EXPECTED_WITH_GAPS
    prepared = BLEU(references=BLEU().prepare(REFS))
    assert prepared.segment_stats(HYPS).tolist() == EXPECTED
    by_segment = BLEU(references=BLEU().prepare(PRESENT_BY_SEGMENT, layout="segment"))
    assert by_segment.segment_stats(HYPS).tolist() == EXPECTED_WITH_GAPS


def test_references_of_the_constructor_are_a_snapshot() -> None:
    streams = [list(stream) for stream in REFS]
    bleu = BLEU(references=streams)
    streams[0][:] = [""] * N
    streams.pop()
    assert bleu.segment_stats(HYPS).tolist() == EXPECTED


def test_references_serve_many_systems() -> None:
    bleu = BLEU()
    references = bleu.prepare(GAPS)
    others = HYPS[::-1]
    assert bleu.segment_stats(HYPS, references).tolist() == EXPECTED_WITH_GAPS
    assert bleu.segment_stats(others, references).tolist() == rows(others, GAPS)
    assert bleu.segment_stats(HYPS, references).tolist() == EXPECTED_WITH_GAPS
    assert BLEU(smooth_method="floor").segment_stats(HYPS, references).tolist() == (
        EXPECTED_WITH_GAPS
    )
    assert len(references) == N
    assert references.num_refs == -1 == bleu.num_refs


def test_references_survive_pickle_and_copy() -> None:
    references = BLEU().prepare(GAPS)
    clones = [copy.copy(references), copy.deepcopy(references)]
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        clones.append(pickle.loads(pickle.dumps(references, protocol)))
    for clone in clones:
        assert isinstance(clone, References)
        assert repr(clone) == repr(references)
        assert rows(HYPS, clone) == EXPECTED_WITH_GAPS
        assert rows(HYPS[::-1], pickle.loads(pickle.dumps(clone))) == rows(HYPS[::-1], GAPS)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["text", "tokens", "ids"])
def test_references_travel_to_other_processes(kind: str, tmp_path: Path) -> None:
    """Into one with other string hashes, which identify long tokens."""
    hyps: Any = HYPS
    refs: Any = REFS
    if kind == "tokens":
        hyps, refs = TOKENS, REF_TOKENS
    elif kind == "ids":
        hyps, *refs = ids([TOKENS, *REF_TOKENS], np.array)
    assert any(len(token.encode("utf-8", "surrogatepass")) > 8 for t in TOKENS for token in t)
    path = tmp_path / "pickle"
    path.write_bytes(pickle.dumps((hyps, BLEU().prepare(refs))))
    program = (
        "import pickle, sys; from rapidbleu import BLEU; "
        "hyps, refs = pickle.load(open(sys.argv[1], 'rb')); "
        "print(BLEU().segment_stats(hyps, refs).tolist())"
    )
    for seed in ("0", "1", "random"):
        result = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", program, str(path)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        assert result.stdout.strip() == str(EXPECTED)


def test_statistics_merge() -> None:
    bleu = BLEU()
    whole = bleu.segment_stats(HYPS, REFS)
    first = bleu.segment_stats(HYPS[:23], [stream[:23] for stream in REFS])
    rest = bleu.segment_stats(HYPS[23:], [stream[23:] for stream in REFS])
    assert whole.dtype == np.int64
    assert (np.concatenate([first, rest]) == whole).all()
    assert (first.sum(0) + rest.sum(0) == whole.sum(0)).all()
    assert (bleu.corpus_stats(HYPS, REFS) == whole.sum(0)).all()
    assert str(bleu.score(first.sum(0) + rest.sum(0))) == str(bleu.corpus_score(HYPS, REFS))


def test_scores_of_statistics() -> None:
    bleu = BLEU(effective_order=True)
    expected = bleu.corpus_score(HYPS, REFS)
    whole = bleu.segment_stats(HYPS, REFS)
    total = whole.sum(0)
    for stats in (
        total,
        total.tolist(),
        tuple(total.tolist()),
        total.astype(np.uint64),
        whole,
        whole.tolist(),
        np.asfortranarray(whole),
        whole.astype(np.int32),
        whole[::-1],
        np.repeat(whole, 2, axis=0)[::2],
        total[None, :],
    ):
        score = bleu.score(stats)
        assert vars(score) == vars(expected)
        assert type(score.sys_len) is int and type(score.counts[0]) is int


def test_scores_of_rows() -> None:
    bleu = BLEU(effective_order=True)
    whole = bleu.segment_stats(HYPS, REFS)
    expected = [
        bleu.sentence_score(hyp, refs).score for hyp, refs in zip(HYPS, BY_SEGMENT, strict=True)
    ]
    scores = bleu.score_rows(whole)
    assert scores.dtype == np.float64
    assert scores.tolist() == expected
    assert bleu.segment_scores(HYPS, REFS).tolist() == expected
    assert bleu.score_rows(whole.tolist()).tolist() == expected
    assert bleu.score_rows(np.asfortranarray(whole)).tolist() == expected
    assert bleu.score_rows(whole[:0]).tolist() == []


def test_one_segment() -> None:
    bleu = BLEU(effective_order=True)
    for i in range(N):
        expected = vars(bleu.score(EXPECTED[i]))
        tokens = [stream[i] for stream in REF_TOKENS]
        hyp, *refs = (one[0] for one in ids([[TOKENS[i]], *[[t] for t in tokens]], np.array))
        assert vars(bleu.sentence_score(HYPS[i], BY_SEGMENT[i])) == expected
        assert vars(bleu.sentence_score(Text(HYPS[i]), tuple(BY_SEGMENT[i]))) == expected
        assert vars(bleu.sentence_score(HYPS[i], Texts(BY_SEGMENT[i]))) == expected
        assert vars(bleu.sentence_score(TOKENS[i], tokens)) == expected
        assert vars(bleu.sentence_score(hyp, refs)) == expected
    assert bleu.num_refs == 3


LONG = 1 << 22  # characters that are lowercased at a time


@pytest.mark.slow
@pytest.mark.parametrize("tail", ["AΣ B", "AΣ.B Σ", "Σ'", "A'Σ'A' ", "我Σ我A", "AΣ\u0301B ", "İΣ"])
def test_long_texts_in_lower_case(tail: str) -> None:
    """The lower case of sigma depends on its neighbours, also where a text is cut."""
    lower, as_it_is = BLEU(tokenize="none", lowercase=True), BLEU(tokenize="none")
    for begin in ("x" * (LONG - 3), "X" * (LONG - 1) + "'", "Ax " * (LONG // 3)):
        text = begin + tail * 2000
        expected = text.lower()
        ours = lower.corpus_stats([text], [[expected]]).tolist()
        assert ours == as_it_is.corpus_stats([expected], [[expected]]).tolist()


WORD = "incomprehensibilities"
TEXTS = ["the cat", f"{WORD} sat", "", f"a {WORD}s {WORD}"]
PARTS = (
    "length",
    "num_refs",
    "kind",
    "first",
    "first_token",
    "first_long",
    "lo",
    "hi",
    "longs",
    "text",
)


def prepared(metric: Any) -> Any:
    return metric.prepare([TEXTS, TEXTS[::-1]])._prepared


def parts(metric: Any) -> dict[str, Any]:
    return dict(zip(PARTS, prepared(metric).__reduce__()[1], strict=True))


@pytest.mark.parametrize(
    "metric",
    [
        BLEU(),
        BLEU(tokenize="char"),
        BLEU(tokenize="none"),
        CHRF(),
        CHRF(word_order=2),
        CHRF(whitespace=True),
    ],
    ids=str,
)
def test_all_references_are_restored(metric: Any) -> None:
    texts = [*nasty().values(), *TEXTS, "\0", "a\0b", "\0" * 9, "\ud800"]
    references = metric.prepare([texts, texts[::-1]])
    again = restore(*references._prepared.__reduce__()[1])
    assert again.__reduce__()[1] == references._prepared.__reduce__()[1]


def test_references_of_tokens_and_of_ids_are_restored() -> None:
    for column in (
        [["a", WORD], ["", "\0"], []],
        [[1, 2**62], [256, 0, -1], []],
        [[], [], []],
    ):
        references = BLEU().prepare([column])
        again = pickle.loads(pickle.dumps(references._prepared))
        assert again.__reduce__()[1] == references._prepared.__reduce__()[1]


def int64(*numbers: int) -> bytes:
    return struct.pack(f"={len(numbers)}q", *numbers)


LONGS = parts(BLEU())["longs"]
BAD = [
    {"length": -1},
    {"length": 5},
    {"length": 2**62},
    {"length": 2**63 - 1},
    {"num_refs": 3},
    {"num_refs": -2},
    {"kind": 5},
    {"kind": -1},
    {"first": b""},
    {"first": int64(1, 2, 4, 6, 8)},
    {"first": int64(0, 4, 2, 6, 8)},
    {"first": int64(0, 2, 4, 6, 2**40)},
    {"first_token": b"1"},
    {"first_token": int64(*range(0, -9, -1))},
    {"first_token": int64(*[0] * 8, 2**50)},
    {"first_long": int64(*[0] * 8, 99)},
    {"first_long": int64(0, 0, 6, 6, 6, 6, 6, 6, 6)},
    {"lo": b""},
    {"hi": b"abc"},
    {"longs": LONGS[:-1]},
    {"longs": struct.pack("=qii", 2**40, 21, 1) + LONGS[16:]},
    {"longs": struct.pack("=qii", -1, 21, 1) + LONGS[16:]},
    {"longs": struct.pack("=qii", 0, -1, 1) + LONGS[16:]},
    {"longs": struct.pack("=qii", 0, 21, 7) + LONGS[16:]},
    {"longs": struct.pack("=qii", 0, 21, -1) + LONGS[16:]},
    {"text": b""},
]


@pytest.mark.parametrize("changes", BAD)
def test_parts_that_do_not_fit_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="pickled references: expected"):
        restore(**{**parts(BLEU()), **changes})


@pytest.mark.parametrize("metric", [BLEU(), CHRF(), CHRF(word_order=2)], ids=str)
def test_any_change_is_refused_or_harmless(metric: Any) -> None:
    own = parts(metric)
    rng = random.Random(7)
    outcomes = set()
    for _ in range(2000):
        name = rng.choice(PARTS[3:])
        data = bytearray(own[name])
        if data and rng.random() < 0.8:
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        else:
            data = data[: rng.randrange(len(data) + 1)] + bytes(rng.randrange(9))
        references = metric.prepare([TEXTS, TEXTS[::-1]])
        try:
            references._prepared = restore(**{**own, name: bytes(data)})
            metric.corpus_score(TEXTS, references)
            metric.nbest_stats([[text, WORD] for text in TEXTS], references)
            outcomes.add("restored")
        except ValueError as error:
            assert str(error).startswith("pickled references: ")
            outcomes.add("refused")
    assert outcomes == {"restored", "refused"}


def test_references_of_another_metric_are_refused() -> None:
    """Their tokens are in other sequences, even if the pickle claims otherwise."""
    for metric, other in (
        (CHRF(word_order=2), CHRF()),
        (CHRF(), CHRF(word_order=2)),
        (CHRF(word_order=2), BLEU()),
        (BLEU(), CHRF(word_order=2)),
    ):
        references = metric.prepare([TEXTS])
        references._prepared = other.prepare([TEXTS])._prepared
        if (other, metric) == (BLEU(), CHRF()):
            continue
        with pytest.raises(ValueError, match=r"references: expected [12] for each text"):
            metric.corpus_score(TEXTS, references)
        with pytest.raises(ValueError, match=r"references: expected [12] for each text"):
            metric.nbest_stats([[text] for text in TEXTS], references)
