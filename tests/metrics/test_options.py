"""Options of metrics: checked, fixed, never without an effect; display of metrics and results."""

import contextlib
import copy
import inspect
import itertools
import logging
import math
import pickle
import random
import re
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import rapidbleu
import rapidbleu.sacrebleu as stand_in
from rapidbleu import (
    BLEU,
    CHRF,
    HTER,
    METEOR,
    NIST,
    TER,
    SegmentScores,
    WeightedSum,
    metrics,
)
from rapidbleu.metrics.metric import Metric
from support.peers import need

METRICS: list[Any] = [
    kind
    for name in metrics.__all__
    if isinstance(kind := getattr(metrics, name), type) and issubclass(kind, Metric)
]
WEIGHTS = {"the": 2.0, "a": 0.5, "cat": 1.0}
REFS = [["the cat sat on the mat", "It rained all day."]]


def stem(word: str) -> str:
    return word.rstrip("s")


def pieces(text: str) -> list[str]:
    return text.replace("o", "o ").split()


def make_texts() -> Any:
    """Return a corpus on which every option has an effect: case, marks, entities, zeros, runs."""
    generator = random.Random(3)
    text = "the a cat cats dog walk walking 0 1 0.5 5-3 don't well-known x&amp;y &quot;so&quot; ."
    words = [
        *text.split(),
        "(",
        ")",
        "\u3002",
        "\u4e2d\u6587",
        "\u3001",
        "\u00fcber",
        "houses",
        "fish!",
    ]
    hyps, refs = [], [[], [], []]
    for i in range(80):
        n = generator.choice([1, 2, 3, 5, 9, 14])
        text = [generator.choice(words) for _ in range(n)]
        shown = [word.title() if generator.random() < 0.2 else word for word in text]
        shown = [f"{w}s" if w.isalpha() and generator.random() < 0.2 else w for w in shown]
        shown = [f"{w}ing" if w.isalpha() and generator.random() < 0.1 else w for w in shown]
        hyps.append(" " * (i % 3 == 0) + " ".join(shown) + " " * (i % 4 == 0))
        for stream in refs:
            other = [w if generator.random() < 0.7 else generator.choice(words) for w in text]
            if generator.random() < 0.4:
                other += generator.choices(words, k=3)
            if generator.random() < 0.5:
                k = generator.randrange(len(other))
                other = other[k:] + other[:k]
            glue = " \n" if i % 5 == 0 else " "
            stream.append(glue.join(other))
    return hyps, refs


TEXTS = make_texts()


# Some values of each option beyond its default, looked up first by metric and option, because
# options of different metrics may share a name.
VALUES: dict[str, list[Any]] = {
    "lowercase": [True, False],
    "force": [True],
    "tokenize": ["intl", "char", pieces],
    "data": [],
    "smooth_method": ["floor", "add-k", "none", "nltk1", "nltk3", "nltk4", "nltk5", "nltk6"],
    "smooth_value": [0.3, 2],
    "max_ngram_order": [1, 2],
    "effective_order": [True],
    "trg_lang": ["zh"],
    "ref_len": ["shortest", "longest", "average"],
    "BLEU.weights": [(0.1, 0.2, 0.3, 0.4), (1.0,), (0.25, 0.75)],
    "average": ["arithmetic"],
    "char_order": [0, 2],
    "word_order": [2],
    "CHRF.beta": [1, 3.0],
    "beta": [3.0],
    "whitespace": [True, False],
    "eps_smoothing": [True],
    "normalized": [True],
    "no_punct": [True],
    "asian_support": [True],
    "case_sensitive": [True],
    "targeted": [2],
    "strip": [False],
    "EED.language": ["ja"],
    "alpha": [0.7],
    "rho": [0.6],
    "deletion": [0.5],
    "insertion": [0.4],
    "min_ngram_order": [2],
    "smooth": [True],
    "perl_zero": [True],
    "information": [TEXTS[1][:2]],
    "sigma": [1.0],
    "WeightedBLEU.weights": [{"the": 1.0, "dog": 3.0}],
    "WeightedMatch.weights": [{"the": 1.0, "dog": 3.0}],
    "default": [0.7],
    "variant": ["2007"],
    "ROUGE.variant": ["1", "2", "Lsum", "W", "S", "SU4"],
    "stem": [True],
    "measure": ["precision", "recall"],
    "ROUGE.aggregate": ["pooled"],
    "PER.aggregate": ["corpus"],
    "weight": [1.5],
    "perl_compat": [True],
    "exponent": [2.0],
    "decay": [0.9],
    "METEOR.tokenize": ["intl", pieces],
    "METEOR.stem": [stem],
    "METEOR.language": ["de", "other"],
    "modules": [("exact",)],
    "function_words": [("the", "a")],
    "parameters": [(0.7, 0.5, 0.4, 0.3)],
    "METEOR.weights": [(1.0, 0.3), (0.8,)],
    "order_weights": [(1.0, 2.0, 0.5, 0.0)],
}

