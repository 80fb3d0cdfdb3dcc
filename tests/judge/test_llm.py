"""A request to an endpoint: every fault is told for what it is, and the key goes only to the host that was typed."""

import asyncio
import json
import logging
import math
import shutil
import socket
import ssl
import subprocess
import sys
import time
import traceback
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judge import scripted_endpoint
from judge.scripted_endpoint import Endpoint, Fault, better, completion, first_number, items_shown

from ordain.judge.endpoint import Endpoint as Asked
from ordain.judge.endpoint import endpoint_of
from ordain.judge.llm import Client, request_body
from ordain.judge.reply import Passing, Refused
from ordain.judge.server_answer import LARGEST

KEY = "sk-Secret/42+never=seen"
MESSAGES = [{"role": "user", "content": "A or B?"}]


def asked(server, *, logprobs=False, messages=MESSAGES, key=KEY, path="/v1", **settings):
    """The reply of a scripted endpoint, or of any address, to one request with a key."""
    url = server if isinstance(server, str) else server.origin + path
    environ = {"ORDAIN_API_KEY": key}

    async def run():
        async with Client(endpoint_of(url, "m", environ=environ, **{"timeout": 20.0, **settings})) as client:
            return await client.send(messages, logprobs=logprobs)

    return asyncio.run(run())


def reply_to(answer, **settings):
    """The reply where the server answers so."""
    with Endpoint(lambda request: answer) as server:
        return asked(server, **settings)


def fault_of(answer, kind, **settings):
    """The fault where the server answers so."""
    with pytest.raises(kind) as caught:
        reply_to(answer, **settings)
    assert caught.type is kind
    return caught.value


def test_a_request_holds_what_was_set_and_its_reply_is_read():
    with Endpoint(lambda request: "B") as server:
        reply = asked(server, temperature=0.5, max_tokens=7, extra='{"seed": 3}', logprobs=True)
        plain = asked(server, key="")
    assert (reply.text, reply.reasoning, reply.logprobs, reply.finish) == ("B", "", None, "stop")
    assert (reply.tokens_in, reply.tokens_out) == (100, 2)
    assert json.loads(reply.raw)["choices"][0]["message"]["content"] == "B"
    assert plain.text == "B" and 0 < plain.seconds < 10
    first, second = server.requests
    asks = {"model": "m", "messages": MESSAGES, "stream": False}
    chances = {"logprobs": True, "top_logprobs": 5}
    assert first.body == asks | chances | {"max_tokens": 7, "temperature": 0.5, "seed": 3}
    assert second.body == asks | {"max_tokens": 1000}
    assert first.path == second.path == "/v1/chat/completions"
    assert first.headers["authorization"] == f"Bearer {KEY}" and "authorization" not in second.headers


def test_the_limit_of_tokens_may_have_its_other_name():
    judge = endpoint_of("http://localhost", "m", environ={}, extra={"max_completion_tokens": 50})
    assert judge.max_tokens == 50
    body = request_body(judge, MESSAGES, logprobs=False)
    assert body["max_completion_tokens"] == 50 and "max_tokens" not in body


FORMS = {
    "text": (completion("A"), "A", ""),
    "parts": (completion([{"type": "text", "text": "A "}, {"type": "text", "text": "wins"}, "!"]), "A wins!", ""),
    "nothing": (completion(None), "", ""),
    "a refusal": (completion(None, refusal="I cannot."), "I cannot.", ""),
    "reasoning": (completion("A", reasoning="B is worse"), "A", "B is worse"),
    "reasoning_content": (completion("A", reasoning_content="so"), "A", "so"),
    "thinking": (completion("A", thinking="so"), "A", "so"),
    "reasoning only": (completion(None, reasoning_content="B?", finish="length"), "", "B?"),
    "thinking in parts": (
        completion([{"type": "thinking", "thinking": [{"type": "text", "text": "B?"}]}, {"type": "text", "text": "A"}]),
        "A",
        "B?",
    ),
    "think in the text": (completion("<think>B</think>A"), "<think>B</think>A", ""),
    "half a character": (completion("A\ud800"), "A?", ""),
    "null error": (completion("A") | {"error": None}, "A", ""),
    "a mark before": (Fault(body=b"\xef\xbb\xbf" + json.dumps(completion("A")).encode()), "A", ""),
    "another success": (Fault(201, completion("A")), "A", ""),
}


