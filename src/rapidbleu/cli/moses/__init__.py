"""Moses' programs under their own names and options."""
