"""Rows of statistics with labels: tables of segments, their files, and merging."""
