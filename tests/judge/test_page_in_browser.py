"""The page as people use it: `ordain judge` as a process, a real browser, and what the run then holds, by plain SQL."""

import csv
import json
import re
import signal
import sqlite3
import struct
import subprocess
import sys
import time
import zlib
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pytest

PATIENCE = 300.0
"""Seconds in which whatever is waited for must have come."""

GUARD = 300
"""Milliseconds after which a new pair takes an answer."""

POLL = 1000
"""Milliseconds after which a page without a pair asks again."""

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
SMALL = {"viewport": {"width": 360, "height": 640}, "has_touch": True, "is_mobile": True}

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)><iframe src="javascript:alert(1)">',
    "x" * 300_000,
    "\u202egnol oot si txet siht\u202d \u2066and this",
    "שלום עולם, ‏مرحبا",
    "👩‍👩‍👧‍👦🏳️‍🌈 zo\u0335\u0334\u0321e",
    "{{7*7}} ${alert(1)} &lt;b&gt; &amp;",
]


@dataclass
class Judging:
    """`ordain judge` in a folder: its process, and the links that it printed."""

    folder: Path
    options: tuple[str, ...]
    links: list[str] = field(default_factory=list)
    process: subprocess.Popen | None = None

    @contextmanager
    def started(self, port=0):
        """The command while it works; it is ended as Ctrl-C would."""
        command = [sys.executable, "-u", "-m", "ordain", "judge", "items.jsonl", "--id", "id", "--ask", "Which first?"]
        command += ["--no-browser", "--port", str(port), "--out", "order.csv", "--force", *self.options]
        with subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, text=True) as process:
            self.process, self.links = process, []
            for line in process.stdout:
                self.links += re.findall(r"http://\S+", line)
                if "Ctrl-C" in line:
                    break
            try:
                yield self
            finally:
                process.send_signal(signal.SIGINT)
                process.communicate(timeout=PATIENCE)

    @property
    def port(self):
        return urlsplit(self.links[0]).port

    def answers(self, *, of_audit=True):
        """Who said what of which pair, in order."""
        query = (
            "SELECT who, shown, answer, settings FROM asked JOIN replied ON asked.number = replied.asked "
            "JOIN plans ON plans.number = asked.plan ORDER BY asked.number"
        )
        with closing(sqlite3.connect(f"file:{self.folder}/items.run?mode=ro", uri=True, timeout=10)) as reader:
            found = [row for row in reader.execute(query) if of_audit or json.loads(row[3])["ranker"] != "audit"]
        return [(who, tuple(map(int, shown.split(","))), float(answer)) for who, shown, answer, _ in found]

    def contradicted(self):
        """Pairs that stand in the result other than was answered; those kept back for the audit do not count in it."""
        place = {int(item): place for place, item in enumerate(self.order())}
        answers = self.answers(of_audit=False)
        return [pair for _, pair, left in answers if (place[pair[0]] < place[pair[1]]) != (left == 1.0)]

    def order(self):
        """The ids of the result, best first, once the command has ended."""
        self.process.wait(PATIENCE)
        with open(self.folder / "order.csv", newline="") as file:
            return [row["id"] for row in csv.DictReader(file)]


@pytest.fixture
def judging(tmp_path):
    """Start the command on some texts."""
    with ExitStack() as ending:

        def start(texts, *options, port=0, **columns):
            rows = [{"id": str(number), "text": text} for number, text in enumerate(texts)]
            more = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
            lines = [json.dumps(row | (more[number] if more else {})) for number, row in enumerate(rows)]
            (tmp_path / "items.jsonl").write_text("\n".join(lines))
            return ending.enter_context(Judging(tmp_path, options).started(port))

        yield start


