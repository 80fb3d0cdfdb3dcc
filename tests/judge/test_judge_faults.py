"""The whole command against every fault that a net, a server or a model can have, one request and eight at a time."""

import json
import sqlite3
import time
from collections import Counter
from contextlib import closing
from email.utils import formatdate

import pytest
from judge.scripted_endpoint import Endpoint, Fault, better, completion, fenced, first_number, items_shown

ITEMS = [f"idea number {number}" for number in (3, 1, 4, 15, 9, 2, 6)]
RIGHT = sorted(ITEMS, key=first_number, reverse=True)
PAIRS = len(ITEMS) * (len(ITEMS) - 1) // 2

pytestmark = pytest.mark.usefixtures("no_waiting")


@pytest.fixture
def judge(run, tmp_path):
    """Run the command on the items, against a server."""
    (tmp_path / "ideas.txt").write_text("\n".join(ITEMS))

    def command(server, *options):
        asked = ["judge", "ideas.txt", "--ask", "Which number is larger?", "--llm", server.url, "--model", "m"]
        return run(*asked, "--yes", *options)

    return command


class Faulty:
    """A judge that errs on every `every`-th request, at most `most` times, `hits` so far; `once` on each question."""

    def __init__(self, fault, *, every=3, most=5, well=None, once=False):
        self.fault, self.every, self.most, self.well = fault, every, most, well or better(first_number)
        self.asked, self.hits, self.once = 0, 0, once
        self.met = set()

    def __call__(self, request):
        self.asked += 1
        shown = tuple(items_shown(request))
        due = self.asked % self.every == 1 % self.every and not (self.once and shown in self.met)
        if due and self.hits < self.most:
            self.hits += 1
            self.met.add(shown)
            return self.fault(request) if callable(self.fault) else self.fault
        return self.well(request)


def journal(path="ideas.run"):
    """Every request of a run, with its outcome and answer, None for those without."""
    with closing(sqlite3.connect(path)) as run:
        return run.execute(
            "SELECT outcome, answer FROM asked LEFT JOIN replied ON replied.asked = number ORDER BY number"
        ).fetchall()


def order(path="out.jsonl"):
    with open(path) as file:
        return [json.loads(line)["text"] for line in file]


def best_first(request):
    """The labels from the best to the worst."""
    shown = fenced(request)
    return sorted(shown, key=lambda label: -first_number(shown[label]))


def says(form):
    """A judge of pairs that says, in these words, which has the larger number."""

    def judge(request):
        winner, loser = best_first(request)
        return form.format(winner=winner, loser=loser)

    return judge


PAST = "Thu, 01 Jan 1970 00:01:00 GMT"
PASSING = {
    "429 seconds": Fault(429, {"error": {"message": "slow down"}}, {"Retry-After": "0.05"}),
    "429 milliseconds": Fault(429, "", {"retry-after-ms": "20"}),
    "429 past": Fault(429, "", {"Retry-After": PAST}),
    "429 negative": Fault(429, "", {"Retry-After": "-3"}),
    "429 garbage": Fault(429, "", {"Retry-After": "soon"}),
    "429 nothing": Fault(429),
    "500": Fault(500, {"error": "oops"}),
    "503": Fault(503, "<html>busy</html>", {"Retry-After": "0"}),
    "529": Fault(529),
    "reset": Fault(end="reset"),
    "empty": Fault(200, ""),
    "HTML": Fault(200, "<!doctype html><title>Login</title>"),
    "cut JSON": Fault(200, '{"choices": [{"message": {"content": "A'),
    "cut line": Fault(200, json.dumps(completion("A")), end="cut"),
    "no choices": Fault(200, {"choices": []}),
    "error in 200": Fault(200, {"error": {"code": 429, "message": "busy"}}),
}
UNREADABLE = {
    "refusal": "I'm sorry, I cannot help with that.",
    "both": "Both are equally good choices.",
    "NaN": "NaN",
    "nothing": "",
    "two verdicts": "Verdict: A\nVerdict: B",
    "thinking to the end": "<think>A is larger, so A",
    "cut": completion("The better one of the", finish="length"),
    "null": completion(None),
}
READABLE = {
    "loser last": "Text {winner} has more than {loser}. Verdict: {winner}. Close, {loser}!",
    "loser in thought": "<think>{loser}? No, {winner}? Or {loser}. I say {loser}</think>\n{winner}",
    "json": '{{"reason": "{loser} is less", "winner": "{winner}"}}',
    "bold": "**{winner}**",
}


