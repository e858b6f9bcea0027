"""The corpora of the benchmarks: made ones, always there, and newstest2017 when it is at hand.

The made corpora have the shape of the real one (segments, tokens, characters, share of Latin-1,
BLEU near 25) and depend on a seed only. The real corpus is looked for in the folder named by the
environment variable RAPIDBLEU_DATA, or else beside the repository, in `shared/data`.
"""

import gzip
from functools import cached_property
from random import Random
from typing import NamedTuple

from bench.harness.language import Language, chinese, german
from bench.harness.places import shared_data

N_SEGMENTS = 3004
N_SYSTEMS = 16
N_COPIES = 64


class Corpus(NamedTuple):
    """Hypotheses with their references, `references[stream][segment]` as sacrebleu has them."""

    name: str
    hypotheses: list[str]
    references: list[list[str]]

    def head(self, n_segments: int) -> "Corpus":
        """The first `n_segments` segments as a corpus."""
        streams = [stream[:n_segments] for stream in self.references]
        return Corpus(self.name, self.hypotheses[:n_segments], streams)

    def part(self, n_segments: int) -> "Corpus":
        """About `n_segments` segments, at equal distances."""
        step = max(1, len(self.hypotheses) // n_segments)
        streams = [stream[::step] for stream in self.references]
        return Corpus(self.name, self.hypotheses[::step], streams)

    def document(self, n_words: int) -> "Corpus":
        """One segment of the first `n_words` words of all, or of what words there are."""
        hyp, *refs = (
            " ".join(" ".join(texts).split()[:n_words])
            for texts in (self.hypotheses, *self.references)
        )
        return Corpus(self.name, [hyp], [[ref] for ref in refs])


class Corpora:
    """All corpora of one run, each made or read when it is first asked for.

    Parameters
    ----------
    n_segments
        Segments per corpus; the real one is cut to as many.
    n_systems
        Systems in `systems`, 16 at most.
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
        """German-like text with one reference."""
        return self._made("made de", german(), n_references=1)

    @cached_property
    def german_4(self) -> Corpus:
        """German-like text with four references."""
        return self._made("made de, 4 refs", german(), n_references=4)

    @cached_property
    def chinese(self) -> Corpus:
        """Chinese-like text with one reference."""
        return self._made("made zh", chinese(), n_references=1)

    @cached_property
    def wmt17(self) -> Corpus | None:
        """newstest2017 English-German, system 0; None where the files are not at hand."""
        reference, system = _wmt17_lines("ref"), _wmt17_lines("sys00")
        if reference is None or system is None:
            return None
        return Corpus("wmt17-en-de", system, [reference]).head(self.n_segments)

    @property
    def news(self) -> Corpus:
        """The real corpus if it is at hand, the German-like one if not."""
        return self.wmt17 or self.german

    @cached_property
    def systems(self) -> list[Corpus]:
        """Several systems against the one reference stream of `news`."""
        news = self.news
        if self.wmt17 is None:
            language = german()
            rest = [
                [language.edited(Random(f"system {system} {i}"), text)
                 for i, text in enumerate(news.references[0])]
                for system in range(1, self.n_systems)
            ]  # fmt: skip
        else:
            found = (_wmt17_lines(f"sys{system:02d}") for system in range(1, self.n_systems))
            rest = [lines[: self.n_segments] for lines in found if lines is not None]
        return [news] + [Corpus(news.name, lines, news.references) for lines in rest]

    def _made(self, name: str, language: Language, *, n_references: int) -> Corpus:
        """A corpus whose hypotheses and further references are edits of the first reference."""
        rng = Random(name)
        first = [language.segment(rng) for _ in range(self.n_segments)]
        others = [
            [language.edited(rng, text) for text in first]
            for _ in range(n_references)
        ]  # fmt: skip
        return Corpus(name, others[0], [first, *others[1:]])


def _wmt17_lines(name: str) -> list[str] | None:
    """The segments of one file of the real corpus, or None without it."""
    path = shared_data() / "wmt17-en-de" / f"{name}.txt.gz"
    if not path.is_file():
        return None
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        return file.read().removesuffix("\n").split("\n")
