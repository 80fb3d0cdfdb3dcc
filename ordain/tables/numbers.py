"""Numbers as people write them: decimal commas, thousands, percent, currencies, negatives in brackets.

A cell is a number if it has one *core* of digits and marks, such as 1.234,50, around which a sign, a currency and a
percent sign may stand. Whether a comma in the core is the decimal mark or parts thousands is a question to the whole
column: :attr:`Cells.fits` has every answer that fits all of its cells.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from ordain._json import record
from ordain._types import Mask
from ordain.tables.messages import shown

NUMBER = r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
"""What a number looks like where a program wrote it."""

MISSING = (
    "na", "n/a", "n.a.", "#n/a", "nan", "-nan", "null", "(null)", "none", "nil", "missing", "(blank)", "?", "-", "--",
    "–", "—", ".", "#div/0!", "#value!", "#ref!", "#name?", "#num!", "#null!", "\\n",
)  # fmt: skip
"""What people and spreadsheets write, in lower case, where a value is missing."""

BLANK = " \t\u00a0\u2007\u2009\u202f"
"""Blanks, also those that part thousands."""

OTHER = {".": ",", ",": "."}
"""The other decimal mark."""

WORDS = {".": "decimal point", ",": "decimal comma"}

LONGEST = 8
"""A currency has at most so many characters."""

_CODES = (
    "USD|EUR|GBP|JPY|CNY|RMB|CHF|SEK|NOK|DKK|ISK|PLN|CZK|HUF|RON|BGN|RUB|UAH|TRY|INR|PKR|IDR|THB|KRW|SGD|HKD|TWD|MYR|"
    "PHP|VND|AUD|NZD|CAD|MXN|BRL|ARS|CLP|COP|PEN|ZAR|NGN|KES|EGP|ILS|AED|SAR"
)
_UNIT = rf"(?:[A-Z]{{0,3}}\p{{Sc}}|{_CODES}|kr\.?|zł|Kč|Ft|Fr\.?|SFr\.?|Rs\.?|%)"
_GAP, _SIGN = f"[{BLANK}]*", "[-+\u2212]"
CELL = (
    rf"^{_GAP}(?P<open>\(?){_GAP}(?P<sign>{_SIGN}?){_GAP}(?P<before>{_UNIT}?){_GAP}(?P<inner>{_SIGN}?){_GAP}"
    rf"(?P<core>[.,]?[0-9](?:[0-9.,'’{BLANK}]*[0-9])?[.,]?)(?P<power>(?:[eE][-+]?[0-9]+)?)"
    rf"{_GAP}(?P<after>{_UNIT}?){_GAP}(?P<minus>-?)(?P<close>\)?){_GAP}$"
)
"""A number with all that may stand around it."""


def _core(decimal: str) -> str:
    """What a core looks like with this decimal mark: its thousands, if parted, all by the same mark."""
    marks = (rf"\{OTHER[decimal]}", "['’]", f"[{BLANK}]")
    parted = "|".join(rf"[1-9][0-9]{{0,2}}(?:{mark}[0-9]{{2,3}})*{mark}[0-9]{{3}}" for mark in marks)
    return rf"^(?:[0-9]+|{parted})?(?:\{decimal}[0-9]*)?$"


CORES = {decimal: _core(decimal) for decimal in OTHER}


@dataclass(frozen=True)
class Form:
    """How the numbers of a column are written.

    Parameters
    ----------
    decimal : {".", ","}
        The mark before the decimals.
    thousands : str
        The mark that parts thousands; empty where none was seen. A blank stands for every kind of blank.
    percent : bool
        Whether they are shares with a percent sign: 5 % is 0.05.
    currency : str
        The currency beside them, if there is one.

    Examples
    --------
    >>> print(Form(",", ".", currency="€"))
    decimal comma, € amounts
    """

    decimal: str = "."
    thousands: str = ""
    percent: bool = False
    currency: str = ""

    def __str__(self) -> str:
        amounts = [f"{self.currency} amounts"] * bool(self.currency) + ["percent"] * self.percent
        thousands = ["thousands by commas"] * (self.thousands == ",")
        return ", ".join([WORDS[","]] * (self.decimal == ",") + thousands + amounts)

    def as_json(self) -> dict[str, Any]:
        """It as plain data."""
        return asdict(self)

    @classmethod
    def from_json(cls, plain: Any, what: str) -> Form:
        """What :meth:`as_json` gave; anything else is refused."""
        found = cls(**record(plain, what, decimal=str, thousands=str, percent=bool, currency=str))
        if found.decimal not in OTHER or found.thousands not in ("", "'", " ", OTHER[found.decimal]):
            raise ValueError(f"{what} must have marks that ordain knows. Got others. Fit the model again.")
        if len(found.currency) > LONGEST:
            raise ValueError(f"{what} must have a short currency. Got a long one. Fit the model again.")
        return found


PLAIN = Form()


def plain_numbers(series: pl.Series) -> pl.Series | None:
    """Text as float64, null where missing, if every cell is a number as programs write it or missing; else None."""
    values = series.cast(pl.Float64, strict=False)
    if values.null_count():
        text = series.str.strip_chars(BLANK)
        values = text.cast(pl.Float64, strict=False)
        if (values.is_null() & ~is_missing(text)).any():
            return None
    return values.fill_nan(None)


def is_missing(text: pl.Series) -> pl.Series:
    """Where stripped text stands for no value."""
    return text.is_null() | text.str.to_lowercase().is_in(["", *MISSING])


class Cells:
    """The cells of a column of text, taken apart."""

    def __init__(self, series: pl.Series) -> None:
        self.series = series
        text = series.str.strip_chars(BLANK)
        self.missing: Mask = is_missing(text).to_numpy()
        parts = text.str.extract_groups(CELL).struct.unnest()
        signs, units = pl.concat_str("open", "sign", "inner", "minus"), pl.concat_str("before", "after")
        self.parts = parts.select(
            "core",
            "power",
            negative=signs.str.contains("[-\u2212(]"),
            percent=units.str.contains("%", literal=True),
            currency=units.str.replace("%", "", literal=True),
            sound=(signs.str.len_chars() <= 1) & (pl.col("open").eq("(") == pl.col("close").eq(")")),
        )

    @cached_property
    def known(self) -> Mask:
        """Which cells are numbers by one decimal mark or the other."""
        sound = self.parts["sound"].fill_null(value=False).to_numpy()
        return sound & (self._by["."] | self._by[","]) & ~self.missing

    @cached_property
    def _by(self) -> dict[str, Mask]:
        """Which cells are numbers by each decimal mark."""
        core = self.parts["core"]
        return {mark: core.str.contains(form).fill_null(value=False).to_numpy() for mark, form in CORES.items()}

    @property
    def strange(self) -> Mask:
        """Which cells are neither numbers nor missing."""
        return ~self.known & ~self.missing

    @cached_property
    def fits(self) -> set[str]:
        """The decimal marks by which every cell that is not missing is a number; none where there are no numbers."""
        if not self.known.any():
            return set()
        return {mark for mark, fitting in self._by.items() if (fitting & self.known | self.missing).all()}

    @property
    def either(self) -> bool:
        """Whether the cells have marks and leave open which is the decimal one."""
        return len(self.fits) == 2 and bool((self.bears(",") | self.bears(".")).any())

    def only(self, decimal: str) -> Mask:
        """Which cells are numbers by this decimal mark alone."""
        return self._by[decimal] & ~self._by[OTHER[decimal]] & self.known

    def bears(self, mark: str) -> Mask:
        """Which cells have this mark in their core."""
        return self.parts["core"].str.contains(mark, literal=True).fill_null(value=False).to_numpy() & self.known

    def open_to(self, decimal: str) -> Mask:
        """Which cells part thousands by a mark that may as well be the decimal one, such as 1,234."""
        return self._by["."] & self._by[","] & self.bears(OTHER[decimal])

    def form(self, decimal: str) -> Form:
        """How they are written, the decimal mark being known; percent and currency must be those of all cells."""
        cores = self.parts["core"].filter(self.known)
        thousands = [mark for mark in (OTHER[decimal], "'", " ") if cores.str.contains(_grouping(mark)).any()]
        percent, currencies = self._percent(), self._currencies()
        return Form(decimal, thousands[0] if thousands else "", percent, currencies[0] if currencies else "")

    def _percent(self) -> bool:
        """Whether they are percent: all of them, but for zeros."""
        percent = self.parts["percent"].fill_null(value=False).to_numpy() & self.known
        if not percent.any():
            return False
        bare = self.known & ~percent & self.parts["core"].str.contains("[1-9]").fill_null(value=False).to_numpy()
        if bare.any():
            both = [shown(self.series[int(np.argmax(which))]) for which in (percent, bare)]
            raise ValueError(
                f"column {self.series.name!r} must have % in every cell or in none. Got {both[0]} and {both[1]}. "
                "Write all alike, or leave the column out."
            )
        return True

    def _currencies(self) -> list[str]:
        found = self.parts["currency"].filter(self.known).unique(maintain_order=True)
        currencies = [currency for currency in found if currency]
        if len(currencies) > 1:
            raise ValueError(
                f"column {self.series.name!r} must be in one currency. Got {', '.join(map(shown, currencies[:3]))}. "
                "Convert the amounts, or leave the column out."
            )
        return currencies

    def values(self, form: Form) -> pl.Series:
        """The numbers as float64, rounded correctly, null where there is none."""
        core = self.parts["core"].str.replace_all(rf"['’{BLANK}\{OTHER[form.decimal]}]", "")
        text = core.str.replace(form.decimal, ".", literal=True) + self.parts["power"]
        values = text.cast(pl.Float64, strict=False)
        values = pl.select(pl.when(self.parts["negative"]).then(-values).otherwise(values)).to_series()
        values = values / 100 if form.percent else values
        return values.set(~pl.Series(self.known), None).alias(self.series.name)

    def against(self, form: Form, *, asked: bool = False) -> tuple[int, str] | None:
        """The first cell that is not written in this form, and what is wrong with it; asked for, thousands are free."""
        zero = ~self.parts["core"].str.contains("[1-9]").fill_null(value=False).to_numpy()
        percent = self.parts["percent"].fill_null(value=False).to_numpy()
        currency = self.parts["currency"].fill_null("").is_in(["", form.currency]).to_numpy()
        free = asked or form.thousands == OTHER[form.decimal]
        faults = {
            "must hold numbers": self.strange,
            f"must have a {WORDS[form.decimal]}": ~self._by[form.decimal],
            "must have % in every cell" if form.percent else "must have no %": ~zero & (percent != form.percent),
            f"must be in {form.currency}" if form.currency else "must have no currency": ~currency,
            f"must say whether that mark parts thousands: add --decimal {form.decimal}": (
                np.zeros(len(zero), bool) if free else self.open_to(form.decimal)
            ),
        }
        for fault, where in faults.items():
            if (where := where & ~self.missing).any():
                return int(np.argmax(where)), fault
        return None


def _grouping(mark: str) -> str:
    """Thousands that are parted by this mark."""
    return {"'": "['’][0-9]", " ": f"[{BLANK}][0-9]"}.get(mark, rf"\{mark}[0-9]{{3}}")
