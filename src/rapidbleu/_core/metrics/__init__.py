"""The metrics: rows of statistics and their scores."""