@pytest.mark.parametrize("form", FORMS)
def test_text_and_reasoning_are_found_wherever_a_server_puts_them(form):
    answer, text, reasoning = FORMS[form]
    reply = reply_to(answer)
    assert (reply.text, reply.reasoning) == (text, reasoning)
    assert (reply.text + reply.reasoning + reply.raw).encode()


@pytest.mark.parametrize(
    "usage", [None, {}, [], "many", {"prompt_tokens": None}, {"prompt_tokens": -1}, {"prompt_tokens": True}]
)
def test_no_usage_is_none(usage):
    reply = reply_to(completion("A", usage=None) | {"usage": usage})
    assert reply.tokens_in is None and reply.tokens_out is None


@pytest.mark.parametrize("given", [None, {}, [], {"content": None}, {"content": []}, {"tokens": ["A"]}])
def test_no_chances_are_none(given):
    answer = completion("A")
    answer["choices"][0]["logprobs"] = given
    assert reply_to(answer, logprobs=True).logprobs is None


def in_a_minute():
    return format_datetime(datetime.fromtimestamp(time.time() + 60, UTC), usegmt=True)


WAITS = {
    "seconds": ({"Retry-After": "2"}, 2),
    "decimals": ({"retry-after": "1.5"}, 1.5),
    "milliseconds": ({"Retry-After-Ms": "250", "Retry-After": "1"}, 0.25),
    "a date": (lambda: {"Retry-After": in_a_minute()}, 60),
    "a past date": ({"Retry-After": "Wed, 18 Nov 2020 08:00:00 GMT"}, 0),
    "a negative number": ({"Retry-After": "-3"}, 0),
    "too long": ({"Retry-After": "86400"}, 3600),
    "garbage": ({"Retry-After": "soon"}, None),
    "nothing": ({}, None),
}


@pytest.mark.parametrize("wait", WAITS)
@pytest.mark.parametrize("status", [429, 503])
def test_a_server_says_how_long_to_wait(wait, status):
    headers, seconds = WAITS[wait]
    answer = Fault(status, {"error": {"message": "slower"}}, headers() if callable(headers) else headers)
    fault = fault_of(answer, Passing)
    assert fault.after == (None if seconds is None else pytest.approx(seconds, abs=3 if wait == "a date" else 0))
    assert (fault.status, fault.sent) == (status, True)
    assert f"answered {status}: slower." in str(fault)


HALF = json.dumps(completion("A"))[:60]
PASS = {
    **{str(status): (Fault(status, "later"), "later.") for status in (408, 409, 425, 429, 500, 502, 504, 529, 599)},
    "a page of a gateway": (Fault(502, "<html>Bad</html>"), "answered 502: Bad Gateway."),
    "a page": (Fault(body="<!doctype html><title>x</title>", headers={"Content-Type": "text/html"}), "a page of HTML"),
    "nothing": (Fault(body=""), "with nothing"),
    "no content": (Fault(204, ""), "with nothing"),
    "half of it": (Fault(body=HALF), "no JSON, or half of it"),
    "a stream": (Fault(body="data: {}\n\n"), "no JSON"),
    "no bytes of UTF-8": (Fault(body=b"\xff\xfe\x00"), "no JSON"),
    "brackets": (Fault(body="[" * 100_000), "no JSON"),
    "no choices": ({"id": "x"}, "JSON that holds no reply"),
    "empty choices": (completion("A") | {"choices": []}, "JSON that holds no reply"),
    "choices of another kind": (completion("A") | {"choices": {"0": 1}}, "JSON that holds no reply"),
    "no message": (completion("A") | {"choices": [{"text": "A"}]}, "JSON that holds no reply"),
    "a list": (Fault(body=[1]), "JSON that holds no reply"),
    "a number": (Fault(body="3"), "JSON that holds no reply"),
    "an error under 200": ({"error": {"code": 429, "message": "slower"}}, "answered 429: slower."),
    "a number in words": ({"error": {"code": "503", "message": "busy"}}, "answered 503: busy."),
    "a word for it": ({"error": {"code": "rate_limit_exceeded", "message": "slower"}}, "answered 429: slower."),
    "an error without a number": ({"error": "broken"}, "answered 500: broken."),
    "an error in the choice": (
        completion("A") | {"choices": [{"error": {"code": 502, "message": "lost"}, "message": {"content": ""}}]},
        "answered 502: lost.",
    ),
    "a reset": (Fault(end="reset"), "broke off"),
    "a cut": (Fault(body=completion("A"), end="cut"), "broke off"),
    "false compression": (Fault(body="A" * 99, headers={"Content-Encoding": "gzip"}), "broke off"),
}


