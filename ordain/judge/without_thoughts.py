"""A reply without what the model thinks aloud: only what it says after that counts."""

from __future__ import annotations

import re

_THOUGHT = re.compile(r"<(/?)(?:think|thinking|thought|reasoning|analysis)\s*>|\[(/?)think\]|◁(/?)think▷", re.I)
_FINAL_CHANNEL = re.compile(r"<\|channel\|>\s*final\b.{0,100}?<\|message\|>", re.S)


def without_reasoning(text: str) -> str:
    """The reply without what a model thinks aloud in tags or channels.

    What comes before a lone closing tag is reasoning; after an opening tag without its end nothing is left, as the
    reply was cut while the model was still thinking.

    Examples
    --------
    >>> without_reasoning("<think>A? No.</think>B")
    'B'
    """
    text = _final_channel(text)
    kept: list[str] = []
    start, inside = 0, False
    for tag in _THOUGHT.finditer(text):
        closing = any(tag.groups())
        if closing and not inside:
            kept = []
        elif not inside:
            kept.append(text[start : tag.start()])
        start, inside = tag.end(), not closing
    return "" if inside else "".join([*kept, text[start:]])


def _final_channel(text: str) -> str:
    """What stands in the final channel, where there are channels; nothing if it never came."""
    if "<|channel|>" in text:
        *_, last = [None, *_FINAL_CHANNEL.finditer(text)]
        return "" if last is None else re.split(r"<\|(?:end|return|start)\|>", text[last.end() :])[0]
    # Some servers drop the marks themselves and leave their words.
    if text.lstrip().startswith("analysis") and "assistantfinal" in text:
        return text.rpartition("assistantfinal")[2]
    return text
