"""Train a translator with TRL's GRPOTrainer, rewarded by BLEU and chrF.

    python examples/trl_grpo.py [FOLDER]

Needs trl and torch; downloads nothing. The tiny model has random weights, and its tokenizer is
trained on the few texts below, so a step takes a second. Substitute your own model, tokenizer and
data set. TRL writes to FOLDER.
"""

import sys
from tempfile import TemporaryDirectory

from datasets import Dataset
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM
from trl import GRPOConfig, GRPOTrainer

from rapidbleu import BLEU, CHRF, make_reward

PAIRS = [
    ("Es regnet.", "It is raining."),
    ("Die Katze sitzt auf der Matte.", "The cat sits on the mat."),
    ("Wir sehen uns morgen.", "See you tomorrow."),
    ("Das Buch liegt auf dem Tisch.", "The book is on the table."),
]


def make_tokenizer(texts: list[str]) -> PreTrainedTokenizerFast:
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    bpe.train_from_iterator(
        texts,
        trainers.BpeTrainer(
            vocab_size=400,
            special_tokens=["<pad>", "<end>"],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=bpe, pad_token="<pad>", eos_token="<end>", padding_side="left"
    )


def make_model(tokenizer: PreTrainedTokenizerFast) -> Qwen2ForCausalLM:
    """Return a model of two layers with random weights."""
    return Qwen2ForCausalLM(
        Qwen2Config(
            vocab_size=len(tokenizer), hidden_size=32, intermediate_size=64, num_hidden_layers=2,
            num_attention_heads=2, num_key_value_heads=2, max_position_embeddings=128,
            pad_token_id=tokenizer.pad_token_id, eos_token_id=tokenizer.eos_token_id,
            bos_token_id=None,
        )
    )  # fmt: skip


def main(folder: str) -> None:
    """Train two steps and print the rewards of each."""
    tokenizer = make_tokenizer([text for pair in PAIRS for text in pair])
    data = Dataset.from_list(
        [
            {"prompt": f"German: {de}\nEnglish:", "translation": {"de": de, "en": en}}
            for de, en in PAIRS
        ]
    )
    rewards = [
        make_reward("trl", metric=[BLEU(effective_order=True), CHRF()],
                    reference_key="translation.en", bad="none"),
        make_reward("trl", metric=CHRF(word_order=2), reference_key="translation.en",
                    asynchronous=True),
    ]  # fmt: skip
    trainer = GRPOTrainer(
        model=make_model(tokenizer),
        processing_class=tokenizer,
        reward_funcs=rewards,
        train_dataset=data,
        args=GRPOConfig(
            output_dir=folder, max_steps=2, per_device_train_batch_size=8, num_generations=4,
            max_completion_length=16, logging_steps=1, save_strategy="no", report_to=[],
            disable_tqdm=True, use_cpu=True, bf16=False, seed=1,
        ),
    )  # fmt: skip
    trainer.train()
    for entry in trainer.state.log_history:
        for name, value in entry.items():
            if name.startswith("rewards/") and name.endswith("/mean"):
                print(f"step {entry['step']}: {name} = {value:.4f}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(sys.argv[1])
    else:
        with TemporaryDirectory() as folder:
            main(folder)
