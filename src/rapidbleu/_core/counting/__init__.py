"""Metrics of counted or weighted n-grams: rows and scores."""
