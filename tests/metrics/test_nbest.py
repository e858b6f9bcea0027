"""N-best statistics and scores equal single calls, for every form of input."""

import array
import threading
import weakref
from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rapidbleu import BLEU
from rapidbleu.parallel import SLICE, STEPS, narrowed
from support.corpora import KINDS, perturb, random_segments
from support.processes import PEAK, linux_only, run

OPTIONS: list[dict[str, Any]] = [
    {},
    {"lowercase": True},
    {"tokenize": "intl"},
    {"tokenize": "zh", "lowercase": True},
    {"tokenize": "char", "max_ngram_order": 2},
    {"tokenize": str.split, "smooth_method": "add-k"},
    {"tokenize": str.split, "lowercase": True},
    {"max_ngram_order": 6, "smooth_method": "floor", "effective_order": True},
    {"max_ngram_order": 1, "ref_len": "longest"},
    {"effective_order": True, "weights": [0.4, 0.3, 0.2, 0.1]},
]


class Lists:
    """Lists of hypotheses with their references, in every form, and the expected results."""

    def __init__(
        self, seed: str, n_segments: int = 12, most: int = 40, kind: str = "mixed", n_refs: int = 2
    ) -> None:
        rng = Random(seed)
        first = random_segments(rng, n_segments, kind=kind)
        others = [[perturb(rng, text) for text in first] for _ in range(n_refs - 1)]
        self.references = [first, *others]
        self.nested: list[list[Any]] = []
        for text in first:
            several = [perturb(rng, text) for _ in range(rng.randint(0, most))]
            self.nested.append([fresh(rng.choice(several)) for _ in several])
        self.rng = rng

    @property
    def flat(self) -> list[Any]:
        return [hyp for several in self.nested for hyp in several]

    @property
    def segments(self) -> list[int]:
        return [i for i, several in enumerate(self.nested) for _ in several]

    @property
    def offsets(self) -> list[int]:
        return [0, *np.cumsum([len(several) for several in self.nested]).tolist()]

    def by_segment(self) -> list[list[Any]]:
        return [list(references) for references in zip(*self.references, strict=True)]


def fresh(text: Any) -> Any:
    return "".join(list(text)) if isinstance(text, str) else list(text)


def expected_rows(metric: Any, hyps: list[Any], segments: Any, references: list[Any]) -> Any:
    """Return rows of the hypotheses against the references repeated, stream by stream."""
    if not hyps:
        return np.empty((0, metric._extractor.kernel.n_stats), np.int64)
    repeated = [[stream[segment] for segment in segments] for stream in references]
    return metric.segment_stats(hyps, repeated)


def expected_scores(metric: Any, hyps: list[Any], segments: Any, references: list[Any]) -> Any:
    return [
        metric.sentence_score(hyp, [stream[segment] for stream in references]).score
        for hyp, segment in zip(hyps, segments, strict=True)
    ]


def same(a: Any, b: Any) -> bool:
    a, b = np.asarray(a), np.asarray(b)
    return a.shape == b.shape and bool((a == b).all())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_rows_and_scores_are_those_of_single_calls(options: dict[str, Any], kind: str) -> None:
    lists = Lists(f"single {kind}", kind=kind)
    metric = BLEU(**options, force=True)
    rows = metric.nbest_stats(lists.nested, lists.references)
    assert rows.dtype == np.int64
    assert same(rows, expected_rows(metric, lists.flat, lists.segments, lists.references))
    scores = metric.nbest_scores(lists.nested, lists.references)
    assert scores.dtype == np.float64
    assert same(scores, metric.score_rows(rows))
    assert same(scores, expected_scores(metric, lists.flat, lists.segments, lists.references))


@pytest.mark.parametrize("options", [{}, {"lowercase": True}, {"tokenize": str.split}], ids=str)
def test_forms_of_hypotheses(options: dict[str, Any]) -> None:
    lists = Lists("forms")
    metric = BLEU(**options, force=True)
    expected = expected_rows(metric, lists.flat, lists.segments, lists.references)
    prepared = metric.prepare(lists.references)
    flat, offsets, segments = lists.flat, lists.offsets, lists.segments
    for references, layout in (
        (lists.references, "stream"),
        (lists.by_segment(), "segment"),
        (prepared, "stream"),
    ):
        for call in (
            lambda hyps, r=references, y=layout, **k: metric.nbest_stats(hyps, r, layout=y, **k),
            lambda hyps, r=references, y=layout, **k: metric.nbest_stats(
                hyps, r, layout=y, dtype="int32", **k
            ),
        ):
            assert same(call(lists.nested), expected)
            assert same(call(tuple(tuple(several) for several in lists.nested)), expected)
            assert same(call([np.array(several, object) for several in lists.nested]), expected)
            assert same(call(flat, offsets=offsets), expected)
            assert same(call(tuple(flat), offsets=np.array(offsets, np.uint32)), expected)
            assert same(call(np.array(flat, object), segments=segments), expected)
            assert same(call(flat, segments=array.array("i", segments)), expected)
            assert same(call(flat, segments=np.array(segments, np.int8)), expected)
            strided = np.array([segments, segments]).T[:, 0]
            assert same(call(flat, segments=strided), expected)


