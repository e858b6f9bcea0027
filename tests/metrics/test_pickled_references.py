"""Pickles of prepared references: whatever is in them, nothing is read beyond its end."""

import pickle
import random
import struct
from typing import Any

import pytest

from rapidbleu import BLEU, CHRF
from rapidbleu._core.text.tokenize import restore
from support.corpora import nasty

LONG = "incomprehensibilities"
TEXTS = ["the cat", f"{LONG} sat", "", f"a {LONG}s {LONG}"]
PARTS = ("length", "num_refs", "kind", "first", "first_token", "first_long", "lo", "hi", "longs",
         "text")  # fmt: skip


def prepared(metric: Any) -> Any:
    return metric.prepare([TEXTS, TEXTS[::-1]])._prepared


def parts(metric: Any) -> dict[str, Any]:
    return dict(zip(PARTS, prepared(metric).__reduce__()[1], strict=True))


@pytest.mark.parametrize(
    "metric",
    [BLEU(), BLEU(tokenize="char"), BLEU(tokenize="none"), CHRF(), CHRF(word_order=2),
     CHRF(whitespace=True)],
    ids=str,
)  # fmt: skip
def test_all_references_are_restored(metric: Any) -> None:
    texts = [*nasty().values(), *TEXTS, "\0", "a\0b", "\0" * 9, "\ud800"]
    references = metric.prepare([texts, texts[::-1]])
    again = restore(*references._prepared.__reduce__()[1])
    assert again.__reduce__()[1] == references._prepared.__reduce__()[1]


def test_references_of_tokens_and_of_ids_are_restored() -> None:
    for column in ([["a", LONG], ["", "\0"], []], [[1, 2**62], [256, 0, -1], []], [[], [], []]):
        references = BLEU().prepare([column])
        again = pickle.loads(pickle.dumps(references._prepared))
        assert again.__reduce__()[1] == references._prepared.__reduce__()[1]


def int64(*numbers: int) -> bytes:
    return struct.pack(f"={len(numbers)}q", *numbers)


LONGS = parts(BLEU())["longs"]
BAD = [
    {"length": -1},
    {"length": 5},
    {"length": 2**62},
    {"length": 2**63 - 1},
    {"num_refs": 3},
    {"num_refs": -2},
    {"kind": 5},
    {"kind": -1},
    {"first": b""},
    {"first": int64(1, 2, 4, 6, 8)},
    {"first": int64(0, 4, 2, 6, 8)},
    {"first": int64(0, 2, 4, 6, 2**40)},
    {"first_token": b"1"},
    {"first_token": int64(*range(0, -9, -1))},
    {"first_token": int64(*[0] * 8, 2**50)},
    {"first_long": int64(*[0] * 8, 99)},
    {"first_long": int64(0, 0, 6, 6, 6, 6, 6, 6, 6)},
    {"lo": b""},
    {"hi": b"abc"},
    {"longs": LONGS[:-1]},
    {"longs": struct.pack("=qii", 2**40, 21, 1) + LONGS[16:]},
    {"longs": struct.pack("=qii", -1, 21, 1) + LONGS[16:]},
    {"longs": struct.pack("=qii", 0, -1, 1) + LONGS[16:]},
    {"longs": struct.pack("=qii", 0, 21, 7) + LONGS[16:]},
    {"longs": struct.pack("=qii", 0, 21, -1) + LONGS[16:]},
    {"text": b""},
]


@pytest.mark.parametrize("changes", BAD)
def test_parts_that_do_not_fit_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="pickled references: expected"):
        restore(**{**parts(BLEU()), **changes})


@pytest.mark.parametrize("metric", [BLEU(), CHRF(), CHRF(word_order=2)], ids=str)
def test_any_change_is_refused_or_harmless(metric: Any) -> None:
    own = parts(metric)
    rng = random.Random(7)
    outcomes = set()
    for _ in range(2000):
        name = rng.choice(PARTS[3:])
        data = bytearray(own[name])
        if data and rng.random() < 0.8:
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        else:
            data = data[: rng.randrange(len(data) + 1)] + bytes(rng.randrange(9))
        references = metric.prepare([TEXTS, TEXTS[::-1]])
        try:
            references._prepared = restore(**{**own, name: bytes(data)})
            metric.corpus_score(TEXTS, references)
            metric.nbest_stats([[text, LONG] for text in TEXTS], references)
            outcomes.add("restored")
        except ValueError as error:
            assert str(error).startswith("pickled references: ")
            outcomes.add("refused")
    assert outcomes == {"restored", "refused"}


def test_references_of_another_metric_are_refused() -> None:
    """Their tokens are in other sequences, whatever the rest of a pickle says of them."""
    for metric, other in ((CHRF(word_order=2), CHRF()), (CHRF(), CHRF(word_order=2)),
                          (CHRF(word_order=2), BLEU()), (BLEU(), CHRF(word_order=2))):  # fmt: skip
        references = metric.prepare([TEXTS])
        references._prepared = other.prepare([TEXTS])._prepared
        if (other, metric) == (BLEU(), CHRF()):
            continue
        with pytest.raises(ValueError, match=r"references: expected [12] for each text"):
            metric.corpus_score(TEXTS, references)
        with pytest.raises(ValueError, match=r"references: expected [12] for each text"):
            metric.nbest_stats([[text] for text in TEXTS], references)
