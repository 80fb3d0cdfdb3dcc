"""A column that must hold finite numbers, growing batch by batch."""

from __future__ import annotations

import re
from array import array
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from ordain._types import Vector
from ordain.tables.batches import Batch
from ordain.tables.messages import shown
from ordain.tables.numbers import BLANK, MISSING, NUMBER, Cells, Form
from ordain.tables.reading import Reading

_EXACT = 2**53  # up to here every integer is a float64


class Growing:
    """Numbers that grow at the end. A standard array grows in place, so that no second copy is ever made.

    Batches as programs write numbers are taken at once. From the first other one on, batches are held until their cells
    tell the decimal mark; then all must be written in one form.
    """

    def __init__(self, name: str, reading: Reading) -> None:
        self._name, self._asked = name, reading.decimal
        self._array, self._whole = array("d"), True
        self._form: Form | None = None
        self._held: list[tuple[Batch, Cells]] = []

    @property
    def values(self) -> Vector:
        if self._held:
            batch, cells = self._held[0]
            index = int(np.argmax(cells.bears(",") | cells.bears(".")))
            must = f"column {self._name!r} must tell its decimal mark. Got {shown(cells.series[index])}"
            raise batch.fault(index, f"{must}, which may be either. Add --decimal , or --decimal . to say so.")
        return np.frombuffer(self._array, self._array.typecode)

    @property
    def said(self) -> str:
        """How they are written, where that is worth saying."""
        return str(self._form) if self._form else ""

    def add(self, batch: Batch) -> None:
        series = batch.frame[self._name]
        written = batch.text and series.dtype == pl.String
        if not written or not (self._form or self._held or self._is_odd(series)):
            self._grow(_finite(batch, self._name))
            return
        cells = Cells(series)
        if (cells.missing | cells.strange).any():
            index = int(np.argmax(cells.missing | cells.strange))
            raise batch.fault(index, f"column {self._name!r} must be a finite number. {_hint(series[index])}")
        self._held.append((batch, cells))
        self._form = self._form or self._decided()
        if self._form:
            for held, own in self._held:
                self._grow(self._written(held, own, self._form))
            self._held = []

    def _is_odd(self, series: pl.Series) -> bool:
        """Whether there are numbers that only people write so."""
        strange = np.isnan(_from_text(series))
        return bool(strange.any()) and bool(Cells(series.filter(pl.Series(strange))).known.any())

    def _decided(self) -> Form | None:
        """The form, once the decimal mark is plain."""
        fits = {".", ","}
        for _, cells in self._held:
            fits &= cells.fits
        if fits == {".", ","} and self._asked is None:
            grown = np.frombuffer(self._array)
            if (grown % 1 != 0).any():
                fits = {"."}
            elif any((cells.bears(",") | cells.bears(".")).any() for _, cells in self._held):
                return None
        mark = self._asked if self._asked in fits else min(fits, default=self._asked or ".")
        forms = [cells.form(mark) for _, cells in self._held]
        return replace(
            forms[-1],
            percent=any(form.percent for form in forms),
            thousands="".join(form.thousands for form in forms)[:1],
        )

    def _written(self, batch: Batch, cells: Cells, form: Form) -> Vector:
        """The numbers of a batch, all written in one form."""
        if fault := cells.against(form, asked=True):
            index, must = fault
            got = f"Got {shown(cells.series[index])}. Write all cells alike"
            raise batch.fault(index, f"column {self._name!r} {must}, as the cells before. {got}.")
        return cells.values(form).to_numpy()

    def _grow(self, part: Vector) -> None:
        self._whole &= part.dtype == np.int64
        large = self._whole and (self._array.typecode == "q" or part.max() > _EXACT or part.min() < -_EXACT)
        code = "q" if large else "d"
        if code != self._array.typecode:
            self._array = array(code, np.frombuffer(self._array, self._array.typecode).astype(code).tobytes())
        self._array.frombytes(part.astype(code, copy=False).tobytes())


def _finite(batch: Batch, name: str) -> Vector:
    """A number column as finite float64, or int64 if it is of integers that fit."""
    series = batch.frame[name]
    written = batch.text and series.dtype == pl.String
    values = _from_text(series) if written else _from_numbers(batch, name, series)
    if values.dtype == np.float64 and not (finite := np.isfinite(values)).all():
        index = int(np.argmin(finite))
        raise batch.fault(index, f"column {name!r} must be a finite number. {_hint(series[index])}")
    return values


def _from_text(series: pl.Series) -> Vector:
    """Text as float64, rounded correctly; nan where it is no number."""
    values = series.cast(pl.Float64, strict=False)
    if values.null_count():
        values = series.str.strip_chars(BLANK).cast(pl.Float64, strict=False)
    return values.to_numpy()


def _from_numbers(batch: Batch, name: str, series: pl.Series) -> Vector:
    """Typed numbers as float64 with nan for null, or as int64 if they are integers that fit."""
    kind = series.dtype
    if kind.is_integer() and not series.null_count():
        whole = series.cast(pl.Int64, strict=False)
        return (series.cast(pl.Float64) if whole.null_count() else whole).to_numpy()
    if not kind.is_numeric() and kind != pl.Null:
        index = int(series.is_not_null().arg_max() or 0)
        got = f"Got {kind_name(kind)} such as {shown(series[index])}"
        raise batch.fault(index, f"column {name!r} must be a finite number. {got}. Store the column as numbers.")
    return series.cast(pl.Float64).to_numpy()


def kind_name(kind: Any) -> str:
    """What a polars type is called in a message."""
    names = {pl.String: "text", pl.Boolean: "true or false", pl.Binary: "bytes"}
    return names.get(kind.base_type(), f"values of type {kind.base_type().__name__}")


def _hint(cell: Any) -> str:
    """What came in place of a finite number, and what to do."""
    text = str(cell).strip(BLANK).lower() if cell is not None else "null"
    if not text:
        return "Got an empty cell. Fill it in, or remove the row."
    return f"Got {shown(cell)}. {_advice(text)}"


def _advice(text: str) -> str:
    """What to do about a cell that is no finite number."""
    if text in MISSING:
        return "That is a missing value: remove the row, or give a number."
    if re.fullmatch(r"[-+]?inf(inity)?", text):
        return "Remove the row, or give a finite number."
    if re.fullmatch(NUMBER, text):
        return "That is beyond ±1.8e308: rescale the column."
    if text in ("true", "false", "yes", "no"):
        return "Write 1 and 0 instead."
    return "Is it the right column?"
