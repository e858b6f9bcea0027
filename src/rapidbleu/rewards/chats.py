"""Chats as trainers have them: lists of messages, whose contents are texts or lists of parts."""

from rapidbleu.sequences import is_ordered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def last_answer(completion: "Any", where: str) -> str:
    """Return the text of a completion: itself, or the assistant's last message of a chat.

    Examples
    --------
    >>> last_answer([{"role": "assistant", "content": "It rained."}], "completions[0]")
    'It rained.'
    """
    if isinstance(completion, str):
        return completion
    if not is_ordered(completion):
        raise TypeError(f"{where}: expected str or a chat, got {type(completion).__name__}")
    for j, message in reversed(list(enumerate(completion))):
        if not isinstance(message, dict):
            raise TypeError(f"{where}[{j}]: expected a message, got {type(message).__name__}")
        if message.get("role", "assistant") == "assistant":
            return text_of(message.get("content"), f"{where}[{j}]['content']")
    return ""


def text_of(content: "Any", where: str) -> str:
    """Return the text of a message's content: itself, or its parts joined; "" for None.

    Examples
    --------
    >>> text_of([{"type": "text", "text": "It "}, {"type": "text", "text": "rained."}], "content")
    'It rained.'
    """
    if content is None or isinstance(content, str):
        return content or ""
    if not is_ordered(content):
        raise TypeError(f"{where}: expected str or parts, got {type(content).__name__}")
    texts = []
    for k, part in enumerate(content):
        place = f"{where}[{k}]"
        if not isinstance(part, dict):
            raise TypeError(f"{place}: expected a part, got {type(part).__name__}")
        if part.get("type") != "text":
            raise ValueError(f"{place}: expected a part of type 'text', got {part.get('type')!r}")
        text = part.get("text")
        if not isinstance(text, str):
            raise TypeError(f"{place}['text']: expected str, got {type(text).__name__}")
        texts.append(text)
    return "".join(texts)
