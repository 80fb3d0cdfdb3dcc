"""A real model answers through the client: text, usage and the chances of tokens."""

import asyncio
import math

import pytest
from judge.small_model import small_model

from ordain.judge.endpoint import endpoint_of
from ordain.judge.llm import Client
from ordain.judge.reply import Refused

QUESTION = "Which animal barks?\nA: a dog\nB: a cat\nAnswer with A or B only."


@pytest.fixture(scope="module")
def url():
    with small_model() as address:
        yield address


def asked(url, text, **settings):
    async def run():
        async with Client(endpoint_of(url, "smollm2", environ={}, **settings)) as client:
            return await client.send([{"role": "user", "content": text}], logprobs=True)

    return asyncio.run(run())


def test_a_real_model_answers_with_text_usage_and_chances(url):
    reply = asked(url, QUESTION, temperature=0, max_tokens=4)
    assert reply.text.strip().startswith("A")
    assert "".join(one["token"] for one in reply.logprobs) == reply.text
    assert reply.tokens_out == len(reply.logprobs) == 4 and reply.finish == "length"
    assert 20 < reply.tokens_in < 100
    chances = [math.exp(one["logprob"]) for one in reply.logprobs[0]["top_logprobs"]]
    assert len(chances) == 5 and chances == sorted(chances, reverse=True) and 0.5 < sum(chances) <= 1 + 1e-6
    assert 0 < reply.seconds < 60


def test_a_request_beyond_its_context_says_how_to_show_less(url):
    with pytest.raises(Refused, match=r"--list 5.*--cut") as refused:
        asked(url, "word " * 6000)
    assert refused.value.about == "length" and refused.value.status == 400
