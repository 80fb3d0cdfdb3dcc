"""`ordain judge` from start to end: forecasts, limits, going on, what it writes, and what it says of the judge."""

import hashlib
import io
import json
import re
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from judge.killing import at_terminal
from judge.scripted_endpoint import Fault, better, completion, fenced, first_number, items_shown

from ordain.judge import Run, shares, summary

pytestmark = pytest.mark.usefixtures("no_waiting")


@pytest.fixture
def judge(run, server, tmp_path):
    """Run the command on so many items, "idea number 0" and so on."""

    def command(*options, items=12, yes=True, ask="Which number is larger?", model="m"):
        (tmp_path / "ideas.txt").write_text("\n".join(f"idea number {k}" for k in range(items)))
        asked = ["judge", "ideas.txt", "--ask", ask, "--llm", server.url, "--model", model]
        return run(*asked, *(["--yes"] if yes else []), *options)

    return command


def shown(server, since=0):
    """The texts that each request showed, in order."""
    return [tuple(items_shown(request.body)) for request in server.requests[since:]]


def rows(path):
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


def texts(path):
    return [row["text"] for row in rows(path)]


def falling(items):
    return [f"idea number {k}" for k in reversed(range(items))]


# Before the first request


def test_a_dry_run_sends_and_writes_nothing(judge, server, tmp_path):
    code, out, err = judge("--dry-run", "--price", "1,2", "--out", "out.csv", yes=False, items=30)
    assert (code, err, server.requests) == (0, "", [])
    assert [path.name for path in tmp_path.iterdir()] == ["ideas.txt"]
    requests, cost = re.search(r"About (\d+) requests: .*, ([0-9.]+) in all\.", out).groups()
    assert int(requests) == 36 + 7 and 0 < float(cost) < 1
    assert "idea number 0" in out and f"{server.url}/chat/completions" in out


def test_a_dry_run_in_json_is_one_object_with_the_request(judge, server):
    code, out, _ = judge("--dry-run", "--json", "--pairs", "--temperature", 0.5, yes=False)
    foreseen = json.loads(out)
    assert code == 0 and not server.requests and foreseen["list_size"] == 2
    assert foreseen["request"]["temperature"] == 0.5 and foreseen["request"]["logprobs"] is True
    assert items_shown(foreseen["request"]) == ["idea number 0", "idea number 1"]


def test_the_forecast_is_what_it_then_takes(judge, server):
    code, out, _ = judge("--dry-run", "--json", "--list", 5, items=50)
    foreseen = json.loads(out)
    assert judge("--list", 5, items=50)[0] == 0
    assert code == 0 and len(server.requests) == foreseen["requests"]
    pairs = sum(len(texts) == 2 for texts in shown(server))
    assert pairs == foreseen["audit"]


def test_without_a_terminal_and_a_yes_nothing_is_asked_or_written(judge, server, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO())
    code, _, err = judge(yes=False)
    assert code == 2 and "--yes" in err and err.count("\n") == 1
    assert not server.requests and [path.name for path in tmp_path.iterdir()] == ["ideas.txt"]


