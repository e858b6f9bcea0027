"""Other libraries' calls and dialects of BLEU, one module each; see docs/adapters.md.

Nothing is imported before it is asked for, and none of the libraries is a requirement: those
modules that subclass a library's own classes say which one they miss.
"""
