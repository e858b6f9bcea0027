"""Metrics written from the papers, with the mistakes that people made in them.

`wrong` is a mistake or "". Without one, the functions solve the core cases of `vectors`.
"""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

Vector = dict[str, Any]
Pairs = list[tuple[str, list[str]]]


def pairs_of(vector: Vector, wrong: str) -> Pairs:
    """Return hypotheses and references, with mistakes that any metric may make."""
    pairs = [(each["hypothesis"], each["references"]) for each in vector["segments"]]
    if wrong == "exchanged arguments":
        return [(refs[0], [hyp]) for hyp, refs in pairs]
    if wrong == "the first segment alone":
        return pairs[:1]
    if wrong == "reference against reference":
        return [(refs[0], refs) for _, refs in pairs]
    if wrong == "segments without output are left out":
        return [(hyp, refs) for hyp, refs in pairs if hyp.strip()]
    if wrong == "the first reference alone":
        return [(hyp, refs[:1]) for hyp, refs in pairs]
    if wrong == "the references of the first segment for all":
        return [(hyp, pairs[0][1]) for hyp, _ in pairs]
    if wrong == "one text of all segments":
        most = max(len(refs) for _, refs in pairs)
        united = [" ".join(refs[min(i, len(refs) - 1)] for _, refs in pairs) for i in range(most)]
        return [(" ".join(hyp for hyp, _ in pairs), united)]
    for mistake, change in CHANGES.items():
        if wrong == mistake:
            return [(change(hyp), [change(ref) for ref in refs]) for hyp, refs in pairs]
    return pairs


CHANGES: dict[str, Callable[[str], str]] = {
    "case is folded": str.lower,
    "NFC": lambda text: unicodedata.normalize("NFC", text),
    "ASCII alone": lambda text: re.sub(r"[^\x00-\x7f]", " ", text),
    "punctuation is removed": lambda text: re.sub(r"[^\w\s]", "", text),
    "bytes": lambda text: text.encode("utf-8").decode("latin-1"),
    "surrogates": lambda text: re.sub(
        r"[\U00010000-\U0010ffff]",
        lambda match: "".join(
            chr(0xE000 + unit) for unit in divmod(ord(match[0]) - 0x10000, 0x400)
        ),
        text,
    ),
}


def words_of(text: str, wrong: str) -> list[str]:
    return text.split(" ") if wrong == "split at single spaces" else text.split()


def grams(tokens: Sequence[str], n: int) -> Counter[Any]:
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))


def mean_over_segments(score: Callable[[Pairs], float], pairs: Pairs) -> float:
    return sum(score([pair]) for pair in pairs) / len(pairs)


# BLEU


def bleu(vector: Vector, wrong: str) -> float:
    options = vector["options"]

    def score(pairs: Pairs) -> float:
        return bleu_of_pairs(pairs, options, wrong)

    pairs = pairs_of(vector, wrong)
    if wrong == "the mean of segments":
        return mean_over_segments(score, pairs)
    return score(pairs)


def bleu_of_pairs(pairs: Pairs, options: dict[str, Any], wrong: str) -> float:
    orders = range(1, options.get("max_order", 4) + 1)
    matches, totals = dict.fromkeys(orders, 0.0), dict.fromkeys(orders, 0.0)
    hyp_len = ref_len = 0.0
    penalties = []
    for text, texts in pairs:
        hyp = words_of(text, wrong)
        refs = [words_of(ref, wrong) for ref in texts]
        if wrong == "one best reference":
            refs = [max(refs, key=lambda ref: (grams(hyp, 1) & grams(ref, 1)).total())]
        for n in orders:
            matches[n] += clipped(grams(hyp, n), [grams(ref, n) for ref in refs], wrong)
            n_grams = len(hyp) - n + 1
            totals[n] += n_grams if wrong == "negative totals" else max(0, n_grams)
        length = reference_length(len(hyp), [len(ref) for ref in refs], wrong)
        if wrong == "lengths in characters":
            hyp_len += len(text)
            ref_len += reference_length(len(text), list(map(len, texts)), wrong)
        else:
            hyp_len += len(hyp)
            ref_len += length
        penalties.append(brevity_penalty(len(hyp), length, wrong))
    penalty = brevity_penalty(hyp_len, ref_len, wrong)
    if wrong == "the mean of brevity penalties":
        penalty = sum(penalties) / len(penalties)
    precisions = smoothed(matches, totals, options, wrong)
    if options.get("effective_order"):
        precisions = [value for n, value in zip(orders, precisions, strict=True) if totals[n]]
    if wrong == "arithmetic mean":
        return 100 * penalty * sum(precisions) / len(orders)
    if not any(matches.values()) or min(precisions, default=0) <= 0:
        return 0.0
    weight = 1 / (4 if wrong == "weights of four orders" else len(precisions))
    return 100 * penalty * math.exp(weight * sum(map(math.log, precisions)))