def test_at_a_terminal_a_no_leaves_nothing_and_a_yes_begins_and_shows_who_is_on_top(server, tmp_path):
    server.delay = 0.05
    (tmp_path / "ideas.txt").write_text("\n".join(f"idea number {k}" for k in range(12)))
    asked = ["judge", "ideas.txt", "--ask", "Which?", "--llm", server.url, "--model", "m", "--pairs"]
    code, said = at_terminal("n\n", *asked, folder=tmp_path)
    assert code == 130 and "Begin? [y/N]" in said and said.endswith("ordain: stopped.\r\n")
    assert not server.requests and [path.name for path in tmp_path.iterdir()] == ["ideas.txt"]
    code, said = at_terminal("y\n", *asked, "--out", "out.jsonl", folder=tmp_path)
    assert code == 0 and re.search(r"now on top: \d+, ", said) and " of 66 requests" in said
    assert texts(tmp_path / "out.jsonl") == falling(12)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "ITEMS or --run must be given"),
        (["--llm", "http://127.0.0.1:9/v1"], "--llm and --model must be given"),
        (["ideas.txt", "--llm", "http://127.0.0.1:9/v1", "--model", "m"], "--ask must say what to judge by"),
        (["ideas.txt", "--add"], "--add and --check need --run"),
        (["ideas.txt", "--check", "3"], "--add and --check need --run"),
        (["--run", "new.run", "--again", "--llm", "http://127.0.0.1:9/v1", "--model", "m"], "must have questions"),
    ],
)
def test_what_is_missing_is_said_in_one_line(run, tmp_path, arguments, says):
    (tmp_path / "ideas.txt").write_text("a\nb\nc")
    Run.create("new.run", ["a", "b"], "Which?").close()
    code, _, err = run("judge", *arguments)
    assert code == 2 and says in err and err.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ideas.txt", "new.run"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--guarantee", "--list", "5"], "--guarantee is QuickSort on pairs"),
        (["--guarantee", "--sure", "0.9", "--top", "3"], "--guarantee runs to its end"),
        (["--guarantee", "--both-orders"], "--guarantee shows each pair once"),
        (["--pairs", "--list", "5"], "--pairs asks two at a time"),
        (["--both-orders"], "--both-orders is for pairs"),
        (["--sure", "0.9"], "needs --top"),
        (["--sure", "1.5", "--top", "3"], "--sure must be a chance"),
        (["--max-cost", "1"], "Got no --price"),
        (["--max-cost", "nan", "--price", "1,2"], "--max-cost must be an amount"),
        (["--max-cost", "-1", "--price", "1,2"], "--max-cost must be an amount"),
        (["--max-cost", "0.0001", "--price", "1,2"], "which one request may cost at most"),
        (["--max-cost", "0.002", "--price", "1,2", "--max-tokens", "10"], "enough to show each of the 12 items once"),
        (["--price", "free"], "--price must be two numbers"),
        (["--top", "13"], "--top must be at most the number of items, 12"),
        (["--top", "0"], "--top must be 1 or more"),
        (["--list", "27"], "--list must be auto or a number from 2 to 26"),
        (["--list", "many"], "--list must be auto or a number"),
        (["--concurrency", "0"], "--concurrency must be 1 or more"),
        (["--max-chars", "20"], "two items must fit"),
        (["--key-env", "NO_SUCH_VARIABLE"], "NO_SUCH_VARIABLE is not set"),
        (["--extra", "[1]"], "--extra must be a JSON object"),
        (["--budget", "-5"], "--budget must be"),
    ],
)
def test_what_does_not_go_together_is_refused_before_anything_is_sent(judge, server, tmp_path, options, says):
    code, _, err = judge(*options)
    assert code == 2 and says in err and err.count("\n") == 1
    assert not server.requests and [path.name for path in tmp_path.iterdir()] == ["ideas.txt"]


def test_a_template_for_pairs_is_refused_with_lists(judge, server, tmp_path):
    (tmp_path / "own.txt").write_text("{question} {a} or {b}? {answer}")
    code, _, err = judge("--prompt", "own.txt")
    assert code == 2 and "{items}" in err and not server.requests and not Path("ideas.run").exists()
    assert judge("--prompt", "own.txt", "--pairs")[0] == 0


@pytest.mark.parametrize("kind", [["--pairs"], ["--list", "4"], []])
def test_a_budget_below_the_least_is_refused_naming_the_least(judge, server, kind):
    code, _, err = judge(*kind, "--budget", 1, items=30)
    least = int(re.search(r"--budget must be (\d+) requests or more", err)[1])
    assert code == 2 and not server.requests and not Path("ideas.run").exists()
    assert judge(*kind, "--budget", least - 1, items=30)[0] == 2
    assert judge(*kind, "--budget", least, "--out", "out.jsonl", items=30)[0] == 0
    assert len(server.requests) == least
    assert kind == ["--pairs"] or all(row["shown"] for row in rows("out.jsonl"))


@pytest.mark.parametrize("arguments", [["--again"]])
def test_nobody_to_ask_and_no_run_is_refused(run, tmp_path, arguments):
    (tmp_path / "ideas.txt").write_text("a\nb\nc")
    code, _, err = run("judge", "ideas.txt", "--ask", "Which?", *arguments)
    assert code == 2 and "--llm" in err


# What it writes


