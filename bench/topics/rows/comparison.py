"""Comparison of two systems, all sections, against compare-mt: in process, and as programs.

compare-mt's segment scores are NLTK's, and its BLEU differs slightly from sacrebleu's, so only
common counts are compared: words, n-grams, lengths. Its program is given our default: the
bootstrap.
"""

import contextlib
import io
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import rapidbleu
from bench.harness import peers
from bench.harness.corpora import Corpora
from bench.harness.measure import Case, Comparison, Contender, Difference, Effort, Record
from bench.harness.places import REPOSITORY

TOPIC = "comparison"
LIMITS = {"the same, whole process": "starting Python and loading NumPy take most of it"}
RESAMPLES = 1000
MOST = 10**6  # all n-grams
NAMES = ("A", "B")
METRICS = [rapidbleu.BLEU(tokenize="none"), rapidbleu.CHRF()]  # compare-mt splits at spaces
SECTIONS = (
    ("score", {"score_type": "bleu", "bootstrap": RESAMPLES}),
    ("score", {"score_type": "length"}),
    ("word_accuracy", {"bucket_type": "freq"}),
    (
        "sentence_bucketed",
        {"bucket_type": "length", "statistic_type": "score", "score_measure": "bleu"},
    ),
    ("sentence_bucketed", {"bucket_type": "lengthdiff"}),
    ("sentence_bucketed", {"bucket_type": "score", "score_measure": "sentbleu"}),
    ("ngram", {"compare_type": "match"}),
)
PROGRAM = """
import sys
from rapidbleu import BLEU, CHRF, compare
texts = []
for name in sys.argv[1:]:
    with open(name, encoding="utf-8", newline="\\n") as file:
        texts.append(file.read().removesuffix("\\n").split("\\n"))
metrics = [BLEU(tokenize="none"), CHRF()]
found = compare({"A": texts[1], "B": texts[2]}, [texts[0]], metrics)
print(found)
for a, b in ("AB", "BA"):
    print(found.ngrams(a, b), found.examples(a, b), sep="\\n")
"""


def cases(corpora: Corpora) -> Iterator[Case]:
    """Yield the sections in this process; then both programs from start to end."""
    first, second = corpora.systems[:2]
    systems = dict(zip(NAMES, (first.hypotheses, second.hypotheses), strict=True))
    n = len(first.hypotheses)
    main: Any = peers.load("compare_mt.compare_mt_main")
    yield Comparison(
        TOPIC,
        "2 systems, BLEU, chrF, all sections",
        first.name,
        Contender(
            "rapidbleu",
            partial(_ours, systems, first.references[0]),
            outcome=lambda: _our_numbers(systems, first.references[0]),
        ),
        []
        if main is None
        else [
            Contender(
                "compare-mt, BLEU only",
                partial(_theirs, main, systems, first.references[0]),
                outcome=lambda: _their_numbers(main, systems, first.references[0]),
                compared="lengths, words by frequency, segments by length, n-grams: ==",
            )
        ],
        n,
        "segment",
        headline=True,
    )
    yield Programs([first.references[0], *systems.values()], first.name, main is not None)


def _ours(systems: dict[str, list[str]], reference: list[str]) -> Any:
    found = rapidbleu.compare(systems, [reference], METRICS, n_resamples=RESAMPLES)
    return found, [(found.ngrams(a, b), found.examples(a, b)) for a, b in ("AB", "BA")]


def _words(texts: list[str]) -> list[list[str]]:
    return [text.split() for text in texts]


def _theirs(main: Any, systems: dict[str, list[str]], reference: list[str]) -> None:
    refs, outs = _words(reference), [_words(texts) for texts in systems.values()]
    main.reporters.sys_names = list(systems)
    with contextlib.redirect_stdout(io.StringIO()):
        for section, options in SECTIONS:
            getattr(main, f"generate_{section}_report")(refs, outs, **options)
        main.generate_sentence_examples(refs, outs)


