"""Word translation tables trained on sentence pairs, and their scores and links."""