# Options without an effect on some or all scores of text, and why they are accepted.
ACCEPTED = {
    ("BLEU", "force"): "silences a warning",
    ("BLEU", "trg_lang"): "chooses the default tokenizer",
    ("BLEU", "effective_order"): "scores of segments are right with it, whatever the smoothing",
    ("BLEU", "smooth_method"): "orders from 1 on are compared, and order 1 needs no smoothing",
    ("BLEU", "weights"): "a single order has one weight",
    ("METEOR", "language"): "chooses defaults, and is a part of the signature",
    ("METEOR", "lowercase"): "acts on lists of tokens",
    ("ROUGE", "variant"): "lists of tokens have lines, which most tokenizers drop",
    ("ROUGE", "perl_compat"): "lists of tokens have lines, which most tokenizers drop",
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "kind" in metafunc.fixturenames:
        metafunc.parametrize("kind", METRICS, ids=lambda kind: kind.__name__)


def made(kind: Any, **options: Any) -> Any:
    if kind is METEOR and not options.get("stem"):
        need("Stemmer")
    elif options.get("stem") is True:
        need("nltk")
    if "weights" in kind.OPTIONS and kind.__name__.startswith("Weighted"):
        options = {"weights": WEIGHTS} | options
    return kind(**options)


def values_of(kind: Any, name: str) -> list[Any]:
    return VALUES.get(f"{kind.__name__}.{name}") or VALUES[name]


def own_options(kind: Any) -> list[str]:
    """Return the options for text: pad and end, for ids, are tested in `test_ids.py`."""
    return [name for name in kind.OPTIONS if name not in ("references", "pad", "end")]


def test_options_cannot_change(kind: Any) -> None:
    metric = made(kind)
    for name in [*kind.OPTIONS, "tokenizer"]:
        before = getattr(metric, name)
        with pytest.raises(AttributeError, match=rf"{name}: the options of a metric are fixed"):
            setattr(metric, name, True)
        with pytest.raises(AttributeError, match=rf"{name}: the options of a metric are fixed"):
            delattr(metric, name)
        assert getattr(metric, name) is before
    with pytest.raises(AttributeError, match=rf"make a new one, such as {kind.__name__}\(low"):
        metric.lowercase = True


def test_references_that_are_arguments_of_calls_have_another_remedy() -> None:
    with pytest.raises(AttributeError, match=r"fixed; it is an argument of calls, such as corpus_"):
        rapidbleu.WER().references = [["a"]]
    with pytest.raises(AttributeError, match=r"make a new one, such as BLEU\(references="):
        made(BLEU).references = [["a"]]


@pytest.mark.parametrize(
    ("metric", "name"),
    [
        (SegmentScores("x"), "name"),
        (WeightedSum([BLEU()]), "weights"),
        (WeightedSum([BLEU()]), "metrics"),
    ],
)
def test_sums_and_means_cannot_change(metric: Any, name: str) -> None:
    with pytest.raises(AttributeError, match=f"{name}: the options of a metric are fixed"):
        setattr(metric, name, 3)


def test_copies_keep_their_options(kind: Any) -> None:
    name = own_options(kind)[-1]
    for options in ({}, {"lowercase": True} if "lowercase" in kind.OPTIONS else {}):
        metric = made(kind, **options)
        shown = repr(metric)
        score = metric.corpus_score(*TEXTS)
        for twin in (copy.copy(metric), copy.deepcopy(metric), pickle.loads(pickle.dumps(metric))):
            assert repr(twin) == shown and type(twin) is kind
            assert twin.corpus_score(*TEXTS) == score
            assert str(twin.get_signature()) == str(metric.get_signature())
            with pytest.raises(AttributeError, match="fixed"):
                setattr(twin, name, 1)


def crafted(metric: Any, **options: Any) -> bytes:
    """Return the pickle of a metric in which options have other values."""
    twin = copy.copy(metric)
    vars(twin).update(options)
    return pickle.dumps(twin)


def test_pickles_are_checked_before_memory_is_allocated(kind: Any) -> None:
    metric = made(kind)
    started = time.monotonic()
    for name in own_options(kind):
        default = getattr(metric, name)
        wrong: list[Any] = []
        if isinstance(default, bool):
            wrong = ["no"]
        elif isinstance(default, int):
            wrong = [10**200, -1]
            with contextlib.suppress(ValueError):  # no memory for n-grams up to this order
                pickle.loads(crafted(metric, **{name: 10**9}))
        elif isinstance(default, float):
            wrong = [math.nan, -1.0]
        for value in wrong:
            with pytest.raises((TypeError, ValueError), match=rf"^{name}: expected "):
                pickle.loads(crafted(metric, **{name: value}))
    assert time.monotonic() - started < 1


@pytest.mark.parametrize(
    ("metric_class", "options", "message"),
    [
        (BLEU, {"weights": (0.5, 0.5)}, "weights: expected 4, one an order; got 2"),
        (BLEU, {"smooth_value": -1}, "smooth_value: expected 0 to "),
        (CHRF, {"char_order": 10**9}, "char_order: expected at most "),
        (METEOR, {"weights": (1.0,) * 9}, "weights: expected 2, one for each module; got 9"),
        (METEOR, {"parameters": (math.inf,) * 4}, "alpha: expected 0 to 1; got inf"),
    ],
)
def test_pickles_of_options_that_do_not_fit(
    metric_class: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        pickle.loads(crafted(made(metric_class), **options))


def test_subclasses() -> None:
    class Before(CHRF):
        def __init__(self) -> None:
            self.word_order = 2  # type: ignore[misc]
            super().__init__()

    class After(CHRF):
        def __init__(self) -> None:
            super().__init__()
            self.word_order = 2  # type: ignore[misc]

    class Passed(CHRF):
        def __init__(self, own: str) -> None:
            self.own = own
            super().__init__(word_order=2)
            self.own += "!"

    for wrong in (Before, After):
        with pytest.raises(AttributeError, match="word_order: the options of a metric are fixed"):
            wrong()
    metric = Passed("a")
    assert metric.own == "a!"
    assert metric.corpus_score(*TEXTS) == CHRF(word_order=2).corpus_score(*TEXTS)
    assert pickle.loads(pickle.dumps(Passed)) is Passed if "<locals>" not in str(Passed) else True
    with pytest.raises(TypeError, match=r"Wrong.beta: beta is an option; pass it to super\(\)"):

        class Wrong(CHRF):
            beta = 3


def test_resamples_show_in_the_signature_of_their_own_score_only() -> None:
    text, refs = "the cat sat", ["the cat sat down"]
    calls: list[Any] = [
        lambda metric: metric.corpus_score([text], [refs]),
        lambda metric: metric.sentence_score(text, refs),
        lambda metric: metric.segment_scores([text], [refs]),
        lambda metric: metric.nbest_scores([[text, "the cat"]], [refs]),
        lambda metric: metric.pairwise([text]),
        lambda metric: metric.corpus_score(iter([text]), [refs]),
    ]
    for call in calls:
        metric = BLEU(effective_order=True)
        metric.corpus_score([text] * 3, [refs * 3], n_bootstrap=10)
        assert "bs:10|seed:12345" in str(metric.get_signature())
        for twin in (copy.deepcopy(metric), pickle.loads(pickle.dumps(metric)), metric):
            call(twin)
            assert "bs:" not in str(twin.get_signature())
            assert twin.n_bootstrap is twin.seed is None


@pytest.mark.parametrize("value", ["no", "", "False", 2, -1, 1.0, b"x", [], np.array([True])])
def test_flags_are_true_or_false(kind: Any, value: Any) -> None:
    for name in flags_of(kind):
        with pytest.raises(TypeError, match=rf"^{name}: expected True or False; got "):
            made(kind, **{name: value})


def test_flags_are_stored_as_bool(kind: Any) -> None:
    for name in flags_of(kind):
        default = kind.OPTIONS[name].default
        for value in (default, int(default), np.bool_(default), np.int64(default)):
            assert getattr(made(kind, **{name: value}), name) is default


def test_none_is_a_flag_of_sacrebleu_only(kind: Any) -> None:
    for name in flags_of(kind):
        if kind in (BLEU, CHRF, TER):
            assert getattr(kind(**{name: None}), name) is False
        else:
            with pytest.raises(TypeError, match=f"{name}: expected True or False; got 'NoneType'"):
                made(kind, **{name: None})


def flags_of(kind: Any) -> list[str]:
    names = [name for name, own in kind.OPTIONS.items() if isinstance(own.default, bool)]
    assert names
    return names


@pytest.mark.parametrize("name", ["layout", "threads", "references"])
def test_calls_take_threads_layout_and_references(kind: Any, name: str) -> None:
    """BLEU, CHRF and TER accept references in their constructors, as in sacrebleu."""
    if name == "references" and kind in (BLEU, CHRF, TER):
        return
    with pytest.raises(TypeError, match=rf"{kind.__name__}: {name} is an argument of calls, such"):
        made(kind, **{name: 2})
    assert name not in inspect.signature(kind).parameters


def test_wrong_arguments(kind: Any) -> None:
    with pytest.raises(TypeError, match=rf"{kind.__name__}: expected one of .*; got 'lowercsae'"):
        made(kind, lowercsae=True)
    with pytest.raises(TypeError, match=r"expected at most \d+ positional arguments; got 20"):
        kind(*range(20))
    with pytest.raises(TypeError, match="was given twice"):
        kind(True if kind.OPTIONS else None, **{next(iter(kind.OPTIONS)): True})


def test_signatures_are_the_declarations(kind: Any) -> None:
    parameters = inspect.signature(kind).parameters
    assert list(parameters) == list(kind.OPTIONS)
    for name, parameter in parameters.items():
        own = kind.OPTIONS[name]
        assert (parameter.kind is parameter.KEYWORD_ONLY) == own.kw_only
        if parameter.default is not parameter.empty:
            assert parameter.default == own.default


def test_references_of_the_constructor() -> None:
    by_metric = [kind(references=REFS) for kind in (BLEU, CHRF, TER)]
    for metric in by_metric:
        assert isinstance(metric.references, rapidbleu.References)
        assert metric.corpus_score(REFS[0]) == type(metric)().corpus_score(REFS[0], REFS)
    again = BLEU(references=BLEU().prepare(REFS))
    assert again.corpus_score(REFS[0]).score > 99.9
    with pytest.raises(ValueError, match="references: expected references prepared"):
        BLEU(references=CHRF().prepare(REFS))


def numbers(metric: Any) -> "list[float]":
    scores = metric.segment_scores(*TEXTS).tolist()
    return [*scores, metric.corpus_score(*TEXTS).score]


def differ(one: list[float], other: list[float]) -> bool:
    pairs = zip(one, other, strict=True)
    return any(not math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9) for a, b in pairs)


def settings_of(kind: Any) -> "Iterator[dict[str, Any]]":
    """Every option, and every pair of options."""
    names = own_options(kind)
    for name in names:
        for value in values_of(kind, name):
            yield {name: value}
    for one, other in itertools.combinations(names, 2):
        for a, b in itertools.product(values_of(kind, one), values_of(kind, other)):
            yield {one: a, other: b}


def test_every_pair_of_options_has_an_effect_or_is_refused(
    kind: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "rapidbleu")
    known: dict[str, list[float]] = {}

    def scored(options: dict[str, Any]) -> "list[float] | None":
        """Return scores; None if the options are refused or cause a warning."""
        caplog.clear()
        try:
            metric = made(kind, **options)
        except ValueError:
            return None
        if "has no effect" in caplog.text:
            return None
        key = repr(metric)
        if key not in known:
            known[key] = numbers(metric)
        return known[key]

    silent = []
    for options in settings_of(kind):
        found = scored(options)
        for name in options if found is not None else ():
            without = {key: value for key, value in options.items() if key != name}
            before = scored(without)
            if before is None or options[name] == getattr(made(kind, **without), name):
                continue
            if not differ(found, before) and (kind.__name__, name) not in ACCEPTED:
                silent.append((name, options))
    assert not silent


def test_options_are_code(kind: Any) -> None:
    names = {name: getattr(rapidbleu, name) for name in rapidbleu.__all__}
    for options in settings_of(kind):
        if "information" in options:
            continue
        try:
            metric = made(kind, **options)
        except ValueError:
            continue
        again = eval(repr(metric), {**names, "stem": stem, "pieces": pieces})
        assert repr(again) == repr(metric)
        assert again._changed_options() == metric._changed_options()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: rapidbleu.ROUGE("1", weight=9), "weight: expected variant='W' with it"),
        (lambda: rapidbleu.ROUGE("1", measure="precision", beta=3), "beta: expected measure='f'"),
        (lambda: rapidbleu.ROUGE("2", perl_compat=True), "perl_compat: expected variant L, W or"),
        (lambda: rapidbleu.CER(whitespace=False, strip=False), "strip: expected whitespace=True"),
        (lambda: HTER(asian_support=True), "asian_support: expected normalized or no_punct"),
        (lambda: NIST(max_ngram_order=1, perl_zero=True), "perl_zero: expected max_ngram_order"),
        (lambda: METEOR(modules=["exact"], stem=stem), "stem: expected the module stem"),
        (lambda: METEOR(variant="2007", function_words=["a"]), "function_words: expected a delta"),
    ],
)
def test_options_without_effect_are_refused(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=rf"^{message}.*, without which it has no effect; got "):
        make()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: BLEU(max_ngram_order=1, average="arithmetic"), "`average` has no effect without"),
        (lambda: BLEU(smooth_value=0.5), "`smooth_value` has no effect without a `smoo"),
        (lambda: TER(asian_support=True), "`asian_support` has no effect without `normalized` or"),
        (lambda: CHRF(0, 2, whitespace=True), "`whitespace` has no effect without a `char_"),
    ],
)
def test_sacrebleus_options_without_effect_warn(
    make: Any, message: str, caplog: pytest.LogCaptureFixture
) -> None:
    make()
    assert caplog.text.count(message) == 1


