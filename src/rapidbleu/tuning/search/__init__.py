"""Searches for weights: line search, MERT, MIRA, PRO."""
