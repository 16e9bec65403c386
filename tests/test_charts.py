"""The forms that figures share: what they promise to whoever reads them, with none, some and all of their results."""

import re

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from shown import words

from wslib.study.report import rating, verdicts, warm
from wslib.study.report.charts import curves, finding, forests, looks_of, matrix, show_panels, strips
from wslib.study.report.look import THEMED, Look, table
from wslib.study.report.pictures import PICTURES
from wslib.study.statistics import decide, stats

KINDS = ["baseline", "rave", "wrora"]


def aged(runs: int, seed: int = 1) -> pd.DataFrame:
    """Ratings on the way of so many runs a kind; warm ones are 50 Elo higher at first and equal at the end."""
    random = np.random.default_rng(seed)
    rows = [
        (board, kind, run, iteration, 100.0 + random.normal(0, 10) + 50 * (kind != "baseline" and iteration < 100))
        for board in ("connect4", "othello")
        for kind in KINDS
        for run in range(runs)
        for iteration in (1, 10, 100)
    ]
    found = pd.DataFrame(rows, columns=["board", "kind", "seed", "iteration", "elo"])
    return found.assign(unit=found["board"] + found["kind"] + found["seed"].astype(str))


def test_every_panel_is_a_picture_of_its_own_and_has_its_title():
    shown = show_panels(curves(aged(3), "iteration", "elo", looks_of(KINDS)), "Alt.", "Caption.")
    assert shown.html.count("<svg aria-hidden") == 2
    assert {"Connect Four", "Othello"} <= set(words(shown))


def test_a_key_names_several_series_and_stands_above_no_single_one():
    def nothing(axis: Axes) -> None:
        pass

    keys = [{kind: Look() for kind in KINDS[:n]} for n in (1, 2)]
    one, two = (show_panels({"": nothing}, "Alt.", "Caption.", key=key).html for key in keys)
    assert "ws-key" not in one and two.count("<li") == 2


def test_panels_may_share_their_range():
    steep = {"low": lambda axis: axis.plot([0, 1], [0, 10]), "high": lambda axis: axis.plot([0, 1], [0, 1000])}
    free, shared = (show_panels(steep, "Alt.", "Caption.", same_up=same) for same in (False, True))
    assert words(free).count("1000") == 1 and words(shared).count("1000") == 2


def test_a_colour_has_a_form_for_each_theme_and_none_is_left_as_it_was_drawn():
    shown = show_panels(strips(aged(3), "elo", KINDS), "Alt.", "Caption.").html.lower()
    for drawn, (light, dark) in THEMED.items():
        alone = re.sub(re.escape(f"light-dark({light}, {dark})"), "", shown)
        assert drawn not in alone, drawn


def test_a_forest_keeps_the_row_of_what_is_not_known_yet():
    frame = pd.DataFrame({"board": ["othello"], "kind": ["rave"], "effect": [3.0], "low": [np.nan], "high": [np.nan]})
    panels = forests(frame, "effect", {kind: kind.upper() for kind in KINDS})
    assert {"RAVE", "WRORA", "BASELINE"} <= set(words(show_panels(panels, "Alt.", "Caption.")))


def test_a_matrix_writes_every_share_and_leaves_no_cell_empty():
    shares = pd.DataFrame([[np.nan, 75.4], [24.6, np.nan]], ["A", "B"], ["A", "B"])
    said = words(show_panels({"": lambda axis: matrix(axis, shares)}, "Alt.", "Caption."))
    assert {"75", "25"} <= set(said) and said.count("·") == 2


def test_what_a_figure_shows_is_said_game_by_game():
    said = finding(aged(4), "elo")
    for board in ("Connect Four", "Othello"):
        assert f"{board}: " in said
    assert "is highest" in said and "Baseline lowest" in said


