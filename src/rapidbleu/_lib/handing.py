"""Handing a call back to the library whose function a switched one replaces."""

from __future__ import annotations

from _thread import _local as local


class HandBack(Exception):
    """Raised if the other library has to answer a call."""


class Serving(local):
    """Whether this thread is serving a call of a switched function."""

    now = False


serving = Serving()


def hand_back() -> None:
    """Hand back a served call, before our code would query the library or warn in its place."""
    if serving.now:
        raise HandBack