@pytest.mark.parametrize(
    ("name", "concurrency"),
    [*((name, 8) for name in PASSING), *((name, 1) for name in ("429 seconds", "429 nothing", "reset", "cut JSON"))],
)
def test_what_passes_is_asked_again_and_the_order_is_right(judge, name, concurrency):
    faulty = Faulty(PASSING[name])
    with Endpoint(faulty) as server:
        code, out, err = judge(server, "--pairs", "--concurrency", concurrency, "--out", "out.jsonl")
    assert (code, err) == (0, "")
    ends = Counter(outcome for outcome, _ in journal())
    assert faulty.hits == 5 and ends == {"fault": 5, "answer": PAIRS}
    assert len(server.requests) == PAIRS + 5 and order() == RIGHT
    assert f"{PAIRS + 5} requests" in out and "5 requests met a fault of the line or the server" in out


@pytest.mark.parametrize("concurrency", [1, 8])
def test_a_reply_that_never_comes_is_given_up_and_asked_again(judge, concurrency):
    faulty = Faulty(Fault(end="silent"), most=2)
    with Endpoint(faulty) as server:
        code, _, err = judge(server, "--pairs", "--timeout", 1, "--concurrency", concurrency, "--out", "out.jsonl")
    assert (code, err, faulty.hits) == (0, "", 2) and order() == RIGHT
    ends = Counter(outcome for outcome, _ in journal())
    assert ends["answer"] == PAIRS and ends["fault"] >= 2  # on a machine that stands still others are late too


def test_all_wait_as_long_as_the_server_asks_by_a_date(judge):
    came = []

    def limited(request):
        came.append(time.monotonic())
        if len(came) == 5:
            return Fault(429, "", {"Retry-After": formatdate(time.time() + 2, usegmt=True)})
        return better(first_number)(request)

    with Endpoint(limited) as server:
        code, _, _ = judge(server, "--pairs", "--concurrency", 3, "--out", "out.jsonl")
    assert code == 0 and order() == RIGHT and len(came) == PAIRS + 1
    # Two more may have been out with it. A date has whole seconds, so that two of them are more than one.
    assert all(later - came[4] > 0.95 for later in came[7:])


@pytest.mark.parametrize("concurrency", [1, 8])
@pytest.mark.parametrize("name", ["429 past", "500", "reset", "HTML"])
def test_what_does_not_pass_stops_with_one_line_and_goes_on_later(judge, name, concurrency):
    faulty = Faulty(PASSING[name], every=1, most=10**9)
    answered = []

    def after_six(request):
        if len(answered) < 6:
            answered.append(tuple(items_shown(request)))
            return better(first_number)(request)
        return faulty(request)

    with Endpoint(after_six) as server:
        code, out, err = judge(server, "--pairs", "--concurrency", concurrency)
        assert code == 1 and err.count("\n") == 1 and err.startswith("ordain: 127.0.0.1:")
        assert "8 times in a row" in err and "the same command goes on" in err and "idea number" not in out
        assert faulty.hits <= 8 * concurrency
        assert len(journal()) == len(server.requests) == 6 + faulty.hits
        server.judge = better(first_number)
        server.requests.clear()
        code, _, err = judge(server, "--pairs", "--concurrency", concurrency, "--out", "out.jsonl")
    assert (code, err) == (0, "") and order() == RIGHT
    later = [tuple(items_shown(request.body)) for request in server.requests]
    assert len(later) == PAIRS - 6 and not set(later) & set(answered)


@pytest.mark.parametrize(
    ("status", "says", "advice"),
    [
        (400, "This model's maximum context length is 4096 tokens", ("--list 5", "--cut")),
        (401, "bad key", ("ORDAIN_API_KEY",)),
        (403, "no", ("ORDAIN_API_KEY",)),
        (404, "no such model", ("/v1", "model")),
    ],
)
@pytest.mark.parametrize("concurrency", [1, 8])
def test_a_refusal_stops_at_once_with_advice(judge, status, says, advice, concurrency):
    with Endpoint(lambda _: Fault(status, {"error": {"message": says}})) as server:
        code, _, err = judge(server, "--list", 4, "--concurrency", concurrency)
        assert code == 1 and err.count("\n") == 1 and f"answered {status}: {says}" in err
        assert all(word in err for word in advice)
        assert 1 <= len(server.requests) == len(journal()) <= concurrency
        server.judge = better(first_number)
        assert judge(server, "--list", 4, "--out", "out.jsonl")[0] == 0
    assert order() == RIGHT