def test_the_order_is_right_and_written_in_every_form(judge, server):
    for form in ("csv", "tsv", "jsonl", "parquet"):
        assert judge("--pairs", "--out", f"out.{form}")[0] == 0
    assert len(server.requests) == len(set(shown(server)))
    found = rows("out.jsonl")
    assert [row["rank"] for row in found] == list(range(1, 13))
    assert found[0]["text"] == "idea number 11" and found[-1]["text"] == "idea number 0"
    names = {"rank", "id", "text", "tier", "score", "standard_error", "rank_low", "rank_high", "wins", "losses"}
    assert names <= set(found[0]) and Path("out.csv").read_text().startswith("rank,id,text,")


def test_json_is_one_object(judge, server):
    code, out, err = judge("--json", "--out", "out.csv", "--price", "1,2")
    told = json.loads(out)
    assert (code, err, out.count("\n")) == (0, "", 1)
    assert told["requests"] == len(server.requests) and told["order"][0] == "12"
    assert told["cost"] == pytest.approx(len(server.requests) * (100 + 2 * 2) / 1e6)
    assert told["tokens_read"] == 100 * len(server.requests)


def test_an_order_on_standard_output_is_nothing_but_the_order(judge):
    code, out, err = judge("--out", "-", "--pairs", items=6)
    lines = out.splitlines()
    assert code == 0 and lines[0].startswith("rank,id,text") and len(lines) == 7
    assert "About" in err and "requests" in err


def test_out_is_not_overwritten_and_that_is_known_before_anything_is_asked(judge, server):
    Path("out.csv").write_text("mine")
    code, _, err = judge("--out", "out.csv")
    assert code == 2 and "--force" in err and not server.requests
    assert judge("--out", "out.csv", "--force")[0] == 0 and Path("out.csv").read_text().startswith("rank")


def test_a_run_that_goes_on_replaces_what_it_wrote_and_nothing_else(judge, server):
    places = ("--out", "out.csv", "--report", "out.html")
    assert judge("--pairs", *places)[0] == 0 and "<svg" in Path("out.html").read_text()
    done = len(server.requests)
    assert judge("--pairs", *places)[0] == 0 and len(server.requests) == done
    Path("out.html").write_text("mine")
    code, _, err = judge("--pairs", *places)
    assert code == 2 and "out.html exists" in err and Path("out.html").read_text() == "mine"


def test_the_order_is_told_again_from_a_finished_run_without_asking(judge, run, server):
    assert judge("--pairs", "--out", "one.jsonl", "--top", 4)[0] == 0
    done = len(server.requests)
    code, out, err = run("judge", "--run", "ideas.run", "--out", "two.jsonl")
    assert (code, err, len(server.requests)) == (0, "", done)
    assert rows("one.jsonl") == rows("two.jsonl") and "Of the first 4" in out
    code, _, err = run("judge", "--run", "ideas.run", "--top", 100)
    assert code == 2 and "--top" in err


def test_the_order_so_far_is_told_of_an_unfinished_run(judge, run, server):
    stopping = better(first_number)
    server.judge = lambda request: stopping(request) if len(server.requests) <= 20 else "Both."
    assert judge("--pairs")[0] == 1
    code, out, err = run("judge", "--run", "ideas.run", "--out", "part.jsonl")
    assert (code, err) == (0, "") and len(rows("part.jsonl")) == 12 and "requests" in out


@pytest.mark.parametrize(("kind", "audit"), [(["--pairs"], 20), (["--list", "4"], 10), (["--guarantee"], 10)])
@pytest.mark.parametrize("asked", [False, True])
def test_a_run_that_stopped_before_anything_was_ranked_claims_nothing_of_its_order(
    judge, run, server, kind, audit, asked
):
    """The first requests are the audit, of which no order was made yet."""
    refused = Fault(401, {"error": {"message": "no"}})
    server.judge = lambda request: better(first_number)(request) if len(server.requests) <= audit * asked else refused
    assert judge(*kind, "--concurrency", 1, items=16)[0] == 1
    code, out, err = run("judge", "--run", "ideas.run", "--json", "--out", "out.csv", "--report", "out.html")
    told = json.loads(out)
    assert (code, err, told["audit"]) == (0, "", None) and len(told["order"]) == 16
    assert not any("the order agrees" in sentence for sentence in told["sentences"])
    server.judge = better(first_number)
    assert json.loads(judge(*kind, "--json", items=16)[1])["audit"]["value"] > 0.7


# Going on


