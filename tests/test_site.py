"""The documentation as a site: it builds without a warning, and works in a browser with nothing from outside."""

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from ordain.cli import cli

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
    assert all(f'id="{anchor}"' in names for anchor in ("ordain-auc", "ordain-fit", "ordain-linearranker"))


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
