"""A small study has the same bits everywhere: see bits.py, whose ``--all`` takes minutes and tries many processors."""

import bits
import pytest

WANTED = "777541af318adeb4be0a"
"""Of results version 2, computed on a Zen 5, and on all processors of bits.py."""


def test_a_small_study_has_the_digest_that_it_has_everywhere():
    assert bits.digest() == WANTED, "results with networks have moved: raise NETWORK_RESULTS_VERSION in parameters.py"


@pytest.mark.parametrize("kind", [{"name": "haswell", "target": "haswell"}, {"name": "host", "workers": 2}], ids=str)
def test_it_has_it_on_another_processor_and_by_two_workers(kind):
    assert bits.elsewhere(**kind) == WANTED
