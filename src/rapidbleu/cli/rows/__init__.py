"""Rows of statistics: written by shards of a corpus, and joined."""
