"""Helpers that know no metric: loading, checks of arguments, floats, files, frozen arrays."""
