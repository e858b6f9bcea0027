"""Metrics of edits: distances between texts, their rows and scores."""
