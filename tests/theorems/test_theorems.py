"""The table of theorems: every row is there and passes; the command shows what was measured, and what fails."""

import json
import math
from functools import partial
from importlib import import_module
from pkgutil import iter_modules, resolve_name

import numpy as np
import pytest

from ordain import rank, theorems
from ordain.bounds.interval import auc_interval
from ordain.theorems import table
from ordain.theorems.row import Measured, Row, row

NAMES = [
    *("B-train", "B-degree", "B-loss", "B-thm1", "B-decomp", "B-thm2", "B-landau", "B-thm3", "B-thm4", "B-approx"),
    *("B-ex1", "B-ex2", "B-pointwise", "B-scorer", "B-multi", "B-sets"),
    *("S-risks", "S-cpe", "S-savage", "S-zoo", "S-thm10", "S-thm13", "S-cor12", "S-pair", "S-bartlett"),
    *("S-kotlowski", "S-lownoise", "S-consistent"),
    *("Q-pref", "Q-sort", "Q-topk", "Q-omega", "Q-lemma1", "Q-thm1", "Q-thm2", "Q-cor12", "Q-thm3", "Q-thm4"),
    *("Q-regrets", "Q-greedy"),
    *("U-auc", "U-matrix", "U-psi", "U-shatter", "U-thm2", "U-freund", "U-mcdiarmid"),
    *("M-risk", "M-pair", "M-optimal", "M-decomp", "M-regret", "M-nondecomp", "M-push", "M-pclass", "M-equiv"),
    *("X-sharp", "X-lownoise", "X-uniform", "X-calls", "X-degree", "X-topk", "X-tail", "X-coin"),
    *("X-matching", "X-topcalls", "X-prevalence", "X-list"),
    *("X-guaranteed", "X-exact", "X-effective", "X-clusters", "X-weights", "X-compared", "X-run", "X-anytime"),
]
QUICK = ["B-loss", "U-auc", "X-tail"]


@pytest.fixture
def run(run, monkeypatch):
    """Run `ordain theorems`; its exit code, standard output and standard error."""
    monkeypatch.setenv("COLUMNS", "100")
    return partial(run, "theorems")


@pytest.fixture
def broken(monkeypatch):
    """A table with a row that passes, one that fails and one that breaks off."""

    @row("Z-false", "two is less than [one]", "exact")
    def false(rng, effort):
        return Measured(3, 2.0, "how much two is", False)

    @row("Z-raises", "one over nothing is something", "numeric")
    def raises(rng, effort):
        return Measured(1, 1 / 0, "something", True)

    found = {"U-auc": table.ROWS["U-auc"], false.name: false, raises.name: raises}
    monkeypatch.setattr(table, "ROWS", found)


def test_the_table_has_every_row_in_order():
    assert list(table.ROWS) == NAMES
    assert all(name == found.name for name, found in table.ROWS.items())


def test_no_row_is_left_out():
    modules = [import_module(f"ordain.theorems.{found.name}") for found in iter_modules(theorems.__path__)]
    written = {found.name for module in modules for found in vars(module).values() if isinstance(found, Row)}
    assert written == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_row_passes(name):
    [(found, measured, seconds)] = table.run([name], effort=1, seed=11)
    assert measured.passed, measured
    assert measured.cases > 0
    assert math.isfinite(measured.figure)
    assert found.how in ("exact", "numeric", "sampled")
    if found.how == "exact" and name[0] in "SM" and name != "S-cor12":
        assert measured.figure == 0
    assert seconds >= 0


