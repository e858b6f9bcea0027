"""Rewards for reinforcement learning: a metric as the function that a trainer calls.

Each framework has a signature of its own; behind it a batch of samples is one call of
``nbest_scores``, with each reference tokenized once. None of the frameworks is needed here.
"""

from rapidbleu.metrics import BLEU

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    import numpy as np

    from rapidbleu.metrics.base import Metric

    _Float64Array = np.ndarray[Any, np.dtype[np.float64]]

REFERENCE_KEY = "ground_truth"


class Reward:
    """A metric and how it becomes a reward; made by `bleu_reward`."""

    def __init__(
        self,
        metric: "Metric",
        scale: float,
        extract: "Callable[[str], str] | None",
        reference_key: str,
    ) -> None:
        self.metric = metric
        self.scale = scale
        self.extract = extract
        self.reference_key = reference_key
        self.__name__ = f"{type(metric).__name__.lower()}_reward"  # in the logs of trainers
    def fractions(
        self,
        texts: "list[Any]",
        references: "Sequence[Any]",
        names: tuple[str, str],
        place: str = "{}[{}]",
    ) -> "_Float64Array":
        """Return the score of each text against its own reference or references, from 0 to 1.

        `names` are those of the two arguments in errors, `place` says how to name an element.
        """
        import numpy as np

        if len(references) != len(texts):
            raise ValueError(
                f"{names[1]}: expected {len(texts)}, as many as {names[0]}, got {len(references)}"
            )
        for i, text in enumerate(texts):
            if not isinstance(text, str):
                where = place.format(names[0], i)
                raise TypeError(f"{where}: expected str, got {type(text).__name__}")
        numbers: dict[Any, int] = {}  # of each distinct reference or tuple of references
        segments = []
        for i, several in enumerate(references):
            if not isinstance(several, str):
                several = _several(several, place.format(names[1], i))
            segments.append(numbers.setdefault(several, len(numbers)))
        if self.extract is not None:
            texts = [self._extracted(text) for text in texts]
        distinct = [(key,) if isinstance(key, str) else key for key in numbers]
        scores = self.metric.nbest_scores(texts, distinct, segments=segments, layout="segment")
        return np.minimum(scores / 100.0, 1.0)  # a perfect match may be 100.00000000000004

    def _extracted(self, text: str) -> str:
        part = self.extract(text) if self.extract is not None else text
        if not isinstance(part, str):
            raise TypeError(f"extract: expected it to return str, got {type(part).__name__}")
        return part


class TrlReward(Reward):
    """A reward function of TRL's trainers."""

    def __call__(self, completions: "Sequence[Any]", **columns: "Any") -> list[float]:
        """Return a reward for each completion, a str or a chat, against the reference column."""
        if self.reference_key not in columns:
            raise ValueError(
                f"reference_key: expected a column of the data set, got {self.reference_key!r}; "
                f"there are {', '.join(sorted(columns)) or 'none'}"
            )
        texts = [last_answer(chat, f"completions[{i}]") for i, chat in enumerate(completions)]
        names = ("completions", self.reference_key)
        scores = self.fractions(texts, columns[self.reference_key], names)
        rewards: list[float] = (scores * self.scale).tolist()
        return rewards


class VerlReward(Reward):
    """A reward function of verl: of one sample, or of many for its batch reward manager."""

    def __call__(
        self,
        data_source: "Any" = None,
        solution_str: "Any" = None,
        ground_truth: "Any" = None,
        extra_info: "Any" = None,
        *,
        solution_strs: "Sequence[str] | None" = None,
        ground_truths: "Sequence[Any] | None" = None,
        **others: "Any",
    ) -> "float | list[float]":
        """Return the reward of `solution_str`, or those of all `solution_strs`."""
        if solution_strs is None:
            names = ("solution_str", "ground_truth")
            one = self.fractions([solution_str], [ground_truth], names, place="{}")
            return float(one[0] * self.scale)
        references = () if ground_truths is None else ground_truths
        scores = self.fractions(list(solution_strs), references, ("solution_strs", "ground_truths"))
        rewards: list[float] = (scores * self.scale).tolist()
        return rewards


class OpenRlhfReward(Reward):
    """A reward function of OpenRLHF."""

    def __call__(
        self,
        queries: "Sequence[str]",
        prompts: "Sequence[str]",
        labels: "Sequence[Any]",
        **others: "Any",
    ) -> "dict[str, Any]":
        """Return rewards, scores from 0 to 1 and logs: tensors, or arrays if torch is not loaded.

        Queries are prompts with their responses.
        """
        import sys

        import numpy as np

        if len(prompts) != len(queries):
            raise ValueError(
                f"prompts: expected {len(queries)}, as many as queries, got {len(prompts)}"
            )
        texts = []
        for i, (query, prompt) in enumerate(zip(queries, prompts, strict=True)):
            if not query.startswith(prompt):
                raise ValueError(f"queries[{i}]: expected a text that begins with prompts[{i}]")
            texts.append(query[len(prompt) :])
        scores = self.fractions(texts, labels, ("queries", "labels")).astype(np.float32)
        rewards = scores * np.float32(self.scale)
        torch: Any = sys.modules.get("torch")  # whoever wants tensors has loaded it
        if torch is not None:
            rewards, scores = torch.from_numpy(rewards), torch.from_numpy(scores)
        name = type(self.metric).__name__.lower()
        return {"rewards": rewards, "scores": scores, "extra_logs": {name: scores}}


