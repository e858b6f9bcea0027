"""Metrics for mbrs compared with mbrs, bit by bit; its pins need an environment of their own."""

import warnings
from random import Random
from typing import Any

import pytest

from support.corpora import random_corpus

torch = pytest.importorskip("torch")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # its requirements warn on import
    metrics = pytest.importorskip("mbrs.metrics", exc_type=ImportError)
    from mbrs.decoders import DecoderMBR, get_decoder

from rapidbleu.adapters import mbrs as ours  # noqa: E402

PEERS = {"rapidbleu": "bleu", "rapidchrf": "chrf", "rapidter": "ter"}
CASES: list[tuple[str, dict[str, Any]]] = [
    ("rapidbleu", {}),
    ("rapidbleu", {"lowercase": True, "tokenize": "char", "smooth_method": "add-k"}),
    ("rapidbleu", {"max_ngram_order": 2, "smooth_method": "floor", "smooth_value": 0.2}),
    ("rapidchrf", {}),
    ("rapidchrf", {"char_order": 4, "word_order": 2, "beta": 3, "whitespace": True}),
    ("rapidchrf", {"eps_smoothing": True, "lowercase": True}),
    ("rapidter", {}),
    ("rapidter", {"normalized": True, "no_punct": True, "case_sensitive": True}),
]


def pair(name: str, options: dict[str, Any]) -> list[Any]:
    classes = [metrics.get_metric(each) for each in (name, PEERS[name])]
    assert issubclass(*classes)
    return [each(each.Config(num_workers=2, **options)) for each in classes]


@pytest.mark.parametrize(("name", "options"), CASES, ids=repr)
def test_scores(name: str, options: dict[str, Any]) -> None:
    rng = Random(f"mbrs {name}")
    hyps, streams = random_corpus(rng, 9, kind="mixed", n_refs=2)
    hyps.append("")
    streams = [[*stream, "x y"] for stream in streams]
    for method, arguments in (
        ("scores", (hyps, streams[0])),
        ("pairwise_scores", (hyps, streams[0][:6], "a source")),
        ("expected_scores", (hyps, streams[0])),
        ("expected_scores", (hyps, streams[0], None, torch.arange(10) / 3)),
        ("corpus_score", (hyps, streams)),
        ("score", (hyps[0], streams[0][0])),
    ):
        own, theirs = (getattr(metric, method)(*arguments) for metric in pair(name, options))
        assert type(own) is type(theirs)
        if isinstance(own, torch.Tensor):
            assert own.dtype == theirs.dtype
            assert torch.equal(own, theirs), method
        else:
            assert own == theirs, method


@pytest.mark.parametrize("name", ["rapidbleu", "rapidchrf"])
def test_aggregated_references(name: str) -> None:
    hyps, (refs,) = random_corpus(Random(name), 6, kind="german", n_refs=1)
    own, theirs = (
        metric.expected_scores_reference_aggregation(hyps, refs) for metric in pair(name, {})
    )
    assert torch.equal(own, theirs)


@pytest.mark.parametrize("name", PEERS)
def test_decoders(name: str) -> None:
    hyps, (refs,) = random_corpus(Random(name), 12, kind="mixed", n_refs=1)
    outputs = []
    for metric in pair(name, {}):
        decoder = get_decoder("mbr")(DecoderMBR.Config(), metric)
        outputs.append(decoder.decode(hyps, refs, nbest=3))
    assert outputs[0].idx == outputs[1].idx
    assert outputs[0].score == outputs[1].score


def test_errors() -> None:
    metric = ours.MetricRapidBLEU(ours.MetricRapidBLEU.Config())
    with pytest.raises(TypeError, match=r"hypotheses\[1\]: expected str; got NoneType"):
        metric.pairwise_scores(["a", None], ["b"])
    with pytest.raises(ValueError, match="expected"):
        metric.scores(["a", "b"], ["a"])
    with pytest.raises(ValueError, match="smooth_method: expected one of"):
        ours.MetricRapidBLEU(ours.MetricRapidBLEU.Config(smooth_method="some"))
