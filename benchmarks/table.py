"""The figures of README.md and docs/ that come from the CSV files here, so that none of them is typed by hand.

    python benchmarks/table.py            print what a page should say and does not
    python benchmarks/table.py --write    put it into the pages

A page has a table between `<!-- table NAME -->` and `<!-- end of NAME -->`; NAME is a function of measured.py,
page_tables.py or coverage_tables.py, which gives its lines. Within a sentence `<!-- = NAME WORD -->3.1<!-- -->` is a
figure; NAME is a function of page_figures.py, which is given the words. Such a mark must not begin a line, as the line
would then be taken for HTML. tests/test_docs.py holds every page to what the CSV files say.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path

import coverage_tables
import measured
import page_figures
import page_tables

ROOT = Path(__file__).parent.parent
TABLE = re.compile(r"(<!-- table (\w+) -->\n).*?(<!-- end of \2 -->)", re.DOTALL)
FIGURE = re.compile(r"(<!-- = ([^\n]+?) -->)[^\n]*?(<!-- -->)")
HOMES = (measured, page_tables, coverage_tables)


def pages() -> list[Path]:
    """Those that may have figures."""
    made = {ROOT / "docs" / "_site", ROOT / "docs" / "reference"}
    return [ROOT / "README.md", *sorted(of for of in (ROOT / "docs").rglob("*.md") if not made & {*of.parents})]


def table(name: str) -> str:
    """The table of this name, by the function that makes its lines."""
    [home] = [home for home in HOMES if hasattr(home, name)]
    return "".join(f"{line}\n" for line in getattr(home, name)())


def figure(called: str) -> str:
    """A figure, by the name of a function and the words it is given."""
    name, *words = called.split()
    told: str = getattr(page_figures, name)(*words)
    return told


def filled(text: str) -> str:
    """A page with its tables and figures made anew."""
    text = TABLE.sub(lambda found: found[1] + table(found[2]) + found[3], text)
    return FIGURE.sub(lambda found: found[1] + figure(found[2]) + found[3], text)


def outdated() -> Iterator[tuple[Path, str, str]]:
    """Pages that do not say what the CSV files say, what is there, and what should be."""
    for page in pages():
        text = page.read_text()
        if (new := filled(text)) != text:
            yield page, text, new


def main() -> None:
    for page, text, new in outdated():
        if "--write" in sys.argv[1:]:
            page.write_text(new)
        else:
            print("\n".join(unified_diff(text.split("\n"), new.split("\n"), page.name, "benchmarks", n=0, lineterm="")))


if __name__ == "__main__":
    main()
