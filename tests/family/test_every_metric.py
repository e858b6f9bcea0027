"""Generic features of every metric of text listed in support/family.py."""

import itertools
import json
import math
import pickle
from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
import pytest

from rapidbleu import RunningScore, WeightedSum
from rapidbleu.oracle import select_by_stats
from rapidbleu.significance import bootstrap, paired_bootstrap, paired_randomization
from rapidbleu.tuning import NBestList, line_search, mert, mira
from support.corpora import random_corpus, with_gaps
from support.family import (
    MAKERS,
    METRICS,
    OF_ALL_REFERENCES,
    OF_KNOWN_WORDS,
    OF_TEXT,
    OF_WORDS,
)
from support.paired_tests import repeats

HYPS, REFS = random_corpus(Random("every metric"), 40, kind="mixed", n_refs=3)
GAPS = with_gaps(Random("gaps"), REFS)
WORDS = ["the", "a", "cat", "dog", "sat", "lay", "on", "under", "mat", "rug", "and", "or", "it"]
EDGES = ["", " ", "x", "x y", "x x x x", "a longer text of many words " * 3, ".", "\u00fc \u6f22"]

every_metric = pytest.mark.parametrize("name", METRICS)


def lists(rng: Random, n_segments: int, n_hyps: int) -> tuple[list[list[str]], list[str]]:
    refs = [" ".join(rng.choices(WORDS, k=rng.randint(3, 9))) for _ in range(n_segments)]
    return [[edited(rng, ref) for _ in range(n_hyps)] for ref in refs], refs


def edited(rng: Random, text: str) -> str:
    words = text.split()
    for _ in range(rng.randint(0, 3)):
        words.insert(rng.randint(0, len(words)), rng.choice(WORDS))
        del words[rng.randrange(len(words))]
    return " ".join(words)


@every_metric
def test_a_segment_is_a_corpus_of_one(name: str) -> None:
    metric = METRICS[name]
    rows, scores = metric.segment_stats(HYPS, GAPS), metric.segment_scores(HYPS, GAPS)
    assert rows.dtype == np.int64
    assert metric.score_rows(rows).tolist() == scores.tolist()
    for i in range(12):
        several = [stream[i] for stream in GAPS if stream[i] is not None]
        assert metric.sentence_score(HYPS[i], several).score == scores[i]
        assert metric.corpus_score([HYPS[i]], [several], layout="segment").score == scores[i]
        assert metric.score(rows[i]).score == scores[i]


class Several(Sequence[Any]):
    """References outside of lists, which therefore become columns."""

    def __init__(self, items: list[Any]) -> None:
        self.items = items

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index: Any) -> Any:
        return self.items[index]


def of_one_segment(metric: Any, hypothesis: Any, references: Any) -> tuple[Any, ...]:
    """Return the score and the number of references, or the error."""
    try:
        score = metric.sentence_score(hypothesis, references)
    except Exception as error:
        return type(error), str(error)
    return type(score), repr(vars(score)), metric.num_refs


