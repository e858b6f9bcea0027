"""The version of rapidbleu, defined only here."""

__version__ = "0.9.0"
