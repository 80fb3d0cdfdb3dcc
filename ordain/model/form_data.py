"""How the columns of the training table were written, as plain data."""

from __future__ import annotations

from typing import Any

from ordain._json import record
from ordain.prepare import Preparation
from ordain.tables import Form, Forms
from ordain.tables.numbers import OTHER
from ordain.tables.reading import DATES

LONGEST = 8
"""A currency has at most so many characters."""


def forms_written(forms: Forms) -> dict[str, Any]:
    """Forms as plain data."""
    return {name: form if isinstance(form, str) else form.as_json() for name, form in forms.items()}


def forms_read(plain: Any, preparation: Preparation, what: str) -> Forms:
    """The forms that :func:`forms_written` gave, of columns that the model uses; anything else is refused."""
    kinds = {column.name: column.kind for column in preparation.columns}
    return {name: _form(kinds.get(name), form, f"the form of {name[:40]!r} in {what}") for name, form in plain.items()}


def _form(kind: str | None, plain: Any, what: str) -> Form | str:
    if kind == "date" and plain in DATES:
        return str(plain)
    if kind != "number":
        raise ValueError(f"{what} must belong to a column of numbers or dates. Got otherwise. Fit the model again.")
    found = Form(**record(plain, what, decimal=str, thousands=str, percent=bool, currency=str))
    if found.decimal not in OTHER or found.thousands not in ("", "'", " ", OTHER[found.decimal]):
        raise ValueError(f"{what} must have marks that ordain knows. Got others. Fit the model again.")
    if len(found.currency) > LONGEST:
        raise ValueError(f"{what} must have a short currency. Got a long one. Fit the model again.")
    return found
