"""Calls of functions that `patch` and `rapidbleu run` switch."""
