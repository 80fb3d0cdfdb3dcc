"""The commands as people use them: figures that agree with the library, one line for every wrong input."""

import gzip
import json
import math
import os
import re
import signal
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from commands.in_turn import in_turn
from judge.killing import at_terminal

import ordain
from ordain.evaluation import Evaluation, FirstRows
from ordain.evaluation.words import auc_in_words, top_in_words
from ordain.losses import LOSSES

GOOD = "who,churned,score,other,weight,team,stars\n" + "".join(
    f"p{i},{'yes' if i % 3 else 'no'},{(i * 7) % 11},{(i * 5) % 13},{1 + i % 4},t{i % 4},{i % 5}\n" for i in range(60)
)


@pytest.fixture
def good(run):
    Path("good.csv").write_text(GOOD)
    labels = np.array([int(i % 3 > 0) for i in range(60)])
    return labels, np.array([(i * 7) % 11 for i in range(60)]), np.array([(i * 5) % 13 for i in range(60)])


def test_evaluate_says_what_the_library_says(run, good):
    labels, scores, _ = good
    code, out, err = run("evaluate", "good.csv", "--label", "churned", "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    interval = ordain.auc_interval(labels, scores)
    assert found.items() >= (vars(interval) | {"auc": interval.value}).items() - {("value", interval.value)}
    assert found["positive"] == "yes"
    assert found["classes"] == {"positive": 40, "negative": 20}
    assert found["top"][-1].items() >= vars(ordain.top(labels, scores, 12)).items()
    assert found["top"][-1]["precision_low"] is None  # a tie across the border
    assert found["partial_auc"] == ordain.partial_auc(labels, scores, max_fpr=0.05)


def test_evaluate_for_people_names_the_positive_class_and_the_method(run, good):
    code, out, err = run("evaluate", "good.csv", "--label", "churned")
    assert (code, err) == (0, "")
    assert "40 positive (yes), 20 negative" in out
    assert str(ordain.auc_interval(good[0], good[1])) in out


def test_evaluate_says_in_plain_words_what_the_figures_mean(run, good):
    labels, scores, _ = good
    said = run("evaluate", "good.csv", "--label", "churned")[1]
    times = round(100 * ordain.auc(labels, scores))
    before = f"A row with churned = yes comes before one without {times} times in 100; a coin has 50"
    assert f"{before}, which the interval does not rule out.\n" in said
    first = ordain.top(labels, scores, 6)
    found = 6 * first.precision
    assert f"Act on the first 6 rows, and {found:.0f} of them ({first.precision:.0%}) have churned = yes" in said
    assert "by lot it would be 4.\n" in said
    grouped = run("evaluate", "good.csv", "--label", "churned", "--group", "team")[1]
    assert "\nWithin a team, a row with churned = yes comes before one without " in grouped
    weighted = run("evaluate", "good.csv", "--label", "churned", "--weight", "weight")[1]
    assert "\nBy weight, a row with churned = yes comes before one without " in weighted
    graded = run("evaluate", "good.csv", "--label", "stars", "--graded")[1]
    times = round(100 * ordain.auc(np.arange(60) % 5, scores, graded=True))
    assert f"\nOf two rows with different stars, the better one comes first {times} times in 100; a coin" in graded
    assert all("Act on" not in out for out in (grouped, weighted, graded))


AREAS = {0.0: "0 times in 100", 0.004: "4 times in 1,000", 0.56: "56 times in 100", 0.994: "99 times in 100"}
AREAS |= {0.9951: "995 times in 1,000", 0.99996: "99,996 times in 100,000", 1.0: "100 times in 100"}


@pytest.mark.parametrize(("area", "often"), AREAS.items())
def test_an_area_is_never_rounded_to_always_or_never(area, often):
    said = auc_in_words(Evaluation(9, {}, "yes", area), "y")
    assert f" {often}; a coin has " in said
    in_all = int(often.partition(" in ")[2].replace(",", ""))
    assert f"a coin has {in_all // 2:,}" in said
    assert said.endswith("Turned around, the order would be better.") == (area < 0.5)


def test_the_first_tenth_is_told_from_twenty_rows_on():
    for rows in (19, 20, 21):
        tenth = FirstRows(math.ceil(rows / 10), precision=0.5, recall=1.0, lift=2.0)
        found = Evaluation(rows, {"positive": 5, "negative": rows - 5}, "yes", 0.6, top=(tenth,))
        assert (top_in_words(found, "y") is None) == (rows < 20)
    assert (
        top_in_words(found, "y")
        == "Act on the first 3 rows, and 1.5 of them (50%) have y = yes; by lot it would be 0.7."
    )


@pytest.mark.parametrize("method", ["effective", "exact", "guaranteed", "delong"])
def test_every_interval_can_be_asked_for(run, good, method):
    _, out, _ = run("evaluate", "good.csv", "--label", "churned", "--ci", method, "--level", "0.9", "--json")
    interval = ordain.auc_interval(good[0], good[1], method=method, level=0.9)
    assert json.loads(out)["low"] == interval.low
    assert json.loads(out)["method"] == method


def test_weights_groups_clusters_and_grades_reach_the_library(run, good):
    labels, scores, _ = good
    rows = np.arange(60)
    base = ("evaluate", "good.csv", "--label", "churned", "--json")
    weighted = json.loads(run(*base, "--weight", "weight")[1])
    assert weighted["auc"] == ordain.auc(labels, scores, weights=1 + rows % 4)
    assert weighted["method"] == "effective"
    assert weighted["low"] == ordain.auc_interval(labels, scores, weights=1 + rows % 4).low
    assert weighted["top"] == []
    grouped = json.loads(run(*base, "--group", "team")[1])
    assert grouped["auc"] == ordain.auc(labels, scores, groups=rows % 4)
    clustered = json.loads(run(*base, "--cluster", "team")[1])
    assert clustered["low"] == ordain.auc_interval(labels, scores, clusters=rows % 4).low
    graded = json.loads(run("evaluate", "good.csv", "--label", "stars", "--graded", "--json")[1])
    assert graded["auc"] == ordain.auc(rows % 5, scores, graded=True)
    assert graded["low"] is None
    assert graded["note"]


def test_positive_turns_the_classes_around(run, good):
    found = json.loads(run("evaluate", "good.csv", "--label", "churned", "--positive", "no", "--json")[1])
    assert found["positive"] == "no"
    assert found["auc"] == ordain.auc(1 - good[0], good[1])


def test_compare_says_what_the_library_says(run, good):
    labels, scores, other = good
    options = ("compare", "good.csv", "--label", "churned", "--score", "score", "--score", "other")
    found = json.loads(run(*options, "--json")[1])
    comparison = ordain.compare_auc(labels, scores, other)
    assert {name: found[name] for name in vars(comparison)} == vars(comparison)
    assert found["auc"] == {"score": ordain.auc(labels, scores), "other": ordain.auc(labels, other)}
    _, out, _ = run(*options)
    assert f"difference {comparison.difference:+.2f}" in out


def test_losses_lists_every_loss(run):
    found = json.loads(run("losses", "--json")[1])["losses"]
    assert {row["name"]: row["strength"] for row in found} == {name: loss.strength for name, loss in LOSSES.items()}
    _, out, _ = run("losses")
    assert all(name in out for name in LOSSES)


def test_demo_is_the_commands_it_shows(run):
    code, out, err = run("demo")
    assert (code, err) == (0, "")
    told = run("demo", "--help")[1]
    assert sorted(os.listdir()) == sorted(re.findall(r"ordain-demo[-a-z.]+[a-z]", told))
    commands = [line[9:].split() for line in out.splitlines() if line.startswith("$ ordain ")]
    assert [command[0] for command in commands] == ["fit", "score", "evaluate"]
    found = json.loads(run(*commands[-1], "--json", "--force")[1])
    assert f"AUC {found['auc']:.2f}," in out and f"The report is in {found['report']}." in out
    assert found["rows"] == 300
    model = Path("ordain-demo-model.ordain").read_bytes()
    assert run(*commands[0], "--force")[0] == 0
    assert Path("ordain-demo-model.ordain").read_bytes() == model


def test_demo_without_what_draws_pages_says_how_to_get_it(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    code, out, err = run("demo")
    assert (code, err) == (0, "")
    assert out.endswith('For a page with pictures too: pip install "ordain[report]"\n') and "--report" not in out
    assert not any(name.endswith(".html") for name in os.listdir())


@pytest.mark.parametrize("missing", ["httpx", "uvicorn"])
def test_judge_without_what_it_needs_says_how_to_get_it(run, monkeypatch, missing):
    monkeypatch.setitem(sys.modules, missing, None)
    code, out, err = run("judge", "ideas.txt", "--ask", "Which?")
    assert (code, out) == (2, "")
    assert err.endswith('Install it: pip install "ordain[judge]"\n') and err.count("\n") == 1


def test_a_report_is_of_one_table_and_its_page_needs_a_name(run, good):
    os.mkdir("many")
    for name in ("a", "b"):
        Path(f"many/{name}.csv").write_text(GOOD)
    code, out, err = run("evaluate", "many", "--label", "churned", "--report", "page.html")
    assert (code, out) == (2, "") and "--report draws rows that are in one table" in err
    code, out, err = run("report", "-", "--label", "churned")
    assert (code, out) == (2, "") and "--out must be given where the table comes from standard input" in err
    assert not any(name.endswith(".html") for name in os.listdir())
    code, out, err = run("report", "good.csv", "--label", "churned", "--json")
    told = json.loads(out)
    assert (code, err, told["report"], told["target"]) == (0, "", "good.html", "good.csv")
    assert told["answer"] and all(f">{sentence}" in Path("good.html").read_text() for sentence in told["answer"])


def test_an_excess_loss_that_is_wanted_is_told_programs_too(run):
    found = json.loads(run("bound", "regret", "--prevalence", "0.2", "--wanted", "0.1", "--json")[1])
    assert (found["auc_regret"], found["theorem"], found["regret"]) == (None, None, None)
    regret = ("bound", "regret", "--prevalence", "0.2", "--regret", found["needed"], "--json")
    assert json.loads(run(*regret)[1])["auc_regret"] == pytest.approx(0.1)


def test_tables_stay_whole_in_sixty_columns(run, good, monkeypatch):
    """No name is cut off, no line is longer than the terminal, and no figure is torn."""
    monkeypatch.setenv("COLUMNS", "60")
    shown = {
        ("losses",): LOSSES,
        ("compare", "good.csv", "--label", "churned", "--score", "score", "--score", "other"): ["score", "other"],
        ("evaluate", "good.csv", "--label", "churned"): ["precision", "recall", "lift"],
    }
    for command, names in shown.items():
        out = run(*command)[1]
        assert "…" not in out
        assert all(name in out.split() for name in names)
    assert max(map(len, run("losses")[1].splitlines())) <= 60
    fit = ("fit", "good.csv", "--label", "churned", "--model", "linear", "--drop", "who", "--goal", "top:20%")
    out = run(*fit)[1].partition("Means over")[0]
    table = out[out.index("candidate") :]
    assert max(map(len, out.splitlines())) <= 60
    assert all(f"\nlinear {kind} " in table for kind in ("balanced", "pointwise", "pairwise", "push 4"))


MISTYPED = {
    ("evalute",): "'evaluate'",
    ("bound", "sorting"): "'sort'",
    ("evaluate", "good.csv", "--lable", "churned"): "'--label'",
    ("evaluate", "good.csv", "--label", "churned", "--ci", "delng"): "'delong'",
    ("evaluate", "good.csv", "--label", "chruned"): "'churned'",
    ("fit", "good.csv", "--label", "churned", "--model", "liner"): "'linear'",
    ("fit", "good.csv", "--label", "churned", "--reduction", "Pairwize"): "'pairwise'",
    ("fit", "good.csv", "--label", "churned", "--loss", "logstic"): "'logistic'",
    ("fit", "good.csv", "--label", "churned", "--goal", "AUC"): "'auc'",
    ("fit", "good.csv", "--label", "churned", "--goal", "tpo:3%"): "'top:3%'",
    ("fit", "good.csv", "--label", "churned", "--goal", "pacu:0.1"): "'pauc:0.1'",
    ("fit", "good.csv", "--label", "churned", "--goal", "ndgc:5"): "'ndcg:5'",
    ("theorems", "B-thm11"): "'B-thm1'",
    ("theorems", "u-psy"): "'U-psi'",
    ("bound", "regret", "--loss", "exponental", "--prevalence", "0.2", "--regret", "0.1"): "'exponential'",
}


@pytest.mark.parametrize(("command", "meant"), MISTYPED.items(), ids=lambda of: of if isinstance(of, str) else of[-1])
def test_what_was_mistyped_is_guessed(run, good, command, meant):
    code, out, err = run(*command)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert meant in err.partition("Did you mean ")[2]


def test_what_is_like_nothing_is_not_guessed(run, good):
    for command in (("xyz",), ("fit", "good.csv", "--label", "churned", "--goal", "precision")):
        assert "Did you mean" not in run(*command)[2]


def test_help_has_examples_for_every_command(run):
    for command in ("evaluate", "compare", "losses", "demo"):
        code, out, _ = run(command, "--help")
        assert code == 0
        assert f"ordain {command}" in out.split("Example")[1]


def csv(*rows, header="y,score"):
    return "\n".join([header, *rows]) + "\n"


LABELLED = ("--label", "y")
PLAIN = csv("1,2", "0,1", "1,3")
WRONG = {
    "no file": (None, LABELLED, "There is none of that name"),
    "a folder": ("folder", LABELLED, "folder"),
    "empty": ("", LABELLED, "empty"),
    "header only": (csv(), LABELLED, "row"),
    "no label option": (PLAIN, (), "Missing option '--label'"),
    "unknown option": (PLAIN, (*LABELLED, "--lable", "y"), "No such option"),
    "unknown method": (PLAIN, (*LABELLED, "--ci", "bootstrap"), "bootstrap"),
    "level above one": (PLAIN, (*LABELLED, "--level", "95"), "level must lie strictly between 0 and 1. Got 95"),
    "level no number": (PLAIN, (*LABELLED, "--level", "high"), "high"),
    "level zero": (PLAIN, (*LABELLED, "--level", "0"), "level must lie strictly"),
    "missing label column": (PLAIN, ("--label", "churned"), "'churned'"),
    "missing score column": (PLAIN, (*LABELLED, "--score", "scores"), "'scores'"),
    "missing weight column": (PLAIN, (*LABELLED, "--weight", "w"), "'w'"),
    "missing group column": (PLAIN, (*LABELLED, "--group", "g"), "'g'"),
    "missing cluster column": (PLAIN, (*LABELLED, "--cluster", "c"), "'c'"),
    "duplicate columns": (csv("1,2,3", header="y,score,score"), LABELLED, "'score'"),
    "short row": (csv("1,2", "0", "1,3"), LABELLED, "row 2"),
    "long row": (csv("1,2", "0,1,5", "1,3"), LABELLED, "row 2"),
    "unclosed quote": (csv("1,2", '0,"1', "1,3"), LABELLED, "quote"),
    "text score": (csv("1,2", "0,high"), LABELLED, "row 2"),
    "nan score": (csv("1,2", "0,nan"), LABELLED, "row 2"),
    "infinite score": (csv("1,2", "0,inf"), LABELLED, "row 2"),
    "overflowing score": (csv("1,2", "0,1e400"), LABELLED, "row 2"),
    "empty score": (csv("1,2", "0,"), LABELLED, "row 2"),
    "one class": (csv("1,2", "1,3"), LABELLED, "Got positives only"),
    "three labels": (csv("1,2", "0,3", "2,1"), LABELLED, "two values"),
    "which is positive": (csv("fraud,2", "ok,3"), LABELLED, "--positive"),
    "unknown positive": (csv("fraud,2", "ok,3"), (*LABELLED, "--positive", "good"), "'good'"),
    "negative weight": (csv("1,2", "0,-3"), (*LABELLED, "--weight", "score"), "weights must not be negative"),
    "weights with exact": (
        PLAIN,
        (*LABELLED, "--weight", "score", "--ci", "exact"),
        "weights need method 'effective' or 'delong'",
    ),
    "groups with exact": (PLAIN, (*LABELLED, "--group", "score", "--ci", "exact"), "needs independent rows"),
    "groups of one class": (PLAIN, (*LABELLED, "--group", "score"), "both classes"),
    "groups and clusters": (PLAIN, (*LABELLED, "--group", "y", "--cluster", "y"), "not both"),
    "cluster holds a class": (PLAIN, (*LABELLED, "--cluster", "y"), "cluster"),
    "graded text": (csv("good,2", "bad,3"), (*LABELLED, "--graded"), "row 1"),
    "graded with positive": (PLAIN, (*LABELLED, "--graded", "--positive", "1"), "--graded must stand alone"),
    "one grade": (csv("2,2", "2,3"), (*LABELLED, "--graded"), "two different grades"),
    "delong of one positive": (csv("1,2", "0,3", "0,4"), (*LABELLED, "--ci", "delong"), "to rest on two rows at least"),
    "nul byte": (b"y,score\n1,2\n0,\x003\n", LABELLED, "NUL"),
    "cut-off gzip": (gzip.compress(PLAIN.encode() * 50)[:40], LABELLED, "gzip"),
}


@pytest.mark.parametrize(("content", "options", "said"), WRONG.values(), ids=WRONG)
def test_wrong_input_gets_one_line_and_exit_code_two(run, content, options, said):
    if content == "folder":
        os.mkdir("file.csv")
    elif content is not None:
        Path("file.csv").write_bytes(content if isinstance(content, bytes) else content.encode())
    before = sorted(os.listdir())
    code, out, err = run("evaluate", "file.csv", *options)
    assert code == 2
    assert out == ""
    assert err.count("\n") == 1
    assert said.lower() in err.lower(), err
    assert sorted(os.listdir()) == before


def test_compare_wants_two_columns(run, good):
    code, out, err = run("compare", "good.csv", "--label", "churned", "--score", "score")
    assert (code, out) == (2, "")
    assert "--score must be given twice. Got 1" in err


def test_no_command_shows_help_and_an_unknown_one_is_refused(run):
    assert "Commands:" in run()[1]
    code, _, err = run("evalute")
    assert code == 2
    assert "evalute" in err


def test_a_failure_while_working_is_one_line_and_exit_code_one(run, good, monkeypatch):
    """A fault no input can cause: the measure itself breaks."""
    monkeypatch.setattr("ordain.evaluation.figures.partial_auc", lambda *_, **__: 1 / 0)
    code, out, err = run("evaluate", "good.csv", "--label", "churned")
    assert (code, out) == (1, "")
    assert err.startswith("ordain: failed: ZeroDivisionError")
    assert err.count("\n") == 1


def test_where_a_failure_came_about_is_shown_if_that_is_asked_for(run, good, monkeypatch):
    monkeypatch.setattr("ordain.evaluation.figures.partial_auc", lambda *_, **__: 1 / 0)
    monkeypatch.setenv("ORDAIN_TRACEBACK", "1")
    with pytest.raises(ZeroDivisionError):
        run("evaluate", "good.csv", "--label", "churned")


def started(*arguments, **options):
    """A command of its own, with Ctrl-C as a terminal gives it (a test run in the background ignores it)."""
    listen = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # noqa: E731
    return subprocess.Popen([sys.executable, "-m", "ordain", *arguments], preexec_fn=listen, **options)


def test_standard_input():
    reading = started("evaluate", "-", "--label", "churned", "--json", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    out, _ = reading.communicate(GOOD.encode(), timeout=300)
    assert reading.returncode == 0
    assert math.isclose(
        json.loads(out)["auc"], ordain.auc([i % 3 > 0 for i in range(60)], [(i * 7) % 11 for i in range(60)])
    )


@pytest.fixture(scope="module")
def table_and_model(tmp_path_factory):
    """A table with a Greek column and a model of it; the table is larger than a pipe holds."""
    folder = tmp_path_factory.mktemp("pipes")
    rows = [f"{i % 3 % 2},{i * 7 % 101},{'αβ'[i * i % 7 % 2]}" for i in range(20_000)]
    (folder / "big.csv").write_text("\n".join(["y,x,λ", *rows]), encoding="utf-8")
    (folder / "small.csv").write_text("\n".join(["y,x,λ", *rows[:60]]), encoding="utf-8")
    (folder / "other.csv").write_text("y,x,λ\n1,2,γ\n0,3,α\n", encoding="utf-8")
    (folder / "parts").mkdir()
    small = pl.read_csv(folder / "small.csv")
    small.write_parquet(folder / "parts" / "a.parquet")
    ordain.fit(small, "y", model="linear", reduction="balanced").save(folder / "m.ordain")
    return folder


SHOWN = {
    "a table": ("losses",),
    "JSON": ("losses", "--json"),
    "help": ("losses", "--help"),
    "no command": (),
    "sentences": ("bound", "auc", "--positives", "200", "--negatives", "2000"),
    "statements": ("theorems", "--list"),
    "checks": ("theorems", "U-psi"),
    "figures": ("evaluate", "big.csv", "--label", "y", "--score", "x"),
    "all rows": ("score", "big.csv", "--model", "m.ordain", "--out", "-"),
    "some rows": ("score", "big.csv", "--model", "m.ordain", "--out", "-", "--top", "3"),
}
PICTURES = {
    "of a table": ("evaluate", "small.csv", "--label", "y", "--score", "x"),
    "of slices": ("evaluate", "parts", "--label", "y", "--score", "x"),
}
AS_JSON = {"JSON of rows": ("score", "other.csv", "--model", "m.ordain", "--out", "r.csv", "--force", "--json")}


@pytest.fixture(scope="module")
def shown(table_and_model):
    """Encoding → name → how that command ended where its output had that encoding."""
    return cache(
        lambda encoding: in_turn(SHOWN | PICTURES | AS_JSON, table_and_model, PYTHONIOENCODING=encoding),
    )


@pytest.fixture(scope="module")
def unread(table_and_model):
    """Name → how that command ended where nobody reads, as after `| head -1`."""
    return in_turn(SHOWN, table_and_model, reader=False)


@pytest.mark.parametrize("name", SHOWN)
def test_a_reader_who_is_gone_is_no_fault(unread, name):
    assert unread[name] == (1, b"", b"")


@pytest.mark.parametrize("name", ["a table", "help"])
def test_a_reader_who_is_gone_is_no_fault_until_the_process_has_ended(name):
    read_end, write_end = os.pipe()
    os.close(read_end)
    losing = started(*SHOWN[name], stdout=write_end, stderr=subprocess.PIPE, env=os.environ | {"PYTHONUNBUFFERED": ""})
    os.close(write_end)
    assert (losing.communicate(timeout=300)[1], losing.returncode) == (b"", 1)


@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_small_pictures_are_drawn_where_their_signs_can_be(shown, encoding):
    """Of a table, and of the files of a folder, which are read slice by slice."""
    for name in PICTURES:
        code, out, err = shown(encoding)[name]
        out = out.decode(encoding)
        assert (code, err) == (0, b""), name
        assert "precision" in out and ("\nROC  ▁" in out) == ("\nlift " in out) == (encoding == "utf-8"), name


def test_on_a_terminal_one_sees_what_takes_a_moment(table_and_model, shown):
    code, said = at_terminal("", *SHOWN["figures"], folder=table_and_model)
    assert code == 0 and "Reading big.csv" in said and "20,000 rows" in said
    assert b"Reading" not in shown("utf-8")["figures"].err


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
@pytest.mark.parametrize("name", SHOWN)
def test_output_of_any_encoding(shown, name, encoding):
    """What an encoding lacks is escaped; a table is always in UTF-8, and so is help where the encoding is ASCII."""
    code, out, _ = shown(encoding)[name]
    assert code == (2 if name == "no command" else 0)
    in_bytes = name in ("all rows", "some rows") or (name == "help" and encoding == "ascii")
    out = out.decode("utf-8" if in_bytes else encoding)
    greek = "λ" if encoding == "utf-8" or in_bytes else "\\u03bb"
    if name in ("a table", "help", "all rows", "some rows"):
        assert greek in out
    if name == "JSON":
        assert len(json.loads(out)["losses"]) == len(LOSSES)


def test_json_of_any_encoding_means_the_same(shown):
    found = [json.loads(shown(encoding)["JSON of rows"].out) for encoding in ("ascii", "utf-8")]
    assert found[0] == found[1]
    assert found[0]["unseen"] == {"λ": 1}


def test_ctrl_c_stops_in_the_middle_of_reading_with_130():
    options = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    reading = started("evaluate", "-", "--label", "y", **options)
    reading.stdin.write(b"y,score\n" + b"1,2\n0,1\n" * 100_000)  # more than a pipe holds: it returns once rows are read
    reading.stdin.flush()
    assert reading.poll() is None
    reading.send_signal(signal.SIGINT)
    assert reading.wait(timeout=300) == 130
    assert (reading.stdout.read(), reading.stderr.read()) == (b"", b"\nordain: stopped.\n")
    reading.stdin.close()
    reading.stdout.close()
    reading.stderr.close()
