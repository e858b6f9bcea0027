"""Edit metrics: distances between texts, their rows and scores."""
