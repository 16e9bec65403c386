"""The explorer of runs, the data behind figures, and the colours of methods."""

import io
import re
import shutil
import warnings
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Browser
from playwright.sync_api import Page as BrowserPage
from published_tables import experiments, table_file
from shown import behind
from test_browser import CHROMIUM

from wslib.parameters import NETWORK_RESULTS_VERSION, digest
from wslib.search import GUIDED
from wslib.study.claims.evidence import Evidence
from wslib.study.claims.listing import COLUMNS, all_runs, preset_of, warm_start
from wslib.study.engine.everything import Found
from wslib.study.engine.published import publish
from wslib.study.engine.store import LocalStore, published_root
from wslib.study.engine.units import collect
from wslib.study.names import METHODS
from wslib.study.pages.base import PLAYERS
from wslib.study.pages.learning import OneRun
from wslib.study.presets import preset
from wslib.study.report.charts import show_panels
from wslib.study.report.explorer import explorer, summary_prose
from wslib.study.report.look import Html, as_csv, data_link, link, look_of, show_table

NOTHING = Evidence({}, {})


@pytest.fixture
def listed(tmp_path: Path) -> pd.DataFrame:
    """All published runs, and none from a store."""
    return all_runs(NOTHING, store=LocalStore(tmp_path))


# --- the list -----------------------------------------------------------------------------------------------------


def test_every_published_run_has_its_row(listed: pd.DataFrame):
    for name in experiments():
        units = pd.read_csv(table_file(name, "units"), dtype=str)
        runs = set(units.loc[units["kind"].isin(["run", "switch"]), "unit"])
        assert runs == set(listed.loc[listed["experiment"] == name, "unit"])


def test_a_row_says_what_the_published_files_say(listed: pd.DataFrame):
    row = listed[listed["experiment"] == "one_run"].iloc[0]
    units = pd.read_csv(table_file("one_run", "units")).iloc[0]
    made = pd.read_csv(table_file("one_run", "provenance")).iloc[0]
    stages = made[["cpu_self-play", "cpu_training", "cpu_arena", "cpu_storing"]].sum()
    assert (row["unit"], row["accepted"], row["code"]) == (units["unit"], units["accepted"], made["code"])
    assert row["CPU minutes"] == pytest.approx(stages / 60)
    told = row[["game", "method", "warm start", "preset"]].tolist()
    assert told == ["connect4", "wrora", "5 iterations", "laptop"]


def test_a_run_in_the_store_is_listed_and_a_published_one_only_once(tmp_path: Path):
    unit = OneRun(preset="smoke").units()[0]
    store = LocalStore(tmp_path / "store")
    summary = {"iterations": 2, "accepted": 1, "switch_iteration": None}
    store.commit("run", unit.id, unit.canonical(), summary, {}, {"code": "abc", "cpu_training": 60.0})
    rows = all_runs(NOTHING, store=store)
    assert rows.loc[rows["unit"] == unit.id, "results"].tolist() == ["computed here"]
    assert rows.loc[rows["unit"] == unit.id, "CPU minutes"].tolist() == [1]
    resumed = LocalStore(tmp_path / "another")
    resumed.commit("run", unit.id, unit.canonical(), summary, {}, {"cpu_training": 60.0, "resumed_after": 1})
    rows = all_runs(NOTHING, store=resumed)
    assert rows.loc[rows["unit"] == unit.id, "CPU minutes"].isna().all(), "the minutes of a part say nothing"
    shutil.copytree(published_root() / "thesis", tmp_path / "data" / "thesis")
    publish("one_run", collect([unit], "one_run", store), (), tmp_path / "data")
    rows = all_runs(NOTHING, tmp_path / "data", store)
    assert rows[["experiment", "results", "CPU minutes"]].values.tolist() == [["one_run", "published", 1.0]]


STRANGE = [
    {"parameters": {}}, {"parameters": []}, {"parameters": {"run": None}}, {"run": {"method": {}}},
    {"run": {"seed": []}}, {"run": {"game": None}}, {"summary": {"iterations": "x"}},
    {"summary": {"accepted": []}}, {"made": []},
    {"made": {"cpu_training": [], "resumed_after": "x"}},
]  # fmt: skip