def test_a_limit_that_lets_some_through_does_not_stop_the_run(judge):
    well, came = better(first_number), []

    def limited(request):
        came.append(request)
        return Fault(429, "", {"Retry-After": "0.01"}) if len(came) % 6 else well(request)

    with Endpoint(limited) as server:
        code, _, err = judge(server, "--pairs", "--concurrency", 8, "--out", "out.jsonl")
    assert (code, err) == (0, "") and order() == RIGHT
    assert len(server.requests) == len(journal()) == 6 * PAIRS


@pytest.mark.parametrize(("name", "concurrency"), [*((name, 8) for name in UNREADABLE), ("refusal", 1), ("null", 1)])
def test_what_cannot_be_read_once_is_asked_again(judge, name, concurrency):
    faulty = Faulty(UNREADABLE[name], once=True)
    with Endpoint(faulty) as server:
        code, out, err = judge(server, "--pairs", "--concurrency", concurrency, "--out", "out.jsonl")
    ends = Counter(outcome for outcome, _ in journal())
    assert (code, err, faulty.hits) == (0, "", 5) and len(server.requests) == PAIRS + 5
    assert ends == {"unreadable": 5, "answer": PAIRS} and order() == RIGHT
    assert "5 replies could not be read; 0 questions" in out


@pytest.mark.parametrize(("name", "concurrency"), [*((name, 8) for name in UNREADABLE), ("refusal", 1), ("null", 1)])
def test_what_cannot_be_read_twice_is_a_tie_that_is_counted(judge, name, concurrency):
    def mute_on_two(request):
        shown = set(items_shown(request))
        return UNREADABLE[name] if shown == {"idea number 4", "idea number 6"} else better(first_number)(request)

    with Endpoint(mute_on_two) as server:
        code, out, err = judge(server, "--pairs", "--concurrency", concurrency, "--out", "out.jsonl")
    assert (code, err) == (0, "") and len(server.requests) == PAIRS + 1
    ties = [(outcome, answer) for outcome, answer in journal() if outcome == "unreadable"]
    assert ties == [("unreadable", None), ("unreadable", "0.5")]
    assert "2 replies could not be read; 1 question had none" in out and "count as ties" in out
    assert [text for text in order() if text not in ("idea number 4", "idea number 6")] == [
        text for text in RIGHT if text not in ("idea number 4", "idea number 6")
    ]
    with open("out.jsonl") as file:
        rows = {row["text"]: row for row in map(json.loads, file)}
    assert rows["idea number 4"]["ties"] == rows["idea number 6"]["ties"] == 1
    assert sum(row["ties"] for row in rows.values()) == 2


@pytest.mark.parametrize("name", READABLE)
def test_verdicts_in_any_words_are_read(judge, name):
    with Endpoint(says(READABLE[name])) as server:
        assert judge(server, "--pairs", "--out", "out.jsonl")[0] == 0
    assert order() == RIGHT and len(server.requests) == PAIRS


def test_reasoning_in_a_field_of_its_own_is_no_verdict(judge):
    def judges(request):
        winner, loser = best_first(request)
        return completion(winner, reasoning_content=f"I think that {loser} wins. Verdict: {loser}")

    with Endpoint(judges) as server:
        assert judge(server, "--pairs", "--out", "out.jsonl")[0] == 0
    assert order() == RIGHT


@pytest.mark.parametrize("concurrency", [1, 8])
def test_more_than_a_fifth_of_pairs_unreadable_stops_with_one_line(judge, concurrency):
    with Endpoint(lambda _: "Both!") as server:
        code, _, err = judge(server, "--pairs", "--concurrency", concurrency)
    assert code == 1 and err.count("\n") == 1
    assert "More than 10 of the last 11 could not be read" in err and "'Both!'" in err
    assert 11 <= len(server.requests) == len(journal()) <= 11 + concurrency