def test_a_table_of_columns_takes_names_pairs_and_functions_and_writes_a_gap_as_a_dash():
    frame = pd.DataFrame({"a": [1, 2], "b": [0.5, np.nan]})
    shown = table(frame, "A table.", {"plain": "a", "share": ("b", "{:.2f}"), "sum": lambda row: f"{row.a + 1}"}).html
    assert re.findall(r"<td[^>]*>([^<]*)", shown) == ["1", "0.50", "2", "2", "–", "3"]
    assert "Not computed yet" in table(frame.head(0), "A table.", {"plain": "a"}).html


def test_gains_on_the_way_are_differences_of_means_with_intervals_from_three_runs_on():
    rows = aged(4)
    found = warm.over_baseline(rows, ("board", "iteration")).set_index(["board", "kind", "iteration"])
    here = rows[(rows["board"] == "othello") & (rows["iteration"] == 10)].groupby("kind")["elo"]
    row = found.loc["othello", "rave", 10]
    assert row["effect"] == pytest.approx(here.mean()["rave"] - here.mean()["baseline"])
    assert len(row["units"].split()) == 8
    both = [here.get_group(kind).to_numpy() for kind in ("rave", "baseline")]
    assert (row["low"], row["high"]) == pytest.approx(tuple(stats.difference_interval(*both)))
    assert warm.over_baseline(aged(2), ("board", "iteration"))[["low", "high"]].isna().all(axis=None)


def test_the_figure_of_gains_stands_with_none_some_and_all_of_its_runs():
    all_of_them = warm.gains_figure(aged(8), KINDS)
    assert all_of_them.html.count("<svg aria-hidden") == 4 and "after 100 iterations" in all_of_them.text
    some = aged(2)
    some = some[~((some["board"] == "othello") & (some["kind"] == "wrora"))]
    assert warm.gains_figure(some, KINDS).html.count("<svg aria-hidden") == 3
    for none in (aged(0), aged(2)[lambda f: f["kind"] != "baseline"]):
        assert "Not computed yet" in warm.gains_figure(none, KINDS).text


def test_strength_stands_beside_another_number_where_a_run_has_both():
    last = aged(5)[lambda f: f["iteration"] == 100]
    shown = warm.beside_figure(last, last.assign(cost=2 * last["elo"]), "cost", "minutes", "Marks are runs.")
    assert "Connect Four +1.00; Othello +1.00" in shown.text
    assert "Not computed yet" in warm.beside_figure(last, last.head(0).assign(cost=1.0), "cost", "", "").text


def test_false_alarms_at_a_glance_fill_one_square_per_tournament():
    tests = {"binomial": 0.49, "elo": 0.5, "permutation": 0.05, "welch": 0.04}
    simulated = pd.DataFrame([{"part": "false alarms", "spread": 50, "distinct": 20, **tests}])
    assert {"49 of 100", "5 of 100"} <= set(words(rating.alarms_glance(simulated)))
    assert "Not computed yet" in rating.alarms_glance(simulated.head(0)).text


def test_the_seven_claims_are_drawn_part_by_part_in_the_colours_of_their_verdicts():
    found = [decide.REPLICATED, decide.UNDECIDED, decide.OPPOSITE]
    parts = pd.DataFrame({"claim": ["3", "3", "1"], "value": [40.0, 2.0, -9.0], "low": [9.0, -20.0, -12.0],
                          "high": [70.0, 24.0, -6.0], "unit": ["Elo", "Elo", "points"], "verdict": found})  # fmt: skip
    shown = verdicts.claims_figure(parts)
    assert {"Claim 3: 2 parts", "Claim 1: 1 part"} <= set(words(shown)) and "1 replicated" in shown.text
    assert "Not computed yet" in verdicts.claims_figure(parts.assign(value=np.nan)).text


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_says_in_words_what_it_shows(name: str):
    shown = PICTURES[name]()
    assert len(shown.text) > 80 and shown.html.count('role="img"') == 1
    assert max(map(len, words(shown))) < 70
