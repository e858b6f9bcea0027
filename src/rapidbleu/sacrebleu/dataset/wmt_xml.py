"""``sacrebleu.dataset.wmt_xml`` of an installed sacrebleu."""

from rapidbleu.loading.installed_sacrebleu import attributes_of

__getattr__ = attributes_of("dataset.wmt_xml")
