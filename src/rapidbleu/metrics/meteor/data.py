"""Readers of the data of METEOR 1.5, out of the jar or the folder that the user has."""

from __future__ import annotations

from pathlib import Path

from rapidbleu._core.alignment.meteor import PhraseTable
from rapidbleu._lib.loader import load
from rapidbleu.streams.files import open_packed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from os import PathLike
    from typing import Protocol

    class _Readable(Protocol):
        def read(self, size: int, /) -> bytes: ...


CODES = {"cs": "cz"}  # of files, where they are not those of the languages

# Endings that a word may lose, and what it gets instead, in the order in which they are tried.
ENDINGS = (
    ("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"),
    ("men", "man"), ("ies", "y"), ("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"),
    ("ed", ""), ("ing", "e"), ("ing", ""), ("er", ""), ("est", ""), ("er", "e"), ("est", "e"),
)  # fmt: skip

BLOCK = 1 << 22  # bytes that are read at a time


class MeteorData:
    """The files of METEOR 1.5 that a user has.

    Parameters
    ----------
    path : str or Path
        ``meteor-1.5.jar``, or a folder with it or with its files.

    Raises
    ------
    FileNotFoundError
        If the path does not exist, or lacks a file that the metric needs.
    ValueError
        If the path is a file and no jar, or a file of it is not what METEOR has.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = Path(path)
        if not self.path.exists():
            raise FileNotFoundError(
                f"data: expected the jar of METEOR 1.5, or a folder with it, at {self.path}"
            )
        self.folder = self.path if self.path.is_dir() else self.path.parent
        jars = sorted(self.path.glob("meteor-*.jar")) if self.path.is_dir() else [self.path]
        self.jar = jars[0] if jars else None

    def missing(self, name: str) -> FileNotFoundError:
        """Return the error that a file is not there."""
        return FileNotFoundError(
            f"data: expected {name} in {self.path}: the jar of METEOR 1.5, or a folder with it or "
            "with its files"
        )

    def lines(self, name: str) -> list[str]:
        """Return the lines of a file."""
        load("re")
        import re

        if self.path.is_dir() and (self.path / name).is_file():
            content = (self.path / name).read_bytes()
        elif self.jar is not None:
            content = self._read_jar(self.jar, name)
        else:
            raise self.missing(name)
        try:
            found = re.split("\r\n|\r|\n", content.decode("utf-8"))
        except UnicodeDecodeError as error:
            raise ValueError(f"data: {name} in {self.path}: expected UTF-8: {error}") from error
        return found[:-1] if found[-1] == "" else found

    def _read_jar(self, jar: Path, name: str) -> bytes:
        load("zipfile")
        import zipfile

        try:
            with zipfile.ZipFile(jar) as archive:
                return archive.read(name)
        except zipfile.BadZipFile as error:
            raise ValueError(f"data: expected a jar or a folder, got {jar}: {error}") from error
        except KeyError:
            raise self.missing(name) from None

    def function_words(self) -> tuple[str, ...]:
        """Return the function words: English ones, as the program takes them for any language."""
        return tuple(self.lines("function/english.words"))

    def prefixes(self, language: str) -> dict[str, bool]:
        """Return words that keep a dot at their end: True, always; False, in front of a digit."""
        kinds = {}
        for line in self.lines(f"nonbreaking/{language}.prefixes"):
            words = line.split()
            if words and not words[0].startswith("#"):
                kinds[words[0]] = words[1:2] != ["#NUMERIC_ONLY#"]
        return kinds

    def phrases(self, language: str) -> PhraseTable:
        """Return the paraphrases of a language: ``data/paraphrase-CODE.gz`` beside the jar."""
        name = f"data/paraphrase-{CODES.get(language, language)}.gz"
        path = self.folder / name
        if not path.is_file():
            raise FileNotFoundError(
                f"data: expected {path}, beside the jar of METEOR 1.5; without it, leave "
                "'paraphrase' out of modules"
            )
        table = PhraseTable()
        try:
            with open_packed(path, ".gz") as file:
                read_blocks(table, file)
            table.close()
        except ValueError as error:
            raise ValueError(f"data: {path}: {str(error).removeprefix(f'{path}: ')}") from error
        return table


def read_blocks(table: PhraseTable, file: _Readable) -> None:
    """Read all lines of a file, some at a time."""
    rest = b""
    while block := file.read(BLOCK):
        lines, end, rest_of_block = block.rpartition(b"\n")
        table.read(rest + lines + end if end else b"")
        rest = rest_of_block if end else rest + block
    table.read(rest)


class Synonyms:
    """The synonym sets of words, by METEOR's files of WordNet.

    Parameters
    ----------
    data : MeteorData

    Notes
    -----
    A word has the sets of the word itself and of its base forms: those that the file of exceptions
    lists, or else that of the first ending whose base form has sets.
    """

    def __init__(self, data: MeteorData) -> None:
        rows = data.lines("synonym/english.synsets")
        self._sets = dict(zip(rows[::2], rows[1::2], strict=False))
        self._bases: dict[str, list[str]] = {}
        rows = data.lines("synonym/english.exceptions")
        for base, forms in zip(rows[::2], rows[1::2], strict=False):
            for form in forms.split():
                self._bases.setdefault(form, []).append(base)

    def _base_forms(self, word: str) -> list[str]:
        if word in self._bases:
            return self._bases[word]
        if not word.endswith("ss") and len(word) > 2:
            for ending, instead in ENDINGS:
                if word.endswith(ending):
                    base = word.removesuffix(ending) + instead
                    if base in self._sets:
                        return [base]
        return []

    def __call__(self, word: str) -> list[int]:
        """Return the numbers of the sets, ascending."""
        forms = {word, *self._base_forms(word)}
        return sorted({int(n) for form in forms for n in self._sets.get(form, "").split()})
