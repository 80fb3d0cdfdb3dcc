"""The fenced blocks of a page of the documentation, and how each is run: in one folder, with one set of names.

    ```python       is run; an ```output block after it is what it prints
    ```console      lines after `$ ` are commands, the others what they print
    ```output       what the Python before it printed

`…` on a line of its own stands for lines left out, within a line for some of it. A comment on the line before a block
says more:

    <!-- file NAME -->           the block is the content of that file
    <!-- edit NAME after LINE -->    the block goes into a file of the project; also `before` a line that begins so
    <!-- not run: REASON -->     it cannot be
    <!-- run by TEST -->         that test does

and `<!-- python … -->` is run but not shown. `http://localhost:11434/v1` is a language model: one that ranks by the
function `worth(text)` of the page, with noise of the size `noise`.
"""

import hashlib
import io
import math
import re
import shlex
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple

from judge.scripted_endpoint import Endpoint, completion, fenced

from ordain.cli import main

MODEL = "http://localhost:11434/v1"
PARTS = re.compile(
    r"^<!-- python\n(?P<hidden>.*?)^-->$|^(?:<!-- (?P<note>[^\n]*?) -->\n)?```(?P<kind>[^\n]*)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
NOTES = ("file ", "edit ", "not run: ", "run by ")


class Block(NamedTuple):
    """A block: its language, what stands in it, and what the comment before it says."""

    kind: str
    text: str
    note: str


def blocks(page: Path) -> list[Block]:
    """The blocks of a page in order; directives of the site are none."""
    found = []
    for part in PARTS.finditer(page.read_text()):
        if part["hidden"] is not None:
            found.append(Block("python", part["hidden"], ""))
        elif not part["kind"].startswith("{"):
            found.append(Block(part["kind"], part["text"], part["note"] or ""))
    return found


def agrees(shown: str, printed: str) -> bool:
    """Whether the text shown is what was printed, but for what … leaves out and blanks before it or at an end."""
    shown = re.sub(" {2,}…", " …", shown)
    wanted, found = (["".join(line.rstrip()) for line in text.strip("\n").split("\n")] for text in (shown, printed))
    lines = [r"(?:[^\n]*\n)*" if line == "…" else re.escape(line).replace("…", r"[^\n]*") + r"\n" for line in wanted]
    return re.fullmatch("".join(lines), "\n".join(found) + "\n") is not None


def commands(text: str) -> list[tuple[str, str]]:
    """The commands of a console block and what each prints."""
    parts = re.split(r"^\$ ", text.replace("\\\n", ""), flags=re.MULTILINE)
    assert not parts[0].strip(), "a console block begins with a command"
    return [(command, shown) for command, _, shown in (part.partition("\n") for part in parts[1:])]


class Session:
    """What the blocks of a page share: a folder, which is the current one, names, and a language model."""

    def __init__(self):
        self.names = {"noise": 0.0, "worth": len}
        self.printed = ""

    def run(self, block: Block) -> None:
        """Do what the block says."""
        if block.note.startswith("file "):
            place = Path(block.note.removeprefix("file "))
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(block.text)
        elif block.note.startswith(("edit ", "not run: ", "run by ")):
            return
        elif block.kind == "python":
            with redirect_stdout(io.StringIO()) as out:
                exec(block.text, self.names)
            self.printed = out.getvalue()
        elif block.kind == "output":
            assert agrees(block.text, self.printed), f"{block.text}\nis shown; printed was\n{self.printed}"
        elif block.kind == "console":
            for command, shown in commands(block.text):
                printed = self.asked(command)
                assert agrees(shown, printed), f"$ {command}\n{shown}\nis shown; printed was\n{printed}"
        else:
            raise AssertionError(f"a block of kind {block.kind!r} is not run, and no comment says why:\n{block.text}")

    def asked(self, command: str) -> str:
        """What a command prints; where it refuses, what it complains of."""
        words = shlex.split(command, comments=True)
        if words[0] != "ordain":
            words[0] = {"python": sys.executable}.get(words[0], words[0])
            return subprocess.run(words, capture_output=True, text=True, check=True).stdout
        if MODEL not in words:
            return _printed(words[1:])
        with Endpoint(self.judged) as server:
            there = [server.url if word == MODEL else word for word in words[1:]]
            return _printed(there).replace(server.url, MODEL)

    def judged(self, request: dict) -> dict:
        """The reply of the language model: what it is shown, in the order of worth with Gumbel noise."""
        shown = fenced(request)
        ranked = sorted(shown, key=lambda label: -self.names["worth"](shown[label]) - self.luck(label, shown))
        said = ranked[0] if len(ranked) == 2 else f"Order: {' > '.join(ranked)}"
        return completion(said, usage=(len(str(request["messages"])) // 4, len(said) // 2 + 1))

    def luck(self, label: str, shown: dict[str, str]) -> float:
        """By a hash of the texts shown, so that it is the same on every day."""
        digest = hashlib.sha256("\n".join([label, *shown.values()]).encode()).digest()
        uniform = (int.from_bytes(digest[:4]) + 0.5) / 2**32
        return self.names["noise"] * -math.log(-math.log(uniform))


def edited(block: Block, root: Path) -> None:
    """Put a block into the copy of the project in `root`, as its comment says."""
    name, where, line = re.fullmatch(r"edit (\S+) (after|before) (.*)", block.note).groups()
    lines = (root / name).read_text().splitlines(keepends=True)
    [place] = [number for number, found in enumerate(lines) if found.startswith(line)]
    lines.insert(place + (where == "after"), block.text)
    (root / name).write_text("".join(lines))


def _printed(words: list[str]) -> str:
    """What `ordain` with these words prints, in this process."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with redirect_stdout(out), redirect_stderr(err):
        try:
            main(words)
        except SystemExit as ended:
            code = ended.code
    told = err if code else out
    told.seek(0)
    text = told.read()
    assert not code or text.startswith("ordain: "), text
    return text
