"""``sacrebleu.dataset.fake_sgml`` of an installed sacrebleu."""

from rapidbleu.sacrebleu.peer import attributes_of

__getattr__ = attributes_of("dataset.fake_sgml")
