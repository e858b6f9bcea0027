"""Metrics for torchmetrics compared with torchmetrics: counts, scores, and metric operations."""

import copy
import pickle
import re
from random import Random
from typing import Any

import pytest

from support.corpora import KINDS, random_corpus
from support.typed import assert_identical

torch = pytest.importorskip("torch")
text = pytest.importorskip("torchmetrics.text")
nltk = pytest.importorskip("nltk")  # for the peer's ROUGE
from torchmetrics import MetricCollection  # noqa: E402

from rapidbleu.adapters import torchmetrics as ours  # noqa: E402

STATES = ("preds_len", "target_len", "numerator", "denominator")
BLEUS, RATES = ("BLEUScore", "SacreBLEUScore"), ("WordErrorRate", "CharErrorRate")
KEYS = ("rouge1", "rouge2", "rougeL", "rougeLsum")
OPTIONS: list[dict[str, Any]] = [
    {},
    {"n_gram": 1},
    {"smooth": True},
    {"n_gram": 6, "smooth": True},
    {"n_gram": 2, "weights": [0.9, 0.1]},
    {"weights": (0.4, 0.3, 0.2, 0.1), "smooth": True},
]
ROUGE_OPTIONS: list[dict[str, Any]] = [
    {},
    {"use_stemmer": True},
    {"accumulate": "avg"},
    {"tokenizer": str.split},
    {"normalizer": str.upper, "use_stemmer": True},
    {"rouge_keys": "rouge3"},
    {"tokenizer": lambda text: ["", 1, *text.split("a")], "rouge_keys": ("rougeL",)},
]


@pytest.fixture(autouse=True)
def sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    """Split sentences in both without NLTK's data, which may be missing."""
    monkeypatch.setattr(nltk, "sent_tokenize", re.compile(r"(?<=[.;])\s+").split)
    peer = "torchmetrics.functional.text.rouge._ensure_nltk_punkt_is_downloaded"
    monkeypatch.setattr(peer, lambda: None)


def batches(kind: str, n_refs: int = 1, n: int = 24) -> list[tuple[list[str], Any]]:
    """Return predictions with the reference of each or one to `n_refs`, in batches of 8."""
    rng = Random(f"torchmetrics {kind}")
    hyps, streams = random_corpus(rng, n, kind=kind, n_refs=n_refs)
    preds, *streams = (
        [line.encode("utf-8", "ignore").decode() for line in lines] for lines in (hyps, *streams)
    )
    target: Any = streams[0]
    if n_refs > 1:
        target = [list(refs)[: rng.randint(1, n_refs)] for refs in zip(*streams, strict=True)]
    return [(preds[i : i + 8], target[i : i + 8]) for i in range(0, n, 8)]


def stripped(kind: str) -> list[tuple[list[str], list[list[str]]]]:
    """Return batches for BLEU: the peer does not strip text, so some differ from sacrebleu."""
    return [
        ([line.strip() for line in preds], [[line.strip() for line in refs] for refs in target])
        for preds, target in batches(kind, 3, 64)
    ]


def same(name: str, options: dict[str, Any], data: Any) -> None:
    metrics = [getattr(module, name)(**options) for module in (ours, text)]
    for preds, target in data:
        of_batch = [metric(preds, target) for metric in metrics]
        assert_identical(*of_batch)
        for state in STATES:
            counts, floats = (getattr(metric, state) for metric in metrics)
            assert counts.dtype == torch.int64 and counts.shape == floats.shape
            assert torch.equal(counts, floats.to(torch.int64))
    assert_identical(*[metric.compute() for metric in metrics])
    assert isinstance(metrics[0], getattr(text, name))


@pytest.mark.parametrize("options", OPTIONS, ids=repr)
@pytest.mark.parametrize("kind", KINDS)
def test_bleu_score(kind: str, options: dict[str, Any]) -> None:
    same("BLEUScore", options, stripped(kind))


@pytest.mark.parametrize("tokenize", ["none", "13a", "zh", "intl", "char"])
@pytest.mark.parametrize("kind", KINDS)
def test_sacre_bleu_score(kind: str, tokenize: str) -> None:
    if tokenize == "intl":
        pytest.importorskip("regex")  # for the peer
    same("SacreBLEUScore", {"tokenize": tokenize}, stripped(kind))
    if kind != "adversarial":  # the peer lowercases tokens, not text
        same("SacreBLEUScore", {"tokenize": tokenize, "lowercase": True}, stripped(kind))


def test_the_first_of_equally_close_references_counts() -> None:
    """Unlike elsewhere in this package."""
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
        same("BLEUScore", {"smooth": True}, stripped("mixed"))
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
    metric.update(*stripped("ascii")[0])
    expected = metric.compute()
    metric = convert(metric)
    assert all(getattr(metric, state).dtype == torch.int64 for state in STATES)
    metric.reset()
    metric.update(*stripped("ascii")[0])
    assert torch.equal(metric.compute(), expected)


