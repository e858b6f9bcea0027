"""Clipped n-gram counts: C functions only, declared in clipping.pxd."""
