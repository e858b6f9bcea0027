"""``python -m sacrebleu.dataset`` of an installed sacrebleu: checks or lists the test sets."""

from rapidbleu.loading.installed_sacrebleu import import_peer

if __name__ == "__main__":
    import_peer("dataset.__main__")
