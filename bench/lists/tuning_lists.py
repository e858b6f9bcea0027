"""N-best lists for judging tuning methods, from outputs of systems, by seeds alone.

They differ in size, depth, features, metric and quality. The systems are from newstest2017 if
available, otherwise synthetic.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from bench.harness.corpora import Corpora
from bench.lists.nbest_features import Features
from bench.lists.nbest_texts import Drawn, Words
from rapidbleu import BLEU, CHRF, TER
from rapidbleu.tuning import NBestList


class Recipe(NamedTuple):
    """The recipe of a list.

    Attributes
    ----------
    name, seed
    n_segments, n_best
        Maximums; a smaller corpus has fewer.
    systems
        Systems whose outputs are used.
    edits
        Fraction of hypotheses with an edited word.
    metric
    families
        Number of features of each family of `Features`.
    n_sparse
        Number of sparse features after them.
    """

    name: str
    seed: int
    n_segments: int
    n_best: int
    systems: tuple[int, ...]
    edits: float
    metric: Any
    families: dict[str, int]
    n_sparse: int = 0


class TuningList(NamedTuple):
    """A list, the start of tuning, and the number of dense features, which come first."""

    name: str
    nbest: NBestList
    start: Any
    n_dense: int


_ALL = tuple(range(16))
_BEST = (4, 7, 12, 14, 15)
_WORST = (1, 6, 8, 9, 10, 13)
_BLEU = BLEU(tokenize="none", force=True)
_USUAL = {
    "words": 1,
    "lm": 3,
    "votes": 3,
    "lexical": 4,
    "length": 1,
    "parts": 1,
    "moves": 1,
    "noise": 1,
}
_FEW = {"words": 1, "lm": 2, "votes": 1, "lexical": 1}
RECIPES = (
    Recipe("small", 1, 100, 100, _ALL, 0.5, _BLEU, _USUAL),
    Recipe("usual", 2, 1000, 100, _ALL, 0.5, _BLEU, _USUAL),
    Recipe(
        "outputs only",
        3,
        3000,
        16,
        _ALL,
        0.0,
        _BLEU,
        {"words": 1, "characters": 1, "lm": 3, "votes": 2, "length": 1},
    ),
    Recipe(
        "deep",
        4,
        100,
        1000,
        _ALL,
        0.5,
        _BLEU,
        {"words": 1, "lm": 3, "votes": 2, "lexical": 2, "parts": 1, "moves": 1},
    ),
    Recipe("good systems", 5, 600, 40, _BEST, 0.1, _BLEU, _FEW),
    Recipe(
        "bad systems",
        6,
        300,
        200,
        _WORST,
        0.9,
        _BLEU,
        {"words": 1, "lm": 3, "lexical": 4, "parts": 1, "moves": 1},
    ),
    Recipe(
        "many features",
        7,
        400,
        50,
        _ALL,
        0.3,
        _BLEU,
        {**_USUAL, "style": 3, "lexical": 16, "noise": 12, "owners": 16},
    ),
    Recipe("sparse", 8, 500, 50, _ALL, 0.3, _BLEU, _USUAL, 1000),
    Recipe("chrF", 9, 300, 60, _ALL, 0.5, CHRF(), _USUAL),
    Recipe("TER", 10, 200, 50, _ALL, 0.5, TER(), _USUAL),
)
# Start of tuning: weight of all language models together, of words, and of each other feature.
_START = {"lm": 0.1, "words": -1.0}
_OTHERS = 0.1
_NOTHING = ("noise", "owners", "style")


def tuning_lists(corpora: Corpora) -> Iterator[TuningList]:
    words = Words.of(corpora)
    for recipe in RECIPES:
        yield make(recipe, words)


def make(recipe: Recipe, words: Words) -> TuningList:
    n = len(words.references)
    rng = np.random.default_rng(recipe.seed)
    segments = np.sort(rng.permutation(n)[: recipe.n_segments]).tolist()
    systems = [i for i in recipe.systems if i < len(words.outputs)]
    if len(systems) < 2:
        systems = list(range(len(words.outputs)))
    drawn = Drawn(words, segments, systems, min(n, recipe.n_best), recipe.edits, recipe.seed)
    features = Features(words, drawn, segments, systems, recipe.seed)
    matrix, names = features.dense(recipe.families)
    start = start_weights(names, recipe.families)
    n_dense = len(names)
    if recipe.n_sparse:
        from scipy.sparse import csr_matrix, hstack

        sparse, more = features.sparse(recipe.n_sparse)
        matrix, names = hstack([csr_matrix(matrix), sparse], format="csr"), names + more
        start = np.append(start, np.zeros(len(more)))
    references = [words.joined(words.references[segment]) for segment in segments]
    stats = recipe.metric.nbest_stats(drawn.hypotheses, [references], offsets=drawn.offsets)
    nbest = NBestList(matrix, stats, drawn.offsets, metric=recipe.metric, names=names)
    return TuningList(recipe.name, nbest, start, n_dense)


def start_weights(names: list[str], families: dict[str, int]) -> Any:
    """Return starting weights like hand-set ones."""
    weights = []
    for name in names:
        family = name.rstrip("0123456789")
        weight = 0.0 if family in _NOTHING else _START.get(family, _OTHERS)
        weights.append(weight / families["lm"] if family == "lm" else weight)
    return np.array(weights)
