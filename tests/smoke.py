"""The sdist and the wheel that is built from it, installed into an empty environment, work: `make smoke`.

Everything happens in a folder that is removed at the end; nothing of the clone can be imported meanwhile.
"""

import os
import subprocess
import sys
import tempfile
import time
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
FITTED = """
import ordain, polars as pl
rows = pl.DataFrame({"age": [20, 25, 31, 38, 44, 52, 57, 63] * 5, "churned": [0, 0, 1, 0, 1, 0, 1, 1] * 5})
model = ordain.fit(rows, "churned", model="linear", reduction="balanced")
ranked = model.score(rows)
assert ranked["age"][0] == 63, ranked
print(ordain.__version__, ordain.__file__, ordain.auc(ranked["churned"], ranked["score"]))
"""


def environment(folder: Path, *wanted: str | Path) -> Path:
    """A new environment with what is wanted; the folder of its commands."""
    venv.create(folder, with_pip=True)
    commands = folder / ("Scripts" if sys.platform == "win32" else "bin")
    run(commands / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted)
    return commands


def run(*words: str | Path, cwd: Path | None = None) -> str:
    """What a command prints; it must succeed."""
    known = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    ended = subprocess.run([str(word) for word in words], cwd=cwd, env=known, capture_output=True, text=True)
    if ended.returncode:
        sys.exit(f"{' '.join(map(str, words))} ended with {ended.returncode}:\n{ended.stdout}{ended.stderr}")
    return ended.stdout


def built(folder: Path) -> Path:
    """The wheel, built from the sdist as others would, with all that it must hold."""
    tools = environment(folder / "tools", "build")
    run(tools / "python", "-m", "build", "--outdir", folder / "dist", ROOT)
    (wheel,) = (folder / "dist").glob("*.whl")
    assert len(list((folder / "dist").glob("*.tar.gz"))) == 1
    held = zipfile.ZipFile(wheel).namelist()
    for name in ("ordain/py.typed", "ordain/judge/static/page.js", "ordain/data/llm_votes.csv.gz"):
        assert name in held, name
    assert all(name.startswith(("ordain/", "ordain-")) for name in held), held
    return wheel


def main() -> None:
    """Build, install, and walk through the first journey."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = built(folder)
        commands = environment(folder / "empty", wheel)
        here = folder / "here"
        here.mkdir()
        version = run(commands / "ordain", "--version", cwd=here).split()[-1]
        assert wheel.name.startswith(f"ordain-{version}-"), (wheel.name, version)
        run(commands / "python", "-m", "ordain", "demo", cwd=here)
        train, new, model = "ordain-demo-train.csv", "ordain-demo-new.csv", "risk.ordain"
        run(commands / "ordain", "fit", train, "--label", "bad_risk", "--model", "linear", "--out", model, cwd=here)
        run(commands / "ordain", "score", new, "--model", model, "--out", "ranked.csv", cwd=here)
        assert "AUC 0.7" in run(commands / "ordain", "evaluate", "ranked.csv", "--label", "bad_risk", cwd=here)
        assert str(folder / "empty") in run(commands / "python", "-c", FITTED, cwd=here)
    print(f"ordain {version}: sdist and wheel build, install and work, in {time.monotonic() - began:.0f} s.")


if __name__ == "__main__":
    main()
