"""rouge-score's scorer and aggregator compared with rouge-score, and their counts."""

import pickle
import re
from fractions import Fraction
from itertools import zip_longest
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest

from rapidbleu import ROUGE
from rapidbleu.adapters import rouge_score as ours
from rapidbleu.metrics.matching.rouge import ROUGECounts
from support.corpora import KINDS, random_corpus
from support.peers import need
from support.typed import assert_identical

TYPES = ["rouge1", "rouge2", "rouge9", "rougeL", "rougeLsum"]


class Splitter:
    def __init__(self, split: Any) -> None:
        self.tokenize = split


OPTIONS: list[dict[str, Any]] = [
    {},
    {"use_stemmer": True},
    {"tokenizer": Splitter(str.split)},
    {"tokenizer": Splitter(lambda text: text.split(" "))},
    {"tokenizer": Splitter(lambda text: ["\n", *text.split(), "\n\n", ""]), "use_stemmer": True},
]


def made(kind: str) -> tuple[list[str], list[list[str]]]:
    hyps, streams = random_corpus(Random(f"rouge {kind}"), 25, kind=kind, n_refs=3)
    texts = [
        [text.replace(". ", ".\n").encode("utf-8", "ignore").decode() for text in column]
        for column in (hyps, *streams)
    ]
    refs = [list(several) for several in zip(*texts[1:], strict=True)]
    return ["", "a b", *texts[0]], [["", "a"], ["a b c", ""], *refs]


@pytest.mark.parametrize(
    ("kind", "options"),
    [(kind, OPTIONS[i % len(OPTIONS)]) for i, kind in enumerate(KINDS)]
    + [("mixed", options) for options in OPTIONS],
)
def test_scorer(kind: str, options: dict[str, Any]) -> None:
    hyps, refs = made(kind)
    peer = need("rouge_score.rouge_scorer").RougeScorer(TYPES, **options)
    scorer = ours.RougeScorer(TYPES, **options)
    expected = [peer.score_multi(several, hyp) for several, hyp in zip(refs, hyps, strict=True)]
    for several, hyp, scores in zip(refs, hyps, expected, strict=True):
        assert_identical(scorer.score_multi(several, hyp), scores)
        assert_identical(scorer.score(several[0], hyp), peer.score(several[0], hyp))
    of_types = {name: [scores[name] for scores in expected] for name in TYPES}
    assert_identical(scorer.score_all(refs, hyps), of_types)


