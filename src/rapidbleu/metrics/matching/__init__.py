"""Word-order metrics: ROUGE, GTM, RIBES and skip n-grams."""
