"""No call leaves anything behind: neither memory of the process nor objects of the interpreter."""

import pytest

from support.processes import linux_only, run, unsanitized

pytestmark = pytest.mark.slow

SETUP = r"""
import gc, resource, sys
from rapidbleu import BLEU, CHRF, TER, sentence_bleu, sentence_chrf, sentence_ter
from rapidbleu.nltk import SmoothingFunction, bleu, chrf, gleu, nist
from rapidbleu.sacrebleu import sentence_bleu as stand_in
texts = [
    "The cat, it sat.", "It sat, the cat did not.", "", "\U0001d11e \ud800 \0",
    "Die Ma\u00dfe der \u201eStra\u00dfe\u201c: 3,5 km", "an incomprehensible incompatibility " * 9,
]
tokens = [text.split() or ["a"] for text in texts]
objects = [[("a",), 1.5, None, 2**70], [1, 2, 3, 4, 5], [1, "a", 1.0, True, ("a",)]]
smoothing = SmoothingFunction().method5
def pair(i):
    return texts[i % 6], [texts[i % 5], texts[(i + 1) % 6]]
bleus, chrfs, ters = (
    metric.running([texts * 9], texts[::-1] * 9) for metric in (BLEU(), CHRF(word_order=2), TER())
)
"""

CALLS = {
    "sentence_bleu": "sentence_bleu(*pair(i))",
    "sentence_chrf": "sentence_chrf(*pair(i), word_order=2)",
    "sentence_ter": "sentence_ter(*pair(i), i % 50 == 0)",
    "nltk": "bleu([tokens[i % 5]], tokens[i % 6], (0.5, 0.5), smoothing)",
    "nltk of objects": "bleu([objects[i % 2]], objects[i % 3], (1.0,))",
    "nltk's others": "gleu([tokens[i % 5]], tokens[i % 6]), nist([tokens[i % 5]], tokens[i % 6], 1)"
                     ", chrf(texts[i % 5], texts[i % 6])",
    "stand-in": "stand_in(*pair(i))",
    "replace, BLEU": "bleus.replace(i % 54, texts[i % 6])",
    "replace, chrF": "chrfs.replace(i % 54, texts[i % 6])",
    "replace, TER": "ters.replace(i % 54, texts[i % 6])",
}  # fmt: skip

MEASURE = """
def calls(n):
    for i in range(n):
        {call}
def held():
    gc.collect()
    pages = int(open("/proc/self/statm").read().split()[1])
    return pages * resource.getpagesize(), sys.getallocatedblocks()
calls(3_000)
calls({n} // 10)
before = held()
calls({n})
print(*(a - b for a, b in zip(held(), before)))
"""


@linux_only
@unsanitized
@pytest.mark.parametrize("name", CALLS)
def test_memory_does_not_grow_with_calls(name: str) -> None:
    n = 1_000_000 if name == "sentence_bleu" else 50_000
    growth, blocks = map(int, run(SETUP + MEASURE.format(call=CALLS[name], n=n)).split())
    assert growth < 5_000_000 * n / 1_000_000
    assert blocks < n / 200
