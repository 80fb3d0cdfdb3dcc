"""Retry-After in all its forms, and backoff with jitter."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordain.judge.waiting import LONGEST, SLOWEST, backoff, retry_after, wait_asked

NOON = datetime(2026, 11, 18, 12, tzinfo=UTC).timestamp()
FORMS = ("%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %d %H:%M:%S %Y")


@given(st.integers(0, 3600))
def test_whole_seconds_and_decimals_are_themselves(seconds):
    assert retry_after(str(seconds), NOON) == seconds
    assert retry_after(f" {seconds}.0 ", NOON) == seconds


@pytest.mark.parametrize("form", FORMS)
@given(ahead=st.integers(-10_000, 10_000))
def test_a_date_counts_from_now_and_never_backwards(form, ahead):
    date = datetime.fromtimestamp(NOON + ahead, UTC).strftime(form)
    assert retry_after(date, NOON) == min(max(ahead, 0), 3600)


def test_a_date_in_another_zone_is_the_same_moment():
    assert retry_after("Wed, 18 Nov 2026 14:00:30 +0200", NOON) == 30


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("-5", 0), ("-0.5", 0), ("0", 0), (".25", 0.25), ("1e3", None), ("99999", LONGEST), ("9" * 400, LONGEST)],
)
def test_odd_numbers(value, seconds):
    assert retry_after(value, NOON) == seconds


@pytest.mark.parametrize(
    "value",
    [None, "", " ", "soon", "nan", "inf", "20s", "1_000", "٣", "1,5", "2026-11-18T12:00:10Z", "Wed, 99 Nov 2026"],
)
def test_what_cannot_be_read_is_none(value):
    assert retry_after(value, NOON) is None


@given(st.text(max_size=40))
def test_whatever_a_server_says_is_seconds_within_an_hour_or_none(value):
    seconds = retry_after(value, NOON)
    assert seconds is None or 0 <= seconds <= LONGEST


def test_milliseconds_come_first_where_they_can_be_read():
    assert wait_asked({"retry-after-ms": "1500", "retry-after": "7"}, NOON) == 1.5
    assert wait_asked({"retry-after-ms": "soon", "retry-after": "7"}, NOON) == 7
    assert wait_asked({"retry-after-ms": "-1"}, NOON) == 0
    assert wait_asked({"retry-after-ms": "9e9"}, NOON) is None
    assert wait_asked({}, NOON) is None


@given(st.integers(0, 10_000), st.floats(0, 1, exclude_max=True))
def test_backoff_is_a_share_of_the_doubled_wait(attempt, draw):
    longest = 1.0
    for _ in range(min(attempt, 10)):
        longest = min(2 * longest, SLOWEST)
    assert backoff(attempt, draw) == pytest.approx(draw * longest)
    assert backoff(attempt, draw) < SLOWEST == 60
