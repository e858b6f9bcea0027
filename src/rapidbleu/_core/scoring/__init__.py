"""Scoring common to all metrics: extraction, all pairs, pools, running scores."""
