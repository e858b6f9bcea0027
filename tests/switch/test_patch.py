"""Functions of NLTK, rouge-score, jiwer and sacrebleu under `patch`: served, or passed back."""

import importlib
import inspect
import logging
import pickle
import random
import sys
import warnings
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import jiwer
import jiwer.transforms
import numpy as np
import pytest
import sacrebleu
from nltk.translate import (
    bleu_score,
    chrf_score,
    gleu_score,
    meteor_score,
    nist_score,
    ribes_score,
)
from rouge_score import rouge_scorer

from rapidbleu import switch
from rapidbleu.switch import MODULES, PEERS, patch
from support.served import counts, switched_functions

RNG = random.Random(7)
WORDS = ["the", "cat", "sat", "on", "a", "mat", ".", "it", "rained", "and", "we", "went", "home"]
SMOOTHING = bleu_score.SmoothingFunction()


def text(n: int) -> list[str]:
    return RNG.choices(WORDS, k=n)


PAIRS = [([text(n + 2), text(n)], text(n)) for n in (0, 1, 2, 3, 5, 9, 14)]
REFERENCES, HYPOTHESES = [refs for refs, _ in PAIRS], [hyp for _, hyp in PAIRS]
HYPOTHESES_AS_REFERENCES = [[hyp] for hyp in HYPOTHESES]
JOINED = [(" ".join(refs[0]), " ".join(hyp)) for refs, hyp in PAIRS]
REFS, HYPS = [list(texts) for texts in zip(*JOINED, strict=True)]


class Words:
    """A user-defined stemmer and WordNet."""

    def stem(self, word: str) -> str:
        return word[:3]

    def synsets(self, word: str) -> list[Any]:
        return []


def double(p_n: list[Any], **_: Any) -> list[Any]:
    return [Fraction(1, 2) for _ in p_n]


def scorer(*types: str, **options: Any) -> Any:
    return rouge_scorer.RougeScorer(list(types), **options)


