"""Refined n-gram counts: C functions only, declared in refinement.pxd."""
