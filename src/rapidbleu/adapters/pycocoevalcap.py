"""`Bleu`, `Cider`, `Meteor` and `Rouge` of pycocoevalcap: of a set of captions and of each one."""

from importlib.util import find_spec
from math import exp
from pathlib import Path
from typing import Any

from rapidbleu.adapters.spaces import has_only_blanks
from rapidbleu.metrics import BLEU, METEOR, CIDErD
from rapidbleu.metrics.matching.rouge_counts import ROUGECounts

__all__ = ["Bleu", "Cider", "Meteor", "Rouge"]

# Added to counts and totals, so that nothing is divided by zero.
TINY = 1e-15
SMALL = 1e-9


class Bleu:
    """BLEU-1 to BLEU-n of captions that are tokenized, their tokens separated by white space.

    Parameters
    ----------
    n : int
        Highest order of n-grams, at least 1.

    Examples
    --------
    >>> captions = {"image": ["a cat on a mat"]}
    >>> references = {"image": ["a cat sits on a mat", "there is a cat on the mat"]}
    >>> scores, of_each = Bleu(2).compute_score(references, captions)
    >>> [round(score, 3) for score in scores]
    [0.819, 0.819]
    """

    def __init__(self, n: int = 4) -> None:
        self._bleu = BLEU(tokenize="none", force=True, max_ngram_order=n)

    def compute_score(
        self, gts: Any, res: Any, verbose: int = 1
    ) -> tuple[list[float], list[list[float]]]:
        """Score captions.

        Parameters
        ----------
        gts : dict of list of str
            The references of each image.
        res : dict of list of one str
            The caption of each image.
        verbose : int
            Accepted for the sake of callers; nothing is printed.

        Returns
        -------
        (list of n float, list of n lists of float)
            Scores of the set, from 0 to 1, and for each order those of the captions, in the order
            of `gts`.

        Raises
        ------
        TypeError, ValueError
            If the images differ, or one does not have exactly one caption; the message names it.
        """
        captions, references = _checked(gts, res)
        rows = self._bleu.segment_stats(captions, references, layout="segment")
        of_each = [_scores(row) for row in rows.tolist()]
        return _scores(rows.sum(axis=0).tolist()), [
            list(scores) for scores in zip(*of_each, strict=True)
        ]

    def method(self) -> str:
        """Return the name of the metric."""
        return "Bleu"


def _scores(row: list[int]) -> list[float]:
    """BLEU-1 to BLEU-n of a row of statistics."""
    hyp_len, ref_len, *counts = row
    n = len(counts) // 2
    scores = []
    product = 1.0
    for k in range(n):
        product *= (counts[k] + TINY) / (counts[n + k] + SMALL)
        scores.append(product ** (1.0 / (k + 1)))
    ratio = (hyp_len + TINY) / (ref_len + SMALL)
    if ratio < 1:
        penalty = exp(1 - 1 / ratio)
        scores = [score * penalty for score in scores]
    return scores


class Cider:
    """CIDEr-D of captions that are tokenized, their tokens separated by white space.

    Parameters
    ----------
    test, refs
        Accepted for the sake of callers, and not used.
    n : int
        Highest order of n-grams.
    sigma : float
        Width of the penalty of a difference in length.

    Examples
    --------
    >>> references = {1: ["a cat on the mat", "a cat"], 2: ["the dog in the rain"]}
    >>> score, of_each = Cider().compute_score(references, {1: ["a cat"], 2: ["a dog in the rain"]})
    >>> of_each.round(2)
    array([3.83, 6.96])
    """

    def __init__(self, test: Any = None, refs: Any = None, n: int = 4, sigma: float = 6.0) -> None:
        self._cider = CIDErD(max_ngram_order=n, sigma=sigma)
        self._cider._warned_of_weights = True  # the peer is silent

    def compute_score(self, gts: Any, res: Any) -> tuple[float, Any]:
        """Score captions; n-grams are frequent or rare in the references of all of them.

        Parameters
        ----------
        gts, res
            As of `Bleu.compute_score`.

        Returns
        -------
        (float, float64 array of shape (n,))
            The mean, from 0 to 10, and the scores of the captions in the order of `gts`.

        Raises
        ------
        TypeError, ValueError
            As of `Bleu.compute_score`.
        """
        captions, references = _checked(gts, res)
        scores = self._cider.segment_scores(captions, references, layout="segment")
        return scores.mean(), scores

    def method(self) -> str:
        """Return the name of the metric."""
        return "CIDEr"


