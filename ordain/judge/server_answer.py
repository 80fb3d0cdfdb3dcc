"""What the answer of a server means: the reply in it, or the fault that it is and what to do about it.

Servers differ in small ways, and all of them are taken: text in parts, reasoning in a field of its own, no usage, no
chances of tokens, errors under status 200.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.client import responses
from typing import Any

from ordain.judge.endpoint import Endpoint
from ordain.judge.quoted import cleaned_json, quoted
from ordain.judge.reply import Passing, Refused, Reply
from ordain.judge.waiting import wait_asked

LARGEST = 10_000_000
"""Bytes of a reply that are read; a longer one is given up."""

KEPT = 200_000
"""Characters of a reply that are kept as they came."""

PASSING = {408, 409, 425, 429}
"""Statuses after which the same request may succeed, beside those from 500 on."""

_CODES = {
    "rate_limit_exceeded": 429,
    "insufficient_quota": 402,
    "invalid_api_key": 401,
    "model_not_found": 404,
    "context_length_exceeded": 400,
    "invalid_request_error": 400,
}
"""Statuses of the words that servers put in the place of numbers."""

_TOO_LONG = re.compile(
    r"context.?(length|size|window)|too long|(request|prompt|input|entity|max_tokens\W?) (is )?too large"
    r"|too many (input )?tokens|maximum (input|prompt|number of tokens)|exceeds? .{0,40}(tokens|limit)"
    r"|reduce the length|max_model_len|token limit",
    re.IGNORECASE,
)
_NO_LOGPROBS = ("logprobs", "It gives no chances of tokens. Ask without them.")
_FILTERED = re.compile(r"content.?(filter|management|policy)|moderation|safety", re.IGNORECASE)


@dataclass(frozen=True)
class ServerAnswer:
    """Status, headers and body of an answer, and where it says to go."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    moved: str | None


@dataclass(frozen=True)
class Request:
    """What must be known of a request to read its answer."""

    endpoint: Endpoint
    clean: Callable[[str], str]
    logprobs: bool
    seconds: float


def reply_in(answer: ServerAnswer, asked: Request) -> Reply:
    """The reply in an answer; the answer's fault is raised."""
    raw = asked.clean(answer.body.decode("utf-8-sig", "replace"))
    data = cleaned_json(answer.body, asked.clean)
    if not 200 <= answer.status < 300:
        raise _fault(answer.status, answer.headers, data, raw, asked)
    if len(answer.body) > LARGEST:
        raise Passing(f"{asked.endpoint.host} answered with more than {LARGEST:,} bytes.", raw=raw[:KEPT])
    choice = _first_choice(data)
    if (error := _error_in(data, choice)) is not None:
        raise _fault(_code(error), answer.headers, error, raw, asked)
    if choice is None or not isinstance(message := choice.get("message"), dict):
        why = f"{asked.endpoint.host} answered with {_instead(raw, data)}. Is the address right, up to /v1?"
        raise Passing(why, after=wait_asked(answer.headers, time.time()), raw=raw[:KEPT], status=answer.status)
    read, written = _usage(data)
    return Reply(
        text=_text(message.get("content")) or _text(message.get("refusal")),
        reasoning=_reasoning(message),
        logprobs=_logprobs(choice),
        tokens_in=read,
        tokens_out=written,
        raw=raw[:KEPT],
        finish=choice["finish_reason"] if isinstance(choice.get("finish_reason"), str) else None,
        seconds=asked.seconds,
    )


def _fault(status: int, headers: Mapping[str, str], data: Any, raw: str, asked: Request) -> Passing | Refused:
    """What a status that is no success means."""
    said = _said(data, raw)
    code = 402 if status == 429 and "insufficient_quota" in raw else status  # which waiting does not mend
    line = f"{asked.endpoint.host} answered {status}: {quoted(said) or responses.get(status, 'an unknown status')}"
    line = line if line.endswith((".", "!", "?", "…")) else f"{line}."
    if code in PASSING or code >= 500:
        return Passing(line, after=wait_asked(headers, time.time()), raw=raw[:KEPT], status=status)
    unasked = asked.logprobs and code in (400, 422) and "logprob" in raw.lower()
    about, advice = _NO_LOGPROBS if unasked else _advice(code, said, asked.endpoint)
    return Refused(f"{line} {advice}", about=about, raw=raw[:KEPT], status=status)


