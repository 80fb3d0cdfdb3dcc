"""Where requests go: address, key, model and settings, checked before the first one is sent.

The key comes from a variable of the environment and is in no message, no ``repr`` and not in the
:attr:`Endpoint.identity` that a run keeps. No message repeats the address either: people paste passwords into them.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any

KEY = "ORDAIN_API_KEY"
"""The variable that holds the key where none is named."""

PLACE = "/chat/completions"
"""What is added to an address that does not end so."""

TAKEN = {
    "messages": "--ask and the items",
    "model": "--model",
    "max_tokens": "--max-tokens",
    "temperature": "--temperature",
    "logprobs": "the way in which it asks",
    "top_logprobs": "the way in which it asks",
    "stream": "the way in which it asks",
    "n": "the way in which it asks",
}
"""What is in every request already, and by what it is set."""

# Strict, so that no two readers can differ on which part is the host.
_ADDRESS = re.compile(
    r"(?P<scheme>https?)://(?P<host>[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*|\[[0-9a-f:.]+\])"
    r"(?::(?P<port>[0-9]{1,5}))?(?P<path>/[!-~]*)?",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Endpoint:
    """An OpenAI-compatible chat endpoint and how it is asked; :func:`endpoint_of` makes one of checked parts.

    Parameters
    ----------
    url : str
        The address as typed, such as ``http://localhost:8080/v1``.
    model : str
        The model's name, as the server knows it.
    key : str
        The key, empty where there is none; never shown.
    key_env : str
        The variable it came from, for messages.
    temperature : float, optional
        The server's own where None.
    max_tokens : int
        The longest reply.
    extra : dict
        What else goes into every request.
    timeout : float
        Seconds after which a request is given up.
    proxy : str, optional
        A proxy; those that the environment names are not used.
    insecure : bool
        Whether the key may be sent unencrypted to another machine.
    logprobs : bool
        Whether to ask for the chances of tokens.

    Examples
    --------
    >>> judge = Endpoint("http://localhost:8080/v1", "small", key="not to be seen")
    >>> judge.address, judge.host, "not to be seen" in repr(judge)
    ('http://localhost:8080/v1/chat/completions', 'localhost:8080', False)
    """

    url: str
    model: str
    key: str = field(default="", repr=False, compare=False)
    key_env: str = KEY
    temperature: float | None = None
    max_tokens: int = 1000
    extra: Mapping[str, Any] = field(default_factory=dict)
    timeout: float = 120.0
    proxy: str | None = None
    insecure: bool = False
    logprobs: bool = True

    @property
    def address(self) -> str:
        """Where requests are sent."""
        base = self.url.rstrip("/")
        return base if base.endswith(PLACE) else base + PLACE

    @property
    def host(self) -> str:
        """The host and port, for messages."""
        return self.url.partition("://")[2].partition("/")[0]

    @property
    def identity(self) -> dict[str, Any]:
        """What makes it the same judge when a run goes on."""
        return {
            "address": self.address,
            "model": self.model,
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "extra": dict(self.extra),
        }


def endpoint_of(
    url: str,
    model: str,
    *,
    key_env: str = KEY,
    environ: Mapping[str, str] = os.environ,
    temperature: float | None = None,
    max_tokens: int = 1000,
    extra: str | Mapping[str, Any] | None = None,
    timeout: float = 120.0,
    proxy: str | None = None,
    insecure: bool = False,
    logprobs: bool = True,
) -> Endpoint:
    """An endpoint whose parts were checked; what is wrong is a ValueError of one line, without the key or a password.

    Parameters
    ----------
    url, model : str
        The address up to ``/v1``, or with ``/chat/completions``; and the model's name.
    key_env : str
        The variable with the key. The usual one may be missing, as servers at home need none.
    environ : dict
        The environment.
    extra : str or dict, optional
        A JSON object. Its ``max_completion_tokens`` takes the place of ``max_tokens``, for servers that want that.
    temperature, max_tokens, timeout, proxy, insecure, logprobs
        As in :class:`Endpoint`.

    Examples
    --------
    >>> endpoint_of("http://localhost:8080/v1/", "small", environ={}, extra='{"seed": 1}').identity["extra"]
    {'seed': 1}
    >>> endpoint_of("http://example.com/v1", "small", environ={"ORDAIN_API_KEY": "not-to-be-seen"})
    Traceback (most recent call last):
        ...
    ValueError: a key must travel encrypted. Got plain http to another machine. Use https, or add --insecure.
    """
    key = _key(key_env, environ)
    more = _extra(extra)
    most = _at_least_one(more.get("max_completion_tokens", max_tokens))
    made = Endpoint(
        url=_checked_address(url, "the address"),
        model=_model(model),
        key=key,
        key_env=key_env,
        temperature=_temperature(temperature),
        max_tokens=most,
        extra=more,
        timeout=_seconds(timeout),
        proxy=None if proxy is None else _checked_address(proxy, "the proxy"),
        insecure=insecure,
        logprobs=logprobs,
    )
    _check_that_the_key_is_safe(made)
    return made


def _checked_address(url: str, what: str) -> str:
    """The address with scheme and host in small letters and no slash at its end."""
    found = _ADDRESS.fullmatch(url.strip())
    if found is None or not _is_host(found["host"]) or not 0 < int(found["port"] or 80) < 65536:
        raise ValueError(f"{what} must be such as http://localhost:8080/v1. {_what_is_wrong(url)}")
    path = found["path"] or ""
    if any(mark in path for mark in "?#\\"):
        raise ValueError(f"{what} must end with its path. Got a ?, a # or a \\ in it. Leave that part out.")
    port = f":{found['port']}" if found["port"] else ""
    return f"{found['scheme'].lower()}://{found['host'].lower()}{port}{path.rstrip('/')}"


def _what_is_wrong(url: str) -> str:
    """What came instead of an address, and what to do, without repeating it."""
    if "@" in url:
        return f"Got one with a name or a password in it. Leave that out: a key belongs into {KEY}."
    if not re.match(r"\s*https?://", url, re.IGNORECASE):
        return "Got one that does not begin with http:// or https://. Write that before it."
    return "Got one whose host or port cannot be read. Is it mistyped?"


def _is_host(host: str) -> bool:
    """Whether what stands in brackets is an address of the sixth version; names need none."""
    if not host.startswith("["):
        return True
    try:
        return ip_address(host[1:-1]).version == 6
    except ValueError:
        return False


def _is_loopback(url: str) -> bool:
    """Whether the host is this machine."""
    host = _ADDRESS.fullmatch(url)["host"].strip("[]")  # type: ignore[index]
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _key(name: str, environ: Mapping[str, str]) -> str:
    """The key in a variable; empty if the usual one is not set."""
    key = environ.get(name, "").strip()
    if not key and name != KEY:
        # Whoever gave the key in the place of its name must not see it again in a log.
        shown = name if re.fullmatch("[A-Z_][A-Z0-9_]{0,39}", name) else "The one named"
        raise ValueError(f"--key-env must name a variable that holds the key. {shown} is not set. Set it first.")
    if not all("!" <= letter <= "~" for letter in key):
        raise ValueError(f"the key in {name} must be one word of plain letters. Got other characters. Copy it again.")
    return key


def _check_that_the_key_is_safe(endpoint: Endpoint) -> None:
    """Refuse to send a key over a net in plain text, and to keep it where a run would be written."""
    if not endpoint.key:
        return
    # A proxy is another machine wherever it says it goes.
    at_home = _is_loopback(endpoint.url) and endpoint.proxy is None
    if endpoint.url.startswith("http:") and not at_home and not endpoint.insecure:
        raise ValueError(
            "a key must travel encrypted. Got plain http to another machine. Use https, or add --insecure."
        )
    if any(endpoint.key in part for part in (endpoint.url, json.dumps(endpoint.extra, ensure_ascii=False))):
        raise ValueError(
            f"the key must be in {endpoint.key_env} only. Got it in the address or in --extra, too. Leave it out there."
        )


def _extra(given: str | Mapping[str, Any] | None) -> dict[str, Any]:
    """What else goes into every request, as a dict."""
    try:
        read = json.loads(given, parse_constant=_refused_constant) if isinstance(given, str) else given or {}
        extra = json.loads(json.dumps(read, allow_nan=False)) if isinstance(read, Mapping) else read
    except (ValueError, TypeError, RecursionError):
        raise ValueError('--extra must be a JSON object such as {"seed": 1}. Got no JSON. Mind the quotes.') from None
    if not isinstance(extra, dict):
        raise ValueError(f'--extra must be a JSON object such as {{"seed": 1}}. Got a {type(extra).__name__}.')
    for name in extra.keys() & TAKEN.keys():
        raise ValueError(f"--extra must not hold {name!r}. It is set by {TAKEN[name]}. Leave it out.")
    return extra


def _refused_constant(name: str) -> None:
    raise ValueError(name)


def _model(name: str) -> str:
    if not name.strip():
        raise ValueError(
            "--model must name a model. Got an empty name. Ask the server: most list theirs at /v1/models."
        )
    return name


def _temperature(value: float | None) -> float | None:
    if value is not None and not 0 <= value < math.inf:
        raise ValueError(f"--temperature must be a number from 0 on. Got {value}. 0 makes replies the most alike.")
    return value


def _at_least_one(value: Any) -> int:
    if type(value) is not int or value < 1:
        raise ValueError(f"--max-tokens must be a whole number from 1 on. Got {value!r}. A verdict needs about 10.")
    return value


def _seconds(value: float) -> float:
    if not 0 < value < math.inf:
        raise ValueError(f"--timeout must be a number of seconds above 0. Got {value}.")
    return value
