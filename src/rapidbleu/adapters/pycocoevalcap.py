"""pycocoevalcap's `Bleu`, `Cider`, `Meteor` and `Rouge`, for a set of captions and for each."""

from __future__ import annotations

from importlib.util import find_spec
from itertools import chain, repeat
from pathlib import Path
from typing import Any

from rapidbleu._core.edits.rates import has_only_blanks
from rapidbleu._lib.loader import np
from rapidbleu.adapters import brevity_penalty, check_texts
from rapidbleu.metrics import BLEU, METEOR, CIDErD
from rapidbleu.metrics.matching.rouge import ROUGECounts

__all__ = ["Bleu", "Cider", "Meteor", "Rouge"]

# Added to counts and totals to avoid division by zero.
TINY = 1e-15
SMALL = 1e-9


class _Scorer:
    _name: str
    _score: Any  # from checked captions and references

    def compute_score(self, gts: Any, res: Any, verbose: int = 1) -> tuple[Any, Any]:
        """Score captions.

        Parameters
        ----------
        gts : dict of list of str
            References of each image.
        res : dict of list of one str
            Caption of each image, with the keys of `gts`.
        verbose : int
            Ignored.

        Returns
        -------
        (float, float64 array of shape (n,))
            Score of the set, and scores of the captions in the order of `gts`. `Bleu` returns a
            list by order instead of each; `Meteor` returns a list of scores.
        """
        scores: tuple[Any, Any] = self._score(*_checked(gts, res))
        return scores

    def method(self) -> str:
        """Return the metric's name."""
        return self._name