@pytest.mark.parametrize("name", PASS)
def test_what_may_pass_is_told_so(name):
    answer, part = PASS[name]
    fault = fault_of(answer, Passing)
    assert part in str(fault) and str(fault).startswith("127.0.0.1:") and "\n" not in str(fault)
    assert fault.sent and fault.after is None and fault.message == str(fault)
    kept = answer.data.decode(errors="replace") if isinstance(answer, Fault) else json.dumps(answer)
    assert fault.raw == ("" if part == "broke off" else kept[:200_000])


@pytest.mark.parametrize("answer", [Fault(end="silent"), Fault(body=completion("A"), end="drip")], ids=["none", "drip"])
def test_whoever_is_too_slow_may_have_got_it(answer):
    begun = time.monotonic()
    fault = fault_of(answer, Passing, timeout=0.5)
    assert "did not answer within 0.5 s." in str(fault) and fault.sent and fault.status is None
    assert time.monotonic() - begun > 0.4


def test_a_closed_port_got_nothing():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and does not listen
        with pytest.raises(Passing, match="cannot be reached") as caught:
            asked(f"http://127.0.0.1:{taken.getsockname()[1]}/v1")
    assert not caught.value.sent


def test_an_unknown_host_got_nothing(monkeypatch):
    def unknown(*address, **kind):
        raise socket.gaierror(socket.EAI_NONAME, "no such host")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(Passing, match=r"^nowhere.example cannot be reached") as caught:
        asked("https://nowhere.example/v1")
    assert not caught.value.sent


def test_what_is_too_large_is_cut_off():
    huge = Fault(body=json.dumps(completion("A" * 3 * LARGEST)))
    fault = fault_of(huge, Passing)
    assert "more than 10,000,000 bytes" in str(fault) and len(fault.raw) == 200_000 and fault.sent


