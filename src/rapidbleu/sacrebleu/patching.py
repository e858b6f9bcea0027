"""An installed sacrebleu made fast in place: the methods that extract statistics are replaced.

Every way into sacrebleu ends in `_extract_corpus_statistics`: names imported before, its command
line, `PairedTest`, metrics of other libraries built on it. A metric whose methods or tokenizer
were replaced goes on as before. The functions behind paired tests and intervals are replaced too.
"""

from rapidbleu.sacrebleu import patched_tests
from rapidbleu.sacrebleu.metrics.compiled import fast_bleu, fast_chrf, fast_ter
from rapidbleu.sacrebleu.metrics.fast import is_untouched, methods_of
from rapidbleu.sacrebleu.metrics.inputs import as_segments, as_streams
from rapidbleu.sacrebleu.metrics.reference_cache import ReferenceCache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from rapidbleu.sacrebleu.metrics.fast import Fast

    _Finder = Callable[[Any], Fast | None]

OLDEST, NEWEST = (2, 2), (2, 6)

_COMPILED = {
    "sacrebleu.tokenizers.tokenizer_none.NoneTokenizer": "none",
    "sacrebleu.tokenizers.tokenizer_13a.Tokenizer13a": "13a",
    "sacrebleu.tokenizers.tokenizer_intl.TokenizerV14International": "intl",
    "sacrebleu.tokenizers.tokenizer_zh.TokenizerZh": "zh",
    "sacrebleu.tokenizers.tokenizer_char.TokenizerChar": "char",
    "sacrebleu.tokenizers.tokenizer_ter.TercomTokenizer": "tercom",
}
_PROTOCOL = ("_compute_segment_statistics", "_extract_reference_info", "_preprocess_segment")


def _check_version(version: str) -> None:
    """Refuse a sacrebleu whose statistics are not those of 2.6.0."""
    numbers = tuple(int(part) if part.isdigit() else 0 for part in version.split(".")[:2])
    if not OLDEST <= numbers <= NEWEST:
        raise RuntimeError(
            f"patch_sacrebleu: expected sacrebleu {'.'.join(map(str, OLDEST))} to "
            f"{'.'.join(map(str, NEWEST))}, whose numbers are those of rapidbleu, got {version}"
        )


def _tokenizer_name(tokenizer: "Any") -> "str | None":
    cls = type(tokenizer)
    return _COMPILED.get(f"{cls.__module__}.{cls.__qualname__}")


def _finders(metrics: "Any") -> "dict[type, _Finder]":
    """Return, for each class of sacrebleu's metrics, what finds its objects' compiled metric."""
    bleu = methods_of(metrics.BLEU, "_get_closest_ref_len", *_PROTOCOL)
    chrf = methods_of(
        metrics.CHRF, "_PUNCTS", "_compute_f_score", "_get_match_statistics",
        "_remove_punctuation", *_PROTOCOL,
    )  # fmt: skip
    ter = methods_of(metrics.TER, *_PROTOCOL)

    def find_bleu(metric: "Any") -> "Fast | None":
        return fast_bleu(metric, _tokenizer_name, bleu)

    def find_chrf(metric: "Any") -> "Fast | None":
        return fast_chrf(metric, chrf)

    def find_ter(metric: "Any") -> "Fast | None":
        return fast_ter(metric, _tokenizer_name, ter)

    return {metrics.BLEU: find_bleu, metrics.CHRF: find_chrf, metrics.TER: find_ter}


def _scoring_finder(metrics: "Any", finders: "dict[type, _Finder]") -> "_Finder":
    """Return what finds the compiled form of metrics whose scoring is sacrebleu's, too."""
    formulas = {metrics.BLEU: ["compute_bleu"], metrics.CHRF: ["_compute_f_score"], metrics.TER: []}
    scoring = {
        cls: methods_of(cls, "_aggregate_and_compute", "_compute_score_from_stats", *names)
        for cls, names in formulas.items()
    }

    def find(metric: "Any") -> "Fast | None":
        # Integer arrays cut off the fractions that add-k adds in sacrebleu's trials.
        if getattr(metric, "smooth_method", None) == "add-k":
            return None
        for cls, methods in scoring.items():
            if isinstance(metric, cls) and is_untouched(metric, methods):
                return finders[cls](metric)
        return None

    return find


def _faster(cls: type, find: "_Finder") -> "dict[str, Any]":
    """Return the methods that take the place of those of a class."""
    extract: Any = cls._extract_corpus_statistics  # type: ignore[attr-defined]
    cache: Any = cls._cache_references  # type: ignore[attr-defined]

    def _extract_corpus_statistics(self: "Any", hypotheses: "Any", references: "Any") -> "Any":
        fast = find(self)
        if fast is None:
            return extract(self, hypotheses, references)
        if references:
            rows, self.num_refs = fast.rows(self, as_segments(hypotheses), as_streams(references))
            return rows
        own = self._ref_cache
        if isinstance(own, ReferenceCache) and own.serves(fast):
            return fast.rows_of_cache(self, as_segments(hypotheses), own.prepared)
        return extract(self, hypotheses, references)

    def _cache_references(self: "Any", references: "Any") -> "Any":
        fast = find(self)
        if fast is not None:
            references = as_streams(references)
        if fast is None or not any(references):
            return cache(self, references)
        prepared = ReferenceCache(self, fast, references, cache)
        self.num_refs = prepared.num_refs
        return prepared

    return {
        "_extract_corpus_statistics": _extract_corpus_statistics,
        "_cache_references": _cache_references,
    }


class Patch:
    """sacrebleu's metrics and tests made fast, until this is called or its ``with`` block ends.

    Examples
    --------
    >>> import sacrebleu
    >>> undo = Patch()
    >>> sacrebleu.BLEU._extract_corpus_statistics.__module__
    'rapidbleu.sacrebleu.patching'
    >>> undo()
    >>> sacrebleu.BLEU._extract_corpus_statistics.__module__
    'sacrebleu.metrics.base'
    """

    _active: "Patch | None" = None

    def __init__(self) -> None:
        self._replaced: list[tuple[Any, dict[str, Any]]] = []
        if Patch._active is not None:
            return  # one is enough, and the first one undoes it
        from importlib import import_module

        metrics: Any = import_module("sacrebleu.metrics")
        if metrics.__name__ != "sacrebleu.metrics":
            return  # rapidbleu.sacrebleu.install() was here before
        _check_version(import_module("sacrebleu").__version__)
        significance = import_module("sacrebleu.significance")
        finders = _finders(metrics)
        patched_tests.Peer.active = patched_tests.Peer(
            significance, _scoring_finder(metrics, finders)
        )
        Patch._active = self
        for cls, find in finders.items():
            self._replace(cls, _faster(cls, find))
        self._replace(
            significance, {name: getattr(patched_tests, name) for name in patched_tests.NAMES}
        )

    def _replace(self, owner: "Any", names: "dict[str, Any]") -> None:
        """Put new functions into a class or module, and remember its own."""
        own = {name: vars(owner)[name] for name in names if name in vars(owner)}
        self._replaced.append((owner, dict.fromkeys(names) | own))
        for name, function in names.items():
            setattr(owner, name, function)

    def __call__(self) -> None:
        """Put sacrebleu's own functions back."""
        for owner, functions in self._replaced:
            for name, function in functions.items():
                if function is None:
                    delattr(owner, name)  # inherited before
                else:
                    setattr(owner, name, function)
        self._replaced.clear()
        if Patch._active is self:
            Patch._active = patched_tests.Peer.active = None

    def __enter__(self) -> "Patch":
        return self

    def __exit__(self, *error: object) -> None:
        self()
