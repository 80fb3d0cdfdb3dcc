"""What certificates print: enough digits, no claim made stronger by rounding, a verdict where zero lies outside."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordain.certificate import Comparison, Interval, decimals, outward

ends = st.tuples(st.floats(-1, 1), st.floats(-1, 1)).map(sorted)


@given(st.floats(1e-5, 0.9999))
def test_two_digits_of_the_width_are_shown(width):
    assert 10 - 1e-9 <= width * 10 ** decimals(width) <= 100 or decimals(width) in (2, 6)


def test_two_to_six_decimals_are_shown_and_three_of_no_width():
    assert [decimals(width) for width in (2.0, 0.5, 0.1, 0.099, 0.0372, 1e-5, 1e-12, 0.0)] == [2, 2, 2, 3, 3, 6, 6, 3]


@given(ends, st.integers(2, 6))
def test_ends_are_rounded_away_from_each_other_by_less_than_a_digit(ends, digits):
    (low, high), shown, slack = ends, outward(*ends, digits), 1e-8
    assert all(len(text.split(".")[1]) == digits and -1 <= float(text) <= 1 for text in shown)
    assert 0 <= low - float(shown[0]) + slack < 10.0**-digits + 2 * slack
    assert 0 <= float(shown[1]) - high + slack < 10.0**-digits + 2 * slack


def test_ends_that_need_no_rounding_stay():
    assert outward(0.29, 0.55, 2) == ("0.29", "0.55")  # though 100 · 0.29 is below 29 in floats, 100 · 0.55 above 55
    assert outward(-1.0, 1.0, 3) == ("-1.000", "1.000")


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (0.001, 0.2, "The first ranks better"),
        (-0.2, -0.001, "The second ranks better"),
        (0.0, 0.2, "Neither is shown to rank better"),
        (-0.2, 0.0, "Neither is shown to rank better"),
        (-0.1, 0.3, "Neither is shown to rank better"),
    ],
)
def test_a_comparison_decides_only_where_zero_lies_outside(low, high, verdict):
    assert Comparison((low + high) / 2, low, high, 0.95, 0.03).verdict == verdict


def test_sentences_carry_signs_levels_and_methods():
    assert str(Comparison(-0.0213, -0.0371, 0.0, 0.9, 0.00005)) == (
        "Neither is shown to rank better: AUC difference -0.021, 90% confidence interval -0.038 to +0.000, "
        "p < 0.0001 (paired)."
    )
    assert "p = 0.0001 (" in str(Comparison(0.1, 0.05, 0.15, 0.95, 1e-4))
    assert str(Interval(0.5, 0.5, 0.5, 0.999, "made up")) == (
        "AUC 0.500, 99.9% confidence interval 0.500 to 0.500 (made up)."
    )


@pytest.mark.parametrize(("share", "said"), [(0.603, "60%"), (0.0362, "3.6%"), (0.0000369, "0.0037%"), (0.975, "98%")])
def test_the_certificate_says_what_it_does_not_cover(share, said):
    sentence = str(Interval(0.8, 0.7, 0.9, 0.95, "effective", "rows", share))
    assert sentence.endswith(
        "(effective sample size, independent rows). It does not cover kinds of rows that are missing here "
        f"(up to {said} of a class could be); method exact does."
    )
    assert str(Interval(0.8, 0.7, 0.9, 0.95, "effective", "clusters", share)).endswith("could be).")
