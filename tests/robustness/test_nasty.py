"""The nasty strings of tests/data: every metric on each of them, on pairs and on mixtures."""

import importlib
import re
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, CHRF, TER
from rapidbleu.tuning import NBestList
from rapidbleu.tuning.moses.nbest_files import read_nbest, write_nbest
from reference import bleu as oracle
from support.agreement import (
    CHRF_OPTIONS,
    RULED,
    TER_OPTIONS,
    same_bleu,
    same_chrf,
    same_ter,
    same_tokens,
)
from support.command_line import Run, Write
from support.corpora import malformed, nasty
from support.peers import peer

NASTY = nasty()
TEXTS = list(NASTY.values())
N = len(TEXTS)
METRICS: dict[str, Callable[[], Any]] = {
    "BLEU": lambda: BLEU(force=True),
    "BLEU, lower case": lambda: BLEU(lowercase=True, tokenize="intl", force=True),
    "chrF": CHRF,
    "chrF++, lower case": lambda: CHRF(word_order=2, lowercase=True),
    "TER": TER,
    "TER, normalized": lambda: TER(normalized=True, asian_support=True),
}
each_metric = pytest.mark.parametrize("name", METRICS)


def mixtures(seed: str, n: int, longest: int = 10**6) -> list[str]:
    """Return nasty strings concatenated, with and without spaces between them, or cut."""
    rng = Random(seed)
    short = [text for text in TEXTS if len(text) <= 200]
    found = []
    for _ in range(n):
        parts = rng.choices(short, k=rng.randint(2, 4))
        text = rng.choice(("", " ", "\n", ".")).join(parts)
        cut = rng.randrange(len(text) + 1) if rng.random() < 0.3 else 0
        found.append(text[cut:][:longest])
    return found


def relatives(seed: str, texts: list[str]) -> list[list[str]]:
    """Return two reference streams: related texts, and any texts."""
    rng = Random(seed)
    cuts = [rng.randrange(len(text) + 1) for text in texts]
    swapped = [text[cut:] + text[:cut] for text, cut in zip(texts, cuts, strict=True)]
    return [swapped, rng.sample(texts, len(texts))]


def test_the_file() -> None:
    assert N > 180 and len(set(TEXTS)) == N and len(malformed()) > 25
    everything = "".join(TEXTS)
    assert {*map(chr, range(0x20)), "\x85", "\u2028", "\ufeff", "\ud83d", "\U0010ffff"} <= {
        *everything
    }
    assert NASTY["surrogates like a pair"] == "\ud83d" + "\ude00" != NASTY["the pair's character"]
    for data in malformed().values():
        with pytest.raises(UnicodeDecodeError):
            data.decode()


@pytest.mark.parametrize("text", TEXTS, ids=list(NASTY))
def test_tokens(text: str) -> None:
    same_tokens(text)


@pytest.mark.slow
def test_tokens_of_mixtures() -> None:
    for text in mixtures("tokens", 150):
        same_tokens(text)


@pytest.mark.slow
@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("tokenize", RULED)
def test_bleu(tokenize: str, lowercase: bool) -> None:
    texts = TEXTS + mixtures(f"bleu {tokenize}", 60)
    same_bleu(texts, [texts], tokenize, lowercase)
    same_bleu(texts, relatives(tokenize, texts), tokenize, lowercase)


@pytest.mark.parametrize("options", CHRF_OPTIONS, ids=str)
def test_chrf(options: dict[str, Any]) -> None:
    texts = TEXTS + mixtures("chrf", 60)
    same_chrf(texts, relatives("chrf", texts), **options)


@pytest.mark.slow
@pytest.mark.parametrize("options", TER_OPTIONS, ids=str)
def test_ter(options: dict[str, bool]) -> None:
    texts = [text[:36] for text in TEXTS] + mixtures("ter", 20, 36)
    same_ter(texts, relatives("ter", texts), **options)


def test_every_pair_of_words() -> None:
    found = BLEU(max_ngram_order=1).segment_stats(
        [[text] for text in TEXTS], [[TEXTS]] * N, layout="segment"
    )
    assert found[:, 2].tolist() == [1] * N
    bleu = BLEU(max_ngram_order=1, smooth_method="none")
    scores = bleu.pairwise([[text] for text in TEXTS], groups=False)
    assert (scores > 99).tolist() == np.eye(N, dtype=bool).tolist()


