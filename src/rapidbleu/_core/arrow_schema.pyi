"""Position tables: C functions only, declared in positions.pxd."""
