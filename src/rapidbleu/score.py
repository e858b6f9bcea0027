"""What a score is: a number, its name, and how it is written."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Score:
    """A score and its name.

    Parameters
    ----------
    name : str
        Name of the metric, as printed.
    score : float
        In percent for BLEU.

    Examples
    --------
    >>> print(Score("BLEU", 26.5958))
    BLEU = 26.60
    """

    _mean = -1.0  # of resampled scores, once somebody has computed it
    _ci = -1.0  # half the width of their confidence interval

    def __init__(self, name: str, score: float) -> None:
        self.name = name
        self.score = score

    @property
    def _verbose(self) -> str:
        """What is printed behind the score."""
        return ""

    def __float__(self) -> float:
        return float(self.score)

    def __repr__(self) -> str:
        return self.format()

    def format(
        self, width: int = 2, score_only: bool = False, signature: str = "", is_json: bool = False
    ) -> str:
        """Write the score as a line of text or as JSON, in sacrebleu's form.

        Parameters
        ----------
        width : int
            Digits behind the decimal point.
        score_only : bool
            Write the number alone; wins over `is_json`.
        signature : str
            Text of the metric's signature; JSON has an entry for each of its parts.
        is_json : bool
            Write JSON, indented by one space.

        Returns
        -------
        str

        Examples
        --------
        >>> Score("BLEU", 26.5958).format(width=1, signature="nrefs:1|case:mixed")
        'BLEU|nrefs:1|case:mixed = 26.6'
        """
        number = f"{self.score:.{width}f}"
        entries: dict[str, Any] = {
            "name": self.name,
            "score": float(number),
            "signature": signature,
        }
        if self._mean > 0:
            mean, interval = f"{self._mean:.{width}f}", f"{self._ci:.{width}f}"
            confidence = f"μ = {mean} ± {interval}"
            number = f"{number} ({confidence})"
            entries["confidence_mean"] = float(mean)
            entries["confidence_var"] = float(interval)
            entries["confidence"] = confidence
        if score_only:
            return number
        if is_json:
            import json

            if self._verbose:
                entries["verbose_score"] = self._verbose
            for part in signature.split("|") if signature else ():
                key, _, value = part.partition(":")
                entries[key] = value
            return json.dumps(entries, indent=1, ensure_ascii=False)
        head = f"{self.name}|{signature}" if signature else self.name
        return f"{head} = {number} {self._verbose}".rstrip()


class BLEUScore(Score):
    """A BLEU score and what it was made of.

    Attributes
    ----------
    score : float
        In percent.
    counts, totals : list of int
        Matched and possible n-grams of each order, after add-k smoothing.
    precisions : list of float
        In percent.
    bp : float
        Brevity penalty, a fraction.
    sys_len, ref_len : int
        Lengths of the hypotheses and the references in tokens.

    Examples
    --------
    >>> from rapidbleu import sentence_bleu
    >>> print(sentence_bleu("The cat sat on a mat.", ["The cat sat on the mat."]))
    BLEU = 48.89 85.7/66.7/40.0/25.0 (BP = 1.000 ratio = 1.000 hyp_len = 7 ref_len = 7)
    """

    name = "BLEU"

    def __init__(
        self,
        score: float,
        counts: "list[Any]",
        totals: "list[Any]",
        precisions: list[float],
        bp: float,
        sys_len: int,
        ref_len: int,
    ) -> None:
        self.score = score
        self.counts = counts
        self.totals = totals
        self.precisions = precisions
        self.bp = bp
        self.sys_len = sys_len
        self.ref_len = ref_len

    @property
    def prec_str(self) -> str:
        """The precisions as printed."""
        return "/".join([f"{precision:.1f}" for precision in self.precisions])

    @property
    def ratio(self) -> float:
        """Length of the hypotheses by that of the references."""
        return self.sys_len / self.ref_len if self.ref_len else 0

    @property
    def _verbose(self) -> str:
        return (
            f"{self.prec_str} (BP = {self.bp:.3f} ratio = {self.ratio:.3f} "
            f"hyp_len = {self.sys_len:d} ref_len = {self.ref_len:d})"
        )
