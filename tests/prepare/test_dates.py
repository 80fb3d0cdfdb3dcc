"""Columns of dates: days as the standard library counts them, in whatever form they come."""

import datetime as dt

import naive
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from ordain import tables
from ordain.choice.fitting import fit, read_training
from ordain.choice.search import Search
from ordain.prepare import Preparation
from ordain.prepare.column_kinds import Number, Text
from ordain.prepare.date_column import Date, is_date


def dated(frame):
    """The table as it would be read from a file."""
    return tables.typed(frame, tables.Reading(), "rows")[0]


zones = st.one_of(st.none(), st.integers(-14 * 60, 14 * 60).map(lambda m: dt.timezone(dt.timedelta(minutes=m))))
moments = st.datetimes(min_value=dt.datetime(2, 1, 1), max_value=dt.datetime(9998, 1, 1), timezones=zones)


@given(st.lists(st.one_of(st.none(), moments), min_size=1, max_size=8), st.sampled_from("T "))
def test_text_is_read_as_the_standard_library_reads_it(moments, between):
    text = pl.Series("when", [m and m.isoformat(between) for m in moments], pl.String)
    known = [m for m in moments if m]
    typed = dated(pl.DataFrame([text]))["when"]
    assert is_date(typed.dtype) == bool(known)
    if known:
        expected = [np.nan if m is None else naive.days(m) for m in moments]
        assert_allclose(Date.read(text), expected, rtol=1e-13, atol=1e-9)
        assert_allclose(Date.read(typed), expected, rtol=1e-13, atol=1e-9)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1970-01-01", 0),
        ("1969-12-31", -1),
        ("2000-02-29", 11016),
        ("1970-01-02T06:00", 1.25),
        ("1970-01-01 00:00:43.2", 0.0005),
        ("1970-01-02T00:00Z", 1),
        ("1970-01-02T00:00+12:00", 0.5),
        ("1970-01-02T00:00-1200", 1.5),
    ],
)
def test_forms_of_iso_8601(text, expected):
    assert Date.read(pl.Series([text])) == pytest.approx([expected])


NONE = ["1999-02-29", "2024-13-01", "13/13/2024", "0/1/2024", "2024-01-01T24:00", "2024-01-01Z", "31.4.2024", "1/2024"]
NONE += ["2024-01-01T10:60", "2024-01-01T10:00:60", "2024-01-01T10:00+24:00", "x2024-01-01", "Oslo", "5 marember 2020"]
NONE += ["1/2/2024 0:30 pm", "1/2/2024 13:00 am", "Sol 3, 2024", "12:30"]


@pytest.mark.parametrize("text", NONE)
def test_what_is_no_date_is_text(text):
    frame = pl.DataFrame({"alone": [text, text], "among": ["2024-01-01", text], "before": [text, "2024-01-01"]})
    assert dated(frame).equals(frame)
    with pytest.raises(ValueError, match="must hold dates such as 2024-03-31, as in training"):
        Date.read(pl.Series("when", ["2024-01-01", text]))


SPELT = {
    "%d/%m/%Y": "day-first", "%m/%d/%Y": "month-first", "%d-%m-%Y": "day-first", "%m-%d-%y": "month-first",
    "%d.%m.%Y": None, "%d.%m.%y": None, "%Y/%m/%d": None, "%d-%b-%Y": None, "%d %B %Y": None, "%b %d, %Y": None,
    "%a, %d %b %Y": None, "%d. %b %Y": None, "%B %dth, %Y": None,
}  # fmt: skip
CLOCKS = ["", " %H:%M", " %I:%M %p", "T%H:%M:%S", ", %I:%M:%S%p"]


@given(
    moments=st.lists(st.datetimes(dt.datetime(1970, 1, 1), dt.datetime(2068, 12, 31)), min_size=1, max_size=6),
    spelling=st.sampled_from(sorted(SPELT)),
    clock=st.sampled_from(CLOCKS),
)
def test_every_spelling_is_read_as_the_standard_library_writes_it(moments, spelling, clock):
    moments.append(dt.datetime(2024, 12, 31))  # which tells day from month
    text = pl.Series("when", [moment.strftime(spelling + clock) for moment in moments])
    frame, forms = tables.typed(pl.DataFrame([text]), tables.Reading(), "rows")
    assert forms.get("when") == SPELT[spelling]
    found = frame["when"].dt.epoch("us").to_list()
    for moment, microseconds in zip(moments, found, strict=True):
        whole = dt.datetime.fromtimestamp(microseconds / 1e6, dt.UTC).replace(tzinfo=None)
        cut = moment.replace(microsecond=0, second=moment.second if "%S" in clock else 0)
        assert whole == (cut if clock else dt.datetime.combine(moment.date(), dt.time()))


