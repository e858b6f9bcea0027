"""Speeding up installed metrics of other libraries in place, for `patch` and `rapidbleu run`.

A switched function is the same object with new code, so names imported from its module earlier are
served as well; its signature, source and pickles do not change. It calls our function where the
results are known to be equal. If ours would refuse, warn or does not know, the original code runs.
"""

from __future__ import annotations

import os
import sys
from functools import lru_cache, update_wrapper
from hashlib import sha256
from importlib import import_module, metadata, util
from inspect import signature
from types import FunctionType, MethodType

from rapidbleu._lib.handing import HandBack, serving

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import ModuleType
    from typing import Any

    _Switched = Iterator[Any]  # of `Served`, or other objects with `undo`

FOLDER = os.path.join(os.path.dirname(os.path.realpath(__file__)), "assets")
NAMES, VERBOSE = "RAPIDBLEU_RUN", "RAPIDBLEU_RUN_VERBOSE"  # environment variables


class Module:
    """A module whose metrics are switched after it was executed.

    `make` receives the module and yields the switched objects. `files` of its package contain the
    code; `known` lists SHA-256 prefixes of versions with our results (versions if no files).
    """

    def __init__(self, make: Callable[[Any], _Switched], files: str, known: str) -> None:
        self.make, self.files, self.known = make, files.split(), tuple(known.split())

    def is_known(self, package: str) -> bool:
        """Return whether the installed code was compared with ours."""
        if not self.files:
            return metadata.version(package) in self.known
        digest = sha256()
        for name in self.files:
            path = os.path.join(os.path.dirname(_origin(package)), *name.split("/"))
            with open(path, "rb") as file:
                digest.update(file.read())
        return digest.hexdigest().startswith(self.known)


def _origin(package: str) -> str:
    """Return the file of a package without importing it."""
    spec = util.find_spec(package)
    if spec is None or spec.origin is None:
        raise ImportError(f"{package} is not installed", name=package)
    return spec.origin


