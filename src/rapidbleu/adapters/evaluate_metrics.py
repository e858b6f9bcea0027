"""Those metrics of Hugging Face's evaluate that `evaluate.load` here has, as functions."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from rapidbleu.adapters import jiwer, nmt, rouge_score
from rapidbleu.adapters.spaces import check_texts
from rapidbleu.metrics import BLEU, CHRF, TER
from rapidbleu.nltk.meteor_score import meteor_score


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
    """GLEU (Wu et al. 2016), the lesser of precision and recall over n-grams of all orders.

    A row of BLEU for each pair of a prediction and a reference has the counts; of the references
    of a segment the one with the best ratio counts, of equals the first.
    """
    import numpy as np

    if not 1 <= min_len <= max_len:
        raise ValueError(f"min_len: expected 1 to max_len, which is {max_len}, got {min_len}")
    predictions, references = _tokenized(predictions, references, tokenizer)
    hyps = [hyp for hyp, several in zip(predictions, references, strict=True) for _ in several]
    refs = [reference for several in references for reference in several]
    rows = nmt.metric(max_len).segment_stats(hyps, [refs])
    matches = rows[:, 1 + min_len : 2 + max_len].sum(axis=1).tolist()
    longer = rows[:, :2].max(axis=1)
    n_grams: Any = sum(np.maximum(longer - n + 1, 0) for n in range(min_len, max_len + 1))
    counts = list(zip(matches, n_grams.tolist(), strict=True))
    matched = possible = begin = 0
    for several in references:
        end = begin + len(several)
        best = max(counts[begin:end], key=lambda count: count[0] / count[1] if count[1] else -1)
        matched, possible, begin = matched + best[0], possible + best[1], end
    return {"google_bleu": matched / possible if possible else 0.0}


def sacrebleu(
    predictions: Any, references: Any, *, use_effective_order: bool = False, **options: Any
) -> dict[str, Any]:
    """BLEU with the options of `rapidbleu.BLEU`, one of which has another name here."""
    score = BLEU(effective_order=use_effective_order, **options).corpus_score(
        predictions, references, layout="segment"
    )
    names = ("score", "counts", "totals", "precisions", "bp", "sys_len", "ref_len")
    return {name: getattr(score, name) for name in names}


def chrf(predictions: Any, references: Any, **options: Any) -> dict[str, Any]:
    """chrF with the options of `rapidbleu.CHRF`."""
    score = CHRF(**options).corpus_score(predictions, references, layout="segment")
    return {name: getattr(score, name) for name in ("score", "char_order", "word_order", "beta")}


def ter(
    predictions: Any, references: Any, normalized: bool = False, ignore_punct: bool = False,
    support_zh_ja_chars: bool = False, case_sensitive: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """TER with the options of `rapidbleu.TER`, two of which have other names here."""
    metric = TER(normalized, ignore_punct, support_zh_ja_chars, case_sensitive)
    score = metric.corpus_score(predictions, references, layout="segment")
    return {name: getattr(score, name) for name in ("score", "num_edits", "ref_length")}


def wer(predictions: Any, references: Any, concatenate_texts: bool = False) -> float:
    """Word error rate of `rapidbleu.adapters.jiwer`, of single references.

    Texts are never concatenated. With `concatenate_texts`, and no word in the references, the rate
    is the number of insertions.
    """
    output = jiwer.process_words(_single(references), predictions)
    return _rate(output, output.wer, concatenate_texts)


def cer(predictions: Any, references: Any, concatenate_texts: bool = False) -> float:
    """Character error rate of `rapidbleu.adapters.jiwer`, of single references; else as `wer`."""
    output = jiwer.process_characters(_single(references), predictions)
    return _rate(output, output.cer, concatenate_texts)


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
    import numpy as np
    from nltk import word_tokenize

    check_texts(predictions, "predictions")
    scores = []
    for i, (prediction, several) in enumerate(zip(predictions, references, strict=True)):
        check_texts(several, f"references[{i}]")
        hyp, *refs = map(word_tokenize, (prediction, *several))
        scores.append(
            meteor_score(refs, hyp, alpha=alpha, beta=beta, gamma=gamma, wordnet=wordnet)
        )
    return {"meteor": np.mean(scores)}


METRICS: dict[str, Callable[..., Any]] = {
    "bleu": bleu, "cer": cer, "chrf": chrf, "google_bleu": google_bleu, "meteor": meteor,
    "rouge": rouge, "sacrebleu": sacrebleu, "ter": ter, "wer": wer,
}  # fmt: skip
RANDOM = {"rouge"}  # draw from NumPy's global generator


def _single(references: list[Any]) -> list[Any]:
    """Return the only reference of each segment."""
    for i, several in enumerate(references):
        if len(several) != 1:
            raise ValueError(f"references[{i}]: expected one reference, got {len(several)}")
    return [several[0] for several in references]


def _rate(output: Any, rate: float, concatenate_texts: bool) -> float:
    """Return an error rate; without any length it is refused, or the number of insertions."""
    if not concatenate_texts and output.hits + output.substitutions + output.deletions == 0:
        raise ZeroDivisionError("references: expected at least one that is not empty")
    return rate


def _tokenized(predictions: Any, references: Any, tokenizer: Any) -> tuple[list[Any], list[Any]]:
    """Lists of tokens; or text, which our metrics tokenize as 13a."""

    def prepare(text: Any) -> Any:
        if tokenizer is not None:
            return list(tokenizer(text))
        # 13a joins lines that were broken at a hyphen. Here it does so at the end of a text too,
        # which our metrics would strip of white space first: a word that it deletes prevents that.
        return f"{text}<skipped>" if isinstance(text, str) and "\n" in text else text

    several = [[prepare(text) for text in texts] for texts in references]
    return [prepare(text) for text in predictions], several