CONTEXT = "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens."
LLAMA = "request (6031 tokens) exceeds the available context size (2048 tokens), try increasing it"
REFUSALS = {
    "too long": (400, {"error": {"message": CONTEXT}}, "length", r"--list 5 or --pairs.*--cut"),
    "llama.cpp": (400, {"error": {"code": 400, "message": LLAMA}}, "length", "--list 5"),
    "vLLM": (400, {"object": "error", "message": CONTEXT, "code": 400}, "length", "--list 5"),
    "too many bytes": (413, "", "length", "(Request Entity|Content) Too Large. .*--list 5"),
    "a wrong key": (401, {"error": {"message": "Incorrect API key"}}, "key", "Is the key in ORDAIN_API_KEY right"),
    "forbidden": (403, {"detail": "not for you"}, "key", "not for you. Is the key in ORDAIN_API_KEY right"),
    "no such place": (404, {"detail": "Not Found"}, "address", "Is /v1 missing"),
    "no such model": (404, {"error": "model 'm' not found"}, "address", "the model's name wrong"),
    "no such method": (405, "", "address", "Is /v1 missing"),
    "logprobs": (400, {"error": {"message": "logprobs is not supported"}}, "logprobs", "Ask without"),
    "logprobs forbidden": (422, {"detail": [{"loc": ["body", "logprobs"], "msg": "Extra"}]}, "logprobs", "Ask without"),
    "another name": (
        400,
        {"error": {"message": "Unsupported: 'max_tokens'. Use 'max_completion_tokens' instead."}},
        "max_tokens",
        r"""Add --extra '{"max_completion_tokens": 1000}'\.""",
    ),
    "a filter": (400, {"error": {"code": "content_filter", "message": "content management policy"}}, "filter", "texts"),
    "no credit": (429, {"error": {"code": "insufficient_quota", "message": "pay"}}, "credit", "no credit left"),
    "payment": (402, {"error": {"message": "pay"}}, "credit", "no credit left"),
    "what it wants": (422, {"detail": "temperature?"}, "", "Look at --model, --temperature"),
    "gone": (410, "", "", "answered 410: Gone. Look at"),
    "in a list": (400, [{"error": {"code": 400, "message": "odd"}}], "", "answered 400: odd. Look at"),
    "no place to go": (302, "", "", "answered 302: Found"),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_what_will_not_pass_says_what_to_do(name):
    status, body, about, part = REFUSALS[name]
    fault = fault_of(Fault(status, body), Refused, logprobs=True)
    assert (fault.about, fault.status, fault.message) == (about, status, str(fault))
    with pytest.raises(Refused, match=part):
        raise fault
    assert "\n" not in str(fault) and len(str(fault)) < 500


def test_an_error_under_a_success_is_taken_by_its_code():
    assert fault_of({"error": {"code": 401, "message": "who?"}}, Refused).about == "key"
    assert fault_of({"error": {"code": "context_length_exceeded", "message": CONTEXT}}, Refused).about == "length"


def test_logprobs_are_complained_of_only_if_they_were_asked_for():
    complaint = Fault(400, {"error": {"message": "logprobs is not supported"}})
    assert fault_of(complaint, Refused, logprobs=False).about == ""


def test_without_a_key_a_refusal_says_where_to_put_one():
    fault = fault_of(Fault(401, ""), Refused, key="")
    assert "Put a key into ORDAIN_API_KEY, or name its variable by --key-env." in str(fault)


def test_what_a_server_says_is_one_short_line_without_tricks():
    said = "line\nred \x1b[31m\u202egnihton\x00" + "x" * 1000
    for fault in (fault_of(Fault(400, {"error": said}), Refused), fault_of(Fault(500, said), Passing)):
        assert str(fault).isprintable() and len(str(fault)) < 400
        assert "line red \\u001b[31m\\u202egnihton\\u0000xxx" in str(fault)


def escaped(key):
    return "".join(f"\\u{ord(letter):04x}" for letter in key)


ECHOES = {
    "plain": KEY,
    "in capitals": KEY.upper(),
    "slashes escaped": KEY.replace("/", "\\/"),
    "all escaped": escaped(KEY),
    "as an address": KEY.replace("/", "%2F").replace("=", "%3D").replace("+", "%2b"),
}


def traces(fault):
    """All that an error shows or keeps."""
    assert fault.__cause__ is None and fault.__context__ is None
    return "".join([*traceback.format_exception(fault), repr(fault), repr(vars(fault)), fault.message])


@pytest.mark.parametrize("echo", ECHOES)
@pytest.mark.parametrize("status", [200, 400, 401, 404, 429, 500])
def test_a_server_that_repeats_the_key_does_not_get_it_kept(status, echo):
    body = f'{{"error": {{"code": {status}, "message": "{"x" * 190} bad key {ECHOES[echo]}"}}}}'
    with pytest.raises((Passing, Refused)) as caught:
        reply_to(Fault(status, body))
    everything = traces(caught.value).lower()
    assert "[key]" in everything and "bad key" in everything
    assert "secret" not in everything and "never" not in everything and escaped(KEY)[:20].lower() not in everything


def test_a_reply_that_repeats_the_key_does_not_keep_it():
    token = {"token": KEY, "logprob": 0.0, "top_logprobs": []}
    reply = reply_to(completion(f"A {KEY}", reasoning=KEY, logprobs=[token], **{KEY: KEY}), logprobs=True)
    assert reply.text == "A [key]" and reply.reasoning == "[key]" and reply.logprobs[0]["token"] == "[key]"
    assert "Secret" not in repr(reply) and '"content": "A [key]"' in reply.raw


def test_a_key_that_is_a_word_of_the_verdict_changes_nothing():
    assert reply_to(completion("A"), key="A").text == "A"
    assert reply_to(completion("none of both"), key="none").text == "none of both"


def test_no_log_has_the_key(caplog):
    with caplog.at_level(logging.DEBUG):
        reply_to("A")
        fault_of(Fault(500), Passing)
    assert caplog.records and "Secret" not in caplog.text


def test_an_endpoint_does_not_show_its_key():
    judge = endpoint_of("http://localhost/v1", "m", environ={"ORDAIN_API_KEY": KEY})
    assert judge.key == KEY
    assert "Secret" not in f"{judge} {judge!r} {judge.identity} {vars(Client)}"


def test_netrc_is_not_read(tmp_path, monkeypatch):
    for name in (".netrc", "_netrc"):
        (tmp_path / name).write_text("machine 127.0.0.1 login me password other\n")
        (tmp_path / name).chmod(0o600)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    with Endpoint(lambda request: "A") as server:
        asked(server, key="")
        asked(server)
    assert [request.headers.get("authorization") for request in server.requests] == [None, f"Bearer {KEY}"]


def test_only_a_proxy_that_was_named_is_used(monkeypatch):
    with Endpoint(lambda request: "A") as server, Endpoint(lambda request: "proxy") as proxy:
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.origin)
            monkeypatch.setenv(name.lower(), proxy.origin)
        assert asked(server).text == "A" and not proxy.requests
        assert asked(server, key="", proxy=proxy.origin).text == "proxy"
    assert len(server.requests) == 1 and proxy.requests[0].path == f"{server.url}/chat/completions"


