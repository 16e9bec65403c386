"""Drawings: the same position gives the same well-formed picture, which says in words what it shows."""

import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from drivers import random_line

from wslib import draw
from wslib.draw.boards import CELL, ink_on
from wslib.draw.trees import HIGHLIGHT
from wslib.games import game

SVG = "{http://www.w3.org/2000/svg}"
GAMES = ("othello-6x6", "othello-8x8", "connect4-6x7", "gobang-8x8-k5", "tictactoe")


def random_position(name: str, plies: int):
    line = random_line(game(name), plies)
    return line[min(plies, len(line) - 1)]


def parsed(drawing) -> ElementTree.Element:
    return ElementTree.fromstring(drawing.svg)


def texts(drawing) -> list[str]:
    return [element.text for element in parsed(drawing).iter(f"{SVG}text")]


def stones_on_board(drawing) -> list[ElementTree.Element]:
    return [e for e in parsed(drawing).find(f"{SVG}g").iter(f"{SVG}circle") if e.get("class") == "stone"]


def middle(element) -> tuple[float, float]:
    """The middle of a circle, a square or a text, in cells from the corner of the board."""
    x = float(element.get("cx") or element.get("x")) + float(element.get("width") or 0) / 2
    y = float(element.get("cy") or element.get("y")) + float(element.get("height") or 0) / 2
    return x / CELL - 0.5, y / CELL - 0.5


def everything() -> str:
    """A page with one of each drawing."""
    position = random_position("othello-6x6", 9)
    pages = [draw.board(random_position(name, 7))._repr_html_() for name in GAMES]
    pages.append(draw.board(position, heat=np.full(37, 1 / 37), caption="a < b & c")._repr_html_())
    pages.append(draw.boards([position, draw.board(position)], captions=["x", 'a "quote"'], columns=2)._repr_html_())
    pages.append(draw.filmstrip(position, every=2)._repr_html_())
    pages.append(draw.tree(TREE, caption="tree")._repr_html_())
    return "<div>" + "".join(pages) + "</div>"


TREE = [
    {"id": 0, "lines": ["N 3", "Q < 1"], "position": game("tictactoe").start()},
    {"id": 1, "parent": 0, "edge": "a1", "lines": ["N 2"], "highlight": True},
    {"id": 2, "parent": 0, "edge": "b & 2", "lines": ["a line that is much longer than the others"]},
    {"id": 3, "parent": 1, "edge": "c1", "lines": ["N 1"], "highlight": True},
    {"id": 4, "parent": 1, "edge": "a rather long word at a branch"},
    {"id": 5, "parent": 2},
]


def test_the_same_drawing_is_the_same_text_in_another_process():
    code = "import test_draw, hashlib; print(hashlib.sha256(test_draw.everything().encode()).hexdigest())"
    run = [sys.executable, "-c", code]
    digests = set()
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        said = subprocess.run(
            run, cwd=Path(__file__).parent, env=environment, capture_output=True, text=True, check=True
        )
        digests.add(said.stdout)
    assert len(digests) == 1


def test_all_drawings_are_well_formed_and_need_nothing_from_outside():
    page = everything()
    root = ElementTree.fromstring(page)
    tags = {element.tag.replace(SVG, "") for element in root.iter()}
    assert "svg" in tags and not tags & {"script", "style", "link", "image", "img", "use", "foreignObject", "a"}
    addresses = set(re.findall(r"\w+://[^\"\s]*", page))
    assert addresses == {"http://www.w3.org/2000/svg"}, "only the name of the SVG format may look like an address"
    attributes = {name for element in root.iter() for name in element.attrib}
    assert not {name for name in attributes if name.startswith("on") or name in ("id", "href", "src")}
    assert "url(" not in page


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("plies", [0, 1, 6, 60])
def test_every_stone_is_drawn_once_at_its_cell_in_its_players_colour(name, plies):
    position = random_position(name, plies)
    drawn = np.zeros_like(position.board)
    for stone in stones_on_board(draw.board(position)):
        col, row = middle(stone)
        assert drawn[int(row), int(col)] == 0
        drawn[int(row), int(col)] = (1, -1)[position.game.look.stones.index(stone.get("fill"))]
    assert np.array_equal(drawn, position.board)


