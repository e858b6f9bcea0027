"""`patch_sacrebleu`, which loads nothing until it is called."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rapidbleu.sacrebleu.patching import Patch


def patch_sacrebleu() -> Patch:
    """Make an installed sacrebleu fast, in place, in all of this process.

    The methods of its BLEU, CHRF and TER that extract statistics become rapidbleu's. So names that
    modules took from sacrebleu before are served too. Objects whose methods or tokenizer were
    replaced, in a subclass or in themselves, go on as before. The functions behind `PairedTest` and
    ``n_bootstrap`` become rapidbleu's, too. Numbers are the same to the last bit.

    Returns
    -------
    Patch
        Call it to undo the patch, or use it in a ``with`` statement.

    Raises
    ------
    ImportError
        If sacrebleu is not installed.
    RuntimeError
        If it is older than 2.2, where other references count, or newer than 2.6.

    Examples
    --------
    >>> import sacrebleu
    >>> with patch_sacrebleu():
    ...     sacrebleu.corpus_bleu(["The cat sat on a mat."], [["The cat sat on the mat."]]).score
    48.892302243490086
    """
    from rapidbleu.sacrebleu.patching import Patch

    return Patch()
