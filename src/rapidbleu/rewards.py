"""Rewards for reinforcement learning: metrics as functions that a trainer calls.

Each framework prescribes a signature. Each batch becomes one call of ``nbest_scores``, with every
reference tokenized once. No framework needs to be installed.
"""

from __future__ import annotations

import sys

from rapidbleu._core.input.columns import Column, ReferenceColumns
from rapidbleu._lib.checks import check_flag, check_lengths, check_type, is_ordered, items_of
from rapidbleu._lib.identity import checksum, shown_name
from rapidbleu._lib.loader import np
from rapidbleu._lib.logs import logger
from rapidbleu.metrics import BLEU, WeightedSum
from rapidbleu.metrics.corpus import prepare_columns
from rapidbleu.metrics.metric import Metric
from rapidbleu.references import References

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, Literal, TypeAlias, overload

    from rapidbleu._types import FloatArray, Framework, Items, Layout

    _Extract = Callable[[str], str] | None
    _Place = Callable[[str, int], str]
    _Of: TypeAlias = Metric | WeightedSum | Sequence[Metric]
    _Bad: TypeAlias = Literal["raise"] | float

__all__ = ["make_reward"]

MOST_PARTS = 8  # of an option's value that are shown in a name
UNNAMED = {"force", "layout", "references", "threads"}  # options that do not change scores


class Reward:
    """Metrics and their conversion to a reward; created by `make_reward`."""

    skips_none = False  # True if samples without a reference belong to another task
    warned = False

    def __init__(
        self,
        metric: _Of,
        scale: float,
        extract: Callable[[str], str] | None,
        reference_key: str | None,
        bad: _Bad | Literal["none"],
    ) -> None:
        self.metric = metric
        self.metrics, self.weights = _weighted(metric)
        self.bad = bad
        self.scale = scale
        self.extract = extract
        self.reference_key = reference_key
        self.__name__ = f"{name_of(metric)}_reward"  # appears in the logs of trainers

    def __repr__(self) -> str:
        options = self.metric, self.scale, self.extract, self.reference_key, self.bad
        return f"{type(self).__name__}{options!r}"

    def fractions(
        self,
        texts: list[Any],
        references: list[Any],
        names: tuple[str, str],
        place: _Place,
        keys: Iterable[str] = (),
    ) -> tuple[FloatArray, list[FloatArray], dict[int, float | None]]:
        """Return qualities from 0 to 1: their mean over metrics, by metric; rewards of bad samples.

        In errors, `names` are the names of both arguments, and `place` names an element. `keys`
        lead to the reference within a dict.
        """
        # Read the samples, unless all are texts
        known = list(range(len(texts)))
        scored = texts
        targets = references
        bad: dict[int, float | None] = {}
        if self.extract is not None or {*map(type, texts), *map(type, references)} != {str}:
            known = []
            scored = []
            targets = []
            for i, (text, reference) in enumerate(zip(texts, references, strict=True)):
                try:
                    sample = self._sample(text, reference, i, names, place, keys)
                except Exception as error:
                    if self.bad == "raise":
                        raise
                    if not self.warned:
                        self.warned = True
                        warn = logger().warning
                        where = place(names[0], i)
                        warn("%s: %s is bad, others may be, too: %r", self.__name__, where, error)
                    bad[i] = None if self.bad == "none" else float(self.bad)
                    continue
                if sample is None:
                    bad[i] = None
                    continue
                known.append(i)
                scored.append(sample[0])
                targets.append(sample[1])
        # Score them
        if {*map(type, scored)} <= {str} and {*map(type, targets)} <= {str, tuple}:
            score = _of_texts(scored, targets)
        else:
            score = _of_ids(scored, targets, names, lambda name, k: place(name, known[k]))
        parts = []
        for metric in self.metrics:
            # A perfect match may score 100.00000000000004, and error rates are unbounded.
            full: Any = metric._full_score
            shares = np.minimum(score(metric) / full, 1.0)
            part = np.zeros(len(texts))
            part[known] = shares if metric.higher_is_better else 1.0 - shares
            parts.append(part)
        total: Any = sum(weight * part for weight, part in zip(self.weights, parts, strict=True))
        return total / sum(self.weights), parts, bad

    def _sample(
        self,
        text: Any,
        reference: Any,
        i: int,
        names: tuple[str, str],
        place: _Place,
        keys: Iterable[str],
    ) -> tuple[Any, Any] | None:
        """Return the text and the references of a sample; None if it belongs to another task.

        A text is a str or ids. References are a str, a tuple of them, or ids if the text has ids.
        """
        if not isinstance(reference, str):
            reference = self._entry(reference, place(names[1], i), keys)
            if reference is None and self.skips_none:
                return None
        if not isinstance(text, str):
            text = self._text(text, place(names[0], i))
        if not isinstance(reference, str):
            of_text = isinstance(text, str) and text != ""
            if of_text or not holds_ids(reference, within=True):
                reference = _several(reference, place(names[1], i))
        if self.extract is not None:
            text = self.extract(text)
            if not isinstance(text, str):
                got = type(text).__name__
                raise TypeError(f"extract: expected it to return str; got {got}")
        return text, reference

    def rewards(self, *batch: Any) -> list[Any]:
        """Return the rewards of a batch; arguments as in `fractions`."""
        mean, _, bad = self.fractions(*batch)
        rewards: list[Any] = (mean * self.scale).tolist()
        for i, reward in bad.items():
            rewards[i] = reward
        return rewards

    def _text(self, text: Any, where: str) -> Any:
        """Return the text or ids of a sample that is not a str."""
        if self.extract is None and holds_ids(text):
            return text
        raise TypeError(f"{where}: expected str; got {type(text).__name__}")

    def _entry(self, reference: Any, where: str, keys: Iterable[str]) -> Any:
        """Return the entry that `keys` lead to; None if it is missing on the way."""
        for key in keys:
            if reference is None:
                break
            check_type(where, reference, dict)
            if key not in reference:
                raise ValueError(
                    f"{where}: expected an entry {key!r}; got "
                    f"{', '.join(map(repr, reference)) or 'none'}"
                )
            where = f"{where}[{key!r}]"
            reference = reference[key]
        return reference


