"""The first sheet of an Excel or OpenDocument workbook, its cells typed as they are stored."""

from __future__ import annotations

import logging
from typing import Any

import polars as pl

from ordain.tables.source import Source

_UNNAMED = "__UNNAMED__"


def sheet(source: Source) -> tuple[list[str], pl.DataFrame]:
    """The names of the columns, empty where there is none, and the rows below them."""
    try:
        import fastexcel
    except ImportError:
        raise ValueError(
            f'{source.name} needs fastexcel. There is none. Install it: pip install "ordain[excel]"'
        ) from None
    logging.getLogger("fastexcel").setLevel(logging.ERROR)  # it logs columns that hold nothing
    try:
        book = fastexcel.read_excel(source.stream.read())
        frame: Any = book.load_sheet(0, schema_sample_rows=None).to_polars()
    except fastexcel.FastExcelError as wrong:
        reason = str(wrong).partition("\n")[0].rstrip(".")
        raise ValueError(f"{source.name} must be a whole workbook. Got: {reason}. Save it again.") from None
    if not frame.width:
        raise ValueError(f"{source.name} must have a table on its first sheet. It is empty. Put the sheet first.")
    if len(book.sheet_names) > 1:
        source.reading.note("sheet", f"sheet {book.sheet_names[0]!r}, the first of {len(book.sheet_names)}")
    return ["" if name.startswith(_UNNAMED) else name for name in frame.columns], frame
