"""A JSON file that is one array of objects: each of them is a row."""

from __future__ import annotations

import json
from typing import Any

from ordain.tables.jsonl import distinct
from ordain.tables.messages import shown
from ordain.tables.source import Source


def array_of_objects(source: Source) -> list[dict[str, Any]]:
    """The objects of the array; it is read whole."""
    name = source.name
    try:
        rows = json.loads(source.stream.read().decode(), object_pairs_hook=distinct)
    except UnicodeDecodeError as error:
        byte = f"0x{error.object[error.start]:02x}"
        raise ValueError(f"{name} must be UTF-8 text. Got the byte {byte}. Save the file as UTF-8.") from None
    except RecursionError:
        raise ValueError(f"{name} must not be nested this deep. Flatten it.") from None
    except json.JSONDecodeError as error:
        got = f"Got: {error.msg} in line {error.lineno}, character {error.colno}"
        raise ValueError(f"{name} must be JSON, an array of objects. {got}. Mend the file.") from None
    except ValueError as error:
        raise ValueError(f"{name} {error}") from None
    for number, row in enumerate(rows, 1):
        if type(row) is not dict:
            got = f"Got {shown(row)}. Write an array of objects"
            raise ValueError(f"{name}, row {number}: must be a JSON object. {got}.")
    return list(rows)
