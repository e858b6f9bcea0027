"""``sacrebleu.dataset.plain_text`` of an installed sacrebleu."""

from rapidbleu.loading.installed_sacrebleu import attributes_of

__getattr__ = attributes_of("dataset.plain_text")
