"""What all tests share: the ones that look at the built book run only after a build."""

import os

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # `make test` says that it has just built the book. Without that, a book may be missing or of another day.
    if os.environ.get("WSLIB_TEST_BOOK"):
        return
    skip = pytest.mark.skip(reason="looks at the built book: run `make test`, or `make book test-pages`")
    for item in items:
        if item.get_closest_marker("book") or item.get_closest_marker("browser"):
            item.add_marker(skip)
