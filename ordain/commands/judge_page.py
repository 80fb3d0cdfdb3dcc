"""`ordain judge` without a language model: people judge pairs on a page."""

from __future__ import annotations

import threading
import webbrowser
from contextlib import suppress

from ordain.commands.console import complain, say, visible
from ordain.commands.judge import check_places, told
from ordain.judge.for_people import Work, shown_of, work_of
from ordain.judge.people import People
from ordain.judge.preparing import Typed
from ordain.judge.serving import Serving, is_loopback
from ordain.judge.spending import Spending
from ordain.judge.store import StorageError

ALONE = "you"
"""The name of the person for whom no link is shared."""


def run(typed: Typed, *, browser: bool, force: bool, as_json: bool) -> int:
    """Read the items, open the page, and write the order when it ends, also by Ctrl-C: then too the exit code is 0."""
    check_places(typed, force)
    typed.check_learning()
    names = names_of(typed.share)
    shown = shown_of(typed)
    if not as_json:
        say(*map(visible, shown.said))
    try:
        return _judged(work_of(typed, shown), names, typed, browser=browser, force=force, as_json=as_json)
    except StorageError as broken:
        return complain(str(broken), 1)


def _judged(work: Work, names: list[str], typed: Typed, *, browser: bool, force: bool, as_json: bool) -> int:
    """Let people judge on the page until it ends, and tell what came of it."""
    with work.run as found:
        people = People(found, work.number, work.audit, names, typed.overlap, markdown=typed.markdown)
        serving = Serving(people, typed.host, typed.port, work.pictures)
        _announce(serving, typed, browser)
        people.start()
        with suppress(KeyboardInterrupt):
            serving.run()
        people.stop()
        if people.ranker.failed is not None:
            return complain(f"{people.ranker.failed} All answers so far are in {found.store.path}.", 1)
        checked = None if typed.check_count is None else work.number
        return told(found, Spending().recall(found.store.entries), typed, force, as_json, checked)


def names_of(share: str | None) -> list[str]:
    """The people who judge."""
    if share is None:
        return [ALONE]
    names = [name.strip() for name in share.split(",")]
    if not all(names) or len(set(names)) < len(names):
        raise ValueError(f"--share must be different names with commas between, as ANA,BEN. Got {share!r}.")
    return names


def _announce(serving: Serving, typed: Typed, browser: bool) -> None:
    """Print the links, and open the page where one person judges."""
    if not is_loopback(typed.host):
        say(f"{typed.host} is reached by others, over plain HTTP: whoever can listen in the net can read the page.")
    for name, link in serving.links.items():
        say(f"Judge at {link}" if name == ALONE else f"{visible(name)}: {link}")
    say("Ctrl-C, or Stop on the page, ends it and writes the order so far; the same command goes on.")
    if browser and list(serving.links) == [ALONE]:
        opening = threading.Timer(0.5, webbrowser.open, [serving.links[ALONE]])
        opening.daemon = True
        opening.start()
