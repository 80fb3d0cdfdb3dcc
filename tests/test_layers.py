"""The house: imports only go down, start-up is light, public names are where they should be."""

import ast
import json
import re
import subprocess
import sys
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
from promised import FIXED

import ordain

ROOT = Path(ordain.__file__).parent
PAGE = (Path(__file__).parent.parent / "docs" / "house.md").read_text()
FLOORS = {
    "_types": 0, "_checks": 0, "_files": 0, "_compiled": 0, "_near": 0, "_json": 0, "_lazy": 0, "_as_python": 0,
    "_one_thread": 0, "_stop": 0, "_memory": 0, "certificate": 0, "names": 0, "engine": 0,
    "losses": 1, "measure": 1, "sketch": 1, "solve": 1, "tables": 1,
    "rows": 2, "pairs": 2, "preference": 2, "scorers": 2,
    "rank": 3, "bounds": 3, "prepare": 3,
    "learn": 4, "audit": 4, "votes": 4, "torch": 4,
    "model": 5, "choice": 5, "evaluation": 5, "explain": 5,
    "theorems": 6, "judge": 6, "report": 6,
    "commands": 7,
    "cli": 8, "cli_bound": 8, "cli_judge": 8, "typed_options": 8, "__main__": 8,
}  # fmt: skip
LAZY = ["ordain", "ordain.bounds", "ordain.learn", "ordain.report"]
LATE = {
    "ordain/__main__.py",
    "ordain/cli.py",
    "ordain/cli_bound.py",
    "ordain/cli_judge.py",
    "ordain/typed_options.py",
    *(f"{name.replace('.', '/')}/__init__.py" for name in LAZY),
}
HEAVY = {"numpy", "scipy", "sklearn", "numba", "polars", "xgboost", "rich", "matplotlib", "jinja2"}


def modules():
    return [path for path in sorted(ROOT.rglob("*.py")) if path != ROOT / "__init__.py"]


@cache
def tree_of(path):
    return ast.parse(path.read_text())


def room(name):
    """The module or folder directly below ordain that a dotted name lies in."""
    return name.split(".")[1]


