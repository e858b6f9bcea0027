"""The commands ``rapidbleu mbr`` and ``rapidbleu oracle``, which choose among candidates."""
