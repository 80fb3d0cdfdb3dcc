"""The page of benchmarks, made from the docstrings of the scripts and the tables beside them."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path
from textwrap import dedent

INTRODUCTION = """# What was measured

Every figure of speed, coverage or quality is printed by a script of `benchmarks/`, beside the CSV file that it wrote.
What the figures come to is on the pages of [the guide](../index.md) and [in one table](../measured.md), also where
ordain is not first. Below is what each script says of itself.
"""


def benchmark_page(folder: Path) -> str:
    """What each script in the folder claims, how it is run, and the tables that it wrote."""
    scripts = tomllib.loads((folder / "runs.toml").read_text())
    return "\n".join([INTRODUCTION, *(_section(folder / f"{name}.py") for name in sorted(scripts))])


def _section(script: Path) -> str:
    told = ast.get_docstring(ast.parse(script.read_text())) or ""
    claim, _, rest = told.partition("\n\n")
    tables = [path.name for path in sorted(script.parent.glob("*.csv")) if _wrote(script, path)]
    lines = [f"## {script.name}", " ".join(claim.split()), *map(_paragraph, rest.split("\n\n"))]
    lines.append(f"The tables beside it: {', '.join(f'`{name}`' for name in tables)}." if tables else "")
    return "\n\n".join(filter(None, lines)) + "\n"


def _paragraph(text: str) -> str:
    """A paragraph of a docstring as it is, or as code where it is indented or a command."""
    if text.startswith(("    ", "python ")):
        return f"```text\n{dedent(text)}\n```"
    return re.sub(r":\w+:`|``", "`", text)


def _wrote(script: Path, path: Path) -> bool:
    """Whether the script has the table's name, or names the table."""
    return path.stem == script.stem or path.name in script.read_text()