REDIRECTS = (301, 302, 303, 307, 308)


@pytest.mark.parametrize("status", REDIRECTS)
def test_another_port_or_host_gets_nothing(status):
    with Endpoint(lambda request: "stolen") as thief:
        places = [f"{thief.url}/chat/completions", f"//127.0.0.1:{thief.port}/x", f"http://localhost:{thief.port}"]
        for place in places:
            fault = fault_of(Fault(status, headers={"Location": place}), Refused)
            assert fault.about == "redirect" and f":{thief.port}, which got nothing. Type that" in str(fault)
    assert not thief.requests


@pytest.mark.parametrize("place", ["https://{host}/x", "http://me:{key}@{host}/x", "http://[broken", "ftp://{host}/"])
def test_redirects_that_are_not_within_the_host_are_refused(place):
    with Endpoint(lambda request: Fault(307, headers={"Location": there})) as server:
        there = place.format(host=server.origin[7:], key="Secret-password")
        with pytest.raises(Refused, match="redirects to") as caught:
            asked(server)
    assert caught.value.about == "redirect" and len(server.requests) == 1
    assert "Secret" not in traces(caught.value)


@pytest.mark.parametrize("status", REDIRECTS)
def test_redirects_within_the_host_are_followed_thrice(status):
    with Endpoint(lambda request: next(answers)) as server:
        hops = [Fault(status, headers={"Location": place}) for place in ("/a", f"{server.origin}/b", "c")]
        answers = iter([*hops, "A", *hops, Fault(status, headers={"Location": "/d"})])
        assert asked(server).text == "A"
        assert [request.path for request in server.requests] == ["/v1/chat/completions", "/a", "/b", "/c"]
        assert all(request.body == server.requests[0].body for request in server.requests)
        assert all(request.headers["authorization"] == f"Bearer {KEY}" for request in server.requests)
        with pytest.raises(Refused, match="in a circle"):
            asked(server)
        assert len(server.requests) == 8


def test_https_to_a_server_without_it_is_refused():
    with Endpoint(lambda request: "A") as server, pytest.raises(Refused, match="https") as caught:
        asked(server.url.replace("http:", "https:"))
    assert caught.value.about == "certificate" and not server.requests


def test_a_server_that_is_slow_to_speak_tls_may_be_asked_again():
    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(Passing, match="did not answer") as caught:
        asked(f"https://127.0.0.1:{silent.getsockname()[1]}/v1", timeout=0.5)
    assert not caught.value.sent


def test_a_certificate_that_nobody_trusts_is_refused(tmp_path):
    """A real one, made by itself, on a line that nothing is sent over."""
    if (openssl := shutil.which("openssl")) is None:
        pytest.skip("there is no openssl to make a certificate with")
    made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-days", "1"]
    made += ["-keyout", "key.pem", "-out", "cert.pem"]
    subprocess.run([openssl, *made], cwd=tmp_path, check=True, capture_output=True)
    speaking = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    speaking.load_cert_chain(tmp_path / "cert.pem", tmp_path / "key.pem")
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def shake_hands():
            line, _ = listening.accept()
            with line, suppress(ssl.SSLError):
                speaking.wrap_socket(line, server_side=True).close()

        Thread(target=shake_hands, daemon=True).start()
        with pytest.raises(Refused, match=r"its certificate is not trusted\. Is the address right") as caught:
            asked(f"https://localhost:{listening.getsockname()[1]}/v1")
    assert caught.value.about == "certificate"


