"""Streamed input: iterators, files and tables of any length, read in batches."""
