"""Whole runs with a real language model, the smallest there is: it always prefers the first, and cannot order lists."""

import json

import pytest
from judge.small_model import small_model

ANIMALS = ["a mouse", "an elephant", "a cat", "a whale", "an ant"]


@pytest.fixture(scope="module")
def url():
    with small_model() as address:
        yield address


@pytest.fixture
def judge(run, url, tmp_path):
    (tmp_path / "animals.txt").write_text("\n".join(ANIMALS))

    def command(*options):
        return run(
            "judge", "animals.txt", "--ask", "Which animal is larger?", "--llm", url, "--model", "smollm2", "--yes",
            "--temperature", 0, "--concurrency", 1, *options,
        )  # fmt: skip

    return command


LETTER = json.dumps({"grammar": 'root ::= "A" | "B"'})
"""For llama.cpp: nothing but a letter. Without it this model copies what it reads, as often as not."""


def test_a_run_of_pairs_says_that_this_judge_always_prefers_the_first(judge, run):
    code, out, err = judge("--pairs", "--max-tokens", 4, "--extra", LETTER, "--budget", 8, "--json")
    assert (code, err) == (0, "")
    told = json.loads(out)
    assert told["requests"] == 8 and told["tokens_read"] > 8 * 200 and 8 <= told["tokens_written"] <= 8 * 4
    assert told["judge"]["character"] == "The judge always says first" and told["judge"]["first_shown"]["of"] == 8
    assert any("The judge always says first. The first shown won 1.00 of" in sentence for sentence in told["sentences"])
    code, out, _ = run("export", "animals.run")
    chances = [json.loads(line)["p_left"] for line in out.splitlines()]
    assert code == 0 and sum(chance is not None and 0.5 < chance < 1 for chance in chances) == 8


def test_a_run_of_lists_becomes_shorter_and_ends_or_gives_up_in_words(judge, run):
    code, out, err = judge("--list", 5, "--max-tokens", 24, "--budget", 5)
    if code == 0:
        assert err == "" and "More than one list in five could not be read" in out and "nan" not in out
    else:
        assert code == 1 and err.count("\n") == 1 and "could not be read" in err
    code, out, _ = run("status", "animals.run")
    assert code == 0 and "Nothing is uncertain." in out and "Plan 2: " in out
