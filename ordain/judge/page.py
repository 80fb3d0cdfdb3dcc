"""The page on which people judge: one page, its data as JSON, on this machine unless another address is asked for.

Whoever has a link may judge under the name it was made for. The token in it comes from the run's secret, so links keep
working when the server is started again; it becomes a cookie that no script can read, and the address is left without
it. Nothing is done for a request that names another host, comes from another site, or is not what the page sends.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
from collections.abc import Awaitable, Callable, Mapping
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from ordain.judge.people import ANSWERS, People
from ordain.judge.shown_state import key_of, order_shown, secret_of, state_of
from ordain.judge.store import Key, StorageError

LARGEST, SECONDS, LONGEST = 4096, 5.0, 86400.0
"""Bytes that a request may have, seconds in which it must have come, and those from which on no time is kept."""

PAUSE, PAUSES = 0.01, 5
"""Seconds, and how often, for which the ranker is waited for before somebody is told to wait."""

STATIC = {
    "/": ("page.html", "text/html"),
    "/page.css": ("page.css", "text/css"),
    "/page.js": ("page.js", "text/javascript"),
}
"""What is sent as it is."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


def token_of(secret: bytes, name: str) -> str:
    """What is in the link of a person, and in the cookie.

    Examples
    --------
    >>> token_of(b"secret", "Ana") == token_of(b"secret", "Ana") != token_of(b"secret", "Ben")
    True
    """
    return hmac.new(secret, f"person {name}".encode(), hashlib.sha256).hexdigest()[:32]


class Refusal(Exception):  # noqa: N818
    """A request that is not answered, with its status and one line."""

    def __init__(self, status: int, line: str) -> None:
        super().__init__(line)
        self.status = status


