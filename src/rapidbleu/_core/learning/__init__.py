"""Learning of weights: what all hypotheses of a list say, each with its probability."""