@pytest.mark.parametrize("strange", STRANGE)
def test_a_result_of_ones_own_that_says_something_else_is_left_out_with_a_sentence(strange: dict, tmp_path: Path):
    unit, store = OneRun(preset="smoke").units()[0], LocalStore(tmp_path)
    parameters = strange.get("parameters", unit.canonical() | {"run": unit.run.canonical() | strange.get("run", {})})
    summary = {"iterations": 2, "accepted": 1, "switch_iteration": None} | strange.get("summary", {})
    store.commit("run", unit.id, parameters, summary, {}, strange.get("made", {}))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        rows = all_runs(NOTHING, tmp_path / "nothing published", store)
    explorer(rows)
    left_out = [str(one.message) for one in told if "is left out: it does not say what" in str(one.message)]
    assert len(left_out) == (unit.id not in set(rows["unit"])) and len(left_out) == ("made" not in strange)
    assert all("\n" not in sentence and unit.id in sentence for sentence in left_out)


def test_a_rated_run_has_a_row_per_pool(tmp_path: Path):
    unit = OneRun().units()[0]
    elos = pd.DataFrame({"unit": unit.id, "pool": ["rave", "wro"], "elo": [100.0, 200.0]})
    evidence = Evidence({"iprime": pd.DataFrame({"unit": [unit.id]})}, {})
    evidence.__dict__["elos"] = {"iprime": elos}
    rows = all_runs(evidence, store=LocalStore(tmp_path))
    rated = rows[(rows["unit"] == unit.id) & (rows["experiment"] == "iprime")]
    assert rated[["pool", "Elo"]].values.tolist() == [["rave", 100.0], ["wro", 200.0]]
    elsewhere = rows[(rows["unit"] == unit.id) & (rows["experiment"] != "iprime")]
    assert "one_run" in set(elsewhere["experiment"]) and elsewhere["Elo"].isna().all(), "where it was not rated"


def test_a_preset_is_named_with_what_differs():
    assert preset_of(preset("table", game="othello").canonical()) == "table"
    assert preset_of(preset("smoke", game="gobang", method="rave", switch="adaptive").canonical()) == "smoke"
    for method in ("baseline", "wrora"):
        assert preset_of(preset("letter", game="othello", method=method).canonical()) == "letter"
    changed = preset("laptop", game="othello", method="wrora", weight="half", gating=False).canonical()
    assert preset_of(changed) == "laptop, gating = False, weight = half", "an arena that is not there has no settings"
    assert warm_start(preset("laptop", game="othello", method="wro", switch="adaptive").canonical()) == "adaptive"


# --- the page -----------------------------------------------------------------------------------------------------


def test_the_table_is_whole_without_its_script(listed: pd.DataFrame):
    html = explorer(listed).html
    for unit in listed["unit"]:
        assert unit in html
    assert html.count("<tr>") == len(listed) + 1
    assert not re.search(r"(?:src|href)=[\"'](?!data:)|https?:|@import|fetch\(|XMLHttp", html), "nothing from elsewhere"


def test_the_prose_counts_runs_once(listed: pd.DataFrame):
    twice = pd.concat([listed, listed.assign(pool="other")])
    number = listed["unit"].nunique()
    assert summary_prose(twice).startswith(f"{number} training runs")
    assert "All are published" in summary_prose(twice)
    old = listed["unit"] == listed["unit"].iloc[0]
    aged = summary_prose(listed.assign(results=old.map({True: "first edition", False: "published"})))
    assert "trained 1 of them for the first edition; no verdict" in aged


def test_runs_of_the_first_edition_are_marked():
    """Torch trained them, and a run of today with the same settings has another name."""
    run = preset("table", game="othello").canonical()
    today, then = digest({"run": run}, NETWORK_RESULTS_VERSION), digest({"run": run})
    places = {
        Found(kind, unit, {"run": run}, "warmstart", Path(), LocalStore(Path())).results: unit
        for kind, unit in (("run", today), ("run", then))
    }
    assert places == {"published": today, "first edition": then}
    assert Found("run", then, {"run": run}, "", Path(), LocalStore(Path())).results == "computed here"


@pytest.fixture
def opened(listed: pd.DataFrame, tmp_path: Path, browser: Browser):
    file = tmp_path / "runs.html"
    file.write_text(f"<!doctype html><meta charset=utf-8><body>{explorer(listed).html}", encoding="utf-8")
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.on("pageerror", lambda error: pytest.fail(str(error)))
    page.goto(file.as_uri())
    yield page
    page.close()


