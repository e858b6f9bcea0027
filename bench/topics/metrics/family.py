"""NIST, GLEU, CIDEr-D against packages; GTM, skip n-grams and WordF against their oracles."""

from collections.abc import Callable, Iterator
from typing import Any

import rapidbleu
from bench.harness import peers
from bench.harness.corpora import Corpora, Corpus
from bench.harness.measure import Comparison, Contender

TOPIC = "family"


def cases(corpora: Corpora) -> Iterator[Comparison]:
    corpus = corpora.news
    hyps, refs = corpus.hypotheses, corpus.references
    tokens, of_refs = [text.split() for text in hyps], [[text.split()] for text in refs[0]]
    nist = rapidbleu.NIST(tokenize="none")
    yield _nltk(
        "corpus, NIST",
        corpus,
        lambda: nist.corpus_score(hyps, refs).score,
        "nist_score",
        lambda module: module.corpus_nist(of_refs, tokens),
        1.0,
    )
    gleu = rapidbleu.GLEU(tokenize="none")
    yield _nltk(
        "corpus, GLEU",
        corpus,
        lambda: gleu.corpus_score(hyps, refs).score,
        "gleu_score",
        lambda module: module.corpus_gleu(of_refs, tokens),
        100.0,
    )
    yield _cider(corpus)
    yield from _matchings(corpus)


def _nltk(
    job: str, corpus: Corpus, run: Callable[[], float], module: str, call: Any, scale: float
) -> Comparison:
    theirs = peers.rival(
        "NLTK",
        f"nltk.translate.{module}",
        call,
        compared="score: within 1e-12",
        agrees=peers.within(1e-12, scale),
    )
    ours = Contender("rapidbleu", run)
    n = len(corpus.hypotheses)
    return Comparison(TOPIC, job, corpus.name, ours, theirs, n, "segment", headline=True)


def _cider(corpus: Corpus) -> Comparison:
    hyps, refs = corpus.hypotheses, corpus.references
    metric = rapidbleu.CIDErD()

    def score(module: Any) -> list[float]:
        own = module.CiderScorer()
        for hyp, ref in zip(hyps, refs[0], strict=True):
            own += hyp, [ref]
        found: list[float] = own.compute_score()[1].tolist()
        return found

    theirs = peers.rival(
        "pycocoevalcap",
        "pycocoevalcap.cider.cider_scorer",
        score,
        compared="score of each segment: within 1e-12",
        agrees=peers.within(1e-12),
    )
    run = lambda: metric.segment_scores(hyps, refs)  # noqa: E731
    ours = Contender("rapidbleu", run, outcome=lambda: run().tolist())
    return Comparison(TOPIC, "segments, CIDEr-D", corpus.name, ours, theirs, len(hyps), "segment")


def _matchings(corpus: Corpus) -> Iterator[Comparison]:
    gtm: Any = peers.of_tests("reference.family.gtm")
    skip_ngrams: Any = peers.of_tests("reference.family.skip_ngrams")
    unigram: Any = peers.of_tests("reference.family.unigram")
    options: Any = {"tokenize": "none"}
    for name, n_part, metric, define in (
        (
            "GTM, e = 2",
            30,
            rapidbleu.GTM(exponent=2, **options),
            lambda hyp, ref: gtm.score(*gtm.row(hyp, [ref], 2)),
        ),
        (
            "skip n-grams, 1 and 2",
            6,
            rapidbleu.SkipNgramF(max_ngram_order=2, **options),
            lambda hyp, ref: skip_ngrams.segment(hyp, [ref], 2)[0],
        ),
        (
            "WordF",
            300,
            rapidbleu.WordF(**options),
            lambda hyp, ref: float(unigram.f_score(unigram.row(hyp, ref))),
        ),
    ):
        part = corpus.part(n_part)
        sides = [[text.split() for text in side] for side in (part.hypotheses, part.references[0])]
        scores = lambda define=define, sides=sides: list(map(define, *sides))  # noqa: E731
        yield peers.beside_definition(
            TOPIC, f"segments, {name}", metric, corpus, scores, n_part=n_part
        )