HYPS, STREAMS = ["the cat sat", "it rained today"], [["the cat sat down", "it rained"]]


@pytest.mark.parametrize(
    "text",
    [
        "BLEU()",
        "BLEU(lowercase=True)",
        "BLEU(force=True, tokenize='intl', smooth_method='add-k', smooth_value=2)",
        "BLEU(max_ngram_order=2, effective_order=True, ref_len='average', weights=(0.25, 0.75))",
        "BLEU(tokenize='13a', trg_lang='zh')",
        "BLEU(tokenize=str.split)",
        "CHRF(char_order=4, word_order=2, beta=2.0, whitespace=True, eps_smoothing=True)",
        "WordF(beta=float('inf'))",
        "WeightedBLEU(weights={'the': 0.25}, max_ngram_order=2)",
        "TER(normalized=True, no_punct=True, asian_support=True, case_sensitive=True)",
        "SegmentScores('COMET')",
        "WeightedSum([BLEU(lowercase=True), SegmentScores('mean')], [0.5, 2.0])",
    ],
)
def test_metrics_tell_their_options(text: str) -> None:
    metric: Any = eval(text, {name: getattr(rapidbleu, name) for name in rapidbleu.__all__})
    assert repr(metric) == text
    assert repr(pickle.loads(pickle.dumps(metric))) == text


