"""Exports whose rows are not votes yet: several games in a row, lists of annotations, flags beside the winner.

Each function makes plain rows of a batch: columns by role (left, right, winner, or order; judge; and what options
named), and `row`, the row of the batch that each comes from. What says nothing is left out and counted by what it was.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import polars as pl

from ordain.tables.batches import Batch
from ordain.tables.loosely import json_text
from ordain.tables.messages import shown

Unfold = Callable[[Batch, Mapping[str, str]], tuple[pl.DataFrame, Counter[str]]]
"""Makes plain rows of a batch, and counts what it leaves out."""

ASIDE = ("weight", "judge", "group", "date")
"""What may be said of any vote."""

NO_SCORE = "no score"
"""The winner of a game that its judge did not decide."""

_FALSE = ["false", "0", "no", "f"]
_TRUE = ["true", "1", "yes", "t"]
_NAMING = ("model", "name", "system", "generator", "item")


def battles(batch: Batch, roles: Mapping[str, str]) -> tuple[pl.DataFrame, Counter[str]]:
    """FastChat's log: lines whose type is a vote, with both models in a list; other lines are left out."""
    kinds, models = (batch.frame[roles[role]] for role in ("winner", "left"))
    plain, dropped = _Plain(batch, roles), Counter[str]()
    for row, kind in enumerate(kinds):
        if "vote" not in (kind or "") or kind in ("upvote", "downvote"):
            dropped[f"lines of type {shown(kind)}"] += 1
            continue
        names = _parsed(batch, row, models.name, models[row])
        if not isinstance(names, list) or len(names) != 2:
            raise batch.fault(row, f"column {models.name!r} must be a list of two models. Got {shown(names)}.")
        plain.add(row, left=json_text(names[0]), right=json_text(names[1]), winner=kind)
    return plain.frame(), dropped


def mirrored_games(batch: Batch, roles: Mapping[str, str]) -> tuple[pl.DataFrame, Counter[str]]:
    """arena-hard's rows: in the first game A is the baseline, in the second the model."""
    frame, plain = batch.frame, _Plain(batch, roles)
    sides = [frame[roles[role]] for role in ("left", "right")]
    column = roles["winner"]
    for row, cell in enumerate(frame[column]):
        games = _parsed(batch, row, column, cell)
        if not isinstance(games, list) or len(games) > 2:
            raise batch.fault(row, f"column {column!r} must be a list of at most two games. Got {shown(games)}.")
        for number, game in enumerate(games):
            score = game.get("score") if isinstance(game, dict) else game
            first, second = sides[number][row], sides[1 - number][row]
            plain.add(row, left=first, right=second, winner=json_text(score) or NO_SCORE)
    return plain.frame(), Counter()


def two_games(batch: Batch, roles: Mapping[str, str]) -> tuple[pl.DataFrame, Counter[str]]:
    """MT-Bench's pairs: the second game shows the second model first, and both name the winner by its column."""
    frame = batch.frame.with_row_index("row")
    first, second = pl.col(roles["left"]), pl.col(roles["right"])
    games, aside = [], {role: pl.col(roles[role]) for role in ASIDE if role in roles}
    for sides, column in (((first, second), roles["winner"]), ((second, first), roles["again"])):
        word = pl.col(column).str.strip_chars().str.to_lowercase()
        name = pl.when(word == "model_1").then(first).when(word == "model_2").then(second).otherwise(pl.col(column))
        games.append(frame.select(left=sides[0], right=sides[1], winner=name, **aside, row="row"))
    return pl.concat(games), Counter()


def valid_only(batch: Batch, roles: Mapping[str, str]) -> tuple[pl.DataFrame, Counter[str]]:
    """All Our Ideas' votes without those it holds for invalid."""
    rows = by_role(batch, roles)
    good = ~rows["valid"].str.strip_chars().str.to_lowercase().is_in(_FALSE).fill_null(value=False)
    return rows.filter(good).drop("valid"), Counter({"invalid votes": int((~good).sum())})


