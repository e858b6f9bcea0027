"""Translation of words: tables that sentence pairs teach, scores and links that they give."""
