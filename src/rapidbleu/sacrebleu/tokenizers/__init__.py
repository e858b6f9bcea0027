"""The tokenizers, each in a module of its own: from str to str, tokens with spaces between them."""

from rapidbleu.sacrebleu.tokenizers.tokenizer_base import BaseTokenizer

__all__ = ["BaseTokenizer"]
