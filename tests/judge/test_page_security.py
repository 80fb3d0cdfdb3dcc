"""Requests that the page must refuse, against the real server: each with a 4xx, without a trace in the run or on the
screen, and with the headers that keep the page to itself."""

import json
import re
import socket
import sqlite3
from contextlib import closing, suppress

import pytest
from judge.simulated_people import Server

HEADERS = {
    "content-security-policy": "frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cache-control": "no-store",
}


class Probed:
    """A server for two people, one of whom was shown a pair, and plain bytes to and from it."""

    def __init__(self, folder):
        self.server = Server(folder, 12, ["ANA", "BEN"])
        links = self.server.start()
        self.tokens = {name: link.rpartition("/")[2] for name, link in links.items()}
        self.host = f"127.0.0.1:{self.server.port}"
        self.cookie = f"ordain-{self.server.port}={self.tokens['ANA']}"
        self.key = self.state()["pair"]["key"]
        self.bodies = []

    def state(self, name="ANA"):
        cookie = f"ordain-{self.server.port}={self.tokens[name]}"
        return json.loads(self.get("/api/state", cookie=cookie)[2])

    def get(self, path, **headers):
        return self.exchanged(self.written("GET", path, **headers))

    def written(self, method, path, body=b"", **headers):
        """A request as the page sends it, but for what is changed; None leaves a header out."""
        sent = {"host": self.host, "cookie": self.cookie if hasattr(self, "cookie") else None}
        if method == "POST":
            sent |= {"origin": f"http://{self.host}", "content-type": "application/json", "content-length": len(body)}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        lines = [f"{name}: {value}" for name, value in sent.items() if value is not None]
        return "\r\n".join([f"{method} {path} HTTP/1.1", *lines, "connection: close", "", ""]).encode() + body

    def vote(self, *, key=None, answer="left", seconds=1.0, raw=None, **headers):
        body = raw if raw is not None else json.dumps({"key": key or self.key, "answer": answer, "seconds": seconds})
        return self.written("POST", "/api/vote", body if isinstance(body, bytes) else body.encode(), **headers)

    def exchanged(self, data, *, seconds=120.0):
        """Status, headers and body of what is answered to these bytes."""
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=seconds) as line:
            with suppress(BrokenPipeError, ConnectionResetError):
                line.sendall(data)
            return self.answer(line)

    def answer(self, line):
        """What comes until it is whole, or the line is closed."""
        got = b""
        try:
            while not whole(got) and (part := line.recv(65536)):
                got += part
        except (ConnectionResetError, TimeoutError):
            pass
        head, _, body = got.partition(b"\r\n\r\n")
        first, *lines = head.decode().split("\r\n")
        headers = {name.lower(): value for name, _, value in (one.partition(": ") for one in lines)}
        return int(first.split()[1]), headers, body

    def journal(self):
        """Everything that is in the run."""
        with closing(sqlite3.connect(f"file:{self.server.run}?mode=ro", uri=True)) as reader:
            return [reader.execute(f"SELECT * FROM {table}").fetchall() for table in ("asked", "replied", "plans")]


def whole(got):
    """Whether an answer has come to its end, as its length says: a line that stays open would be waited for."""
    head, end, body = got.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)\r\ncontent-length: (\d+)", head)
    return bool(end and length) and len(body) >= int(length[1])


@pytest.fixture(scope="module")
def probed(tmp_path_factory):
    found = Probed(tmp_path_factory.mktemp("probed"))
    before = found.journal()
    yield found
    assert found.journal() == before  # none of all the requests left a trace
    found.server.process.terminate()
    said = found.server.ended()[0]
    assert "Traceback" not in said
    assert "rror" not in said
    assert all(token not in said for token in found.tokens.values())
    found.server.close()