@pytest.fixture
def opened(browser):
    """Open a link in a browser of its own; the page also has what went wrong in it, and what it asked for."""
    with ExitStack() as ending:

        def open_page(link, **options):
            context = browser.new_context(**options)
            ending.callback(context.close)
            context.set_default_timeout(PATIENCE * 1000)
            page = context.new_page()
            page.wrong, page.asked = [], []
            page.on("dialog", lambda dialog: (page.wrong.append(f"dialog {dialog.message}"), dialog.dismiss()))
            page.on("pageerror", lambda error: page.wrong.append(str(error)))
            page.on("console", lambda message: page.wrong.extend(_complaint(message)))
            page.on("request", lambda request: page.asked.append(request.url))
            page.clock.install()  # it runs on by itself, and can be put forward
            page.goto(link)
            page.wait_for_selector("#loading", state="hidden")
            return page

        yield open_page


def _complaint(message):
    """What the console complains of, without the icon that browsers ask every site for."""
    ours = message.type in ("error", "warning") and not message.location.get("url", "").endswith("/favicon.ico")
    return [message.text] if ours else []


def numbered(many):
    return [f"idea number {number:02}" for number in range(many)]


SHOWN = "() => pair.hidden ? null : [...document.querySelectorAll('.body')].map((body) => body.textContent)"


def shown(page):
    """The two texts; None when there is no pair."""
    return page.evaluate(SHOWN)


def pressed(page, key):
    """Press a key once the pair takes answers, and wait for what is shown instead."""
    before = shown(page)
    page.clock.fast_forward(GUARD)
    page.keyboard.press(key)
    await_change(page, before)


def await_change(page, before):
    page.wait_for_function(f"(before) => JSON.stringify(({SHOWN})()) !== JSON.stringify(before)", arg=before)


def arrow_to_smaller(texts):
    """The key that says that the smaller number comes first."""
    left, right = (int(text[-2:]) for text in texts)
    return "ArrowLeft" if left < right else "ArrowRight"


def said(page):
    """All that a screen reader was given to read, of late."""
    return page.inner_text("#said")


def eventually(holds):
    """Wait until it holds."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, "it did not come to be"
        time.sleep(0.05)


# From start to end


def test_ten_items_are_judged_by_keyboard_to_the_end(judging, opened):
    work = judging(numbered(10))
    page = opened(work.links[0])
    assert page.inner_text("h1") == "Which first?"
    while (texts := shown(page)) is not None:
        pressed(page, arrow_to_smaller(texts))
    assert page.is_visible("text=Everything is saved. You can close this page.")
    assert work.contradicted() == []
    assert work.order() == [str(number) for number in range(10)]
    assert all((left == 1.0) == (pair[0] < pair[1]) for _, pair, left in work.answers())
    assert page.wrong == []


def test_stop_asks_first_and_then_writes_the_order_so_far(judging, opened):
    work = judging(numbered(4))
    page = opened(work.links[0])
    pressed(page, arrow_to_smaller(shown(page)))
    page.click("#stop-button")
    page.click("#stop-no")
    assert shown(page) is not None
    page.click("#stop-button")
    page.click("#stop-yes")
    page.wait_for_selector("#stopped >> text=Everything is saved. You can close this page.")
    assert len(work.order()) == 4
    assert len(work.answers()) == 1


# Undo and correction


def test_an_answer_is_shown_again_and_corrected(judging, opened):
    work = judging(numbered(6))
    page = opened(work.links[0])
    first = shown(page)
    pressed(page, "ArrowLeft")
    pressed(page, "Backspace")
    assert shown(page) == first
    assert page.inner_text("#left .badge") == "You said: better"
    assert not page.is_visible("#right .badge")
    assert "left is better" in page.inner_text("#earlier")
    pressed(page, "ArrowRight")
    assert [(who, answer) for who, _, answer in work.answers()] == [("you", 1.0), ("you", 0.0)]
    assert not page.is_visible("#earlier")
    assert page.get_attribute("#undo", "aria-disabled") == "false"


def test_several_steps_back_and_back_to_now(judging, opened):
    work = judging(numbered(6))
    page = opened(work.links[0])
    assert page.get_attribute("#undo", "aria-disabled") == "true"
    seen = [shown(page)]
    for key in ("ArrowLeft", "ArrowDown", "ArrowRight"):
        pressed(page, key)
        seen.append(shown(page))
    for step, answer in enumerate(("right is better", "a tie", "left is better"), 1):
        pressed(page, "Backspace")
        assert shown(page) == seen[3 - step]
        assert answer in page.inner_text("#earlier-text")
    assert page.get_attribute("#undo", "aria-disabled") == "true"
    page.keyboard.press("Backspace")
    page.wait_for_function("said.innerText.includes('There is no earlier answer.')")
    page.keyboard.press("Escape")
    await_change(page, seen[0])
    assert shown(page) == seen[3]
    assert len(work.answers()) == 3


def test_a_skipped_pair_is_not_shown_again(judging, opened):
    work = judging(numbered(6), "--share", "ANA,BEN")
    page, _ = [opened(link) for link in work.links]  # with no one else there it would be given up
    first = shown(page)
    pressed(page, "s")
    assert sorted(shown(page)) != sorted(first)
    assert work.answers() == []


# Nothing is answered by accident, and nothing is lost


def test_double_and_held_keys_answer_one_pair(judging, opened):
    work = judging(numbered(8))
    page = opened(work.links[0])
    before = shown(page)
    page.clock.fast_forward(GUARD)
    page.evaluate(
        """() => { for (const repeat of [false, false, true, true])
            dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowLeft", repeat })); }"""
    )
    await_change(page, before)
    page.evaluate("dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft' }))")  # the guard of the next pair
    page.wait_for_timeout(2 * GUARD)
    page.evaluate("dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft', repeat: true }))")
    page.wait_for_timeout(GUARD)
    assert len(work.answers()) == 1


