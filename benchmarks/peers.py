"""Environments in which other packages run beside ordain, made on first use from the table peers.toml.

    python benchmarks/peers.py trees benchmarks/boosted_fit.py --only others    a script in the environment `trees`
    python benchmarks/peers.py votes                                            make it, and say where its Python is

They are in benchmarks/.venvs, each with what it holds written beside it; one whose line in the table has changed is
made anew.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

HERE = Path(__file__).parent
FOLDER = HERE / ".venvs"
ENVIRONMENTS = tomllib.loads((HERE / "peers.toml").read_text())


def wanted(name: str) -> list[list[str]]:
    """What pip is asked to install, one line after the other."""
    of = ENVIRONMENTS[name]
    lines = [[*of["packages"]], ["--no-deps", *of.get("alone", [])]]
    if "ordain" in of:
        lines[0] += ["--editable", f"{HERE.parent}[{of['ordain']}]"]
    return [line for line in lines if line not in ([], ["--no-deps"])]


def python_of(name: str) -> str:
    """The Python of an environment, which is made if it is not there or has another line by now."""
    folder, lines = FOLDER / name, wanted(name)
    python, told = folder / "bin" / "python", folder / "installed.txt"
    if not told.exists() or told.read_text() != repr(lines):
        print(
            f"Setting up the environment {name}: {' '.join(word for line in lines for word in line)}", file=sys.stderr
        )
        shutil.rmtree(folder, ignore_errors=True)
        venv.create(folder, with_pip=True)
        for line in lines:
            subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *line], check=True)
        told.write_text(repr(lines))
    return str(python)


def main() -> None:
    if sys.argv[1:2] == [] or sys.argv[1] not in ENVIRONMENTS:
        sys.exit(f"Which environment? One of {', '.join(ENVIRONMENTS)}.")
    python = python_of(sys.argv[1])
    if not sys.argv[2:]:
        print(python)
    else:
        os.execv(python, [python, *sys.argv[2:]])


if __name__ == "__main__":
    main()
