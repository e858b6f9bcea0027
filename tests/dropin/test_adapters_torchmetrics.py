"""BLEU for torchmetrics beside torchmetrics: counts, scores, and what is done with metrics."""

import copy
import pickle
from random import Random
from typing import Any

import pytest

from support.corpora import KINDS, random_corpus

torch = pytest.importorskip("torch")
text = pytest.importorskip("torchmetrics.text")
from torchmetrics import MetricCollection  # noqa: E402

from rapidbleu.adapters import torchmetrics as ours  # noqa: E402

STATES = ("preds_len", "target_len", "numerator", "denominator")
OPTIONS: list[dict[str, Any]] = [
    {}, {"n_gram": 1}, {"smooth": True}, {"n_gram": 6, "smooth": True},
    {"n_gram": 2, "weights": [0.9, 0.1]}, {"weights": (0.4, 0.3, 0.2, 0.1), "smooth": True},
]  # fmt: skip


def batches(kind: str, n_refs: int = 3) -> list[tuple[list[str], list[list[str]]]]:
    """Predictions and one to three references of each, in batches of 16."""
    rng = Random(f"torchmetrics {kind}")
    preds, streams = random_corpus(rng, 64, kind=kind, n_refs=n_refs)
    # The peer does not strip text; where that matters it differs from sacrebleu.
    preds, *streams = ([line.strip() for line in lines] for lines in (preds, *streams))
    target = [list(refs)[: rng.randint(1, n_refs)] for refs in zip(*streams, strict=True)]
    return [(preds[i : i + 16], target[i : i + 16]) for i in range(0, 64, 16)]


def same(name: str, options: dict[str, Any], data: Any) -> None:
    """Both count and score the same, each batch and all of them."""
    metrics = [getattr(module, name)(**options) for module in (ours, text)]
    for preds, target in data:
        of_batch = [metric(preds, target) for metric in metrics]
        assert torch.equal(*of_batch) and of_batch[0].dtype == of_batch[1].dtype
        for state in STATES:
            counts, floats = (getattr(metric, state) for metric in metrics)
            assert counts.dtype == torch.int64 and counts.shape == floats.shape
            assert torch.equal(counts, floats.to(torch.int64))
    assert torch.equal(*[metric.compute() for metric in metrics])
    assert isinstance(metrics[0], getattr(text, name))


@pytest.mark.parametrize("options", OPTIONS, ids=repr)
@pytest.mark.parametrize("kind", KINDS)
def test_bleu_score(kind: str, options: dict[str, Any]) -> None:
    same("BLEUScore", options, batches(kind))


@pytest.mark.parametrize("tokenize", ["none", "13a", "zh", "intl", "char"])
@pytest.mark.parametrize("kind", KINDS)
def test_sacre_bleu_score(kind: str, tokenize: str) -> None:
    if tokenize == "intl":
        pytest.importorskip("regex")  # by the peer
    same("SacreBLEUScore", {"tokenize": tokenize}, batches(kind))
    if kind != "adversarial":  # the peer lowercases tokens, not text
        same("SacreBLEUScore", {"tokenize": tokenize, "lowercase": True}, batches(kind))


def test_the_first_of_equally_close_references_counts() -> None:
    """As nowhere else in this package."""
    rng = Random(0)
    texts = ["a", "a b", "a b c", "a b c d", "a b c d e", "a b c d e f g", ""]
    preds = rng.choices(texts, k=200)
    target = [rng.choices(texts, k=rng.randint(1, 4)) for _ in preds]
    same("BLEUScore", {}, [(preds, target)])
    metric = ours.BLEUScore()
    metric.update(["a b c"], [["a b c d", "a b"]])
    metric.update(["a b c"], [["a b", "a b c d"]])
    assert metric.target_len == 6


@pytest.mark.parametrize(
    ("preds", "target"),
    [([""], [["a b"]]), (["a b"], [[""]]), ([""], [["", ""]]), (["a b c d"], [["e f"]]), ([], [])],
)
def test_nothing_to_match(preds: Any, target: Any) -> None:
    same("BLEUScore", {}, [(preds, target)])
    same("SacreBLEUScore", {"smooth": True}, [(preds, target)])


def test_double_precision() -> None:
    torch.set_default_dtype(torch.float64)
    try:
        same("BLEUScore", {"smooth": True}, batches("mixed"))
    finally:
        torch.set_default_dtype(torch.float32)


def test_counts_beyond_float32() -> None:
    """17 million tokens; the peer's counters stay at 2**24."""
    length = 1 << 20
    hyp, ref = "a " * length, "a " * (length - 1) + "b"
    metric = ours.BLEUScore()
    for _ in range(17):
        metric.update([hyp], [[ref]])
    assert metric.preds_len == metric.target_len == 17 * length
    assert metric.numerator.tolist() == [17 * (length - n) for n in range(1, 5)]
    assert metric.denominator.tolist() == [17 * (length - n) for n in range(4)]
    metric.update(["b b b b"], [["a a a a"]])
    assert metric.denominator[0] == 17 * length + 4
    peer = text.BLEUScore()
    for counter in (peer.preds_len, peer.denominator):
        counter.fill_(2**24)
    for _ in range(9):
        peer.update(["b"], [["a a a a"]])
    assert peer.preds_len == peer.denominator[0] == 2**24  # nine tokens later

    metric.reset()
    metric.update([], [])
    metric.numerator += torch.tensor([2**25 + 1, 2**25, 2**24 + 1, 2**24])
    metric.denominator += 2**26
    metric.preds_len += 2**26
    metric.target_len += 2**26
    assert metric.compute().item() == pytest.approx((2**-1 * 2**-1 * 2**-2 * 2**-2) ** 0.25)


