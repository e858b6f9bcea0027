"""Samples of a language model as n-best lists, for `rapidbleu tune` and `rapidbleu rerank`.

    python examples/samples.py FOLDER     # writes dev.jsonl, dev.ref, new.jsonl and new.ref

`from_vllm` reads what vLLM's `LLM.generate` returns, `from_hugging_face` what the `generate` of
transformers returns. Both are simulated here, so neither library is needed: dev.jsonl is from vLLM,
new.jsonl from transformers. A row has all samples of a prompt, and three features of each: the sum
of the log-probabilities of its tokens, its length in tokens, which lets weights favor long or short
samples, and the score of a reward model.
"""

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

Reward = Callable[[int, str], float]  # of the prompt with this index, and a sample


def from_vllm(outputs: Iterable[Any], reward: Reward) -> Iterator[dict[str, Any]]:
    """Yield rows of `llm.generate(prompts, SamplingParams(n=8, logprobs=1))`."""
    for i, request in enumerate(outputs):
        for sample in request.outputs:
            if sample.cumulative_logprob is None:
                raise ValueError(
                    f"prompt {i}: no log-probabilities; see SamplingParams(logprobs=1)"
                )
        yield row(
            i,
            [sample.text for sample in request.outputs],
            [sample.cumulative_logprob for sample in request.outputs],
            [len(sample.token_ids) for sample in request.outputs],
            reward,
        )


def from_hugging_face(
    sequences: Any, scores: Any, decode: Callable[[list[int]], str], end: int, n: int,
    reward: Reward,
) -> Iterator[dict[str, Any]]:  # fmt: skip
    """Yield rows of generated tokens, `n` samples for each prompt, with padding after `end`.

    output = model.generate(
        **inputs, do_sample=True, num_return_sequences=n, return_dict_in_generate=True,
        output_scores=True,
    )
    sequences = output.sequences[:, inputs["input_ids"].shape[1] :]  # without the prompt
    scores = model.compute_transition_scores(
        output.sequences, output.scores, normalize_logits=True
    )
    decode = partial(tokenizer.decode, skip_special_tokens=True)
    """
    tokens, logprobs = (each.tolist() if hasattr(each, "tolist") else each
                        for each in (sequences, scores))  # fmt: skip
    lengths = [own.index(end) + 1 if end in own else len(own) for own in tokens]
    texts = [decode(own[:length]) for own, length in zip(tokens, lengths, strict=True)]
    sums = [sum(own[:length]) for own, length in zip(logprobs, lengths, strict=True)]
    for i in range(len(tokens) // n):
        own = slice(i * n, (i + 1) * n)
        yield row(i, texts[own], sums[own], lengths[own], reward)


def row(
    i: int, texts: list[str], logprobs: list[float], lengths: list[int], reward: Reward
) -> dict[str, Any]:
    features = [
        {"logprob": logprob, "length": length, "reward": reward(i, text)}
        for text, logprob, length in zip(texts, logprobs, lengths, strict=True)
    ]
    return {"id": i, "hyp": texts, "features": features}


def write(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(each, ensure_ascii=False) + "\n" for each in rows)


# A simulated model: some of its samples are nearly right, and its log-probabilities are noisy


WORDS = [f"w{i}" for i in range(1000)]
END = len(WORDS)
N_PROMPTS, N_SAMPLES = 200, 16


def simulated(random: Random) -> tuple[list[list[int]], list[list[list[int]]], list[list[float]]]:
    """Return references, samples and their log-probabilities, the sum and its parts by token."""
    references = [random.choices(range(END), k=random.randint(6, 20)) for _ in range(N_PROMPTS)]
    samples: list[list[list[int]]] = []
    logprobs: list[list[float]] = []
    for reference in references:
        samples.append([])
        for _ in range(N_SAMPLES):
            rate = random.uniform(0.1, 0.6)
            tokens = [
                random.randrange(END) if random.random() < rate else token for token in reference
                if random.random() > 0.05
            ]  # fmt: skip
            samples[-1].append([*tokens, END])
            wrong = sum(token not in reference for token in tokens)
            total = random.gauss(-0.4 * wrong - 0.5 * len(tokens), 2)
            logprobs.append([total / len(samples[-1][-1])] * len(samples[-1][-1]))
    return references, samples, logprobs


def decode(tokens: list[int]) -> str:
    return " ".join(WORDS[token] for token in tokens if token != END)


def main(folder: str) -> None:
    for name, seed in (("dev", 1), ("new", 2)):
        random = Random(seed)
        references, samples, logprobs = simulated(random)
        texts = [decode(reference) for reference in references]

        def reward(i: int, text: str, texts: list[str] = texts, random: Random = random) -> float:
            right = set(texts[i].split())
            return sum(word in right for word in text.split()) / len(right) + random.gauss(0, 0.3)

        if name == "dev":
            sums = iter(map(sum, logprobs))
            outputs = [
                SimpleNamespace(outputs=[
                    SimpleNamespace(text=decode(own), token_ids=own, cumulative_logprob=next(sums))
                    for own in several
                ])
                for several in samples
            ]  # fmt: skip
            rows = from_vllm(outputs, reward)
        else:
            longest = max(map(len, logprobs))
            tokens = [own + [END] * (longest - len(own)) for several in samples for own in several]
            padded = [own + [-9.0] * (longest - len(own)) for own in logprobs]
            rows = from_hugging_face(tokens, padded, decode, END, N_SAMPLES, reward)
        write(Path(folder, f"{name}.jsonl"), rows)
        Path(folder, f"{name}.ref").write_text("".join(f"{text}\n" for text in texts), "utf-8")
    print(f"{N_PROMPTS} prompts with {N_SAMPLES} samples each, twice")


if __name__ == "__main__":
    main(sys.argv[1])