@every_metric
def test_one_segment_is_scored_at_once_as_its_columns_are(name: str) -> None:
    metric, rng = METRICS[name], Random(name)
    words = [*WORDS, "internationalization", "größer", "", "\0", "a b", "12345678", "123456789"]
    for n in (0, 1, 2, 5, 20, 65):
        hyp = rng.choices(words, k=n)
        for lengths in ([n], [n // 2, n + 1], [0], [3, 0], [], [1] * 9):
            refs = [rng.choices(words, k=length) for length in lengths]
            for several in (refs, list(map(tuple, refs)), list(map(" ".join, refs))):
                for one in (hyp, tuple(hyp), " ".join(hyp)):
                    expected = of_one_segment(metric, one, Several(several))
                    assert of_one_segment(metric, one, several) == expected
                    assert of_one_segment(metric, one, tuple(several)) == expected
    for wrong in (None, 5, [None], ["a", 5], [1, 2], ["a", ["b"]], {"a"}, "a", [], range(3)):
        for one, several in ((wrong, [["a", "b"]]), (["a", "b"], [["a"], wrong])):
            expected = of_one_segment(metric, one, Several(several))
            assert of_one_segment(metric, one, several) == expected


@every_metric
def test_corpora_are_sums_of_rows(name: str) -> None:
    metric = METRICS[name]
    rows = metric.segment_stats(HYPS, REFS[:2])
    whole = metric.corpus_score(HYPS, REFS[:2])
    assert metric.corpus_stats(HYPS, REFS[:2]).tolist() == rows.sum(axis=0).tolist()
    assert metric.score(rows).score == metric.score(rows.sum(axis=0)).score == whole.score
    assert metric.score(rows[::-1]).score == whole.score
    assert metric.score(rows[:7].sum(axis=0) + rows[7:].sum(axis=0)).score == whole.score
    assert vars(metric.score(rows)) == vars(whole)
    assert float(whole) == whole.score
    assert whole.name in str(whole)


@every_metric
def test_prepared_references_layouts_and_threads(name: str) -> None:
    metric = METRICS[name]
    rows = metric.segment_stats(HYPS, GAPS).tolist()
    prepared = metric.prepare(GAPS)
    by_segment = [list(refs) for refs in zip(*GAPS, strict=True)]
    assert metric.segment_stats(HYPS, prepared).tolist() == rows
    assert metric.segment_stats(HYPS, by_segment, layout="segment").tolist() == rows
    assert metric.segment_stats(HYPS, pickle.loads(pickle.dumps(prepared))).tolist() == rows
    many, many_refs = HYPS * 30, [stream * 30 for stream in GAPS]
    assert metric.segment_stats(many, many_refs, threads=3).tolist() == rows * 30
    assert metric.corpus_score(HYPS, GAPS, threads=2).score == metric.corpus_score(HYPS, GAPS).score


@every_metric
def test_prepared_hypotheses(name: str) -> None:
    metric = METRICS[name]
    prepared = metric.prepare([HYPS])
    with pytest.raises(ValueError, match="hypotheses: expected one text for each segment; got <"):
        metric.segment_stats(metric.prepare(REFS), REFS)
    if metric._extractor.of_hypotheses() is not metric._extractor:
        with pytest.raises(ValueError, match=r"hypotheses: expected text, as .* in another way"):
            metric.segment_stats(prepared, REFS)
        return
    many, many_refs = HYPS * 30, [stream * 30 for stream in GAPS]
    rows = metric.segment_stats(many, many_refs).tolist()
    texts, refs = metric.prepare([many]), metric.prepare(many_refs)
    assert metric.segment_stats(texts, many_refs).tolist() == rows
    assert metric.segment_stats(texts, refs, threads=3).tolist() == rows
    whole = metric.corpus_score(many, many_refs).score
    assert metric.corpus_score(texts, refs).score == whole
    scores = metric.segment_scores(many, many_refs).tolist()
    assert metric.segment_scores(texts, refs).tolist() == scores
    with pytest.raises(ValueError, match="references: expected 40 segments"):
        metric.segment_stats(prepared, refs)


@every_metric
def test_lists_of_tokens_and_ids(name: str) -> None:
    metric = METRICS[name]
    tokens = [text.split() for text in HYPS]
    token_refs = [[text.split() for text in stream] for stream in REFS]
    if name in OF_TEXT:
        with pytest.raises(TypeError, match="segments: expected str; got list of str tokens"):
            metric.corpus_score(tokens, token_refs)
        return
    rows = metric.segment_stats(tokens, token_refs).tolist()
    if "tokenize" in metric.OPTIONS:
        split = MAKERS[name](tokenize="none")
        if name != "NIST" and not name.startswith("ROUGE-W"):  # different words, and lines
            assert split.segment_stats(HYPS, REFS).tolist() == rows
        wrong = "str or lists of str; got integer" if name in OF_WORDS else "ids have no case"
        with pytest.raises((TypeError, ValueError), match=wrong):
            MAKERS[name](lowercase=True).corpus_score([[1]], [[[1]]])
    numbers: dict[str, int] = {}
    ids, *id_refs = (
        [[numbers.setdefault(word, len(numbers)) for word in words] for words in stream]
        for stream in (tokens, *token_refs)
    )
    if name in OF_WORDS:
        with pytest.raises(TypeError, match="expected str or lists of str; got integer ids"):
            metric.segment_stats(ids, id_refs)
    elif name not in OF_KNOWN_WORDS:
        assert metric.segment_stats(ids, id_refs).tolist() == rows


@every_metric
def test_edges_have_scores(name: str) -> None:
    metric = METRICS[name]
    for hyp, ref in itertools.product(EDGES, EDGES):
        score = metric.sentence_score(hyp, [ref]).score
        assert math.isfinite(score), (hyp, ref)
        if name != "weighted match":  # where 0.1 for no match is equal for two references
            assert metric.sentence_score(hyp, [ref, ref]).score == score
    assert math.isfinite(metric.corpus_score(["", ""], [["", ""]]).score)


@pytest.mark.parametrize("name", [name for name in METRICS if name not in OF_ALL_REFERENCES])
def test_more_references_are_not_worse(name: str) -> None:
    metric = METRICS[name]
    one = [metric.segment_scores(HYPS, [stream]) for stream in REFS]
    several = metric.segment_scores(HYPS, REFS)
    if metric.higher_is_better:
        assert several.tolist() == np.max(one, axis=0).tolist()
    else:  # the fewest edits, even if another reference is longer
        assert (np.min(one, axis=0) <= several).all()
        assert (several <= np.max(one, axis=0)).all()


@every_metric
def test_running_scores(name: str) -> None:
    metric, rng = METRICS[name], Random(name)
    prepared = metric.prepare(REFS)
    running = metric.running(prepared, HYPS)
    assert running.score == pytest.approx(metric.corpus_score(HYPS, REFS).score, rel=1e-14)
    alternatives, hyps = metric.segment_stats(HYPS[::-1], prepared), list(HYPS)
    for _ in range(60):
        i = rng.randrange(len(HYPS))
        if rng.random() < 0.5:
            expected = running.score_if(i, alternatives[i : i + 1])[0]
            score = running.replace(i, alternatives[i])
            hyps[i] = HYPS[::-1][i]
            assert score == expected
        else:
            hyps[i] = rng.choice(HYPS)
            score = running.replace(i, hyps[i])
        rebuilt = RunningScore(metric, metric.segment_stats(hyps, prepared))
        assert score == running.score == rebuilt.score
        assert running.stats.tolist() == rebuilt.stats.tolist()


@every_metric
def test_nbest_rows(name: str) -> None:
    metric = METRICS[name]
    several = [[hyp, HYPS[i - 1], hyp, REFS[0][i], ""] for i, hyp in enumerate(HYPS)]
    rows = metric.nbest_stats(several, GAPS)
    columns = [metric.segment_stats(list(column), GAPS) for column in zip(*several, strict=True)]
    assert rows.reshape(40, 5, -1).tolist() == np.stack(columns, axis=1).tolist()
    assert metric.nbest_scores(several, GAPS).tolist() == metric.score_rows(rows).tolist()
    assert metric.nbest_stats(several, GAPS, threads=2).tolist() == rows.tolist()
    narrow = metric.nbest_stats(several, GAPS, dtype="int32")
    assert narrow.dtype == np.int32
    assert narrow.tolist() == rows.tolist()


@every_metric
def test_all_pairs(name: str) -> None:
    metric = METRICS[name]
    hyps = [*HYPS[:30], *EDGES, "long text " * 50]
    refs = [*REFS[0][:35], *EDGES, "other long text " * 40]
    matrix = metric.pairwise(hyps, refs)
    expected = [[metric.sentence_score(hyp, [ref]).score for ref in refs] for hyp in hyps]
    assert matrix.tolist() == expected
    assert metric.pairwise(hyps[:2], refs).tolist() == expected[:2]
    weights = np.arange(1, len(refs) + 1)
    assert metric.mbr(hyps, refs, weights) == pytest.approx(matrix @ weights / weights.sum())
    best = np.argmax if metric.higher_is_better else np.argmin
    assert metric.select(hyps, refs) == best(metric.mbr(hyps, refs))
    texts = hyps[:9]
    others = [texts[i + 1 :] + texts[:i] for i in range(9)]
    alone = [metric.sentence_score(*both).score for both in zip(texts, others, strict=True)]
    assert metric.self_scores(texts).tolist() == alone


@every_metric
def test_significance(name: str) -> None:
    metric = METRICS[name]
    systems = {"A": HYPS, "B": HYPS[::-1], "C": REFS[1]}
    rows = metric.segment_stats(HYPS, REFS[:1])
    found, in_threads = (
        bootstrap(rows, None, metric, n_resamples=50, seed=3, threads=k) for k in (1, 2)
    )
    assert found.samples.tolist() == in_threads.samples.tolist()
    assert found.samples.min() <= metric.score(rows).score <= found.samples.max()
    assert len(set(found.samples.tolist())) > 1
    for test in (paired_bootstrap, paired_randomization):
        result = test(systems, REFS[:1], metric, **repeats(test, 99))
        assert str(result) == str(test(systems, REFS[:1], metric, **repeats(test, 99), threads=2))
    score = metric.corpus_score(HYPS, REFS[:1], n_bootstrap=20)
    assert "μ" in str(score)
    assert "bs:20" in str(metric.get_signature())


@every_metric
def test_oracle_selection_finds_the_best_of_all(name: str) -> None:
    metric, rng = METRICS[name], Random(name)
    several, refs = lists(rng, 4, 4)
    rows = metric.nbest_stats(several, [refs])
    found = select_by_stats(metric, rows, [0, 4, 8, 12, 16])
    groups = rows.reshape(4, 4, -1)
    gains = [
        metric._gain(metric.score(sum(groups[i][k] for i, k in enumerate(choice))).score)
        for choice in itertools.product(range(4), repeat=4)
    ]
    assert metric._gain(found.score.score) == max(gains)


def tuning_list(metric: Any, seed: int) -> NBestList:
    rng = Random(seed)
    several, refs = lists(rng, 5, 4)
    features = np.array([[rng.gauss(0, 1), rng.gauss(0, 1)] for _ in range(20)])
    return NBestList(features, metric.nbest_stats(several, [refs]), range(0, 21, 4), metric=metric)


def best_of_all_directions(nbest: NBestList) -> float:
    """Return the best score of weights (cos, sin), between all angles at which hypotheses tie."""
    features = nbest.features.reshape(5, 4, 2)
    angles = [0.0]
    for own in features:
        for a, b in itertools.combinations(own, 2):
            x, y = a - b
            angle = math.atan2(-x, y)
            angles += [angle % (2 * math.pi), (angle + math.pi) % (2 * math.pi)]
    angles = sorted(angles)
    middles = [(a + b) / 2 for a, b in itertools.pairwise([*angles, angles[0] + 2 * math.pi])]
    weights = [[math.cos(angle), math.sin(angle)] for angle in middles]
    return max(nbest.metric._gain(score) for score in nbest.evaluate(weights))


@every_metric
def test_mert_finds_what_all_directions_have(name: str) -> None:
    metric = METRICS[name]
    for seed in range(3):
        nbest = tuning_list(metric, seed)
        best = best_of_all_directions(nbest)
        assert metric._gain(mert(nbest, restarts=15).score) == pytest.approx(best, abs=1e-9)
        found = line_search(nbest, [1.0, 0.5], [0.0, 1.0])
        assert math.isfinite(found.scores.max())
    assert math.isfinite(mira(tuning_list(metric, 9), epochs=2).score)


@every_metric
def test_mixtures(name: str) -> None:
    metric = METRICS[name]
    both = WeightedSum([metric, METRICS["BLEU"]], [2, -0.5])
    rows = np.hstack([metric.segment_stats(HYPS, REFS), METRICS["BLEU"].segment_stats(HYPS, REFS)])
    expected = 2 * metric.score_rows(rows[:, : metric._kernel.n_stats])
    expected = expected - 0.5 * METRICS["BLEU"].score_rows(rows[:, metric._kernel.n_stats :])
    assert both.score_rows(rows).tolist() == pytest.approx(expected.tolist(), rel=1e-12)


@every_metric
def test_copies_and_words(name: str) -> None:
    metric = METRICS[name]
    copy = pickle.loads(pickle.dumps(metric))
    assert repr(copy) == repr(metric)
    assert copy.segment_stats(HYPS, REFS).tolist() == metric.segment_stats(HYPS, REFS).tolist()
    assert str(copy.get_signature()) == str(metric.get_signature())
    entries = str(copy.get_signature()).split("|")
    assert entries[0] == "nrefs:3"
    assert entries[-1].startswith("version:")
    assert len(copy.get_signature().format(short=True)) < len(str(copy.get_signature()))
    score = copy.corpus_score(HYPS, REFS)
    entries = json.loads(score.format(4, signature=str(copy.get_signature()), is_json=True))
    assert entries["score"] == round(score.score, 4)
    assert entries["name"] == score.name


@every_metric
def test_wrong_input_is_refused(name: str) -> None:
    metric: Any = METRICS[name]
    with pytest.raises(TypeError, match=r"hypotheses\[1\]: expected .*; got NoneType"):
        metric.corpus_score(["a", None], [["a", "b"]])
    with pytest.raises(TypeError, match=r"references\[0\]\[1\]: expected .*; got int"):
        metric.corpus_score(["a", "b"], [["a", 5]])
    with pytest.raises(ValueError, match="references: expected 2 segments"):
        metric.corpus_score(["a", "b"], [["a"]])
    with pytest.raises(ValueError, match="hypotheses: expected at least one segment; got none"):
        metric.corpus_score([], [[]])
    with pytest.raises(TypeError, match=r"references: expected .*; got a single str"):
        metric.sentence_score("a", "a")
    with pytest.raises(ValueError, match=r"stats: expected shape"):
        metric.score([1])
    other = METRICS["BLEU" if name != "BLEU" else "chrF"]
    if other.tokenizer is not metric.tokenizer:
        with pytest.raises(ValueError, match="expected references prepared for"):
            metric.corpus_score(["a"], other.prepare([["a"]]))
