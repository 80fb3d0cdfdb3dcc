"""The example makes the board of the votes that come with the package."""

import runpy
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "leaderboard.py"


def test_the_example_prints_the_board(capsys):
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    out = capsys.readouterr().out
    assert "GPT 4" in out.splitlines()[0]
    assert "… and 39 more." in out
    assert "GPT 4 beats GPT 3.5 Turbo with chance " in out