def _of_texts(texts: list[str], references: list[Any]) -> Callable[[Metric], FloatArray]:
    """Return a function from a metric to scores of texts, each by its reference or references."""
    numbers: dict[Any, int] = {}  # index of each distinct reference or tuple of references
    segments = [numbers.setdefault(reference, len(numbers)) for reference in references]
    distinct: list[Any] = [tuple(numbers)]
    layout: Layout = "stream"
    if tuple in map(type, numbers):
        distinct = [(key,) if isinstance(key, str) else key for key in numbers]
        layout = "segment"
    return lambda metric: metric.nbest_scores(texts, distinct, segments=segments, layout=layout)


def _of_ids(
    batch: list[Any],
    references: list[Any],
    names: tuple[str, str],
    place: _Place,
) -> Callable[[Metric], FloatArray]:
    """Return a function from a metric to scores of segments of integer ids."""
    batch = [() if isinstance(ids, str) and not ids else ids for ids in batch]
    hyps: Any = Column(batch, names[0], place=lambda i: place(names[0], i))
    about = names[1], lambda i: place(names[1], i)
    if all(map(holds_ids, references)):
        stream = Column(tuple(references), names[1], place=about[1])
        columns = ReferenceColumns(stream, "stream", *about)
    else:
        each = [(ids,) if holds_ids(ids) else ids for ids in references]
        columns = ReferenceColumns(each, "segment", *about)

    def score(metric: Metric) -> FloatArray:
        prepared = prepare_columns(metric, columns)
        return metric.nbest_scores(hyps, prepared, segments=range(len(batch)))

    return score


class TrlReward(Reward):
    """Reward function of TRL's trainers."""

    skips_none = True

    def __call__(self, completions: Items[Any], **columns: Any) -> list[float | None]:
        """Return a reward for each completion, a str or a chat, given the reference column.

        The reward of a completion without a reference is None; such completions are not read.
        """
        whole: Any = self.reference_key
        key, *keys = [whole] if whole in columns else whole.split(".")
        if key not in columns:
            raise ValueError(
                f"reference_key: expected a column of the data set; got {whole!r}; "
                f"there are {', '.join(sorted(columns)) or 'none'}"
            )
        chats = items_of(completions, "completions", "completions")
        references = items_of(columns[key], key, "references")
        check_lengths(references, key, chats, "completions")
        return self.rewards(chats, references, ("completions", key), _place, keys)

    def _text(self, text: Any, where: str) -> Any:
        answer = last_answer(text, where)
        return answer if isinstance(answer, str) else super()._text(answer, where)


