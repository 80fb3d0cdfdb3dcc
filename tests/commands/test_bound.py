"""The calculators: figures against formulas written out, sentences that say no more, faults in one line."""

import json
import math
import re
from functools import partial
from math import comb
from pathlib import Path

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordain.bounds import uniform
from ordain.bounds.bounded_mean import mean_limits
from ordain.cli import bound
from ordain.commands.bound import Certainty, Excess, Need, Sorting
from ordain.losses import LOSSES

DOCS = (Path(__file__).parents[2] / "docs" / "cli.md").read_text().partition("## `ordain bound …`")[2]
shares = st.floats(0.001, 0.999)
levels = st.sampled_from([0.5, 0.9, 0.95, 0.99])


@pytest.fixture
def run(run):
    """Run `ordain bound`; its exit code, standard output and standard error."""
    return partial(run, "bound")


@pytest.mark.parametrize(
    ("r", "level"), [(1, 0.95), (2, 0.9), (5, 0.95), (10, 0.99), (37, 0.95), (3416, 0.95), (10**8, 0.9)]
)
def test_without_an_auc_it_is_the_farthest_reach_from_any_and_below_hoeffdings(r, level):
    half = Certainty(r, 3 * r, level).half_width
    values = np.linspace(0, 1, 1601)
    farthest = (values - mean_limits(values, r, level)[0]).max()
    assert farthest <= half <= farthest * (1 + 1e-3)
    assert 2 * math.exp(-2 * r * half**2) >= 1 - level
    assert Certainty(3 * r, r, level).half_width == half


@pytest.mark.parametrize(("r", "auc", "level"), [(5, 0.5, 0.95), (30, 0.8, 0.95), (30, 0.99, 0.9), (12, 1.0, 0.99)])
def test_with_an_auc_the_ends_solve_the_inequality_of_bentkus(r, auc, level):
    found = Certainty(r, 3 * r, level, auc).interval
    assert naive.bentkus(r, r * auc, found.low) == pytest.approx((1 - level) / 2)
    if auc < 1:
        assert naive.bentkus(r, r * (1 - auc), 1 - found.high) == pytest.approx((1 - level) / 2)
    else:
        assert found.high == 1


@pytest.mark.parametrize("chance", [0.5, 0.8, 0.97])
def test_it_covers_where_each_positive_beats_all_negatives_or_none(chance):
    """There the AUC of r positives is a binomial share, which is as spread as an AUC can be."""
    r, level = 40, 0.9
    law = naive.binomial(r, chance)
    whatever = Certainty(r, 100, level).half_width
    assert sum(p for x, p in enumerate(law) if abs(x / r - chance) > whatever) <= 1 - level
    missed = 0.0
    for x, p in enumerate(law):
        found = Certainty(r, 100, level, x / r).interval
        missed += p * (not found.low <= chance <= found.high)
    assert missed <= 1 - level


@given(st.sampled_from([1, 3, 40, 2000]), st.floats(0, 1), levels)
def test_knowing_the_auc_never_makes_it_wider(r, auc, level):
    assert Certainty(r, r, level, auc).half_width <= Certainty(r, r, level).half_width * (1 + 1e-9)


@pytest.mark.parametrize("models", [1, 2, 20])
def test_each_of_several_models_is_covered_at_its_part_of_what_may_fail(models):
    found, alone = Certainty(50, 60, 0.9, models=models), Certainty(50, 60, 1 - 0.1 / models)
    assert found.of_models == alone.half_width <= uniform.union(50, 60, 0.1, math.log(models))
    assert found.as_json()["of_models"] == found.of_models
    need = Need(0.1, 0.2, 0.9, models=models)
    assert min(need.of_models) == Need(0.1, level=1 - 0.1 / models).smaller >= need.smaller
    assert f"{sum(need.of_models):,} rows are enough for each" in str(need)


def test_clusters_are_not_what_the_bound_is_for():
    """Twenty people with ten alike rows each: 200 positives, but twenty draws. Each beats all negatives or none."""
    law, covered = naive.binomial(20, 0.7), 0.0
    for x, p in enumerate(law):
        found = Certainty(200, 1000, auc=x / 20).interval
        covered += p * (found.low <= 0.7 <= found.high)
    assert covered < 0.6
    assert "independent rows, which several of one person are not" in str(Certainty(200, 1000))


