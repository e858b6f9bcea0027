"""Metrics of Hugging Face's evaluate: the same `load` and `compute`, the same numbers, at once.

`evaluate` itself writes each batch to a file and takes 3 ms a call. It is not needed here, nor are
its scripts, sacrebleu, jiwer or rouge-score. NLTK is needed for METEOR, and for the stems of ROUGE.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

from rapidbleu._lib.lazy import np
from rapidbleu._lib.loader import load as load_module
from rapidbleu.adapters import by_segment, check_lengths, check_texts, listed, nmt, rouge_score
from rapidbleu.metrics import BLEU, CHRF, GLEU, TER
from rapidbleu.metrics.counting.overlap import MOST_ORDERS
from rapidbleu.nltk.meteor_score import meteor_score

__all__ = ["load"]


def load(path: str, seed: int | None = None) -> Module:
    """Return a metric by its name.

    Parameters
    ----------
    path : {"bleu", "cer", "chrf", "google_bleu", "meteor", "rouge", "sacrebleu", "ter", "wer"}
    seed : int, optional
        Of the resamples of ``rouge``; by default what the state of NumPy's generator says.

    Returns
    -------
    Module

    Raises
    ------
    ValueError
        If it is the name of no metric here; `evaluate` itself may have it.

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
    """A metric with the methods of `evaluate.Metric`; the parameters are as of `load`.

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
        """Add a segment; `predictions` and `references` are understood too."""
        one = {"predictions": prediction, "references": reference, **by_plural}
        self.add_batch(**{name: [value] for name, value in one.items()})

    def add_batch(self, *, predictions: Any, references: Any) -> None:
        """Add segments.

        Parameters
        ----------
        predictions : sequence of str
        references : sequence of str or of sequences of str
            The references of each segment, which may be one or several.
        """
        predictions = listed(predictions, "predictions")
        references = by_segment(references, "references")
        check_lengths(references, "references", predictions, "predictions")
        self._predictions += predictions
        self._references += references

    def compute(self, *, predictions: Any = None, references: Any = None, **options: Any) -> Any:
        """Score what was added and what is given here, and forget it.

        Parameters
        ----------
        predictions, references
            As of `add_batch`.
        **options
            Those of the metric, see docs/adapters.md.

        Returns
        -------
        dict, or float of ``cer`` and ``wer``
        """
        if predictions is not None or references is not None:
            self.add_batch(predictions=predictions, references=references)
        segments = self._predictions, self._references
        self._predictions, self._references = [], []
        if not segments[0]:
            raise ValueError("predictions: expected at least one segment; got none")
        if self.name not in RANDOM:
            return METRICS[self.name](*segments, **options)
        with _numpy_seeded(self.seed):
            return METRICS[self.name](*segments, **options)


def _seed_of_numpy() -> int:
    """Return the number that NumPy's global generator would go on from."""
    state: Any = np.random.get_state()
    _, numbers, place, *_ = state
    return int(numbers[place] if place < len(numbers) else numbers[0])


@contextmanager
def _numpy_seeded(seed: int | None) -> Iterator[None]:
    """Seed NumPy's global generator, and leave it as it was."""
    state = np.random.get_state()
    np.random.seed(seed)
    try:
        yield
    finally:
        np.random.set_state(state)