def test_replies_that_were_cut_advise_more_tokens(judge):
    with Endpoint(lambda _: completion("I would", finish="length")) as server:
        code, _, err = judge(server, "--pairs")
    assert code == 1 and "--max-tokens" in err


LISTS = {
    "missing": (lambda labels: labels[:-1], (1, 0, 0)),
    "twice": (lambda labels: [*labels, labels[0]], (0, 1, 0)),
    "unknown": (lambda labels: [*labels, "Q"], (0, 0, 1)),
}


@pytest.mark.parametrize("concurrency", [1, 8])
@pytest.mark.parametrize("name", LISTS)
def test_labels_missing_twice_or_unknown_are_counted_and_the_rest_is_used(judge, name, concurrency):
    form, noted = LISTS[name]
    faulty = Faulty(lambda request: "Order: " + " > ".join(form(best_first(request))), every=2)
    with Endpoint(faulty) as server:
        code, out, err = judge(server, "--list", 4, "--concurrency", concurrency, "--out", "out.jsonl")
    assert (code, err) == (0, "") and faulty.hits == 5 and order() == RIGHT
    missing, repeated, invented = (5 * one for one in noted)
    assert f"In lists {missing} labels were missing, {repeated} there twice and {invented} invented." in out
    assert len(server.requests) == len(journal()) and "could not be read" not in out


@pytest.mark.parametrize(
    ("instead", "concurrency"), [*((name, 8) for name in ("texts", *UNREADABLE)), ("texts", 1), ("null", 1)]
)
def test_lists_that_cannot_be_read_once_are_asked_again(judge, instead, concurrency):
    def texts(request):
        shown = fenced(request)
        return "\n".join(shown[label] for label in best_first(request))

    faulty = Faulty(texts if instead == "texts" else UNREADABLE[instead], every=7, most=2, once=True)
    with Endpoint(faulty) as server:
        code, out, err = judge(server, "--list", 4, "--concurrency", concurrency, "--out", "out.jsonl")
    assert (code, err, faulty.hits) == (0, "", 2) and order() == RIGHT
    assert Counter(outcome for outcome, _ in journal())["unreadable"] == 2 and len(server.requests) == len(journal())
    assert "2 replies could not be read; 0 questions" in out


@pytest.mark.parametrize("concurrency", [1, 8])
@pytest.mark.parametrize(("listed", "items"), [((), 20), (("--list", 5), 10), (("--top", 2, "--list", 4), 12)])
def test_lists_that_nobody_can_read_become_shorter_and_then_pairs(run, tmp_path, concurrency, listed, items):
    texts = [f"idea number {number}" for number in range(items)]
    (tmp_path / "ideas.txt").write_text("\n".join(texts))

    def only_pairs(request):
        return better(first_number)(request) if len(fenced(request)) == 2 else "I like them all."

    with Endpoint(only_pairs) as server:
        asked = ["judge", "ideas.txt", "--ask", "Which?", "--llm", server.url, "--model", "m", "--yes", *listed]
        code, out, err = run(*asked, "--concurrency", concurrency, "--out", "out.jsonl")
        sizes = [len(fenced(request.body)) for request in server.requests]
        assert (code, err) == (0, "") and max(sizes) == (10 if not listed else listed[-1])
        assert order()[0] == texts[-1]
        assert "More than one list in five could not be read" in out and "pairs" in out
        assert ("lists of 5, then pairs" in out) == (not listed)
        assert sum(size > 2 for size in sizes) <= 2 * (2 + concurrency)
        done = len(server.requests)
        assert run(*asked, "--concurrency", concurrency)[0] == 0 and len(server.requests) == done


def test_lists_asked_again_of_a_model_that_cannot_order_stop_in_words(judge, run):
    with Endpoint(better(first_number)) as server:
        assert judge(server, "--list", 4)[0] == 0
        server.judge = lambda _: "I like them all."
        code, _, err = run("judge", "--run", "ideas.run", "--again", "--llm", server.url, "--model", "other", "--yes")
    assert code == 1 and err.count("\n") == 1 and "lists must come back in an order" in err


