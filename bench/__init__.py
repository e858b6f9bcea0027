"""Benchmarks: check equality with every peer, then time both in one process."""
