"""What the commands that read many Parquet files have in common: what such files need no saying about."""

from __future__ import annotations

from ordain.tables import Reading


def refuse_asked(reading: Reading | None, what: str) -> None:
    """Refuse options on how a table is written, since Parquet files say it themselves."""
    if reading is not None and reading.asked:
        must = f"--{reading.asked[0]} is for tables of text, and {what} for Parquet files"
        raise ValueError(f"{must}. Got both. Leave one of them out.")
