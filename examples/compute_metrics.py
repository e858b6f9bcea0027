"""`compute_metrics` for Hugging Face's Trainer: BLEU and chrF of generated texts.

    trainer = Seq2SeqTrainer(..., compute_metrics=make_compute_metrics(tokenizer))

The Trainer passes arrays of token ids, with -100 where labels are ignored. Run as a program, it
scores two texts of a tokenizer of words, without transformers.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from rapidbleu import BLEU, CHRF


def make_compute_metrics(tokenizer: Any) -> Callable[[Any], dict[str, float]]:
    """Return a function for the Trainer that decodes with a tokenizer and scores the texts."""
    metrics = {"bleu": BLEU(), "chrf": CHRF()}

    def compute_metrics(found: Any) -> dict[str, float]:
        predictions, labels = found
        if isinstance(predictions, tuple):  # some models return more than ids
            predictions = predictions[0]
        predictions, labels = (
            np.where(ids == -100, tokenizer.pad_token_id, ids) for ids in (predictions, labels)
        )
        texts = tokenizer.batch_decode(predictions, skip_special_tokens=True)
        references = tokenizer.batch_decode(labels, skip_special_tokens=True)
        return {
            name: metric.corpus_score(texts, [references]).score for name, metric in metrics.items()
        }

    return compute_metrics


class WordTokenizer:
    """A tokenizer of words, with the two names that `make_compute_metrics` uses."""

    pad_token_id = 0
    words = ("<pad>", "the", "cat", "dog", "sat", "on", "mat", ".")

    def batch_decode(self, rows: Any, skip_special_tokens: bool) -> list[str]:
        return [
            " ".join(self.words[i] for i in row if i or not skip_special_tokens) for row in rows
        ]


if __name__ == "__main__":
    predictions = np.array([[1, 2, 4, 5, 1, 6, 7, 0], [1, 3, 4, 7, 0, 0, 0, 0]])
    labels = np.array([[1, 2, 4, 5, 1, 6, 7], [1, 2, 4, 7, -100, -100, -100]])
    for name, score in make_compute_metrics(WordTokenizer())((predictions, labels)).items():
        print(f"{name}: {score:.2f}")