class VerlReward(Reward):
    """Reward function of verl: for one sample, or for many with its batch reward manager."""

    def __call__(
        self,
        data_source: object = None,
        solution_str: str | None = None,
        ground_truth: Any = None,
        extra_info: object = None,
        *,
        solution_strs: Items[str] | None = None,
        ground_truths: Items[Any] | None = None,
        **others: object,
    ) -> float | list[float]:
        """Return the reward of `solution_str`, or the rewards of all `solution_strs`."""
        if solution_strs is None:
            names = ("solution_str", "ground_truth")
            sample = [solution_str], [ground_truth]
            return float(self.rewards(*sample, names, lambda name, i: name)[0])
        texts = items_of(solution_strs, "solution_strs", "solutions")
        references = items_of(
            () if ground_truths is None else ground_truths, "ground_truths", "references"
        )
        check_lengths(references, "ground_truths", texts, "solution_strs")
        return self.rewards(texts, references, ("solution_strs", "ground_truths"), _place)

    def _entry(self, reference: Any, where: str, keys: Iterable[str]) -> Any:
        """Return an entry of a ground truth that is a dict, any other one unchanged."""
        if not isinstance(reference, dict):
            return reference
        if self.reference_key is None:
            raise TypeError(
                f"{where}: expected str or list of str; got dict; reference_key names the entry "
                f"with the references"
            )
        key = self.reference_key
        return super()._entry(reference, where, [key] if key in reference else key.split("."))


class OpenRlhfReward(Reward):
    """Reward function of OpenRLHF."""

    def __call__(
        self, queries: Items[str], prompts: Items[str], labels: Items[Any], **others: object
    ) -> dict[str, Any]:
        """Return rewards, scores from 0 to 1 and logs: tensors, or arrays if torch is not loaded.

        Queries are prompts followed by responses. Each metric has a log; for an error rate it is
        the rate, limited to 1. A bad sample scores 0.
        """
        queries = items_of(queries, "queries", "queries")
        prompts = items_of(prompts, "prompts", "prompts")
        references = items_of(labels, "labels", "references")
        check_lengths(prompts, "prompts", queries, "queries")
        check_lengths(references, "labels", queries, "queries")
        texts = list(zip(queries, prompts, strict=True))
        mean, parts, bad = self.fractions(texts, references, ("queries", "labels"), _place)
        scores = mean.astype(np.float32)
        rewards = scores * np.float32(self.scale)
        for i, reward in bad.items():
            rewards[i] = reward
        torch: Any = sys.modules.get("torch")  # already loaded if the program expects tensors
        tensor = np.asarray if torch is None else torch.from_numpy
        logs = {}
        for metric, part in zip(self.metrics, parts, strict=True):
            logged = part if metric.higher_is_better else 1.0 - part
            logs[name_of(metric)] = tensor(logged.astype(np.float32))
        return {"rewards": tensor(rewards), "scores": tensor(scores), "extra_logs": logs}

    def _text(self, text: Any, where: str) -> str:
        query, prompt = text
        prompt_where = where.replace("queries", "prompts")
        check_type(where, query, str)
        check_type(prompt_where, prompt, str)
        if not query.startswith(prompt):
            raise ValueError(f"{where}: expected a text that begins with {prompt_where}")
        response: str = query[len(prompt) :]
        return response


def _weighted(metric: _Of) -> tuple[list[Metric], list[float]]:
    """Return the metrics, and their weights in the mean of fractions."""
    metrics: list[Any] = [metric]
    if isinstance(metric, WeightedSum):
        metrics = list(metric.metrics)
    elif isinstance(metric, list | tuple):
        metrics = list(metric)
    weights = [1.0] * len(metrics)
    for i, part in enumerate(metrics):
        where = "metric" if part is metric else f"metric[{i}]"
        name = type(part).__name__
        if not isinstance(part, Metric):
            raise TypeError(f"{where}: expected a metric that scores texts; got {name}")
        if part._full_score is None:
            raise ValueError(f"{where}: expected scores with a fixed upper bound; got {name}")
        if not part._rows_add_up:
            raise ValueError(
                f"{where}: expected information, without which {name} weighs n-grams by the "
                f"references of each batch"
            )
        if isinstance(metric, WeightedSum):
            weight = metric.weights[i] if part.higher_is_better else -metric.weights[i]
            if weight < 0:
                raise ValueError(
                    f"{where}: expected a weight below 0 for an error rate, and above 0 for any "
                    f"other metric; got {metric.weights[i]:g} for {name}"
                )
            weights[i] = weight * part._full_score
    if not any(weights):
        raise ValueError("metric: expected at least one, with a weight; got none")
    return metrics, weights


