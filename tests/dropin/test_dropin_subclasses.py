"""Overrides of sacrebleu's classes have the same effect in the stand-in."""

from collections import Counter
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from rapidbleu.switch import patch
from support.dropin import METRICS, PACKAGES, corpus, make, ours, peer, plain

HYPS, REFS = corpus("mixed", n=8)


def answers(metric: Any, cached: bool) -> Any:
    refs: Any = REFS
    if cached:
        metric._ref_cache = metric._cache_references(REFS)
        refs = None
    return plain(
        [
            metric._extract_corpus_statistics(HYPS, refs),
            metric.corpus_score(HYPS, refs),
            metric.sentence_score(HYPS[1], [stream[1] for stream in REFS]),
            str(metric.get_signature()),
        ]
    )


def same(make_metric: Any, cached: bool = False) -> Any:
    """Return the result after comparing both packages and a patched sacrebleu."""
    theirs, own = (answers(make_metric(package), cached) for package in PACKAGES.values())
    assert own == theirs
    with patch("sacrebleu"):
        assert answers(make_metric(peer), cached) == theirs
    return own


def changed(score: Any) -> Any:
    score.score /= 100
    return score


# A replacement for a method, given the original.
Replacement = Callable[[Any], Callable[..., Any]]
ALL: dict[str, Replacement] = {
    "_preprocess_segment": lambda own: lambda self, sent: own(self, sent)[2:],
    "_compute_segment_statistics": lambda own: (
        lambda self, *args: [2 * number for number in own(self, *args)]
    ),
    "_extract_reference_info": lambda own: lambda self, refs: own(self, refs[-1:]),
    "_cache_references": lambda own: lambda self, refs: own(self, refs[:1]),
    "_extract_corpus_statistics": lambda own: lambda self, *args: own(self, *args)[:1] * 2,
    "_compute_score_from_stats": lambda own: lambda self, stats: changed(own(self, stats)),
    "_aggregate_and_compute": lambda own: lambda self, stats: own(self, stats[-1:]),
}
EACH: list[tuple[str, str, Replacement]] = [
    ("BLEU", "_get_closest_ref_len", lambda own: lambda self, hyp_len, ref_lens: max(ref_lens)),
    ("CHRF", "_remove_punctuation", lambda own: lambda self, sent: sent.split()[1:]),
    ("CHRF", "_compute_f_score", lambda own: lambda self, row: 1000 - float(own(self, row))),
    *((name, method, replacement) for name in METRICS for method, replacement in ALL.items()),
]
OPTIONS = {"BLEU": {}, "CHRF": {"word_order": 2}, "TER": {}}


@pytest.mark.parametrize(("name", "method", "replacement"), EACH)
def test_replaced_methods(name: str, method: str, replacement: Replacement) -> None:
    def subclass(package: ModuleType) -> Any:
        cls = getattr(package.metrics, name)
        return type("Own", (cls,), {method: replacement(getattr(cls, method))})(**OPTIONS[name])

    def instance(package: ModuleType) -> Any:
        metric = make(package, name, **OPTIONS[name])
        own = replacement(getattr(type(metric), method))
        setattr(metric, method, lambda *args: own(metric, *args))
        return metric

    result = same(subclass)
    assert same(instance)[:2] == result[:2]
    assert result != same(lambda package: make(package, name, **OPTIONS[name]))
    same(subclass, cached=True)


def test_constructor_asks_the_subclass() -> None:
    def run(package: Any) -> Any:
        calls = []

        class Own(package.BLEU):  # type: ignore[misc, name-defined]
            def _extract_reference_info(self, refs: Any) -> Any:
                calls.append(list(refs))
                return super()._extract_reference_info(refs)

        Own(references=REFS)
        return calls

    theirs, own = (run(package) for package in PACKAGES.values())
    assert theirs == own and len(own) == len(HYPS)


def test_compute_bleu_of_a_subclass() -> None:
    def own(package: Any) -> Any:
        class Own(package.BLEU):  # type: ignore[misc, name-defined]
            @staticmethod
            def compute_bleu(*args: Any, **kwargs: Any) -> Any:
                return package.BLEU.compute_bleu(*args, **{**kwargs, "smooth_method": "floor"})

        return Own()

    same(own)


def tokenizer_of(package: ModuleType) -> Any:
    class Halves(package.tokenizers.BaseTokenizer):  # type: ignore[misc, name-defined]
        def signature(self) -> str:
            return "halves"

        def __call__(self, line: str) -> str:
            return " ".join(f"{word[:2]} {word[2:]}" for word in line.split())

    return Halves()


def test_own_tokenizer() -> None:
    def own(package: Any) -> Any:
        bleu = package.BLEU()
        bleu.tokenizer = tokenizer_of(package)
        bleu.tokenizer_signature = bleu.tokenizer.signature()
        return bleu

    assert "tok:halves" in same(own)[-1]
    same(own, cached=True)


def test_subclassed_tokenizer() -> None:
    def own(package: Any) -> Any:
        bleu = package.BLEU()

        class Own(type(bleu.tokenizer)):  # type: ignore[misc]
            def __call__(self, line: str) -> str:
                return super().__call__(line[2:])

        bleu.tokenizer = Own()
        return bleu

    assert same(own) != same(lambda package: package.BLEU())


def test_tokenizer_whose_call_was_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = same(lambda package: package.BLEU())
    for package in PACKAGES.values():
        cls = type(package.BLEU().tokenizer)
        monkeypatch.setattr(cls, "__call__", lambda self, line: line.upper())
    assert same(lambda package: package.BLEU()) != expected


def test_tokenizer_by_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """The way to a custom tokenizer that issues of sacrebleu recommend."""
    for package in PACKAGES.values():
        cls = type(tokenizer_of(package))
        monkeypatch.setattr(package.metrics.bleu, "_get_tokenizer", lambda name, cls=cls: cls)
    assert "tok:halves" in same(lambda package: package.BLEU(tokenize="halves"))[-1]


def word_metric(package: ModuleType) -> Any:
    """Return a user-defined metric: the share of words in a reference."""
    base = package.metrics.base

    class Words(base.Metric):  # type: ignore[misc, name-defined]
        _SIGNATURE_TYPE = base.Signature

        def _preprocess_segment(self, sent: str) -> str:
            return sent.lower()

        def _extract_reference_info(self, refs: Any) -> Any:
            return {"words": Counter(word for ref in refs for word in ref.split())}

        def _compute_segment_statistics(self, hypothesis: str, ref_kwargs: Any) -> Any:
            words = hypothesis.split()
            return [sum(word in ref_kwargs["words"] for word in words), len(words)]

        def _compute_score_from_stats(self, stats: Any) -> Any:
            return base.Score("words", 100 * float(stats[0] / stats[1]) if stats[1] else 0.0)

        def _aggregate_and_compute(self, stats: Any) -> Any:
            return self._compute_score_from_stats(package.utils.sum_of_lists(stats))

    return Words()


def test_own_metric() -> None:
    same(word_metric)
    same(word_metric, cached=True)
    for package in PACKAGES.values():
        with pytest.raises(TypeError, match="abstract"):
            package.metrics.base.Metric()


def test_own_metric_is_resampled() -> None:
    theirs, own = (word_metric(package) for package in PACKAGES.values())
    expected, got = (metric.corpus_score(HYPS, REFS, n_bootstrap=100) for metric in (theirs, own))
    assert (got.score, got._mean, got._ci) == pytest.approx(
        (expected.score, expected._mean, expected._ci), rel=1e-5
    )
    assert ours.__version__ in str(own.get_signature())
