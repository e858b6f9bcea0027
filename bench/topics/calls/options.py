"""Cold corpora with other tokenizers, several references, and tokens instead of text."""

from collections.abc import Iterator
from typing import Any

import rapidbleu
from bench.harness import peers
from bench.harness.corpora import Corpora, Corpus
from bench.harness.measure import Comparison, Contender

TOPIC = "options"
LIMITS = {"corpus, 13a, 4 references": "bleuscore is compiled; every reference is tokenized"}
_MAX_ORDER = 4


def cases(corpora: Corpora) -> Iterator[Comparison]:
    for name in ("intl", "zh", "char", "none"):
        corpus = corpora.chinese if name == "zh" else corpora.news
        yield _comparison(f"corpus, {name}", corpus, tokenize=name)
    yield _comparison("corpus, 13a, 4 references", corpora.german_4)
    yield _comparison("corpus, 13a, lowercase", corpora.news, lowercase=True)
    yield _tokens(corpora.news)


def _comparison(job: str, corpus: Corpus, **options: Any) -> Comparison:
    several = len(corpus.references) > 1
    return Comparison(
        TOPIC, job, corpus.name, peers.corpus_ours(corpus, **options),
        [
            *peers.corpus_sacrebleu(corpus, **options),
            *(peers.corpus_bleuscore(corpus) if several else []),
        ],
        len(corpus.hypotheses), "segment", quantity="process CPU ns",
        headline="tokenize" in options or several,
    )  # fmt: skip


def _tokens(corpus: Corpus) -> Comparison:
    """Compare with NLTK, which scores from 0 to 1 and multiplies by logarithms in another order.

    Only hypotheses of four tokens or more are used: NLTK counts one n-gram of the highest orders
    for a shorter one, which has none.
    """
    tokenize = rapidbleu.BLEU().tokenizer
    pairs = zip(corpus.hypotheses, corpus.references[0], strict=True)
    tokens = [(tokenize(hyp), tokenize(ref)) for hyp, ref in pairs]
    long = [(hyp, ref) for hyp, ref in tokens if len(hyp) >= _MAX_ORDER]
    hyps, refs = [hyp for hyp, _ in long], [ref for _, ref in long]
    metric = rapidbleu.BLEU(smooth_method="none", tokenize="none")
    ours = peers.scoring("rapidbleu", lambda: metric.corpus_score(hyps, [refs]))
    theirs = []
    nltk = peers.load("nltk.translate.bleu_score")
    if nltk:
        listed = [[ref] for ref in refs]
        theirs = [
            Contender(
                "NLTK", lambda: nltk.corpus_bleu(listed, hyps),
                agrees=peers.within(1e-9, scale=100), compared="BLEU within 1e-9",
            )
        ]  # fmt: skip
    return Comparison(
        TOPIC, "corpus, token lists", corpus.name, peers.only_bleu(ours), theirs,
        len(hyps), "segment", headline=True,
    )  # fmt: skip
