"""Oracles: what the fast code does, written slowly and obviously, to check it against.

Each follows its paper or its contract in plain Python, on lists of tokens or on text, without any
regard to speed. Nothing here is shipped.
"""
