"""Oracles: slow, obvious implementations to check the fast code against.

Each follows its paper or its contract in plain Python, on lists of tokens or on text. They are not
shipped.
"""
