"""The guided searches: a row for each, and the functions that evaluate its leaves (thesis section 5.3.3).

An enhancement is a row of :data:`GUIDED` and, where its leaves are evaluated in a new way, a function. Everything else
reads the rows: settings, players, training runs, the command line, lists in messages.

A function that evaluates leaves names what it wants: ``network``, the network's values; ``playout``, the results of one
random playout from each leaf; ``w``, the weight in the settings. The first two are arrays of shape (n,), float64, in
[-1, 1], and so is what it returns: values for the player to move in each leaf. Leaves are played out only where
``playout`` is among the names and ``w``, if it is one of them, is not 0. It works element by element, because which
leaves are evaluated together must not matter.
"""

from collections.abc import Callable
from functools import cache
from inspect import signature
from typing import NamedTuple

import numpy as np


def network(network: np.ndarray) -> np.ndarray:
    """The network's value alone."""
    return network


def playout(playout: np.ndarray) -> np.ndarray:
    """The result of a random playout alone."""
    return playout


def mixture(network: np.ndarray, playout: np.ndarray, w: float) -> np.ndarray:
    """Both, where ``w`` is the share of the playout (eq. 5.5, 5.6)."""
    return (1.0 - w) * network + w * playout


class Method(NamedTuple):
    """What makes a guided search: how a leaf is evaluated, whether RAVE steers the walk, how its name is written."""

    leaf: Callable[..., np.ndarray]
    rave: bool
    name: str

    @property
    def wants(self) -> tuple[str, ...]:
        """What its evaluation of leaves names: some of ``network``, ``playout``, ``w``."""
        return _parameters(self.leaf)


@cache
def _parameters(function: Callable[..., object]) -> tuple[str, ...]:
    return tuple(signature(function).parameters)


GUIDED = {
    "baseline": Method(network, False, "Baseline"),
    "rollout": Method(playout, False, "Rollout"),
    "rave": Method(network, True, "RAVE"),
    "rora": Method(playout, True, "RoRa"),
    "wro": Method(mixture, False, "WRo"),
    "wrora": Method(mixture, True, "WRoRa"),
}
"""All guided searches; nothing else distinguishes them."""
THESIS = ("baseline", "rollout", "rave", "rora", "wro", "wrora")
"""The six of the thesis, which its claims are about: a seventh row above changes nothing that the study asks for."""


def mixing() -> tuple[str, ...]:
    """The methods in which a weight acts."""
    return tuple(name for name, method in GUIDED.items() if "w" in method.wants)


def with_rave() -> tuple[str, ...]:
    """The methods that RAVE steers."""
    return tuple(name for name, method in GUIDED.items() if method.rave)


def method_name(method: str) -> str:
    """A method as it is written: Baseline, RoRa, MCTS."""
    return GUIDED[method].name if method in GUIDED else method.upper()
