"""What the documents say is true: their code runs, their output is what the commands print, nothing is left out."""

import csv
import inspect
import re
import subprocess
import sys
import tomllib
from functools import reduce
from pathlib import Path
from statistics import median
from types import FunctionType

import pytest
from packaging.requirements import Requirement
from promised import FIXED

import ordain
from ordain.cli import cli
from ordain.losses import LOSSES

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
THEORY = (ROOT / "docs" / "theory.md").read_text()
NAMES = (ROOT / "docs" / "api.md").read_text()
COMMANDS = (ROOT / "docs" / "cli.md").read_text()


@pytest.fixture(scope="module")
def tour(tmp_path_factory):
    """A folder in which `ordain demo` has run."""
    folder = tmp_path_factory.mktemp("tour")
    subprocess.run([sys.executable, "-m", "ordain", "demo"], cwd=folder, check=True, capture_output=True)
    return folder


@pytest.mark.parametrize(
    "block", re.findall(r"```\n(\$ ordain .*?)```", README, re.DOTALL), ids=lambda block: block[9:13]
)
def test_commands_in_the_readme_print_what_stands_there(block, tour):
    for line in filter(None, block.split("$ ordain ")):
        command, _, shown = line.partition("\n")
        words = [sys.executable, "-m", "ordain", *command.split()]
        out = subprocess.run(words, cwd=tour, capture_output=True, text=True)
        assert out.returncode == 0
        assert all(part in out.stdout for part in shown.split("…\n"))


@pytest.mark.parametrize("code", re.findall(r"```python\n(.*?)```", README, re.DOTALL))
def test_python_in_the_readme_runs(code):
    exec(code, {})


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda page: page.stem)
def test_python_in_the_pages_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for code in re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL):
        exec(code, {})


def test_every_command_and_option_is_documented():
    for name, command in cli.commands.items():
        assert f"`ordain {name}" in COMMANDS
        for option in command.params:
            flag = option.opts[0]
            if flag.startswith("--") and flag != "--help":
                assert re.search(rf"[` ]{flag}\b", COMMANDS), f"{name} {flag}"


def value_of(name):
    return reduce(getattr, name.split(".")[1:], ordain)


def test_every_public_name_has_its_line_and_every_line_a_name():
    lines = re.findall(r"^\| `(ordain\.[\w.]+)(\(.*?\))?` \| \S.*\|$", NAMES, re.MULTILINE)
    named = [name for name, _ in lines]
    assert sorted(named) == sorted({*FIXED, *(f"ordain.{name}" for name in ordain.__all__)})
    for name, arguments in lines:
        called = isinstance(value_of(name), FunctionType) or name == "ordain.pairs.PairRisk"
        assert bool(arguments) == called, name
        if called:
            taken = inspect.signature(value_of(name)).parameters
            places = [word.strip("()").partition("=")[0] for word in arguments.split(", ")]
            assert {*places} - {"", "…"} <= {*taken, "ranker"}, name


def test_every_public_function_has_an_example_that_the_tests_run():
    for name in {*FIXED, *(f"ordain.{name}" for name in ordain.__all__)}:
        value = value_of(name)
        if isinstance(value, FunctionType) or (isinstance(value, type) and not issubclass(value, Exception)):
            assert ">>>" in (value.__doc__ or ""), name


def test_every_loss_and_paper_has_its_line():
    assert all(f"| `{name}` |" in THEORY for name in LOSSES)
    for path in (ROOT / "ordain").rglob("*.py"):
        for key in re.findall(r"\[([A-Z][A-Za-z]+[0-9]{2})\]_", path.read_text()):
            assert f"- [{key}]" in THEORY, f"{path.name} cites {key}"


def test_links_lead_somewhere():
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+?)(?:#[^)]*)?\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize("system", ["linux", "win32", "darwin", "freebsd14"])
def test_the_extra_installs_one_xgboost_the_small_one_where_there_is_one(system):
    """The two packages own the same files, so both together would break each other."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    wanted = [Requirement(text) for text in extras["boost"]]
    small = system in ("linux", "win32")
    chosen = [of.name for of in wanted if of.marker is None or of.marker.evaluate({"sys_platform": system})]
    assert chosen == ["xgboost-cpu" if small else "xgboost"]
    assert any(Requirement(text).extras >= {"boost", "excel", "skops"} for text in extras["dev"])


def test_figures_of_the_choice_in_the_readme_are_those_of_the_benchmark():
    with (ROOT / "benchmarks" / "choice.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    told = re.search(
        r"on (\d+) of (\d+) at most (\.\d+) below the best of four, on (\w+), .*?, (\.\d+) ± (\.\d+);", README
    ).groups()
    worst, *others = sorted(rows, key=lambda row: float(row["difference"]))
    assert told[:2] == (str(len(others)), str(len(rows))) and told[3] == worst["data"]
    assert float(told[2]) == max(-float(row["difference"]) for row in others)
    assert (float(told[4]), float(told[5])) == (-float(worst["difference"]), float(worst["error"]))
    said = re.search(r"median difference ([+-]\.\d+) to FLAML with 60 s, ([+-]\.\d+) to CatBoost", README).groups()
    for who, told in zip(("flaml", "catboost"), said, strict=True):
        middle = median(float(row[f"{who} difference"]) for row in rows)
        assert float(told) == pytest.approx(middle, abs=5.1e-5)
