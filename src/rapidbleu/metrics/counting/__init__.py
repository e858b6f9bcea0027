"""N-gram counting metrics: GLEU, NIST, CIDEr-D, weighted BLEU, precision and recall."""
