"""Streamed input against the same calls with all of it in memory."""

import bz2
import gzip
import io
import itertools
import lzma
import re
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rapidbleu import BLEU, CHRF, NIST, TER
from rapidbleu._core.input.lines import LineReader, read_fields, read_texts
from rapidbleu.streams.batches import read_ahead, read_batches
from support.corpora import random_corpus
from support.family import METRICS
from support.processes import PEAK, linux_only, run, unsanitized

CALLS = ("corpus_score", "corpus_stats", "segment_stats", "segment_scores")


def lines(texts: Iterable[str]) -> list[str]:
    """Return texts as lines of a file: without trailing white space and line feeds."""
    return [text.replace("\n", " ").rstrip() for text in texts]


def corpus(seed: int, n: int = 40, n_refs: int = 2) -> Any:
    hyps, refs = random_corpus(Random(seed), n, kind="mixed", n_refs=n_refs)
    return lines(hyps), [lines(stream) for stream in refs]


def ids(segments: list[list[str]]) -> list[list[int]]:
    return [[len(word) for word in segment] for segment in segments]


def write(path: Path, texts: Iterable[str], opener: Any = open) -> Path:
    with opener(path, "wb") as file:
        file.write("".join(f"{text}\n" for text in texts).encode())
    return path


def same(found: Any, expected: Any) -> None:
    if isinstance(expected, np.ndarray):
        assert found.dtype == expected.dtype
        assert found.tolist() == expected.tolist()
    else:
        assert found == expected
        assert repr(found) == repr(expected)


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("call", CALLS)
def test_every_metric_and_call(name: str, call: str, tmp_path: Path) -> None:
    metric, (hyps, refs) = METRICS[name], corpus(1)
    expected = getattr(metric, call)(hyps, refs)
    signature = metric.get_signature().format()
    paths = [write(tmp_path / f"{i}", stream) for i, stream in enumerate([hyps, *refs])]
    for threads in (1, 2):
        for given_hyps, given_refs in (
            (iter(hyps), [iter(stream) for stream in refs]),
            (paths[0], paths[1:]),
            (hyps, [refs[0], paths[2]]),
            ((text for text in hyps), refs),
        ):
            same(getattr(metric, call)(given_hyps, given_refs, threads=threads), expected)
            assert metric.get_signature().format() == signature
            assert metric.num_refs == 2
        by_segment = zip(*refs, strict=True)
        found = getattr(metric, call)(iter(hyps), by_segment, layout="segment", threads=threads)
        same(found, expected)


@pytest.mark.parametrize("gaps", [False, True])
def test_doubles_of_ter_are_added_in_order(gaps: bool) -> None:
    """Means of three lengths: another order of the sum changes the last digit."""
    rng, ter = Random(3), TER()
    hyps, refs = corpus(3, 300, 3)
    streams: Any = refs
    if gaps:
        streams = [refs[0], *([t if rng.random() < 0.5 else None for t in s] for s in refs[1:])]
    expected = ter.corpus_score(hyps, streams)
    found = ter.corpus_score(iter(hyps), [iter(stream) for stream in streams])
    assert (found.score, found.num_edits, found.ref_length) == (
        expected.score,
        expected.num_edits,
        expected.ref_length,
    )


@pytest.mark.parametrize(
    ("ending", "opener"), [(".gz", gzip.open), (".bz2", bz2.open), (".xz", lzma.open)]
)
def test_compressed_files(tmp_path: Path, ending: str, opener: Any) -> None:
    hyps, refs = corpus(4)
    path = write(tmp_path / f"hyp{ending}", hyps, opener)
    assert BLEU().corpus_score(path, refs) == BLEU().corpus_score(hyps, refs)


def test_tokens_ids_and_missing_references() -> None:
    bleu = BLEU(tokenize="none", force=True)
    hyps, refs = corpus(5)
    tokens, ref_tokens = [t.split() for t in hyps], [[t.split() for t in s] for s in refs]
    for own, streams in (
        (tokens, ref_tokens),
        (ids(tokens), [ids(s) for s in ref_tokens]),
        (hyps, [refs[0], [None if i % 3 else t for i, t in enumerate(refs[1])]]),
    ):
        expected = bleu.corpus_score(own, streams)
        signature = bleu.get_signature().format()
        assert bleu.corpus_score(iter(own), [iter(s) for s in streams]) == expected
        assert bleu.get_signature().format() == signature


def test_bootstrap_of_a_stream() -> None:
    hyps, refs = corpus(6)
    found = BLEU().corpus_score(iter(hyps), refs, n_bootstrap=30)
    assert repr(found) == repr(BLEU().corpus_score(hyps, refs, n_bootstrap=30))


