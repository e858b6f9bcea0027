"""``sacrebleu.dataset.base`` of an installed sacrebleu."""

from rapidbleu.loading.installed_sacrebleu import attributes_of

__getattr__ = attributes_of("dataset.base")
