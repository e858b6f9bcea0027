"""Calls are handed back while a program has changed what the library's own function reads."""

import builtins
import importlib
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FunctionType, ModuleType, SimpleNamespace
from typing import Any

import jiwer
import pytest
import sacrebleu
from nltk.stem.porter import PorterStemmer
from nltk.translate import bleu_score
from rouge_score import rouge_scorer

from rapidbleu._core.switching.served import Guard
from rapidbleu.switch import codes_of, patch
from rapidbleu.switch.definitions import _MISSING, Definitions, Walk, _Copies
from support.served import CALLS, HYP, REF, counts

BLEU_ROOTS = (
    "_cache_references",
    "_compute_segment_statistics",
    "_extract_corpus_statistics",
    "_extract_reference_info",
    "_get_closest_ref_len",
    "_preprocess_segment",
)
# The functions that calls of the switch replace, and their libraries.
ROOTS: dict[str, tuple[list[str], tuple[str, ...]]] = {
    "nltk.translate.bleu_score": (["sentence_bleu", "corpus_bleu", "SmoothingFunction"], ("nltk",)),
    "nltk.translate.chrf_score": (["sentence_chrf", "corpus_chrf"], ("nltk",)),
    "nltk.translate.gleu_score": (["sentence_gleu", "corpus_gleu"], ("nltk",)),
    "nltk.translate.nist_score": (["sentence_nist", "corpus_nist"], ("nltk",)),
    "nltk.translate.ribes_score": (["sentence_ribes", "corpus_ribes"], ("nltk",)),
    "nltk.translate.meteor_score": (["single_meteor_score", "meteor_score"], ("nltk",)),
    "rouge_score.rouge_scorer": (
        ["RougeScorer.score", "_score_lcs", "tokenizers.DefaultTokenizer"],
        ("rouge_score",),
    ),
    "nltk.stem.porter": (["PorterStemmer"], ("nltk",)),
    "jiwer.measures": (["wer", "mer", "wil", "wip", "cer"], ("jiwer", "rapidfuzz")),
    "sacrebleu.metrics.bleu": ([f"BLEU.{name}" for name in BLEU_ROOTS], ("sacrebleu",)),
    "sacrebleu.metrics.chrf": (["CHRF"], ("sacrebleu",)),
    "sacrebleu.metrics.ter": (["TER"], ("sacrebleu",)),
    "sacrebleu.tokenizers.tokenizer_13a": (["Tokenizer13a"], ("sacrebleu",)),
    "sacrebleu.tokenizers.tokenizer_ter": (["TercomTokenizer"], ("sacrebleu",)),
    "sacrebleu.significance": (
        ["_bootstrap_resample", "_paired_ar_test", "_paired_bs_test"],
        ("sacrebleu",),
    ),
}


def look_up(module: str, path: str) -> Any:
    value: Any = importlib.import_module(module)
    for name in path.split("."):
        value = getattr(value, name)
    return value


def definitions(module: str) -> Definitions:
    paths, libraries = ROOTS[module]
    return Definitions([look_up(module, path) for path in paths], libraries, codes_of)


def names_by_hand(module: str) -> set[tuple[str, str]]:
    """Return the names of its libraries that code reads, to a fixed point, by `co_names` alone."""
    paths, libraries = ROOTS[module]
    todo: list[Any] = [look_up(module, path) for path in paths]
    seen: set[int] = set()
    found: set[tuple[str, str]] = set()

    def is_own(name: object) -> bool:
        return str(name).partition(".")[0] in libraries

    while todo:
        value = todo.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        value = getattr(value, "__wrapped__", getattr(value, "__func__", value))
        if isinstance(value, property):
            todo.append(value.fget)
        if isinstance(value, type) and is_own(value.__module__):
            todo += [*vars(value).values(), *value.__bases__]
        if not isinstance(value, FunctionType) or not is_own(value.__globals__["__name__"]):
            continue
        codes: list[CodeType] = [codes_of(value)[0]]
        for code in codes:
            codes += [const for const in code.co_consts if isinstance(const, CodeType)]
        names = {name for code in codes for name in code.co_names}
        spaces = [value.__globals__]
        for space in spaces:
            for name in names & space.keys():
                inner = space[name]
                found.add((space["__name__"], name))
                if not isinstance(inner, ModuleType):
                    todo.append(inner)
                elif is_own(inner.__name__) and vars(inner) not in spaces:
                    spaces.append(vars(inner))
    return found


