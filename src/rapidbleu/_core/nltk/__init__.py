"""Token lists as accepted by NLTK's metrics."""
