"""One request to an OpenAI-compatible chat endpoint: a :class:`Reply`, or :class:`Passing`, or :class:`Refused`.

Nothing is sent twice: whoever calls decides on :class:`Passing` when to try again, and stops at :class:`Refused`.
.netrc and the proxies of the environment are not looked at, and no other host ever gets a request.
"""

from __future__ import annotations

import asyncio
import json
import ssl
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import httpx

from ordain.judge.endpoint import Endpoint
from ordain.judge.quoted import quoted, scrubber
from ordain.judge.reply import Passing, Refused, Reply
from ordain.judge.server_answer import LARGEST, Request, ServerAnswer, reply_in

HOPS = 3
"""Redirects within the same host that are followed."""

CONNECTING = 20.0
"""Seconds in which a connection must be made."""

TOP = 5
"""Tokens whose chances are asked for at each place."""


def request_body(endpoint: Endpoint, messages: Sequence[Mapping[str, Any]], *, logprobs: bool) -> dict[str, Any]:
    """The JSON of a request, as it is sent.

    Examples
    --------
    >>> request_body(Endpoint("http://localhost/v1", "small"), [{"role": "user", "content": "A or B?"}], logprobs=False)
    {'model': 'small', 'messages': [{'role': 'user', 'content': 'A or B?'}], 'max_tokens': 1000, 'stream': False}
    """
    body: dict[str, Any] = {"model": endpoint.model, "messages": list(messages)}
    if "max_completion_tokens" not in endpoint.extra:  # which takes its place, and servers refuse both
        body["max_tokens"] = endpoint.max_tokens
    if endpoint.temperature is not None:
        body["temperature"] = endpoint.temperature
    if logprobs:
        body |= {"logprobs": True, "top_logprobs": TOP}
    return {**body, "stream": False, **endpoint.extra}


class Client:
    """Sends requests to one endpoint over connections that are kept; to be used as an asynchronous context.

    Parameters
    ----------
    endpoint : Endpoint
    concurrency : int
        Connections at a time; whoever calls keeps to it.
    """

    def __init__(self, endpoint: Endpoint, *, concurrency: int = 8) -> None:
        self.endpoint = endpoint
        self.clean = scrubber(endpoint.key)
        headers = {"Content-Type": "application/json", "Accept-Encoding": "identity", "User-Agent": "ordain"}
        self.http = httpx.AsyncClient(
            headers=headers | ({"Authorization": f"Bearer {endpoint.key}"} if endpoint.key else {}),
            # Connecting gets less, so that a request that was never sent is told from one without an answer.
            timeout=httpx.Timeout(endpoint.timeout, connect=min(0.9 * endpoint.timeout, CONNECTING), pool=None),
            verify=_trusted(),
            limits=httpx.Limits(max_connections=concurrency, max_keepalive_connections=concurrency),
            proxy=endpoint.proxy,
            trust_env=False,
            follow_redirects=False,
        )

    async def __aenter__(self) -> Client:
        await self.http.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self.http.__aexit__(*error)

    async def send(self, messages: Sequence[Mapping[str, Any]], *, logprobs: bool) -> Reply:
        """The reply to messages, each with `role` and `content`; :class:`Passing` or :class:`Refused` where none came.

        `logprobs` asks for the chances of tokens; a server that has none refuses (`about` is "logprobs") or ignores it.
        """
        begun = time.monotonic()
        content = json.dumps(request_body(self.endpoint, messages, logprobs=logprobs), allow_nan=False).encode()
        answer = await self._answer(content)
        if isinstance(answer, Exception):
            raise answer  # only here: raised where it was caught it would hold on to the request and its key
        return reply_in(answer, Request(self.endpoint, self.clean, logprobs, time.monotonic() - begun))

    async def _answer(self, content: bytes) -> ServerAnswer | Passing | Refused:
        """What the server answered, after redirects within it, or why nothing came."""
        url = httpx.URL(self.endpoint.address)
        try:
            async with asyncio.timeout(self.endpoint.timeout):  # that of httpx begins anew with every byte
                for _ in range(HOPS + 1):
                    answer = await self._posted(url, content)
                    if answer.moved is None:
                        return answer
                    url = url.join(answer.moved)
                    if _origin(url) != _origin(httpx.URL(self.endpoint.address)):
                        return self._sent_elsewhere(url, answer.status)
            return self._refused("redirect", "it redirects in a circle. Type the address it means.")
        except TimeoutError:
            return self._too_slow(sent=True)
        except httpx.InvalidURL:
            return self._refused("redirect", "it redirects to what is no address. Is the address right?")
        except httpx.RequestError as error:
            return self._unanswered(error)

    async def _posted(self, url: httpx.URL, content: bytes) -> ServerAnswer:
        """What one address answered, at most LARGEST bytes of it."""
        async with self.http.stream("POST", url, content=content) as response:
            body = bytearray()
            async for part in response.aiter_bytes():
                body += part
                if len(body) > LARGEST:
                    break
            moved = response.headers.get("location") if response.has_redirect_location else None
            return ServerAnswer(response.status_code, response.headers, bytes(body), moved)

    def _unanswered(self, error: httpx.RequestError) -> Passing | Refused:
        """What it means that no whole answer came."""
        kinds = {type(one) for one in _causes(error)}
        if ssl.SSLCertVerificationError in kinds:
            return self._refused("certificate", "its certificate is not trusted. Is the address right?")
        if ssl.SSLError in kinds:  # itself: its other children say that one has to wait, or that a connection ended
            return self._refused("certificate", "it does not speak TLS. Is https right in the address, or is it http?")
        host = self.endpoint.host
        if isinstance(error, httpx.TimeoutException):
            return self._too_slow(sent=not isinstance(error, httpx.ConnectTimeout | httpx.PoolTimeout))
        if isinstance(error, httpx.ConnectError):
            return Passing(f"{host} cannot be reached. Does the server run, and is the address right?", sent=False)
        if isinstance(error, httpx.ProxyError):
            return Passing(f"the proxy gives no way to {host}. Is --proxy right?", sent=False)
        return Passing(f"{host} broke off before a whole answer had come.")

    def _too_slow(self, *, sent: bool) -> Passing:
        return Passing(f"{self.endpoint.host} did not answer within {self.endpoint.timeout:g} s.", sent=sent)

    def _sent_elsewhere(self, url: httpx.URL, status: int) -> Refused:
        place = quoted(self.clean(f"{url.scheme}://{url.netloc.decode('ascii', 'replace')}"))
        why = f"it redirects to {place}, which got nothing. Type that address if you trust it."
        return self._refused("redirect", why, status)

    def _refused(self, about: str, why: str, status: int | None = None) -> Refused:
        return Refused(f"{self.endpoint.host} cannot be asked: {why}", about=about, status=status)


@cache
def _trusted() -> ssl.SSLContext:
    """Whom httpx trusts, which takes a while to read."""
    return httpx.create_ssl_context(trust_env=False)


def _origin(url: httpx.URL) -> tuple[str, str, int | None, bytes]:
    """Whom an address talks to; equal for two that may get the same key."""
    port = url.port or {"http": 80, "https": 443}.get(url.scheme)
    return url.scheme, url.host, port, url.userinfo


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error and all that led to it."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