@pytest.mark.parametrize("name", ["othello", "connect4", "gobang"])
def test_the_stones_of_the_players_differ_in_lightness_and_stand_out_from_the_board(name):
    def lightness(colour: str) -> float:
        return float(np.dot((0.299, 0.587, 0.114), [int(colour[i : i + 2], 16) for i in (1, 3, 5)])) / 255

    look = game(name).look
    first, second = map(lightness, look.stones)
    assert second - first > 0.3
    for stone, rim in zip(look.stones, look.rims, strict=True):
        assert max(abs(lightness(colour) - lightness(look.empty)) for colour in (stone, rim)) > 0.2


def test_connect_four_stones_carry_their_letter_as_a_mark():
    drawing = draw.board(game("connect4").position("1 2 3"))
    first = [p for p in parsed(drawing).find(f"{SVG}g").iter(f"{SVG}path")]
    rings = [c for c in parsed(drawing).find(f"{SVG}g").iter(f"{SVG}circle") if c.get("fill") == "none"]
    assert (len(first), len(rings)) == (2, 1)


@pytest.mark.parametrize(
    ("name", "heads"), [("othello-6x6", "abcdef123456"), ("connect4-6x7", "1234567"), ("tictactoe", "abc123")]
)
def test_the_coordinates_are_those_of_the_printed_position(name, heads):
    position = game(name).start()
    assert "".join(texts(draw.board(position))) == heads + "X to move"
    assert set(heads) <= set(str(position))


def test_the_last_move_is_marked_at_its_cell():
    for name, moves, cell in [
        ("gobang", "a1 c2", (2, 1)),
        ("connect4", "3 3", (2, 4)),
        ("othello", "c2", (2, 1)),
    ]:
        position = game(name).position(moves)
        marks = [e for e in parsed(draw.board(position)).iter() if e.get("class") == "last"]
        assert [middle(mark) for mark in marks] == [cell]
        assert 'class="last"' not in draw.board(position, last=False).svg
        assert 'class="last"' not in draw.board(game(name).start()).svg


def test_a_pass_marks_no_cell():
    position = game("othello", 4).parse("OX../..../..../..../X to move").play("pass")
    drawing = draw.board(position)
    assert 'class="last"' not in drawing.svg
    assert "last move pass" in parsed(drawing).get("aria-label")


def test_the_description_says_in_words_what_the_picture_shows():
    start = draw.board(game("othello").start())
    assert parsed(start).get("role") == "img"
    assert parsed(start).get("aria-label") == "Othello 6×6, X to move; X: d3 c4; O: c3 d4."
    assert parsed(start).find(f"{SVG}title").text == parsed(start).get("aria-label")
    drop = draw.board(game("connect4").position("4 4 3"), heat={"1": 0.25, "4": 0.75})
    assert parsed(drop).get("aria-label") == (
        "Connect Four 6×6, O to move; column 3 from below: X; column 4 from below: X O; last move 3; "
        "highest: 4 75%, 1 25%."
    )
    won = draw.board(game("tictactoe").position("a1 b1 a2 b2 a3"))
    assert "X has won; X: a1 a2 a3; O: b1 b2; last move a3." in parsed(won).get("aria-label")
    assert texts(won)[-1] == "X has won"


# --- heat ---------------------------------------------------------------------------------------------------------


def labels(drawing) -> dict[tuple[float, float], str]:
    return {middle(e): e.text for e in parsed(drawing).find(f"{SVG}g").iter(f"{SVG}text")}


def test_a_distribution_is_labelled_in_per_cent_where_the_stones_would_go():
    of = game("connect4")
    position = of.position("1 1 1")
    expected = {(0.0, 2.0): "50%", (3.0, 5.0): "30%", (5.0, 5.0): "20%"}
    assert labels(draw.board(position, heat=[0.5, 0, 0, 0.3, 0, 0.2])) == expected
    assert labels(draw.board(position, heat={"1": 0.5, "4": 0.3, 5: 0.2})) == expected
    assert labels(draw.board(position, heat=[0.5, 0, 0, 0.3, 0, 0.2], labels={"4": "here"})) == {(3.0, 5.0): "here"}


