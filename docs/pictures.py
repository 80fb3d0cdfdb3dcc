"""Makes the pictures of the documentation: `python docs/pictures.py`; with names of functions below, theirs only.

The blocks of a page of the documentation are run in an empty folder, and chromium opens the page that comes of them. It
takes some minutes, the package with the extra `dev`, and Debian's chromium.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
from base64 import b64encode
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
sys.path.insert(0, str(ROOT / "tests"))

import page_blocks  # noqa: E402
from judge.test_people_tutorial import SHOWN, WANTED  # noqa: E402

from ordain.judge import waiting  # noqa: E402

CHROMIUM = "/usr/bin/chromium"
READING = 1500
"""Milliseconds that the person of the pictures takes for a pair."""


def followed(name: str) -> page_blocks.Session:
    """What a tutorial leaves behind, in the folder where one is."""
    session = page_blocks.Session()
    for block in page_blocks.blocks(DOCS / "tutorials" / f"{name}.md"):
        session.run(block)
    return session


def opened(browser: Browser, path: str, width: int, **how: Any) -> Page:
    """A page of a file, in a window so wide."""
    page = browser.new_page(viewport={"width": width, "height": 800}, **how)
    page.goto(Path(path).resolve().as_uri())
    return page


def shot(page: Page, into: Path, height: int, *, heading: str | None = None) -> None:
    """The page from its top, or from a heading, so far down."""
    top = 0.0
    if heading:
        box = page.get_by_role("heading", name=heading, exact=True).bounding_box()
        assert box, heading
        top = box["y"] - 20
    width = page.evaluate("innerWidth")
    page.screenshot(path=into, full_page=True, clip={"x": 0, "y": top, "width": width, "height": height})


def side_by_side(browser: Browser, parts: list[bytes], into: Path) -> None:
    """Two pictures as one."""
    page = browser.new_page(viewport={"width": 1240, "height": 800})
    images = "".join(f'<img src="data:image/png;base64,{b64encode(part).decode()}">' for part in parts)
    page.set_content(f'<div style="display:flex;align-items:center;gap:40px;background:white">{images}</div>')
    page.locator("div").screenshot(path=into)
    page.close()


def table(browser: Browser) -> None:
    """What comes of the tutorial on a table: the page of its scores, and the page of its model."""
    session = followed("table")
    session.asked("ordain report ranked.csv --label bad_risk --out scores.html")
    shot(opened(browser, "scores.html", 760), DOCS / "report_scores.png", 1060)
    page = opened(browser, "scores.html", 700)
    parts = [page.locator(of).first.screenshot() for of in ("header", "figure svg")]
    side_by_side(browser, parts, DOCS / "report_top.png")
    session.asked("ordain report risk.ordain --out model.html")
    shot(opened(browser, "model.html", 640), DOCS / "report_fit.png", 770, heading="What the ranking rests on")


def language_model(browser: Browser) -> None:
    """The page of the run of tickets, and in the dark who beat whom there."""
    followed("language_model")
    shot(opened(browser, "tickets.html", 900), DOCS / "tutorials" / "tickets.png", 760)
    page = opened(browser, "tickets.html", 640, color_scheme="dark")
    shot(page, DOCS / "report_run.png", 800, heading="Who beat whom")


def far_more_items(browser: Browser) -> None:
    """The board of the run of reviews."""
    followed("far_more_items").asked("ordain report reviews.run --out reviews.html")
    page = opened(browser, "reviews.html", 760)
    shot(page, DOCS / "tutorials" / "reviews.png", 520, heading="The board")


def people(browser: Browser) -> None:
    """The page on which people judge: at a desk, with the order so far, and on a phone in the dark."""
    ideas, judging = page_blocks.blocks(DOCS / "tutorials" / "people.md")[:2]
    Path("ideas.txt").write_text(ideas.text)
    [(command, _)] = page_blocks.commands(judging.text)
    words = [sys.executable, "-u", "-m", "ordain", *shlex.split(command)[1:], "--no-browser", "--port", "0"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            address = next(found[0] for line in process.stdout if (found := re.search(r"http://\S+", line)))
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            page.goto(address)
            judged(page, 12)
            page.screenshot(path=DOCS / "judging.png")
            judged(page, 5)
            page.set_viewport_size({"width": 900, "height": 620})
            page.keyboard.press("o")
            page.wait_for_timeout(READING)
            page.screenshot(path=DOCS / "tutorials" / "order_so_far.png")
            page.close()
            phone = {"viewport": {"width": 390, "height": 700}, "has_touch": True, "is_mobile": True}
            page = browser.new_page(color_scheme="dark", **phone)
            page.goto(address)
            page.wait_for_selector("#loading", state="hidden")
            page.wait_for_timeout(READING)
            page.screenshot(path=DOCS / "tutorials" / "phone.png")
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate()


def judged(page: Page, pairs: int) -> None:
    """So many pairs are answered by the arrow to the better idea, after a look."""
    page.wait_for_selector("#loading", state="hidden")
    for _ in range(pairs):
        texts = page.evaluate(SHOWN)
        left, right = (next(place for place, word in enumerate(WANTED) if text.startswith(word)) for text in texts)
        page.wait_for_timeout(READING)
        page.keyboard.press("ArrowLeft" if left < right else "ArrowRight")
        page.wait_for_function(f"(old) => JSON.stringify(({SHOWN})()) !== JSON.stringify(old)", arg=texts)
    page.wait_for_timeout(READING)


def drawings(_: Browser) -> None:
    """The figures that scripts draw: a board, bounds of all scorers, how often intervals hold."""
    for script, *words in (
        ("examples/leaderboard.py", "--draw", f"{DOCS}/board.svg"),
        ("examples/uniform_bounds.py", f"{DOCS}/uniform_bounds.svg"),
        ("benchmarks/coverage_figure.py",),
    ):
        subprocess.run([sys.executable, ROOT / script, *words], check=True, stdout=subprocess.DEVNULL)


PICTURES: list[Callable[[Browser], None]] = [table, language_model, far_more_items, people, drawings]


def main() -> None:
    os.environ["COLUMNS"] = "80"
    waiting.SLOWEST = 0.0
    wanted = sys.argv[1:]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        for make in PICTURES:
            if not wanted or make.__name__ in wanted:
                with TemporaryDirectory() as folder, chdir(folder):
                    make(browser)
        browser.close()


if __name__ == "__main__":
    main()
