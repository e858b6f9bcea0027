"""Segments of integer ids: every form equals the same tokens as text, padded or not."""

import array
import pickle
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, CHRF, NIST, TER, WER, make_reward, metrics
from rapidbleu.metrics.metric import Metric

N, LONGEST, PAD, END = 40, 25, 0, 2
GENERATOR = np.random.default_rng(40)
DTYPES = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]

Rows = list[list[int]]


def drawn(pads: bool) -> np.ndarray[Any, Any]:
    """Return rows of ids from 3 to 40, with pads among them and after ends at any index."""
    batch = GENERATOR.integers(3, 41, (N, LONGEST))
    if pads:
        batch[GENERATOR.random(batch.shape) < 0.1] = PAD
        for row in batch[1:]:
            if (n := GENERATOR.integers(0, LONGEST + 1)) < LONGEST:
                row[n] = END
                row[n + 1 :] = GENERATOR.choice([PAD, END, 7], LONGEST - n - 1)
    return batch


def related(batch: np.ndarray[Any, Any], pads: bool) -> np.ndarray[Any, Any]:
    other = drawn(pads)
    return np.where(GENERATOR.random(batch.shape) < 0.7, batch, other)


BATCH = drawn(pads=False)
REFERENCES = [related(BATCH, pads=False) for _ in range(2)]
PADDED = drawn(pads=True)
PADDED_REFERENCES = [related(PADDED, pads=True) for _ in range(2)]


def stripped(batch: Any) -> Rows:
    rows = []
    for row in batch.tolist():
        kept = []
        for token in row:
            if token == END:
                break
            if token != PAD:
                kept.append(token)
        rows.append(kept)
    return rows


def as_text(rows: Any) -> list[list[str]]:
    return [[str(token) for token in row] for row in rows]


SHORT, SHORT_REFERENCES = stripped(PADDED), [stripped(stream) for stream in PADDED_REFERENCES]


def make(kind: Any, **options: Any) -> Any:
    name = kind.__name__
    options |= {"case_sensitive": True} if name in ("TER", "HTER") else {}
    options |= {"lowercase": False} if name == "ROUGE" else {}
    options |= {"modules": ("exact",)} if name == "METEOR" else {}
    options |= {"weights": {}} if name.startswith("Weighted") else {}
    return kind(**options)


KINDS: list[Any] = [
    kind
    for name in metrics.__all__
    if isinstance(kind := getattr(metrics, name), type)
    and issubclass(kind, Metric)
    and "pad" in kind.OPTIONS
    and not name.startswith("Weighted")
]
each_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)


def torch() -> Any:
    return pytest.importorskip("torch")


def jax_array(batch: Any) -> Any:
    return pytest.importorskip("jax.numpy").asarray(batch)


