"""The public face has types that a strict program can rely on."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import ordain

FACE = Path(__file__).with_name("typed_face.py")
ROOT = Path(ordain.__file__).parents[1]
KEPT = f"--cache-dir={ROOT / '.mypy_cache' / 'typed_face'}"


def checked(path, folder):
    """What strict mypy says of a program whose settings are not ours, as it is told by those who import ordain."""
    words = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--config-file=", KEPT, path]
    ended = subprocess.run(words, cwd=folder, env=os.environ | {"MYPYPATH": str(ROOT)}, capture_output=True, text=True)
    assert ended.returncode in (0, 1), ended.stderr
    return ended.stdout


def test_strict_types_hold_and_wrong_ones_are_noticed(tmp_path):
    assert checked(FACE, tmp_path).startswith("Success")
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import ordain\nordain.auc([1, 0], [2, 1]).lower()\nordain.sort([1], seed='0')\nordain.nothing\n")
    lines = re.findall(r"wrong.py:(\d): error", checked(wrong, tmp_path))
    assert lines == ["2", "3", "4"]


def test_every_public_name_is_used():
    seen = {
        node.attr
        for node in ast.walk(ast.parse(FACE.read_text()))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "ordain"
    }
    assert seen == set(ordain.__all__)
