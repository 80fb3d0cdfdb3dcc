"""What the documents say is true: their code runs, their output is what the commands print, nothing is left out."""

import inspect
import re
import subprocess
import sys
import tomllib
from functools import reduce
from pathlib import Path
from types import FunctionType

import page_blocks
import pytest
import xgboost
from packaging.requirements import Requirement
from promised import FIXED

import ordain
from ordain.cli import cli
from ordain.judge import waiting
from ordain.losses import LOSSES

ROOT = Path(__file__).parent.parent
THEORY = (ROOT / "docs" / "theory.md").read_text()
NAMES = (ROOT / "docs" / "api.md").read_text()
COMMANDS = (ROOT / "docs" / "cli.md").read_text()


def _pages():
    return sorted(page for page in (ROOT / "docs").rglob("*.md") if not {"_site", "reference"} & {*page.parts})


def of_other_trees(page):
    """Whether a page shows figures of trees and XGBoost is not that of its figures."""
    return page.name == "table.md" and not xgboost.__version__.startswith("3.2.")


@pytest.mark.parametrize("page", _pages(), ids=lambda page: str(page.relative_to(ROOT / "docs").with_suffix("")))
def test_every_block_of_the_pages_runs_and_prints_what_stands_there(page, tmp_path, monkeypatch):
    if of_other_trees(page):
        monkeypatch.setattr(page_blocks, "agrees", lambda shown, printed: bool(printed) or not shown)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(waiting, "SLOWEST", 0.0)
    session = page_blocks.Session()
    for block in page_blocks.blocks(page):
        session.run(block)


def test_no_block_is_left_out_without_a_reason():
    tests = "".join(path.read_text() for path in (ROOT / "tests").rglob("test_*.py"))
    for page in _pages():
        found = page_blocks.blocks(page)
        fences = re.findall(r"^```(?!\{)", page.read_text(), re.MULTILINE)
        directives = re.findall(r"^```\{", page.read_text(), re.MULTILINE)
        hidden = page.read_text().count("<!-- python\n")
        assert len(fences) - len(directives) == 2 * (len(found) - hidden), page.name
        for block in found:
            word, _, rest = block.note.partition(" ")
            assert not block.note or block.note.startswith(page_blocks.NOTES), f"{page.name}: {block.note}"
            assert word != "run" or all(f"def {name}(" in tests for name in rest.removeprefix("by ").split()), rest


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("a\nb", "a  \nb\n", True),
        ("a\n…", "a\nb\nc\n", True),
        ("…\nc", "a\nb\nc\n", True),
        ("a …\nc", "a lot\nc", True),
        ("a    …", "a 10.3", True),
        ("a    …", "a10.3", False),
        ("a", "a\nb", False),
        ("b\n…", "a\nb", False),
        ("a.c", "abc", False),
        ("", "a", False),
    ],
)
def test_what_is_shown_is_compared_with_what_is_printed(shown, printed, same):
    assert page_blocks.agrees(shown, printed) is same


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


def test_the_page_of_promises_names_what_is_fixed_and_the_exit_codes():
    page = (ROOT / "docs" / "promises.md").read_text()
    assert re.findall(r"^- `(ordain\.[\w.]+)`$", page, re.MULTILINE) == FIXED
    promised = re.findall(r"\b(\d+) (?:done|a failure|wrong input|stopped)", page)
    assert promised == re.findall(r"^\| (\d+) \| ", COMMANDS, re.MULTILINE)


def test_the_version_is_the_same_everywhere():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["version"] == ordain.__version__
    assert f"\n## {ordain.__version__} — " in (ROOT / "CHANGELOG.md").read_text()


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


def test_the_rule_of_the_choice_is_said_in_the_same_words_everywhere():
    rule = (
        "the simplest that is at most half a standard error below the best, and never one that a simpler one outscores"
    )
    for name in ("README.md", *(f"docs/{page}.md" for page in ("choosing", "cli", "learning", "tutorials/table"))):
        assert " ".join((ROOT / name).read_text().split()).count(rule) == 1, name


def test_links_lead_somewhere():
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *_pages()]:
        for target in re.findall(r"\]\(([^)#:]+?)(?:#[^)]*)?\)", page.read_text()):
            assert (page.parent / target).exists() or "reference/" in target, f"{page.name} links to {target}"


def anchors(page):
    """Of the headings of a page, as GitHub makes them."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    titles = [re.sub(r"\]\([^)]*\)", "]", title) for title in re.findall(r"^#+ (.+)$", text, re.MULTILINE)]
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *_pages()], ids=lambda page: page.stem)
def test_links_to_headings_are_those_of_github(page):
    for target, anchor in re.findall(r"\]\(([^):]*?)#([^)]*)\)", page.read_text()):
        there = (page.parent / target) if target else page
        assert "reference/" in target or anchor in anchors(there), f"{page.name} links to {target}#{anchor}"


@pytest.mark.parametrize("system", ["linux", "win32", "darwin", "freebsd14"])
def test_the_extra_installs_one_xgboost_the_small_one_where_there_is_one(system):
    """The two packages own the same files, so both together would break each other."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    wanted = [Requirement(text) for text in extras["boost"]]
    small = system in ("linux", "win32")
    chosen = [of.name for of in wanted if of.marker is None or of.marker.evaluate({"sys_platform": system})]
    assert chosen == ["xgboost-cpu" if small else "xgboost"]
    assert any(Requirement(text).extras >= {"boost", "excel", "skops"} for text in extras["dev"])


def test_figures_of_the_pages_are_what_the_benchmarks_wrote():
    """`python benchmarks/table.py --write` mends them."""
    run = subprocess.run([sys.executable, "benchmarks/table.py"], cwd=ROOT, capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (0, ""), run.stderr


def test_every_mark_of_a_figure_is_whole_and_within_a_line():
    """A line that begins with a comment is HTML, in which links and emphasis are letters."""
    for page in [ROOT / "README.md", *_pages()]:
        text = page.read_text()
        assert text.count("<!-- = ") == len(re.findall(r"(?<!\n)<!-- = [^\n]+? -->[^\n<]+<!-- -->", text)), page.name
        assert text.count("<!-- -->") == text.count("<!-- = "), page.name
        assert text.count("<!-- table ") == text.count("<!-- end of "), page.name


def test_every_benchmark_is_run_by_make_benchmarks_and_every_csv_is_written_by_one():
    """Scripts that others import or call are no benchmarks of their own."""
    folder = ROOT / "benchmarks"
    table = tomllib.loads((folder / "runs.toml").read_text())
    helpers = {
        "coverage_laws",
        "dask_scale_peer",
        "coverage_tables",
        "figures",
        "measured",
        "page_figures",
        "page_tables",
        "peers",
        "run_all",
        "table",
        "votes_held_out_peers",
    }
    assert {path.stem for path in folder.glob("*.py")} == {*table, *helpers}
    written = {name for script, of in table.items() for name in of.get("writes", [script])}
    assert {path.stem for path in folder.glob("*.csv")} <= written | {"runs"}
    environments = tomllib.loads((folder / "peers.toml").read_text())
    assert {of["peers"] for of in table.values() if "peers" in of} <= {*environments}
