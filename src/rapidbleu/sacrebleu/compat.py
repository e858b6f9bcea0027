"""The functions: rapidbleu's, with sacrebleu's arguments and a new metric of its classes each call.

What they do is written down once, at `rapidbleu.metrics`; see `described`.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

from rapidbleu import metrics
from rapidbleu.sacrebleu.metrics import BLEU, CHRF, TER, BLEUScore, CHRFScore, TERScore

__all__ = [
    "BLEU",
    "CHRF",
    "TER",
    "BLEUScore",
    "CHRFScore",
    "TERScore",
    "corpus_bleu",
    "corpus_chrf",
    "corpus_ter",
    "raw_corpus_bleu",
    "sentence_bleu",
    "sentence_chrf",
    "sentence_ter",
]

FunctionT = TypeVar("FunctionT", bound=Callable[..., object])


def described(function: FunctionT) -> FunctionT:
    """Give a function the docstring of rapidbleu's of that name, less the parameters it lacks.

    Examples
    --------
    >>> "max_ngram_order" in metrics.corpus_bleu.__doc__
    True
    >>> "max_ngram_order" in corpus_bleu.__doc__
    False
    """
    doc = getattr(metrics, function.__name__).__doc__
    if doc is None:  # python -OO
        return function
    head, parameters, rest = doc.partition("----------\n")
    margin = head[len(head.rstrip(" ")) :]  # none from Python 3.13 on
    own = function.__code__.co_varnames[: function.__code__.co_argcount]
    kept, wanted = [], True
    lines, end, rest = rest.partition("\n\n")
    for line in lines.split("\n"):
        if not line.startswith(margin + " "):  # names, and behind a colon their type
            names, colon, kind = line.partition(" : ")
            left = [name for name in names.strip().split(", ") if name in own]
            line, wanted = f"{margin}{', '.join(left)}{colon}{kind}", bool(left)
        if wanted:
            kept.append(line)
    function.__doc__ = head + parameters + "\n".join(kept) + end + rest
    return function


@described
def corpus_bleu(
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    force: bool = False,
    lowercase: bool = False,
    tokenize: str | None = BLEU.TOKENIZER_DEFAULT,
    use_effective_order: bool = False,
) -> BLEUScore:
    metric = BLEU(
        lowercase=lowercase, force=force, tokenize=tokenize, smooth_method=smooth_method,
        smooth_value=smooth_value, effective_order=use_effective_order,
    )  # fmt: skip
    score: BLEUScore = metric.corpus_score(hypotheses, references)
    return score


@described
def raw_corpus_bleu(
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    smooth_value: float | None = BLEU.SMOOTH_DEFAULTS["floor"],
) -> BLEUScore:
    return corpus_bleu(
        hypotheses, references, smooth_method="floor", smooth_value=smooth_value, force=True,
        tokenize="none", use_effective_order=True,
    )  # fmt: skip


@described
def sentence_bleu(
    hypothesis: str,
    references: Sequence[str],
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    lowercase: bool = False,
    tokenize: str | None = BLEU.TOKENIZER_DEFAULT,
    use_effective_order: bool = True,
) -> BLEUScore:
    metric = BLEU(
        lowercase=lowercase, force=False, tokenize=tokenize, smooth_method=smooth_method,
        smooth_value=smooth_value, effective_order=use_effective_order,
    )  # fmt: skip
    return metric.sentence_score(hypothesis, references)


@described
def corpus_chrf(
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    char_order: int = CHRF.CHAR_ORDER,
    word_order: int = CHRF.WORD_ORDER,
    beta: int = CHRF.BETA,
    remove_whitespace: bool = True,
    eps_smoothing: bool = False,
) -> CHRFScore:
    metric = CHRF(
        char_order=char_order, word_order=word_order, beta=beta, whitespace=not remove_whitespace,
        eps_smoothing=eps_smoothing,
    )  # fmt: skip
    score: CHRFScore = metric.corpus_score(hypotheses, references)
    return score


@described
def sentence_chrf(
    hypothesis: str,
    references: Sequence[str],
    char_order: int = CHRF.CHAR_ORDER,
    word_order: int = CHRF.WORD_ORDER,
    beta: int = CHRF.BETA,
    remove_whitespace: bool = True,
    eps_smoothing: bool = False,
) -> CHRFScore:
    metric = CHRF(
        char_order=char_order, word_order=word_order, beta=beta, whitespace=not remove_whitespace,
        eps_smoothing=eps_smoothing,
    )  # fmt: skip
    score: CHRFScore = metric.sentence_score(hypothesis, references)
    return score


@described
def corpus_ter(
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    normalized: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    case_sensitive: bool = False,
) -> TERScore:
    metric = TER(
        normalized=normalized, no_punct=no_punct, asian_support=asian_support,
        case_sensitive=case_sensitive,
    )  # fmt: skip
    score: TERScore = metric.corpus_score(hypotheses, references)
    return score


@described
def sentence_ter(
    hypothesis: str,
    references: Sequence[str],
    normalized: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    case_sensitive: bool = False,
) -> TERScore:
    metric = TER(
        normalized=normalized, no_punct=no_punct, asian_support=asian_support,
        case_sensitive=case_sensitive,
    )  # fmt: skip
    score: TERScore = metric.sentence_score(hypothesis, references)
    return score