def test_a_closed_tab_loses_nothing(judging, opened):
    work = judging(numbered(6))
    page = opened(work.links[0])
    for _ in range(2):
        pressed(page, "ArrowLeft")
    page.clock.fast_forward(GUARD)
    page.keyboard.press("ArrowRight")
    page.close()  # with the answer on its way
    eventually(lambda: [answer for _, _, answer in work.answers()] == [1.0, 1.0, 0.0])
    again = opened(work.links[0])
    assert "3 of" in again.inner_text("#count")
    pressed(again, "Backspace")
    assert "right is better" in again.inner_text("#earlier-text")


def test_an_answer_outlives_a_killed_server(judging, opened):
    work = judging(numbered(6))
    page = opened(work.links[0])
    pressed(page, "ArrowLeft")
    before = shown(page)
    work.process.kill()
    work.process.wait()
    page.clock.fast_forward(GUARD)
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("text=Not saved yet, trying again")
    assert "Not saved yet" in said(page)
    assert page.evaluate("!dispatchEvent(new Event('beforeunload', { cancelable: true }))")
    with Judging(work.folder, ()).started(work.port) as again:
        await_change(page, before)
        assert [answer for _, _, answer in again.answers()] == [1.0, 0.0]
        assert not page.is_visible("#trouble")
        assert page.evaluate("dispatchEvent(new Event('beforeunload', { cancelable: true }))")


def test_the_clock_runs_only_while_the_page_is_in_sight(judging, opened):
    page = opened(judging(numbered(4)).links[0])
    hide = "(hidden) => { Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });" + (
        "document.dispatchEvent(new Event('visibilitychange')); }"
    )
    page.evaluate(hide, True)
    page.wait_for_timeout(3000)
    page.evaluate(hide, False)
    with page.expect_request("**/api/vote") as sent:
        page.keyboard.press("ArrowLeft")
    whole = page.evaluate("performance.now()") / 1000
    assert 0 < sent.value.post_data_json["seconds"] <= whole - 3


# Several people


def test_two_people_never_get_the_same_pair(judging, opened):
    work = judging(numbered(6), "--share", "ANA,BEN", "--budget", "20")
    pages = [opened(link) for link in work.links]
    assert ["judging as ANA" in page.inner_text(".brand") for page in pages] == [True, False]
    while any(page.is_hidden("#done") for page in pages):
        for page in pages:
            texts = shown(page)
            if texts is not None:
                pressed(page, arrow_to_smaller(texts))
            else:
                page.clock.fast_forward(POLL)
    judged = [frozenset(pair) for _, pair, _ in work.answers()]
    assert len(judged) == len(set(judged))
    assert {who for who, _, _ in work.answers()} == {"ANA", "BEN"}
    assert work.contradicted() == []