@pytest.mark.parametrize("seed", range(5))
def test_token_lists(seed: int) -> None:
    rng = Random(seed)
    words = rng.sample(TEXTS, 12)
    lists = [rng.choices(words, k=rng.choice((0, 3, 12, 70, 130))) for _ in range(12)]
    ids = [[words.index(word) for word in tokens] for tokens in lists]
    rows = BLEU().segment_stats(lists, [lists[::-1]])
    assert rows.tolist() == [
        oracle.segment_stats(hyp, [ref]) for hyp, ref in zip(lists, lists[::-1], strict=True)
    ]
    assert BLEU().segment_stats(ids, [ids[::-1]]).tolist() == rows.tolist()
    of_words = TER(case_sensitive=True).segment_stats(lists, [lists[::-1]])
    of_numbers = TER(case_sensitive=True).segment_stats(ids, [ids[::-1]])
    assert of_words.tolist() == of_numbers.tolist()


def test_nltk() -> None:
    pytest.importorskip("nltk")
    same = importlib.import_module("support.nltk_agreement").same
    texts = TEXTS + mixtures("nltk", 40)
    for hyp, ref, other in zip(texts, *relatives("nltk", texts), strict=True):
        words = [text.split() for text in (hyp, ref, other)]
        same("bleu_score", "sentence_bleu", words[1:], words[0], (0.5, 0.5))
        same("gleu_score", "sentence_gleu", words[1:], words[0])
        same("nist_score", "sentence_nist", words[1:], words[0], 2)
        same("bleu_score", "sentence_bleu", [ref, other], hyp, (0.5, 0.5))  # of characters
        same("chrf_score", "sentence_chrf", ref, hyp)
    same("bleu_score", "corpus_bleu", [[[text]] for text in TEXTS], [[text] for text in TEXTS])


@pytest.mark.parametrize("name", ["sentence_bleu", "sentence_chrf", "sentence_ter"])
def test_sentences(name: str) -> None:
    sacrebleu = peer("sacrebleu")
    if sacrebleu is None:
        pytest.skip("no sacrebleu")
    ours, theirs = getattr(importlib.import_module("rapidbleu"), name), getattr(sacrebleu, name)
    texts = [text[:120] for text in TEXTS]
    for hyp, ref, other in zip(texts, *relatives(name, texts), strict=True):
        score, expected = ours(hyp, [ref, other]), theirs(hyp, [ref, other])
        assert (score.score, str(score)) == (expected.score, str(expected)), ascii((hyp, ref))


@each_metric
def test_columns(name: str) -> None:
    pa = pytest.importorskip("pyarrow")
    texts = [text for text in TEXTS if not re.search("[\ud800-\udfff]", text)]
    assert 0 < N - len(texts) < 12
    streams = relatives(name, texts)
    expected = METRICS[name]().segment_stats(texts, streams).tolist()
    for kind in (pa.string(), pa.large_string(), pa.string_view()):
        columns = [pa.array(some, kind) for some in (texts, *streams)]
        assert METRICS[name]().segment_stats(columns[0], columns[1:]).tolist() == expected
    chunks = pa.chunked_array([columns[0][:7], columns[0][7:]])
    assert METRICS[name]().segment_stats(chunks, streams).tolist() == expected
    objects = np.array(texts, object), [np.array(stream, object) for stream in streams]
    assert METRICS[name]().segment_stats(*objects).tolist() == expected


@each_metric
def test_columns_that_are_not_utf8(name: str) -> None:
    pa = pytest.importorskip("pyarrow")
    metric = METRICS[name]()
    for data in malformed().values():
        for at, texts in enumerate(([data, b"a"], [b"a", b"b" * 70 + data + b"b" * 70])):
            column = pa.array(texts, pa.binary()).view(pa.string())
            with pytest.raises(ValueError, match=rf"^hypotheses\[{at}\]: expected text in"):
                metric.segment_stats(column, [["a", "a"]])
            with pytest.raises(ValueError, match=rf"^references\[1\]\[{at}\]: expected text in"):
                metric.segment_stats(["a", "a"], [["a", "a"], column])


