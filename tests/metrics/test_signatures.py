"""Signatures and options identify scores, over all metrics and random options."""

import math
import random
import shlex
from collections.abc import Callable
from typing import Any

import pytest

from rapidbleu import BLEU, CHRF, METEOR, NIST, TER, SegmentScores, WeightedSum, metrics
from rapidbleu._lib.floats import shortest
from rapidbleu.metrics.metric import Metric
from rapidbleu.rows.kinds import Kind
from support.corpora import random_corpus

KINDS: list[Any] = [
    kind
    for name in metrics.__all__
    if isinstance(kind := getattr(metrics, name), type) and issubclass(kind, Metric)
]
SACREBLEUS = BLEU, CHRF, TER  # whose signatures are sacrebleu's
N_DRAWS = 60
LONGEST = 60  # characters of a text


def corpus(name: str) -> tuple[list[str], list[list[str]]]:
    hyps, refs = random_corpus(random.Random(name), 50, kind="mixed", n_refs=2)
    short = [[text[:LONGEST] for text in texts] for texts in (hyps, *refs)]
    return short[0], short[1:]


TEXTS = corpus("signatures")
INFORMATION = corpus("information")[1]


def first_letters(word: str) -> str:
    return word[:2]


def split(text: str) -> list[str]:
    """Have the name of two other tokenizers."""
    return list(text)


# Values of the options that are neither flags nor numbers
VALUES: dict[str, list[Any]] = {
    "tokenize": ["intl", "char", "none", str.split, split],
    "smooth_method": ["floor", "add-k", "none", "nltk1", "nltk6"],
    "smooth_value": [0.1, 0.101, 1, 2],
    "trg_lang": ["zh"],
    "ref_len": ["shortest", "longest", "average"],
    "average": ["arithmetic"],
    "BLEU.weights": [(0.25,) * 4, (0.25 + 1e-9, 0.25 - 1e-9, 0.25, 0.25), (0.5, 0.5)],
    "language": ["en", "ja", "de", "other"],
    "aggregate": ["pooled", "corpus", "segments", "best"],
    "information": [INFORMATION, INFORMATION[:1], INFORMATION[1:]],
    "weights": [{"the": 1.0}, {"the": 1.0 + 1e-9}, {1: 1.0}, {"1": 1.0}, {"a": 2.0, "the": 1.0}],
    "variant": ["2007", "2005", "1", "2", "L", "Lsum", "W", "S4", "SU4"],
    "measure": ["precision", "recall"],
    "modules": [("exact",), ("exact", "stem")],
    "stem": [first_letters, True],
    "function_words": [("the", "a"), ("the",)],
    "parameters": [(0.7, 0.5, 0.4, 0.3), (0.7000001, 0.5, 0.4, 0.3)],
    "METEOR.weights": [(1.0, 0.3), (1.0, 0.3000001), (0.8,), (0.8000001,)],
    "order_weights": [
        (1.0, 2.0),
        (1.0, 2.0000001),
        (1.0, 2.0, 3.0, 4.0),
        (1.0, 2.0, 3.0, 4.0000001),
    ],
    "data": [None],
}


def values_of(kind: Any, name: str) -> list[Any]:
    default = kind.OPTIONS[name].default
    known = VALUES.get(f"{kind.__name__}.{name}") or VALUES.get(name)
    if isinstance(default, bool):
        return [True, False]
    if isinstance(default, int | float) and known is None:
        close = [default * (1 + 1e-7), math.nextafter(default, math.inf)]
        return [default, 1, 2, 3, 0.3, *close]
    assert known, name
    return known


def draw(kind: Any, rng: random.Random) -> Any:
    """Return a metric with random options, or None if they do not go together."""
    options: dict[str, Any] = {"modules": ["exact"]} if kind is METEOR else {}
    for name in kind.OPTIONS:
        if name not in ("references", "pad", "end") and rng.random() < 0.4:
            options[name] = rng.choice(values_of(kind, name))
    if "weights" in kind.OPTIONS and kind.__name__.startswith("Weighted"):
        options.setdefault("weights", {"a": 1.0})
    try:
        return kind(**options)
    except (ImportError, TypeError, ValueError):
        return None


def scores_of(metric: Any) -> Any:
    """Return all numbers of the scores, without their signature."""
    score = metric.corpus_score(*TEXTS)
    values = {name: value for name, value in vars(score).items() if name != "_label"}
    segments = None if metric._reads_all else metric.segment_scores(*TEXTS).tolist()
    return repr(score), values, segments


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_equal_signatures_have_equal_scores(kind: Any) -> None:
    rng = random.Random(f"{kind.__name__} of random options")
    drawn = [metric for _ in range(N_DRAWS) if (metric := draw(kind, rng)) is not None]
    assert len(drawn) >= 5
    by_signature: dict[str, Any] = {}
    by_kind: list[tuple[Kind, Any]] = []
    for metric in drawn:
        try:
            scores = scores_of(metric)
        except TypeError:  # weights of ids for texts
            continue
        own = Kind(metric)
        if kind not in SACREBLEUS:
            signature = str(metric.get_signature())
            assert by_signature.setdefault(signature, scores) == scores, metric
        for other, known in by_kind:
            if not other.difference(own):
                assert known == scores, metric
        by_kind.append((own, scores))