# Everything is text


def test_hostile_items_are_shown_as_text(judging, opened):
    work = judging(HOSTILE)
    page = opened(work.links[0])
    seen = set()
    for _ in range(24):
        texts = shown(page)
        seen.update(texts)
        assert page.evaluate("[...document.querySelectorAll('.body *')].every((one) => one.tagName === 'DIV')")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        pressed(page, "ArrowLeft" if texts[0] < texts[1] else "ArrowRight")
        if shown(page) is None or seen == set(HOSTILE):
            break
    page.keyboard.press("o")
    page.wait_for_selector("#order-list li")
    assert seen == set(HOSTILE)
    assert page.evaluate("document.scripts.length") == 1
    assert page.evaluate("document.querySelectorAll('#order-list :not(li, span)').length") == 0
    assert page.wrong == []
    assert {urlsplit(url).port for url in page.asked} == {work.port}


def test_texts_keep_their_lines_and_long_ones_scroll_by_key(judging, opened):
    essay = "\n".join(f"Line {number} of an essay that is long." for number in range(200))
    code = "def first(items):\n    return items[0]\n"
    page = opened(judging([essay, code]).links[0])
    long, short = page.locator(".body:has(.prose)"), page.locator(".body:has(.code)")
    assert "monospace" in short.locator(".text").evaluate("(text) => getComputedStyle(text).fontFamily")
    assert short.inner_text().rstrip() == code.rstrip()
    assert short.get_attribute("tabindex") is None
    page.keyboard.press("PageDown")
    page.wait_for_function("[...document.querySelectorAll('.body')].some((body) => body.scrollTop > 100)")
    long.focus()
    long.press("ArrowDown")
    page.wait_for_timeout(GUARD)
    assert "0 of" in page.inner_text("#count")  # it scrolled, and was no tie
    assert long.evaluate("(body) => body.scrollHeight > 2 * body.clientHeight")


# Touch


def swipe(page, x, y):
    """Move a finger over the cards."""
    box = page.locator("#cards").bounding_box()
    start = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 4)
    touch = page.context.new_cdp_session(page)
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": start[0], "y": start[1]}]})
    for step in range(1, 9):
        point = {"x": start[0] + x * step / 8, "y": start[1] + y * step / 8}
        touch.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [point]})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_a_phone_is_tapped_and_swiped(judging, opened):
    work = judging(numbered(8))
    page = opened(work.links[0], **PHONE)
    above, below = (page.locator(side).bounding_box() for side in ("#left", "#right"))
    assert above["y"] + above["height"] < below["y"]
    acts = [
        (lambda: swipe(page, -150, 5), 1.0),
        (lambda: swipe(page, 150, 5), 0.0),
        (lambda: swipe(page, 5, 150), 0.5),
        (lambda: page.locator("#left .body").tap(), 1.0),
        (lambda: page.locator("#right .body").tap(), 0.0),
    ]
    for act, _ in acts:
        before = shown(page)
        page.clock.fast_forward(GUARD)
        act()
        await_change(page, before)
    page.wait_for_timeout(GUARD)
    swipe(page, 30, 5)  # too short to mean anything
    page.wait_for_timeout(GUARD)
    assert [answer for _, _, answer in work.answers()] == [answer for _, answer in acts]


def test_a_phone_has_room_for_everything_and_for_fingers(judging, opened):
    work = judging(numbered(4))
    for size in (PHONE, SMALL):
        page, width = opened(work.links[0], **size), size["viewport"]["width"]
        assert page.evaluate("[document.documentElement.scrollWidth - innerWidth, scrollY]") == [0, 0], width
        for button in page.locator("button:visible").all():
            box = button.bounding_box()
            assert min(box["width"], box["height"]) >= 44, (width, button.inner_text())
            assert box["x"] >= 0 and box["x"] + box["width"] <= width, (width, button.inner_text())


# Keyboard and screen reader


