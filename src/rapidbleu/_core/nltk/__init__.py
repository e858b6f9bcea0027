"""Token lists, as NLTK's metrics take them."""
