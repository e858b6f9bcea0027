"""Make the test vectors from the libraries that define the metrics.

    python vectors/make.py           write vectors/*.jsonl
    python vectors/make.py --check   compare the stored vectors with the installed libraries

No score comes from rapidbleu. Statistics that a library does not return are counted here from its
own tokens. Last bits depend on Python, because `sum` of floats is more exact from 3.12 on, so the
script writes with the version in `PYTHON` only.
"""

from __future__ import annotations

import argparse
import gzip
import importlib.metadata
import json
import logging
import math
import platform
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from cases import CASES, Case

PYTHON = "3.11"
FOLDER = Path(__file__).parent
PACKED = FOLDER.parent / "src/rapidbleu/cli/vectors.gz"  # for `rapidbleu vectors`
VERSIONS = {"sacrebleu": "2.6.0", "nltk": "3.10.4", "jiwer": "4.0.0", "rouge-score": "0.1.2"}
# A different order of sums changes some last bits of a score.
RELATIVE_TOLERANCE = 1e-12

Result = tuple[dict[str, Any], float]  # statistics and score


def columns(case: Case) -> tuple[list[str], list[list[str]]]:
    """Return the hypotheses, and the references of each segment."""
    return [hyp for hyp, _ in case.segments], [refs for _, refs in case.segments]


def streams(references: list[list[str]]) -> list[list[str | None]]:
    """Return references as sacrebleu takes them: the first of each segment, and so on."""
    most = max(map(len, references))
    return [
        [several[i] if i < len(several) else None for several in references] for i in range(most)
    ]


def bleu(case: Case) -> Result:
    from sacrebleu.metrics import BLEU

    options = dict(case.options)
    metric = BLEU(
        tokenize=options.pop("tokenize"),
        smooth_method=options.pop("smoothing"),
        smooth_value=options.pop("smoothing_value", None),
        max_ngram_order=options.pop("max_order", 4),
        lowercase=options.pop("lowercase", False),
        effective_order=options.pop("effective_order", False),
        force=True,
    )
    assert not options, options
    hypotheses, references = columns(case)
    taken = streams(references)
    score = metric.corpus_score(hypotheses, taken)
    rows = metric._extract_corpus_statistics(hypotheses, taken)
    hyp_len, ref_len, *counts = (sum(column) for column in zip(*rows, strict=True))
    statistics = {
        "matches": counts[: metric.max_ngram_order],  # before smoothing
        "totals": counts[metric.max_ngram_order :],
        "hyp_len": hyp_len,
        "ref_len": ref_len,
    }
    return statistics, score.score


def chrf(case: Case) -> Result:
    from sacrebleu.metrics import CHRF

    options = dict(case.options)
    metric = CHRF(
        char_order=options.pop("char_order", 6),
        word_order=options.pop("word_order", 0),
        beta=options.pop("beta", 2),
        lowercase=options.pop("lowercase", False),
        whitespace=options.pop("whitespace", False),
        eps_smoothing=options.pop("eps_smoothing", False),
    )
    assert not options, options
    hypotheses, references = columns(case)
    taken = streams(references)
    score = metric.corpus_score(hypotheses, taken)
    rows = metric._extract_corpus_statistics(hypotheses, taken)
    sums = [sum(column) for column in zip(*rows, strict=True)]
    statistics = {"hyp": sums[0::3], "ref": sums[1::3], "matches": sums[2::3]}
    return statistics, score.score


def ter(case: Case) -> Result:
    from sacrebleu.metrics import TER

    options = dict(case.options)
    metric = TER(
        normalized=options.pop("normalized", False),
        no_punct=options.pop("no_punct", False),
        asian_support=options.pop("asian_support", False),
        case_sensitive=options.pop("case_sensitive", False),
    )
    assert not options, options
    hypotheses, references = columns(case)
    score = metric.corpus_score(hypotheses, streams(references))
    return {"edits": score.num_edits, "ref_len": score.ref_length}, score.score


