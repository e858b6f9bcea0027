"""First uses in a process that has only imported the package, disturbed in the middle of an import.

``first_use.py fork|signal|list MODULES EVERY JOB ...``: `MODULES` are imported at the start, as a
user does. Each job runs in processes of its own, one for each import that it begins (every
`EVERY`th one and the last): there the process forks, or a signal handler does the same job.
"""

import importlib
import os
import signal
import sys
import threading
import time
from functools import partial

import rapidbleu
from rapidbleu._lib import loader

LIMIT = 60  # seconds for a job
HYPS = ["the cat sat on a mat", "it rained today"]
REFS = [["the cat sat on the mat", "it was raining today"]]
FEATURES = [[-1.0, 4.0], [-2.0, 5.0], [-1.5, 4.0], [-1.0, 3.0]]


def score(name, *args, refs=REFS, **options):
    metric = getattr(rapidbleu, name)(*args, **options)
    found = metric.corpus_score(HYPS, refs)
    return str(found), str(metric.get_signature()), repr(metric)


def weighted_bleu():
    return score("WeightedBLEU", rapidbleu.idf(text.split() for text in REFS[0]))


def explained(name):
    explanation = getattr(rapidbleu, name)().explain(HYPS[0], [REFS[0][0]])
    return explanation.format(), explanation._repr_html_(), str(explanation.to_dict())


def aligned(name):
    return str(getattr(rapidbleu, name)().align(HYPS[0], REFS[0][:1]))


def table():
    found = rapidbleu.BLEU().segment_table({"a": HYPS, "b": HYPS[::-1]}, REFS)
    return str(found), found._repr_html_()


def from_stats():
    table = rapidbleu.BLEU().stats_table(HYPS, REFS, keep={"lang": ["en", "de"]})
    return str(table.score()), str(table.score(by="lang"))


def resampled():
    return str(rapidbleu.BLEU().corpus_score(HYPS, REFS, n_bootstrap=50))


def scanned():
    batches = iter([{"mt": HYPS, "ref": REFS[0]}])
    return str(rapidbleu.CHRF().corpus_score(rapidbleu.scan(batches, "mt", "ref")))


def compared():
    return str(rapidbleu.compare({"a": HYPS, "b": HYPS[::-1]}, REFS))


def nbest_list():
    from rapidbleu.tuning import NBestList

    hyps = [["a b c x", "a b c d e"], ["e f g h", "f g h"]] * 5
    return NBestList.from_lists(hyps, FEATURES * 5, [["a b c d e", "e f g h"] * 5])


def tuned(name, *args, **options):
    import rapidbleu.tuning

    method = getattr(rapidbleu.tuning, name)
    found = method(nbest_list(), *args, **options)
    return str(getattr(found, "score", found))


def folds():
    import rapidbleu.tuning

    return str([rapidbleu.tuning.split_folds(11, 3), rapidbleu.tuning.split_halves(10, 1)])


def significant():
    from rapidbleu.significance import bootstrap, paired_randomization

    bleu, systems = rapidbleu.BLEU(), {"a": HYPS, "b": HYPS[::-1]}
    return str([bootstrap(HYPS, REFS, bleu), paired_randomization(systems, REFS, bleu)])


def correlated():
    from rapidbleu.meta import correlate

    return str(correlate({"a": [1, 2, 3], "b": [3, 2, 2]}, {"a": [3, 1, 2], "b": [3, 2, 1]}))


def links():
    from rapidbleu.alignment import IBMModel1

    model = IBMModel1.fit(["green house", "the house"], ["casa verde", "la casa"])
    return model.align("green house", "casa verde")


def rewarded():
    return rapidbleu.make_reward("trl")(HYPS, ground_truth=REFS[0])


def tokenized():
    from rapidbleu.tokenizers import get_tokenizer

    return [get_tokenizer(name)("a b, c.") for name in ("13a", "zh", "intl", "char", "none")]


def oracle():
    return str(rapidbleu.select_oracle([["a b c d", "a b d c"]], [["a b c d e"]]))


def of_nltk():
    from rapidbleu import nltk

    words = [text.split() for text in HYPS], [[text.split()] for text in REFS[0]]
    return [f(words[1], words[0]) for f in (nltk.corpus_bleu, nltk.corpus_gleu, nltk.corpus_nist)]


def of_sacrebleu():
    from rapidbleu import sacrebleu

    scores = sacrebleu.corpus_bleu(HYPS, REFS), sacrebleu.BLEU().corpus_score(HYPS, REFS)
    return str(scores), scores[0].format(signature="a:b", is_json=True)