CLOSE: list[tuple[Callable[[float], Any], float]] = [
    (lambda x: metrics.EED(alpha=x), 2.0),
    (lambda x: metrics.EED(insertion=x), 1.0),
    (lambda x: metrics.GTM(exponent=x), 1.5),
    (lambda x: metrics.RIBES(beta=x), 0.1),
    (lambda x: metrics.ROUGE("W", weight=x), 1.2),
    (lambda x: metrics.ROUGE("L", beta=x), 2.0),
    (lambda x: metrics.WordF(beta=x), 3.0),
    (lambda x: metrics.SkipNgramF(decay=x), 0.5),
    (lambda x: metrics.SkipNgramF(max_ngram_order=2, order_weights=[x, 1]), 3.0),
    (lambda x: metrics.CIDErD(sigma=x), 6.0),
    (lambda x: metrics.WeightedBLEU({"a": 1.0}, default=x), 0.5),
    (lambda x: metrics.METEOR(modules=["exact"], parameters=[x, 0.5, 0.4, 0.5]), 0.7),
    (lambda x: metrics.METEOR(modules=["exact"], weights=[x]), 0.9),
    (lambda x: BLEU(max_ngram_order=2, weights=[x, 1 - x]), 0.25),
    (lambda x: WeightedSum([BLEU(), TER()], [x, -1]), 0.5),
]


@pytest.mark.parametrize(("make", "number"), CLOSE)
def test_close_numbers_have_other_signatures(make: Callable[[float], Any], number: float) -> None:
    labels = {make(x)._make_label() for x in (number, number * (1 + 1e-7), number + 2**-40)}
    assert len(labels) == 3
    (plain,) = (label for label in labels if label == make(number)._make_label())
    assert f"{number:g}" in plain and f"{number}000" not in plain


def test_numbers_read_back() -> None:
    rng = random.Random("numbers")
    numbers = [rng.uniform(-1, 1) * 10.0 ** rng.randrange(-30, 30) for _ in range(2000)]
    numbers += [rng.randrange(10**6) / 1000 for _ in range(2000)] + [0.0, 1e300, math.inf, 5e-324]
    for number in numbers:
        text = shortest(number)
        assert float(text) == number
        assert len(text) <= len(repr(number)) or text == f"{number:g}"
        assert text == shortest(float(text))


def test_signatures_of_weights() -> None:
    weights = {"The": 1.0, "the": 2.0, "a": 1.0}
    turned = dict(reversed(weights.items()))
    labels = [metrics.WeightedBLEU(own)._make_label() for own in (weights, turned)]
    assert labels[0] == labels[1]
    cased = [metrics.WeightedBLEU(own, 0.1, True, max_ngram_order=1) for own in (weights, turned)]
    scores = [metric.corpus_score(["the a x"], [["the b x"]]) for metric in cased]
    assert scores[0].score != scores[1].score and scores[0].signature != scores[1].signature
    numbers = [metrics.WeightedBLEU({token: 1.0})._make_label() for token in (1, "1")]
    assert numbers[0] != numbers[1]


def test_signatures_of_information() -> None:
    one, same, other = (
        NIST(information=refs) for refs in (INFORMATION, INFORMATION, INFORMATION[:1])
    )
    labels = [metric.corpus_score(*TEXTS).signature for metric in (one, same, other)]
    assert labels[0] == labels[1] != labels[2] and "|info:50-" in labels[2]
    nist = NIST()
    assert "|info:refs|" in nist.corpus_score(*TEXTS).signature
    informed = nist.with_information(INFORMATION)
    assert informed.corpus_score(*TEXTS).signature == labels[0]
    assert "|info:refs|" in nist.corpus_score(*TEXTS).signature


def test_functions_are_signed_by_the_name_that_imports_them() -> None:
    own = f"{__name__}.split"
    names = {str.split: "str.split", shlex.split: "shlex.split", split: own}
    for function, name in names.items():
        metric: Any = BLEU(tokenize=function)
        assert f"|tok:{name}|" in f"|{metric._make_label()}|"
        assert metric.prepare([["a"]]).preparation.startswith(f"tok:{name}|")
    assert "tok:<lambda>" in BLEU(tokenize=lambda text: [text])._make_label()


def test_given_scores_have_no_options() -> None:
    comet = SegmentScores("COMET")
    assert comet.score(comet.stats([0.5])).signature == ""