def clipped(hyp: Counter[Any], refs: list[Counter[Any]], wrong: str) -> float:
    if wrong == "no clipping":
        return sum(count for gram, count in hyp.items() if any(gram in ref for ref in refs))
    if wrong == "sets of n-grams":
        return sum(any(gram in ref for ref in refs) for gram in hyp)
    if wrong == "the sum of references clips":
        return (hyp & sum(refs, Counter())).total()
    if wrong == "the first reference clips":
        matching = {gram for ref in refs for gram in ref}
        return sum(min(hyp[gram], max(refs[0][gram], 1)) for gram in hyp if gram in matching)
    most: Counter[Any] = Counter()
    for ref in refs:
        most |= ref
    return (hyp & most).total()


def reference_length(hyp_len: int, lengths: list[int], wrong: str) -> float:
    chosen: dict[str, Callable[[list[int]], float]] = {
        "the shortest reference": min,
        "the longest reference": max,
        "the first length": lambda lengths: lengths[0],
        "the mean length": lambda lengths: sum(lengths) / len(lengths),
        "of equally close lengths the longer": lambda lengths: min(
            lengths, key=lambda length: (abs(length - hyp_len), -length)
        ),
        "of equally close lengths the first": lambda lengths: min(
            lengths, key=lambda length: abs(length - hyp_len)
        ),
    }
    if wrong in chosen:
        return chosen[wrong](lengths)
    return min(lengths, key=lambda length: (abs(length - hyp_len), length))


def brevity_penalty(hyp_len: float, ref_len: float, wrong: str) -> float:
    if wrong == "no brevity penalty":
        return 1.0
    if not hyp_len:
        return 0.0
    if wrong == "the ratio of lengths as penalty":
        return min(1.0, hyp_len / ref_len) if ref_len else 1.0
    if wrong == "a bonus for length":
        return math.exp(1 - ref_len / hyp_len)
    return math.exp(1 - ref_len / hyp_len) if hyp_len < ref_len else 1.0


def smoothed(
    matches: dict[int, float], totals: dict[int, float], options: dict[str, Any], wrong: str
) -> list[float]:
    method, value = options["smoothing"], options.get("smoothing_value")
    precisions, divisor = [], 1.0
    for n, total in totals.items():
        count = matches[n]
        if method == "add-k" and (n > 1 or wrong == "add-k for words"):
            count, total = count + value, total + value
        if not total:
            precisions.append(0.0)
        elif count:
            precisions.append(count / total)
        elif method == "exp":
            divisor *= 1 if wrong == "exp does not double" and divisor > 1 else 2
            precisions.append(1 / (divisor * total))
        elif method == "floor":
            precisions.append(value if wrong == "the floor is a precision" else value / total)
        else:
            precisions.append(0.0)
    return precisions


# chrF


