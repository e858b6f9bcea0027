"""A score for every segment of a corpus."""

from collections.abc import Iterator

import rapidbleu
from bench.harness import peers
from bench.harness.corpora import Corpora, Corpus
from bench.harness.measure import Comparison, Contender

TOPIC = "segments"


def cases(corpora: Corpora) -> Iterator[Comparison]:
    """Compare `segment_scores` with sacrebleu's two ways to write the loop."""
    corpus = corpora.news
    metric = rapidbleu.BLEU(effective_order=True)
    hyps, refs = corpus.hypotheses, corpus.references
    yield Comparison(
        TOPIC, "segment scores", corpus.name,
        Contender(
            "rapidbleu", lambda: metric.segment_scores(hyps, refs),
            outcome=lambda: metric.segment_scores(hyps, refs).tolist(),
        ),
        _sacrebleu(corpus), len(hyps), "segment", headline=True,
    )  # fmt: skip


def _sacrebleu(corpus: Corpus) -> list[Contender]:
    sacrebleu = peers.load("sacrebleu")
    if sacrebleu is None:
        return []
    pairs = list(zip(corpus.hypotheses, corpus.references[0], strict=True))
    metric = sacrebleu.BLEU(effective_order=True)
    loops = {
        "sacrebleu.sentence_bleu": lambda: [
            sacrebleu.sentence_bleu(hyp, [ref]).score for hyp, ref in pairs
        ],
        "sacrebleu BLEU.sentence_score": lambda: [
            metric.sentence_score(hyp, [ref]).score for hyp, ref in pairs
        ],
    }
    return [
        Contender(name, loop, before=peers.clear_sacrebleu_caches, compared="all scores: ==")
        for name, loop in loops.items()
    ]
