"""Tables as people have them: each oddity is read as the same table written plainly, by fit, score and evaluate."""

import contextlib
import datetime as dt
import io
import json
import re
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from xml.sax.saxutils import escape

import numpy as np
import polars as pl
import pytest

import ordain
from ordain.cli import main

GERMAN_CREDIT = Path(ordain.__file__).with_name("data") / "german_credit.csv"
PURPOSES = ["Küche", "Möbel", "Auto, neu", "Büro", 'Ger"ät', "Ausbildung"]
FAST = ("--model", "linear", "--reduction", "balanced")
NOBREAK, NARROW = "\u00a0", "\u202f"


def applicants(rows=300):
    """Real applicants for a loan, and columns derived from them: amounts with decimals, a percentage, dates."""
    known = pl.read_csv(GERMAN_CREDIT).head(rows)
    amount, duration, age = (known[name].to_list() for name in ("amount", "duration", "age"))
    purposes = known["purpose"].cast(pl.Enum(known["purpose"].unique().sort())).to_physical() % len(PURPOSES)
    opened = [dt.date(2020, 1, 1) + dt.timedelta(30 * d + a) for d, a in zip(duration, age, strict=True)]
    seen = [dt.datetime(2024, 1, 1) + dt.timedelta(minutes=79 * x % 500_000) for x in amount]
    return pl.DataFrame(
        {
            "case": [f"c{k:04}" for k in range(rows)],
            "checking": known["checking"],
            "purpose": [PURPOSES[k] for k in purposes],
            "age": age,
            "amount": amount,
            "fee": [round(x * r / 12, 2) for x, r in zip(amount, known["rate"], strict=True)],
            "balance": [round(x / 2 - 40 * a, 2) for x, a in zip(amount, age, strict=True)],
            "share": [round(100 * d / 72, 1) for d in duration],
            "opened": opened,
            "seen": seen,
            "bad_risk": known["bad_risk"],
        }
    )


def plain(value):
    """A cell as ordain itself would write it."""
    return value.isoformat(" ", "minutes") if isinstance(value, dt.datetime) else str(value)


def number(thousands="", decimal=".", shape="{}"):
    """How a column writes its numbers: two decimals if it has any, in a shape before which a minus goes."""

    def written(value):
        digits = f"{abs(value):,.2f}" if isinstance(value, float) else f"{abs(value):,}"
        digits = digits.translate(str.maketrans({",": thousands, ".": decimal}))
        return "-" * (value < 0) + shape.format(digits)

    return written


def negative(shape):
    """Negative numbers as accountants write them."""
    return lambda value: shape.format(f"{-value:,.2f}") if value < 0 else f"{value:,.2f}"


def percent(sign="%", decimal="."):
    """A share in percent."""
    return lambda value: f"{value:.1f}".replace(".", decimal) + sign


def when(*shapes):
    """How a column writes its dates: in these shapes, one day in this and the next in that; 2:05 PM without a zero."""
    chosen = lambda value: shapes[value.toordinal() % len(shapes)]  # noqa: E731
    return lambda value: re.sub(r" 0(\d:\d\d [AP]M)", r" \1", value.strftime(chosen(value)))


def amounts(thousands, decimal="."):
    """The columns of numbers in one way."""
    return {**dict.fromkeys(("amount", "fee", "balance"), number(thousands, decimal)), "share": percent("", decimal)}


def dates(shape, clock="%H:%M"):
    """Both columns of dates in one way."""
    return {"opened": when(shape), "seen": when(f"{shape} {clock}")}


@dataclass(frozen=True)
class Text:
    """A way of writing a table as text: its cells, and how they become a file."""

    cells: dict[str, Callable] = field(default_factory=dict)
    separator: str = ","
    space: str = ""
    encoding: str = "utf-8"
    mark: bytes = b""
    end: str = "\n"
    before: str = ""
    after: str = ""
    reshaped: Callable = list

    def texts(self, frame):
        """Name → the cells of the column as text."""
        return {s.name: [*map(self.cells.get(s.name, plain), s)] for s in frame.iter_columns()}

    def write(self, frame, stem="odd"):
        """The path of the file."""
        texts = self.texts(frame)
        rows = self.reshaped([[*texts], *map(list, zip(*texts.values(), strict=True))])
        joined = [f"{self.separator}{self.space}".join(map(self._quoted, row)) + self.end for row in rows]
        path = Path(f"{stem}.csv")
        path.write_bytes(self.mark + (self.before + "".join(joined) + self.after).encode(self.encoding))
        return path

    def _quoted(self, cell):
        special = self.separator in cell or '"' in cell or (self.space and " " in cell)
        return '"' + cell.replace('"', '""') + '"' if special else cell