def chrf(vector: Vector, wrong: str) -> float:
    order, beta = vector["options"].get("char_order", 6), vector["options"].get("beta", 2)
    if wrong == "beta is 1":
        beta = 1

    def counts(hyp: str, ref: str) -> list[tuple[int, int, int]]:
        if wrong != "spaces are characters":
            hyp, ref = ("".join(text.split()) for text in (hyp, ref))
        rows = []
        for n in range(1, order + 1):
            of_hyp, of_ref = grams(hyp, n), grams(ref, n)
            if wrong == "sets of n-grams":
                of_hyp, of_ref = Counter(list(of_hyp)), Counter(list(of_ref))
            rows.append((of_hyp.total(), of_ref.total(), (of_hyp & of_ref).total()))
        return rows

    def of_counts(rows: list[tuple[int, int, int]]) -> float:
        used = [row for row in rows if row[0] and row[1]]
        if not used:
            return 0.0
        n_orders = len(rows) if wrong == "short texts have all orders" else len(used)
        precision = sum(common / n_hyp for n_hyp, _, common in used) / n_orders
        recall = sum(common / n_ref for _, n_ref, common in used) / n_orders
        if not precision + recall:
            return 0.0
        return 100 * (1 + beta**2) * precision * recall / (beta**2 * precision + recall)

    def score(pairs: Pairs) -> float:
        sums = [(0, 0, 0)] * order
        for hyp, refs in pairs:
            best = max((counts(hyp, ref) for ref in refs), key=of_counts)
            sums = [
                tuple(map(sum, zip(total, row, strict=True)))  # type: ignore[misc]
                for total, row in zip(sums, best, strict=True)
            ]
        return of_counts(sums)

    pairs = pairs_of(vector, wrong)
    return mean_over_segments(score, pairs) if wrong == "the mean of segments" else score(pairs)


# WER, CER


def error_rate(vector: Vector, wrong: str) -> float:
    is_cer = vector["options"]["measure"] == "cer"

    def tokens(text: str) -> Any:
        if not is_cer:
            return words_of(text, wrong)
        return "".join(text.split()) if wrong == "spaces are left out" else text.strip()

    def score(pairs: Pairs) -> float:
        errors = length = 0
        for hyp, (ref,) in pairs:
            errors += edits(tokens(hyp), tokens(ref), wrong)
            length += len(tokens(hyp if wrong == "divided by the hypothesis" else ref))
        rate = errors / max(length, 1)
        return min(1.0, rate) if wrong == "the rate is cut at 1" else rate

    pairs = pairs_of(vector, wrong)
    return mean_over_segments(score, pairs) if wrong == "the mean of segments" else score(pairs)


def edits(hyp: Sequence[str], ref: Sequence[str], wrong: str) -> int:
    if wrong == "place by place":
        common = sum(a == b for a, b in zip(hyp, ref, strict=False))
        return max(len(hyp), len(ref)) - common
    if wrong == "bags":
        return max(len(hyp), len(ref)) - (Counter(hyp) & Counter(ref)).total()
    before: list[int] = []
    row = list(range(len(ref) + 1))
    for i, token in enumerate(hyp):
        earlier, before, row = before, row, [i + 1]
        for j, other in enumerate(ref):
            cost = min(before[j] + (token != other), before[j + 1] + 1, row[j] + 1)
            exchanged = i and j and token == ref[j - 1] and hyp[i - 1] == other
            if wrong == "exchanged neighbours are one error" and exchanged:
                cost = min(cost, earlier[j - 1] + 1)
            row.append(cost)
    return row[-1]


# ROUGE


def rouge(vector: Vector, wrong: str) -> float:
    kind = vector["options"]["type"]

    def tokens(text: str) -> list[str]:
        if wrong == "letters of all languages":
            return re.findall(r"\w+", text.lower())
        if wrong == "ROUGE with case":
            return re.findall("[a-zA-Z0-9]+", text)
        return re.findall("[a-z0-9]+", text.lower())

    def counts(hyp: list[str], ref: list[str]) -> tuple[int, int, int]:
        if kind == "rougeL":
            return common_length(hyp, ref, wrong), len(hyp), len(ref)
        n = int(kind[-1])
        of_hyp, of_ref = grams(hyp, n), grams(ref, n)
        if wrong == "sets of n-grams":
            common = len(of_hyp.keys() & of_ref.keys())
        else:
            common = (of_hyp & of_ref).total()
        return common, of_hyp.total(), of_ref.total()

    def score(common: float, n_hyp: float, n_ref: float) -> float:
        precision, recall = common / max(n_hyp, 1), common / max(n_ref, 1)
        if wrong == "recall alone":
            return recall
        return 2 * precision * recall / (precision + recall) if common else 0.0

    best = []
    for hyp, refs in pairs_of(vector, wrong):
        rows = [counts(tokens(hyp), tokens(ref)) for ref in refs]
        best.append(max(rows, key=lambda row: score(*row)))
    if wrong == "ROUGE of sums":
        return score(*map(sum, zip(*best, strict=True)))
    return sum(score(*row) for row in best) / len(best)


