"""Moses' files, read with nothing but split, strip and float."""

from collections.abc import Iterable

import numpy as np


def read_nbest(text: str) -> list[tuple[int, str, list[float], dict[str, float]]]:
    """Return segment, hypothesis, dense and sparse values of each line that is not blank."""
    found = []
    for line in text.split("\n"):
        if not line.strip():
            continue
        segment, hypothesis, features = line.split("|||")[:3]
        dense: list[float] = []
        sparse: dict[str, float] = {}
        tokens = iter(features.split())
        for token in tokens:
            if token[-1] in "=:" and "_" in token:
                sparse[token[:-1]] = float(np.float32(float(next(tokens))))
            elif token[-1] not in "=:":
                dense.append(float(np.float32(float(token))))
        found.append((int(segment), hypothesis.strip(" "), dense, sparse))
    return found


def read_names(text: str) -> list[str]:
    """Return the names of the dense features in the first line."""
    features = next(line for line in text.split("\n") if line.strip()).split("|||")[2]
    names: list[str] = []
    label, skip = "", False
    for token in features.split():
        if skip:
            skip = False
        elif token[-1] in "=:" and "_" in token:
            skip = True
        elif token[-1] in "=:":
            label = token[:-1]
        else:
            n = 0
            while f"{label}_{n}" in names:
                n += 1
            names.append(f"{label}_{n}")
    return names


def read_blocks(text: str) -> list[tuple[int, list[str], list[list[float]]]]:
    """Return segment, names and rows of each block of a text file of features or of statistics."""
    blocks: list[tuple[int, list[str], list[list[float]]]] = []
    for line in text.split("\n"):
        if "_BEGIN_0" in line:
            _, segment, _, _, *names = line.split()
            blocks.append((int(segment), names, []))
        elif line and "_END_0" not in line:
            blocks[-1][2].append([float(np.float32(float(word))) for word in line.split()])
    return blocks


def moses_row(row: Iterable[int]) -> list[int]:
    """Return our row of BLEU (4-grams) in Moses' order."""
    _, ref_len, *counts = row
    return [counts[i] for n in range(4) for i in (n, 4 + n)] + [ref_len]


def without_duplicates(rows: list[object]) -> list[object]:
    """Remove duplicates like Moses: the last row replaces one, and is examined next."""
    rows = list(rows)
    k = 0
    while k < len(rows):
        if rows[k] in rows[:k]:
            rows[k] = rows[-1]
            rows.pop()
        else:
            k += 1
    return rows
