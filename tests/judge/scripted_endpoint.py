"""A chat endpoint on this machine that answers as it is told to, with every fault that a net can have.

As a context it runs in a thread: `with Endpoint(better(len)) as server:` answers at `server.url`. Started as a program
it prefers the items with the larger numbers in them, prints its address and runs until it is ended.
"""

import argparse
import asyncio
import json
import math
import re
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.client import responses
from pathlib import Path

FENCED = re.compile(r"^<<<(\S+) (\S+)>>>\n(.*?)\n<<<end \1 \2>>>$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Fault:
    """An answer that is no reply.

    `body` is sent as it is, a dict as JSON, after `seconds`. `end` is how: "whole"; "cut", where the connection is
    closed before all that Content-Length promised has come; "reset" in the place of any answer; "silent", where none
    comes at all; "drip", a byte every tenth of a second.
    """

    status: int = 200
    body: str | bytes | dict | list = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    end: str = "whole"
    seconds: float = 0.0

    @property
    def data(self):
        body = json.dumps(self.body) if isinstance(self.body, dict | list) else self.body
        return body.encode() if isinstance(body, str) else body


@dataclass(frozen=True)
class Request:
    """What the server got: the JSON, the headers with names in lower case, where to, and when."""

    body: dict
    headers: dict[str, str]
    path: str
    time: float


Judge = Callable[[dict], "str | dict | Fault"]


def completion(content, *, logprobs=None, usage=(100, 2), finish="stop", **message):
    """The JSON of a reply; further names are fields of its message."""
    message = {"role": "assistant", "content": content} | message
    choice = {"index": 0, "message": message, "finish_reason": finish}
    if logprobs is not None:
        choice["logprobs"] = {"content": logprobs}
    reply = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "scripted", "choices": [choice]}
    if usage:
        read, written = usage
        reply["usage"] = {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
    return reply


class Endpoint:
    """A server on 127.0.0.1 in a thread of its own; `requests` is what came so far, `most` how many were in at once.

    Parameters
    ----------
    judge : function
        From a request's JSON to the reply's text, its whole JSON, or a Fault.
    delay : float
        Seconds before every answer.
    usage : bool
        Whether texts are sent with the numbers of their tokens.
    seen : function, optional
        What is done with every request in the place of keeping it.
    held : function, optional
        Whether answers are kept back for now.
    """

    def __init__(self, judge: Judge, *, delay=0.0, usage=True, port=0, seen=None, held=lambda: False):
        self.judge, self.delay, self.usage, self.port = judge, delay, usage, port
        self.requests: list[Request] = []
        self.seen, self.held = seen or self.requests.append, held
        self.inside = self.most = 0

    @property
    def origin(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def url(self):
        return f"{self.origin}/v1"

    def __enter__(self):
        ready = threading.Event()
        self.thread = threading.Thread(target=lambda: asyncio.run(self._serve(ready)), daemon=True)
        self.thread.start()
        assert ready.wait(300), "the scripted endpoint did not start"
        return self

    def __exit__(self, *error):
        self.loop.call_soon_threadsafe(self.ending.set)
        self.thread.join(10)

    async def _serve(self, ready):
        self.loop, self.ending, self.tasks = asyncio.get_running_loop(), asyncio.Event(), set()
        server = await asyncio.start_server(self._accept, "127.0.0.1", self.port, backlog=1000)
        self.port = server.sockets[0].getsockname()[1]
        ready.set()
        await self.ending.wait()
        server.close()
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)

    def _accept(self, reader, writer):
        task = self.loop.create_task(self._connection(reader, writer))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _connection(self, reader, writer):
        try:
            while await self._handle(await _request(reader), writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        except ValueError:  # as when somebody speaks TLS
            writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        finally:
            writer.close()

    async def _handle(self, request, writer):
        """Answer one request; whether another may come on this connection."""
        self.seen(request)
        self.inside += 1
        self.most = max(self.most, self.inside)
        try:
            said = self.judge(request.body)
            fault = said if isinstance(said, Fault) else Fault(body=self._reply(said))
            if self.delay or fault.seconds:
                await asyncio.sleep(self.delay + fault.seconds)
            while self.held():
                await asyncio.sleep(0.01)
            return await _answer(fault, writer)
        finally:
            self.inside -= 1

    def _reply(self, said):
        return completion(said, usage=(100, 2) if self.usage else None) if isinstance(said, str) else said


async def _request(reader):
    """The next request of a connection."""
    start = await reader.readexactly(1)
    if not start.isalpha():
        raise ValueError("no request of HTTP")
    head = start + await reader.readuntil(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").strip().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Request(json.loads(body or b"{}"), headers, first.split(" ")[1], time.time())


async def _answer(fault, writer):
    """Send an answer; whether the connection stays open."""
    if fault.end == "reset":
        linger = struct.pack("ii", 1, 0)  # on, and for no time: what closes sends a reset
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        writer.transport.abort()
        return False
    if fault.end == "silent":
        await asyncio.sleep(3600)
    data = fault.data
    standard = {"Content-Type": "application/json", "Content-Length": str(len(data))}
    lines = [f"HTTP/1.1 {fault.status} {responses.get(fault.status, 'Odd')}"]
    lines += [f"{name}: {value}" for name, value in (standard | dict(fault.headers)).items()]
    writer.write("\r\n".join([*lines, "", ""]).encode("latin-1"))
    if fault.end == "drip":
        for byte in data:
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(0.1)
    else:
        writer.write(data[: len(data) // 2] if fault.end == "cut" else data)
    await writer.drain()
    return fault.end != "cut"


def fenced(request):
    """Label → text of the items that a request shows, in the order shown."""
    texts = [message["content"] for message in request["messages"] if message["role"] == "user"]
    return {label: text for label, _, text in FENCED.findall("\n".join(texts))}


def items_shown(request):
    """The texts of the items that a request shows, in the order shown."""
    return list(fenced(request).values())


def better(key, *, logprobs=False):
    """A judge that prefers what has the larger key: "A" or "B" for two, "Order: C > A > B" for more.

    With `logprobs` a pair's reply has the chances of A and B where they are asked for, by the difference of the keys.
    """

    def judge(request):
        shown = fenced(request)
        ranked = sorted(shown, key=lambda label: -key(shown[label]))
        if len(ranked) != 2:
            return f"Order: {' > '.join(ranked)}"
        if logprobs and request.get("logprobs"):
            return completion(ranked[0], logprobs=[_chances(ranked, *(key(shown[label]) for label in ranked))])
        return ranked[0]

    return judge


def _chances(labels, high, low):
    """The entry of a reply's logprobs for the verdict's token, by log-odds of high - low."""
    log_chances = (-math.log1p(math.exp(-min(high - low, 700))), -math.log1p(math.exp(min(high - low, 700))))
    top = [{"token": label, "logprob": value} for label, value in zip(labels, log_chances, strict=True)]
    return top[0] | {"top_logprobs": top}


def first_number(text):
    """The first number in a text; 0 if it has none."""
    found = re.search(r"-?[0-9]+(?:\.[0-9]+)?", text)
    return float(found.group()) if found else 0.0


def main():
    parser = argparse.ArgumentParser(description="A chat endpoint that prefers items with larger numbers in them.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--delay", type=float, default=0.0, help="seconds before every answer")
    parser.add_argument("--log", help="a file that gets the texts shown by every request, as a line of JSON")
    parser.add_argument("--hold", type=Path, help="no answer is given while this file is there")
    options = parser.parse_args()
    log = open(options.log, "a", buffering=1) if options.log else None  # noqa: SIM115

    def seen(request):
        if log:
            log.write(json.dumps(items_shown(request.body)) + "\n")

    def held():
        return options.hold is not None and options.hold.exists()

    with Endpoint(better(first_number), delay=options.delay, port=options.port, seen=seen, held=held) as server:
        print(server.url, flush=True)
        while True:
            time.sleep(3600)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