def name_of(metric: _Of) -> str:
    """Return a name for logs, an identifier, from a metric and its options.

    >>> from rapidbleu import BLEU, CHRF
    >>> name_of(CHRF(word_order=2, beta=2.5)), name_of(BLEU(effective_order=True))
    ('chrf_word_order_2_beta_2p5', 'bleu')
    """
    if isinstance(metric, WeightedSum):
        pairs: Any = zip(metric.metrics, metric.weights, strict=True)
        return "_".join(f"{name_of(part)}_{_word(weight)}" for part, weight in pairs)
    if not isinstance(metric, Metric):
        return "_".join(map(name_of, metric))
    options = metric._changed_options()
    if hasattr(metric, "effective_order") and not options.pop("effective_order", False):
        options["effective_order"] = False  # in rewards, it is usually on
    words = [type(metric).__name__.lower()]
    for name, value in options.items():
        if name not in UNNAMED:
            words += name, _word(value)
    return "_".join(words)


def _word(value: object) -> str:
    """Return the value of an option as distinct letters, digits and underscores.

    Values of many parts are represented by their number and a checksum, as in signatures.
    """
    if isinstance(value, int | float):
        return str(value).lower().translate({ord("."): "p", ord("-"): "m", ord("+"): None})
    if isinstance(value, str):
        return "".join(map(_letter, value))
    if hasattr(value, "items"):
        value = sorted(value.items(), key=repr)
    if isinstance(value, References):
        return f"{len(value)}_{value.digest[:8]}"
    if not isinstance(value, list | tuple):
        return _word(shown_name(value).strip("<>"))
    if len(value) > MOST_PARTS:
        return f"{len(value)}_{checksum(value)}"
    return "_".join(map(_word, value))


def _letter(letter: str) -> str:
    """Return a letter or digit, "_" for a hyphen or point, and the code of all else.

    >>> "".join(map(_letter, "add-k")), "".join(map(_letter, "a/b"))
    ('add_k', 'ax2fb')
    """
    if letter in "-.":
        return "_"
    return letter if letter.isascii() and letter.isalnum() else f"x{ord(letter):x}"


def holds_ids(source: Any, within: bool = False) -> bool:
    """Return whether a segment consists of, or with `within` contains, ids, by its first item.

    >>> [holds_ids(source) for source in ([7, 5], [[7, 5], [7]], ["a"], "a", [])]
    [True, False, False, False, False]
    """
    if not is_ordered(source) or not hasattr(source, "__len__"):
        return False
    first = next(iter(source), None)
    is_id = hasattr(first, "__index__") and getattr(first, "ndim", 0) == 0
    return is_id or (within and holds_ids(first))


def _place(name: str, i: int) -> str:
    return f"{name}[{i}]"


def _several(references: Any, where: str) -> tuple[str, ...]:
    if not is_ordered(references):
        raise TypeError(f"{where}: expected str or list of str; got {type(references).__name__}")
    texts = tuple(references)
    for j, reference in enumerate(texts):
        check_type(f"{where}[{j}]", reference, str)
    if not texts:
        raise ValueError(f"{where}: expected at least one reference; got none")
    return texts


class AsyncReward:
    """A reward function as a coroutine function for which ``inspect.iscoroutinefunction`` is True.

    It has the arguments, results and attributes of `reward`, a result of `make_reward`.

    Notes
    -----
    Scoring runs in a thread of the event loop's default executor. A cancelled call ends at once;
    its thread finishes the batch, and the result is dropped.

    Examples
    --------
    >>> import asyncio
    >>> from rapidbleu import make_reward
    >>> reward = AsyncReward(make_reward("trl", scale=2))
    >>> asyncio.run(reward(["It rains."], ground_truth=["It rains."]))
    [2.0]
    """

    def __init__(self, reward: Callable[..., Any]) -> None:
        from functools import update_wrapper

        self.reward = reward
        update_wrapper(self, reward)
        # `inspect` checks this, as for the coroutine mocks of unittest.mock: Python 3.11 has no
        # `inspect.markcoroutinefunction`.
        self.__code__ = type(self).__call__.__code__
        self.__defaults__ = self.__kwdefaults__ = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.reward!r})"

    def __reduce__(self) -> tuple[type[AsyncReward], tuple[Callable[..., Any]]]:
        return type(self), (self.reward,)

    async def __call__(self, *batch: Any, **columns: Any) -> Any:
        from asyncio import to_thread

        return await to_thread(self.reward, *batch, **columns)