# Calls, and whether ours serves all of them. Arguments are created anew for each call.
CALLS: dict[str, tuple[bool | None, Callable[[], Any]]] = {
    "sentence_bleu": (None, lambda: [bleu_score.sentence_bleu(*pair) for pair in PAIRS]),
    "smoothed": (
        True,
        lambda: [
            bleu_score.sentence_bleu(*pair, smoothing_function=getattr(SMOOTHING, f"method{k}"))
            for pair in PAIRS[3:]
            for k in (1, 2, 3, 4, 5, 7)
        ],
    ),
    "method6": (
        None,
        lambda: [
            bleu_score.sentence_bleu(*pair, smoothing_function=SMOOTHING.method6) for pair in PAIRS
        ],
    ),
    "own smoothing": (
        False,
        lambda: bleu_score.corpus_bleu(REFERENCES, HYPOTHESES, smoothing_function=double),
    ),
    "by name": (
        True,
        lambda: bleu_score.corpus_bleu(
            hypotheses=HYPOTHESES, list_of_references=REFERENCES, weights=(1.0,)
        ),
    ),
    "weights": (
        True,
        lambda: bleu_score.corpus_bleu(
            HYPOTHESES_AS_REFERENCES, HYPOTHESES, [(0.5, 0.5), (0.25,) * 4]
        ),
    ),
    "reweighed": (
        None,
        lambda: [bleu_score.sentence_bleu(*pair, auto_reweigh=True) for pair in PAIRS],
    ),
    "generators": (
        False,
        lambda: bleu_score.sentence_bleu((ref for ref in PAIRS[5][0]), PAIRS[5][1]),
    ),
    "generators within": (
        None,
        lambda: bleu_score.corpus_bleu([iter(refs) for refs in REFERENCES], HYPOTHESES),
    ),
    "lists as tokens": (None, lambda: bleu_score.sentence_bleu([[["a"], ["b"]]], [["a"]])),
    "str": (True, lambda: bleu_score.sentence_bleu(["abcdef"], "abcdeg")),
    "too few": (False, lambda: bleu_score.corpus_bleu(REFERENCES, HYPOTHESES[1:])),
    "None": (False, lambda: bleu_score.sentence_bleu(None, ["a"])),
    "nothing": (False, lambda: bleu_score.sentence_bleu()),
    "unknown option": (False, lambda: bleu_score.sentence_bleu([["a"]], ["a"], smoothing=1)),
    "twice": (False, lambda: bleu_score.sentence_bleu([["a"]], ["a"], references=[["a"]])),
    "chrf": (True, lambda: [chrf_score.sentence_chrf(*pair) for pair in JOINED]),
    "corpus_chrf": (True, lambda: chrf_score.corpus_chrf(REFS, HYPS, 2, 4, beta=2.0)),
    "chrf of words": (True, lambda: chrf_score.corpus_chrf(REFERENCES[4], HYPOTHESES[4:6])),
    "chrf of iterators": (False, lambda: chrf_score.sentence_chrf(iter(["a", "b"]), ["a"])),
    "chrf without orders": (False, lambda: chrf_score.corpus_chrf(REFS, HYPS, 3, 2)),
    "gleu": (True, lambda: [gleu_score.sentence_gleu(*pair) for pair in PAIRS]),
    "corpus_gleu": (True, lambda: gleu_score.corpus_gleu(REFERENCES, HYPOTHESES, max_len=3)),
    "nist": (None, lambda: [nist_score.sentence_nist(*pair, n=2) for pair in PAIRS[2:]]),
    "corpus_nist": (True, lambda: nist_score.corpus_nist(REFERENCES, HYPOTHESES)),
    "nist of nothing": (False, lambda: nist_score.corpus_nist([], [])),
    "ribes": (True, lambda: [ribes_score.sentence_ribes(*pair) for pair in PAIRS]),
    "corpus_ribes": (True, lambda: ribes_score.corpus_ribes(REFERENCES, HYPOTHESES, beta=0.2)),
    "long ribes": (False, lambda: ribes_score.sentence_ribes([["a"] * 2001], ["a"] * 2001)),
    "meteor of equal texts": (
        True,
        lambda: meteor_score.single_meteor_score(PAIRS[5][1], PAIRS[5][1]),
    ),
    "meteor of own words": (
        False,
        lambda: meteor_score.meteor_score(*PAIRS[5], stemmer=Words(), wordnet=Words()),
    ),
    "meteor of text": (False, lambda: meteor_score.single_meteor_score("a b", ["a"])),
    "rouge": (
        True,
        lambda: [
            scorer("rouge1", "rouge2", "rougeL", use_stemmer=stems).score(*pair)
            for pair in JOINED
            for stems in (False, True)
        ],
    ),
    "rougeLsum": (True, lambda: scorer("rougeLsum").score("a b\nc d", "a b\nd c")),
    "several targets": (True, lambda: scorer("rougeL").score_multi(REFS, HYPS[5])),
    "own tokenizer": (
        False,
        lambda: scorer(
            "rouge1", tokenizer=sys.modules["rouge_score.tokenizers"].DefaultTokenizer
        ).score("a", "a"),
    ),
    "rouge of bytes": (False, lambda: scorer("rouge1").score(b"a", "a")),
    "lcs": (True, lambda: [rouge_scorer._score_lcs(refs[0], hyp) for refs, hyp in PAIRS]),
    "lcs of numbers": (False, lambda: rouge_scorer._score_lcs([1, 2], [2, 1])),
    "lcs of an array": (False, lambda: rouge_scorer._score_lcs(np.array(["a"]), ["a"])),
    "no rouge": (False, lambda: scorer("rougeX").score("a", "a")),
    "wer": (True, lambda: [jiwer.wer(*pair) for pair in JOINED[1:]]),
    "all measures": (
        True,
        lambda: [
            measure(REFS[1:], HYPS[1:])
            for measure in (jiwer.wer, jiwer.mer, jiwer.wil, jiwer.wip, jiwer.cer)
        ],
    ),
    "wer by name": (True, lambda: jiwer.wer(hypothesis="a b", reference="a c")),
    "wer of nothing": (False, lambda: jiwer.wer("", "a")),
    "nothing right": (
        None,
        lambda: [
            measure("a b", hyp)
            for measure in (jiwer.wer, jiwer.mer, jiwer.wil, jiwer.wip, jiwer.cer)
            for hyp in ("", "x")
        ],
    ),
    "right": (True, lambda: jiwer.mer("a b", "a b")),
    "transformed": (
        False,
        lambda: jiwer.wer("A b", "a b", jiwer.wer_standardize, jiwer.wer_standardize),
    ),
    "odd lengths": (False, lambda: jiwer.wer(["a", "b"], ["a"])),
    "wer of None": (False, lambda: jiwer.wer("a")),
    "wer of numbers": (False, lambda: jiwer.cer([1], [2])),
    "corpus": (True, lambda: str(sacrebleu.corpus_bleu(HYPS, [REFS]))),
    "references by segment": (
        False,
        lambda: str(sacrebleu.corpus_bleu(HYPS, [[ref] for ref in REFS])),
    ),
    "sacrebleu of None": (False, lambda: sacrebleu.corpus_chrf([None, "a"], [["a", "b"]])),
    "sacrebleu of nothing": (False, lambda: str(sacrebleu.corpus_bleu([], [[]]))),
    "sacrebleu of zip": (
        False,
        lambda: str(sacrebleu.corpus_ter(HYPS, zip(*zip(REFS, strict=True), strict=True))),
    ),
    "tokenized": (True, lambda: str(sacrebleu.corpus_bleu(["a b ."] * 100, [["a b."] * 100]))),
    "tokenized and wrong": (
        False,
        lambda: str(sacrebleu.corpus_bleu(["a b ."] * 100, [["a b."] * 99])),
    ),
}


