"""Metrics that count edits: WER, CER, PER, CDER, HTER, CharacTER, EED."""
