"""``sacrebleu.dataset.wmt_xml`` of an installed sacrebleu."""

from rapidbleu.sacrebleu.peer import attributes_of

__getattr__ = attributes_of("dataset.wmt_xml")