FORMS: dict[str, Callable[[Any], Any]] = {
    "lists": lambda batch: batch.tolist(),
    "tuples": lambda batch: tuple(map(tuple, batch.tolist())),
    "lists of NumPy integers": lambda batch: [list(row) for row in batch],
    "array.array": lambda batch: [array.array("h", row) for row in batch.tolist()],
    "mixed": lambda batch: [row if i % 2 else row.tolist() for i, row in enumerate(batch)],
    "big-endian rows": lambda batch: list(batch.astype(">i4")),
    "big-endian": lambda batch: batch.astype(">i4"),
    "objects": lambda batch: batch.astype(object),
    "columns first": np.asfortranarray,
    "strided": lambda batch: np.repeat(np.repeat(batch, 2, 0), 3, 1)[::2, ::3],
    "backward": lambda batch: batch[::-1, ::-1].copy()[::-1, ::-1],
    "unaligned": lambda batch: (
        np.frombuffer(b"x" + batch.tobytes(), np.uint8)[1:].view(batch.dtype).reshape(batch.shape)
    ),
    "masked, without any mask": np.ma.array,
    "torch": lambda batch: torch().from_numpy(batch.copy()),
    "torch rows": lambda batch: list(torch().from_numpy(batch.copy())),
    "torch, transposed": lambda batch: torch().from_numpy(batch.T.copy()).T,
    "torch scalars": lambda batch: [list(row) for row in torch().from_numpy(batch.copy())],
    "jax": jax_array,
    "jax rows": lambda batch: list(jax_array(batch)),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_the_same_tokens_as_text(form: str) -> None:
    bleu, convert = BLEU(), FORMS[form]
    expected = bleu.segment_stats(as_text(BATCH), list(map(as_text, REFERENCES))).tolist()
    streams = list(map(convert, REFERENCES))
    assert bleu.segment_stats(convert(BATCH), streams).tolist() == expected
    assert bleu.segment_stats(convert(BATCH), bleu.prepare(streams)).tolist() == expected
    assert bleu.segment_stats(convert(BATCH), streams, threads=2).tolist() == expected
    assert bleu.segment_stats(iter(BATCH), streams).tolist() == expected
    assert bleu.segment_stats(convert(BATCH), [iter(own) for own in streams]).tolist() == expected


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("rows", [list, lambda batch: batch], ids=["rows", "batch"])
def test_every_width(dtype: str, rows: Any) -> None:
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    batch = BATCH.astype(dtype)
    batch[:, :4] = [low, high, low + 1, high - 1]
    reference = batch[:, ::-1]
    text = as_text(batch.tolist()), [as_text(reference.tolist())]
    assert (
        BLEU().segment_stats(rows(batch), [rows(reference)]).tolist()
        == BLEU().segment_stats(rows(batch), [reference.tolist()]).tolist()
        == BLEU().segment_stats(*text).tolist()
    )


@each_kind
def test_metrics_give_the_scores_of_text(kind: Any) -> None:
    metric = make(kind)
    streams: list[Any] = [REFERENCES[0], [None if i % 3 else row for i, row in enumerate(BATCH)]]
    texts = [[None if row is None else as_text([row])[0] for row in own] for own in streams]
    if kind.__name__ == "GECGLEU":
        streams, texts = REFERENCES, list(map(as_text, REFERENCES))
    ours = metric.segment_scores(BATCH, streams), metric.corpus_score(BATCH, streams)
    same = metric.segment_scores(as_text(BATCH), texts), metric.corpus_score(as_text(BATCH), texts)
    assert ours[0].tolist() == same[0].tolist()
    assert ours[1] == same[1]


def test_batches_by_segment() -> None:
    cube = np.stack(REFERENCES)
    expected = BLEU().segment_stats(BATCH, REFERENCES).tolist()
    turned = np.ascontiguousarray(cube.swapaxes(0, 1))
    assert BLEU().segment_stats(BATCH, cube).tolist() == expected
    assert BLEU().segment_stats(BATCH, turned, layout="segment").tolist() == expected
    assert BLEU().sentence_score(BATCH[3], turned[3]) == BLEU().sentence_score(
        as_text(BATCH)[3], as_text(turned[3])
    )
    nbest = BLEU().nbest_stats(turned, [BATCH]).tolist()
    lists = [as_text(group) for group in turned]
    assert nbest == BLEU().nbest_stats(lists, [as_text(BATCH)]).tolist()
    assert np.array_equal(BLEU().pairwise(turned[3]), BLEU().pairwise(as_text(turned[3])))
    pairs = zip(
        BLEU().pairwise(turned, groups=True),
        BLEU().pairwise(lists, groups=True),
        strict=True,
    )
    assert all(np.array_equal(ours, same) for ours, same in pairs)


def test_batches_without_rows_or_columns() -> None:
    none = np.empty((2, 0), np.int64)
    assert (
        BLEU().segment_stats(none, [none]).tolist()
        == BLEU().segment_stats([[], []], [[[], []]]).tolist()
    )
    assert BLEU().segment_stats(none, [[[5], [7, 8]]])[:, 1].tolist() == [1, 2]
    with pytest.raises(ValueError, match="hypotheses: expected at least one segment; got none"):
        BLEU().corpus_score(np.empty((0, 5), np.int64), [np.empty((0, 5), np.int64)])
    assert BLEU().segment_stats([np.array([]), np.array([5])], [[[5], [5]]]).tolist()[0][2] == 0


def test_what_was_read_is_kept() -> None:
    """Arrays that change later, and a giant view of a single number."""
    batch = BATCH.copy()
    prepared = BLEU().prepare([batch])
    expected = BLEU().segment_stats(BATCH, prepared).tolist()
    batch[:] = 0
    assert BLEU().segment_stats(BATCH, prepared).tolist() == expected
    spread = np.broadcast_to(np.int16(5), (2, 30_000))
    assert WER().corpus_score(spread, [spread]).score == 0
    if sys.maxsize > 2**60:
        with pytest.raises(MemoryError):
            BLEU().prepare([np.broadcast_to(np.int16(5), (2**31, 2**29))])


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(4000, 200_000), (1, 800_000_000)])
def test_giant_batches_can_be_interrupted(shape: tuple[int, int]) -> None:
    sent = []

    def interrupt() -> None:
        sent.append(time.perf_counter())
        signal.raise_signal(signal.SIGINT)

    timer = threading.Timer(0.2, interrupt)
    batch = np.broadcast_to(np.int8(5), shape)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        BLEU().prepare([batch])
    timer.join()
    assert time.perf_counter() - sent[0] < 2