JOBS = {
    name: lambda name=name: score(name)
    for name in (
        "CDER",
        "CER",
        "CIDErD",
        "CharacTER",
        "EED",
        "GLEU",
        "GTM",
        "METEOR",
        "NIST",
        "PER",
        "RIBES",
        "ROUGE",
        "SkipNgramF",
        "WER",
        "WordF",
    )
} | {
    "GECGLEU": lambda: score("GECGLEU", refs=REFS * 2),
    "HTER": lambda: score("HTER", refs=REFS * 2),
    "WeightedBLEU": weighted_bleu,
    **{f"explain {name}": lambda name=name: explained(name) for name in ("BLEU", "CHRF", "WER")},
    **{f"align {name}": lambda name=name: aligned(name) for name in ("TER", "WER", "CER")},
    "reward": rewarded,
    "oracle": oracle,
    "tokenizers": tokenized,
    "scan": scanned,
    "nltk": of_nltk,
    "sacrebleu": of_sacrebleu,
    "links": links,
    "mert": lambda: tuned("mert"),
    "mira": lambda: tuned("mira", epochs=2),
    "pro": lambda: tuned("pro"),
    "risk": lambda: tuned("risk"),
    "line_search": lambda: tuned("line_search", [1.0, 0.0], [0.0, 1.0]),
    "tune": lambda: tuned("tune"),
    "folds": folds,
    "table": table,
    "stats_table": from_stats,
    "resampled": resampled,
    "compare": compared,
    "significance": significant,
    "correlate": correlated,
}


class Finder:
    """A meta path finder that acts once, while the module to load is locked."""

    def __init__(self, at=None, act=None):
        self.found, self.unguarded, self.at, self.act = [], [], at, act
        sys.meta_path.insert(0, self)

    def find_spec(self, name, path=None, target=None):
        self.found.append(name)
        if not loader._lock._is_owned():
            self.unguarded.append(name)
        if len(self.found) - 1 == self.at:
            self.act()


def in_a_child(run):
    """Return the exit status of a child that runs `run`, with a time limit."""
    child = os.fork()
    if not child:
        status = 99
        try:
            signal.alarm(2 * LIMIT)
            status = run() or 0
        except BaseException:
            sys.excepthook(*sys.exc_info())
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def imports(job):
    """Return the modules that a job imports, in order, and those outside of the loader."""
    reader, writer = os.pipe()

    def run():
        finder = Finder()
        job()
        os.write(writer, f"{' '.join(finder.found)}\n{' '.join(finder.unguarded)}".encode())

    assert in_a_child(run) == 0
    os.close(writer)
    with open(reader) as file:
        found, unguarded = file.read().split("\n")
    return found.split(), unguarded.split()


def fork(job, at):
    """Fork while a thread makes the first use, and make it in the child."""
    reached, forking = threading.Event(), threading.Event()

    def pause():
        reached.set()
        forking.wait()
        time.sleep(0.1)

    Finder(at, pause)
    results = []
    thread = threading.Thread(target=lambda: results.append(job()))
    thread.start()
    reached.wait()
    forking.set()

    def child():
        signal.alarm(LIMIT)
        return job() is None

    status = in_a_child(child)
    thread.join()
    return status or len(results) != 1


def handle(job, at):
    """Make the first use in a signal handler that interrupts the first use."""
    results = []
    signal.signal(signal.SIGUSR1, lambda *_: results.append(job()))
    me = os.getpid()

    def send():
        os.kill(me, signal.SIGUSR1)
        time.sleep(0.005)

    Finder(at, send)
    signal.alarm(LIMIT)
    results.append(job())
    return len(results) != 2 or results[0] != results[1]


def main(what, modules, every, *names):
    """Disturb jobs and print where one failed; or ``list`` imports outside of the loader."""
    for module in modules.split():
        importlib.import_module(module)
    for name in names or JOBS:
        found, unguarded = imports(JOBS[name])
        if what == "list":
            print(f"{name}: {' '.join(unguarded)}\n" * bool(unguarded), end="", flush=True)
            continue
        disturb = {"fork": fork, "signal": handle}[what]
        steps = {*range(0, len(found), int(every)), len(found) - 1} if found else set()
        for at in sorted(steps):
            status = in_a_child(partial(disturb, JOBS[name], at))
            print(f"{name}: {status} at {found[at]}\n" * bool(status), end="", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