class Served:
    """The code of a switched function: calls ours, or the original if ours hands back the call."""

    def __init__(self, function: FunctionType, fast: Callable[..., Any]) -> None:
        self.name = f"{function.__module__}.{function.__qualname__}"
        self.n_served = self.n_handed_back = 0
        self._fast, self._function, self._code = fast, function, function.__code__
        self._names = self._code.co_varnames[: self._code.co_argcount]
        self._own = FunctionType(
            function.__code__, function.__globals__, function.__name__, function.__defaults__,
            function.__closure__,
        )  # fmt: skip
        self._own.__kwdefaults__ = function.__kwdefaults__
        function.__signature__ = signature(function)  # type: ignore[attr-defined]
        code, template = function.__code__, _template.__code__
        function.__code__ = template.replace(
            co_consts=tuple(self if each == "served" else each for each in template.co_consts),
            co_filename=code.co_filename, co_firstlineno=code.co_firstlineno,
            co_name=code.co_name, co_qualname=code.co_qualname,
        )  # fmt: skip

    def __call__(self, /, *args: Any, **options: Any) -> Any:
        outer, serving.now = serving.now, True
        try:
            result = self._by_name(args, options.copy()) if options else self._fast(*args)
            self.n_served += 1
            return result
        except Exception:  # ours refused, so the library's function decides
            self.n_handed_back += 1
        finally:
            serving.now = outer
        return self._own(*args, **options)

    def _by_name(self, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Call ours, passing named arguments by position as far as they follow `args`."""
        for name in self._names[len(args) :]:
            if name not in options:
                break
            args = *args, options.pop(name)
        return self._fast(*args, **options)

    def undo(self) -> None:
        """Restore the function's code."""
        self._function.__code__ = self._code
        del self._function.__signature__  # type: ignore[attr-defined]


class ServedBuiltin(Served):
    """The same for a compiled function, which is replaced in all modules instead."""

    def __init__(self, function: Any, fast: Callable[..., Any]) -> None:
        self.name = f"{function.__module__}.{function.__qualname__}"
        self.n_served = self.n_handed_back = 0
        self._fast, self._own, self._names = fast, function, ()

        def served(*args: Any, **options: Any) -> Any:
            return self(*args, **options)

        self._new = update_wrapper(served, function)
        self._put(function, self._new)

    def _put(self, old: Any, new: Any) -> None:
        """Replace a function wherever a module refers to it."""
        for module in list(sys.modules.values()):
            for name, value in list(vars(module).items()) if module is not None else ():
                if value is old:
                    setattr(module, name, new)

    def undo(self) -> None:
        """Restore the function."""
        self._put(self._new, self._own)


def _template(*args: Any, **options: Any) -> Any:
    return "served".__call__(*args, **options)  # type: ignore[operator]


_READ_TWICE = (str, list, tuple)


def _check(value: Any, depth: int) -> None:
    """Hand back values that cannot be read twice, down to a depth of sequences."""
    if not isinstance(value, _READ_TWICE):
        raise HandBack
    if depth == 1:
        for item in value:
            if not isinstance(item, _READ_TWICE):
                raise HandBack
    elif depth:
        for item in value:
            _check(item, depth - 1)


def _served(score: Any, depths: tuple[int, int]) -> Any:
    """Return a function that checks references and hypotheses before it calls ours."""

    def function(references: Any, hypotheses: Any, *args: Any, **options: Any) -> Any:
        _check(references, depths[0])
        _check(hypotheses, depths[1])
        return score(references, hypotheses, *args, **options)

    return function


def _of_nltk(sentence: str, corpus: str, depth: int = 1) -> Callable[[Any], _Switched]:
    """Return a function that yields two functions of NLTK, served by ours of the same names.

    `depth` is the nesting depth of a sentence's references.
    """

    def make(theirs: Any) -> _Switched:
        ours = import_module(f"rapidbleu.nltk.{theirs.__name__.rpartition('.')[2]}")
        yield Served(getattr(theirs, sentence), _served(getattr(ours, sentence), (depth, 0)))
        yield Served(getattr(theirs, corpus), _served(getattr(ours, corpus), (depth + 1, 1)))

    return make


def _of_bleu(theirs: Any) -> _Switched:
    from rapidbleu.nltk import bleu_score as ours

    uniform = theirs.sentence_bleu.__defaults__[0]
    smoothings = {
        getattr(theirs.SmoothingFunction, name): getattr(ours.SmoothingFunction, name)
        for name in (f"method{k}" for k in range(8))
    }

    def smoothing_of(given: Any) -> Any:
        """Return our counterpart of NLTK's smoothing; a different one may inspect its arguments."""
        if not given:
            return None
        of: Any = getattr(given, "__self__", None)
        method = smoothings.get(getattr(given, "__func__", None))
        if method is None or type(of) is not theirs.SmoothingFunction:
            raise HandBack
        return MethodType(method, ours.SmoothingFunction(of.epsilon, of.alpha, of.k))

    def smoothed(score: Any) -> Any:
        def function(
            references: Any, hypotheses: Any, weights: Any = uniform,
            smoothing_function: Any = None, auto_reweigh: Any = False,
        ) -> Any:  # fmt: skip
            ours_of = smoothing_of(smoothing_function)
            return score(references, hypotheses, weights, ours_of, auto_reweigh)

        return function

    yield Served(theirs.sentence_bleu, _served(smoothed(ours.sentence_bleu), (1, 0)))
    yield Served(theirs.corpus_bleu, _served(smoothed(ours.corpus_bleu), (2, 1)))


def _of_meteor(theirs: Any) -> _Switched:
    from rapidbleu.nltk import meteor_score as ours

    stock = theirs.single_meteor_score.__defaults__[:3]

    def asking(score: Any) -> Any:
        """Serve only NLTK's own stemmer and WordNet; other ones may not be deterministic."""

        def function(
            references: Any, hypothesis: Any, preprocess: Any = stock[0], stemmer: Any = stock[1],
            wordnet: Any = stock[2], *args: Any, **options: Any,
        ) -> Any:  # fmt: skip
            if preprocess is not stock[0] or stemmer is not stock[1] or wordnet is not stock[2]:
                raise HandBack
            return score(references, hypothesis, *stock, *args, **options)

        return function

    yield Served(theirs.single_meteor_score, _served(asking(ours.single_meteor_score), (0, 0)))
    yield Served(theirs.meteor_score, _served(asking(ours.meteor_score), (1, 0)))


def _of_rouge_score(theirs: Any) -> _Switched:
    from rapidbleu.adapters.rouge_score import RougeScorer, _score_lcs

    make_scorer = lru_cache(64)(RougeScorer)
    tokenizer, make_score = theirs.tokenizers.DefaultTokenizer, theirs.scoring.Score

    def score(self: Any, target: Any, prediction: Any) -> Any:
        current = self._tokenizer
        if type(current) is not tokenizer or type(target) is not str or type(prediction) is not str:
            raise HandBack
        stems = current._stemmer is not None
        scorer = make_scorer(tuple(self.rouge_types), stems, self._split_summaries)
        scores = scorer.score(target, prediction)
        return {name: make_score(*numbers) for name, numbers in scores.items()}

    yield Served(theirs.RougeScorer.score, score)

    def score_lcs(target: Any, prediction: Any) -> Any:
        if not all(isinstance(token, str) for tokens in (target, prediction) for token in tokens):
            raise HandBack
        return make_score(*_score_lcs(target, prediction))

    yield Served(theirs._score_lcs, _served(score_lcs, (0, 0)))


def _of_jiwer(theirs: Any) -> _Switched:
    from rapidbleu.adapters import jiwer as ours

    def served(process: Any, name: str, transform: Any) -> Any:
        def function(
            reference: Any = None, hypothesis: Any = None, reference_transform: Any = transform,
            hypothesis_transform: Any = transform,
        ) -> Any:  # fmt: skip
            _check([reference, hypothesis], 1)
            if reference_transform is not transform or hypothesis_transform is not transform:
                raise HandBack
            output = process(reference, hypothesis)
            if not output._ref_len or not (output.hits or name in ("wer", "cer")):
                raise HandBack  # jiwer's zeros and ones may be integers
            return getattr(output, name)

        return function

    for name in ("wer", "mer", "wil", "wip", "cer"):
        function = getattr(theirs, name)
        process = ours.process_characters if name == "cer" else ours.process_words
        yield Served(function, served(process, name, function.__defaults__[2]))


def _of_fastchrf(theirs: Any) -> _Switched:
    from rapidbleu.adapters import fastchrf as ours

    yield ServedBuiltin(theirs.pairwise_chrf, _served(ours.pairwise_chrf, (2, 2)))
    yield ServedBuiltin(theirs.aggregate_chrf, _served(ours.aggregate_chrf, (2, 2)))


def _of_torchmetrics_bleu(theirs: Any) -> _Switched:
    from rapidbleu.metrics import BLEU
    from rapidbleu.tokenizers import get_tokenizer

    split_13a = get_tokenizer("13a")

    def is_13a(tokenizer: Any) -> bool:
        """Return whether this is torchmetrics' own, of a metric or of a function."""
        if options := getattr(tokenizer, "keywords", None):
            return bool(options == {"tokenize": "13a", "lowercase": False})
        name = getattr(getattr(tokenizer, "tokenize_fn", None), "__name__", "")
        return name == "_tokenize_13a" and not tokenizer.lowercase

    def update(
        preds: Any, target: Any, numerator: Any, denominator: Any, preds_len: Any, target_len: Any,
        n_gram: Any = 4, tokenizer: Any = theirs._tokenize_fn,
    ) -> Any:  # fmt: skip
        """Add the counts of a batch to float states, in which these integers are exact."""
        _check(preds, 1)
        _check(target, 2)
        if is_13a(tokenizer):
            tokenizer = split_13a
        hyps = [tokenizer(line) if line else [] for line in preds]
        refs = [[tokenizer(line) if line else [] for line in several] for several in target]
        metric = BLEU(max_ngram_order=n_gram, tokenize="none", force=True)
        rows = metric.segment_stats(hyps, refs, layout="segment")
        n_tokens, _, *counts = rows.sum(axis=0).tolist()
        closest = 0
        for hyp, several in zip(hyps, refs, strict=True):
            gaps = [abs(len(ref) - len(hyp)) for ref in several]
            closest += len(several[gaps.index(min(gaps))])
        matches, totals = (numerator.new_tensor(counts[k : k + n_gram]) for k in (0, n_gram))
        added = [(numerator, matches), (denominator, totals)]
        added += [(preds_len, n_tokens), (target_len, closest)]
        for state, number in added:
            if str(state.dtype) != "torch.float32" or (state + number).max() >= 2**24:
                raise HandBack
        for state, number in added:
            state += number
        return preds_len, target_len

    yield Served(theirs._bleu_score_update, update)


def _of_torchmetrics_rouge(theirs: Any) -> _Switched:
    from rapidbleu.adapters.rouge_score import _LCS

    def lcs(pred: Any, target: Any, return_full_table: Any = False) -> Any:
        if return_full_table or not (pred and target):
            raise HandBack
        counts: Any = _LCS.sentence_score(pred, [target])
        return counts.matches

    yield Served(theirs._lcs, _served(lcs, (0, 0)))


def _of_torchmetrics_edits(theirs: Any) -> _Switched:
    from rapidbleu.metrics import WER

    metric = WER()

    def edit_distance(prediction: Any, reference: Any) -> Any:
        return metric.sentence_score(prediction, [reference]).num_edits

    yield Served(theirs._edit_distance, _served(edit_distance, (0, 0)))


def _of_sacrebleu(theirs: Any) -> _Switched:
    # Its package also contains the command line, which runs this.
    yield import_module("rapidbleu.sacrebleu.patching").Patch()


MODULES = {
    "sacrebleu": Module(
        _of_sacrebleu, "metrics/base.py metrics/bleu.py metrics/chrf.py metrics/ter.py "
        "metrics/helpers.py metrics/lib_ter.py significance.py",
        "6684928f a18526bc 126df926 185dae04 a969e952 758734f0 8f681eaf",
    ),
    "nltk.translate.bleu_score": Module(
        _of_bleu, "translate/bleu_score.py", "a2c523c2 d25c06a6 8f9c3258 02e7d737"
    ),
    "nltk.translate.chrf_score": Module(
        _of_nltk("sentence_chrf", "corpus_chrf", 0), "translate/chrf_score.py", "47d7f5e3"
    ),
    "nltk.translate.gleu_score": Module(
        _of_nltk("sentence_gleu", "corpus_gleu"), "translate/gleu_score.py",
        "bc64c299 983ca792 a866750f ccafb279",
    ),
    "nltk.translate.nist_score": Module(
        _of_nltk("sentence_nist", "corpus_nist"), "translate/nist_score.py",
        "14a6ace9 b85adf40 0c49cc24",
    ),
    "nltk.translate.meteor_score": Module(_of_meteor, "translate/meteor_score.py", "63309e4c"),
    "nltk.translate.ribes_score": Module(
        _of_nltk("sentence_ribes", "corpus_ribes"), "translate/ribes_score.py", "09319d51"
    ),
    "rouge_score.rouge_scorer": Module(
        _of_rouge_score, "rouge_scorer.py tokenize.py tokenizers.py", "4c0b8eb3"
    ),
    "jiwer": Module(
        _of_jiwer, "measures.py process.py transforms.py transformations.py", "79f728a2"
    ),
    "fastchrf": Module(_of_fastchrf, "", "0.2.1"),
    "torchmetrics.functional.text.bleu": Module(
        _of_torchmetrics_bleu, "functional/text/bleu.py", "3f617615 0320c9f4"
    ),
    "torchmetrics.functional.text.helper": Module(
        _of_torchmetrics_edits, "functional/text/helper.py", "d80506f7 fc10606e"
    ),
    "torchmetrics.functional.text.rouge": Module(
        _of_torchmetrics_rouge, "functional/text/rouge.py", "84c07f91 b70aff49 7d93c688"
    ),
}  # fmt: skip
PEERS = tuple(dict.fromkeys(name.partition(".")[0] for name in MODULES))


_switched: dict[str, list[Any]] = {}  # by module


def switch_module(module: ModuleType) -> None:
    """Switch the functions of a module after its execution, if its code is known."""
    name = module.__name__
    for served in _switched.pop(name, ()):
        served.undo()  # left from before the module was reloaded
    package, note = name.partition(".")[0], name
    try:
        if MODULES[name].is_known(package):
            _switched[name] = list(MODULES[name].make(module))
            note += ": switched"
        else:
            note += f" of {package} {metadata.version(package)}: left alone, its code is not known"
    except Exception as error:
        note += f": left alone: {error!r}"
    if os.environ.get(VERBOSE):
        _say(note)
        if len(_switched) == 1:
            import atexit

            atexit.register(_say_counts)


def _say(text: str) -> None:
    print(f"rapidbleu, process {os.getpid()}: {text}", file=sys.stderr)


def _say_counts() -> None:
    for served in (served for group in _switched.values() for served in group):
        if served.n_served or served.n_handed_back:
            _say(f"{served.name}: {served.n_served} served, {served.n_handed_back} handed back")


class Switch:
    """Fast metrics in installed libraries, until you call this or its ``with`` block ends."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._modules = list(modules_of(names))
        for package in names:
            there = getattr(sys.modules.get(package), "__name__", package) == package
            known = [MODULES[name] for name in modules_of([package]) if there]
            if there and not any(module.is_known(package) for module in known):
                raise RuntimeError(
                    f"{package}: expected a version whose code is known; got "
                    f"{metadata.version(package)}"
                )
        self._finder = import_module("rapidbleu.assets.sitecustomize").Finder(
            self._modules, switch_module
        )
        sys.meta_path.insert(0, self._finder)
        for name in self._modules:
            if name in sys.modules and name not in _switched:
                switch_module(sys.modules[name])

    def __call__(self) -> None:
        """Restore the functions' own code."""
        if self._finder in sys.meta_path:
            sys.meta_path.remove(self._finder)
        watched = {name for finder in finders() for name in finder.names}
        for name in set(self._modules) - watched:
            for served in _switched.pop(name, ()):
                served.undo()

    def __enter__(self) -> Switch:
        return self

    def __exit__(self, *error: object) -> None:
        self()


def finders() -> list[Any]:
    """Return the import finders of `patch` and of `rapidbleu run`."""
    return [finder for finder in sys.meta_path if hasattr(finder, "is_rapidbleus")]


def modules_of(names: Iterable[str]) -> Iterator[str]:
    """Yield the modules of the named libraries, without names of all known ones."""
    wanted = tuple(names)
    for name in wanted:
        if name not in PEERS:
            raise ValueError(f"names: expected some of {', '.join(PEERS)}; got {name!r}")
    for module in MODULES:
        if not wanted or module.partition(".")[0] in wanted:
            yield module


def patch(*names: str) -> Switch:
    """Speed up metrics of installed libraries, in place, for the whole process.

    Parameters
    ----------
    *names : {"sacrebleu", "nltk", "rouge_score", "jiwer", "fastchrf", "torchmetrics"}
        Libraries, by default all. A library that is not imported yet is switched on import.

    Returns
    -------
    Switch
        Call it to undo this, or use it in a ``with`` statement.

    Raises
    ------
    ImportError, RuntimeError
        If a named library is not installed, or its code is not known.

    Notes
    -----
    Functions keep their identity, so names imported from their modules earlier are served as well.
    Results are equal to the last bit; where rapidbleu would refuse or warn, the library's own code
    answers. Without names, libraries of unknown versions are left alone.

    Examples
    --------
    >>> from nltk.translate.bleu_score import sentence_bleu
    >>> with patch("nltk"):
    ...     round(sentence_bleu([["a", "b", "c", "d"]], ["a", "b", "c", "d", "e"]), 6)
    0.66874
    """
    return Switch(names)