@each_kind
def test_padded_is_stripped(kind: Any) -> None:
    padding, plain = make(kind, pad=PAD, end=END), make(kind)
    padded = PADDED, PADDED_REFERENCES
    text = as_text(SHORT), list(map(as_text, SHORT_REFERENCES))
    expected = plain.segment_stats(SHORT, SHORT_REFERENCES).tolist()
    assert expected == plain.segment_stats(*text).tolist()
    assert padding.segment_stats(*padded).tolist() == expected
    assert padding.segment_stats(*padded, threads=2).tolist() == expected
    assert padding.segment_stats(SHORT, SHORT_REFERENCES).tolist() == expected
    assert plain.segment_stats(*padded).tolist() != expected
    score = padding.corpus_score(*padded)
    assert score == plain.corpus_score(*text)
    assert "|pad:0|end:2|" in str(padding.get_signature())
    assert "|pad:0|end:2|" in score.signature
    assert "pad" not in str(plain.get_signature()) + plain.corpus_score(*text).signature
    twin = pickle.loads(pickle.dumps(padding))
    assert repr(twin) == repr(padding)
    assert twin.segment_stats(*padded).tolist() == expected


@pytest.mark.parametrize("kind", [BLEU, TER, WER], ids=lambda kind: kind.__name__)
def test_every_call_leaves_padding_out(kind: Any) -> None:
    padding, plain = make(kind, pad=PAD, end=END), make(kind)
    padded, short = PADDED.tolist(), SHORT

    def same(call: Callable[[Any, Any, Any], Any]) -> None:
        ours = call(padding, PADDED, PADDED_REFERENCES)
        also = call(padding, padded, [own.tolist() for own in PADDED_REFERENCES])
        text = call(plain, as_text(short), list(map(as_text, SHORT_REFERENCES)))
        assert ours == also == text

    groups = range(0, N, 8)
    same(lambda m, h, r: m.segment_scores(h, r).tolist())
    same(lambda m, h, r: m.segment_scores(h, m.prepare(r)).tolist())
    same(lambda m, h, r: m.segment_scores(iter(h), [iter(own) for own in r]).tolist())
    same(lambda m, h, r: [m.sentence_score(h[i], [own[i] for own in r]) for i in range(N)])
    same(lambda m, h, r: m.nbest_stats([h[i : i + 8] for i in groups], [r[0][:5]]).tolist())
    same(lambda m, h, r: m.nbest_scores(h, r, segments=range(N)).tolist())
    same(lambda m, h, r: m.pairwise(h, r[0]).tolist())
    same(lambda m, h, r: m.mbr(h, r[1]).tolist())
    same(lambda m, h, r: m.self_scores(h).tolist())
    same(lambda m, h, r: int(m.select(h)))
    same(lambda m, h, r: m.explain(h[2], [r[0][2]]).statistics)
    same(lambda m, h, r: [rows.tolist() for _, rows in m.iter_nbest_stats(enumerate(h), r)])

    def replaced(metric: Any, hyps: Any, refs: Any) -> list[float]:
        """Integers mean a row of counts here, so pass new ids as a row."""
        prepared = metric.prepare(refs)
        running = metric.running(prepared, hyps)
        new = metric.nbest_stats(hyps[1:3], prepared, segments=[0, 0])
        whatif = running.score_if(0, new[:1]).tolist()
        return [*whatif, running.replace(0, new[1]), running.score]

    same(replaced)


