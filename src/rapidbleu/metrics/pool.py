"""Pools: growing collections of texts, searched by a metric."""

from __future__ import annotations

import sys
from _thread import RLock

from rapidbleu._core.input.columns import Buffer, Column, ReferenceColumns
from rapidbleu._core.scoring.pool import PoolTexts
from rapidbleu._core.text.tokenize import restore
from rapidbleu._lib.checks import check_count
from rapidbleu._lib.files import replacing
from rapidbleu._lib.loader import load, np
from rapidbleu.metrics.options import check_choice
from rapidbleu.parallel import STEPS, check_progress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fractions import Fraction
    from typing import Any

    from rapidbleu._types import FloatArray, IntArray, Path, Progress, Segment, Texts

MOST_CUTS = 1 << 22  # maximum number of cached cuts per pool


class Pool:
    """A growing collection of texts that a metric searches; created by `Metric.pool`.

    Each text is tokenized once, when it is added. Threads may share a pool: every method sees and
    leaves a consistent state, `filter` once per text. Text of another kind raises TypeError.
    """

    def __init__(self, metric: Any, texts: Texts = (), role: str = "references") -> None:
        check_choice("role", role, ("references", "hypotheses"))
        if metric._reads_all:
            raise ValueError(f"metric: expected {type(metric).__name__} with information; got none")
        self.metric, self.role, self._lock = metric, role, RLock()
        self._texts = PoolTexts(metric._kernel, role == "hypotheses")
        self._rules: dict[object, tuple[Buffer, Buffer]] = {}
        self.extend(texts)

    def _read(self, texts: Any, where: str) -> list[Any]:
        """Return the texts prepared for scoring against the pool, and for storing in it."""
        extractor = self.metric._extractor
        place = (lambda _: where) if where == "text" else None
        columns = ReferenceColumns(Column(texts, where, place=place), "stream", where)
        asked = kept = extractor.prepare(columns)
        if extractor.of_hypotheses() is not extractor:
            asked = extractor.of_hypotheses().prepare(columns)
        return [asked, kept] if self.role == "references" else [kept, asked]

    def __len__(self) -> int:
        return len(self._texts)

    def __repr__(self) -> str:
        return f"<Pool of {len(self)} texts, {self.metric!r}>"

    def add(self, text: Segment) -> int:
        """Add a text and return its index."""
        _, prepared = self._read([text], "text")
        with self._lock:
            self._texts.add(prepared, 0)
            return len(self) - 1

    def extend(self, texts: Texts) -> None:
        """Add texts in order; if one is invalid, none is added."""
        _, prepared = self._read(texts, "texts")
        with self._lock:
            for k in range(len(prepared)):
                self._texts.add(prepared, k)

    def remove(self, i: int) -> None:
        """Remove the text at index i; later ones move up. Time is linear in all texts."""
        with self._lock:
            check_count("i", i, 0, len(self) - 1)
            kept = PoolTexts(self.metric._kernel, self.role == "hypotheses")
            for k in range(len(self)):
                if k != i:
                    kept.add(self._texts, k)
            self._texts = kept

    def scores(self, text: Segment) -> FloatArray:
        """Return the scores of a text with each text of the pool, as in `Metric.pairwise`.

        The result is a float64 array of shape (len(pool),).
        """
        asked, _ = self._read([text], "text")
        self.metric._advise_segments()
        with self._lock:
            out = np.empty(len(self), np.float64)
            self._texts.compare(asked, 0, Buffer(out, "out", writable=True))
        self.metric._calls.remember_number(1)
        return out

    def nearest(self, text: Segment, n: int = 1) -> tuple[IntArray, FloatArray]:
        """Return the indices and scores of the n best texts; for error rates, of the lowest scores.

        Both are arrays, int64 and float64, best first; ties are in pool order.
        """
        check_count("n", n, 1)
        scores = self.scores(text)
        keys = -scores if self.metric.higher_is_better else scores
        places = np.arange(len(keys), dtype=np.int64)
        if n < len(keys):
            places = places[keys <= np.partition(keys, n - 1)[n - 1]]
        places = places[np.argsort(keys[places], kind="stable")][:n]
        return places, scores[places]

    def filter(
        self,
        texts: Texts,
        threshold: float | Fraction,
        *,
        ties: str = "exact",
        progress: Progress | None = None,
    ) -> IntArray:
        """Add each text, in order, unless a text of the pool is too near; return added indices.

        Parameters
        ----------
        texts : sequence of segments
        threshold : float or fractions.Fraction
            Scores above this (for error rates, below) are too near. In the unit of scores, 70 for
            ROUGE and not 0.7; a Fraction, as ``Fraction(7, 10)``, is a share of a perfect score.
        ties : {"exact", "rouge-score"}
            "exact" compares ratios (ROUGE-N, ROUGE-L, WER, CER, PER, TER) by integers, and reads a
            float as the decimal number that it prints, so 7/10 is not above 70; it compares other
            scores as floats. "rouge-score", for F1 of ROUGE-N and ROUGE-L, compares like that
            package's ``fmeasure > 0.7``, whose 7/10 is above 0.7 for some lengths.
        progress : callable, optional
            Called with the number of texts done and the total.

        Examples
        --------
        >>> from rapidbleu.metrics import ROUGE
        >>> tasks = ["Write a poem about rain.", "Write a poem about snow.", "Sort these names."]
        >>> ROUGE("L").pool().filter(tasks, 70)
        array([0, 2])
        """
        check_progress(progress)
        check_choice("ties", ties, ("exact", "rouge-score"))
        if ties != "exact" and self.metric._per_match != 2:
            raise ValueError(f"ties: expected exact but for F1 of ROUGE-N and -L; got {ties!r}")
        share = check_threshold(self.metric, threshold)
        asked, prepared = self._read(texts, "texts")
        self.metric._advise_segments()
        kept: list[int] = []
        step = -(-len(asked) // STEPS)
        for k in range(len(asked)):
            with self._lock:
                size = 1 << self._texts.longest.bit_length()
                if len(self._rules) * size > MOST_CUTS:
                    self._rules.clear()
                key = self.role, self._texts.length_of(asked, k), size, share, ties
                if key not in self._rules:
                    self._rules[key] = make_rule(self.metric, *key)
                if self._texts.compare(asked, k, None, *self._rules[key]) < 0:
                    self._texts.add(prepared, k)
                    kept.append(k)
            if progress is not None and ((k + 1) % step == 0 or k + 1 == len(asked)):
                progress(k + 1, len(asked))
        return np.array(kept, np.int64)

    def save(self, path: Path) -> None:
        """Write the tokenized texts to an ``.npz`` file for `Metric.load_pool`.

        ValueError if the tokenizer is a function without a name to import, because `load_pool`
        could not compare it.
        """
        archives = load("rapidbleu.rows.archives")
        _check_tokenizer(self.metric)
        about = archives.join_texts([self.metric._preparation, sys.byteorder, self.role])
        with self._lock:
            parts = self._texts.__reduce__()[1]
        with (
            replacing(path) as (file,),
            archives.new_archive(archives.HashedFile(file), sealed=True) as members,
        ):
            for i, part in enumerate([about, *parts]):
                array = np.frombuffer(part, np.uint8) if isinstance(part, bytes) else part
                archives.write_array(members, f"part_{i}", array)


def load_pool(metric: Any, path: Path) -> Pool:
    """Return the pool stored in a file; see `Metric.load_pool`."""
    archives = load("rapidbleu.rows.archives")
    _check_tokenizer(metric)
    with open(path, "rb") as file:
        try:
            archives.check_seal(file)
            about, *parts = archives.read_arrays(path, file).values()
            *way, role = archives.split_texts(about)
            if way != [metric._preparation, sys.byteorder]:
                raise ValueError(f"for {metric._preparation}; got one for {', '.join(way)}")
            pool = Pool(metric, role=role)
            plain = [p.tobytes() if p.ndim else int(p) for p in parts]
            texts = restore(*plain)
            for k in range(len(texts)):
                pool._texts.add(texts, k)
        except (ImportError, MemoryError):
            raise
        except Exception as error:  # broken archives have errors of many kinds
            raise ValueError(f"{path}: expected a saved pool {error}") from None
    return pool


def _check_tokenizer(metric: Any) -> None:
    """Refuse a tokenizer that another program could not import."""
    rule = metric.tokenizer
    if not hasattr(rule, "signature") and not load("rapidbleu._lib.identity").importable_name(rule):
        raise ValueError(
            f"metric: expected a tokenizer with a name to import, which saved pools are compared "
            f"by; got {metric.tokenizer_signature}; define it in a module"
        )


def check_threshold(metric: Any, threshold: Any) -> Any:
    """Return a threshold as an exact share of the perfect score, or of 1 if there is none."""
    Fraction = load("fractions", "Fraction")
    full = metric._full_score
    if isinstance(threshold, bool | str) or not hasattr(threshold, "__float__"):
        raise TypeError(f"threshold: expected a number; got {type(threshold).__name__}")
    if not 0 <= float(threshold) < float("inf"):
        raise ValueError(f"threshold: expected a finite number of at least 0; got {threshold}")
    if isinstance(threshold, Fraction):
        if full is None:
            raise ValueError(f"threshold: expected a score, as none is perfect; got {threshold!r}")
        return threshold
    number = Fraction(str(threshold))  # the intended decimal number
    if full == 100 and 0 < number <= 1:
        ways = f"percent, {float(100 * number):g}, or a share, {number!r}"
        raise ValueError(f"threshold: expected {ways}; got {threshold}")
    return number / Fraction(full or 1)


def make_rule(
    metric: Any, role: str, n: int, size: int, share: Any, ties: str
) -> tuple[Buffer, Buffer]:
    """Return, by text length, score cuts and the minimum common tokens of too near texts.

    They apply to a text of n tokens. Cuts of ratios lie halfway between two possible scores.
    """
    hyp = np.full(size, n)
    ref = np.arange(size)
    if role == "hypotheses":
        hyp, ref = ref, hyp
    cuts = np.full(size, float(share * int(metric._full_score or 1)))
    least = np.zeros(size, int)
    units = metric._pair_units(hyp, ref)
    if units is not None:
        a = share.numerator
        b = share.denominator
        exact = units.astype(object)
        match = metric._per_match
        fewer = 64 - metric._pair_units(64, 64) // match if match else 0  # words minus n-grams
        if ties != "exact":  # test the nearest ratio itself; the rest is far enough away
            edges = ((2 * exact * a + b) // (2 * b)).astype(float)
            with np.errstate(all="ignore"):
                p, r = (edges / 2 / np.maximum(k - fewer, 0) for k in (hyp, ref))
                edges += np.where(2 * p * r / (p + r) > float(share), -0.5, 0.5)
        else:
            edges = exact * a // b + 0.5 if metric.higher_is_better else -(-exact * a // b) - 0.5
        edges = np.minimum(edges.astype(float), 2.0**52)
        cuts = np.where(units > 0, 100.0 * edges / np.maximum(units, 1), cuts)
        least = edges // match + 1 + fewer if match else np.maximum(hyp, ref) - np.floor(edges)
        least = np.where(units > 0, least, 0)
    return Buffer(cuts, "cuts"), Buffer(least.astype(np.int64), "least")
