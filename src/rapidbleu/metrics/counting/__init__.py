"""Metrics that count n-grams: GLEU, NIST, CIDEr-D, weighted BLEU, precision and recall."""