def test_a_proxy_that_gives_no_way_is_told_so_and_got_no_request():
    with Endpoint(lambda request: Fault(403)) as proxy:
        with pytest.raises(Passing, match=r"the proxy gives no way to localhost:1\. Is --proxy right") as caught:
            asked("https://localhost:1/v1", proxy=proxy.origin)
        assert not caught.value.sent
        assert [request.path for request in proxy.requests] == ["localhost:1"]
        assert KEY not in str(proxy.requests)


def test_connections_are_as_many_as_the_concurrency_and_are_kept():
    async def run(server):
        async with Client(endpoint_of(server.url, "m", environ={}), concurrency=3) as client:
            return await asyncio.gather(*(client.send(MESSAGES, logprobs=False) for _ in range(30)))

    with Endpoint(lambda request: "A", delay=0.01) as server:
        assert [reply.text for reply in asyncio.run(run(server))] == ["A"] * 30
    assert server.most == 3 and len(server.requests) == 30


ADDRESSES = {
    "http://localhost:8080/v1": "http://localhost:8080/v1/chat/completions",
    "http://localhost:8080/v1/": "http://localhost:8080/v1/chat/completions",
    " HTTPS://API.Example.com/V1 ": "https://api.example.com/V1/chat/completions",
    "https://example.com": "https://example.com/chat/completions",
    "http://[::1]:1/v1/chat/completions": "http://[::1]:1/v1/chat/completions",
    "http://[::1]:1/v1/chat/completions/": "http://[::1]:1/v1/chat/completions",
    "https://example.com/accounts/@me/v1": "https://example.com/accounts/@me/v1/chat/completions",
}


@pytest.mark.parametrize("url", ADDRESSES)
def test_addresses(url):
    judge = endpoint_of(url, "m", environ={})
    assert judge.address == judge.identity["address"] == ADDRESSES[url]


PASSWORDS = (
    "http://me:Secret@localhost/v1", "https://Secret@example.com", "http://me:Secret%40localhost/v1",
    "http://me:Secret\uff20localhost/v1", "http://me:Secret\\@localhost", "me:Secret@localhost/v1",
    "http:me:Secret@host", "https://example.com/v1?key=Secret", "https://example.com/v1#Secret",
    "http://localhost\\Secret", "ftp://Secret.org/", "https://example.com:99999/Secret", "http://a..b/Secret",
    "http://[::1/Secret", "http://[1.2.3.4]/Secret", "Secret", "http://localhost/v1\r\nX: Secret",
    "http://exa mple.com/Secret", "http://\u00e9.com/Secret", "http:///Secret", "",
    f"http://{'a' * 64}.com/Secret", "file:///Secret",
)  # fmt: skip


@pytest.mark.parametrize("url", PASSWORDS)
@pytest.mark.parametrize("proxy", [False, True])
def test_addresses_that_are_refused_are_not_repeated(url, proxy):
    with pytest.raises(ValueError, match=r"^the (address|proxy) must .* Got .*\.|\?$") as caught:
        endpoint_of(*(("https://example.com", "m") if proxy else (url, "m")), proxy=url if proxy else None, environ={})
    assert caught.value.__cause__ is None and caught.value.__context__ is None
    assert "Secret" not in str(caught.value) and "\n" not in str(caught.value)


HOMES = ("localhost", "LOCALHOST", "127.0.0.1", "127.9.9.9", "[::1]")
ABROAD = ("example.com", "192.168.0.1", "localhost.example.com", "127.0.0.1.example.com", "[2001:db8::1]", "127.1")


@pytest.mark.parametrize("host", HOMES + ABROAD)
def test_a_key_travels_in_plain_text_only_at_home(host):
    environ, url = {"ORDAIN_API_KEY": KEY}, f"http://{host}:8080/v1"
    assert endpoint_of(url, "m", environ={}).key == ""
    assert endpoint_of(url, "m", environ=environ, insecure=True).key == KEY
    assert endpoint_of(url.replace("http", "https"), "m", environ=environ, proxy="http://proxy:1").key == KEY
    if host in HOMES:
        assert endpoint_of(url, "m", environ=environ).key == KEY
    for proxy in ("http://proxy:1", *(() if host in HOMES else (None,))):
        with pytest.raises(ValueError, match=r"must travel encrypted.*--insecure\.$"):
            endpoint_of(url, "m", environ=environ, proxy=proxy)


