"""What all tests share: a folder for published results; and what looks at the built book runs only after a build."""

import os
from pathlib import Path

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # `make test` says that it has just built the book. Without that, a book may be missing or of another day.
    if os.environ.get("WSLIB_TEST_BOOK"):
        return
    skip = pytest.mark.skip(reason="looks at the built book: run `make test`, or `make book test-pages`")
    for item in items:
        if item.get_closest_marker("book") or item.get_closest_marker("browser"):
            item.add_marker(skip)


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Published results are looked for here, and written, and not in the project."""
    monkeypatch.setattr("wslib.study.engine.store.published_root", lambda: tmp_path / "data")
    return tmp_path / "data"