@pytest.mark.parametrize("concurrency", [1, 8])
@pytest.mark.parametrize("kind", ["--pairs", "--list=4"])
@pytest.mark.parametrize("budget", [8, 13])
def test_no_more_requests_than_the_budget_whatever_fails(judge, concurrency, kind, budget):
    kinds = iter([*PASSING.values(), *UNREADABLE.values()] * 100)
    faulty = Faulty(lambda _: next(kinds), every=2, most=10**9)
    with Endpoint(faulty) as server:
        code, out, err = judge(server, kind, "--concurrency", concurrency, "--budget", budget, "--out", "out.jsonl")
    assert code in (0, 1) and faulty.hits >= 4
    assert len(server.requests) == len(journal()) <= budget
    if code == 0:
        assert len(server.requests) == budget and f"{budget} requests" in out and sorted(order()) == sorted(ITEMS)
    else:
        assert err.count("\n") == 1


def everything(request):
    """A reply that used all that may be used: every byte of the prompt was a token, and so many were written."""
    usage = (len(json.dumps(request["messages"], ensure_ascii=False).encode()), request["max_tokens"])
    said = better(first_number)(request)
    return completion(said, usage=usage)


def cost_of(server, price=(1.0, 2.0)):
    """What all requests that a server got may have cost at most."""
    bodies = [request.body for request in server.requests]
    read = sum(len(json.dumps(body["messages"], ensure_ascii=False).encode()) for body in bodies)
    return (read * price[0] + sum(body["max_tokens"] for body in bodies) * price[1]) / 1e6


@pytest.mark.parametrize("concurrency", [1, 8])
@pytest.mark.parametrize("usage", ["all", "none", "faults"])
def test_the_most_money_is_never_passed_and_all_of_it_is_used(judge, concurrency, usage):
    judges = {
        "all": everything,
        "none": lambda request: completion(better(first_number)(request), usage=None),
        "faults": Faulty(Fault(500), every=3, most=10**9, well=everything),
    }
    most = 0.03
    with Endpoint(judges[usage]) as server:
        code, out, _ = judge(
            server, "--pairs", "--max-tokens", 500, "--price", "1,2", "--max-cost", most, "--concurrency", concurrency,
            "--json",
        )  # fmt: skip
    each = cost_of(server) / len(server.requests)
    assert code == 0 and cost_of(server) <= most < cost_of(server) + 1.1 * each
    assert json.loads(out)["cost"] == pytest.approx(cost_of(server), rel=1e-9)


def test_money_that_was_only_reserved_is_spent_later(judge):
    """Eight requests could cost more than is allowed; each costs little, and so all are asked."""
    with Endpoint(better(first_number)) as server:
        code, out, _ = judge(
            server, "--pairs", "--max-tokens", 1000, "--price", "1,2", "--max-cost", 0.012, "--concurrency", 8, "--json"
        )
    assert code == 0 and len(server.requests) == PAIRS
    assert json.loads(out)["cost"] == pytest.approx(PAIRS * (100 + 2 * 2) / 1e6)


def test_replies_without_usage_are_said_to_have_no_tokens(judge):
    with Endpoint(better(first_number), usage=False) as server:
        code, out, _ = judge(server, "--pairs", "--out", "out.jsonl")
    assert code == 0 and order() == RIGHT and "tokens read" not in out.split("rank", 1)[1]


@pytest.mark.parametrize("concurrency", [1, 8])
def test_a_server_without_logprobs_is_asked_without_them(judge, concurrency):
    def refuses(request):
        if "logprobs" in request:
            return Fault(400, {"error": {"message": "logprobs is not supported"}})
        return better(first_number)(request)

    with Endpoint(refuses) as server:
        code, _, err = judge(server, "--pairs", "--concurrency", concurrency, "--out", "out.jsonl")
    refused = sum("logprobs" in request.body for request in server.requests)
    assert (code, err) == (0, "") and order() == RIGHT
    assert 1 <= refused <= concurrency and len(server.requests) == len(journal()) == PAIRS + refused


def test_a_server_that_cannot_be_reached_costs_no_requests(judge):
    with Endpoint(better(first_number)) as server:
        pass
    code, _, err = judge(server, "--pairs", "--concurrency", 1)
    assert code == 1 and "cannot be reached" in err and err.count("\n") == 1
    assert [outcome for outcome, _ in journal()] == ["unsent"] * 8
    with Endpoint(better(first_number), port=server.port) as server:
        code, out, _ = judge(server, "--pairs", "--json")
    assert code == 0 and json.loads(out)["requests"] == PAIRS
