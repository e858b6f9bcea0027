"""Arrow producers and structures, correct and malformed."""
