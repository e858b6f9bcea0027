"""Arrow producers and structures, honest ones and others."""
