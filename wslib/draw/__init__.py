"""Boards, heat maps, games and small trees as SVG: one look in JupyterLab and in the book.

    board(position, heat=policy)     one position, with a number per action as shading
    boards([...], captions=[...])    several beside each other, on a narrow screen below each other
    filmstrip(position)              the game that led to a position, to scroll through
    tree([...])                      a search tree, drawn from its root downwards

Importing this module teaches :class:`wslib.games.Position` to draw itself as the last line of a cell.

What is drawn needs no style sheet, no script and no file beside it. Text outside a board takes the colour of the page,
so it reads on light and on dark; stones differ in lightness as well as in hue, and in Connect Four carry a mark.
"""

from wslib.draw.boards import Drawing, Drawings, board, boards, filmstrip
from wslib.draw.trees import tree

__all__ = ["Drawing", "Drawings", "board", "boards", "filmstrip", "tree"]
