"""Connect Four: a stone falls to the lowest empty cell of a column; four in a row win."""

import numpy as np

from wslib.games import rules
from wslib.games.position import Game, Look, register


class ConnectFour(Game):
    """Connect Four, on boards of any size and with lines of any length."""

    name, written, kind = "connect4", "Connect Four", rules.CONNECT4
    usual_k = 4
    drops = True
    look = Look("#2b5c9e", "#e6ebf2", "#1d4273", ("#b3261e", "#ffd23f"), ("#6d120d", "#9a7500"), "#1b7f5c", "#5b3a8c",
                "#ffffff")  # fmt: skip

    def views(self, board: np.ndarray) -> list[np.ndarray]:
        """Stones fall, so the only symmetry besides the identity is the mirror."""
        return [board, np.fliplr(board)]


register(ConnectFour, k=4)
