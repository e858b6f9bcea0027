"""Our functions in place of those that are switched, by module.

A maker receives a module and returns the arguments of `Served.set_up` for each of its functions in
`MODULES`. Answers raise `HandBack` for other arguments.
"""

from __future__ import annotations

from functools import lru_cache, partial
from importlib import import_module
from types import MethodType

from rapidbleu._core.switching.served import Guard, are_alike, is_plain
from rapidbleu._lib.handing import HandBack
from rapidbleu._lib.loader import load
from rapidbleu.switch import MODULES, codes_of
from rapidbleu.switch.definitions import Definitions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    _Answers = list[tuple[Any, Any, tuple[int, int], int]]

WORDS, IDS, ABSENT = 0, 1, 2  # items of lists: str alone, also int, also None
# Nesting depths of references and hypotheses, of one segment and of several
SEVERAL = (1, 0), (2, 1)


def guard_of(roots: Iterable[Any], *libraries: str) -> Guard:
    """Return a guard of everything that functions of libraries read."""
    return Guard(Definitions(roots, libraries, codes_of))


def _check_options(*options: Any) -> None:
    """Hand back options that are not exactly numbers, flags, texts or None."""
    for option in options:
        if type(option) not in (int, float, bool, str, type(None)):
            raise HandBack("options of other types")


def _of_nltk(
    depths: tuple[tuple[int, int], ...], items: int, adapt: Callable[[Any, Any, str], Any]
) -> Callable[[Any], _Answers]:
    """Return a maker for functions of NLTK, served by ours of the same names.

    `depths` are the nesting depths of the references and hypotheses of each. ``adapt(ours, theirs,
    name)`` returns our function with a check of its options.
    """

    def make(theirs: Any) -> _Answers:
        module = theirs.__name__
        ours = load(f"rapidbleu.nltk.{module.rpartition('.')[2]}")
        names = MODULES[module].functions
        guard = guard_of([getattr(theirs, name) for name in names], "nltk")
        return [
            (adapt(ours, theirs, name), guard, depth, items)
            for name, depth in zip(names, depths, strict=True)
        ]

    return make


def _with_numbers(ours: Any, _: Any, name: str) -> Any:
    score = getattr(ours, name)

    def answer(references: Any, hypotheses: Any, *options: Any) -> Any:
        _check_options(*options)
        return score(references, hypotheses, *options)

    return answer


def _with_smoothing(ours: Any, theirs: Any, name: str) -> Any:
    score, uniform = getattr(ours, name), getattr(theirs, name).__defaults__[0]
    smoothings = {
        method: getattr(ours.SmoothingFunction, key)
        for key, method in vars(theirs.SmoothingFunction).items()
        if key.startswith("method")
    }

    def smoothing_of(smoothing: Any) -> Any:
        """Return our counterpart of NLTK's smoothing; a different one may inspect its arguments."""
        options: Any = getattr(smoothing, "__self__", None)
        method = smoothings.get(getattr(smoothing, "__func__", None))
        if (
            method is None
            or type(options) is not theirs.SmoothingFunction
            or vars(options).keys() != {"epsilon", "alpha", "k"}
        ):
            raise HandBack("another smoothing function")
        _check_options(*vars(options).values())
        return MethodType(method, ours.SmoothingFunction(options.epsilon, options.alpha, options.k))

    def check_weights(weights: Any) -> None:
        if type(weights) not in (list, tuple):
            raise HandBack("weights of other types")
        for weight in weights:
            if type(weight) in (list, tuple):
                _check_options(*weight)
            else:
                _check_options(weight)

    def answer(
        references: Any, hypotheses: Any, weights: Any, smoothing: Any, auto_reweigh: Any
    ) -> Any:
        if weights is not uniform:
            check_weights(weights)
        if smoothing is not None:
            smoothing = smoothing_of(smoothing)
        _check_options(auto_reweigh)
        return score(references, hypotheses, weights, smoothing, auto_reweigh)

    return answer


