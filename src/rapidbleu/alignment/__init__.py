"""Word alignment with IBM Model 1, symmetrization, and alignment error rates.

Invalid arguments raise TypeError or ValueError with the index of a wrong item.

Examples
--------
>>> from rapidbleu.alignment import IBMModel1, score_links, swap_links, symmetrize
>>> english, spanish = ["green house", "the house"], ["casa verde", "la casa"]
>>> forward = IBMModel1.fit(english, spanish, iterations=20)
>>> backward = IBMModel1.fit(spanish, english, iterations=20)
>>> links = [
...     symmetrize(forward.align(source, target), swap_links(backward.align(target, source)))
...     for source, target in zip(english, spanish)
... ]
>>> links
[[(1, 0), (0, 1)], [(0, 0), (1, 1)]]
>>> score_links(links, sure=[[(1, 0), (0, 1)], [(0, 0), (1, 1)]]).aer
0.0
"""

from rapidbleu.alignment.links import (
    LinkScore,
    count_links,
    format_links,
    parse_gold,
    parse_links,
    read_links,
    score_links,
    swap_links,
    symmetrize,
    write_links,
)
from rapidbleu.alignment.model1 import IBMModel1

__all__ = [
    "IBMModel1",
    "LinkScore",
    "count_links",
    "format_links",
    "parse_gold",
    "parse_links",
    "read_links",
    "score_links",
    "swap_links",
    "symmetrize",
    "write_links",
]
