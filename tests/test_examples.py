"""The examples run, are short, and print figures that an independent computation confirms."""

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from judge.scripted_endpoint import Endpoint, better, first_number

EXAMPLES = Path(__file__).parent.parent / "examples"


@pytest.fixture
def printed(capsys, monkeypatch):
    """Run an example as a program; what it prints."""

    def run(name, *words):
        monkeypatch.setattr(sys, "argv", [name, *words])
        runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
        return capsys.readouterr().out

    return run


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_no_example_is_longer_than_sixty_lines(path):
    assert len(path.read_text().splitlines()) <= 60


def test_the_page_of_recipes_names_every_example():
    page = (EXAMPLES.parent / "docs" / "recipes" / "index.md").read_text()
    assert sorted(re.findall(r"`examples/(\w+)\.py`", page)) == sorted(path.stem for path in EXAMPLES.glob("*.py"))


def numbers(text):
    return [float(found) for found in re.findall(r"\d+\.\d+", text)]


def test_a_push_is_shown_beside_the_plain_mean(printed):
    plain, first, pushed, top = printed("top_of_list").splitlines()
    assert plain.startswith("push 1: AUC 0.8") and pushed.startswith("push 8: AUC 0.8")
    assert numbers(first)[0] > 50 < numbers(top)[0]  # where 2 % are positive


def test_credit_is_the_tour_in_python(printed):
    told = printed("credit")
    assert "AUC 0.75, 95% confidence interval 0.68 to 0.81" in told and "73.3% positive" in told


def test_pairs_within_queries_are_no_worse_than_across(printed):
    within, across = printed("search_groups").splitlines()
    assert numbers(within)[0] >= numbers(across)[0] - 0.01 > 0.85


def test_a_language_model_orders_lists(printed):
    with Endpoint(better(first_number)) as server:
        told = printed("llm_lists", server.url, "scripted")
    found = [line.split(" ", 1)[1] for line in told.splitlines()]
    assert {*found[:2]} == {"whale 10", "whale 10 the younger"} and len(found) == 5
    assert {*found[2:4]} == {"elephant 9", "elephant 9 the younger"}


def test_features_lead_where_answers_are_few(printed):
    learned, alone = printed("learned_preference").splitlines()
    assert numbers(learned)[0] > numbers(alone)[0] + 0.2


def test_rows_on_workers_give_the_weights_of_one_machine():
    """In a process of its own, as its workers are."""
    run = [sys.executable, EXAMPLES / "dask_ranker.py"]
    told = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    assert float(re.search(r"differ by (\S+) at most", told)[1]) < 1e-9