def hosts(probed):
    port = probed.server.port
    return [
        "evil.example", f"evil.example:{port}", "127.0.0.1", "localhost", f"127.0.0.1:{port + 1}", f"127.0.0.2:{port}",
        f"[::1]:{port}", f"127.0.0.1.:{port}", f"localhost.:{port}", f"127.1:{port}", f"2130706433:{port}",
        f"evil.localhost:{port}", f"127.0.0.1:{port}@evil.example", f"0.0.0.0:{port}", f"0x7f.1:{port}", "",
    ]  # fmt: skip


@pytest.mark.parametrize("place", range(16))
@pytest.mark.parametrize("path", ["/", "/api/state"])
def test_a_foreign_host_is_refused(probed, place, path):
    refused(probed, probed.written("GET", path, host=hosts(probed)[place]), {400, 421})


ORIGINS = [None, "null", "", "http://evil.example", "http://127.0.0.1", "https://{host}", "http://localhost:1", "http://{host}.evil.example",
           "http://{host}/", "HTTP://{host}", "file://", "{host}"]  # fmt: skip


@pytest.mark.parametrize("origin", ORIGINS)
def test_a_vote_from_another_origin_is_refused(probed, origin):
    refused(probed, probed.vote(origin=origin and origin.format(host=probed.host)), {403})


@pytest.mark.parametrize("action", ["vote", "skip", "back", "here", "leave", "stop"])
def test_every_action_needs_the_origin_and_the_name(probed, action):
    body = json.dumps({"key": probed.key, "answer": "left", "seconds": 1}).encode()
    refused(probed, probed.written("POST", f"/api/{action}", body, origin="http://evil.example"), {403})
    refused(probed, probed.written("POST", f"/api/{action}", body, sec_fetch_site="cross-site"), {403})
    refused(probed, probed.written("POST", f"/api/{action}", body, cookie=None), {401})
    refused(probed, probed.written("GET", f"/api/{action}"), {405})
    refused(probed, probed.written("PUT", f"/api/{action}", body), {405})
    refused(probed, probed.written("POST", f"/api/{action}", body, content_type="text/plain"), {415})


@pytest.mark.parametrize("site", ["cross-site", "same-site", "strange"])
def test_another_site_reads_nothing(probed, site):
    for path in ("/api/state", "/api/order", "/image/0", "/page.js"):
        refused(probed, probed.written("GET", path, sec_fetch_site=site), {403})


@pytest.mark.parametrize("frame", ["iframe", "frame", "object", "embed"])
def test_the_page_stands_in_no_frame(probed, frame):
    refused(probed, probed.written("GET", "/", sec_fetch_dest=frame), {403})


def wrong_tokens(probed):
    ana, ben = probed.tokens["ANA"], probed.tokens["BEN"]
    return ["", "x", ana[:-1], ana[:16], ana + "0", ana.upper() + "Z", ana[:16] + ben[16:], "0" * 32, "ä", "x" * 8000,
            "%00", "../" + ana]  # fmt: skip


@pytest.mark.parametrize("place", range(12))
def test_a_wrong_token_opens_nothing(probed, place):
    token = wrong_tokens(probed)[place]
    refused(probed, probed.written("GET", "/api/state", cookie=f"ordain-{probed.server.port}={token}"), {400, 401})
    refused(probed, probed.written("GET", f"/join/{token}".replace("ä", "%C3%A4"), cookie=None), {400, 401, 404})
    refused(probed, probed.vote(cookie=f"ordain-1={probed.tokens['ANA']}"), {401})


