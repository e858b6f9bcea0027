"""Moses' files: rows and features of an n-best list from its file, and loading them again."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from bench.harness import peers
from bench.harness.corpora import Corpora, Corpus
from bench.harness.measure import Comparison, Contender
from bench.lists.language import german
from rapidbleu.tuning.moses.nbest_files import RowMaker, read_one
from rapidbleu.tuning.moses.score_files import read_stats, write_stats
from rapidbleu.tuning.moses.score_types import moses_bleu

TOPIC = "extractor"
LIMITS = {
    "features and rows of an n-best file": "half of the time is reading decimal numbers",
    "files of features and statistics": "both are compiled: reading decimal numbers",
}
_FEATURES = (
    ("LexicalReordering0", 6),
    ("Distortion0", 1),
    ("LM0", 1),
    ("WordPenalty0", 1),
    ("PhrasePenalty0", 1),
    ("TranslationModel0", 4),
    ("Consensus0", 1),
)
_PER_LIST = 20
_FOLDERS: list[Any] = []  # removed when the process ends


def cases(corpora: Corpora) -> Iterator[Comparison]:
    folder = tempfile.TemporaryDirectory()
    _FOLDERS.append(folder)
    news = corpora.news
    references = news.references[0][: max(10, min(200, corpora.n_segments))]
    path = Path(folder.name) / "nbest"
    path.write_bytes(_nbest(references).encode())
    yield _extractor(news, path, references)
    yield _loader(news, Path(folder.name), path, references)


def _nbest(references: list[str]) -> str:
    rng, language = Random("n-best lists"), german()
    lines = []
    for i, reference in enumerate(references):
        for _ in range(_PER_LIST):
            features = "".join(
                f" {label}=" + "".join(f" {rng.uniform(-60, 1):.6g}" for _ in range(n))
                for label, n in _FEATURES
            )
            hypothesis = language.edited(rng, reference)
            lines.append(f"{i} ||| {hypothesis} |||{features} ||| {rng.uniform(-99, 0):.6g}\n")
    return "".join(lines)


def _extractor(corpus: Corpus, path: Path, references: list[str]) -> Comparison:
    import numpy as np

    maker = RowMaker(moses_bleu(), [references])
    n = len(references) * _PER_LIST

    def ours() -> Any:
        return read_one(path, maker)[0]

    def outcome() -> list[Any]:
        nbest = ours()
        return [nbest.features.tolist(), nbest.stats.tolist()]

    sacrebleu = peers.load("sacrebleu")
    theirs = []
    if sacrebleu is not None:
        cached = sacrebleu.BLEU(
            tokenize="none",
            force=True,
            references=[[ref for ref in references for _ in range(_PER_LIST)]],
        )

        def run() -> list[Any]:
            hypotheses, features = [], []
            for line in path.read_text(encoding="utf-8").split("\n")[:-1]:
                _, hypothesis, values, _ = line.split("|||")
                hypotheses.append(hypothesis.strip())
                features.append([float(x) for x in values.split() if x[-1] != "="])
            rows = cached._extract_corpus_statistics(hypotheses, None)
            return [np.array(features, np.float32).tolist(), rows]

        theirs = [
            Contender(
                "split, float and sacrebleu",
                run,
                before=peers.clear_sacrebleu_caches,
                compared="all features and rows: ==",
            )
        ]
    return Comparison(
        TOPIC,
        "features and rows of an n-best file",
        corpus.name,
        Contender("rapidbleu", ours, outcome=outcome),
        theirs,
        n,
        "hypothesis",
        headline=True,
    )


def _loader(corpus: Corpus, folder: Path, path: Path, references: list[str]) -> Comparison:
    import numpy as np

    files = folder / "features.dat", folder / "scores.dat"
    nbest, _ = read_one(path, RowMaker(moses_bleu(), [references]))
    write_stats(nbest, *files)

    def ours() -> Any:
        return read_stats(*files)

    def outcome() -> list[Any]:
        loaded = ours()
        return [loaded.features.tolist(), loaded.stats[:, [2, 6, 3, 7, 4, 8, 5, 9, 1]].tolist()]

    def run() -> list[Any]:
        matrices = []
        for file in files:
            lines = file.read_text(encoding="utf-8").split("\n")
            rows = [line for line in lines if line and line[0] not in "FS"]
            width = len(rows[0].split())
            text = np.array(" ".join(rows).split(), dtype=np.bytes_)
            matrices.append(text.astype(np.float64).astype(np.float32).reshape(-1, width))
        return [matrices[0].tolist(), matrices[1].astype(np.int32).tolist()]

    def loadtxt() -> list[Any]:
        return [
            np.loadtxt(file, np.float32, comments=["F", "S"], encoding="utf-8").tolist()
            for file in files
        ]

    return Comparison(
        TOPIC,
        "files of features and statistics",
        corpus.name,
        Contender("rapidbleu", ours, outcome=outcome),
        [
            Contender("numpy.loadtxt", loadtxt, compared="all features and rows: =="),
            Contender("split and numpy's floats", run, compared="all features and rows: =="),
        ],
        len(nbest),
        "hypothesis",
        headline=True,
    )