def test_the_uniform_bound_of_the_paper_and_the_better_one():
    """Corollary 1 and Theorem 5 of the paper, ln Σ 2^i C(4mn, i), i ≤ d, at 200 × 2,000 rows in 20 dimensions."""
    found = Certainty(200, 2000, dimensions=20)
    pairs = 4 * 200 * 2000
    patterns = sum(2**i * comb(pairs, i) for i in range(21))
    width = math.sqrt(8 * 2200 * (math.log(patterns) + math.log(4 / 0.05)) / (200 * 2000))
    assert found.corollary_1 == pytest.approx(width)
    assert f"{width:.1f}" == "3.4"
    assert found.uniformly.width < 1 < width
    assert "Vacuous: 0.89" in str(found)
    assert "9,345 rows of this kind are enough" in str(found)
    assert "has the width 3.4 here" in str(found)
    assert "Vacuous" not in str(Certainty(10**6, 10**6, dimensions=20))


@pytest.mark.parametrize(("width", "level"), [(0.02, 0.95), (0.1, 0.9), (0.3, 0.5)])
def test_rows_for_any_auc_are_enough_and_fewer_than_by_the_closed_form(width, level):
    need = Need(width, level=level).smaller
    assert need < math.ceil(math.log(2 / (1 - level)) / (2 * width**2))
    assert Certainty(need, need, level).half_width <= width < Certainty(need - 1, need - 1, level).half_width
    assert "are enough for an AUC" in str(Need(width, level=level))


@pytest.mark.parametrize("auc", [0.5, 0.8, 0.97, 1.0])
def test_rows_for_a_known_auc_are_enough_and_one_less_is_not(auc):
    need = Need(0.05, auc=auc).smaller
    assert Certainty(need, need, auc=auc).half_width <= 0.05 < Certainty(need - 1, need - 1, auc=auc).half_width
    assert need <= Need(0.05).smaller


@settings(max_examples=20)
@given(st.sampled_from([0.03, 0.1, 0.4]), shares)
def test_rows_come_in_the_share_that_was_asked(width, share):
    positives, negatives = Need(width, share).rows
    assert min(positives, negatives) == Need(width).smaller
    total = positives + negatives
    assert abs(positives - share * total) <= 1
    assert Need(width, 1 - share).rows == pytest.approx((negatives, positives), abs=1)


def test_rows_over_all_linear_scorers_are_enough():
    need = Need(0.1, 0.2, dimensions=7)
    m, n = need.uniformly
    assert Certainty(m, n, dimensions=7).uniformly.width <= 0.1
    assert Certainty(m - 1, n - 4, dimensions=7).uniformly.width > 0.1
    assert f"{m + n:,} are enough: {m:,} positives" in str(need)


WRITTEN_OUT = {
    "logistic": lambda r, p: math.sqrt(2 * r / (3 * p * (1 - p))),
    "exponential": lambda r, p: math.sqrt(4 * r / (3 * math.sqrt(p * (1 - p)))),
    "canonical_exponential": lambda r, p: math.sqrt(4 * r / (3 * math.sqrt(p * (1 - p)))),
    "squared": lambda r, p: math.sqrt(r / 12) / (p * (1 - p)),
    "squared_hinge": lambda r, p: math.sqrt(r / 12) / (p * (1 - p)),
    "canonical_squared": lambda r, p: math.sqrt(r / 3) / (p * (1 - p)),
    "spherical": lambda r, p: math.sqrt(2 * r / 3) / (p * (1 - p)),
    "canonical_spherical": lambda r, p: math.sqrt(2 * r / 3) / (p * (1 - p)),
}
LAMBDA = dict(zip(LOSSES, (4, 4, 8, 8, 1, 4, 2, 1), strict=True))


@pytest.mark.parametrize("loss", LOSSES)
@given(regret=st.floats(1e-9, 0.1), p=shares, wanted=st.floats(0.001, 0.999))
def test_regret_is_the_formula_and_needed_turns_it_round(loss, regret, p, wanted):
    found = Excess(loss, p, regret=regret, wanted=wanted)
    value, printed = found.bound(regret).value, found.printed(regret).value
    assert value == pytest.approx(WRITTEN_OUT[loss](regret, p))
    assert printed == pytest.approx(math.sqrt(2 * regret / LAMBDA[loss]) / (p * (1 - p)))
    assert value <= printed / math.sqrt(3) * (1 + 1e-9)
    assert WRITTEN_OUT[loss](found.needed, p) == pytest.approx(wanted)


