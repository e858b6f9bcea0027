"""Error rates and ROUGE for torchmetrics beside torchmetrics."""

import copy
import pickle
import re
from random import Random
from typing import Any

import pytest

from support.corpora import KINDS, random_corpus

torch = pytest.importorskip("torch")
text = pytest.importorskip("torchmetrics.text")
nltk = pytest.importorskip("nltk")  # by the peer's ROUGE

from rapidbleu.adapters import torchmetrics as ours  # noqa: E402
from rapidbleu.adapters.rouge_score import RougeScorer  # noqa: E402

RATES = ("WordErrorRate", "CharErrorRate")
KEYS = ("rouge1", "rouge2", "rougeL", "rougeLsum")
OPTIONS: list[dict[str, Any]] = [
    {}, {"use_stemmer": True}, {"accumulate": "avg"}, {"tokenizer": str.split},
    {"normalizer": str.upper, "use_stemmer": True}, {"rouge_keys": "rouge3"},
    {"tokenizer": lambda text: ["", 1, *text.split("a")], "rouge_keys": ("rougeL",)},
]  # fmt: skip


@pytest.fixture(autouse=True)
def sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sentences of both without NLTK's data, which may not be there."""
    monkeypatch.setattr(nltk, "sent_tokenize", re.compile(r"(?<=[.;])\s+").split)
    peer = "torchmetrics.functional.text.rouge._ensure_nltk_punkt_is_downloaded"
    monkeypatch.setattr(peer, lambda: None)


def batches(kind: str, n_refs: int = 1, n: int = 24) -> list[tuple[list[str], Any]]:
    """Predictions, and the reference of each or one to `n_refs`, in three batches."""
    rng = Random(f"torchmetrics {kind}")
    hyps, streams = random_corpus(rng, n, kind=kind, n_refs=n_refs)
    preds, *streams = (
        [line.encode("utf-8", "ignore").decode() for line in lines] for lines in (hyps, *streams)
    )
    target: Any = streams[0]
    if n_refs > 1:
        target = [list(refs)[: rng.randint(1, n_refs)] for refs in zip(*streams, strict=True)]
    return [(preds[i : i + 8], target[i : i + 8]) for i in range(0, n, 8)]


@pytest.mark.parametrize("name", RATES)
@pytest.mark.parametrize("kind", KINDS)
def test_error_rates(name: str, kind: str) -> None:
    metrics = [getattr(module, name)() for module in (ours, text)]
    for preds, target in [*batches(kind), ("a b ", " a c"), (["", "x"], ["y", ""]), ([], [])]:
        of_batch = [metric(preds, target) for metric in metrics]
        assert torch.allclose(*of_batch, rtol=0, atol=0, equal_nan=True)
        assert of_batch[0].dtype == of_batch[1].dtype
    for state in ("errors", "total"):
        counter, peers = (getattr(metric, state) for metric in metrics)
        assert counter.dtype == torch.int64 and counter == peers
    assert torch.equal(*[metric.compute() for metric in metrics])
    assert isinstance(metrics[0], getattr(text, name))


@pytest.mark.parametrize("name", RATES)
def test_no_reference_has_any_length(name: str) -> None:
    for preds, target in ((["a"], [""]), ([""], [""])):
        rates = [getattr(module, name)()(preds, target).item() for module in (ours, text)]
        assert repr(rates[0]) == repr(rates[1])


@pytest.mark.parametrize("name", RATES)
def test_counts_beyond_float32(name: str) -> None:
    """The peer's counters stay at 2**24."""
    metric, peer = (getattr(module, name)() for module in (ours, text))
    for one in (metric, peer):
        one.update("a", "b")
        for counter in (one.errors, one.total):
            counter.fill_(2**24)
        for _ in range(9):
            one.update("a", "b")
    assert metric.errors == metric.total == 2**24 + 9
    assert peer.errors == peer.total == 2**24


@pytest.mark.parametrize(
    ("kind", "options"),
    [(kind, {}) for kind in KINDS] + [("mixed", options) for options in OPTIONS],
)
@pytest.mark.parametrize("n_refs", [1, 3])
def test_rouge(kind: str, options: dict[str, Any], n_refs: int) -> None:
    """The peer adds up numbers of float32, so its means are off by some of their last bits."""
    metric, peer = (module.ROUGEScore(**options) for module in (ours, text))
    for preds, target in batches(kind, n_refs):
        found, expected = metric(preds, target), peer(preds, target)
        assert list(found) == list(expected)
        for name, value in expected.items():
            assert found[name].dtype == value.dtype
            assert found[name].item() == pytest.approx(value.item(), abs=5e-7)
    found, expected = metric.compute(), peer.compute()
    for name, value in expected.items():
        assert found[name].item() == pytest.approx(value.item(), abs=5e-7)
    assert isinstance(metric, text.ROUGEScore) and isinstance(hash(metric), int)