@pytest.mark.parametrize("options", [{}, {"use_stemmer": True}, {"tokenizer": Splitter(str.split)}])
def test_summaries_are_split(options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """By a function of NLTK, whose data may be missing."""
    monkeypatch.setattr(need("nltk"), "sent_tokenize", re.compile(r"(?<=[.;])\s+").split)
    peer = need("rouge_score.rouge_scorer").RougeScorer(TYPES, split_summaries=True, **options)
    scorer = ours.RougeScorer(TYPES, split_summaries=True, **options)
    target = "It rained.\nIt rained again. The cats\nstayed in; Mr. Smith left."
    one = "the cats stayed in", "stayed in\nthe cats"  # line feeds do not end sentences
    assert_identical(scorer.score(*one), peer.score(*one))
    for prediction in ("Mr. Smith left. It rained again.\nThe cat stayed\nin.", "", "."):
        assert_identical(scorer.score(target, prediction), peer.score(target, prediction))


@pytest.mark.parametrize("targets", [("a", "a b c d"), ("a b c d", "a")])
def test_the_first_of_equally_good_targets_counts(targets: tuple[str, ...]) -> None:
    peer = need("rouge_score.rouge_scorer").RougeScorer(TYPES)
    scores = ours.RougeScorer(TYPES).score_multi(targets, "a b")
    assert_identical(scores, peer.score_multi(targets, "a b"))
    assert scores["rouge1"].precision == (0.5 if targets[0] == "a" else 1)


@pytest.mark.parametrize("n", [0, 1, 2, 63, 64, 65, 128, 300])
def test_one_sentence(n: int) -> None:
    """A text of one sentence has no union; with another, empty one it has."""
    peer = need("rouge_score.rouge_scorer").RougeScorer(TYPES)
    scorer = ours.RougeScorer(TYPES)
    rng = Random(n)
    words = ["a", "b", "c", "d" * 30, "k\0", "\ud800", "\U0001f600e"]
    for m in {0, 1, n, n + 1}:
        one, other = (" ".join(rng.choices(words, k=k)) for k in (n, m))
        scores = scorer.score(one, other)
        assert_identical(scores, peer.score(one, other))
        for texts in [(one + "\n", other), (one, "\n" + other), (one + "\n", other + "\n")]:
            assert repr(scorer.score(*texts)) == repr(scores)


class Pair(NamedTuple):
    a: float
    b: float


class Text(str):
    __slots__ = ()


@pytest.mark.parametrize("types", [TYPES, ["rougeLsum", "rouge2", "rouge2"], ["rougeL"], []])
def test_order_of_types(types: list[str]) -> None:
    peer = need("rouge_score.rouge_scorer").RougeScorer(types)
    scorer = pickle.loads(pickle.dumps(ours.RougeScorer(types)))
    hyp, ref = "a cat\nsat", "the cat sat"
    for expected, found in [
        (peer.score(ref, hyp), scorer.score(ref, hyp)),
        (peer.score(ref, hyp), scorer.score(Text(ref), Text(hyp))),
        (peer.score_multi([hyp, ref], hyp), scorer.score_multi((Text(hyp), ref), hyp)),
    ]:
        assert repr(found) == repr(expected)
        assert all(type(score) is ours.Score for score in found.values())
    assert scorer.score_all([ref, ref], [hyp, hyp]) == {
        name: [score] * 2 for name, score in scorer.score(ref, hyp).items()
    }


def test_only_sentences() -> None:
    peer = need("rouge_score.rouge_scorer").RougeScorer(["rougeLsum"])
    scorer = ours.RougeScorer(("rougeLsum",))
    assert scorer.score("a b\nc", "c\n\na b") == peer.score("a b\nc", "c\n\na b")


TOKENS = ["a", "b", "the", "\n", "", " x", "\u00e9", "K"]


def test_private_score_of_tokens() -> None:
    theirs = need("rouge_score.rouge_scorer")._score_lcs
    rng = Random("lcs")
    for _ in range(3000):
        tokens = TOKENS[: rng.randint(1, len(TOKENS))]
        sides = [rng.choices(tokens, k=rng.choice([0, 1, 2, 5, 9, 70])) for _ in range(2)]
        assert repr(ours._score_lcs(*sides)) == repr(theirs(*sides))
    assert ours._score_lcs(("a",), target := ["a", "b"]) == theirs(("a",), target)
    assert target == ["a", "b"]


@pytest.mark.parametrize("options", OPTIONS)
def test_private_tokenizer(options: dict[str, Any]) -> None:
    peer = need("rouge_score.rouge_scorer").RougeScorer(TYPES, **options)._tokenizer
    tokenizer = ours.RougeScorer(TYPES, **options)._tokenizer
    hyps, refs = made("mixed")
    for text in [
        *hyps,
        *[ref for several in refs for ref in several],
        "\u212aelvin \u0130st",
        "It's\tRUNNING, 2.5\nflies",
    ]:
        assert tokenizer.tokenize(text) == peer.tokenize(text)
    if "tokenizer" not in options:
        copied = pickle.loads(pickle.dumps(ours.RougeScorer(TYPES, **options)))
        assert copied._tokenizer.tokenize("Running 2") == peer.tokenize("Running 2")


def test_the_filter_of_self_instruct() -> None:
    theirs = need("rouge_score.rouge_scorer")
    rng = Random("filter")
    texts = [" ".join(rng.choices("abcdefgh", k=10)) for _ in range(150)]
    texts += [" ".join(rng.sample(text.split(), 10)) for text in texts]
    kept = []
    for module in (ours, theirs):
        scorer: Any = module.RougeScorer(["rougeL"], use_stemmer=False)
        pool: list[list[str]] = []
        for text in texts:
            new = scorer._tokenizer.tokenize(text)
            scores = [module._score_lcs(new, old).fmeasure for old in pool]
            if max(scores, default=0) <= 0.7:
                pool.append(new)
        kept.append(pool)
    assert kept[0] == kept[1]
    assert len(texts) > len(kept[0]) > 1


@pytest.mark.parametrize("n", [1, 2, 50, 3000])
def test_aggregator(n: int) -> None:
    theirs = need("rouge_score.scoring")
    rng = Random(n)
    scores = [
        {name: ours.Score(rng.random(), rng.random(), rng.random()) for name in TYPES[:2]}
        for _ in range(n)
    ]
    results = []
    for module in (ours, theirs):
        aggregator = module.BootstrapAggregator(confidence_interval=0.9, n_samples=400)
        for score in scores:
            aggregator.add_scores(score)
        state = np.random.get_state()
        np.random.seed(3)
        results.append((aggregator.aggregate(), np.random.random()))
        np.random.set_state(state)
    assert results[0] == results[1]
    assert isinstance(results[0][0]["rouge1"].mid, ours.Score)


@pytest.mark.parametrize("generator", [np.random.MT19937, np.random.PCG64])
@pytest.mark.parametrize("n", [1, 70_000])
def test_aggregator_with_other_generators(generator: Any, n: int) -> None:
    """Also with more scores than are drawn at a time, and scores of other classes."""
    theirs = need("rouge_score.scoring")
    scores = np.random.default_rng(n).normal(size=(n, 2)).tolist()
    results, usual = [], np.random.get_bit_generator()
    try:
        for module in (ours, theirs):
            aggregator = module.BootstrapAggregator(n_samples=3)
            for score in scores:
                aggregator.add_scores({"z": Pair(*score)})
            np.random.set_bit_generator(generator(5))
            results.append((aggregator.aggregate(), np.random.random(), np.random.normal()))
    finally:
        np.random.set_bit_generator(usual)
    assert results[0] == results[1]
    assert isinstance(results[0][0]["z"].low, Pair)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ours.RougeScorer(["rouge0"]), ValueError, "expected rouge1 to rouge9.*'rouge0'"),
        (lambda: ours.RougeScorer(["rouge1", 2]), ValueError, "rouge_types: .* got 2"),
        (lambda: ours.RougeScorer(TYPES).score("a", None), TypeError, r"prediction\[0\]: expected"),
        (lambda: ours.RougeScorer(TYPES).score(None, "a"), TypeError, r"targets\[0\]: expected"),
        (lambda: ours.RougeScorer(TYPES).score_multi("a", "a"), TypeError, "targets: .* single"),
        (lambda: ours.RougeScorer(TYPES).score_multi([], "a"), ValueError, "reference"),
        (lambda: ours.RougeScorer(TYPES).score_all(["a"], []), ValueError, "targets: expected 0"),
        (lambda: ours.RougeScorer(TYPES).score_all([[]], ["a"]), ValueError, r"targets\[0\]"),
        (lambda: ours.BootstrapAggregator(1.5), ValueError, "confidence_interval: expected 0 to 1"),
        (lambda: ours.BootstrapAggregator(n_samples=0), ValueError, "n_samples: expected at least"),
    ],
)
def test_errors(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("aggregate", ["best", "pooled"])
@pytest.mark.parametrize("variant", ["1", "2", "L", "Lsum", "S4", "SU"])
def test_counts(variant: str, aggregate: Any) -> None:
    """Scores are computed from the counts, to 2**-51."""
    hyps, refs = made("mixed")
    streams = [list(stream) for stream in zip_longest(*refs)]
    counts, scores = ROUGECounts(variant, aggregate=aggregate), ROUGE(variant, aggregate=aggregate)
    rows = pickle.loads(pickle.dumps(counts)).segment_stats(hyps, streams)
    assert rows.dtype == np.int64 and rows.shape == (len(hyps), 3)
    for row, hyp, several in zip(rows.tolist(), hyps, refs, strict=True):
        score = scores.sentence_score(hyp, several)
        hits, n_hyp, n_ref = row
        assert score.precision == pytest.approx(100 * Fraction(hits, n_hyp or 1), abs=1e-13)
        assert score.recall == pytest.approx(100 * Fraction(hits, n_ref or 1), abs=1e-13)
        found = counts.sentence_score(hyp, several)
        assert [found.matches, found.hyp_units, found.ref_units] == row
        assert found.score == score.score
    total = counts.corpus_score(hyps, streams)
    assert [total.matches, total.hyp_units, total.ref_units] == rows.sum(axis=0).tolist()
    f = 200 * total.matches / (total.hyp_units + total.ref_units)
    assert total.score == pytest.approx(f, rel=1e-12)
    assert counts.get_signature().info["average"] == "counts"


def test_pairs_of_counts() -> None:
    hyps, refs = made("german")
    refs = [several[0] for several in refs]
    for variant in ("2", "L"):
        expected = ROUGE(variant).pairwise(hyps, refs)
        assert (ROUGECounts(variant).pairwise(hyps, refs) == expected).all()


def test_wrong_counts() -> None:
    with pytest.raises(TypeError, match="rouge: expected a variant whose matches are whole"):
        ROUGECounts("W")
    with pytest.raises(ValueError, match="expected at most 2 matches; got 3"):
        ROUGECounts("1").score([3, 4, 2])


@pytest.mark.parametrize("options", OPTIONS)
def test_text_without_tokens_is_scored_in_silence(
    options: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    if options.get("use_stemmer"):
        need("nltk")
    text = "\u041e\u043d\n\u0434\u043e\u043c\u0430."
    scorer = ours.RougeScorer(TYPES, **options)
    assert len(scorer.score(text, text)) == len(scorer.score_all([[text]], [text])) == len(TYPES)
    assert not caplog.records
