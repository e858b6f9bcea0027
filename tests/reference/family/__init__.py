"""Oracles of the metrics beyond BLEU, chrF and TER."""
