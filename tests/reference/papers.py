"""Worked examples of the literature on BLEU, with the numbers printed there.

Punctuation is prepared by hand as each author counted it: left out by Papineni et al. and Kauchak,
a separate token for Callison-Burch et al. The case is as printed, because all authors ignore it in
counting.
"""

from typing import NamedTuple


class Example(NamedTuple):
    """One hypothesis with its references and the clipped counts `correct` of orders 1, 2, ..."""

    name: str
    hypothesis: str
    references: tuple[str, ...]
    correct: tuple[int, int, int, int]
    total: tuple[int, int, int, int]
    closest: int
    bleu: float = 0.0  # unsmoothed, a fraction


PAPINENI_REFERENCES = (
    "It is a guide to action that ensures that the military will forever heed Party commands",
    "It is the guiding principle which guarantees the military forces always being under the "
    "command of the Party",
    "It is the practical guide for the army always to heed the directions of the party",
)
LAVIE_REFERENCES = (
    "the Iraqi weapons are to be handed over to the army within two weeks",
    "the Iraqi weapons will be surrendered to the army in two weeks",
)
# The lecture drops an article of the third reference and changes the candidates.
KAUCHAK_REFERENCES = (
    *PAPINENI_REFERENCES[:2],
    "It is the practical guide for the army always to heed directions of the party",
)
ALBRIGHT_REFERENCES = ("gave it to Albright",)
DO_REFERENCES = ("I always do", "I invariably do", "I perpetually do")
OREJUELA_REFERENCES = (
    "Orejuela appeared calm as he was led to the American plane which will take him to Miami , "
    "Florida .",
    "Orejuela appeared calm while being escorted to the plane that would take him to Miami , "
    "Florida .",
    "Orejuela appeared calm as he was being led to the American plane that was to carry him to "
    "Miami in Florida .",
    "Orejuela seemed quite calm as he was being led to the American plane that would take him to "
    "Miami in Florida .",
)

# Precisions of orders that an author omits are counted by hand.
EXAMPLES = (
    Example(
        "Papineni 1, candidate 1",
        "It is a guide to action which ensures that the military always obeys the commands of "
        "the party",
        PAPINENI_REFERENCES,
        (17, 10, 7, 4),
        (18, 17, 16, 15),
        18,
        0.5045666840058485,
    ),
    Example(
        "Papineni 1, candidate 2",
        "It is to insure the troops forever hearing the activity guidebook that party direct",
        PAPINENI_REFERENCES,
        (8, 1, 0, 0),
        (14, 13, 12, 11),
        16,
    ),
    Example(
        "Papineni 2",
        "the the the the the the the",
        ("The cat is on the mat", "There is a cat on the mat"),
        (2, 0, 0, 0),
        (7, 6, 5, 4),
        7,
    ),
    Example("Papineni 3", "of the", PAPINENI_REFERENCES, (2, 1, 0, 0), (2, 1, 0, 0), 16),
    Example(
        "Papineni 4, candidate 1",
        "I always invariably perpetually do",
        DO_REFERENCES,
        (5, 2, 0, 0),
        (5, 4, 3, 2),
        3,
    ),
    Example("Papineni 4, candidate 2", "I always do", DO_REFERENCES, (3, 2, 1, 0), (3, 2, 1, 0), 3),
    Example(
        "Lavie, precisions",
        "in two weeks Iraq's weapons will give army",
        LAVIE_REFERENCES[:1],
        (4, 1, 0, 0),
        (8, 7, 6, 5),
        14,
    ),
    Example("Lavie, clipping", "the the the the", LAVIE_REFERENCES, (2, 0, 0, 0), (4, 3, 2, 1), 12),
    Example(
        "Lavie, brevity",
        "the Iraqi weapons will",
        LAVIE_REFERENCES,
        (4, 3, 2, 1),
        (4, 3, 2, 1),
        12,
        0.1353352832366127,  # e^-2
    ),
    Example(
        "Kauchak, candidate 1",
        "It is a guide to action which ensures that the military always obey the commands of "
        "the party",
        KAUCHAK_REFERENCES,
        (17, 10, 7, 4),
        (18, 17, 16, 15),
        18,
        0.5045666840058485,
    ),
    # The slides print 4/13 and 1/12, which does not fit the references shown.
    Example(
        "Kauchak, candidate 2",
        "It is to ensure the army forever hearing the directions guide that party commands",
        KAUCHAK_REFERENCES,
        (12, 3, 0, 0),
        (14, 13, 12, 11),
        15,
    ),
    Example("Kauchak, candidate 3", "the", KAUCHAK_REFERENCES, (1, 0, 0, 0), (1, 0, 0, 0), 15),
    Example("Kauchak, candidate 4", "It is a", KAUCHAK_REFERENCES, (3, 2, 1, 0), (3, 2, 1, 0), 15),
    Example(
        "Kauchak, right name",
        "gave it at Albright",
        ALBRIGHT_REFERENCES,
        (3, 1, 0, 0),
        (4, 3, 2, 1),
        4,
    ),
    Example(
        "Kauchak, wrong name",
        "gave it to altar",
        ALBRIGHT_REFERENCES,
        (3, 2, 1, 0),
        (4, 3, 2, 1),
        4,
    ),
    Example(
        "Callison-Burch, Table 1",
        "Appeared calm when he was taken to the American plane , which will to Miami , Florida .",
        OREJUELA_REFERENCES,
        (15, 10, 5, 3),
        (18, 17, 16, 15),
        18,
        0.41837185672975336,
    ),
    Example(
        "Callison-Burch, permuted",
        "which will he was , when taken Appeared calm to the American plane to Miami , Florida .",
        OREJUELA_REFERENCES,
        (15, 10, 5, 3),
        (18, 17, 16, 15),
        18,
        0.41837185672975336,
    ),
    # In the paper this sentence scores like the other two, but it is one word shorter.
    Example(
        "Callison-Burch, drawn",
        "was being led to the calm as he was would take carry him seemed quite when taken",
        OREJUELA_REFERENCES,
        (15, 10, 5, 3),
        (17, 16, 15, 14),
        18,
        0.4200508284678541,
    ),
    Example(
        "Callison-Burch, drawn, and a word",
        "was being led to the calm as he was would take carry him seemed quite when taken black",
        OREJUELA_REFERENCES,
        (15, 10, 5, 3),
        (18, 17, 16, 15),
        18,
        0.41837185672975336,
    ),
)

# The hypothesis of Callison-Burch's Table 1, cut where no bigram matches.
OREJUELA_BLOCKS = (
    "Appeared calm",
    "when",
    "he was",
    "taken",
    "to the American plane",
    ",",
    "which will",
    "to Miami , Florida .",
)
