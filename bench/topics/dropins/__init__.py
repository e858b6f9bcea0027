"""Stand-ins for other packages, beside these."""