@each_metric
def test_all_ways_to_score(name: str) -> None:
    metric: Any = METRICS[name]()
    texts = [text[:150] for text in TEXTS]
    streams = relatives(name, texts)
    rows = metric.segment_stats(texts, streams)
    assert metric.segment_stats(texts, metric.prepare(streams), threads=2).tolist() == rows.tolist()
    lists = [[text, texts[0], text] for text in texts]
    stats = metric.nbest_stats(lists, streams)
    assert stats[::3].tolist() == stats[2::3].tolist() == rows.tolist()
    some = texts[:: 5 if "TER" in name else 1]
    scores = metric.pairwise(some)
    single = [metric.segment_scores([hyp] * len(some), [some]).tolist() for hyp in some[::7]]
    assert scores[::7].tolist() == single


@each_metric
@pytest.mark.parametrize("wrong", [b"bytes", None, 7, bytearray(b"a")])
def test_what_is_no_text_among_them(name: str, wrong: Any) -> None:
    message = rf"^hypotheses\[{N}\]: expected str"
    with pytest.raises(TypeError, match=message):
        METRICS[name]().segment_stats([*TEXTS, wrong], [[*TEXTS, "a"]])


def test_nbest_lists(tmp_path: Any) -> None:
    metric = BLEU(tokenize="none", force=True)
    features = np.arange(N, dtype=np.float32)[:, None]
    for keep in (lambda text: not re.search(r"\n|\|\|\||[\ud800-\udfff]", text), lambda _: True):
        texts = [text for text in TEXTS if keep(text)]
        references = [relatives("n-best", texts)[0]]
        segments = np.arange(len(texts))
        stats = metric.nbest_stats(texts, references, segments=segments)
        offsets = np.arange(len(texts) + 1)
        nbest = NBestList(features[: len(texts)], stats, offsets, metric=metric, hypotheses=texts)
        nbest.save(tmp_path / "list.npz")
        assert NBestList.load(tmp_path / "list.npz", metric=metric).hypotheses == texts
        if len(texts) == N:
            with pytest.raises(ValueError, match=r"^hypotheses\[\d+\]: expected text without"):
                write_nbest(nbest, tmp_path / "nbest")
            continue
        for name in ("nbest", "nbest.gz"):
            write_nbest(nbest, tmp_path / name)
            again = read_nbest(tmp_path / name, references, metric=metric)
            assert again.hypotheses == [text.strip(" ") for text in texts]
            assert again.stats.tolist() == stats.tolist()


@pytest.mark.parametrize("data", malformed().values(), ids=list(malformed()))
def test_files_that_are_not_utf8(run: Run, write: Write, data: bytes) -> None:
    path = write("nbest", b"0 ||| a ||| 1\n0 ||| " + data.replace(b"\n", b"") + b" ||| 2\n")
    with pytest.raises(ValueError, match=f"^{re.escape(path)}, line 2: expected text in UTF-8"):
        read_nbest(path, [["a"]])
    reference = write("reference", b"a\nb\n")
    result = run(reference, stdin=b"a\n" + data.replace(b"\n", b"") + b"\n")
    assert result.status == 1 and "standard input, line 2: cannot decode byte 0x" in result.err


@pytest.mark.parametrize("metric", ["bleu", "chrf", "ter"])
def test_command_line(run: Run, write: Write, metric: str) -> None:
    """Every line is a segment; of several line ends, only LF counts."""
    lines = [text for text in TEXTS if "\n" not in text and not re.search("[\ud800-\udfff]", text)]
    lines = [text.removesuffix("\r") for text in lines if text]
    streams = relatives("command line", lines)
    streams = [[text.rstrip() or "x" for text in stream] for stream in streams]
    paths = [
        write(f"stream{i}", "".join(f"{text}\n" for text in stream).encode())
        for i, stream in enumerate(streams)
    ]
    stdin = "".join(f"{text}\n" for text in lines).encode()
    result = run(*paths, "-m", metric, "-b", "-w", "12", "--force", stdin=stdin)
    names = {"bleu": lambda: BLEU(force=True), "chrf": CHRF, "ter": TER}
    expected = names[metric]().corpus_score(lines, streams).score
    assert result.out.strip() == f"{expected:.12f}", result.err