def test_prepared_references_and_informed_metrics(tmp_path: Path) -> None:
    hyps, refs = corpus(7)
    path = write(tmp_path / "hyp", hyps)
    bleu, nist = BLEU(references=refs), NIST()
    assert bleu.corpus_score(iter(hyps)) == BLEU().corpus_score(hyps, refs)
    assert bleu.corpus_score(path, bleu.prepare(refs)) == BLEU().corpus_score(hyps, refs)
    for given_hyps in (iter(hyps), path):
        found = nist.corpus_score(given_hyps, [iter(refs[0]), refs[1]])
        assert found == nist.corpus_score(hyps, refs)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_batches_of_any_size(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 30))
    hyps, refs = corpus(data.draw(st.integers(0, 5)), n)
    sizes = data.draw(st.tuples(st.integers(1, 9), st.integers(1, 9), st.integers(1, 200)))
    chrf, total = CHRF(), np.zeros(CHRF().corpus_stats(hyps, refs).shape, np.int64)
    for batch, ref_batch, _ in read_batches(
        iter(hyps), [iter(stream) for stream in refs], "stream", *sizes
    ):
        assert len(batch) <= sizes[1]
        total += chrf._extractor.extract(batch, ref_batch, 0, len(batch))
    assert total.tolist() == chrf.corpus_stats(hyps, refs).tolist()


def test_files_of_several_batches(tmp_path: Path) -> None:
    hyps, refs = (["a b", "c d e"] * 10_000 for _ in range(2))
    hyps[17_000] = refs[19_000] = "x"
    paths = [write(tmp_path / name, texts) for name, texts in (("hyp", hyps), ("ref", refs))]
    for threads in (1, 2):
        found = BLEU().segment_stats(paths[0], [paths[1]], threads=threads)
        assert found.tolist() == BLEU().segment_stats(hyps, [refs]).tolist()


def test_progress_of_a_stream() -> None:
    hyps, refs = corpus(8)
    told: list[tuple[int, int]] = []
    BLEU().corpus_score(iter(hyps), refs, progress=lambda done, n: told.append((done, n)))
    assert told == sorted(told)
    assert told[-1] == (40, 0)
    assert {n for _, n in told} == {0}


def test_the_warning_of_tokenized_periods_comes_once(caplog: pytest.LogCaptureFixture) -> None:
    BLEU().corpus_score(itertools.repeat("It rained .", 40_000), [["It rained."] * 40_000])
    assert len(caplog.records) == 1


def test_an_empty_stream(tmp_path: Path) -> None:
    for empty in (iter(()), write(tmp_path / "empty", [])):
        with pytest.raises(ValueError, match=r"^\S+: expected at least one segment"):
            BLEU().corpus_score(empty, [iter(())])


@pytest.mark.parametrize(
    ("n_hyps", "n_refs", "message"),
    [
        (5, 4, r"hypotheses has 5 or more, references\[0\] has 4"),
        (5, 6, r"hypotheses has 5, references\[0\] has 6 or more"),
        (30, 15, r"hypotheses has \d+ or more, references\[0\] has 15"),
        (0, 3, r"hypotheses has 0, references\[0\] has 1 or more"),
    ],
)
def test_numbers_that_differ(n_hyps: int, n_refs: int, message: str, tmp_path: Path) -> None:
    message = f"^numbers of segments differ: {message}$"
    with pytest.raises(ValueError, match=message):
        BLEU().corpus_score(iter(["a"] * n_hyps), [["a"] * n_refs])
    hyp, ref = write(tmp_path / "hyp", ["a"] * n_hyps), write(tmp_path / "ref", ["a"] * n_refs)
    message = rf"differ: \S*hyp has {n_hyps}, \S*ref has {n_refs}$"
    with pytest.raises(ValueError, match=message):
        BLEU().corpus_score(hyp, [ref])


@pytest.mark.parametrize("place", [0, 25])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_wrong_segment_is_named(place: int, threads: int) -> None:
    texts: list[Any] = ["a"] * 30
    texts[place] = None
    good = ["a"] * 30
    with pytest.raises(TypeError, match=rf"^hypotheses\[{place}\]: expected str; got NoneType$"):
        BLEU().corpus_score(iter(texts), [good], threads=threads)
    texts[place] = 3
    with pytest.raises(TypeError, match=rf"^references\[1\]\[{place}\]: expected str; got int$"):
        BLEU().corpus_score(good, [good, iter(texts)], threads=threads)
    with pytest.raises(ValueError, match=r"at least one reference|no reference"):
        BLEU().corpus_score(iter(good), [[None if t == 3 else t for t in texts]])


