"""The version of rapidbleu, defined only here."""

__version__ = "0.1.0"
