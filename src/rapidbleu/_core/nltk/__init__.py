"""Sums for NLTK's metrics."""