def test_a_finished_run_asks_nothing_more(judge, server):
    assert judge()[0] == 0
    done = len(server.requests)
    code, out, _ = judge()
    assert code == 0 and len(server.requests) == done
    assert f"{done} requests were made before. Nothing is left to be asked." in out


@pytest.mark.parametrize("kind", [["--pairs"], ["--list", "4"], ["--guarantee"]])
def test_a_raised_budget_and_another_top_ask_no_question_twice(judge, server, kind):
    for options in (["--budget", 40], ["--budget", 60], ["--budget", 80, "--top", 3], ["--top", 5]):
        before = len(server.requests)
        code, _, err = judge(*kind, *options, items=16)
        assert (code, err) == (0, "") and not set(shown(server)[:before]) & set(shown(server, before))
        if "--budget" in options:
            assert before < len(server.requests) <= options[1] or kind == ["--guarantee"]
            assert len(server.requests) <= max(options[1], before)
    if kind != ["--list", "4"]:
        assert max(Counter(map(frozenset, shown(server))).values()) == 1


def test_a_budget_that_is_spent_says_so_and_asks_nothing(judge, server):
    assert judge("--pairs", "--budget", 40)[0] == 0
    code, out, _ = judge("--pairs", "--budget", 30)
    assert code == 0 and len(server.requests) == 40
    assert "40 requests were made before. Nothing is left to be asked." in out


CHANGED = [
    ({"ask": "Which is smaller?"}, "The question changed"),
    ({"items": 13}, "The items changed"),
    ({"model": "other"}, "judge (model)"),
    (["--temperature", "1"], "judge (temperature)"),
    (["--prompt", "own.txt"], "judge (prompt)"),
    (["--system", "You are strict."], "judge (system)"),
    (["--why"], "judge (why)"),
    (["--extra", '{"seed": 2}'], "judge (extra)"),
]


def test_another_judge_question_or_other_items_are_refused_saying_which(judge, server):
    assert judge()[0] == 0
    Path("own.txt").write_text("{question}\n{items}\n{answer}")
    done, run_file = len(server.requests), Path("ideas.run").read_bytes()
    for options, changed in CHANGED:
        code, _, err = judge(**options) if isinstance(options, dict) else judge(*options)
        assert code == 2 and changed in err and err.count("\n") == 1, options
        assert len(server.requests) == done and Path("ideas.run").read_bytes() == run_file, options


def test_another_prompt_in_the_same_file_is_refused(judge, server):
    Path("own.txt").write_text("{question}\n{items}\n{answer}")
    assert judge("--prompt", "own.txt")[0] == 0
    Path("own.txt").write_text("{question}\n\n{items}\n{answer}")
    code, _, err = judge("--prompt", "own.txt")
    assert code == 2 and "judge (prompt)" in err


def test_the_same_seed_asks_the_same(judge, server):
    for name in ("one.run", "two.run"):
        assert judge("--run", name, "--seed", 3, "--concurrency", 1)[0] == 0
    half = len(server.requests) // 2
    assert shown(server)[:half] == shown(server)[half:]
    assert judge("--run", "three.run", "--seed", 4, "--concurrency", 1)[0] == 0
    assert shown(server)[2 * half :] != shown(server)[:half]


# Sorts, certainty, both orders, reasons, lengths


def test_a_guarantee_is_told_with_its_promise_and_has_no_scores(judge, run, server):
    code, out, _ = judge("--guarantee", "--out", "out.jsonl", items=9)
    assert code == 0 and "QuickSort's: its expected loss" in out and "at most twice" in out
    assert texts("out.jsonl") == falling(9)
    assert all(row["score"] is None and row["rank_low"] is None and row["tier"] is None for row in rows("out.jsonl"))
    assert "at most twice" in run("judge", "--run", "ideas.run")[1]
    assert "at most twice" in judge("--guarantee", "--budget", len(server.requests), items=9)[1]


@pytest.mark.parametrize("limit", [["--budget", "15"], ["--price", "1,2", "--max-cost", "0.01", "--max-tokens", "500"]])
def test_a_limit_that_ends_a_sort_voids_its_promise_in_words(judge, run, server, limit):
    server.judge = lambda request: completion(better(first_number)(request), usage=None)
    code, out, _ = judge("--guarantee", *limit)
    assert code == 0 and "it promises nothing" in out and "at most twice" not in out
    assert "it promises nothing" in run("judge", "--run", "ideas.run")[1]
    server.judge = better(first_number)
    code, out, _ = judge("--guarantee", "--out", "out.jsonl", *limit[2:4] and ["--max-tokens", "500"])
    assert code == 0 and "at most twice" in out and "promises nothing" not in out