@dataclass(frozen=True)
class Workbook:
    """A spreadsheet of typed cells, or of text in the way of `cells`."""

    ending: str = ".xlsx"
    cells: dict[str, Callable] | None = None

    def write(self, frame, stem="odd"):
        """The path of the file."""
        path = Path(stem + self.ending)
        pytest.importorskip("fastexcel")
        if self.ending == ".ods":
            path.write_bytes(open_document(frame))
        else:
            pytest.importorskip("xlsxwriter")
            frame = frame if self.cells is None else pl.DataFrame(Text(self.cells).texts(frame))
            frame.write_excel(path)
        return path


def open_document(frame):
    """The smallest file that LibreOffice calls a spreadsheet."""

    def cell(value):
        if isinstance(value, str):
            return f'<t:table-cell o:value-type="string"><x:p>{escape(value)}</x:p></t:table-cell>'
        if isinstance(value, dt.date):
            return f'<t:table-cell o:value-type="date" o:date-value="{value.isoformat()}"/>'
        return f'<t:table-cell o:value-type="float" o:value="{value}"/>'

    rows = "".join(f"<t:table-row>{''.join(map(cell, row))}</t:table-row>" for row in [frame.columns, *frame.rows()])
    names = {"o": "office", "t": "table", "x": "text"}
    spaces = " ".join(f'xmlns:{k}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for k, name in names.items())
    content = f'<t:table t:name="one">{rows}</t:table>'.join(["<o:body><o:spreadsheet>", "</o:spreadsheet></o:body>"])
    content = f"<o:document-content {spaces}>{content}</o:document-content>"
    content = re.sub(r"(</?|\s|:)([otx]):", lambda found: f"{found[1]}{names[found[2]]}:", content)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        file.writestr("META-INF/manifest.xml", '<manifest xmlns="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>')
        file.writestr("content.xml", content)
    return packed.getvalue()


GERMANY = {
    **amounts(".", ","),
    "fee": number(".", ",", "{} €"),
    "share": percent(" %", ","),
    **dates("%d.%m.%Y"),
}
US = {
    **amounts(","),
    "fee": number(",", shape="${}"),
    "balance": negative("({})"),
    "share": percent(),
    **dates("%m/%d/%Y", "%I:%M %p"),
}
FRANCE = {
    **amounts(NOBREAK, ","),
    "fee": number(NOBREAK, ",", f"{{}}{NOBREAK}€"),
    "share": percent(f"{NOBREAK}%", ","),
    **dates("%d/%m/%Y"),
}
SWITZERLAND = {**GERMANY, **amounts("'"), "fee": number("'", shape="CHF {}"), "share": percent()}
ALL_DATES = ("%Y-%m-%d", "%d/%m/%Y", "%d.%m.%Y", "%Y/%m/%d", "%d-%b-%Y", "%b %d, %Y")

FORMS = {
    "plain": Text(),
    "semicolons": Text(separator=";"),
    "tabs": Text(separator="\t"),
    "pipes": Text(separator="|"),
    "a first line sep=;": Text(separator=";", before="sep=;\r\n", end="\r\n"),
    "UTF-8 with a mark": Text(mark=b"\xef\xbb\xbf"),
    "UTF-16": Text(encoding="utf-16"),
    "UTF-16, high byte first": Text(encoding="utf-16-be", mark=b"\xfe\xff"),
    "UTF-16 without a mark": Text(encoding="utf-16-le"),
    "UTF-16, high byte first, without a mark": Text(encoding="utf-16-be"),
    "Windows-1252": Text(encoding="cp1252"),
    "CRLF": Text(end="\r\n"),
    "blanks after separators": Text(space=" "),
    "blanks after semicolons": Text(space=" ", separator=";"),
    "blank lines at the end": Text(after="\n\n \n"),
    "empty rows at the end": Text(after=3 * (10 * "," + "\n")),
    "empty columns at the end": Text(reshaped=lambda rows: [[*row, "", ""] for row in rows]),
    "empty fields beyond the header": Text(reshaped=lambda rows: [rows[0], *([*row, "", ""] for row in rows[1:])]),
    "decimal commas": Text(amounts("", ","), separator=";"),
    "decimal commas between quotes": Text(amounts("", ",")),
    "thousands: commas": Text(amounts(",")),
    "thousands: points": Text(amounts(".", ","), separator=";"),
    "thousands: blanks": Text(amounts(" ", ","), separator=";"),
    "thousands: no-break blanks": Text(amounts(NOBREAK, ","), separator=";"),
    "thousands: narrow no-break blanks": Text(amounts(NARROW, ","), separator=";"),
    "thousands: apostrophes": Text(amounts("'")),
    "percent": Text({"share": percent()}),
    "percent after a blank": Text({"share": percent(" %")}),
    "percent, zeros without": Text({"share": lambda value: percent()(value) if value >= 9 else "0"}),
    **{f"currency {shape}": Text({"fee": number(",", shape=shape)}) for shape in ("${}", "£{}", "¥ {}", "€{}")},
    **{f"currency {shape}": Text({"fee": number(",", shape=shape)}) for shape in ("CHF {}", "{} USD", "{} EUR", "{}€")},
    "minus before the currency": Text({"balance": number(",", shape="${}")}),
    "(1,234.50)": Text({"balance": negative("({})")}),
    "($1,234.50)": Text({"balance": lambda value: negative("(${})")(value) if value < 0 else f"${value:,.2f}"}),
    "1,234.50-": Text({"balance": negative("{}-")}),
    **{f"dates {shape}": Text(dates(shape)) for shape in (*ALL_DATES, "%m/%d/%Y")},
    "times 2:05 PM": Text(dates("%m/%d/%Y", "%I:%M %p")),
    "dates in all forms": Text({"opened": when(*ALL_DATES), "seen": when(*(f"{shape} %H:%M" for shape in ALL_DATES))}),
    "xlsx": Workbook(),
    "xlsx of text": Workbook(cells=US),
    "ods": Workbook(".ods"),
    "Excel in Germany": Text(GERMANY, separator=";", encoding="cp1252", end="\r\n"),
    "Excel in the US": Text(
        US,
        mark=b"\xef\xbb\xbf",
        end="\r\n",
        after=11 * "," + "\r\n",
        reshaped=lambda rows: [[*row, ""] for row in rows],
    ),
    "Excel in France": Text(FRANCE, separator=";", encoding="cp1252", end="\r\n"),
    "Excel in Switzerland": Text(SWITZERLAND, separator=";", encoding="cp1252", end="\r\n"),
    "Unicode text of Excel": Text(GERMANY, separator="\t", encoding="utf-16", end="\r\n"),
    "pipes and blanks": Text(US, separator="|", space=" ", after="\n\n"),
}
CHANGED = {"percent, zeros without": {"share": lambda value: plain(value) if value >= 9 else "0"}}
"""Forms that need other values, and how the plain table writes these."""


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """An empty folder."""
    monkeypatch.chdir(tmp_path)


def command(*arguments):
    """The exit code of a command, and what it printed."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    return ended.value.code, out.getvalue(), err.getvalue()


def done(*arguments):
    """What a command printed that must not fail, on both streams."""
    code, out, err = command(*arguments)
    assert code == 0, err
    return out + err


def found(*arguments):
    """The JSON that a command printed that must not fail."""
    code, out, err = command(*arguments, "--json")
    assert code == 0, err
    return json.loads(out)


def fitted(path, label="bad_risk", *options, out="m.ordain"):
    """What fit found."""
    return found("fit", path, "--label", label, "--out", out, "--force", *FAST, *options)


def compared(fit):
    """The AUC of the one candidate that was compared."""
    return fit["comparison"]["trials"][0]["auc"]


def ranked(path, *options, model="m.ordain", key="case"):
    """The rows as score wrote them, put in the order of a column of keys."""
    done("score", path, "--model", model, "--out", "ranked.csv", "--force", *options)
    rows = pl.read_csv("ranked.csv", infer_schema=False)
    return rows.with_columns(pl.col("score").cast(float)).sort(pl.col(key).str.strip_chars())


@dataclass(frozen=True)
class Result:
    """What comes of a table: the AUC of the comparison, the rows with their scores, and the AUC that evaluate finds."""

    auc: float
    rows: pl.DataFrame
    evaluated: float


def through(path, label="bad_risk", *options):
    """Fit, score and evaluate, as the owner of a table would."""
    auc = compared(fitted(path, label, *options))
    rows = ranked(path)
    return Result(auc, rows, found("evaluate", "ranked.csv", "--label", label, *options)["auc"])


def assert_same(result, expected):
    """Equal up to rounding: a share in percent is a hundred times itself."""
    assert result.auc == pytest.approx(expected.auc, abs=1e-9)
    np.testing.assert_allclose(result.rows["score"], expected.rows["score"], rtol=1e-6, atol=1e-9)
    assert result.evaluated == pytest.approx(expected.evaluated, abs=1e-9)


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """What comes of the plain table, by the cells that must be other than usual."""
    known = {}

    def of(name):
        if name not in known:
            with contextlib.chdir(tmp_path_factory.mktemp("plain")):
                known[name] = through(Text(CHANGED.get(name, {})).write(applicants(), "plain"))
        return known[name]

    return lambda name: of(name if name in CHANGED else "")


@pytest.mark.parametrize("name", FORMS)
def test_an_odd_table_is_read_as_the_plain_one(expected, name):
    form, frame = FORMS[name], applicants()
    result = through(form.write(frame))
    assert_same(result, expected(name))
    if isinstance(form, Text):
        for column, cells in form.texts(frame).items():
            assert result.rows[column].str.strip_chars().to_list() == cells, "cells go out as they came in"


def test_what_was_understood_is_said_in_a_line():
    FORMS["Excel in Germany"].write(applicants(60))
    said = done("fit", "odd.csv", "--label", "bad_risk", "--out", "m.ordain", *FAST)
    line = next(line for line in said.splitlines() if "separator ';'" in line)
    assert "decimal comma" in line
    assert "Windows-1252" in line


def test_of_a_plain_table_nothing_odd_is_said():
    Text().write(applicants(60))
    said = done("fit", "odd.csv", "--label", "bad_risk", "--out", "m.ordain", *FAST)
    assert not re.search("separator|decimal|Windows|UTF", said)


ASKED = {
    "--decimal": (
        {"amount": number(",")},
        {".": {}, ",": {"amount": lambda value: number(",")(value).replace(",", ".")}},
    ),
    "--dates": (
        {"opened": when("%d/%m/%Y")},
        {"day-first": {}, "month-first": {"opened": when("%Y-%d-%m")}},
    ),
}
"""Option → cells that can be read in two ways, and answer → the same cells written plainly."""


@pytest.mark.parametrize("option", ASKED)
def test_what_is_ambiguous_is_asked_for_and_the_answer_is_followed(option):
    odd, answers = ASKED[option]
    days = [dt.date(2024, 1 + k * 7 % 12, 1 + k * 5 % 12) for k in range(150)]
    frame = applicants(150).select("case", "age", "amount", "opened", "bad_risk").with_columns(opened=pl.Series(days))
    path = Text(odd).write(frame)
    code, out, err = command("fit", path, "--label", "bad_risk", "--out", "m.ordain", *FAST)
    assert (code, out) == (2, "")
    assert option in err
    found = []
    for answer, cells in answers.items():
        asked = fitted(path, "bad_risk", option, answer)
        rows = ranked(path)
        assert compared(asked) == pytest.approx(compared(fitted(Text(cells).write(frame, "plain"))), abs=1e-9)
        np.testing.assert_allclose(rows["score"], ranked("plain.csv")["score"], rtol=1e-6, atol=1e-9)
        found.append(rows["score"])
    assert not np.allclose(*found)


@pytest.mark.parametrize(
    ("form", "options"),
    [
        (Text(separator="~"), ("--separator", "~")),
        (Text(encoding="cp437"), ("--encoding", "cp437")),
        (
            FORMS["Excel in Germany"],
            ("--separator", ";", "--decimal", ",", "--encoding", "cp1252", "--dates", "day-first"),
        ),
    ],
    ids=["separator", "encoding", "all"],
)
def test_options_say_what_looking_would_not_find(expected, form, options):
    path = form.write(applicants())
    assert compared(fitted(path, "bad_risk", *options)) == pytest.approx(expected("").auc, abs=1e-9)
    rows = ranked(path, *options)
    np.testing.assert_allclose(rows["score"], expected("").rows["score"], rtol=1e-6, atol=1e-9)
    assert rows["purpose"].to_list() == applicants()["purpose"].to_list()


SCORED = pl.DataFrame(
    {
        "y": [k % 3 > 0 for k in range(60)],
        "a": [k * 7 % 11 / 4 for k in range(60)],
        "b": [k * 5 % 13 / 2 for k in range(60)],
    }
)
SCORED_CELLS = {name: number(".", ",") for name in "ab"} | {"y": lambda value: ["Nein ", "Ja"][value]}


@pytest.mark.parametrize(
    "words", [("evaluate", "--score", "a"), ("compare", "--score", "a", "--score", "b")], ids=["evaluate", "compare"]
)
@pytest.mark.parametrize(
    ("mark", "options"),
    [(";", ()), ("~", ("--separator", "~", "--decimal", ",", "--encoding", "cp1252"))],
    ids=["found", "told"],
)
def test_every_command_that_reads_a_table_understands_odd_ones(words, mark, options):
    Text(SCORED_CELLS, separator=mark, encoding="cp1252", end="\r\n", after=f"{mark}{mark}\r\n").write(SCORED)
    SCORED.write_csv("plain.csv")
    verb, *scores = words
    asked = (verb, "odd.csv", "--label", "y", "--positive", "Ja", *scores, *options)
    assert re.search(rf"^Read 60 rows of odd.csv: .*separator '{mark}'.*decimal comma", done(*asked), re.MULTILINE)
    odd = found(*asked)
    expected = found(verb, "plain.csv", "--label", "y", *scores)
    for name in {"auc", "low", "high", "difference", "partial_auc"} & {*expected}:
        assert odd[name] == expected[name]


def test_a_workbook_is_evaluated():
    path = Workbook().write(SCORED, "scores")
    SCORED.write_csv("plain.csv")
    auc = found("evaluate", "plain.csv", "--label", "y", "--score", "a")["auc"]
    assert found("evaluate", path, "--label", "y", "--score", "a")["auc"] == auc


TRAINED = {"Germany": "Excel in Germany", "the US": "Excel in the US", "nowhere": "plain"}


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Place → the bytes of a model trained on a table written there."""
    folder, known = tmp_path_factory.mktemp("models"), {}

    def of(place):
        if place not in known:
            fitted(FORMS[TRAINED[place]].write(applicants(), str(folder / "train")), out=folder / "m.ordain")
            known[place] = (folder / "m.ordain").read_bytes()
        Path("m.ordain").write_bytes(known[place])
        return "m.ordain"

    return of


@pytest.mark.parametrize("place", ["Germany", "the US"])
def test_a_row_alone_is_read_as_in_training(models, place):
    """1.169 and 03.04.2022 mean what they meant among rows that told."""
    form, frame, model = FORMS[TRAINED[place]], applicants(), models(place)
    scores = ranked(form.write(frame), model=model)["score"]
    rows = [k for k, (x, day) in enumerate(frame.select("amount", "opened").iter_rows()) if x >= 1000 and day.day <= 12]
    assert len(rows) > 20
    for k in rows[:6]:
        alone = ranked(form.write(frame[k], "alone"), model=model)["score"]
        np.testing.assert_allclose(alone, scores[k], rtol=1e-9)


@pytest.mark.parametrize("name", ["semicolons", "UTF-16", "Windows-1252", "blanks after separators", "xlsx"])
def test_how_a_file_is_packed_may_differ_from_training(models, expected, name):
    rows = ranked(FORMS[name].write(applicants()), model=models("nowhere"))
    np.testing.assert_allclose(rows["score"], expected("").rows["score"], rtol=1e-6, atol=1e-9)


OTHERWISE = {
    "a decimal point after decimal commas": ("Germany", "fee", "389.67 €"),
    "a decimal point in negative numbers": ("Germany", "balance", "-12.5"),
    "no percent after percent": ("Germany", "share", "12,5"),
    "another currency": ("Germany", "fee", "389,67 $"),
    "the month first after the day": ("Germany", "opened", "12.31.2022"),
    "a decimal comma after decimal points": ("the US", "fee", "$389,67"),
    "no percent after percent, US": ("the US", "share", "12.5"),
    "another currency, US": ("the US", "fee", "€389.67"),
    "the day first after the month": ("the US", "opened", "31/12/2022"),
    "a decimal comma after a plain table": ("nowhere", "fee", "389,67"),
    "percent after a plain table": ("nowhere", "share", "12.5%"),
    "a month that no year has": ("nowhere", "opened", "2022-13-01"),
}


@pytest.mark.parametrize(("place", "column", "cell"), OTHERWISE.values(), ids=OTHERWISE)
def test_what_cannot_be_read_as_in_training_is_refused(models, place, column, cell):
    form, model = FORMS[TRAINED[place]], models(place)
    written = dict(form.cells)
    usual = written.get(column, plain)
    frame = applicants(3)
    second = frame[column][1]
    written[column] = lambda value: cell if value == second else usual(value)
    path = Text(**{**vars(form), "cells": written}).write(frame)
    before = sorted(Path().iterdir())
    code, out, err = command("score", path, "--model", model, "--out", "ranked.csv")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "row 2" in err
    assert repr(column) in err
    assert sorted(Path().iterdir()) == before


LABELS = {
    "a blank after": (["No "], ["Yes "], ()),
    "any case": (["No", "no", "NO "], ["YES", "Yes ", "yes"], ()),
    "true and false": (["FALSE", "false"], ["True", "TRUE"], ()),
    "1.0": (["0", "0.0"], ["1.0", "1"], ()),
    "-1 and 1": (["-1"], ["1", " 1"], ()),
    "plus and minus": (["-"], ["+"], ("--positive", "+")),
    "two words": (["ok", "ok "], ["fraud", "fraud "], ("--positive", "fraud")),
    "one against the rest": (["ok", "late", "lost", "unsure"], ["fraud"], ("--positive", "fraud")),
}


def few():
    """A small table that is quick to learn from."""
    return applicants(150).select("case", "age", "amount", "bad_risk")


@pytest.mark.parametrize(("negatives", "positives", "options"), LABELS.values(), ids=LABELS)
def test_labels_are_understood_as_people_write_them(negatives, positives, options):
    turn = [cycle(negatives), cycle(positives)]
    expected = through(Text().write(few(), "plain"))
    result = through(Text({"bad_risk": lambda value: next(turn[value])}).write(few()), "bad_risk", *options)
    assert_same(result, expected)
    assert set(result.rows["bad_risk"]) == {*negatives, *positives}


def test_one_against_the_rest_is_said():
    frame = applicants(150)
    Text().write(frame.drop("bad_risk"))
    said = done("fit", "odd.csv", "--label", "checking", "--positive", "A14", "--out", "m.ordain", *FAST)
    assert "rest" in said
    binary = frame.with_columns(checking=(pl.col("checking") == "A14").cast(int)).drop("bad_risk")
    assert compared(fitted("odd.csv", "checking", "--positive", "A14")) == pytest.approx(
        compared(fitted(Text().write(binary, "plain"), "checking")), abs=1e-9
    )


def test_rows_without_a_label_are_left_out_and_counted():
    """37 of them between the others: what is learned is what the others teach."""
    blank = cycle(["", "NA", "N/A", "null", "nan", " "])
    frame = few().with_columns(place=pl.int_range(150).cast(float))
    more = (
        few().head(37).with_columns(place=pl.int_range(37) * 4 + 0.5, bad_risk=pl.lit(None), case="u" + pl.col("case"))
    )
    both = pl.concat([frame, more.cast({"bad_risk": pl.Int64})]).sort("place").drop("place")
    expected = through(Text().write(few(), "plain"))
    path = Text({"bad_risk": lambda value: next(blank) if value is None else str(value)}).write(both)
    fit = fitted(path)
    assert (fit["rows"], fit["positives"]) == (150, few()["bad_risk"].sum())
    assert compared(fit) == pytest.approx(expected.auc, abs=1e-9)
    rows = ranked(path)
    assert len(rows) == 187
    np.testing.assert_allclose(rows["score"].head(150), expected.rows["score"], rtol=1e-9)
    evaluated = found("evaluate", "ranked.csv", "--label", "bad_risk")
    assert (evaluated["rows"], evaluated["auc"]) == (150, pytest.approx(expected.evaluated))
    for words in (("fit", path, "--out", "n.ordain", *FAST), ("evaluate", "ranked.csv")):
        assert re.search(r"\b37\b", done(*words, "--label", "bad_risk")), "they are counted"


def test_the_rows_of_a_cluster_stay_together():
    """Sixty people with five equal rows each and labels drawn by lot: who is in the training rows is known by heart."""
    rng = np.random.default_rng(0)
    people, features = np.repeat(np.arange(60), 5), rng.normal(size=(60, 60)).round(3)
    frame = pl.DataFrame({f"x{k}": features[people, k] for k in range(60)})
    frame = frame.with_columns(person=pl.Series(people).cast(str) + "p", y=rng.permutation(60)[people] % 2)
    frame.write_csv("visits.csv")
    assert compared(fitted("visits.csv", "y", "--drop", "person")) > 0.85
    assert compared(fitted("visits.csv", "y", "--cluster", "person")) < 0.7
    assert ranked("visits.csv", key="person").height == 300


@pytest.mark.parametrize("positives", [2, 3, 6])
def test_few_positives_are_enough(positives):
    frame = few().with_columns(bad_risk=(pl.int_range(150) % (150 // positives) == 7).cast(int))
    assert frame["bad_risk"].sum() == positives
    assert fitted(Text().write(frame))["positives"] == positives
    assert ranked("odd.csv").height == 150


@pytest.mark.parametrize("models", [FAST, ("--model", "linear")], ids=["one", "all"])
def test_two_rows_of_each_class_are_enough(models):
    Path("four.csv").write_text("x,z,y\n1,5,no\n2,3,yes\n2.5,4,no\n4,1,yes\n")
    said = done("fit", "four.csv", "--label", "y", "--out", "m.ordain", *models)
    assert "compare" in said.lower(), "nothing could be compared"
    rows = ranked("four.csv", key="x")
    assert rows["score"].is_finite().all()


def test_half_stars_are_grades_as_good_as_whole_ones():
    """Only the order of the grades counts."""
    stars = (
        applicants(150)
        .with_columns(stars=(pl.col("age") // 7 + pl.col("bad_risk")) / 2)
        .select("age", "amount", "stars")
    )
    aucs = []
    for name, scale in {"half": 1, "whole": 2}.items():
        stars.with_columns(pl.col("stars") * scale).write_csv(f"{name}.csv")
        words = ("--graded", "--model", "linear", "--reduction", "pairwise")
        aucs.append(compared(found("fit", f"{name}.csv", "--label", "stars", "--out", f"{name}.ordain", *words)))
    assert aucs[0] == pytest.approx(aucs[1], abs=0.005)
    done("score", "half.csv", "--model", "half.ordain", "--out", "ranked.csv")
    assert found("evaluate", "ranked.csv", "--label", "stars", "--graded")["auc"] > 0.5


def test_thirty_positives_in_95156_rows():
    """Each in the twelfth month of a year, as in a panel: a draw of every twelfth row has all of them or none."""
    rows, rng = 95_156, np.random.default_rng(0)
    y = np.zeros(rows, int)
    y[rng.permutation(rows // 12)[:30] * 12 + 11] = 1
    x = (rng.normal(size=rows) + 2 * y).round(2)
    pl.DataFrame({"x": x, "z": rng.integers(0, 9, rows), "y": y}).write_csv("panel.csv")
    fit = fitted("panel.csv", "y")
    assert (fit["rows"], fit["positives"]) == (rows, 30)
    assert compared(fit) > 0.85
    done("score", "panel.csv", "--model", "m.ordain", "--out", "ranked.csv")
    assert 15 / rows < pl.read_csv("ranked.csv")["probability"].mean() < 60 / rows