def last_answer(completion: Any, where: str) -> Any:
    """Return the scored part of a completion: itself, or a chat's last message by the assistant.

    >>> last_answer([{"role": "assistant", "content": "It rained."}], "completions[0]")
    'It rained.'
    """
    if isinstance(completion, str) or holds_ids(completion):
        return completion
    if not is_ordered(completion):
        raise TypeError(f"{where}: expected str or a chat; got {type(completion).__name__}")
    for j, message in reversed(list(enumerate(completion))):
        if not isinstance(message, dict):
            raise TypeError(f"{where}[{j}]: expected a message; got {type(message).__name__}")
        if message.get("role", "assistant") == "assistant":
            return text_of(message.get("content"), f"{where}[{j}]['content']")
    return ""


def text_of(content: Any, where: str) -> str:
    """Return the text of a message's content: itself, or its parts joined; "" for None.

    >>> text_of([{"type": "text", "text": "It "}, {"type": "text", "text": "rained."}], "content")
    'It rained.'
    """
    if content is None or isinstance(content, str):
        return content or ""
    if not is_ordered(content):
        raise TypeError(f"{where}: expected str or parts; got {type(content).__name__}")
    texts = []
    for k, part in enumerate(content):
        place = f"{where}[{k}]"
        if not isinstance(part, dict):
            raise TypeError(f"{place}: expected a part; got {type(part).__name__}")
        if part.get("type") != "text":
            raise ValueError(f"{place}: expected a part of type 'text'; got {part.get('type')!r}")
        check_type(f"{place}['text']", part.get("text"), str)
        texts.append(part["text"])
    return "".join(texts)


REFERENCE_KEY = "ground_truth"

FRAMEWORKS: dict[str, type[TrlReward | VerlReward | OpenRlhfReward]] = {
    "trl": TrlReward,
    "verl": VerlReward,
    "openrlhf": OpenRlhfReward,
}


if TYPE_CHECKING:

    @overload
    def make_reward(
        framework: Literal["trl"],
        *,
        metric: _Of | None = None,
        reference_key: str | None = None,
        extract: _Extract = None,
        scale: float = 1.0,
        asynchronous: Literal[False] = False,
        bad: _Bad | Literal["none"] = "raise",
    ) -> TrlReward: ...
    @overload
    def make_reward(
        framework: Literal["verl"],
        *,
        metric: _Of | None = None,
        reference_key: str | None = None,
        extract: _Extract = None,
        scale: float = 1.0,
        asynchronous: Literal[False] = False,
        bad: _Bad = "raise",
    ) -> VerlReward: ...
    @overload
    def make_reward(
        framework: Literal["openrlhf"],
        *,
        metric: _Of | None = None,
        reference_key: None = None,
        extract: _Extract = None,
        scale: float = 1.0,
        asynchronous: Literal[False] = False,
        bad: _Bad = "raise",
    ) -> OpenRlhfReward: ...
    @overload
    def make_reward(
        framework: Literal["trl", "verl"],
        *,
        metric: _Of | None = None,
        reference_key: str | None = None,
        extract: _Extract = None,
        scale: float = 1.0,
        asynchronous: Literal[True],
        bad: _Bad | Literal["none"] = "raise",
    ) -> AsyncReward: ...


