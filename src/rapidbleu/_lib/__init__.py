"""Helpers independent of metrics: loading, argument checks, floats, files, frozen arrays."""
