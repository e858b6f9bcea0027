"""Hypotheses of a call: a column, or prepared once and shared by calls and metrics."""

from rapidbleu._core.input.columns import Column
from rapidbleu.references import References

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rapidbleu._core.text.tokenize import PreparedReferences


def prepared_texts(metric: "Any", source: "References", where: str) -> "PreparedReferences":
    """Return the compiled form of texts that a metric has prepared, one for each segment.

    `where` names the argument in errors.
    """
    if where == "hypotheses" and metric._extractor.of_hypotheses() is not metric._extractor:
        raise ValueError(
            f"{where}: expected text, as {metric._preparation} reads references in another way, "
            f"got {source!r}"
        )
    texts = source.prepared_by(metric.tokenizer, metric.lowercase, metric._preparation, where)
    if texts.num_refs != 1:
        raise ValueError(f"{where}: expected one text for each segment, got {source!r}")
    return texts


def read_hypotheses(metric: "Any", source: "Any") -> "Column | PreparedReferences":
    """Return the hypotheses of a corpus call, checked; prepared ones in their compiled form."""
    if isinstance(source, References):
        hyps: Column | PreparedReferences = prepared_texts(metric, source, "hypotheses")
    else:
        hyps = Column(source, "hypotheses")
    if not len(hyps):
        raise ValueError("hypotheses: expected at least one segment, got none")
    return hyps
