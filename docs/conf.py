"""The documentation as a site: the pages as they are, and a reference made from --help and from the docstrings."""

from __future__ import annotations

import re
import sys
from functools import reduce
from pathlib import Path
from types import ModuleType
from typing import Any

import click

import ordain
from ordain.cli import cli

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from benchmark_page import benchmark_page  # noqa: E402
from theorem_pages import theorem_pages  # noqa: E402

MADE = HERE / "reference"

project, author, copyright = "ordain", "the ordain developers", "the ordain developers"
version = release = ordain.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_site"]

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "deflist"]
html_theme = "furo"
html_title = "ordain"
html_static_path, html_css_files = ["_static"], ["site.css"]
html_show_sourcelink = html_copy_source = False
html_show_search_summary = False  # it would fetch pages, which a browser allows only with a server
html_theme_options = {"navigation_with_keys": True}
autodoc_default_options = {
    "members": True,
    "exclude-members": "set_fit_request, set_score_request, set_decision_function_request",
}
suppress_warnings = ["ref.citation"]  # papers that only files without a public name refer to
autodoc_typehints = "none"
napoleon_use_rtype = napoleon_use_param = False
napoleon_preprocess_types = False


def commands() -> str:
    """What --help prints of every command."""
    parts = [
        "# The commands\n\nWhat `ordain COMMAND --help` prints; [the command line](../cli.md) says what it is for.\n"
    ]
    for path, command in walked(("ordain",), cli):
        context = click.Context(command, info_name=" ".join(path), max_content_width=88)
        parts.append(f"## {' '.join(path)}\n\n```text\n{command.get_help(context)}\n```\n")
    return "\n".join(parts)


def walked(path: tuple[str, ...], command: Any) -> Any:
    """A command and those below it, with the words that call them."""
    yield path, command
    for name, below in getattr(command, "commands", {}).items():
        yield from walked((*path, name), below)


def names() -> str:
    """The docstring of every name in the table of public names; of what has none of its own, its line there."""
    parts = ["# The names\n\nEvery line of [the table](../api.md), with its docstring.\n"]
    told = dict(re.findall(r"^\| `(ordain\.[\w.]+).*?` \| (.*) \|$", (HERE / "api.md").read_text(), re.MULTILINE))
    for name, found in public_names().items():
        kind = "autoclass" if isinstance(found, type) else "autofunction" if callable(found) else None
        if kind:
            text = f"```{{eval-rst}}\n.. {kind}:: {found.__module__}.{found.__qualname__}\n```"
        elif isinstance(found, ModuleType):
            text = f"```{{eval-rst}}\n.. automodule:: {found.__name__}\n   :no-members:\n```"
        else:
            text = told[name]
        parts.append("## {}\n\n{}\n".format(name.replace("_", r"\_"), text))
    return "\n".join(parts)


def public_names() -> dict[str, Any]:
    """Every name in the table of public names, and what it stands for."""
    named = re.findall(r"^\| `(ordain\.[\w.]+)", (HERE / "api.md").read_text(), re.MULTILINE)
    return {name: reduce(getattr, name.split(".")[1:], ordain) for name in named}


def papers() -> str:
    """The bibliography, to which docstrings refer by its keys."""
    lines = re.findall(r"^- \[(\w+)\] (.*(?:\n  .*)*)", (HERE / "theory.md").read_text(), re.MULTILINE)
    return "Papers\n======\n\n" + "\n".join(f".. [{key}] {' '.join(text.split())}" for key, text in lines) + "\n"


def make_reference(*_: Any) -> None:
    """Write the pages that are made."""
    MADE.mkdir(exist_ok=True)
    called = {found: name for name, found in public_names().items() if callable(found)}
    made = {"commands.md": commands(), "names.md": names(), "papers.rst": papers()}
    made |= theorem_pages(called) | {"benchmarks.md": benchmark_page(HERE.parent / "benchmarks")}
    for name, text in made.items():
        (MADE / name).write_text(text)


def unbroken(_app: Any, _page: str, source: list[str]) -> None:
    """Keep a figure of a table on one line with its %, × or ±."""
    lines = source[0].split("\n")
    parts = re.compile(r"(?<=\d) (?=[%×±])|(?<=[×±]) (?=[\d.])")
    source[0] = "\n".join(parts.sub("\N{NO-BREAK SPACE}", line) if line.startswith("| ") else line for line in lines)


def setup(app: Any) -> None:
    """Make the reference before pages are read, and pages as they are read."""
    app.connect("builder-inited", make_reference)
    app.connect("source-read", unbroken)