def _our_numbers(systems: dict[str, list[str]], reference: list[str]) -> list[Any]:
    found = rapidbleu.compare(systems, [reference], METRICS, n_resamples=1)
    words = found.words.to_dict()
    names = ("right", "reference_words", "output_words", "recall", "precision", "f")
    accuracy = sorted(zip(words["system"], *(words[name] for name in names), strict=True))
    tables = [found.buckets[by].to_dict() for by in ("length", "length_difference")]
    return [
        [100 * ratio for ratio in found.scores["length_ratio"].tolist()],
        [[name, *(0 if x is None else x for x in row)] for name, *row in accuracy],
        [sorted(zip(t["system"], t["bucket"], t["segments"], strict=True)) for t in tables],
        [sorted(found.ngrams(a, b, MOST).rows()) for a, b in ("AB", "BA")],
    ]


def _their_numbers(main: Any, systems: dict[str, list[str]], reference: list[str]) -> list[Any]:
    refs, outs = _words(reference), [_words(texts) for texts in systems.values()]
    with contextlib.redirect_stdout(io.StringIO()):
        by_word = main.bucketers.FreqWordBucketer(freq_data=refs)
    statistics = by_word.calc_statistics(refs, outs)[0]
    accuracy = sorted(
        (name, *map(float, row)) for name, own in zip(NAMES, statistics, strict=True) for row in own
    )
    segments = []
    for kind in ("Length", "LengthDiff"):
        bucketer = getattr(main.bucketers, f"{kind}SentenceBucketer")()
        segments.append(
            sorted(
                (name, bucket, len(members))
                for name, out in zip(NAMES, outs, strict=True)
                for bucket, (members, _, _) in zip(
                    bucketer.bucket_strs,
                    bucketer.create_bucketed_corpus(out, ref=refs),
                    strict=True,
                )
            )
        )
    matches = [main.ngram_utils.compare_ngrams(refs, out)[1] for out in outs]
    ngrams = []
    for one, other in (matches, matches[::-1]):
        shares = main.stat_utils.extract_salient_features(one, other)
        ngrams.append(
            sorted(
                (" ".join(gram), len(gram), share, one[gram], other[gram])
                for gram, share in shares.items()
                if share > 0.5
            )
        )
    length = main.scorers.LengthScorer()
    ratios = [100 * length.score_corpus(refs, out)[0] for out in outs]
    return [ratios, [list(row) for row in accuracy], segments, ngrams]


class Programs:
    """Both programs, each in an interpreter of its own, alternating.

    Parameters
    ----------
    texts
        The reference and the outputs, written to files.
    corpus
        Its name.
    has_peer
        Whether compare-mt is installed.
    """

    def __init__(self, texts: list[list[str]], corpus: str, has_peer: bool) -> None:
        self.texts, self.corpus, self.has_peer = texts, corpus, has_peer

    def check(self) -> int:
        with self._programs() as programs:
            if subprocess.run(programs[0], cwd=REPOSITORY, stdout=subprocess.DEVNULL).returncode:
                raise Difference("whole process: the program of rapidbleu fails")
        return 1

    def measure(self, effort: Effort) -> list[Record]:
        with self._programs() as programs:
            n = effort.min_turns
            turns = [[_nanoseconds(program) for program in programs] for _ in range(n)]
        ours = median(own for own, *_ in turns)
        common = (
            TOPIC,
            "the same, whole process",
            self.corpus,
            "wall ns",
            ours,
            len(self.texts[0]),
            "segment",
            len(turns),
        )
        if not self.has_peer:
            return [Record(*common, headline=True)]
        ratio = median(theirs / own for own, theirs in turns)
        theirs = median(other for _, other in turns)
        return [
            Record(
                *common,
                peer="compare-mt, BLEU only",
                theirs=theirs,
                ratio=ratio,
                headline=True,
                compared="see above",
            )
        ]

    @contextlib.contextmanager
    def _programs(self) -> Iterator[list[list[str]]]:
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for name, texts in zip(("reference", *NAMES), self.texts, strict=True):
                path = Path(folder, name)
                path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
                files.append(str(path))
            programs = [[sys.executable, "-c", PROGRAM, *files]]
            if self.has_peer:
                module = [sys.executable, "-m", "compare_mt.compare_mt_main", *files]
                bootstrap = f"score_type=bleu,bootstrap={RESAMPLES}"
                programs.append([*module, "--compare_scores", bootstrap, "score_type=length"])
            yield programs


def _nanoseconds(program: list[str]) -> float:
    start = time.perf_counter_ns()
    subprocess.run(program, cwd=REPOSITORY, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter_ns() - start
