"""A summary may hold anything: what is no comparison of a fit is refused before any of it is drawn."""

import copy
from dataclasses import replace
from types import SimpleNamespace

import polars as pl
import pytest

import ordain
from ordain.report.fit_page import fit_page
from ordain.report.kept_comparison import kept_comparison


@pytest.fixture(scope="module")
def model():
    rows = pl.DataFrame({"age": [k % 37 for k in range(90)], "churned": [(k * 7) % 37 > 20 for k in range(90)]})
    return ordain.fit(rows, "churned", model="linear")


def kept(comparison):
    return kept_comparison(SimpleNamespace(summary={"comparison": comparison}))


def test_the_comparison_of_a_fit_is_shown(model):
    assert kept_comparison(model) == model.summary["comparison"] == kept(model.summary["comparison"])
    assert any(section.title == "What was compared" for section in fit_page(model, "m.ordain").sections)


@pytest.mark.parametrize("nothing", [None, {}, {"trials": []}, {"pairwise": [0.1, None]}])
def test_nothing_compared_is_no_fault(nothing):
    assert kept(nothing) == {}


ODD = [None, "x", [], [1], {}, True, 1e300, float("nan")]


@pytest.mark.parametrize("value", ODD, ids=str)
@pytest.mark.parametrize("name", ["goal", "picked", "folds", "rows", "trials"])
def test_any_other_value_is_drawn_or_refused(model, name, value):
    drawn_or_refused(model, {**model.summary["comparison"], name: value})


@pytest.mark.parametrize("value", ODD, ids=str)
@pytest.mark.parametrize("name", ["name", "goal", "auc", "below_best", "low", "high", "folds", "seconds", "dropped"])
def test_any_other_value_of_a_candidate_is_drawn_or_refused(model, name, value):
    comparison = copy.deepcopy(model.summary["comparison"])
    comparison["trials"][0][name] = value
    drawn_or_refused(model, comparison)


def drawn_or_refused(model, comparison):
    try:
        assert fit_page(replace(model, summary={"comparison": comparison}), "m.ordain").sections
    except ValueError as refused:
        assert "as ordain fit writes it" in str(refused)


@pytest.mark.parametrize("comparison", ["x", [1], {"trials": 3}, {"trials": [3]}], ids=str)
def test_what_is_none_is_refused(comparison):
    with pytest.raises(ValueError, match="as ordain fit writes it"):
        kept(comparison)