def error_rate(case: Case) -> Result:
    import jiwer

    options = dict(case.options)
    measure = options.pop("measure")
    assert not options, options
    process = jiwer.process_characters if measure == "cer" else jiwer.process_words
    hypotheses, references = columns(case)
    output = process([reference for (reference,) in references], hypotheses)
    names = ("hits", "substitutions", "deletions", "insertions")
    return {name: getattr(output, name) for name in names}, float(getattr(output, measure))


def rouge(case: Case) -> Result:
    from rouge_score.rouge_scorer import RougeScorer

    options = dict(case.options)
    kind, stemmer = options.pop("type"), options.pop("stemmer", False)
    assert not options, options
    scorer = RougeScorer([kind], use_stemmer=stemmer)
    best = [scorer.score_multi(refs, hyp)[kind] for hyp, refs in case.segments]
    n_segments = len(best)
    statistics = {
        "precision": sum(score.precision for score in best) / n_segments,
        "recall": sum(score.recall for score in best) / n_segments,
    }
    return statistics, float(sum(score.fmeasure for score in best) / n_segments)


def tokens(case: Case) -> tuple[list[list[str]], list[list[list[str]]]]:
    """Return words as NLTK takes them."""
    hypotheses, references = columns(case)
    words = [[text.split() for text in several] for several in references]
    return [text.split() for text in hypotheses], words


def nltk_bleu(case: Case) -> Result:
    from nltk.translate import bleu_score
    from nltk.util import ngrams

    options = dict(case.options)
    method = options.pop("smoothing")
    smoothing = bleu_score.SmoothingFunction(
        epsilon=options.pop("epsilon", 0.1), alpha=options.pop("alpha", 5), k=options.pop("k", 5)
    )
    weights = tuple(options.pop("weights", (0.25,) * 4))
    reweigh = options.pop("auto_reweigh", False)
    assert not options, options
    hypotheses, references = tokens(case)
    score = bleu_score.corpus_bleu(
        references, hypotheses, weights, getattr(smoothing, method), reweigh
    )
    orders = range(1, len(weights) + 1)
    matches, totals = [0] * len(weights), [0] * len(weights)
    for hyp, refs in zip(hypotheses, references, strict=True):
        for n in orders:
            counts = Counter(ngrams(hyp, n))
            most: Counter[Any] = Counter()
            for ref in refs:
                most |= Counter(ngrams(ref, n))
            matches[n - 1] += (counts & most).total()
            totals[n - 1] += max(1, counts.total())
    statistics = {
        "matches": matches,
        "totals": totals,
        "hyp_len": sum(map(len, hypotheses)),
        "ref_len": sum(
            bleu_score.closest_ref_length(refs, len(hyp))
            for hyp, refs in zip(hypotheses, references, strict=True)
        ),
    }
    return statistics, float(score)


def gleu(case: Case) -> Result:
    from nltk.translate.gleu_score import corpus_gleu
    from nltk.util import everygrams

    options = dict(case.options)
    shortest, longest = options.pop("min_len", 1), options.pop("max_len", 4)
    assert not options, options
    hypotheses, references = tokens(case)
    score = corpus_gleu(references, hypotheses, shortest, longest)
    matches = total = 0
    for hyp, refs in zip(hypotheses, references, strict=True):
        grams = Counter(everygrams(hyp, shortest, longest))
        best = (0, 0)
        for ref in refs:
            other = Counter(everygrams(ref, shortest, longest))
            n_all = max(grams.total(), other.total())
            common = (grams & other).total()
            if n_all > 0 and (best[1] == 0 or common * best[1] > best[0] * n_all):
                best = (common, n_all)
        matches, total = matches + best[0], total + best[1]
    return {"matches": matches, "totals": total}, float(score)


