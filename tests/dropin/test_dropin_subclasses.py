"""What users replace in sacrebleu's classes has the same effect in the stand-in."""

from collections import Counter
from types import ModuleType
from typing import Any

import pytest

from support.dropin import METRICS, PACKAGES, corpus, make, ours, plain
from support.selection import few

HYPS, REFS = corpus("mixed", n=25)


def same(make_metric: Any, cached: bool = False) -> Any:
    """Check that metrics of both packages score alike; return what ours says."""
    results = []
    for package in PACKAGES.values():
        metric = make_metric(package)
        refs: Any = REFS
        if cached:
            metric._ref_cache = metric._cache_references(REFS)
            refs = None
        results.append(
            plain([
                metric._extract_corpus_statistics(HYPS, refs),
                metric.corpus_score(HYPS, refs),
                metric.sentence_score(HYPS[1], [stream[1] for stream in REFS]),
                str(metric.get_signature()),
            ])
        )  # fmt: skip
    assert results[0] == results[1]
    return results[1]


def preprocess(package: ModuleType, name: str) -> Any:
    class Own(getattr(package.metrics, name)):  # type: ignore[misc]
        def _preprocess_segment(self, sent: str) -> str:
            return super()._preprocess_segment(sent)[2:]

    return Own()


def statistics(package: ModuleType, name: str) -> Any:
    class Own(getattr(package.metrics, name)):  # type: ignore[misc]
        def _compute_segment_statistics(self, hypothesis: str, ref_kwargs: Any) -> Any:
            row = super()._compute_segment_statistics(hypothesis, ref_kwargs)
            return [row[0] + 1, *row[1:]]

    return Own()


def references(package: ModuleType, name: str) -> Any:
    class Own(getattr(package.metrics, name)):  # type: ignore[misc]
        def _extract_reference_info(self, refs: Any) -> Any:
            return super()._extract_reference_info(refs[-1:])

    return Own()


def caching(package: ModuleType, name: str) -> Any:
    class Own(getattr(package.metrics, name)):  # type: ignore[misc]
        def _cache_references(self, references: Any) -> Any:
            return super()._cache_references([references[0]])

    return Own()


def extraction(package: ModuleType, name: str) -> Any:
    class Own(getattr(package.metrics, name)):  # type: ignore[misc]
        def _extract_corpus_statistics(self, hypotheses: Any, references: Any) -> Any:
            rows = super()._extract_corpus_statistics(hypotheses, references)
            return [rows[0], *rows]

    return Own()


def scoring(package: ModuleType, name: str) -> Any:
    class Own(getattr(package.metrics, name)):  # type: ignore[misc]
        def _compute_score_from_stats(self, stats: Any) -> Any:
            score = super()._compute_score_from_stats(stats)
            score.score /= 100
            return score

    return Own()


def aggregation(package: ModuleType, name: str) -> Any:
    class Own(getattr(package.metrics, name)):  # type: ignore[misc]
        def _aggregate_and_compute(self, stats: Any) -> Any:
            return super()._aggregate_and_compute(stats[-1:])

    return Own()


def instance(package: ModuleType, name: str) -> Any:
    metric = make(package, name)
    own = metric._preprocess_segment
    metric._preprocess_segment = lambda sent: own(sent)[2:]
    return metric


@pytest.mark.parametrize("cached", few([False, True], [False]))
@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize(
    "replace",
    [preprocess, statistics, references, caching, extraction, scoring, aggregation, instance],
)
def test_replaced_methods(replace: Any, name: str, cached: bool) -> None:
    result = same(lambda package: replace(package, name), cached)
    plain_result = same(lambda package: make(package, name), cached)
    assert result != plain_result


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
    assert theirs == own and len(own) == 25


def test_compute_bleu_of_a_subclass() -> None:
    def own(package: Any) -> Any:
        class Own(package.BLEU):  # type: ignore[misc, name-defined]
            @staticmethod
            def compute_bleu(*args: Any, **kwargs: Any) -> Any:
                return package.BLEU.compute_bleu(*args, **{**kwargs, "smooth_method": "floor"})

            def _get_closest_ref_len(self, hyp_len: int, ref_lens: Any) -> int:
                return max(ref_lens)

        return Own()

    same(own)


def test_chrf_parts_of_a_subclass() -> None:
    def own(package: Any) -> Any:
        class Own(package.CHRF):  # type: ignore[misc, name-defined]
            _PUNCTS = frozenset("!.")

            def _remove_punctuation(self, sent: str) -> list[str]:
                return sent.split()[1:]

            def _compute_f_score(self, statistics: Any) -> float:
                return 1000 - float(super()._compute_f_score(statistics))

        return Own(word_order=2)

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

    result = same(own)
    same(own, cached=True)
    assert "tok:halves" in result[-1]


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
    """The way to a tokenizer of one's own that issues of sacrebleu recommend."""
    for package in PACKAGES.values():
        cls = type(tokenizer_of(package))
        monkeypatch.setattr(package.metrics.bleu, "_get_tokenizer", lambda name, cls=cls: cls)
    assert "tok:halves" in same(lambda package: package.BLEU(tokenize="halves"))[-1]


def word_metric(package: ModuleType) -> Any:
    """A metric of a user's own: the share of words that are in a reference."""
    base = package.metrics.base

    class Signature(base.Signature):  # type: ignore[misc, name-defined]
        def __init__(self, args: Any) -> None:
            super().__init__(args)
            self._abbr["least"] = "l"
            self.info["least"] = args["least"]

    class Words(base.Metric):  # type: ignore[misc, name-defined]
        _SIGNATURE_TYPE = Signature

        def __init__(self, least: int) -> None:
            super().__init__()
            self.least = least

        def _preprocess_segment(self, sent: str) -> str:
            return sent.lower()

        def _extract_reference_info(self, refs: Any) -> Any:
            return {"words": Counter(word for ref in refs for word in ref.split())}

        def _compute_segment_statistics(self, hypothesis: str, ref_kwargs: Any) -> Any:
            words = [word for word in hypothesis.split() if len(word) >= self.least]
            return [sum(word in ref_kwargs["words"] for word in words), len(words)]

        def _compute_score_from_stats(self, stats: Any) -> Any:
            return base.Score("words", 100 * float(stats[0] / stats[1]) if stats[1] else 0.0)

        def _aggregate_and_compute(self, stats: Any) -> Any:
            return self._compute_score_from_stats(package.utils.sum_of_lists(stats))

    return Words(2)


@pytest.mark.parametrize("cached", [False, True])
def test_own_metric(cached: bool) -> None:
    same(word_metric, cached)


def test_own_metric_must_be_whole() -> None:
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