OVER_PAIRS = {
    "exponential": lambda theta: 1 - math.sqrt(1 - theta**2),
    "logistic": lambda theta: math.log(2) - sum(-q * math.log(q) for q in ((1 + theta) / 2, (1 - theta) / 2) if q),
}


@pytest.mark.parametrize("loss", OVER_PAIRS)
@given(wanted=st.floats(0.001, 0.999))
def test_over_pairs_it_is_the_transform_of_the_loss_and_needs_no_share(loss, wanted):
    regret = OVER_PAIRS[loss](wanted)
    found = Excess(loss, regret=regret, wanted=wanted, reduction="pairwise")
    assert found.bound(regret).value == pytest.approx(wanted, rel=1e-5)
    assert found.needed == pytest.approx(regret, rel=1e-6, abs=1e-12)
    assert found.as_json()["printed"] is None
    assert "loss over pairs" in str(found)


@given(regret=st.floats(1e-6, 0.01))
def test_balanced_it_is_the_bound_for_classes_of_equal_size(regret):
    for loss, printed in (("logistic", 2.0), ("exponential", 3 / math.sqrt(2)), ("squared", None)):
        found = Excess(loss, regret=regret, wanted=0.1, reduction="balanced")
        assert found.bound(regret).value == pytest.approx(math.sqrt(32 * regret / (3 * LAMBDA[loss])))
        assert found.needed == pytest.approx(0.01 * 3 * LAMBDA[loss] / 32)
        assert found.as_json()["printed"] == (printed and pytest.approx(printed * math.sqrt(regret)))


def test_low_noise_is_used_where_it_gives_more():
    little, much = (Excess("squared", 0.5, regret=regret, wanted=0.01, noise=(1, 2)) for regret in (1e-6, 0.1))
    assert little.bound(1e-6).value == pytest.approx(2 * 4 / 0.25 * 2 * 1e-6 / 8)
    assert much.bound(0.1).value == Excess("squared", 0.5, regret=0.1).bound(0.1).value
    assert little.needed == pytest.approx(0.01 / (2 * 4 / 0.25 * 2 / 8))
    assert "for all x and t" in str(little) and "at most 2 t^1" in str(little)


@pytest.mark.parametrize(("value", "vacuous"), [(0.49, False), (0.51, True), (1.2, True)])
def test_what_a_coin_has_is_no_news(value, vacuous):
    found = Excess("squared", 0.5, regret=12 * (value / 4) ** 2)
    assert found.bound(found.regret).value == pytest.approx(value)
    assert found.as_json()["vacuous"] == vacuous == ("that of a coin is at most 0.5" in str(found))


@pytest.mark.parametrize("n", [1, 2, 3, 10, 60])
def test_calls_are_those_of_the_recursion(n):
    found = Sorting(0.1, items=n, top=1)
    assert found.calls == pytest.approx(float(naive.quicksort_calls(n, False)), abs=1e-9)
    assert found.top_calls == pytest.approx(float(naive.quicksort_calls(n, True)), abs=1e-9)
    assert f"at most {math.ceil(naive.quicksort_calls(n, False)):,} comparison" in str(found)


@given(st.integers(2, 10**6), st.data())
def test_the_first_items_take_no_more_than_all_and_than_the_proved_bound(n, data):
    k = data.draw(st.integers(2, n))
    found = Sorting(0.1, items=n, top=k)
    path = 2 * (n - 1) + 4 * math.sqrt((k - 1) * (n - k))
    harmonic = math.fsum(1 / i for i in range(1, k)) if k < 1000 else math.log(k - 1) + 0.5772156649 + 0.5 / (k - 1)
    assert found.top_calls == pytest.approx(min(found.calls, path + 2 * k * harmonic - 4 * (k - 1)), rel=1e-6)


@given(st.floats(0, 1))
def test_the_spread_of_a_sort_is_at_most_that_of_a_coin(loss):
    """The mean is the loss of the judge; of all laws on [0, 1] with this mean, all or nothing is the most spread."""
    found = Sorting(loss)
    assert found.deviation**2 == pytest.approx((1 - loss) * loss**2 + loss * (1 - loss) ** 2, abs=1e-12)
    assert found.as_json()["expected_auc"] == 1 - loss
    assert "not a promise about one run" in str(found)


