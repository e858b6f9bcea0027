"""A stand-in for sacrebleu 2.6.0: its modules, names, messages and numbers, compiled underneath.

``import rapidbleu.sacrebleu as sacrebleu``; or `install`, after which every ``import sacrebleu`` of
a program, and of the libraries it uses, is this package.

Examples
--------
>>> import rapidbleu.sacrebleu as sacrebleu
>>> sacrebleu.corpus_bleu(["The cat sat on a mat."], [["The cat sat on the mat."]])
BLEU = 48.89 85.7/66.7/40.0/25.0 (BP = 1.000 ratio = 1.000 hyp_len = 7 ref_len = 7)
"""

from rapidbleu.sacrebleu import compat as compat
from rapidbleu.sacrebleu import dataset as dataset
from rapidbleu.sacrebleu import metrics as metrics
from rapidbleu.sacrebleu import tokenizers as tokenizers
from rapidbleu.sacrebleu import utils as utils
from rapidbleu.sacrebleu import version as version
from rapidbleu.sacrebleu.aliases import install as install
from rapidbleu.sacrebleu.aliases import uninstall as uninstall
from rapidbleu.sacrebleu.compat import (
    corpus_bleu,
    corpus_chrf,
    corpus_ter,
    raw_corpus_bleu,
    sentence_bleu,
    sentence_chrf,
    sentence_ter,
)
from rapidbleu.sacrebleu.dataset import DATASETS
from rapidbleu.sacrebleu.metrics import BLEU, CHRF, TER
from rapidbleu.sacrebleu.metrics.helpers import extract_char_ngrams, extract_word_ngrams
from rapidbleu.sacrebleu.utils import (
    SACREBLEU_DIR,
    download_test_set,
    get_available_testsets,
    get_langpairs_for_testset,
    get_reference_files,
    get_source_file,
    smart_open,
)
from rapidbleu.sacrebleu.version import __rapidbleu_version__ as __rapidbleu_version__
from rapidbleu.sacrebleu.version import __version__

__description__ = "BLEU, chrF and TER with the numbers of sacrebleu, computed by rapidbleu"

# What ``from sacrebleu import *`` gives; the rest is there by name.
__all__ = [
    "BLEU",
    "CHRF",
    "DATASETS",
    "SACREBLEU_DIR",
    "TER",
    "__version__",
    "corpus_bleu",
    "corpus_chrf",
    "corpus_ter",
    "download_test_set",
    "extract_char_ngrams",
    "extract_word_ngrams",
    "get_available_testsets",
    "get_langpairs_for_testset",
    "get_reference_files",
    "get_source_file",
    "raw_corpus_bleu",
    "sentence_bleu",
    "sentence_chrf",
    "sentence_ter",
    "smart_open",
]
