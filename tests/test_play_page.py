"""The boards of the book in a real browser, opened from a file: played on and stepped through."""

import json
import random
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from test_browser import CHROMIUM, HTML, WIDTHS, watch
from test_javascript import ask, network_of

from wslib.games import game
from wslib.prompt.network_file import to_bytes
from wslib.prompt.networks import PlayingNetwork
from wslib.prompt.searches import search
from wslib.study.engine import store
from wslib.study.engine.networks import FILE
from wslib.study.pages.learning import OneRun
from wslib.study.report import play
from wslib.study.report.play import Opponent, opponents, replays, step_by_step, table_to_play_at, what_it_saw

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = ROOT / "book" / "_static" / "play"
ORDER = ("rules", "search", "network", "board", "play", "replay", "walk", "sights")
MOST_BYTES = 1_500_000
WALKED = "tictactoe", "a1 b2 c3 a3"
"""What the test walks through, simulation by simulation."""


def in_browser(test):
    """Mark a test that needs Chromium."""
    reason = "no Chromium or Chrome here: nothing was looked at in a browser"
    return pytest.mark.browser(pytest.mark.skipif(CHROMIUM is None, reason=reason)(test))


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page like the book's, with one published network."""
    folder = tmp_path_factory.mktemp("page")
    shutil.copytree(SCRIPTS, folder / "play")
    content = to_bytes(network_of("connect4", channels=4, hidden=(8,)), half=True)
    opponent = Opponent("connect4-6x6-k4", "wrora", 3, content)
    (folder / "play" / "networks").mkdir()
    (folder / "play" / opponent.file).write_text(opponent.script, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(play, "opponents", lambda: [opponent])
        body = table_to_play_at().html + replays(20, 0).html
        body += step_by_step(game(WALKED[0]).position(WALKED[1]), 100, 7).html
        body += what_it_saw(OneRun().run).html
    scripts = "".join(f'<script defer src="play/{name}.js"></script>' for name in ORDER)
    head = '<!doctype html><meta charset=utf-8><meta name=viewport content="width=device-width">'
    head += f'<title>Play</title><link rel=stylesheet href="play/board.css">{scripts}'
    (folder / "page.html").write_text(f"{head}<body>{body}", encoding="utf-8")
    return folder / "page.html"


@pytest.fixture
def page(browser: Browser, file: Path) -> Iterator[Page]:
    """The page at a phone's width; whatever it complains of fails the test."""
    page = browser.new_page(viewport={"width": 390, "height": 844})
    messages: list[str] = []
    complaints = watch(page, ("file:",))
    page.on("console", lambda line: messages.append(line.text))
    page.goto(file.as_uri())
    yield page
    page.close()
    assert not complaints + messages


def status(page: Page):
    return page.locator(".ws-play .ws-board [role=status]")


def choose(page: Page, **choices: str) -> None:
    """Set the menus of the page."""
    for label, option in choices.items():
        page.locator(".ws-play").get_by_label(label.replace("_", " ")).select_option(option)


FREE = ".ws-play .ws-board [role=gridcell][aria-disabled=false]"


@pytest.mark.parametrize("name", ["connect4", "othello", "gobang"])
@pytest.mark.parametrize("side", ["0", "1"])
@in_browser
def test_a_whole_game_can_be_played(page: Page, name: str, side: str):
    rng = random.Random(1)
    choose(page, Game=name, against="none", Strength="10")
    choose(page, You_are=side)
    ended = re.compile(r"You have won|You have lost|The game is drawn")
    for _ in range(40):
        expect(status(page)).to_have_text(re.compile(rf"Your move|must pass|{ended.pattern}"), timeout=10_000)
        if ended.search(status(page).inner_text()):
            break
        if "must pass" in status(page).inner_text():
            page.get_by_role("button", name="Pass").click()
            continue
        free = page.locator(FREE)
        free.nth(rng.randrange(free.count())).click()
    assert ended.search(status(page).inner_text())
    assert page.locator(FREE).count() == 0
    # What the page has played is a whole game by the library's rules, too.
    assert game(name).position(page.get_by_label("Moves so far").input_value()).is_over


@in_browser
def test_a_published_network_answers_and_shows_what_it_thought(page: Page):
    choose(page, Game="connect4")
    assert page.locator(".ws-play").get_by_label("against").input_value() == "networks/connect4-6x6-k4-wrora.js"
    page.locator(".ws-thinking summary").click()
    page.locator(FREE).first.click()
    expect(status(page)).to_contain_text("It plays", timeout=10_000)
    inside = page.locator(".ws-thinking")
    expect(inside).to_contain_text("99 visits")
    before = inside.locator("svg").inner_html()
    for layer in ("q", "p", "v"):
        inside.get_by_label("Shade by").select_option(layer)
        assert inside.locator("svg").inner_html() != before
        before = inside.locator("svg").inner_html()
    assert re.search(r"network's P \d+ %", inside.locator("[role=gridcell]").last.get_attribute("aria-label") or "")


@in_browser
def test_the_keyboard_is_enough(page: Page):
    choose(page, Game="othello", Strength="10")
    page.locator("[role=gridcell][tabindex='0']").first.focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    assert "c2, empty, legal" in (page.locator(":focus").get_attribute("aria-label") or "")
    page.keyboard.press("Enter")
    expect(status(page)).to_contain_text("Your move", timeout=10_000)
    assert page.get_by_label("Moves so far").input_value().startswith("c2 ")
    page.keyboard.press("u")
    assert page.get_by_label("Moves so far").input_value() == ""
    page.keyboard.press("f")
    assert "d5, empty, legal" in (page.locator(":focus").get_attribute("aria-label") or "")


@in_browser
def test_a_move_that_is_not_legal_and_a_text_that_is_no_game_get_a_sentence(page: Page):
    choose(page, Game="othello")
    page.get_by_role("gridcell", name="a1, ").first.click(force=True)
    expect(status(page)).to_have_text("a1 is not legal here.")
    page.get_by_label("Moves so far").fill("c2 z9")
    page.keyboard.press("Enter")
    expect(status(page)).to_contain_text("a move list of Othello 6×6 looks like")


@in_browser
def test_a_hint_shades_the_board_by_visits(page: Page):
    choose(page, Game="gobang", Strength="50")
    page.get_by_role("button", name="Hint").click()
    expect(status(page)).to_contain_text("Hint: ", timeout=10_000)
    labels = page.locator(FREE).evaluate_all("cells => cells.map(cell => cell.ariaLabel)")
    assert sum(int(re.search(r"visits (\d+)", label)[1]) for label in labels) == 49  # type: ignore[index]


@in_browser
def test_a_replay_is_stepped_through_by_keyboard(page: Page):
    recorded = page.locator(".ws-replay")
    slider, said = recorded.get_by_role("slider"), recorded.locator("[role=status]")
    assert said.inner_text().startswith("Ply 0 of ")
    slider.focus()
    for ply in (1, 2, 3):
        page.keyboard.press("ArrowRight")
        assert said.inner_text().startswith(f"Ply {ply} of ")
        assert slider.get_attribute("aria-valuetext") == said.inner_text()
    page.keyboard.press("ArrowLeft")
    assert said.inner_text().startswith("Ply 2 of ")
    page.keyboard.press("End")
    expect(said).to_contain_text("the game is over")
    assert "Dots: the value under perfect play" in recorded.inner_text()
    assert recorded.locator("circle.truth").count() > 0


@in_browser
def test_what_a_network_saw_is_gone_through_by_keyboard(page: Page):
    seen = page.locator(".ws-sights")
    slider, head = seen.get_by_role("slider"), seen.locator("[role=status]").first
    expect(head).to_have_text("After iteration 100 of 100")
    ends = [board.inner_html() for board in seen.locator("svg").all()]
    slider.focus()
    page.keyboard.press("Home")
    expect(head).to_have_text("Before the first iteration")
    begins = [board.inner_html() for board in seen.locator("svg").all()]
    assert len(ends) == 2 and all(a != b for a, b in zip(ends, begins, strict=True))
    page.keyboard.press("ArrowRight")
    assert slider.get_attribute("aria-valuetext") == "After iteration 1 of 100"
    assert re.search(r"network's P \d+ %", seen.locator("[role=gridcell]").last.get_attribute("aria-label") or "")


@in_browser
def test_a_simulation_is_told_in_four_steps(page: Page):
    walk = page.locator(".ws-walk")
    told, on = walk.locator(".ws-told"), walk.get_by_role("button", name="Next step")
    steps = [
        "1. Expand:",
        "1, evaluate:",
        "1, back up",
        "2, select:",
        "2. Expand:",
        "2, evaluate:",
        "2, back up",
        "3, select",
    ]
    for step in steps:
        on.click()
        assert told.inner_text().startswith(f"Simulation {step}")
    assert "U_rave" in told.inner_text()
    assert walk.locator("tr.chosen").count() == 1
    walk.get_by_label("Search").select_option("mcts")
    walk.get_by_role("button", name="Finish this simulation").click()
    assert "RAVE" not in told.inner_text()


@in_browser
@pytest.mark.parametrize("method", ["mcts", "rave"])
def test_the_walk_is_the_librarys_search(page: Page, method: str):
    walk = page.locator(".ws-walk")
    walk.get_by_label("Search").select_option(method)
    for _ in range(10):
        walk.get_by_role("button", name="Ten more").click()
    shown = walk.locator("tbody tr").evaluate_all("rows => rows.map(row => [...row.cells].map(c => c.textContent))")
    found = search(game(WALKED[0]).position(WALKED[1]), method=method, simulations=100, seed=7)
    expected = found.table().sort_index(key=lambda moves: moves.map(found.position.game.action_number))
    assert [(row[0], int(row[1])) for row in shown] == list(expected["N"].items())
    if method == "rave":
        assert [int(row[5]) for row in shown] == expected["N_rave"].tolist()


@in_browser
@pytest.mark.parametrize("method", ["baseline", "rora", "wrora"])
def test_the_walk_with_a_network_is_the_librarys_search(browser: Browser, file: Path, method: str):
    position, network = game("connect4").position("4 4 3"), network_of("connect4", channels=4, hidden=(8,))
    walked = step_by_step(position, 40, 7, to_bytes(network)).html
    head = file.read_text(encoding="utf-8").partition("<body>")[0]
    (file.parent / "walk.html").write_text(f"{head}<body>{walked}", encoding="utf-8")
    page = browser.new_page()
    complaints = watch(page, ("file:",))
    page.goto((file.parent / "walk.html").as_uri())
    walk = page.locator(".ws-walk")
    walk.get_by_label("Search").select_option(method)
    for _ in range(2):
        walk.get_by_role("button", name="Next step").click()
    assert "evaluate: the network gives the moves their P" in walk.locator(".ws-told").inner_text()
    for button, times in (("Finish this simulation", 10), ("Ten more", 3)):
        for _ in range(times):
            walk.get_by_role("button", name=button).click()
    shown = walk.locator("tbody tr").evaluate_all("rows => rows.map(row => [...row.cells].map(c => c.textContent))")
    page.close()
    found = search(position, PlayingNetwork(network), method=method, simulations=40, seed=7)
    expected = found.table().sort_index(key=lambda moves: moves.map(position.game.action_number))
    assert not complaints
    assert [(row[0], int(row[1])) for row in shown] == list(expected["N"].items())


@in_browser
def test_nothing_is_wider_than_a_phone(page: Page):
    page.locator(".ws-thinking summary").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.book
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("device", list(WIDTHS))
@in_browser
def test_one_can_play_in_the_built_book(browser: Browser, device: str, theme: str):
    width, height = WIDTHS[device]
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=theme)
    context.add_init_script(f"localStorage.setItem('mode', '{theme}'); localStorage.setItem('theme', '{theme}');")
    page = context.new_page()
    complaints = watch(page, ("file:", "data:", "blob:"))
    page.goto((HTML / "book" / "runs" / "play.html").as_uri())
    choose(page, Game="connect4")
    page.locator(FREE).first.click()
    expect(status(page)).to_contain_text("It plays", timeout=20_000)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()
    assert not complaints


