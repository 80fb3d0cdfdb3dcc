"""The pages of theorems, made from the table of `ordain theorems`: a page for each paper, with functions and checks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from inspect import getsource
from types import CodeType, FunctionType, ModuleType
from typing import Any

from ordain.theorems import table
from ordain.theorems.row import Row

PARTS = {
    "balcan": (table.BALCAN, "Balcan08", "From ranking to classification: AUC-TRAIN and DEGREE"),
    "agarwal": (table.AGARWAL, "Agarwal14", "Strongly proper losses and what their regrets say about rankings"),
    "ailon_mohri": (table.AILON_MOHRI, "AilonMohri10", "Preferences and QuickSort"),
    "uniform": (table.UNIFORM, "Agarwal05", "Uniform convergence of the AUC"),
    "menon_williamson": (table.MENON_WILLIAMSON, "MenonWilliamson14", "The best scorers of bipartite ranking"),
    "beyond": (table.BEYOND, "", "Beyond the papers"),
}
"""Page → its rows, the key of the paper, and the title."""

PROOFS = "[regret bounds](../proofs.md), [sorting](../proofs_sorting.md), uniform bounds in `ordain.bounds.uniform`"

MOST = 5
"""Functions that are named of a check which enumerates by its own."""

INTRODUCTION = """# Every theorem, its function and its check

What `ordain theorems` checks, paper by paper. Each row names the functions that the result is about, found in the code
of its check, and the check itself; `ordain theorems ROW` runs it. What *exact*, *numeric* and *sampled* mean, and how
it is known that the checks notice errors: [the theory behind it](../theory.md#every-result-as-a-check). A check is no
proof.
"""


def theorem_pages(public: dict[Any, str]) -> dict[str, str]:
    """File name → text; `public` has the name under which a function is in the table of public names."""
    pages = {f"theorems_{name}.md": _page(*part, public) for name, part in PARTS.items()}
    lines = [f"- [{title}](theorems_{name}.md): {len(rows)} rows" for name, (rows, _, title) in PARTS.items()]
    toctree = "\n".join(f"theorems_{name}" for name in PARTS)
    listed = "\n".join(lines)
    toctree += "\ntheorems_code"
    pages["theorems.md"] = f"{INTRODUCTION}\n{listed}\n\n```{{toctree}}\n:hidden:\n\n{toctree}\n```\n"
    rows = [row for part, _, _ in PARTS.values() for row in part]
    shown = {row.check for row in rows} | {found for row in rows for found in _about(row.check)} - {*public}
    pages["theorems_code.md"] = _code(sorted(shown, key=_home))
    return pages


def _code(shown: list[Any]) -> str:
    """The page of checks, and of functions that are not in the table of public names, line by line."""
    parts = [f"## {_home(one)}\n\n```python\n{getsource(one)}```\n" for one in shown]
    return "# The code of the checks\n\nAnd of functions that have no public name.\n\n" + "\n".join(parts)


def _home(found: Any) -> str:
    return f"{found.__module__}.{found.__qualname__}"


def _page(rows: tuple[Row, ...], paper: str, title: str, public: dict[Any, str]) -> str:
    cited = (
        f"The results of [{paper}](../theory.md#papers) as checks." if paper else f"What is new here. Proofs: {PROOFS}."
    )
    return f"# {title}\n\n{cited}\n\n" + "\n".join(_row(row, public) for row in rows)


def _row(row: Row, public: dict[Any, str]) -> str:
    check = row.check
    looked = _plain(" ".join((check.__doc__ or "").split()))
    named = ", ".join(_link(found, public) for found in _about(check)) or "[the losses](../losses.md) themselves"
    start = row.statement[:1].upper() if row.statement[1:2].isalpha() else row.statement[:1]
    return f"""## {row.name}

{_plain(start + row.statement[1:]).rstrip(".")}.

- **function**: {named}
- **check** ({row.how}): {_link(check, {})}. {looked}
- **run it**: `ordain theorems {row.name}`
"""


def _plain(text: str) -> str:
    """Text in which no sign means anything to Markdown; the keys of papers without their underscore."""
    return re.sub(r"([\\*_<\[\]|`])", r"\\\1", re.sub(r"\[(\w+)\]_", r"\1", text).replace("``", ""))


def _about(check: Any) -> list[Any]:
    """What a result is about: functions of the package, or some of those that enumerate for the check."""
    return functions_of(check) or functions_of(check, within="ordain.theorems.exact")[:MOST]


def _link(found: Any, public: dict[Any, str]) -> str:
    """To the docstring of a public name, to the code of any other."""
    name, page = (public[found], "names") if found in public else (_home(found), "theorems_code")
    return f"[`{name}`]({page}.md#{re.sub('[._]+', '-', name.lower())})"


def functions_of(check: Any, *, within: str = "ordain", depth: int = 3) -> list[Any]:
    """The functions and classes below `within` that a check calls, itself or by helpers beside it; of ordain those that
    are no checks themselves.
    """
    found: dict[Any, None] = {}
    for value in _mentioned(check):
        home = getattr(value, "__module__", None) or ""
        if not isinstance(value, FunctionType | type) or not home.startswith("ordain."):
            continue
        if home.startswith(within) and (within != "ordain" or not home.startswith("ordain.theorems")):
            found[value] = None
        elif depth and isinstance(value, FunctionType) and home.startswith("ordain.theorems"):
            found |= dict.fromkeys(functions_of(value, within=within, depth=depth - 1))
    return [value for value in found if not value.__name__.startswith("_")]


def _mentioned(function: Any) -> Iterator[Any]:
    """What the names in the code of a function stand for; of a module what is taken from it."""
    names = list(_names(function.__code__))
    for name in names:
        value = function.__globals__.get(name)
        if isinstance(value, ModuleType) and value.__name__.startswith("ordain."):
            yield from (getattr(value, other) for other in names if hasattr(value, other))
        elif value is not None:
            yield value


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names(inner)