@pytest.mark.parametrize("module", ROOTS)
def test_all_names_that_code_reads_are_compared(module: str) -> None:
    walk = definitions(module).walk()
    assert walk.holds
    compared = {(home, name) for home, names in walk.names.items() for name in names}
    missing = names_by_hand(module) - compared
    assert not missing


def test_the_names_of_sentence_bleu() -> None:
    """A walk that finds nothing would also agree with the one by hand."""
    names = definitions("nltk.translate.bleu_score").walk().names
    read = {name for home in names.values() for name, own in home.items() if own is not _MISSING}
    assert read >= {
        "brevity_penalty",
        "closest_ref_length",
        "corpus_bleu",
        "modified_precision",
        "ngrams",
        "Fraction",
        "SmoothingFunction",
        "pad_sequence",
        "Counter",
        "math",
        "sys",
        "warnings",
    }
    assert {"nltk.translate.bleu_score", "nltk.util"} <= names.keys()
    names = definitions("sacrebleu.metrics.bleu").walk().names
    read = {name for home in names.values() for name, own in home.items() if own is not _MISSING}
    assert read >= {"extract_all_word_ngrams", "sacrelogger", "Counter"}


@contextmanager
def changed(owner: Any, name: str, value: Any) -> Iterator[None]:
    of_function = isinstance(owner, FunctionType)
    before = getattr(owner, name) if of_function else vars(owner).get(name, _MISSING)
    setattr(owner, name, value)
    try:
        yield
    finally:
        if before is _MISSING:
            delattr(owner, name)
        else:
            setattr(owner, name, before)


class Changed:
    """A value that no library has."""


def changes(walk: Walk) -> Iterator[tuple[str, Any, str, Any]]:
    """Yield every single change: what, its owner, the attribute and the new value."""
    for home, names in walk.names.items():
        for i, (name, own) in enumerate(names.items()):
            if own is _MISSING and i % 10:
                continue  # one of many attributes that no module has
            if not (name.startswith("__") or hasattr(builtins, name)):
                yield f"{home}.{name}", sys.modules[home], name, Changed()
    for cls, names, _ in walk.classes:
        if cls is object or cls.__module__ in ("abc", "builtins"):
            continue
        for name in names:
            if not name.startswith("__") and not name.startswith("_abc_"):
                yield f"{cls.__qualname__}.{name}", cls, name, None
        yield f"{cls.__qualname__} with a new attribute", cls, "_of_this_test", 1
    for function, code, *_ in walk.functions.values():
        where = f"{function.__module__}.{function.__qualname__}"
        yield f"code of {where}", function, "__code__", code.replace(co_name="other")
        yield f"defaults of {where}", function, "__defaults__", (Changed(),)
        yield f"keyword defaults of {where}", function, "__kwdefaults__", {"x": Changed()}


