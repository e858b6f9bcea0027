"""TER of a corpus, from strings and with prepared references, and of all pairs."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import rapidbleu
from bench.harness import peers
from bench.harness.corpora import Corpora, Corpus
from bench.harness.measure import Comparison, Contender

TOPIC = "ter"
COMPARED = "score, edits, reference length: =="
N_PAIRED = 40


def cases(corpora: Corpora) -> Iterator[Comparison]:
    for corpus in filter(None, (corpora.german, corpora.wmt17)):
        yield _corpus("corpus, TER", corpus, headline=corpus is corpora.news)
    yield _corpus("corpus, TER, 4 references", corpora.german_4)
    yield _corpus("corpus, TER, normalized", corpora.news, normalized=True)
    yield _corpus("corpus, TER, no punctuation", corpora.news, no_punct=True)
    yield _prepared(corpora.news)
    yield _pairs(corpora.news)


def _facts(score: Any) -> tuple[Any, ...]:
    return score.score, score.num_edits, score.ref_length


def _corpus(job: str, corpus: Corpus, *, headline: bool = False, **options: bool) -> Comparison:
    metric = rapidbleu.TER(**options)
    hyps, refs = corpus.hypotheses, corpus.references
    run = lambda: metric.corpus_score(hyps, refs)  # noqa: E731

    def outcome() -> Any:
        edits = metric.segment_stats(hyps, refs)[:, 0].tolist()
        return _facts(run()), edits

    ours = Contender("rapidbleu", run, outcome=outcome)

    def agrees(ours: Any, theirs: Any) -> bool:
        sacrebleu: Any = peers.load("sacrebleu")
        rows = sacrebleu.TER(**options)._extract_corpus_statistics(hyps, refs)
        return bool(ours == (_facts(theirs), [row[0] for row in rows]))

    theirs = peers.rival(
        "sacrebleu",
        "sacrebleu",
        lambda module: module.TER(**options).corpus_score(hyps, refs),
        before=peers.clear_sacrebleu_caches,
        compared=f"{COMPARED}, edits of each segment",
        agrees=agrees,
    )
    return Comparison(
        TOPIC, job, corpus.name, ours, theirs, len(hyps), "segment", headline=headline
    )


def _prepared(corpus: Corpus) -> Comparison:
    metric = rapidbleu.TER()
    hyps, refs = corpus.hypotheses, metric.prepare(corpus.references)
    ours = Contender("rapidbleu", lambda: metric.corpus_score(hyps, refs))
    theirs = []
    sacrebleu = peers.load("sacrebleu")
    if sacrebleu is not None:
        peer = sacrebleu.TER(references=corpus.references)
        theirs = [
            Contender(
                "sacrebleu",
                lambda: peer.corpus_score(hyps, None),
                compared=COMPARED,
                outcome=lambda: _facts(peer.corpus_score(hyps, None)),
            )
        ]
    ours = replace(ours, outcome=lambda: _facts(metric.corpus_score(hyps, refs)))
    return Comparison(
        TOPIC, "corpus, TER, prepared", corpus.name, ours, theirs, len(hyps), "segment"
    )


def _pairs(corpus: Corpus) -> Comparison:
    metric = rapidbleu.TER()
    hyps, refs = corpus.hypotheses[:N_PAIRED], corpus.references[0][:N_PAIRED]
    ours = Contender("rapidbleu", lambda: metric.pairwise(hyps, refs).ravel().tolist())

    def score(sacrebleu: Any) -> list[float]:
        peer = sacrebleu.TER()
        return [peer.sentence_score(hyp, [ref]).score for hyp in hyps for ref in refs]

    theirs = peers.rival(
        "sacrebleu", "sacrebleu", score, before=peers.clear_sacrebleu_caches, compared="score: =="
    )
    return Comparison(
        TOPIC, "all pairs, TER", corpus.name, ours, theirs, len(hyps) * len(refs), "pair"
    )