def bleu(
    predictions: Any, references: Any, tokenizer: Any = None, max_order: int = 4,
    smooth: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """BLEU of `rapidbleu.adapters.nmt`; `tokenizer`: str to tokens, 13a by default."""
    segments = _tokenized(predictions, references, tokenizer)
    row = nmt.metric(max_order).corpus_stats(*segments, layout="segment")
    return nmt.score(row.tolist(), smooth)._asdict()


def google_bleu(
    predictions: Any, references: Any, tokenizer: Any = None, min_len: int = 1, max_len: int = 4
) -> dict[str, Any]:
    """GLEU (Wu et al. 2016) of `rapidbleu.GLEU`, from 0 to 1; `tokenizer` as for `bleu`."""
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
    """BLEU with the options of `rapidbleu.BLEU`, one of which has another name here."""
    metric = BLEU(effective_order=use_effective_order, **options)
    names = ("score", "counts", "totals", "precisions", "bp", "sys_len", "ref_len")
    return _parts(metric, predictions, references, names)


def chrf(predictions: Any, references: Any, **options: Any) -> dict[str, Any]:
    """chrF with the options of `rapidbleu.CHRF`."""
    names = ("score", "char_order", "word_order", "beta")
    return _parts(CHRF(**options), predictions, references, names)


def ter(
    predictions: Any, references: Any, normalized: bool = False, ignore_punct: bool = False,
    support_zh_ja_chars: bool = False, case_sensitive: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """TER with the options of `rapidbleu.TER`, two of which have other names here."""
    metric = TER(normalized, ignore_punct, support_zh_ja_chars, case_sensitive)
    return _parts(metric, predictions, references, ("score", "num_edits", "ref_length"))


def wer(predictions: Any, references: Any, concatenate_texts: bool = False) -> float:
    """Word error rate of `rapidbleu.adapters.jiwer`, of single references.

    Texts are never concatenated. With `concatenate_texts`, and no word in the references, the rate
    is the number of insertions.
    """
    return _error_rate("process_words", "wer", predictions, references, concatenate_texts)


def cer(predictions: Any, references: Any, concatenate_texts: bool = False) -> float:
    """Character error rate of `rapidbleu.adapters.jiwer`, of single references; else as `wer`."""
    return _error_rate("process_characters", "cer", predictions, references, concatenate_texts)


def rouge(
    predictions: Any, references: Any, rouge_types: Any = None, use_aggregator: bool = True,
    use_stemmer: bool = False, tokenizer: Any = None,
) -> dict[str, Any]:  # fmt: skip
    """F of `rapidbleu.adapters.rouge_score`; `tokenizer`: str to tokens.

    The medians of means of resamples, or with `use_aggregator` false those of each segment.
    """
    types = ["rouge1", "rouge2", "rougeL", "rougeLsum"] if rouge_types is None else rouge_types
    wrapped = None if tokenizer is None else SimpleNamespace(tokenize=tokenizer)
    scorer = rouge_score.RougeScorer(types, use_stemmer, tokenizer=wrapped)
    scores = scorer.score_all(references, predictions)
    if not use_aggregator:
        return {name: [score.fmeasure for score in scores[name]] for name in scores}
    aggregator = rouge_score.BootstrapAggregator()
    for i in range(len(predictions)):
        aggregator.add_scores({name: scores[name][i] for name in scores})
    return {name: score.mid.fmeasure for name, score in aggregator.aggregate().items()}


def meteor(
    predictions: Any, references: Any, alpha: float = 0.9, beta: float = 3, gamma: float = 0.5,
    wordnet: Any = None,
) -> dict[str, Any]:  # fmt: skip
    """The mean of `rapidbleu.nltk.meteor_score` over segments.

    Words are those of NLTK's `word_tokenize`; `wordnet` is NLTK's by default.
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
    "bleu": bleu, "cer": cer, "chrf": chrf, "google_bleu": google_bleu, "meteor": meteor,
    "rouge": rouge, "sacrebleu": sacrebleu, "ter": ter, "wer": wer,
}  # fmt: skip
RANDOM = {"rouge"}  # draw from NumPy's global generator


def _parts(
    metric: Any, predictions: Any, references: Any, names: tuple[str, ...]
) -> dict[str, Any]:
    """Return attributes of the score of a corpus."""
    score = metric.corpus_score(predictions, references, layout="segment")
    return {name: getattr(score, name) for name in names}


def _error_rate(
    process: str, name: str, predictions: Any, references: Any, concatenate_texts: bool
) -> float:
    """Return a rate of single references, which are refused if they have no length."""
    for i, several in enumerate(references):
        if len(several) != 1:
            raise ValueError(f"references[{i}]: expected one reference; got {len(several)}")
    count = load_module("rapidbleu.adapters.jiwer", process)  # which loads jiwer
    output = count([several[0] for several in references], predictions)
    if not concatenate_texts and output.hits + output.substitutions + output.deletions == 0:
        raise ZeroDivisionError("references: expected at least one that is not empty")
    rate: float = getattr(output, name)
    return rate


def _tokenized(predictions: Any, references: Any, tokenizer: Any) -> tuple[list[Any], list[Any]]:
    """Lists of tokens; or text, which our metrics tokenize as 13a."""

    def prepare(text: Any) -> Any:
        if tokenizer is not None:
            return list(tokenizer(text))
        # 13a joins lines that were broken at a hyphen. Here it does so at the end of a text too,
        # which our metrics would strip of white space first: a word that it deletes prevents that.
        return f"{text}<skipped>" if isinstance(text, str) and "\n" in text else text

    return list(map(prepare, predictions)), [list(map(prepare, texts)) for texts in references]