def tabbed_to(page):
    """Everything that Tab comes to, with whether one sees that it did."""
    found = {}
    for _ in range(40):
        page.keyboard.press("Tab")
        name, ring = page.evaluate(
            """() => { const one = document.activeElement, { outlineStyle, outlineWidth } = getComputedStyle(one);
                return [one.dataset.answer ?? one.id, outlineStyle !== "none" && parseFloat(outlineWidth) >= 2] }"""
        )
        if name in found:
            break
        if name:
            found[name] = ring
    return found


def test_everything_is_reached_by_tab_with_a_ring_around_it(judging, opened):
    page = opened(judging(numbered(6)).links[0])
    pressed(page, "ArrowLeft")
    pressed(page, "Backspace")
    actions = {"order-button", "help-button", "stop-button", "now", "left", "tie", "right", "undo", "skip"}
    found = tabbed_to(page)
    assert actions <= set(found)
    assert all(found[name] for name in actions)


def test_a_button_keeps_the_focus_and_the_new_pair_is_read_out(judging, opened):
    work = judging(numbered(6))
    page = opened(work.links[0])
    for _ in range(3):
        before = shown(page)
        page.clock.fast_forward(GUARD)
        page.focus("[data-answer=right]")
        page.keyboard.press("Enter")
        await_change(page, before)
        assert page.evaluate("document.activeElement.dataset.answer") == "right"
        left, right = shown(page)
        assert said(page).endswith(f"New pair. Left: {left}. Right: {right}.")
    assert [answer for _, _, answer in work.answers()] == [0.0] * 3
    region = page.locator("#said")
    assert (region.get_attribute("role"), region.get_attribute("aria-live")) == ("status", "polite")


def test_haste_is_noticed_and_read_out(judging, opened):
    page = opened(judging(["words " * 400 + str(number) for number in range(6)]).links[0])
    for _ in range(6):
        pressed(page, "ArrowLeft")
    notice = page.inner_text("#notice")
    assert "faster" in notice
    assert notice in said(page)


def test_help_and_order_open_and_close_by_key(judging, opened):
    page = opened(judging(numbered(4)).links[0])
    page.clock.fast_forward(GUARD)
    page.keyboard.press("?")
    assert page.is_visible("#help")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("?")
    assert page.is_hidden("#help") and page.is_hidden("#order")
    page.keyboard.press("o")
    page.wait_for_selector("#order-list li >> nth=3")
    assert page.get_attribute("#order-button", "aria-expanded") == "true"
    page.keyboard.press("o")
    assert page.is_hidden("#order")
    assert "0 of" in page.inner_text("#count")


def test_the_order_covers_the_pair_on_a_phone_and_then_nothing_is_answered(judging, opened):
    page = opened(judging(numbered(4)).links[0], **PHONE)
    page.tap("#order-button")
    page.wait_for_selector("#order-list li >> nth=3")
    page.clock.fast_forward(GUARD)
    page.keyboard.press("ArrowLeft")
    page.wait_for_timeout(GUARD)
    assert "0 of" in page.inner_text("#count")
    page.tap("#order-close")
    pressed(page, "ArrowLeft")
    assert "1 of" in page.inner_text("#count")


# Contrast, by the definition of the Web Content Accessibility Guidelines 2.2

TEXTS = """() => {
  const seen = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const one = node.parentElement, style = getComputedStyle(one);
    if (!node.data.trim() || !one.checkVisibility() || one.closest(".unseen, noscript")) continue;
    let under = one;
    while (under && getComputedStyle(under).backgroundColor === "rgba(0, 0, 0, 0)") under = under.parentElement;
    const ground = getComputedStyle(under ?? document.documentElement).backgroundColor;
    const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && style.fontWeight >= 700);
    seen.push([node.data.trim().slice(0, 40), style.color, ground, large]);
  }
  return seen;
}"""


def luminance(colour):
    """The relative luminance of a colour as a browser writes it."""
    red, green, blue = (int(part) / 255 for part in re.fullmatch(r"rgb\((\d+), (\d+), (\d+)\)", colour).groups())
    parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in (red, green, blue)]
    return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True))


