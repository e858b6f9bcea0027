"""Metrics of n-grams that are counted, weighed or both: rows and scores."""
