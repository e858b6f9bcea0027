"""The functions: a metric for one call."""

from collections.abc import Sequence

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


def corpus_bleu(
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    smooth_method: str = "exp",
    smooth_value: "float | None" = None,
    force: bool = False,
    lowercase: bool = False,
    tokenize: "str | None" = BLEU.TOKENIZER_DEFAULT,
    use_effective_order: bool = False,
) -> BLEUScore:
    """Score a corpus with BLEU.

    Parameters
    ----------
    hypotheses : sequence of str
    references : sequence of streams
    smooth_method, smooth_value, force, lowercase, tokenize
        As in `BLEU`.
    use_effective_order : bool
        `BLEU`'s ``effective_order``.

    Returns
    -------
    BLEUScore

    Examples
    --------
    >>> corpus_bleu(["The cat sat on a mat."], [["The cat sat on the mat."]]).score
    48.892302243490086
    """
    metric = BLEU(
        lowercase=lowercase,
        force=force,
        tokenize=tokenize,
        smooth_method=smooth_method,
        smooth_value=smooth_value,
        effective_order=use_effective_order,
    )
    score: BLEUScore = metric.corpus_score(hypotheses, references)
    return score


def raw_corpus_bleu(
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    smooth_value: "float | None" = BLEU.SMOOTH_DEFAULTS["floor"],
) -> BLEUScore:
    """Score text that is tokenized already, with floor smoothing.

    Parameters
    ----------
    hypotheses, references
        As in `corpus_bleu`.
    smooth_value : float, optional
        The floor.

    Returns
    -------
    BLEUScore

    Examples
    --------
    >>> raw_corpus_bleu(["the cat sat ."], [["the cat sat down ."]]).bp
    0.7788007830714049
    """
    return corpus_bleu(
        hypotheses,
        references,
        smooth_method="floor",
        smooth_value=smooth_value,
        force=True,
        tokenize="none",
        use_effective_order=True,
    )


def sentence_bleu(
    hypothesis: str,
    references: Sequence[str],
    smooth_method: str = "exp",
    smooth_value: "float | None" = None,
    lowercase: bool = False,
    tokenize: "str | None" = BLEU.TOKENIZER_DEFAULT,
    use_effective_order: bool = True,
) -> BLEUScore:
    """Score one segment with BLEU.

    Parameters
    ----------
    hypothesis : str
    references : sequence of str
        All references of the segment.
    smooth_method, smooth_value, lowercase, tokenize
        As in `BLEU`.
    use_effective_order : bool
        `BLEU`'s ``effective_order``, here on by default.

    Returns
    -------
    BLEUScore

    Examples
    --------
    >>> sentence_bleu("The cat sat on a mat.", ["The cat sat on the mat."]).score
    48.892302243490086
    """
    metric = BLEU(
        lowercase=lowercase,
        tokenize=tokenize,
        force=False,
        smooth_method=smooth_method,
        smooth_value=smooth_value,
        effective_order=use_effective_order,
    )
    return metric.sentence_score(hypothesis, references)


def corpus_chrf(
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    char_order: int = CHRF.CHAR_ORDER,
    word_order: int = CHRF.WORD_ORDER,
    beta: int = CHRF.BETA,
    remove_whitespace: bool = True,
    eps_smoothing: bool = False,
) -> CHRFScore:
    """Score a corpus with chrF.

    Parameters
    ----------
    hypotheses : sequence of str
    references : sequence of streams
    char_order, word_order, beta, eps_smoothing
        As in `CHRF`.
    remove_whitespace : bool
        The opposite of `CHRF`'s ``whitespace``.

    Returns
    -------
    CHRFScore

    Examples
    --------
    >>> corpus_chrf(["The cat sat on a mat."], [["The cat sat on the mat."]])
    chrF2 = 65.80
    """
    metric = CHRF(
        char_order=char_order,
        word_order=word_order,
        beta=beta,
        whitespace=not remove_whitespace,
        eps_smoothing=eps_smoothing,
    )
    score: CHRFScore = metric.corpus_score(hypotheses, references)
    return score


def sentence_chrf(
    hypothesis: str,
    references: Sequence[str],
    char_order: int = CHRF.CHAR_ORDER,
    word_order: int = CHRF.WORD_ORDER,
    beta: int = CHRF.BETA,
    remove_whitespace: bool = True,
    eps_smoothing: bool = False,
) -> CHRFScore:
    """Score one segment with chrF; parameters are those of `corpus_chrf`.

    Examples
    --------
    >>> sentence_chrf("The cat sat on a mat.", ["The cat sat on the mat."])
    chrF2 = 65.80
    """
    metric = CHRF(
        char_order=char_order,
        word_order=word_order,
        beta=beta,
        whitespace=not remove_whitespace,
        eps_smoothing=eps_smoothing,
    )
    score: CHRFScore = metric.sentence_score(hypothesis, references)
    return score


def corpus_ter(
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    normalized: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    case_sensitive: bool = False,
) -> TERScore:
    """Score a corpus with TER.

    Parameters
    ----------
    hypotheses : sequence of str
    references : sequence of streams
    normalized, no_punct, asian_support, case_sensitive
        As in `TER`.

    Returns
    -------
    TERScore

    Examples
    --------
    >>> corpus_ter(["on the mat the cat sat"], [["the cat sat on the mat"]])
    TER = 16.67
    """
    metric = TER(
        normalized=normalized,
        no_punct=no_punct,
        asian_support=asian_support,
        case_sensitive=case_sensitive,
    )
    score: TERScore = metric.corpus_score(hypotheses, references)
    return score


def sentence_ter(
    hypothesis: str,
    references: Sequence[str],
    normalized: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    case_sensitive: bool = False,
) -> TERScore:
    """Score one segment with TER; parameters are those of `corpus_ter`.

    Examples
    --------
    >>> sentence_ter("on the mat the cat sat", ["the cat sat on the mat"]).num_edits
    1
    """
    metric = TER(
        normalized=normalized,
        no_punct=no_punct,
        asian_support=asian_support,
        case_sensitive=case_sensitive,
    )
    score: TERScore = metric.sentence_score(hypothesis, references)
    return score
