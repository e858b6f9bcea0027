"""``sacrebleu.dataset.iwslt_xml`` of an installed sacrebleu."""

from rapidbleu.sacrebleu.peer import attributes_of

__getattr__ = attributes_of("dataset.iwslt_xml")
