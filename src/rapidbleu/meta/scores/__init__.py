"""Tables of scores."""
