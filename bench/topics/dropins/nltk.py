"""The drop-in for NLTK on tokens: the same calls, the same bits."""

import importlib
import warnings
from collections.abc import Callable, Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import rapidbleu
from bench.harness import peers
from bench.harness.corpora import Corpora, Corpus
from bench.harness.measure import Comparison, Contender

TOPIC = "nltk"
LIMITS = {
    "corpus_ribes": "lists of tokens are read, and each segment has a call in Python",
    "meteor_score": "lists of tokens are read; words are aligned in NLTK's order",
}
_METHODS = range(8)


def cases(corpora: Corpora) -> Iterator[Comparison]:
    corpus = corpora.news
    hyps, refs = _tokens(corpus)
    yield _comparison("corpus_bleu", corpus, "bleu_score", _corpus(refs, hyps), headline=True)
    yield _comparison("sentence_bleu", corpus, "bleu_score", _sentences(refs, hyps), headline=True)
    for method in _METHODS:
        yield _comparison(
            f"corpus_bleu, method {method}", corpus, "bleu_score", _smoothed(refs, hyps, method)
        )
    for method in (1, 4, 7):
        yield _comparison(
            f"sentence_bleu, method {method}",
            corpus,
            "bleu_score",
            _sentences(refs, hyps, method),
        )
    several_hyps, several_refs = _tokens(corpora.german_4)
    yield _comparison(
        "corpus_bleu, 4 references",
        corpora.german_4,
        "bleu_score",
        _corpus(several_refs, several_hyps),
    )
    numbers: dict[str, int] = {}

    def numbered(segment: list[str]) -> list[int]:
        return [numbers.setdefault(token, len(numbers)) for token in segment]

    yield _comparison(
        "corpus_bleu, integers",
        corpus,
        "bleu_score",
        _corpus([list(map(numbered, several)) for several in refs], list(map(numbered, hyps))),
    )
    yield _comparison(
        "corpus_gleu", corpus, "gleu_score", lambda nltk: nltk.corpus_gleu(refs, hyps)
    )
    yield _comparison(
        "corpus_nist", corpus, "nist_score", lambda nltk: nltk.corpus_nist(refs, hyps)
    )
    first = [several[0] for several in refs]
    yield _comparison(
        "corpus_chrf", corpus, "chrf_score", lambda nltk: nltk.corpus_chrf(first, hyps)
    )
    yield _comparison(
        "corpus_ribes",
        corpus,
        "ribes_score",
        lambda nltk: nltk.corpus_ribes(refs, hyps),
        headline=True,
    )
    yield _comparison("meteor_score", corpus, "meteor_score", _meteor(refs, hyps), headline=True)


def _tokens(corpus: Corpus) -> tuple[list[list[str]], list[list[list[str]]]]:
    tokenize = rapidbleu.BLEU().tokenizer
    refs = [[tokenize(text) for text in texts] for texts in zip(*corpus.references, strict=True)]
    return [tokenize(hyp) for hyp in corpus.hypotheses], refs


def _corpus(refs: Any, hyps: Any) -> Callable[[Any], Any]:
    return lambda nltk: nltk.corpus_bleu(refs, hyps)


def _smoothed(refs: Any, hyps: Any, method: int) -> Callable[[Any], Any]:
    def run(nltk: Any) -> Any:
        smooth = getattr(nltk.SmoothingFunction(), f"method{method}")
        return nltk.corpus_bleu(refs, hyps, smoothing_function=smooth)

    return run


def _sentences(refs: Any, hyps: Any, method: int = 0) -> Callable[[Any], Any]:
    """Score every segment by itself; suppress warnings of segments without a match."""

    def run(nltk: Any) -> Any:
        smooth = getattr(nltk.SmoothingFunction(), f"method{method}")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return [
                nltk.sentence_bleu(several, hyp, smoothing_function=smooth)
                for several, hyp in zip(refs, hyps, strict=True)
            ]

    return run


def _meteor(refs: Any, hyps: Any) -> Callable[[Any], Any]:
    """Score every segment by itself, without WordNet data."""
    wordnet = SimpleNamespace(synsets=lambda _: ())
    return lambda nltk: [
        nltk.meteor_score(several, hyp, wordnet=wordnet)
        for several, hyp in zip(refs, hyps, strict=True)
    ]


def _comparison(
    job: str, corpus: Corpus, module: str, run: Callable[[ModuleType], Any], headline: bool = False
) -> Comparison:
    ours = importlib.import_module(f"rapidbleu.nltk.{module}")
    theirs = peers.rival("NLTK", f"nltk.translate.{module}", run, compared="scores: ==")
    return Comparison(
        TOPIC,
        job,
        corpus.name,
        Contender("rapidbleu", lambda: run(ours)),
        theirs,
        len(corpus.hypotheses),
        "segment",
        headline=headline,
    )
