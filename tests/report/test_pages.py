"""The page: its figures are those of the API, hostile names are text, nothing is loaded, chromium does not complain."""

import datetime
import os
import re
import subprocess
import sys
from html.parser import HTMLParser

import numpy as np
import polars as pl
import pytest

import ordain
from ordain.bounds.roc_band import roc_band
from ordain.cli import cli
from ordain.evaluation.along_list import along_list
from ordain.judge import Run
from ordain.judge.for_people import PEOPLE
from ordain.judge.judged_items import Item
from ordain.judge.people import People
from ordain.judge.people_summary import PeopleSummary
from ordain.judge.spending import Spending
from ordain.judge.wanted import PAIRS, Wanted
from ordain.report.html_page import Page, Section, Table

HOSTILE = [
    "</script><script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "=cmd|' /C calc'!A0", "x" * 10_000,
    "\u202eevil\u202c", "שלום עולם", "$\\frac{", "{{ 7*7 }}", "</svg></style>", "a\nb\tc",
]  # fmt: skip


class Text(HTMLParser):
    """All text of a page, and its elements."""

    def __init__(self, page):
        super().__init__()
        self.words, self.tags = [], []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, data):
        self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())


def run(*words):
    cli.main([str(word) for word in words], standalone_mode=False)


def scored(n=240, seed=0, hostile=False):
    rng = np.random.default_rng(seed)
    good = rng.random(n) < 0.3
    chance = np.clip(0.3 + 0.3 * good + 0.15 * rng.normal(size=n), 0.01, 0.99)
    team = np.array(HOSTILE[:4] if hostile else ["red", "green", "blue", "grey"])[rng.integers(0, 4, n)]
    return pl.DataFrame({"good": good.astype(int), "score": chance, "other": rng.random(n), "team": team})


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """A page of every kind."""
    folder = tmp_path_factory.mktemp("pages")
    table = scored()
    table.write_csv(folder / "scored.csv")
    scored(hostile=True).write_parquet(folder / "hostile.parquet")
    run("evaluate", folder / "scored.csv", "--label", "good", "--report", folder / "evaluate.html")
    run(
        "evaluate", folder / "hostile.parquet", "--label", "good", "--group", "team", "--report", folder / "groups.html"
    )
    run("compare", folder / "scored.csv", "--label", "good", "--score", "score", "--score", "other", "--report",
        folder / "compare.html")  # fmt: skip
    hostile = table.rename({"score": HOSTILE[0], "other": HOSTILE[6]})
    hostile.write_parquet(folder / "train.parquet")
    asked = ("--label", "good", "--model", "linear", "--quick", "--out", folder / "m.ordain")
    run("fit", folder / "train.parquet", *asked, "--report", folder / "fit.html")
    rng = np.random.default_rng(1)
    left, right = rng.permuted(np.tile(np.arange(10), (900, 1)), axis=1)[:, :2].T
    names = np.array([name[:300] for name in HOSTILE])
    votes = {"left": names[left], "right": names[right], "who": [f"{HOSTILE[1]} {k % 7}" for k in range(900)]}
    votes["won"] = np.where(rng.random(900) < 1 / (1 + np.exp((left - right) / 3)), "left", "right")
    pl.DataFrame(votes).write_parquet(folder / "votes.parquet")
    columns = ("--left", "left", "--right", "right", "--winner", "won", "--judge", "who")
    run("rank", folder / "votes.parquet", *columns, "--report", folder / "rank.html")
    texts = [f"{k} {name[:200]}" for k, name in enumerate(HOSTILE)]
    with Run.create(folder / "judged.run", texts, "Which <b>one</b>?") as made:
        made.rank(lambda a, b: int(a.id) < int(b.id), budget=60)
    run("report", folder / "judged.run", "--out", folder / "judged.html")
    return folder