def test_day_or_month_is_told_by_the_column_by_the_others_or_must_be_asked_for():
    def read(*columns, **asked):
        frame = pl.DataFrame({f"c{k}": list(cells) for k, cells in enumerate(columns)})
        found, forms = tables.typed(frame, reading := tables.Reading(**asked), "rows.csv")
        assert str(reading) == ", ".join(f"dates {order}" for order in sorted({*forms.values()}))
        return [column.dt.to_string("%d %b").to_list() for column in found], forms

    early = ("03/04/2025", "05/06/2025")
    assert read(("13/04/2025", "03/04/2025"))[0] == [["13 Apr", "03 Apr"]]
    assert read(("04/13/2025", "03/04/2025"))[0] == [["13 Apr", "04 Mar"]]
    assert read(early, ("13/04/2025", "01/04/2025"))[0][0] == ["03 Apr", "05 Jun"]
    assert read(early, ("04/13/2025", "01/04/2025"))[0][0] == ["04 Mar", "06 May"]
    assert read(early, dates="month-first") == ([["04 Mar", "06 May"]], {"c0": "month-first"})
    assert read(("04/13/2025", "03/04/2025"), dates="day-first")[0] == [["13 Apr", "04 Mar"]]  # only that is possible
    assert read(("03/03/2025", "31.12.2024"))[1] == {}  # it does not matter
    said = "column 'c0' of rows.csv must tell day from month. Got '03/04/2025', which may be either. Add --dates"
    with pytest.raises(ValueError, match=said):
        read(early)
    with pytest.raises(ValueError, match=said):
        read(early, ("13/04/2025", "01/04/2025"), ("04/13/2025", "01/04/2025"))


@pytest.mark.parametrize(
    "kind", [pl.Date, pl.Datetime("ms"), pl.Datetime("us"), pl.Datetime("ns"), pl.Datetime("us", "Asia/Tokyo")]
)
def test_every_type_of_dates_counts_as_its_text(kind):
    text = ["2024-03-31", "1969-07-20", None, "2024-04-01"]
    typed = pl.Series("when", text).str.to_datetime("%Y-%m-%d", time_zone="UTC")
    zone = getattr(kind, "time_zone", None)
    typed = (typed.dt.convert_time_zone(zone) if zone else typed.dt.replace_time_zone(None)).cast(kind)
    assert is_date(typed.dtype)
    assert_allclose(Date.read(typed), Date.read(pl.Series("when", text)))


def table():
    rng = np.random.default_rng(0)
    joined = [f"2024-{month:02}-{day:02}" for month, day in rng.integers(1, [13, 29], (60, 2))]
    return pl.DataFrame({"joined": joined, "x": rng.normal(size=60)}), np.arange(60) % 2 == 0


@pytest.mark.parametrize("learner", ["linear", "boosted"])
def test_a_column_of_dates_is_a_column_of_days(learner):
    frame, labels = table()
    preparation = Preparation.learn(dated(frame), labels)
    assert preparation.notices == ("Column 'joined' holds dates: they count as days.",)
    assert preparation.numeric == ["x"]
    assert preparation.categorical == []
    counted = frame.with_columns(pl.col("joined").str.to_date().cast(pl.Int32))
    expected = Preparation((Number.learn(counted["joined"]), Number.learn(counted["x"])))
    assert_allclose(preparation.matrix(frame, learner), expected.matrix(counted, learner))
    assert Preparation.from_json(preparation.as_json()) == preparation


def test_a_date_for_a_number_or_a_text_for_a_date_gets_one_line():
    frame, labels = table()
    preparation = Preparation.learn(dated(frame), labels)
    with pytest.raises(ValueError, match=r"^column 'joined' must hold dates .* Got 'soon'. Correct the cell[^\n]*$"):
        preparation.matrix(frame.with_columns(joined=pl.lit("soon")), "linear")
    with pytest.raises(ValueError, match=r"^column 'joined' must hold dates .* Got '3'\.[^\n]*$"):
        preparation.matrix(frame.with_columns(joined=pl.lit(3)), "linear")
    with pytest.raises(ValueError, match=r"^column 'x' must hold numbers, as in training. Got the date '2024[^\n]*$"):
        preparation.matrix(frame.with_columns(x=pl.lit(dt.date(2024, 3, 31))), "linear")


def test_dates_missing_from_a_batch_are_missing():
    frame, labels = table()
    preparation = Preparation.learn(dated(frame), labels)
    empty = pl.DataFrame({"joined": [None], "x": [0.0]}, schema={"joined": pl.String, "x": pl.Float64})
    assert np.isnan(preparation.matrix(empty, "boosted")[0, 0])


def test_one_cell_that_is_no_date_makes_it_text_in_every_fold(tmp_path):
    frame, labels = table()
    frame = frame.with_columns(joined=pl.Series([*["2024-03-31", "2024-03-30"] * 29, "2024-03-29", "later"]), y=labels)
    frame.write_csv(tmp_path / "rows.csv")
    training = read_training(str(tmp_path / "rows.csv"), label="y")
    model, _ = fit(training, Search(model="linear", reduction="pointwise"))
    assert isinstance(model.preparation.columns[0], Text)


def test_dates_are_fitted_and_scored_in_any_file(tmp_path):
    frame, _ = table()
    frame = frame.with_columns(y=pl.col("joined") > "2024-06-15")
    typed = frame.with_columns(pl.col("joined").str.to_date())
    frame.write_csv(tmp_path / "rows.csv")
    typed.write_parquet(tmp_path / "rows.parquet")
    found = []
    for name in ("rows.csv", "rows.parquet"):
        model, choice = fit(
            read_training(str(tmp_path / name), label="y"), Search(model="linear", reduction="pointwise")
        )
        found += [model.scores(frame), model.scores(typed)]
        assert choice.best.auc.mean() > 0.95
    for scores in found[1:]:
        assert_allclose(scores, found[0], rtol=1e-6)
