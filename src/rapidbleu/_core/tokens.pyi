"""Token tables: C functions only, declared in tokens.pxd."""
