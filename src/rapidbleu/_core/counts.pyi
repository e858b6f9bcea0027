"""Counts that a caller hands in: C functions only, declared in counts.pxd."""