def test_counts_are_shown_as_they_are_and_values_with_their_sign():
    start = game("tictactoe").start()
    assert labels(draw.board(start, heat={"a1": 12, "b2": 3})) == {(0.0, 0.0): "12", (1.0, 1.0): "3"}
    assert labels(draw.board(start, heat={"a1": -0.5, "b2": 0.25})) == {(0.0, 0.0): "−0.50", (1.0, 1.0): "+0.25"}
    assert labels(draw.board(start, heat={"a1": float("nan"), "b2": 3})) == {(1.0, 1.0): "3"}
    assert len(labels(draw.board(start, heat=np.linspace(-1, 1, 9)))) == 9


def test_the_larger_number_is_shaded_more_strongly_and_a_negative_one_in_another_hue():
    look = game("gobang").look
    drawing = draw.board(game("tictactoe").start(), heat={"a1": 1.0, "b1": 0.5, "c1": 0.0, "a2": -1.0, "b2": 0.4})
    fills = {middle(e): e.get("fill") for e in parsed(drawing).iter(f"{SVG}rect") if float(e.get("width")) == CELL}
    assert fills[0, 0] == look.hot and fills[0, 1] == look.cold
    assert fills[2, 0] == fills[2, 2] == look.empty

    def distance(fill: str) -> float:
        return sum(abs(int(fill[i : i + 2], 16) - int(look.empty[i : i + 2], 16)) for i in (1, 3, 5))

    assert distance(fills[0, 0]) > distance(fills[1, 0]) > distance(fills[1, 1]) > 0


def test_the_share_of_a_pass_stands_below_the_board():
    position = game("othello", 4).parse("OX../..../..../..../X to move")
    heat = np.zeros(17)
    heat[16] = 1
    assert texts(draw.board(position, heat=heat))[-1] == "X to move, pass 100%"


def test_a_label_is_black_or_white_whichever_reads_better():
    assert [ink_on(colour) for colour in ("#ffffff", "#ffe45c", "#2f7d55", "#000000", "#12263f")] == [
        "#000000", "#000000", "#ffffff", "#ffffff", "#ffffff",
    ]  # fmt: skip


def test_a_heat_map_that_fits_no_action_is_refused():
    start = game("othello").start()
    with pytest.raises(ValueError, match="a number for each of 37 actions, not 36"):
        draw.board(start, heat=np.zeros(36))
    with pytest.raises(ValueError, match="its moves are a1 to f6 and pass"):
        draw.board(start, heat={"z9": 1.0})


# --- several boards -----------------------------------------------------------------------------------------------


def test_boards_wrap_and_keep_their_captions_in_order():
    row = draw.boards([game("othello").start(), game("gobang").start()], captions=["one", "two & three"], columns=1)
    page = ElementTree.fromstring(row._repr_html_())
    assert "flex-wrap:wrap" in page.get("style")
    assert [caption.text for caption in page.iter("figcaption")] == ["one", "two & three"]
    with pytest.raises(ValueError, match="2 boards need as many captions, not 1"):
        draw.boards([game("othello").start()] * 2, captions=["one"])


def test_no_board_is_wider_than_the_page():
    for drawing in (draw.board(game("othello", 8).start()), draw.board(game("othello").start(), size=900)):
        assert "max-width:100%" in parsed(drawing).get("style")
    assert "width:900px" in draw.board(game("othello").start(), size=900).svg