def column(page: BrowserPage, name: str) -> list[str]:
    return page.evaluate(
        "place => [...document.querySelectorAll('tbody tr')].filter(row => !row.hidden)"
        ".map(row => row.cells[place].dataset.value ?? row.cells[place].textContent)",
        COLUMNS.index(name),
    )


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium or Chrome here: nothing was looked at in a browser")
def test_the_explorer_sorts_filters_and_gives_what_is_seen(opened: BrowserPage, listed: pd.DataFrame):
    assert opened.get_by_role("status").inner_text() == f"{len(listed)} of {len(listed)} rows"
    head = opened.get_by_role("button", name="CPU minutes")
    head.focus()
    opened.keyboard.press("Enter")
    minutes = [float(value) for value in column(opened, "CPU minutes") if value]
    assert minutes == sorted(minutes) and len(set(minutes)) > 1
    opened.keyboard.press("Enter")
    assert [float(value) for value in column(opened, "CPU minutes") if value] == minutes[::-1]
    opened.get_by_label("method").select_option("WRoRa")
    assert set(column(opened, "method")) == {"WRoRa"}
    opened.get_by_label("any word").fill("no such run")
    assert opened.get_by_role("status").inner_text() == f"0 of {len(listed)} rows"
    opened.get_by_role("button", name="show all").click()
    opened.get_by_label("any word").fill("wrora 5 iterations")
    with opened.expect_download() as download:
        opened.locator("a[download]").click()
    frame = pd.read_csv(download.value.path(), dtype=str)
    assert frame["unit"].tolist() == column(opened, "unit")
    assert 0 < len(frame) < len(listed)


# --- the data behind figures --------------------------------------------------------------------------------------


def test_the_link_of_a_figure_holds_the_data_behind_it():
    frame = pd.DataFrame({"elo": [12.3456789, 1.0], "moves": ["1 2", "3"], "unit": ["a1", "b2"]})
    found = behind(show_panels({"": lambda axis: None}, "alt", "A figure.", frame))
    assert found == "unit,elo\na1,12.3457\nb2,1\n"
    assert data_link(frame.head(0), "empty") == ""


def test_the_link_of_a_table_holds_the_table_as_it_is_shown():
    frame = pd.DataFrame({"elo": [12.3456789, np.nan], "page": [link("a, b", "a.html"), "c"], "moves": ["1 2", "3"]})
    assert behind(show_table(frame, "A table.", {"elo": "{:+.1f}"})) == 'elo,page,moves\n+12.3,"a, b",1 2\n–,c,3\n'


def test_names_with_commas_survive():
    frame = pd.DataFrame({"kind": ["WRoRa, w = 1/2", 'a "b"']})
    assert pd.read_csv(io.StringIO(as_csv(frame)))["kind"].tolist() == frame["kind"].tolist()


def test_a_cell_may_lead_somewhere_and_text_is_still_escaped():
    html = show_table(pd.DataFrame({"x": [link("a<b", 'p.html?x="1"'), "<b>"]}), "Links.").html
    assert '<a href="p.html?x=&quot;1&quot;">a&lt;b</a>' in html and "&lt;b&gt;" in html
    assert isinstance(link("a", "b"), Html)


# --- colours ------------------------------------------------------------------------------------------------------


def test_methods_keep_their_order_everywhere():
    order = list(METHODS)
    for names in (list(GUIDED), list(PLAYERS)):
        assert sorted(names, key=order.index) == names


# Machado, Oliveira and Fernandes (2009), full severity, on linear RGB.
BLINDNESS = {
    "none": np.eye(3),
    "protanopia": np.array([[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]]),
    "deuteranopia": np.array([[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]]),
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def lab(colour: str, matrix: np.ndarray) -> np.ndarray:
    """A colour as it is seen, in CIELAB."""
    rgb = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    xyz = TO_XYZ @ np.clip(matrix @ linear, 0, 1) / np.array([0.9505, 1, 1.089])
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("sight", BLINDNESS)
@pytest.mark.parametrize("ink", ["#000000", "#ffffff"], ids=["light", "dark"])
@pytest.mark.parametrize("together", [tuple(GUIDED), PLAYERS], ids=["guided", "players"])
def test_methods_in_one_figure_are_told_apart_by_colour_also_when_colour_blind(sight: str, ink: str, together):
    colours = {name: METHODS[name][1].replace("#000000", ink) for name in together}
    for a, b in combinations(together, 2):
        distance = np.linalg.norm(lab(colours[a], BLINDNESS[sight]) - lab(colours[b], BLINDNESS[sight]))
        # 2.3 is just noticeable; small marks need several times as much.
        assert distance > 12, f"{a} and {b}: {distance:.0f}"


@pytest.mark.parametrize("together", [tuple(GUIDED), PLAYERS], ids=["guided", "players"])
def test_methods_in_one_figure_have_marks_of_their_own(together):
    assert len({look_of(name)[1] for name in together}) == len(together)


def test_a_kind_of_run_has_the_look_of_its_method():
    for kind in ("wrora", "wrora adaptive", "wrora 7", "WRoRa, w = 1/2"):
        assert look_of(kind) == look_of("wrora")
    assert look_of("something else")[:2] == ("#999999", "o")