def test_references_of_the_metric() -> None:
    lists = Lists("own references")
    metric = BLEU(references=lists.references)
    expected = expected_rows(metric, lists.flat, lists.segments, lists.references)
    assert same(metric.nbest_stats(lists.nested), expected)
    assert metric.num_refs == 2
    with pytest.raises(ValueError, match="references: expected references; got None"):
        BLEU().nbest_stats(lists.nested)


def test_arrow() -> None:
    pa = pytest.importorskip("pyarrow")
    lists = Lists("arrow", kind="german")
    metric = BLEU()
    prepared = metric.prepare(lists.references)
    expected = metric.nbest_stats(lists.nested, prepared)
    for column in (
        pa.array(lists.flat),
        pa.array(lists.flat, pa.large_string()),
        pa.chunked_array([pa.array(lists.flat[:7]), pa.array(lists.flat[7:])]),
        pa.array(["x", *lists.flat, "y"])[1:-1],
        pa.array(lists.flat).dictionary_encode(),
    ):
        assert same(metric.nbest_stats(column, prepared, segments=lists.segments), expected)
        assert same(metric.nbest_stats(column, prepared, offsets=pa.array(lists.offsets)), expected)
    nested = pa.array(lists.nested)
    assert same(metric.nbest_stats(nested.flatten(), prepared, offsets=nested.offsets), expected)
    assert same(
        metric.nbest_stats([pa.array(s, pa.string()) for s in lists.nested], prepared), expected
    )
    with pytest.raises(TypeError, match="sequence of lists of hypotheses; got one Arrow column"):
        metric.nbest_stats(nested, prepared)
    with pytest.raises(TypeError, match=r"hypotheses\[1\]: expected str; got null"):
        metric.nbest_stats(pa.array(["a", None]), [["a"]], segments=[0, 0])


@pytest.mark.parametrize("lowercase", [False, True])
def test_token_lists(lowercase: bool) -> None:
    lists = Lists("tokens")
    lists.references = [[text.split() for text in stream] for stream in lists.references]
    lists.nested = [[text.split() for text in several] for several in lists.nested]
    metric = BLEU(lowercase=lowercase)
    expected = expected_rows(metric, lists.flat, lists.segments, lists.references)
    assert same(metric.nbest_stats(lists.nested, lists.references), expected)
    assert same(
        metric.nbest_stats(lists.flat, lists.references, offsets=lists.offsets, threads=3), expected
    )
    scores = metric.nbest_scores(lists.flat, lists.references, segments=lists.segments)
    assert same(scores, metric.score_rows(expected))


@pytest.mark.parametrize("as_array", [False, True])
def test_ids(as_array: bool) -> None:
    rng = Random("ids")
    make = (lambda ids: np.array(ids, np.int32)) if as_array else list
    texts = [[rng.randrange(9) for _ in range(rng.randrange(90))] for _ in range(700)]
    hyps, refs = [make(ids) for ids in texts], [make(ids) for ids in texts[:20]]
    segments = [rng.randrange(20) for _ in hyps]
    metric = BLEU(tokenize="none")
    expected = expected_rows(metric, hyps, segments, [refs])
    assert same(metric.nbest_stats(hyps, [refs], segments=segments), expected)
    assert same(metric.nbest_scores(hyps, [refs], segments=segments), metric.score_rows(expected))


