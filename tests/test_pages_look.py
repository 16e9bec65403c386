"""What a reader sees of the built book, in a browser: nothing cut, nothing too small or too pale, nothing in the way.

All pages are loaded once on a desk in either theme and once on a phone; the tests ask what was measured there.
"""

import csv
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import Browser
from test_browser import CHROMIUM, HTML

VIEWS = {"desk": (1280, 800, "light"), "desk, dark": (1280, 800, "dark"), "phone": (390, 844, "light")}
HEAVIEST = 1_000_000
"""Bytes of a page."""
SEEN = 50
"""Pixels of a figure that must be seen for it to be on a screen."""
WITH_RESULTS = ("intro", "rhea", "orientation", "readings", "untrained", "one_run", "it_learns", "network_choice",
                "protocol", "elo", "rating", "published_tournaments", "perfect_play", "warmstart", "on_the_way",
                "control", "iprime", "adaptive", "adaptive_vs_fixed", "beyond", "what_came_out",
                "verdicts")  # fmt: skip
MEASURE = (Path(__file__).parent / "javascript" / "measure_page.js").read_text(encoding="utf-8")

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium or Chrome here: nothing was looked at in a browser"),
]
Facts = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def seen(browser: Browser) -> dict[str, Facts]:
    """What was measured in each view of each page; ``console`` is all that was said there."""
    files = sorted((HTML / "book").rglob("*.html"))
    assert files, "the book has no pages; build it with `make book`"
    return {view: {file.stem: measured(browser, file, view) for file in files} for view in VIEWS}


def measured(browser: Browser, file: Path, view: str) -> dict[str, Any]:
    width, height, theme = VIEWS[view]
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=theme)
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda line: said.append(f"{line.type}: {line.text}"))
    page.on("pageerror", lambda error: said.append(f"error: {error}"))
    page.goto(file.as_uri(), wait_until="load")
    page.evaluate("window.MathJax ? window.MathJax.startup.promise.then(() => true) : true")
    page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))")
    facts = page.evaluate(MEASURE)
    context.close()
    return facts | {"console": said}


def complaints(seen: dict[str, Facts], fact: str, views: tuple[str, ...] = tuple(VIEWS)) -> str:
    """What was found of a list of things that should be empty, a line each."""
    return "\n".join(f"{page} ({view}): {found}" for view in views for page, facts in seen[view].items()
                     for found in facts[fact])  # fmt: skip


def test_a_page_says_nothing_in_the_console_on_a_first_visit(seen: dict[str, Facts]):
    assert not complaints(seen, "console")


def test_all_code_is_folded_on_arrival(seen: dict[str, Facts]):
    assert not complaints(seen, "openCode")


def test_one_switch_shows_all_code_of_a_page_and_hides_it_again(browser: Browser):
    page = browser.new_page()
    page.goto((HTML / "book" / "runs" / "orientation.html").as_uri())
    cells, switch = page.locator("details.above-input"), page.locator(".ws-code-switch")
    assert cells.count() > 5 and not page.locator("details.above-input[open]").count()
    switch.click()
    assert page.locator("details.above-input[open]").count() == cells.count()
    assert page.locator("details.above-input .highlight").first.is_visible()
    page.get_by_role("button", name="Hide all code").click()
    assert not page.locator("details.above-input[open]").count()
    page.close()


def test_what_is_wider_than_its_box_says_that_it_goes_on(seen: dict[str, Facts]):
    assert not complaints(seen, "cutInSilence")


def test_no_formula_is_cut_on_a_desk(seen: dict[str, Facts]):
    assert not complaints(seen, "cutFormulas", ("desk",))


def test_figures_and_tables_are_numbered_from_the_top_of_each_page(seen: dict[str, Facts]):
    for page, facts in seen["desk"].items():
        for kind in ("Figure", "Table"):
            numbers = [name for name in facts["numbers"] if name.startswith(kind)]
            assert numbers == [f"{kind} {n}." for n in range(1, len(numbers) + 1)], page


def test_type_in_figures_is_large_enough_on_a_desk_and_on_a_phone(seen: dict[str, Facts]):
    assert not complaints(seen, "smallType")


def test_lines_marks_and_words_of_figures_stand_out_from_the_page_in_either_theme(seen: dict[str, Facts]):
    assert not complaints(seen, "pale")


def test_a_page_with_results_shows_its_first_figure_on_the_first_screen(seen: dict[str, Facts]):
    tops = {page: seen["desk"][page]["firstFigure"] for page in WITH_RESULTS}
    late = {page: top for page, top in tops.items() if top is not None and top > VIEWS["desk"][1] - SEEN}
    assert not late, f"pixels from the top: {late}"


def test_a_key_names_more_than_one_series(seen: dict[str, Facts]):
    assert not complaints(seen, "singleKeys")


def test_the_words_of_a_figure_say_what_it_shows_and_not_what_it_is(seen: dict[str, Facts]):
    assert not complaints(seen, "speechless", ("desk",))


def test_a_long_table_has_most_of_its_rows_beside_the_page_and_shows_all(browser: Browser):
    file = HTML / "book" / "runs" / "explorer.html"
    in_page = BeautifulSoup(file.read_text(encoding="utf-8"), "html.parser").select(".ws-explorer tbody tr")
    with (HTML / "data" / "explorer.csv").open(encoding="utf-8", newline="") as table:
        names = [row["unit"] for row in csv.DictReader(table)]
    page = browser.new_page()
    page.goto(file.as_uri())
    shown = page.locator(".ws-explorer tbody tr td:last-child").all_inner_texts()
    page.close()
    assert shown == names and len(in_page) <= 50


def test_the_csv_of_a_table_is_that_table():
    """But for the minus sign: in a CSV it is the hyphen that programs read."""
    compared, plain = 0, str.maketrans("\N{MINUS SIGN}", "-")
    for page in sorted((HTML / "book").rglob("*.html")):
        for figure in BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser").select("figure.ws-table"):
            (link,) = figure.select("a.ws-data")
            with (page.parent / link["href"]).resolve().open(encoding="utf-8", newline="") as file:
                beside = [["".join(cell.translate(plain).split()) for cell in row] for row in csv.reader(file)]
            shown = [
                ["".join(cell.text.translate(plain).split()) for cell in row.select("th, td")]
                for row in figure.select("tr")
            ]
            assert beside == shown, f"{page.name}: {figure.find('figcaption').text}"
            compared += 1
    assert compared > 20


def test_no_page_weighs_more_than_a_megabyte_and_its_data_lie_beside_it():
    heavy = [file.name for file in (HTML / "book").rglob("*.html") if file.stat().st_size > HEAVIEST]
    packed = [file.name for file in (HTML / "book").rglob("*.html") if "base64," in file.read_text(encoding="utf-8")]
    assert not heavy and not packed
    assert list((HTML / "data").glob("*.csv"))
