"""The command that says which metric to trust, its tables and its pictures."""