def nist(case: Case) -> Result:
    from nltk.translate.nist_score import corpus_nist

    options = dict(case.options)
    order = options.pop("max_order", 5)
    assert not options, options
    hypotheses, references = tokens(case)
    return {}, float(corpus_nist(references, hypotheses, order))


def ribes(case: Case) -> Result:
    from nltk.translate.ribes_score import corpus_ribes

    options = dict(case.options)
    alpha, beta = options.pop("alpha", 0.25), options.pop("beta", 0.1)
    assert not options, options
    hypotheses, references = tokens(case)
    return {}, float(corpus_ribes(references, hypotheses, alpha, beta))


# By file: the function, the library, and whether a score is a percentage
METRICS: dict[str, tuple[Callable[[Case], Result], str]] = {
    "bleu": (bleu, "sacrebleu"),
    "chrf": (chrf, "sacrebleu"),
    "ter": (ter, "sacrebleu"),
    "wer": (error_rate, "jiwer"),
    "cer": (error_rate, "jiwer"),
    "rouge": (rouge, "rouge-score"),
    "nltk_bleu": (nltk_bleu, "nltk"),
    "nltk_gleu": (gleu, "nltk"),
    "nltk_nist": (nist, "nltk"),
    "nltk_ribes": (ribes, "nltk"),
}


def vectors_of(name: str) -> Iterator[dict[str, Any]]:
    """Yield the vectors of a file."""
    score_of, library = METRICS[name]
    installed = importlib.metadata.version(library)
    for number, case in enumerate(CASES[name], 1):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of NLTK, of orders without a match
            statistics, score = score_of(case)
        assert math.isfinite(score), case
        yield {
            "id": f"{name}-{number:03}",
            "reason": case.reason,
            "tags": case.tags,
            "core": case.core,
            "segments": [{"hypothesis": hyp, "references": refs} for hyp, refs in case.segments],
            "options": case.options,
            "statistics": statistics,
            "score": repr(score),
            "score_hex": score.hex(),
            "tolerance": RELATIVE_TOLERANCE * max(1.0, abs(score)),
            "source": {
                "library": library,
                "version": installed,
                "python": platform.python_version(),
            },
        }


def write() -> None:
    """Write all files, and one of all vectors for the package."""
    for name in METRICS:
        with open(FOLDER / f"{name}.jsonl", "w", encoding="utf-8", newline="\n") as file:
            for vector in vectors_of(name):
                file.write(json.dumps(vector, ensure_ascii=False) + "\n")
    lines = b"".join((FOLDER / f"{name}.jsonl").read_bytes() for name in METRICS)
    PACKED.write_bytes(gzip.compress(lines, mtime=0))


def check() -> int:
    """Compare the stored vectors with new ones; return the number of differences."""
    n_differences = 0
    for name in METRICS:
        lines = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        for stored, vector in zip(map(json.loads, lines), vectors_of(name), strict=True):
            distance = abs(float(stored["score"]) - float(vector["score"]))
            for key in ("score", "score_hex", "source", "tolerance"):
                stored.pop(key), vector.pop(key)
            if name == "rouge":  # sums of fractions
                stored.pop("statistics"), vector.pop("statistics")
            same = json.loads(json.dumps(vector)) == stored
            if not same or distance > RELATIVE_TOLERANCE * 100:
                print(f"{vector['id']}: expected {stored}, got {vector}", file=sys.stderr)
                n_differences += 1
    return n_differences


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare; write nothing")
    arguments = parser.parse_args()
    logging.disable(logging.WARNING)
    if arguments.check:
        return int(check() > 0)
    wrong = {
        library: importlib.metadata.version(library)
        for library, version in VERSIONS.items()
        if importlib.metadata.version(library) != version
    }
    if wrong or not platform.python_version().startswith(f"{PYTHON}."):
        parser.error(f"expected Python {PYTHON} and {VERSIONS}; got {wrong or sys.version}")
    write()
    return 0


if __name__ == "__main__":
    sys.exit(main())
