"""Oracles of tuning: line search, learners, lists of hypotheses, Moses' files."""
