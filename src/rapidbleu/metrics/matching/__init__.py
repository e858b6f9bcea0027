"""Metrics that match words in order: ROUGE, GTM, RIBES, skip n-grams."""