def imported(tree, types=True):
    """Dotted names below ordain that the module imports, or only its types, with whether it does so at the top."""
    known = [node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    for_types = {id(inner) for node in known for inner in node.body}
    top = {*map(id, tree.body), *for_types}
    for node in ast.walk(tree):
        if not types and id(node) in for_types:
            continue
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "ordain":
            names = [node.module] if "." in node.module else [f"ordain.{alias.name}" for alias in node.names]
            yield from ((name, id(node) in top) for name in names if name != "ordain.__version__")
        elif isinstance(node, ast.Import):
            yield from ((alias.name, id(node) in top) for alias in node.names if alias.name.startswith("ordain."))


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_only_go_down_and_stand_at_the_top(path):
    here = path.relative_to(ROOT.parent).as_posix()
    own = path.relative_to(ROOT).with_suffix("").parts[0]
    assert own in FLOORS, f"{own} has no floor yet"
    for name, at_top in imported(tree_of(path)):
        assert room(name) == own or FLOORS[room(name)] <= FLOORS[own], f"{here} looks up to {name}"
        assert at_top or here in LATE, f"{here} imports {name} inside a function"


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_every_module_says_what_it_is_for(path):
    assert ast.get_docstring(tree_of(path)), path


def test_no_cycles():
    doors = {}
    for path in modules():
        name = ".".join(("ordain", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")
        doors[name] = {target for target, at_top in imported(tree_of(path), types=False) if at_top}
    below = set()
    while doors:
        ground = {name for name, targets in doors.items() if not (targets & doors.keys()) - {name} - below}
        assert ground, f"cycle among {sorted(doors)}"
        below |= ground
        doors = {name: targets for name, targets in doors.items() if name not in ground}


@pytest.mark.parametrize("statement", ["import ordain; dir(ordain)", "from ordain.cli import main; main(['--help'])"])
def test_starting_loads_nothing_heavy(statement):
    code = f"import sys\ntry:\n    exec({statement!r})\nexcept SystemExit:\n    pass\nprint(sorted(sys.modules))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    loaded = {name.split(".")[0] for name in ast.literal_eval(out.splitlines()[-1])}
    assert not loaded & HEAVY


@pytest.mark.parametrize("words", [["losses"], ["bound", "auc", "--positives", "9", "--negatives", "9"]], ids=" ".join)
def test_what_needs_no_table_loads_none_of_its_tools(words):
    code = f"import sys\nfrom ordain.cli import main\ntry:\n    main({words})\nexcept SystemExit:\n    pass\n"
    out = subprocess.run(
        [sys.executable, "-c", code + "print(sorted(sys.modules))"], capture_output=True, text=True, check=True
    ).stdout
    loaded = {name.split(".")[0] for name in ast.literal_eval(out.splitlines()[-1])}
    assert not loaded & {"sklearn", "numba", "polars", "xgboost"}


ASKING = ["evaluate", "rank", "status", "export", "judge_page", "judge"]


@cache
def loaded_in_turn():
    """Command of those that ask and count → what is loaded once it is, in one Python and in this order."""
    lines = [f"import ordain.commands.{command}\nprint(sorted(sys.modules))\n" for command in ASKING]
    code = "import sys\n" + "".join(lines)
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    return dict(zip(ASKING, map(ast.literal_eval, out.splitlines()), strict=True))


@pytest.mark.parametrize("command", ASKING)
def test_what_asks_and_counts_loads_nothing_that_learns(command):
    loaded = {*loaded_in_turn()[command]}
    assert not loaded & {"sklearn", "numba", "scipy.stats", "xgboost", "pandas", "matplotlib"}


def test_the_page_of_the_house_draws_every_room_on_its_floor():
    drawn, floor = {}, None
    for line in PAGE.partition("```text\n")[2].partition("```")[0].splitlines():
        floor = int(line[:2]) if line[:2].strip() else floor
        drawn.setdefault(floor, set()).update(re.findall(r"\w+", line))
    for name, floor in FLOORS.items():
        assert name in drawn[floor], f"docs/house.md must draw {name} on floor {floor}"


def test_the_page_of_the_house_names_every_file_in_its_folder_and_no_other():
    files = {}
    for path in modules():
        folder = path.parent.relative_to(ROOT).as_posix() if path.parent != ROOT else ROOT.name
        if path.name != "__init__.py":
            files.setdefault(folder, []).append(path.stem)
    listed = re.findall(r"^- `([\w/]+)/`(.*(?:\n  .*)*)", PAGE.partition("\n## Every file\n")[2], re.MULTILINE)
    named = {folder: sorted(re.findall(r"`(\w+)`", line)) for folder, line in listed}
    assert named == {folder: sorted(names) for folder, names in files.items()}


def test_no_two_files_have_the_same_name():
    names = [path.name for path in modules() if path.name != "__init__.py"]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("package", LAZY)
def test_public_names_load_and_are_seen_by_type_checkers(package):
    package = import_module(package)
    checked = next(node for node in ast.parse(Path(package.__file__).read_text()).body if isinstance(node, ast.If))
    typed = {alias.asname for line in checked.body for alias in line.names}
    assert typed == set(package._HOMES) == set(package.__all__) - {"__version__"}
    for name in package._HOMES:
        assert getattr(package, name).__name__.split(".")[-1] == name
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        package.nothing  # noqa: B018


IN_TURN = """
import contextlib, io, json, sys, traceback
without, codes = map(json.loads, sys.argv[1:])
sys.modules.update(dict.fromkeys(without))
told = []
for code in codes:
    for name in [name for name in sys.modules if name.partition(".")[0] == "ordain"]:
        del sys.modules[name]
    with contextlib.redirect_stdout(io.StringIO()) as out:
        try:
            exec(code, {})
        except BaseException:
            traceback.print_exc(file=out)
    told.append(out.getvalue())
print(json.dumps(told))
"""


@cache
def fresh(*codes, without=()):
    """What each code prints in a new Python in which some packages are missing and ordain is loaded anew for each."""
    words = [sys.executable, "-W", "error", "-c", IN_TURN, json.dumps(without), json.dumps(codes)]
    return json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)


HOMES = sorted({name.rpartition(".")[0] for name in FIXED})


@pytest.mark.parametrize("home", HOMES)
def test_promised_names_need_no_import_but_ordain(home):
    names = {of: [name for name in FIXED if name.rpartition(".")[0] == of] for of in HOMES}
    codes = [f"import ordain\nprint(all(callable(of) or of for of in ({', '.join(names[of])},)))" for of in HOMES]
    assert fresh(*codes)[HOMES.index(home)] == "True\n"


LOOKS = {
    "help": "import ordain, pydoc\nprint('BoostedRanker' in pydoc.render_doc(ordain))",
    "star": "from ordain import *\nprint(BoostedRanker.__name__ == 'BoostedRanker' and callable(fit))",
    "members": "import inspect, ordain\nprint({name for name, _ in inspect.getmembers(ordain)} == set(ordain._HOMES))",
    "learn": "import inspect, ordain\nprint(len(inspect.getmembers(ordain.learn)) == 3)",
}


@pytest.mark.parametrize("look", LOOKS)
def test_one_can_look_around_without_xgboost(look):
    assert fresh(*LOOKS.values(), without=("xgboost",))[[*LOOKS].index(look)] == "True\n"


@pytest.mark.parametrize("package", LAZY)
def test_tab_shows_public_names_only(package):
    found = dir(import_module(package))
    assert found == sorted(import_module(package)._HOMES)
    assert not any(name.startswith("_") for name in found)
