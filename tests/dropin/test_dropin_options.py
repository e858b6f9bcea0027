"""Options changed after creating a metric have sacrebleu's effects in the stand-in."""

import copy
import pickle
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from decimal import Decimal
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from rapidbleu.switch import patch
from support.dropin import METRICS, ours, peer, plain

HYPS = ["The cat, sat .", "a b c d e", "", "Café “天気” 3.5%", "it 's (true)"]
REFS = [
    ["the cat sat.", "a b c d f", "x", "cafe 天 気", "It's true"],
    ["The cat; sat", "e d c b a", "", "Café 天気 3.5 %", None],
]
FLAGS = [True, False, None, "no", np.True_, np.array([1, 2])]
NUMBERS = [0, 1, 3, -1, True, 2.5, None, "2", np.int64(2), Decimal(2)]

# Attributes of objects or their tokenizers, and values to set; each is also deleted.
OPTIONS: dict[str, dict[str, list[Any]]] = {
    "BLEU": {
        "lowercase": FLAGS,
        "effective_order": FLAGS,
        "max_ngram_order": NUMBERS,
        "smooth_value": NUMBERS,
        "smooth_method": ["floor", "add-k", "none", "nltk1", None, ["exp"]],
        "tokenizer": ["none", "char", "13a", "intl", "zh", None, str.upper],
        "tokenizer_signature": ["x", None],
        "trg_lang": ["zh"],
        "tokenize": ["char"],
    },
    "CHRF": {
        "char_order": NUMBERS,
        "word_order": NUMBERS,
        "order": NUMBERS,
        "beta": NUMBERS,
        "lowercase": FLAGS,
        "whitespace": FLAGS,
        "eps_smoothing": FLAGS,
        "_PUNCTS": [set(), {"t"}],
        "tokenizer": ["char"],
    },
    "TER": {
        "normalized": FLAGS,
        "no_punct": FLAGS,
        "asian_support": FLAGS,
        "case_sensitive": FLAGS,
        "tokenizer._normalized": FLAGS,
        "tokenizer._no_punct": FLAGS,
        "tokenizer._asian_support": FLAGS,
        "tokenizer._case_sensitive": FLAGS,
        "tokenizer": ["none", "13a", "ter", None, str.upper],
        "tokenizer_signature": ["x"],
    },
}
ALL: dict[str, list[Any]] = {
    "_force": FLAGS,
    "num_refs": [5, -1, "x"],
    "n_bootstrap": [5, None],
    "seed": ["s", 3, None],
    "_ref_cache": ["none", "empty", "full", "other"],
    "references": [REFS],
}
CASES = [(name, attribute) for name in METRICS for attribute in {**OPTIONS[name], **ALL}]
TOKENIZERS = {
    "none": ("none", "NoneTokenizer"),
    "char": ("char", "TokenizerChar"),
    "13a": ("13a", "Tokenizer13a"),
    "intl": ("intl", "TokenizerV14International"),
    "zh": ("zh", "TokenizerZh"),
    "ter": ("ter", "TercomTokenizer"),
}


class DELETED:
    """Marks deletion of the attribute."""


# Initial metrics: options, previous operations, and copies.
CONFIGURATIONS: dict[str, list[dict[str, Any]]] = {
    "BLEU": [{}, {"smooth_method": "add-k", "effective_order": True}],
    "CHRF": [{}, {"word_order": 2, "eps_smoothing": True}],
    "TER": [{}, {"normalized": True, "no_punct": True, "asian_support": True}],
}
Step = Callable[[Any], Any]
BEFORE: dict[str, Step] = {
    "new": lambda metric: metric,
    "scored": lambda metric: (metric.corpus_score(HYPS, REFS, n_bootstrap=3), metric)[1],
    "copied": lambda metric: copy.copy(BEFORE["scored"](metric)),
    "deeply copied": lambda metric: copy.deepcopy(BEFORE["scored"](metric)),
    "pickled": lambda metric: pickle.loads(pickle.dumps(BEFORE["scored"](metric))),
}


def value_of(package: ModuleType, name: str, attribute: str, value: Any, metric: Any) -> Any:
    if attribute == "tokenizer" and value in TOKENIZERS:
        module, cls = TOKENIZERS[value]
        home = import_module(f"{package.__name__}.tokenizers.tokenizer_{module}")
        return getattr(home, cls)()
    if attribute == "_ref_cache":
        empty: dict[str, Any] = {"none": None, "empty": []}
        if value in empty:
            return empty[value]
        other = getattr(package, name)() if value == "other" else metric
        return other._cache_references(REFS)
    return value


def change(package: ModuleType, name: str, metric: Any, attribute: str, value: Any) -> None:
    owner, _, last = attribute.rpartition(".")
    target = metric.tokenizer if owner else metric
    if owner and package is peer:
        type(target).__call__.cache_clear()  # difference 5: old texts would have their old tokens
    if value is DELETED:
        delattr(target, last)
    else:
        setattr(target, last, value_of(package, name, attribute, value, metric))


def found(call: Callable[[], Any]) -> Any:
    """Return a result, with number types unless options are NumPy numbers; or an error."""
    try:
        return plain(call())
    except Exception as error:
        return error


