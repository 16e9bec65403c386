"""Othello: a disc turns over all of the opponent's that it encloses; who has more discs at the end wins."""

from wslib.games import rules
from wslib.games.position import FIRST, Game, Look, Position, register


class Othello(Game):
    """Othello on boards with 4, 6 or 8 rows and columns; who cannot turn any disc over passes."""

    name, written, kind = "othello", "Othello", rules.OTHELLO
    passes = True
    look = Look("#2f7d55", "#2f7d55", "#1d5438", ("#161616", "#f7f7f2"), ("#000000", "#555555"), "#ffe45c", "#12263f",
                "#ffb000")  # fmt: skip

    @classmethod
    def check_size(cls, rows: int, cols: int) -> None:
        """The first four discs lie in the middle."""
        if not all(n in (4, 6, 8) for n in (rows, cols)):
            raise ValueError(f"Othello is played on boards with 4, 6 or 8 rows and columns, not {rows}×{cols}")

    def start(self) -> Position:
        """Two discs of each player in the middle: O on the falling diagonal, X on the rising one."""
        r, c, n = self.rows // 2, self.cols // 2, self.cols
        first = 1 << ((r - 1) * n + c) | 1 << (r * n + c - 1)
        second = 1 << ((r - 1) * n + c - 1) | 1 << (r * n + c)
        return Position(self, first, second, FIRST)


register(Othello)
