"""The pictures in Python: scikit-learn's conventions, names drawn as they are, and the circles that are in the wins."""

import sys
from itertools import permutations

import matplotlib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from sklearn.linear_model import LogisticRegression

import ordain
from ordain.commands.sparkline import BLOCKS, sparkline
from ordain.report import (
    ComparisonDisplay,
    LeaderboardDisplay,
    RocDisplay,
    TopOfListDisplay,
    TournamentDisplay,
)
from ordain.report.inline_svg import inline_svg

matplotlib.use("agg")


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 2))
    return X, (X[:, 0] + rng.normal(size=150) > 0.5).astype(int)


def test_pictures_without_matplotlib_are_one_line(rows, monkeypatch):
    X, y = rows
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ValueError, match=r'^pictures need matplotlib\. .* pip install "ordain\[report\]"$'):
        RocDisplay.from_predictions(y, X[:, 0])


@pytest.mark.parametrize("display", [RocDisplay, TopOfListDisplay])
def test_an_estimator_and_its_scores_are_drawn_alike_on_the_axes_given(display, rows):
    X, y = rows
    model = LogisticRegression().fit(X, y)
    first, second = Figure().subplots(), Figure().subplots()
    one = display.from_estimator(model, X, y, ax=first)
    other = display.from_predictions(y, model.decision_function(X), ax=second)
    assert one.ax_ is first and other.ax_ is second
    lines = [[line.get_xydata().tolist() for line in ax.lines] for ax in (first, second)]
    assert lines[0] == lines[1] and len(lines[0]) >= 2
    with pytest.raises(ValueError, match="must have decision_function"):
        display.from_estimator(object(), X, y)


def test_the_line_is_the_curve_and_new_axes_are_made_where_none_are_given(rows):
    X, y = rows
    scores = X[:, 0]
    display = RocDisplay.from_predictions(y, scores, name="$x_1$")
    assert display.auc == ordain.auc(y, scores)
    at, found = display.line_.get_data()
    np.testing.assert_allclose(found[1:], display.band.found(at[1:]))
    assert "$x_1$" in display.line_.get_label()
    matplotlib.pyplot.close("all")


def test_a_choice_and_a_board_are_drawn_with_their_figures(rows):
    X, y = rows
    choice = ordain.choose(X, y, model="linear")
    display = ComparisonDisplay.from_choice(choice, ax=Figure().subplots())
    known = {trial.candidate.name: choice.above(trial) for trial in choice.finished}
    assert {dot.name: (dot.value, dot.low, dot.high) for dot in display.dots} == {
        name: pytest.approx((-of.mean, -of.high, -of.low)) for name, of in known.items()
    }
    assert [dot.name for dot in display.dots if dot.strong] == [choice.picked.candidate.name]
    board = ordain.leaderboard(
        ["x", "x", "y", "$z$"] * 9, ["y", "$z$", "$z$", "x"] * 9, ["left", "left", "right", "tie"] * 9
    )
    ax = Figure().subplots()
    dots = LeaderboardDisplay.from_board(board, ax=ax).dots
    assert [dot.value for dot in dots] == board.scores.tolist()
    assert [label.get_text() for label in ax.get_yticklabels()] == [dot.name for dot in dots]


@given(st.integers(3, 6), st.integers(0, 10**6))
def test_circles_are_those_in_the_majorities(n, seed):
    wins = np.random.default_rng(seed).integers(0, 4, (n, n))
    np.fill_diagonal(wins, 0)
    beats = wins > wins.T
    expected = {
        tuple(sorted(t)) for t in permutations(range(n), 3) if all(beats[t[k], t[(k + 1) % 3]] for k in range(3))
    }
    display = TournamentDisplay(wins, range(n))
    assert display.circles == sorted(expected)
    assert all(beats[low, high] and low > high for low, high in display.upsets)


def test_votes_are_counted_in_the_order_of_the_board():
    board = ordain.leaderboard(["a", "b", "c", "a"], ["b", "c", "a", "c"], ["left", "left", "tie", "left"])
    display = TournamentDisplay.from_board(board, ax=Figure().subplots())
    place = {name: k for k, name in enumerate(board.items)}
    assert display.wins[place["a"], place["b"]] == 1 and display.wins[place["b"], place["a"]] == 0
    assert display.wins[place["a"], place["c"]] == 1.5 and display.wins[place["c"], place["a"]] == 0.5


def test_a_picture_for_a_page_has_no_style_and_its_numbers_in_words():
    def draw(ax):
        ax.plot([0, 1], [0, 1], label="</svg>$")
        ax.legend()

    text = inline_svg("one", "A <title>", "0 to 1 & more", draw)
    assert "style" not in text and "<metadata" not in text and "</svg>$" not in text
    assert '<title id="one-title">A &lt;title&gt;</title>' in text and "0 to 1 &amp; more" in text
    assert text == inline_svg("one", "A <title>", "0 to 1 & more", draw)


@given(st.lists(st.floats(0, 100), min_size=1))
def test_a_sparkline_has_a_block_for_each_number_and_rises_with_it(values):
    line = sparkline(values)
    heights = [BLOCKS.index(block) for block in line]
    assert len(line) == len(values)
    assert all(
        heights[a] <= heights[b] for a in range(len(values)) for b in range(len(values)) if values[a] <= values[b]
    )
