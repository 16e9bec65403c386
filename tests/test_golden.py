"""Results do not move unnoticed: see golden.py, which also writes the files anew."""

import json

import golden
import pytest

from wslib.parameters import RESULTS_VERSION


def test_results_have_not_moved_without_a_new_results_version():
    problem = golden.complaint(json.loads(golden.RESULTS.read_text()), golden.results(), RESULTS_VERSION)
    assert problem is None, problem


@pytest.mark.parametrize(("path", "text"), golden.trees().items(), ids=lambda value: getattr(value, "name", ""))
def test_small_search_trees_are_those_on_file(path, text):
    assert text == path.read_text(), "if this is intended, run `python tests/golden.py` and read the difference"


def test_moved_results_are_told_from_a_new_version_and_from_new_names():
    known = {"results_version": 1, "results": {"a": {"digest": "1"}, "b": {"digest": "2"}}}
    fresh = {"a": {"digest": "1"}, "b": {"digest": "2"}}
    assert golden.complaint(known, fresh, 1) is None
    moved = golden.complaint(known, fresh | {"b": {"digest": "3"}}, 1)
    assert "moved (b)" in moved and "raise RESULTS_VERSION in wslib/parameters.py" in moved
    assert "moved (b)" in golden.complaint(known, {"a": {"digest": "1"}}, 1)
    assert "of results version 1, the code of version 2" in golden.complaint(known, fresh, 2)
    assert "New results" in golden.complaint(known, fresh | {"c": {"digest": "4"}}, 1)