def test_pad_alone_and_end_alone() -> None:
    row, reference = [7, 0, 5, 2, 0, 9], [7, 5, 2, 9]
    assert (
        BLEU(pad=0).segment_stats([row], [[reference]]).tolist()
        == BLEU().segment_stats([[7, 5, 2, 9]], [[reference]]).tolist()
    )
    assert (
        BLEU(end=2).segment_stats([row], [[reference]]).tolist()
        == BLEU().segment_stats([[7, 0, 5]], [[[7, 5]]]).tolist()
    )
    assert BLEU(pad=7, end=7).segment_stats([row], [[reference]])[0, :2].tolist() == [0, 0]


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, list])
@pytest.mark.parametrize("pad", [-100, 2**64 - 100])
def test_negative_ids(dtype: Any, pad: int) -> None:
    """Such as the -100 that losses ignore, equal modulo 2**64."""
    rows = [[-100, 5, -7, -100, 9, -1]]
    given = rows if dtype is list else np.array(rows, dtype)
    assert BLEU(pad=pad).segment_stats(given, [[[5, -7, 9, -1]]])[0].tolist() == [
        4,
        4,
        4,
        3,
        2,
        1,
        4,
        3,
        2,
        1,
    ]


def test_ids_above_2_63() -> None:
    rows = np.array([[2**63 + 5, 2**64 - 1, 2**63 - 1, 5]], np.uint64)
    for same in (rows.tolist(), [rows[0]], rows, rows.astype(">u8")):
        assert BLEU(pad=5).segment_stats(same, [[[2**63 + 5, -1, 2**63 - 1]]])[0, 2:5].tolist() == [
            3,
            2,
            1,
        ]
    assert BLEU().segment_stats(rows, [rows.view(np.int64)])[0, 2] == 4


def test_options_of_ids() -> None:
    assert repr(BLEU(pad=np.int64(0), end=2)) == "BLEU(pad=0, end=2)"
    assert repr(BLEU(pad=None)) == "BLEU()"
    for kind in (metrics.CER, CHRF, metrics.CharacTER, metrics.EED):
        with pytest.raises(TypeError, match=f"{kind.__name__}: expected one of .*; got 'pad'"):
            kind(pad=0)
    for wrong in (True, 1.0, "0", [0]):
        with pytest.raises(TypeError, match="end: expected int; got "):
            BLEU(end=wrong)
    with pytest.raises(ValueError, match="pad: expected at most 18446744073709551615; got "):
        BLEU(pad=2**64)
    for text in ("a b", ["a", "b"]):
        for call in (BLEU(pad=0).sentence_score, WER(end=2).sentence_score):
            with pytest.raises(TypeError, match=r"segments: expected integer ids, as there is"):
                call(text, [text])
        with pytest.raises(TypeError, match=r"expected integer ids, as there is pad or end"):
            BLEU(pad=0).pairwise([text])
        with pytest.raises(TypeError, match=r"expected integer ids, as there is pad or end"):
            BLEU(pad=0).nbest_stats([[text]], [[text]])
    prepared = BLEU(pad=0).prepare([BATCH])
    with pytest.raises(ValueError, match=r"prepared for tok:13a\|case:mixed; got .*mixed\|pad:0$"):
        BLEU().corpus_score(BATCH, prepared)
    with pytest.raises(ValueError, match=r"prepared for tok:13a\|case:mixed\|pad:1; got others"):
        BLEU(pad=1).corpus_score(BATCH, prepared)


def test_information_is_read_alike() -> None:
    nist = NIST(pad=PAD, end=END, information=PADDED_REFERENCES)
    other = NIST(information=SHORT_REFERENCES)
    assert nist.corpus_score(PADDED, PADDED_REFERENCES) == other.corpus_score(
        SHORT, SHORT_REFERENCES
    )


class Elsewhere:
    """An array in device memory, like CuPy's."""

    dtype, ndim = np.dtype(np.int64), 1

    def __len__(self) -> int:
        return 3

    def __getitem__(self, i: int) -> int:
        return i

    def __iter__(self) -> Any:
        return iter(range(3))

    def __array__(self, *_: Any) -> Any:
        raise TypeError("Implicit conversion to a NumPy array is not allowed")


class Exported:
    """An array with nothing but DLPack."""

    def __init__(self, array: Any) -> None:
        self.array, self.ndim = array, array.ndim

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, i: int) -> Any:
        return self.array[i]

    def __iter__(self) -> Any:
        return iter(self.array)

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


