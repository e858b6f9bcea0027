"""Oracles of the metric family beyond BLEU, chrF and TER."""
