"""rouge-score's `RougeScorer` and `BootstrapAggregator`: the same calls and numbers.

rouge-score is not required; the stemmer is NLTK's.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

from rapidbleu._core.matching.kernels import OverlapKernel
from rapidbleu._core.resampling.resample import mean_resamples
from rapidbleu._lib.checks import check_lengths
from rapidbleu._lib.loader import np
from rapidbleu.adapters import by_segment, check_texts, listed
from rapidbleu.metrics.corpus import row_of
from rapidbleu.metrics.matching.rouge import ROUGE, ROUGECounts
from rapidbleu.tokenizers.rouge import get_rouge_tokenizer

__all__ = ["AggregateScore", "BootstrapAggregator", "RougeScorer", "Score"]

_ROUGE_TYPE = re.compile(r"rouge([1-9]|L|Lsum)")


class Score(NamedTuple):
    """Precision, recall and F, as fractions.

    Examples
    --------
    >>> RougeScorer(["rouge1"]).score("a cat", "a dog")["rouge1"]
    Score(precision=0.5, recall=0.5, fmeasure=0.5)
    """

    precision: float
    recall: float
    fmeasure: float


class AggregateScore(NamedTuple):
    """Both ends of an interval, and its median.

    Examples
    --------
    >>> aggregator = BootstrapAggregator()
    >>> aggregator.add_scores(RougeScorer(["rouge1"]).score("a cat", "a dog"))
    >>> float(aggregator.aggregate()["rouge1"].mid.fmeasure)
    0.5
    """

    low: Any
    mid: Any
    high: Any


class _DefaultTokenizer:
    """Words of a text, or their stems; programs use a scorer's `_tokenizer`."""

    def __init__(self, use_stemmer: bool) -> None:
        self._split = get_rouge_tokenizer(False, use_stemmer)

    def tokenize(self, text: str) -> list[str]:
        """Return the tokens of a text."""
        return self._split(text.lower())


class _Counts(ROUGECounts):
    """Counts of several types that read texts alike; the columns of each follow one another."""

    types: tuple[str, ...] = ()

    def __init__(self, types: list[str], options: dict[str, Any]) -> None:
        self._put("types", tuple(types))
        super().__init__(**options)

    def _make_kernel(self) -> Any:
        kernel = None
        for name in reversed(self.types):
            kernel = OverlapKernel(ROUGE(name)._make_kernel(), kernel)
        return kernel

    def score_one(self, hyp: Any, refs: list[Any]) -> list[Score]:
        scores: list[Score] | None = self._extractor.extract_one(hyp, refs, self._calls, Score)
        if scores is None:  # without references, or of a class below str
            rows = self.by_type(np.array([row_of(self, hyp, refs)]))
            scores = [_scores(name, rows[name])[0] for name in rows]
        return scores

    def by_type(self, rows: Any) -> dict[str, Any]:
        return dict(zip(self.types, np.split(rows, len(self.types), axis=1), strict=True))


_LCS = _Counts(["rougeL"], {"tokenize": "none", "lowercase": False})


def _score_lcs(target_tokens: Any, prediction_tokens: Any) -> Score:
    """Return ROUGE-L of lists of tokens, for programs that import it from rouge-score."""
    if not target_tokens or not prediction_tokens:
        return Score(0, 0, 0)
    return _LCS.score_one(list(prediction_tokens), [list(target_tokens)])[0]