KINDS = ("evaluate", "groups", "compare", "fit", "rank", "judged")


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_loads_and_runs_nothing_and_names_are_text(pages, kind):
    page = (pages / f"{kind}.html").read_text()
    found = Text(page)
    assert not {"script", "img", "link", "iframe", "object", "image", "b"} & {tag for tag, _ in found.tags}
    assert not any(name.startswith("on") or name == "style" for _, of in found.tags for name in of)
    addresses = [value for _, of in found.tags for name, value in of.items() if name in ("src", "href", "xlink:href")]
    assert all(value.startswith("#") for value in addresses)
    assert "default-src 'none'" in page and "unsafe" not in page
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert all(f'id="{name}"' in page for name in re.findall(r"url\(#([^)]+)\)", page))
    assert len(page) < 1_000_000 and max(map(len, found.words)) < 6_000


def test_figures_of_an_evaluation_are_those_of_the_functions(pages):
    found, table = Text((pages / "evaluate.html").read_text()).text, scored()
    labels, scores = table["good"].to_numpy(), table["score"].to_numpy()
    assert str(ordain.auc_interval(labels, scores)) in found
    assert str(ordain.auc_interval(labels, scores, method="guaranteed")) in found
    band = roc_band(labels, scores)
    for at in (0.05, 0.1, 0.2, 0.5):
        assert f"{band.found(at):.1%} {band.lower(at):.1%} to {band.upper(at):.1%}" in found
    for of in along_list(labels, scores, [10, 24, 48, 120]).first_rows():
        assert f"{of.precision:.1%} {of.recall:.1%} {of.lift:.2f}" in found
    for title in ("Are the probabilities right?", "Gains and lift", "Scores of both classes", "Words used here"):
        assert title in found


def test_figures_of_groups_are_those_within_each(pages):
    found, table = Text((pages / "groups.html").read_text()).text, scored(hostile=True)
    for name in HOSTILE[:3]:
        some = table.filter(pl.col("team") == name)
        interval = ordain.auc_interval(some["good"].to_numpy(), some["score"].to_numpy())
        assert f"{name} {len(some)} {interval.value:.3f} {interval.low:.3f} to {interval.high:.3f}" in found


def test_figures_of_comparisons_fits_and_boards_are_those_of_the_functions(pages):
    table, model = scored(), ordain.load(pages / "m.ordain")
    columns = [table[name].to_numpy() for name in ("good", "score", "other")]
    duel = ordain.compare_auc(*columns)
    text = Text((pages / "compare.html").read_text()).text
    assert f"AUC difference {duel.difference:+.4f}, {duel.low:+.4f} to {duel.high:+.4f}." in text
    text = Text((pages / "fit.html").read_text()).text
    assert str(model.rests_on) in text
    for of in model.rests_on.columns:
        assert f"{of.lost:.4f} {of.low:.4f} to {of.high:.4f}" in text
    for trial in model.summary["comparison"]["trials"]:
        assert f"{trial['name']} {trial['auc']:.4f}" in text
    votes = pl.read_parquet(pages / "votes.parquet")
    board = ordain.leaderboard(votes["left"], votes["right"], votes["won"], judges=votes["who"])
    text = Text((pages / "rank.html").read_text()).text
    for row in board.rows():
        assert f"{row['score']:+.2f} ± {row['standard_error']:.2f}" in text


def page_of(path, *words):
    run(*words, "--report", path)
    return Text(path.read_text()).text


def test_a_page_of_grades_says_what_comes_first_and_has_the_graded_auc(tmp_path):
    rng = np.random.default_rng(2)
    grades, scores = rng.integers(0, 4, 90), rng.random(90)
    pl.DataFrame({"grade": grades, "score": scores}).write_csv(tmp_path / "g.csv")
    text = page_of(tmp_path / "g.html", "evaluate", tmp_path / "g.csv", "--label", "grade", "--graded")
    rows = list(zip(grades, scores, strict=True))
    wins = [(a > b) + 0.5 * (a == b) for u, a in rows for v, b in rows if u > v]
    assert "90 rows were ranked by score; better ones, by grade, should come first." in text
    assert f"AUC {np.mean(wins):.4f}, without an interval." in text and "should come first. AUC" not in text


