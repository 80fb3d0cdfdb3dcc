"""The tutorial for people, followed as it tells: its list, its command, a real browser, and what it says comes out."""

import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import page_blocks

PAGE = Path(__file__).parents[2] / "docs" / "tutorials" / "people.md"
SHOWN = "() => pair.hidden ? null : [...document.querySelectorAll('.body')].map((body) => body.textContent)"
WANTED = ["Undo", "Search", "Faster", "Offline", "Export", "Sign", "Dark", "A public"]
"""How the person of the tutorial thinks of the ideas, best first."""


def judge_all(page):
    """Press the arrow to the better idea, pair after pair."""
    while (texts := page.evaluate(SHOWN)) is not None:
        left, right = (next(place for place, word in enumerate(WANTED) if text.startswith(word)) for text in texts)
        page.clock.fast_forward(300)  # before that a new pair takes no answer
        page.keyboard.press("ArrowLeft" if left < right else "ArrowRight")
        page.wait_for_function(f"(old) => JSON.stringify(({SHOWN})()) !== JSON.stringify(old)", arg=texts)


def test_the_tutorial_for_people_is_followed_by_keyboard(browser, tmp_path, monkeypatch):
    ideas, judging = page_blocks.blocks(PAGE)[:2]
    (tmp_path / "ideas.txt").write_text(ideas.text)
    [(command, told)] = page_blocks.commands(judging.text)
    words = [sys.executable, "-u", "-m", "ordain", *shlex.split(command)[1:], "--no-browser", "--port", "0"]
    monkeypatch.setenv("COLUMNS", "80")
    with subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        try:
            printed = ""
            while "Ctrl-C" not in printed:
                printed += process.stdout.readline()
            page = browser.new_page()
            page.clock.install()
            page.goto(re.search(r"http://\S+", printed).group())
            page.wait_for_selector("#loading", state="hidden")
            judge_all(page)
            printed += process.communicate(timeout=300)[0]
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
    assert page_blocks.agrees(told, printed), printed
    assert (tmp_path / "ranked.csv").read_text().splitlines()[1].split(",")[2] == "Undo for everything"
