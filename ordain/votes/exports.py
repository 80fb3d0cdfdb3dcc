"""Which export of votes a table is, told by the names of its columns: which column is what.

Each export is a line of a table: what it is, and the columns it must have. Names are looked at in lower case. The first
line that fits is taken, and what was taken for what is said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace

from ordain.tables.messages import listed
from ordain.votes.nested_exports import (
    ASIDE,
    NO_SCORE,
    Unfold,
    annotated,
    battles,
    equal_flagged,
    judged,
    mirrored_games,
    pair_of,
    responses,
    selected,
    two_games,
    valid_only,
)


@dataclass(frozen=True)
class Layout:
    """What the columns of a table of votes are.

    Parameters
    ----------
    what : str
        What the table is, in a message; empty where options said it.
    roles : dict
        Role → column: left, right, winner, left_score, right_score, order, …, weight, judge, group, date.
    shown : bool
        Whether left and right are the order in which the two were shown.
    left_won : bool
        Whether the left column is the winners'.
    dropped : tuple
        Words for votes that say nothing.
    home : bool
        Whether the left one plays at home: A is the other one, and dates are written with the day first.
    signed : bool
        Whether a file that names no voter may be one voter's; results of matches and elections are not.
    unfold : function, optional
        What makes plain rows of nested ones.
    read : tuple
        Columns to read where they are not those of the roles.
    """

    what: str = ""
    roles: Mapping[str, str] = field(default_factory=dict)
    shown: bool = True
    left_won: bool = False
    dropped: tuple[str, ...] = ()
    home: bool = False
    signed: bool = True
    unfold: Unfold | None = None
    read: tuple[str, ...] = ()

    @property
    def columns(self) -> list[str]:
        """The columns it needs."""
        return list(dict.fromkeys(self.read or self.roles.values()))


@dataclass(frozen=True)
class Named:
    """The columns that options named; None where they did not."""

    left: str | None = None
    right: str | None = None
    winner: str | None = None
    loser: str | None = None
    left_score: str | None = None
    right_score: str | None = None
    order: str | None = None
    weight: str | None = None
    judge: str | None = None
    group: str | None = None
    date: str | None = None

    @property
    def roles(self) -> dict[str, str]:
        """Role → column, of those that were named."""
        return {one.name: column for one in fields(self) if (column := getattr(self, one.name)) is not None}


WAYS = {
    frozenset(("left", "right", "winner")): Layout(),
    frozenset(("left", "right", "left_score", "right_score")): Layout(),
    frozenset(("winner", "loser")): Layout(shown=False, left_won=True),
    frozenset(("order",)): Layout(shown=False, signed=False),
}
"""The ways of naming who won."""

_HOW = "--left, --right and --winner; --left, --right, --left-score and --right-score; --winner and --loser; or --order"

VOTERS = (
    "evaluation_session_id", "judge_hash", "judge", "judge_id", "judgeid", "voter", "voter_id", "annotator",
    "annotator_id", "worker", "worker_id", "user_id", "user", "session id", "session_id", "session_hash", "visitor_id",
)  # fmt: skip
"""Columns of who voted, the likeliest first."""

_SIDES = {"left": "model_a", "right": "model_b"}
_FOOTBALL = Layout("football results", home=True, signed=False)
_CHESS = Layout("games of chess", dropped=("*",), signed=False)
_WON = Layout(shown=False, left_won=True)

EXPORTS = (
    (
        Layout("a judging run's answers", shown=False, unfold=judged),
        {"order": "order", "shown": "shown", "judge": "judge", "weight": "weight"},
    ),
    (
        Layout("an arena's votes"),
        _SIDES | {"one_left": "winner_model_a", "one_right": "winner_model_b", "one_tie": "winner_tie"},
    ),
    (Layout("an arena's votes", dropped=("error",)), _SIDES | {"winner": "winner"}),
    (
        Layout("MT-Bench's games, the second with the sides changed", dropped=("error",), unfold=two_games),
        {"left": "model_1", "right": "model_2", "winner": "g1_winner", "again": "g2_winner"},
    ),
    (Layout("MT-Bench's votes", dropped=("error",)), {"left": "model_1", "right": "model_2", "winner": "winner"}),
    (
        Layout("arena-hard's games, a clear win (>>) counted as a win", dropped=(NO_SCORE,), unfold=mirrored_games),
        {"left": "baseline", "right": "model", "winner": "games"},
    ),
    (Layout("alpaca_eval's preferences"), {"left": "generator_1", "right": "generator_2", "chance": "preference"}),
    (
        Layout("compar:IA's votes", unfold=equal_flagged),
        {"left": "model_a_name", "right": "model_b_name", "winner": "chosen_model_name", "equal": "both_equal"},
    ),
    (Layout("compar:IA's votes"), {"left": "model_a_name", "right": "model_b_name", "winner": "chosen_model_name"}),
    (replace(_WON, what="chosen and rejected"), {"left": "chosen_model", "right": "rejected_model"}),
    (Layout("FastChat's log", unfold=battles), {"left": "models", "right": "models", "winner": "type"}),
    (Layout("votes on left and right"), {"left": "left", "right": "right", "winner": "winner"}),
    (
        replace(_WON, what="All Our Ideas' votes", unfold=valid_only),
        {"left": "winner text", "right": "loser text", "valid": "valid"},
    ),
    (replace(_WON, what="All Our Ideas' votes"), {"left": "winner text", "right": "loser text"}),
    (replace(_WON, what="No More Marking's judgements"), {"left": "chosen", "right": "notchosen"}),
    (_FOOTBALL, {"left": "hometeam", "right": "awayteam", "winner": "ftr"}),
    (_FOOTBALL, {"left": "hometeam", "right": "awayteam", "left_score": "fthg", "right_score": "ftag"}),
    (_FOOTBALL, {"left": "home", "right": "away", "winner": "res"}),
    (_FOOTBALL, {"left": "home", "right": "away", "left_score": "hg", "right_score": "ag"}),
    (_CHESS, {"left": "white", "right": "black", "winner": "result"}),
    (_CHESS, {"left": "white_id", "right": "black_id", "winner": "winner"}),
    (replace(_WON, what="results, winners first", signed=False), {"left": "winner_name", "right": "loser_name"}),
    (replace(_WON, what="results, winners first", signed=False), {"left": "winner", "right": "loser"}),
    (Layout("Argilla's ranks", shown=False, signed=False, unfold=responses), {"order": "preference"}),
    (Layout("PrefLib's ballots", shown=False, signed=False), {"order": "order", "weight": "count"}),
)  # fmt: skip
"""What an export is, and the columns it must have by their roles."""


_META = ("id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time")
_CHOICE = ("pairwise", "pw", "comparison", "preference", "choice", "winner", "selected", "answer")


def layout_of(name: str, names: Sequence[str], named: Named) -> Layout:
    """What the columns of a table are, by what was named, and else by what is known."""
    aside = {role: column for role, column in named.roles.items() if role in ASIDE}
    outcome = {role: column for role, column in named.roles.items() if role not in ASIDE}
    studio = _label_studio(names, outcome) if outcome.keys() <= {"left", "right"} else None
    found = studio or (_asked(outcome) if outcome else _recognised(names))
    if found is None:
        raise ValueError(
            f"{name} must hold votes in a form that is known. Got the columns {listed(names, 8)}. Name them: {_HOW}."
        )
    read = (*found.read, *aside.values()) if found.read else ()
    return replace(found, roles=dict(found.roles) | aside, read=read)


def _recognised(names: Sequence[str]) -> Layout | None:
    """The first export whose columns are all there, with the column of who voted if there is one."""
    known = {name.strip().lower(): name for name in reversed(names)}
    for layout, needed in EXPORTS:
        if all(column in known for column in needed.values()):
            roles = {role: known[column] for role, column in needed.items()}
            both_bad = known.get("winner_tie (bothbad)") or known.get("winner_bothbad")
            if "one_left" in roles and both_bad:
                roles["one_bad"] = both_bad
            read = tuple(roles.values()) if layout.unfold in (responses, judged) else ()
            read += tuple(known[name] for name in ("p_left",) if layout.unfold is judged and name in known)
            return replace(layout, roles=roles | _voter(layout, known), read=read)
    return None


def _voter(layout: Layout, known: Mapping[str, str]) -> dict[str, str]:
    """The column of who voted, where an export has voters."""
    voters = [known[name] for name in VOTERS if name in known]
    if layout.unfold is responses:
        return {"judge": "user_id"}
    return {"judge": voters[0]} if voters and layout.signed else {}


def _label_studio(names: Sequence[str], sides: dict[str, str]) -> Layout | None:
    """An export of Label Studio, whole or short (JSON-MIN); the two items are fields of the data."""
    if {"data", "annotations"} <= set(names):
        roles = sides | {"winner": "annotations", "judge": "completed_by"}
        return Layout("Label Studio's annotations", roles, unfold=annotated, read=("data", "annotations"))
    others = [name for name in names if name not in _META]
    pair = (sides["left"], sides["right"]) if len(sides) == 2 else pair_of(others)
    if "annotator" not in names or not {"annotation_id", "lead_time"} & set(names) or pair is None:
        return None
    rest = [name for name in others if name not in pair]
    chosen = [name for name in rest if name.lower() in _CHOICE] or rest
    if len(chosen) != 1:
        return None
    roles = {"left": pair[0], "right": pair[1], "winner": chosen[0], "judge": "annotator"}
    return Layout("Label Studio's annotations", roles, unfold=selected)


def _asked(outcome: dict[str, str]) -> Layout:
    """The layout that options ask for."""
    found = WAYS.get(frozenset(outcome))
    if found is None:
        got = ", ".join(f"--{role.replace('_', '-')}" for role in outcome)
        raise ValueError(f"who won must be named in one way: {_HOW}. Got {got}.")
    if found.left_won:
        outcome = {"left": outcome["winner"], "right": outcome["loser"]}
    return replace(found, roles=outcome)
