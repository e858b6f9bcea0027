"""A re-ranker: features of n-best lists, weights tuned for BLEU, and the gain on a test set.

    python examples/rerank.py                       # synthetic n-best lists
    python examples/rerank.py NBEST REFERENCES      # lines "segment ||| text ||| features ||| ..."

Half of the segments are tuned on, the other half is the test set. Two computed features join the
model's own: the length in words, and the expected BLEU of a hypothesis if any other hypothesis of
its list might be the reference (minimum Bayes risk).
"""

import sys
from itertools import accumulate, pairwise
from random import Random

import numpy as np

from rapidbleu import BLEU
from rapidbleu.oracle import select_by_stats
from rapidbleu.tuning import NBestList, read_nbest, tune_repeatedly


def with_computed_features(nbest: NBestList) -> NBestList:
    """Return the list with two more feature columns."""
    texts = nbest.hypotheses
    groups = [texts[begin:end] for begin, end in pairwise(nbest.offsets.tolist())]
    lengths = [len(text.split()) for text in texts]
    expected = np.concatenate(BLEU(effective_order=True).mbr(groups, groups=True, threads=0))
    return NBestList(
        np.column_stack([nbest.features, lengths, expected]),
        nbest.stats, nbest.offsets, metric=nbest.metric, hypotheses=texts,
        names=[*nbest.names, "length", "expected BLEU"],
    )  # fmt: skip


def part(nbest: NBestList, segments: range) -> NBestList:
    spans = [range(nbest.offsets[i], nbest.offsets[i + 1]) for i in segments]
    rows = np.concatenate(spans)
    offsets = [0, *accumulate(map(len, spans))]
    return NBestList(
        nbest.features[rows], nbest.stats[rows], offsets, metric=nbest.metric, names=nbest.names
    )


def made_nbest(n_segments: int = 500, n_each: int = 50) -> NBestList:
    """Return lists as from a translation system, with its score as the only feature."""
    random = Random(0)
    words = [f"w{i}" for i in range(3000)]
    frequencies = list(accumulate(1 / (i + 3) for i in range(len(words))))

    def edited(text: list[str], rate: float) -> list[str]:
        fresh = random.choices(words, cum_weights=frequencies, k=len(text))
        pairs = zip(text, fresh, strict=True)
        return [new if random.random() < rate else old for old, new in pairs]

    hypotheses, scores, references = [], [], []
    for _ in range(n_segments):
        right = edited([""] * random.randint(8, 30), 1.0)
        wrong = edited(right, 0.7)  # the system may write this instead
        doubt = random.uniform(0.1, 0.7)
        references.append(" ".join(edited(right, 0.2)))
        hypotheses.append([])
        for _ in range(n_each):
            pairs = zip(right, wrong, strict=True)
            choice = [pair[random.random() < doubt] for pair in pairs]
            errors = sum(a != b for a, b in zip(right, choice, strict=True))
            text = [word for word in choice if random.random() > 0.03]
            # The score reflects the errors, and is biased towards short texts.
            scores.append([random.gauss(-errors - 0.3 * len(text), 2)])
            hypotheses[-1].append(" ".join(text))
    return NBestList.from_lists(hypotheses, scores, [references], names=["model"])


def main(arguments: list[str]) -> None:
    if arguments:
        path, reference_path = arguments
        with open(reference_path, encoding="utf-8") as file:
            references = [line.rstrip("\n") for line in file]
        nbest = read_nbest(path, [references], metric=BLEU(force=True))
    else:
        nbest = made_nbest()
    nbest = with_computed_features(nbest)
    tune, test = (part(nbest, range(i, nbest.n_segments, 2)) for i in range(2))

    # Tune only the model's own features, for comparison.
    computed = nbest.names[-2:]
    start = [0.0 if name in computed else 1.0 for name in nbest.names]
    baseline = tune_repeatedly(tune, start=start, fixed=computed, test=test)
    found = tune_repeatedly(tune, start=baseline.best.weights, test=test, baseline=baseline)

    oracle = select_by_stats(test.metric, test.stats, test.offsets)
    print(found.best)
    print(found)
    print(f"Test BLEU before {baseline.test.mean:.2f}")
    print(f"Test BLEU after  {found.test.mean:.2f}")
    print(f"The best hypotheses would have {oracle.score.score:.2f}")


if __name__ == "__main__":
    main(sys.argv[1:])