@pytest.mark.parametrize(
    ("settings", "part"),
    [
        ({"key_env": "MY_KEY"}, "MY_KEY is not set"),
        ({"key_env": "sk-Secret"}, "The one named is not set"),
        ({"key_env": "EMPTY"}, "EMPTY is not set"),
        ({"key_env": "ODD"}, "the key in ODD must be one word"),
        ({"model": " "}, "--model must name a model"),
        ({"temperature": -1}, "--temperature must be a number from 0"),
        ({"temperature": math.nan}, "--temperature must be a number from 0"),
        ({"max_tokens": 0}, "--max-tokens must be a whole number from 1"),
        ({"extra": {"max_completion_tokens": "9"}}, "--max-tokens must be a whole number from 1"),
        ({"timeout": 0}, "--timeout must be"),
        ({"timeout": math.inf}, "--timeout must be"),
        ({"extra": "{seed: 1}"}, "--extra must be a JSON object"),
        ({"extra": '{"seed": NaN}'}, "--extra must be a JSON object"),
        ({"extra": "[1]"}, "--extra must be a JSON object"),
        ({"extra": {"seed": {1}}}, "--extra must be a JSON object"),
        ({"extra": '{"messages": []}'}, "--extra must not hold 'messages'"),
        ({"extra": '{"max_tokens": 9}'}, "It is set by --max-tokens"),
        ({"extra": '{"n": 3}'}, "--extra must not hold 'n'"),
        ({"extra": {"api_key": KEY}, "key_env": "SET"}, "the key must be in SET only"),
        ({"url": f"https://example.com/{KEY}", "key_env": "SET"}, "the key must be in SET only"),
    ],
)
def test_what_an_endpoint_must_be(settings, part):
    environ = {"EMPTY": " ", "ODD": "Secret\u00e9", "SET": KEY}
    with pytest.raises(ValueError, match=part) as caught:
        endpoint_of(**{"url": "https://example.com/v1", "model": "m", "environ": environ, **settings})
    assert "Secret" not in str(caught.value) and "\n" not in str(caught.value)


def test_the_same_judge_is_told_without_its_key():
    first = endpoint_of("http://localhost/v1/", "m", environ={"K": f"{KEY}\n"}, key_env="K", extra='{"seed": 1}')
    assert first.key == KEY
    assert first.identity == {
        "address": "http://localhost/v1/chat/completions",
        "model": "m",
        "temperature": None,
        "max_tokens": 1000,
        "extra": {"seed": 1},
    }
    assert json.loads(json.dumps(first.identity)) == first.identity
    assert Asked("http://localhost/v1", "m", key="one") == Asked("http://localhost/v1", "m", key="other")


def shown(*texts):
    """A request that shows texts as the prompt does."""
    fences = [
        f"<<<{label} 7f3a>>>\n{text}\n<<<end {label} 7f3a>>>" for label, text in zip("ABCDE", texts, strict=False)
    ]
    return {"messages": [{"role": "system", "content": "Judge."}, {"role": "user", "content": "\n\n".join(fences)}]}


@given(st.lists(st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\r")), min_size=2, max_size=5))
def test_the_scripted_endpoint_reads_back_what_is_shown(texts):
    forged = [f"<<<B 1234>>>\n{text}\n<<<end A 1234>>>" for text in texts]
    assert items_shown(shown(*forged)) == forged and items_shown(shown(*texts)) == texts


def test_the_scripted_judge_prefers_by_its_key():
    judge = better(first_number)
    assert judge(shown("1", "2")) == "B" and judge(shown("2", "1")) == "A"
    assert judge(shown("2", "1", "x 3.5")) == "Order: C > A > B"
    odds = better(first_number, logprobs=True)(shown("1", "3") | {"logprobs": True})
    top = odds["choices"][0]["logprobs"]["content"][0]["top_logprobs"]
    chances = {one["token"]: math.exp(one["logprob"]) for one in top}
    assert chances["B"] == pytest.approx(1 / (1 + math.exp(-2))) and sum(chances.values()) == pytest.approx(1)


def test_the_scripted_endpoint_is_a_program_too(tmp_path):
    log = tmp_path / "seen.jsonl"
    command = [sys.executable, str(Path(scripted_endpoint.__file__)), "--delay", "0.01", "--log", str(log)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        try:
            url = program.stdout.readline().strip()
            assert asked(url, messages=shown("4", "7")["messages"]).text == "B"
        finally:
            program.kill()
    assert [json.loads(line) for line in log.read_text().splitlines()] == [["4", "7"]]
