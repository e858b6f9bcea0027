"""Time per token as segments grow from sentences to books."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from bench.harness import peers
from bench.harness.corpora import Corpora, Corpus
from bench.harness.measure import Comparison

TOPIC = "length"
MIN_WORDS = (12, 250, 2_500, 25_000, 250_000)
_LONGEST_TIMED = 25_000
_N_COPIES = 5


def cases(corpora: Corpora) -> Iterator[Comparison]:
    """Join consecutive segments until they are long enough.

    All jobs have the tokens of one corpus except the last, which needs more to be one segment.
    Equality is checked at all lengths; sacrebleu is not timed beyond the length of a short book.
    One document of that length has entities, which are replaced before it is split.
    """
    large = Corpora(_N_COPIES * corpora.n_segments).german
    for min_words, what in (*((n, "") for n in MIN_WORDS), (_LONGEST_TIMED, ", entities")):
        timed = min_words <= _LONGEST_TIMED
        corpus = large.head(corpora.n_segments) if timed else large
        corpus = _joined(_with_entities(corpus) if what else corpus, min_words)
        n = peers.n_tokens(corpus.hypotheses)
        yield Comparison(
            TOPIC,
            f"{n // len(corpus.hypotheses):,} tokens a segment{what}",
            corpus.name,
            peers.corpus_ours(corpus),
            [replace(peer, timed=timed) for peer in peers.corpus_sacrebleu(corpus)],
            n,
            "token",
            headline=min_words == _LONGEST_TIMED,
        )


def _with_entities(corpus: Corpus) -> Corpus:
    """Put an entity before every hundredth segment."""
    hyps, refs = (
        [text if i % 100 else f"&quot; {text}" for i, text in enumerate(side)]
        for side in (corpus.hypotheses, corpus.references[0])
    )
    return Corpus(corpus.name, hyps, [refs])


def _joined(corpus: Corpus, min_words: int) -> Corpus:
    """Join segments of at least `min_words` words; a shorter rest is added to the last."""
    bounds = [0]
    n_words = 0
    for i, text in enumerate(corpus.references[0]):
        n_words += text.count(" ") + 1
        if n_words >= min_words:
            bounds.append(i + 1)
            n_words = 0
    bounds[max(1, len(bounds) - 1) :] = [len(corpus.hypotheses)]
    hyps, refs = (
        [" ".join(side[a:b]) for a, b in pairwise(bounds)]
        for side in (corpus.hypotheses, corpus.references[0])
    )
    return Corpus(corpus.name, hyps, [refs])
