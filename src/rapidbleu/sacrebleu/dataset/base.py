"""``sacrebleu.dataset.base`` of an installed sacrebleu."""

from rapidbleu.sacrebleu.peer import attributes_of

__getattr__ = attributes_of("dataset.base")