@pytest.mark.parametrize("n_refs", [1, 3])
def test_rouge_is_the_mean(n_refs: int) -> None:
    metric, scorer = ours.ROUGEScore(), RougeScorer(KEYS, split_summaries=True)
    scores: dict[str, list[Any]] = {key: [] for key in KEYS}
    for preds, target in batches("german", n_refs):
        metric.update(preds, target)
        for key, some in scorer.score_all(target, preds).items():
            scores[key] += some
    for key, some in scores.items():
        for name in ("precision", "recall", "fmeasure"):
            mean = sum(getattr(score, name) for score in some) / len(some)
            if n_refs == 1 or name == "fmeasure":  # F may be equal in float32 only
                assert metric.compute()[f"{key}_{name}"].item() == pytest.approx(mean, rel=6e-8)


def test_stems() -> None:
    preds, target = "the cats were running easily", "a cat is running easily"
    for options in ({}, {"normalizer": str.lower}, {"tokenizer": str.split}):
        found, expected = (
            module.ROUGEScore(use_stemmer=True, rouge_keys="rouge1", **options)(preds, target)
            for module in (ours, text)
        )
        assert found["rouge1_fmeasure"] == expected["rouge1_fmeasure"] > 0.5


def test_forms_of_rouges_input() -> None:
    for preds, target in (
        ("a b", "a c"), ("a b", ["a c", "a b"]), (["a b"], ["a c"]), (["a b"], [["a c", "b"]]),
    ):  # fmt: skip
        found, expected = (
            module.ROUGEScore(rouge_keys="rouge1")(preds, target) for module in (ours, text)
        )
        assert {name: value.item() for name, value in found.items()} == {
            name: value.item() for name, value in expected.items()
        }
    nothing = ours.ROUGEScore(rouge_keys="rouge1")
    nothing.update([], [])
    assert torch.isnan(nothing.compute()["rouge1_recall"])


@pytest.mark.parametrize("name", [*RATES, "ROUGEScore"])
def test_states(name: str) -> None:
    """Copies, merging, synchronization of three processes, types and resetting."""

    def gather(state: Any, group: Any) -> list[Any]:
        gathered.append(state)
        return [state] * 3

    gathered: list[Any] = []
    first, second, _ = batches("german")
    make = getattr(ours, name)
    metric, other, whole = make().set_dtype(torch.float16), make(), make()
    metric.update(*first)
    other.update(*second)
    for data in (first, second):
        whole.update(*data)
    for one in (pickle.loads(pickle.dumps(metric)), copy.deepcopy(metric), metric):
        one.merge_state(other)
        assert repr(one.compute()) == repr(whole.compute())
    counts = {state: getattr(metric, state).clone() for state in metric._defaults}
    assert all(count.dtype == torch.int64 for count in counts.values())
    metric.sync(gather, distributed_available=lambda: True)
    assert len(gathered) == len(counts)  # however many segments there are
    for state, count in counts.items():
        assert torch.equal(getattr(metric, state), 3 * count)
    metric.unsync()
    assert repr(metric.compute()) == repr(whole.compute())
    metric.reset()
    assert not any(getattr(metric, state) for state in counts)
    metric.update(*first)
    metric.update(*second)
    assert repr(metric.compute()) == repr(whole.compute())


@pytest.mark.parametrize(
    ("name", "preds", "target", "error", "message"),
    [
        ("WordErrorRate", ["a", "b"], ["a"], ValueError, "expected 2 segments"),
        ("CharErrorRate", ["a", 1], ["a", "b"], TypeError, r"hypotheses\[1\]: expected str"),
        ("WordErrorRate", ["a"], {"a"}, TypeError, "target: expected a sequence of segments"),
        ("ROUGEScore", ["a"], ["a", "b"], ValueError, "target: expected 1, as many as preds, got"),
        ("ROUGEScore", ["a"], [[]], ValueError, r"target\[0\]: expected at least one reference"),
        ("ROUGEScore", ["a"], [["a", None]], TypeError, r"target\[0\]\[1\]: expected a segment"),
        ("ROUGEScore", [1], ["a"], TypeError, r"predictions\[0\]: expected str, got int"),
    ],
)
def test_errors(
    name: str, preds: Any, target: Any, error: type[Exception], message: str
) -> None:
    metric = getattr(ours, name)()
    with pytest.raises(error, match=message):
        metric.update(preds, target)
    assert not any(getattr(metric, state) for state in metric._defaults)


def test_options_are_checked_by_the_peer() -> None:
    with pytest.raises(ValueError, match="unknown rouge key rouge0"):
        ours.ROUGEScore(rouge_keys="rouge0")
    with pytest.raises(ValueError, match="unknown accumulate value"):
        ours.ROUGEScore(accumulate="worst")