LIES = {
    "B-train": "training.auc",
    "B-degree": "exact.tournaments.degree_mistakes",
    "B-loss": "balcan.auc_loss",
    "B-thm1": "few_items.order_loss",
    "B-decomp": "few_items.preference_loss",
    "B-thm2": "exact.tournaments.degree_mistakes",
    "B-landau": "exact.tournaments.with_scores",
    "B-thm3": "exact.tournaments.is_landau",
    **dict.fromkeys(["B-thm4", "B-approx"], "exact.feedback.fewest_back_edges"),
    "B-ex1": "exact.tournaments.degree_mistakes",
    "B-ex2": "exact.feedback.back_edges",
    "B-pointwise": "exact.examples.pointwise_regret",
    "B-scorer": "exact.tournaments.pair_mistakes",
    "B-multi": "balcan_limits.precedence",
    "B-sets": "balcan_limits.auc",
    **dict.fromkeys(["S-risks", "S-pair"], "exact.distributions.Finite.ranking_error"),
    **dict.fromkeys(["S-cpe", "S-savage"], "agarwal.is_regular"),
    "S-zoo": "agarwal.numeric_strength",
    "S-thm10": "agarwal.Loss.regret",
    **dict.fromkeys(["S-thm13", "S-cor12", "S-bartlett"], "exact.distributions.Finite.ranking_regret"),
    **dict.fromkeys(["S-kotlowski", "S-lownoise", "S-consistent"], "exact.distributions.Finite.ranking_regret"),
    "Q-pref": "ailon_mohri.check_matrix",
    "Q-sort": "exact.quicksort_law.output_distribution",
    "Q-topk": "exact.quicksort_law.expected_calls",
    "Q-omega": "ailon_mohri.measure.importance_loss",
    "Q-lemma1": "exact.quicksort_law.beta",
    **dict.fromkeys(["Q-thm1", "Q-cor12"], "exact.quicksort_law.expected_loss"),
    **dict.fromkeys(["Q-thm2", "Q-thm4"], "exact.quicksort_law.precedence"),
    "Q-thm3": "exact.calls.in_order_calls",
    "Q-regrets": "exact.regrets.local_optimum",
    "Q-greedy": "ailon_mohri_limits.rank.greedy",
    "U-auc": "uniform_convergence.auc",
    "U-matrix": "uniform_convergence.realisable",
    "U-psi": "uniform_convergence.psi",
    "U-shatter": "uniform_convergence.faces",
    **dict.fromkeys(["U-thm2", "U-mcdiarmid"], "uniform_convergence.Finite.wins"),
    "U-freund": "uniform_convergence.uniform.freund",
    "M-risk": "exact.distributions.Finite.risk",
    "M-pair": "menon.pair_optimum",
    "M-optimal": "menon.is_auc_optimal",
    **dict.fromkeys(["M-decomp", "M-nondecomp", "M-push", "M-equiv"], "menon.bipartite_optimum"),
    "M-regret": "menon.calibration",
    "M-pclass": "menon.classification_optimum",
    **dict.fromkeys(["X-sharp", "X-lownoise", "X-prevalence"], "exact.distributions.Finite.ranking_regret"),
    **dict.fromkeys(["X-uniform", "X-matching"], "uniform_convergence.faces"),
    "X-calls": "exact.calls.sort_calls",
    "X-degree": "exact.compression.fractional_excess",
    **dict.fromkeys(["X-topk", "X-tail"], "ailon_mohri_beyond.wrong"),
    "X-coin": "exact.regrets.local_optimum",
    "X-topcalls": "exact.calls.in_order_calls",
    "X-list": "exact.list_orders.won_covariance",
    "X-guaranteed": "intervals.binom.pmf",
    "X-exact": "intervals.binom.sf",
    **dict.fromkeys(["X-effective", "X-clusters"], "intervals.ndtri"),
    "X-weights": "intervals.auc_interval",
    "X-compared": "intervals.sqrt",
    "X-run": "audits.wrong",
    "X-anytime": "audits._evidence",
}
"""Rows, and a tool of each that the row must not believe if it lies."""


OTHERS = {
    "Q-greedy": rank.degree,
    "X-weights": lambda labels, scores, *, method, weights=None: auc_interval(labels, scores, method=method),
}
"""Rows, and what stands in for the tool that no answer twice as large could replace."""


def lie(answer):
    """The opposite, a law of orders that are all reversed, or twice as much and one more."""
    if isinstance(answer, dict):
        return {order[::-1]: chance for order, chance in answer.items()}
    return np.logical_not(answer) if np.asarray(answer).dtype == bool else answer * 2 + 1


def test_every_row_has_a_tool_that_may_lie():
    assert LIES.keys() == set(NAMES)


@pytest.mark.parametrize(("name", "tool"), LIES.items())
def test_a_row_fails_if_a_tool_of_it_lies(name, tool, monkeypatch):
    tool = f"ordain.theorems.{tool}"
    honest = resolve_name(tool)
    monkeypatch.setattr(tool, OTHERS.get(name, lambda *of, **options: lie(honest(*of, **options))))
    measured = next(table.run([name])).measured
    assert not measured.passed
    assert "broke off" not in measured.meaning