def equal_flagged(batch: Batch, roles: Mapping[str, str]) -> tuple[pl.DataFrame, Counter[str]]:
    """compar:IA's votes, where a column says that both are equal."""
    rows = by_role(batch, roles)
    level = pl.col("equal").str.strip_chars().str.to_lowercase().is_in(_TRUE).fill_null(value=False)
    return rows.with_columns(winner=pl.when(level).then(pl.lit("tie")).otherwise("winner")).drop("equal"), Counter()


def selected(batch: Batch, roles: Mapping[str, str]) -> tuple[pl.DataFrame, Counter[str]]:
    """Label Studio's short rows, whose choice is a word or an object with the key selected."""
    inner = pl.col("winner").str.extract(r'"selected"\s*:\s*"([^"]*)"')
    return by_role(batch, roles).with_columns(winner=pl.coalesce(inner, "winner")), Counter()


def annotated(batch: Batch, roles: Mapping[str, str]) -> tuple[pl.DataFrame, Counter[str]]:
    """Label Studio's tasks, each with any number of annotations of which some are choices of one of two."""
    plain, dropped = _Plain(batch, roles), Counter[str]()
    for row, (data, cell) in enumerate(zip(batch.frame["data"], batch.frame["annotations"], strict=True)):
        fields = _parsed(batch, row, "data", data)
        sides = _sides(batch, row, fields, roles)
        for annotation in _objects(batch, row, "annotations", cell):
            words = [_choice(part) for part in _as_list(annotation.get("result"))]
            words = [word for word in words if word and not annotation.get("was_cancelled")]
            dropped["annotations without a choice"] += not words
            for word in words:
                who = _who(annotation.get("completed_by"))
                plain.add(
                    row, left=json_text(fields[sides[0]]), right=json_text(fields[sides[1]]), winner=word, judge=who
                )
    return plain.frame(), dropped


def responses(batch: Batch, roles: Mapping[str, str]) -> tuple[pl.DataFrame, Counter[str]]:
    """Argilla's records, each with the ranks that some users gave; only what was submitted counts."""
    plain, dropped, column = _Plain(batch, roles), Counter[str](), roles["order"]
    for row, cell in enumerate(batch.frame[column]):
        for response in _objects(batch, row, column, cell):
            if response.get("status") not in ("submitted", None) or response.get("value") is None:
                dropped[f"responses {shown(response.get('status'))}"] += 1
                continue
            ballot = _ranked(batch, row, column, response["value"])
            plain.add(row, order=json.dumps(ballot, ensure_ascii=False), judge=json_text(response.get("user_id")))
    return plain.frame(), dropped


def judged(batch: Batch, roles: Mapping[str, str]) -> tuple[pl.DataFrame, Counter[str]]:
    """The export of a judging run: orders, and of two items how surely the first shown was preferred."""
    plain, frame = _Plain(batch, roles), batch.frame
    chances = frame["p_left"] if "p_left" in frame.columns else [None] * frame.height
    for row, (cell, order, chance) in enumerate(
        zip(frame[roles["shown"]], frame[roles["order"]], chances, strict=True)
    ):
        names = _as_list(_parsed(batch, row, roles["shown"], cell))
        share = _share(_as_list(_parsed(batch, row, roles["order"], order)), names)
        if share is None:
            plain.add(row, left=None, right=None, share=None, order=order)
        else:
            left, right = map(json_text, names)
            plain.add(row, left=left, right=right, share=chance if chance and chance.strip() else share, order=None)
    return plain.frame(), Counter()


def _share(levels: list[Any], names: list[Any]) -> str | None:
    """How surely the first of two was preferred, by their order; None where it is no order of these two."""
    for order, share in ((names, "1"), (names[::-1], "0"), ([names], "0.5"), ([names[::-1]], "0.5")):
        if len(names) == 2 and levels == order:
            return share
    return None


class _Plain:
    """Plain rows as they are found."""

    def __init__(self, batch: Batch, roles: Mapping[str, str]) -> None:
        self._batch, self._roles = batch, roles
        self._rows: list[int] = []
        self._columns: dict[str, list[str | None]] = {}

    def add(self, row: int, **cells: str | None) -> None:
        self._rows.append(row)
        for role, cell in cells.items():
            self._columns.setdefault(role, []).append(cell)

    def frame(self) -> pl.DataFrame:
        """All of them, with what else is known of the rows they come from."""
        rows, frame = pl.Series("row", self._rows, pl.UInt32), self._batch.frame
        aside = {role: self._roles[role] for role in ASIDE if self._roles.get(role) in frame.columns}
        found = [pl.Series(role, cells, pl.String) for role, cells in self._columns.items() if role not in aside]
        return pl.DataFrame([*found, *(frame[column].gather(rows).alias(role) for role, column in aside.items()), rows])