class RougeScorer:
    """Scores of a text against targets, for several types of ROUGE at once.

    Parameters are rouge-score's: types are ``rouge1`` to ``rouge9``, ``rougeL`` and ``rougeLsum``,
    which compares lines or, with `split_summaries`, NLTK's sentences. The stemmer is NLTK's; a
    `tokenizer` replaces the default one and the stemmer.

    Examples
    --------
    >>> scorer = RougeScorer(["rouge1", "rougeL"])
    >>> scores = scorer.score("police killed the gunman", "the gunman police killed")
    >>> scores["rouge1"].fmeasure, scores["rougeL"].fmeasure
    (1.0, 0.5)
    """

    def __init__(
        self,
        rouge_types: Any,
        use_stemmer: bool = False,
        split_summaries: bool = False,
        tokenizer: Any = None,
    ) -> None:
        self.rouge_types = list(rouge_types)
        self._given = tokenizer
        self._tokenizer = _DefaultTokenizer(use_stemmer) if tokenizer is None else tokenizer
        self._stemming = None
        options: Any = {"tokenize": "none", "lowercase": False}
        if tokenizer is None:
            self._stemming = get_rouge_tokenizer(True, True) if use_stemmer else None
        self._split_summaries = split_summaries
        for name in self.rouge_types:
            if not (isinstance(name, str) and _ROUGE_TYPE.fullmatch(name)):
                raise ValueError(
                    f"rouge_types: expected rouge1 to rouge9, rougeL, rougeLsum; got {name!r}"
                )
        self._blank = dict.fromkeys(self.rouge_types)
        self._readings = []
        for by_sentence in (False, True):
            names = [name for name in self._blank if (name == "rougeLsum") is by_sentence]
            if tokenizer is None:  # custom tokenizers do not warn
                options = {"tokenize": get_rouge_tokenizer(by_sentence, False)}
            if names:
                self._readings.append(_Counts(names, options))

    def score(self, target: str, prediction: str) -> dict[str, Score]:
        """Score a text against a target by each type."""
        if type(prediction) is type(target) is str:
            return self._score_texts([prediction, target])
        return self.score_multi((target,), prediction)

    def score_multi(self, targets: Any, prediction: str) -> dict[str, Score]:
        """Score a text against several targets; each type uses the first with the highest F."""
        targets = listed(targets, "targets")
        check_texts([prediction], "prediction")
        check_texts(targets, "targets")
        return self._score_texts([prediction, *targets])

    def _score_texts(self, texts: list[str]) -> dict[str, Score]:
        scores: dict[str, Any] = dict(self._blank)
        for counts, (hyp, *refs) in self._prepared(texts):
            scores.update(zip(counts.types, counts.score_one(hyp, refs), strict=True))
        return scores

    def score_all(self, targets: Any, predictions: Any) -> dict[str, list[Score]]:
        """Score many texts in one call, which is faster than many calls.

        Parameters
        ----------
        targets : sequence of str or of sequences of str
            One or more targets of each text.
        predictions : sequence of str
        """
        rows = self._count_all(targets, predictions)
        return {name: _scores(name, rows[name]) for name in rows}

    def _count_all(self, targets: Any, predictions: Any) -> dict[str, Any]:
        """Return the rows of `ROUGECounts` of each type."""
        predictions = listed(predictions, "predictions")
        targets = by_segment(targets, "targets")
        check_lengths(targets, "targets", predictions, "predictions")
        flat = [text for several in targets for text in several]
        check_texts(predictions, "predictions")
        check_texts(flat, "targets, all in one list")
        n = len(predictions)
        rows = dict[str, Any](self._blank)
        layout: Any = "segment" if len(flat) > n else "stream"
        for counts, texts in self._prepared([*predictions, *flat]):
            refs: Any = [texts[n:]]
            if layout == "segment":
                rest = iter(texts[n:])
                refs = [list(islice(rest, len(several))) for several in targets]
            rows |= counts.by_type(counts.segment_stats(texts[:n], refs, layout=layout))
        return rows

    def _prepared(self, texts: list[Any]) -> Iterator[tuple[_Counts, list[Any]]]:
        words = texts if self._given is None and self._stemming is None else None
        split = self._split_summaries or self._given is not None
        for counts in self._readings:
            if split and counts.types == ("rougeLsum",):
                yield counts, _of_each(self._sentences, texts)
                continue
            if words is None:
                words = _of_each(self._words, texts)
            yield counts, words

    def _words(self, text: str) -> Any:
        """Return a text for types of words: its tokens, its stems and line feeds, or itself."""
        if self._given is not None:
            return list(self._given.tokenize(text))
        return text if self._stemming is None else " ".join(self._stemming(text.lower()))

    def _sentences(self, text: str) -> Any:
        """Return a text with one sentence per line; with a tokenizer, tokens and line ends."""
        sentences = text.split("\n")
        if self._split_summaries:
            from nltk import sent_tokenize

            sentences = sent_tokenize(text)
        if self._given is None:
            return self._words("\n".join(sentence.replace("\n", " ") for sentence in sentences))
        tokens = []
        for sentence in filter(None, sentences):
            for token in self._given.tokenize(sentence):
                tokens.append(f"{token}\n" if token and not token.strip("\n") else token)
            tokens.append("\n")
        return tokens