def test_of_many_groups_the_largest_with_two_rows_of_both_classes_are_shown(tmp_path):
    rng = np.random.default_rng(3)
    sizes = {"lopsided": 20} | {f"group {k}": 12 - k // 5 for k in range(33)} | {"tiny": 3}
    good = {
        name: [1] + [0] * (size - 1) if name == "lopsided" else ([1, 0] * size)[:size] for name, size in sizes.items()
    }
    rows = [
        (name, label, score) for name in sizes for label, score in zip(good[name], rng.random(sizes[name]), strict=True)
    ]
    pl.DataFrame(rows, ["team", "good", "score"], orient="row").write_csv(tmp_path / "t.csv")
    asked = ("evaluate", tmp_path / "t.csv", "--label", "good", "--group", "team")
    shown = re.findall(r"((?:group \d+|lopsided|tiny)): AUC", page_of(tmp_path / "t.html", *asked))
    assert shown == [f"group {k}" for k in range(30)]
    pl.DataFrame(rows, ["team", "good", "score"], orient="row").filter(
        pl.col("team").is_in(["group 0", "group 32", "tiny", "lopsided"])
    ).write_csv(tmp_path / "few.csv")
    asked = ("evaluate", tmp_path / "few.csv", "--label", "good", "--group", "team")
    shown = re.findall(r"((?:group \d+|lopsided|tiny)): AUC", page_of(tmp_path / "few.html", *asked))
    assert shown == ["group 0", "group 32"]


def test_groups_of_pairs_are_too_small_to_be_shown_each(tmp_path):
    scored().with_columns(team=pl.Series(np.arange(240) // 2)).write_csv(tmp_path / "pairs.csv")
    asked = ("evaluate", tmp_path / "pairs.csv", "--label", "good", "--group", "team")
    text = page_of(tmp_path / "pairs.html", *asked)
    assert "Within a team, a row with good = 1 comes before one without" in text and "By group" not in text


def test_two_scores_within_groups_are_compared_without_curves(tmp_path):
    scored().write_csv(tmp_path / "t.csv")
    asked = ("compare", tmp_path / "t.csv", "--label", "good", "--score", "score", "--score", "other")
    assert "Both curves" in page_of(tmp_path / "list.html", *asked)
    text = page_of(tmp_path / "groups.html", *asked, "--group", "team")
    table = scored()
    codes = table["team"].to_numpy()
    duel = ordain.compare_auc(*(table[name].to_numpy() for name in ("good", "score", "other")), groups=codes)
    assert f"AUC difference {duel.difference:+.4f}, {duel.low:+.4f} to {duel.high:+.4f}." in text
    assert "Both curves" not in text


def dated(n):
    rng = np.random.default_rng(4)
    x, kind, days = rng.normal(size=(n, 2)), rng.choice(["red", "green"], n), rng.integers(0, 700, n)
    good = x @ [1, 0.8] + 2 * (kind == "red") + days / 250 + rng.normal(size=n) > 2
    day = [datetime.date(2024, 1, 1) + datetime.timedelta(days=int(k)) for k in days]
    return pl.DataFrame({"x": x[:, 0], "y": x[:, 1], "kind": kind, "day": day, "blank": [None] * n, "good": good})


def test_a_fit_of_numbers_texts_and_dates_shows_the_score_along_each_and_what_was_noticed(tmp_path):
    dated(400).write_parquet(tmp_path / "t.parquet")
    asked = ("--label", "good", "--model", "linear", "--quick", "--out", tmp_path / "m.ordain")
    text = page_of(tmp_path / "m.html", "fit", tmp_path / "t.parquet", *asked)
    model = ordain.load(tmp_path / "m.ordain")
    assert {of.kind for of in model.rests_on.columns if of.counts} == {"number", "text", "date"}
    assert "Column 'blank' is not used: every value is missing." in text
    along = text[text.index("The score along the columns") :]
    for of in model.rests_on.columns:
        assert of.kind == "number" or all(value[:12] in along for value in (of.values[0], of.values[-1]))


def test_a_fit_of_few_rows_says_that_it_does_not_know_what_it_rests_on(tmp_path):
    dated(14).write_parquet(tmp_path / "t.parquet")
    asked = ("--label", "good", "--model", "linear", "--quick", "--out", tmp_path / "m.ordain")
    text = page_of(tmp_path / "m.html", "fit", tmp_path / "t.parquet", *asked)
    assert ordain.load(tmp_path / "m.ordain").rests_on is None
    assert "This model does not say what it rests on: it is of an earlier version, or of too few rows." in text


@pytest.mark.parametrize("method", ["degree", "quicksort", "bradley_terry"])
def test_a_board_promises_no_ranks_and_draws_no_intervals_that_its_method_does_not_give(tmp_path, method):
    votes = {"left": list("abcaab") * 5, "right": list("bcabca") * 5, "won": list("abcaaa") * 5}
    pl.DataFrame(votes).write_csv(tmp_path / "v.csv")
    columns = ("--left", "left", "--right", "right", "--winner", "won", "--method", method)
    text = page_of(tmp_path / "v.html", "rank", tmp_path / "v.csv", *columns)
    board = ordain.leaderboard(*votes.values(), method=method)
    known = method == "bradley_terry"
    assert "nan" not in text and all(
        (words in text) == known
        for words in ("at the right are the ranks it may have", "ranks each may have", " interval, by itself")
    )
    assert "Ranks hold for the whole board together" not in text or known
    if method == "degree":
        assert "; ".join(f"{row['rank']} {row['item']}: {row['score']:+.3f}" for row in board.rows()) + "." in text
    assert [row["item"] for row in board.rows()] == re.findall(r" \d ([abc]) ", text[text.index(" wins losses") :])[:3]


def larger(a, b):
    return int(a.text.split()[1]) > int(b.text.split()[1])


def test_a_sort_of_items_with_columns_of_any_name_has_a_page_without_scores_and_without_an_audit(tmp_path):
    items = [Item(f"i{k}", f"text {k}", {"item": f"thing {k}", "chance": f"luck {k}", "rank": "x"}) for k in range(9)]
    with Run.create(tmp_path / "a.run", items, "Which?") as made:
        made.rank(larger, guarantee=True)
    run("report", tmp_path / "a.run", "--out", tmp_path / "a.html")
    text = Text((tmp_path / "a.html").read_text()).text
    assert "No audit was made, so it is not known how far the order agrees with the judge." in text
    assert "The method gives an order without errors" in text and "Each dot is" not in text and "nan" not in text
    assert re.findall(r" (\d) i(\d) text", text[text.index("rank item wins") :])[:9] == [
        (str(9 - k), str(k)) for k in range(8, -1, -1)
    ]


@pytest.mark.parametrize("overlap", [0.0, 1.0])
def test_people_have_their_agreement_with_the_rest_on_the_page_of_their_run(tmp_path, overlap):
    with Run.create(tmp_path / "p.run", [f"item {k}" for k in range(8)], "Which?", judge=PEOPLE) as made:
        *audit, number = made.prepared(Wanted(None, PAIRS, budget=40))
        people = People(made, number, audit[0] if audit else None, ["ANA", "BEN"], overlap).start()
        answered = 0
        while answered < 40 and (people.ranker.thinking or any(map(people.next, people.people))):
            for name in people.people:
                if key := people.next(name):
                    people.vote(name, key, "left" if key[1][0] > key[1][1] else "right", 1.0)
                    answered += 1
        people.stop()
    run("report", tmp_path / "p.run", "--out", tmp_path / "p.html")
    text = Text((tmp_path / "p.html").read_text()).text
    assert "8 items were ranked by people" in text
    with Run.look(tmp_path / "p.run") as found:
        told = PeopleSummary(found, found.outcome(), Spending().recall(found.store.entries))
        assert [one.name for one in told.judges] == ["ANA", "BEN"]
        for one in told.judges:
            of = one.agreement
            assert f"{one.name}: {of.value:.3f}, {of.low:.3f} to {of.high:.3f}" in text
        both = f"Two people agree on {told.two_people} pairs that both judged."
        assert (both if overlap else "No pair was judged by two people.") in text


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_chromium_shows_every_page_without_a_word(pages, browser, scheme):
    context = browser.new_context(color_scheme=scheme, viewport={"width": 390, "height": 800})
    page, heard = context.new_page(), []
    page.on("console", lambda message: heard.append(message.text))
    page.on("pageerror", lambda error: heard.append(str(error)))
    page.on("request", lambda request: heard.append(request.url) if not request.url.startswith("file:") else None)
    for kind in KINDS:
        page.goto((pages / f"{kind}.html").as_uri())
        assert heard == []
        width = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert width <= 0, kind
        drawn = page.evaluate("[...document.querySelectorAll('figure svg')].map(e => e.getBoundingClientRect().height)")
        assert drawn and min(drawn) > 50
        paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (paper == "rgb(255, 255, 255)") == (scheme == "light")
    context.close()


@pytest.mark.parametrize("missing", ["matplotlib", "jinja2"])
def test_a_report_without_what_it_needs_is_refused_before_any_work(tmp_path, missing):
    scored().write_csv(tmp_path / "t.csv")
    (tmp_path / "sitecustomize.py").write_text(f"import sys\nsys.modules[{missing!r}] = None\n")
    line = [sys.executable, "-m", "ordain", "evaluate", "t.csv", "--label", "good", "--report", "t.html"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    ended = subprocess.run(line, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == (
        'ordain: a report needs matplotlib and jinja2. One is missing. Install it: pip install "ordain[report]"\n'
    )
    assert not (tmp_path / "t.html").exists()


def test_a_page_is_not_written_over_without_force(pages, capsys):
    before = (pages / "evaluate.html").read_bytes()
    with pytest.raises(ValueError, match="exists"):
        run("report", pages / "scored.csv", "--label", "good", "--out", pages / "evaluate.html")
    with pytest.raises(ValueError, match="--label must name its column"):
        run("report", pages / "scored.csv", "--out", pages / "new.html")
    assert (pages / "evaluate.html").read_bytes() == before and not (pages / "new.html").exists()
    run("report", pages / "scored.csv", "--label", "good", "--out", pages / "evaluate.html", "--force")
    assert (pages / "evaluate.html").read_bytes() == before  # the same rows give the same page


def test_a_model_file_has_its_page(pages):
    run("report", pages / "m.ordain", "--out", pages / "again.html")
    assert str(ordain.load(pages / "m.ordain").rests_on) in Text((pages / "again.html").read_text()).text


def test_nothing_is_drawn_unless_asked(pages):
    code = (
        "import sys\nfrom ordain.cli import main\ntry:\n"
        f"    main(['evaluate', {str(pages / 'scored.csv')!r}, '--label', 'good'])\n"
        "except SystemExit:\n    pass\nprint('matplotlib' in sys.modules, 'jinja2' in sys.modules)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.splitlines()[-1] == "False False"


def test_a_page_escapes_whatever_it_is_given():
    for name in HOSTILE:
        page = Page(name, name, [name], [Section(name, [name], tables=[Table([name], [[name]])])], ["AUC"]).html()
        tags = {tag for tag, _ in Text(page).tags}
        assert not {"script", "img", "svg"} & tags
        assert "{{" in page or "{{" not in name


def test_notebooks_show_records():
    found = ordain.auc_interval([1, 0, 1, 0], [3, 2, 1, 0])
    assert str(found) in found._repr_html_()
    duel = ordain.compare_auc([1, 0, 1, 0, 1], [3, 2, 1, 0, 4], [1, 2, 3, 0, 4])
    assert "p" in duel._repr_html_() and "<p>" in duel._repr_html_()
    X = np.random.default_rng(0).normal(size=(120, 2))
    few = ordain.choose(X[:3], np.array([True, False, False]), model="linear")
    assert few._repr_html_() == f"<p>{few}</p>" and "<table>" not in few._repr_html_()
    choice = ordain.choose(X, X[:, 0] > 0, model="linear")
    assert choice.picked.candidate.name in choice._repr_html_() and "<table>" in choice._repr_html_()
