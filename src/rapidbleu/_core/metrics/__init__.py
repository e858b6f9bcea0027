"""Metrics: rows of statistics and their scores."""