@settings(max_examples=30)
@given(st.integers(1, 10**6), st.integers(1, 10**6), st.floats(1e-9, 1), shares)
def test_rounding_never_says_more(m, n, small, p):
    certain = Certainty(m, n)
    assert float(re.search(r"within (\d[\d.e-]*\d)", str(certain))[1]) >= certain.half_width * (1 - 1e-9)
    excess = Excess("logistic", p, regret=small, wanted=p)
    said = float(re.search(r"(?:would be at most|bound is) (\d[\d.e-]*\d|\d)", str(excess))[1])
    assert said >= excess.bound(small).value * (1 - 1e-9)
    assert float(re.search(r"excess logistic loss of (\S+)\.", str(excess))[1]) <= excess.needed * (1 + 1e-9)


def test_the_smallest_and_largest_numbers_have_answers():
    for p in (1e-12, 0.5, 1 - 1e-11):
        for regret in (0.0, 5e-324, 1e300):
            assert json.dumps(Excess("squared", p, regret=regret, wanted=1e-5).as_json(), allow_nan=False)
            assert "cannot be measured" in str(Excess("squared", p, regret=regret, wanted=1e-5))
    assert "10,986" in str(Sorting(5e-324, 1000))
    assert Certainty(10**12, 10**12, auc=0.8).half_width == pytest.approx(9.3e-7, rel=0.02)
    assert Certainty(10**12, 10**12, auc=1.0).half_width < 1e-11
    assert str(Need(1e-5, 1e-12, 0.999999, 0.8, 10))


def test_sentences_say_if_and_what_is_not_known():
    said = str(Excess("logistic", 0.2, regret=0.01))
    assert said.startswith("If the excess logistic loss were 0.01")
    assert "cannot be measured" in said
    assert "nothing would follow" in str(Excess("logistic", 0.01, regret=0.1))
    assert "if the share of positives is 0.2" in str(Excess("logistic", 0.2, wanted=0.05))
    assert "a perfect one cannot be told from chance" in str(Certainty(1, 9))
    assert "chance" not in str(Certainty(20, 20))
    assert "With 1 positive and 9 negatives" in str(Certainty(1, 9))
    assert "not fitted to them or chosen by them" in str(Need(0.1))
    assert "over all samples, not over those of this AUC" in str(Need(0.1, auc=0.9))
    assert "over all samples, not over those of this AUC" in str(Certainty(50, 50, auc=0.9))
    assert "as if it were asked alone" in str(Sorting(0.1))


COMMANDS = {
    "auc": (["--positives", 200, "--negatives", 2000, "--auc", 0.8, "--dimensions", 20, "--level", 0.9, "--models", 9],
            Certainty(200, 2000, 0.9, 0.8, 20, 9)),
    "rows": (["--width", 0.02, "--share", 0.1, "--auc", 0.9, "--level", 0.9, "--dimensions", 3, "--models", 9],
             Need(0.02, 0.1, 0.9, 0.9, 3, 9)),
    "regret": (["--loss", "squared", "--prevalence", 0.2, "--regret", 0.01, "--wanted", 0.05, "--noise", 1, 2],
               Excess("squared", 0.2, 0.01, 0.05, noise=(1.0, 2.0))),
    "sort": (["--loss", 0.1, "--items", 1000, "--top", 10], Sorting(0.1, 1000, 10)),
}  # fmt: skip


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_says_what_its_record_says(run, name):
    arguments, record = COMMANDS[name]
    assert run(name, *arguments) == (0, f"{record}\n", "")
    code, out, err = run(name, *arguments, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out) == json.loads(json.dumps(record.as_json()))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_option_and_figure_is_documented(run, name):
    assert f"`ordain bound {name} " in DOCS
    assert all(re.search(rf"[` ]{option.opts[0]}\b", DOCS) for option in bound.commands[name].params)
    figures = COMMANDS[name][1].as_json()
    options = {option.name for option in bound.commands[name].params}
    for figure in {*figures, *(figures.get("uniform") or ())} - options:
        assert f"`{figure}`" in DOCS, figure
    assert f"ordain bound {name}" in run(name, "--help")[1].split("Examples")[1]


