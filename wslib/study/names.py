"""How games, methods, kinds of runs, numbers and lists are written, and each method's colour and place."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from wslib.search.methods import GUIDED

METHODS = {
    "random": ("Random", "#6F6F6F", "x"),
    "mcts": ("MCTS", "#0072B2", "o"),
    "baseline": ("Baseline", "#000000", "o"),
    "rollout": ("Rollout", "#0072B2", "v"),
    "rave": ("RAVE", "#E69F00", "s"),
    "rora": ("RoRa", "#009E73", "D"),
    "wro": ("WRo", "#56B4E9", "P"),
    "wrora": ("WRoRa", "#D55E00", "*"),
    "rhea": ("RHEA", "#CC79A7", "^"),
}
"""Name, colour and mark of each method, in the order in which tables and figures show them.

MCTS and Rollout have one colour: they are the same search with and without a network, and never in one figure.
"""
BOARDS = {"gobang": "Gobang", "connect4": "Connect Four", "othello": "Othello", "connect4-6x7": "Connect Four 6×7"}


def method_name(method: str) -> str:
    """A method as it is written in tables."""
    return METHODS[method][0] if method in METHODS else GUIDED[method].name if method in GUIDED else method


def board_name(board: str) -> str:
    """A game as it is written in tables: the plain name for the 6×6 games of the study."""
    return BOARDS.get(board, board)


def kind_name(kind: str) -> str:
    """A kind of run as it is written: the method's name, and what was changed."""
    method, *rest = kind.split(" ", 1)
    return " ".join([method_name(method), *rest]) if method in METHODS else kind


def method_of(kind: str) -> str:
    """The method that a kind of run begins with, as in "wrora adaptive" and "WRoRa, w = 1/2"."""
    return re.split(r"[ ,]", kind, maxsplit=1)[0].lower()


class Entrant(NamedTuple):
    """The parts of an entrant's name: the kind of its run, the run's seed, and the iteration where it is not the last.

    >>> Entrant("wro adaptive", 3).name, Entrant("rora", 0, 50).name
    ('wro adaptive-3', 'rora-0@50')
    >>> Entrant.named("wro adaptive-3"), Entrant.named("random").kind
    (Entrant(kind='wro adaptive', seed='3', iteration=None), 'random')
    """

    kind: str
    seed: int | str | None = None
    iteration: int | str | None = None

    @property
    def name(self) -> str:
        """What the entrant is called in tables of games."""
        return f"{self.kind}-{self.seed}" + (f"@{self.iteration}" if self.iteration else "")

    @classmethod
    def named(cls, name: str) -> "Entrant":
        """The parts of a name; of a player without a network, its name alone."""
        found = re.fullmatch(r"(.+)-(\d+)(?:@(\d+))?", name)
        return cls(*found.groups()) if found else cls(name)


def p_value(p: float) -> str:
    """A p as it is written in tables, with as many digits as it takes to stay on its side of 5 %.

    >>> p_value(0.0123), p_value(0.04997)
    ('0.012', '0.04997')
    """
    texts = (f"{p:.{digits}f}" for digits in range(3, 16))
    return "< 0.001" if p < 0.001 else next(text for text in texts if (float(text) < 0.05) == (p < 0.05))


def percent(value: float) -> str:
    """A share as a percentage with one decimal."""
    return f"{100 * value:.1f}"


def listed(texts: Iterable[str]) -> str:
    """Several things as a sentence lists them.

    >>> listed(["Gobang", "Othello", "Connect Four"]), listed([])
    ('Gobang, Othello and Connect Four', '')
    """
    *most, last = [*texts] or [""]
    return f"{', '.join(most)} and {last}" if most else last
