"""Input that is read as it is needed: iterators, files and tables of any length, in batches."""

from rapidbleu.streams.scan import Scan, scan

__all__ = ["Scan", "scan"]