def test_segments_in_any_order() -> None:
    lists = Lists("order", most=100)
    metric = BLEU(effective_order=True)
    flat, segments = lists.flat, lists.segments
    in_order = metric.nbest_stats(flat, lists.references, segments=segments)
    order = list(range(len(flat)))
    lists.rng.shuffle(order)
    shuffled = metric.nbest_stats(
        [flat[i] for i in order], lists.references, segments=[segments[i] for i in order]
    )
    assert same(shuffled, in_order[order])
    # Each of a few texts against each segment in turn: equal texts, other references.
    few = flat[:5] * len(lists.nested)
    turns = [i // 5 for i in range(len(few))]
    expected = expected_rows(metric, few, turns, lists.references)
    assert same(metric.nbest_stats(few, lists.references, segments=turns), expected)
    turns = [i % len(lists.nested) for i in range(len(few))]
    expected = expected_rows(metric, few, turns, lists.references)
    assert same(metric.nbest_stats(few, lists.references, segments=turns), expected)


def test_lists_without_hypotheses() -> None:
    metric = BLEU()
    references = metric.prepare([["a b", "c d", "e"]])
    assert metric.nbest_stats([[], ["c d"], []], references).tolist() == (
        metric.nbest_stats(["c d"], references, offsets=[0, 0, 1, 1]).tolist()
    )
    for hyps, more in (([[], [], []], {}), ([], {"offsets": [0] * 4}), ([], {"segments": []})):
        for metric_references in (references, metric.prepare([[["a"], ["b"], ["c"]]])):
            calls: list[Any] = []
            rows = metric.nbest_stats(hyps, metric_references, **more, progress=calls.append)
            assert rows.shape == (0, 10)
            assert metric.nbest_scores(hyps, metric_references, **more).shape == (0,)
            assert calls == []
    assert metric.nbest_stats([], [[]]).shape == (0, 10)
    assert list(metric.iter_nbest_stats([], [["a"]])) == []


def test_empty_and_long_texts() -> None:
    rng = Random("long")
    words = [*"abcdef", "the", "internationalization", "Donaudampfschifffahrt", "1.5"]
    texts = [" ".join(rng.choices(words, k=n)) for n in (0, 1, 63, 64, 65, 383, 384, 385, 900)]
    texts += ["", " ", "\t", "\u3000"]
    hyps = [text for text in texts for _ in range(3)] + [perturb(rng, text) for text in texts]
    metric = BLEU(effective_order=True)
    segments = [i for i in range(len(texts)) for _ in hyps]
    flat = hyps * len(texts)
    for references in ([texts], [texts, texts[::-1]]):
        rows = metric.nbest_stats(flat, references, segments=segments)
        assert same(rows, expected_rows(metric, flat, segments, references))
        scores = metric.nbest_scores(flat, references, segments=segments)
        assert same(scores, expected_scores(metric, flat, segments, references))


@pytest.mark.parametrize("n", [1, 2, 63, 64, 65, 255, 256, 257, 511, 512, 513, 1023, 1025, 3000])
def test_sizes_at_the_borders(n: int) -> None:
    rng = Random(f"size {n}")
    originals = random_segments(rng, 7, kind="ascii")
    segments = sorted(rng.randrange(7) for _ in range(n))
    hyps = [perturb(rng, originals[i]) for i in segments]
    metric = BLEU(effective_order=True)
    expected = expected_rows(metric, hyps, segments, [originals])
    for dtype in ("int64", np.int32):
        rows = metric.nbest_stats(hyps, [originals], segments=segments, dtype=dtype)
        assert rows.dtype == dtype
        assert same(rows, expected)
    scores = metric.nbest_scores(hyps, [originals], segments=segments)
    assert same(scores, metric.score_rows(expected))


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_lists(data: st.DataObject) -> None:
    words = st.lists(st.sampled_from(["a", "b", "C", "dé", "internationalization"]), max_size=7)
    texts = words.map(" ".join)
    refs = data.draw(st.lists(texts, min_size=1, max_size=4))
    segments = data.draw(st.lists(st.integers(0, len(refs) - 1), max_size=40))
    hyps = data.draw(st.lists(texts, min_size=len(segments), max_size=len(segments)))
    threads = data.draw(st.integers(1, 3))
    metric = BLEU(lowercase=data.draw(st.booleans()), effective_order=True)
    rows = metric.nbest_stats(hyps, [refs], segments=segments, threads=threads)
    assert same(rows, expected_rows(metric, hyps, segments, [refs]))


@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("kind", ["ascii", "german", "quotes", "chinese"])
def test_repeats_change_nothing(kind: str, lowercase: bool) -> None:
    rng = Random(f"repeats {kind}")
    refs = random_segments(rng, 3, kind=kind)
    metric = BLEU(lowercase=lowercase, effective_order=True)
    for n_texts in (1, 2, 30, 600, 1500):
        texts = [perturb(rng, refs[i % 3]) for i in range(n_texts)]
        hyps = [fresh(rng.choice(texts)) for _ in range(2000)]
        segments = [i // 700 for i in range(2000)]
        expected = expected_rows(metric, hyps, segments, [refs])
        assert same(metric.nbest_stats(hyps, [refs], segments=segments), expected)
        scores = metric.nbest_scores(hyps, [refs], segments=segments)
        assert same(scores, metric.score_rows(expected))


def test_similar_texts_are_told_apart() -> None:
    rng = Random("similar")
    reference = " ".join(["aa"] * 6 + ["bb"] * 6)
    metric = BLEU(effective_order=True)
    for n_words in (1, 2, 3, 8, 12, 40):
        hyps = [" ".join(rng.choices(["aa", "bb", "cc"], k=n_words)) for _ in range(3000)]
        for texts in (
            hyps,
            [text.replace("c", "é") for text in hyps],
            [text.replace("c", "„") for text in hyps],
        ):
            expected = expected_rows(metric, texts, [0] * 3000, [[reference]])
            rows = metric.nbest_stats([texts], [[reference]])
            assert same(rows, expected)
            scores = metric.nbest_scores([texts], [[reference]])
            assert same(scores, metric.score_rows(expected))


@pytest.mark.parametrize("length", [*range(1, 40), 63, 64, 65, 127, 128, 129])
def test_texts_of_every_length_and_a_single_difference(length: int) -> None:
    text = "a" * length
    hyps = [text, *(text[:i] + "b" + text[i + 1 :] for i in range(length)), text] * 2
    metric = BLEU(tokenize="char", effective_order=True)
    refs = ["a" * (length // 2) + "b"]
    expected = expected_rows(metric, hyps, [0] * len(hyps), [refs])
    assert same(metric.nbest_stats([hyps], [refs]), expected)


def test_lowercased_copies_do_not_outlive_their_batch() -> None:
    """Text beyond Latin-1 is lowercased to new strings, whose memory later batches reuse."""
    rng = Random("copies")
    metric = BLEU(lowercase=True, tokenize="char")
    letters = "ŐŮĄ"
    hyps = ["".join(rng.choices(letters, k=6)) for _ in range(20_000)]
    expected = expected_rows(metric, hyps, [0] * len(hyps), [["őőůůąą"]])
    assert same(metric.nbest_stats([hyps], [["őőůůąą"]]), expected)


def test_same_characters_of_other_forms() -> None:
    class Text(str):
        pass

    hyps: list[Any] = ["É a b", Text("É a b"), "é a b", Text("é A B"), "É a b", "Ő", "ő", "É a b"]
    hyps *= 100
    for lowercase in (False, True):
        metric = BLEU(lowercase=lowercase, effective_order=True)
        expected = expected_rows(metric, hyps, [0] * len(hyps), [["é a b ő"]])
        assert same(metric.nbest_stats([hyps], [["é a b ő"]]), expected)


def test_repeats_are_scored_once() -> None:
    from time import thread_time_ns

    rng = Random("once")
    words = [f"w{i}" for i in range(50)]
    texts = [" ".join(rng.choices(words, k=60)) for _ in range(1000)]
    reference = [[" ".join(rng.choices(words, k=60))]]
    metric = BLEU()

    def least(hyps: list[str]) -> int:
        times = []
        for _ in range(7):
            start = thread_time_ns()
            metric.nbest_stats([hyps], reference)
            times.append(thread_time_ns() - start)
        return min(times)

    distinct = least([f"{text} {i}" for i in range(20) for text in texts])
    repeated = least([fresh(text) for _ in range(20) for text in texts[:500]] * 2)
    assert repeated < distinct / 2


def test_counts_that_do_not_fit_are_refused() -> None:
    most = 2**31 - 1
    assert narrowed(np.array([[0, most]])).tolist() == [[0, most]]
    with pytest.raises(
        ValueError,
        match=r"rows\[17\]\[1\]: expected at most 2147483647 .* "
        r"got 2147483648$",
    ):
        narrowed(np.array([[0, 1], [2, most], [3, most + 1], [most + 2, 0]]), 15)


OTHER_BYTE_ORDER = np.dtype(np.int64).newbyteorder()


@pytest.mark.parametrize(
    "dtype", ["int16", "uint64", "float64", "what", None, 64, OTHER_BYTE_ORDER, object]
)
def test_other_types_are_refused(dtype: Any) -> None:
    with pytest.raises(ValueError, match="dtype: expected int64 or int32; got"):
        BLEU().nbest_stats([["a"]], [["a"]], dtype=dtype)
    with pytest.raises(ValueError, match="dtype: expected int64 or int32; got"):
        BLEU().iter_nbest_stats([], [["a"]], dtype=dtype)


NESTED = [["a b", "a"], ["c"]]
FLAT = ["a b", "a", "c"]
REFS = [["a b", "c"]]


@pytest.mark.parametrize(
    ("arguments", "keywords", "error", "message"),
    [
        (
            (FLAT, REFS),
            {},
            TypeError,
            r"hypotheses\[0\]: expected a list of hypotheses; got a sing",
        ),
        (("abc", REFS), {}, TypeError, "hypotheses: expected a sequence of lists of hypotheses"),
        ((5, REFS), {}, TypeError, "hypotheses: expected a sequence of lists .* got int"),
        (([["a"], 5], REFS), {}, TypeError, r"hypotheses\[1\]: expected a sequence .* got int"),
        (([["a"], None], REFS), {}, TypeError, r"hypotheses\[1\]: expected a sequence .* NoneType"),
        (([["a"], {"b"}], REFS), {}, TypeError, r"hypotheses\[1\]: expected a sequence .* got set"),
        (([["a"], ["b", None]], REFS), {}, TypeError, r"hypotheses\[1\]\[1\]: expected str; got N"),
        (([[], ["b", 5]], REFS), {}, TypeError, r"hypotheses\[1\]\[1\]: expected str; got int"),
        (
            ([[], ["b", ["c"]]], REFS),
            {},
            TypeError,
            r"hypotheses\[1\]\[1\]: expected str; got list",
        ),
        (
            ([[["a"]], [["b"], ["c", 5]]], [[["a"], ["b"]]]),
            {},
            TypeError,
            r"hypotheses\[1\]\[1\]\[1\]: expected str; got int",
        ),
        (([["a"]], REFS), {}, ValueError, "references: expected 1 segments, as many as lists"),
        (([["a"]] * 3, REFS), {}, ValueError, "references: expected 3 segments.* got 2; "),
        (([[["a"]], []], REFS), {}, TypeError, "references: expected segments of list of str tok"),
        ((NESTED, [["a"], ["b", "c"]]), {}, ValueError, r"references\[1\]: expected 1 segments"),
        ((NESTED, [["a", None]]), {}, ValueError, "references: segment 1 has no reference"),
        ((NESTED, REFS), {"layout": "x"}, ValueError, "layout: expected one of stream, segment"),
        ((NESTED, REFS), {"threads": -1}, ValueError, "threads: expected 0 for all cores"),
        ((NESTED, REFS), {"threads": "2"}, TypeError, "threads: expected int; got str"),
        ((NESTED, REFS), {"progress": 5}, TypeError, "progress: expected a callable; got int"),
        ((FLAT, REFS), {"offsets": [0, 2, 3], "segments": [0, 0, 1]}, ValueError, "got both"),
        ((FLAT, REFS), {"offsets": [0, 3]}, ValueError, "offsets: expected 3 items, one more .* 2"),
        ((FLAT, REFS), {"offsets": [1, 2, 3]}, ValueError, r"offsets\[0\]: expected 0; got 1"),
        ((FLAT, REFS), {"offsets": [-1, 2, 3]}, ValueError, r"offsets\[0\]: expected 0; got -1"),
        ((FLAT, REFS), {"offsets": [0, 4, 3]}, ValueError, r"offsets\[2\]: expected at least 4; "),
        ((FLAT, REFS), {"offsets": [0, -1, 3]}, ValueError, r"offsets\[1\]: expected at least 0; "),
        (
            (FLAT, REFS),
            {"offsets": np.array([0, 5, 3], np.uint8)},
            ValueError,
            r"offsets\[2\]: exp",
        ),
        ((FLAT, REFS), {"offsets": [0, 1, 2]}, ValueError, r"offsets\[2\]: expected 3, the number"),
        ((FLAT, REFS), {"offsets": [0, 1, 4]}, ValueError, r"offsets\[2\]: expected 3, .* got 4"),
        (
            (FLAT, REFS),
            {"offsets": [0, 2.0, 3]},
            TypeError,
            "offsets: expected integers; got float",
        ),
        ((FLAT, REFS), {"offsets": "012"}, ValueError, "offsets: expected an array of one dimens"),
        ((FLAT, REFS), {"offsets": 3}, ValueError, "offsets: expected an array of one dimens"),
        (
            (FLAT, REFS),
            {"offsets": [[0, 2, 3]]},
            ValueError,
            "offsets: expected an array of one di",
        ),
        ((FLAT, REFS), {"offsets": [[0], [2, 3]]}, ValueError, "offsets: expected an array of one"),
        ((FLAT, REFS), {"segments": [0, 1]}, ValueError, "segments: expected 3 items, as many as"),
        ((FLAT, REFS), {"segments": [0, 0, 2]}, ValueError, r"segments\[2\]: expected a segment b"),
        (
            (FLAT, REFS),
            {"segments": [0, -1, 1]},
            ValueError,
            r"segments\[1\]: .* not below 0; got -1",
        ),
        (
            (FLAT, REFS),
            {"segments": np.array([0, 2**63, 1], np.uint64)},
            ValueError,
            r"segments\[1\]: expected .* got 9223372036854775808",
        ),
        (
            (FLAT, REFS),
            {"segments": [0, 10**30, 1]},
            TypeError,
            "segments: expected integers; got o",
        ),
        ((FLAT, REFS), {"segments": [True, False, True]}, TypeError, "segments: expected integers"),
        (
            (FLAT, REFS),
            {"segments": ["0", "0", "1"]},
            TypeError,
            "segments: expected integers; got",
        ),
        ((FLAT, REFS), {"segments": [None] * 3}, TypeError, "segments: expected integers; got obj"),
        (
            ("abc", REFS),
            {"segments": [0, 0, 1]},
            TypeError,
            "hypotheses: expected a sequence of se",
        ),
        ((["a", None, "c"], REFS), {"segments": [0, 0, 1]}, TypeError, r"hypotheses\[1\]: expecte"),
        (
            ([1, 2], REFS),
            {"segments": [0, 1]},
            TypeError,
            r"hypotheses\[0\]: expected str; got int",
        ),
        (
            ([["a"], ["b"]], REFS),
            {"segments": [0, 1]},
            TypeError,
            "references: expected segments of",
        ),
        ((FLAT, []), {"segments": [0, 0, 0]}, ValueError, "references: expected at least one stre"),
        (
            (FLAT, "ab"),
            {"segments": [0, 0, 0]},
            TypeError,
            "references: expected a sequence of ref",
        ),
        (
            (["a"], [[]]),
            {"segments": [0]},
            ValueError,
            r"segments\[0\]: expected a segment below 0",
        ),
    ],
)
def test_bad_input(
    arguments: tuple[Any, ...], keywords: dict[str, Any], error: type[Exception], message: str
) -> None:
    metric = BLEU()
    for call in (metric.nbest_stats, metric.nbest_scores):
        with pytest.raises(error, match=message):
            call(*arguments, **keywords)
    assert metric.nbest_stats(NESTED, REFS).shape == (3, 10)


def test_nothing_is_tokenized_before_all_is_checked() -> None:
    calls: list[str] = []

    def tokenize(text: str) -> list[str]:
        calls.append(text)
        return text.split()

    metric = BLEU(tokenize=tokenize)
    for keywords in ({"segments": [0, 0, 5]}, {"offsets": [0, 9, 3]}, {}, {"progress": 1}):
        with pytest.raises((TypeError, ValueError)):
            metric.nbest_stats(FLAT, REFS, **keywords)
    with pytest.raises(TypeError):
        metric.nbest_stats([["a"], [None]], REFS)
    with pytest.raises(TypeError):
        metric.nbest_stats([[["a"]], []], REFS)
    assert calls == []


def test_other_preparation_is_refused() -> None:
    references = BLEU(tokenize="char").prepare(REFS)
    with pytest.raises(ValueError, match="references: expected references prepared for tok:13a"):
        BLEU().nbest_stats(NESTED, references)
    with pytest.raises(ValueError, match="lowercase: integer ids have no case"):
        BLEU(lowercase=True).nbest_stats([[[1]]], [[[1]]])


def test_errors_of_tokenizers_pass() -> None:
    def tokenize(text: str) -> list[str]:
        if text == "bad":
            raise RuntimeError(text)
        return text.split()

    metric = BLEU(tokenize=tokenize)
    hyps = ["good"] * 3000
    hyps[2000] = "bad"
    for threads in (1, 4):
        with pytest.raises(RuntimeError, match="bad"):
            metric.nbest_stats([hyps], [["good"]], threads=threads)


def test_the_core_checks_too() -> None:
    from rapidbleu._core.input.columns import Column
    from rapidbleu._core.scoring.extraction import extract_nbest

    metric = BLEU()
    prepared = metric.prepare(REFS)._prepared
    hyps, rows = Column(FLAT, "hypotheses"), np.zeros((3, 10), np.int64)
    good = np.array([0, 0, 1], np.int64)

    def call(segments: Any, begin: int, end: int, rows: Any = rows, scores: Any = None) -> None:
        extract_nbest(metric._extractor, hyps, prepared, segments, begin, end, rows, scores)

    for wrong in (2, -1, 2**62, -(2**62)):
        with pytest.raises(ValueError, match=f"segments: expected 0 to 1; got {wrong}"):
            call(np.array([0, wrong, 1], np.int64), 0, 3)
    for begin, end in ((-1, 3), (0, 4), (2, 1)):
        with pytest.raises(ValueError, match="begin, end: expected a range of 3"):
            call(good, begin, end)
    for arguments in (
        (good[:2], 0, 3),
        (good.astype(np.int32), 0, 3),
        (good, 0, 2),
        (good, 0, 3, rows[:, :9].copy()),
        (good, 0, 3, rows, np.zeros(2)),
        (good, 0, 3, rows.astype(np.int32)),
    ):
        with pytest.raises(ValueError, match=r"(rows|scores|segments): expected \d+ items"):
            call(*arguments)
    call(good, 1, 3, rows[:2])
    assert same(rows[:2], metric.nbest_stats(NESTED, REFS)[1:])


@pytest.mark.parametrize("threads", [1, 3])
def test_progress(threads: int) -> None:
    metric = BLEU(tokenize="none")
    n = 2 * SLICE + 5 if threads == 1 else 9 * SLICE  # which others cannot finish before
    calls: list[Any] = []

    def progress(done: int, total: int) -> None:
        calls.append((done, total, threading.get_ident()))

    rows = metric.nbest_stats([["a b"] * n], [["a b"]], threads=threads, progress=progress)
    me = threading.get_ident()
    least = 100 if threads == 1 else 2  # this thread reports the progress of all
    assert calls[-1] == (n, n, me) and least <= len(calls) <= STEPS + 1
    assert [call[0] for call in calls] == sorted({call[0] for call in calls})
    assert {call[1:] for call in calls} == {(n, me)}
    assert (rows == [2, 2, 2, 1, 0, 0, 2, 1, 0, 0]).all()
    calls.clear()
    metric.nbest_scores([["a b"] * 10], [["a b"]], threads=threads, progress=progress)
    assert calls == [(done, 10, me) for done in range(1, 11)]


def test_progress_may_end_the_work() -> None:
    def progress(done: int, total: int) -> None:
        raise StopAsyncIteration(done)

    with pytest.raises(StopAsyncIteration, match=r"^5$"):
        BLEU().nbest_stats([["a"] * 5 * STEPS], [["a"]], progress=progress)


def pairs_of(lists: Lists) -> Iterator[tuple[int, Any]]:
    return iter(list(zip(lists.segments, lists.flat, strict=True)))


@pytest.mark.parametrize("chunk", [1, 7, 100, 257, 100_000])
@pytest.mark.parametrize("dtype", ["int64", "int32"])
def test_a_stream_gives_the_same(chunk: int, dtype: str) -> None:
    lists = Lists("stream", n_segments=20)
    metric = BLEU()
    expected = metric.nbest_stats(lists.nested, lists.references)
    n = len(expected)
    calls: list[Any] = []
    for references, layout, threads in (
        (lists.references, "stream", 1),
        (lists.by_segment(), "segment", 2),
        (metric.prepare(lists.references), "stream", 1),
    ):
        stream = metric.iter_nbest_stats(
            pairs_of(lists),
            references,
            chunk=chunk,
            layout=layout,
            dtype=dtype,
            threads=threads,
            progress=lambda done, total: calls.append((done, total)),
        )
        chunks = list(stream)
        assert [len(rows) for _, rows in chunks] == [
            min(chunk, n - done) for done in range(0, n, chunk)
        ]
        assert all(rows.dtype == dtype for _, rows in chunks)
        assert all(segments.dtype == np.int64 for segments, _ in chunks)
        assert same(np.concatenate([rows for _, rows in chunks]), expected)
        assert same(np.concatenate([segments for segments, _ in chunks]), lists.segments)
        assert calls == [(min(done + chunk, n), None) for done in range(0, n, chunk)]
        calls.clear()


def test_a_stream_of_tokens_and_of_numpy_integers() -> None:
    pairs = [[np.int32(1), ["c"]], (0, ["a", "b"]), (np.uint8(1), [])]
    ((segments, rows),) = BLEU().iter_nbest_stats(pairs, [[["a", "b"], ["c"]]])
    assert segments.tolist() == [1, 0, 1]
    assert rows[:, :3].tolist() == [[1, 1, 1], [2, 2, 2], [0, 1, 0]]


def test_a_stream_is_read_chunk_by_chunk_and_its_text_let_go() -> None:
    class Text(str):
        pass

    alive: weakref.WeakSet[Text] = weakref.WeakSet()
    given: list[int] = []

    def pairs() -> Iterator[tuple[int, str]]:
        for i in range(1000):
            given.append(i)
            text = Text(f"a b {i}")
            alive.add(text)
            yield 0, text
            del text

    stream = BLEU().iter_nbest_stats(pairs(), [["a b"]], chunk=100)
    assert given == []
    for i, (_, rows) in enumerate(stream):
        assert len(rows) == 100
        assert len(given) == 100 * (i + 1)
        assert len(alive) <= 1
    assert len(given) == 1000


@pytest.mark.slow
@linux_only
def test_memory_of_a_stream_is_bounded() -> None:
    program = (
        PEAK
        + """
from rapidbleu import BLEU
pairs = ((0, "the cat sat on the mat %d " % i + "x" * 1000) for i in range(200_000))
stream = BLEU().iter_nbest_stats(pairs, [["the cat sat on the mat"]], chunk=1000)
for i, (segments, rows) in enumerate(stream):
    if i == 20:
        before = peak()
print(i, peak() - before < 4)
"""
    )
    assert run(program).split() == ["199", "True"]


@pytest.mark.parametrize(
    ("pair", "error", "message"),
    [
        (5, TypeError, r"pairs\[12\]: expected \(segment, hypothesis\); got int"),
        ("0a", TypeError, r"pairs\[12\]: expected \(segment, hypothesis\); got str"),
        ((0, "a", "b"), TypeError, r"pairs\[12\]: expected .* got 3 items"),
        (("0", "a"), TypeError, r"pairs\[12\]\[0\]: expected int; got str"),
        ((True, "a"), TypeError, r"pairs\[12\]\[0\]: expected int; got bool"),
        ((0.0, "a"), TypeError, r"pairs\[12\]\[0\]: expected int; got float"),
        ((1, "a"), ValueError, r"pairs\[12\]\[0\]: expected a segment below 1, .* got 1"),
        ((-1, "a"), ValueError, r"pairs\[12\]\[0\]: expected a segment .* got -1"),
        ((0, None), TypeError, r"pairs\[12\]\[1\]: expected str; got NoneType"),
        ((0, ["a"]), TypeError, r"pairs\[12\]\[1\]: expected str; got list"),
    ],
)
def test_bad_pairs(pair: Any, error: type[Exception], message: str) -> None:
    pairs: list[Any] = [(0, "a")] * 12 + [pair]
    stream = BLEU().iter_nbest_stats(pairs, [["a"]], chunk=5)
    assert [len(next(stream)[1]) for _ in range(2)] == [5, 5]
    with pytest.raises(error, match=message):
        next(stream)


@pytest.mark.parametrize(
    ("pairs", "keywords", "error", "message"),
    [
        ([], {"chunk": 0}, ValueError, "chunk: expected at least 1; got 0"),
        ([], {"chunk": 1.0}, TypeError, "chunk: expected int; got float"),
        ([], {"chunk": True}, TypeError, "chunk: expected int; got bool"),
        ([], {"progress": 1}, TypeError, "progress: expected a callable; got int"),
        ([], {"threads": -1}, ValueError, "threads: expected 0 for all cores"),
        ([], {"layout": "no"}, ValueError, "layout: expected one of"),
        (5, {}, TypeError, r"pairs: expected an iterable of \(segment, hypothesis\); got int"),
    ],
)
def test_bad_arguments_of_a_stream_are_refused_at_once(
    pairs: Any, keywords: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        BLEU().iter_nbest_stats(pairs, [["a"]], **keywords)


def test_pairs_of_another_kind() -> None:
    with pytest.raises(TypeError, match="references: expected segments of list of str tokens"):
        next(BLEU().iter_nbest_stats([(0, ["a"])], [["a"]]))


def test_tokenized_output_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    hyps = ["a ."] * 250
    BLEU().nbest_stats([hyps], [["a ."]])
    assert len(caplog.records) == 1
    caplog.clear()
    for _ in BLEU().iter_nbest_stats(((0, hyp) for hyp in hyps), [["a ."]], chunk=100):
        pass
    assert len(caplog.records) == 1
    caplog.clear()
    BLEU(effective_order=True, force=True).nbest_scores([hyps], [["a ."]])
    assert caplog.records == []
