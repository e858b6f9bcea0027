"""Pools: scores of single calls, decisions of slow loops and of rouge-score, all changes."""

import math
import textwrap
import threading
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, CDER, CER, CHRF, PER, ROUGE, TER, WER, CIDErD
from rapidbleu._core.input.columns import Buffer
from rapidbleu.metrics import pool as pools
from rapidbleu.metrics.pool import Pool, make_rule
from support.corpora import perturb, random_segments
from support.family import MAKERS
from support.peers import need
from support.processes import posix_only, run

ROLES: Any = ["references", "hypotheses"]


def relatives(rng: Random, n: int, kind: str = "ascii") -> list[str]:
    """Return mostly related texts; some are empty, some duplicates."""
    texts = random_segments(rng, max(1, n // 5), kind=kind)
    while len(texts) < n:
        texts.append(perturb(rng, rng.choice(texts)))
    return texts[:n]


def instructions(rng: Random, n: int) -> list[str]:
    """Return tasks of a few forms, so that many are similar, and near the threshold."""
    verbs = ["Write", "Generate", "Compose", "Give me", "Suggest", "Create", "Come up with"]
    things = ["a poem", "a short story", "a list of ideas", "an essay", "a haiku", "a headline"]
    kinds = ["a sad", "the next", "my first", "a very long", "an old", "your best", "the small"]
    topics = [f"topic{i}" for i in range(n // 4)] + ["trip to Mars", "dog", "job interview"]
    ends = ["", " in two sentences", " for children", " that rhymes, please", " with 3 examples"]
    odd = ["Sort these names.", "What is 2+2?", "Translate it into French: hello!", "日本語", "..."]
    forms: list[list[str]] = [
        verbs,
        [" "],
        things,
        [" about "],
        kinds,
        [" "],
        topics,
        ends,
        [".", "", "!"],
    ]
    return [
        rng.choice(odd) if rng.random() < 0.05 else "".join(map(rng.choice, forms))
        for _ in range(n)
    ]


def row(metric: Any, text: Any, texts: list[Any], role: str) -> list[float]:
    pairs = [(text, one) if role == "references" else (one, text) for one in texts]
    return [metric.sentence_score(hyp, [ref]).score for hyp, ref in pairs]


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("name", MAKERS)
def test_scores_are_those_of_sentences(name: str, role: Any) -> None:
    rng = Random(name)
    metric = MAKERS[name]()
    texts = [" ".join(text.split()[:12]) for text in relatives(rng, 30)]
    pool = metric.pool(texts[:20], role=role)
    asked = [*texts[:3], *texts[25:], "", "zzz"]
    for i, text in enumerate(asked):
        assert pool.scores(text).tolist() == row(metric, text, texts[: 20 + i], role)
        assert pool.add(texts[20 + i]) == 20 + i == len(pool) - 1


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("metric", [ROUGE("L", tokenize="none"), WER(), CER(), ROUGE("L", beta=2)])
def test_words_of_bits_are_whole(metric: Any, role: Any) -> None:
    rng = Random("bits")
    lengths = [0, 1, 2, 31, 62, 63, 64, 65, 66, 127, 128, 129, 192, 193, 500, 1023, 1024, 1025]
    texts = [" ".join(rng.choices(["a", "b", "cc", "a much longer"], k=n)) for n in lengths]
    texts += ["x" * n for n in lengths] + ["".join(rng.choices("xy", k=n)) for n in lengths]
    pool = metric.pool(texts, role=role)
    for text in texts:
        matrix = (
            metric.pairwise([text], texts) if role == ROLES[0] else metric.pairwise(texts, [text])
        )
        assert pool.scores(text).tolist() == matrix.ravel().tolist()


@pytest.mark.parametrize("role", ROLES)
def test_references_that_are_read_twice(role: Any) -> None:
    metric, texts = TER(normalized=True), ["..4", "1", "a ..5 b", ". . 4"]
    pool, there = metric.pool(texts[:1], role=role), texts[:1]
    for text in texts[1:]:
        there += [text] if min(row(metric, text, there, role)) > 0 else []
    pool.filter(texts[1:], Fraction(1, 10**9))
    for text in texts:
        assert pool.scores(text).tolist() == row(metric, text, there, role)


def test_tokens_and_ids() -> None:
    ids = [[1, 2, 3, 2**40], [1, 2, 4], [], [-1, 2**64 - 1]]
    metric = WER()
    pool = metric.pool(ids)
    for one in ids:
        assert pool.scores(one).tolist() == row(metric, one, ids, "references")
    assert pool.scores(np.array([1, 2, 3])).tolist() == row(metric, [1, 2, 3], ids, "references")
    with pytest.raises(TypeError, match=r"expected .*ids.* as in the pool; got .*str"):
        pool.add("a b")
    with pytest.raises(TypeError, match=r"as in the pool; got"):
        pool.scores(["a", "b"])
    assert len(pool) == 4
    words = metric.pool([[]])
    words.extend([["New York", "b"], ["b"]])
    assert words.scores(["b"]).tolist() == [100, 50, 0]


def test_long_tokens_while_the_pool_grows() -> None:
    rng = Random("long")
    words = [f"a_rather_long_word_{i}" for i in range(400)]
    pool, texts = WER().pool(), []
    for _ in range(300):
        text = " ".join(rng.choices(words, k=rng.randint(1, 9)))
        texts.append(text)
        pool.add(text)
        asked = rng.choice(texts)
        assert pool.nearest(asked)[1].tolist() == [0.0]
    assert pool.scores(texts[7]).tolist() == WER().pairwise([texts[7]], texts).ravel().tolist()


@pytest.mark.parametrize("metric", [WER(), CHRF(word_order=2), BLEU(effective_order=True)], ids=str)
def test_changes_are_those_of_a_list(metric: Any) -> None:
    rng = Random("changes")
    texts: list[str] = []
    pool = metric.pool()
    for step in range(500):
        if texts and rng.random() < (0.7 if 200 < step < 400 else 0.3):
            i = rng.randrange(len(texts))
            del texts[i]
            pool.remove(i)
        else:
            texts.append(rng.choice(relatives(rng, 5)))
            assert pool.add(texts[-1]) == len(texts) - 1
        if step % 20 == 0 and texts:
            assert pool.scores(texts[0]).tolist() == metric.pairwise(texts[:1], texts)[0].tolist()
    assert len(pool) == len(texts)


def test_nearest() -> None:
    texts = ["a b c d", "a b c x", "a b x d", "a b c d", "q"]
    for metric in (WER(), ROUGE("L"), BLEU(effective_order=True)):
        pool = metric.pool(texts)
        scores = metric.pairwise(["a b c d"], texts)[0]
        for n in (1, 2, 3, 4, 5, 9):
            places, found = pool.nearest("a b c d", n)
            sign = -1 if metric.higher_is_better else 1
            best = sorted(range(5), key=lambda i: (sign * scores[i], i))[:n]
            assert (places.tolist(), found.tolist()) == (best, scores[best].tolist())
            assert (places.dtype, found.dtype) == (np.int64, np.float64)
    assert [part.tolist() for part in WER().pool().nearest("a", 3)] == [[], []]


def ratios(metric: Any, hyp: str, ref: str) -> Fraction | None:
    """Return the exact score of a pair as a fraction of a perfect one."""
    stats = metric.segment_stats([hyp], [[ref]])[0].tolist()
    if isinstance(metric, ROUGE) and metric.variant != "Lsum":
        from rapidbleu.metrics.matching.rouge import ROUGECounts

        hits, n, m = ROUGECounts(metric.variant).segment_stats([hyp], [[ref]])[0].tolist()
        of = {"f": n + m, "precision": n, "recall": m}[metric.measure]
        return Fraction(hits * (2 if metric.measure == "f" else 1), of) if of else Fraction(0)
    if isinstance(metric, CDER):
        return None
    if isinstance(metric, WER | CER):
        edits, of = sum(stats[1:]), stats[0] + stats[1] + stats[2]
    elif isinstance(metric, PER):
        edits, of = stats[3] - stats[0], stats[2]
    elif isinstance(metric, TER):
        edits, of = stats[:2]
    else:
        return None
    return Fraction(edits, of) if of else Fraction(edits > 0)


def slow_filter(metric: Any, pool: list[str], texts: list[str], share: Fraction, role: str) -> Any:
    pool, kept = list(pool), []
    for k, text in enumerate(texts):
        for one in pool:
            hyp, ref = (text, one) if role == "references" else (one, text)
            score: Any = ratios(metric, hyp, ref)
            threshold: Any = share
            if score is None:
                score = metric.sentence_score(hyp, [ref]).score
                threshold = float(share * Fraction(metric._full_score))
            if score > threshold if metric.higher_is_better else score < threshold:
                break
        else:
            pool.append(text)
            kept.append(k)
    return kept


EXACT = [
    ROUGE("L"),
    ROUGE("1"),
    ROUGE("2"),
    ROUGE("L", measure="precision"),
    WER(),
    CER(),
    PER(),
    ROUGE("3", measure="recall"),
    TER(),
    CDER(),
    CHRF(),
    CHRF(word_order=2),
    ROUGE("Lsum"),
    BLEU(effective_order=True),
    CHRF(char_order=2),
    CHRF(char_order=0, word_order=2),
    BLEU(smooth_method="floor", smooth_value=2.5, effective_order=True),
]


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("metric", EXACT, ids=repr)
def test_filter_is_the_slow_loop(metric: Any, role: Any) -> None:
    rng = Random("slow")
    texts = [*instructions(rng, 40), *relatives(rng, 25), "", "a"]
    old = [*instructions(rng, 4), ""]
    for threshold in (70, 50.0, 33.3, Fraction(2, 3), Fraction(1, 20), 0, 100, Fraction(0.7)):
        share = threshold if isinstance(threshold, Fraction) else Fraction(str(threshold)) / 100
        pool = metric.pool(old, role=role)
        expected = slow_filter(metric, old, texts, share, role)
        assert pool.filter(texts, threshold).tolist() == expected
        assert len(pool) == len(old) + len(expected)


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("name", MAKERS)
def test_pruning_changes_nothing(name: str, role: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    metric = MAKERS[name]()
    if metric._full_score is None:
        thresholds: list[Any] = [1, 2.5]
    else:
        thresholds = [Fraction(k, 10) for k in (1, 2, 4, 6, 8, 9)]
    kept = []

    def without(metric: Any, role: str, n: int, size: int, *others: Any) -> tuple[Buffer, Buffer]:
        cuts, _ = make_rule(metric, role, n, size, *others)
        return cuts, Buffer(np.zeros(size, np.int64), "least")

    for prunes in (True, False):
        if not prunes:
            monkeypatch.setattr(pools, "make_rule", without)
        rng = Random(name)
        for kind in ("ascii", "mixed"):
            texts = [*relatives(rng, 60, kind), *instructions(rng, 60)]
            kept += [metric.pool(role=role).filter(texts, t).tolist() for t in thresholds]
    half = len(kept) // 2
    assert kept[:half] == kept[half:]
    assert len({len(one) for one in kept}) > 1


def self_instruct(tokens: list[list[str]], kept: list[int], new: list[int]) -> list[int]:
    """Return the decisions of self-instruct's filter, made with the original package."""
    scorer = need("rouge_score.rouge_scorer")
    added = []
    pool = [tokens[k] for k in kept]
    for k in new:
        scores = [scorer._score_lcs(tokens[k], one).fmeasure for one in pool]
        if max(scores, default=0) > 0.7:
            continue
        pool.append(tokens[k])
        added.append(k)
    return added


@pytest.mark.parametrize("n", [400, pytest.param(3000, marks=pytest.mark.slow)])
def test_filter_of_self_instruct(n: int) -> None:
    scorer = need("rouge_score.rouge_scorer").RougeScorer(["rougeL"])
    texts = instructions(Random("alpaca"), n)
    tokens = [scorer._tokenizer.tokenize(text) for text in texts]
    expected = self_instruct(tokens, list(range(10)), list(range(10, n)))
    pool = ROUGE("L").pool(texts[:10])
    assert (10 + pool.filter(texts[10:], 70, ties="rouge-score")).tolist() == expected
    pool = ROUGE("L").pool(texts[:10])
    added = [k for k in range(10, n) if len(pool.filter([texts[k]], 70, ties="rouge-score"))]
    assert added == expected
    assert ROUGE("L").pool(texts[:10]).filter(texts[10:], 70).tolist() != expected


@pytest.mark.parametrize("n", [60, pytest.param(1000, marks=pytest.mark.slow)])
def test_ties_of_rouge_score(n: int) -> None:
    scorer = need("rouge_score.rouge_scorer")
    rng = Random("ties")
    lists = [rng.choices("abc", k=rng.randint(0, 24)) for _ in range(2 * n)]
    metric = ROUGE("L", tokenize="none")
    n_ties = n_above = 0
    for i in range(n):
        share = [0.7, 0.6, 0.8, 0.9][i % 4]
        pool = metric.pool([lists[i]])
        rules: dict[Any, Any] = {}
        asked, _ = pool._read(lists[n:], "texts")
        for k in range(n):
            score = scorer._score_lcs(lists[i], lists[n + k])
            length = len(lists[n + k])
            for ties in ("exact", "rouge-score"):
                if (length, ties) not in rules:
                    given = metric, "references", length, 64, Fraction(str(share)), ties
                    rules[length, ties] = make_rule(*given)
            found = pool._texts.compare(asked, k, None, *rules[length, "rouge-score"]) == 0
            assert found == (score.fmeasure > share)
            exactly = pool._texts.compare(asked, k, None, *rules[length, "exact"]) == 0
            hits = round(score.precision * length)
            of = Fraction(2 * hits, max(1, length + len(lists[i])))
            assert exactly == (of > Fraction(str(share)))
            n_ties += of == Fraction(str(share))
            n_above += of == Fraction(str(share)) and found
    assert 0 < n_above < n_ties


def test_a_float_is_the_number_that_it_prints() -> None:
    pool = ROUGE("L", tokenize="none").pool([list("abcdefghijk")])  # 2 * 7 / (9 + 11) = 7/10
    for threshold in (70, 70.0, np.float64(70), np.float32(70), Fraction(7, 10)):
        assert pool.filter([list("abcdefgxy")], threshold).tolist() == [0]
        pool.remove(1)
    assert pool.filter([list("abcdefgxy")], math.nextafter(70, 0)).tolist() == []
    assert pool.filter([list("abcdefgxy")], Fraction(0.7)).tolist() == []  # slightly less than 7/10
    assert pool.filter([list("abcdefgxy")], 10**30).tolist() == [0]


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("metric", [WER(), CHRF(word_order=2), ROUGE("L", stem=False)], ids=repr)
def test_files_and_pickles(metric: Any, role: Any, tmp_path: Path) -> None:
    texts = [*relatives(Random("files"), 40, "mixed"), "an_extraordinarily_long_token twice"]
    pool = metric.pool(texts, role=role)
    pool.remove(3)
    pool.save(tmp_path / "pool.npz")
    other = metric.load_pool(tmp_path / "pool.npz")
    assert (len(other), other.role) == (len(pool), role)
    for text in texts[:5]:
        assert other.scores(text).tolist() == pool.scores(text).tolist()
    other.add("new")
    assert len(other) == len(pool) + 1
    metric.pool().save(tmp_path / "empty.npz")
    empty = metric.load_pool(tmp_path / "empty.npz")
    assert (len(empty), empty.add("a")) == (0, 0)


def test_files_of_another_process(tmp_path: Path) -> None:
    path = tmp_path / "pool.npz"
    WER().pool(["an_extraordinarily_long_token b", "a"]).save(path)
    program = f"""
from rapidbleu import WER
pool = WER().load_pool({str(path)!r})
print(pool.scores("an_extraordinarily_long_token c").tolist())
"""
    assert run(program) == "[50.0, 200.0]\n"


def test_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "pool.npz"
    WER().pool(["a b"]).save(path)
    with pytest.raises(ValueError, match=r"pool.npz: expected a saved pool for .*lc; got .*mixed"):
        WER(lowercase=True).load_pool(path)
    whole = path.read_bytes()
    for n in range(0, len(whole), 97):
        path.write_bytes(whole[:n])
        with pytest.raises(ValueError, match="expected a saved pool"):
            WER().load_pool(path)
    path.write_bytes(whole + b"\0")
    with pytest.raises(ValueError, match="expected a saved pool with b'sha256:' before its last"):
        WER().load_pool(path)
    np.savez(path, stats=np.arange(3))
    with pytest.raises(ValueError, match="expected a saved pool"):
        WER().load_pool(path)
    with pytest.raises(FileNotFoundError):
        WER().load_pool(tmp_path / "none")


def test_any_altered_byte_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "pool.npz"
    WER().pool(["the cat sat", "an_extraordinarily_long_token b", ""]).save(path)
    whole = path.read_bytes()
    assert list(np.load(path)) == [f"part_{i}" for i in range(11)]
    rng = Random("damage")
    message = "pool.npz: expected a saved pool with (the checksum|b'sha256:' before)"
    assert len(whole) > 3000
    for place, byte in enumerate(whole):
        path.write_bytes(whole[:place] + bytes([byte ^ rng.randint(1, 255)]) + whole[place + 1 :])
        with pytest.raises(ValueError, match=message):
            WER().load_pool(path)


def test_tokenizers_without_a_name_are_not_saved(tmp_path: Path) -> None:
    path = tmp_path / "pool.npz"
    metric = WER(tokenize=lambda text: text.split("e"))
    message = "metric: expected a tokenizer with a name to import, .*; got <lambda>; define it in"
    with pytest.raises(ValueError, match=message):
        metric.pool(["a b"]).save(path)
    assert not path.exists()
    WER(tokenize=str.split).pool(["a b"]).save(path)
    assert len(WER(tokenize=str.split).load_pool(path)) == 1
    with pytest.raises(ValueError, match=message):
        metric.load_pool(path)
    with pytest.raises(ValueError, match=r"for tok:textwrap\.wrap.*; got one for tok:str\.split"):
        WER(tokenize=textwrap.wrap).load_pool(path)


BAD: list[tuple[Any, str]] = [
    (lambda: WER().pool("a b"), "texts: expected a sequence of segments; got a single str"),
    (lambda: WER().pool(["a", 5]), r"texts\[1\]: expected "),
    (lambda: WER().pool(["a", None]), r"texts\[1\]: expected "),
    (lambda: WER().pool(role="pool"), "role: expected one of .*references.*; got 'pool'"),
    (lambda: CIDErD().pool(), "metric: expected CIDErD with information; got none"),
    (lambda: WER().pool().add(5), "text: expected "),
    (lambda: WER().pool().add(None), "text: expected "),
    (lambda: WER().pool().scores(5), "text: expected "),
    (lambda: WER().pool().extend("a"), "texts: expected a sequence"),
    (lambda: WER().pool().filter(["a", 5], 50), r"texts\[1\]: expected "),
    (lambda: CHRF().pool().add(["a"]), "segments: expected str"),
    (lambda: WER().pool(["a"]).remove(1), "i: expected at most 0; got 1"),
    (lambda: WER().pool(["a"]).remove(-1), "i: expected at least 0; got -1"),
    (lambda: WER().pool(["a"]).remove("a"), "i: expected int; got str"),
    (lambda: WER().pool(["a"]).nearest("a", 0), "n: expected at least 1; got 0"),
    (lambda: WER().pool().filter(["a"], 50, ties="float"), "ties: expected one of .*exact.*; got"),
    (lambda: WER().pool().filter(["a"], 50, ties="rouge-score"), "ties: expected exact but for F1"),
    (lambda: ROUGE(beta=2).pool().filter(["a"], 70, ties="rouge-score"), "ties: expected exact"),
    (lambda: ROUGE("Lsum").pool().filter(["a"], 70, ties="rouge-score"), "ties: expected exact"),
    (
        lambda: ROUGE("L").pool().filter(["a"], 0.7),
        r"threshold: expected percent, 70, or a share, Fraction\(7, 10\); got 0.7",
    ),
    (lambda: WER().pool().filter(["a"], 1), r"percent, 100, or a share, Fraction\(1, 1\); got 1"),
    (lambda: WER().pool().filter(["a"], "70"), "threshold: expected a number; got str"),
    (lambda: WER().pool().filter(["a"], True), "threshold: expected a number; got bool"),
    (lambda: WER().pool().filter(["a"], None), "threshold: expected a number; got NoneType"),
    (lambda: WER().pool().filter(["a"], math.nan), "threshold: expected a finite number"),
    (lambda: WER().pool().filter(["a"], math.inf), "threshold: expected a finite number"),
    (lambda: WER().pool().filter(["a"], -1), "threshold: expected a finite number of at least 0"),
    (lambda: WER().pool().filter(["a"], 50, progress=5), "progress: expected a callable; got int"),
]


@pytest.mark.parametrize(("call", "message"), BAD)
def test_bad_input(call: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        call()


def test_nothing_is_added_if_a_text_is_refused() -> None:
    pool = WER().pool(["a"])
    for texts in (["b", 5], ["b", None], [["b"], ["c"]]):
        bad: Any = texts
        with pytest.raises(TypeError):
            pool.extend(bad)
        with pytest.raises(TypeError):
            pool.filter(bad, 50)
        assert len(pool) == 1


def test_progress() -> None:
    told: list[tuple[int, int]] = []
    texts = instructions(Random("told"), 1001)
    ROUGE("L").pool().filter(texts, 70, progress=lambda *call: told.append(call))
    assert told[-1] == (1001, 1001)
    assert len(told) <= 201
    assert told == sorted(set(told))


def test_threads_share_a_pool() -> None:
    texts = [f"text number {i} of all these {i % 7}" for i in range(300)]
    pool = WER().pool(["x y z"])
    kept: list[np.ndarray[Any, Any]] = []
    errors: list[BaseException] = []

    def work(seed: int) -> None:
        try:
            order = texts[:]
            Random(seed).shuffle(order)
            kept.append(pool.filter(order, Fraction(1, 100)))
            for text in order[:50]:
                assert pool.scores(text).min() == 0
                assert pool.nearest(text)[1].tolist() == [0]
            pool.add(f"of thread {seed}")
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert sum(map(len, kept)) == 300
    assert len(pool) == 1 + 300 + 6


@posix_only
def test_signals() -> None:
    program = """
import signal, time
from rapidbleu import TER
pool = TER().pool([" ".join(f"w{(i * j) % 97}" for j in range(150)) for i in range(400)])
text = " ".join(f"w{(5 * j) % 89}" for j in range(150))
def inside(*_):
    pool.add("a")
signal.signal(signal.SIGALRM, inside)
for when in (0.05, 0.1):
    signal.setitimer(signal.ITIMER_REAL, when)
    try:
        for _ in range(4):
            pool.scores(text)
    except RuntimeError as error:
        print(error)
signal.signal(signal.SIGALRM, signal.default_int_handler)
signal.setitimer(signal.ITIMER_REAL, 0.1)
started = time.monotonic()
try:
    for _ in range(1000):
        pool.scores(text)
except KeyboardInterrupt:
    print("interrupted", time.monotonic() - started < 5)
assert len(pool.scores(text)) == len(pool) >= 400
"""
    lines = run(program).splitlines()
    assert lines[-1] == "interrupted True"
    assert set(lines[:-1]) <= {"pool: expected no call while another one of this thread is at work"}


def test_pools_are_shown() -> None:
    assert repr(WER().pool(["a"])) == "<Pool of 1 texts, WER()>"
    assert isinstance(WER().pool(), Pool)