def test_the_key_of_another_person_or_of_nobody_is_no_vote(probed):
    of_ben = probed.state("BEN")["pair"]["key"]
    plan, pair, time_, seal = probed.key.split(".")
    first, second = pair.split("-")
    for key in (
        of_ben, f"{plan}.{second}-{first}.{time_}.{seal}", f"{plan}.{pair}.1.{seal}", f"9.{pair}.{time_}.{seal}",
        f"{plan}.{pair}.{time_}", f"{plan}.{pair}.{time_}.{'0' * 16}", f"-1.{pair}.0.{seal}", f"{plan}.0-0.0.{seal}",
        f"{plan}.{'9' * 3000}-1.0.{seal}", probed.key + " ", probed.key.upper() + "A", "x", 7, ["a"], {"a": 1}, True,
    ):  # fmt: skip
        refused(probed, probed.vote(key=key), {422})
        body = json.dumps({"key": key}).encode()
        refused(probed, probed.written("POST", "/api/skip", body), {422})
        refused(probed, probed.written("POST", "/api/back", json.dumps({"from": key}).encode()), {422})


BODIES = [
    b"", b"{", b"[]", b"null", b"7", b'"x"', b"\xff\xfe", b"[" * 4000, b'{"a":' * 700, b"{}", b'{"key": null}',
    b"NaN", b"\x00" * 100,
]  # fmt: skip


@pytest.mark.parametrize("body", BODIES, ids=range(len(BODIES)))
def test_a_malformed_body_is_refused(probed, body):
    refused(probed, probed.vote(raw=body), {422})


@pytest.mark.parametrize("answer", ["", "LEFT", "both", None, 1, ["left"], {}])
def test_a_strange_answer_is_refused(probed, answer):
    refused(probed, probed.vote(answer=answer), {422})


@pytest.mark.parametrize("seconds", ["NaN", "Infinity", "-Infinity", "-1", '"1"', "true", "[1]", "{}"])
def test_strange_seconds_are_refused(probed, seconds):
    raw = f'{{"key": "{probed.key}", "answer": "left", "seconds": {seconds}}}'.encode()
    refused(probed, probed.vote(raw=raw), {422})


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", None])
def test_another_content_type_is_refused(probed, kind):
    refused(probed, probed.vote(content_type=kind), {415})


PATHS = [
    "/image/../../etc/passwd", "/image/%2e%2e%2f%2e%2e%2fetc%2fpasswd", "/image/..%5c..%5cwindows", "/image/-1",
    "/image/0", "/image/" + "9" * 5000, "/image/1e3", "/image/%00", "/../ideas.run", "/ideas.run", "/static/page.js",
    "/page.js/../../page.py", "//etc/passwd", "/page.html", "/%2e%2e/%2e%2e/etc/passwd", "/api", "/api/vote/", "/join/",
    "/openapi.json", "http://evil.example/", "*", "/api/state%00", "/.git/config",
]  # fmt: skip


@pytest.mark.parametrize("path", PATHS, ids=range(len(PATHS)))
def test_nothing_else_is_served(probed, path):
    refused(probed, probed.written("GET", path), {400, 401, 404, 405, 421})


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "BREW"])
def test_other_methods_are_refused(probed, method):
    for path in ("/", "/api/state", "/api/vote", f"/join/{probed.tokens['ANA']}"):
        refused(probed, probed.written(method, path), {400, 405})


def test_a_post_to_what_is_read_is_refused(probed):
    for path in ("/", "/api/state", "/api/order", f"/join/{probed.tokens['ANA']}", "/page.js"):
        refused(probed, probed.written("POST", path, b"{}"), {405})


def test_a_large_body_is_refused_at_once(probed):
    refused(probed, probed.vote(raw=b" " * 10_000_000), {413})
    refused(probed, probed.vote(raw=b"", content_length=10_000_000_000), {413})


def test_an_endless_body_in_chunks_is_refused(probed):
    head = probed.vote(raw=b"", content_length=None, transfer_encoding="chunked")
    with socket.create_connection(("127.0.0.1", probed.server.port), timeout=120) as line:
        line.sendall(head)
        sent = 0
        try:
            while sent < 50_000_000:
                sent += line.send(b"400\r\n" + b" " * 1024 + b"\r\n")
        except (BrokenPipeError, ConnectionResetError):
            pass
        assert sent < 50_000_000  # the line was cut
    refused(probed, head + 8 * (b"400\r\n" + b" " * 1024 + b"\r\n"), {413})


