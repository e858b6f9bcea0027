"""Metrics of Hugging Face's evaluate: the same `load` and `compute`, the same numbers, at once.

`evaluate` itself writes each batch to a file and takes 3 ms a call. It is not needed here, nor are
its scripts, sacrebleu, jiwer or rouge-score. NLTK is needed for METEOR, and for the stems of ROUGE.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rapidbleu.adapters.evaluate_metrics import METRICS, RANDOM
from rapidbleu.adapters.layout import by_segment, listed

__all__ = ["load"]


def load(path: str, seed: int | None = None) -> "Module":
    """Return a metric by its name.

    Parameters
    ----------
    path : {"bleu", "cer", "chrf", "google_bleu", "meteor", "rouge", "sacrebleu", "ter", "wer"}
    seed : int, optional
        Of the resamples of ``rouge``; by default what the state of NumPy's generator says.

    Returns
    -------
    Module

    Raises
    ------
    ValueError
        If it is the name of no metric here; `evaluate` itself may have it.

    Examples
    --------
    >>> bleu = load("bleu")
    >>> results = bleu.compute(predictions=["the cat sat"], references=["the cat sat"], max_order=2)
    >>> results["bleu"], results["precisions"]
    (1.0, [1.0, 1.0])
    """
    if path not in METRICS:
        raise ValueError(f"path: expected one of {', '.join(METRICS)}; got {path!r}")
    return Module(path, seed)


class Module:
    """A metric with the methods of `evaluate.Metric`.

    Parameters
    ----------
    name : str
        One of `METRICS`.
    seed : int, optional
        As of `load`.

    Examples
    --------
    >>> ter = Module("ter")
    >>> ter.add(prediction="on the mat the cat sat", reference=["the cat sat on the mat"])
    >>> ter.compute()["num_edits"]
    1
    """

    def __init__(self, name: str, seed: int | None = None) -> None:
        self.name = name
        self.seed = _seed_of_numpy() if seed is None and name in RANDOM else seed
        self._predictions: list[Any] = []
        self._references: list[Any] = []

    def add(self, *, prediction: Any = None, reference: Any = None, **by_plural: Any) -> None:
        """Add a segment; `predictions` and `references` are understood too."""
        one = {"predictions": prediction, "references": reference, **by_plural}
        self.add_batch(**{name: [value] for name, value in one.items()})

    def add_batch(self, *, predictions: Any, references: Any) -> None:
        """Add segments.

        Parameters
        ----------
        predictions : sequence of str
        references : sequence of str or of sequences of str
            The references of each segment, which may be one or several.
        """
        predictions = listed(predictions, "predictions")
        references = by_segment(references, "references")
        if len(predictions) != len(references):
            raise ValueError(
                f"references: expected {len(predictions)}, as many as predictions, "
                f"got {len(references)}"
            )
        self._predictions += predictions
        self._references += references

    def compute(
        self, *, predictions: Any = None, references: Any = None, **options: Any
    ) -> Any:
        """Score what was added and what is given here, and forget it.

        Parameters
        ----------
        predictions, references
            As of `add_batch`.
        **options
            Those of the metric, see docs/adapters.md.

        Returns
        -------
        dict, or float of ``cer`` and ``wer``
        """
        if predictions is not None or references is not None:
            self.add_batch(predictions=predictions, references=references)
        segments = self._predictions, self._references
        self._predictions, self._references = [], []
        if not segments[0]:
            raise ValueError("predictions: expected at least one segment, got none")
        if self.name not in RANDOM:
            return METRICS[self.name](*segments, **options)
        with _numpy_seeded(self.seed):
            return METRICS[self.name](*segments, **options)


def _seed_of_numpy() -> int:
    """Return the number that NumPy's global generator would go on from."""
    import numpy as np

    state: Any = np.random.get_state()
    _, numbers, place, *_ = state
    return int(numbers[place] if place < len(numbers) else numbers[0])


@contextmanager
def _numpy_seeded(seed: int | None) -> Iterator[None]:
    """Seed NumPy's global generator, and leave it as it was."""
    import numpy as np

    state = np.random.get_state()
    np.random.seed(seed)
    try:
        yield
    finally:
        np.random.set_state(state)
