"""What is said below a table of paired tests: what was tested, and what its marks mean.

A note is a list of lines; without colors, as in Markdown, nothing is said about them.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    _Paint = Callable[[str, str], str]
    _Notes = list[list[str]]

SIGNIFICANT = 0.05


def framed(title: str) -> list[str]:
    """Return a title between lines.

    Examples
    --------
    >>> framed("Notes")
    ['-----', 'Notes', '-----']
    """
    return ["-" * len(title), title, "-" * len(title)]


def title_of_test(test: str, n: int) -> str:
    """Return what was tested how often.

    Parameters
    ----------
    test : {"bs", "ar"}
    n : int
        Resamples or trials.

    Examples
    --------
    >>> title_of_test("ar", 10000)
    'Paired approximate randomization test with 10000 trials'
    """
    if test == "bs":
        return f"Paired bootstrap resampling test with {n} resampling trials"
    return f"Paired approximate randomization test with {n} trials"


def baseline_notes(
    baseline: str, test: str, n: int, identical: bool, paint: "_Paint | None"
) -> "_Notes":
    """Return what there is to say of systems that were compared with a baseline.

    Parameters
    ----------
    baseline : str
        As the table has it, in its color.
    test, n
        As in `title_of_test`.
    identical : bool
        Whether some system is identical to the baseline.
    paint : callable or None
        What colors p-values; None: they have no colors.

    Examples
    --------
    >>> baseline_notes("Baseline: A", "bs", 1000, False, None)[0][0]
    'Each system is compared to Baseline: A.'
    """
    more = "exceeds the mean of all by more" if test == "bs" else "is larger"
    notes = [
        [
            f"Each system is compared to {baseline}.",
            "p estimates how often a difference larger than the one seen comes about by chance if",
            f"the systems are equally good: (c + 1) / {n + 1} for c "
            f"{'resamples' if test == 'bs' else 'trials'} in which it {more}.",
            "Equal differences do not count.",
        ],
        _stars("p", paint),
    ]
    if test == "bs":
        notes.append(["In parentheses are mean and 95 % interval of the resampled scores."])
    if identical:
        notes.append([
            "Systems that are identical, at least in the statistics of every segment, cannot",
            "differ by chance: p is the least there is, says nothing, and has no star.",
        ])  # fmt: skip
    return notes


def pairs_notes(n_pairs: int, test: str, n: int, paint: "_Paint | None") -> "_Notes":
    """Return what there is to say of systems all of which were compared with all.

    Parameters
    ----------
    n_pairs : int
    test, n, paint
        As in `baseline_notes`.

    Examples
    --------
    >>> pairs_notes(3, "ar", 10000, None)[1]
    ['Behind Holm is p corrected for the 3 pairs of a metric by the procedure of Holm (1979).']
    """
    enough = "exceeds the mean of all by no less" if test == "bs" else "is no smaller"
    notes = [
        [
            "Each system is compared with each other one: the difference is its score less that of",
            "the other. p estimates how often a difference as large as that or larger comes about",
            f"by chance if the systems are equally good: (c + 1) / {n + 1} for c "
            f"{'resamples' if test == 'bs' else 'trials'} in",
            f"which it {enough}. Equal differences count, so identical systems",
            "have p = 1; sacrebleu, which compares with a baseline only, does not count them.",
        ],
        [
            f"Behind Holm is p corrected for the {n_pairs} pairs of a metric by the procedure of "
            "Holm (1979)."
        ],
        _stars("a corrected p", paint),
    ]
    if test == "bs":
        notes.append(["In parentheses are mean and 95 % interval of the resampled scores."])
    return notes


def _stars(p: str, paint: "_Paint | None") -> list[str]:
    lines = [f"A star marks {p} <= {SIGNIFICANT}: a difference that is unlikely to be chance."]
    if paint is None:
        return lines
    return [f"{lines[0]} Other", f"values of p are {paint('red', 'red')}."]


def note_lines(notes: "_Notes") -> list[str]:
    """Return the lines of notes, each of which begins with a dash.

    Examples
    --------
    >>> note_lines([["One", "goes on."], ["Two."]])
    [' - One', '   goes on.', ' - Two.']
    """
    return [
        f"   {line}" if i else f" - {line}" for note in notes for i, line in enumerate(note)
    ]
