"""Metrics of Hugging Face's evaluate: the same `load` and `compute`, the same numbers, at once.

`evaluate` writes each batch to a file and takes 3 ms per call. Neither it nor its scripts,
sacrebleu, jiwer or rouge-score are required. METEOR and the stems of ROUGE need NLTK.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

from rapidbleu._lib.checks import check_lengths
from rapidbleu._lib.loader import load as load_module
from rapidbleu._lib.loader import np
from rapidbleu.adapters import by_segment, check_texts, listed, nmt, rouge_score
from rapidbleu.metrics import BLEU, CHRF, GLEU, TER
from rapidbleu.metrics.counting.overlap import MOST_ORDERS
from rapidbleu.nltk.meteor_score import meteor_score

__all__ = ["load"]


def load(path: str, seed: int | None = None) -> Module:
    """Return a metric by name; a name unknown here is a ValueError, even if `evaluate` has it.

    Parameters
    ----------
    path : {"bleu", "cer", "chrf", "google_bleu", "meteor", "rouge", "sacrebleu", "ter", "wer"}
    seed : int, optional
        Seed for the resamples of ``rouge`` (default: from the state of NumPy's generator).

    Examples
    --------
    >>> bleu = load("bleu")
    >>> results = bleu.compute(predictions=["the cat sat"], references=["the cat sat"], max_order=2)
    >>> results["bleu"], results["precisions"]
    (1.0, [1.0, 1.0])
    """
    if path not in METRICS:
        raise ValueError(f"load: expected one of {', '.join(METRICS)}; got {path!r}")
    return Module(path, seed)


class Module:
    """A metric with the methods of `evaluate.Metric`; parameters are as in `load`.

    Examples
    --------
    >>> ter = Module("ter")
    >>> ter.add(prediction="on the mat the cat sat", reference=["the cat sat on the mat"])
    >>> ter.compute()["num_edits"]
    1
    """

    def __init__(self, name: str, seed: int | None = None) -> None:
        self.name = name
        self.seed = _seed_of_numpy() if seed is None and name in RANDOM else seed
        self._predictions: list[Any] = []
        self._references: list[Any] = []

    def add(self, *, prediction: Any = None, reference: Any = None, **by_plural: Any) -> None:
        """Add a segment; `predictions` and `references` are accepted as well."""
        values = {"predictions": prediction, "references": reference, **by_plural}
        self.add_batch(**{name: [value] for name, value in values.items()})

    def add_batch(self, *, predictions: Any, references: Any) -> None:
        """Add segments.

        Parameters
        ----------
        predictions : sequence of str
        references : sequence of str or of sequences of str
            One or more references of each segment.
        """
        predictions = listed(predictions, "predictions")
        references = by_segment(references, "references")
        check_lengths(references, "references", predictions, "predictions")
        self._predictions += predictions
        self._references += references

    def compute(self, *, predictions: Any = None, references: Any = None, **options: Any) -> Any:
        """Score everything added or passed here, and forget it.

        Returns a dict, or a float for ``cer`` and ``wer``.

        Parameters
        ----------
        predictions, references
            As in `add_batch`.
        **options
            Options of the metric; see docs/guides/migrating.md.
        """
        if predictions is not None or references is not None:
            self.add_batch(predictions=predictions, references=references)
        segments = self._predictions, self._references
        self._predictions = []
        self._references = []
        if not segments[0]:
            raise ValueError("predictions: expected at least one segment; got none")
        if self.name not in RANDOM:
            return METRICS[self.name](*segments, **options)
        with _numpy_seeded(self.seed):
            return METRICS[self.name](*segments, **options)


def _seed_of_numpy() -> int:
    """Return the next number of NumPy's global generator."""
    state: Any = np.random.get_state()
    _, numbers, place, *_ = state
    return int(numbers[place] if place < len(numbers) else numbers[0])


@contextmanager
def _numpy_seeded(seed: int | None) -> Iterator[None]:
    """Seed NumPy's global generator, and restore it afterwards."""
    state = np.random.get_state()
    np.random.seed(seed)
    try:
        yield
    finally:
        np.random.set_state(state)


def bleu(
    predictions: Any,
    references: Any,
    tokenizer: Any = None,
    max_order: int = 4,
    smooth: bool = False,
) -> dict[str, Any]:
    """Score by BLEU of `rapidbleu.adapters.nmt`; `tokenizer` maps str to tokens (default: 13a)."""
    segments = _tokenized(predictions, references, tokenizer)
    row = nmt.metric(max_order).corpus_stats(*segments, layout="segment")
    return nmt.score(row.tolist(), smooth)._asdict()


def google_bleu(
    predictions: Any, references: Any, tokenizer: Any = None, min_len: int = 1, max_len: int = 4
) -> dict[str, Any]:
    """Score by `rapidbleu.GLEU` (Wu et al. 2016), from 0 to 1; `tokenizer` as in `bleu`."""
    if not 1 <= min_len <= max_len:
        raise ValueError(f"min_len: expected 1 to max_len, which is {max_len}; got {min_len}")
    if max_len > MOST_ORDERS:
        raise ValueError(f"max_len: expected at most {MOST_ORDERS}; got {max_len}")
    segments = _tokenized(predictions, references, tokenizer)
    row = GLEU(min_ngram_order=min_len, max_ngram_order=max_len).corpus_stats(
        *segments, layout="segment"
    )
    matched, possible = row.tolist()
    return {"google_bleu": matched / possible if possible else 0.0}


def sacrebleu(
    predictions: Any, references: Any, *, use_effective_order: bool = False, **options: Any
) -> dict[str, Any]:
    """Score by BLEU with the options of `rapidbleu.BLEU`, one of which is renamed."""
    metric = BLEU(effective_order=use_effective_order, **options)
    names = ("score", "counts", "totals", "precisions", "bp", "sys_len", "ref_len")
    return _parts(metric, predictions, references, names)


def chrf(predictions: Any, references: Any, **options: Any) -> dict[str, Any]:
    """Score by chrF with the options of `rapidbleu.CHRF`."""
    names = ("score", "char_order", "word_order", "beta")
    return _parts(CHRF(**options), predictions, references, names)


def ter(
    predictions: Any,
    references: Any,
    normalized: bool = False,
    ignore_punct: bool = False,
    support_zh_ja_chars: bool = False,
    case_sensitive: bool = False,
) -> dict[str, Any]:
    """Score by TER with the options of `rapidbleu.TER`, two of which are renamed."""
    metric = TER(normalized, ignore_punct, support_zh_ja_chars, case_sensitive)
    return _parts(metric, predictions, references, ("score", "num_edits", "ref_length"))


def wer(predictions: Any, references: Any, concatenate_texts: bool = False) -> float:
    """Return the word error rate of `rapidbleu.adapters.jiwer`, for single references.

    Texts are never concatenated. With `concatenate_texts` and no reference words, the rate is the
    number of insertions.
    """
    return _error_rate("process_words", "wer", predictions, references, concatenate_texts)


def cer(predictions: Any, references: Any, concatenate_texts: bool = False) -> float:
    """Return the character error rate of `rapidbleu.adapters.jiwer`; otherwise like `wer`."""
    return _error_rate("process_characters", "cer", predictions, references, concatenate_texts)


def rouge(
    predictions: Any,
    references: Any,
    rouge_types: Any = None,
    use_aggregator: bool = True,
    use_stemmer: bool = False,
    tokenizer: Any = None,
) -> dict[str, Any]:
    """Return F by `rapidbleu.adapters.rouge_score`; `tokenizer` maps str to tokens.

    This is the median of resampled means, or a list by segment without `use_aggregator`.
    """
    types = ["rouge1", "rouge2", "rougeL", "rougeLsum"] if rouge_types is None else rouge_types
    wrapped = None if tokenizer is None else SimpleNamespace(tokenize=tokenizer)
    scorer = rouge_score.RougeScorer(types, use_stemmer, tokenizer=wrapped)
    if not use_aggregator:
        scores = scorer.score_all(references, predictions)
        return {name: [score.fmeasure for score in scores[name]] for name in scores}
    rows = scorer._count_all(references, predictions)
    means = rouge_score.resampled([rouge_score.fractions(own)[:, 2:] for own in rows.values()])
    medians = np.percentile(np.hstack(means), 50.0, axis=0) if means else []
    return dict(zip(rows, medians, strict=True))


def meteor(
    predictions: Any,
    references: Any,
    alpha: float = 0.9,
    beta: float = 3,
    gamma: float = 0.5,
    wordnet: Any = None,
) -> dict[str, Any]:
    """Return the mean `rapidbleu.nltk.meteor_score` of segments split by NLTK's `word_tokenize`.

    `wordnet` is NLTK's by default.
    """
    from nltk import word_tokenize

    check_texts(predictions, "predictions")
    scores = []
    for i, (prediction, several) in enumerate(zip(predictions, references, strict=True)):
        check_texts(several, f"references[{i}]")
        hyp, *refs = map(word_tokenize, (prediction, *several))
        scores.append(meteor_score(refs, hyp, alpha=alpha, beta=beta, gamma=gamma, wordnet=wordnet))
    return {"meteor": np.mean(scores)}


METRICS: dict[str, Callable[..., Any]] = {
    "bleu": bleu,
    "cer": cer,
    "chrf": chrf,
    "google_bleu": google_bleu,
    "meteor": meteor,
    "rouge": rouge,
    "sacrebleu": sacrebleu,
    "ter": ter,
    "wer": wer,
}
RANDOM = {"rouge"}  # draw from NumPy's global generator


def _parts(
    metric: Any, predictions: Any, references: Any, names: tuple[str, ...]
) -> dict[str, Any]:
    score = metric.corpus_score(predictions, references, layout="segment")
    return {name: getattr(score, name) for name in names}


def _error_rate(
    process: str, name: str, predictions: Any, references: Any, concatenate_texts: bool
) -> float:
    """Return a rate for single references, which must not all be empty."""
    for i, several in enumerate(references):
        if len(several) != 1:
            raise ValueError(f"references[{i}]: expected one reference; got {len(several)}")
    count = load_module("rapidbleu.adapters.jiwer", process)  # loads jiwer if installed
    output = count([several[0] for several in references], predictions)
    if not concatenate_texts and output.hits + output.substitutions + output.deletions == 0:
        raise ZeroDivisionError("references: expected at least one that is not empty")
    rate: float = getattr(output, name)
    return rate


def _tokenized(predictions: Any, references: Any, tokenizer: Any) -> tuple[list[Any], list[Any]]:
    """Return lists of tokens, or text that our metrics tokenize by 13a."""

    def prepare(text: Any) -> Any:
        if tokenizer is not None:
            return list(tokenizer(text))
        # 13a joins lines broken at a hyphen, here even at the end of a text, where our metrics
        # would first strip white space: a word that 13a deletes prevents that.
        return f"{text}<skipped>" if isinstance(text, str) and "\n" in text else text

    return list(map(prepare, predictions)), [list(map(prepare, texts)) for texts in references]