ANSWERS = re.findall(r"^\$ ordain bound (.*?)(?=^\$|^```)", DOCS, re.DOTALL | re.MULTILINE)


def test_every_command_is_tested_and_some_are_shown():
    assert set(bound.commands) == set(COMMANDS) > {answer.split()[0] for answer in ANSWERS} > set()


@pytest.mark.parametrize("block", ANSWERS)
def test_the_documented_answers_are_those_given(run, block):
    command, _, shown = block.partition("\n")
    assert run(*command.split()) == (0, shown, "")


WRONG = {
    "no positives": ("auc --positives 0 --negatives 9", "positives must be a whole number, 1 or more. Got 0"),
    "negative negatives": ("auc --positives 3 --negatives -9", "negatives must be"),
    "half a row": ("auc --positives 2.5 --negatives 9", "2.5"),
    "too many rows": ("auc --positives 3 --negatives 1" + 400 * "0", "negatives must be at most"),
    "missing": ("auc --positives 3", "Missing option '--negatives'"),
    "level in percent": ("auc --positives 3 --negatives 9 --level 95", "level must lie strictly"),
    "auc in percent": ("auc --positives 3 --negatives 9 --auc 80", "auc must lie from 0 to 1"),
    "auc nan": ("auc --positives 3 --negatives 9 --auc nan", "auc must lie from 0 to 1"),
    "no dimension": ("auc --positives 3 --negatives 9 --dimensions 0", "dimensions must be"),
    "too many dimensions": ("rows --width 0.1 --dimensions 1001", "dimensions must be at most 1,000"),
    "no width": ("rows --width 0", "width must be"),
    "width of all": ("rows --width 1", "width must be"),
    "width nan": ("rows --width nan", "width must be"),
    "no share": ("rows --width 0.1 --share 0", "the share of positives must lie between"),
    "share above one": ("rows --width 0.1 --share 10", "the share of positives must lie between"),
    "share of almost nothing": ("rows --width 0.1 --share 1e-320", "the share of positives must lie between"),
    "neither": ("regret --prevalence 0.2", "Got neither"),
    "no models": ("auc --positives 3 --negatives 9 --models 0", "models must be"),
    "no share of positives": ("regret --regret 0.1", "the share of positives must be given"),
    "unknown reduction": ("regret --regret 0.1 --reduction pairs", "Got 'pairs'"),
    "a share for pairs": ("regret --regret 0.1 --reduction pairwise --prevalence 0.2", "are for the loss over rows"),
    "noise for pairs": ("regret --regret 0.1 --reduction pairwise --noise 1 2", "are for the loss over rows"),
    "noise below one": ("regret --regret 0.1 --prevalence 0.2 --noise 1 0.5", "scale must be at least 1"),
    "pairs of an uncalibrated loss": ("regret --regret 0.1 --reduction pairwise --loss spherical", "Got spherical"),
    "negative regret": ("regret --prevalence 0.2 --regret -1", "at least 0"),
    "nan regret": ("regret --prevalence 0.2 --regret nan", "at least 0"),
    "prevalence one": ("regret --prevalence 1 --regret 0.1", "the share of positives must lie between"),
    "prevalence nan": ("regret --prevalence nan --regret 0.1", "the share of positives must lie between"),
    "wanted zero": ("regret --prevalence 0.2 --wanted 0", "wanted must be from"),
    "unknown loss": ("regret --prevalence 0.2 --regret 0.1 --loss hing", "hing"),
    "loss above one": ("sort --loss 1.5", "loss must lie from 0 to 1"),
    "loss nan": ("sort --loss nan", "loss must lie from 0 to 1"),
    "no items": ("sort --loss 0.1 --items 0", "items must be"),
    "too many items": ("sort --loss 0.1 --items 10000000000000", "items must be at most"),
    "top without items": ("sort --loss 0.1 --top 3", "top must be from 1 to the number of items"),
    "top above items": ("sort --loss 0.1 --items 2 --top 3", "Got 3 of 2"),
    "unknown command": ("acu", "acu"),
}


@pytest.mark.parametrize(("arguments", "said"), WRONG.values(), ids=WRONG)
def test_wrong_numbers_get_one_line_and_exit_code_two(run, arguments, said):
    code, out, err = run(*arguments.split())
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert said in err
