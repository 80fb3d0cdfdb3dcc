"""What the tests of the judge have in common: an endpoint that knows the larger number, and no time to wait."""

import pytest
from judge.scripted_endpoint import Endpoint, better, first_number

from ordain.judge import waiting


@pytest.fixture
def no_waiting(monkeypatch):
    """Waits that no server asked for take no time."""
    monkeypatch.setattr(waiting, "SLOWEST", 0.0)


@pytest.fixture
def server():
    """An endpoint that prefers the text with the larger first number."""
    with Endpoint(better(first_number)) as endpoint:
        yield endpoint