def test_a_film_strip_shows_the_game_from_its_start_to_its_end():
    position = game("tictactoe").position("a1 b1 a2 b2 a3")
    assert [item.caption for item in draw.filmstrip(position).items] == [
        "start", "ply 1: a1", "ply 2: b1", "ply 3: a2", "ply 4: b2", "ply 5: a3",
    ]  # fmt: skip
    strip = draw.filmstrip(position, every=3)
    assert [item.caption for item in strip.items] == ["start", "ply 3: a2", "ply 5: a3"]
    assert [len(stones_on_board(item)) for item in strip.items] == [0, 3, 5]
    page = ElementTree.fromstring(strip._repr_html_())
    assert "overflow-x:auto" in page.get("style") and page.get("tabindex") == "0"
    with pytest.raises(ValueError, match="every = 0 is not allowed: it should be a whole number of 1 or more"):
        draw.filmstrip(position, every=0)


def test_a_position_at_the_end_of_a_cell_draws_itself():
    position = game("connect4").position("4 4")
    assert position._repr_html_() == draw.board(position)._repr_html_()


def test_the_games_do_not_know_that_they_are_drawn():
    code = "import sys, wslib.games; print('wslib.draw' in sys.modules, hasattr(wslib.games.Position, '_repr_html_'))"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.split() == ["False", "False"]


# --- trees --------------------------------------------------------------------------------------------------------


def boxes(drawing) -> list[tuple[float, float, float, float]]:
    """Left, top, right and bottom of the nodes, level by level from the root (cells of small boards left out)."""
    found = [e for e in parsed(drawing).findall(f"{SVG}rect") if e.get("rx") == "6"]
    corners = [[float(e.get(name)) for name in ("x", "y", "width", "height")] for e in found]
    return [(x, y, x + width, y + height) for x, y, width, height in corners]


def test_the_nodes_of_a_tree_stand_apart_within_the_picture_and_below_their_parents():
    drawing = draw.tree(TREE)
    nodes = boxes(drawing)
    _, _, width, height = map(float, parsed(drawing).get("viewBox").split())
    assert len(nodes) == len(TREE)
    for left, top, right, bottom in nodes:
        assert left >= 0 and top >= 0 and right <= width and bottom <= height
    for i, a in enumerate(nodes):
        for b in nodes[i + 1 :]:
            assert a[2] < b[0] or b[2] < a[0] or a[3] < b[1] or b[3] < a[1]
    # The list is in order of levels, as the picture is.
    for node, given in zip(nodes, TREE, strict=True):
        if "parent" in given:
            assert node[1] > nodes[given["parent"]][3]


def test_a_parent_stands_above_the_middle_of_its_children():
    nodes = boxes(draw.tree([{"id": 0}, *({"id": i, "parent": 0, "lines": ["x" * i]} for i in (1, 5, 9))]))
    centres = [(left + right) / 2 for left, _, right, _ in nodes]
    assert centres[0] == pytest.approx((centres[1] + centres[3]) / 2)
    wide = boxes(draw.tree([{"id": 0, "lines": ["x" * 60]}, {"id": 1, "parent": 0}]))
    assert sum(wide[0][::2]) == pytest.approx(sum(wide[1][::2]))


def test_a_tree_writes_all_its_texts_and_highlights_what_it_is_told():
    drawing = draw.tree(TREE)
    wanted = [words for node in TREE for words in (*node.get("lines", []), node.get("edge")) if words]
    assert sorted(texts(drawing)) == sorted(wanted)
    highlighted = [e for e in parsed(drawing) if e.get("stroke") == HIGHLIGHT]
    assert [e.tag.replace(SVG, "") for e in highlighted] == ["path", "path", "rect", "rect"]
    assert "A tree of 6 nodes. N 3 Q < 1; a1 N 2" in parsed(drawing).get("aria-label")


@pytest.mark.parametrize(
    ("nodes", "says"),
    [
        ([], "at least one node"),
        ([{"id": 1, "parent": 0}], "only the first node is the root"),
        ([{"id": 1}, {"id": 2}], "only the first node is the root"),
        ([{"id": 1}, {"id": 1, "parent": 1}], "an id of its own"),
        ([{"id": 1, "colour": "red"}], "may have edge, highlight, id"),
        ([{"lines": []}], "an id of its own"),
    ],
)
def test_what_is_no_tree_is_refused(nodes, says):
    with pytest.raises(ValueError, match=says):
        draw.tree(nodes)
