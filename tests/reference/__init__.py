"""Oracles: slow, obvious implementations of papers and contracts; not shipped."""