class Page:
    """The page for some people.

    Parameters
    ----------
    people : People
        Who is handed pairs.
    hosts : set of str
        The hosts, with their port, that a request may name.
    images : mapping
        From an item's number to its picture: bytes and their type.
    port : int
        Of the server: cookies of two on the same machine have different names.
    """

    def __init__(
        self,
        people: People,
        hosts: set[str],
        images: Mapping[int, tuple[bytes, str]] | None = None,
        port: int = 80,
    ) -> None:
        self.people, self.hosts, self.images, self.secret = people, hosts, images or {}, secret_of(people)
        self.names = {token_of(self.secret, name): name for name in people.people}
        self.cookie = f"ordain-{port}"
        self.static = {
            place: (files("ordain.judge").joinpath("static", name).read_bytes(), kind)
            for place, (name, kind) in STATIC.items()
        }

    def app(self) -> ASGIApp:
        """What a server serves."""
        posts = {"vote": self.vote, "skip": self.skip, "back": self.back, "here": self.here, "leave": self.leave}
        routes = [
            Route("/join/{token}", self._guarded(self.join), methods=["GET"]),
            Route("/api/state", self._guarded(self.state), methods=["GET"]),
            Route("/api/order", self._guarded(self.order), methods=["GET"]),
            Route("/image/{number}", self._guarded(self.image), methods=["GET"]),
            *(Route(place, self._guarded(self.page), methods=["GET"]) for place in STATIC),
            *(Route(f"/api/{name}", self._guarded(act), methods=["POST"]) for name, act in posts.items()),
            Route("/favicon.ico", self._guarded(self.icon), methods=["GET"]),
            Route("/api/stop", self._guarded(self.stop), methods=["POST"]),
        ]
        app = Starlette(routes=routes)
        app.router.redirect_slashes = False
        return _Quietly(app)

    def _guarded(self, act: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
        """What answers a request only from the page itself, and every fault in one line."""

        async def answer(request: Request) -> Response:
            try:
                self._check_origin(request)
                return await act(request)
            except Refusal as refusal:
                return JSONResponse({"error": str(refusal)}, refusal.status)
            except StorageError as error:
                return JSONResponse({"error": str(error)}, 507)
            except ClientDisconnect:
                return Response(status_code=400)

        return answer

    def _check_origin(self, request: Request) -> None:
        """This host, and no other site."""
        host = request.headers.get("host", "").lower()
        if host not in self.hosts:
            raise Refusal(421, "this page is at another address.")
        path, site = request.url.path, request.headers.get("sec-fetch-site", "none")
        followed = request.method == "GET" and (path == "/" or path.startswith("/join/"))  # a link in a message
        if site not in ("same-origin", "none") and not followed:
            raise Refusal(403, "the request comes from another site.")
        if request.headers.get("sec-fetch-dest", "") in ("iframe", "frame", "object", "embed"):
            raise Refusal(403, "this page stands in no other.")
        if request.method == "POST" and request.headers.get("origin") != f"http://{host}":
            raise Refusal(403, "the request comes from another site.")

    def _name(self, request: Request) -> str:
        """Who asks."""
        given = request.cookies.get(self.cookie, "")
        for token, name in self.names.items():
            if hmac.compare_digest(token.encode(), given.encode()):
                return name
        raise Refusal(401, "this page needs the link that was printed. Open that.")

    async def join(self, request: Request) -> Response:
        """Take the token of a link as a cookie, and leave the address without it."""
        given = request.path_params["token"]
        if not any(hmac.compare_digest(token.encode(), given.encode()) for token in self.names):
            raise Refusal(401, "this link is not of this run.")
        answer = RedirectResponse("/", 303)
        answer.set_cookie(self.cookie, given, httponly=True, samesite="lax", path="/", max_age=30 * 86400)
        return answer

    async def page(self, request: Request) -> Response:
        """The page and what belongs to it; only the page itself needs no name."""
        if request.url.path == "/":
            self._name(request)
        body, kind = self.static[request.url.path]
        return Response(body, media_type=kind)

    async def icon(self, request: Request) -> Response:
        """No picture for the tab, which browsers ask for."""
        return Response(status_code=204)

    async def image(self, request: Request) -> Response:
        """The picture of an item."""
        self._name(request)
        number = request.path_params["number"]
        found = self.images.get(int(number)) if number.isdecimal() and len(number) < 10 else None
        if found is None:
            raise Refusal(404, "there is no such picture.")
        return Response(found[0], media_type=found[1])

    async def state(self, request: Request) -> Response:
        """What to show."""
        return await self._state(self._name(request))

    async def vote(self, request: Request) -> Response:
        """Keep an answer; it is on the disk when the next pair is shown."""
        name, given = self._name(request), await _body(request)
        answer, seconds = given.get("answer"), given.get("seconds")
        if not isinstance(answer, str) or answer not in ANSWERS:
            raise Refusal(422, "an answer must be left, right or tie.")
        if isinstance(seconds, bool) or not isinstance(seconds, int | float | None) or (seconds or 0) < 0:
            raise Refusal(422, "seconds must be a number of seconds.")
        lasted = float(seconds) if seconds is not None and seconds < LONGEST else None
        done = self.people.cast(name, self._key(given.get("key"), name), answer, lasted)
        if done is not None:
            await asyncio.wrap_future(done)
        return await self._state(name)

    async def skip(self, request: Request) -> Response:
        """Show another pair."""
        name, given = self._name(request), await _body(request)
        self.people.skip(name, self._key(given.get("key"), name))
        return await self._state(name)

    async def back(self, request: Request) -> Response:
        """Show an earlier pair again, with what was answered; the same if there is none before it."""
        name, given = self._name(request), await _body(request)
        after = None if given.get("from") is None else self._key(given["from"], name)
        self.people.look_back(name)
        return await self._state(name, self.people.before(name, after) or after)

    async def here(self, request: Request) -> Response:
        """A sign of life."""
        name = self._name(request)
        await _body(request)
        self.people.here(name)
        return Response(status_code=204)

    async def leave(self, request: Request) -> Response:
        """The tab was closed."""
        name = self._name(request)
        await _body(request)
        self.people.leave(name)
        return Response(status_code=204)

    async def stop(self, request: Request) -> Response:
        """This person has had enough; with the last one it ends."""
        name = self._name(request)
        await _body(request)
        self.people.people[name].stopped = True
        return await self._state(name)

    async def order(self, request: Request) -> Response:
        """The order so far."""
        self._name(request)
        return JSONResponse({"items": order_shown(self.people)})

    async def _state(self, name: str, looking_at: Key | None = None) -> Response:
        """What to show; a ranker that makes its next batch is waited for, shortly."""
        images = frozenset(self.images)
        found = state_of(self.people, name, looking_at, images)
        for _ in range(PAUSES):
            if found["phase"] != "waiting" or not self.people.ranker.thinking:
                break
            await asyncio.sleep(PAUSE)
            found = state_of(self.people, name, looking_at, images)
        return JSONResponse(found)

    def _key(self, text: Any, name: str) -> Key:
        """The question that is meant; it must be one that this person was shown."""
        key = key_of(text, name, self.secret)
        if key is None:
            raise Refusal(422, "this pair was not asked.")
        return key


async def _body(request: Request) -> Mapping[str, Any]:
    """The JSON object of a request, which must be small and come soon."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise Refusal(415, "a request must be JSON.")
    too_large = Refusal(413, f"a request must have at most {LARGEST} bytes.")
    if int(request.headers.get("content-length", 0)) > LARGEST:  # HTTP has checked that it is a number
        raise too_large
    try:
        async with asyncio.timeout(SECONDS):
            data = b""
            async for part in request.stream():
                data += part
                if len(data) > LARGEST:
                    raise too_large
    except TimeoutError:
        raise Refusal(408, "the request took too long.") from None
    try:
        found = json.loads(data or b"{}", parse_constant=_no_number)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise Refusal(422, "a request must be a JSON object.")
    return found


def _no_number(name: str) -> Any:
    """NaN and infinity are not JSON."""
    raise ValueError(name)


class _Quietly:
    """An application all of whose answers have the headers that keep a page to itself."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close"})
            return

        async def with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                more = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
                message = message | {"headers": [*message.get("headers", []), *more]}
            await send(message)

        await self.app(scope, receive, with_headers)
