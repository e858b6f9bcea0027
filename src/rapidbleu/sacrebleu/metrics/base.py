"""The base of the metrics: sacrebleu's protocol in plain Python, and the short cut past it.

A metric turns a text into what it counts (`_preprocess_segment`), a segment's references into a
dict of that (`_extract_reference_info`), a hypothesis and such a dict into a row of statistics
(`_compute_segment_statistics`) and a sum of rows into a score (`_compute_score_from_stats`).
If a subclass or an object replaces one of these methods, the replacement is called: the protocol
runs as written here. Otherwise the compiled metric that `_fast` returns does the whole corpus at
once.
"""

from abc import ABCMeta, abstractmethod
from collections.abc import Sequence

from rapidbleu._core.scoring.extraction import LastCalls
from rapidbleu.loading.loader import load
from rapidbleu.sacrebleu.errors import EmptyInputError
from rapidbleu.sacrebleu.logger import sacrelogger
from rapidbleu.sacrebleu.metrics.inputs import (
    as_segments,
    as_streams,
    check_lengths,
    references_of_segments,
    warn_of_tokenized_periods,
)
from rapidbleu.sacrebleu.metrics.reference_cache import ReferenceCache
from rapidbleu.sacrebleu.metrics.score import Score
from rapidbleu.sacrebleu.metrics.signature import OfLastCall, Signature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rapidbleu.sacrebleu.metrics.fast import Fast

__all__ = ["Metric", "Score", "Signature", "sacrelogger"]


