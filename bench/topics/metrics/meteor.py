"""METEOR with equal words and stems, against the METEOR program and NLTK's METEOR.

The program needs Java and the package pycocoevalcap, which contains it. Its start is not timed.
"""

from collections.abc import Iterator
from dataclasses import replace
from statistics import fmean
from types import SimpleNamespace
from typing import Any

import rapidbleu
from bench.harness import peers
from bench.harness.corpora import Corpora, Corpus
from bench.harness.measure import Comparison, Contender

TOPIC = "meteor"
LIMITS = {
    "segments, METEOR": "the program is compiled by the JVM; search and normalization are 80 %",
    "METEOR, new words": "Snowball stems each new word",
    "segments, METEOR, tokenized": "the program is compiled by the JVM; search is most of our time",
    "METEOR, tokenized, new words": "Snowball stems each new word",
}
MODULES = "exact", "stem"


def cases(corpora: Corpora) -> Iterator[Comparison]:
    """Compute rows of German segments, from text and from tokenized text; then scores of tokens."""
    if peers.load("Stemmer") is None:
        return
    corpus = corpora.news
    support: Any = peers.of_tests("support.programs.meteor_program")
    if support.MeteorProgram.path is None:
        print("METEOR's program: no Java or no pycocoevalcap, left out", flush=True)
    else:
        yield from _program(support, corpus, None, "-norm")
        yield from _program(support, corpus, "none")
    yield _nltk(corpus)


def _program(support: Any, corpus: Corpus, tokenize: Any, *flags: str) -> Iterator[Comparison]:
    """Run once with words that our metric knows, once with a metric that has seen none.

    Comparison uses the program's stems, because Snowball has changed since.
    """
    hyps, refs = corpus.hypotheses, corpus.references
    options: Any = {
        "language": "de",
        "modules": MODULES,
        "tokenize": tokenize,
        "data": support.MeteorProgram.path,
    }
    known = rapidbleu.METEOR(**options)
    latest = [known]
    words = {
        word
        for text in (*hyps, *refs[0])
        for word in (text.split() if tokenize else known.tokenizer(text))
    }
    stems = support.program_stems(words, "german")
    alike = rapidbleu.METEOR(stem=stems.__getitem__, **options)
    defined: Any = peers.of_tests("reference.family.meteor")
    streams = [[ref] for ref in refs[0]]

    def forget() -> None:
        latest[0] = rapidbleu.METEOR(**options)

    def expected() -> list[Any]:
        rows = program.statistics(hyps, streams)
        return [[*row[:20], row[20] - defined.is_perfect(row), *row[21:]] for row in rows]

    with support.MeteorProgram("-l", "de", "-m", " ".join(MODULES), *flags) as program:
        peer = Contender(
            "METEOR 1.5 in Java",
            lambda: program.statistics(hyps, streams),
            compared="23 statistics of each segment: ==",
            outcome=expected,
        )
        first = Contender("rapidbleu", lambda: latest[0].segment_stats(hyps, refs), before=forget)
        again = Contender("rapidbleu", lambda: known.segment_stats(hyps, refs))
        what = "METEOR, tokenized" if tokenize else "METEOR"
        for job, ours in ((f"segments, {what}", again), (f"{what}, new words", first)):
            outcome = lambda: alike.segment_stats(hyps, refs).tolist()  # noqa: E731
            yield Comparison(
                TOPIC,
                job,
                corpus.name,
                replace(ours, outcome=outcome),
                [peer],
                len(hyps),
                "segment",
                quantity="wall ns",
                headline=True,
            )


def _nltk(corpus: Corpus) -> Comparison:
    """Compare by NLTK's parameters of 2005; without WordNet, it has no synonyms.

    Most scores are equal; they differ where alignments do. `rapidbleu.nltk.meteor_score`, whose
    scores all equal NLTK's, is in the topic nltk.
    """
    hyps = [text.lower().split() for text in corpus.hypotheses]
    refs = [text.lower().split() for text in corpus.references[0]]
    metric = rapidbleu.METEOR("2005", tokenize="none")
    wordnet = SimpleNamespace(synsets=lambda _: ())
    theirs = peers.rival(
        "NLTK, aligned otherwise",
        "nltk.translate.meteor_score",
        lambda module: [
            module.meteor_score([ref], hyp, wordnet=wordnet)
            for hyp, ref in zip(hyps, refs, strict=True)
        ],
        compared="mean of segments: within 2 points",
        agrees=lambda ours, theirs: abs(fmean(ours) - 100 * fmean(theirs)) < 2,
    )
    run = lambda: metric.segment_scores(hyps, [refs])  # noqa: E731
    ours = Contender("rapidbleu", run, outcome=lambda: run().tolist())
    return Comparison(
        TOPIC,
        "segments, METEOR of tokens",
        corpus.name,
        ours,
        theirs,
        len(hyps),
        "segment",
        headline=True,
    )