def _advice(status: int, said: str, endpoint: Endpoint) -> tuple[str, str]:
    """What a refusal is about, and what to do."""
    if status in (400, 403, 422) and _FILTERED.search(said):
        return "filter", "The server does not let these texts pass. Leave them out, or ask another model."
    if status in (401, 403):
        has = f"Is the key in {endpoint.key_env} right, and may it use this model?"
        return "key", has if endpoint.key else f"Put a key into {endpoint.key_env}, or name its variable by --key-env."
    if status == 402:
        return "credit", "The account has no credit left. Go on with the same run when it has."
    if status in (404, 405):
        return "address", "Is /v1 missing at the end of the address, or is the model's name wrong?"
    if "max_completion_tokens" in said:
        return "max_tokens", f"""Add --extra '{{"max_completion_tokens": {endpoint.max_tokens}}}'."""
    if status == 413 or _TOO_LONG.search(said):
        return (
            "length",
            "Show less at a time: --list 5 or --pairs, shorten the items with --cut, or lower --max-tokens.",
        )
    return "", "Look at --model, --temperature, --max-tokens and --extra."


def _first_choice(data: Any) -> dict[str, Any] | None:
    """The first choice of a reply, if it has one."""
    choices = data.get("choices") if isinstance(data, dict) else None
    return choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else None


def _error_in(data: Any, choice: dict[str, Any] | None) -> Any:
    """The error that came under a status of success, or None."""
    places = [place for place in (data, choice) if isinstance(place, dict)]
    return next((place["error"] for place in places if place.get("error")), None)


def _code(error: Any) -> int:
    """The status that an error names; 500 if it names none."""
    parts = [error.get(name) for name in ("code", "status", "type")] if isinstance(error, dict) else []
    for part in map(str, parts):
        if re.fullmatch("[45][0-9][0-9]", part):
            return int(part)
        if part in _CODES:
            return _CODES[part]
    return 500


def _said(data: Any, raw: str) -> str:
    """What a server says of a fault, wherever it puts it; a page of HTML says nothing."""
    data = data[0] if isinstance(data, list) and data else data
    for _ in range(3):
        if not isinstance(data, dict):
            break
        data = next((data[name] for name in ("error", "message", "detail", "msg") if data.get(name)), None)
    if data is None:
        return "" if raw.lstrip().startswith("<") else raw
    return data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)


def _instead(raw: str, data: Any) -> str:
    """What came in the place of a reply, in words."""
    if not raw.strip():
        return "nothing"
    if raw.lstrip().startswith("<"):
        return "a page of HTML"
    return "no JSON, or half of it" if data is None else "JSON that holds no reply"


def _text(content: Any) -> str:
    """The text of a content: a string, a list of parts, or nothing."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "".join(part if isinstance(part, str) else _text(part.get("text")) for part in parts if _is_said(part))


def _is_said(part: Any) -> bool:
    """Whether a part of a content belongs to the answer, not to the reasoning."""
    return isinstance(part, str) or (isinstance(part, dict) and part.get("type") in ("text", "output_text", None))


def _reasoning(message: dict[str, Any]) -> str:
    """What the model thought, from the field or the parts in which servers put it."""
    for name in ("reasoning", "reasoning_content", "thinking"):
        if found := _text(message.get(name)):
            return found
    content = message.get("content")
    parts = [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    return "".join(_text(part.get("thinking") or part.get("reasoning")) for part in parts)


def _logprobs(choice: dict[str, Any]) -> list[Any] | None:
    """The chances of the tokens, where they were given."""
    given = choice.get("logprobs")
    content = given.get("content") if isinstance(given, dict) else None
    return content if isinstance(content, list) and content else None


def _usage(data: dict[str, Any]) -> tuple[int | None, int | None]:
    """Tokens read and written; None for what is not told."""
    usage = data.get("usage")
    told = usage if isinstance(usage, dict) else {}
    read, written = (told.get(f"{name}_tokens") for name in ("prompt", "completion"))
    return _count(read), _count(written)


def _count(value: Any) -> int | None:
    return int(value) if type(value) in (int, float) and 0 <= value < 1e12 else None
