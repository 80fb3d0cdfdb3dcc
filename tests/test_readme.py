"""Every command of the README, copied in order into an empty folder, works and prints the lines that stand there.

Ports are others, so that nothing meets what else runs on the machine; a page is asked for, then its judge goes.
"""

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from urllib.parse import urljoin

import pytest
from markdown_it import MarkdownIt

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"```\n(\$ .*?)```", README, re.DOTALL)
LLM, PAGE = "8123", "8765"


def commands():
    """What is typed, and what is shown below it, from the first block to the last."""
    for block in BLOCKS:
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            typed, _, shown = part.partition("\n")
            yield typed, shown


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder with what the README names of a clone, and `ordain` and `python` as activating gives them."""
    for name in ("tests", "ordain"):
        (tmp_path / name).symlink_to(ROOT / name)
    words = tmp_path / "bin"
    words.mkdir()
    for name, line in {"ordain": f"{sys.executable} -P -m ordain", "python": sys.executable}.items():
        (words / name).write_text(f'#!/bin/sh\nexec {line} "$@"\n')
        (words / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{words}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return tmp_path


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return str(taken.getsockname()[1])


def started(typed, folder):
    """A command in a shell, in a process group of its own."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(typed, shell=True, cwd=folder, start_new_session=True, text=True, **streams)


def ended(process, by=signal.SIGTERM):
    """Its exit code and what it still printed."""
    os.killpg(process.pid, by)
    return process.communicate()


def judged(typed, folder):
    """What is printed by a command that shows a page: the page is opened, and the judge goes at once."""
    process, told = started(f"exec {typed}", folder), ""
    try:
        while "Ctrl-C" not in told:
            line = process.stdout.readline()
            assert line, process.stderr.read()
            told += line
        visitor = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        address = re.search(r"Judge at (\S+)", told)[1]
        assert "<html" in visitor.open(address).read().decode()
        state = visitor.open(urljoin(address, "/api/state")).read().decode()
        assert "Which idea should we build first?" in state
    finally:
        rest, _ = ended(process, signal.SIGINT)
    assert process.returncode == 0
    return told + rest


def answers(port):
    """Wait until somebody listens there."""
    while True:
        with socket.socket() as line:
            if line.connect_ex(("127.0.0.1", int(port))) == 0:
                return
        time.sleep(0.05)


def holds(printed, shown):
    """Whether the lines shown are among those printed, in this order; … stands for some of a line."""
    lines = (re.escape(line.rstrip()).replace("…", "[^\n]*") for line in shown.splitlines())
    return re.search("".join(rf"^{line} *$.*?" for line in lines), printed, re.DOTALL | re.MULTILINE)


def test_every_command_prints_what_stands_below_it(folder):
    llm, page, behind = free_port(), free_port(), []
    assert "\nmake demo " in README
    subprocess.run(["ordain", "demo"], cwd=folder, check=True, capture_output=True)
    try:
        for typed, shown in commands():
            typed, shown = (text.replace(LLM, llm).replace(PAGE, page) for text in (typed, shown))
            if typed.endswith(" &"):
                behind.append(started(f"exec {typed[:-2]}", folder))
                answers(llm)
                continue
            if "--no-browser" in typed:
                printed = judged(f"{typed} --port {page}", folder)
            else:
                done = subprocess.run(typed, shell=True, cwd=folder, capture_output=True, text=True)
                assert done.returncode == 0, (typed, done.stderr)
                printed = done.stdout
            assert holds(printed, shown), f"{typed} printed\n{printed}"
    finally:
        for process in behind:
            ended(process)


@pytest.mark.parametrize("code", re.findall(r"```python\n(.*?)```", README, re.DOTALL))
def test_python_runs_and_says_what_its_comments_say(code, capsys):
    exec(code, {})
    for told in re.findall(r"print\(.*\)  # (.*?) …", code):
        assert told in capsys.readouterr().out


GITHUB = """<!doctype html><meta charset="utf-8"><base href="FOLDER/"><style>
body { margin: 0; font: 16px/1.5 "Noto Sans", Helvetica, Arial, sans-serif; }
p, blockquote, ul, ol, table, pre { margin: 0 0 16px; }
h1, h2 { margin: 24px 0 16px; padding-bottom: .3em; line-height: 1.25; border-bottom: 1px solid; }
h1 { font-size: 2em; margin-top: 0; } h2 { font-size: 1.5em; } ul { padding-left: 2em; } li + li { margin-top: .25em; }
code, pre { font: 85%/1.45 "Liberation Mono", monospace; }
code { padding: .2em .4em; } pre code { padding: 0; font-size: 100%; }
pre { padding: 16px; overflow: auto; background: #f6f8fa; } img { max-width: 100%; }
table { display: block; overflow: auto; width: max-content; max-width: 100%; border-collapse: collapse; }
th, td { padding: 6px 13px; border: 1px solid #d0d7de; }
</style>"""


def github(page):
    """A page of Markdown as GitHub shows it, nearly."""
    return GITHUB.replace("FOLDER", page.parent.as_uri()) + MarkdownIt("gfm-like", {"linkify": False}).render(
        page.read_text()
    )


def test_it_is_no_longer_than_three_screens(browser, tmp_path):
    """Of 1,000 pixels, in a column of 830."""
    shown = tmp_path / "readme.html"
    shown.write_text(github(ROOT / "README.md"))
    page = browser.new_page(viewport={"width": 830, "height": 1000})
    page.goto(shown.as_uri())
    assert page.evaluate("[...document.images].every(image => image.naturalWidth > 0)")
    assert page.evaluate("document.documentElement.scrollHeight") <= 3000
    page.close()