def by_role(batch: Batch, roles: Mapping[str, str]) -> pl.DataFrame:
    """The columns of a batch under the names of their roles."""
    return batch.frame.select(**{role: pl.col(column) for role, column in roles.items()}).with_row_index("row")


def _parsed(batch: Batch, row: int, column: str, cell: str | None) -> Any:
    """The JSON in a cell."""
    try:
        return json.loads(cell or "null")
    except (ValueError, RecursionError):
        raise batch.fault(row, f"column {column!r} must hold JSON. Got {shown(cell)}. Mend the cell.") from None


def _objects(batch: Batch, row: int, column: str, cell: str | None) -> list[dict[str, Any]]:
    """The list of objects in a cell; none where it is empty."""
    found = _parsed(batch, row, column, cell) or []
    if not isinstance(found, list) or not all(isinstance(part, dict) for part in found):
        raise batch.fault(row, f"column {column!r} must be a list of objects. Got {shown(cell)}. Mend the cell.")
    return found


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _choice(part: Any) -> str | None:
    """The side that a result of Label Studio chooses."""
    value = part.get("value") if isinstance(part, dict) else None
    chosen = value.get("selected") if isinstance(value, dict) else None
    return json_text(chosen)


def _who(completed_by: Any) -> str | None:
    """Who made an annotation: a number, or an object with an address."""
    if isinstance(completed_by, dict):
        completed_by = completed_by.get("email") or completed_by.get("id")
    return json_text(completed_by)


def _sides(batch: Batch, row: int, fields: Any, roles: Mapping[str, str]) -> tuple[str, str]:
    """The fields of a task that hold the two items."""
    if not isinstance(fields, dict):
        raise batch.fault(row, f"column 'data' must be an object. Got {shown(fields)}. Mend the row.")
    sides = (roles["left"], roles["right"]) if "left" in roles else pair_of(list(fields))
    if sides is None or any(side not in fields for side in sides):
        got = ", ".join(map(repr, fields)) or "none"
        raise batch.fault(row, f"the two items must be fields of the data. Got {got}. Name them: --left and --right.")
    return sides


def _ranked(batch: Batch, row: int, column: str, value: Any) -> list[list[str]]:
    """Ranks and what has them, as a ballot."""
    if isinstance(value, list) and all(isinstance(part, dict) for part in value):
        value = {key: [part.get(key) for part in value] for key in ("rank", "value")}
    ranks, names = (_as_list(value.get(key)) if isinstance(value, dict) else [] for key in ("rank", "value"))
    if not ranks or len(ranks) != len(names) or not all(isinstance(rank, (int, float)) for rank in ranks):
        raise batch.fault(row, f"column {column!r} must have a rank for every value. Got others. Mend the row.")
    return [[name for rank, name in zip(ranks, names, strict=True) if rank == level] for level in sorted(set(ranks))]


def pair_of(names: Sequence[str]) -> tuple[str, str] | None:
    """The two names that differ only in 1 and 2, a and b, or left and right; None if there are none, or several.

    Examples
    --------
    >>> pair_of(["prompt", "model_a", "model_b", "answer_1", "answer_2"])
    ('model_a', 'model_b')
    """
    known = {name.lower(): name for name in names}
    pairs = []
    for one, two in (("1", "2"), ("a", "b"), ("left", "right"), ("first", "second")):
        for low, name in known.items():
            ends = low.removesuffix(one) + two if low.endswith(one) else two + low.removeprefix(one)
            if one in (low[: len(one)], low[-len(one) :]) and ends in known:
                pairs.append((name, known[ends]))
    naming = [pair for pair in pairs if any(word in pair[0].lower() for word in _NAMING)]
    found = naming or pairs
    return found[0] if len(found) == 1 else None