def _with_stock(ours: Any, theirs: Any, name: str) -> Any:
    """Serve only NLTK's own stemmer and WordNet; other ones may not be deterministic."""
    score, stock = getattr(ours, name), getattr(theirs, name).__defaults__[:3]

    def answer(references: Any, hypothesis: Any, *options: Any) -> Any:
        for option, default in zip(options, stock, strict=False):
            if option is not default:
                raise HandBack("another stemmer or WordNet")
        _check_options(*options[3:])
        return score(references, hypothesis, *options)

    return answer


def _of_rouge_score(theirs: Any) -> _Answers:
    ours = load("rapidbleu.adapters.rouge_score")
    PorterStemmer = load("nltk.stem.porter").PorterStemmer
    make_scorer = lru_cache(64)(ours.RougeScorer)
    tokenizer, make_score = theirs.tokenizers.DefaultTokenizer, theirs.scoring.Score
    stock = PorterStemmer()

    def score(self: Any, target: Any, prediction: Any) -> Any:
        if type(target) is not str or type(prediction) is not str:
            raise HandBack("texts of other types")
        current, types = self._tokenizer, self.rouge_types
        if type(current) is not tokenizer or vars(current).keys() != {"_stemmer"}:
            raise HandBack("another tokenizer")
        stemmer = current._stemmer
        if stemmer is not None and not (are_alike(stemmer, stock) and stemmer_guard()):
            raise HandBack("another stemmer")
        if self._split_summaries is not False:
            raise HandBack("sentences by NLTK's models")
        if not is_plain(types, 0):
            raise HandBack("options of other types")
        scorer = make_scorer(tuple(types), stemmer is not None)
        scores = scorer.score(target, prediction)
        return {name: make_score(*numbers) for name, numbers in scores.items()}

    def score_lcs(target: Any, prediction: Any) -> Any:
        return make_score(*ours._score_lcs(target, prediction))

    roots = [theirs.RougeScorer.score, theirs._score_lcs, tokenizer]
    guard = guard_of(roots, "rouge_score")
    stemmer_guard = guard_of([PorterStemmer], "nltk")
    return [(score, guard, (-1, -1), WORDS), (score_lcs, guard, (0, 0), WORDS)]


def _of_jiwer(theirs: Any) -> _Answers:
    ours = load("rapidbleu.adapters.jiwer")
    names = MODULES["jiwer.measures"].functions
    guard = guard_of([getattr(theirs, name) for name in names], "jiwer", "rapidfuzz")

    def served(process: Any, name: str, stock: Any) -> Any:
        def answer(reference: Any, hypothesis: Any, of_reference: Any, of_hypothesis: Any) -> Any:
            if of_reference is not stock[0] or of_hypothesis is not stock[1]:
                raise HandBack("other transformations")
            output = process(reference, hypothesis)
            if not output._ref_len or not (output.hits or name in ("wer", "cer")):
                raise HandBack("no words")  # jiwer's zeros and ones may be integers
            return getattr(output, name)

        return answer

    answers = []
    for name in names:
        process = ours.process_characters if name == "cer" else ours.process_words
        stock = getattr(theirs, name).__defaults__[-2:]
        answers.append((served(process, name, stock), guard, (0, 0), WORDS))
    return answers


def _of_fastchrf(_: Any) -> _Answers:
    ours = load("rapidbleu.adapters.fastchrf")

    def served(score: Any) -> Any:
        def answer(hypotheses: Any, references: Any, *args: Any, **options: Any) -> Any:
            if not is_plain(hypotheses, 1) or not is_plain(references, 1):
                raise HandBack("arguments are not lists of str")
            for texts in (*hypotheses, *references):
                text = "".join(texts)
                # White space for Python, not for fastchrf
                if any(separator in text for separator in "\x1c\x1d\x1e\x1f"):
                    raise HandBack("separators U+001C to U+001F")
            _check_options(*args, *options.values())
            return score(hypotheses, references, *args, **options)

        return answer

    return [
        (served(ours.pairwise_chrf), None, (-1, -1), WORDS),
        (served(ours.aggregate_chrf), None, (-1, -1), WORDS),
    ]


