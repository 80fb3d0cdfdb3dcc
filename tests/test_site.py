"""The documentation as a site: it builds without a warning, and works in a browser with nothing from outside."""

import os
import re
import subprocess
import sys
from functools import reduce
from importlib.util import find_spec
from pathlib import Path
from types import FunctionType
from urllib.parse import unquote, urlsplit

import pytest
from promised import FIXED

import ordain
from ordain.cli import cli
from ordain.theorems import table

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, built as `make docs` builds it."""
    if find_spec("sphinx") is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)("this test needs sphinx, myst-parser and furo")
    folder = tmp_path_factory.mktemp("site")
    line = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "-d", folder / "cache"]
    done = subprocess.run([*line, ROOT / "docs", folder / "html"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder / "html"


def test_no_link_inside_is_dead_and_nothing_is_loaded_from_outside(site):
    pages = {page: page.read_text() for page in site.rglob("*.html")}
    names = {page: set(re.findall(r'\bid="([^"]+)"', text)) for page, text in pages.items()}
    assert len(pages) > 15
    for page, text in pages.items():
        loaded = re.findall(r'<(?:script|img|link|iframe)\b[^>]*?\b(?:src|href)="([^"]+)"', text)
        assert not [link for link in loaded if urlsplit(link).netloc], page.name
        for link in re.findall(r'<a\b[^>]*?\bhref="([^"]+)"', text):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            assert target.exists(), f"{page.name} links to {link}"
            if parts.fragment and target in names:
                assert unquote(parts.fragment) in names[target] or parts.fragment == "", f"{page.name} links to {link}"


def test_every_command_and_every_public_name_is_in_the_reference(site):
    commands, names = ((site / "reference" / f"{page}.html").read_text() for page in ("commands", "names"))
    assert all(f"ordain {name}" in commands for name in cli.commands)
    for name in {*FIXED, *(f"ordain.{name}" for name in ordain.__all__)}:
        anchor = re.sub("[._]+", "-", name.lower()).strip("-")
        assert f'id="{anchor}"' in names, name
        value = reduce(getattr, name.split(".")[1:], ordain)
        if isinstance(value, type | FunctionType):
            assert f'id="{value.__module__}.{value.__qualname__}"' in names, name


def test_every_theorem_has_a_function_and_a_check_that_are_links(site):
    """A function is one of the package, or the losses; the check is its code, line by line."""
    pages = [page.read_text() for page in (site / "reference").glob("theorems_*.html")]
    for row in table.ROWS.values():
        [told] = [part for page in pages for part in page.split("<section ")[2:] if f">{row.name}<a " in part]
        function, check = re.findall(r"<strong>(?:function|check)</strong>.*?</p>", told, re.DOTALL)
        assert re.search(r'href="((names|theorems_code)\.html#|\.\./losses\.html)', function), row.name
        where = re.sub("[._]+", "-", f"{row.check.__module__}.{row.check.__name__}".lower())
        assert f'href="theorems_code.html#{where}"' in check, row.name


def test_it_is_searched_without_a_server_and_asks_nobody(site, browser):
    page = browser.new_page()
    asked, errors = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto((site / "search.html").as_uri() + "?q=jackknife")
    page.wait_for_selector("#search-results li a")
    found = page.eval_on_selector_all("#search-results li a", "links => links.map(link => link.textContent)")
    assert found and not errors
    assert all(url.startswith(("file:", "data:")) for url in asked)
    page.close()


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1280, "dark")])
def test_every_page_fits_phones_and_desks_and_asks_nobody(site, browser, width, scheme):
    """What is wider, such as tables and code, scrolls by itself; the reader's scheme is kept."""
    page = browser.new_page(viewport={"width": width, "height": 844}, color_scheme=scheme)
    page.set_default_timeout(0)
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    for path in sorted(site.rglob("*.html")):
        page.goto(path.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path.name
        background = page.evaluate("getComputedStyle(document.body).backgroundColor")
        light = sum(map(int, re.findall(r"\d+", background)[:3])) > 384
        assert light == (scheme == "light"), (path.name, background)
    assert all(url.startswith(("file:", "data:")) for url in asked)
    page.close()