def make_reward(
    framework: Framework,
    *,
    metric: _Of | None = None,
    reference_key: str | None = None,
    extract: Callable[[str], str] | None = None,
    scale: float = 1.0,
    asynchronous: bool = False,
    bad: _Bad | Literal["none"] = "raise",
) -> TrlReward | VerlReward | OpenRlhfReward | AsyncReward:
    """Return a reward function with the signature of a framework.

    Parameters
    ----------
    framework : {"trl", "verl", "openrlhf"}
        ``trl``: ``reward(completions, **columns) -> list[float | None]``.
        ``verl``: ``compute_score(data_source, solution_str, ground_truth, extra_info) -> float``;
        a list if called with ``solution_strs`` and ``ground_truths``, as by its batch reward
        manager.
        ``openrlhf``: ``reward_func(queries, prompts, labels) -> dict`` of float32 tensors.
    metric : Metric, list of Metric or WeightedSum, optional
        ``BLEU(effective_order=True)`` by default. For a list, the reward is the mean over metrics.
        NIST is refused because its scores have no fixed upper bound, and CIDErD without
        `information` because its scores depend on the batch.
    reference_key : str, optional
        For ``trl``, the data set column of the references (default: ``ground_truth``). For
        ``verl``, the entry with the references if ground truths are dicts. Dots select nested
        entries, such as ``translation.de``.
    extract : callable str -> str, optional
        Returns the part of a response to score, for example without reasoning, or without the
        end-of-text token, which OpenRLHF preserves.
    scale : float
        Reward of a text with a full score.
    asynchronous : bool
        Return a coroutine function, which scores in a thread. TRL runs it concurrently with other
        coroutine functions, and verl's reward loop awaits it. OpenRLHF does not support it.
    bad : {"raise", "none"} or float
        Reward of a sample if its completion or references are invalid, or `extract` fails: None
        (``trl`` only) or a number, which `scale` does not change. The first such sample is logged.

    Returns
    -------
    callable
        Can be pickled if its metric and `extract` can, and called from any number of threads.

    Raises
    ------
    TypeError, ValueError
        If an option does not accept the value; the function raises them for an inconsistent batch.

    Notes
    -----
    Rewards are between 0 and `scale`, higher for better texts: proportional to ``score / 100``,
    for CIDErD to ``score / 10``, and for an error rate such as TER to
    ``1 - min(score, 100) / 100``. The reward of a `WeightedSum`, in which error rates have negative
    weights, is its score scaled to 0 (worst) to `scale` (perfect), so weights need not sum to 1.

    Trainers log under ``__name__``: the name of the metric and the options that change its scores,
    such as ``chrf_reward`` or ``chrf_word_order_2_reward``. Options other than numbers and simple
    words are abbreviated to a checksum. Functions with the same qualified name share one.

    A reference is a str, or a list of str that may each be matched. For TRL chats, the assistant's
    last message is scored; its content is a str or a list of text parts. A TRL sample whose
    reference is None belongs to another task: its reward is None, which TRL skips. verl and
    OpenRLHF need a number for each sample and therefore refuse None.

    For ``trl`` and ``verl``, completions and references may also be integer ids in lists or
    tensors; ``metric=BLEU(effective_order=True, pad=0, end=2)`` ignores padding.

    Examples
    --------
    >>> reward = make_reward("trl")
    >>> completions, references = ["It is raining.", "It rains."], ["It rains.", "It rains."]
    >>> [round(fraction, 3) for fraction in reward(completions, ground_truth=references)]
    [0.19, 1.0]
    >>> compute_score = make_reward("verl", scale=10)
    >>> compute_score("weather", "It rains", ["It rained", "It rains"], extra_info=None)
    10.0
    >>> import asyncio
    >>> reward = make_reward("trl", asynchronous=True)
    >>> asyncio.run(reward(completions=["It rains"], ground_truth=["It rains"]))
    [1.0]
    """
    if not isinstance(framework, str) or framework not in FRAMEWORKS:
        raise ValueError(f"framework: expected one of {', '.join(FRAMEWORKS)}; got {framework!r}")
    if metric is None:
        metric = BLEU(effective_order=True, force=True)
    if reference_key is not None and framework == "openrlhf":
        raise ValueError("reference_key: openrlhf has labels only, expected None")
    if reference_key is not None:
        check_type("reference_key", reference_key, str)
    if extract is not None and not callable(extract):
        raise TypeError(f"extract: expected a callable; got {type(extract).__name__}")
    if isinstance(scale, bool) or not isinstance(scale, int | float):
        raise TypeError(f"scale: expected a number; got {type(scale).__name__}")
    if not 0 < scale < float("inf"):
        raise ValueError(f"scale: expected a finite number above 0; got {scale}")
    check_flag("asynchronous", asynchronous)
    if asynchronous and framework == "openrlhf":
        raise ValueError("asynchronous: openrlhf awaits no rewards, expected False")
    number = isinstance(bad, int | float) and not isinstance(bad, bool)
    if bad not in ("raise", "none") and not (number and abs(float(bad)) < float("inf")):
        raise ValueError(f"bad: expected raise, none or a finite number; got {bad!r}")
    if bad == "none" and framework != "trl":
        raise ValueError(f"bad: {framework} wants numbers, expected raise or one; got 'none'")
    if reference_key is None and framework == "trl":
        reference_key = REFERENCE_KEY
    reward = FRAMEWORKS[framework](metric, scale, extract, reference_key, bad)
    return AsyncReward(reward) if asynchronous else reward
