"""Names of sacrebleu in the stand-in: the ones used by sacrebleu's tests or other programs."""

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from support.dropin import METRICS, ours, peer

# Users of each name. Unlisted names may be removed.
USERS = {
    "sacrebleu: test/test_api.py": """
        dataset.DATASETS utils.get_available_testsets utils.get_available_testsets_for_langpair
        utils.get_langpairs_for_testset utils.get_reference_files utils.get_source_file""",
    "sacrebleu: test/test_bleu.py": """
        corpus_bleu raw_corpus_bleu metrics.BLEU metrics.bleu.BLEU metrics.bleu.BLEU.__init__
        metrics.bleu.BLEU.corpus_score metrics.bleu.BLEU._SIGNATURE_TYPE""",
    "sacrebleu: test/test_chrf.py": "corpus_chrf sentence_chrf",
    "sacrebleu: test/test_dataset.py": "dataset utils.smart_open",
    "sacrebleu: test/test_sentence_bleu.py": """
        compat.sentence_bleu metrics.bleu.BLEU.sentence_score metrics.base.Metric.sentence_score""",
    "sacrebleu: test/test_significance.py": """
        significance.PairedTest significance.PairedTest.__init__ significance.PairedTest.__call__
        significance.Result significance.Result.__init__ significance.Result.__repr__""",
    "sacrebleu: test/test_ter.py": """
        metrics.TER metrics.ter.TER metrics.ter.TER.__init__ metrics.ter.TER._SIGNATURE_TYPE""",
    "sacrebleu: test/test_tokenizer_ter.py": """
        tokenizers.tokenizer_ter.TercomTokenizer tokenizers.tokenizer_ter.TercomTokenizer.__init__
        tokenizers.tokenizer_ter.TercomTokenizer.__call__
        tokenizers.tokenizer_ter.TercomTokenizer.signature""",
    "from sacrebleu import *": """
        BLEU CHRF DATASETS SACREBLEU_DIR TER __version__ corpus_ter download_test_set
        extract_char_ngrams extract_word_ngrams get_available_testsets get_langpairs_for_testset
        get_reference_files get_source_file sentence_bleu sentence_ter smart_open""",
    "pip show, and programs that compare versions": """
        version.__version__ version.version version.version_tuple version.__version_tuple__""",
    "the command `sacrebleu`": "sacrebleu.main",
    "lm-evaluation-harness, evaluate, fairseq, OpenNMT-py, sockeye, T5": """
        compat.corpus_bleu compat.corpus_chrf compat.corpus_ter compat.raw_corpus_bleu
        compat.sentence_chrf compat.sentence_ter metrics.bleu.BLEUScore
        metrics.bleu.BLEUScore.__init__ metrics.chrf.CHRFScore metrics.chrf.CHRFScore.__init__
        metrics.ter.TERScore metrics.ter.TERScore.__init__ metrics.base.Score.__init__
        metrics.base.Score.__repr__ metrics.base.Score.format metrics.base.Score.estimate_ci""",
    "OpusPocus, OpenCompass": """
        metrics.METRICS metrics.CHRF metrics.BLEUScore metrics.CHRFScore metrics.TERScore
        metrics.bleu.BLEU.TOKENIZERS metrics.bleu.BLEU.TOKENIZER_DEFAULT
        metrics.bleu.BLEU.SMOOTH_DEFAULTS metrics.bleu.BLEU.compute_bleu""",
    "JoeyNMT, stopes": """
        metrics.base.Metric.get_signature metrics.base.Signature.__init__
        metrics.base.Signature.format metrics.base.Signature.update metrics.base.Signature.__repr__
        metrics.bleu.BLEUSignature.__init__ metrics.chrf.CHRFSignature
        metrics.chrf.CHRFSignature.__init__ metrics.ter.TERSignature
        metrics.ter.TERSignature.__init__""",
    "mbrs": """
        metrics.bleu.MAX_NGRAM_ORDER metrics.bleu.BLEU._preprocess_segment
        metrics.bleu.BLEU._extract_reference_info metrics.base.Metric._cache_references
        metrics.chrf.CHRF metrics.chrf.CHRF.__init__ metrics.chrf.CHRF.CHAR_ORDER
        metrics.chrf.CHRF.WORD_ORDER metrics.chrf.CHRF.BETA metrics.chrf.CHRF._preprocess_segment
        metrics.chrf.CHRF._remove_punctuation metrics.chrf.CHRF._SIGNATURE_TYPE
        metrics.helpers.extract_all_char_ngrams metrics.helpers.extract_all_word_ngrams
        metrics.helpers.extract_char_ngrams metrics.helpers.extract_word_ngrams""",
    "bootstraps of their own (evaluatio, lm-eval tasks, and many more)": """
        metrics.base.Metric._extract_corpus_statistics metrics.base.Metric.corpus_score
        metrics.bleu.BLEU._compute_score_from_stats metrics.bleu.BLEU._aggregate_and_compute
        metrics.chrf.CHRF._compute_score_from_stats metrics.chrf.CHRF._aggregate_and_compute
        metrics.ter.TER._compute_score_from_stats metrics.ter.TER._aggregate_and_compute
        metrics.chrf.CHRF._compute_f_score metrics.chrf.CHRF._get_match_statistics
        utils.my_log utils.sum_of_lists""",
    "MATEO, EASSE, H2O LLM Studio": """
        metrics.base.Metric metrics.base.Metric.__init__ metrics.base.Metric._SIGNATURE_TYPE
        metrics.base.Score metrics.base.Signature significance.estimate_ci
        significance._compute_p_value significance.PairedTest._DEFAULT_SAMPLES
        utils.print_results_table""",
    "CrystalBLEU, grapheme_kit, and others with subclasses": """
        metrics.bleu.BLEUSignature metrics.bleu.BLEU._get_closest_ref_len metrics.chrf.CHRF._PUNCTS
        metrics.bleu.BLEU._compute_segment_statistics metrics.bleu.BLEU._TOKENIZER_MAP
        metrics.chrf.CHRF._compute_segment_statistics metrics.chrf.CHRF._extract_reference_info
        metrics.ter.TER._compute_segment_statistics metrics.ter.TER._extract_reference_info
        metrics.ter.TER._preprocess_segment metrics.base.Metric._compute_segment_statistics
        metrics.base.Metric._extract_reference_info metrics.base.Metric._preprocess_segment
        metrics.base.Metric._aggregate_and_compute metrics.base.Metric._compute_score_from_stats
        metrics.base.Metric._check_corpus_score_args metrics.base.Metric._check_sentence_score_args
        """,
    "flexeval, and the datasets library": "metrics.bleu._get_tokenizer metrics.bleu._TOKENIZERS",
    "SubER, fairseq, stopes": """
        tokenizers.BaseTokenizer tokenizers.BaseTokenizer.__call__
        tokenizers.BaseTokenizer.signature tokenizers.tokenizer_base.BaseTokenizer
        tokenizers.tokenizer_base.BaseTokenizer.__call__
        tokenizers.tokenizer_base.BaseTokenizer.signature
        tokenizers.tokenizer_13a.Tokenizer13a tokenizers.tokenizer_char.TokenizerChar
        tokenizers.tokenizer_char.TokenizerChar.__call__ tokenizers.tokenizer_zh.TokenizerZh
        tokenizers.tokenizer_intl.TokenizerV14International
        tokenizers.tokenizer_none.NoneTokenizer tokenizers.tokenizer_none.NoneTokenizer.__call__
        tokenizers.tokenizer_ja_mecab.TokenizerJaMecab
        tokenizers.tokenizer_ja_mecab.TokenizerJaMecab.__init__
        tokenizers.tokenizer_ja_mecab.TokenizerJaMecab.__call__
        tokenizers.tokenizer_ja_mecab.TokenizerJaMecab.signature
        tokenizers.tokenizer_ko_mecab.TokenizerKoMecab""",
    "evaluations with spBLEU": """
        tokenizers.tokenizer_spm.TokenizerSPM tokenizers.tokenizer_spm.TokenizerSPM.__init__
        tokenizers.tokenizer_spm.TokenizerSPM.__call__
        tokenizers.tokenizer_spm.TokenizerSPM.signature
        tokenizers.tokenizer_spm.Flores101Tokenizer
        tokenizers.tokenizer_spm.Flores101Tokenizer.__init__
        tokenizers.tokenizer_spm.Flores200Tokenizer
        tokenizers.tokenizer_spm.Flores200Tokenizer.__init__
        tokenizers.tokenizer_spm.spBLEU1KTokenizer
        tokenizers.tokenizer_spm.spBLEU1KTokenizer.__init__""",
    "comparisons of TER by segment": """
        metrics.lib_ter.translation_edit_rate metrics.lib_ter.BeamEditDistance""",
    "COMET, OCELoT": "utils.SACREBLEU_DIR utils.download_test_set",
}
NAMES = sorted({name for names in USERS.values() for name in names.split()})
# Attributes that programs read.
ATTRIBUTES = {
    "BLEU": ["counts", "totals", "precisions", "bp", "sys_len", "ref_len", "prec_str", "ratio"],
    "CHRF": ["char_order", "word_order", "beta"],
    "TER": ["num_edits", "ref_length"],
}
SCORE = ["name", "score", "_mean", "_ci", "_verbose"]

