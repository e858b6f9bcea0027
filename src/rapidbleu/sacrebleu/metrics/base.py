"""Base classes of metrics, scores and signatures: sacrebleu's protocol, compiled.

Programs compute rows of statistics with `_extract_corpus_statistics`, and scores of their sums with
`_compute_score_from_stats`. The methods between texts and rows are an installed sacrebleu's; they
run only if a subclass or an object replaces one of them.
"""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Sequence

from rapidbleu._core.scoring.extraction import LastCalls
from rapidbleu._lib.installed_sacrebleu import method_of
from rapidbleu._lib.loader import load
from rapidbleu.sacrebleu.metrics.fast import (
    EmptyInputError,
    Finder,
    as_segments,
    as_streams,
    check_lengths,
    remember_number,
)
from rapidbleu.sacrebleu.utils import sum_of_lists
from rapidbleu.score import ChangeableScore
from rapidbleu.score import Signature as NativeSignature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Metric", "Score", "Signature"]


class Score(ChangeableScore):
    """A score with its name: plain attributes, printed and pickled like sacrebleu's.

    Examples
    --------
    >>> Score("mine", 12.345).format(width=1)
    'mine = 12.3'
    """

    _verbose = ""

    def __init__(self, name: str, score: float) -> None:
        self.name = name
        self.score = score
        self._mean = self._ci = -1.0
        self._verbose = ""

    def __lt__(self, other: object) -> Any:
        return NotImplemented  # sacrebleu's scores are not ordered

    __le__ = __gt__ = __ge__ = __lt__

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    @property
    def _has_interval(self) -> bool:
        return self._mean > 0

    def format(
        self, width: int = 2, score_only: bool = False, signature: str = "", is_json: bool = False
    ) -> str:
        """Format the score as text, or as JSON, which requires a signature."""
        if is_json and not score_only:
            for part in signature.split("|"):
                _key, _value = part.split(":")
        return super().format(width, score_only, signature, is_json)


class Signature(NativeSignature):
    """The options that determine a score, taken from the attributes of a metric.

    Raises ValueError if the number of references is unknown because nothing was scored.

    Examples
    --------
    >>> Signature({"num_refs": -1})  # doctest: +ELLIPSIS
    nrefs:var|version:2.6.0+rapidbleu...
    """

    def __init__(self, args: dict[str, Any]) -> None:
        names = {
            "bs": "n_bootstrap",
            "seed": "seed",
            "test": "test_set",
            "lang": "langpair",
            "origlang": "origlang",
            "subset": "subset",
        }
        super().__init__(
            args.get("num_refs"), {key: args.get(name) for key, name in names.items()}, {}
        )