class BootstrapAggregator:
    """Mean scores with intervals, from resamples drawn by NumPy's global generator.

    Parameters are rouge-score's: a level from 0 to 1, and the number of resamples.

    Examples
    --------
    >>> aggregator = BootstrapAggregator()
    >>> scorer = RougeScorer(["rougeL"])
    >>> aggregator.add_scores(scorer.score("it rained", "it rained"))
    >>> float(aggregator.aggregate()["rougeL"].mid.fmeasure)
    1.0
    """

    def __init__(self, confidence_interval: float = 0.95, n_samples: int = 1000) -> None:
        if not 0 <= confidence_interval <= 1:
            raise ValueError(f"confidence_interval: expected 0 to 1; got {confidence_interval}")
        if n_samples < 1:
            raise ValueError(f"n_samples: expected at least 1; got {n_samples}")
        self._confidence_interval = confidence_interval
        self._n_samples = n_samples
        self._scores: dict[str, list[Any]] = {}

    def add_scores(self, scores: Any) -> None:
        """Add the scores of a text, as returned by `RougeScorer.score`."""
        for name, score in scores.items():
            self._scores.setdefault(name, []).append(score)

    def aggregate(self) -> dict[str, AggregateScore]:
        """Return the interval of each type, in the class of the added scores."""
        delta = (1 - self._confidence_interval) / 2
        ends = 100 * np.array([delta, 0.5, 1 - delta])
        tables = [np.array(scores, dtype=float) for scores in self._scores.values()]
        aggregates = {}
        for name, means in zip(self._scores, resampled(tables, self._n_samples), strict=True):
            make = type(self._scores[name][0])
            percentiles = np.percentile(means, ends, axis=0)
            aggregates[name] = AggregateScore(*[make(*values) for values in percentiles])
        return aggregates


def resampled(tables: list[Any], n_samples: int = 1000) -> list[Any]:
    """Return the means of the columns of each table in resamples of its rows.

    NumPy's global generator draws them, or is left as if it had.
    """
    state: Any = np.random.get_state(legacy=False)
    words = state["state"] if state["bit_generator"] == "MT19937" else None
    found = []
    for rows in tables:
        n = len(rows)
        found.append(means := np.empty((n_samples, rows.shape[1])))
        if n == 1:  # draws nothing
            means[:] = rows
        elif words is None:
            for mean in means:
                mean[:] = rows[np.random.randint(0, n, n)].mean(axis=0)
        else:
            columns = np.ascontiguousarray(rows.T)
            words["pos"] = mean_resamples(columns, n, words["key"], words["pos"], means)
    if words is not None:
        np.random.set_state(state)
    return found


def _of_each(function: Any, texts: list[str]) -> list[Any]:
    results = {text: function(text) for text in dict.fromkeys(texts)}
    return [results[text] for text in texts]


def fractions(rows: Any) -> Any:
    """Return precision, recall and F of rows of `ROUGECounts`, as columns of an array."""
    hits, hyp, ref = rows.T
    precision = hits / np.maximum(hyp, 1)
    recall = hits / np.maximum(ref, 1)
    whole = precision + recall
    f = 2 * precision * recall / np.where(whole > 0, whole, 1)
    return np.stack([precision, recall, f], axis=1)


def _scores(name: str, rows: Any) -> list[Score]:
    scores = list(map(Score._make, fractions(rows).tolist()))
    if name.startswith("rougeL"):
        for i in (rows[:, 1:].min(axis=1) == 0).nonzero()[0].tolist():
            scores[i] = Score(0, 0, 0)  # integers, like rouge-score's
    return scores