MODULES = [
    "",
    *(
        name.removeprefix("sacrebleu.")
        for _, name, _ in pkgutil.walk_packages(peer.__path__, "sacrebleu.")
        if not name.endswith("__main__")
    ),
]


def both(module: str) -> tuple[ModuleType, ModuleType]:
    theirs, own = (
        importlib.import_module(f"{package.__name__}.{module}" if module else package.__name__)
        for package in (peer, ours)
    )
    return theirs, own


def resolve(path: str) -> list[Any]:
    module = max((m for m in MODULES if f"{path}.".startswith(f"{m}.")), key=len, default="")
    names = path.removeprefix(module).lstrip(".").split(".") if path != module else []
    found = []
    for item in both(module):
        for name in names:
            item = getattr(item, name)
        found.append(item)
    return found


def parameters(function: Any) -> list[tuple[str, Any, Any]]:
    return [(p.name, p.kind, p.default) for p in inspect.signature(function).parameters.values()]


@pytest.mark.parametrize("path", NAMES)
def test_names(path: str) -> None:
    theirs, own = resolve(path)
    if inspect.isclass(theirs) or inspect.ismodule(theirs):
        assert type(own) is type(theirs)
    elif isinstance(theirs, (str, int, float, tuple, list, frozenset)):
        assert own == theirs
    elif callable(theirs):
        expected, got = parameters(theirs), parameters(own)
        if [name for name, _, _ in got[-2:]] == ["args", "kwargs"]:
            assert own.__name__ == theirs.__name__  # it calls sacrebleu's
            return
        plain = [(name, default) for name, _, default in expected]
        assert [(name, default) for name, _, default in got[: len(plain)]] == plain
        assert all(default is not inspect.Parameter.empty for _, _, default in got[len(plain) :])
    else:
        assert list(own) == list(theirs)