def outcome(call: Callable[[], Any]) -> tuple[Any, ...]:
    """Return the result or error of a call, its warnings with locations, and its log."""
    records: list[Any] = []
    handler = logging.Handler()
    handler.emit = records.append  # type: ignore[method-assign]
    logging.getLogger().addHandler(handler)
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            try:
                value = call()
                result: Any = type(value), repr(value)
            except Exception as error:
                result = type(error), str(error), repr(error.__context__)
    finally:
        logging.getLogger().removeHandler(handler)
    return (
        result,
        [(own.category, str(own.message), own.filename, own.lineno) for own in warned],
        [(own.name, own.levelname, own.getMessage()) for own in records],
    )


@pytest.mark.parametrize("name", CALLS)
def test_every_call_ends_as_without(name: str) -> None:
    is_served, call = CALLS[name]
    expected = outcome(call)
    counts()
    with patch():
        assert outcome(call) == expected
        served, handed_back = counts()
        if is_served is not None:
            assert (served > 0 and handed_back == 0) == is_served, (served, handed_back)
    assert outcome(call) == expected


def functions() -> Iterator[Any]:
    with patch():
        own = [own.function for own in switched_functions()]
    yield from (function for function in own if hasattr(function, "__code__"))


@pytest.mark.parametrize("function", list(functions()), ids=lambda own: own.__qualname__)
def test_functions_stay_what_they_are(function: Any) -> None:
    before = (
        inspect.signature(function),
        inspect.getsource(function),
        function.__doc__,
        function.__defaults__,
        function.__qualname__,
        function.__module__,
    )
    code = function.__code__
    with patch():
        assert function.__code__ is not code
        assert before == (
            inspect.signature(function),
            inspect.getsource(function),
            function.__doc__,
            function.__defaults__,
            function.__qualname__,
            function.__module__,
        )
        if "." not in function.__qualname__:
            assert pickle.loads(pickle.dumps(function)) is function
    assert function.__code__ is code and "__signature__" not in vars(function)


def test_nested_patches_and_single_libraries() -> None:
    code = bleu_score.sentence_bleu.__code__
    with patch("nltk"):
        assert jiwer.wer("a", "a") == 0.0 and "served" not in jiwer.wer.__code__.co_varnames
        inner = bleu_score.sentence_bleu.__code__
        with patch():
            assert bleu_score.sentence_bleu.__code__ is inner
        assert bleu_score.sentence_bleu.__code__ is inner, "the first one undoes it"
    assert bleu_score.sentence_bleu.__code__ is code
    with pytest.raises(ValueError, match=r"names: expected some of sacrebleu, nltk, .*; got 'x'"):
        patch("x")


def test_modules_that_are_imported_later_or_again() -> None:
    with patch("nltk"):
        module = importlib.reload(gleu_score)
        counts()
        module.sentence_gleu([["a"]], ["a"])
        assert counts() == (1, 0)
        assert module.__spec__ is not None and "exec_module" not in vars(module.__spec__.loader)
    module.sentence_gleu([["a"]], ["a"])
    assert counts() == (0, 0)


def test_other_code_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = Path(str(gleu_score.__file__))
    other = tmp_path / "nltk" / "translate" / "gleu_score.py"
    other.parent.mkdir(parents=True)
    other.write_bytes(path.read_bytes() + b"\n# changed\n")
    monkeypatch.setattr(switch, "_origin", lambda package: str(tmp_path / package / "__init__.py"))
    library = MODULES["nltk.translate.gleu_score"]
    assert not library.is_known("nltk")
    other.write_bytes(path.read_bytes())
    monkeypatch.setattr(library, "_digests", {})
    assert library.is_known("nltk")


def test_every_library_is_known() -> None:
    assert PEERS == ("sacrebleu", "nltk", "rouge_score", "jiwer", "fastchrf", "torchmetrics")
    for name, own in MODULES.items():
        package = name.partition(".")[0]
        if package not in ("fastchrf", "torchmetrics") or importlib.util.find_spec(package):
            assert own.is_known(package)


def test_compiled_functions_are_put_back_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    peer = pytest.importorskip("fastchrf")
    own, batch = peer.pairwise_chrf, ([["a b", "c"]], [["a c"]])
    monkeypatch.setattr(sys.modules[__name__], "taken", own, raising=False)
    expected = own(*batch), outcome(lambda: own([["a"]], [])), outcome(lambda: own(["a"]))
    counts()
    with patch("fastchrf"):
        found = sys.modules[__name__].taken  # type: ignore[attr-defined]
        assert found is peer.pairwise_chrf is not own
        assert found(*batch) == expected[0] and counts() == (1, 0)
        assert outcome(lambda: found([["a"]], [])) == expected[1]
        assert outcome(lambda: found(["a"])) == expected[2]
        assert (found.__name__, found.__doc__) == (own.__name__, own.__doc__)
    assert sys.modules[__name__].taken is peer.pairwise_chrf is own  # type: ignore[attr-defined]
