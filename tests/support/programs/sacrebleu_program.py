"""A program written against sacrebleu only, which prints its results."""

import inspect
import json
import logging
import pickle
import sys

import sacrebleu
import sacrebleu.metrics
import sacrebleu.metrics.bleu as bleu_module
from sacrebleu import BLEU, CHRF, TER, corpus_bleu, sentence_bleu
from sacrebleu.metrics.base import Metric, Score, Signature
from sacrebleu.metrics.helpers import extract_all_word_ngrams
from sacrebleu.metrics.lib_ter import translation_edit_rate
from sacrebleu.significance import PairedTest
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

HYPS = [
    "The cat sat on a mat.",
    "It rained all day, &quot;cats and dogs&quot;.",
    "He came , he saw .",
    "1,000.5 men - 20-30% more!",
    "",
    "Die Straße ist naß.",
    "天气很好。",
    "no match at all",
] * 4
REFS = [
    [
        "The cat sat on the mat.",
        "It rained cats and dogs all day.",
        "He came, he saw, he left.",
        "1,000.5 men: 20-30 % more!",
        "empty",
        "Die Straße ist nass.",
        "天气真好。",
        "quite different",
    ]
    * 4,
    [
        "A cat sat on it.",
        "It was raining.",
        "He came and saw.",
        "A thousand men",
        "",
        "Die Strasse ist nass.",
        "好天气。",
        "something else",
    ]
    * 4,
]


def say(*values: object) -> None:
    print(*values, flush=True)


class Upper(BLEU):  # type: ignore[misc]
    def _preprocess_segment(self, sent: str) -> str:
        return str(super()._preprocess_segment(sent)).upper()


class Averaged(Metric):  # type: ignore[misc]
    _SIGNATURE_TYPE = Signature

    def _preprocess_segment(self, sent: str) -> str:
        return sent

    def _extract_reference_info(self, refs: list[str]) -> dict[str, object]:
        return {"lengths": [len(ref) for ref in refs]}

    def _compute_segment_statistics(self, hypothesis: str, ref_kwargs: dict) -> list[int]:  # type: ignore[type-arg]
        return [len(hypothesis), max(ref_kwargs["lengths"])]

    def _aggregate_and_compute(self, stats: list[list[int]]) -> Score:
        return self._compute_score_from_stats(sacrebleu.utils.sum_of_lists(stats))

    def _compute_score_from_stats(self, stats: list[int]) -> Score:
        return Score("length", stats[0] / stats[1])


def main() -> None:
    logging.basicConfig(stream=sys.stdout, format="%(name)s %(levelname)s %(message)s")
    say(sacrebleu.__version__, sorted(sacrebleu.__all__))
    say(corpus_bleu(HYPS, REFS), corpus_bleu(HYPS, REFS, lowercase=True, tokenize="intl").score)
    say(repr(sentence_bleu(HYPS[0], [REFS[0][0]], use_effective_order=False).score))
    say(sacrebleu.raw_corpus_bleu(HYPS, REFS).format(width=4))
    for metric in (
        BLEU(references=REFS),
        BLEU(tokenize="char", smooth_method="add-k"),
        BLEU(trg_lang="zh", tokenize="13a"),
        BLEU(trg_lang="zh"),
        Upper(),
        Averaged(),
        CHRF(word_order=2),
        CHRF(beta=1, lowercase=True),
        TER(),
        TER(normalized=True),
    ):
        rows = metric._extract_corpus_statistics(HYPS, REFS)
        say(type(metric).__name__, rows)
        score = metric.corpus_score(hypotheses=HYPS, references=REFS)
        say(repr(score.score), metric.sentence_score(HYPS[1], [REFS[0][1], REFS[1][1]]))
        signature = str(metric.get_signature()).split("|version")[0]
        say(signature, metric.get_signature().format(short=True).split("|v:")[0])
        say(score.format(is_json=True, signature=signature, width=3))
        say(repr(metric._compute_score_from_stats([sum(c) for c in zip(*rows, strict=True)]).score))
        say(pickle.loads(pickle.dumps(score)))
        say(f"{metric.corpus_score(HYPS, REFS, n_bootstrap=100).format(width=3)}")
    say(inspect.getfullargspec(BLEU.compute_bleu)[0], inspect.getfullargspec(BLEU).args)
    say(
        BLEU.compute_bleu(
            correct=[4, 2, 1, 0], total=[5, 4, 3, 2], sys_len=5, ref_len=6, smooth_method="exp"
        )
    )
    infos = BLEU()._cache_references(REFS)
    say([sorted(info["ref_ngrams"].items()) for info in infos], [i["ref_lens"] for i in infos])
    say(extract_all_word_ngrams("a b a", 1, 2), Tokenizer13a()("a-b 1-2, (c)."))
    say(translation_edit_rate(["a", "b", "c", "d"], ["c", "d", "a", "b"]))
    say(bleu_module._get_tokenizer("zh")()("我有2.5元"), list(BLEU.TOKENIZERS))
    say(list(sacrebleu.metrics.METRICS), bleu_module.MAX_NGRAM_ORDER)
    for kind in ("bs", "ar"):
        test = PairedTest(
            [("base", HYPS), ("other", REFS[1]), ("same", HYPS)],
            {"BLEU": BLEU(), "chrF": CHRF(), "TER": TER(), "length": Averaged()},
            [REFS[0]],
            test_type=kind,
            n_samples=200,
            n_ar_confidence=50,
        )
        signatures, results = test()
        say([str(signature).split("|version")[0] for signature in signatures.values()])
        for name, column in results.items():
            say(
                name,
                [
                    result
                    if isinstance(result, str)
                    else (
                        result.score,
                        result.p_value,
                        round(float(result.mean), 3),
                        round(float(result.ci), 2),
                    )
                    for result in column
                ],
            )
    for wrong in ((1, 1), (["a"], 1), ([1], [["a"]]), ([], [[]]), (["a"], None)):
        try:
            BLEU().corpus_score(*wrong)
        except (TypeError, IndexError, RuntimeError) as error:
            say(json.dumps(str(error) if not isinstance(error, IndexError) else "IndexError"))


if __name__ == "__main__":
    main()
