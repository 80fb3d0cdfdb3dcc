"""The server of the page: one address, and an end when nothing is left to be asked."""

from __future__ import annotations

import ipaddress
import socket
import sys
import threading
import time
from collections.abc import Mapping

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from ordain.judge.page import HEADERS, Page, token_of
from ordain.judge.people import People
from ordain.judge.shown_state import secret_of

LINGER, GLANCE = 2.0, 0.1
"""Seconds for which the page is still there when all is done, so that every tab can say so; how often that is seen."""

TURN = 0.0005
"""Seconds after which the ranker, while it fits its model, lets the page have its turn."""


class Serving:
    """A page at an address of this machine.

    `links` are the addresses to open, by the name of the person each is for.
    """

    def __init__(
        self, people: People, host: str, port: int, images: Mapping[int, tuple[bytes, str]] | None = None
    ) -> None:
        self.people, self._socket = people, _listening(host, port)
        self.port = self._socket.getsockname()[1]
        at = f"[{host}]" if ":" in host else host.lower()
        names = {at} | ({"localhost"} if is_loopback(host) else set())
        hosts = {f"{name}:{self.port}" for name in names} | (names if self.port == 80 else set())
        page = Page(people, hosts, images, self.port)
        self.links = {
            name: f"http://{at}:{self.port}/join/{token_of(secret_of(people), name)}" for name in people.people
        }
        config = uvicorn.Config(
            page.app(), http=Refusing, ws="none", lifespan="off", log_level="critical", access_log=False,
            server_header=False, date_header=False, timeout_keep_alive=30, timeout_graceful_shutdown=2,
            h11_max_incomplete_event_size=16384,
        )  # fmt: skip
        self._server = uvicorn.Server(config)

    def run(self) -> None:
        """Serve until all is done, or Ctrl-C."""
        threading.Thread(target=self._watch, name="ordain end", daemon=True).start()
        before = sys.getswitchinterval()
        sys.setswitchinterval(TURN)
        try:
            self._server.run(sockets=[self._socket])
        finally:
            sys.setswitchinterval(before)
            self._server.should_exit = True
            self._socket.close()

    def _watch(self) -> None:
        """End when all has been done for a while; a correction in between puts it off."""
        since = None
        while not self._server.should_exit:
            now = time.monotonic()
            since = (since or now) if self.people.done else None
            if since is not None and now - since >= LINGER:
                self._server.should_exit = True
            time.sleep(GLANCE)


class Refusing(H11Protocol):
    """HTTP, where also what is no request at all is refused with the headers of the page."""

    def send_400_response(self, msg: str) -> None:
        """Refuse, and close the line."""
        headers = [*HEADERS.items(), ("Content-Type", "text/plain; charset=utf-8"), ("Connection", "close")]
        for event in (h11.Response(status_code=400, headers=headers), h11.Data(msg.encode()), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches the address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _listening(host: str, port: int) -> socket.socket:
    """A socket that listens at the address; what is wrong with it is said in one line."""
    if host in ("", "0.0.0.0", "::", "*"):
        raise ValueError(
            f"--host must be one address of this machine, by which others reach it, as 192.168.1.5. Got {host!r}."
        )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With its protocol named asyncio sends at once; else an answer's two parts wait for each other, 40 ms.
    found = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((host, port))
    except OSError as error:
        found.close()
        raise ValueError(
            f"the page must have an address of this machine to itself. {host}, port {port}: {error.strerror or error}. "
            "Name another with --port or --host."
        ) from None
    found.listen(128)
    return found
