"""Metrics of Hugging Face's evaluate: the same `load` and `compute`, the same numbers, at once.

`evaluate` itself writes each batch to a file and takes 3 ms a call. It is not needed here, nor are
its scripts, sacrebleu or NLTK.
"""

from typing import Any

from rapidbleu.adapters.evaluate_metrics import METRICS
from rapidbleu.adapters.layout import by_segment, listed

__all__ = ["load"]


def load(path: str) -> "Module":
    """Return a metric by its name.

    Parameters
    ----------
    path : {"bleu", "chrf", "google_bleu", "sacrebleu", "ter"}

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
    return Module(path)


class Module:
    """A metric with the methods of `evaluate.Metric`.

    Parameters
    ----------
    name : str
        One of `METRICS`.

    Examples
    --------
    >>> ter = Module("ter")
    >>> ter.add(prediction="on the mat the cat sat", reference=["the cat sat on the mat"])
    >>> ter.compute()["num_edits"]
    1
    """

    def __init__(self, name: str) -> None:
        self.name = name
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
    ) -> dict[str, Any]:
        """Score what was added and what is given here, and forget it.

        Parameters
        ----------
        predictions, references
            As of `add_batch`.
        **options
            Those of the metric, see docs/adapters.md.

        Returns
        -------
        dict
        """
        if predictions is not None or references is not None:
            self.add_batch(predictions=predictions, references=references)
        segments = self._predictions, self._references
        self._predictions, self._references = [], []
        if not segments[0]:
            raise ValueError("predictions: expected at least one segment, got none")
        return METRICS[self.name](*segments, **options)