class Metric(metaclass=ABCMeta):
    """Base of the metrics, also of those that users write."""

    _SIGNATURE_TYPE: type[Signature] = Signature

    __slots__ = ("__dict__", "__weakref__", "_calls", "_compiled")

    num_refs = OfLastCall()
    """References of each segment scored last, by any thread, -1 if it varied; not there before."""

    n_bootstrap = OfLastCall()
    seed = OfLastCall()

    def __init__(self) -> None:
        self._ref_cache: Any = None
        self._force = True  # only BLEU asks whether its input was tokenized
        self._calls = LastCalls()
        self.__dict__["n_bootstrap"] = self.__dict__["seed"] = None

    def __getstate__(self) -> "dict[str, Any]":
        return self.__dict__

    def __setstate__(self, state: "dict[str, Any]") -> None:
        self.__dict__.update(state)
        self._forget_calls()

    def _forget_calls(self) -> None:
        """Show the attributes in signatures, until a call changes them."""
        own = self.__dict__.get
        self._calls = LastCalls()
        self._calls.remember(None, own("n_bootstrap"), own("seed"))

    def _remember_number(self, num_refs: int) -> None:
        """Remember for signatures how many references each segment had."""
        self.__dict__["num_refs"] = num_refs
        self._calls.remember_number(num_refs)

    def _check_sentence_score_args(self, hyp: "Any", refs: "Any") -> None:
        """Refuse arguments of `sentence_score` of the wrong type."""
        wrong = None
        if not isinstance(hyp, str):
            wrong = "The argument `hyp` should be a string."
        elif isinstance(refs, str) or not isinstance(refs, Sequence):
            wrong = "The argument `refs` should be a sequence of strings."
        elif not len(refs):
            raise EmptyInputError(f"{type(self).__name__}: `refs` has no references.")
        elif refs[0] is not None and not isinstance(refs[0], str):
            wrong = "Each element of `refs` should be a string."
        if wrong:
            raise TypeError(f"{type(self).__name__}: {wrong}")

    def _check_corpus_score_args(self, hyps: "Any", refs: "Any") -> None:
        """Refuse arguments of `corpus_score` of the wrong type, by their first elements."""
        wrong = None
        for name, items in (("hyps", hyps), ("refs", refs)):
            if isinstance(items, Sequence) and not len(items):
                raise EmptyInputError(f"{type(self).__name__}: `{name}` is empty.")
        if not isinstance(hyps, Sequence):
            wrong = "`hyps` should be a sequence of strings."
        elif not isinstance(hyps[0], str):
            wrong = "Each element of `hyps` should be a string."
        elif any(hyp is None for hyp in hyps):
            wrong = "Undefined line in hypotheses stream!"
        if refs is not None:
            if not isinstance(refs, Sequence):
                wrong = "`refs` should be a sequence of sequence of strings."
            elif not isinstance(refs[0], Sequence):
                wrong = "Each element of `refs` should be a sequence of strings."
            elif not len(refs[0]):
                raise EmptyInputError(f"{type(self).__name__}: `refs[0]` is empty.")
            elif refs[0][0] is not None and not isinstance(refs[0][0], str):
                wrong = "`refs` should be a sequence of sequence of strings."
        if wrong:
            raise TypeError(f"{type(self).__name__}: {wrong}")

    @abstractmethod
    def _aggregate_and_compute(self, stats: "Any") -> "Any":
        """Return the score of a corpus from the rows of its segments."""

    @abstractmethod
    def _compute_score_from_stats(self, stats: "Any") -> "Any":
        """Return the score of a corpus from the sum of the rows of its segments."""

    @abstractmethod
    def _preprocess_segment(self, sent: str) -> str:
        """Return a text as the metric sees it."""

    @abstractmethod
    def _extract_reference_info(self, refs: "Any") -> "dict[str, Any]":
        """Return what the statistics need of the preprocessed references of a segment."""

    @abstractmethod
    def _compute_segment_statistics(
        self, hypothesis: str, ref_kwargs: "dict[str, Any]"
    ) -> "list[Any]":
        """Return the row of a preprocessed hypothesis and the info of its references."""

    def _fast(self) -> "Fast | None":
        """Return the compiled metric that does what the protocol would, if there is one."""
        return None

    def _fast_score(self) -> "Fast | None":
        """Return `_fast`, if the score of its sums also is what the protocol would make of them."""
        return None

    def _cache_references(self, references: "Any") -> "list[Any]":
        """Return the info of each segment's references, in plain Python, and count them.

        Parameters
        ----------
        references : sequence of streams
            ``references[stream][segment]``; None where a segment has no such reference.

        Returns
        -------
        list of dict
            What `_extract_reference_info` returns for each segment.
        """
        cache = []
        numbers = set()
        for refs in references_of_segments(references):
            numbers.add(len(refs))
            cache.append(
                self._extract_reference_info([self._preprocess_segment(ref) for ref in refs])
            )
        self._remember_number(numbers.pop() if len(numbers) == 1 else -1)
        return cache

    def _remember_references(self, references: "Any") -> None:
        """Keep the references that the constructor was given."""
        fast = self._fast()
        if fast is not None:
            references = as_streams(references)
        if fast is None or not any(references):
            self._ref_cache = self._cache_references(references)
        else:
            self._ref_cache = ReferenceCache(self, fast, references)
            self._remember_number(self._ref_cache.num_refs)

    def _extract_corpus_statistics(self, hypotheses: "Any", references: "Any") -> "Any":
        """Return the row of statistics of each segment.

        Parameters
        ----------
        hypotheses : sequence of str
        references : sequence of streams, or None
            None: those given to the constructor.

        Returns
        -------
        list of list

        Raises
        ------
        RuntimeError
            If there are no references.
        ValueError
            If numbers of segments differ.
        """
        hyps = as_segments(hypotheses)
        fast = self._fast()
        cache: Any
        if references:
            if fast is not None:
                rows, num_refs = fast.rows(self, hyps, as_streams(references))
                self._remember_number(num_refs)
                return rows
            cache = self._cache_references(references)
        elif self._ref_cache:
            cache = self._ref_cache
            if fast is not None and isinstance(cache, ReferenceCache) and cache.serves(fast):
                return fast.rows_of_cache(self, hyps, cache.prepared)
        else:
            raise RuntimeError("No references provided and the cache is empty.")
        check_lengths(type(self).__name__, len(hyps), [len(cache)])
        if not self._force:
            warn_of_tokenized_periods(sum(hyp.endswith(" .") for hyp in hyps))
        return [
            self._compute_segment_statistics(self._preprocess_segment(hyp), info)
            for hyp, info in zip(hyps, cache, strict=True)
        ]

    def sentence_score(self, hypothesis: str, references: "Any") -> "Any":
        """Score one segment.

        Parameters
        ----------
        hypothesis : str
        references : sequence of str
            All references of the segment.

        Returns
        -------
        Score
        """
        self._check_sentence_score_args(hypothesis, references)
        fast = self._fast_score()
        if fast is not None:
            refs = [ref for ref in references if ref is not None]
            parts = fast.extract_one(hypothesis, refs, self._calls)
            if parts is not None:
                self.__dict__["num_refs"] = len(refs)
                return self._make_score(parts)
        stats = self._extract_corpus_statistics([hypothesis], [[ref] for ref in references])
        return self._aggregate_and_compute(stats)

    def _make_score(self, parts: "tuple[Any, ...]") -> "Any":
        """Return the score object of what the compiled metric says."""
        raise NotImplementedError

    def corpus_score(self, hypotheses: "Any", references: "Any", n_bootstrap: int = 1) -> "Any":
        """Score a corpus.

        Parameters
        ----------
        hypotheses : sequence of str
        references : sequence of streams, or None
            ``references[stream][segment]``; None: those given to the constructor.
        n_bootstrap : int
            If above 1, estimate a 95 % interval from so many resampled corpora.

        Returns
        -------
        Score

        Raises
        ------
        TypeError
            If the first elements, or any other, are of the wrong type.
        ValueError
            If numbers of segments differ, or are 0.
        """
        self._check_corpus_score_args(hypotheses, references)
        fast = self._fast_score()
        if fast is not None and fast.adds and n_bootstrap <= 1 and references:
            sums, num_refs = fast.sums(self, as_segments(hypotheses), as_streams(references))
            self._remember_number(num_refs)
            return self._make_score(sums)
        stats = self._extract_corpus_statistics(hypotheses, references)
        score = self._aggregate_and_compute(stats)
        if n_bootstrap > 1:
            bootstrap_resample = load("rapidbleu.sacrebleu.resampling", "bootstrap_resample")
            seed, resampled = bootstrap_resample(stats, self, n_bootstrap)
            self.__dict__.update(n_bootstrap=n_bootstrap, seed=seed)
            self._calls.remember(self._calls.own()[0], n_bootstrap, seed)
            score.estimate_ci(resampled)
        return score

    def get_signature(self) -> Signature:
        """Return the signature of the scores that this thread computed last.

        Raises
        ------
        ValueError
            If nothing was scored yet.
        """
        num_refs, n_bootstrap, seed = self._calls.own()
        if num_refs is None:
            return self._SIGNATURE_TYPE(self.__dict__)
        last = {"num_refs": num_refs, "n_bootstrap": n_bootstrap, "seed": seed}
        return self._SIGNATURE_TYPE({**self.__dict__, **last})