def test_collection() -> None:
    options = {"plain": {}, "smooth": {"smooth": True}, "two": {"n_gram": 2}}
    collections = [
        MetricCollection({name: module.BLEUScore(**each) for name, each in options.items()})
        for module in (ours, text)
    ]
    for preds, target in stripped("german"):
        for collection in collections:
            collection.update(preds, target)
    results = [collection.compute() for collection in collections]
    assert results[0] == results[1]
    assert ["plain", "smooth"] in collections[0].compute_groups.values()


def test_a_reference_may_be_a_str() -> None:
    metric = ours.BLEUScore()
    metric.update(["a b c d e", "b"], ["a b c d f", ["b"]])
    assert metric.numerator.tolist() == [5, 3, 2, 1]


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
    assert_identical(*[metric.compute() for metric in metrics])
    assert isinstance(metrics[0], getattr(text, name))


@pytest.mark.parametrize("name", RATES)
def test_no_reference_has_any_length(name: str) -> None:
    for preds, target in ((["a"], [""]), ([""], [""])):
        rates = [getattr(module, name)()(preds, target).item() for module in (ours, text)]
        assert repr(rates[0]) == repr(rates[1])


@pytest.mark.parametrize("name", RATES)
def test_rates_beyond_float32(name: str) -> None:
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
    [(kind, {}) for kind in KINDS] + [("mixed", options) for options in ROUGE_OPTIONS],
)
@pytest.mark.parametrize("n_refs", [1, 3])
def test_rouge(kind: str, options: dict[str, Any], n_refs: int) -> None:
    """The peer sums float32 numbers, so its means differ in some of the last bits."""
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
        ("a b", "a c"),
        ("a b", ["a c", "a b"]),
        (["a b"], ["a c"]),
        (["a b"], [["a c", "b"]]),
    ):
        found, expected = (
            module.ROUGEScore(rouge_keys="rouge1")(preds, target) for module in (ours, text)
        )
        assert {name: value.item() for name, value in found.items()} == {
            name: value.item() for name, value in expected.items()
        }
    nothing = ours.ROUGEScore(rouge_keys="rouge1")
    nothing.update([], [])
    assert torch.isnan(nothing.compute()["rouge1_recall"])


@pytest.mark.parametrize("name", [*BLEUS, *RATES, "ROUGEScore"])
def test_states(name: str) -> None:
    def gather(state: Any, group: Any) -> list[Any]:
        gathered.append(state)
        return [state] * 3

    gathered: list[Any] = []
    first, second, *_ = stripped("german") if name in BLEUS else batches("german")
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
    assert len(gathered) == len(counts)  # for any number of segments
    for state, count in counts.items():
        assert torch.equal(getattr(metric, state), 3 * count)
    metric.unsync()
    assert repr(metric.compute()) == repr(whole.compute())
    metric.reset()
    assert not any(getattr(metric, state).any() for state in counts)
    metric.update(*first)
    metric.update(*second)
    assert repr(metric.compute()) == repr(whole.compute())

    whole.persistent(True)
    restored = make()
    restored.persistent(True)
    restored.load_state_dict(whole.state_dict())
    restored.update([], [])
    assert repr(restored.compute()) == repr(whole.compute())


@pytest.mark.parametrize(
    ("name", "preds", "target", "error", "message"),
    [
        ("BLEUScore", ["a", "b"], [["a"]], ValueError, "expected 2 segments"),
        ("BLEUScore", ["a"], [[]], ValueError, r"target\[0\]: expected at least one reference; g"),
        ("BLEUScore", "a", [["a"]], TypeError, "preds: expected a sequence of segments; got a s"),
        ("BLEUScore", [1], [["a"]], TypeError, r"hypotheses\[0\]: expected str; got int"),
        ("WordErrorRate", ["a", "b"], ["a"], ValueError, "expected 2 segments"),
        ("CharErrorRate", ["a", 1], ["a", "b"], TypeError, r"hypotheses\[1\]: expected str"),
        ("WordErrorRate", ["a"], {"a"}, TypeError, "target: expected a sequence of segments"),
        ("ROUGEScore", ["a"], ["a", "b"], ValueError, "target: expected 1, as many as preds; got"),
        ("ROUGEScore", ["a"], [[]], ValueError, r"target\[0\]: expected at least one reference"),
        ("ROUGEScore", ["a"], [["a", None]], TypeError, r"target\[0\]\[1\]: expected a segment"),
        ("ROUGEScore", [1], ["a"], TypeError, r"predictions\[0\]: expected str; got int"),
    ],
)
def test_errors(name: str, preds: Any, target: Any, error: type[Exception], message: str) -> None:
    metric = getattr(ours, name)()
    with pytest.raises(error, match=message):
        metric.update(preds, target)
    assert not any(getattr(metric, state).any() for state in metric._defaults)
