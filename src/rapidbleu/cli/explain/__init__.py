"""The command that says why a segment scored what it did."""