def members(own: Any, theirs: Any) -> Iterator[str]:
    """Yield the sacrebleu names that our object defines itself."""
    for name, value in vars(own).items():
        if name.startswith("__") and name not in (
            "__init__",
            "__call__",
            "__repr__",
            "__version__",
        ):
            continue
        home = getattr(value, "__module__", None)
        imported = inspect.ismodule(value) or (home and home != getattr(own, "__module__", home))
        if name in vars(theirs) and not imported:
            yield name


@pytest.mark.parametrize("module", [module for module in MODULES if module])
def test_all_names_are_on_the_list(module: str) -> None:
    theirs, own = both(module)
    for name in members(own, theirs):
        item = getattr(own, name)
        if getattr(item, "__module__", own.__name__) != own.__name__ and "tokenizer" not in module:
            continue  # imported
        assert f"{module}.{name}" in NAMES
        if inspect.isclass(item):
            for member in members(item, getattr(theirs, name)):
                assert f"{module}.{name}.{member}" in NAMES


@pytest.mark.parametrize("name", METRICS)
def test_attributes_of_scores(name: str) -> None:
    theirs, own = (
        vars(getattr(package, name)().corpus_score(["a b c"], [["a b"]]))
        for package in (peer, ours)
    )
    assert sorted(own) == sorted(theirs) == sorted([*SCORE, *ATTRIBUTES[name]])


def test_other_names_are_sacrebleus_own() -> None:
    for path in (
        "utils.get_md5sum",
        "tokenizers.tokenizer_ter._normalize_asian",
        "tokenizers.tokenizer_re.TokenizerRegexp",
        "dataset.base.Dataset",
        "metrics.lib_ter.trace_to_alignment",
    ):
        theirs, own = resolve(path)
        assert own.__name__ == theirs.__name__ and own.__module__.startswith("rapidbleu._installed")
    with pytest.raises(AttributeError):
        _ = ours.utils.nothing


def test_version_of_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match=r"^0$"):
        both("sacrebleu")[1].main(["--version"])
    assert capsys.readouterr().out == "sacrebleu 2.6.0\n"
