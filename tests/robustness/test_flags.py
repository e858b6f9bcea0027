"""Flags of functions are True or False: text is no truth value."""

from collections.abc import Callable
from typing import Any

import pytest

import rapidbleu
from rapidbleu import alignment, meta, rewards, significance, tuning
from support.places import DATA

HYPS, REFS = ["the cat sat", "it rained today"], [["the cat sat down", "it rained"]]
SYSTEMS = {"A": HYPS, "B": REFS[0]}
NBEST = [HYPS, HYPS]
METRIC = rapidbleu.BLEU()


def nbest() -> Any:
    return tuning.NBestList.from_lists(NBEST, [[1.0], [2], [1], [0]], REFS)


CALLS: list[tuple[str, Callable[..., Any]]] = [
    ("force", lambda **o: rapidbleu.corpus_bleu(HYPS, REFS, **o)),
    ("lowercase", lambda **o: rapidbleu.corpus_bleu(HYPS, REFS, **o)),
    ("lowercase", lambda **o: rapidbleu.sentence_bleu("a", ["a"], **o)),
    ("remove_whitespace", lambda **o: rapidbleu.corpus_chrf(HYPS, REFS, **o)),
    ("eps_smoothing", lambda **o: rapidbleu.corpus_chrf(HYPS, REFS, **o)),
    ("remove_whitespace", lambda **o: rapidbleu.sentence_chrf("a", ["a"], **o)),
    ("normalized", lambda **o: rapidbleu.corpus_ter(HYPS, REFS, **o)),
    ("case_sensitive", lambda **o: rapidbleu.sentence_ter("a", ["a"], **o)),
    ("asynchronous", lambda **o: rewards.bleu_reward("trl", **o)),
    ("ties", lambda **o: significance.paired_bootstrap(SYSTEMS, REFS, METRIC, n=10, **o)),
    ("ties", lambda **o: significance.paired_randomization(SYSTEMS, REFS, METRIC, n=10, **o)),
    ("null", lambda **o: alignment.IBMModel1.fit(HYPS, REFS[0], **o)),
    ("gains", lambda **o: meta.equal_variants("the cat a", ["a cat the"], 2, **o)),
    ("gains", lambda **o: meta.drawn_variants("the cat a", ["a cat the"], 2, **o)),
    ("axes", lambda **o: tuning.mert(nbest(), **o)),
    ("moses_compat", lambda **o: tuning.mert(nbest(), **o)),
    ("moses_compat", lambda **o: tuning.line_search(nbest(), [1.0], [1.0], **o)),
    ("shuffle", lambda **o: tuning.mira(nbest(), **o)),
    ("safe_hope", lambda **o: tuning.mira(nbest(), **o)),
    ("model_background", lambda **o: tuning.mira(nbest(), **o)),
    ("moses_compat", lambda **o: tuning.mira(nbest(), **o)),
    ("smooth_length", lambda **o: tuning.pro(nbest(), **o)),
    ("texts", lambda **o: tuning.read_nbest(DATA / "hyp.en.txt", REFS, **o)),
    ("complete", lambda **o: tuning.read_nbest(DATA / "hyp.en.txt", REFS, **o)),
]


def test_effective_order_is_a_flag() -> None:
    for call in (rapidbleu.corpus_bleu, rapidbleu.sentence_bleu):
        with pytest.raises(TypeError, match=r"^effective_order: expected True or False"):
            call(HYPS, REFS, use_effective_order="no")  # type: ignore[operator]


@pytest.mark.parametrize(("name", "call"), CALLS)
@pytest.mark.parametrize("value", ["no", "False", 2, []])
def test_text_is_no_flag(name: str, call: Any, value: Any) -> None:
    with pytest.raises(TypeError, match=f"^{name}: expected True or False, got "):
        call(**{name: value})
