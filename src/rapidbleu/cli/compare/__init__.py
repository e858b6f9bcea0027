"""The command that compares systems."""