FRAMEWORKS: "dict[str, Callable[..., Callable[..., Any]]]" = {
    "trl": TrlReward, "verl": VerlReward, "openrlhf": OpenRlhfReward,
}  # fmt: skip


def bleu_reward(
    framework: str,
    *,
    metric: "Metric | None" = None,
    reference_key: "str | None" = None,
    extract: "Callable[[str], str] | None" = None,
    scale: float = 1.0,
) -> "Callable[..., Any]":
    """Return a reward function with the signature of a framework.

    Parameters
    ----------
    framework : {"trl", "verl", "openrlhf"}
        ``trl``: ``reward(completions, **columns) -> list[float]``.
        ``verl``: ``compute_score(data_source, solution_str, ground_truth, extra_info) -> float``,
        and with ``solution_strs`` and ``ground_truths``, as its batch reward manager calls,
        a list.
        ``openrlhf``: ``reward_func(queries, prompts, labels) -> dict`` of float32 tensors.
    metric : Metric, optional
        ``BLEU(effective_order=True)`` by default. Its scores must be percents.
    reference_key : str, optional
        For ``trl``: the column of the data set with the references; ``ground_truth`` by default.
    extract : callable str -> str, optional
        Returns what of a response is scored: without its thoughts, or without the end-of-text
        token, which OpenRLHF leaves in.
    scale : float
        The reward of a perfect match; scores become fractions of it.

    Returns
    -------
    callable
        It can be pickled if its metric and `extract` can, and called from any number of threads.

    Raises
    ------
    TypeError, ValueError
        If an option has no such value. The function raises them if a batch does not fit together.

    Notes
    -----
    A reference is a str, or a list of str of which each may be matched. A chat, as TRL has them, is
    scored by its last message that is the assistant's.

    Examples
    --------
    >>> reward = bleu_reward("trl")
    >>> completions, references = ["It is raining.", "It rains."], ["It rains.", "It rains."]
    >>> [round(fraction, 3) for fraction in reward(completions, ground_truth=references)]
    [0.19, 1.0]
    >>> compute_score = bleu_reward("verl", scale=10)
    >>> compute_score("weather", "It rains", ["It rained", "It rains"], extra_info=None)
    10.0
    """
    if not isinstance(framework, str) or framework not in FRAMEWORKS:
        raise ValueError(
            f"framework: expected one of {', '.join(FRAMEWORKS)}; got {framework!r}"
        )
    if metric is None:
        metric = BLEU(effective_order=True, force=True)
    elif not hasattr(metric, "nbest_scores"):
        raise TypeError(f"metric: expected a metric, got {type(metric).__name__}")
    if reference_key is not None and framework != "trl":
        raise ValueError(f"reference_key: {framework} has no columns, only trl has")
    if reference_key is not None and not isinstance(reference_key, str):
        raise TypeError(f"reference_key: expected str, got {type(reference_key).__name__}")
    if extract is not None and not callable(extract):
        raise TypeError(f"extract: expected a callable, got {type(extract).__name__}")
    if isinstance(scale, bool) or not isinstance(scale, int | float):
        raise TypeError(f"scale: expected a number, got {type(scale).__name__}")
    if not 0 < scale < float("inf"):
        raise ValueError(f"scale: expected a finite number above 0, got {scale}")
    return FRAMEWORKS[framework](metric, scale, extract, reference_key or REFERENCE_KEY)


def last_answer(completion: "Any", where: str) -> str:
    """Return the text of a completion: itself, or the assistant's last message of a chat.

    Examples
    --------
    >>> last_answer([{"role": "assistant", "content": "It rained."}], "completions[0]")
    'It rained.'
    """
    if isinstance(completion, str):
        return completion
    if not isinstance(completion, list | tuple):
        raise TypeError(f"{where}: expected str or a chat, got {type(completion).__name__}")
    for j in reversed(range(len(completion))):
        message = completion[j]
        if not isinstance(message, dict):
            raise TypeError(f"{where}[{j}]: expected a message, got {type(message).__name__}")
        if message.get("role", "assistant") == "assistant":
            content = message.get("content")
            if content is not None and not isinstance(content, str):
                raise TypeError(
                    f"{where}[{j}]['content']: expected str, got {type(content).__name__}"
                )
            return content or ""
    return ""


def _several(references: "Any", where: str) -> tuple[str, ...]:
    """Return several references of one sample."""
    if isinstance(references, bytes | dict) or not hasattr(references, "__iter__"):
        raise TypeError(f"{where}: expected str or list of str, got {type(references).__name__}")
    several = tuple(references)
    for j, reference in enumerate(several):
        if not isinstance(reference, str):
            raise TypeError(f"{where}[{j}]: expected str, got {type(reference).__name__}")
    if not several:
        raise ValueError(f"{where}: expected at least one reference, got none")
    return several
