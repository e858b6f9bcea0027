"""Shared by tests: corpora, peers, programs, and paths of files."""