def test_a_sort_that_was_stopped_promises_nothing(judge, run, server):
    sensible = better(first_number)
    server.judge = lambda request: sensible(request) if len(server.requests) <= 12 else "Both."
    assert judge("--guarantee", items=20)[0] == 1
    assert "it promises nothing" in run("judge", "--run", "ideas.run")[1]


def test_sure_ends_early_and_says_what_it_saved(judge, server):
    code, out, _ = judge("--top", 5, "--budget", 150, "--sure", 0.5, "--json", items=40)
    told = json.loads(out)
    assert code == 0 and told["requests"] == len(server.requests) < 130
    assert 0.5 <= told["sure"] < 1 and told["order"][:5] == ["40", "39", "38", "37", "36"]
    chance, saved = re.search(
        r"a chance of (\d+) in 100 .* saved about (\d+) req", " ".join(told["sentences"])
    ).groups()
    assert int(chance) == round(100 * told["sure"])
    assert 0.8 * (150 - told["requests"]) < int(saved) <= 150 - told["requests"]


def test_both_orders_asks_each_pair_twice(judge, server):
    code, _, _ = judge("--pairs", "--both-orders", "--out", "out.jsonl", items=9)  # too few for an audit
    assert code == 0 and texts("out.jsonl")[0] == "idea number 8"
    asked = Counter(shown(server))
    assert set(asked.values()) == {1} and all(pair[::-1] in asked for pair in asked)


def test_contradictions_are_told_of(judge, server):
    server.judge = lambda _: "A"
    _, out, _ = judge("--pairs", "--both-orders", "--json", items=9)
    told = json.loads(out)["judge"]["contradictions"]
    assert told["value"] == 1 and told["of"] == len(server.requests) // 2