def test_dlpack() -> None:
    expected = BLEU().segment_stats(BATCH, REFERENCES).tolist()
    streams = [Exported(own) for own in REFERENCES]
    assert BLEU().segment_stats(Exported(BATCH), streams).tolist() == expected
    assert BLEU().segment_stats(list(map(Exported, BATCH)), streams).tolist() == expected


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([5, True], r"\[1\]: expected int; got bool"),
        ([True, False], r"\[0\]: expected int; got bool"),
        ([5, 1.0], r"\[1\]: expected int; got float"),
        ([5, "a"], r"\[1\]: expected int; got str"),
        ([5, None], r"\[1\]: expected int; got NoneType"),
        ([5, np.bool_(True)], r"\[1\]: expected int; got bool"),
        ([5, 2**64], r"\[1\]: expected an id of 64 bits; got 18446744073709551616"),
        ([5, -(2**63) - 1], r"\[1\]: expected an id of 64 bits; got -9223372036854775809"),
        (np.array([5, 1], bool), r": expected a list of integer ids; got an array of bool"),
        (np.array([5, 1], float), r": expected a list of integer ids; got an array of float64"),
        (np.array([5, 1], "f2"), r": expected a list of integer ids; got an array of float16"),
        (np.array([5, 1], "M8[s]"), r": expected a list of integer ids; got an array of datetime"),
        (
            np.array(["a"], "<U1"),
            r": expected a list of integer ids; got an array of <U1",
        ),
        (np.array([5, 2.5], object), r"\[1\]: expected int; got float"),
        (np.ma.array([5, 6], mask=[0, 1]), r"\[1\]: expected int; got NoneType"),
        (np.zeros((2, 2), "i8"), r": expected .* ids; got an array of int64 and shape \(2, 2\)"),
        (np.array(5), r": expected list of integer ids; got ndarray|: expected .* shape \(\)"),
        (array.array("d", [5.0]), r"\[0\]: expected int; got float"),
        (b"ab", r": expected list of integer ids; got bytes"),
        (memoryview(b"ab"), r": expected list of integer ids; got memoryview"),
        ("ab", r": expected list of integer ids; got str"),
        (7, r": expected list of integer ids; got int"),
        (Elsewhere(), r": expected an array in the memory of the CPU, such as .cpu\(\) returns; "),
    ],
    ids=lambda value: type(value).__name__,
)
def test_wrong_segments(wrong: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=r"^hypotheses\[3\]" + message):
        BLEU().corpus_score([*BATCH[:3], wrong], [BATCH[:4]])
    with pytest.raises((TypeError, ValueError), match=r"^references\[1\]\[3\]" + message):
        BLEU().prepare([BATCH[:4], [*BATCH[:3], wrong]])
    with pytest.raises((TypeError, ValueError), match=r"^hypotheses\[1\]\[0\]" + message):
        BLEU().nbest_stats([[BATCH[0]], [wrong]], [BATCH[:2]])
    with pytest.raises((TypeError, ValueError), match=r"^hypotheses\[1\]" + message):
        BLEU().pairwise([BATCH[0], wrong])


@pytest.mark.parametrize("dtype", [bool, float, np.float32, complex])
def test_wrong_batches(dtype: Any) -> None:
    wrong = BATCH.astype(dtype)
    for batch in (wrong, list(wrong), wrong.tolist()):
        with pytest.raises(TypeError, match=r"^hypotheses\[0\]"):
            BLEU().corpus_score(batch, [BATCH])
        with pytest.raises(TypeError, match=r"^references\[1\]\[0\]"):
            BLEU().corpus_score(BATCH, [BATCH, batch])
        with pytest.raises(TypeError, match=r"^hypothesis"):
            BLEU().sentence_score(batch[0], [BATCH[0]])


def test_arrays_without_dimensions() -> None:
    for wrong in (np.array(5), np.int64(5)):
        with pytest.raises(TypeError, match="hypotheses: expected a sequence of segments; got"):
            BLEU().corpus_score(wrong, [[[5]]])
        with pytest.raises(TypeError, match=r"hypotheses\[0\]: expected str; got "):
            BLEU().corpus_score([wrong], [[[5]]])
    row = [np.array(token) for token in BATCH[0]]
    assert BLEU().sentence_score(row, [BATCH[0]]).score == pytest.approx(100)


def test_masked_batches() -> None:
    masked = np.ma.array(BATCH.copy())
    masked[2, 3] = np.ma.masked
    with pytest.raises(TypeError, match=r"^hypotheses\[2\]\[3\]: expected int; got NoneType"):
        BLEU().corpus_score(masked, [BATCH])


