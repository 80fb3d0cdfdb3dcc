"""The documentation as a site: the pages as they are, and a reference made from --help and from the docstrings."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click

import ordain
from ordain.cli import cli

HERE = Path(__file__).parent
MADE = HERE / "reference"

project, author, copyright = "ordain", "the ordain developers", "the ordain developers"
version = release = ordain.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_site"]
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
html_theme = "furo"
html_title = "ordain"
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
        context = click.Context(command, info_name=" ".join(path), max_content_width=100)
        parts.append(f"## {' '.join(path)}\n\n```text\n{command.get_help(context)}\n```\n")
    return "\n".join(parts)


def walked(path: tuple[str, ...], command: Any) -> Any:
    """A command and those below it, with the words that call them."""
    yield path, command
    for name, below in getattr(command, "commands", {}).items():
        yield from walked((*path, name), below)


def names() -> str:
    """The docstring of every name in the table of public names, modules first in a word."""
    parts = ["# The names\n\nEvery line of [the table](../api.md), with its docstring.\n"]
    for name in re.findall(r"^\| `(ordain\.[\w.]+)", (HERE / "api.md").read_text(), re.MULTILINE):
        found: Any = ordain
        for part in name.split(".")[1:]:
            found = getattr(found, part)
        kind = "autoclass" if isinstance(found, type) else "autofunction" if callable(found) else None
        if kind and hasattr(found, "__module__"):
            home = f"{found.__module__}.{found.__qualname__}"
            parts.append(f"## {name}\n\n```{{eval-rst}}\n.. {kind}:: {home}\n```\n")
    return "\n".join(parts)


def papers() -> str:
    """The bibliography, to which docstrings refer by its keys."""
    lines = re.findall(r"^- \[(\w+)\] (.*(?:\n  .*)*)", (HERE / "theory.md").read_text(), re.MULTILINE)
    return "Papers\n======\n\n" + "\n".join(f".. [{key}] {' '.join(text.split())}" for key, text in lines) + "\n"


def make_reference(*_: Any) -> None:
    """Write the pages that are made."""
    MADE.mkdir(exist_ok=True)
    for name, text in {"commands.md": commands(), "names.md": names(), "papers.rst": papers()}.items():
        (MADE / name).write_text(text)


def setup(app: Any) -> None:
    """Make the reference before pages are read."""
    app.connect("builder-inited", make_reference)