def test_references_are_not_options() -> None:
    """Plain references do not change the metric; references that weigh n-grams do."""
    assert repr(BLEU(references=STREAMS)) == "BLEU()"
    references = "<References of 2 segments, 1 each, 6 tokens, tok:13a|case:mixed>"
    assert repr(rapidbleu.NIST(information=STREAMS)) == f"NIST(information={references})"


def test_scoring_does_not_show() -> None:
    bleu = BLEU(effective_order=True)
    bleu.corpus_score(HYPS, STREAMS, n_bootstrap=10)
    bleu.sentence_score(HYPS[0], STREAMS[0])
    assert repr(bleu) == "BLEU(effective_order=True)"


def test_representations_of_subclasses() -> None:
    class Mine(BLEU):
        pass

    class Other(TER):
        def __init__(self, case: bool = False, scale: float = 1.0) -> None:
            super().__init__(case_sensitive=case)
            self.scale = scale

    assert repr(Mine(lowercase=True)) == "Mine(lowercase=True)"
    assert repr(Other(True, 2.0)) == "<Other(case_sensitive=True)>"


@pytest.mark.parametrize("name", ["BLEU", "CHRF", "TER"])
def test_the_stand_in_shows_what_sacrebleu_does(name: str) -> None:
    sacrebleu = pytest.importorskip("sacrebleu")
    theirs, own = (getattr(package, name)() for package in (sacrebleu, stand_in))
    address = r" at 0x\w+"
    shown = re.sub(address, "", repr(own)).removeprefix("<rapidbleu.")
    assert shown == re.sub(address, "", repr(theirs)).removeprefix("<")
    for metric in (theirs, own):
        assert repr(metric.corpus_score(HYPS, STREAMS)) == str(metric.corpus_score(HYPS, STREAMS))
    assert repr(own.corpus_score(HYPS, STREAMS)) == repr(theirs.corpus_score(HYPS, STREAMS))