def test_states() -> None:
    (first, second, *_) = batches("german")
    metric, other, whole = ours.BLEUScore(), ours.BLEUScore(), ours.BLEUScore()
    metric.update(*first)
    other.update(*second)
    for data in (first, second):
        whole.update(*data)
    copies = [pickle.loads(pickle.dumps(metric)), copy.deepcopy(metric), metric.clone()]
    for one in [metric, *copies]:
        one.merge_state(other)
        for state in STATES:
            assert torch.equal(getattr(one, state), getattr(whole, state))
        assert torch.equal(one.compute(), whole.compute())
    metric.reset()
    assert all(not getattr(metric, state).any() for state in STATES)
    assert all(getattr(metric, state).dtype == torch.int64 for state in STATES)
    metric.update(*first)
    metric.update(*second)
    assert torch.equal(metric.compute(), whole.compute())

    whole.persistent(True)
    restored = ours.BLEUScore()
    restored.persistent(True)
    restored.load_state_dict(whole.state_dict())
    restored.update([], [])
    assert torch.equal(restored.compute(), whole.compute())


@pytest.mark.parametrize(
    "convert",
    [
        lambda metric: metric.half(),
        lambda metric: metric.to(torch.float16),
        lambda metric: metric.set_dtype(torch.float16),
        lambda metric: metric.to("cpu"),
        lambda metric: torch.nn.ModuleList([metric]).to(torch.bfloat16)[0],
    ],
)
def test_counts_stay_whole(convert: Any) -> None:
    metric = ours.SacreBLEUScore()
    metric.update(*batches("ascii")[0])
    expected = metric.compute()
    metric = convert(metric)
    assert all(getattr(metric, state).dtype == torch.int64 for state in STATES)
    metric.reset()
    metric.update(*batches("ascii")[0])
    assert torch.equal(metric.compute(), expected)


def test_states_move_with_the_metric() -> None:
    metric = ours.BLEUScore().to("meta")
    metric.update(*batches("ascii")[0])
    assert all(getattr(metric, state).device.type == "meta" for state in STATES)


@pytest.mark.parametrize("name", ["BLEUScore", "SacreBLEUScore"])
def test_synchronization(name: str) -> None:
    """Three processes that gather what this one has."""

    def gather(state: Any, group: Any) -> list[Any]:
        return [state] * 3

    metric = getattr(ours, name)(dist_sync_fn=gather, distributed_available_fn=lambda: True)
    data = batches("mixed")[0]
    alone = getattr(ours, name)()
    metric.update(*data)
    alone.update(*data)
    assert torch.equal(metric.compute(), alone.compute())  # a ratio of sums
    metric.sync(gather)
    for state in STATES:
        synced = getattr(metric, state)
        assert synced.dtype == torch.int64
        assert torch.equal(synced, 3 * getattr(alone, state))
    metric.unsync()
    assert torch.equal(metric.numerator, alone.numerator)


def test_collection() -> None:
    """Metrics with equal counts share them."""
    options = {"plain": {}, "smooth": {"smooth": True}, "two": {"n_gram": 2}}
    collections = [
        MetricCollection({name: module.BLEUScore(**each) for name, each in options.items()})
        for module in (ours, text)
    ]
    for preds, target in batches("german"):
        for collection in collections:
            collection.update(preds, target)
    results = [collection.compute() for collection in collections]
    assert results[0] == results[1]
    assert ["plain", "smooth"] in collections[0].compute_groups.values()


@pytest.mark.parametrize(
    ("preds", "target", "error", "message"),
    [
        (["a", "b"], [["a"]], ValueError, "expected 2 segments"),
        (["a"], [[]], ValueError, r"target\[0\]: expected at least one reference, got none"),
        (["a"], [["a", None]], TypeError, r"target\[0\]\[1\]: expected a segment, got None"),
        ("a", [["a"]], TypeError, "preds: expected a sequence of segments, got a single str"),
        (["a"], "a", TypeError, "target: expected a sequence of segments, got a single str"),
        ([1], [["a"]], TypeError, r"hypotheses\[0\]: expected str, got int"),
    ],
)
def test_errors(preds: Any, target: Any, error: type[Exception], message: str) -> None:
    metric = ours.BLEUScore()
    with pytest.raises(error, match=message):
        metric.update(preds, target)
    assert metric.preds_len == 0
    with pytest.raises(ValueError, match="List of weights has different weights"):
        ours.BLEUScore(weights=[1.0])


def test_a_reference_may_be_a_str() -> None:
    metric = ours.BLEUScore()
    metric.update(["a b c d e", "b"], ["a b c d f", ["b"]])
    assert metric.numerator.tolist() == [5, 3, 2, 1]