@pytest.mark.book
def test_a_page_with_a_playable_game_weighs_little():
    static = HTML / "_static" / "play"
    sizes = [file.stat().st_size for file in [HTML / "book" / "runs" / "play.html", *static.glob("*.*")]]
    networks = [(static / opponent.file).stat().st_size for opponent in opponents()]
    assert sum(sizes) + sum(sorted(networks)[-2:]) < MOST_BYTES


def test_only_networks_of_todays_format_are_offered_the_lowest_seed_first(tmp_path: Path, monkeypatch):
    good = to_bytes(network_of("connect4", channels=2, hidden=(2,)), half=True)
    for seed, content in ((0, b"no network"), (2, good), (1, good)):
        run = {"game": "connect4-6x6-k4", "method": "baseline", "seed": seed}
        folder = tmp_path / "warmstart" / "networks" / f"run{seed}"
        store.write_folder(folder, {FILE: content}, {"run": run, "iteration": 10 + seed})
    monkeypatch.setattr(store, "published_root", lambda: tmp_path)
    (found,) = opponents()
    assert (found.game, found.method, found.iteration) == ("connect4-6x6-k4", "baseline", 11)
    assert json.loads(re.search(r">(\[.*\])</script>", table_to_play_at().html)[1])[0]["file"] == found.file  # type: ignore[index]


def test_a_page_without_networks_says_so_in_a_sentence(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(store, "published_root", lambda: tmp_path)
    assert "No trained network is published at the moment" in table_to_play_at().html


def test_boards_have_the_same_colours_in_both_languages():
    looks = ask("looks")
    ours = {name: game(name).look._asdict() for name in ("othello", "connect4", "gobang")}
    assert looks == json.loads(json.dumps(ours))