def test_a_slow_body_is_refused_in_time(probed):
    with socket.create_connection(("127.0.0.1", probed.server.port), timeout=120) as line:
        line.sendall(probed.vote(raw=b"", content_length=1000))
        line.settimeout(1)
        got = b""
        for _ in range(500):  # half of it has come by then
            with suppress(TimeoutError):
                line.sendall(b" ")
                got = line.recv(65536)
                break
        assert b" 408 " in got.splitlines()[0]


def test_what_is_no_request_is_refused(probed):
    host = f"Host: {probed.host}\r\n".encode()
    for data in (
        b"GET /api/state HTTP/1.1\r\n\r\n",
        b"GET /api/state HTTP/1.0\r\n\r\n",
        b"GET /api/state HTTP/1.1\r\n" + host + b"Host: evil.example\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + host + b"X: " + b"y" * 100_000 + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + host + b"".join(b"X%d: y\r\n" % k for k in range(5000)) + b"\r\n",
        b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n" + host + b"\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\r\n\r\n",
        b"GET / HTTP/9.9\r\n" + host + b"\r\n",
        b"POST /api/vote HTTP/1.1\r\n" + host + b"Content-Length: x\r\n\r\n",
        b"POST /api/vote HTTP/1.1\r\n" + host + b"Content-Length: -1\r\n\r\n",
        b"POST /api/vote HTTP/1.1\r\n" + host + b"Transfer-Encoding: gzip\r\n\r\n",
    ):
        refused(probed, data, {400, 401, 403, 404, 421})


def test_a_websocket_is_refused(probed):
    upgrade = {"upgrade": "websocket", "sec_websocket_key": "AAAAAAAAAAAAAAAAAAAAAA==", "sec_websocket_version": "13"}
    for origin in (f"http://{probed.host}", "http://evil.example"):
        data = probed.written("GET", "/api/vote", origin=origin, **upgrade).replace(
            b"connection: close", b"connection: upgrade"
        )
        refused(probed, data.replace(b"\r\n\r\n", b"\r\nconnection: close\r\n\r\n"), {400, 403, 405})


def test_the_link_gives_a_cookie_that_no_script_reads_and_an_address_without_it(probed):
    for site in ("none", "cross-site"):  # typed, or clicked in a chat
        status, headers, body = probed.get(f"/join/{probed.tokens['ANA']}", cookie=None, sec_fetch_site=site)
        assert (status, headers["location"]) == (303, "/")
        cookie = headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=lax" in cookie
        assert "path=/" in cookie
        assert "domain" not in cookie
        guarded(headers)
        assert probed.tokens["ANA"].encode() not in body


def test_a_preview_of_the_link_changes_nothing(probed):
    before = probed.state()
    for path in (f"/join/{probed.tokens['ANA']}", "/", "/api/state"):
        probed.get(path, cookie=None, user_agent="Chat preview")
    assert probed.state() == before


def test_every_answer_keeps_the_page_to_itself(probed):
    for path in ("/", "/page.css", "/page.js", "/api/state", "/api/order", "/nothing"):
        status, headers, body = probed.get(path)
        assert status == (404 if path == "/nothing" else 200)
        guarded(headers)
        for token in probed.tokens.values():
            assert token.encode() not in body
    page = probed.get("/")[2].decode()
    assert not re.search(r"<script(?![^>]*src=)[^>]*>|<style|\son\w+=|\sstyle=|https?://", page)


def guarded(headers):
    for name, value in HEADERS.items():
        assert value in headers[name], name


def refused(probed, data, statuses):
    status, headers, body = probed.exchanged(data)
    assert status in statuses, (status, body[:200])
    guarded(headers)
    assert b"Traceback" not in body
    assert len(body) < 500
    assert all(token.encode() not in body for token in probed.tokens.values())
