"""Top-level names that must stay sacrebleu's for `import rapidbleu as sacrebleu`."""

import inspect
from typing import Any

import pytest
import sacrebleu
from sacrebleu.metrics import bleu, chrf, ter

import rapidbleu
import rapidbleu.scores

THEIRS = {"BLEUScore": bleu.BLEUScore, "CHRFScore": chrf.CHRFScore, "TERScore": ter.TERScore}
METRICS = ("BLEU", "CHRF", "TER")
FUNCTIONS = (
    "corpus_bleu",
    "raw_corpus_bleu",
    "sentence_bleu",
    "corpus_chrf",
    "sentence_chrf",
    "corpus_ter",
    "sentence_ter",
)
HYPS, REFS = ["the cat sat on a mat", "it rained"], [["the cat sat on the mat", "it rained"]]


def parameters(call: Any) -> list[tuple[str, Any]]:
    return [(own.name, own.default) for own in inspect.signature(call).parameters.values()]


@pytest.mark.parametrize("name", [*METRICS, *FUNCTIONS, *THEIRS])
def test_parameters_begin_with_those_of_sacrebleu(name: str) -> None:
    theirs = parameters(THEIRS.get(name) or getattr(sacrebleu, name))
    ours = list(inspect.signature(getattr(rapidbleu, name)).parameters.values())
    assert [(own.name, own.default) for own in ours][: len(theirs)] == theirs
    assert all(own.kind is own.KEYWORD_ONLY for own in ours[len(theirs) :])


@pytest.mark.parametrize("name", METRICS)
def test_methods_and_attributes_are_there(name: str) -> None:
    theirs, ours = getattr(sacrebleu, name)(), getattr(rapidbleu, name)()
    for method in ("corpus_score", "sentence_score", "get_signature"):
        names = [own for own, _ in parameters(getattr(theirs, method))]
        assert [own for own, _ in parameters(getattr(ours, method))][: len(names)] == names
    score, peer = (own.corpus_score(HYPS, REFS, n_bootstrap=5) for own in (ours, theirs))
    for attribute in dir(peer):
        if not attribute.startswith("__"):
            assert hasattr(score, attribute)
    for attribute, value in vars(peer).items():
        assert getattr(score, attribute) == pytest.approx(value)
        if attribute in vars(score):
            setattr(score, attribute, value)
    assert score.format(width=3) == peer.format(width=3)


def test_scores_of_the_stand_in_have_no_order() -> None:
    from rapidbleu.sacrebleu import corpus_bleu

    for function in (sacrebleu.corpus_bleu, corpus_bleu):
        score: Any = function(HYPS, REFS)
        with pytest.raises(TypeError, match="'<' not supported between"):
            _ = score < score


def test_score_types_are_where_sacrebleu_has_them_or_in_scores() -> None:
    types = [getattr(rapidbleu.scores, name) for name in rapidbleu.scores.__all__]
    assert all(issubclass(own, rapidbleu.Score) for own in types)
    assert [own.__name__ for own in types] == rapidbleu.scores.__all__
    top = [name for name in rapidbleu.__all__ if name.endswith("Score")]
    assert top == ["BLEUScore", "CHRFScore", "RunningScore", "Score", "TERScore"]