class OfLastCall:
    """An attribute that signatures show, set by the last call of any thread.

    Metrics write it to their `__dict__`, and store it for each thread. If a caller assigns or
    deletes it, signatures show that, as in sacrebleu.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, metric: Any, owner: type) -> Any:
        if metric is None or self.name not in metric.__dict__:
            raise self._error(owner)
        return metric.__dict__[self.name]

    def __set__(self, metric: Any, value: Any) -> None:
        metric.__dict__[self.name] = value
        metric._forget_calls()

    def __delete__(self, metric: Any) -> None:
        if self.name not in metric.__dict__:
            raise self._error(type(metric))
        del metric.__dict__[self.name]
        metric._forget_calls()

    def _error(self, owner: type) -> AttributeError:
        return AttributeError(f"{owner.__name__!r} object has no attribute {self.name!r}")


_cache_as_sacrebleu = method_of("metrics.base", "Metric", "_cache_references")
_extract_as_sacrebleu = method_of("metrics.base", "Metric", "_extract_corpus_statistics")


class Metric(metaclass=ABCMeta):
    """Base class of the metrics, including custom ones."""

    _SIGNATURE_TYPE: type[Signature] = Signature
    _FINDER = Finder()  # without a compiled form

    __slots__ = ("__dict__", "__weakref__", "_calls")

    num_refs = OfLastCall()
    """References of each segment scored last, by any thread, -1 if it varied; not there before."""

    n_bootstrap = OfLastCall()
    seed = OfLastCall()

    def __init__(self) -> None:
        self._ref_cache: Any = None
        self._force = True  # only BLEU checks whether its input is tokenized
        self._calls = LastCalls(keeps_resamples=True)
        self.__dict__["n_bootstrap"] = self.__dict__["seed"] = None

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._forget_calls()

    def _forget_calls(self) -> None:
        """Show the attributes in signatures until a call changes them."""
        own = self.__dict__.get
        self._calls = LastCalls(keeps_resamples=True)
        self._calls.remember(None, own("n_bootstrap"), own("seed"))

    def _check_sentence_score_args(self, hyp: Any, refs: Any) -> None:
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

    def _check_corpus_score_args(self, hyps: Any, refs: Any) -> None:
        """Raise TypeError for arguments of `corpus_score` whose first elements are wrong."""
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

    def _aggregate_and_compute(self, stats: Any) -> Any:
        """Return the score of a corpus from the rows of its segments."""
        return self._compute_score_from_stats(sum_of_lists(stats))

    @abstractmethod
    def _compute_score_from_stats(self, stats: Any) -> Any:
        """Return the score of a corpus from the sum of its rows."""

    @abstractmethod
    def _preprocess_segment(self, sent: str) -> str:
        """Return a text as seen by the metric."""

    @abstractmethod
    def _extract_reference_info(self, refs: Any) -> Any:
        """Return the part of the statistics that depends on a segment's preprocessed references."""

    @abstractmethod
    def _compute_segment_statistics(self, hypothesis: str, ref_kwargs: Any) -> Any:
        """Return the row of a preprocessed hypothesis and its references' info."""

    def _cache_references(self, references: Any) -> Any:
        """Return the `_extract_reference_info` of each segment, and count references."""
        streams = as_streams(references)
        cache = self._FINDER.cache(self, streams)
        if cache is not None:
            return cache
        if not any(streams):
            remember_number(self, -1)
            return []
        lengths = [len(stream) for stream in streams]
        check_lengths(type(self).__name__, sum(lengths[:1]), lengths, "refs[0]")
        return _cache_as_sacrebleu(self, streams)

    def _extract_corpus_statistics(self, hypotheses: Any, references: Any) -> Any:
        """Return the row of statistics of each segment; parameters are as in `corpus_score`.

        Raises RuntimeError without references, ValueError if numbers of segments differ.
        """
        if not (references or self._ref_cache):
            raise RuntimeError("No references provided and the cache is empty.")
        hyps = as_segments(hypotheses)
        refs = as_streams(references) if references else None
        rows = self._FINDER.extract(self, hyps, refs)
        if rows is not None:
            return rows
        lengths = [len(self._ref_cache)] if refs is None else [len(stream) for stream in refs]
        check_lengths(type(self).__name__, len(hyps), lengths)
        return _extract_as_sacrebleu(self, hyps, refs)

    def sentence_score(self, hypothesis: str, references: Any) -> Any:
        """Score a segment against all of its references."""
        self._check_sentence_score_args(hypothesis, references)
        fast = self._FINDER.scores(self)
        if fast is not None:
            refs = [ref for ref in references if ref is not None]
            parts = fast.extract_one(hypothesis, refs, self._calls)
            if parts is not None:
                self.__dict__["num_refs"] = len(refs)
                return self._make_score(parts)
        stats = self._extract_corpus_statistics([hypothesis], [[ref] for ref in references])
        return self._aggregate_and_compute(stats)

    def _make_score(self, parts: tuple[Any, ...]) -> Any:
        raise NotImplementedError

    def corpus_score(self, hypotheses: Any, references: Any, n_bootstrap: int = 1) -> Any:
        """Score a corpus.

        Parameters
        ----------
        hypotheses : sequence of str
        references : sequence of streams, or None
            ``references[stream][segment]``; None: the constructor's.
        n_bootstrap : int
            If above 1, estimate a 95 % interval from this many resampled corpora.
        """
        self._check_corpus_score_args(hypotheses, references)
        fast = self._FINDER.scores(self)
        if fast is not None and fast.adds and n_bootstrap <= 1 and references:
            sums, num_refs = fast.sums(self, as_segments(hypotheses), as_streams(references))
            remember_number(self, num_refs)
            return self._make_score(sums)
        stats = self._extract_corpus_statistics(hypotheses, references)
        score = self._aggregate_and_compute(stats)
        if n_bootstrap > 1:
            bootstrap_resample = load("rapidbleu.sacrebleu.significance", "bootstrap_resample")
            seed, resampled = bootstrap_resample(stats, self, n_bootstrap)
            self.__dict__.update(n_bootstrap=n_bootstrap, seed=seed)
            self._calls.remember(self._calls.own()[0], n_bootstrap, seed)
            score.estimate_ci(resampled)
        return score

    def get_signature(self) -> Signature:
        """Return the signature of this thread's latest scores; ValueError if there are none."""
        num_refs, n_bootstrap, seed = self._calls.own()
        if num_refs is None:
            return self._SIGNATURE_TYPE(self.__dict__)
        last = {"num_refs": num_refs, "n_bootstrap": n_bootstrap, "seed": seed}
        return self._SIGNATURE_TYPE({**self.__dict__, **last})