def common_length(hyp: list[str], ref: list[str], wrong: str) -> int:
    lengths = [[0] * (len(ref) + 1) for _ in range(len(hyp) + 1)]
    longest = 0
    for i, token in enumerate(hyp):
        for j, other in enumerate(ref):
            if token == other:
                lengths[i + 1][j + 1] = lengths[i][j] + 1
            elif wrong != "the longest run":
                lengths[i + 1][j + 1] = max(lengths[i][j + 1], lengths[i + 1][j])
            longest = max(longest, lengths[i + 1][j + 1])
    return longest


# Each mistake, and the tag of the vectors that are there to catch it
MUTANTS: dict[str, dict[str, str]] = {
    "bleu": {
        "no clipping": "clipping",
        "the sum of references clips": "clipping",  # promptfoo
        "the first reference clips": "clipping",
        "sets of n-grams": "multiset",
        "one best reference": "references",
        "the first reference alone": "references",
        "the references of the first segment for all": "pooling",  # exchanged layouts
        "the mean of segments": "pooling",
        "the mean of brevity penalties": "pooling",
        "one text of all segments": "borders",
        "the first segment alone": "pooling",  # ragas
        "segments without output are left out": "empty",
        "the shortest reference": "closest",
        "the longest reference": "closest",
        "the first length": "closest",
        "the mean length": "closest",
        "of equally close lengths the longer": "ties",
        "of equally close lengths the first": "ties",
        "no brevity penalty": "brevity",
        "the ratio of lengths as penalty": "brevity",
        "a bonus for length": "brevity",
        "lengths in characters": "units",
        "arithmetic mean": "mean",
        "weights of four orders": "weights",
        "negative totals": "short",
        "exchanged arguments": "arguments",
        "reference against reference": "zero",
        "split at single spaces": "spaces",
        "case is folded": "case",
        "NFC": "normalization",
        "ASCII alone": "unicode",
        "punctuation is removed": "punctuation",
        "add-k for words": "smoothing",
        "exp does not double": "smoothing",
        "the floor is a precision": "smoothing",
    },
    "chrf": {
        "spaces are characters": "spaces",
        "sets of n-grams": "multiset",
        "beta is 1": "beta",
        "short texts have all orders": "short",
        "the mean of segments": "pooling",
        "one text of all segments": "borders",
        "the first reference alone": "references",
        "exchanged arguments": "arguments",
        "case is folded": "case",
        "bytes": "unicode",
        "surrogates": "surrogates",
        "NFC": "normalization",
    },
    "wer": {
        "exchanged arguments": "arguments",
        "divided by the hypothesis": "arguments",
        "reference against reference": "arguments",  # fairseq2
        "the rate is cut at 1": "arguments",
        "the mean of segments": "pooling",
        "the first segment alone": "pooling",
        "segments without output are left out": "empty",
        "place by place": "alignment",
        "bags": "order",
        "case is folded": "case",
        "punctuation is removed": "punctuation",
        "ASCII alone": "unicode",
        "NFC": "normalization",
        "split at single spaces": "spaces",
    },
    "cer": {
        "exchanged arguments": "arguments",
        "reference against reference": "arguments",
        "the mean of segments": "pooling",
        "place by place": "alignment",
        "bags": "order",
        "exchanged neighbours are one error": "order",
        "spaces are left out": "spaces",
        "bytes": "unicode",
        "surrogates": "surrogates",
        "NFC": "normalization",
    },
    "rouge": {
        "recall alone": "f",
        "sets of n-grams": "multiset",  # js-rouge
        "ROUGE of sums": "mean",
        "letters of all languages": "ascii",
        "ROUGE with case": "case",
        "the longest run": "subsequence",
        "the first reference alone": "references",
    },
}
METRICS: dict[str, Callable[[Vector, str], float]] = {
    "bleu": bleu,
    "chrf": chrf,
    "wer": error_rate,
    "cer": error_rate,
    "rouge": rouge,
}
