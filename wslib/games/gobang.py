"""Gobang: a stone goes to any empty cell; k in a row win. Tic-tac-toe is the smallest one."""

from wslib.games import rules
from wslib.games.position import Game, Look, register


class Gobang(Game):
    """Gobang on boards of any size and with lines of any length."""

    name, written, kind = "gobang", "Gobang", rules.GOBANG
    look = Look("#ead2a2", "#ead2a2", "#a5854c", ("#161616", "#fdfdfa"), ("#000000", "#555555"), "#c2410c", "#1e4f96",
                "#c2185b")  # fmt: skip


register(Gobang, k=4)
register(Gobang, "tictactoe", size=3, k=3)
