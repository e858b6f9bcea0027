"""Metrics of which tokens belong together, in order or out of it: rows and scores."""
