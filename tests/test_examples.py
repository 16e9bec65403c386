"""The examples in docstrings give what they say."""

import doctest
import pkgutil
from importlib import import_module

import pytest

import wslib

MODULES = ["wslib", *(module.name for module in pkgutil.walk_packages(wslib.__path__, "wslib."))]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_give_what_they_say(name: str):
    if name.endswith(".early"):
        pytest.skip("changes what the whole process does")
    failed, _ = doctest.testmod(import_module(name))
    assert not failed
