"""How functions that stand in for another library's hand a call back to it."""

from __future__ import annotations

from _thread import _local as local


class HandBack(Exception):
    """The other library has to answer."""


class Serving(local):
    """Whether this thread serves a call of a switched function."""

    now = False


serving = Serving()


def hand_back() -> None:
    """Hand back a call that is served, before ours would ask the library or warn in its place."""
    if serving.now:
        raise HandBack
