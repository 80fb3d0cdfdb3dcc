"""What people are asked: a new list, a run that goes on, new items for an old order, or pairs that a model judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ordain.judge.adding import add, with_added
from ordain.judge.checking import check_plan
from ordain.judge.judged_items import Item, question_of, read_items
from ordain.judge.pictures import Picture, pictures_in, pictures_of
from ordain.judge.preparing import Typed
from ordain.judge.run import Run, items_hash
from ordain.judge.wanted import LEARNED, PAIRS, Wanted

EACH = 6
"""Answers for each item, where no budget is given."""

PEOPLE = {"people": True}
"""The judge of a run that people judge."""


@dataclass(frozen=True)
class Work:
    """A run that is open, the plan that people work on, that of its audit, and pictures by the items' numbers."""

    run: Run
    number: int
    audit: int | None = None
    pictures: Mapping[int, Picture] = field(default_factory=dict)


@dataclass(frozen=True)
class Shown:
    """Items as they were read, their pictures, and sentences on how."""

    items: list[Item]
    pictures: Mapping[int, Picture]
    said: list[str]


def shown_of(typed: Typed) -> Shown:
    """The items of the command, with pictures if it names any."""
    if typed.items is None:
        return Shown([], {}, [])
    if typed.shows_files:
        items, found = pictures_in(typed.items)
        return Shown(items, found, [f"{len(items):,} pictures of the folder {typed.items}."])
    items, said = read_items(typed.items, id_column=typed.id_column, text=typed.text, reading=typed.reading)
    if typed.image is None:
        return Shown(items, {}, said)
    folder = Path(typed.items).resolve().parent if typed.items != "-" else Path.cwd()
    return Shown(items, pictures_of(items, typed.image, folder), said)


def work_of(typed: Typed, shown: Shown) -> Work:
    """The run, begun or gone on with, and the plan that people work on."""
    if typed.check_count is not None:
        return _checking(typed)
    if typed.add:
        return _adding(typed, shown)
    if typed.ask is None:
        raise ValueError('--ask must say what to judge by. Got nothing. Add --ask "Which is better?"')
    run = _opened(typed, shown.items, question_of(typed.ask))
    usual = min(EACH * run.n, LEARNED) if typed.learn else EACH * run.n
    *audit, number = run.prepared(
        Wanted(typed.top, PAIRS, budget=typed.budget or usual, learn=typed.learning(run.store.items))
    )
    return Work(run, number, audit[0] if audit else None, shown.pictures)


def _opened(typed: Typed, items: list[Item], question: str) -> Run:
    """The run, a new one if there is none."""
    if not (Path(typed.place).exists() or Path(typed.place).is_symlink()):
        return Run.create(typed.place, items, question, judge=PEOPLE, seed=typed.seed)
    run = Run.open(typed.place)
    try:
        run.check_same(items=items_hash(items), question=question, judge=PEOPLE)
    except ValueError:
        run.close()
        raise
    return run


def _adding(typed: Typed, shown: Shown) -> Work:
    """New items for the order of a run; pictures are those of the new ones."""
    run = Run.open(typed.place)
    try:
        old = run.n
        number = add(run, with_added(run, shown.items))
    except ValueError:
        run.close()
        raise
    return Work(run, number, None, {old + place: one for place, one in shown.pictures.items()})


def _checking(typed: Typed) -> Work:
    """Pairs that the model of a run judged."""
    if not typed.check_count or typed.check_count < 1:
        raise ValueError(f"--check must be the number of pairs to show, 1 or more. Got {typed.check_count}.")
    run = Run.open(typed.place)
    try:
        wanted = {"check": typed.check_count}
        found = [
            number for number, plan in enumerate(run.plans, 1) if plan.wanted and wanted.items() <= plan.wanted.items()
        ]
        number = found[-1] if found else run.store.add_plan(check_plan(run, typed.check_count, typed.seed).settings)
    except ValueError:
        run.close()
        raise
    return Work(run, number)