def answers(metric: Any) -> Iterator[Any]:
    one = [stream[0] for stream in REFS]
    calls: list[Callable[[], Any]] = [
        lambda: None,
        lambda: metric.corpus_score(HYPS, None),
        lambda: metric.sentence_score(HYPS[0], one),
        lambda: metric.corpus_score(HYPS, REFS),
        lambda: metric._extract_corpus_statistics(HYPS, REFS),
        lambda: metric.corpus_score(HYPS[:2], [stream[:2] for stream in REFS], n_bootstrap=2).score,
        lambda: str(metric.corpus_score(HYPS, REFS)),
    ]
    for call in calls:
        yield found(call)
        yield found(lambda: str(metric.get_signature()))
        yield found(lambda: metric.get_signature().format(short=True))
        yield sorted(vars(metric).keys() - {"_compiled"})
        yield [getattr(metric, key, None) for key in ("num_refs", "n_bootstrap", "seed")]


def agree(theirs: list[Any], own: list[Any], where: Any) -> None:
    assert len(theirs) == len(own)
    for i, (expected, got) in enumerate(zip(theirs, own, strict=True)):
        if isinstance(expected, Exception):
            assert isinstance(got, type(expected)), (where, i, expected, got)
        else:
            assert repr(got) == repr(expected), (where, i)


def ask(package: ModuleType, name: str, make: Any, steps: Any, patched: bool = False) -> list[Any]:
    """Return a new metric's results after some steps, each of which may return another metric."""
    with patch("sacrebleu") if patched else nullcontext():
        metric = make(getattr(package, name))
        for step in steps(package):
            try:
                metric = step(metric) or metric
            except AttributeError:  # the attribute does not exist
                metric.failed = True
        return list(answers(metric))


def compare(name: str, make: Any, steps: Any, where: Any) -> None:
    theirs = ask(peer, name, make, steps)
    agree(theirs, ask(ours, name, make, steps), ("stand-in", where))
    agree(theirs, ask(peer, name, make, steps, patched=True), ("patched", where))


def changing(name: str, attribute: str, value: Any) -> Any:
    """Return, for a package, the step that changes an attribute."""
    return lambda package: lambda metric: change(package, name, metric, attribute, value)


@pytest.mark.parametrize(("name", "attribute"), CASES)
def test_changed_after_construction(name: str, attribute: str) -> None:
    for options in CONFIGURATIONS[name]:
        for value in [*{**OPTIONS[name], **ALL}[attribute], DELETED]:
            step = changing(name, attribute, value)
            for cached, before in ((False, "new"), (True, "scored")):
                compare(
                    name,
                    lambda cls, o=options, c=cached: cls(**o, references=REFS if c else None),
                    lambda package, b=before, step=step: [BEFORE[b], step(package)],
                    (options, cached, before, value),
                )


CHANGES = [
    ("BLEU", "lowercase", True),
    ("BLEU", "max_ngram_order", 2),
    ("BLEU", "smooth_method", "floor"),
    ("BLEU", "tokenizer", "char"),
    ("CHRF", "word_order", 2),
    ("CHRF", "beta", 3),
    ("CHRF", "whitespace", True),
    ("TER", "case_sensitive", True),
    ("TER", "tokenizer._case_sensitive", True),
    ("TER", "num_refs", 5),
    ("CHRF", "seed", "s"),
    ("BLEU", "n_bootstrap", DELETED),
    ("CHRF", "order", DELETED),
]


@pytest.mark.parametrize(("name", "attribute", "value"), CHANGES, ids=str)
@pytest.mark.parametrize("kind", ["copied", "deeply copied", "pickled"])
def test_copies(name: str, attribute: str, value: Any, kind: str) -> None:
    step = changing(name, attribute, value)
    for refs in (None, REFS):
        make = lambda cls, r=refs: cls(references=r)  # noqa: E731
        compare(name, make, lambda package: [BEFORE[kind], step(package)], (kind, "changed"))
        compare(name, make, lambda package: [step(package), BEFORE[kind]], ("changed", kind))


def test_a_copy_is_a_metric_of_its_own() -> None:
    for package in (peer, ours):
        metric = package.CHRF()
        twin = copy.copy(metric)
        twin.word_order = 2
        assert metric == metric and metric != twin and metric.word_order == 0
        assert str(metric.corpus_score(HYPS, REFS)).startswith("chrF2 = ")


def test_the_label_of_chrf_lies() -> None:
    """As in sacrebleu, the label changes but the n-gram order remains the constructor's."""
    for package in (peer, ours):
        metric = package.CHRF()
        metric.word_order = 2
        score, chrf2 = (each.corpus_score(HYPS, REFS) for each in (metric, package.CHRF()))
        assert score.name == "chrF2++" and score.score == chrf2.score
        assert "|nw:2|" in str(metric.get_signature())


SUBCLASSED = {
    "BLEU": {"lowercase": True, "max_ngram_order": 2, "seed": "s", "num_refs": 7},
    "CHRF": {"word_order": 2, "beta": 3, "n_bootstrap": 4, "order": 8},
    "TER": {"case_sensitive": True, "normalized": True, "_force": False},
}


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("order", ["before", "after", "both"])
def test_subclasses_that_set_options(name: str, order: str) -> None:
    def make(cls: Any) -> Any:
        class Own(cls):  # type: ignore[misc]
            def __init__(self, **options: Any) -> None:
                if order != "after":
                    vars_of(self)
                super().__init__(**options)
                if order != "before":
                    vars_of(self)

        def vars_of(metric: Any) -> None:
            for key, value in SUBCLASSED[name].items():
                setattr(metric, key, value)

        return Own(references=REFS)

    compare(name, make, lambda package: [], order)
    compare(name, make, lambda package: [BEFORE["copied"]], order)
