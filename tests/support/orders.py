"""What tests of orders of words share: the example of the paper, and random segments."""

from random import Random

from rapidbleu import BLEU

# Table 1 of Callison-Burch, Osborne and Koehn (2006).
HYPOTHESIS = "Appeared calm when he was taken to the American plane, which will to Miami, Florida."
REFERENCES = [
    "Orejuela appeared calm as he was led to the American plane which will take him to Miami, "
    "Florida.",
    "Orejuela appeared calm while being escorted to the plane that would take him to Miami, "
    "Florida.",
    "Orejuela appeared calm as he was being led to the American plane that was to carry him to "
    "Miami in Florida.",
    "Orejuela seemed quite calm as he was being led to the American plane that would take him to "
    "Miami in Florida.",
]
FOLDED = BLEU(lowercase=True)


def random_case(rng: Random, most_words: int) -> tuple[list[str], list[list[str]]]:
    letters = "abcdefg"[: rng.randint(1, 7)]
    hypothesis = rng.choices(letters, k=rng.randint(0, most_words))
    return hypothesis, [rng.choices(letters, k=rng.randint(1, 9)) for _ in range(rng.randint(1, 3))]