class Bleu(_Scorer):
    """BLEU-1 to BLEU-n, from 0 to 1, of captions whose tokens are separated by white space.

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

    _name = "Bleu"

    def __init__(self, n: int = 4) -> None:
        self._bleu = BLEU(tokenize="none", force=True, max_ngram_order=n)

    def _score(self, captions: list[str], references: list[list[str]]) -> tuple[Any, Any]:
        rows = self._bleu.segment_stats(captions, references, layout="segment")
        by_order = zip(*map(_scores, rows.tolist()), strict=True)
        return _scores(rows.sum(axis=0).tolist()), [list(scores) for scores in by_order]


def _scores(row: list[int]) -> list[float]:
    """Return BLEU-1 to BLEU-n for a row of statistics."""
    hyp_len, ref_len, *counts = row
    n = len(counts) // 2
    penalty = brevity_penalty((hyp_len + TINY) / (ref_len + SMALL))
    scores = []
    product = 1.0
    for k in range(n):
        product *= (counts[k] + TINY) / (counts[n + k] + SMALL)
        scores.append(product ** (1.0 / (k + 1)) * penalty)
    return scores


class Cider(_Scorer):
    """CIDEr-D, from 0 to 10, of captions whose tokens are separated by white space.

    N-grams are weighted by their frequency in the references of all captions. The score of the set
    is the mean. Parameters are pycocoevalcap's, which ignores `test` and `refs` as well.

    Examples
    --------
    >>> references = {1: ["a cat on the mat", "a cat"], 2: ["the dog in the rain"]}
    >>> score, of_each = Cider().compute_score(references, {1: ["a cat"], 2: ["a dog in the rain"]})
    >>> of_each.round(2)
    array([3.83, 6.96])
    """

    _name = "CIDEr"

    def __init__(self, test: Any = None, refs: Any = None, n: int = 4, sigma: float = 6.0) -> None:
        self._cider = CIDErD(max_ngram_order=n, sigma=sigma)
        self._cider._warned_of_weights = True  # pycocoevalcap does not warn

    def _score(self, captions: list[str], references: list[list[str]]) -> tuple[Any, Any]:
        scores = self._cider.segment_scores(captions, references, layout="segment")
        return scores.mean(), scores


class Meteor(_Scorer):
    """METEOR 1.5, from 0 to 1, of English captions, with stems, synonyms and paraphrases.

    Reading the paraphrases takes some ten seconds and 160 MB. Java is not needed.

    Parameters
    ----------
    data : path, optional
        ``meteor-1.5.jar`` with its folder ``data``, or a folder with both (default:
        pycocoevalcap's; FileNotFoundError if missing). Needs PyStemmer (``rapidbleu[meteor]``).

    Examples
    --------
    >>> gts, res = {1: ["a cat sits on a mat"]}, {1: ["a cat on a mat"]}
    >>> score, of_each = Meteor().compute_score(gts, res)  # doctest: +SKIP
    """

    _name = "METEOR"

    def __init__(self, data: str | Path | None = None) -> None:
        self._meteor = METEOR(data=_installed_jar() if data is None else data)

    def _score(self, captions: list[str], references: list[list[str]]) -> tuple[Any, Any]:
        rows = self._meteor.segment_stats(captions, references, layout="segment")
        return self._meteor.score(rows).score / 100, (self._meteor.score_rows(rows) / 100).tolist()


def _installed_jar() -> Path:
    """Return the jar of an installed pycocoevalcap, without importing it."""
    spec = find_spec("pycocoevalcap")
    folders = [] if spec is None else spec.submodule_search_locations or []
    jars = [Path(folder, "meteor", "meteor-1.5.jar") for folder in folders]
    for jar in jars:
        if jar.is_file():
            return jar
    raise FileNotFoundError(
        "data: expected meteor-1.5.jar of an installed pycocoevalcap; got "
        + (f"none at {jars[0]}" if jars else "no such package; give the path of the jar")
    )


class Rouge(_Scorer):
    """ROUGE-L, from 0 to 1, of captions whose tokens are separated by single spaces.

    The score of the set is the mean. F, with a beta of 1.2, combines the highest precision and the
    highest recall over the references. An empty caption has one empty token.

    Examples
    --------
    >>> references = {"image": ["a cat sits on a mat", "there is a cat on the mat"]}
    >>> score, of_each = Rouge().compute_score(references, {"image": ["a cat on a mat"]})
    >>> of_each.round(3)
    array([0.894])
    """

    _name = "Rouge"

    def __init__(self) -> None:
        self.beta = 1.2
        self._rouge = ROUGECounts("L", lowercase=False, tokenize="none")

    def _score(self, captions: list[str], references: list[list[str]]) -> tuple[Any, Any]:
        sizes = [*map(len, references)]
        refs: Any = [*chain.from_iterable(references)]
        hyps: Any = captions
        if len(refs) > len(captions):
            hyps = [*chain.from_iterable(map(repeat, captions, sizes))]
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


def _checked(gts: Any, res: Any) -> tuple[list[str], list[list[str]]]:
    if gts.keys() != res.keys():
        key = next(iter(gts.keys() ^ res.keys()))
        raise ValueError(
            f"res: expected the {len(gts)} keys of gts; got {len(res)}; "
            f"{key!r} is in one of them only"
        )
    own = [res[key] for key in gts]
    references = [gts[key] for key in gts]
    if not (
        {*map(type, own), *map(type, references)} == {list}
        and {*map(type, chain.from_iterable(own + references))} == {str}
        and {*map(len, own)} == {1}
        and all(references)
    ):
        _check_each(gts, res)
    return [caption for (caption,) in own], references


def _check_each(gts: Any, res: Any) -> None:
    for key in gts:
        for name, several in (("res", res[key]), ("gts", gts[key])):
            if not isinstance(several, list):
                raise TypeError(
                    f"{name}[{key!r}]: expected a list of str; got {type(several).__name__}"
                )
            check_texts(several, f"{name}[{key!r}]")
            if not several:
                raise ValueError(f"{name}[{key!r}]: expected at least one text; got none")
        if len(res[key]) != 1:
            raise ValueError(f"res[{key!r}]: expected one caption; got {len(res[key])}")
    if not gts:
        raise ValueError("gts: expected at least one image; got none")


def _has_single_blanks(texts: list[str]) -> bool:
    """Return whether all texts are nonempty words separated by single spaces."""
    text = " ".join(texts)
    return bool(text) and "  " not in text and text == text.strip() and has_only_blanks([text])