@pytest.mark.parametrize("wrong", [None, "b", 3, ["b", 3], [None, 3]])
def test_wrong_references_are_named_as_those_of_lists(wrong: Any) -> None:
    hyps, refs = ["a"] * 30, [["a"] for _ in range(30)]
    refs[25] = wrong
    with pytest.raises((TypeError, ValueError), match=r"^references\[25\]") as known:
        CHRF().corpus_score(hyps, refs, layout="segment")
    with pytest.raises(known.type, match=f"^{re.escape(str(known.value))}$"):
        CHRF().corpus_score(iter(hyps), iter(refs), layout="segment")


def test_a_segment_without_any_reference_is_named() -> None:
    hyps, refs = ["a"] * 30, [*["a"] * 25, None, *["a"] * 4]
    for streams in [refs, refs], [iter(refs), refs]:
        with pytest.raises(ValueError, match=r"^references: segment 25 has no reference$"):
            BLEU().corpus_score(hyps, streams)
    for empty in [], [None]:
        lists = [empty if ref is None else [ref] for ref in refs]
        with pytest.raises(ValueError, match=r"^references\[25\] has no reference$"):
            BLEU().corpus_score(iter(hyps), iter(lists), layout="segment")


def test_a_bad_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "hyp"
    path.write_bytes(b"a\n" * 20 + b"b\xff\n" + b"a\n" * 9)
    with pytest.raises(ValueError, match=r"hyp, line 21: expected text in UTF-8; got byte 0xff$"):
        BLEU().corpus_score(path, [["a"] * 30])
    packed = tmp_path / "hyp.gz"
    whole = gzip.compress(b"a b c d\n" * 3000)
    packed.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match=r"hyp\.gz: "):
        BLEU().corpus_score(packed, [["a"] * 3000])
    with pytest.raises(FileNotFoundError, match="nowhere"):
        BLEU().corpus_score(tmp_path / "nowhere", [["a"]])


def test_tables_go_through_a_scan(tmp_path: Path) -> None:
    batches = iter([(["a"], ["b"])]), iter([{"hyp": ["a"], "ref": ["b"]}])
    for source in (*batches, tmp_path / "t.tsv"):
        with pytest.raises(ValueError, match=r"^references: .* got None; .* as scan\(batches\)$"):
            BLEU().corpus_score(source)
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"hyp": ["a"], "ref": ["b"]})
    message = r"^hypotheses: .* to a corpus call scan\(table\)\)$"
    for own in table, table.to_reader():
        for references in None, [["b"]]:
            with pytest.raises(TypeError, match=message):
                BLEU().corpus_score(own, references)


def test_what_is_no_stream(tmp_path: Path) -> None:
    path = write(tmp_path / "ref", ["a"])
    for references, message in (
        (path, r"expected a list of streams; got \w+Path; one stream goes in brackets"),
        (iter(["a"]), r"expected a list of streams; got list_iterator; one stream"),
        ("a", r"expected a list of streams; got str"),
    ):
        with pytest.raises(TypeError, match=rf"^references: {message}"):
            BLEU().corpus_score(iter(["a"]), references)
    with pytest.raises(TypeError, match=r"^references: .*got a file of text, which is one stream"):
        BLEU().corpus_score(iter(["a"]), path, layout="segment")
    with pytest.raises(ValueError, match=r"^references: expected at least one stream"):
        BLEU().corpus_score(iter(["a"]), [])
    with pytest.raises(ValueError, match=r"^layout: "):
        BLEU().corpus_score(iter(["a"]), [["a"]], layout="segments")  # type: ignore[arg-type]
    for hyps in ({"a"}, {"a": 1}, 5, "a"):
        with pytest.raises(TypeError, match=r"^hypotheses: expected a sequence of segments"):
            BLEU().corpus_score(hyps, [["a"]])  # type: ignore[arg-type]


@pytest.mark.parametrize("threads", [1, 2])
def test_errors_of_a_generator_pass_through(threads: int) -> None:
    def texts() -> Iterator[str]:
        yield from ["a"] * 20
        raise OSError("the line went dead")

    with pytest.raises(OSError, match=r"^the line went dead$"):
        BLEU().corpus_score(texts(), [["a"] * 30], threads=threads)


@pytest.mark.parametrize("threads", [1, 2])
def test_files_are_closed_after_an_error(tmp_path: Path, threads: int) -> None:
    import gc
    import warnings

    paths = [write(tmp_path / f"{i}", ["a"] * n) for i, n in enumerate((30, 20))]
    with warnings.catch_warnings():
        warnings.simplefilter("error", ResourceWarning)
        with pytest.raises(ValueError, match="differ"):
            BLEU().corpus_score(paths[0], [paths[1]], threads=threads)
        with pytest.raises(FileNotFoundError):
            BLEU().corpus_score(paths[0], [tmp_path / "nowhere"], threads=threads)
        gc.collect()