def test_a_row_alone_repeats_its_figure_and_effort_looks_at_more():
    together = {result.row.name: result.measured for result in table.run(QUICK, 1, 5)}
    assert all(next(table.run([name], 1, 5)).measured == together[name] for name in QUICK)
    assert next(table.run(["B-loss"], 3, 5)).measured.cases == 3 * together["B-loss"].cases


def test_rows_are_reported_before_they_are_checked():
    told = []
    for result in table.run(QUICK, report=told.append):
        assert told[-1] == result.row.name
    assert told == QUICK


def test_selecting_by_name_and_by_letter():
    assert table.select([]) == NAMES
    assert table.select(["X-tail", "M", "X-tail"]) == [*(name for name in NAMES if name[0] == "M"), "X-tail"]
    with pytest.raises(ValueError, match=r"Got 'B-thm'\. Did you mean .*B-thm"):
        table.select(["B-thm"])
    with pytest.raises(ValueError, match="Got ''"):
        table.select([""])


def test_a_check_that_raises_is_a_failure_of_its_row(broken):
    good, false, raised = table.run(table.ROWS)
    assert (good.measured.passed, false.measured.passed, raised.measured.passed) == (True, False, False)
    assert raised.measured.meaning == "the check broke off: ZeroDivisionError: division by zero"
    assert raised.as_json()["figure"] is None


def test_the_command_shows_statement_figure_and_verdict(run):
    code, out, err = run(*QUICK)
    assert (code, err) == (0, "")
    said = " ".join(out.split())
    for result in table.run(QUICK):
        measured = result.measured
        assert f"{result.row.name} pass" in said
        assert result.row.statement.rstrip(".") in said
        assert f"{measured.meaning}: {measured.figure:.6g} ({measured.cases:,} cases, {result.row.how})" in said
    assert "3 of 3 rows passed" in said


@pytest.mark.parametrize("width", [40, 80, 200])
def test_terminals_of_any_width(run, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    _, out, _ = run(*QUICK)
    assert max(map(len, out.splitlines())) <= width
    assert all(any(line.startswith(f"{name} ") for line in out.splitlines()) for name in QUICK)
    assert out.count("pass ") == 3
    if width == 200:
        assert len(out.splitlines()) == 5  # a heading, a line each, the sum


def test_json_has_the_figures(run):
    code, out, err = run(*QUICK, "--json", "--seed", 5)
    assert (code, err) == (0, "")
    found = json.loads(out)["rows"]
    assert found == [result.as_json() for result in table.run(QUICK, 1, 5)]
    assert list(found[0]) == ["row", "passed", "figure", "cases", "how", "statement", "meaning"]
    full = json.loads(run("B-loss", "--full", "--json")[1])["rows"]
    assert full[0]["cases"] == table.FULL * found[0]["cases"]


def test_rows_are_listed_without_checking_them(run, broken):
    """A row that would fail or break off is listed as any other."""
    code, out, err = run("--list")
    assert (code, err) == (0, "")
    said = " ".join(out.split())
    assert all(f"{name} {found.statement.rstrip('.')}" in said for name, found in table.ROWS.items())
    code, out, _ = run("--list", "--json", "Z")
    assert code == 0
    assert json.loads(out)["rows"] == [
        {"row": "Z-false", "how": "exact", "statement": "two is less than [one]"},
        {"row": "Z-raises", "how": "numeric", "statement": "one over nothing is something"},
    ]


def test_a_failing_row_is_shown_and_gives_exit_code_one(run, broken):
    code, out, err = run()
    assert (code, err) == (1, "")
    assert "Z-false   FAIL  two is less than [one]" in out
    assert "the check broke off: ZeroDivisionError" in out
    assert "1 of 3 rows passed" in out
    assert out.endswith("Failed: Z-false, Z-raises.\n")
    code, out, _ = run("--json")
    assert code == 1
    assert [found["passed"] for found in json.loads(out)["rows"]] == [True, False, False]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(["B-thm9"], "Did you mean"), (["nothing"], "Got 'nothing'"), (["--seed", "-1"], "-1"), (["--seed", "x"], "x")],
)
def test_wrong_input_gets_one_line_and_exit_code_two(run, arguments, said):
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert said in err


def test_help_has_examples(run):
    code, out, _ = run("--help")
    assert code == 0
    assert "ordain theorems" in out.split("Examples")[1]