def _of_torchmetrics_bleu(theirs: Any) -> _Answers:
    make_bleu = load("rapidbleu.metrics").BLEU
    kind = load("torchmetrics.functional.text.sacre_bleu")._SacreBLEUTokenizer
    split_13a = load("rapidbleu.tokenizers").get_tokenizer("13a")

    def tokenizer_of(given: Any) -> Any:
        """Return the tokenizer for one of torchmetrics' own, of a metric or of a function."""
        if given is theirs._tokenize_fn:
            return given
        if type(given) is partial and given.func == kind.tokenize and not given.args:
            is_13a = given.keywords == {"tokenize": "13a", "lowercase": False}
        elif type(given) is kind and vars(given).keys() == {"tokenize_fn", "lowercase"}:
            is_13a = given.tokenize_fn == kind._tokenize_13a and given.lowercase is False
        else:
            raise HandBack("another tokenizer")
        return split_13a if is_13a else given

    def update(
        preds: Any,
        target: Any,
        numerator: Any,
        denominator: Any,
        preds_len: Any,
        target_len: Any,
        n_gram: Any,
        tokenizer: Any,
    ) -> Any:
        """Add the counts of a batch to float states, in which these integers are exact."""
        tokenizer = tokenizer_of(tokenizer)
        hyps = [tokenizer(line) if line else [] for line in preds]
        refs = [[tokenizer(line) if line else [] for line in several] for several in target]
        metric = make_bleu(max_ngram_order=n_gram, tokenize="none", force=True)
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
                raise HandBack("large counts")
        for state, number in added:
            state += number
        return preds_len, target_len

    guard = guard_of([theirs._bleu_score_update, kind], "torchmetrics")
    return [(update, guard, (0, 1), WORDS)]


def _of_torchmetrics_rouge(theirs: Any) -> _Answers:
    metric = load("rapidbleu.adapters.rouge_score")._LCS

    def lcs(pred: Any, target: Any, return_full_table: Any) -> Any:
        if return_full_table or not (pred and target):
            raise HandBack("tables, or no words")
        counts: Any = metric.sentence_score(pred, [target])
        return counts.matches

    return [(lcs, guard_of([theirs._lcs], "torchmetrics"), (0, 0), WORDS)]


def _of_torchmetrics_edits(theirs: Any) -> _Answers:
    metric = load("rapidbleu.metrics").WER()

    def edit_distance(prediction: Any, reference: Any) -> Any:
        return metric.sentence_score(prediction, [reference]).num_edits

    return [(edit_distance, guard_of([theirs._edit_distance], "torchmetrics"), (0, 0), WORDS)]


def _of_sacrebleu(theirs: Any) -> _Answers:
    # Its package also contains the command line, which loads `rapidbleu.switch`.
    answers: _Answers = import_module("rapidbleu.sacrebleu.patching").answers_of(theirs)
    return answers


MAKERS: dict[str, Callable[[Any], _Answers]] = {
    "sacrebleu.metrics.base": _of_sacrebleu,
    "sacrebleu.significance": _of_sacrebleu,
    "nltk.translate.bleu_score": _of_nltk(SEVERAL, IDS, _with_smoothing),
    "nltk.translate.chrf_score": _of_nltk(((0, 0), (1, 1)), WORDS, _with_numbers),
    "nltk.translate.gleu_score": _of_nltk(SEVERAL, IDS, _with_numbers),
    "nltk.translate.nist_score": _of_nltk(SEVERAL, IDS, _with_numbers),
    "nltk.translate.meteor_score": _of_nltk(((0, 0), (1, 0)), WORDS, _with_stock),
    "nltk.translate.ribes_score": _of_nltk(SEVERAL, IDS, _with_numbers),
    "rouge_score.rouge_scorer": _of_rouge_score,
    "jiwer.measures": _of_jiwer,
    "fastchrf": _of_fastchrf,
    "torchmetrics.functional.text.bleu": _of_torchmetrics_bleu,
    "torchmetrics.functional.text.helper": _of_torchmetrics_edits,
    "torchmetrics.functional.text.rouge": _of_torchmetrics_rouge,
}
