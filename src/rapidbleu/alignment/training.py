"""Expectation maximization for IBM Model 1, from sentences to the arrays of a table."""

from math import exp, nan

from rapidbleu._core.translation.model1 import N_PARTS, Bitext, Table
from rapidbleu.alignment.bitext import new_vocabulary, numbers_of
from rapidbleu.parallel import in_parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rapidbleu.typing import Array, FloatArray, Progress

SMALL = 1 << 14  # target tokens for which no threads are started


def train(
    sources: "list[Any]",
    targets: "list[Any]",
    iterations: int,
    null: bool,
    threads: int,
    progress: "Progress | None",
) -> "tuple[dict[str, int], dict[str, int], Array, Array, FloatArray, list[float]]":
    """Return the vocabularies, starts, words and probabilities of a table, and perplexities.

    Parameters
    ----------
    sources, targets : list of str or of lists of str
        Checked, except for the tokens.
    iterations, threads : int
        From 0 on; from 1 on.
    null : bool
    progress : callable or None

    Notes
    -----
    The uniform table is one of counts: 1 for each cell, with as many for each source word as there
    are target words.
    """
    import numpy as np

    source_words, target_words = new_vocabulary(), new_vocabulary()
    words, begins = numbers_of(sources, source_words, "sources")
    words += 1  # 0 is NULL
    own, bounds = numbers_of(targets, target_words, "targets")
    n_source, n_target = len(source_words) + 1, len(target_words)
    bitext = Bitext(words, begins, own, bounds, n_source, n_target, null)
    if len(own) < SMALL:
        threads = 1

    starts = np.zeros(n_target + 1, np.int64)
    in_parts(
        lambda begin, end, stop: bitext.count_cells(begin, end, starts, stop), N_PARTS, threads, 1
    )
    np.cumsum(starts, out=starts)
    cells = np.empty(starts[-1], np.int32)
    in_parts(
        lambda begin, end, stop: bitext.list_cells(begin, end, starts, cells, stop),
        N_PARTS, threads, 1,
    )  # fmt: skip

    values = np.ones(len(cells))
    table = Table(starts, cells, values, n_source)
    totals = np.full(n_source, float(n_target))
    sums, likelihoods = np.empty((N_PARTS, n_source)), np.empty(N_PARTS)
    taught = bitext.n_taught
    perplexities = []
    for done in range(1, iterations + 1):
        in_parts(
            lambda begin, end, stop: bitext.step(
                table, begin, end, totals, sums, likelihoods, stop
            ),
            N_PARTS, threads, 1,
        )  # fmt: skip
        bitext.add_totals(sums, totals)
        perplexities.append(exp(-sum(likelihoods.tolist()) / taught) if taught else nan)
        if progress is not None:
            progress(done, iterations)
    table.divide(totals)
    return source_words, target_words, starts, cells, values, perplexities
