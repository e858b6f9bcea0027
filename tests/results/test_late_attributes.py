"""Scores of single segments, whose attributes are created lazily and invisibly."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import rapidbleu
from rapidbleu import BLEU, BLEUScore

HYP, REF = "The cat sat on a mat.", "The cat sat down on the mat."
NAMES = ("score", "counts", "totals", "precisions", "bp", "sys_len", "ref_len")


def late() -> BLEUScore:
    return rapidbleu.sentence_bleu(HYP, [REF])


def early() -> BLEUScore:
    """Return the same score from its constructor."""
    score = BLEUScore(
        27.890014303843827,
        [6, 3, 1, 0],
        [7, 6, 5, 4],
        [85.71428571428571, 50.0, 20.0, 12.5],
        0.8668778997501817,
        7,
        8,
    )
    score._label = "case:mixed|eff:yes|tok:13a|smooth:exp"
    return score


METRICS = [
    BLEU(smooth_method=method, max_ngram_order=order, effective_order=effective)
    for method in ("none", "floor", "add-k", "exp", "nltk3", "nltk6")
    for order in (1, 3, 4, 5, 9)
    for effective in (False, True)
]
METRICS += [
    BLEU(average="arithmetic"),
    BLEU(weights=[0.4, 0.3, 0.2, 0.1], ref_len="longest", effective_order=True),
]


@pytest.mark.parametrize("metric", METRICS, ids=repr)
def test_numbers_are_those_of_a_corpus(metric: BLEU) -> None:
    for hyp in (HYP, REF, "", "The", "a b c d e", "The cat sat"):
        expected = vars(metric.corpus_score([hyp], [[REF]]))
        assert [*expected] == [*NAMES, "_label"]
        for name in NAMES:
            score = metric.sentence_score(hyp, [REF])
            assert repr(getattr(score, name)) == repr(expected[name]), hyp
        score = metric.sentence_score(hyp, [REF])
        assert repr(vars(score)) == repr(expected), hyp


def test_of_what_it_is_made() -> None:
    assert vars(late()) == vars(early())
    assert late() == early()
    assert early() == late()
    assert type(late()) is BLEUScore
    assert hash(late()) == hash(early())
    assert repr(late()) == repr(early())
    assert late().to_dict() == early().to_dict()
    assert dir(late()) == dir(early())
    assert late().ratio == 7 / 8


def test_lists_stay_the_same() -> None:
    score = late()
    lists = [score.counts, score.totals, score.precisions]
    score.counts.append(9)
    assert score.counts[-1] == 9
    assert all(a is b for a, b in zip(lists, [*vars(score).values()][1:4], strict=True))
    assert score.counts is lists[0]
    vars(score)["counts"] = []
    assert score.counts == []


def test_changes() -> None:
    for name in (*NAMES, "remark"):
        one, other = late(), early()
        setattr(one, name, 7)
        setattr(other, name, 7)
        assert vars(one) == vars(other)
        assert [*vars(one)] == [*vars(other)]
        delattr(one, name)
        delattr(other, name)
        assert vars(one) == vars(other)
        assert not hasattr(one, name)
    score: Any = late()
    with pytest.raises(AttributeError, match="remark"):
        _ = score.remark
    with pytest.raises(AttributeError, match="remark"):
        del score.remark
    assert vars(score) == vars(early())
    score = late()
    score.__dict__ = {"score": 1}
    assert (score.score, vars(score)) == (1, {"score": 1})


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickles(protocol: int) -> None:
    assert pickle.dumps(late(), protocol) == pickle.dumps(early(), protocol)
    assert pickle.loads(pickle.dumps(late(), protocol)) == early()


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy])
def test_copies(duplicate: Callable[[BLEUScore], BLEUScore]) -> None:
    score = late()
    twin = duplicate(score)
    assert (twin, type(twin)) == (early(), BLEUScore)
    assert (twin.counts is score.counts) == (duplicate is copy.copy)
    twin.score = 0
    assert score == early()


class Rounded(BLEUScore):
    """A score defined by a program."""

    __slots__ = ("digits",)
    digits: int

    def __getstate__(self) -> Any:
        return super().__getstate__()


def test_subclasses() -> None:
    score = Rounded(**{name: getattr(early(), name) for name in NAMES})
    score._label = early()._label
    score.digits = 3
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        twin = pickle.loads(pickle.dumps(score, protocol))
        assert (twin, twin.digits) == (score, 3)
    assert vars(score) == vars(early())
    assert BLEUScore.__new__(BLEUScore).__dict__ == {}