def test_torch_tensors_that_are_refused() -> None:
    pt = torch()
    away = pt.zeros((2, 3), dtype=pt.int64, device="meta")
    for batch, place in ((away, r"hypotheses"), (list(away), r"hypotheses\[0\]")):
        with pytest.raises(TypeError, match=rf"^{place}: expected an array in the .*\.cpu\(\)"):
            BLEU().corpus_score(batch, [[[1], [2]]])
    for given in (pt.ones((2, 3), requires_grad=True), pt.ones((2, 3))):
        for batch in (given, list(given)):
            with pytest.raises(TypeError, match=r"^hypotheses\[0\].*float32"):
                BLEU().corpus_score(batch, [[[1], [2]]])
    for batch in (pt.ones((2, 3), dtype=pt.bool), list(pt.ones((2, 3), dtype=pt.bool))):
        with pytest.raises(TypeError, match=r"^hypotheses\[0\].*bool"):
            BLEU().corpus_score(batch, [[[1], [2]]])
    with pytest.raises(TypeError, match=r"hypotheses\[0\]: expected str; got Tensor"):
        BLEU().corpus_score([pt.tensor(5)], [[[5]]])


def test_tensors_that_require_gradients_are_detached() -> None:
    """torch's gradients are of floats only, so this is a library whose integers have some."""

    class Tensor(Elsewhere):
        requires_grad = True

        def detach(self) -> Any:
            return np.arange(3)

    assert BLEU().segment_stats([Tensor()], [[[0, 1, 2]]])[0, 2:5].tolist() == [3, 2, 1]


@pytest.mark.parametrize("form", ["lists", "tuples", "columns first", "torch", "torch rows"])
def test_rewards_of_ids(form: str) -> None:
    padding = make_reward("trl", metric=BLEU(effective_order=True, pad=PAD, end=END))
    plain = make_reward("trl", metric=BLEU(effective_order=True, tokenize="none"))
    lines = [" ".join(row) for row in as_text(SHORT)]
    first, second = ([" ".join(row) for row in as_text(own)] for own in SHORT_REFERENCES)
    convert = FORMS[form]
    batch, refs = convert(PADDED), list(map(convert, PADDED_REFERENCES))
    expected = plain(lines, ground_truth=first)
    assert padding(batch, ground_truth=refs[0]) == expected
    both = [list(pair) for pair in zip(*refs, strict=True)]
    one_or_both = [both[i] if i % 2 else own for i, own in enumerate(refs[0])]
    texts = [[first[i], second[i]] if i % 2 else first[i] for i in range(N)]
    assert padding(batch, ground_truth=one_or_both) == plain(lines, ground_truth=texts)
    known = [None if i % 3 == 0 else own for i, own in enumerate(refs[0])]
    assert padding(batch, ground_truth=known) == [
        None if i % 3 == 0 else own for i, own in enumerate(expected)
    ]
    verl = make_reward("verl", metric=BLEU(effective_order=True, pad=PAD, end=END))
    assert verl(solution_strs=batch, ground_truths=refs[0]) == expected
    assert verl("task", batch[1], refs[0][1]) == expected[1]
    assert padding.__name__ == "bleu_pad_0_end_2_reward"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("completions", "references", "message"),
    [
        ([[1], [1, "a"]], [[1], [1]], r"^completions\[1\]\[1\]: expected int; got str"),
        ([[1], [1, 2.5]], [[1], [1]], r"^completions\[1\]\[1\]: expected int; got float"),
        ([[1], "a b"], [[1], [1]], r"^text\[1\]\[0\]: expected str; got int"),
        ([[1], "a b"], [[1], "a"], r"^completions\[1\]: expected list of integer ids; got str"),
        ([[1], [1]], [[1], [1, None]], r"^text\[1\]\[1\]: expected int; got NoneType"),
        ([[1], [1]], [[1], [[1], ["a"]]], r"^text\[1\]\[1\]\[0\]: expected int; got str"),
        ([[1], [1]], [[1], "a"], r"^text\[1\]: expected a sequence of references; got a single"),
        ([[1], [1]], [[1], []], r"^text\[1\]: expected at least one reference; got"),
        (["a", "b"], ["a", [1]], r"^text\[1\]\[0\]: expected str; got int"),
    ],
)
def test_wrong_rewards(completions: Any, references: Any, message: str) -> None:
    reward: Any = make_reward("trl", reference_key="text")
    with pytest.raises((TypeError, ValueError), match=message):
        reward(completions, text=references)


def test_ids_are_no_texts_to_extract() -> None:
    reward: Any = make_reward("trl", extract=str.strip)
    with pytest.raises(TypeError, match=r"completions\[0\]: expected str; got list"):
        reward([[1, 2]], ground_truth=[[1, 2]])
