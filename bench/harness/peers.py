"""Peers: loaded if installed, and given the same jobs as our code."""

import importlib
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from types import ModuleType
from typing import Any

import rapidbleu
from bench.harness.corpora import Corpus
from bench.harness.measure import Comparison, Contender
from bench.harness.places import REPOSITORY

N_PART = 30  # segments for slow jobs


@cache
def load(name: str) -> ModuleType | None:
    """Return the module; print a line and return None if it is not installed.

    All contenders run on one core; the thread pools of bleuscore and fastchrf take their size from
    the environment.
    """
    os.environ.setdefault("RAYON_NUM_THREADS", "1")
    try:
        return importlib.import_module(name)
    except ImportError:
        print(f"{name}: not installed, left out", flush=True)
        return None


def rival(name: str, module: str, call: Callable[[Any], Any], **fields: Any) -> list[Contender]:
    """Return a contender that calls a function with the module, or none if it is not installed."""
    loaded = load(module)
    return [] if loaded is None else [Contender(name, lambda: call(loaded), **fields)]


def bleuscore(call: Callable[[Any], Any]) -> list[Contender]:
    """Return bleuscore, called with its `compute`; `call` returns one BLEU or a list of them.

    Only BLEU is compared, because bleuscore multiplies by logarithms in another order. It starts a
    thread, so the processor time of the whole process is measured.
    """

    def agrees(ours: Any, theirs: Any) -> bool:
        scores = [one[0] for one in ours] if isinstance(ours, list) else ours[0]
        return within(1e-9, scale=100)(scores, theirs)

    return rival(
        "bleuscore, 1 thread",
        "bleuscore",
        lambda module: call(module.compute),
        agrees=agrees,
        compared="BLEU within 1e-9",
    )


def of_tests(name: str) -> ModuleType:
    """Return a module of the tests: a slow oracle, or support for a peer."""
    folder = str(REPOSITORY / "tests")
    if folder not in sys.path:
        sys.path.append(folder)
    return importlib.import_module(name)


def clear_sacrebleu_caches() -> None:
    """Empty every `lru_cache` in sacrebleu's tokenizers, so that each run is a first run."""
    for name, module in list(sys.modules.items()):
        if name.startswith("sacrebleu.tokenizers"):
            for value in vars(module).values():
                for member in vars(value).values() if isinstance(value, type) else (value,):
                    if hasattr(member, "cache_clear"):
                        member.cache_clear()


def facts(score: Any) -> tuple[Any, ...]:
    """Return all values that must be equal in two score objects."""
    return (
        score.score,
        score.counts,
        score.totals,
        score.precisions,
        score.bp,
        score.sys_len,
        score.ref_len,
    )


def within(tolerance: float, scale: float = 1.0) -> Callable[[Any, Any], bool]:
    """Return a comparison by relative distance of `ours` and `scale * theirs`."""

    def agrees(ours: Any, theirs: Any) -> bool:
        if not isinstance(ours, list):
            ours, theirs = [ours], [theirs]
        return len(ours) == len(theirs) and all(
            abs(own - scale * other) <= tolerance * max(1.0, abs(own))
            for own, other in zip(ours, theirs, strict=True)
        )

    return agrees


def scoring(name: str, run: Callable[[], Any], **fields: Any) -> Contender:
    def outcome() -> Any:
        result = run()
        return [facts(score) for score in result] if isinstance(result, list) else facts(result)

    return Contender(name, run, outcome=outcome, **fields)


def only_bleu(ours: Contender) -> Contender:
    """Return our contender for peers of which only BLEU can be compared."""

    def outcome() -> Any:
        result = ours.run()
        return [score.score for score in result] if isinstance(result, list) else result.score

    return replace(ours, outcome=outcome)


def corpus_ours(corpus: Corpus, *, threads: int = 1, **options: Any) -> Contender:
    metric = rapidbleu.BLEU(**options)
    hyps, refs = corpus.hypotheses, corpus.references
    return scoring("rapidbleu", lambda: metric.corpus_score(hyps, refs, threads=threads))


def corpus_sacrebleu(corpus: Corpus, **options: Any) -> list[Contender]:
    return rival(
        "sacrebleu",
        "sacrebleu",
        lambda module: module.BLEU(**options).corpus_score(corpus.hypotheses, corpus.references),
        before=clear_sacrebleu_caches,
        agrees=lambda ours, theirs: bool(ours == facts(theirs)),
    )


def corpus_bleuscore(corpus: Corpus) -> list[Contender]:
    hyps, refs = corpus.hypotheses, list(map(list, zip(*corpus.references, strict=True)))
    closest = {"ref_len_method": "closest"} if len(corpus.references) > 1 else {}
    return bleuscore(lambda compute: compute(refs, hyps, **closest)["bleu"])


def n_tokens(texts: Sequence[Any], **options: Any) -> int:
    return int(rapidbleu.BLEU(**options).corpus_stats(texts, [texts])[0])


def beside_definition(
    topic: str,
    job: str,
    metric: Any,
    corpus: Corpus,
    define: Callable[[], list[float]],
    theirs: Sequence[Contender] = (),
    n_part: int = N_PART,
) -> Comparison:
    """Compare segment scores with an oracle, which is timed if no peer exists.

    `define` and the peers are slow and do ``corpus.part(n_part)``. `define` returns fractions.
    """
    part = corpus.part(n_part)
    n = len(corpus.hypotheses)
    definition = Contender(
        "definition",
        define,
        compared="score of each segment: within 1e-12",
        agrees=within(1e-12, 100.0),
        timed=not theirs,
    )
    share = len(part.hypotheses) / n
    scaled = [
        replace(peer, name=f"{peer.name}, a part, scaled", share=share)
        for peer in (definition, *theirs)
    ]
    ours = Contender(
        "rapidbleu",
        lambda: metric.segment_scores(corpus.hypotheses, corpus.references),
        outcome=lambda: metric.segment_scores(part.hypotheses, part.references).tolist(),
    )
    return Comparison(topic, job, corpus.name, ours, scaled, n, "segment", headline=True)
