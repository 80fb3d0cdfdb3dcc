"""The page: its figures are those of the API, hostile names are text, nothing is loaded, chromium does not complain."""

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
    choice = ordain.choose(X, X[:, 0] > 0, model="linear")
    assert choice.picked.candidate.name in choice._repr_html_() and "<table>" in choice._repr_html_()
