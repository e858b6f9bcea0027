"""Benchmarks: equality with every peer first, then times side by side in one process."""