class Meteor:
    """METEOR 1.5 of English captions, with stems, synonyms and paraphrases.

    Parameters
    ----------
    data : path, optional
        ``meteor-1.5.jar`` with its folder ``data``, or a folder with them; by default that of an
        installed pycocoevalcap. Java is not needed, PyStemmer is (``rapidbleu[meteor]``).

    Raises
    ------
    FileNotFoundError
        If it is not there.

    Notes
    -----
    To read the paraphrases takes some ten seconds, and 160 MB.
    """

    def __init__(self, data: "str | Path | None" = None) -> None:
        self._meteor = METEOR(data=_installed_jar() if data is None else data)

    def compute_score(self, gts: Any, res: Any) -> tuple[float, list[float]]:
        """Score captions.

        Parameters
        ----------
        gts, res
            As of `Bleu.compute_score`.

        Returns
        -------
        (float, list of n float)
            Scores of the set, from 0 to 1, and of the captions in the order of `gts`.

        Raises
        ------
        TypeError, ValueError
            As of `Bleu.compute_score`.
        """
        captions, references = _checked(gts, res)
        rows = self._meteor.segment_stats(captions, references, layout="segment")
        of_each: list[float] = (self._meteor.score_rows(rows) / 100).tolist()
        return self._meteor.score(rows).score / 100, of_each

    def method(self) -> str:
        """Return the name of the metric."""
        return "METEOR"


def _installed_jar() -> Path:
    """Return the jar of an installed pycocoevalcap, which is not imported."""
    spec = find_spec("pycocoevalcap")
    folders = [] if spec is None else spec.submodule_search_locations or []
    jars = [Path(folder, "meteor", "meteor-1.5.jar") for folder in folders]
    for jar in jars:
        if jar.is_file():
            return jar
    raise FileNotFoundError(
        "data: expected meteor-1.5.jar of an installed pycocoevalcap, got "
        + (f"none at {jars[0]}" if jars else "no such package; give the path of the jar")
    )


class Rouge:
    """ROUGE-L of captions that are tokenized, their tokens separated by single blanks.

    F has a beta of 1.2, and is made of the greatest precision and the greatest recall that any of
    the references gives. An empty caption has one empty token.

    Examples
    --------
    >>> references = {"image": ["a cat sits on a mat", "there is a cat on the mat"]}
    >>> score, of_each = Rouge().compute_score(references, {"image": ["a cat on a mat"]})
    >>> of_each.round(3)
    array([0.894])
    """

    def __init__(self) -> None:
        self.beta = 1.2
        self._rouge = ROUGECounts("L", lowercase=False, tokenize="none")

    def compute_score(self, gts: Any, res: Any) -> tuple[float, Any]:
        """Score captions.

        Parameters
        ----------
        gts, res
            As of `Bleu.compute_score`.

        Returns
        -------
        (float, float64 array of shape (n,))
            The mean, from 0 to 1, and the scores of the captions in the order of `gts`.

        Raises
        ------
        TypeError, ValueError
            As of `Bleu.compute_score`.
        """
        import numpy as np

        captions, references = _checked(gts, res)
        sizes = [len(several) for several in references]
        hyps: Any = [text for text, size in zip(captions, sizes, strict=True) for _ in range(size)]
        refs: Any = [text for several in references for text in several]
        if not (_has_single_blanks(captions) and _has_single_blanks(refs)):
            hyps, refs = ([text.split(" ") for text in texts] for texts in (hyps, refs))
        hits, of_hyps, of_refs = self._rouge.segment_stats(hyps, [refs]).T
        begins = np.cumsum([0, *sizes[:-1]])
        precision = np.maximum.reduceat(hits / of_hyps, begins)
        recall = np.maximum.reduceat(hits / of_refs, begins)
        square = self.beta**2
        weighted = np.where(precision > 0, recall + square * precision, 1.0)
        scores = (1 + square) * precision * recall / weighted
        return scores.mean(), scores

    def method(self) -> str:
        """Return the name of the metric."""
        return "Rouge"


def _checked(gts: Any, res: Any) -> tuple[list[str], list[list[str]]]:
    """Return the caption of each image and its references, in the order of `gts`."""
    if gts.keys() != res.keys():
        key = next(iter(gts.keys() ^ res.keys()))
        raise ValueError(
            f"res: expected the {len(gts)} keys of gts, got {len(res)}; "
            f"{key!r} is in one of them only"
        )
    for key in gts:
        for name, several in (("res", res[key]), ("gts", gts[key])):
            if not isinstance(several, list):
                raise TypeError(
                    f"{name}[{key!r}]: expected a list of str, got {type(several).__name__}"
                )
            for i, text in enumerate(several):
                if not isinstance(text, str):
                    raise TypeError(
                        f"{name}[{key!r}][{i}]: expected str, got {type(text).__name__}"
                    )
            if not several:
                raise ValueError(f"{name}[{key!r}]: expected at least one text, got none")
        if len(res[key]) != 1:
            raise ValueError(f"res[{key!r}]: expected one caption, got {len(res[key])}")
    if not gts:
        raise ValueError("gts: expected at least one image, got none")
    return [res[key][0] for key in gts], [gts[key] for key in gts]


def _has_single_blanks(texts: list[str]) -> bool:
    """Return whether texts are words with a blank between each two; none is empty."""
    text = " ".join(texts)
    return bool(text) and "  " not in text and text == text.strip() and has_only_blanks(text)