def test_why_keeps_and_shows_reasons(judge, run, server, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")

    def with_reason(request):
        texts = fenced(request)
        best = max(texts, key=lambda label: first_number(texts[label]))
        return f"Because {texts[best].replace(' ', '-')} is [bold]large.\nVerdict: {best}"

    server.judge = with_reason
    code, out, _ = judge("--pairs", "--why", items=6)
    assert code == 0 and "Because idea-number-5 is [bold]large." in out and "idea-number-1 is" in out
    server.requests.clear()
    assert "idea-number-5 is" in run("judge", "--run", "ideas.run")[1] and not server.requests


def test_a_reason_of_a_list_that_cannot_be_read_is_not_shown(judge, server):
    sensible = better(first_number)

    def judges(request):
        lists = [one for one in server.requests if len(fenced(one.body)) > 2]
        return "Reason: nice ones.\nNo order." if len(lists) in (9, 10) else "Reason: fine.\n" + sensible(request)

    server.judge = judges
    code, out, err = judge("--why", "--list", 4, "--concurrency", 1, items=20)
    assert (code, err) == (0, "") and "could not be read" in out and "nice ones" not in out and "fine." in out


def test_long_items_make_lists_short_and_cut_shortens_them(run, server, tmp_path):
    lines = [f"idea number {k} {'x' * (500 if k == 3 else 50)}" for k in range(12)]
    (tmp_path / "ideas.txt").write_text("\n".join(lines))
    asked = ["judge", "ideas.txt", "--ask", "Which?", "--llm", server.url, "--model", "m", "--yes", "--max-chars", 800]
    code, out, _ = run(*asked)
    assert code == 0 and "Lists have 5 items" in out and "'4' has 514" in out
    assert max(sum(map(len, texts)) for texts in shown(server)) <= 800
    server.requests.clear()
    code, out, _ = run(*asked, "--cut", "--run", "cut.run", "--out", "out.jsonl")
    assert code == 0 and "1 items are shown with their first 100 characters only." in out.replace(
        "1 item is", "1 items are"
    )
    assert all(len(text) <= 100 for texts in shown(server) for text in texts)
    assert any("[…cut]" in text for texts in shown(server) for text in texts)
    assert {len(row["text"]) for row in rows("out.jsonl")} >= {514}
    assert run(*asked, "--cut", "--force", "--max-tokens", 500)[0] == 0  # limits may change where they were too tight


# Again, export, status


def test_the_same_questions_are_asked_again_and_the_judges_compared(judge, run, server):
    server.judge = better(first_number, logprobs=True)
    assert judge("--pairs", items=9)[0] == 0
    first = sorted(shown(server))
    server.requests.clear()
    again = ["judge", "--run", "ideas.run", "--again", "--llm", server.url, "--model", "other", "--yes"]
    code, out, err = run(*again)
    assert (code, err) == (0, "") and sorted(shown(server)) == first and "ideas-again.run" in out
    assert f"About {len(first)} requests" in out
    code, out, _ = run(*again)
    assert code == 0 and len(server.requests) == len(first) and "Nothing is left to be asked" in out
    for name in ("ideas", "ideas-again"):
        assert run("export", f"{name}.run", "--out", f"{name}.jsonl")[0] == 0
    votes = rows("ideas.jsonl")
    assert len(votes) == len(first) and all(0 < vote["p_left"] < 1 and vote["judge"] == "m" for vote in votes)
    code, out, err = run("rank", "ideas.jsonl", "ideas-again.jsonl", "--json")
    assert (code, err) == (0, "") and "other" in out and json.loads(out)


def test_other_items_are_not_asked_again(judge, run, server, tmp_path):
    assert judge(items=12)[0] == 0
    (tmp_path / "ideas.txt").write_text("\n".join("abcdefghijkl"))
    done = len(server.requests)
    code, _, err = run(
        "judge",
        "ideas.txt",
        "--ask",
        "Which number is larger?",
        "--again",
        "--llm",
        server.url,
        "--model",
        "b",
        "--yes",
    )
    assert code == 2 and "items changed" in err and len(server.requests) == done
    assert not Path("ideas-again.run").exists()


def test_a_dry_run_of_asking_again_writes_nothing(judge, run, server):
    assert judge()[0] == 0
    done = len(server.requests)
    code, out, _ = run(
        "judge", "--run", "ideas.run", "--again", "--llm", server.url, "--model", "b", "--dry-run", "--json"
    )
    assert code == 0 and json.loads(out)["requests"] == done == len(server.requests)
    assert not Path("ideas-again.run").exists()


def test_an_export_of_lists_is_read_by_rank_and_holds_no_secret(judge, run, server):
    assert judge(items=30)[0] == 0
    code, out, _ = run("export", "ideas.run")
    votes = [json.loads(line) for line in out.splitlines()]
    assert code == 0 and len(votes) == len(server.requests)
    assert {name for vote in votes for name in vote} == {"order", "judge", "shown", "weight", "p_left"}
    secret = json.loads(_fact("ideas.run", "secret"))
    assert len(secret) == 64 and secret not in out
    marks = {re.search(r"<<<A (\S+)>>>", request.body["messages"][1]["content"])[1] for request in server.requests}
    assert len(marks) == len(server.requests) and not any(mark in out for mark in marks)
    assert run("export", "ideas.run", "--out", "votes.jsonl")[0] == 0
    assert run("rank", "votes.jsonl", "--out", "board.jsonl")[0] == 0
    assert [row["item"] for row in rows("board.jsonl")][:3] == ["30", "29", "28"]


def _fact(path, name):
    with closing(sqlite3.connect(path)) as run:
        return run.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()[0]


def test_status_reads_while_another_process_works(run, server, tmp_path):
    server.delay = 0.03
    (tmp_path / "ideas.txt").write_text("\n".join(f"idea number {k}" for k in range(20)))
    asked = ["judge", "ideas.txt", "--ask", "Which?", "--llm", server.url, "--model", "m", "--yes", "--pairs"]
    code = "from ordain.cli import main; import sys; main(sys.argv[1:])"
    with subprocess.Popen(
        [sys.executable, "-c", code, *asked, "--concurrency", "2"], cwd=tmp_path, stdout=subprocess.PIPE
    ) as working:
        while len(server.requests) < 10:
            assert working.poll() is None
            time.sleep(0.01)
        ended, out, err = run("status", "ideas.run", "--json")
        told = json.loads(out)
        assert (ended, err) == (0, "") and 1 <= told["requests"] < 120 and len(told["uncertain"]) <= 2
        refused = run(*asked)
        assert refused[0] == 2 and "one process at a time" in refused[2]
        assert working.wait(60) == 0
        working.stdout.read()
    code, out, _ = run("status", "ideas.run")
    assert code == 0 and f"{len(server.requests)} requests" in out and "Nothing is uncertain." in out


# What it says of a judge


@pytest.fixture
def large_audits(monkeypatch):
    """A fifth of all requests, and circles told of from ten triples on, as thousands of requests take long."""
    monkeypatch.setattr(shares, "AUDIT", 0.2)
    monkeypatch.setattr(summary, "TRIPLES", 10)


def told_of(judge, server, answer, *options, items=40):
    server.judge = answer
    code, out, _ = judge("--pairs", "--json", *options, items=items)
    assert code == 0
    return json.loads(out)


def test_a_judge_that_always_says_first_is_told_so_with_figures(judge, server):
    told = told_of(judge, server, lambda _: "A", items=16)
    said = " ".join(told["sentences"])
    assert told["judge"]["character"] == "The judge always says first" and told["judge"]["first_shown"]["value"] == 1
    assert f"The judge always says first. The first shown won 1.00 of {len(server.requests):,}" in said.replace(
        "1.000", "1.00"
    )


def test_a_cyclic_judge_is_told_so_with_figures(judge, server, large_audits):
    def cyclic(request):
        first, second = (first_number(text) for text in items_shown(request))
        return "A" if (second - first) % 51 <= 25 else "B"

    told = told_of(judge, server, cyclic, "--budget", 400, items=51)
    assert told["judge"]["triples"] >= 10 and told["judge"]["cyclic"] == pytest.approx(0.26, abs=0.2)
    assert any("are in a circle; of coins 0.250 would be" in sentence for sentence in told["sentences"])
    assert any("the answers look random or circular" in sentence for sentence in told["sentences"])


def test_a_judge_that_answers_at_random_is_told_so_with_figures(judge, server, large_audits):
    def coin(request):
        first, second = sorted(items_shown(request))
        heads = hashlib.sha256(f"{first}|{second}".encode()).digest()[0] % 2
        return "A" if (items_shown(request)[0] == first) == bool(heads) else "B"

    told = told_of(judge, server, coin, "--budget", 400, items=50)
    assert told["judge"]["triples"] >= 10 and told["judge"]["cyclic"] == pytest.approx(0.25, abs=0.2)
    assert any("the answers look random or circular" in sentence for sentence in told["sentences"])
    assert told["audit"]["low"] < 0.6


def test_a_good_judge_has_no_character(judge, server, large_audits):
    told = told_of(judge, server, better(first_number), "--budget", 400, items=50)
    assert told["judge"]["character"] is None and told["audit"]["value"] > 0.9
    assert told["judge"]["triples"] >= 10 and told["judge"]["cyclic"] == 0
    assert not any("random" in sentence for sentence in told["sentences"])


def test_lists_that_come_back_as_shown_are_counted(judge, server):
    server.judge = lambda request: "A" if len(fenced(request)) == 2 else "Order: " + " > ".join(fenced(request))
    code, out, _ = judge("--json", items=30)
    told = json.loads(out)["lists"]
    assert code == 0 and told["as_shown"] == told["lists"] == 36 and told["earlier"]["value"] == 1


@pytest.mark.parametrize("kind", [["--pairs"], []])
def test_what_the_top_is_worth(judge, server, kind):
    code, out, _ = judge("--top", 5, "--json", *kind, items=24)
    told = json.loads(out)
    assert code == 0 and told["order"][:3] == ["24", "23", "22"]
    assert 0 <= told["surely_in_top"] <= told["expected_in_top"] <= 5
    assert any(sentence.startswith("Of the first 5, ") for sentence in told["sentences"])


def test_a_text_of_several_lines_is_shown_in_one(run, server, tmp_path):
    rows = [{"id": f"i{k}", "text": f"number\n\t{k}\nand more"} for k in range(12)]
    (tmp_path / "items.jsonl").write_text("\n".join(map(json.dumps, rows)))
    asked = ["judge", "items.jsonl", "--ask", "Which is larger?", "--llm", server.url, "--model", "m", "--yes"]
    code, out, _ = run(*asked, "--out", "ranked.csv")
    assert code == 0 and "number 11 and more" in out and "u000a" not in out
