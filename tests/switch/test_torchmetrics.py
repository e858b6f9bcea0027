"""Tests of torchmetrics under `patch`: equal tensors, served or handed back."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from rapidbleu import patch
from support.served import counts, switched_functions

torch = pytest.importorskip("torch")
text = pytest.importorskip("torchmetrics.text")
functional = pytest.importorskip("torchmetrics.functional.text")
bleu = pytest.importorskip("torchmetrics.functional.text.bleu")

RNG = random.Random(5)
WORDS = ["the", "cat", "sat", "on", "a", "mat.", "it's", "rained,", "&amp;", ".5", "Naïve", "东京"]


def line() -> str:
    return " ".join(RNG.choices(WORDS, k=RNG.randrange(30)))


PREDS = [line() for _ in range(90)]
TARGETS = [[line() for _ in range(RNG.choice([1, 1, 2, 3]))] for _ in PREDS]
FIRST = [refs[0] for refs in TARGETS]


def of_class(name: str, **options: Any) -> Callable[[], Any]:
    def call() -> Any:
        metric = getattr(text, name)(**options)
        batches = [metric(PREDS[k : k + 30], TARGETS[k : k + 30]) for k in (0, 30, 60)]
        return batches, metric.compute(), metric.numerator, metric.target_len

    return call


def in_doubles() -> Any:
    metric = text.BLEUScore()
    metric.set_dtype(torch.float64)
    metric.update(PREDS, TARGETS)
    return metric.compute()


def beyond_float() -> Any:
    """States in which 1 is lost."""
    states = [torch.tensor([2.0**24, 5, 5, 5]), torch.ones(4), torch.tensor(3.0), torch.tensor(4.0)]
    return bleu._bleu_score_update(["a b c"], [["a b c"]], *states), states


def rates(hypotheses: Any, references: Any) -> Callable[[], Any]:
    names = "word_error_rate", "char_error_rate", "match_error_rate", "word_information_lost"
    return lambda: [getattr(functional, name)(hypotheses, references) for name in names]


# Calls by whether all of them are served.
CALLS: dict[str, tuple[bool, Callable[[], Any]]] = {
    "bleu": (True, of_class("BLEUScore")),
    "smooth bigrams": (True, of_class("BLEUScore", n_gram=2, smooth=True)),
    "13a": (True, of_class("SacreBLEUScore")),
    "lowercase": (True, of_class("SacreBLEUScore", lowercase=True)),
    "char": (True, of_class("SacreBLEUScore", tokenize="char")),
    "function": (True, lambda: functional.sacre_bleu_score(PREDS, TARGETS)),
    "one text": (True, lambda: functional.bleu_score("a b c d", [["a b c d"]])),
    "doubles": (False, in_doubles),
    "beyond float": (False, beyond_float),
    "iterator": (False, lambda: functional.bleu_score([""], [iter(["a"])])),
    "no reference": (False, lambda: functional.bleu_score(["a"], [[]])),
    "number": (False, lambda: functional.bleu_score([1], [["a"]])),
    "rates": (True, rates(PREDS, FIRST)),
    "rates of None": (True, rates(["a"], [None])),  # refused before edits are counted
    "rouge": (
        True,
        lambda: functional.rouge_score(PREDS, TARGETS, rouge_keys=("rouge2", "rougeL")),
    ),
}


def plain(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.dtype, [repr(number) for number in value.double().flatten().tolist()]
    if isinstance(value, dict):
        return {key: plain(own) for key, own in value.items()}
    return [plain(own) for own in value] if isinstance(value, (list, tuple)) else value


def outcome(call: Callable[[], Any]) -> Any:
    try:
        return plain(call())
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("name", CALLS)
def test_served(name: str) -> None:
    is_served, call = CALLS[name]
    expected = outcome(call)
    counts()
    with patch("torchmetrics"):
        assert outcome(call) == expected
        functions = switched_functions()
        assert any(own.n_handed_back for own in functions) != is_served
        assert is_served <= (any(own.n_served for own in functions) or name == "rates of None")
    assert outcome(call) == expected