def test_read_ahead_is_one_item_ahead() -> None:
    asked: list[int] = []
    turn = threading.Event()

    def items() -> Iterator[int]:
        for i in range(5):
            asked.append(i)
            if i == 2:
                turn.set()
            yield i

    ahead = read_ahead(items())
    assert next(ahead) == 0
    assert next(ahead) == 1
    assert turn.wait(10)
    assert list(ahead) == [2, 3, 4]
    assert asked == [0, 1, 2, 3, 4]


def test_an_early_end_stops_the_reader() -> None:
    closed = threading.Event()

    def items() -> Iterator[int]:
        try:
            yield from itertools.count()
        finally:
            closed.set()

    ahead = read_ahead(items())
    assert next(ahead) == 0
    ahead.close()  # type: ignore[attr-defined]
    assert closed.wait(10)
    assert not [t for t in threading.enumerate() if t.name == "rapidbleu-reader"]


SPACES = [chr(c) for c in range(0x110000) if chr(c).isspace() and c != 10]
ALPHABET = [*SPACES, *"ab\xe9\u4e2d\U0001f600\xa5\u2085\u3001\u2030\u167f\u180e\u200b\u2060"]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.text(st.sampled_from(ALPHABET), max_size=6), max_size=8), st.integers(1, 40))
def test_white_space_at_ends_is_that_of_python(texts: list[str], size: int) -> None:
    data = "".join(f"{text}\n" for text in texts).encode()
    found = read_texts(LineReader(io.BytesIO(data), "file", size), strips=True)
    assert found.to_list() == [text.rstrip() for text in texts]


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_fields_are_those_of_split(data: st.DataObject) -> None:
    n_fields = data.draw(st.integers(1, 5))
    field = st.text(st.sampled_from("ab \xe9\u4e2d"), max_size=4)
    rows = data.draw(st.lists(st.lists(field, min_size=n_fields, max_size=n_fields), max_size=9))
    places = sorted(data.draw(st.sets(st.integers(0, n_fields - 1), min_size=1)))
    end = data.draw(st.sampled_from(["\n", "\r\n"]))
    text = "".join("\t".join(row) + end for row in rows)
    reader = LineReader(io.BytesIO(text.encode()), "file", data.draw(st.integers(1, 40)))
    most, found = data.draw(st.integers(1, 4)), []
    while columns := [c.to_list() for c in read_fields(reader, places, n_fields, most_lines=most)]:
        assert len(columns[0]) <= most
        if not columns[0]:
            break
        found += zip(*columns, strict=True)
    assert found == [tuple(row[i] for i in places) for row in rows]


def test_wrong_fields_are_named() -> None:
    for data, message in (
        (b"a\tb\na\n", "file, line 2: expected 2 fields with tabs between them; got 1"),
        (b"a\tb\tc\n", "file, line 1: expected 2 fields with tabs between them; got 3"),
        (b"a\tb\na\t\xfe\n", "file, line 2: expected text in UTF-8; got byte 0xfe"),
    ):
        with pytest.raises(ValueError, match=f"^{message}$"):
            read_fields(LineReader(io.BytesIO(data), "file"), [0, 1], 2)


BOUNDED = (
    PEAK
    + """
from pathlib import Path
from rapidbleu import BLEU
import numpy
path = Path({path!r})
def lines():
    for _ in range({n}):
        with path.open(encoding="utf-8") as file:
            for line in file:
                yield line.rstrip()
bleu = BLEU()
bleu.corpus_score(iter(["a b c d"]), [iter(["a b c d"])])
before = peak()
score = bleu.corpus_score({call}, threads=2)
print(peak() - before, score.sys_len)
"""
)


@linux_only
@unsanitized
@pytest.mark.slow
@pytest.mark.parametrize(
    ("call", "n"), [("lines(), [lines()]", 30), ("path, [path]", 1), ("path, [lines()]", 1)]
)
def test_memory_is_that_of_a_batch(call: str, n: int, tmp_path: Path) -> None:
    """A million and a half segments in memory would take 260 MB."""
    texts = [f"{i} {'the cat sat on the mat and looked at me ' * 3}." for i in range(50_000)]
    copies = 1 if n > 1 else 10
    path = write(tmp_path / "text", texts * copies)
    megabytes, size = map(float, run(BOUNDED.format(path=str(path), call=call, n=n)).split())
    assert size == 32 * 50_000 * copies * n
    assert megabytes < 50
