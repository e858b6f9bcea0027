"""What a metric remembers of the last call, for signatures: each thread what its own call did."""

from _thread import get_ident


class LastCall:
    """What a call of a metric did.

    Parameters
    ----------
    num_refs : int or None
        References of each segment, -1 if it varied; None: nothing was scored.
    n_bootstrap : int or None
        Resamples behind the interval of the corpus; None: it had none.
    seed : str or None
        Their seed, as signatures have it.
    """

    def __init__(
        self,
        num_refs: "int | None" = None,
        n_bootstrap: "int | None" = None,
        seed: "str | None" = None,
    ) -> None:
        self.num_refs = num_refs
        self.n_bootstrap = n_bootstrap
        self.seed = seed


class LastCalls:
    """The last calls of all threads.

    Attributes
    ----------
    newest : (int, int or None)
        The thread that called last, and its number of references. As one object, so that a thread
        that finds its own call there has nothing to remember.

    Notes
    -----
    A thread that gets the identifier of one that has ended begins with its last call.

    Examples
    --------
    >>> calls = LastCalls()
    >>> calls.remember(2)
    >>> calls.own().num_refs
    2
    """

    def __init__(self) -> None:
        self.newest: tuple[int, int | None] = (get_ident(), None)
        self._of_threads: dict[int, LastCall] = {}

    def remember(
        self,
        num_refs: "int | None",
        n_bootstrap: "int | None" = None,
        seed: "str | None" = None,
    ) -> None:
        """Remember what a call of this thread did."""
        me = get_ident()
        self._of_threads[me] = LastCall(num_refs, n_bootstrap, seed)
        self.newest = me, num_refs

    def own(self) -> LastCall:
        """Return what the last call of this thread did, or of any thread if it made none."""
        calls = self._of_threads
        return calls.get(get_ident()) or calls.get(self.newest[0]) or LastCall()
