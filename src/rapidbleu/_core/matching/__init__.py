"""Metrics of matching tokens, ordered or not: rows and scores."""