def contrast(one, other):
    """From 1, the same, to 21, black on white."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_contrast_is_as_defined():
    assert contrast("rgb(0, 0, 0)", "rgb(255, 255, 255)") == pytest.approx(21)
    assert contrast("rgb(118, 118, 118)", "rgb(255, 255, 255)") == pytest.approx(4.54, abs=0.01)


def test_all_text_has_enough_contrast(judging, opened):
    page = opened(judging(numbered(6)).links[0], reduced_motion="reduce")
    found = {"light": [], "dark": []}

    def look():
        for scheme in found:
            page.emulate_media(color_scheme=scheme)
            found[scheme] += page.evaluate(TEXTS)

    look()
    pressed(page, "ArrowLeft")
    pressed(page, "Backspace")
    page.evaluate("trouble.hidden = false; trouble.textContent = 'Not saved yet'")
    page.evaluate("notice.hidden = false; notice.textContent = 'Too fast'")
    page.keyboard.press("o")
    page.wait_for_selector("#order-list li")
    look()
    for dialog in ("help", "stop"):
        page.click(f"#{dialog}-button")
        look()
        page.keyboard.press("Escape")
    expected = {"Which first?", "You said: better", "Not saved yet", "Too fast", "How to judge"}
    for scheme, texts in found.items():
        poor = [text for text, colour, ground, large in texts if contrast(colour, ground) < (3 if large else 4.5)]
        assert (scheme, poor) == (scheme, [])
        assert expected <= {one[0] for one in texts}, scheme
        assert (luminance(texts[0][2]) > 0.5) == (scheme == "light")


# Pictures


def a_picture(width, height):
    """The bytes of a real picture in one colour."""

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    rows = (b"\x00" + b"\x20\x80\xc0" * width) * height
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def test_pictures_are_shown_side_by_side_and_zoomed(judging, opened, tmp_path):
    for number in range(4):
        (tmp_path / f"{number}.png").write_bytes(a_picture(30 + number, 20))
    work = judging(numbered(4), "--image", "photo", photo=[f"{number}.png" for number in range(4)])
    page = opened(work.links[0])
    loaded = "() => [...document.querySelectorAll('.card img')].map((image) => image.complete ? image.naturalWidth : 0)"
    eventually(lambda: min(page.evaluate(loaded), default=0) > 0)
    texts = shown(page)
    assert page.evaluate(loaded) == [30 + int(text.strip()[-2:]) for text in texts]
    page.keyboard.press("z")
    page.wait_for_selector("#zoom[open]")
    eventually(lambda: page.evaluate("() => document.getElementById('zoom-image').naturalWidth") in (30, 31, 32, 33))
    page.keyboard.press("Escape")
    page.wait_for_selector("#zoom", state="hidden")
    pressed(page, arrow_to_smaller([text.strip() for text in texts]))
    assert len(work.answers()) == 1
    assert page.wrong == []


MARKDOWN = """# A *title*
Some **bold** and `x < y`, [a link](javascript:alert(1)) and ![img](x onerror=alert(1))

- one
- two <script>alert(1)</script>

```
code **stays**
```
1. first"""


def test_markdown_is_set_where_asked_and_nothing_in_it_is_more_than_text(judging, opened):
    work = judging([MARKDOWN, MARKDOWN + "\n2. second"], "--markdown")
    page = opened(work.links[0])
    found = page.evaluate("""() => [...document.querySelector('#left .markdown').children].map((one) => one.tagName)""")
    assert found == ["H3", "P", "UL", "PRE", "OL"]
    inner = page.evaluate("""() => Object.fromEntries(['em', 'strong', 'code', 'pre', 'li'].map((tag) =>
        [tag, document.querySelector(`#left .markdown ${tag}`).textContent]))""")
    assert inner == {"em": "title", "strong": "bold", "code": "x < y", "pre": "code **stays**", "li": "one"}
    assert page.evaluate("() => document.querySelectorAll('.markdown :is(a, img, script)').length") == 0
    assert "<script>alert(1)</script>" in page.inner_text(
        "#left"
    ) and "[a link](javascript:alert(1))" in page.inner_text("#left")
    assert page.wrong == []
