"""Corpora and n-best lists made from a seed, and tuning methods compared on them."""
