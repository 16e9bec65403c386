"""What tests share: a small network, a folder for published results; what needs the built book runs after a build."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import wslib as ws

SMALL_NETWORK = {"channels": 4, "hidden": (8,)}
"""A network that takes milliseconds."""


@pytest.fixture(scope="session")
def network():
    """A network for Connect Four that has learned nothing."""
    return ws.network("connect4", **SMALL_NETWORK)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # `make test` says that it has just built the book. Without that, a book may be missing or of another day.
    if os.environ.get("WSLIB_TEST_BOOK"):
        return
    skip = pytest.mark.skip(reason="looks at the built book: run `make test`, or `make book test-pages`")
    for item in items:
        if item.get_closest_marker("book") or item.get_closest_marker("browser"):
            item.add_marker(skip)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A browser without a window."""
    from playwright.sync_api import sync_playwright
    from test_browser import ARGUMENTS, CHROMIUM

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Published results are looked for here, and written, and not in the project."""
    monkeypatch.setattr("wslib.study.engine.store.published_root", lambda: tmp_path / "data")
    return tmp_path / "data"
