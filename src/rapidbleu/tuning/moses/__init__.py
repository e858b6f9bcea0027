"""Readers and writers of Moses' n-best lists, statistics and weights."""
