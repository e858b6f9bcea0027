"""Metrics beyond BLEU."""
