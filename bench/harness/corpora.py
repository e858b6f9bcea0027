"""Corpora of the benchmarks: synthetic ones, and newstest2017 if available.

The synthetic corpora are seeded and have the shape of the real one (segments, tokens, characters,
share of Latin-1, BLEU near 25). The real corpus is searched for in the folder that the environment
variable RAPIDBLEU_DATA names, or else in `shared/data` next to the repository.
"""

import gzip
from functools import cached_property
from random import Random
from typing import NamedTuple

from bench.harness.places import shared_data
from bench.lists.language import Language, chinese, german

N_SEGMENTS = 3004
N_SYSTEMS = 16
N_COPIES = 64


class Corpus(NamedTuple):
    """Hypotheses with their references, `references[stream][segment]` as in sacrebleu."""

    name: str
    hypotheses: list[str]
    references: list[list[str]]

    def head(self, n_segments: int) -> "Corpus":
        streams = [stream[:n_segments] for stream in self.references]
        return Corpus(self.name, self.hypotheses[:n_segments], streams)

    def part(self, n_segments: int) -> "Corpus":
        """Return about `n_segments` segments at equal distances."""
        step = max(1, len(self.hypotheses) // n_segments)
        streams = [stream[::step] for stream in self.references]
        return Corpus(self.name, self.hypotheses[::step], streams)

    def document(self, n_words: int) -> "Corpus":
        """Return one segment of the first `n_words` words, or of all if there are fewer."""
        hyp, *refs = (
            " ".join(" ".join(texts).split()[:n_words])
            for texts in (self.hypotheses, *self.references)
        )
        return Corpus(self.name, [hyp], [[ref] for ref in refs])


class Corpora:
    """All corpora of one run, each created or read on demand.

    Parameters
    ----------
    n_segments
        Segments per corpus; the real one is cut to as many.
    n_systems
        Systems in `systems`, at most 16.
    n_copies
        Copies of a corpus that the topic `streams` reads.
    """

    def __init__(
        self, n_segments: int = N_SEGMENTS, n_systems: int = N_SYSTEMS, n_copies: int = N_COPIES
    ) -> None:
        self.n_segments = n_segments
        self.n_systems = n_systems
        self.n_copies = n_copies

    @cached_property
    def german(self) -> Corpus:
        return self._made("made de", german(), n_references=1)

    @cached_property
    def german_4(self) -> Corpus:
        return self._made("made de, 4 refs", german(), n_references=4)

    @cached_property
    def chinese(self) -> Corpus:
        return self._made("made zh", chinese(), n_references=1)

    @cached_property
    def wmt17(self) -> Corpus | None:
        """Return system 0 of newstest2017 English-German; None without its files."""
        reference, system = _wmt17_lines("ref"), _wmt17_lines("sys00")
        if reference is None or system is None:
            return None
        return Corpus("wmt17-en-de", system, [reference]).head(self.n_segments)

    @property
    def news(self) -> Corpus:
        """Return the real corpus if available, otherwise the German-like one."""
        return self.wmt17 or self.german

    @cached_property
    def systems(self) -> list[Corpus]:
        news = self.news
        if self.wmt17 is None:
            language = german()
            rest = [
                [
                    language.edited(Random(f"system {system} {i}"), text)
                    for i, text in enumerate(news.references[0])
                ]
                for system in range(1, self.n_systems)
            ]
        else:
            found = (_wmt17_lines(f"sys{system:02d}") for system in range(1, self.n_systems))
            rest = [lines[: self.n_segments] for lines in found if lines is not None]
        return [news] + [Corpus(news.name, lines, news.references) for lines in rest]

    def _made(self, name: str, language: Language, *, n_references: int) -> Corpus:
        """Create hypotheses and further references as edits of the first reference."""
        rng = Random(name)
        first = [language.segment(rng) for _ in range(self.n_segments)]
        others = [[language.edited(rng, text) for text in first] for _ in range(n_references)]
        return Corpus(name, others[0], [first, *others[1:]])


def _wmt17_lines(name: str) -> list[str] | None:
    path = shared_data() / "wmt17-en-de" / f"{name}.txt.gz"
    if not path.is_file():
        return None
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        return file.read().removesuffix("\n").split("\n")