@pytest.mark.parametrize("module", ROOTS)
def test_every_change_is_seen(module: str) -> None:
    """Both by a guard from before and by a new one; and so is the change back."""
    look = definitions(module)
    guard = Guard(look)
    assert guard()
    walk = look.walk()
    whole = {cls for cls, _, is_whole in walk.classes if is_whole}
    n, unseen = 0, []
    all_changes = list(changes(walk))
    for what, owner, name, value in all_changes[:: 1 + len(all_changes) // 150]:
        if name == "_of_this_test" and owner not in whole:
            continue
        with changed(owner, name, value):
            seen = is_seen(guard), n % 7 or is_seen(Guard(look))
        if not all(seen) or not guard():
            unseen.append((what, seen))
        n += 1
    assert not unseen
    assert n > 15


def is_seen(guard: Guard) -> bool:
    """Return whether a guard sees a change; if a copy of a module fails, it does."""
    try:
        return not guard()
    except Exception:  # of the module itself, for example without a constant of a class
        return True


def test_instances_and_containers_are_compared() -> None:
    guard = Guard(definitions("jiwer.measures"))
    assert guard()
    transforms = jiwer.wer_default.transforms
    for change, back in (
        (lambda: transforms.append(jiwer.ToLowerCase()), transforms.pop),
        (lambda: setattr(transforms[0], "x", 1), lambda: delattr(transforms[0], "x")),
        (lambda: transforms.reverse(), transforms.reverse),
        (
            lambda: setattr(jiwer.wer_default, "transforms", [*transforms]),
            lambda: setattr(jiwer.wer_default, "transforms", transforms),
        ),
    ):
        change()
        # A list of the same items is the same definition.
        same = jiwer.wer_default.transforms is not transforms
        assert guard() == same
        back()
        assert guard()


def test_names_that_hide_builtins() -> None:
    guard = Guard(definitions("nltk.translate.bleu_score"))
    assert guard()
    with changed(bleu_score, "len", lambda _: 1):
        assert not guard()
        assert not Guard(definitions("nltk.translate.bleu_score"))()
    assert guard()


# TRUST: helpers with another result, by the function that reads them.


def half(*_: Any, **__: Any) -> float:
    return 0.5


def no_grams(*_: Any, **__: Any) -> Any:
    return iter([("x",)])


def zeros(*_: Any, **__: Any) -> Any:
    return [[0] * 20 for _ in range(20)]


def one_text(*_: Any, **__: Any) -> list[str]:
    return ["x"]


REPLACED: dict[str, tuple[str, str, str, Any]] = {
    "brevity_penalty": ("sentence_bleu", "nltk.translate.bleu_score", "brevity_penalty", half),
    "closest_ref_length": (
        "corpus_bleu",
        "nltk.translate.bleu_score",
        "closest_ref_length",
        lambda *_: 30,
    ),
    "modified_precision": (
        "sentence_bleu",
        "nltk.translate.bleu_score",
        "modified_precision",
        lambda *_: bleu_score.Fraction(1, 3),
    ),
    "ngrams of BLEU": ("sentence_bleu", "nltk.translate.bleu_score", "ngrams", no_grams),
    "Counter": ("sentence_bleu", "nltk.translate.bleu_score", "Counter", lambda *_: Counter("ab")),
    "ngrams of GLEU": ("sentence_gleu", "nltk.translate.gleu_score", "everygrams", no_grams),
    "nist_length_penalty": (
        "sentence_nist",
        "nltk.translate.nist_score",
        "nist_length_penalty",
        half,
    ),
    "kendall_tau": ("sentence_ribes", "nltk.translate.ribes_score", "kendall_tau", half),
    "tokenize": ("RougeScorer.score", "rouge_score.tokenize", "tokenize", one_text),
    "NON_ALPHANUM_RE": (
        "RougeScorer.score",
        "rouge_score.tokenize",
        "NON_ALPHANUM_RE",
        re.compile("[aeiou]+"),
    ),
    "_score_ngrams": ("RougeScorer.score", "rouge_score.rouge_scorer", "_score_ngrams", half),
    "_score_lcs": ("RougeScorer.score", "rouge_score.rouge_scorer", "_score_lcs", half),
    "_lcs_table": ("_score_lcs", "rouge_score.rouge_scorer", "_lcs_table", zeros),
    "fmeasure": ("_score_lcs", "rouge_score.scoring", "fmeasure", half),
    "process_words": (
        "wer",
        "jiwer.measures",
        "process_words",
        lambda *_, **__: SimpleNamespace(wer=0.5),
    ),
    "extract_all_word_ngrams": (
        "sacrebleu of a corpus",
        "sacrebleu.metrics.bleu",
        "extract_all_word_ngrams",
        lambda *_: (Counter(["x"]), 5),
    ),
    "extract_all_char_ngrams": (
        "chrF",
        "sacrebleu.metrics.chrf",
        "extract_all_char_ngrams",
        lambda *_: [Counter(["x"])] * 6,
    ),
    "translation_edit_rate": (
        "TER",
        "sacrebleu.metrics.ter",
        "translation_edit_rate",
        lambda *_: (1, 2),
    ),
}


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("name", REPLACED)
def test_replaced_helpers_are_called(name: str, when: str) -> None:
    call, module, attribute, value = REPLACED[name]
    home = importlib.import_module(module)
    plain = CALLS[call]()
    with changed(home, attribute, value):
        expected = CALLS[call]()
    assert expected != plain
    if when == "before":
        with changed(home, attribute, value):
            with patch():
                assert CALLS[call]() == expected
            assert CALLS[call]() == expected
    with patch():
        assert CALLS[call]() == plain
        counts()
        with changed(home, attribute, value):
            assert CALLS[call]() == expected
            assert counts()[1]
        assert CALLS[call]() == plain
        assert counts() == (1, 0), "served again"


def test_defaults_of_functions() -> None:
    function, before = bleu_score.sentence_bleu, bleu_score.sentence_bleu.__defaults__
    for weights in ((1.0,), (0.5, 0.5)):
        function.__defaults__ = (weights, *before[1:])
        expected = function([REF], HYP)
        with patch():
            assert function([REF], HYP) == expected
        function.__defaults__ = before
    with patch():
        plain = function([REF], HYP)
        function.__defaults__ = ((1.0,), *before[1:])
        assert function([REF], HYP) != plain
        function.__defaults__ = before
        assert function([REF], HYP) == plain


def test_code_of_functions() -> None:
    """A program's own code of a switched function stays, during and after the switch."""
    function, before = bleu_score.sentence_bleu, bleu_score.sentence_bleu.__code__
    own = (lambda references, hypothesis, weights, smoothing_function, auto_reweigh: 5).__code__
    function.__code__ = own
    with patch():
        assert function([REF], HYP) == 5
    assert function.__code__ is own
    function.__code__ = before
    with patch():
        function([REF], HYP)
        function.__code__ = own
        assert function([REF], HYP) == 5
    assert function.__code__ is own
    function.__code__ = before
    with patch():
        counts()
        function([REF], HYP)
        assert counts() == (1, 0)


class Stemmer(PorterStemmer):
    def stem(self, word: str, to_lowercase: bool = True) -> str:
        return word[:1]


def changed_scorers() -> Iterator[Callable[[], Any]]:
    """Yield makers of scorers with attributes of their own."""

    def with_stemmer() -> Any:
        scorer = rouge_scorer.RougeScorer(["rouge1"], use_stemmer=True)
        scorer._tokenizer._stemmer = Stemmer()
        return scorer

    def with_pool() -> Any:
        scorer = rouge_scorer.RougeScorer(["rouge1"], use_stemmer=True)
        scorer._tokenizer._stemmer.pool["raining"] = "rained"
        return scorer

    def with_method() -> Any:
        scorer = rouge_scorer.RougeScorer(["rouge1"], use_stemmer=True)
        scorer._tokenizer._stemmer.stem = lambda word: word[:1]
        return scorer

    def with_tokenize() -> Any:
        scorer = rouge_scorer.RougeScorer(["rouge1"])
        scorer._tokenizer.tokenize = one_text
        return scorer

    yield from (with_stemmer, with_pool, with_method, with_tokenize)


@pytest.mark.parametrize("make", list(changed_scorers()), ids=lambda make: make.__name__)
def test_attributes_of_scorers(make: Callable[[], Any]) -> None:
    texts = "it was raining now", "it rained never"
    expected = make().score(*texts)
    with patch():
        counts()
        assert make().score(*texts) == expected
        assert counts()[0] == 0


def test_attributes_of_metrics() -> None:
    def scores() -> list[Any]:
        bleu, chrf, ter = sacrebleu.BLEU(), sacrebleu.CHRF(), sacrebleu.TER()
        bleu.tokenizer = type("Own", (), {"__call__": lambda _, text: text.upper()})()
        chrf._remove_punctuation = lambda text: ["x"]  # type: ignore[method-assign]
        chrf.word_order = 2
        ter.tokenizer._no_punct = True
        other = sacrebleu.BLEU(effective_order=True)
        other.tokenizer._post_tokenizer = lambda text: text[::2]
        metrics = (bleu, chrf, ter, other)
        return [str(own.sentence_score("a b, c.", ["a B, d."])) for own in metrics]

    expected = scores()
    with patch():
        assert scores() == expected


def test_subclasses_of_tokenizers() -> None:
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

    class Own(Tokenizer13a):
        def __call__(self, line: str) -> str:
            return super().__call__(line).replace("b", "a")

    bleu = sacrebleu.BLEU(effective_order=True)
    bleu.tokenizer = Own()
    expected = str(bleu.sentence_score("b c", ["a c"]))
    with patch():
        assert str(bleu.sentence_score("b c", ["a c"])) == expected


def test_a_copy_is_not_the_module() -> None:
    copies = _Copies(["nltk"])
    assert copies.namespace("nltk.util") is not vars(importlib.import_module("nltk.util"))
    own: Any = copies.definition("nltk.translate.bleu_score", "ngrams")
    assert own.__module__ == "nltk.util" and own is not bleu_score.ngrams
